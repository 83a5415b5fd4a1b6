//! [`Chart`]: values over one variable, as lines or as areas stacked on each other.

use std::fmt::Write;

use crate::markup::escaped;
use crate::plot::axis::Axis;
use crate::plot::{Svg, series_colour};

const WIDTH: f64 = 720.0;
const PLOT_HEIGHT: f64 = 260.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 16.0;

/// Curves with more points than this are thinned to the extremes of each stretch: no more can be seen.
const MOST_POINTS: usize = 1600;

/// How an axis counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors; values that are not positive are left out.
    Log,
}

/// How series are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// A line each; gaps where values are not finite.
    #[default]
    Lines,
    /// Areas stacked on each other. All series share the x values of the first; missing values count as zero.
    Stacked,
}

/// One curve.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// Name in the legend.
    pub label: String,
    /// Points `[x, y]` in the order they are joined.
    pub points: Vec<[f64; 2]>,
}

impl Series {
    /// A series of values at 0, 1, 2, …
    pub fn counted(label: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let points = values.into_iter().enumerate().map(|(i, y)| [i as f64, y]).collect();
        Self { label: label.into(), points }
    }
}

/// Values over one variable.
///
/// ```
/// use toile_view::plot::{Chart, Series};
/// let energy = Series::counted("kinetic", [0.0, 2.0, 1.5, 0.3]);
/// let chart = Chart { title: "Energy".into(), y_label: "energy [J]".into(), series: vec![energy], ..Chart::default() };
/// assert!(chart.to_svg().as_str().starts_with("<svg"));
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chart {
    /// Heading, also read out by screen readers.
    pub title: String,
    /// Name and unit of x, as `"time [s]"`.
    pub x_label: String,
    /// Name and unit of y.
    pub y_label: String,
    /// Scale of y; stacked charts are always linear.
    pub y_scale: Scale,
    /// Lines or areas.
    pub style: Style,
    /// The curves.
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart as SVG.
    pub fn to_svg(&self) -> Svg {
        let curves = match self.style {
            Style::Lines => self.series.iter().map(|s| s.points.clone()).collect(),
            Style::Stacked => stacked(&self.series),
        };
        let mut legend = String::new();
        let top = 34.0 + self.draw_legend(&mut legend);
        let height = top + PLOT_HEIGHT + 50.0;
        let all = || curves.iter().flatten();
        let x = Axis::new(all().map(|p| p[0]), Scale::Linear, false, [LEFT, WIDTH - RIGHT]);
        let is_stacked = self.style == Style::Stacked;
        let scale = if is_stacked { Scale::Linear } else { self.y_scale };
        let y = Axis::new(all().map(|p| p[1]), scale, true, [top + PLOT_HEIGHT, top]).with_air();
        let mut out = opening(&self.title, height);
        out.push_str(&legend);
        self.draw_axes(&mut out, &x, &y, top);
        for k in (0..curves.len()).rev() {
            if is_stacked {
                draw_area(&mut out, &curves[k], k.checked_sub(1).map(|below| &curves[below]), k, [&x, &y]);
            }
        }
        for (k, curve) in curves.iter().enumerate().filter(|_| !is_stacked) {
            draw_line(&mut out, curve, k, [&x, &y]);
        }
        out.push_str("</svg>");
        Svg(out)
    }

    /// Draws the legend below the title; returns its height [px].
    fn draw_legend(&self, out: &mut String) -> f64 {
        let (mut x, mut y) = (LEFT, 40.0);
        let named: Vec<(usize, &Series)> =
            self.series.iter().enumerate().filter(|(_, s)| !s.label.is_empty()).collect();
        for (k, series) in &named {
            let width = 34.0 + 7.0 * series.label.chars().count() as f64;
            if x + width > WIDTH - RIGHT && x > LEFT {
                (x, y) = (LEFT, y + 18.0);
            }
            let colour = series_colour(*k);
            let sign = match self.style {
                Style::Lines => format!(
                    r#"<path d="M{x:.0} {y:.0}h20" stroke="{colour}" stroke-width="2.5"{} fill="none"/>"#,
                    dashes(*k)
                ),
                Style::Stacked => {
                    format!(r#"<rect x="{x:.0}" y="{:.0}" width="20" height="10" fill="{colour}"/>"#, y - 5.0)
                }
            };
            let label = escaped(&series.label);
            let _ = writeln!(out, r#"{sign}<text x="{:.0}" y="{:.0}">{label}</text>"#, x + 26.0, y + 4.0);
            x += width + 8.0;
        }
        if named.is_empty() { 0.0 } else { y - 40.0 + 20.0 }
    }

    fn draw_axes(&self, out: &mut String, x: &Axis, y: &Axis, top: f64) {
        let bottom = top + PLOT_HEIGHT;
        for (value, text) in y.ticks(6) {
            let Some(py) = y.place(value) else { continue };
            let (right, left) = (WIDTH - RIGHT, LEFT - 8.0);
            let _ = writeln!(
                out,
                r#"<path d="M{LEFT} {py:.1}H{right}" stroke="currentColor" stroke-opacity=".14"/><text x="{left}" y="{:.1}" text-anchor="end">{}</text>"#,
                py + 4.0,
                escaped(&text)
            );
        }
        for (value, text) in x.ticks(8) {
            let Some(px) = x.place(value) else { continue };
            let _ = writeln!(
                out,
                r#"<path d="M{px:.1} {bottom}v5" stroke="currentColor" stroke-opacity=".6"/><text x="{px:.1}" y="{:.0}" text-anchor="middle">{}</text>"#,
                bottom + 19.0,
                escaped(&text)
            );
        }
        let _ = writeln!(
            out,
            r#"<path d="M{LEFT} {bottom}H{}" stroke="currentColor" stroke-opacity=".6"/>"#,
            WIDTH - RIGHT
        );
        let middle = 0.5 * (LEFT + WIDTH - RIGHT);
        let _ = writeln!(
            out,
            r#"<text x="{middle:.0}" y="{:.0}" text-anchor="middle">{}</text>"#,
            bottom + 40.0,
            escaped(&self.x_label)
        );
        let half = top + 0.5 * PLOT_HEIGHT;
        let _ = writeln!(
            out,
            r#"<text transform="translate(14 {half:.0}) rotate(-90)" text-anchor="middle">{}</text>"#,
            escaped(&self.y_label)
        );
    }
}

/// The opening tag with title, for a drawing of the common width.
pub(super) fn opening(title: &str, height: f64) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{title}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"currentColor\">\n<title>{title}</title>\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"15\" font-weight=\"600\">{title}</text>\n"
    )
}

fn dashes(k: usize) -> &'static str {
    ["", r#" stroke-dasharray="7 3""#, r#" stroke-dasharray="2 3""#, r#" stroke-dasharray="9 3 2 3""#][k % 4]
}

fn draw_line(out: &mut String, curve: &[[f64; 2]], k: usize, [x, y]: [&Axis; 2]) {
    let mut path = String::new();
    let mut is_joined = false;
    for p in thinned(curve) {
        match (x.place(p[0]), y.place(p[1])) {
            (Some(px), Some(py)) => {
                let _ = write!(path, "{}{px:.1} {py:.1}", if is_joined { "L" } else { "M" });
                is_joined = true;
            }
            _ => is_joined = false,
        }
    }
    if !path.is_empty() {
        let (colour, dashes) = (series_colour(k), dashes(k));
        let _ = writeln!(
            out,
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"{dashes}/>"#
        );
    }
}

fn draw_area(out: &mut String, top: &[[f64; 2]], below: Option<&Vec<[f64; 2]>>, k: usize, [x, y]: [&Axis; 2]) {
    let mut path = String::new();
    let base = |i: usize| below.map_or(0.0, |b| b[i][1]);
    let lower = (0..top.len()).rev().map(|i| [top[i][0], base(i)]);
    for (i, p) in top.iter().copied().chain(lower).enumerate() {
        if let (Some(px), Some(py)) = (x.place(p[0]), y.place(p[1])) {
            let _ = write!(path, "{}{px:.1} {py:.1}", if i == 0 { "M" } else { "L" });
        }
    }
    if !path.is_empty() {
        let _ = writeln!(out, r#"<path d="{path}Z" fill="{}" fill-opacity=".85"/>"#, series_colour(k));
    }
}

/// Running sums of the series over the x values of the first.
fn stacked(series: &[Series]) -> Vec<Vec<[f64; 2]>> {
    let xs: Vec<f64> = series.first().map_or(Vec::new(), |s| s.points.iter().map(|p| p[0]).collect());
    // Long runs are averaged over equal stretches first; the sums of the means are the means of the sums.
    let stride = xs.len().div_ceil(MOST_POINTS / 2).max(1);
    let mut total = vec![0.0; xs.len().div_ceil(stride)];
    let sums = series.iter().map(|s| {
        let value = |i: usize| s.points.get(i).map(|p| p[1]).filter(|y| y.is_finite()).unwrap_or(0.0);
        let sum = |(j, total): (usize, &mut f64)| {
            let stretch = j * stride..((j + 1) * stride).min(xs.len());
            let count = stretch.len() as f64;
            *total += stretch.map(value).sum::<f64>() / count;
            [xs[j * stride], *total]
        };
        total.iter_mut().enumerate().map(sum).collect()
    });
    sums.collect()
}

/// At most about [`MOST_POINTS`] points: of each stretch the first, the lowest and the highest, in order.
fn thinned(curve: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if curve.len() <= MOST_POINTS {
        return curve.to_vec();
    }
    let stride = curve.len().div_ceil(MOST_POINTS / 3);
    let mut out = Vec::with_capacity(MOST_POINTS + 3);
    for stretch in curve.chunks(stride) {
        let by_y = |a: &usize, b: &usize| stretch[*a][1].total_cmp(&stretch[*b][1]);
        let lowest = (0..stretch.len()).min_by(by_y).unwrap_or(0);
        let highest = (0..stretch.len()).max_by(by_y).unwrap_or(0);
        let mut keep = [0, lowest, highest];
        keep.sort_unstable();
        out.extend(keep.iter().enumerate().filter(|(i, k)| *i == 0 || keep[i - 1] != **k).map(|(_, k)| stretch[*k]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(series: Vec<Series>) -> Chart {
        Chart { title: "a < b & \"c\"".into(), y_label: "E [J]".into(), series, ..Chart::default() }
    }

    #[test]
    fn texts_are_escaped() {
        let svg = chart(vec![Series::counted("<script>", [1.0, 2.0])]).to_svg();
        assert!(svg.as_str().contains("a &lt; b &amp; &quot;c&quot;") && !svg.as_str().contains("<script"));
    }

    #[test]
    fn a_gap_splits_the_line() {
        let svg = chart(vec![Series::counted("s", [1.0, 2.0, f64::NAN, 3.0, 4.0])]).to_svg();
        let path = svg.as_str().lines().find(|l| l.contains("stroke-linejoin")).unwrap();
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 2));
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let mut curve: Vec<[f64; 2]> = (0..50_000).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
        curve[31_234][1] = 99.0;
        curve[7_001][1] = -5.0;
        let thin = thinned(&curve);
        assert!(thin.len() <= MOST_POINTS + 3);
        assert!(thin.contains(&[31_234.0, 99.0]) && thin.contains(&[7_001.0, -5.0]));
        assert!(thin.is_sorted_by(|a, b| a[0] < b[0]));
    }

    #[test]
    fn stacking_adds_up() {
        let sums = stacked(&[Series::counted("a", [1.0, 2.0]), Series::counted("b", [10.0, f64::NAN])]);
        assert_eq!(sums, [vec![[0.0, 1.0], [1.0, 2.0]], vec![[0.0, 11.0], [1.0, 2.0]]]);
    }

    #[test]
    fn empty_and_wild_charts_are_drawn() {
        for style in [Style::Lines, Style::Stacked] {
            for values in [vec![], vec![f64::INFINITY, 1e308, -1e308], vec![0.0; 3]] {
                for y_scale in [Scale::Linear, Scale::Log] {
                    let mut c = chart(vec![Series::counted("s", values.clone())]);
                    (c.style, c.y_scale) = (style, y_scale);
                    let svg = c.to_svg();
                    assert!(!svg.as_str().contains("NaN") && !svg.as_str().contains("inf"));
                }
            }
        }
    }
}
