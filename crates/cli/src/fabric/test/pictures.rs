//! Pictures of samples: a drape from above and from the side, a strip over its edge, many drapes side by side.

use miette::{IntoDiagnostic, Result};
use toile_mesh::{Aabb, DVec3, TriMesh, generate};
use toile_scene::lab::cantilever::Cantilever;
use toile_scene::lab::drape::{Drape, DrapeRun};
use toile_view::{Camera, Image, Material, Object, Pattern, Quality, Scene, encode, render};

use super::Tested;

/// Colours of cloth, threads and instruments.
const CLOTH: [f32; 3] = [0.86, 0.84, 0.79];
const THREADS: [f32; 3] = [0.24, 0.40, 0.60];
const STEEL: [f32; 3] = [0.52, 0.54, 0.57];
/// Width of the bands along warp and weft [m].
const BAND: f64 = 0.015;
/// How far the surface of an instrument is below the cloth on it [m], so that both can be seen.
const GAP: f64 = 1e-3;

/// From where a drape is seen.
#[derive(Clone, Copy)]
enum View {
    Above,
    Side,
    Oblique,
}

/// A drape from above and from the side, as PNG.
pub(super) fn drape(drape: &Drape) -> Result<Option<Vec<u8>>> {
    let Some(run) = typical(drape) else { return Ok(None) };
    let size = [560, 420];
    let views = [View::Above, View::Side].map(|view| picture(run, drape, view, size, "", Quality::Good));
    encode::png(&side_by_side(&views, 2)).into_diagnostic().map(Some)
}

/// The drapes of many fabrics with their names, as PNG.
pub(super) fn gallery(tested: &[Tested]) -> Result<Option<Vec<u8>>> {
    let one = |tested: &Tested| {
        let drape = tested.test.drape.as_ref()?;
        let caption = format!("{}  {:.0} %", tested.named.name, drape.coefficient());
        Some(picture(typical(drape)?, drape, View::Oblique, [400, 320], &caption, Quality::Good))
    };
    let pictures: Vec<Image> = tested.iter().filter_map(one).collect();
    if pictures.is_empty() {
        return Ok(None);
    }
    encode::png(&side_by_side(&pictures, 4)).into_diagnostic().map(Some)
}

/// The run nearest to the mean.
pub(super) fn typical(drape: &Drape) -> Option<&DrapeRun> {
    let mean = drape.coefficient();
    drape.runs.iter().min_by(|a, b| (a.coefficient - mean).abs().total_cmp(&(b.coefficient - mean).abs()))
}

fn picture(
    run: &DrapeRun,
    drape: &Drape,
    view: View,
    [width, height]: [u32; 2],
    caption: &str,
    quality: Quality,
) -> Image {
    let (radius, rim) = (0.5 * drape.options.support, 0.5 * drape.options.specimen);
    let depth = rim - radius + 0.02;
    // A little narrower than the support, so that cloth at its edge is in front of it.
    let stand = generate::cylinder(radius - GAP, depth, 96).map_positions(|p| p - DVec3::Y * (0.5 * depth + GAP));
    let material = Material::fabric(CLOTH).with_pattern(Pattern::Gingham { width: BAND, colour: THREADS });
    let cloth = Object::cloth(&run.mesh, material).with_uv(&run.flat);
    let mut scene = Scene::new(vec![cloth, Object::solid(&stand, Material::solid(STEEL))]).on_ground(-depth - GAP);
    caption.clone_into(&mut scene.caption);
    scene.quality = quality;
    // The same frame for every fabric: sizes can be compared.
    let frame = Aabb { min: DVec3::new(-rim, -depth, -rim), max: DVec3::new(rim, 0.01, rim) };
    let elevation = match view {
        View::Above => 89.0,
        View::Side => 12.0,
        View::Oblique => 32.0,
    };
    let camera = Camera::framing(frame, 20.0, elevation, f64::from(width) / f64::from(height));
    render(&scene, &camera, width, height)
}

/// A strip over the edge of its table, as PNG.
pub(super) fn strip(test: &Cantilever) -> Result<Vec<u8>> {
    let [long, high, wide] = [0.05, test.overhang.max(0.01), 0.036];
    let table = generate::cuboid(DVec3::new(long, high, wide), 1)
        .map_positions(|p| p - DVec3::new(0.5 * long, 0.5 * high + GAP, 0.0));
    let mesh = longer(&test.mesh, 0.8 * long);
    let cloth = Object::cloth(&mesh, Material::fabric(THREADS));
    let scene = Scene::new(vec![cloth, Object::solid(&table, Material::solid(STEEL))]).on_ground(-high - GAP);
    let reach = mesh.bounds().max.x.max(0.5 * high);
    let frame = Aabb { min: DVec3::new(-long, -high, -0.5 * wide), max: DVec3::new(reach, 0.005, 0.5 * wide) };
    let camera = Camera::framing(frame, 25.0, 26.0, 640.0 / 400.0);
    encode::png(&render(&scene, &camera, 640, 400)).into_diagnostic()
}

/// The strip with the part of it that lies on the table, which takes no part in the test.
fn longer(strip: &TriMesh, by: f64) -> TriMesh {
    let start = strip.bounds().min;
    let mut mesh = strip.clone();
    // Its first row is drawn out.
    for p in mesh.positions.iter_mut().filter(|p| p.x < start.x + 1e-9) {
        p.x -= by;
    }
    mesh
}

/// Pictures of one size in rows of `columns`.
fn side_by_side(pictures: &[Image], columns: usize) -> Image {
    let Some(first) = pictures.first() else { return Image::filled(1, 1, [255; 3]) };
    let (width, height) = (first.width(), first.height());
    let columns = columns.clamp(1, pictures.len());
    let rows = pictures.len().div_ceil(columns);
    let mut whole = Image::filled(columns as u32 * width, rows as u32 * height, [236, 236, 235]);
    for (k, picture) in pictures.iter().enumerate() {
        let (left, top) = ((k % columns) as u32 * width, (k / columns) as u32 * height);
        for y in 0..height {
            for x in 0..width {
                if let Some(colour) = picture.get(x, y) {
                    whole.put(left + x, top + y, colour);
                }
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_stand_in_rows() {
        let pictures: Vec<Image> = (0..5_u8).map(|k| Image::filled(2, 3, [k; 3])).collect();
        let whole = side_by_side(&pictures, 3);
        assert_eq!((whole.width(), whole.height()), (6, 6));
        assert_eq!(whole.get(5, 2), Some([2; 3]));
        assert_eq!(whole.get(2, 3), Some([4; 3]));
    }
}
