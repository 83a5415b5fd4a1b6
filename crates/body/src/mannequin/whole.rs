//! From the left half of the net to the whole body: mirrored, faired, cut into triangles, with its landmarks.

use toile_mesh::{DVec3, TriMesh};

use super::Mannequin;
use super::fair::{Neighbours, fair};
use super::form::{Form, point};
use super::template::Half;
use crate::measure::{Landmarks, Plane, Wrist};
use crate::measurement::Measurements;

/// Distance that vertices beside the plane of symmetry keep from it [m].
const NEAREST: f64 = 5e-4;

/// How far the neck leans forward [rad].
const NECK_LEAN: f64 = 0.32;

/// Completes a half that was laid over a form.
pub(super) fn whole(half: &Half, form: &Form, measurements: Measurements) -> Mannequin {
    let count = half.positions.len();
    let mut positions = half.positions.clone();
    let mut free = half.free.clone();
    let mut bones = half.bones.clone();
    // The image of each vertex; those in the plane of symmetry are their own.
    let mut image: Vec<u32> = (0..count as u32).collect();
    for v in (0..count).filter(|&v| !half.middle[v]) {
        image[v] = positions.len() as u32;
        positions.push(mirrored(half.positions[v]));
        free.push(half.free[v]);
        bones.push(half.bones[v].mirrored());
    }
    let reflect = |v: u32| image[v as usize];
    let mut quads = half.quads.clone();
    quads.extend(half.quads.iter().map(|&[a, b, c, d]| [d, c, b, a].map(reflect)));
    let neighbours = Neighbours::of_polygons(positions.len(), &quads);
    fair(&mut positions, &neighbours, &free);
    for v in 0..count {
        // Rounding must not tear the halves apart, nor may fairing push an inner thigh through the other one.
        let least = if half.free[v] { NEAREST } else { f64::NEG_INFINITY };
        positions[v].x = if half.middle[v] { 0.0 } else { positions[v].x.max(least) };
        positions[image[v] as usize] = mirrored(positions[v]);
    }
    let cut = |&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]];
    let left: Vec<[u32; 3]> = half.quads.iter().flat_map(cut).collect();
    let right = left.iter().map(|&[a, b, c]| [c, b, a].map(reflect));
    let triangles: Vec<[u32; 3]> = left.iter().copied().chain(right).collect();
    let mesh = TriMesh::from_indices(positions, &triangles);
    let landmarks = landmarks(&mesh, half, form);
    Mannequin { mesh, landmarks, skeleton: form.skeleton(), bones, measurements }
}

/// The mirror image; +0 stays +0.
fn mirrored(p: DVec3) -> DVec3 {
    point(0.0 - p.x, p.y, p.z)
}

fn landmarks(mesh: &TriMesh, half: &Half, form: &Form) -> Landmarks {
    let l = &form.levels;
    let at = |v: u32| mesh.positions[v as usize];
    let both = |v: u32| [at(v), mirrored(at(v))];
    let [elbow, wrist, _] = form.arm.places();
    let across = |place: f64| Plane { point: form.arm.axis(place), normal: form.arm.direction(place) };
    let crown = mesh.positions.iter().copied().fold(DVec3::NEG_INFINITY, |a, b| if b.y > a.y { b } else { a });
    let [front, back] = form.trunk.depth(l.neck);
    let neck_normal = point(0.0, NECK_LEAN.cos(), NECK_LEAN.sin());
    Landmarks {
        floor: mesh.bounds().min.y,
        crown,
        head: l.brow,
        neck: Plane { point: point(0.0, l.neck, 0.5 * (front + back)), normal: neck_normal },
        nape: l.nape,
        neck_sides: both(half.marks.neck_side),
        shoulder_points: both(half.marks.shoulder),
        bust: l.bust,
        underbust: l.underbust,
        waist: l.waist,
        hip: l.hip,
        crotch: at(half.marks.crotch),
        thigh: form.leg.centre(l.thigh),
        knee: form.leg.centre(l.knee),
        calf: form.leg.centre(l.calf),
        ankle: form.leg.centre(l.ankle),
        upper_arm: across(0.5 * elbow),
        elbow: at(half.marks.elbow),
        wrist: Wrist { plane: across(wrist), point_on_outside: at(half.marks.wrist) },
    }
}
