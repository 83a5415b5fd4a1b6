//! How often a piece is cut: on the fold, as a pair, or as it is drawn.
//!
//! Quantities are written as `1`, `2`, `1,1` (left and right), `1,0`, `2 PAIR`. A half that is cut once and has no partner on the other
//! side is taken for a piece on the fold. Sleeves, cuffs and legs come in pairs.

use kurbo::{Affine, Point};

use super::identify::Identity;
use super::pose;
use super::stretch::Outline;
use super::template::{Role, Shape};
use super::words::Idea;
use super::{Piece, roles_among};
use crate::curve::Curve;
use crate::pattern::{Cut, Edge, Panel, Pattern};
use crate::role::{Part, Side};

/// How far a centre may leave a straight line and still be folded [m].
const STRAIGHT: f64 = 1.5e-3;

/// Left and right counts.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Counts {
    left: u32,
    right: u32,
    /// Whether left and right were told apart.
    is_sided: bool,
}

/// Reads a quantity. Nothing readable counts as one.
fn counts(text: &str) -> Counts {
    let numbers: Vec<u32> = text
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|word| !word.is_empty())
        .filter_map(|word| word.parse().ok())
        .collect();
    match numbers[..] {
        [left, right, ..] => Counts { left: left.min(1000), right: right.min(1000), is_sided: true },
        [count] => Counts { left: count.clamp(1, 1000), right: 0, is_sided: false },
        [] => Counts { left: 1, right: 0, is_sided: false },
    }
}

/// Whether a quantity names copies for both sides.
pub(super) fn is_left_and_right(quantity: &str) -> bool {
    let counts = counts(quantity);
    counts.is_sided && counts.left > 0 && counts.right > 0
}

/// Whether a quantity names a single copy.
pub(super) fn is_once(quantity: &str) -> bool {
    let counts = counts(quantity);
    counts.left + counts.right == 1
}

/// The panels of all pieces, turned and moved to where they are worn.
pub(super) fn cut(pieces: Vec<Piece>, notes: &mut Vec<String>) -> Vec<Panel> {
    let sides: Vec<Option<(Part, Side, Vec<Idea>)>> = pieces
        .iter()
        .map(|piece| piece.identity.as_ref().map(|identity| (identity.part, side_of(identity), piece.ideas.clone())))
        .collect();
    let mut panels = Vec::new();
    for (i, piece) in pieces.into_iter().enumerate() {
        let Some(identity) = piece.identity.clone() else { continue };
        // A partner is a piece of the same part that is drawn for the other side.
        let partner = sides.iter().enumerate().any(|(j, other)| {
            j != i
                && other.as_ref().is_some_and(|(part, side, ideas)| {
                    *part == identity.part && is_partner((&piece.ideas, side_of(&identity)), (ideas, *side))
                })
        });
        panels.push(panel(piece, &identity, partner, notes));
    }
    panels
}

/// Whether two pieces of one part are the left and the right one.
fn is_partner((ideas, side): (&[Idea], Side), (other_ideas, other_side): (&[Idea], Side)) -> bool {
    let said = |ideas: &[Idea], idea| ideas.contains(&idea);
    let words = (said(ideas, Idea::Left) && said(other_ideas, Idea::Right))
        || (said(ideas, Idea::Right) && said(other_ideas, Idea::Left));
    let same_words = said(ideas, Idea::Side) == said(other_ideas, Idea::Side)
        && said(ideas, Idea::Yoke) == said(other_ideas, Idea::Yoke);
    words || (same_words && side != Side::Both && side == other_side.opposite())
}

/// The side of the wearer that a half or a leg is drawn for, seen from outside.
fn side_of(identity: &Identity) -> Side {
    let has_side = identity.shape.is_some_and(|shape| shape.is_half() || shape == Shape::Leg);
    if !has_side {
        return Side::Both;
    }
    // Fronts are seen from the front: the left has its centre at the lesser x. Backs and collars are seen from behind.
    let behind = matches!(identity.part, Part::Back | Part::SkirtBack | Part::LegBack | Part::Collar);
    if behind == identity.mirrored { Side::Left } else { Side::Right }
}

fn panel(piece: Piece, identity: &Identity, partner: bool, notes: &mut Vec<String>) -> Panel {
    let Piece { drawn, ideas, .. } = piece;
    let count = counts(&drawn.quantity);
    let total = count.left + count.right;
    let mut panel = drawn.panel;
    let name = panel.name.clone();
    panel.part = identity.part;
    panel.transform(Affine::rotate(identity.angle));
    panel.quantity = total.max(1);
    panel.side = side_of(identity);
    pose::name_edges(&mut panel, drawn.fold, identity.shape);
    let said_side = match (ideas.contains(&Idea::Left), ideas.contains(&Idea::Right)) {
        (true, false) => Some(Side::Left),
        (false, true) => Some(Side::Right),
        _ => None,
    };
    let is_pair = ideas.contains(&Idea::Pair)
        || (count.is_sided && count.left > 0 && count.right > 0)
        || (!count.is_sided && total >= 2);
    let half = identity.shape.filter(|shape| shape.is_half());
    let is_limb = matches!(identity.part, Part::Sleeve | Part::Cuff | Part::LegFront | Part::LegBack);
    let is_side_panel = identity.shape == Some(Shape::SidePanel);
    if let Some(shape) = half {
        let on_fold = drawn.fold.is_some() || ideas.contains(&Idea::Fold);
        if on_fold || !(is_pair || partner) {
            if let Some(edge) = stated_fold(&panel, drawn.fold).or_else(|| fold(&mut panel, shape)) {
                if !on_fold {
                    notes.push(format!("piece `{name}` is a half that is cut once; it is taken as cut on the fold"));
                }
                panel.cut = Cut::Fold(edge);
                panel.quantity = if is_pair && on_fold { (total / 2).max(1) } else { panel.quantity };
            } else {
                notes.push(format!(
                    "piece `{name}` is a half with a curved centre; it is cut as a pair with a centre seam"
                ));
                panel.cut = Cut::Pair;
            }
        } else if partner {
            panel.cut = Cut::Single;
        } else {
            panel.cut = Cut::Pair;
            panel.quantity = (total / 2).max(1);
        }
        pose::centre(&mut panel, shape);
        // Two cuffs, each on the fold: each is drawn whole, and cut as a pair.
        if is_limb && matches!(panel.cut, Cut::Fold(_)) {
            panel = unfolded(panel);
            panel.cut = Cut::Pair;
        }
    } else if is_limb || is_side_panel {
        if is_side_panel {
            panel.side = outer_side(&panel);
        }
        let alone = partner || (count.is_sided && total == 1 && said_side.is_some());
        if let Some(side) = said_side {
            panel.side = side;
        }
        if partner && panel.side == Side::Both {
            panel.side = Side::Left;
        }
        panel.cut = if alone { Cut::Single } else { Cut::Pair };
        if !is_pair && !partner {
            notes.push(format!("piece `{name}` is cut once in the file; two are sewn, one for either side"));
        }
        panel.quantity = if alone { panel.quantity } else { (total / 2).max(1) };
    } else {
        panel.side = Side::Both;
        panel.cut = Cut::Single;
        pose::middle(&mut panel);
        if identity.part == Part::Cape
            && let Some(edge) = drawn.fold
        {
            let edge = panel.outline[edge].name.clone();
            panel.cut = Cut::Fold(edge);
            panel.side = Side::Left;
        }
    }
    panel
}

/// The side of the wearer of a side panel: its armhole falls towards the side seam.
fn outer_side(panel: &Panel) -> Side {
    let outline = Outline::new(panel);
    let roles = roles_among(panel, &outline, &[Shape::SidePanel]);
    let (mut low, mut high) = ((f64::INFINITY, 0.0), (f64::NEG_INFINITY, 0.0));
    for stretch in outline.stretches.iter().filter(|stretch| roles[stretch.edges[0]] == Some(Role::Side)) {
        let top = stretch.ends[0].y.max(stretch.ends[1].y);
        if top < low.0 {
            low = (top, stretch.middle.x);
        }
        if top > high.0 {
            high = (top, stretch.middle.x);
        }
    }
    let behind = matches!(panel.part, Part::Back | Part::SkirtBack);
    if (low.1 > high.1) == behind { Side::Right } else { Side::Left }
}

/// A panel with both halves, as one piece.
fn unfolded(panel: Panel) -> Panel {
    let pattern = Pattern { panels: vec![panel.clone()], ..Pattern::default() };
    match pattern.whole() {
        Ok(whole) => whole.panels.into_iter().next().unwrap_or(panel),
        Err(_) => panel,
    }
}

/// The name of the edge that the file folds.
fn stated_fold(panel: &Panel, fold: Option<usize>) -> Option<String> {
    let edge = panel.outline.get(fold?)?;
    (edge.curve == Curve::Line).then(|| edge.name.clone())
}

/// Makes the centre one straight edge and returns its name; `None` where the centre is curved.
fn fold(panel: &mut Panel, shape: Shape) -> Option<String> {
    let outline = Outline::new(panel);
    let roles = roles_among(panel, &outline, &[shape]);
    let is_centre = |edge: usize| roles[edge] == Some(Role::Centre);
    let count = panel.outline.len();
    // The run of centre edges that is longest.
    let mut run: Vec<usize> = Vec::new();
    for first in (0..count).filter(|edge| is_centre(*edge) && !is_centre((edge + count - 1) % count)) {
        let edges: Vec<usize> = (0..count).map(|k| (first + k) % count).take_while(|edge| is_centre(*edge)).collect();
        let length = |edges: &[usize]| edges.iter().map(|edge| panel.length(*edge)).sum::<f64>();
        if length(&edges) > length(&run) {
            run = edges;
        }
    }
    let (first, last) = (*run.first()?, *run.last()?);
    let (start, end) = (panel.segment(first)?.start, panel.segment(last)?.end);
    let along = end - start;
    let mut points = Vec::new();
    for edge in &run {
        panel.segment(*edge)?.flatten(1e-4, &mut points);
    }
    let off = |p: &Point| ((*p - start).cross(along) / along.hypot()).abs();
    if along.hypot() < 0.01 || points.iter().map(off).fold(0.0, f64::max) > STRAIGHT {
        return None;
    }
    let name = panel.outline[first].name.clone();
    replace_run(panel, &run, &Edge::new(name.clone(), start, Curve::Line));
    Some(name)
}

/// Puts one edge in the place of a run of edges; notches on them go.
pub(crate) fn replace_run(panel: &mut Panel, run: &[usize], edge: &Edge) {
    let mut kept: Vec<(usize, Edge)> = Vec::new();
    for (k, old) in panel.outline.iter().enumerate() {
        if k == run[0] {
            kept.push((k, edge.clone()));
        } else if !run.contains(&k) {
            kept.push((k, old.clone()));
        }
    }
    let outline = panel.outline.len();
    let less = outline - kept.len();
    let number = |edge: usize| {
        if edge >= outline {
            return Some(edge - less);
        }
        kept.iter().position(|(old, _)| *old == edge && !run.contains(&edge))
    };
    panel.notches = panel
        .notches
        .iter()
        .filter_map(|notch| number(notch.edge).map(|edge| crate::pattern::Notch { edge, at: notch.at }))
        .collect();
    panel.outline = kept.into_iter().map(|(_, edge)| edge).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_in_all_their_forms() {
        let of = |text: &str| {
            let counts = counts(text);
            (counts.left, counts.right, counts.is_sided)
        };
        assert_eq!(of("1,0"), (1, 0, true));
        assert_eq!(of("1,1"), (1, 1, true));
        assert_eq!(of("L1 R1"), (1, 1, true));
        assert_eq!(of("2"), (2, 0, false));
        assert_eq!(of("2 X"), (2, 0, false));
        assert_eq!(of(""), (1, 0, false));
        assert_eq!(of("PAIR"), (1, 0, false));
    }
}
