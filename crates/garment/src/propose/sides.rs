//! [`Sides`]: the sides of all panels, with what they are and where on the wearer.

use std::collections::BTreeMap;

use crate::pattern::{EdgeRef, Panel, Pattern};
use crate::recognise::roles;
use crate::recognise::stretch::{Outline, Stretch};
use crate::recognise::template::Role;
use crate::role::{Part, Side};

/// From where a panel is seen as it is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    Front,
    Back,
    Other,
}

/// A side of a panel.
#[derive(Clone, Debug)]
pub(super) struct Flank {
    pub(super) panel: usize,
    pub(super) stretch: Stretch,
    pub(super) role: Option<Role>,
    /// Side of the wearer.
    pub(super) side: Side,
    pub(super) view: View,
    /// Notches: lengths from its start [m].
    pub(super) notches: Vec<f64>,
    /// The flank that is its mirror image.
    pub(super) twin: Option<usize>,
}

/// The sides of all panels.
pub(super) struct Sides {
    pub(super) flanks: Vec<Flank>,
    /// What each edge is, and the side of the wearer it is on.
    pub(super) edges: BTreeMap<EdgeRef, (Option<Role>, Side)>,
    /// The edges after each edge of an outline that belong to no dart.
    pub(super) next: BTreeMap<EdgeRef, EdgeRef>,
}

pub(super) fn view(part: Part) -> View {
    match part {
        Part::Front | Part::SkirtFront | Part::LegFront | Part::Waistband => View::Front,
        Part::Back | Part::SkirtBack | Part::LegBack | Part::Collar => View::Back,
        _ => View::Other,
    }
}

/// Middles nearer to x = 0 than this are on neither side [m].
const CENTRAL: f64 = 0.01;
/// How far mirror images may be off [m].
const TWIN: f64 = 2e-3;

/// The side of the wearer at an x of a panel.
fn side_at(panel: &Panel, x: f64) -> Side {
    if panel.side != Side::Both {
        return panel.side;
    }
    let left = match view(panel.part) {
        View::Front => x > CENTRAL,
        View::Back => x < -CENTRAL,
        View::Other => return Side::Both,
    };
    if x.abs() <= CENTRAL {
        Side::Both
    } else if left {
        Side::Left
    } else {
        Side::Right
    }
}

impl Sides {
    /// The sides of a pattern in which every piece is drawn.
    pub(super) fn new(whole: &Pattern) -> Self {
        let sewn: Vec<EdgeRef> = whole.seams.iter().flat_map(|seam| seam.a.iter().chain(&seam.b)).copied().collect();
        let mut sides = Self { flanks: Vec::new(), edges: BTreeMap::new(), next: BTreeMap::new() };
        let has_neck = |panel: &Panel| roles(panel, &Outline::new(panel)).contains(&Some(Role::Neck));
        let has_raglan = whole.panels.iter().any(|panel| panel.part == Part::Sleeve && has_neck(panel));
        for (number, panel) in whole.panels.iter().enumerate() {
            let outline = Outline::new(panel);
            let mut roles = roles(panel, &outline);
            // Beside raglan sleeves there are no shoulders: what is on top is the neckline.
            if has_raglan && matches!(panel.part, Part::Front | Part::Back) {
                roles.iter_mut().filter(|role| **role == Some(Role::Top)).for_each(|role| *role = Some(Role::Neck));
            }
            let at = |edge: usize| EdgeRef { panel: number, edge };
            let is_leg = |edge: usize| outline.darts.iter().flatten().any(|leg| *leg == edge);
            let count = panel.outline.len();
            for (edge, role) in roles.iter().enumerate() {
                let x = panel.segment(edge).map_or(0.0, |segment| segment.at_fraction(0.5).x);
                sides.edges.insert(at(edge), (*role, side_at(panel, x)));
                let after = (1..=count).map(|k| (edge + k) % count).find(|next| !is_leg(*next));
                sides.next.insert(at(edge), at(after.unwrap_or(edge)));
            }
            for stretch in &outline.stretches {
                // A side of which a part is sewn already is left as it is.
                if stretch.edges.iter().any(|edge| sewn.contains(&at(*edge))) {
                    continue;
                }
                sides.flanks.push(Flank {
                    panel: number,
                    role: roles[stretch.edges[0]],
                    side: side_at(panel, stretch.middle.x),
                    view: view(panel.part),
                    notches: notches(panel, stretch),
                    stretch: stretch.clone(),
                    twin: None,
                });
            }
        }
        sides.find_twins(whole);
        sides
    }

    fn find_twins(&mut self, whole: &Pattern) {
        for i in 0..self.flanks.len() {
            let a = &self.flanks[i];
            let is_twin = |j: &usize| {
                let b = &self.flanks[*j];
                let (p, q) = (a.stretch.middle, b.stretch.middle);
                *j != i
                    && whole.panels[a.panel].part == whole.panels[b.panel].part
                    && whole.panels[a.panel].side == whole.panels[b.panel].side.opposite()
                    && a.role == b.role
                    && (a.stretch.length - b.stretch.length).abs() < TWIN
                    && (p.x + q.x).abs() < TWIN
                    && (p.y - q.y).abs() < TWIN
            };
            let twin = (0..self.flanks.len()).find(is_twin);
            self.flanks[i].twin = twin;
        }
    }

    /// The role of an edge.
    pub(super) fn role(&self, edge: EdgeRef) -> Option<Role> {
        self.edges.get(&edge).and_then(|(role, _)| *role)
    }

    /// The side of the wearer of an edge.
    pub(super) fn side(&self, edge: EdgeRef) -> Side {
        self.edges.get(&edge).map_or(Side::Both, |(_, side)| *side)
    }

    /// The role of what follows an edge on its outline, darts passed over.
    pub(super) fn role_after(&self, edge: EdgeRef) -> Option<Role> {
        self.next.get(&edge).and_then(|next| self.role(*next))
    }
}

fn notches(panel: &Panel, stretch: &Stretch) -> Vec<f64> {
    let mut passed = 0.0;
    let mut found = Vec::new();
    for edge in &stretch.edges {
        let length = panel.length(*edge);
        let on = panel.notches.iter().filter(|notch| notch.edge == *edge);
        found.extend(on.map(|notch| passed + notch.at * length));
        passed += length;
    }
    found.sort_by(f64::total_cmp);
    // Notches at the ends tell nothing.
    found.retain(|at| *at > 0.01 && *at < stretch.length - 0.01);
    found
}
