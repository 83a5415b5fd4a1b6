//! Pictures of bodies: one from four sides, front, three quarters, side and back; several poses side by side; a film.

use miette::{IntoDiagnostic, Result};
use toile_body::measure::Tape;
use toile_mesh::{DVec3, TriMesh, generate};
use toile_view::{Camera, Image, Material, Object, Scene, encode, render};

/// Width and height of one view [pixels].
const VIEW: [u32; 2] = [540, 800];
/// Angles of the camera around the body [°].
const AZIMUTHS: [f64; 4] = [0.0, 40.0, 90.0, 180.0];
/// Distance of the camera over the height of the body.
const DISTANCE: f64 = 5.0;
/// Share of half a view's height that half of the body fills.
const MARGIN: f64 = 1.08;
/// Radius of a tape as it is drawn [m].
const TAPE: f64 = 0.0025;

/// The picture as PNG.
pub(super) fn draw(mesh: &TriMesh, tapes: &[Tape]) -> Result<Vec<u8>> {
    let mut lines = TriMesh::default();
    for tape in tapes {
        lines.append(&rods(tape));
    }
    let bounds = mesh.bounds();
    let scene = Scene::new(vec![
        Object::cloth(mesh, Material::fabric([0.86, 0.80, 0.72])),
        Object::solid(&lines, Material::solid([0.75, 0.15, 0.15])),
    ])
    .on_ground(bounds.min.y);
    let (target, height) = (bounds.centre(), bounds.max.y - bounds.min.y);
    let angle = 2.0 * (0.5 * MARGIN / DISTANCE).atan().to_degrees();
    let [width, rows] = VIEW;
    let mut sheet = Image::filled(AZIMUTHS.len() as u32 * width, rows, [255; 3]);
    for (i, azimuth) in AZIMUTHS.into_iter().enumerate() {
        let (sin, cos) = azimuth.to_radians().sin_cos();
        let eye = target + DVec3::new(sin, 0.05, cos) * (DISTANCE * height);
        let view = render(&scene, &Camera::look_at(eye, target, angle), width, rows);
        sheet.paste(&view, i as u32 * width, 0);
    }
    encode::png(&sheet).into_diagnostic()
}

/// Frames of a film per second.
pub(super) const FILM_RATE: u16 = 20;
/// Angle of the camera to poses [°].
const POSE_AZIMUTH: f64 = 55.0;
/// Width and height of one pose [pixels].
const POSE_VIEW: [u32; 2] = [360, 520];

/// The poses from the same side, each in the middle of its picture.
pub(super) fn film(meshes: &[TriMesh]) -> Vec<Image> {
    let heights = meshes.iter().map(|mesh| mesh.bounds().max.y);
    let height = heights.fold(0.1, f64::max);
    let angle = 2.0 * (0.5 * MARGIN / DISTANCE).atan().to_degrees();
    let [width, rows] = POSE_VIEW;
    let (sin, cos) = POSE_AZIMUTH.to_radians().sin_cos();
    let view = |mesh: &TriMesh| {
        let scene = Scene::new(vec![Object::cloth(mesh, Material::fabric([0.86, 0.80, 0.72]))]).on_ground(0.0);
        let middle = mesh.bounds().centre();
        let target = DVec3::new(middle.x, 0.5 * height, middle.z);
        let eye = target + DVec3::new(sin, 0.12, cos) * (DISTANCE * height);
        render(&scene, &Camera::look_at(eye, target, angle), width, rows)
    };
    meshes.iter().map(view).collect()
}

/// The poses in one picture.
pub(super) fn side_by_side(meshes: &[TriMesh]) -> Image {
    let [width, rows] = POSE_VIEW;
    let mut sheet = Image::filled(meshes.len() as u32 * width, rows, [255; 3]);
    for (i, view) in film(meshes).iter().enumerate() {
        sheet.paste(view, i as u32 * width, 0);
    }
    sheet
}

/// A tape as thin rods between its points.
fn rods(tape: &Tape) -> TriMesh {
    let mut points = tape.points.clone();
    if tape.closed {
        points.extend(tape.points.first());
    }
    let mut mesh = TriMesh::default();
    for pair in points.windows(2).filter(|pair| pair[0].distance(pair[1]) > 1e-6) {
        mesh.append(&generate::rod(pair[0], pair[1], TAPE, 6));
    }
    mesh
}
