//! Patterns as SVG, one to one: a user unit is a millimetre, so that a print at 100 % can be cut out.
//!
//! Panels stand side by side in rows, y up as drawn, with outline, holes, grainline, notches, internal lines, marks, the names of
//! panels and edges, what to cut, and a square of 50 mm to check the scale of a print. There is no seam allowance: lines
//! are seams and hems.

use std::fmt::Write;

use kurbo::{Affine, Point, Rect, Vec2};

use crate::curve::{Curve, Segment};
use crate::pattern::{Cut, Panel, Pattern};

/// Space around panels [mm].
const GAP: f64 = 25.0;
/// Width after which a new row begins [mm], unless one panel is wider.
const ROW: f64 = 1500.0;
/// Length of notches [mm].
const NOTCH: f64 = 6.0;

/// The pattern as an SVG text.
pub fn to_svg(pattern: &Pattern) -> String {
    let places = arrange(pattern);
    let width = places.iter().map(|(_, bounds)| bounds.x1).fold(100.0, f64::max) + GAP;
    let height = places.iter().map(|(_, bounds)| bounds.y1).fold(100.0, f64::max) + GAP;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = draw(&mut out, pattern, &places, width, height);
    out
}

/// For each panel the map from the panel to the sheet, and its box there.
fn arrange(pattern: &Pattern) -> Vec<(Affine, Rect)> {
    let (mut x, mut y, mut tallest) = (GAP, 2.0 * GAP + 50.0, 0.0_f64);
    let mut places = Vec::new();
    for panel in &pattern.panels {
        let bounds = panel.bounds();
        let (w, h) = (1e3 * bounds.width(), 1e3 * bounds.height());
        if x > GAP && x + w > ROW {
            (x, y, tallest) = (GAP, y + tallest + 2.0 * GAP, 0.0);
        }
        let flip = Affine::new([1e3, 0.0, 0.0, -1e3, 0.0, 0.0]);
        let map = Affine::translate(Vec2::new(x - 1e3 * bounds.x0, y + 1e3 * bounds.y1)) * flip;
        places.push((map, Rect::new(x, y, x + w, y + h)));
        x += w + 2.0 * GAP;
        tallest = tallest.max(h);
    }
    places
}

/// Text for XML.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            control if control < ' ' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

fn draw(out: &mut String, pattern: &Pattern, places: &[(Affine, Rect)], width: f64, height: f64) -> std::fmt::Result {
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.3}mm\" height=\"{height:.3}mm\" \
         viewBox=\"0 0 {width:.3} {height:.3}\">"
    )?;
    out.push_str(
        "<style>path,line,rect,circle{fill:none;stroke:#222;stroke-width:.5}\
         .cloth{fill:#f3efe6;fill-rule:evenodd;stroke-width:.7}.fold{stroke-dasharray:12 3 2 3;stroke:#a33;stroke-width:.9}\
         .grain{stroke:#357}.inner{stroke-dasharray:4 3;stroke:#666}.grainhead{fill:#357;stroke:none}\
         text{font:6px sans-serif;fill:#222;text-anchor:middle}.name{font-size:14px}.edge{fill:#777}\
         .what{font-size:8px}</style>\n",
    );
    writeln!(out, "<rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>")?;
    writeln!(out, "<rect x=\"{GAP}\" y=\"{GAP}\" width=\"50\" height=\"50\"/>")?;
    writeln!(out, "<text x=\"{}\" y=\"{}\">50 mm</text>", GAP + 25.0, GAP + 27.0)?;
    let title = escaped(&pattern.name);
    writeln!(
        out,
        "<text class=\"name\" style=\"text-anchor:start\" x=\"{}\" y=\"{}\">{title}</text>",
        GAP + 60.0,
        GAP + 30.0
    )?;
    for (number, (panel, (map, bounds))) in pattern.panels.iter().zip(places).enumerate() {
        writeln!(out, "<g id=\"{}\">", escaped(&panel.name))?;
        draw_cloth(out, panel, *map)?;
        draw_marks(out, panel, *map)?;
        draw_names(out, pattern, number, *map, *bounds)?;
        writeln!(out, "</g>")?;
    }
    writeln!(out, "</svg>")
}

/// The command that continues a path along a segment.
fn path_to(segment: &Segment) -> String {
    let xy = |p: Point| format!("{:.4} {:.4}", p.x, p.y);
    match &segment.curve {
        Curve::Line => format!("L{}", xy(segment.end)),
        Curve::Quadratic(c) => format!("Q{} {}", xy(*c), xy(segment.end)),
        Curve::Cubic(c0, c1) => format!("C{} {} {}", xy(*c0), xy(*c1), xy(segment.end)),
        Curve::Arc(bulge) => {
            let chord = segment.start.distance(segment.end);
            let r = chord * (1.0 + bulge * bulge) / (4.0 * bulge.abs()).max(1e-9);
            let (large, sweep) = (i32::from(bulge.abs() > 1.0), i32::from(*bulge > 0.0));
            format!("A{r:.4} {r:.4} 0 {large} {sweep} {}", xy(segment.end))
        }
        Curve::Points(points) => {
            let mut path = String::new();
            for point in points.iter().chain([&segment.end]) {
                let _ = write!(path, "L{}", xy(*point));
            }
            path
        }
    }
}

fn draw_cloth(out: &mut String, panel: &Panel, map: Affine) -> std::fmt::Result {
    let mut path = String::new();
    for (first, edges) in panel.loops() {
        for i in 0..edges.len() {
            let Some(segment) = panel.segment(first + i) else { continue };
            let segment = segment.mapped(map);
            if i == 0 {
                write!(path, "M{:.4} {:.4}", segment.start.x, segment.start.y)?;
            }
            path.push_str(&path_to(&segment));
        }
        path.push('Z');
    }
    writeln!(out, "<path class=\"cloth\" d=\"{path}\"/>")?;
    if let Cut::Fold(fold) = &panel.cut
        && let Some(line) = panel.find(fold).and_then(|edge| panel.segment(edge))
    {
        draw_line(out, "fold", map * line.start, map * line.end)?;
    }
    Ok(())
}

fn draw_line(out: &mut String, class: &str, from: Point, to: Point) -> std::fmt::Result {
    writeln!(
        out,
        "<line class=\"{class}\" x1=\"{:.4}\" y1=\"{:.4}\" x2=\"{:.4}\" y2=\"{:.4}\"/>",
        from.x, from.y, to.x, to.y
    )
}

fn draw_marks(out: &mut String, panel: &Panel, map: Affine) -> std::fmt::Result {
    for line in &panel.lines {
        for pair in line.points.windows(2) {
            draw_line(out, "inner", map * pair[0], map * pair[1])?;
        }
    }
    for mark in &panel.marks {
        let at = map * mark.at;
        writeln!(out, "<circle cx=\"{:.4}\" cy=\"{:.4}\" r=\"1.5\"/>", at.x, at.y)?;
        writeln!(out, "<text x=\"{:.4}\" y=\"{:.4}\">{}</text>", at.x, at.y - 3.0, escaped(&mark.name))?;
    }
    for notch in &panel.notches {
        let Some(segment) = panel.segment(notch.edge) else { continue };
        let at = map * segment.at_fraction(notch.at);
        let ahead = segment.at_fraction((notch.at + 1e-3).min(1.0)) - segment.at_fraction((notch.at - 1e-3).max(0.0));
        if ahead.hypot() > 0.0 {
            // Into the cloth, which is on the left of an edge; the sheet's y points down.
            let inwards = Vec2::new(-ahead.y, -ahead.x) / ahead.hypot();
            draw_line(out, "notch", at, at + NOTCH * inwards)?;
        }
    }
    let [from, to] = panel.grain.map(|point| map * point);
    let along = (to - from) / (to - from).hypot().max(1e-9);
    let across = Vec2::new(-along.y, along.x);
    draw_line(out, "grain", from, to)?;
    for (tip, way) in [(from, along), (to, -along)] {
        let [left, right] = [1.0, -1.0].map(|side| tip + 7.0 * way + side * 2.5 * across);
        let corners = [tip, left, right].map(|p| format!("{:.3},{:.3}", p.x, p.y)).join(" ");
        writeln!(out, "<polygon class=\"grainhead\" points=\"{corners}\"/>")?;
    }
    Ok(())
}

fn draw_names(out: &mut String, pattern: &Pattern, number: usize, map: Affine, bounds: Rect) -> std::fmt::Result {
    let panel = &pattern.panels[number];
    // Legs of darts leave no room for a name.
    let darts = pattern.seams.iter().filter(|seam| {
        seam.a != seam.b
            && seam.a.iter().chain(&seam.b).all(|edge| edge.panel == number)
            && panel.part != crate::Part::Sleeve
    });
    let legs: Vec<usize> = darts.flat_map(|seam| seam.a.iter().chain(&seam.b)).map(|edge| edge.edge).collect();
    let copies = if panel.quantity > 1 { format!("{} × ", panel.quantity) } else { String::new() };
    let what = match panel.cut {
        Cut::Single => format!("{copies}cut 1"),
        Cut::Pair => format!("{copies}cut 2, mirrored"),
        Cut::Fold(_) => format!("{copies}cut 1 on the fold"),
    };
    let centre = bounds.center();
    let text = |class: &str, at: Point, words: &str| {
        format!("<text class=\"{class}\" x=\"{:.3}\" y=\"{:.3}\">{}</text>", at.x, at.y, escaped(words))
    };
    writeln!(out, "{}", text("name", centre, &panel.name))?;
    writeln!(out, "{}", text("what", centre + Vec2::new(0.0, 12.0), &what))?;
    for (i, edge) in panel.edges().enumerate() {
        let Some(segment) = panel.segment(i).filter(|_| !legs.contains(&i)) else { continue };
        let middle = map * segment.at_fraction(0.5);
        let way = segment.at_fraction(0.51) - segment.at_fraction(0.49);
        if way.hypot() == 0.0 {
            continue;
        }
        // Outside the cloth, where edges leave room for their names.
        let at = middle + 5.0 * Vec2::new(way.y, way.x) / way.hypot();
        let mut angle = (-way.y).atan2(way.x).to_degrees();
        if angle.abs() > 90.0 {
            angle += 180.0;
        }
        let name = escaped(&edge.name);
        writeln!(
            out,
            "<text class=\"edge\" transform=\"translate({:.3} {:.3}) rotate({angle:.2})\" dy=\"2\">{name}</text>",
            at.x, at.y
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Choices, Design, draft};
    use kurbo::{BezPath, Shape};
    use toile_body::{Figure, Given, complete};

    /// Read back by another program's rules for paths, every panel has its area in square millimetres, holes taken off.
    #[test]
    fn paths_have_the_area_of_their_panels_one_to_one() {
        let body = complete(Figure::Female, &Given::NONE);
        for design in Design::ALL {
            let pattern = draft(*design, &body, &Choices::new()).unwrap();
            let svg = to_svg(&pattern);
            let paths = svg.split("class=\"cloth\" d=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
            let areas: Vec<f64> = paths.map(|d| BezPath::from_svg(d).unwrap().area().abs()).collect();
            assert_eq!(areas.len(), pattern.panels.len());
            for (panel, area) in pattern.panels.iter().zip(areas) {
                let loops = panel.loops().map(|(_, edges)| crate::check::signed_area(&Panel::flatten(edges, 1e-7)));
                let wanted = 1e6 * loops.sum::<f64>();
                assert!((area / wanted - 1.0).abs() < 1e-4, "{} {}: {area} {wanted}", design.word(), panel.name);
            }
        }
    }

    #[test]
    fn names_cannot_break_the_markup() {
        let mut pattern = draft(Design::Tablecloth, &complete(Figure::Male, &Given::NONE), &Choices::new()).unwrap();
        "<&\">\u{1}".clone_into(&mut pattern.panels[0].name);
        assert!(to_svg(&pattern).contains("id=\"&lt;&amp;&quot;&gt; \""));
    }
}
