//! The pattern as this program knows it, carried along in a drawing of it.
//!
//! A drawing has no place for seams, parts and exact curves. Files that this program writes carry the whole `pattern.toml` beside the
//! drawing: as metadata of an SVG, as comments of a DXF. What is drawn has the last word: a panel is taken from the carried pattern only where
//! its outline is still the drawn one, to [`FOLLOWS`]. A panel that was changed in another program keeps its drawn outline, and gets from the
//! carried one what a drawing cannot say. So a file that nobody touched comes back bit for bit.

use kurbo::Point;

use crate::check::signed_area;
use crate::file::{Unit, from_toml, to_toml};
use crate::pattern::{Panel, Pattern};

/// How far the drawn outline may be from the carried one [m].
const FOLLOWS: f64 = 5e-5;
/// Places that are compared along each edge.
const PLACES: usize = 5;

/// The text that a file carries.
pub(crate) fn carried_text(pattern: &Pattern) -> String {
    to_toml(pattern, Unit::Metre)
}

/// The pattern of a file that carries `text` and draws `drawn`. `None` if the text cannot be read, or if panels or edges were added, taken
/// away or renamed.
pub(crate) fn restored(drawn: &Pattern, text: &str) -> Option<Pattern> {
    let mut own = from_toml("the pattern in the file", text).ok()?.pattern;
    if own.panels.len() != drawn.panels.len() {
        return None;
    }
    for panel in &mut own.panels {
        let other = drawn.panels.iter().find(|other| other.name == panel.name)?;
        let has_edges = other.edge_count() == panel.edge_count()
            && panel.holes.len() == other.holes.len()
            && panel.edges().zip(other.edges()).all(|(a, b)| a.name == b.name);
        if !has_edges {
            return None;
        }
        if !is_same_outline(panel, other) {
            panel.outline.clone_from(&other.outline);
            panel.holes.clone_from(&other.holes);
            panel.notches.clone_from(&other.notches);
            panel.lines.clone_from(&other.lines);
            panel.marks.clone_from(&other.marks);
            panel.grain = other.grain;
        }
    }
    Some(own)
}

/// Whether two panels have the same outline and holes, wherever they lie on the sheet and however they are turned there.
fn is_same_outline(panel: &Panel, other: &Panel) -> bool {
    let (a, b) = (places(panel), places(other));
    if a.is_empty() || a.len() != b.len() || (signed_area(&a) > 0.0) != (signed_area(&b) > 0.0) {
        return false;
    }
    // Distances from two places that are far apart fix a place up to a mirror image, which the area rules out.
    let far = (0..a.len()).max_by(|i, j| a[0].distance(a[*i]).total_cmp(&a[0].distance(a[*j]))).unwrap_or(0);
    let is_kept = |from: usize, to: usize| (a[from].distance(a[to]) - b[from].distance(b[to])).abs() < FOLLOWS;
    (0..a.len()).all(|i| is_kept(0, i) && is_kept(far, i))
}

/// Places along all edges.
fn places(panel: &Panel) -> Vec<Point> {
    let mut places = Vec::new();
    for edge in 0..panel.edge_count() {
        if let Some(segment) = panel.segment(edge) {
            places.extend((0..PLACES).map(|k| segment.at_fraction(k as f64 / PLACES as f64)));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Choices, Design, draft};
    use kurbo::{Affine, Vec2};
    use toile_body::{Figure, Given, complete};

    #[test]
    fn what_was_changed_in_the_drawing_counts_and_the_rest_comes_back_bit_for_bit() {
        let pattern = draft(Design::TShirt, &complete(Figure::Female, &Given::NONE), &Choices::new()).unwrap();
        let text = carried_text(&pattern);
        let mut drawn = pattern.clone();
        drawn.seams.clear();
        for panel in &mut drawn.panels {
            panel.transform(Affine::translate(Vec2::new(0.3, 1.7)) * Affine::rotate(0.4));
        }
        assert_eq!(restored(&drawn, &text), Some(pattern.clone()));
        // A hem that was let down by a centimetre.
        let moved = drawn.panels[0].outline[0].start + Vec2::new(0.0, -0.01);
        drawn.panels[0].outline[0].start = moved;
        let changed = restored(&drawn, &text).unwrap();
        assert_eq!(changed.panels[0].outline[0].start, moved);
        assert_eq!((&changed.panels[1..], &changed.seams), (&pattern.panels[1..], &pattern.seams));
        // Mirrored, it is another panel.
        let mut mirrored = pattern.clone();
        mirrored.panels[0].transform(Affine::FLIP_X);
        assert_ne!(restored(&mirrored, &text), Some(pattern.clone()));
        // A new edge: what is sewn to what is no longer known.
        drawn.panels[0].outline[0].name = "other".into();
        assert_eq!(restored(&drawn, &text), None);
    }
}
