//! The judge: exact counts of triangles that intersect, within one mesh and between two.
//!
//! A simulator that promises cloth without intersections needs a referee that shares nothing with it. This one
//! has its own search (a grid of cells, `grid`) and decides every pair by the signs of exactly evaluated
//! determinants (Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
//! Predicates"), so there is no tolerance: a sheet that misses another by the last bit of a coordinate is clean,
//! one that touches it is not.
//!
//! What counts as an intersection. Triangles are closed sets, degenerate ones included: a triangle without area
//! is the segment or point it covers. Two triangles intersect if they have a point in common beyond the corner or
//! edge they share *by vertex number*:
//! - sharing no vertex: any common point, also a mere touch;
//! - sharing one vertex: any further common point;
//! - sharing an edge: any point off that edge, so the two are coplanar and folded onto each other;
//! - sharing all three: always, one lies on the other.
//!
//! Two vertices at one place with different numbers are not shared: weld seams first, or they are reported.
//!
//! Limits: coordinates must be finite and at most 2³⁰⁰ in magnitude; triangles beyond that, or naming a missing
//! vertex, are counted in [`Verdict::unjudged`] and keep the verdict from being clean. Coordinates other than
//! zero that are smaller than about 1e-90 m may underflow inside the predicates.
//!
//! ```
//! use toile_mesh::{DVec3, generate, judge};
//! let mut balls = generate::icosphere(0.1, 2);
//! assert!(judge::self_intersections(&balls).is_clean());
//! balls.append(&generate::icosphere(0.1, 2).map_positions(|p| p + DVec3::new(0.15, 0.01, 0.02)));
//! assert!(judge::self_intersections(&balls).count() > 0);
//! ```

mod grid;
mod predicates;
mod triangles;
mod verdict;

pub use triangles::triangles_intersect;
pub use verdict::{Intersection, IntersectionKind, Verdict};

use crate::{Aabb, DVec3, FaceId, TriMesh};
use grid::overlapping_pairs;
use triangles::mesh_pair_kind;

/// Largest coordinate [m] that is judged, 2³⁰⁰: products of three stay far from overflow.
const MAX_COORDINATE: f64 = 2.037_035_976_334_486e90;

/// All pairs of triangles of one mesh that intersect.
pub fn self_intersections(mesh: &TriMesh) -> Verdict {
    let (judged, unjudged) = judged_triangles(mesh);
    let boxes: Vec<_> = judged.iter().map(|t| t.bounds).collect();
    let pairs = overlapping_pairs(&boxes, |_, _| true, |i, j| self_pair(mesh, &judged[i], &judged[j]));
    Verdict::new(pairs, unjudged)
}

/// All pairs of a triangle of `first` and a triangle of `second` that intersect.
///
/// ```
/// use toile_mesh::{DVec3, generate, judge};
/// let body = generate::icosphere(0.2, 3);
/// let cloth = generate::plane([1.0, 1.0], [20, 20]).map_positions(|p| p + DVec3::new(0.0, 0.201, 0.0));
/// assert!(judge::mutual_intersections(&cloth, &body).is_clean());
/// ```
pub fn mutual_intersections(first: &TriMesh, second: &TriMesh) -> Verdict {
    let (mut judged, unjudged_first) = judged_triangles(first);
    let (mut judged_second, unjudged_second) = judged_triangles(second);
    let bounds = |triangles: &[JudgedTriangle]| triangles.iter().fold(Aabb::EMPTY, |b, t| b.union(t.bounds));
    let (bounds_first, bounds_second) = (bounds(&judged), bounds(&judged_second));
    judged.retain(|t| t.bounds.overlaps(&bounds_second));
    judged_second.retain(|t| t.bounds.overlaps(&bounds_first));

    // One search over both meshes; pairs within one mesh are passed over.
    let split = judged.len();
    judged.append(&mut judged_second);
    let boxes: Vec<_> = judged.iter().map(|t| t.bounds).collect();
    let of_both = |i: usize, j: usize| (i < split) != (j < split);
    let pairs = overlapping_pairs(&boxes, of_both, |i, j| mutual_pair(&judged[i.min(j)], &judged[i.max(j)]));
    Verdict::new(pairs, unjudged_first + unjudged_second)
}

/// [`self_intersections`] by trying all pairs: the slow reference.
pub fn self_intersections_brute_force(mesh: &TriMesh) -> Verdict {
    let (judged, unjudged) = judged_triangles(mesh);
    let mut pairs = Vec::new();
    for (i, a) in judged.iter().enumerate() {
        pairs.extend(judged[i + 1..].iter().filter_map(|b| self_pair(mesh, a, b)));
    }
    Verdict::new(pairs, unjudged)
}

/// [`mutual_intersections`] by trying all pairs: the slow reference.
pub fn mutual_intersections_brute_force(first: &TriMesh, second: &TriMesh) -> Verdict {
    let (judged_first, unjudged_first) = judged_triangles(first);
    let (judged_second, unjudged_second) = judged_triangles(second);
    let pairs = judged_first.iter().flat_map(|a| judged_second.iter().filter_map(|b| mutual_pair(a, b))).collect();
    Verdict::new(pairs, unjudged_first + unjudged_second)
}

/// A triangle whose corners can be judged.
struct JudgedTriangle {
    face: FaceId,
    corners: [DVec3; 3],
    bounds: Aabb,
}

/// The triangles that can be judged, in order, and the number of those that cannot.
fn judged_triangles(mesh: &TriMesh) -> (Vec<JudgedTriangle>, usize) {
    let position = |v: crate::VertexId| mesh.positions.get(v.index()).copied().unwrap_or(DVec3::NAN);
    let judged: Vec<_> = mesh
        .faces()
        .filter_map(|face| {
            let corners = mesh.triangles[face.index()].map(position);
            is_judgeable(corners).then(|| JudgedTriangle { face, corners, bounds: Aabb::around(corners) })
        })
        .collect();
    let unjudged = mesh.face_count() - judged.len();
    (judged, unjudged)
}

/// Whether all coordinates are in the range of the predicates; false for NaN.
fn is_judgeable(corners: [DVec3; 3]) -> bool {
    corners.iter().all(|p| p.abs().cmple(DVec3::splat(MAX_COORDINATE)).all())
}

fn self_pair(mesh: &TriMesh, a: &JudgedTriangle, b: &JudgedTriangle) -> Option<Intersection> {
    let (a, b) = if a.face < b.face { (a, b) } else { (b, a) };
    let numbers = [mesh.triangles[a.face.index()], mesh.triangles[b.face.index()]];
    let kind = mesh_pair_kind(numbers, [a.corners, b.corners])?;
    Some(Intersection { a: a.face, b: b.face, kind })
}

fn mutual_pair(a: &JudgedTriangle, b: &JudgedTriangle) -> Option<Intersection> {
    let meet = triangles_intersect(a.corners, b.corners);
    meet.then_some(Intersection { a: a.face, b: b.face, kind: IntersectionKind::Separate })
}
