//! [`part`]: takes a mesh apart at edges.

use std::collections::{BTreeMap, BTreeSet};

use super::{CutEdge, cut_edge};

/// A mesh that was taken apart, over the triangles of another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parting {
    /// Vertices of each triangle that is left.
    pub triangles: Vec<[u32; 3]>,
    /// Its number in the mesh before.
    pub faces: Vec<u32>,
    /// The vertex of the mesh before that each vertex was.
    pub origin: Vec<u32>,
    /// Vertices one of whose copies this mesh has, or had before triangles were left out, ascending.
    pub lips: Vec<u32>,
}

impl Parting {
    /// The copies of each of the `vertices` vertices of the mesh before, ascending.
    pub fn copies(&self, vertices: usize) -> Vec<Vec<u32>> {
        let mut copies = vec![Vec::new(); vertices];
        for (v, origin) in self.origin.iter().enumerate() {
            copies[*origin as usize].push(v as u32);
        }
        copies
    }
}

/// Takes `triangles` apart at the edges `cuts` and leaves out those that are not in `keep`.
///
/// Vertices keep their numbers; copies follow, in the order of what they are copies of. If triangles are left out, vertices without
/// any are too, and the others move up.
///
/// ```
/// use std::collections::BTreeSet;
/// use toile_mesh::scissors::part;
/// let square = [[0, 1, 2], [0, 2, 3]];
/// let two = part(&square, &BTreeSet::from([[0, 2]]), &[true, true]);
/// assert_eq!(two.triangles, [[0, 1, 2], [4, 5, 3]]);
/// assert_eq!(two.origin, [0, 1, 2, 3, 0, 2]);
/// ```
///
/// # Panics
/// If `keep` is not as long as `triangles`.
pub fn part(triangles: &[[u32; 3]], cuts: &BTreeSet<CutEdge>, keep: &[bool]) -> Parting {
    assert_eq!(triangles.len(), keep.len());
    let vertices = triangles.iter().flatten().max().map_or(0, |v| v + 1);
    let mut around: BTreeMap<u32, Vec<u32>> = cuts.iter().flatten().map(|v| (*v, Vec::new())).collect();
    for (f, t) in triangles.iter().enumerate() {
        for v in t {
            if let Some(faces) = around.get_mut(v) {
                faces.push(f as u32);
            }
        }
    }
    let mut parted = triangles.to_vec();
    let mut origin: Vec<u32> = (0..vertices).collect();
    let mut lips = Vec::new();
    for (v, faces) in &around {
        let fans = fans(*v, faces, triangles, cuts);
        if fans.len() > 1 {
            lips.push(*v);
        }
        for fan in fans.iter().skip(1) {
            let copy = origin.len() as u32;
            origin.push(*v);
            for f in fan {
                parted[*f as usize].iter_mut().filter(|u| **u == *v).for_each(|u| *u = copy);
            }
            lips.push(copy);
        }
    }
    leave_out(&parted, &origin, &lips, keep)
}

/// Groups of the triangles around `v` that hang together without a cut, each ascending, in the order of their first.
fn fans(v: u32, faces: &[u32], triangles: &[[u32; 3]], cuts: &BTreeSet<CutEdge>) -> Vec<Vec<u32>> {
    let others = |f: u32| triangles[f as usize].into_iter().filter(move |u| *u != v);
    let touch = |f: u32, g: u32| others(f).any(|u| others(g).any(|w| w == u) && !cuts.contains(&cut_edge(u, v)));
    let (mut fans, mut left) = (Vec::new(), faces.to_vec());
    while let Some(first) = left.first().copied() {
        let mut fan = vec![first];
        left.remove(0);
        let mut k = 0;
        while k < fan.len() {
            let (next, rest): (Vec<u32>, Vec<u32>) = left.into_iter().partition(|g| touch(fan[k], *g));
            fan.extend(next);
            left = rest;
            k += 1;
        }
        fan.sort_unstable();
        fans.push(fan);
    }
    fans
}

fn leave_out(parted: &[[u32; 3]], origin: &[u32], lips: &[u32], keep: &[bool]) -> Parting {
    let faces: Vec<u32> = (0..parted.len() as u32).filter(|f| keep[*f as usize]).collect();
    let mut used = vec![faces.len() == parted.len(); origin.len()];
    for v in faces.iter().flat_map(|f| parted[*f as usize]) {
        used[v as usize] = true;
    }
    let mut number = vec![u32::MAX; origin.len()];
    let mut left = Vec::new();
    for v in (0..origin.len()).filter(|v| used[*v]) {
        number[v] = left.len() as u32;
        left.push(origin[v]);
    }
    let renumber = |v: u32| number[v as usize];
    let mut lips: Vec<u32> = lips.iter().map(|v| renumber(*v)).filter(|v| *v != u32::MAX).collect();
    lips.sort_unstable();
    Parting { triangles: faces.iter().map(|f| parted[*f as usize].map(renumber)).collect(), faces, origin: left, lips }
}

/// The triangles that hang together with triangle `face` by edges that are not cut.
pub fn piece_of(triangles: &[[u32; 3]], cuts: &BTreeSet<CutEdge>, face: u32) -> Vec<bool> {
    let mut at_edge: BTreeMap<CutEdge, Vec<u32>> = BTreeMap::new();
    let edges = |t: &[u32; 3]| [0, 1, 2].map(|k| cut_edge(t[k], t[(k + 1) % 3]));
    for (f, t) in triangles.iter().enumerate() {
        for edge in edges(t).into_iter().filter(|edge| !cuts.contains(edge)) {
            at_edge.entry(edge).or_default().push(f as u32);
        }
    }
    let mut inside = vec![false; triangles.len()];
    inside[face as usize] = true;
    let mut open = vec![face];
    while let Some(f) = open.pop() {
        for g in edges(&triangles[f as usize]).iter().filter_map(|edge| at_edge.get(edge)).flatten() {
            if !std::mem::replace(&mut inside[*g as usize], true) {
                open.push(*g);
            }
        }
    }
    inside
}
