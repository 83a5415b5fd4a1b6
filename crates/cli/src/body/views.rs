//! A body from four sides: front, three quarters, side and back.

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
        for y in 0..rows {
            for x in 0..width {
                if let Some(colour) = view.get(x, y) {
                    sheet.put(x + i as u32 * width, y, colour);
                }
            }
        }
    }
    encode::png(&sheet).into_diagnostic()
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
