//! Bands: which of their long sides is sewn on, and pieces of bands that lie behind.
//!
//! A collar stands on its sewn side and a cuff hangs from it. Of the two long sides, the one is sewn that has more notches, or else the one
//! whose length is nearer to that of the neckline, the waist or the hem of the sleeve.

use std::f64::consts::PI;

use kurbo::{Affine, Vec2};

use super::pose::run_of;
use super::template::Role;
use crate::pattern::{Cut, Panel};
use crate::role::{Part, Side};

/// Length of all edges of a role on both sides of the body [m].
fn around(panels: &[Panel], parts: &[Part], role: Role) -> f64 {
    let of = |panel: &Panel| {
        let length: f64 = run_of(panel, role).iter().map(|edge| panel.length(*edge)).sum();
        if panel.cut == Cut::Single { length } else { 2.0 * length }
    };
    panels.iter().filter(|panel| parts.contains(&panel.part)).map(of).sum()
}

/// Length of the edges of necklines beyond the centre front, on fronts that are cut in two [m].
fn beyond(panels: &[Panel]) -> f64 {
    let mut sum = 0.0;
    for panel in panels
        .iter()
        .filter(|panel| panel.part == Part::Front && !matches!(panel.cut, Cut::Fold(_)) && panel.side != Side::Both)
    {
        let run = run_of(panel, Role::Neck);
        if run.len() > 1 {
            // The end of the run that is nearer to the centre.
            let x = |edge: usize| panel.segment(edge).map_or(f64::INFINITY, |segment| segment.at_fraction(0.5).x.abs());
            let edge = if x(run[0]) < x(run[run.len() - 1]) { run[0] } else { run[run.len() - 1] };
            sum += panel.length(edge) * if panel.cut == Cut::Pair { 2.0 } else { 1.0 };
        }
    }
    sum
}

/// Turns bands so that their sewn side is where they are sewn on.
pub(super) fn settle(panels: &mut [Panel], notes: &mut Vec<String>) {
    let neck = around(panels, &[Part::Front, Part::Back], Role::Neck);
    let stands = beyond(panels);
    let waist = around(panels, &[Part::SkirtFront, Part::SkirtBack, Part::LegFront, Part::LegBack], Role::Waist);
    let sleeves = around(panels, &[Part::Sleeve], Role::Hem);
    // Cuffs without sleeves are those of trousers.
    let limbs = if sleeves > 0.0 { sleeves } else { around(panels, &[Part::LegFront, Part::LegBack], Role::Hem) };
    let wrist = 0.5 * limbs;
    for panel in panels.iter_mut() {
        let target = match panel.part {
            Part::Collar => neck,
            Part::Waistband => waist,
            Part::Cuff => wrist,
            _ => continue,
        };
        let times = if matches!(panel.cut, Cut::Fold(_)) { 2.0 } else { 1.0 };
        let score = |role: Role| {
            let run = run_of(panel, role);
            let length: f64 = run.iter().map(|edge| panel.length(*edge)).sum();
            let notches = panel.notches.iter().filter(|notch| run.contains(&notch.edge)).count();
            let from = |target: f64| if target > 0.0 { (times * length / target).ln().abs() } else { 0.0 };
            let off = if panel.part == Part::Collar { from(target).min(from(target - stands)) } else { from(target) };
            (notches, off)
        };
        let (sewn, free) = (score(Role::Sewn), score(Role::Free));
        let turn = if sewn.0 == free.0 { free.1 < sewn.1 - 1e-4 } else { free.0 > sewn.0 };
        if turn {
            turn_over(panel);
            notes.push(format!("piece `{}` was turned: its other long side is the one that is sewn on", panel.name));
        }
    }
    behind(panels);
}

/// Turns a band by half a turn about its middle; the half that is drawn is then that of the other side.
fn turn_over(panel: &mut Panel) {
    let bounds = panel.bounds();
    let middle = if matches!(panel.cut, Cut::Fold(_)) { 0.0 } else { bounds.center().x };
    panel.transform(Affine::rotate_about(PI, kurbo::Point::new(middle, bounds.center().y)));
    if panel.side != Side::Both {
        panel.side = panel.side.opposite();
    }
}

/// Moves the back piece of a waistband in two pieces to the back.
fn behind(panels: &mut [Panel]) {
    let bands: Vec<usize> = (0..panels.len()).filter(|i| panels[*i].part == Part::Waistband).collect();
    let is_back = |panel: &Panel| super::ideas(&panel.name).contains(&super::Idea::Back);
    let whole = |panel: &Panel| {
        if matches!(panel.cut, Cut::Single) { panel.bounds().width() } else { 2.0 * panel.bounds().width() }
    };
    if bands.len() < 2 || !bands.iter().any(|i| !is_back(&panels[*i])) {
        return;
    }
    let sum: f64 = bands.iter().map(|i| whole(&panels[*i])).sum();
    for i in bands {
        if is_back(&panels[i]) && panels[i].cut == Cut::Single {
            panels[i].transform(Affine::translate(Vec2::new(0.5 * sum, 0.0)));
        }
    }
}
