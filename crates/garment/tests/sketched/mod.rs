//! Drawings as other programs write them, made by this code from drafted garments: `FreeSewing` SVG and JSON, Valentina, Inkscape.

use std::fmt::Write;

use toile_body::Figure;
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::{Affine, Curve, Cut, Edge, Panel, Pattern, Point, Segment};

/// A file with its name, and the number of borders that the garment has.
pub(crate) struct Sketched {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) borders: usize,
}

/// All files.
pub(crate) fn sketched() -> Vec<Sketched> {
    let mut files = Vec::new();
    for (design, borders) in [
        (Design::TankTop, 4),
        (Design::TShirt, 4),
        (Design::ALineSkirt, 2),
        (Design::PencilSkirt, 2),
        (Design::Trousers, 3),
    ] {
        let pattern = draft(design, &Size::M.measurements(Figure::Female), &Choices::new()).unwrap();
        let word = design.word();
        let mut add = |name: String, text: String| files.push(Sketched { name, text, borders });
        add(format!("{word}_freesewing.svg"), freesewing_svg(&pattern));
        add(format!("{word}_freesewing.json"), freesewing_json(&pattern));
        add(format!("{word}_inkscape.svg"), inkscape(&pattern));
        if design != Design::PencilSkirt {
            add(format!("{word}_valentina.svg"), valentina(&pattern));
        }
    }
    files.push(Sketched { name: "circle_on_the_fold.svg".to_owned(), text: circle(), borders: 2 });
    files.push(Sketched { name: "raglan_with_a_neckband.svg".to_owned(), text: raglan(), borders: 4 });
    let m = |design: Design| draft(design, &Size::M.measurements(Figure::Female), &Choices::new()).unwrap();
    let trousers = with_pockets_and_cuffs(m(Design::Trousers));
    let mut add = |name: &str, text: String, borders| files.push(Sketched { name: name.to_owned(), text, borders });
    add("trousers_with_pockets_and_cuffs.json", freesewing_json(&trousers), 3);
    add("trousers_with_pockets_and_cuffs.svg", freesewing_svg(&trousers), 3);
    add("skirt_head_down.svg", head_down(), 2);
    files
}

/// A half circle on the fold with its waistband, as one piece that goes all the way around.
fn circle() -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900mm\" height=\"900mm\" viewBox=\"0 0 900 900\">\n\
     <g id=\"skirt\"><path d=\"M 10,240 L 10,740 A 730 730 0 0 0 740,10 L 240,10 A 230 230 0 0 1 10,240 z\"/>\n\
     <path id=\"fold1\" d=\"M 10,300 L 10,700\"/><text x=\"400\" y=\"400\">Cut 1 on the fold</text></g>\n\
     <g id=\"waistband\"><path d=\"M 20,800 L 760,800 L 760,860 L 20,860 z\"/></g></svg>\n"
        .to_owned()
}

/// A shirt with raglan sleeves: no shoulders, and a neckline that runs over front, sleeves and back.
fn raglan() -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1400mm\" height=\"700mm\" viewBox=\"0 0 1400 700\">\n\
     <g id=\"front\"><path d=\"M 10,660 L 260,660 L 260,250 L 82,88 C 62,125 40,132 10,132 z\"/>\n\
     <path id=\"fold1\" d=\"M 10,200 L 10,600\"/><text x=\"100\" y=\"400\">Cut 1 on the fold</text></g>\n\
     <g id=\"back\"><path d=\"M 310,660 L 560,660 L 560,250 L 350,55 C 340,63 325,65 310,65 z\"/>\n\
     <path id=\"fold2\" d=\"M 310,200 L 310,600\"/><text x=\"400\" y=\"400\">Cut 1 on the fold</text></g>\n\
     <g id=\"raglanSleeve\"><path d=\"M 635,500 L 915,500 L 940,380 L 800,130 L 728,170 L 610,380 z\"/>\n\
     <text x=\"800\" y=\"400\">Cut 2 mirrored</text></g>\n\
     <g id=\"neckband\"><path d=\"M 980,300 L 1340,300 L 1340,350 L 980,350 z\"/><text x=\"1100\" y=\"325\">Cut 1</text></g></svg>\n"
        .to_owned()
}

/// Trousers whose side-seam pockets are grown on, with a cuff below each leg: longer than the legs of the body.
fn with_pockets_and_cuffs(mut pattern: Pattern) -> Pattern {
    for panel in &mut pattern.panels {
        let edge = panel.find("outseam_hip").unwrap();
        let segment = panel.segment(edge).unwrap();
        // The ear stands where a hand reaches, nearer to the waist than to the hip.
        let (from, to) = if panel.name == "front" { (0.2, 0.85) } else { (0.15, 0.8) };
        let (below, above) = (segment.piece(0.0, from), segment.piece(to, 1.0));
        let way = above.start - below.end;
        let out = 0.03 * toile_garment::Vec2::new(way.y, -way.x) / way.hypot();
        let line = |k: usize, at: Point| Edge::new(format!("pocket_{k}"), at, Curve::Line);
        let edges = [
            Edge::new("outseam_hip_1".to_owned(), below.start, below.curve),
            line(1, below.end),
            line(2, below.end + out),
            line(3, above.start + out),
            Edge::new("outseam_hip_2".to_owned(), above.start, above.curve),
        ];
        panel.outline.splice(edge..=edge, edges);
        panel.notches.clear();
    }
    let corner = |k: usize, x: f64, y: f64| Edge::new(format!("edge_{k}"), Point::new(x, y), Curve::Line);
    let outline = vec![corner(1, 0.0, 0.0), corner(2, 0.34, 0.0), corner(3, 0.34, 0.06), corner(4, 0.0, 0.06)];
    pattern.panels.push(Panel { cut: Cut::Pair, ..Panel::new("cuff", outline) });
    pattern
}

/// A straight skirt that is drawn head down: its sides are no witness of what is up, its darts are.
fn head_down() -> String {
    let half = |name: &str, x: i32| {
        format!(
            "<g id=\"{name}\"><path d=\"M {x},10 L {},10 L {},610 L {},610 L {},500 L {},610 L {x},610 z\"/>\n\
             <path id=\"fold{x}\" d=\"M {x},100 L {x},500\"/><text x=\"{}\" y=\"300\">Cut 1 on the fold</text></g>\n",
            x + 250,
            x + 250,
            x + 165,
            x + 140,
            x + 115,
            x + 100
        )
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900mm\" height=\"900mm\" viewBox=\"0 0 900 900\">\n{}{}\
         <g id=\"waistband\"><path d=\"M 20,700 L 820,700 L 820,760 L 20,760 z\"/></g></svg>\n",
        half("skirtFront", 10),
        half("skirtBack", 310)
    )
}

/// The plain name of a panel, as a person would give it.
fn plain(panel: &Panel) -> String {
    panel.name.split(['_', '-']).next().unwrap_or_default().to_owned()
}

/// A panel in millimetres with y down, beside those before it.
fn laid(pattern: &Pattern) -> Vec<Panel> {
    let mut left = 0.0;
    let mut laid = Vec::new();
    for panel in &pattern.panels {
        let mut panel = panel.clone();
        let bounds = panel.bounds();
        // Mirrored by turning y down; drawn as the paper shows it.
        panel.transform(Affine::new([1e3, 0.0, 0.0, -1e3, left - 1e3 * bounds.x0, 1e3 * bounds.y1 + 20.0]));
        left += 1e3 * bounds.width() + 40.0;
        laid.push(panel);
    }
    laid
}

fn segments(panel: &Panel) -> Vec<Segment> {
    (0..panel.outline.len()).filter_map(|edge| panel.segment(edge)).collect()
}

/// A path with curves.
fn path(panel: &Panel) -> String {
    let mut d = String::new();
    for (k, segment) in segments(panel).iter().enumerate() {
        if k == 0 {
            let _ = write!(d, "M {:.4},{:.4}", segment.start.x, segment.start.y);
        }
        match &segment.curve {
            Curve::Line => {
                let _ = write!(d, " L {:.4},{:.4}", segment.end.x, segment.end.y);
            }
            Curve::Cubic(c0, c1) => {
                let (e, p, q) = (segment.end, c0, c1);
                let _ = write!(d, " C {:.4},{:.4} {:.4},{:.4} {:.4},{:.4}", p.x, p.y, q.x, q.y, e.x, e.y);
            }
            _ => {
                let mut points = Vec::new();
                segment.flatten(0.05, &mut points);
                for p in points.iter().skip(1).chain([&segment.end]) {
                    let _ = write!(d, " L {:.4},{:.4}", p.x, p.y);
                }
            }
        }
    }
    d + " z"
}

/// The ends of the fold, a little inside of it.
fn fold(panel: &Panel) -> Option<[Point; 2]> {
    let Cut::Fold(name) = &panel.cut else { return None };
    let line = panel.segment(panel.find(name)?)?;
    Some([line.at_fraction(0.1), line.at_fraction(0.9)])
}

/// How often a panel is cut, in words.
fn cut(panel: &Panel) -> &'static str {
    match panel.cut {
        Cut::Fold(_) => "Cut 1 on the fold",
        Cut::Pair => "Cut 2 mirrored",
        Cut::Single => "Cut 1",
    }
}

fn freesewing_svg(pattern: &Pattern) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
         xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"4000mm\" height=\"2000mm\" viewBox=\"0 0 4000 2000\">\n\
         <defs><marker id=\"cutonfoldFrom\"><path class=\"note fill-note\" d=\"M 0,0 L 12,-4 C 10,-2 10,2 12,4 z\"/></marker></defs>\n\
         <g id=\"fs-container\">\n",
    );
    let mut number = 0;
    for panel in laid(pattern) {
        let name = plain(&panel);
        let _ =
            writeln!(out, "<g id=\"fs-stack-design.{name}\">\n<g id=\"fs-stack-design.{name}-part-design.{name}\">");
        number += 1;
        let _ = writeln!(out, "<path class=\"fabric\" id=\"fs-{number}\" d=\"{}\"/>", path(&panel));
        if let Some([a, b]) = fold(&panel) {
            number += 1;
            let _ = writeln!(
                out,
                "<path class=\"note\" marker-start=\"url(#cutonfoldFrom)\" marker-end=\"url(#cutonfoldTo)\" id=\"fs-{number}\" \
                 d=\"M {:.4},{:.4} L {:.4},{:.4}\"/>\n<text><textPath xlink:href=\"#fs-{number}\"><tspan>Cut on fold</tspan></textPath></text>",
                a.x, a.y, b.x, b.y
            );
        }
        let middle = panel.bounds().center();
        let _ = writeln!(out, "<text x=\"{:.2}\" y=\"{:.2}\"><tspan>{name}</tspan></text>", middle.x, middle.y);
        let _ = writeln!(
            out,
            "<text x=\"{:.2}\" y=\"{:.2}\"><tspan>{} from Main Fabric</tspan></text>\n</g>\n</g>",
            middle.x,
            middle.y + 8.0,
            cut(&panel)
        );
    }
    out + "</g>\n</svg>\n"
}

fn freesewing_json(pattern: &Pattern) -> String {
    let point = |p: Point| format!("{{\"x\":{:.4},\"y\":{:.4},\"attributes\":{{\"list\":{{}}}}}}", p.x, p.y);
    let mut stacks = Vec::new();
    for panel in laid(pattern) {
        let name = plain(&panel);
        let mut ops = Vec::new();
        for (k, segment) in segments(&panel).iter().enumerate() {
            if k == 0 {
                ops.push(format!("{{\"type\":\"move\",\"to\":{}}}", point(segment.start)));
            }
            if let Curve::Cubic(c0, c1) = &segment.curve {
                let [c0, c1, end] = [*c0, *c1, segment.end].map(point);
                ops.push(format!("{{\"type\":\"curve\",\"cp1\":{c0},\"cp2\":{c1},\"to\":{end}}}"));
            } else {
                let mut points = Vec::new();
                segment.flatten(0.05, &mut points);
                points.push(segment.end);
                ops.extend(points.iter().skip(1).map(|p| format!("{{\"type\":\"line\",\"to\":{}}}", point(*p))));
            }
        }
        ops.push("{\"type\":\"close\"}".to_owned());
        let mut paths = format!(
            "\"seam\":{{\"hidden\":false,\"attributes\":{{\"list\":{{\"class\":[\"fabric\"]}}}},\"ops\":[{}]}}",
            ops.join(",")
        );
        if let Some([a, b]) = fold(&panel) {
            let _ = write!(
                paths,
                ",\"__macro_cutonfold_line\":{{\"hidden\":false,\"attributes\":{{\"list\":{{\"class\":[\"note\"]}}}},\
                 \"ops\":[{{\"type\":\"move\",\"to\":{}}},{{\"type\":\"line\",\"to\":{}}}]}}",
                point(a),
                point(b)
            );
        }
        let middle = panel.bounds().center();
        let title = format!(
            "{{\"x\":{:.4},\"y\":{:.4},\"attributes\":{{\"list\":{{\"data-text\":[\"{}\"]}}}}}}",
            middle.x,
            middle.y,
            cut(&panel)
        );
        stacks.push(format!(
            "\"design.{name}\":{{\"name\":\"design.{name}\",\"parts\":[{{\"paths\":{{{paths}}},\
             \"points\":{{\"title\":{title}}},\"snippets\":{{}}}}]}}"
        ));
    }
    format!("{{\"svg\":{{}},\"width\":1000,\"height\":1000,\"settings\":[{{}}],\"stacks\":{{{}}}}}", stacks.join(","))
}

/// Layers with the names of pieces, in millimetres; fold and grain as lines with names.
fn inkscape(pattern: &Pattern) -> String {
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
         width=\"4000mm\" height=\"2000mm\" viewBox=\"0 0 4000 2000\">\n",
    );
    for (k, panel) in laid(pattern).iter().enumerate() {
        let _ = writeln!(out, "<g inkscape:groupmode=\"layer\" id=\"layer{k}\" inkscape:label=\"{}\">", plain(panel));
        let _ = writeln!(out, "<path id=\"path{}\" style=\"fill:none;stroke:#000\" d=\"{}\"/>", 100 + k, path(panel));
        if let Some([a, b]) = fold(panel) {
            let _ = writeln!(
                out,
                "<path id=\"fold{k}\" inkscape:label=\"fold\" d=\"M {:.4} {:.4} L {:.4} {:.4}\"/>",
                a.x, a.y, b.x, b.y
            );
        }
        let middle = panel.bounds().center();
        let _ = writeln!(out, "<text x=\"{:.2}\" y=\"{:.2}\">{}</text>\n</g>", middle.x, middle.y, cut(panel));
    }
    out + "</svg>\n"
}

/// Sew line and cut line in one path of straight pieces, in dots; names as texts on the pieces.
fn valentina(pattern: &Pattern) -> String {
    let dots = 96.0 / 25.4;
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<svg width=\"4000mm\" height=\"2000mm\" viewBox=\"0 0 {} {}\" \
         xmlns=\"http://www.w3.org/2000/svg\" version=\"1.2\" baseProfile=\"tiny\">\n<title>Pattern</title>\n",
        4000.0 * dots,
        2000.0 * dots
    );
    let text = |ring: &[Point]| {
        let mut d = String::new();
        for (k, p) in ring.iter().chain(ring.first()).enumerate() {
            let _ = write!(d, "{}{:.3},{:.3} ", if k == 0 { 'M' } else { 'L' }, dots * p.x, dots * p.y);
        }
        d
    };
    for panel in laid(pattern) {
        let mut ring = Vec::new();
        for segment in segments(&panel) {
            segment.flatten(0.05, &mut ring);
        }
        let middle = panel.bounds().center();
        // An allowance of 10 mm, by moving every corner outwards.
        let outer: Vec<Point> = widened(&ring, 10.0);
        let _ = writeln!(
            out,
            "<g fill=\"none\" stroke=\"#000000\" transform=\"matrix(1,0,0,1,37.7953,37.7953)\">\n\
             <path vector-effect=\"none\" fill-rule=\"nonzero\" d=\"{}{}\"/>\n</g>",
            text(&ring),
            text(&outer)
        );
        let _ = writeln!(
            out,
            "<g transform=\"matrix(1,0,0,1,37.7953,37.7953)\"><text x=\"{:.2}\" y=\"{:.2}\">{}</text></g>",
            dots * middle.x,
            dots * middle.y,
            plain(&panel)
        );
        let _ = writeln!(
            out,
            "<g transform=\"matrix(1,0,0,1,37.7953,37.7953)\"><text x=\"{:.2}\" y=\"{:.2}\">{}</text></g>",
            dots * middle.x,
            dots * middle.y + 20.0,
            cut(&panel)
        );
    }
    out + "</svg>\n"
}

/// A ring with its corners moved out by a width along the mean of the normals of their sides.
fn widened(ring: &[Point], width: f64) -> Vec<Point> {
    let count = ring.len();
    let area: f64 = (0..count).map(|i| ring[i].to_vec2().cross(ring[(i + 1) % count].to_vec2())).sum();
    let normal = |i: usize| {
        let way = ring[(i + 1) % count] - ring[i];
        toile_garment::Vec2::new(way.y, -way.x) / way.hypot().max(1e-9) * area.signum()
    };
    let moved = |i: usize| {
        let (a, b) = (normal((i + count - 1) % count), normal(i));
        let mean = a + b;
        ring[i] + width * mean / (1.0 + a.dot(b)).max(0.3)
    };
    (0..count).map(moved).collect()
}
