//! Square plates under a small uniform load: heights alone, a linear problem, against series of the theory of plates.

use std::f64::consts::PI;

use toile_cloth::Fabric;
use toile_cloth::element::{Bend, Curvature, Element};
use toile_mesh::{DVec2, DVec3};

use crate::meshes::{Flat, Kind};
use crate::solve::Banded;

/// The kinds of mesh that fill a square.
pub(crate) const KINDS: [Kind; 4] = [Kind::Right, Kind::Alternating, Kind::Crossed, Kind::Jittered];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    /// The one of the library.
    Bend,
    /// The quadratic through the corners and the neighbours' far corners, wherever there are three neighbours.
    SixParticles,
}

/// A unit square under unit load per area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plate {
    pub(crate) kind: Kind,
    /// Cells along a side.
    pub(crate) n: u32,
    /// Simply supported; else clamped.
    pub(crate) supported: bool,
    /// Along warp and weft and of twist.
    pub(crate) rigidity: [f64; 3],
}

impl Plate {
    /// A clamped plate has a frame of held particles, three rows wide so that the border of the mesh does not bend; the
    /// clamp is midway between the inner two rows.
    fn mesh(&self) -> (Flat, Vec<bool>) {
        if self.supported {
            let h = 1.0 / self.n as f64;
            let flat = Flat::new(self.kind, DVec2::ZERO, [self.n; 2], h, [0; 2]);
            let held = flat.rest.iter().map(|p| p.min_element() < 0.01 * h || p.max_element() > 1.0 - 0.01 * h);
            let held = held.collect();
            return (flat, held);
        }
        let half_row = self.kind.half_row();
        let h = 1.0 / (self.n as f64 - 1.0 + 2.0 * half_row);
        let flat = Flat::new(self.kind, DVec2::splat((half_row - 2.0) * h), [self.n + 3; 2], h, [3; 2]);
        let margin = (half_row + 0.01) * h;
        let held = |p: &DVec2| p.min_element() < margin || p.max_element() > 1.0 - margin;
        let held = flat.rest.iter().map(held).collect();
        (flat, held)
    }

    /// Height of the middle.
    pub(crate) fn centre(&self, operator: Operator) -> f64 {
        let (flat, held) = self.mesh();
        let mut order: Vec<usize> = (0..flat.rest.len()).filter(|i| !held[*i]).collect();
        order.sort_by(|a, b| {
            let key = |i: usize| ((flat.rest[i].y * self.n as f64 * 2.0).round() as i64, flat.rest[i].x);
            let (a, b) = (key(*a), key(*b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let mut place = vec![usize::MAX; flat.rest.len()];
        order.iter().enumerate().for_each(|(at, i)| place[*i] = at);
        let entries = self.entries(&flat, operator);
        let free = |[a, b]: [u32; 2]| {
            let (a, b) = (place[a as usize], place[b as usize]);
            (b <= a && a < usize::MAX).then_some((a, b))
        };
        let width = entries.iter().filter_map(|(pair, _)| free(*pair)).map(|(a, b)| a - b).max().unwrap_or(0);
        let mut matrix = Banded::new(order.len(), width);
        for (pair, value) in &entries {
            if let Some((a, b)) = free(*pair) {
                *matrix.at(a, b) += value;
            }
        }
        let areas = flat.particle_areas();
        let mut w: Vec<f64> = order.iter().map(|i| areas[*i]).collect();
        matrix.solve(&mut w).expect("a held plate does not move freely");
        let height = |i: u32| w.get(place[i as usize]).copied().unwrap_or(0.0);
        middle(&flat, height)
    }

    /// Entries of the matrix, all pairs of particles of every triangle.
    fn entries(&self, flat: &Flat, operator: Operator) -> Vec<([u32; 2], f64)> {
        let [bend_warp, bend_weft, bend_twist] = self.rigidity;
        let fabric = Fabric { bend_warp, bend_weft, bend_twist, ..Fabric::default() };
        let x: Vec<DVec3> = flat.rest.iter().map(|p| p.extend(0.0)).collect();
        let six = six_particles(flat);
        let mut entries = Vec::new();
        for (face, bend) in Bend::all(&flat.triangles, &flat.corners(), &fabric).iter().enumerate() {
            if let (Operator::SixParticles, Some((nodes, rows))) = (operator, &six[face]) {
                let area = bend.stencil().area();
                for (a, p) in nodes.iter().zip(rows) {
                    for (b, q) in nodes.iter().zip(rows) {
                        let sum = bend_warp * p[0] * q[0] + bend_weft * p[1] * q[1] + 2.0 * bend_twist * p[2] * q[2];
                        entries.push(([*a, *b], area * sum));
                    }
                }
                continue;
            }
            let local = bend.local(&x, Curvature::Exact);
            for (a, i) in bend.nodes().iter().enumerate() {
                for (b, j) in bend.nodes().iter().enumerate() {
                    entries.push(([*i, *j], bend.hessian(&local, a, b)));
                }
            }
        }
        entries
    }

    /// What the theory says.
    pub(crate) fn exact(&self) -> f64 {
        if !self.supported {
            // Timoshenko and Woinowsky-Krieger 1959, § 44, with more digits; any Poisson ratio.
            return 0.001_265_32;
        }
        // Navier's series: B1 w_1111 + 2 Bt w_1122 + B2 w_2222 = 1.
        let [b1, b2, bt] = self.rigidity;
        let mut sum = 0.0;
        for m in (1..200).step_by(2) {
            for n in (1..200).step_by(2) {
                // sin(mπ/2) sin(nπ/2).
                let sign = if m % 4 == n % 4 { 1.0 } else { -1.0 };
                let (m, n) = (f64::from(m), f64::from(n));
                sum += sign / (m * n * (b1 * m.powi(4) + 2.0 * bt * m * m * n * n + b2 * n.powi(4)));
            }
        }
        16.0 / PI.powi(6) * sum
    }
}

/// Height at the middle of the unit square, by the quadratic that fits the particles around it best.
fn middle(flat: &Flat, height: impl Fn(u32) -> f64) -> f64 {
    let centre = DVec2::splat(0.5);
    let mut near: Vec<(f64, u32)> =
        flat.rest.iter().enumerate().map(|(i, p)| (p.distance_squared(centre), i as u32)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let radius = near[12].0.sqrt();
    let mut matrix = Banded::new(6, 5);
    let mut b = [0.0; 6];
    for (_, i) in &near[..13] {
        let p = (flat.rest[*i as usize] - centre) / radius;
        let m = [1.0, p.x, p.y, p.x * p.x, p.y * p.y, p.x * p.y];
        for r in 0..6 {
            b[r] += m[r] * height(*i);
            (0..=r).for_each(|s| *matrix.at(r, s) += m[r] * m[s]);
        }
    }
    matrix.solve(&mut b).expect("thirteen particles around the middle determine a quadratic");
    b[0]
}

type Rows = (Vec<u32>, Vec<[f64; 3]>);

/// Second derivatives of the quadratic through six particles.
fn six_particles(flat: &Flat) -> Vec<Option<Rows>> {
    let mut far = std::collections::BTreeMap::<[u32; 2], Vec<u32>>::new();
    let side = |t: &[u32; 3], k: usize| [t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])];
    for t in &flat.triangles {
        (0..3).for_each(|k| far.entry(side(t, k)).or_default().push(t[(k + 2) % 3]));
    }
    let of = |t: &[u32; 3]| {
        let mut nodes = t.to_vec();
        for k in 0..3 {
            nodes.push(*far[&side(t, k)].iter().find(|v| **v != t[(k + 2) % 3])?);
        }
        let origin = flat.rest[t[0] as usize];
        let scale = origin.distance(flat.rest[t[1] as usize]);
        let m: Vec<[f64; 6]> = nodes
            .iter()
            .map(|i| (flat.rest[*i as usize] - origin) / scale)
            .map(|p| [1.0, p.x, p.y, 0.5 * p.x * p.x, 0.5 * p.y * p.y, p.x * p.y])
            .collect();
        // Weights c with mᵀ c = unit vector, by the normal equations.
        let mut rows = vec![[0.0; 3]; 6];
        for k in 0..3 {
            let mut gram = Banded::new(6, 5);
            for r in 0..6 {
                (0..=r).for_each(|s| *gram.at(r, s) = (0..6).map(|a| m[a][r] * m[a][s]).sum());
            }
            let mut b = [0.0; 6];
            b[3 + k] = 1.0 / (scale * scale);
            gram.solve(&mut b)?;
            (0..6).for_each(|a| rows[a][k] = (0..6).map(|r| m[a][r] * b[r]).sum());
        }
        Some((nodes, rows))
    };
    flat.triangles.iter().map(of).collect()
}
