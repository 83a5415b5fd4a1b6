//! DXF files with the habits of different CAD systems, drawn by this code from drafted garments and by hand.

use toile_body::Figure;
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::{Affine, Curve, Cut, Edge, Panel, Pattern, Point};

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

/// A drafted garment without its seams.
pub(crate) fn drafted(design: Design, size: Size) -> Pattern {
    let mut pattern = draft(design, &size.measurements(Figure::Female), &Choices::new()).unwrap();
    pattern.seams.clear();
    pattern
}

struct Pen<'h> {
    out: String,
    habits: &'h Habits,
}

impl Pen<'_> {
    fn pair(&mut self, code: i32, value: &str) {
        self.out.push_str(&format!("{code:>3}\n{value}\n"));
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
            points.iter().for_each(|p| self.place(*p));
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
            let wider = Affine::translate(middle.to_vec2()) * Affine::scale(1.06) * Affine::translate(-middle.to_vec2());
            let mut points = Panel::flatten(&panel.outline, 5e-5);
            points.iter_mut().for_each(|p| *p = map * wider * *p);
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

fn panel(name: &str, cut: Cut, corners: &[(f64, f64)]) -> Panel {
    let edges = corners.iter().enumerate().map(|(i, (x, y))| Edge::new(format!("e{i}"), Point::new(0.01 * x, 0.01 * y), Curve::Line));
    Panel { cut, ..Panel::new(name, edges.collect()) }
}

fn curve(panel: &mut Panel, edge: usize, control: (f64, f64)) {
    panel.outline[edge].curve = Curve::Quadratic(Point::new(0.01 * control.0, 0.01 * control.1));
}

fn on_fold(edge: usize) -> Cut {
    Cut::Fold(format!("e{edge}"))
}

/// A sleeveless top whose back hangs from a yoke, drawn by hand in centimetres.
pub(crate) fn yoke_top() -> Pattern {
    let mut front = panel("FRONT", on_fold(5), &[(0.0, 0.0), (25.0, 0.0), (25.0, 38.0), (18.0, 56.0), (8.0, 60.0), (0.0, 50.0)]);
    curve(&mut front, 2, (18.0, 42.0));
    curve(&mut front, 4, (6.0, 50.0));
    // Seen from behind: the wearer's left half at x < 0.
    let mut yoke = panel("BACK YOKE", on_fold(1), &[(-19.0, 48.0), (0.0, 48.0), (0.0, 58.0), (-8.0, 60.0), (-18.0, 56.0)]);
    curve(&mut yoke, 2, (-5.0, 58.0));
    let mut back = panel("BACK", on_fold(1), &[(-25.0, 0.0), (0.0, 0.0), (0.0, 48.0), (-19.0, 48.0), (-25.0, 38.0)]);
    curve(&mut back, 3, (-19.5, 40.0));
    Pattern { name: "yoke".into(), panels: vec![front, yoke, back], seams: Vec::new() }
}

/// A sleeveless top with a front in three panels, drawn by hand in centimetres.
pub(crate) fn princess_top() -> Pattern {
    let mut front = panel("CENTRE FRONT", on_fold(6), &[(0.0, 0.0), (11.0, 0.0), (11.0, 28.0), (16.0, 46.0), (18.0, 56.0), (8.0, 60.0), (0.0, 50.0)]);
    curve(&mut front, 2, (10.5, 41.0));
    curve(&mut front, 5, (6.0, 50.0));
    let mut side = panel("SIDE FRONT", Cut::Pair, &[(11.0, 0.0), (25.0, 0.0), (25.0, 38.0), (16.0, 46.0), (11.0, 28.0)]);
    curve(&mut side, 2, (19.0, 39.0));
    curve(&mut side, 3, (10.5, 41.0));
    let mut back = panel("BACK", on_fold(1), &[(-25.0, 0.0), (0.0, 0.0), (0.0, 57.0), (-8.0, 60.0), (-18.0, 56.0), (-25.0, 38.0)]);
    curve(&mut back, 2, (-4.0, 57.0));
    curve(&mut back, 4, (-18.0, 42.0));
    Pattern { name: "princess".into(), panels: vec![front, side, back], seams: Vec::new() }
}

/// A dress of a sleeveless bodice and a gathered skirt, with a seam at the waist, drawn by hand in centimetres.
pub(crate) fn waisted_dress() -> Pattern {
    let mut front = panel("BODICE FRONT", on_fold(5), &[(0.0, 0.0), (20.0, 0.0), (24.0, 20.0), (17.0, 38.0), (8.0, 42.0), (0.0, 33.0)]);
    curve(&mut front, 2, (17.5, 24.0));
    curve(&mut front, 4, (6.0, 33.0));
    let mut back = panel("BODICE BACK", on_fold(1), &[(-20.0, 0.0), (0.0, 0.0), (0.0, 40.0), (-8.0, 42.0), (-17.0, 38.0), (-24.0, 20.0)]);
    curve(&mut back, 2, (-4.0, 40.0));
    curve(&mut back, 4, (-17.5, 24.0));
    let skirt = panel("SKIRT FRONT", on_fold(3), &[(0.0, 0.0), (35.0, 0.0), (30.0, 45.0), (0.0, 45.0)]);
    let behind = panel("SKIRT BACK", on_fold(1), &[(-35.0, 0.0), (0.0, 0.0), (0.0, 45.0), (-30.0, 45.0)]);
    Pattern { name: "dress".into(), panels: vec![front, back, skirt, behind], seams: Vec::new() }
}

/// A T-shirt with a rib at its neck.
pub(crate) fn ribbed_shirt() -> Pattern {
    let mut pattern = drafted(Design::TShirt, Size::M);
    let neck: f64 = pattern.panels[..2].iter().map(|p| 2.0 * p.length(p.find("neck").unwrap())).sum();
    let long = 100.0 * 0.88 * neck;
    pattern.panels.push(panel("NECK BAND COLLAR", Cut::Single, &[(0.0, 0.0), (long, 0.0), (long, 2.0), (0.0, 2.0)]));
    pattern
}

/// A shirt with left and right pieces drawn one by one.
pub(crate) fn one_by_one() -> Pattern {
    let mut pattern = drafted(Design::Shirt, Size::M).whole().unwrap();
    pattern.panels.retain(|panel| !panel.name.starts_with("cuff"));
    pattern
}

/// Pieces that are not worn, beside a tank top.
pub(crate) fn with_trimmings() -> Pattern {
    let mut pattern = drafted(Design::TankTop, Size::M);
    for name in ["FRONT FACING", "LINING BACK", "POCKET BAG", "FUSIBLE", "CARE LABEL"] {
        pattern.panels.push(panel(name, Cut::Single, &[(0.0, 0.0), (14.0, 0.0), (14.0, 16.0), (0.0, 16.0)]));
    }
    pattern
}

/// A file with its name, and the number of borders that the garment has.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    pub(crate) borders: usize,
    /// A part of a note that must be said; empty for none.
    pub(crate) said: &'static str,
    /// Whether dressing takes long.
    pub(crate) is_slow: bool,
}

/// All files.
pub(crate) fn cases() -> Vec<Case> {
    let m = |design| vec![("M", drafted(design, Size::M))];
    let of = |pattern| vec![("M", pattern)];
    let inch = 1.0 / 0.0254;
    let sizes = |design| vec![("36", drafted(design, Size::S)), ("38", drafted(design, Size::M)), ("40", drafted(design, Size::L))];
    let mut cases = Vec::new();
    let mut add = |name, text, borders, said, is_slow| cases.push(Case { name, text, borders, said, is_slow });
    let usual = Habits::default;
    add(
        "accumark_tank_nest_in_inches_sideways",
        dxf("TANK", &sizes(Design::TankTop), &Habits { per_metre: inch, units: "ENGLISH", turn: -90.0, names: &["TANK_FR", "TANK_BK"], ..usual() }),
        4, "", false,
    );
    add(
        "clo_tee_closed_250_whole_pieces",
        dxf("", &m(Design::TShirt), &Habits { boundary: Boundary::Closed250, unfolded: true, names: &["Front", "Back", "Sleeve"], quantities: &["1", "1", "2"], ..usual() }),
        4, "", true,
    );
    add("r12_skirt_without_header_and_units", dxf("", &m(Design::ALineSkirt), &Habits { units: "", names: &["SKIRT FRT", "SKIRT BK", "WB"], ..usual() }), 2, "states no unit", false);
    add(
        "trousers_in_centimetres_that_say_metric",
        dxf("CHINO", &m(Design::Trousers), &Habits { per_metre: 100.0, names: &["PANT FRONT", "PANT BACK"], quantities: &["2", "2"], ..usual() }),
        3, "says METRIC", true,
    );
    add(
        "german_shirt",
        dxf("Hemd", &m(Design::Shirt), &Habits { names: &["Vorderteil", "Rückenteil", "Ärmel", "Kragen", "Manschette"], ..usual() }),
        3, "left open", true,
    );
    add(
        "french_tee_on_the_other_side_of_the_fold",
        dxf("", &m(Design::TShirt), &Habits { names: &["devant", "dos", "manche"], quantities: &["1", "1", "PAIRE"], other_half: true, ..usual() }),
        4, "", true,
    );
    add("spanish_tank_with_commas", dxf("", &m(Design::TankTop), &Habits { names: &["delantero", "espalda"], comma: true, ..usual() }), 4, "", false);
    add(
        "italian_pencil_skirt",
        dxf("", &m(Design::PencilSkirt), &Habits { names: &["gonna davanti", "gonna dietro", "cinturino"], turn: 90.0, ..usual() }),
        2, "", true,
    );
    add(
        "portuguese_tee_with_validation_copies",
        dxf("", &m(Design::TShirt), &Habits { names: &["frente", "costas", "manga"], copies: true, notch_angles: true, ..usual() }),
        4, "", true,
    );
    add(
        "turkish_tee_head_down",
        dxf("", &m(Design::TShirt), &Habits { names: &["ön beden", "arka beden", "kol"], turn: 180.0, ..usual() }),
        4, "", true,
    );
    add("tank_with_sew_lines", dxf("", &m(Design::TankTop), &Habits { names: &["FRT", "BCK"], sew_line: true, ..usual() }), 4, "", false);
    add("tank_that_doubles_back", dxf("", &m(Design::TankTop), &Habits { names: &["FRT", "BCK"], doubled_back: true, ..usual() }), 4, "doubles back", false);
    add("tank_with_facings_and_pockets", dxf("", &of(with_trimmings()), &Habits { names: &["FRONT", "BACK"], ..usual() }), 4, "is a facing and was left out", false);
    add(
        "tee_without_names",
        dxf("", &m(Design::TShirt), &Habits { names: &["PIECE 1", "PIECE 2", "PIECE 3"], quantities: &["1", "1", "2"], ..usual() }),
        4, "its shape is that of a sleeve", true,
    );
    add(
        "inches_by_header_short_names_and_a_fold_in_words",
        dxf("", &m(Design::TShirt), &Habits { per_metre: inch, units: "", header: 1, fold_line: false, names: &["FRT", "BK", "SLV"], notch_angles: true, ..usual() }),
        4, "", true,
    );
    add("lines_in_centimetres_by_header", dxf("", &m(Design::TankTop), &Habits { boundary: Boundary::Lines, per_metre: 100.0, units: "", header: 5, names: &["CF", "CB"], ..usual() }), 4, "", false);
    add("shirt_drawn_left_and_right", dxf("", &of(one_by_one()), &Habits { names: &["FRONT L", "FRONT R", "BACK", "SLV L", "SLV R", "COLLAR"], quantities: &["1,0", "0,1", "1", "1,0", "0,1", "1"], ..usual() }), 3, "", true);
    add("dress_with_darts", dxf("DRESS", &m(Design::ShiftDress), &Habits { boundary: Boundary::Light, names: &["FRONT", "BACK"], turn: -90.0, ..usual() }), 4, "", true);
    add("circle_skirt", dxf("", &m(Design::CircleSkirt), &Habits { names: &["SKIRT FRONT", "SKIRT BACK", "WAISTBAND"], ..usual() }), 2, "", true);
    add("poncho_without_grain", dxf("", &m(Design::Poncho), &Habits { names: &["PONCHO"], grain: false, ..usual() }), 2, "", false);
    add("top_with_a_yoke", dxf("", &of(yoke_top()), &usual()), 4, "", false);
    add("top_with_princess_seams", dxf("", &of(princess_top()), &usual()), 4, "", false);
    add("dress_with_a_waist_seam", dxf("", &of(waisted_dress()), &usual()), 4, "", false);
    add("tee_with_a_neck_rib", dxf("", &of(ribbed_shirt()), &Habits { names: &["FRONT", "BACK", "SLEEVE", "NECKBAND"], ..usual() }), 4, "", true);
    cases
}
