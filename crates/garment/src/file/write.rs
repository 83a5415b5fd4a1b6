//! Writes a `pattern.toml`.

use std::fmt::Write;

use kurbo::Point;

use super::Unit;
use super::placement::written;
use crate::curve::Curve;
use crate::pattern::{Cut, Edge, EdgeRef, Panel, Pattern};
use crate::role::{Part, Side};

/// The text of a pattern. In metres it reads back bit for bit; in other units lengths are rounded to a nanometre.
pub fn to_toml(pattern: &Pattern, unit: Unit) -> String {
    let writer = Writer { unit };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writer.pattern(&mut out, pattern);
    out
}

/// The seams of a pattern alone, as a side file for formats that have none.
pub fn seams_to_toml(pattern: &Pattern) -> String {
    let mut out = String::new();
    let _ = write_seams(&mut out, pattern);
    out
}

struct Writer {
    unit: Unit,
}

/// `text` in quotes, as TOML and JSON both write it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            control if control < ' ' || control == '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// An angle in degrees that reads back bit for bit wherever degrees can say it.
fn degrees(radians: f64) -> String {
    let plainly = radians.to_degrees();
    let near = [plainly, plainly.next_up(), plainly.next_down()];
    plain(near.into_iter().find(|d| d.to_radians() == radians).unwrap_or(plainly))
}

/// A number that TOML takes for a float.
fn plain(x: f64) -> String {
    format!("{x:?}")
}

impl Writer {
    fn length(&self, x: f64) -> String {
        if self.unit == Unit::Metre {
            return plain(x);
        }
        let scale = self.unit.per_metre();
        let digits = 1e9 / scale;
        plain((x * scale * digits).round() / digits + 0.0)
    }

    fn point(&self, p: Point) -> String {
        format!("[{}, {}]", self.length(p.x), self.length(p.y))
    }

    fn points(&self, points: &[Point]) -> String {
        let points: Vec<String> = points.iter().map(|point| self.point(*point)).collect();
        format!("[{}]", points.join(", "))
    }

    fn edge(&self, edge: &Edge) -> String {
        let curve = match &edge.curve {
            Curve::Line => String::new(),
            Curve::Quadratic(c) => format!(", quadratic = {}", self.point(*c)),
            Curve::Cubic(c0, c1) => format!(", cubic = {}", self.points(&[*c0, *c1])),
            Curve::Arc(bulge) => format!(", arc = {}", plain(*bulge)),
            Curve::Points(points) => format!(", points = {}", self.points(points)),
        };
        format!("{{ name = {}, from = {}{curve} }}", quoted(&edge.name), self.point(edge.start))
    }

    fn pattern(&self, out: &mut String, pattern: &Pattern) -> std::fmt::Result {
        writeln!(out, "name = {}\nunit = \"{}\"", quoted(&pattern.name), self.unit.sign())?;
        for panel in &pattern.panels {
            self.panel(out, panel)?;
        }
        write_seams(out, pattern)
    }

    fn panel(&self, out: &mut String, panel: &Panel) -> std::fmt::Result {
        writeln!(out, "\n[[panel]]\nname = {}", quoted(&panel.name))?;
        if panel.part != Part::Other {
            writeln!(out, "part = \"{}\"", panel.part.word())?;
        }
        if panel.side != Side::Both {
            writeln!(out, "side = \"{}\"", panel.side.word())?;
        }
        match &panel.cut {
            Cut::Single => {}
            Cut::Pair => writeln!(out, "pair = true")?,
            Cut::Fold(fold) => writeln!(out, "fold = {}", quoted(fold))?,
        }
        if panel.quantity != 1 {
            writeln!(out, "quantity = {}", panel.quantity)?;
        }
        if panel.layer != 0 {
            writeln!(out, "layer = {}", panel.layer)?;
        }
        if !panel.fabric.is_empty() {
            writeln!(out, "fabric = {}", quoted(&panel.fabric))?;
        }
        writeln!(out, "grain = {}", self.points(&panel.grain))?;
        writeln!(out, "edges = [")?;
        for edge in &panel.outline {
            writeln!(out, "    {},", self.edge(edge))?;
        }
        writeln!(out, "]")?;
        self.details(out, panel)
    }

    fn details(&self, out: &mut String, panel: &Panel) -> std::fmt::Result {
        let list = |items: Vec<String>| format!("[\n    {},\n]", items.join(",\n    "));
        if !panel.holes.is_empty() {
            let hole = |hole: &Vec<Edge>| {
                let edges: Vec<String> = hole.iter().map(|edge| self.edge(edge)).collect();
                format!("[{}]", edges.join(", "))
            };
            writeln!(out, "holes = {}", list(panel.holes.iter().map(hole).collect()))?;
        }
        if !panel.notches.is_empty() {
            let name = |edge: usize| panel.edges().nth(edge).map_or(String::new(), |edge| quoted(&edge.name));
            let notch = |n: &crate::Notch| format!("{{ edge = {}, at = {} }}", name(n.edge), plain(n.at));
            writeln!(out, "notches = {}", list(panel.notches.iter().map(notch).collect()))?;
        }
        if !panel.lines.is_empty() {
            let line = |line: &crate::InternalLine| {
                format!("{{ name = {}, points = {} }}", quoted(&line.name), self.points(&line.points))
            };
            writeln!(out, "lines = {}", list(panel.lines.iter().map(line).collect()))?;
        }
        if !panel.marks.is_empty() {
            let mark = |m: &crate::Mark| format!("{{ name = {}, at = {} }}", quoted(&m.name), self.point(m.at));
            writeln!(out, "marks = {}", list(panel.marks.iter().map(mark).collect()))?;
        }
        if let Some(place) = &panel.placement {
            let table = written(place, |x| self.length(x), degrees);
            writeln!(out, "placement = {table}")?;
        }
        Ok(())
    }
}

/// A seam as an inline table with the keys of a `[[seam]]`.
pub(crate) fn seam_to_inline_toml(pattern: &Pattern, seam: &crate::Seam) -> String {
    let chain = |edges: &[EdgeRef]| {
        let names: Vec<String> = edges.iter().map(|edge| quoted(&pattern.edge_name(*edge))).collect();
        format!("[{}]", names.join(", "))
    };
    let mut words =
        vec![format!("name = {}", quoted(&seam.name)), format!("a = {}, b = {}", chain(&seam.a), chain(&seam.b))];
    words.extend(seam.ratio.map(|ratio| format!("ratio = {}", plain(ratio))));
    if seam.fold_angle != 0.0 {
        words.push(format!("fold_deg = {}", plain(seam.fold_angle.to_degrees())));
    }
    format!("{{ {} }}", words.join(", "))
}

fn write_seams(out: &mut String, pattern: &Pattern) -> std::fmt::Result {
    for seam in &pattern.seams {
        let chain = |edges: &[EdgeRef]| {
            let names: Vec<String> = edges.iter().map(|edge| quoted(&pattern.edge_name(*edge))).collect();
            format!("[{}]", names.join(", "))
        };
        writeln!(out, "\n[[seam]]\nname = {}", quoted(&seam.name))?;
        writeln!(out, "a = {}\nb = {}", chain(&seam.a), chain(&seam.b))?;
        if let Some(ratio) = seam.ratio {
            writeln!(out, "ratio = {}", plain(ratio))?;
        }
        if seam.fold_angle != 0.0 {
            writeln!(out, "fold_deg = {}", degrees(seam.fold_angle))?;
        }
    }
    Ok(())
}
