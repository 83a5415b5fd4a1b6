//! Edges and interiors of triangles against obstacles.
//!
//! With `w` the weights of the deepest point `p = Σ wᵢ xᵢ` of a triangle ([`deepest_point_below`]), `φ` its signed
//! distance and `n` its normal, the corners move by
//! ```text
//! xᵢ += λᵢ (n (t − φ) + r_t),     λᵢ = wᵢ mᵢ⁻¹ / Σ wⱼ² mⱼ⁻¹
//! ```
//! so that `p` moves by exactly `n (t − φ) + r_t` and the correction is shared as an impulse at `p` would be: held
//! corners (inverse mass 0) stay. `r_t` is the friction of the point `p`. As `φ` is convex, `p` ends at or above `t`;
//! other points of the triangle may then be the deepest, so rounds follow:
//! 1. scan (parallel): all pairs of triangle and piece nearer than `t − tolerance`, in order of triangle, then piece;
//! 2. a few sweeps (sequential, Gauss–Seidel): each pair is looked at anew and corrected;
//!
//! until a scan finds none or `max_rounds` are over. The last scan is the proof: with an empty result and a tolerance
//! above [`DEEPEST_POINT_ERROR`](super::DEEPEST_POINT_ERROR) times the longest edge but below `t`, no point of any
//! triangle is inside an obstacle. From two pieces that face each other with less room than `2 t` between them a triangle
//! keeps half of the room. Pairs are culled by bounding spheres and by the linear bound at the centroid.
//!
//! Scaled friction acts in the first sweep only, else more sweeps would mean more friction; Coulomb friction is
//! limited by each correction and acts with it, but only early on: where strong friction drags
//! a triangle back as fast as it is lifted, being clear matters more.
//!
//! Run [`resolve_particles`](super::resolve_particles) first: it is cheaper, and leaves to the sweep only what
//! particles cannot see.

use rayon::prelude::*;
use toile_mesh::{DVec3, VertexId};

use super::placed::Corners;
use super::{DeepestPoint, Friction, PlacedObstacles, PlacedPiece, deepest_point_below};

/// Sweeps over the pairs that a scan found before the next scan.
const SWEEPS_PER_SCAN: usize = 8;
/// Largest `λᵢ`. Next to a held corner the lever of the free ones is short, and an exact correction of the contact
/// point would throw them far away; without held corners `λᵢ` stays below `(1 + √3) / 2` for equal masses.
const LEVER_LIMIT: f64 = 8.0;

/// How triangles are kept off obstacles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepSettings {
    /// Distance `t` to be kept [m].
    pub threshold: f64,
    /// What a triangle may be short of the threshold without being corrected [m]. Larger values need fewer rounds.
    pub tolerance: f64,
    /// Rounds of sweep and scan at most. More leave less behind where triangles push each other back and forth.
    pub max_rounds: usize,
}

impl SweepSettings {
    /// To keep `threshold` [m] up to a twentieth of it, in at most 30 rounds.
    pub const fn new(threshold: f64) -> Self {
        Self { threshold, tolerance: 0.05 * threshold, max_rounds: 30 }
    }

    /// The same for a pair, with its share of the threshold and not more than half of the room.
    fn of_pair(&self, pair: &NearTriangle) -> Self {
        let threshold = (pair.share * self.threshold).min(pair.most);
        Self { threshold, tolerance: pair.share * self.tolerance, ..*self }
    }

    /// Distance below which a triangle is corrected [m].
    fn cutoff(&self) -> f64 {
        self.threshold - self.tolerance
    }
}

/// What [`TriangleSweep::resolve`] did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SweepReport {
    /// Pairs of triangle and piece that were too near in the first scan.
    pub contacts: usize,
    /// Rounds made, each a few sweeps and a scan.
    pub rounds: usize,
    /// Pairs still too near in the last scan.
    pub remaining: usize,
    /// How far the worst of the remaining is short of the threshold [m]; 0 if none remain.
    pub deepest: f64,
}

/// A triangle near a piece: a candidate, which is looked at anew in every pass.
#[derive(Clone, Copy, Debug)]
struct NearTriangle {
    triangle: [VertexId; 3],
    piece: usize,
    /// Share of the threshold that its cloth keeps from the piece.
    share: f64,
    distance: f64,
    /// Distance to be kept at most [m]: half the room, where another piece faces this one.
    most: f64,
}

/// Keeps triangles off obstacles. The struct is only a workspace: reuse it, and it allocates in the first call only
/// (or when contacts become more than ever before).
///
/// ```
/// use toile_contact::{Friction, Motion, Obstacle, PlacedObstacles, Pose, Shape, SweepSettings, TriangleSweep};
/// use toile_mesh::{DVec3, VertexId};
/// let shape = Shape::Cylinder { radius: 0.5, half_height: 0.02 };
/// let table = Obstacle::new("table", shape, Motion::at_rest(Pose::IDENTITY), Friction::Scaled(0.0));
/// let mut placed = PlacedObstacles::default();
/// placed.place(&[table], 0.0, 0.01);
/// // No corner touches the table, but an edge cuts its rim.
/// let mut x = [DVec3::new(0.4, 0.03, 0.0), DVec3::new(0.6, -0.04, 0.0), DVec3::new(0.6, -0.04, 0.1)];
/// let x_t0 = x;
/// let corners = [[0, 1, 2].map(VertexId)];
/// let report = TriangleSweep::default().resolve(&placed, &corners, &x_t0, &mut x, &[1.0; 3], &SweepSettings::new(0.005));
/// assert_eq!((report.contacts, report.remaining), (1, 0));
/// assert!(placed.distance(x[0].lerp(x[1], 0.5)) > 0.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TriangleSweep {
    found: Vec<Vec<NearTriangle>>,
    pairs: Vec<NearTriangle>,
}

impl TriangleSweep {
    /// Moves the corners `x` [m] of `triangles` until every triangle keeps the threshold; `x_t0` [m] are the positions
    /// at the beginning of the step, for friction.
    ///
    /// Triangles with a vertex beyond the end of a slice, or not finite, are left alone.
    pub fn resolve(
        &mut self,
        placed: &PlacedObstacles,
        triangles: &[[VertexId; 3]],
        x_t0: &[DVec3],
        x: &mut [DVec3],
        inverse_masses: &[f64],
        settings: &SweepSettings,
    ) -> SweepReport {
        let usable = x.len().min(x_t0.len()).min(inverse_masses.len());
        let x = &mut x[..usable];
        self.scan(placed, triangles, x, settings.cutoff());
        let mut report = SweepReport { contacts: self.pairs.len(), ..SweepReport::default() };
        while !self.pairs.is_empty() && report.rounds < settings.max_rounds {
            // A scan looks at every triangle, a sweep only at the pairs it found: several of these for one of those.
            let mut moved = false;
            for sweep in 0..SWEEPS_PER_SCAN {
                let mut any = false;
                for pair in &self.pairs {
                    let piece = placed.piece_for(pair.piece, pair.triangle[0].index());
                    let piece = rubbing(&piece, report.rounds + sweep, settings);
                    let settings = settings.of_pair(pair);
                    any |= correct(&piece, pair.triangle.map(VertexId::index), x_t0, x, inverse_masses, &settings, 0.0);
                }
                moved |= any;
                if !any {
                    break;
                }
            }
            report.rounds += 1;
            if !moved {
                break;
            }
            self.scan(placed, triangles, x, settings.cutoff());
        }
        report.remaining = self.pairs.len();
        report.deepest = self.pairs.iter().map(|p| p.share * settings.threshold - p.distance).fold(0.0, f64::max);
        report
    }

    /// Collects the triangles nearer than `distance` [m] to a piece, for [`TriangleSweep::pass`].
    pub fn gather(&mut self, placed: &PlacedObstacles, triangles: &[[VertexId; 3]], x: &[DVec3], distance: f64) {
        self.scan(placed, triangles, x, distance);
    }

    /// Corrects the gathered triangles once, each as it is found when its turn comes. For use between the passes of a
    /// solver, which would otherwise pull coarse triangles straight across an edge that [`TriangleSweep::resolve`]
    /// then has to restore alone, by stretching them.
    ///
    /// # Panics
    /// If a slice is shorter than the positions that were gathered from.
    pub fn pass(
        &self,
        placed: &PlacedObstacles,
        x_t0: &[DVec3],
        x: &mut [DVec3],
        inverse_masses: &[f64],
        settings: &SweepSettings,
    ) {
        for pair in &self.pairs {
            let vertices = pair.triangle.map(VertexId::index);
            // Half of the tolerance is exact enough: whatever is missed here, the last word is `resolve`'s.
            let error = 0.5 * settings.tolerance;
            let piece = placed.piece_for(pair.piece, vertices[0]);
            correct(&piece, vertices, x_t0, x, inverse_masses, &settings.of_pair(pair), error);
        }
    }

    /// Collects the pairs nearer than `cutoff` [m], in order of triangle, then piece.
    fn scan(&mut self, placed: &PlacedObstacles, triangles: &[[VertexId; 3]], x: &[DVec3], cutoff: f64) {
        let chunks = triangles.len().div_ceil(crate::CHUNK);
        if self.found.len() < chunks {
            self.found.resize_with(chunks, Vec::new);
        }
        triangles.par_chunks(crate::CHUNK).zip(self.found.par_iter_mut()).for_each(|(triangles, found)| {
            found.clear();
            for &triangle in triangles {
                if triangle.iter().all(|v| v.index() < x.len()) {
                    find_pairs(placed, triangle, x, cutoff, found);
                }
            }
        });
        self.pairs.clear();
        for found in &self.found[..chunks] {
            self.pairs.extend_from_slice(found);
        }
    }
}

fn find_pairs(
    placed: &PlacedObstacles,
    triangle: [VertexId; 3],
    x: &[DVec3],
    cutoff: f64,
    found: &mut Vec<NearTriangle>,
) {
    let mut near = placed.near(triangle.map(VertexId::index)).peekable();
    if near.peek().is_none() {
        return;
    }
    let corners = triangle.map(|v| x[v.index()]);
    let centroid = (corners[0] + corners[1] + corners[2]) / 3.0;
    let radius = corners.iter().map(|p| (*p - centroid).length_squared()).fold(0.0, f64::max).sqrt();
    let mut normals = Vec::new();
    for number in near {
        let (piece, share) = (&placed.pieces()[number], placed.share_for(number, triangle[0].index()));
        let cutoff = share * cutoff;
        let reach = cutoff + radius;
        if piece.may_touch(centroid, reach)
            && below_support(piece, centroid, corners, cutoff)
            && let Some(deepest) = too_near(piece, corners, cutoff, 0.0)
        {
            let facing = |(normal, _): &&(DVec3, usize)| placed.face_each_other(*normal, deepest.normal);
            let mut pair =
                NearTriangle { triangle, piece: number, share, distance: deepest.distance, most: f64::INFINITY };
            for (_, other) in normals.iter().filter(facing) {
                let half = 0.5 * (found[*other].distance + pair.distance);
                if half > 0.0 {
                    found[*other].most = found[*other].most.min(half);
                    pair.most = pair.most.min(half);
                }
            }
            normals.push((deepest.normal, found.len()));
            found.push(pair);
        }
    }
}

/// Whether the linear bound `φ(x) ≥ φ(c) + n·(x − c)` of a convex distance at the centroid c allows a point of the
/// triangle nearer than `cutoff` [m]. It spares the exact search for all triangles that rest flat on a body.
fn below_support(piece: &PlacedPiece, centroid: DVec3, corners: [DVec3; 3], cutoff: f64) -> bool {
    let (distance, normal) = piece.distance_and_normal(centroid);
    corners.iter().any(|p| distance + normal.dot(*p - centroid) < cutoff)
}

/// The deepest point of a triangle, its normal in the world, if it is nearer than `cutoff` [m].
fn too_near(piece: &PlacedPiece, corners: [DVec3; 3], cutoff: f64, error: f64) -> Option<DeepestPoint> {
    let local = corners.map(|p| piece.local(p));
    let deepest = deepest_point_below(&piece.shape, local, cutoff, error)?;
    Some(DeepestPoint { normal: piece.axes * deepest.normal, ..deepest })
}

/// The piece with the friction that acts in a round.
fn rubbing(piece: &PlacedPiece, round: usize, settings: &SweepSettings) -> PlacedPiece {
    let acts = match piece.friction {
        Friction::Scaled(_) => round == 0,
        Friction::Coulomb(_) => round <= settings.max_rounds / 2,
    };
    if acts { *piece } else { PlacedPiece { friction: Friction::Scaled(0.0), ..*piece } }
}

/// Lifts the deepest point of a triangle, known to within `error` [m], to the threshold; false if nothing had to or
/// could be moved.
fn correct(
    piece: &PlacedPiece,
    vertices: [usize; 3],
    x_t0: &[DVec3],
    x: &mut [DVec3],
    inverse_masses: &[f64],
    settings: &SweepSettings,
    error: f64,
) -> bool {
    let Some(deepest) = too_near(piece, vertices.map(|v| x[v]), settings.cutoff(), error) else {
        return false;
    };
    let w = deepest.weights;
    let at = |x: &[DVec3]| w[0] * x[vertices[0]] + w[1] * x[vertices[1]] + w[2] * x[vertices[2]];
    let depth = settings.threshold - deepest.distance;
    let corners = Corners::triangle(vertices.map(|v| v as u32), w);
    let contact = piece.contact(corners, deepest.normal, deepest.distance, at(x_t0), at(x));
    let shift = contact.correction(at(x_t0), at(x), depth);
    let levers = levers(w, vertices.map(|v| inverse_masses[v]));
    for (v, lever) in vertices.into_iter().zip(levers) {
        x[v] += lever * shift;
    }
    levers != [0.0; 3]
}

/// `λᵢ = wᵢ mᵢ⁻¹ / Σ wⱼ² mⱼ⁻¹`, scaled down where the largest exceeds the limit; zero if every corner that counts is held.
fn levers(weights: [f64; 3], inverse_masses: [f64; 3]) -> [f64; 3] {
    let share = [0, 1, 2].map(|i| weights[i] * inverse_masses[i].max(0.0));
    let sum: f64 = (0..3).map(|i| weights[i] * share[i]).sum();
    let largest = share.into_iter().fold(0.0, f64::max);
    let divisor = sum.max(largest / LEVER_LIMIT);
    if divisor > 0.0 && divisor.is_finite() { share.map(|s| s / divisor) } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contact_point_moves_by_the_whole_correction() {
        for (w, m) in
            [([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]), ([0.2, 0.3, 0.5], [1.0, 4.0, 0.5]), ([0.0, 0.5, 0.5], [1.0, 0.0, 1.0])]
        {
            let levers = levers(w, m);
            let moved: f64 = (0..3).map(|i| w[i] * levers[i]).sum();
            assert!((moved - 1.0).abs() < 1e-15);
            // Displacement times mass is the impulse, which is shared by weight.
            for i in 0..3 {
                assert!(
                    m[i] == 0.0 && levers[i] == 0.0
                        || (levers[i] / m[i] * w[0] - levers[0] / m[0] * w[i]).abs() < 1e-15
                );
            }
        }
    }

    #[test]
    fn a_short_lever_does_not_throw_and_a_held_triangle_does_not_move() {
        assert!(levers([0.98, 0.01, 0.01], [0.0, 1.0, 1.0]).iter().all(|l| *l <= LEVER_LIMIT));
        assert_eq!(levers([0.5, 0.5, 0.0], [0.0, 0.0, 1.0]), [0.0; 3]);
        assert_eq!(levers([0.5, 0.5, 0.0], [f64::NAN, 0.0, 1.0]), [0.0; 3]);
    }
}
