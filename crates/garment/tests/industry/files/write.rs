//! Writes DXF with the habits of different CAD systems.

use toile_garment::{Affine, Cut, Panel, Pattern, Point};

/// How outlines are drawn.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Boundary {
    /// Open polylines, split at turn points.
    Split,
    /// One closed polyline with the group code 250.
    Closed250,
    /// One closed LWPOLYLINE.
    Light,
    /// Single lines.
    Lines,
}

/// The habits of a system.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own")]
pub(crate) struct Habits {
    pub(crate) boundary: Boundary,
    /// Units of the file per metre.
    pub(crate) per_metre: f64,
    /// The text `Units: …`.
    pub(crate) units: &'static str,
    /// `$INSUNITS`; 0 for no header.
    pub(crate) header: u32,
    /// Turn of all pieces, counter-clockwise, in degrees.
    pub(crate) turn: f64,
    /// Whether halves are drawn on the other side of the fold.
    pub(crate) other_half: bool,
    /// Whether the fold is drawn on layer 6; otherwise an annotation says it.
    pub(crate) fold_line: bool,
    /// Whether pieces on the fold are drawn whole.
    pub(crate) unfolded: bool,
    /// Names of the pieces, in the order of the panels.
    pub(crate) names: &'static [&'static str],
    /// Quantities, in the order of the panels.
    pub(crate) quantities: &'static [&'static str],
    /// Angles of notches (code 50).
    pub(crate) notch_angles: bool,
    /// Copies of the outline on layer 84.
    pub(crate) copies: bool,
    /// Outline on layer 14, and a larger one on layer 1.
    pub(crate) sew_line: bool,
    /// A comma before decimals.
    pub(crate) comma: bool,
    /// A way there and back in the outline, and a line that is drawn twice.
    pub(crate) doubled_back: bool,
    /// Whether a grainline is drawn.
    pub(crate) grain: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            boundary: Boundary::Split,
            per_metre: 1000.0,
            units: "METRIC",
            header: 0,
            turn: 0.0,
            other_half: false,
            fold_line: true,
            unfolded: false,
            names: &[],
            quantities: &[],
            notch_angles: false,
            copies: false,
            sew_line: false,
            comma: false,
            doubled_back: false,
            grain: true,
        }
    }
}

struct Pen<'h> {
    out: String,
    habits: &'h Habits,
}

impl Pen<'_> {
    fn pair(&mut self, code: i32, value: &str) {
        self.out.push_str(&[format!("{code:>3}").as_str(), value, ""].join("\n"));
    }

    fn number(&mut self, code: i32, x: f64) {
        let text = format!("{:.5}", x * self.habits.per_metre);
        let text = if self.habits.comma { text.replace('.', ",") } else { text };
        self.pair(code, &text);
    }

    fn place(&mut self, p: Point) {
        self.number(10, p.x);
        self.number(20, p.y);
    }

    fn text(&mut self, layer: u32, words: &str) {
        self.pair(0, "TEXT");
        self.pair(8, &layer.to_string());
        self.place(Point::ZERO);
        self.pair(1, words);
    }

    fn point(&mut self, layer: u32, at: Point) {
        self.pair(0, "POINT");
        self.pair(8, &layer.to_string());
        self.place(at);
    }

    fn line(&mut self, layer: u32, a: Point, b: Point) {
        self.pair(0, "LINE");
        self.pair(8, &layer.to_string());
        self.place(a);
        self.number(11, b.x);
        self.number(21, b.y);
    }

    fn polyline(&mut self, layer: u32, points: &[Point], closed: bool) {
        let flags = if closed { "1" } else { "0" };
        if self.habits.boundary == Boundary::Light {
            self.pair(0, "LWPOLYLINE");
            self.pair(8, &layer.to_string());
            self.pair(90, &points.len().to_string());
            self.pair(70, flags);
            for p in points {
                self.place(*p);
            }
            return;
        }
        self.pair(0, "POLYLINE");
        self.pair(8, &layer.to_string());
        self.pair(66, "1");
        self.pair(70, flags);
        if self.habits.boundary == Boundary::Closed250 {
            self.pair(250, "0");
        }
        for p in points {
            self.pair(0, "VERTEX");
            self.pair(8, &layer.to_string());
            self.place(*p);
        }
        self.pair(0, "SEQEND");
        self.pair(8, &layer.to_string());
    }

    /// The outline in the way of the system, and its turn points.
    fn outline(&mut self, layer: u32, panel: &Panel, map: Affine) {
        let mut all = Vec::new();
        let edges: Vec<Vec<Point>> = (0..panel.outline.len())
            .map(|edge| {
                let segment = panel.segment(edge).unwrap();
                let mut points = Vec::new();
                segment.flatten(5e-5, &mut points);
                all.extend(points.iter().map(|p| map * *p));
                points.push(segment.end);
                points.iter().map(|p| map * *p).collect()
            })
            .collect();
        match self.habits.boundary {
            Boundary::Split => {
                for (k, points) in edges.iter().enumerate() {
                    let mut points = points.clone();
                    if self.habits.doubled_back && k == 0 {
                        // There and back again along the first edge, and the next line twice.
                        let (a, b) = (points[0], points[points.len() - 1]);
                        points.splice(0..0, [a, a.lerp(b, 0.1)]);
                        self.polyline(layer, &edges[1], false);
                    }
                    self.polyline(layer, &points, false);
                }
            }
            Boundary::Closed250 | Boundary::Light => self.polyline(layer, &all, true),
            Boundary::Lines => {
                for i in 0..all.len() {
                    self.line(layer, all[i], all[(i + 1) % all.len()]);
                }
            }
        }
        for points in &edges {
            self.point(2, points[0]);
        }
    }

    fn piece(&mut self, panel: &Panel, (name, size, quantity): (&str, &str, &str)) {
        let h = self.habits;
        let mut map = Affine::rotate(h.turn.to_radians());
        let mut panel = panel.clone();
        if h.other_half && matches!(panel.cut, Cut::Fold(_)) {
            panel.transform(Affine::FLIP_X);
        }
        // Pieces lie anywhere on the sheet.
        map = Affine::translate((0.3, 0.7)) * map;
        self.text(1, &format!("Piece Name: {name}"));
        self.text(1, &format!("Size: {size}"));
        if !quantity.is_empty() {
            self.text(1, &format!("Quantity: {quantity}"));
        }
        if h.sew_line {
            self.outline(14, &panel, map);
            let middle = panel.bounds().center();
            let wider =
                Affine::translate(middle.to_vec2()) * Affine::scale(1.06) * Affine::translate(-middle.to_vec2());
            let mut points = Panel::flatten(&panel.outline, 5e-5);
            for p in &mut points {
                *p = map * wider * *p;
            }
            self.polyline(1, &points, true);
        } else {
            self.outline(1, &panel, map);
        }
        if h.copies {
            let points: Vec<Point> = Panel::flatten(&panel.outline, 5e-5).iter().map(|p| map * *p).collect();
            self.polyline(84, &points, true);
        }
        for hole in &panel.holes {
            let points: Vec<Point> = Panel::flatten(hole, 5e-5).iter().map(|p| map * *p).collect();
            self.polyline(11, &points, true);
        }
        for notch in &panel.notches {
            let at = panel.segment(notch.edge).unwrap().at_fraction(notch.at);
            self.point(4, map * at);
            self.pair(30, "-4.0");
            if h.notch_angles {
                self.pair(50, "90.0");
            }
        }
        if let Cut::Fold(edge) = &panel.cut {
            let line = panel.segment(panel.find(edge).unwrap()).unwrap();
            if h.fold_line {
                self.line(6, map * line.start, map * line.end);
            } else {
                self.text(1, "Annotation: CUT ON FOLD");
            }
        }
        if h.grain {
            self.line(7, map * panel.grain[0], map * panel.grain[1]);
        }
    }
}

/// The DXF text of a garment in several sizes.
pub(crate) fn dxf(style: &str, sizes: &[(&str, Pattern)], habits: &Habits) -> String {
    let mut pen = Pen { out: String::new(), habits };
    if habits.header > 0 {
        pen.pair(0, "SECTION");
        pen.pair(2, "HEADER");
        pen.pair(9, "$INSUNITS");
        pen.pair(70, &habits.header.to_string());
        pen.pair(0, "ENDSEC");
    }
    pen.pair(0, "SECTION");
    pen.pair(2, "BLOCKS");
    let mut inserted = Vec::new();
    for (size, pattern) in sizes {
        let drawn = if habits.unfolded { unfolded(pattern) } else { pattern.clone() };
        for (k, panel) in drawn.panels.iter().enumerate() {
            let name = habits.names.get(k).copied().unwrap_or(&panel.name);
            let usual = if panel.cut == Cut::Pair { "1,1" } else { "1" };
            let quantity = habits.quantities.get(k).copied().unwrap_or(usual);
            let block = format!("{name}_{size}");
            pen.pair(0, "BLOCK");
            pen.pair(8, "1");
            pen.pair(2, &block);
            pen.pair(70, "64");
            pen.place(Point::ZERO);
            pen.piece(panel, (name, size, quantity));
            pen.pair(0, "ENDBLK");
            inserted.push(block);
        }
    }
    pen.pair(0, "ENDSEC");
    pen.pair(0, "SECTION");
    pen.pair(2, "ENTITIES");
    for block in &inserted {
        pen.pair(0, "INSERT");
        pen.pair(8, "1");
        pen.pair(2, block);
        pen.place(Point::ZERO);
    }
    pen.text(1, &format!("Style Name: {style}"));
    if !habits.units.is_empty() {
        pen.text(1, &format!("Units: {}", habits.units));
    }
    let sample = sizes[sizes.len() / 2].0;
    pen.text(1, &format!("Sample Size: {sample}"));
    pen.pair(0, "ENDSEC");
    pen.pair(0, "EOF");
    pen.out
}

/// Pieces on the fold drawn whole; pairs stay.
fn unfolded(pattern: &Pattern) -> Pattern {
    let mut out = Pattern { name: pattern.name.clone(), ..Pattern::default() };
    for panel in &pattern.panels {
        let one = Pattern { panels: vec![panel.clone()], ..Pattern::default() };
        match panel.cut {
            Cut::Fold(_) => out.panels.extend(one.whole().unwrap().panels),
            _ => out.panels.push(panel.clone()),
        }
    }
    out
}
