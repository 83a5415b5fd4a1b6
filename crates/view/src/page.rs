//! [`Page`]: a self-contained HTML document, without scripts and without references to anything outside.
//!
//! Pictures are embedded as `data:` addresses, charts as inline SVG. All text is escaped. The page follows the
//! reader's light or dark setting and the width of the screen. Everything it needs is in its own bytes, and it forbids
//! the browser to fetch more.

use std::fmt::Write;

use crate::markup::escaped;
use crate::plot::Svg;

pub use crate::markup::base64;

const STYLE: &str = include_str!("page.css");

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All is well: green.
    Good,
    /// Finished, with something to look at: amber.
    Doubtful,
    /// Failed: red.
    Bad,
}

/// Kind of an embedded picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Media {
    /// PNG, also animated.
    Png,
    /// GIF.
    Gif,
}

/// A document that grows from top to bottom.
///
/// ```
/// use toile_view::page::{Page, Verdict};
/// let mut page = Page::new("Drape of a cotton square");
/// page.verdict(Verdict::Good, "settled, no intersections");
/// page.section("Numbers").table(&["quantity", "value"], &[["largest strain", "3.1 %"]]);
/// let html = page.to_html();
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("settled"));
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    head: String,
    body: String,
    is_in_section: bool,
}

impl Page {
    /// An empty page with a title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), head: String::new(), body: String::new(), is_in_section: false }
    }

    /// A line under the title.
    pub fn subtitle(&mut self, text: &str) -> &mut Self {
        let _ = writeln!(self.head, "<p class=\"subtitle\">{}</p>", escaped(text));
        self
    }

    /// A badge under the title: the outcome in a few words.
    pub fn verdict(&mut self, verdict: Verdict, text: &str) -> &mut Self {
        let (class, sign) = match verdict {
            Verdict::Good => ("good", "✓"),
            Verdict::Doubtful => ("doubtful", "!"),
            Verdict::Bad => ("bad", "✕"),
        };
        let text = escaped(text);
        let _ = writeln!(self.head, "<p class=\"verdict {class}\"><span aria-hidden=\"true\">{sign}</span> {text}</p>");
        self
    }

    /// Starts a section.
    pub fn section(&mut self, heading: &str) -> &mut Self {
        self.close_section();
        self.is_in_section = true;
        let _ = writeln!(self.body, "<section>\n<h2>{}</h2>", escaped(heading));
        self
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        let _ = writeln!(self.body, "<p>{}</p>", escaped(text));
        self
    }

    /// A picture in its file bytes. `alt` says what it shows to those who cannot see it; an empty caption is left out.
    pub fn picture(&mut self, media: Media, bytes: &[u8], alt: &str, caption: &str) -> &mut Self {
        let kind = match media {
            Media::Png => "png",
            Media::Gif => "gif",
        };
        let image = format!("<img alt=\"{}\" src=\"data:image/{kind};base64,{}\">", escaped(alt), base64(bytes));
        self.figure(&image, caption)
    }

    /// A drawing as SVG text, shown as a picture: nothing in it can reach the page. An empty caption is left out.
    pub fn drawing(&mut self, svg: &str, alt: &str, caption: &str) -> &mut Self {
        let source = base64(svg.as_bytes());
        let image = format!("<img alt=\"{}\" src=\"data:image/svg+xml;base64,{source}\">", escaped(alt));
        self.figure(&image, caption)
    }

    /// A chart; an empty caption is left out.
    pub fn chart(&mut self, svg: &Svg, caption: &str) -> &mut Self {
        self.figure(svg.as_str(), caption)
    }

    /// A table. Columns that hold only numbers (with units) are aligned to the right; short rows are filled up with
    /// empty cells.
    pub fn table<R, C>(&mut self, header: &[&str], rows: &[R]) -> &mut Self
    where
        R: AsRef<[C]>,
        C: AsRef<str>,
    {
        let columns = rows.iter().map(|r| r.as_ref().len()).max().unwrap_or(0).max(header.len());
        let cell = |row: &R, k: usize| row.as_ref().get(k).map_or(String::new(), |c| c.as_ref().to_owned());
        let classes: Vec<&str> = (0..columns)
            .map(|k| {
                let texts: Vec<String> = rows.iter().map(|r| cell(r, k)).filter(|t| !t.is_empty()).collect();
                let is_number = !texts.is_empty() && texts.iter().all(|t| starts_like_a_number(t));
                if is_number { " class=\"number\"" } else { "" }
            })
            .collect();
        self.body.push_str("<div class=\"wide\"><table>\n<thead><tr>");
        for (k, class) in classes.iter().enumerate() {
            let text = escaped(header.get(k).unwrap_or(&""));
            let _ = write!(self.body, "<th scope=\"col\"{class}>{text}</th>");
        }
        self.body.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.body.push_str("<tr>");
            for (k, class) in classes.iter().enumerate() {
                let _ = write!(self.body, "<td{class}>{}</td>", escaped(&cell(row, k)));
            }
            self.body.push_str("</tr>\n");
        }
        self.body.push_str("</tbody></table></div>\n");
        self
    }

    /// Text with its spaces and line breaks, as a scene file.
    pub fn preformatted(&mut self, text: &str) -> &mut Self {
        let _ = writeln!(self.body, "<pre tabindex=\"0\">{}</pre>", escaped(text));
        self
    }

    /// Preformatted text that is folded away until its summary is opened.
    pub fn folded(&mut self, summary: &str, text: &str) -> &mut Self {
        let _ = writeln!(self.body, "<details><summary>{}</summary>", escaped(summary));
        self.preformatted(text).body.push_str("</details>\n");
        self
    }

    /// The whole document.
    pub fn to_html(&self) -> String {
        let title = escaped(&self.title);
        let end = if self.is_in_section { "</section>\n" } else { "" };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header>\n<h1>{title}</h1>\n{head}</header>\n{body}{end}</main>\n</body>\n</html>\n",
            head = self.head,
            body = self.body,
        )
    }

    fn figure(&mut self, content: &str, caption: &str) -> &mut Self {
        let caption =
            if caption.is_empty() { String::new() } else { format!("<figcaption>{}</figcaption>", escaped(caption)) };
        let _ = writeln!(self.body, "<figure>{content}{caption}</figure>");
        self
    }

    fn close_section(&mut self) {
        if self.is_in_section {
            self.body.push_str("</section>\n");
        }
    }
}

fn starts_like_a_number(text: &str) -> bool {
    text.trim_start_matches(['-', '+', '−', '<', '>', '≤', '≥', ' ']).starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Chart, Series};
    use proptest::prelude::*;

    /// Opening and closing tags must match like brackets; returns the names of all tags.
    fn check_nesting(html: &str) -> Vec<String> {
        let (mut open, mut seen) = (Vec::new(), Vec::new());
        for tag in html.split('<').skip(1).map(|t| t.split('>').next().unwrap()) {
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            if tag.starts_with('/') {
                assert_eq!(open.pop().as_ref(), Some(&name));
            } else if !tag.starts_with('!') && !tag.ends_with('/') && !["meta", "img"].contains(&name.as_str()) {
                open.push(name.clone());
            }
            seen.push(name);
        }
        assert!(open.is_empty(), "left open: {open:?}");
        seen
    }

    fn full_page(text: &str) -> String {
        let chart = Chart { title: text.into(), series: vec![Series::counted(text, [1.0, 2.0])], ..Chart::default() };
        let mut page = Page::new(text);
        page.subtitle(text).verdict(Verdict::Doubtful, text);
        page.section(text)
            .paragraph(text)
            .picture(Media::Png, b"abc", text, text)
            .drawing("<svg/>", text, text)
            .chart(&chart.to_svg(), text);
        page.section(text).table(&[text, text], &[[text]]).preformatted(text).folded(text, text);
        page.to_html()
    }

    #[test]
    fn the_page_is_well_formed_and_asks_for_nothing_outside() {
        let html = full_page("plain");
        let tags = check_nesting(&html);
        assert!(tags.iter().all(|t| t != "script" && t != "link" && t != "iframe"));
        assert!(html.contains("src=\"data:image/png;base64,YWJj\""));
        assert_eq!(html.matches("http").count(), html.matches("http-equiv").count() + html.matches("xmlns=").count());
        assert_eq!(html.matches("<td").count(), 2, "short rows are filled up");
    }

    #[test]
    fn numbers_are_recognized() {
        assert!(["3.1 %", "-2", "≤ 5"].into_iter().all(starts_like_a_number));
        assert!(["", "-", "cotton 3"].into_iter().all(|t| !starts_like_a_number(t)));
    }

    proptest! {
        #[test]
        fn no_text_can_break_out(text in any::<String>()) {
            check_nesting(&full_page(&text));
        }
    }
}
