//! [`Pattern::whole`]: every piece of cloth drawn, nothing left to fold or to mirror.
//!
//! A panel on the fold becomes one panel with both halves; a pair becomes two panels. The names of what was drawn and of its
//! mirror image end in `_left` and `_right`. A seam of doubled panels becomes two, one per side. A seam whose two chains
//! are the same, as in the centre back of trousers, sews a chain to its mirror image.
//!
//! In a mirror image outlines run backwards, so that the chains of a mirrored seam change places: what ran along the
//! outline runs against it.

use kurbo::{Affine, Vec2};

use crate::curve::Curve;
use crate::fault::{Fault, Problem};
use crate::pattern::{Cut, Edge, EdgeRef, Mark, Notch, Panel, Pattern, Seam};
use crate::role::Side;

/// Where a drawn edge went: its number as drawn and as mirrored.
#[derive(Clone, Copy)]
struct Twins {
    drawn: EdgeRef,
    mirrored: EdgeRef,
}

impl Pattern {
    /// The pattern with every panel cut once. Fails where a fold is no straight edge, or a seam joins a doubled panel to one that
    /// is cut once.
    pub fn whole(&self) -> Result<Self, Vec<Fault>> {
        let mut whole = Self { name: self.name.clone(), ..Self::default() };
        let mut twins: Vec<Vec<Option<Twins>>> = Vec::new();
        let mut faults = Vec::new();
        for panel in &self.panels {
            match &panel.cut {
                Cut::Single => {
                    let number = whole.panels.len();
                    let same = |edge| EdgeRef { panel: number, edge };
                    twins.push(
                        (0..panel.edge_count()).map(|e| Some(Twins { drawn: same(e), mirrored: same(e) })).collect(),
                    );
                    whole.panels.push(panel.clone());
                }
                Cut::Pair => twins.push(add_pair(&mut whole, panel)),
                Cut::Fold(fold) => match unfold(panel, fold) {
                    Ok((unfolded, numbers)) => {
                        let number = whole.panels.len();
                        let at = |edge| EdgeRef { panel: number, edge };
                        let refer =
                            |pair: Option<[usize; 2]>| pair.map(|[d, m]| Twins { drawn: at(d), mirrored: at(m) });
                        twins.push(numbers.into_iter().map(refer).collect());
                        whole.panels.push(unfolded);
                    }
                    Err(fault) => {
                        faults.push(*fault);
                        twins.push(Vec::new());
                    }
                },
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        for seam in &self.seams {
            if let Err(fault) = self.double_seam(seam, &twins, &mut whole) {
                faults.push(*fault);
            }
        }
        if faults.is_empty() { Ok(whole) } else { Err(faults) }
    }

    fn double_seam(&self, seam: &Seam, twins: &[Vec<Option<Twins>>], whole: &mut Self) -> Result<(), Box<Fault>> {
        let fail = |problem: Problem| Box::new(Fault::new(problem).in_seam(&seam.name));
        let find = |edge: &EdgeRef| -> Result<Twins, Box<Fault>> {
            let known = twins.get(edge.panel).and_then(|panel| panel.get(edge.edge));
            let twins = known.ok_or_else(|| fail(Problem::MissingEdge { edge: self.edge_name(*edge) }))?;
            twins.ok_or_else(|| fail(Problem::SewnFold { edge: self.edge_name(*edge) }))
        };
        let chain = |edges: &[EdgeRef]| edges.iter().map(find).collect::<Result<Vec<Twins>, _>>();
        let (a, b) = (chain(&seam.a)?, chain(&seam.b)?);
        let drawn = |chain: &[Twins]| chain.iter().map(|twins| twins.drawn).collect::<Vec<_>>();
        let mirrored = |chain: &[Twins]| chain.iter().map(|twins| twins.mirrored).collect::<Vec<_>>();
        let doubled = a.iter().chain(&b).filter(|twins| twins.drawn != twins.mirrored).count();
        if doubled == 0 {
            whole.seams.push(Seam { a: drawn(&a), b: drawn(&b), ..seam.clone() });
            return Ok(());
        }
        if doubled < a.len() + b.len() {
            return Err(fail(Problem::HalfDoubledSeam));
        }
        if seam.a == seam.b {
            whole.seams.push(Seam { a: drawn(&a), b: mirrored(&a), ..seam.clone() });
            return Ok(());
        }
        let side = seam.a.first().map_or(Side::Left, |edge| self.panels[edge.panel].side);
        let name = |side| sided(&seam.name, side);
        whole.seams.push(Seam { name: name(side), a: drawn(&a), b: drawn(&b), ..seam.clone() });
        let ratio = seam.ratio.map(|ratio| 1.0 / ratio);
        whole.seams.push(Seam { name: name(side.opposite()), a: mirrored(&b), b: mirrored(&a), ratio, ..seam.clone() });
        Ok(())
    }
}

/// `name_left` or `name_right`; a drawing that names no side counts as the left one.
fn sided(name: &str, side: Side) -> String {
    let side = if side == Side::Both { Side::Left } else { side };
    format!("{name}_{}", side.word())
}

/// The side of the drawing and that of its mirror image.
fn sides(panel: &Panel) -> [Side; 2] {
    let drawn = if panel.side == Side::Both { Side::Left } else { panel.side };
    [drawn, drawn.opposite()]
}

fn add_pair(whole: &mut Pattern, panel: &Panel) -> Vec<Option<Twins>> {
    let number = whole.panels.len();
    let [side, other] = sides(panel);
    let drawn = Panel { cut: Cut::Single, side, name: sided(&panel.name, side), ..panel.clone() };
    let mut mirrored = Panel { side: other, name: sided(&panel.name, other), ..drawn.clone() };
    mirrored.transform(Affine::FLIP_X);
    mirrored.placement = panel.placement.map(|placement| placement.mirrored());
    whole.panels.extend([drawn, mirrored]);
    let twins = |edge| Twins {
        drawn: EdgeRef { panel: number, edge },
        mirrored: EdgeRef { panel: number + 1, edge: panel.mirrored_edge(edge) },
    };
    (0..panel.edge_count()).map(|edge| Some(twins(edge))).collect()
}

/// The panel with its mirror image beyond the fold, and for each drawn edge the numbers it and its image have.
type Unfolded = (Panel, Vec<Option<[usize; 2]>>);

fn unfold(panel: &Panel, fold: &str) -> Result<Unfolded, Box<Fault>> {
    let fail = |problem: Problem| Box::new(Fault::new(problem).on(&panel.name, fold));
    let position = panel.outline.iter().position(|edge| edge.name == fold);
    let at = position.ok_or_else(|| fail(Problem::MissingEdge { edge: format!("{}.{fold}", panel.name) }))?;
    let line = panel.segment(at).filter(|line| line.curve == Curve::Line && line.length() > 0.0);
    let line = line.ok_or_else(|| fail(Problem::CurvedFold))?;
    let map = reflection(line.start.to_vec2(), line.end - line.start);
    let [side, other] = sides(panel);
    let count = panel.outline.len();
    // Counter-clockwise from the end of the fold to its start, and back along the mirror image.
    let half: Vec<Edge> = (1..count).map(|k| panel.outline[(at + k) % count].clone()).collect();
    let mut image = half.clone();
    image.push(Edge::new("", line.start, Curve::Line));
    crate::pattern::reverse(&mut image, map);
    // Reversed, the closing edge comes first and is the fold itself.
    image.remove(0);
    let mut numbers = vec![None; panel.edge_count()];
    let kept = count - 1;
    for k in 0..kept {
        numbers[(at + 1 + k) % count] = Some([k, 2 * kept - 1 - k]);
    }
    let rename = |mut edges: Vec<Edge>, side: Side| {
        for edge in &mut edges {
            edge.name = sided(&edge.name, side);
        }
        edges
    };
    let mut unfolded = Panel { cut: Cut::Single, side: Side::Both, ..panel.clone() };
    unfolded.outline = rename(half, side);
    unfolded.outline.extend(rename(image, other));
    let mut first = count;
    let mut next = 2 * kept;
    unfolded.holes.clear();
    for hole in &panel.holes {
        let mut image = hole.clone();
        crate::pattern::reverse(&mut image, map);
        for k in 0..hole.len() {
            numbers[first + k] = Some([next + k, next + 2 * hole.len() - 1 - k]);
        }
        first += hole.len();
        next += 2 * hole.len();
        unfolded.holes.push(rename(hole.clone(), side));
        unfolded.holes.push(rename(image, other));
    }
    mirror_marks(&mut unfolded, panel, map, &numbers);
    Ok((unfolded, numbers))
}

/// Doubles notches, lines and marks, and lays the grainline of a half onto the whole.
fn mirror_marks(unfolded: &mut Panel, panel: &Panel, map: Affine, numbers: &[Option<[usize; 2]>]) {
    let [side, other] = sides(panel);
    unfolded.notches.clear();
    for notch in &panel.notches {
        if let Some([drawn, mirrored]) = numbers.get(notch.edge).copied().flatten() {
            unfolded.notches.push(Notch { edge: drawn, at: notch.at });
            unfolded.notches.push(Notch { edge: mirrored, at: 1.0 - notch.at });
        }
    }
    unfolded.lines.clone_from(&panel.lines);
    unfolded.lines.extend(panel.lines.iter().map(|line| {
        let points = line.points.iter().map(|point| map * *point).collect();
        crate::pattern::InternalLine { name: line.name.clone(), points }
    }));
    unfolded.marks.clear();
    for mark in &panel.marks {
        unfolded.marks.push(Mark { name: sided(&mark.name, side), at: mark.at });
        unfolded.marks.push(Mark { name: sided(&mark.name, other), at: map * mark.at });
    }
}

/// Reflection in the line through `point` along `along`, which is not zero.
fn reflection(point: Vec2, along: Vec2) -> Affine {
    let u = along / along.hypot();
    let (c, s) = (u.x * u.x - u.y * u.y, 2.0 * u.x * u.y);
    Affine::translate(point) * Affine::new([c, s, s, -c, 0.0, 0.0]) * Affine::translate(-point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurbo::Point;

    fn half() -> Panel {
        let p = Point::new;
        let outline = vec![
            Edge::new("hem", p(0.0, 0.0), Curve::Line),
            Edge::new("side", p(0.3, 0.0), Curve::Line),
            Edge::new("top", p(0.25, 0.5), Curve::Arc(0.2)),
            Edge::new("centre", p(0.0, 0.4), Curve::Line),
        ];
        let mut panel = Panel { cut: Cut::Fold("centre".into()), ..Panel::new("front", outline) };
        panel.notches.push(Notch { edge: 1, at: 0.25 });
        panel
    }

    #[test]
    fn a_panel_on_the_fold_doubles_its_area_and_keeps_its_turn() {
        let pattern = Pattern { panels: vec![half()], ..Pattern::default() };
        let whole = pattern.whole().unwrap();
        let area = |panel: &Panel| crate::check::signed_area(&Panel::flatten(&panel.outline, 1e-5));
        assert!((area(&whole.panels[0]) - 2.0 * area(&half())).abs() < 1e-8);
        let names: Vec<_> = whole.panels[0].outline.iter().map(|edge| edge.name.as_str()).collect();
        assert_eq!(names, ["hem_left", "side_left", "top_left", "top_right", "side_right", "hem_right"]);
        let notches = &whole.panels[0].notches;
        let at = |n: &Notch| whole.panels[0].segment(n.edge).unwrap().at_fraction(n.at);
        assert!((at(&notches[0]) - Affine::FLIP_X * at(&notches[1])).hypot() < 1e-12);
    }

    #[test]
    fn mirrored_seams_join_the_mirrored_ends() {
        let mut back = half();
        back.name = "back".into();
        back.transform(Affine::FLIP_X);
        let mut pattern = Pattern { panels: vec![half(), back], ..Pattern::default() };
        let (a, b) = (pattern.edge("front", "side").unwrap(), pattern.edge("back", "side").unwrap());
        pattern.seams.push(Seam::new("side", vec![a], vec![b]));
        let whole = pattern.whole().unwrap();
        assert_eq!(whole.seams.len(), 2);
        for seam in &whole.seams {
            let start = |e: EdgeRef| whole.panels[e.panel].segment(e.edge).unwrap();
            // Both begin at the same height, the hem for one side and the top for the other.
            assert!((start(seam.a[0]).start.y - start(seam.b[0]).end.y).abs() < 1e-12);
            assert!((start(seam.a[0]).end.y - start(seam.b[0]).start.y).abs() < 1e-12);
        }
    }

    #[test]
    fn curved_folds_and_half_doubled_seams_are_refused() {
        let mut curved = half();
        curved.outline[3].curve = Curve::Arc(0.1);
        let pattern = Pattern { panels: vec![curved], ..Pattern::default() };
        assert_eq!(pattern.whole().unwrap_err()[0].problem, Problem::CurvedFold);
        let single = Panel { cut: Cut::Single, name: "back".into(), ..half() };
        let mut pattern = Pattern { panels: vec![half(), single], ..Pattern::default() };
        let (a, b) = (pattern.edge("front", "side").unwrap(), pattern.edge("back", "side").unwrap());
        pattern.seams.push(Seam::new("side", vec![a], vec![b]));
        assert_eq!(pattern.whole().unwrap_err()[0].problem, Problem::HalfDoubledSeam);
    }
}
