//! A small PDF writer (ISO 32000-1, version 1.4): pages, lines, text in Helvetica, clipping, drawings used by several pages.
//!
//! Lengths are in millimetres with y down; every page and drawing begins with the matrix that makes them points with y up, as
//! PDF wants them. Streams are not compressed. Nothing depends on the clock, so that the same pattern gives the same bytes.

use std::fmt::Write;

use kurbo::{PathEl, Point};

use super::drawing::{Anchor, Group, Item, Style};
use super::letters::{encoded, width};

/// Points per millimetre.
pub(super) const POINTS: f64 = 72.0 / 25.4;
/// Most points along one side of a page.
const MOST_POINTS: f64 = 14_400.0;
/// The longest page [mm].
pub(super) const LONGEST: f64 = MOST_POINTS / POINTS;

/// Numbers of the objects that every document has.
const CATALOG: usize = 1;
const PAGES: usize = 2;
const PLAIN: usize = 3;
const BOLD: usize = 4;

/// A document that is being written.
pub(super) struct Document {
    /// Objects from number 1 on.
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
}

/// A drawing that pages can show.
#[derive(Clone, Copy)]
pub(super) struct Form(usize);

impl Document {
    pub(super) fn new() -> Self {
        let font = |name: &str| {
            format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>").into_bytes()
        };
        let objects = vec![Vec::new(), Vec::new(), font("Helvetica"), font("Helvetica-Bold")];
        Self { objects, pages: Vec::new() }
    }

    fn add(&mut self, object: Vec<u8>) -> usize {
        self.objects.push(object);
        self.objects.len()
    }

    fn add_stream(&mut self, entries: &str, content: &[u8]) -> usize {
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", content.len()).into_bytes();
        object.extend_from_slice(content);
        object.extend_from_slice(b"\nendstream");
        self.add(object)
    }

    /// Adds a drawing of this size [mm] for pages to show.
    pub(super) fn add_form(&mut self, size: [f64; 2], canvas: &Canvas) -> Form {
        let entries = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 {:.3} {:.3}] /Resources << {} >>",
            size[0],
            size[1],
            fonts()
        );
        Form(self.add_stream(&entries, &canvas.content))
    }

    /// Adds a page of this size [mm], which may show drawings.
    pub(super) fn add_page(&mut self, size: [f64; 2], canvas: &Canvas, forms: &[Form]) {
        let [w, h] = size.map(|side| side * POINTS);
        let mut content = format!("q {POINTS:.9} 0 0 {:.9} 0 {h:.6} cm\n", -POINTS).into_bytes();
        content.extend_from_slice(&canvas.content);
        content.extend_from_slice(b"Q");
        let stream = self.add_stream("", &content);
        let mut shown = String::new();
        for form in forms {
            let _ = write!(shown, "/D{0} {0} 0 R ", form.0);
        }
        let page = format!(
            "<< /Type /Page /Parent {PAGES} 0 R /MediaBox [0 0 {w:.6} {h:.6}] /Contents {stream} 0 R \
             /Resources << {} /XObject << {shown}>> >> >>",
            fonts()
        );
        let number = self.add(page.into_bytes());
        self.pages.push(number);
    }

    /// The bytes of the file.
    pub(super) fn finish(mut self, title: &str) -> Vec<u8> {
        let catalog = format!("<< /Type /Catalog /Pages {PAGES} 0 R /ViewerPreferences << /PrintScaling /None >> >>");
        self.objects[CATALOG - 1] = catalog.into_bytes();
        let kids: Vec<String> = self.pages.iter().map(|page| format!("{page} 0 R")).collect();
        let pages = format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len());
        self.objects[PAGES - 1] = pages.into_bytes();
        let mut info = b"<< /Title ".to_vec();
        info.extend(literal(title));
        info.extend_from_slice(b" /Producer (Toile) >>");
        let info = self.add(info);
        let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let mut places = Vec::new();
        for (i, object) in self.objects.iter().enumerate() {
            places.push(file.len());
            file.extend(format!("{} 0 obj\n", i + 1).into_bytes());
            file.extend_from_slice(object);
            file.extend_from_slice(b"\nendobj\n");
        }
        let start = file.len();
        file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).into_bytes());
        for place in &places {
            file.extend(format!("{place:010} 00000 n \n").into_bytes());
        }
        let trailer = format!(
            "trailer\n<< /Size {} /Root {CATALOG} 0 R /Info {info} 0 R >>\nstartxref\n{start}\n%%EOF\n",
            places.len() + 1
        );
        file.extend(trailer.into_bytes());
        file
    }
}

fn fonts() -> String {
    format!("/Font << /F1 {PLAIN} 0 R /F2 {BOLD} 0 R >>")
}

/// A string in parentheses.
fn literal(text: &str) -> Vec<u8> {
    let mut out = vec![b'('];
    for byte in encoded(text) {
        if matches!(byte, b'(' | b')' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b')');
    out
}

/// What is drawn on a page or in a drawing, in millimetres with y down.
#[derive(Default)]
pub(super) struct Canvas {
    content: Vec<u8>,
}

impl Canvas {
    fn put(&mut self, text: &str) {
        self.content.extend_from_slice(text.as_bytes());
    }

    /// Draws all items of some groups.
    pub(super) fn draw(&mut self, groups: &[Group]) {
        for item in groups.iter().flat_map(|group| &group.items) {
            match item {
                Item::Path { style, path, filled, .. } => {
                    // Arrow heads are filled; cloth is not, to save ink.
                    self.path(*style, path.elements(), *filled && *style != Style::Cut);
                }
                Item::Text { at, size, angle, anchor, bold, text } => {
                    self.text(*at, *size, *angle, *anchor, *bold, text);
                }
            }
        }
    }

    /// Shows a drawing with its origin at a place, within a box.
    pub(super) fn show(&mut self, form: Form, at: Point, within: [f64; 4]) {
        let [x, y, w, h] = within;
        let number = form.0;
        self.put(&format!("q {x:.4} {y:.4} {w:.4} {h:.4} re W n 1 0 0 1 {:.4} {:.4} cm /D{number} Do Q\n", at.x, at.y));
    }

    fn path(&mut self, style: Style, elements: &[PathEl], filled: bool) {
        let [r, g, b] = style.colour().map(|part| f64::from(part) / 255.0);
        let dashes: Vec<String> = style.dashes().iter().map(|length| format!("{length}")).collect();
        self.put(&format!("{:.2} w [{}] 0 d {r:.3} {g:.3} {b:.3} RG\n", style.width(), dashes.join(" ")));
        if filled {
            self.put(&format!("{r:.3} {g:.3} {b:.3} rg\n"));
        }
        let mut last = Point::ZERO;
        let mut out = String::new();
        let xy = |out: &mut String, p: Point| {
            let _ = write!(out, "{:.4} {:.4} ", p.x, p.y);
            p
        };
        for element in elements {
            match *element {
                PathEl::MoveTo(p) => {
                    last = xy(&mut out, p);
                    out.push_str("m\n");
                }
                PathEl::LineTo(p) => {
                    last = xy(&mut out, p);
                    out.push_str("l\n");
                }
                PathEl::QuadTo(c, p) => {
                    // The same curve of degree three.
                    xy(&mut out, last.lerp(c, 2.0 / 3.0));
                    xy(&mut out, p.lerp(c, 2.0 / 3.0));
                    last = xy(&mut out, p);
                    out.push_str("c\n");
                }
                PathEl::CurveTo(c0, c1, p) => {
                    xy(&mut out, c0);
                    xy(&mut out, c1);
                    last = xy(&mut out, p);
                    out.push_str("c\n");
                }
                PathEl::ClosePath => out.push_str("h\n"),
            }
        }
        self.put(&out);
        self.put(if filled { "B\n" } else { "S\n" });
    }

    fn text(&mut self, at: Point, size: f64, angle: f64, anchor: Anchor, bold: bool, text: &str) {
        let (sin, cos) = angle.to_radians().sin_cos();
        let back = if anchor == Anchor::Middle { 0.5 * size * width(text, bold) } else { 0.0 };
        let font = if bold { "F2" } else { "F1" };
        self.put(&format!(
            "0 g BT /{font} {size:.3} Tf {cos:.6} {sin:.6} {sin:.6} {:.6} {:.4} {:.4} Tm ",
            -cos,
            at.x - back * cos,
            at.y - back * sin
        ));
        self.content.extend(literal(text));
        self.put(" Tj ET\n");
    }
}
