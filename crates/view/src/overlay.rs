//! Text on top of a picture: legends of the shown values and the caption.
//!
//! Dots are `height / 360` pixels, at least one, so text keeps its share of the picture.

use crate::font::{HEIGHT, draw_text, text_width};
use crate::number::short;
use crate::{Image, Scene, VertexValues};

/// Draws the legends and the caption of a scene.
pub(crate) fn draw(image: &mut Image, scene: &Scene) {
    let scale = (image.height() / 360).max(1);
    let ink = ink(scene);
    let margin = 10 * scale;
    let mut right = margin;
    for values in scene.objects.iter().filter_map(|o| o.values.as_ref()).filter(|v| !v.label.is_empty()) {
        right += legend(image, values, right, scale, ink) + margin;
    }
    if !scene.caption.is_empty() {
        let y = image.height().saturating_sub(margin + (HEIGHT + 2) * scale);
        let line = scene.caption.lines().next().unwrap_or_default();
        draw_text(image, [margin, y], line, scale, ink);
    }
}

/// Dark text on a light backdrop and the other way round.
fn ink(scene: &Scene) -> [u8; 3] {
    let b = scene.backdrop.bottom;
    if 0.3 * b[0] + 0.6 * b[1] + 0.1 * b[2] > 0.45 { [52, 56, 64] } else { [222, 224, 228] }
}

/// Draws one legend whose right edge is `right` pixels from the picture's; returns its width.
fn legend(image: &mut Image, values: &VertexValues, right: u32, scale: u32, ink: [u8; 3]) -> u32 {
    let [lo, hi] = values.resolved_range();
    let texts = [hi, 0.5 * (lo + hi), lo].map(|v| short(v, 3));
    let numbers = texts.iter().map(|t| text_width(t, scale)).max().unwrap_or(0);
    let (bar, gap) = (8 * scale, 5 * scale);
    let width = (bar + gap + numbers).max(text_width(&values.label, scale));
    let length = image.height() / 3;
    let x0 = image.width().saturating_sub(right + width);
    let top = 10 * scale;
    draw_text(image, [x0, top], &values.label, scale, ink);
    let y0 = top + (HEIGHT + 11) * scale;
    for y in 0..length {
        let t = 1.0 - (f64::from(y) + 0.5) / f64::from(length);
        let colour = values.map.at(t).map(crate::colour::byte);
        for x in 0..bar {
            image.put(x0 + x, y0 + y, colour);
        }
    }
    for (k, text) in texts.iter().enumerate() {
        let y = y0 + length * k as u32 / 2;
        let tick = y.min(y0 + length.saturating_sub(1));
        for x in bar..bar + 2 * scale {
            image.put(x0 + x, tick, ink);
        }
        draw_text(image, [x0 + bar + gap, y.saturating_sub(HEIGHT * scale / 2)], text, scale, ink);
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColourMap, Material, Object};
    use toile_mesh::TriMesh;

    #[test]
    fn the_legend_shows_both_ends_of_the_map() {
        let mesh = TriMesh::default();
        let values =
            VertexValues { values: &[], range: Some([0.0, 4.0]), map: ColourMap::Strain, label: "strain [%]".into() };
        let scene = Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.5; 3])).with_values(values)]);
        let mut image = Image::filled(320, 240, [255; 3]);
        draw(&mut image, &scene);
        let near = |target: [f32; 3]| {
            let wanted = target.map(crate::colour::byte);
            image.rgb().chunks_exact(3).filter(|p| (0..3).all(|k| p[k].abs_diff(wanted[k]) < 6)).count()
        };
        assert!(near(ColourMap::Strain.at(0.0)) > 4 && near(ColourMap::Strain.at(1.0)) > 4);
    }

    #[test]
    fn tiny_pictures_with_long_texts_do_not_panic() {
        let mesh = TriMesh::default();
        let label = "a very long label indeed".repeat(9);
        let values = VertexValues { values: &[1.0], range: None, map: ColourMap::Viridis, label };
        let mut scene = Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.5; 3])).with_values(values)]);
        scene.caption = "caption".repeat(99);
        for side in [1, 2, 7, 40] {
            draw(&mut Image::filled(side, side, [0; 3]), &scene);
        }
    }
}
