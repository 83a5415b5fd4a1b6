//! Where panels hang that share a half of the body with others: side panels beside fronts, pieces below yokes.
//!
//! The panels of a half are laid out flat: the one with the centre and the neck first, each other beside or below one that it is sewn to,
//! with the middles of the seam together, and moved away from it until both are a little apart. The mark [`HANG`] keeps the result.

use kurbo::{Point, Vec2};

use crate::check::is_inside;
use crate::pattern::{EdgeRef, Mark, Panel, Pattern};
use crate::place::{HANG, HANG_FROM_NECK};
use crate::role::{Part, Side};

/// Space between panels [m]: the least, and the steps in which it grows.
const LEAST: f64 = 0.015;
const STEP: f64 = 0.01;
const STEPS: u32 = 20;

pub(super) fn lay_out(pattern: &mut Pattern) {
    for part in [Part::Front, Part::Back, Part::SkirtFront, Part::SkirtBack] {
        let panels: Vec<usize> = (0..pattern.panels.len()).filter(|i| pattern.panels[*i].part == part).collect();
        let sides = |side: Side| panels.iter().filter(|i| pattern.panels[**i].side == side).count();
        let usual = sides(Side::Left) <= 1 && sides(Side::Right) <= 1 && (sides(Side::Both) == 0 || panels.len() == 1);
        if !usual && panels.iter().all(|i| !pattern.panels[*i].marks.iter().any(|mark| mark.name == HANG)) {
            lay_out_half(pattern, part, &panels);
        }
    }
    lower_skirts(pattern);
}

/// Lets skirts hang below the bodice that they are sewn to, not from the waist.
fn lower_skirts(pattern: &mut Pattern) {
    let is_trunk = |part: Part| matches!(part, Part::Front | Part::Back);
    let is_skirt = |part: Part| matches!(part, Part::SkirtFront | Part::SkirtBack);
    let part = |edge: &EdgeRef| pattern.panels[edge.panel].part;
    let joins = |seam: &crate::pattern::Seam| {
        let mut all = seam.a.iter().chain(&seam.b).map(part);
        all.clone().any(is_trunk) && all.any(is_skirt)
    };
    if !pattern.seams.iter().any(joins) {
        return;
    }
    let height = |panel: &Panel| {
        let hung = panel.marks.iter().find(|mark| mark.name == HANG).map(|mark| mark.at.y);
        hung.unwrap_or(panel.bounds().y1) - panel.bounds().y0
    };
    let trunk = pattern.panels.iter().filter(|panel| is_trunk(panel.part)).map(height).fold(0.0, f64::max);
    for panel in pattern.panels.iter_mut().filter(|panel| is_skirt(panel.part)) {
        let hung = panel.marks.iter().find(|mark| mark.name == HANG).map(|mark| mark.at.y);
        let top = hung.unwrap_or(panel.bounds().y1);
        panel.marks.push(Mark { name: HANG_FROM_NECK.to_owned(), at: Point::new(0.0, top + trunk + LEAST) });
    }
}

/// The panels of one half of the body.
fn lay_out_half(pattern: &mut Pattern, part: Part, panels: &[usize]) {
    let behind = matches!(part, Part::Back | Part::SkirtBack);
    let mut offsets: Vec<(usize, Vec2)> = Vec::new();
    // Whole panels stand in the middle; of others, those nearest to the centre on either side come first.
    let root = |i: &&usize| pattern.panels[**i].side == Side::Both;
    let highest = |a: &&usize, b: &&usize| pattern.panels[**a].bounds().y1.total_cmp(&pattern.panels[**b].bounds().y1);
    let roots: Vec<usize> = match panels.iter().filter(root).max_by(highest) {
        Some(one) => vec![*one],
        None => [Side::Left, Side::Right]
            .into_iter()
            .filter_map(|side| {
                let own = panels.iter().filter(|i| pattern.panels[**i].side == side);
                // The one that touches x = 0.
                own.min_by(|a, b| inner(&pattern.panels[**a]).total_cmp(&inner(&pattern.panels[**b]))).copied()
            })
            .collect(),
    };
    for root in roots {
        let panel = &pattern.panels[root];
        let bounds = panel.bounds();
        let left = (panel.side == Side::Left) != behind;
        let x = match panel.side {
            Side::Both => 0.0,
            _ if left => 0.5 * LEAST - bounds.x0,
            _ => -0.5 * LEAST - bounds.x1,
        };
        offsets.push((root, Vec2::new(x, 0.0)));
    }
    let mut grown = true;
    while grown {
        grown = false;
        for seam in &pattern.seams {
            for (one, other) in [(&seam.a, &seam.b), (&seam.b, &seam.a)] {
                let (Some(p), Some(q)) = (one.first(), other.first()) else { continue };
                let Some((_, at)) = offsets.iter().find(|(i, _)| *i == p.panel).copied() else { continue };
                let new = panels.contains(&q.panel) && !offsets.iter().any(|(i, _)| *i == q.panel);
                if new {
                    let offset = beside(pattern, (one, at), other, &offsets);
                    offsets.push((q.panel, offset));
                    grown = true;
                }
            }
        }
    }
    let top = offsets.iter().map(|(i, at)| pattern.panels[*i].bounds().y1 + at.y).fold(f64::NEG_INFINITY, f64::max);
    for (i, at) in offsets {
        let mark = Mark { name: HANG.to_owned(), at: Point::new(-at.x, top - at.y) };
        pattern.panels[i].marks.push(mark);
    }
}

/// Least distance of a panel from x = 0 [m].
fn inner(panel: &Panel) -> f64 {
    let bounds = panel.bounds();
    if bounds.x0 <= 0.0 && bounds.x1 >= 0.0 { 0.0 } else { bounds.x0.abs().min(bounds.x1.abs()) }
}

/// Where a panel goes that is sewn with `other` to the chain `one` of a panel that is moved by `at`.
fn beside(pattern: &Pattern, (one, at): (&[EdgeRef], Vec2), other: &[EdgeRef], placed: &[(usize, Vec2)]) -> Vec2 {
    let middle = |chain: &[EdgeRef]| {
        let ends = chain.iter().filter_map(|edge| pattern.panels[edge.panel].segment(edge.edge));
        let all: Vec<Point> = ends.flat_map(|segment| [segment.start, segment.at_fraction(0.5), segment.end]).collect();
        all.iter().fold(Vec2::ZERO, |sum, p| sum + p.to_vec2()) / all.len().max(1) as f64
    };
    let outwards = |chain: &[EdgeRef]| {
        let mut sum = Vec2::ZERO;
        for segment in chain.iter().filter_map(|edge| pattern.panels[edge.panel].segment(edge.edge)) {
            let way = segment.end - segment.start;
            sum += Vec2::new(way.y, -way.x);
        }
        sum / sum.hypot().max(1e-9)
    };
    // Straight aside or straight down.
    let out = outwards(one);
    let out = if out.x.abs() > out.y.abs() { Vec2::new(out.x.signum(), 0.0) } else { Vec2::new(0.0, out.y.signum()) };
    let meet = middle(one) + at - middle(other);
    let moved = |panel: usize, by: Vec2| -> Vec<Point> {
        Panel::flatten(&pattern.panels[panel].outline, 1e-3).into_iter().map(|p| p + by).collect()
    };
    let panel = other[0].panel;
    let others: Vec<Vec<Point>> = placed.iter().map(|(i, by)| moved(*i, *by)).collect();
    for step in 0..STEPS {
        let offset = meet + (LEAST + STEP * f64::from(step)) * out;
        let own = moved(panel, offset);
        if others.iter().all(|other| are_apart(&own, other)) {
            return offset;
        }
    }
    meet + (LEAST + STEP * f64::from(STEPS)) * out
}

/// Whether no corner of either polygon is inside the other or nearer to it than half the least space.
fn are_apart(p: &[Point], q: &[Point]) -> bool {
    let near = |point: &Point, polygon: &[Point]| {
        (0..polygon.len()).any(|i| {
            let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            let along = b - a;
            let t = ((*point - a).dot(along) / along.hypot2().max(1e-300)).clamp(0.0, 1.0);
            point.distance(a + t * along) < 0.5 * LEAST
        })
    };
    let clear = |p: &[Point], q: &[Point]| p.iter().all(|point| !is_inside(*point, q) && !near(point, q));
    clear(p, q) && clear(q, p)
}
