//! The slope of a surface across an edge, from the heights of nearby particles.
//!
//! For heights `w` (or any coordinate) the slope `φ = ∂w/∂n` at the middle of an edge, `n` its in-plane normal, is a sum
//! `φ = Σ c_a w_a` that is **exact for every quadratic `w`**. It starts from the slopes `g` of the triangles on both sides,
//! weighted by their heights `h` over the edge, `φ = (h1 g0 + h0 g1)/(h0 + h1)`, which is exact for bending across the
//! edge, and for all quadratics if both triangles form a parallelogram. What is missing is added with the smallest change
//! `Σ Δ_a²/ω_a` of the weights, over the neighbours of both triangles, that makes all quadratics right. A border edge
//! starts from the slope of its one triangle and takes two rings of neighbours.
//!
//! The patch is measured in coordinates of unit covariance: what counts as well placed does not depend on scale, and as
//! quadratics stay quadratics, not on how stretched the mesh is either. Particles that lie near a conic do not determine
//! a quadratic; then further ones are added, the nearest first.

use toile_mesh::DVec2;

use super::patch::{Patches, Placed};

/// Particles a slope may depend on.
const MAX_SLOPE_NODES: usize = 12;
/// Rings of neighbours to search.
const MAX_RINGS: usize = 4;
/// Smallest pivot, of a matrix with unit diagonal, at which a patch counts as well placed.
const GOOD_PIVOT: f64 = 1e-3;
/// Smallest pivot at which a patch may be used when there is no better one.
const LEAST_PIVOT: f64 = 1e-6;
/// Errors of reproduction relative to the weights that are rounding.
const ROUNDING: f64 = 1e-12;

/// Particles and their weights.
pub(super) type Weights = Vec<(u32, f64)>;

/// The slope across an edge.
#[derive(Clone)]
pub(super) struct Slope {
    pub(super) weights: Weights,
    /// Whether it is exact for quadratics.
    pub(super) exact: bool,
}

impl Slope {
    pub(super) const NONE: Self = Self { weights: Vec::new(), exact: false };

    /// The slope across edge `k` of a triangle, away from it: exact if its surroundings determine one, else that between
    /// the two triangles.
    pub(super) fn new(patches: &Patches, root: &Placed, k: usize) -> Self {
        let base = Self::between_triangles(patches, root, k);
        let (middle, _, _, out) = root.edge(k);
        let across = patches.across(root, k);
        let roots: Vec<Placed> = std::iter::once(*root).chain(across).collect();
        let (mut nodes, ends) = patches.around(&roots, MAX_RINGS, MAX_SLOPE_NODES);
        // The usual patch; what lies beyond it comes in the order of distance.
        let usual = ends[ends.len().min(if across.is_some() { 2 } else { 3 }) - 1];
        let distance = |node: &(u32, DVec2)| node.1.distance_squared(middle);
        nodes[usual..].sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.0.cmp(&b.0)));
        for node in &mut nodes {
            node.1 -= middle;
        }
        match correct(&base.weights, &nodes, usual, out) {
            Some(weights) => Self { weights, exact: true },
            None => base,
        }
    }

    /// The slope between both triangles of an edge, or of the one.
    pub(super) fn between_triangles(patches: &Patches, root: &Placed, k: usize) -> Self {
        let (_, length, _, out) = root.edge(k);
        let mut weights = Weights::with_capacity(MAX_SLOPE_NODES);
        let mut add = |placed: &Placed, share: f64| {
            for (particle, slope) in patches.particles(placed.face).into_iter().zip(placed.slopes(out)) {
                add_weight(&mut weights, particle, share * slope);
            }
        };
        if let Some(other) = patches.across(root, k) {
            let heights = [root.area(), other.area()].map(|area| 2.0 * area / length);
            add(root, heights[1] / (heights[0] + heights[1]));
            add(&other, heights[0] / (heights[0] + heights[1]));
        } else {
            add(root, 1.0);
        }
        Self { weights, exact: false }
    }

    /// The same slope as the triangle on the other side has it.
    pub(super) fn reversed(&self) -> Self {
        Self { weights: self.weights.iter().map(|(n, c)| (*n, -c)).collect(), exact: self.exact }
    }
}

/// Adds to the weight of a particle.
pub(super) fn add_weight(weights: &mut Weights, particle: u32, weight: f64) {
    match weights.iter_mut().find(|(known, _)| *known == particle) {
        Some((_, known)) => *known += weight,
        None => weights.push((particle, weight)),
    }
}

/// The least change of `base` that makes it exact for quadratics, on the first `usual` or more of `nodes`.
fn correct(base: &Weights, nodes: &[(u32, DVec2)], usual: usize, d: DVec2) -> Option<Weights> {
    let mut best: Option<(f64, Weights)> = None;
    for count in usual.min(MAX_SLOPE_NODES)..=nodes.len().min(MAX_SLOPE_NODES) {
        let Some(fit) = Fit::new(&nodes[..count], d) else { continue };
        if fit.is_exact(base) {
            return Some(base.clone());
        }
        if fit.least_pivot > best.as_ref().map_or(LEAST_PIVOT, |b| b.0)
            && let Some(weights) = fit.corrected(base)
        {
            best = Some((fit.least_pivot, weights));
        }
        if fit.least_pivot >= GOOD_PIVOT {
            break;
        }
    }
    best.map(|b| b.1)
}

/// The six conditions on the weights of a patch, and their normal equations.
struct Fit<'a> {
    nodes: &'a [(u32, DVec2)],
    /// 1, both coordinates, their squares and product, at every particle.
    monomials: Vec<[f64; 6]>,
    /// How freely each weight may change.
    freedom: Vec<f64>,
    /// What the slope of each monomial is.
    wanted: [f64; 6],
    /// Cholesky factor of the normal equations, scaled to unit diagonal, and that scale.
    factor: [[f64; 6]; 6],
    scale: [f64; 6],
    least_pivot: f64,
}

impl<'a> Fit<'a> {
    fn new(nodes: &'a [(u32, DVec2)], d: DVec2) -> Option<Self> {
        // Covariance L Lᵀ, about the middle of the edge; y = L⁻¹ x.
        let mean = |f: &dyn Fn(DVec2) -> f64| nodes.iter().map(|n| f(n.1)).sum::<f64>() / nodes.len() as f64;
        let [xx, xy, yy] = [mean(&|p| p.x * p.x), mean(&|p| p.x * p.y), mean(&|p| p.y * p.y)];
        let l00 = xx.sqrt();
        let l10 = xy / l00;
        let l11 = (yy - l10 * l10).max(0.0).sqrt();
        if !(l00.is_normal() && l11 * l11 > ROUNDING * yy) {
            return None;
        }
        let whiten = |p: DVec2| DVec2::new(p.x / l00, (p.y - l10 * p.x / l00) / l11);
        let y: Vec<DVec2> = nodes.iter().map(|n| whiten(n.1)).collect();
        let monomials: Vec<[f64; 6]> = y.iter().map(|y| [1.0, y.x, y.y, y.x * y.x, y.y * y.y, y.x * y.y]).collect();
        let freedom: Vec<f64> = y.iter().map(|y| (1.0 + y.length_squared()).powi(-2)).collect();
        let slope = whiten(d);
        let mut fit = Self {
            nodes,
            monomials,
            freedom,
            wanted: [0.0, slope.x, slope.y, 0.0, 0.0, 0.0],
            factor: [[0.0; 6]; 6],
            scale: [0.0; 6],
            least_pivot: 0.0,
        };
        fit.factorize();
        Some(fit)
    }

    #[expect(clippy::needless_range_loop, reason = "formulas of rows and columns")]
    fn factorize(&mut self) {
        let mut gram = [[0.0; 6]; 6];
        for (m, w) in self.monomials.iter().zip(&self.freedom) {
            for i in 0..6 {
                for j in 0..=i {
                    gram[i][j] += w * m[i] * m[j];
                }
            }
        }
        self.scale = std::array::from_fn(|i| gram[i][i].sqrt());
        self.least_pivot = f64::INFINITY;
        for i in 0..6 {
            for j in 0..=i {
                let mut sum = gram[i][j] / (self.scale[i] * self.scale[j]);
                for (a, b) in self.factor[i][..j].iter().zip(&self.factor[j][..j]) {
                    sum -= a * b;
                }
                if i == j {
                    // The smallest pivot is kept, a zero or undefined one as zero.
                    self.least_pivot = if sum > 0.0 { self.least_pivot.min(sum) } else { 0.0 };
                    self.factor[i][i] = sum.max(f64::MIN_POSITIVE).sqrt();
                } else {
                    self.factor[i][j] = sum / self.factor[j][j];
                }
            }
        }
    }

    /// What the weights miss of each condition, and how large the terms were.
    fn missing(&self, weights: &[f64]) -> ([f64; 6], f64) {
        let (mut missing, mut size) = (self.wanted, 0.0_f64);
        for (m, c) in self.monomials.iter().zip(weights) {
            for i in 0..6 {
                missing[i] -= c * m[i];
                size = size.max((c * m[i]).abs());
            }
        }
        (missing, size)
    }

    fn spread(&self, base: &Weights) -> Vec<f64> {
        let weight = |particle: u32| base.iter().find(|b| b.0 == particle).map_or(0.0, |b| b.1);
        self.nodes.iter().map(|n| weight(n.0)).collect()
    }

    fn is_exact(&self, base: &Weights) -> bool {
        let (missing, size) = self.missing(&self.spread(base));
        missing.iter().all(|m| m.abs() <= ROUNDING * size)
    }

    fn corrected(&self, base: &Weights) -> Option<Weights> {
        let mut weights = self.spread(base);
        // The second and third pass take away the rounding of the one before.
        for _ in 0..3 {
            let (missing, _) = self.missing(&weights);
            let multiplier = self.solve(missing);
            for ((c, m), w) in weights.iter_mut().zip(&self.monomials).zip(&self.freedom) {
                *c += w * m.iter().zip(multiplier).map(|(m, l)| m * l).sum::<f64>();
            }
        }
        weights.iter().all(|c| c.is_finite()).then(|| self.nodes.iter().map(|n| n.0).zip(weights).collect())
    }

    fn solve(&self, mut b: [f64; 6]) -> [f64; 6] {
        for i in 0..6 {
            b[i] /= self.scale[i];
            for j in 0..i {
                b[i] -= self.factor[i][j] * b[j];
            }
            b[i] /= self.factor[i][i];
        }
        for i in (0..6).rev() {
            for j in i + 1..6 {
                b[i] -= self.factor[j][i] * b[j];
            }
            b[i] /= self.factor[i][i];
        }
        std::array::from_fn(|i| b[i] / self.scale[i])
    }
}
