//! Keeping particles apart: the self-collision avoidance of Fuhrmann 2003, §4.
//!
//! Particles that no constraint joins are kept a distance apart, by constraints like those against compression. The
//! paper chooses the distance by eye, "depending on the size of the triangles". Here it follows from the mesh:
//!
//! **How far is far enough.** Let an edge `(a, b)` of length L cross a triangle `(c_0, c_1, c_2)` at `p = Σ λ_k c_k`,
//! and let a be the nearer end, `|p − a| ≤ L/2`. By the parallel-axis theorem
//!
//! ```text
//! Σ λ_k |c_k − a|² = |p − a|² + Σ λ_k |c_k − p|²,     Σ λ_k |c_k − p|² = R² − |p − O|² ≤ ρ²
//! ```
//!
//! with circumcentre O and circumradius R; ρ = R for an acute triangle, half the longest side otherwise. A mean is at
//! least the smallest term, so some `c_k` is closer to a than √(L²/4 + ρ²). Turned round: **sheets whose particles keep
//! √(L²/4 + ρ²) apart do not cross.** On a grid of spacing s that is s, on equilateral triangles 0.76 L. It is
//! multiplied by the longest allowed stretch. What it does not cover: pairs joined by a constraint, which have their
//! own smallest distance, and steps in which the passes did not converge.

use toile_mesh::{DVec3, TriMesh, triangle_area};

/// Share of the kept distance by which candidates may be farther apart: they can approach that much during a step's
/// passes and still be seen.
pub const CANDIDATE_MARGIN: f64 = 0.25;

/// Distance that particles of `mesh` must keep so that no edge crosses a triangle [m]; per vertex, the largest of the
/// triangles around it. `stretch`: longest allowed edge relative to its rest length.
pub fn safe_distances(mesh: &TriMesh, stretch: f64) -> Vec<f64> {
    let mut safe = vec![0.0_f64; mesh.vertex_count()];
    for f in mesh.faces() {
        let d = stretch * crossing_distance(mesh.corners(f));
        for v in mesh.triangles[f.index()] {
            safe[v.index()] = safe[v.index()].max(d);
        }
    }
    safe
}

/// √(L²/4 + ρ²) of one triangle [m]; see the module.
fn crossing_distance([a, b, c]: [DVec3; 3]) -> f64 {
    let mut sides = [a.distance(b), b.distance(c), c.distance(a)];
    sides.sort_by(f64::total_cmp);
    let [p, q, longest] = sides;
    let acute = p * p + q * q > longest * longest;
    let cover = if acute { p * q * longest / (4.0 * triangle_area([a, b, c])) } else { 0.5 * longest };
    (0.25 * longest * longest + cover * cover).sqrt()
}

/// Particles kept apart in one step.
#[derive(Clone, Debug, Default)]
pub struct Separation {
    /// Half the distance to keep, per particle [m].
    radius: Vec<f64>,
    /// Rest positions [m] and cloth of each particle: neighbours in the flat cloth may be nearer than the radii say.
    rest: Vec<DVec3>,
    cloth: Vec<u32>,
    pairs: Vec<([u32; 2], f64)>,
}

impl Separation {
    /// `distance`: what each particle keeps to others of its kind [m]; two different ones keep the mean.
    /// `rest`: flat positions [m]; `cloth`: which cloth each particle belongs to.
    pub fn new(distance: &[f64], rest: &[DVec3], cloth: Vec<u32>) -> Self {
        let radius = distance.iter().map(|d| 0.5 * d).collect();
        Self { radius, rest: rest.to_vec(), cloth, pairs: Vec::new() }
    }

    /// Distance within which candidates must be searched [m].
    pub fn search_distance(&self) -> f64 {
        2.0 * self.radius.iter().fold(0.0, |a: f64, &b| a.max(b)) * (1.0 + CANDIDATE_MARGIN)
    }

    /// Takes the candidates of this step, positions at `x` [m].
    pub fn set_candidates(&mut self, candidates: &[[u32; 2]], x: &[DVec3]) {
        self.pairs.clear();
        for &[i, j] in candidates {
            let (a, b) = (i as usize, j as usize);
            let distance = self.distance(a, b);
            let reach = distance * (1.0 + CANDIDATE_MARGIN);
            if x[a].distance_squared(x[b]) < reach * reach {
                self.pairs.push(([i, j], distance));
            }
        }
    }

    /// Distance two particles keep [m]: never more than they have in the flat cloth.
    fn distance(&self, a: usize, b: usize) -> f64 {
        let apart = self.radius[a] + self.radius[b];
        if self.cloth[a] == self.cloth[b] { apart.min(self.rest[a].distance(self.rest[b])) } else { apart }
    }

    /// Number of pairs watched in this step.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no pair is near.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// One pass over the pairs: those too close are moved apart along their axis, weighted by mass (eq. 5–9).
    /// Returns how many were too close.
    ///
    /// Sequential, because near pairs are few and share particles; `x` positions [m], `w` inverse masses [1/kg].
    pub fn pass(&self, x: &mut [DVec3], w: &[f64]) -> usize {
        let mut close = 0;
        for &([i, j], distance) in &self.pairs {
            let (i, j) = (i as usize, j as usize);
            let d = x[j] - x[i];
            let (length_sq, weight) = (d.length_squared(), w[i] + w[j]);
            if length_sq >= distance * distance || weight <= 0.0 || length_sq <= 0.0 {
                continue;
            }
            close += 1;
            let length = length_sq.sqrt();
            let u = d * ((length - distance) / (length * weight));
            x[i] += u * w[i];
            x[j] -= u * w[j];
        }
        close
    }

    /// Smallest ratio of a watched pair's distance to the distance it should keep; 1 or more is good.
    pub fn smallest_ratio(&self, x: &[DVec3]) -> f64 {
        let ratio = |&([i, j], distance): &([u32; 2], f64)| x[i as usize].distance(x[j as usize]) / distance;
        self.pairs.iter().map(ratio).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from)
    }

    proptest! {
        /// The theorem of the module: an edge through a triangle has an end near a corner.
        #[test]
        fn a_crossing_edge_is_near_a_corner(
            c in [point(), point(), point()], weights in [0.01..1.0_f64, 0.01..1.0, 0.01..1.0],
            direction in point(), length in 0.01..3.0_f64, share in 0.0..1.0_f64,
        ) {
            prop_assume!(triangle_area(c) > 1e-3 && direction.length() > 0.1);
            let sum: f64 = weights.iter().sum();
            let p = (c[0] * weights[0] + c[1] * weights[1] + c[2] * weights[2]) / sum;
            let u = direction.normalize();
            let ends = [p - u * (share * length), p + u * ((1.0 - share) * length)];
            let nearest = ends.iter().flat_map(|e| c.map(|c| c.distance(*e))).fold(f64::INFINITY, f64::min);
            let mut sides = [c[0].distance(c[1]), c[1].distance(c[2]), c[2].distance(c[0])];
            sides.sort_by(f64::total_cmp);
            let own = crossing_distance(c);
            let cover_sq = own * own - 0.25 * sides[2] * sides[2];
            prop_assert!(nearest <= (0.25 * length * length + cover_sq).sqrt() * (1.0 + 1e-12));
        }

        #[test]
        fn a_pass_keeps_the_centre_of_mass(x in prop::collection::vec(point(), 6), m in prop::collection::vec(0.1..2.0_f64, 6)) {
            let w: Vec<f64> = m.iter().map(|m| 1.0 / m).collect();
            let mut separation = Separation::new(&[3.0; 6], &x, (0..6).collect());
            let all: Vec<[u32; 2]> = (0..6).flat_map(|i| (i + 1..6).map(move |j| [i, j])).collect();
            separation.set_candidates(&all, &x);
            let mut y = x.clone();
            prop_assert!(separation.pass(&mut y, &w) > 0);
            let moment = |x: &[DVec3]| x.iter().zip(&m).map(|(x, m)| *x * *m).sum::<DVec3>();
            prop_assert!((moment(&x) - moment(&y)).length() < 1e-12);
        }
    }

    #[test]
    fn the_distance_of_known_triangles() {
        let right = crossing_distance([DVec3::ZERO, DVec3::X, DVec3::Y]);
        assert!((right - 1.0).abs() < 1e-15);
        let equilateral = crossing_distance([DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.75_f64.sqrt(), 0.0)]);
        assert!((equilateral - (0.25_f64 + 1.0 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn neighbours_keep_no_more_than_they_have_in_the_flat_cloth() {
        let rest = [DVec3::ZERO, DVec3::X * 0.5];
        let mut separation = Separation::new(&[1.0, 1.0], &rest, vec![0, 0]);
        separation.set_candidates(&[[0, 1]], &rest);
        assert_eq!(separation.pass(&mut rest.clone(), &[1.0, 1.0]), 0);
        let mut other = Separation::new(&[1.0, 1.0], &rest, vec![0, 1]);
        other.set_candidates(&[[0, 1]], &rest);
        let mut x = rest;
        assert_eq!(other.pass(&mut x, &[1.0, 0.0]), 1);
        assert!((x[0].distance(x[1]) - 1.0).abs() < 1e-15 && x[1] == rest[1]);
        assert!((other.smallest_ratio(&x) - 1.0).abs() < 1e-15);
    }
}
