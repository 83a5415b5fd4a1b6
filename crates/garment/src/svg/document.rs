//! The shapes of an SVG document in metres with y up, with their names and those of the groups around them.

use kurbo::{Affine, Point, Rect};
use roxmltree::{Document, Node, NodeId};

use super::elements::{MOST_COMMANDS, moved, outline};
use super::path::Subpath;
use super::style::{Hidden, Length, PIXEL, length, numbers, transform};

/// Deepest nesting of groups and uses.
const DEEPEST: usize = 128;
/// Most shapes of a file.
const MOST_SHAPES: usize = 20_000;
/// Most elements that are entered.
const MOST_ENTERED: usize = 300_000;

/// Something drawn.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Its connected parts.
    pub(super) parts: Vec<Subpath>,
    /// Name it has by itself, or empty.
    pub(super) name: String,
    /// All words that may tell what it is: name, classes, markers, the name of what is used, in lower case.
    pub(super) hints: String,
    /// Its classes.
    pub(super) classes: Vec<String>,
    /// Names and identities of the groups around it, the nearest first.
    pub(super) groups: Vec<(NodeId, String)>,
    /// The symbol it is a use of, if that is one for marks.
    pub(super) symbol: Option<(String, Point)>,
    /// Attribute `data-edges`.
    pub(super) edges: Vec<(String, usize)>,
    /// Attribute `data-warp` of the group around it [degrees].
    pub(super) warp: Option<f64>,
    /// Line of the file.
    pub(super) line: u32,
    /// Whether its size is a share of the sheet's, as that of a background.
    pub(super) is_background: bool,
}

/// A text on the drawing.
#[derive(Clone, Debug)]
pub(super) struct Writing {
    pub(super) at: Point,
    pub(super) text: String,
}

/// Everything that is drawn.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    pub(super) shapes: Vec<Shape>,
    pub(super) writings: Vec<Writing>,
    pub(super) notes: Vec<String>,
    /// Box of the sheet [m], if it is known.
    pub(super) sheet: Option<Rect>,
    segments: usize,
}

/// Why a document cannot be read: a line, the reason, the remedy.
pub(super) type Refused = (u32, String, &'static str);

/// What is passed down while groups are entered.
#[derive(Clone)]
struct Around {
    map: Affine,
    groups: Vec<(NodeId, String)>,
    classes: Vec<String>,
    depth: usize,
    /// Place of a use, and the name of what it uses.
    used: Option<(String, Point)>,
    /// Attribute `data-warp` of the nearest group [degrees].
    warp: Option<f64>,
}

struct Walk<'d, 'i> {
    document: &'d Document<'i>,
    hidden: Hidden,
    drawn: Drawn,
    /// Elements that were entered, those that are used several times each time.
    entered: usize,
}

/// Reads all shapes; a user unit is `unit` metres if that is given.
pub(super) fn shapes(document: &Document<'_>, unit: Option<f64>) -> Result<Drawn, Refused> {
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        let name = root.tag_name().name().to_owned();
        return Err((1, format!("the file is no SVG but `{name}`"), "export the pattern as SVG"));
    }
    let mut drawn = Drawn::default();
    let map = sheet_map(root, unit, &mut drawn);
    let mut walk = Walk { document, hidden: Hidden::new(document), drawn, entered: 0 };
    let around = Around { map, groups: Vec::new(), classes: Vec::new(), depth: 0, used: None, warp: None };
    for child in root.children().filter(Node::is_element) {
        walk.enter(child, &around)?;
    }
    Ok(walk.drawn)
}

/// From user units to metres with y up.
fn sheet_map(root: Node<'_, '_>, unit: Option<f64>, drawn: &mut Drawn) -> Affine {
    let view = root.attribute("viewBox").and_then(numbers).filter(|v| v.len() == 4 && v[2] > 0.0 && v[3] > 0.0);
    let stated = ["width", "height"].map(|side| root.attribute(side).and_then(length));
    // Inkscape before 0.92 drew 90 pixels per inch.
    let version =
        root.attributes().find(|a| a.name() == "version" && a.namespace().is_some_and(|n| n.contains("inkscape")));
    let is_old = version.is_some_and(|v| ["0.4", "0.91"].iter().any(|old| v.value().starts_with(old)));
    let pixel = if is_old { 25.4 / 90.0 } else { PIXEL };
    let size = stated.map(|length| match length {
        Some(Length::Millimetres(side)) => Some(side),
        Some(Length::Pixels(side)) => Some(pixel * side),
        _ => None,
    });
    let scale = match (unit, &view, size) {
        (Some(unit), ..) => 1e3 * unit,
        (None, Some(view), [Some(width), Some(height)]) => (width / view[2]).min(height / view[3]),
        (None, Some(view), [Some(width), None]) => width / view[2],
        (None, Some(view), [None, Some(height)]) => height / view[3],
        _ => pixel,
    };
    let has_unit = stated.iter().any(|length| matches!(length, Some(Length::Millimetres(_))));
    if unit.is_none() && !has_unit {
        let dots = if is_old { 90 } else { 96 };
        drawn.notes.push(format!("the file states no unit; {dots} units were taken for an inch"));
    }
    let origin = view.as_ref().map_or(Point::ZERO, |view| Point::new(view[0], view[1]));
    let metres = 1e-3 * scale;
    let map = Affine::new([metres, 0.0, 0.0, -metres, 0.0, 0.0]) * Affine::translate(-origin.to_vec2());
    if let Some(view) = view {
        let corner = Point::new(view[0] + view[2], view[1] + view[3]);
        drawn.sheet = Some(Rect::from_points(map * origin, map * corner));
    }
    map
}

/// A name that a person gave, not a program: without numbers behind the word for a shape.
fn given_name(name: &str) -> Option<String> {
    let plain = name.trim().trim_start_matches('#');
    let stem = plain.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.'));
    let generic = [
        "",
        "path",
        "rect",
        "g",
        "svg",
        "use",
        "polygon",
        "polyline",
        "circle",
        "ellipse",
        "line",
        "layer",
        "group",
        "shape",
        "calque",
        "ebene",
        "fs",
        "fs-container",
        "container",
    ];
    // A letter with a number is what programs count by.
    let is_counted = stem.chars().count() == 1 && stem != plain;
    let is_generic = is_counted || generic.contains(&stem.to_lowercase().as_str());
    // FreeSewing: fs-stack-design.part-part-design.part
    let part = plain.rsplit_once("-part-").map_or(plain, |(_, part)| part);
    let part = part.strip_prefix("fs-stack-").or_else(|| part.strip_prefix("stack-")).unwrap_or(part);
    let part = if part == plain { part } else { part.rsplit_once('.').map_or(part, |(_, name)| name) };
    (!is_generic && !part.is_empty()).then(|| part.to_owned())
}

/// The name of a node: its label in Inkscape, else its title, else its id.
fn name_of(node: Node<'_, '_>) -> String {
    let label = node.attributes().find(|a| a.name() == "label").map(|a| a.value().to_owned());
    let title =
        node.children().find(|child| child.tag_name().name() == "title").and_then(|t| t.text()).map(str::to_owned);
    let id = node.attribute("id").map(str::to_owned);
    [label, title, id].into_iter().flatten().find_map(|name| given_name(&name)).unwrap_or_default()
}

impl Walk<'_, '_> {
    fn line(&self, node: Node<'_, '_>) -> u32 {
        self.document.text_pos_at(node.range().start).row
    }

    fn enter(&mut self, node: Node<'_, '_>, around: &Around) -> Result<(), Refused> {
        if self.hidden.has(node) {
            return Ok(());
        }
        self.entered += 1;
        if self.entered > MOST_ENTERED {
            let reason = format!("groups that use each other draw more than {MOST_ENTERED} elements");
            return Err((self.line(node), reason, "export the pattern alone, with its uses resolved"));
        }
        if around.depth > DEEPEST {
            let reason = format!("groups are nested deeper than {DEEPEST}, or use themselves");
            return Err((self.line(node), reason, "ungroup the drawing"));
        }
        let own = match node.attribute("transform").map(transform) {
            Some(Ok(map)) => map,
            Some(Err(reason)) => return Err((self.line(node), reason, "apply the transform in the drawing program")),
            None => Affine::IDENTITY,
        };
        let mut inner = Around { map: around.map * own, depth: around.depth + 1, ..around.clone() };
        inner.classes.extend(node.attribute("class").unwrap_or_default().split_whitespace().map(str::to_lowercase));
        match node.tag_name().name() {
            "g" | "a" | "switch" | "symbol" => self.enter_children(node, inner),
            "svg" => {
                inner.map *= nested(node);
                self.enter_children(node, inner)
            }
            "use" => self.enter_use(node, inner),
            "text" => {
                self.write(node, inner.map);
                Ok(())
            }
            "path" | "rect" | "circle" | "ellipse" | "line" | "polyline" | "polygon" => self.draw(node, &inner),
            _ => Ok(()),
        }
    }

    fn enter_children(&mut self, node: Node<'_, '_>, mut around: Around) -> Result<(), Refused> {
        // Names inside of what is used are those of the definition, not of the piece.
        let name = if around.used.is_some() { String::new() } else { name_of(node) };
        around.groups.insert(0, (node.id(), name));
        around.warp = node.attribute("data-warp").and_then(|warp| warp.parse().ok()).or(around.warp);
        for child in node.children().filter(Node::is_element) {
            self.enter(child, &around)?;
        }
        Ok(())
    }

    fn enter_use(&mut self, node: Node<'_, '_>, mut around: Around) -> Result<(), Refused> {
        let link = node.attributes().find(|a| a.name() == "href").map(|a| a.value().trim_start_matches('#').to_owned());
        let Some(link) = link else { return Ok(()) };
        let number = |name: &str| node.attribute(name).and_then(|x| x.trim().parse::<f64>().ok()).unwrap_or(0.0);
        let place = Point::new(number("x"), number("y"));
        around.used = Some((link.to_lowercase(), around.map * place));
        let Some(target) = self.document.descendants().find(|other| other.attribute("id") == Some(&link)) else {
            // Marks whose symbols were left out are marks all the same.
            return self.add(node, Vec::new(), &around, false);
        };
        around.map *= Affine::translate(place.to_vec2());
        around.groups.insert(0, (node.id(), name_of(node)));
        around.groups.push((target.id(), given_name(&link).unwrap_or_default()));
        if is_mark(&link) {
            return self.add(node, Vec::new(), &around, false);
        }
        self.enter(target, &around)
    }

    fn write(&mut self, node: Node<'_, '_>, map: Affine) {
        let number = |name: &str| {
            let value = node.attribute(name).or_else(|| {
                node.descendants().find(|d| d.tag_name().name() == "tspan").and_then(|span| span.attribute(name))
            });
            value.and_then(|x| numbers(x)?.first().copied()).unwrap_or(0.0)
        };
        // A text along a path begins where the path does.
        let along = node.descendants().find(|d| d.tag_name().name() == "textPath");
        let at = match along {
            Some(text) => match self.start_of(text) {
                Some(start) => map * start,
                None => return,
            },
            None => map * Point::new(number("x"), number("y")),
        };
        let words: Vec<&str> = node.descendants().filter(Node::is_text).filter_map(|t| t.text()).collect();
        let text = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() && at.is_finite() && self.drawn.writings.len() < MOST_SHAPES {
            self.drawn.writings.push(Writing { at, text });
        }
    }

    /// Where the path begins that an element links to, in the units of its group.
    fn start_of(&self, link: Node<'_, '_>) -> Option<Point> {
        let name = link.attributes().find(|a| a.name() == "href")?.value().trim_start_matches('#').to_owned();
        let path = self.document.descendants().find(|other| other.attribute("id") == Some(&name))?;
        outline(path).ok()?.first()?.segments.first().map(|segment| segment.start)
    }

    fn draw(&mut self, node: Node<'_, '_>, around: &Around) -> Result<(), Refused> {
        let is_background =
            ["width", "height"].iter().any(|side| node.attribute(*side).and_then(length) == Some(Length::Percent));
        let parts = if is_background { Ok(Vec::new()) } else { outline(node) };
        let parts = match parts {
            Ok(parts) => parts,
            Err(reason) => {
                let line = self.line(node);
                return Err((line, reason, "export the drawing again, or draw this shape again"));
            }
        };
        if parts.is_empty() && !is_background {
            return Ok(());
        }
        self.add(node, parts, around, is_background)
    }

    fn add(
        &mut self,
        node: Node<'_, '_>,
        parts: Vec<Subpath>,
        around: &Around,
        is_background: bool,
    ) -> Result<(), Refused> {
        let line = self.line(node);
        let parts: Vec<Subpath> = parts.into_iter().map(|part| moved(part, around.map)).collect();
        self.drawn.segments += parts.iter().map(|part| part.segments.len()).sum::<usize>();
        if self.drawn.shapes.len() >= MOST_SHAPES || self.drawn.segments > MOST_COMMANDS {
            let reason = format!("the drawing has more than {MOST_SHAPES} shapes or {MOST_COMMANDS} curves");
            return Err((line, reason, "export the pattern alone, without pictures and grids"));
        }
        if parts.iter().flat_map(|part| &part.segments).any(|segment| !segment.is_finite()) {
            return Err((line, "a coordinate is not finite".to_owned(), "draw this shape again"));
        }
        let name = if around.used.is_some() { String::new() } else { name_of(node) };
        let markers = ["marker-start", "marker-end", "style"].map(|key| node.attribute(key).unwrap_or_default());
        let markers = markers.map(|text| if text.contains("marker") || text.contains("url(") { text } else { "" });
        let used = around.used.as_ref().map_or("", |(link, _)| link.as_str());
        let id = node.attribute("id").unwrap_or_default();
        let hints = [&name, id, &around.classes.join(" "), &markers.join(" "), used].map(str::to_lowercase).join(" ");
        let edges = node.attribute("data-edges").map(stated_edges).unwrap_or_default();
        self.drawn.shapes.push(Shape {
            parts,
            name,
            hints,
            classes: around.classes.clone(),
            groups: around.groups.clone(),
            symbol: around.used.clone().filter(|(link, _)| is_mark(link)),
            edges,
            warp: around.warp.filter(|warp| warp.is_finite()),
            line,
            is_background,
        });
        Ok(())
    }
}

/// Whether a symbol is a mark at its place, whatever it looks like.
fn is_mark(link: &str) -> bool {
    ["notch", "bnotch", "button", "buttonhole", "snap-stud", "snap-socket", "eyelet"]
        .iter()
        .any(|mark| link.eq_ignore_ascii_case(mark) || link.to_lowercase().starts_with(&format!("{mark}-")))
}

/// `name count;name count`.
fn stated_edges(text: &str) -> Vec<(String, usize)> {
    let edge = |part: &str| {
        let (name, count) = part.rsplit_once(' ')?;
        Some((name.to_owned(), count.parse::<usize>().ok().filter(|count| *count > 0)?))
    };
    text.split(';').map(edge).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Place and scale of an `svg` in an `svg`.
fn nested(node: Node<'_, '_>) -> Affine {
    let number = |name: &str| match node.attribute(name).and_then(length) {
        Some(Length::Pixels(value)) => Some(value),
        Some(Length::Millimetres(value)) => Some(value / PIXEL),
        _ => None,
    };
    let place = Affine::translate((number("x").unwrap_or(0.0), number("y").unwrap_or(0.0)));
    let view = node.attribute("viewBox").and_then(numbers).filter(|v| v.len() == 4 && v[2] > 0.0 && v[3] > 0.0);
    let Some(view) = view else { return place };
    let scale = match (number("width"), number("height")) {
        (Some(width), Some(height)) => (width / view[2]).min(height / view[3]),
        (Some(width), None) => width / view[2],
        (None, Some(height)) => height / view[3],
        (None, None) => 1.0,
    };
    place * Affine::scale(scale) * Affine::translate((-view[0], -view[1]))
}
