//! Writes SVG, one to one.

use std::fmt::Write;

use kurbo::{BezPath, PathEl, Point};

use super::read::CARRIED;
use crate::own::carried_text;
use crate::pattern::Pattern;
use crate::sheet::{Anchor, Drawing, Group, Item, SheetError, SheetOptions, Style, on_one_sheet};

/// The pattern as an SVG text, with the allowances of the options on one sheet.
pub fn to_svg(pattern: &Pattern, options: &SheetOptions) -> Result<String, SheetError> {
    let drawing = on_one_sheet(pattern, options)?;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = draw(&mut out, &drawing, &carried_text(pattern));
    Ok(out)
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
            control if control < ' ' || matches!(control, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// Text of several lines for XML.
fn escaped_lines(text: &str) -> String {
    text.lines().flat_map(|line| [escaped(line), "\n".to_owned()]).collect()
}

fn draw(out: &mut String, drawing: &Drawing, carried: &str) -> std::fmt::Result {
    let (width, height) = (drawing.width, drawing.height);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
         width=\"{width:.3}mm\" height=\"{height:.3}mm\" viewBox=\"0 0 {width:.3} {height:.3}\">"
    )?;
    writeln!(out, "<metadata><pattern xmlns=\"{CARRIED}\">\n{}</pattern></metadata>", escaped_lines(carried))?;
    out.push_str("<style>path{fill:none}");
    for style in Style::ALL {
        let [r, g, b] = style.colour();
        write!(out, ".{}{{stroke:#{r:02x}{g:02x}{b:02x};stroke-width:{}", style.word(), style.width())?;
        if !style.dashes().is_empty() {
            let dashes: Vec<String> = style.dashes().iter().map(f64::to_string).collect();
            write!(out, ";stroke-dasharray:{}", dashes.join(" "))?;
        }
        out.push('}');
    }
    out.push_str(
        ".cloth{fill:#f7f4ec;fill-rule:evenodd}.head{fill:#444;stroke:none}\
         text{font-family:Helvetica,Arial,sans-serif;fill:#222}.bold{font-weight:bold}</style>\n",
    );
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    for group in &drawing.groups {
        draw_group(out, group)?;
    }
    writeln!(out, "</svg>")
}

fn draw_group(out: &mut String, group: &Group) -> std::fmt::Result {
    let name = escaped(&group.name);
    write!(out, "<g id=\"{name}\" inkscape:groupmode=\"layer\" inkscape:label=\"{name}\"")?;
    if let Some(warp) = group.warp {
        write!(out, " data-warp=\"{warp:.6}\"")?;
    }
    writeln!(out, ">")?;
    for item in &group.items {
        match item {
            Item::Path { style, path, filled, edges } => {
                let more = match (filled, *style == Style::Cut) {
                    (true, true) => " cloth",
                    (true, false) => " head",
                    _ => "",
                };
                write!(out, "<path class=\"{}{more}\"", style.word())?;
                if !edges.is_empty() {
                    let names = edges.iter().map(|(name, curves)| format!("{} {curves}", escaped(name)));
                    write!(out, " data-edges=\"{}\"", names.collect::<Vec<_>>().join(";"))?;
                }
                writeln!(out, " d=\"{}\"/>", path_data(path))?;
            }
            Item::Text { at, size, angle, anchor, bold, text } => {
                write!(out, "<text")?;
                if *bold {
                    write!(out, " class=\"bold\"")?;
                }
                if *anchor == Anchor::Middle {
                    write!(out, " text-anchor=\"middle\"")?;
                }
                if *angle == 0.0 {
                    write!(out, " x=\"{:.3}\" y=\"{:.3}\"", at.x, at.y)?;
                } else {
                    write!(out, " transform=\"translate({:.3} {:.3}) rotate({angle:.2})\"", at.x, at.y)?;
                }
                writeln!(out, " font-size=\"{size:.2}\">{}</text>", escaped(text))?;
            }
        }
    }
    writeln!(out, "</g>")
}

fn path_data(path: &BezPath) -> String {
    let xy = |p: Point| format!("{:.4} {:.4}", p.x, p.y);
    let mut data = String::new();
    for element in path.elements() {
        let _ = match element {
            PathEl::MoveTo(p) => write!(data, "M{}", xy(*p)),
            PathEl::LineTo(p) => write!(data, "L{}", xy(*p)),
            PathEl::QuadTo(c, p) => write!(data, "Q{} {}", xy(*c), xy(*p)),
            PathEl::CurveTo(c0, c1, p) => write!(data, "C{} {} {}", xy(*c0), xy(*c1), xy(*p)),
            PathEl::ClosePath => write!(data, "Z"),
        };
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Panel;
    use crate::draft::{Choices, Design, draft};
    use kurbo::Shape;
    use toile_body::{Figure, Given, complete};

    /// Read back by another program's rules for paths, every panel has its area in square millimetres, holes taken off.
    #[test]
    fn sew_lines_have_the_area_of_their_panels_one_to_one() {
        let body = complete(Figure::Female, &Given::NONE);
        for design in Design::ALL {
            let pattern = draft(*design, &body, &Choices::new()).unwrap();
            let svg = to_svg(&pattern, &SheetOptions::default()).unwrap();
            let tags = svg.split("<path class=\"sew\"").skip(1).map(|rest| rest.split("/>").next().unwrap());
            let paths = tags.map(|tag| tag.split(" d=\"").nth(1).unwrap().split('"').next().unwrap());
            let areas: Vec<f64> = paths.map(|d| BezPath::from_svg(d).unwrap().area().abs()).collect();
            assert_eq!(areas.len(), pattern.panels.len());
            for (panel, area) in pattern.panels.iter().zip(areas) {
                let loops = panel.loops().map(|(_, edges)| crate::check::signed_area(&Panel::flatten(edges, 1e-7)));
                let wanted = 1e6 * loops.sum::<f64>();
                assert!((area / wanted - 1.0).abs() < 1e-6, "{} {}: {area} {wanted}", design.word(), panel.name);
            }
        }
    }

    #[test]
    fn names_cannot_break_the_markup() {
        let mut pattern = draft(Design::Tablecloth, &complete(Figure::Male, &Given::NONE), &Choices::new()).unwrap();
        "<&\">\u{1}".clone_into(&mut pattern.panels[0].name);
        let svg = to_svg(&pattern, &SheetOptions::default()).unwrap();
        assert!(svg.contains("id=\"&lt;&amp;&quot;&gt; \""));
    }
}
