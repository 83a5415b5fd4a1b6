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
//! √(L²/4 + ρ²) apart do not cross**, L from the one and ρ from the other, whichever way round is larger. On a grid of spacing s that is s, on equilateral triangles 0.76 L. It is
//! multiplied by the longest allowed stretch. What it does not cover: pairs joined by a constraint, which have their
//! own smallest distance, and steps in which the passes did not converge.

use toile_mesh::{DVec3, TriMesh, triangle_area};

/// Share of the kept distance by which candidates may be farther apart: they can approach that much during a step's
/// passes and still be seen.
pub const CANDIDATE_MARGIN: f64 = 0.25;

/// What decides how far a particle must keep from others: see the module.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Extent {
    /// L/2 of the longest edge around it [m].
    pub half_edge: f64,
    /// ρ of the largest triangle around it [m].
    pub cover: f64,
}

impl Extent {
    /// The extent of particles that keep `distance` [m] from each other.
    pub fn for_distance(distance: f64) -> Self {
        let part = distance * std::f64::consts::FRAC_1_SQRT_2;
        Self { half_edge: part, cover: part }
    }

    /// The distance two particles must keep so that no edge of one crosses a triangle of the other [m].
    pub fn distance(self, other: Self) -> f64 {
        self.half_edge.hypot(other.cover).max(other.half_edge.hypot(self.cover))
    }

    fn max(self, other: Self) -> Self {
        Self { half_edge: self.half_edge.max(other.half_edge), cover: self.cover.max(other.cover) }
    }
}

/// Extents of the particles of `mesh`, per vertex the largest of the triangles around it. `stretch`: longest allowed
/// edge relative to its rest length.
pub fn extents(mesh: &TriMesh, stretch: f64) -> Vec<Extent> {
    let mut extents = vec![Extent::default(); mesh.vertex_count()];
    for f in mesh.faces() {
        let Extent { half_edge, cover } = triangle_extent(mesh.corners(f));
        let extent = Extent { half_edge: stretch * half_edge, cover: stretch * cover };
        for v in mesh.triangles[f.index()] {
            extents[v.index()] = extents[v.index()].max(extent);
        }
    }
    extents
}

/// L/2 and ρ of one triangle [m]; see the module.
fn triangle_extent([a, b, c]: [DVec3; 3]) -> Extent {
    let mut sides = [a.distance(b), b.distance(c), c.distance(a)];
    sides.sort_by(f64::total_cmp);
    let [p, q, longest] = sides;
    let acute = p * p + q * q > longest * longest;
    let cover = if acute { p * q * longest / (4.0 * triangle_area([a, b, c])) } else { 0.5 * longest };
    Extent { half_edge: 0.5 * longest, cover }
}

/// Particles kept apart in one step.
#[derive(Clone, Debug, Default)]
pub struct Separation {
    extent: Vec<Extent>,
    /// The largest of them.
    largest: Extent,
    /// Rest positions [m] and cloth of each particle: neighbours in the flat cloth may be nearer than the radii say.
    rest: Vec<DVec3>,
    cloth: Vec<u32>,
    pairs: Vec<([u32; 2], f64)>,
}

impl Separation {
    /// `extent`: what each particle must be kept free of; `rest`: flat positions [m]; `cloth`: which cloth each particle
    /// belongs to.
    pub fn new(extent: Vec<Extent>, rest: &[DVec3], cloth: Vec<u32>) -> Self {
        let largest = extent.iter().fold(Extent::default(), |a, b| a.max(*b));
        Self { extent, largest, rest: rest.to_vec(), cloth, pairs: Vec::new() }
    }

    /// Distance within which candidates must be searched [m].
    pub fn search_distance(&self) -> f64 {
        self.largest.distance(self.largest) * (1.0 + CANDIDATE_MARGIN)
    }

    /// Takes the candidates of this step, positions at `x` [m].
    pub fn set_candidates(&mut self, candidates: &[[u32; 2]], x: &[DVec3]) {
        self.set_candidates_on_way(candidates, x, x);
    }

    /// Takes the candidates of a step from `start` to `end` [m]: those that are near at one of the two.
    pub fn set_candidates_on_way(&mut self, candidates: &[[u32; 2]], start: &[DVec3], end: &[DVec3]) {
        self.pairs.clear();
        for &[i, j] in candidates {
            let (a, b) = (i as usize, j as usize);
            let distance = self.distance(a, b);
            let reach = distance * (1.0 + CANDIDATE_MARGIN);
            let nearest = start[a].distance_squared(start[b]).min(end[a].distance_squared(end[b]));
            if nearest < reach * reach {
                self.pairs.push(([i, j], distance));
            }
        }
    }

    /// Distance two particles keep [m]: never more than they have in the flat cloth.
    fn distance(&self, a: usize, b: usize) -> f64 {
        let apart = self.extent[a].distance(self.extent[b]);
        if self.cloth[a] == self.cloth[b] { apart.min(self.rest[a].distance(self.rest[b])) } else { apart }
    }

    /// Candidates of this step, each with the distance it keeps [m].
    pub fn pairs(&self) -> &[([u32; 2], f64)] {
        &self.pairs
    }

    /// Number of candidates of this step.
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

    /// Smallest ratio of a candidate's distance to the distance it should keep; 1 or more is good.
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
            let edge = Extent { half_edge: 0.5 * length, cover: 0.0 };
            prop_assert!(nearest <= edge.distance(triangle_extent(c)) * (1.0 + 1e-12));
        }

        #[test]
        fn a_pass_keeps_the_centre_of_mass(x in prop::collection::vec(point(), 6), m in prop::collection::vec(0.1..2.0_f64, 6)) {
            let w: Vec<f64> = m.iter().map(|m| 1.0 / m).collect();
            let mut separation = Separation::new(vec![Extent::for_distance(3.0); 6], &x, (0..6).collect());
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
        let own = |corners| triangle_extent(corners).distance(triangle_extent(corners));
        let right = own([DVec3::ZERO, DVec3::X, DVec3::Y]);
        assert!((right - 1.0).abs() < 1e-15);
        let equilateral = own([DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.75_f64.sqrt(), 0.0)]);
        assert!((equilateral - (0.25_f64 + 1.0 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn neighbours_keep_no_more_than_they_have_in_the_flat_cloth() {
        let rest = [DVec3::ZERO, DVec3::X * 0.5];
        let mut separation = Separation::new(vec![Extent::for_distance(1.0); 2], &rest, vec![0, 0]);
        separation.set_candidates(&[[0, 1]], &rest);
        assert_eq!(separation.pass(&mut rest.clone(), &[1.0, 1.0]), 0);
        let mut other = Separation::new(vec![Extent::for_distance(1.0); 2], &rest, vec![0, 1]);
        other.set_candidates(&[[0, 1]], &rest);
        let mut x = rest;
        assert_eq!(other.pass(&mut x, &[1.0, 0.0]), 1);
        assert!((x[0].distance(x[1]) - 1.0).abs() < 1e-15 && x[1] == rest[1]);
        assert!((other.smallest_ratio(&x) - 1.0).abs() < 1e-15);
    }
}
