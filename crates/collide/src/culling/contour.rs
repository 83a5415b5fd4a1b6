//! Contours of regions: conditions 2 and 3 of the theorem in [`super`].

use toile_mesh::{DVec2, DVec3, Motion};

use super::ROUNDING;

/// Bound of the rounding of a projected coordinate, as a share of the largest one it comes from.
const COORDINATE_ROUNDING: f64 = 1.0e-14;
/// Contour edges that are boxed together.
const RUN: usize = 4;
/// Groups with a longer contour are not tried: the search would cost more than the proof saves.
const LONGEST_CONTOUR: usize = 2048;

/// The contour of one group or of up to three adjacent ones: closed curves of vertices, the region on their left.
#[derive(Clone, Debug)]
pub(super) struct Contour {
    vertices: Vec<u32>,
    /// End of each curve in `vertices`.
    ends: Vec<u32>,
}

impl Contour {
    /// Joins directed edges to closed curves; `None` if they are not closed or two curves meet in a vertex.
    pub(super) fn new(mut edges: Vec<[u32; 2]>) -> Option<Self> {
        if edges.is_empty() || edges.len() > LONGEST_CONTOUR {
            return None;
        }
        edges.sort_unstable();
        if edges.windows(2).any(|e| e[0][0] == e[1][0]) {
            return None;
        }
        let mut used = vec![false; edges.len()];
        let (mut vertices, mut ends) = (Vec::with_capacity(edges.len()), Vec::new());
        for first in 0..edges.len() {
            let mut i = first;
            while !used[i] {
                used[i] = true;
                vertices.push(edges[i][0]);
                i = edges.binary_search_by_key(&edges[i][1], |e| e[0]).ok()?;
            }
            if i != first {
                return None;
            }
            if ends.last().is_none_or(|end| (*end as usize) < vertices.len()) {
                ends.push(vertices.len() as u32);
            }
        }
        Some(Self { vertices, ends })
    }

    /// Bytes of memory in use, besides itself.
    pub(super) fn memory(&self) -> usize {
        4 * (self.vertices.capacity() + self.ends.capacity())
    }

    /// Conditions 2 and 3 of the module above: whether the region within can be excluded.
    pub(super) fn is_free(&self, motion: &Motion<'_>, axis: DVec3, mean: DVec3, height: f64, separation: f64) -> bool {
        let (u, v) = axis.any_orthonormal_pair();
        // any_orthonormal_pair gives u × v = axis, so that positive triangles turn counter-clockwise.
        let flat = |x: DVec3| DVec2::new(x.dot(u), x.dot(v));
        let origin = motion.x_t0[self.vertices[0] as usize];
        let mut largest = mean.abs().max_element();
        let mut points: Vec<[DVec2; 2]> = Vec::with_capacity(self.vertices.len());
        for &v in &self.vertices {
            let (x0, x1) = (motion.x_t0[v as usize], motion.x_t1[v as usize]);
            largest = largest.max(x0.abs().max_element()).max(x1.abs().max_element());
            points.push([flat(x0 - origin), flat(x1 - origin - mean)]);
        }
        // Distances are clear if they exceed what rounding can make of them.
        let clear = separation * (1.0 + ROUNDING) + COORDINATE_ROUNDING * largest;
        // Condition 3, solved for the angle.
        let least_sine = clear / height;
        if height <= 0.0 || least_sine >= 1.0 || least_sine.is_nan() {
            return false;
        }
        let least_notch = 2.0 * least_sine.asin() + ROUNDING;
        let mut edges = Vec::with_capacity(points.len());
        let (mut start, mut positive) = (0, 0);
        for &end in &self.ends {
            let ring = &points[start..end as usize];
            let n = ring.len();
            let mut area = 0.0;
            for i in 0..n {
                let (before, here, after) = (ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]);
                area += (here[0] - ring[0][0]).perp_dot(after[0] - ring[0][0]);
                if !is_open(before, here, after, least_notch) {
                    return false;
                }
                edges.push(SweptEdge::new(here, after, [start + i, start + (i + 1) % n]));
            }
            positive += usize::from(area > 0.0);
            start = end as usize;
        }
        positive == 1 && are_apart(&edges, clear)
    }
}

/// Whether the two edges that meet at `here` stay apart during the motion, and, where the region lies on the outside of
/// the bend they make, at an angle of at least `least_notch` [rad].
fn is_open(before: [DVec2; 2], here: [DVec2; 2], after: [DVec2; 2], least_notch: f64) -> bool {
    let (r0, s0) = (before[0] - here[0], after[0] - here[0]);
    let (dr, ds) = ((before[1] - here[1]) - r0, (after[1] - here[1]) - s0);
    // A vector that changes by less than its length turns by at most the arc sine of the ratio, which is at most 1.6
    // times the ratio.
    let shares = [(dr, r0), (ds, s0)].map(|(change, of)| change.length_squared() / of.length_squared());
    if !(shares[0] < 1.0 && shares[1] < 1.0) {
        return false;
    }
    let turn = 1.6 * (shares[0].sqrt() + shares[1].sqrt()) + ROUNDING;
    // Most angles are wide.
    if r0.dot(s0) <= 0.0 && least_notch + turn < std::f64::consts::FRAC_PI_2 {
        return true;
    }
    let cross = s0.perp_dot(r0);
    let angle = cross.abs().atan2(r0.dot(s0));
    // At a corner that stays convex a straight line between the two edges lies within the region.
    let stays_convex = cross > 0.0 && angle + turn < std::f64::consts::PI;
    angle - turn > if stays_convex { 0.0 } else { least_notch }
}

/// A contour edge during the step: the ends of both times.
#[derive(Clone, Copy, Debug)]
struct SweptEdge {
    points: [DVec2; 4],
    lo: DVec2,
    hi: DVec2,
    vertices: [usize; 2],
}

impl SweptEdge {
    fn new(a: [DVec2; 2], b: [DVec2; 2], vertices: [usize; 2]) -> Self {
        let points = [a[0], b[0], a[1], b[1]];
        let lo = points.iter().fold(DVec2::INFINITY, |m, p| m.min(*p));
        let hi = points.iter().fold(DVec2::NEG_INFINITY, |m, p| m.max(*p));
        Self { points, lo, hi, vertices }
    }

    fn is_adjacent(&self, other: &Self) -> bool {
        self.vertices.iter().any(|v| other.vertices.contains(v))
    }

    /// Whether one of a few lines parts the two by more than `clear`.
    fn is_parted(&self, other: &Self, clear: f64) -> bool {
        let middle = |e: &Self| 0.25 * (e.points[0] + e.points[1] + e.points[2] + e.points[3]);
        let along = |e: &Self| e.points[1] - e.points[0];
        let axes = [middle(other) - middle(self), along(self).perp(), along(other).perp()];
        axes.iter().any(|axis| {
            let range = |e: &Self| {
                let p = e.points.map(|p| p.dot(*axis));
                (p.iter().fold(f64::INFINITY, |m, p| m.min(*p)), p.iter().fold(f64::NEG_INFINITY, |m, p| m.max(*p)))
            };
            let ((a0, a1), (b0, b1)) = (range(self), range(other));
            (a0 - b1).max(b0 - a1) > clear * axis.length()
        })
    }
}

/// Whether all edges that share no vertex are more than `clear` apart.
fn are_apart(edges: &[SweptEdge], clear: f64) -> bool {
    let near = |lo_a: DVec2, hi_a: DVec2, lo_b: DVec2, hi_b: DVec2| {
        lo_a.x - hi_b.x <= clear && lo_b.x - hi_a.x <= clear && lo_a.y - hi_b.y <= clear && lo_b.y - hi_a.y <= clear
    };
    let bound = |run: &[SweptEdge]| {
        run.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(lo, hi), e| (lo.min(e.lo), hi.max(e.hi)))
    };
    let runs: Vec<(DVec2, DVec2)> = edges.chunks(RUN).map(bound).collect();
    for (i, a) in runs.iter().enumerate() {
        for (j, b) in runs.iter().enumerate().skip(i) {
            if !near(a.0, a.1, b.0, b.1) {
                continue;
            }
            let of = |run: usize| run * RUN..((run + 1) * RUN).min(edges.len());
            for e in of(i) {
                for f in of(j).filter(|f| *f > e) {
                    let (e, f) = (&edges[e], &edges[f]);
                    if near(e.lo, e.hi, f.lo, f.hi) && !e.is_adjacent(f) && !e.is_parted(f, clear) {
                        return false;
                    }
                }
            }
        }
    }
    true
}
