//! Second derivatives of a surface on every triangle, as sums over a few particles.
//!
//! On a triangle of area `A`, with edges of length `|e|` and in-plane unit normals `n_e` away from it,
//!
//! ```text
//! H = (1/A) Σ_e |e| (φ_e − g·n_e) n_e ⊗ n_e
//! ```
//!
//! where `g` is the gradient of the linear function through the corners and `φ_e` the slope across the middle of edge `e`.
//! This is the triangle of Morley 1968 (*The triangular equilibrium element in the solution of plate bending problems*);
//! there `φ_e` are unknowns of their own, here they come from the positions of nearby particles, exactly for quadratics
//! (see `slope.rs`). Three properties follow:
//!
//! - A quadratic surface has its second derivatives exactly, on any mesh, at the border too. Rows sum to zero and vanish
//!   on affine functions.
//! - Both triangles of an edge use the same `φ_e`, so surfaces of this kind are a part of Morley's, whose bending energy
//!   converges under refinement on every mesh that has no ever thinner triangles. In particular a constant moment leaves
//!   no force on any particle away from the border.
//! - Only affine surfaces have no energy.
//!
//! The interpolating quadratic of a triangle's corners and the far corners of its three neighbours has the first and the
//! third property but not the second. It is the same operator wherever neighbouring triangles form parallelograms; on
//! other meshes constant moments leave forces, and a cloth that may relax under them is too soft: a plate by a third on
//! alternating or crossed diagonals (`docs/bending.md`).
//!
//! **Where a patch determines no quadratic** (fewer than six particles, a strip one cell wide, particles on a conic), the
//! slope across an edge is that between the two triangles, at the border that of the one triangle: `H` then is made of the
//! kinks at interior edges, `H = Σ_e θ_e |e|/(2A) n_e ⊗ n_e` (Grinspun et al. 2006). A strip bends along itself as it should;
//! its twist may be up to twice too stiff. [`Stencil::is_exact`] tells. A triangle without neighbours or without area
//! does not bend at all.

use rayon::prelude::*;
use toile_mesh::DVec2;

use super::patch::{Patches, Placed};
use super::slope::{Slope, Weights, add_weight};

/// Particles a triangle's second derivatives may depend on.
pub const MAX_NODES: usize = 12;
/// Weights relative to the largest that are rounding.
const ROUNDING: f64 = 1e-13;

/// Second derivatives on one triangle: `x_k = Σ_a rows[a][k] x_a`, for `k` = warp–warp, weft–weft, warp–weft.
#[derive(Clone, Debug, PartialEq)]
pub struct Stencil {
    nodes: [u32; MAX_NODES],
    rows: [[f64; 3]; MAX_NODES],
    count: usize,
    area: f64,
    exact: bool,
}

impl Stencil {
    /// The particles; the triangle's own three come first.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }

    /// Weights of each particle in `x_11`, `x_22` and `x_12` [1/m²].
    pub fn rows(&self) -> &[[f64; 3]] {
        &self.rows[..self.count]
    }

    /// Rest area of the triangle [m²]; 0 if it has none.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Whether every quadratic has its second derivatives exactly.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    fn new(particles: [u32; 3], area: f64, exact: bool) -> Self {
        let mut nodes = [particles[0]; MAX_NODES];
        nodes[..3].copy_from_slice(&particles);
        Self { nodes, rows: [[0.0; 3]; MAX_NODES], count: 3, area, exact }
    }

    /// Adds `weights` times `h`; `None` if there are too many particles.
    fn add(&mut self, weights: &Weights, h: [f64; 3]) -> Option<()> {
        for (particle, weight) in weights {
            let at = self.nodes().iter().position(|n| n == particle).unwrap_or(self.count);
            *self.nodes.get_mut(at)? = *particle;
            self.count = self.count.max(at + 1);
            for (row, h) in self.rows[at].iter_mut().zip(h) {
                *row += weight * h;
            }
        }
        Some(())
    }

    /// Drops particles, other than the corners, whose weights are rounding.
    fn prune(mut self) -> Self {
        let size = |row: &[f64; 3]| row.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let largest = self.rows().iter().map(size).fold(0.0, f64::max);
        let mut kept = 3;
        for a in 3..self.count {
            if size(&self.rows[a]) > ROUNDING * largest {
                (self.nodes[kept], self.rows[kept]) = (self.nodes[a], self.rows[a]);
                kept += 1;
            }
        }
        self.rows[kept..].fill([0.0; 3]);
        let unused = self.nodes[0];
        self.nodes[kept..].fill(unused);
        self.count = kept;
        self
    }
}

/// Rest coordinates of every triangle's corners from those of the particles of a flat mesh, `(warp, weft)` [m].
/// A corner beyond the list is undefined, and its triangle does not bend.
pub fn flat_corners(triangles: &[[u32; 3]], rest: &[DVec2]) -> Vec<[DVec2; 3]> {
    triangles.iter().map(|t| t.map(|i| rest.get(i as usize).copied().unwrap_or(DVec2::NAN))).collect()
}

/// The second derivatives on every triangle.
///
/// `corners` are the rest coordinates `(warp, weft)` [m] of each triangle's corners. Neighbours need not agree in theirs
/// (curved rest shapes, seams between panels): they are unfolded along common edges.
///
/// ```
/// use toile_cloth::element::{flat_corners, stencils};
/// use toile_mesh::DVec2;
/// // A 3 × 3 grid carrying the saddle w = x y: second derivatives 0, 0 and 1 everywhere.
/// let rest: Vec<DVec2> = (0..9).map(|i| DVec2::new((i % 3) as f64, (i / 3) as f64)).collect();
/// let cell = |i: u32| [[i, i + 1, i + 4], [i, i + 4, i + 3]];
/// let triangles: Vec<_> = [0, 1, 3, 4].into_iter().flat_map(cell).collect();
/// for stencil in stencils(&triangles, &flat_corners(&triangles, &rest)) {
///     let mut sum = [0.0; 3];
///     for (node, row) in stencil.nodes().iter().zip(stencil.rows()) {
///         let w = rest[*node as usize].x * rest[*node as usize].y;
///         (0..3).for_each(|k| sum[k] += row[k] * w);
///     }
///     assert!(sum[0].abs() < 1e-12 && sum[1].abs() < 1e-12 && (sum[2] - 1.0).abs() < 1e-12);
/// }
/// ```
pub fn stencils(triangles: &[[u32; 3]], corners: &[[DVec2; 3]]) -> Vec<Stencil> {
    let patches = Patches::new(triangles, corners);
    // One slope per edge: the first triangle's, which the second has with the opposite sign.
    let other = |face: usize, k: usize| patches.neighbour(face as u32, k).filter(|(other, _)| (*other as usize) < face);
    let own_slopes = |face: usize| {
        let own = |k: usize| patches.is_sound(face) && other(face, k).is_none();
        [0, 1, 2].map(|k| if own(k) { Slope::new(&patches, &patches.root(face), k) } else { Slope::NONE })
    };
    let slopes: Vec<[Slope; 3]> = (0..triangles.len()).into_par_iter().map(own_slopes).collect();
    let of_face = |face: usize| {
        let none = Stencil::new(triangles[face], 0.0, false);
        if !patches.is_sound(face) {
            return none;
        }
        let root = patches.root(face);
        let shared = [0, 1, 2].map(|k| match other(face, k) {
            Some((other, j)) => slopes[other as usize][usize::from(j)].reversed(),
            None => slopes[face][k].clone(),
        });
        let plain = || [0, 1, 2].map(|k| Slope::between_triangles(&patches, &root, k));
        // A stencil that has no room for all its particles does with the six nearest.
        morley(&patches, &root, &shared).or_else(|| morley(&patches, &root, &plain())).unwrap_or(none).prune()
    };
    (0..triangles.len()).into_par_iter().map(of_face).collect()
}

/// `n ⊗ n` as warp–warp, weft–weft, warp–weft.
fn square(n: DVec2) -> [f64; 3] {
    [n.x * n.x, n.y * n.y, n.x * n.y]
}

/// `H` from the slopes across the three edges; `None` if there are too many particles.
fn morley(patches: &Patches, root: &Placed, slopes: &[Slope; 3]) -> Option<Stencil> {
    let particles = patches.particles(root.face);
    let mut stencil = Stencil::new(particles, root.area(), slopes.iter().all(|s| s.exact));
    for (k, slope) in slopes.iter().enumerate() {
        let (_, length, _, out) = root.edge(k);
        let mut turn = slope.weights.clone();
        for (particle, slope) in particles.into_iter().zip(root.slopes(out)) {
            add_weight(&mut turn, particle, -slope);
        }
        stencil.add(&turn, square(out).map(|h| h * length / stencil.area))?;
    }
    Some(stencil)
}
