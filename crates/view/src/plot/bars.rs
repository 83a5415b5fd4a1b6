//! [`BarChart`]: named amounts, as the time spent in each phase.

use std::fmt::Write;

use crate::markup::escaped;
use crate::number::short;
use crate::plot::chart::opening;
use crate::plot::{Svg, series_colour};

/// Named amounts as horizontal bars with their value and share.
///
/// ```
/// use toile_view::plot::BarChart;
/// let chart = BarChart { title: "Time".into(), unit: "s".into(), bars: vec![("collide".into(), 3.0), ("solve".into(), 1.0)] };
/// assert!(chart.to_svg().as_str().contains("3 s (75 %)"));
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BarChart {
    /// Heading, also read out by screen readers.
    pub title: String,
    /// Unit of the amounts, as `"s"`; may be empty.
    pub unit: String,
    /// Names and amounts, drawn in this order; what is not finite or negative counts as zero.
    pub bars: Vec<(String, f64)>,
}

impl BarChart {
    /// The chart as SVG.
    pub fn to_svg(&self) -> Svg {
        let amount = |v: f64| if v.is_finite() { v.max(0.0) } else { 0.0 };
        let largest = self.bars.iter().map(|b| amount(b.1)).fold(0.0, f64::max);
        let total: f64 = self.bars.iter().map(|b| amount(b.1)).sum();
        let longest = self.bars.iter().map(|b| b.0.chars().count()).max().unwrap_or(0);
        let left = (24.0 + 7.2 * longest as f64).clamp(80.0, 300.0);
        let room = 720.0 - left - 140.0;
        let mut out = opening(&self.title, 44.0 + 26.0 * self.bars.len() as f64);
        for (k, (name, value)) in self.bars.iter().enumerate() {
            let (y, value) = (36.0 + 26.0 * k as f64, amount(*value));
            let width = if largest > 0.0 { value / largest * room } else { 0.0 };
            let share = if total > 0.0 { 100.0 * value / total } else { 0.0 };
            let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
            let text = format!("{}{unit} ({} %)", short(value, 3), short(share, 2));
            let _ = writeln!(
                out,
                r#"<text x="{:.0}" y="{:.0}" text-anchor="end">{}</text><rect x="{left:.0}" y="{y:.0}" width="{width:.1}" height="18" rx="2" fill="{}"/><text x="{:.1}" y="{:.0}">{}</text>"#,
                left - 8.0,
                y + 13.5,
                escaped(name),
                series_colour(k),
                left + width + 8.0,
                y + 13.5,
                escaped(&text)
            );
        }
        out.push_str("</svg>");
        Svg(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_bar_fills_the_room_and_bad_amounts_are_empty() {
        let bars = vec![("a&b".to_owned(), 2.0), ("c".to_owned(), 1.0), ("d".to_owned(), f64::NAN)];
        let svg = BarChart { title: "t".into(), unit: "ms".into(), bars }.to_svg();
        let width = |n: usize| -> f64 {
            let rect = svg.as_str().split("<rect").nth(n).unwrap();
            rect.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert!((width(1) - 2.0 * width(2)).abs() < 0.11 && width(3) == 0.0);
        assert!(svg.as_str().contains("a&amp;b") && !svg.as_str().contains("NaN"));
    }
}
