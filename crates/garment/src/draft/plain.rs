//! Cape, poncho and tablecloths: pieces of circles and rectangles.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use toile_body::{Measurement as M, Measurements};

use super::parameter::Values;
use super::pen::{Pen, behind, fold, p, sew};
use super::skirt::sector;
use crate::curve::Curve;
use crate::pattern::{Cut, Edge, Panel, Pattern};
use crate::role::Part;

fn of(panel: Panel) -> Pattern {
    Pattern { panels: vec![panel], ..Pattern::default() }
}

/// Half a ring on the fold at the centre back; the neck is its inner circle. Below the neck a clasp holds the front edges together.
pub(super) fn cape(body: &Measurements, v: &Values) -> Pattern {
    let phi = v.get("angle").to_radians();
    let r = 0.5 * (body[M::Neck] + v.get("neck_ease")) / phi;
    let (length, clasp) = (v.get("length"), v.get("clasp").min(0.5 * v.get("length")));
    let mut half = sector(r, length, phi, ["hem", "front_edge", "neck"]).panel("cape", Part::Cape, fold());
    if clasp <= 0.0 {
        return of(behind(half));
    }
    let (sin, cos) = phi.sin_cos();
    let start = p((r + clasp) * sin, r - (r + clasp) * cos);
    half.outline.insert(2, Edge::new("clasp", start, Curve::Line));
    let mut pattern = of(behind(half));
    sew(&mut pattern, "clasp", "cape.clasp", "cape.clasp");
    pattern
}

/// A circle of radius `r` around the origin in four quarters, counter-clockwise from below.
fn circle(r: f64, names: [&str; 4]) -> Pen {
    Pen::at(p(0.0, -r))
        .arc(names[0], FRAC_PI_2, p(r, 0.0))
        .arc(names[1], FRAC_PI_2, p(0.0, r))
        .arc(names[2], FRAC_PI_2, p(-r, 0.0))
        .arc(names[3], FRAC_PI_2, p(0.0, -r))
}

pub(super) fn poncho(body: &Measurements, v: &Values) -> Pattern {
    let r = (body[M::Head] + v.get("neck_ease")) / TAU;
    let outer = circle(r + v.get("length"), ["front_left", "back_left", "back_right", "front_right"]);
    let mut panel = outer.panel("poncho", Part::Cape, Cut::Single);
    let bulge = -(PI / 8.0).tan();
    let quarter = |name: &str, x: f64, y: f64| Edge::new(name, p(x * r, y * r), Curve::Arc(bulge));
    panel.holes.push(vec![
        quarter("neck_front_right", 0.0, -1.0),
        quarter("neck_back_right", -1.0, 0.0),
        quarter("neck_back_left", 0.0, 1.0),
        quarter("neck_front_left", 1.0, 0.0),
    ]);
    panel.grain = [p(-0.5 * r, -0.8 * v.get("length") - r), p(-0.5 * r, -0.2 * v.get("length") - r)];
    of(panel)
}

pub(super) fn tablecloth(v: &Values) -> Pattern {
    let (w, l) = (0.5 * v.get("width"), 0.5 * v.get("length"));
    let pen =
        Pen::at(p(-w, -l)).line("near", p(w, -l)).line("right", p(w, l)).line("far", p(-w, l)).line("left", p(-w, -l));
    of(pen.panel("tablecloth", Part::Flat, Cut::Single))
}

pub(super) fn round_tablecloth(v: &Values) -> Pattern {
    let pen = circle(0.5 * v.get("diameter"), ["near_right", "far_right", "far_left", "near_left"]);
    of(pen.panel("tablecloth", Part::Flat, Cut::Single))
}
