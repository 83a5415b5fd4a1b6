//! [`ConstraintSolver`]: one iteration of either method over bending and structural constraints.

use std::f64::consts::FRAC_PI_2;

use toile_mesh::DVec3;
use toile_schema::choice;

use crate::ClothModel;
use crate::calm::Pieces;
use crate::chains::{Chains, Link, cover};
use crate::constraint::DistanceRange;
use crate::sweep::Sweep;

choice! {
    /// How lengths are kept.
    pub enum Method = Sweep {
        /// Coloured sweeps over all edges, each moved to an allowed length (Fuhrmann 2003, section 3): soft on fine meshes,
        /// cheapest per pass.
        Sweep = "sweep",
        /// Tridiagonal solves along chains of edges, then a limiter on the lengths: two to five times less stretch at the same
        /// cost.
        Chains = "chains",
    }
}

/// The constraints of a [`ClothModel`], ordered for one of the methods, with its scratch memory.
///
/// ```
/// use toile_cloth::{ClothModel, ConstraintFabric, ConstraintSolver, Method};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Z], &[[0, 2, 1]]);
/// let mut model = ClothModel::default();
/// model.add(&mesh, &ConstraintFabric::default());
/// let mut solver = ConstraintSolver::new(&model, Method::Sweep, 1.02);
/// let mut x: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 1.5).collect();
/// for _ in 0..50 {
///     solver.iterate(&mut x, &[1.0; 3]);
/// }
/// assert!(solver.largest_stretch(&x) < 1.03);
/// ```
#[derive(Clone, Debug)]
pub struct ConstraintSolver {
    structural: Sweep,
    bending: Sweep,
    chains: Option<(Chains, Vec<Link>)>,
    /// Bending over two links; empty unless cloth is stiff.
    spans: Sweep,
    limit: f64,
    stitches: Option<Stitches>,
    pieces: Pieces,
}

/// Pairs of particles that are drawn together: a seam while it is sewn.
#[derive(Clone, Debug)]
struct Stitches {
    pairs: Sweep,
    /// Share of their first distance that is still allowed.
    share: f64,
    /// Distance at which a pair counts as sewn [m].
    closed: f64,
    /// How much nearer a pair comes in one iteration [m].
    most: f64,
}

impl ConstraintSolver {
    /// Prepares the constraints of `model`. `limit`: length ratio above which the limiter of [`Method::Chains`] acts.
    pub fn new(model: &ClothModel, method: Method, limit: f64) -> Self {
        let chains = (method == Method::Chains).then(|| {
            let chains = Chains::new(&model.structural, &model.rest);
            let workspace = chains.workspace();
            (chains, workspace)
        });
        let spans = if method == Method::Chains { spans(&model.bending, &model.rest) } else { Vec::new() };
        Self {
            structural: Sweep::new(&model.structural, &model.rest),
            bending: Sweep::new(&model.bending, &model.rest),
            chains,
            spans: Sweep::new(&spans, &model.rest),
            limit,
            stitches: None,
            pieces: Pieces::new(model.structural.iter().map(|edge| edge.ends), model.rest.len()),
        }
    }

    /// Draws pairs of particles together from where they are at `x` [m], until they are `closed` [m] apart, as
    /// [`ConstraintSolver::draw`] says, and at most by `most` [m] in an iteration. Stitches are no cloth: nothing that
    /// is measured knows of them. What they join is calmed as one piece.
    ///
    /// # Panics
    /// If a pair names a particle beyond `x`, or one particle twice.
    pub fn set_stitches(&mut self, pairs: &[[u32; 2]], x: &[DVec3], closed: f64, most: f64) {
        let gap = |[a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
        self.pieces = Pieces::new(self.structural.ends().iter().chain(pairs).copied(), x.len());
        let pairs: Vec<_> = pairs.iter().map(|p| DistanceRange::new(*p, gap(*p), 0.0, gap(*p))).collect();
        self.stitches = Some(Stitches { pairs: Sweep::new(&pairs, x), share: 1.0, closed, most });
    }

    /// Lets stitches keep this share of the distance at which they began, over that at which they are closed.
    pub fn draw(&mut self, share: f64) {
        if let Some(stitches) = &mut self.stitches {
            stitches.share = share;
        }
    }

    /// One iteration: bending first, structure after it, because stretch is what the eye sees; stitches last, so that seams close.
    ///
    /// Chains of stiff cloth undo what one pass over bending did. It bends after them, over two links and then over one, in turn
    /// with the limiter.
    pub fn iterate(&mut self, x: &mut [DVec3], w: &[f64]) {
        match &mut self.chains {
            None => {
                self.bending.pass(x, w);
                self.structural.pass(x, w);
            }
            Some((chains, workspace)) if self.spans.is_empty() => {
                self.bending.pass(x, w);
                chains.pass(x, w, workspace);
                self.structural.limit_pass(x, w, self.limit);
            }
            Some((chains, workspace)) => {
                chains.pass(x, w, workspace);
                self.spans.widen_pass(x, w);
                for _ in 0..STIFF_PASSES {
                    self.structural.limit_pass(x, w, self.limit);
                    self.bending.widen_pass(x, w);
                }
            }
        }
        if let Some(Stitches { pairs, share, closed, most }) = &self.stitches {
            pairs.draw_pass(x, w, *share, *closed, *most);
        }
    }

    /// The longest edge length relative to its rest length that [`ConstraintSolver::limit`] leaves alone.
    pub fn longest(&self) -> f64 {
        self.limit
    }

    /// Shortens the edges that are longer than the limit; see [`Sweep::limit_pass`]. Stiff cloth keeps its bending meanwhile.
    pub fn limit(&self, x: &mut [DVec3], w: &[f64]) {
        if !self.spans.is_empty() {
            self.bending.widen_pass(x, w);
        }
        self.structural.limit_pass(x, w, self.limit);
    }

    /// Calms what moves within the pieces of cloth at the end of a step of length `h` [s]: diffuses velocities along the edges
    /// ([`Sweep::smooth_velocities`]) and multiplies what is not rigid motion by `factor` (1 takes nothing away). Momentum and
    /// angular momentum of each piece stay as they are.
    pub fn calm(&self, x: &[DVec3], v: &mut [DVec3], w: &[f64], factor: f64, diffusivity: f64, h: f64) {
        if factor < 1.0 || diffusivity > 0.0 {
            self.pieces.calm(x, v, w, factor, |v| {
                if diffusivity > 0.0 {
                    self.structural.smooth_velocities(v, w, diffusivity, h);
                }
            });
        }
    }

    /// Largest ratio of an edge's length to its rest length.
    pub fn largest_stretch(&self, x: &[DVec3]) -> f64 {
        self.structural.largest_stretch(x)
    }

    /// Engineering strain `length/rest − 1` averaged over the edges around each particle.
    pub fn particle_strain(&self, x: &[DVec3]) -> Vec<f64> {
        let mut sum = vec![(0.0, 0_u32); x.len()];
        for (ends, stretch) in self.structural.stretches(x) {
            let strain = stretch - 1.0;
            for p in ends {
                sum[p as usize].0 += strain;
                sum[p as usize].1 += 1;
            }
        }
        sum.into_iter().map(|(s, n)| if n > 0 { s / f64::from(n) } else { 0.0 }).collect()
    }
}

/// Passes over bending in an iteration of stiff cloth. With 6, 1 % of the distances of a tabletop of 40² particles on a sphere are
/// short at the end; with 4, 2 %; 8 gain nothing.
const STIFF_PASSES: u32 = 6;

/// Distances over two bending constraints in a row, which follow from the two and carry corrections twice as far.
///
/// A constraint of rest distance `d` that allows `c d` lets the two halves turn by `φ = 2 acos c`. Four halves that turn by `φ` at
/// each joint lie on a circle, and no other way of turning by at most `φ` brings their ends nearer (Schur's comparison theorem, up
/// to half a circle):
///
/// ```text
/// distance ≥ (d₁ + d₂)/4 · sin(2 φ)/sin(φ/2)        2 φ ≤ π/2, that is c ≥ cos(π/8) = 0.924
/// ```
///
/// Cloth that bends more has none.
fn spans(bending: &[DistanceRange], rest: &[DVec3]) -> Vec<DistanceRange> {
    let mut spans = Vec::new();
    for chain in cover(bending, rest) {
        for (links, ends) in chain.links.windows(2).zip(chain.particles.windows(3)) {
            let [one, other] = [links[0], links[1]].map(|l| bending[l as usize]);
            let ratio = (one.min / one.rest).min(other.min / other.rest);
            let turn = 2.0 * ratio.min(1.0).acos();
            if 2.0 * turn > FRAC_PI_2 || turn.is_nan() {
                continue;
            }
            let [a, middle, b] = [ends[0], ends[1], ends[2]].map(|p| rest[p as usize]);
            let cosine = (middle - a).normalize_or_zero().dot((b - middle).normalize_or_zero());
            // Halves of a row that is not quite straight at rest are nearer from the start.
            let (p, q) = (one.rest, other.rest);
            let flat = (p * p + q * q + 2.0 * p * q * cosine).max(0.0).sqrt();
            let shortest = if turn > 0.0 { flat * (2.0 * turn).sin() / (4.0 * (0.5 * turn).sin()) } else { flat };
            spans.push(DistanceRange::new([ends[0], ends[2]], flat, shortest, f64::INFINITY));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConstraintFabric;
    use toile_mesh::{TriMesh, generate};

    /// Two squares of four triangles side by side, 0.1 m apart.
    fn two_pieces() -> TriMesh {
        let piece = generate::plane([0.2, 0.2], [2, 2]);
        let mut mesh = piece.clone().map_positions(|p| p - DVec3::X * 0.15);
        mesh.append(&piece.map_positions(|p| p + DVec3::X * 0.15));
        mesh
    }

    #[test]
    fn stitches_close_at_their_pace_and_strain_nothing() {
        let mesh = two_pieces();
        let mut model = ClothModel::default();
        model.add(&mesh, &ConstraintFabric::default());
        let right = |a: &DVec3| (a.x + 0.05).abs() < 1e-12;
        let left = |a: &DVec3, b: &DVec3| (b.x - 0.05).abs() < 1e-12 && (a.z - b.z).abs() < 1e-12;
        let x = &mesh.positions;
        let with = |a: usize| x.iter().position(|b| left(&x[a], b)).map(|b| [a as u32, b as u32]);
        let pairs: Vec<[u32; 2]> = (0..x.len()).filter(|a| right(&x[*a])).filter_map(with).collect();
        assert_eq!(pairs.len(), 3);
        let gap = |x: &[DVec3]| pairs.iter().map(|[a, b]| x[*a as usize].distance(x[*b as usize])).fold(0.0, f64::max);
        let mut solver = ConstraintSolver::new(&model, Method::Chains, 1.02);
        solver.set_stitches(&pairs, x, 0.001, 0.002);
        let mut moved = x.clone();
        solver.iterate(&mut moved, &[1.0; 18]);
        assert_eq!(moved, *x, "nothing is drawn at first");
        solver.draw(0.0);
        solver.iterate(&mut moved, &[1.0; 18]);
        assert!((gap(&moved) - 0.098).abs() < 1e-9, "{}", gap(&moved));
        for _ in 0..400 {
            solver.iterate(&mut moved, &[1.0; 18]);
        }
        assert!(gap(&moved) < 0.001 + 1e-6 && solver.largest_stretch(&moved) < 1.021, "{}", gap(&moved));
        let middle: DVec3 = moved.iter().sum();
        assert!(middle.length() < 1e-12 && moved.iter().all(|p| p.y.abs() < 1e-12));
    }

    #[test]
    fn limp_cloth_has_no_spans_and_those_of_stiff_cloth_follow_from_its_bending() {
        let mesh = generate::grid([1.0, 1.0], [9, 9], generate::Diagonals::Alternating);
        let spans_of = |bend_min: f64| {
            let mut model = ClothModel::default();
            model.add(&mesh, &ConstraintFabric { bend_min, ..ConstraintFabric::default() });
            spans(&model.bending, &model.rest)
        };
        assert!(spans_of(0.89).is_empty());
        let all = spans_of(0.99);
        assert!(!all.is_empty());
        // Rolled as tightly as the bending along rows allows, no span of a row is short, and none has room.
        let turn = 2.0 * 0.99_f64.acos();
        let radius = 0.125 / (2.0 * (0.5 * turn).sin());
        let rolled = |p: DVec3| {
            let angle = (p.x / 0.125) * turn;
            DVec3::new(radius * angle.sin(), radius * angle.cos(), p.z)
        };
        let mut of_rows = 0;
        for span in &all {
            let [a, b] = span.ends.map(|p| mesh.positions[p as usize]);
            if (a.z - b.z).abs() < 1e-12 {
                of_rows += 1;
                let distance = rolled(a).distance(rolled(b));
                assert!((distance / span.min - 1.0).abs() < 1e-9, "{distance} against {}", span.min);
            }
        }
        assert!(of_rows > 20);
    }
}
