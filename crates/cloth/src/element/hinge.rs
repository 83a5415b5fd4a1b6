//! [`Hinge`]: bending by the angle at an edge of two triangles: four particles, and a rest angle for folds.
//!
//! Two triangles with the common edge `x0 x1` and apexes `x2`, `x3`; `θ` is the angle by which the normal turns from the
//! first, `(x0, x1, x2)`, to the second, `(x1, x0, x3)`, about the edge: positive for a ridge on the side of the normals.
//!
//! ```text
//! E = ½ k (θ − θ0)²      k = B(m) |e|²/(A0 + A1)      B(m) = B1 m1⁴ + B2 m2⁴ + 2 Bt m1² m2²
//! ```
//!
//! with the rest length `|e|` and rest areas `A` and the in-plane normal `m` of the edge in (warp, weft). It is Grinspun et
//! al. 2003 (*Discrete shells*) with the coefficient that gives a cylinder bent across regular edges its plate energy. On
//! other meshes a measured rigidity comes out up to three times too stiff (`docs/bending.md`);
//! [`Bend`](super::Bend) takes it on any mesh.
//!
//! Derivatives: with the unit normals `n` and areas `A` of the current triangles, each side pulls its apex by
//! `f = −|e| N/|N|²`, `N = 2 A n`, and the ends of the edge by `−(1 − t) f` and `−t f`, `t` the station of the apex along the
//! edge (Bridson, Marino, Fedkiw 2003). [`Curvature::Exact`] differentiates that once more; [`Curvature::Definite`] is the
//! Gauss–Newton part `k ∇θ ∇θᵀ`. A triangle that has lost its area exerts no force. `θ − θ0` is taken in (−π, π], so a fold
//! beyond π snaps to the other side.

use std::f64::consts::{PI, TAU};

use toile_mesh::{DMat3, DVec2, DVec3};

use super::bend::Patches;
use super::{Curvature, Element};
use crate::Fabric;

/// Bending at one edge of two triangles.
///
/// ```
/// use toile_cloth::Fabric;
/// use toile_cloth::element::{Element, Hinge, flat_corners};
/// use toile_mesh::{DVec2, DVec3};
/// let rest = [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
/// let triangles = [[0, 1, 2], [2, 1, 3]];
/// let hinges = Hinge::all(&triangles, &flat_corners(&triangles, &rest), &Fabric::default());
/// let flat = rest.map(|p| p.extend(0.0));
/// assert_eq!((hinges.len(), hinges[0].energy(&flat)), (1, 0.0));
/// assert!(hinges[0].with_rest_angle(0.5).energy(&flat) > 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hinge {
    nodes: [u32; 4],
    stiffness: f64,
    rest_angle: f64,
}

/// What gradient and Hessian of a [`Hinge`] share.
#[derive(Clone, Copy, Debug)]
pub struct HingeLocal {
    /// Derivatives of the angle by the four particles.
    slope: [DVec3; 4],
    /// Derivative of the energy by the angle [N·m].
    moment: f64,
    /// Both sides, if the exact Hessian is wanted.
    sides: Option<[SideSlope; 2]>,
}

/// Pull of one triangle on its apex, and the station of the apex along the edge.
#[derive(Clone, Copy, Debug)]
struct Side {
    f: DVec3,
    t: f64,
}

/// A side with derivatives by (start, end, apex).
#[derive(Clone, Copy, Debug)]
struct SideSlope {
    side: Side,
    df: [DMat3; 3],
    dt: [DVec3; 3],
}

impl Hinge {
    /// A hinge at the edge `nodes[0] nodes[1]` with the apexes `nodes[2]` and `nodes[3]`, flat at rest. `sides` are the
    /// rest coordinates `(warp, weft)` [m] of (start, end, apex) for each triangle, each in its own frame.
    pub fn new(nodes: [u32; 4], sides: [[DVec2; 3]; 2], fabric: &Fabric) -> Self {
        Self::between(nodes, sides, [fabric; 2])
    }

    /// A hinge between triangles of two fabrics: the mean of both.
    fn between(nodes: [u32; 4], sides: [[DVec2; 3]; 2], fabrics: [&Fabric; 2]) -> Self {
        let area = |[a, b, c]: [DVec2; 3]| 0.5 * (b - a).perp_dot(c - a).abs();
        let (mut rigidity, mut length_sq) = (0.0, 0.0);
        for ([a, b, _], fabric) in sides.into_iter().zip(fabrics) {
            // Squares of the components of the normal from those of the edge.
            let e = b - a;
            let (m1, m2) = (e.y * e.y / e.length_squared(), e.x * e.x / e.length_squared());
            rigidity +=
                0.5 * (fabric.bend_warp * m1 * m1 + fabric.bend_weft * m2 * m2 + 2.0 * fabric.bend_twist * m1 * m2);
            length_sq += 0.5 * e.length_squared();
        }
        let stiffness = rigidity * length_sq / (area(sides[0]) + area(sides[1]));
        Self { nodes, stiffness: if stiffness.is_finite() { stiffness } else { 0.0 }, rest_angle: 0.0 }
    }

    /// One hinge for every edge of two triangles, in the order of the first triangle's edges. `corners` as in
    /// [`Bend::all`](super::Bend::all).
    pub fn all(triangles: &[[u32; 3]], corners: &[[DVec2; 3]], fabric: &Fabric) -> Vec<Self> {
        Self::of_pieces(triangles, corners, &vec![fabric; triangles.len()])
    }

    /// The same with a fabric for each triangle.
    pub fn of_pieces(triangles: &[[u32; 3]], corners: &[[DVec2; 3]], fabrics: &[&Fabric]) -> Vec<Self> {
        let patches = Patches::new(triangles, corners);
        let mut hinges = Vec::new();
        for (face, t) in triangles.iter().enumerate() {
            for k in 0..3 {
                let Some((other, j)) = patches.neighbour(face as u32, k) else { continue };
                if (other as usize) < face {
                    continue;
                }
                let (j, u) = (usize::from(j), triangles[other as usize]);
                let (start, end, apex) = (k, (k + 1) % 3, (k + 2) % 3);
                let (mut first, mut second) = (j, (j + 1) % 3);
                if u[first] != t[start] {
                    (first, second) = (second, first);
                }
                let far = (j + 2) % 3;
                let nodes = [t[start], t[end], t[apex], u[far]];
                let [own, others] = [corners[face], corners[other as usize]];
                let sides = [[own[start], own[end], own[apex]], [others[first], others[second], others[far]]];
                hinges.push(Self::between(nodes, sides, [fabrics[face], fabrics[other as usize]]));
            }
        }
        hinges
    }

    /// The same with a rest angle [rad], positive for a ridge on the side of the normals.
    #[must_use]
    pub fn with_rest_angle(self, rest_angle: f64) -> Self {
        Self { rest_angle, ..self }
    }

    /// The angle between the two normals [rad], in (−π, π]; 0 if a triangle has no area.
    pub fn angle(&self, x: &[DVec3]) -> f64 {
        let [a, b, c, d] = self.nodes.map(|i| x[i as usize]);
        let (e, n0, n1) = (b - a, (b - a).cross(c - a), (a - b).cross(d - b));
        // Both arguments have the length of both normals and of the edge as common factors.
        f64::atan2(n0.cross(n1).dot(e), n0.dot(n1) * e.length())
    }

    /// Angle from rest [rad], in (−π, π].
    fn bent(&self, x: &[DVec3]) -> f64 {
        let turn = self.angle(x) - self.rest_angle;
        if turn.abs() <= PI { turn } else { turn - TAU * (turn / TAU).round() }
    }
}

impl Side {
    /// Without area there is no pull.
    fn new([start, end, apex]: [DVec3; 3], sign: f64) -> Self {
        let (e, c) = (end - start, apex - start);
        let normal = e.cross(c);
        let (f, t) = (normal * (-sign * e.length() / normal.length_squared()), c.dot(e) / e.length_squared());
        if f.is_finite() && t.is_finite() { Self { f, t } } else { Self { f: DVec3::ZERO, t: 0.5 } }
    }

    /// Shares of start, end and apex in the pull.
    fn shares(&self) -> [f64; 3] {
        [self.t - 1.0, -self.t, 1.0]
    }
}

impl SideSlope {
    fn new([start, end, apex]: [DVec3; 3], sign: f64) -> Self {
        let side = Side::new([start, end, apex], sign);
        let (e, c) = (end - start, apex - start);
        let (normal, length_sq) = (e.cross(c), e.length_squared());
        let size = normal.length_squared();
        // d(N/|N|²) = (I − 2 n nᵀ) dN/|N|², dN = −[c]× de + [e]× dc; d|e| = e·de/|e|.
        let mirror = (DMat3::IDENTITY - outer(normal * (2.0 / size), normal)) * (-sign * length_sq.sqrt() / size);
        let by_apex = mirror * skew(e);
        let by_end = mirror * -skew(c) + outer(side.f / length_sq, e);
        if side.f == DVec3::ZERO || !(by_apex.is_finite() && by_end.is_finite()) {
            return Self { side, df: [DMat3::ZERO; 3], dt: [DVec3::ZERO; 3] };
        }
        let (dt_apex, dt_end) = (e / length_sq, (c - 2.0 * side.t * e) / length_sq);
        Self { side, df: [-(by_apex + by_end), by_end, by_apex], dt: [-(dt_apex + dt_end), dt_end, dt_apex] }
    }
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The matrix of `a ×`.
fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// Which of (start, end, apex) of a side a particle of the hinge is.
fn on_side(side: usize, particle: usize) -> Option<usize> {
    match particle {
        0 | 1 => Some(particle),
        _ => (particle == 2 + side).then_some(2),
    }
}

impl Element for Hinge {
    type Local = HingeLocal;
    type Block = DMat3;

    fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        0.5 * self.stiffness * self.bent(x).powi(2)
    }

    fn local(&self, x: &[DVec3], curvature: Curvature) -> HingeLocal {
        let [a, b, c, d] = self.nodes.map(|i| x[i as usize]);
        // The second triangle runs the other way round its edge.
        let (corners, signs) = ([[a, b, c], [a, b, d]], [1.0, -1.0]);
        let sides = [0, 1].map(|s| Side::new(corners[s], signs[s]));
        let mut slope = [DVec3::ZERO; 4];
        for (s, side) in sides.iter().enumerate() {
            for (i, share) in [0, 1, 2 + s].into_iter().zip(side.shares()) {
                slope[i] += share * side.f;
            }
        }
        let exact = || [0, 1].map(|s| SideSlope::new(corners[s], signs[s]));
        let sides = (curvature == Curvature::Exact).then(exact);
        HingeLocal { slope, moment: self.stiffness * self.bent(x), sides }
    }

    fn gradient(&self, local: &HingeLocal, a: usize) -> DVec3 {
        local.moment * local.slope[a]
    }

    fn hessian(&self, local: &HingeLocal, a: usize, b: usize) -> DMat3 {
        let mut block = outer(self.stiffness * local.slope[a], local.slope[b]);
        for (s, side) in local.sides.iter().flatten().enumerate() {
            let (Some(i), Some(j)) = (on_side(s, a), on_side(s, b)) else { continue };
            let along = [1.0, -1.0, 0.0][i];
            let turning = outer(side.side.f, along * side.dt[j]);
            block += (side.df[j] * side.side.shares()[i] + turning) * local.moment;
        }
        block
    }
}
