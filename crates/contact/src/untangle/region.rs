//! [`Regions`]: which side of a crossing is the wrong one.
//!
//! Where a part of cloth goes through another surface, the line of intersection cuts it into regions (Baraff, Witkin and
//! Kass 2003, "Untangling Cloth", §4, there for closed lines; here for every line that cuts, whether it closes or ends
//! at a border). Each crossed edge leads from one side to the other, so one region decides all:
//! - between layers, the higher one belongs where the normals of the lower one point;
//! - else the largest region is right, or the largest that a hand holds.
//!
//! A line that ends inside a part does not cut it; then the part has no regions, and its lines are shortened instead.

use std::collections::BTreeMap;

use toile_mesh::DVec3;

use super::crossing::{Crossing, Crossings};
use super::tangle::Weave;

/// The regions of one part with respect to another.
#[derive(Debug)]
pub(super) struct Cut {
    /// For each vertex of the part its region.
    pub(super) region: Vec<u32>,
    /// For each region whether it is on the wrong side.
    pub(super) wrong: Vec<bool>,
}

/// The regions of all parts that are cut, by the part and what cuts it.
#[derive(Debug, Default)]
pub(super) struct Regions {
    pub(super) cuts: BTreeMap<(usize, usize), Cut>,
}

impl Regions {
    pub(super) fn find(weave: &Weave<'_>, x: &[DVec3], found: &Crossings) -> Self {
        let mut by_parts: BTreeMap<(usize, usize), Vec<&Crossing>> = BTreeMap::new();
        for crossing in &found.crossings {
            let part = weave.part_of_vertex(weave.topology.edges[crossing.edge].ends[0].index());
            if part < weave.cloth_parts {
                by_parts.entry((part, weave.part_of_face(crossing.face))).or_default().push(crossing);
            }
        }
        let cuts =
            by_parts.into_iter().filter_map(|(parts, crossings)| Some((parts, cut(weave, x, parts, &crossings)?)));
        Self { cuts: cuts.collect() }
    }

    /// Whether vertex `v` of `part` is on the wrong side of `other`; `None` if the part is not cut.
    pub(super) fn is_wrong(&self, weave: &Weave<'_>, part: usize, other: usize, v: usize) -> Option<bool> {
        let cut = self.cuts.get(&(part, other))?;
        let place = weave.members[part].binary_search(&(v as u32)).ok()?;
        Some(cut.wrong[cut.region[place] as usize])
    }
}

/// Cuts a part along its crossings with another; `None` if they do not cut it.
fn cut(weave: &Weave<'_>, x: &[DVec3], (part, other): (usize, usize), crossings: &[&Crossing]) -> Option<Cut> {
    let members = &weave.members[part];
    let place = |v: u32| members.binary_search(&v).unwrap_or(0) as u32;
    // An edge that goes through twice is back where it was.
    let mut odd: Vec<u32> = Vec::new();
    for crossing in crossings {
        let edge = crossing.edge as u32;
        if odd.last() == Some(&edge) {
            odd.pop();
        } else {
            odd.push(edge);
        }
    }
    let mut root: Vec<u32> = (0..members.len() as u32).collect();
    for e in weave.part_edges[part].iter().filter(|e| odd.binary_search(e).is_err()) {
        let [a, b] = weave.topology.edges[*e as usize].ends.map(|v| find_root(&mut root, place(v.0)));
        root[a.max(b) as usize] = a.min(b);
    }
    let mut number = vec![u32::MAX; members.len()];
    let mut count = 0;
    let region: Vec<u32> = (0..members.len() as u32)
        .map(|v| {
            let r = find_root(&mut root, v) as usize;
            if number[r] == u32::MAX {
                (number[r], count) = (count, count + 1);
            }
            number[r]
        })
        .collect();
    if count < 2 {
        return None;
    }
    let mut doors = vec![Vec::new(); count as usize];
    for e in &odd {
        let [a, b] = weave.topology.edges[*e as usize].ends.map(|v| region[place(v.0) as usize]);
        doors[a as usize].push(b);
        doors[b as usize].push(a);
    }
    let first = right_region(weave, x, (part, other), crossings, &region, count as usize);
    Some(Cut { wrong: colour(&doors, first), region })
}

/// A region that is on the right side.
fn right_region(
    weave: &Weave<'_>,
    x: &[DVec3],
    (part, other): (usize, usize),
    crossings: &[&Crossing],
    region: &[u32],
    count: usize,
) -> usize {
    let members = &weave.members[part];
    let mut worth = vec![(0.0, 0_usize, 0_usize); count];
    for (v, r) in members.iter().zip(region) {
        worth[*r as usize].1 += usize::from(weave.free[*v as usize] == 0.0);
        worth[*r as usize].2 += 1;
    }
    if let (Some(mine), Some(theirs)) = (weave.layer(part), weave.layer(other))
        && mine != theirs
    {
        let outward = if mine > theirs { 1.0 } else { -1.0 };
        for crossing in crossings {
            for v in weave.topology.edges[crossing.edge].ends {
                let r = region[members.binary_search(&v.0).unwrap_or(0)] as usize;
                worth[r].0 += outward * f64::from(crossing.normal.dot(x[v.index()] - crossing.point).signum() as i8);
            }
        }
    }
    let better = |a: (f64, usize, usize), b: (f64, usize, usize)| {
        (a.0.total_cmp(&b.0)).then((a.1 > 0).cmp(&(b.1 > 0))).then(a.2.cmp(&b.2)).is_gt()
    };
    (1..count).fold(0, |best, r| if better(worth[r], worth[best]) { r } else { best })
}

/// Goes through the doors from a right region; each leads from right to wrong and back.
fn colour(doors: &[Vec<u32>], first: usize) -> Vec<bool> {
    let mut wrong: Vec<Option<bool>> = vec![None; doors.len()];
    wrong[first] = Some(false);
    let mut waiting = std::collections::VecDeque::from([first]);
    while let Some(r) = waiting.pop_front() {
        for next in doors[r].iter().map(|n| *n as usize) {
            if wrong[next].is_none() {
                wrong[next] = wrong[r].map(|w| !w);
                waiting.push_back(next);
            }
        }
    }
    wrong.into_iter().map(|w| w == Some(true)).collect()
}

fn find_root(root: &mut [u32], mut v: u32) -> u32 {
    while root[v as usize] != v {
        root[v as usize] = root[root[v as usize] as usize];
        v = root[v as usize];
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_door_leads_to_the_other_side() {
        // 0 – 1 – 2 in a row, 3 beside 1.
        let doors = [vec![1], vec![0, 2, 3], vec![1], vec![1]];
        assert_eq!(colour(&doors, 2), [false, true, false, false]);
        assert_eq!(colour(&doors, 1), [true, false, true, true]);
    }
}
