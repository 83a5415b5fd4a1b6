//! Lengths, transforms and the few style rules that decide what of an SVG file is seen.

use kurbo::{Affine, Vec2};
use roxmltree::{Document, Node};

/// Millimetres per CSS pixel.
pub(super) const PIXEL: f64 = 25.4 / 96.0;

/// A length as it is written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Length {
    /// In millimetres.
    Millimetres(f64),
    /// Without a unit, or in pixels.
    Pixels(f64),
    /// Of something else.
    Percent,
}

/// Reads `210mm`, `8.5in`, `100%` or `744.09`.
pub(super) fn length(text: &str) -> Option<Length> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E') || c == '%');
    let (number, unit) = text.split_at(split.unwrap_or(text.len()));
    let number: f64 = number.trim().parse().ok().filter(|n: &f64| n.is_finite())?;
    Some(match unit.trim() {
        "" | "px" => Length::Pixels(number),
        "mm" => Length::Millimetres(number),
        "cm" => Length::Millimetres(10.0 * number),
        "Q" | "q" => Length::Millimetres(0.25 * number),
        "in" => Length::Millimetres(25.4 * number),
        "pt" => Length::Millimetres(25.4 / 72.0 * number),
        "pc" => Length::Millimetres(25.4 / 6.0 * number),
        "%" => Length::Percent,
        _ => return None,
    })
}

/// Numbers parted by commas and spaces.
pub(super) fn numbers(text: &str) -> Option<Vec<f64>> {
    let parts = text.split(|c: char| c.is_ascii_whitespace() || c == ',').filter(|part| !part.is_empty());
    parts.map(|part| part.parse::<f64>().ok().filter(|number| number.is_finite())).collect()
}

/// Reads a list of transforms; the error says which is not understood.
pub(super) fn transform(text: &str) -> Result<Affine, String> {
    let mut map = Affine::IDENTITY;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let parts = rest.split_once('(').and_then(|(name, more)| Some((name, more.split_once(')')?)));
        let Some((name, (inside, more))) = parts else { return Err(format!("transform `{text}` is not closed")) };
        let name = name.trim_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let values = numbers(inside).ok_or_else(|| format!("transform `{name}({inside})` has no plain numbers"))?;
        map *= match (name, values.as_slice()) {
            ("matrix", &[a, b, c, d, e, f]) => Affine::new([a, b, c, d, e, f]),
            ("translate", &[x]) => Affine::translate(Vec2::new(x, 0.0)),
            ("translate", &[x, y]) => Affine::translate(Vec2::new(x, y)),
            ("scale", &[s]) => Affine::scale(s),
            ("scale", &[x, y]) => Affine::scale_non_uniform(x, y),
            ("rotate", &[degrees]) => Affine::rotate(degrees.to_radians()),
            ("rotate", &[degrees, x, y]) => {
                let centre = Vec2::new(x, y);
                Affine::translate(centre) * Affine::rotate(degrees.to_radians()) * Affine::translate(-centre)
            }
            ("skewX", &[degrees]) => Affine::new([1.0, 0.0, degrees.to_radians().tan(), 1.0, 0.0, 0.0]),
            ("skewY", &[degrees]) => Affine::new([1.0, degrees.to_radians().tan(), 0.0, 1.0, 0.0, 0.0]),
            _ => return Err(format!("transform `{name}({inside})` is not understood")),
        };
        rest = more.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
    }
    Ok(map)
}

/// What style sheets hide: names of classes and elements.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    classes: Vec<String>,
    ids: Vec<String>,
}

impl Hidden {
    /// Reads the style sheets of a document.
    pub(super) fn new(document: &Document<'_>) -> Self {
        let mut hidden = Self::default();
        for style in document.descendants().filter(|node| node.tag_name().name() == "style") {
            let text: String = style.descendants().filter_map(|node| node.text()).collect();
            for rule in text.split('}') {
                let Some((selectors, body)) = rule.split_once('{') else { continue };
                if !hides(body) {
                    continue;
                }
                for selector in selectors.split(',') {
                    let last = selector.split_whitespace().next_back().unwrap_or_default();
                    if let Some(id) = last.strip_prefix('#') {
                        hidden.ids.push(id.to_owned());
                    } else if let Some((_, class)) = last.rsplit_once('.') {
                        hidden.classes.push(class.to_owned());
                    }
                }
            }
        }
        hidden
    }

    /// Whether a node, and all in it, is not seen.
    pub(super) fn has(&self, node: Node<'_, '_>) -> bool {
        let own = node.attribute("style").is_some_and(hides)
            || node.attribute("display") == Some("none")
            || matches!(node.attribute("visibility"), Some("hidden" | "collapse"));
        let class = |class: &str| class == "hidden" || self.classes.iter().any(|hidden| hidden == class);
        own || node.attribute("class").is_some_and(|classes| classes.split_whitespace().any(class))
            || node.attribute("id").is_some_and(|id| self.ids.iter().any(|hidden| hidden == id))
    }
}

/// Whether declarations hide what they are for.
fn hides(declarations: &str) -> bool {
    declarations.split(';').any(|declaration| {
        let Some((key, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().trim_end_matches("!important").trim();
        matches!((key.trim(), value), ("display", "none") | ("visibility", "hidden" | "collapse"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::Point;

    #[test]
    fn lengths_have_units_and_transforms_their_order() {
        assert!(matches!(length("8.5in"), Some(Length::Millimetres(side)) if (side - 215.9).abs() < 1e-9));
        assert_eq!(length(" 1e2 mm"), Some(Length::Millimetres(100.0)));
        assert_eq!((length("744.09"), length("50%")), (Some(Length::Pixels(744.09)), Some(Length::Percent)));
        assert_eq!((length("3em"), length("mm")), (None, None));
        let map = transform("translate(10,20) rotate(90 1 1), scale(2)").unwrap();
        // Scaled first, then turned about (1, 1), then moved.
        assert!((map * Point::new(1.0, 0.0)).distance(Point::new(12.0, 22.0)) < 1e-12);
        assert!(transform("rotate(1").is_err() && transform("spin(3)").is_err() && transform("scale(a)").is_err());
    }
}
