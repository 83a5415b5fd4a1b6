//! What DXF has no place for, in texts on layer 15: parts, sides, cuts, curves and seams, as this program writes them.
//!
//! | text | where | meaning |
//! |---|---|---|
//! | `Panel: { part = "front", side = "left", fold = "centre" }` | block | keys of a `[[panel]]` of `pattern.toml`, less what the drawing says |
//! | `Edge: side` | block, half way along an edge | its name |
//! | `Curve: cubic x y x y` | block, at the same place | its curve, in units of the drawing; also `quadratic x y` and `arc bulge` |
//! | `Seam: { name = "side", a = ["front.side"], b = ["back.side"] }` | entities | a `[[seam]]` of `pattern.toml` |
//!
//! A curve is believed only where the polyline follows it to a twentieth of a millimetre: an edge that was changed in another program is
//! taken as it is drawn. A file whose pieces all have a `Panel` text is taken as it stands; in any other, shapes and words decide.

use kurbo::Point;

use super::groups::Entity;
use super::labels::value_of;
use crate::curve::{Curve, Segment};
use crate::pattern::{Cut, Panel};
use crate::role::{Part, Side};

/// Layer of annotations.
pub(super) const LAYER: u32 = 15;
/// How far a polyline may be from the curve that is stated [m].
const FOLLOWS: f64 = 5e-5;

/// The `Panel` text of a panel.
pub(super) fn panel_text(panel: &Panel) -> String {
    let mut words = vec![format!("part = \"{}\"", panel.part.word()), format!("side = \"{}\"", panel.side.word())];
    match &panel.cut {
        Cut::Single => {}
        Cut::Pair => words.push("pair = true".to_owned()),
        Cut::Fold(edge) => words.push(format!("fold = {}", crate::file::quoted(edge))),
    }
    words.push(format!("quantity = {}", panel.quantity));
    words.push(format!("layer = {}", panel.layer));
    format!("Panel: {{ {} }}", words.join(", "))
}

/// The `Curve` text of an edge, in millimetres; `None` for what a polyline says exactly.
pub(super) fn curve_text(curve: &Curve) -> Option<String> {
    let mm = |p: &Point| format!("{:.9} {:.9}", 1e3 * p.x, 1e3 * p.y);
    match curve {
        Curve::Line | Curve::Points(_) => None,
        Curve::Quadratic(c) => Some(format!("Curve: quadratic {}", mm(c))),
        Curve::Cubic(c0, c1) => Some(format!("Curve: cubic {} {}", mm(c0), mm(c1))),
        Curve::Arc(bulge) => Some(format!("Curve: arc {bulge:?}")),
    }
}

/// The curve that a text states for an edge that is drawn as a polyline, if the polyline follows it.
pub(super) fn curve(text: &str, drawn: &Segment, per_metre: f64) -> Option<Curve> {
    let words: Vec<&str> = value_of(text, "curve")?.split_whitespace().collect();
    let numbers: Vec<f64> =
        words.iter().skip(1).filter_map(|word| word.parse().ok()).filter(|x: &f64| x.is_finite()).collect();
    let point = |k: usize| Point::new(numbers[k] / per_metre, numbers[k + 1] / per_metre);
    let stated = match (words.first().copied(), numbers.len()) {
        (Some("quadratic"), 2) => Curve::Quadratic(point(0)),
        (Some("cubic"), 4) => Curve::Cubic(point(0), point(2)),
        (Some("arc"), 1) if numbers[0].abs() < 50.0 => Curve::Arc(numbers[0]),
        _ => return None,
    };
    let segment = Segment::new(drawn.start, stated.clone(), drawn.end);
    let same_length = (segment.length() - drawn.length()).abs() < FOLLOWS + 1e-4 * drawn.length();
    let follows = |k: u32| {
        let at = f64::from(k) / 8.0;
        segment.at_fraction(at).distance(drawn.at_fraction(at)) < FOLLOWS
    };
    (same_length && (1..8).all(follows)).then_some(stated)
}

/// What a `Panel` text states, put on the panel; `false` if there is none that can be read.
pub(super) fn state(panel: &mut Panel, entities: &[Entity]) -> bool {
    let mut texts = entities.iter().filter(|entity| entity.layer == Some(LAYER)).flat_map(Entity::texts);
    let Some(text) = texts.find_map(|text| value_of(text, "panel")) else { return false };
    let Ok(table) = toml::from_str::<toml::Table>(&format!("panel = {text}")) else { return false };
    let Some(table) = table.get("panel").and_then(toml::Value::as_table) else { return false };
    let word = |key: &str| table.get(key).and_then(toml::Value::as_str);
    let (Some(part), Some(side)) = (word("part").and_then(Part::from_word), word("side").and_then(Side::from_word))
    else {
        return false;
    };
    let fold = word("fold").filter(|edge| panel.find(edge).is_some());
    let is_pair = table.get("pair").and_then(toml::Value::as_bool) == Some(true);
    (panel.part, panel.side) = (part, side);
    panel.cut = match (fold, is_pair) {
        (Some(edge), _) => Cut::Fold(edge.to_owned()),
        (None, true) => Cut::Pair,
        (None, false) => Cut::Single,
    };
    let number = |key: &str, usual: i64| table.get(key).and_then(toml::Value::as_integer).unwrap_or(usual);
    panel.quantity = number("quantity", 1).clamp(1, 1000) as u32;
    panel.layer = number("layer", 0).clamp(-100, 100) as i32;
    true
}

/// The seams that the entities state, as the text of a side file; empty if there are none.
pub(super) fn seams(entities: &[Entity]) -> String {
    let texts = entities.iter().filter(|entity| entity.layer == Some(LAYER)).flat_map(Entity::texts);
    let seams: Vec<&str> = texts.filter_map(|text| value_of(text, "seam")).collect();
    if seams.is_empty() { String::new() } else { format!("seam = [\n{},\n]\n", seams.join(",\n")) }
}
