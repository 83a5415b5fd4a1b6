//! One round of pushes at the crossings.
//!
//! - An edge that leads to the wrong side of a triangle: its end there moves through the triangle along its normal, and
//!   the rest of that region goes along by the mean of all such ends, so that a flap passes as a whole.
//! - Where no side is wrong, the line of intersection is shortened (Volino and Magnenat-Thalmann 2006, "Resolving Surface
//!   Collisions through Intersection Contour Minimization", §2). With `E` the direction of the edge, `N` the normal of the
//!   triangle and `R_i` the directions in which the line leaves the crossing within the triangles at the edge, a motion
//!   `δ` of the edge relative to the triangle lengthens the line by `−G·δ`,
//!   ```text
//!   G = Σ R_i − (E·R_i) / (E·N) N
//!   ```
//!   so the edge goes along `G` and the triangle against it. On flat cloth the terms cancel but at the ends of the line;
//!   therefore the sum over the whole line moves all of it as well, as the paper's global scheme does.
//! - Closed meshes know their outside: an edge of cloth that cuts a corner of one, and cloth pierced by its vertices, go
//!   there.
//!
//! Every vertex moves by the mean of what its crossings ask.

use std::collections::BTreeMap;

use toile_mesh::DVec3;

use super::crossing::{Crossing, Crossings};
use super::region::Regions;
use super::tangle::Weave;

/// Step along the line of intersection, as a share of the mean edge.
const LINE_STEP: f64 = 0.3;
/// Least angle between edge and triangle, as its sine, for the second term of `G`.
const STEEP: f64 = 0.1;
/// Distance gone beyond the surface, in distances to be kept.
const BEYOND: f64 = 1.5;

/// Moves asked of the vertices.
struct Moves {
    sum: Vec<DVec3>,
    count: Vec<u32>,
}

impl Moves {
    fn ask(&mut self, v: usize, delta: DVec3) {
        self.sum[v] += delta;
        self.count[v] += 1;
    }

    fn ask_all(&mut self, vertices: &[usize], delta: DVec3) {
        for v in vertices {
            self.ask(*v, delta);
        }
    }

    fn mean(&self, v: usize) -> DVec3 {
        self.sum[v] / f64::from(self.count[v].max(1))
    }
}

/// Moves the cloth one round towards being parted.
pub(super) fn push_crossings(weave: &Weave<'_>, found: &Crossings, x: &mut [DVec3]) {
    let regions = Regions::find(weave, x, found);
    let mut moves = Moves { sum: vec![DVec3::ZERO; x.len()], count: vec![0; x.len()] };
    let mut lines: Vec<(&Crossing, [usize; 2])> = Vec::new();
    for crossing in &found.crossings {
        let parts = parts_of(weave, crossing);
        let solid = parts.map(|p| weave.mesh_of[p].filter(|k| weave.solids[*k].is_closed()));
        match solid {
            [None, Some(k)] => chord(weave, crossing, k, x, &mut moves),
            [Some(_), None] => poke(weave, crossing, x, &mut moves),
            _ if !through(weave, &regions, crossing, parts, x, &mut moves) => lines.push((crossing, parts)),
            _ => {}
        }
    }
    shorten(weave, &lines, x, &mut moves);
    for pair in &found.flat {
        lift(weave, *pair, x, &mut moves);
    }
    carry(weave, &regions, &mut moves);
    for (v, x) in x.iter_mut().enumerate().filter(|(v, _)| weave.free[*v] > 0.0) {
        *x += moves.mean(v);
    }
}

/// Parts of the edge and of the triangle.
pub(super) fn parts_of(weave: &Weave<'_>, crossing: &Crossing) -> [usize; 2] {
    let [end, _] = weave.ends(crossing.edge);
    [weave.part_of_vertex(end), weave.part_of_face(crossing.face)]
}

/// Distance to keep between edge and triangle [m].
fn gap_of(weave: &Weave<'_>, crossing: &Crossing) -> f64 {
    let [end, _] = weave.ends(crossing.edge);
    weave.half_gap[end] + weave.half_gap[weave.triangles[crossing.face][0].index()]
}

/// Takes the wrong end of an edge through the triangle. `false` if neither part is cut by the other.
fn through(
    weave: &Weave<'_>,
    regions: &Regions,
    crossing: &Crossing,
    [part, other]: [usize; 2],
    x: &[DVec3],
    moves: &mut Moves,
) -> bool {
    let ends = weave.ends(crossing.edge);
    let wrong = ends.map(|v| regions.is_wrong(weave, part, other, v));
    let (wrong_end, right_end) = match wrong {
        [Some(true), Some(false)] => (ends[0], ends[1]),
        [Some(false), Some(true)] => (ends[1], ends[0]),
        [Some(_), Some(_)] => return true,
        // The other part's edges say which way to go.
        _ => return regions.cuts.contains_key(&(other, part)),
    };
    let side = crossing.normal.dot(x[right_end] - crossing.point);
    let normal = if side < 0.0 { -crossing.normal } else { crossing.normal };
    let depth = normal.dot(crossing.point - x[wrong_end]).max(0.0);
    let delta = normal * (depth + BEYOND * gap_of(weave, crossing));
    if weave.free[wrong_end] > 0.0 {
        moves.ask(wrong_end, delta);
    } else {
        moves.ask_all(&weave.face(crossing.face), -delta);
    }
    true
}

/// Takes along what belongs to a region that was pushed.
fn carry(weave: &Weave<'_>, regions: &Regions, moves: &mut Moves) {
    let pushed = moves.count.clone();
    for (&(part, _), cut) in &regions.cuts {
        let mut mean = vec![(DVec3::ZERO, 0_u32); cut.wrong.len()];
        let members = || weave.members[part].iter().map(|v| *v as usize).zip(cut.region.iter().map(|r| *r as usize));
        for (v, r) in members().filter(|(v, _)| pushed[*v] > 0) {
            mean[r].0 += moves.sum[v] / f64::from(moves.count[v]);
            mean[r].1 += 1;
        }
        for (v, r) in members().filter(|(v, r)| cut.wrong[*r] && pushed[*v] == 0) {
            if mean[r].1 > 0 {
                moves.ask(v, mean[r].0 / f64::from(mean[r].1));
            }
        }
    }
}

/// The direction in which the edge of a crossing shortens the line.
pub(super) fn shortening(weave: &Weave<'_>, crossing: &Crossing, x: &[DVec3]) -> DVec3 {
    let edge = &weave.topology.edges[crossing.edge];
    let [p, q] = edge.ends.map(|v| x[v.index()]);
    let (e, n) = ((q - p).normalize_or_zero(), crossing.normal);
    let mut sum = DVec3::ZERO;
    for (face, opposite) in edge.faces.iter().zip(edge.opposite) {
        let (Some(face), Some(opposite)) = (face, opposite) else { continue };
        let [a, b, c] = weave.corners(face.index(), x);
        let along = (b - a).cross(c - a).cross(n).normalize_or_zero();
        let inward = x[opposite.index()] - crossing.point;
        let inward = inward - e * e.dot(inward);
        let r = if along.dot(inward) < 0.0 { -along } else { along };
        let lift = if e.dot(n).abs() > STEEP { n * (e.dot(r) / e.dot(n)) } else { DVec3::ZERO };
        sum += r - lift;
    }
    sum
}

/// Shortens the lines of intersection.
fn shorten(weave: &Weave<'_>, lines: &[(&Crossing, [usize; 2])], x: &[DVec3], moves: &mut Moves) {
    let mut whole: BTreeMap<[usize; 2], DVec3> = BTreeMap::new();
    let own: Vec<DVec3> = lines.iter().map(|(crossing, _)| shortening(weave, crossing, x)).collect();
    for ((_, [a, b]), g) in lines.iter().zip(&own).filter(|((_, [a, b]), _)| a != b) {
        // Of the lower part relative to the higher one.
        *whole.entry([*a.min(b), *a.max(b)]).or_default() += if a < b { *g } else { -*g };
    }
    for ((crossing, [a, b]), g) in lines.iter().zip(&own) {
        let line = whole.get(&[*a.min(b), *a.max(b)]).map_or(DVec3::ZERO, |g| g.normalize_or_zero());
        let g = *g + if a < b { line } else { -line };
        let delta = g * (LINE_STEP * weave.mean_edge / (1.0 + g.length_squared()).sqrt());
        let ends = weave.ends(crossing.edge);
        let corners = weave.face(crossing.face);
        let movable = |vertices: &[usize]| vertices.iter().any(|v| weave.free[*v] > 0.0);
        let share = match (movable(&ends), movable(&corners)) {
            (true, true) => [0.5, 0.5],
            (true, false) => [1.0, 0.0],
            _ => [0.0, 1.0],
        };
        moves.ask_all(&ends, delta * share[0]);
        moves.ask_all(&corners, -delta * share[1]);
    }
}

/// An edge of cloth through a face of a closed mesh whose ends are both outside moves outwards.
fn chord(weave: &Weave<'_>, crossing: &Crossing, k: usize, x: &[DVec3], moves: &mut Moves) {
    let ends = weave.ends(crossing.edge);
    let solid = &weave.solids[k];
    let outside = |v: &usize| solid.nearest(x[*v]).is_none_or(|foot| foot.distance >= 0.0);
    if !ends.iter().all(outside) {
        // The end that is inside is taken out by itself.
        return;
    }
    let middle = x[ends[0]].midpoint(x[ends[1]]);
    let depth = solid.nearest(middle).map_or(0.0, |foot| -foot.distance).max(0.0);
    let delta = crossing.normal * (depth + BEYOND * gap_of(weave, crossing));
    moves.ask_all(&ends, delta);
}

/// A triangle of cloth that an edge of a closed mesh pierces moves outwards until the edge's farther end is behind it.
fn poke(weave: &Weave<'_>, crossing: &Crossing, x: &[DVec3], moves: &mut Moves) {
    let edge = &weave.topology.edges[crossing.edge];
    let outward: DVec3 = (edge.faces.iter().flatten())
        .map(|f| {
            let [a, b, c] = weave.corners(f.index(), x);
            (b - a).cross(c - a).normalize_or_zero()
        })
        .sum();
    let n = if crossing.normal.dot(outward) < 0.0 { -crossing.normal } else { crossing.normal };
    let ahead = edge.ends.iter().map(|v| n.dot(x[v.index()] - crossing.point)).fold(0.0, f64::max);
    let delta = n * (ahead.min(weave.mean_edge) + BEYOND * gap_of(weave, crossing));
    moves.ask_all(&weave.face(crossing.face), delta);
}

/// Parts two triangles that touch or lie in one plane: the one of the higher layer, or the later one, goes up.
fn lift(weave: &Weave<'_>, [a, b]: [usize; 2], x: &[DVec3], moves: &mut Moves) {
    let layer = |f: usize| weave.layer(weave.part_of_face(f)).map_or(-1, i64::from);
    let (low, high) = if layer(b) < layer(a) { (b, a) } else { (a, b) };
    let [p, q, r] = weave.corners(low, x);
    let n = (q - p).cross(r - p).normalize_or(DVec3::Y);
    let [low, high] = [low, high].map(|f| weave.face(f));
    let gap = BEYOND * (weave.half_gap[low[0]] + weave.half_gap[high[0]]);
    // Corners they share go both ways, that is nowhere.
    moves.ask_all(&high, n * gap);
    moves.ask_all(&low, -n * gap);
}
