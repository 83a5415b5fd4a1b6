//! Pictures of a garment on a body: front, side and back, and all of them in one.

use miette::{IntoDiagnostic, Result};
use toile::garment::Worn;
use toile_mesh::{DVec3, TriMesh};
use toile_view::{Camera, Image, Material, Object, Scene, encode, render};

/// Colours of garment and skin.
pub(super) const FABRIC: [f32; 3] = [0.30, 0.45, 0.62];
pub(super) const SKIN: [f32; 3] = [0.86, 0.76, 0.68];

/// Width and height of a view [pixels].
const VIEW: [u32; 2] = [800, 1000];
/// Name of each view, and the angle of the camera around the body [°].
const VIEWS: [(&str, f64); 3] = [("front.png", 0.0), ("side.png", 75.0), ("back.png", 180.0)];
/// Distance of the camera over what a view shows.
const DISTANCE: f64 = 5.0;
/// What a view shows over the size of the garment.
const MARGIN: f64 = 1.3;

/// The pictures as PNG, with their names.
pub(super) fn draw(worn: &Worn, body: &TriMesh) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let garment = worn.world.cloth_mesh();
    let objects = vec![Object::cloth(&garment, Material::fabric(FABRIC)), Object::solid(body, Material::solid(SKIN))];
    let scene = Scene::new(objects).on_ground(0.0);
    let bounds = garment.bounds();
    let [width, height] = VIEW;
    let aspect = f64::from(width) / f64::from(height);
    let shown = MARGIN * bounds.size().y.max(bounds.size().x.max(bounds.size().z) / aspect);
    let angle = 2.0 * (0.5 / DISTANCE).atan().to_degrees();
    let mut sheet = Image::filled(VIEWS.len() as u32 * width, height, [255; 3]);
    let mut pictures = Vec::new();
    for (i, (name, azimuth)) in VIEWS.into_iter().enumerate() {
        let (sin, cos) = azimuth.to_radians().sin_cos();
        let eye = bounds.centre() + DVec3::new(sin, 0.08, cos) * (DISTANCE * shown);
        let view = render(&scene, &Camera::look_at(eye, bounds.centre(), angle), width, height);
        sheet.paste(&view, i as u32 * width);
        pictures.push((name, encode::png(&view).into_diagnostic()?));
    }
    pictures.push(("views.png", encode::png(&sheet).into_diagnostic()?));
    Ok(pictures)
}
