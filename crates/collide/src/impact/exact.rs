//! First contact of a moving pair in integers, for the pairs that `f64` cannot decide.
//!
//! Coordinates are integers times a power of two, so coordinate differences in t are linear polynomials with integer
//! coefficients after scaling by it, and everything below is a polynomial with integer coefficients.
//!
//! Contact needs coplanar vertices. If the volume c(t) is not zero throughout, contact can only begin at its roots
//! in [0, 1], and each is tested. If it is, the vertices share a plane at all times and contact is at t = 0 or begins
//! with a vertex of one feature on the outline of the other: the vertex is on the line through a side (any cross
//! product component that is not zero throughout has a root), or, if always on that line, at an end of it.
//!
//! Test at a time: if the normal of the plane has a component that is not zero, drop that coordinate and compare signs
//! of areas; if not, the face is collapsed, or the edges are parallel, and a vertex must be on a side.
//!
//! Cost: tens of microseconds, below a millisecond as long as the coordinates of the pair differ by less than some 60
//! powers of ten; integers grow with that range, and a pair that spans all of `f64` can take a tenth of a second.

use super::PairKind;
use super::polynomial::{Polynomial, Root};
use num_bigint::BigInt;
use toile_mesh::DVec3;

/// Roots are narrowed to 2^-BITS before tests: the accuracy of the time, and enough for most signs.
const BITS: u64 = 44;

/// The first time of contact, rounded down by at most 2^-44; `None` if there is none. Coordinates must be finite.
#[cold]
pub(super) fn first_contact(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
    let motion = Motion { kind, x: linear_motion(start, end) };
    let volume = motion.volume();
    if !volume.is_zero() {
        return volume.roots().into_iter().find_map(|root| motion.contact_at(root));
    }
    if let Some(time) = motion.contact_at(Root::zero()) {
        return Some(time);
    }
    let times =
        motion.sides().flat_map(|(p, a, b)| motion.meets_side(p, a, b)).filter_map(|root| motion.contact_at(root));
    times.min_by(f64::total_cmp)
}

/// Coordinates of the vertices relative to the second one, as polynomials in t over a common scale.
fn linear_motion(start: &[DVec3; 4], end: &[DVec3; 4]) -> [[Polynomial; 3]; 4] {
    let coordinates = || start.iter().chain(end).flat_map(DVec3::to_array);
    let lowest = coordinates().filter(|c| *c != 0.0).map(|c| mantissa_and_exponent(c).1).min().unwrap_or(0);
    let integer = |c: f64| {
        let (mantissa, exponent) = mantissa_and_exponent(c);
        if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent - lowest) }
    };
    let linear = |i: usize, k: usize| {
        let x0 = integer(start[i][k]) - integer(start[1][k]);
        let x1 = integer(end[i][k]) - integer(end[1][k]);
        let rate = x1 - &x0;
        Polynomial::new(vec![x0, rate])
    };
    std::array::from_fn(|i| std::array::from_fn(|k| linear(i, k)))
}

/// A finite number as an odd integer (or 0) times a power of two.
fn mantissa_and_exponent(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)).cast_signed();
    let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let odd = mantissa >> zeros;
    (if x < 0.0 { -odd } else { odd }, exponent + zeros.cast_signed())
}

struct Motion {
    kind: PairKind,
    x: [[Polynomial; 3]; 4],
}

impl Motion {
    /// Twice the area of the triangle of three vertices, seen along an axis.
    fn area(&self, axis: usize, [p, q, r]: [usize; 3]) -> Polynomial {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let side = |v: usize, k: usize| &self.x[v][k] - &self.x[p][k];
        &(&side(q, i) * &side(r, j)) - &(&side(q, j) * &side(r, i))
    }

    /// Six times the volume of the tetrahedron of the vertices.
    fn volume(&self) -> Polynomial {
        let term = |k: usize| &self.x[0][k] * &self.area(k, [1, 2, 3]);
        &(&term(0) + &term(1)) + &term(2)
    }

    /// Vertex of one feature and side of the other, for all that may touch.
    fn sides(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let list: &[(usize, usize, usize)] = match self.kind {
            PairKind::VertexFace => &[(0, 1, 2), (0, 2, 3), (0, 3, 1)],
            PairKind::EdgeEdge => &[(0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1)],
        };
        list.iter().copied()
    }

    /// Times at which vertex p may come onto the side from a to b, when all is in one plane.
    fn meets_side(&self, p: usize, a: usize, b: usize) -> Vec<Root> {
        if let Some(area) = (0..3).map(|k| self.area(k, [a, b, p])).find(|area| !area.is_zero()) {
            return area.roots();
        }
        let reaches = |end: usize| {
            let offset = (0..3).map(|k| &self.x[p][k] - &self.x[end][k]).find(|offset| !offset.is_zero());
            offset.map_or_else(Vec::new, |offset| offset.roots())
        };
        [reaches(a), reaches(b)].concat()
    }

    /// The time, rounded down, if the features touch at a time at which the vertices are coplanar.
    fn contact_at(&self, mut time: Root) -> Option<f64> {
        time.narrow(BITS);
        self.touches(&mut time).then(|| time.lower_bound())
    }

    fn touches(&self, time: &mut Root) -> bool {
        for axis in 0..3 {
            let mut side = |p, q, r| time.sign_of(&self.area(axis, [p, q, r]));
            match self.kind {
                PairKind::VertexFace => {
                    let normal = side(1, 2, 3);
                    if normal != 0 {
                        return side(1, 2, 0) != -normal && side(2, 3, 0) != -normal && side(3, 1, 0) != -normal;
                    }
                }
                PairKind::EdgeEdge => {
                    if time.sign_of(&self.edge_normal(axis)) != 0 {
                        let mut side = |p, q, r| time.sign_of(&self.area(axis, [p, q, r]));
                        return side(0, 1, 2) * side(0, 1, 3) <= 0 && side(2, 3, 0) * side(2, 3, 1) <= 0;
                    }
                }
            }
        }
        self.sides().any(|(p, a, b)| self.on_side(time, p, a, b))
    }

    /// A component of the cross product of the edges.
    fn edge_normal(&self, axis: usize) -> Polynomial {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let edge = |from: usize, to: usize, k: usize| &self.x[to][k] - &self.x[from][k];
        &(&edge(0, 1, i) * &edge(2, 3, j)) - &(&edge(0, 1, j) * &edge(2, 3, i))
    }

    /// Whether vertex p is on the closed segment from a to b: on its line and within its box.
    fn on_side(&self, time: &mut Root, p: usize, a: usize, b: usize) -> bool {
        let mut within = |k: usize| {
            let from = time.sign_of(&(&self.x[p][k] - &self.x[a][k]));
            from * time.sign_of(&(&self.x[p][k] - &self.x[b][k])) <= 0
        };
        (0..3).all(&mut within) && (0..3).all(|k| time.sign_of(&self.area(k, [a, b, p])) == 0)
    }
}
