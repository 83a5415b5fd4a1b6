//! [`ReefKnot`]: two ribbons tied loosely into a reef knot.
//!
//! Each ribbon is bent into a loop, and the two loops go through each other. Seen from above, the middle line of the
//! first one comes from the left at the distance `A` from the x axis, widens between `−S` and `S` to `B`, turns back
//! on a half circle of radius `B` about `(E, 0)`, and returns mirrored (all lengths times `size`):
//!
//! ```text
//!                 ·  ·  ·  B ─────╮          the second ribbon is the first one,
//!  ─────────── A ·                 │         turned by half a turn about the z axis
//!  ─────────── A ·                 │
//!                 ·  ·  ·  B ─────╯
//!            −S      S      E
//! ```
//!
//! The six places where the lines cross are told apart by height, over and under by turns: the first ribbon has the
//! height `+h` on its legs and at its end, where it lies over the second one, and dips to `−h` between, as `y =
//! −h cos(π x / T)` for `|x| < T`. That the lower row of crossings mirrors the upper one makes it a reef knot; turned
//! instead, it would be a granny.
//!
//! The ribbons stand on edge, so above every point of a line there is only one of them, and where lines cross they are
//! `2 h − width = width / 2` apart: the knot starts without intersections, whatever its sizes. The flat shape is the
//! same strip unrolled, wavy where the height changes: all edges start at their rest length exactly.

use std::f64::consts::{FRAC_PI_2, PI};

use super::{Diagonals, grid, motion::smooth_step};
use crate::{DVec2, DVec3, TriMesh};

/// Lengths of the outline relative to the knot's size, as in the sketch.
const A: f64 = 0.4;
const B: f64 = 0.9;
const S: f64 = 0.5;
const E: f64 = 0.8;
/// Half the length over which a ribbon dips under the other, relative to the knot's size.
const T: f64 = 1.2;
/// Height of the middle lines over and under the middle, relative to the width.
const HEIGHT: f64 = 0.75;
/// Points by which the outline is measured.
const SAMPLES: usize = 4000;

/// The lengths of a reef knot, [m].
///
/// ```
/// use toile_mesh::{generate::ReefKnot, judge};
/// let [one, two] = ReefKnot { width: 0.04, size: 0.15, leg: 0.3 }.strands([120, 4]);
/// let meet = judge::mutual_intersections(&one.start_mesh(), &two.start_mesh());
/// assert!(meet.is_clean());
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReefKnot {
    /// Width of the ribbons [m].
    pub width: f64,
    /// Size of the loops: their ends are 1.7 times as far from the middle [m].
    pub size: f64,
    /// Length of the legs beyond the loop of the other ribbon [m].
    pub leg: f64,
}

/// A ribbon of a knot: cut flat, and as it starts.
#[derive(Clone, PartialEq, Debug)]
pub struct Strand {
    /// The flat shape, in the x–z plane.
    pub flat: TriMesh,
    /// Where its vertices start [m]; the plane of the knot is the x–z plane, its middle the origin.
    pub start: Vec<DVec3>,
}

impl Strand {
    /// The ribbon as it starts.
    pub fn start_mesh(&self) -> TriMesh {
        TriMesh { positions: self.start.clone(), triangles: self.flat.triangles.clone() }
    }
}

impl ReefKnot {
    /// The two ribbons with `segments` (along, across; at least 1 each). The first has its ends on the −x side.
    pub fn strands(&self, segments: [usize; 2]) -> [Strand; 2] {
        let [along, across] = segments.map(|n| n.max(1));
        let (width, size) = (self.width.abs(), self.size.abs());
        let line = resample(&self.outline(), along);
        let heights: Vec<f64> = line.iter().map(|p| HEIGHT * width * dip(p.x / size)).collect();
        let mut unrolled = vec![0.0];
        for pair in line.windows(2) {
            unrolled.push(unrolled[unrolled.len() - 1] + pair[0].distance(pair[1]));
        }
        let mut first =
            Strand { flat: grid([1.0, 1.0], [along + 1, across + 1], Diagonals::Alternating), start: Vec::new() };
        for k in 0..first.flat.positions.len() {
            let (i, j) = (k % (along + 1), k / (along + 1));
            let up = heights[i] + width * (j as f64 / across as f64 - 0.5);
            first.flat.positions[k] = DVec3::new(unrolled[i] - 0.5 * unrolled[along], 0.0, up);
            first.start.push(DVec3::new(line[i].x, up, line[i].y));
        }
        let half_turn = |p: &DVec3| DVec3::new(-p.x, -p.y, p.z);
        let second = Strand { flat: first.flat.clone(), start: first.start.iter().map(half_turn).collect() };
        [first, second]
    }

    /// Where the ends of the first ribbon start: the middles of its two short edges [m]. Those of the second one are
    /// opposite in x and y.
    pub fn ends(&self) -> [DVec3; 2] {
        let (x, y) = (-self.reach(), HEIGHT * self.width.abs());
        [1.0, -1.0].map(|side| DVec3::new(x, y, side * A * self.size.abs()))
    }

    /// How far the legs go from the middle [m].
    fn reach(&self) -> f64 {
        (E + B) * self.size.abs() + self.leg.abs()
    }

    /// The middle line of the first ribbon seen from above [m], densely.
    fn outline(&self) -> Vec<DVec2> {
        let (size, far) = (self.size.abs(), self.reach());
        let part = |k: usize, n: usize| k as f64 / n as f64;
        let (straight, turn) = (SAMPLES / 4, SAMPLES / 4);
        let mut half: Vec<DVec2> = (0..straight)
            .map(|k| {
                let x = -far + (far + E * size) * part(k, straight);
                DVec2::new(x, size * (A + (B - A) * smooth_step(0.5 + 0.5 * x / (S * size))))
            })
            .collect();
        half.extend((0..turn).map(|k| {
            let (sin, cos) = (FRAC_PI_2 * part(k, turn)).sin_cos();
            size * DVec2::new(E + B * sin, B * cos)
        }));
        let back: Vec<DVec2> = half.iter().rev().map(|p| DVec2::new(p.x, -p.y)).collect();
        half.push(size * DVec2::new(E + B, 0.0));
        half.extend(back);
        half
    }
}

/// Height of the first ribbon at `x`, relative to the greatest; `x` relative to the knot's size.
fn dip(x: f64) -> f64 {
    if x.abs() < T { -(PI * x / T).cos() } else { 1.0 }
}

/// `pieces + 1` points at equal distances along a line.
fn resample(line: &[DVec2], pieces: usize) -> Vec<DVec2> {
    let mut along = vec![0.0];
    for pair in line.windows(2) {
        along.push(along[along.len() - 1] + pair[0].distance(pair[1]));
    }
    let total = along[along.len() - 1];
    (0..=pieces)
        .map(|k| {
            let s = total * k as f64 / pieces as f64;
            let next = along.partition_point(|a| *a < s).clamp(1, line.len() - 1);
            let (a, b) = (along[next - 1], along[next]);
            let share = if b > a { (s - a) / (b - a) } else { 0.0 };
            line[next - 1].lerp(line[next], share)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Topology, judge};
    use proptest::prelude::*;

    fn longest_and_shortest(strand: &Strand) -> [f64; 2] {
        let mesh = strand.start_mesh();
        let ratios = Topology::new(&mesh).edges.into_iter().map(|e| {
            let length = |mesh: &TriMesh| mesh.position(e.ends[0]).distance(mesh.position(e.ends[1]));
            length(&mesh) / length(&strand.flat)
        });
        ratios.fold([0.0, f64::INFINITY], |[most, least], r| [f64::max(most, r), f64::min(least, r)])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn both_ribbons_start_unstrained_and_apart(
            width in 0.01..0.3_f64,
            size in 0.05..0.5_f64,
            leg in 0.01..1.0_f64,
            along in 60_usize..200,
            across in 1_usize..6,
        ) {
            let strands = ReefKnot { width, size, leg }.strands([along, across]);
            let mut both = TriMesh::default();
            for strand in &strands {
                let [most, least] = longest_and_shortest(strand);
                prop_assert!((most - 1.0).abs() < 1e-9 && (least - 1.0).abs() < 1e-9, "{most} {least}");
                both.append(&strand.start_mesh());
            }
            prop_assert!(judge::self_intersections(&both).is_clean());
        }
    }

    #[test]
    fn the_ribbons_cross_six_times_over_and_under_by_turns() {
        let knot = ReefKnot { width: 0.04, size: 0.15, leg: 0.3 };
        let line = resample(&knot.outline(), 2000);
        let other: Vec<DVec2> = line.iter().map(|p| DVec2::new(-p.x, p.y)).collect();
        let mut over = Vec::new();
        for p in line.windows(2) {
            for q in other.windows(2) {
                let side = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a) > 0.0;
                if side(p[0], p[1], q[0]) != side(p[0], p[1], q[1]) && side(q[0], q[1], p[0]) != side(q[0], q[1], p[1])
                {
                    // The heights of the second ribbon are the opposite of the first one's at the opposite place.
                    over.push(dip(p[0].x / knot.size) > -dip(-q[0].x / knot.size));
                }
            }
        }
        assert_eq!(over, [true, false, true, true, false, true]);
    }

    #[test]
    fn the_ends_are_where_they_are_said_to_be() {
        let knot = ReefKnot { width: 0.04, size: 0.15, leg: 0.3 };
        let [first, second] = knot.strands([100, 2]);
        let [a, b] = knot.ends();
        // The middle row of three.
        assert!(first.start[101].distance(a) < 1e-12 && first.start[201].distance(b) < 1e-12);
        assert!(second.start[101].distance(a * DVec3::new(-1.0, -1.0, 1.0)) < 1e-12);
    }
}
