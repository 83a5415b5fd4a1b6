//! Trousers: a front and a back leg, each cut as a pair.
//!
//! y = 0 is the waist, x = 0 the line straight down from the centre at the hip; legs are drawn at x ≥ 0 but for their forks.
//! The crotch lies at the body rise below the waist. Forks reach 5.5 % of the hip beyond the centre in front and 10.5 %
//! behind, where the centre seam leans in and rises above the waist to make room for the seat. Each leg hangs
//! symmetrically about its crease, half way along the crotch line.
//!
//! Two lengths are solved for: how far the back fork drops so that both inseams are equally long, and how high the back
//! waist is at the side so that both outseams are.

use kurbo::Point;
use toile_body::{Measurement as M, Measurements, nape_height};

use super::DraftError;
use super::parameter::Values;
use super::pen::{Pen, behind, length, p, sew, solve};
use super::tops::hip_depth;
use crate::dart::Dart;
use crate::pattern::{Cut, Notch, Panel, Pattern};
use crate::role::Part;

/// Height of the waist over the crotch [m]: from the back neck point of the mannequin down. A back length follows the spine, which
/// makes it 4 % longer than the way straight down.
fn body_rise(body: &Measurements) -> f64 {
    (nape_height(body) - 0.96 * body[M::BackLength] - body[M::Inseam]).max(0.12)
}

/// What one leg is drawn from; lengths [m].
struct Leg {
    part: Part,
    name: &'static str,
    /// Depth of the crotch, of the fork below it, of the knee and of the hem.
    crotch: f64,
    drop: f64,
    knee: f64,
    hem: f64,
    /// Width from the centre to the side at the hip, and how deep it is.
    hip: f64,
    hip_depth: f64,
    /// Reach of the fork.
    fork: f64,
    /// Widths at knee and hem.
    knee_width: f64,
    hem_width: f64,
    /// Where the waist starts at the centre and ends at the side.
    centre: Point,
    side: Point,
    /// How deep the fork's curve is: nearer to 1 is deeper.
    hollow: f64,
}

impl Leg {
    fn draw(&self) -> Panel {
        let crease = 0.5 * (self.hip - self.fork);
        let half = |width: f64, y: f64| [p(crease - 0.5 * width, y), p(crease + 0.5 * width, y)];
        let [knee_in, knee_out] = half(self.knee_width, -self.knee);
        let [hem_in, hem_out] = half(self.hem_width, -self.hem);
        let fork = p(-self.fork, -self.crotch - self.drop);
        let hip = p(self.hip, -self.hip_depth);
        let way = |from: Point, to: Point| (to - from) / (to.y - from.y).abs();
        // Below the knee both seams are straight; above it they leave the knee in the same direction.
        let (out_up, in_down) = (way(hem_out, knee_out), way(knee_in, hem_in));
        let k = 0.4 * (self.knee - self.hip_depth);
        let pen = Pen::at(hem_in).line("hem", hem_out).line("outseam_calf", knee_out).cubic(
            "outseam_thigh",
            knee_out + k * out_up,
            p(hip.x, hip.y - k),
            hip,
        );
        let k = 0.4 * (self.side.y - hip.y);
        let pen = pen.cubic(
            "outseam_hip",
            p(hip.x, hip.y + k),
            self.side + k * way(self.side, p(hip.x, hip.y)) * 0.8,
            self.side,
        );
        let third = (self.centre - self.side) / 3.0;
        let pen = pen.cubic("waist", self.side + third, self.centre - third, self.centre);
        // The centre seam is straight down to the height of the hip and turns to the fork from there.
        let turn = p(self.centre.x * (1.0 - self.hip_depth / self.crotch).clamp(0.0, 1.0) * 0.35, -self.hip_depth);
        let down = way(self.centre, turn);
        let reach = turn.y - fork.y;
        let pen = pen.line("rise", turn).cubic(
            "crotch",
            turn + self.hollow * reach * down,
            p(fork.x + self.hollow * (turn.x - fork.x), fork.y + 0.06 * reach),
            fork,
        );
        let k = 0.35 * (self.knee - self.crotch);
        let target = knee_in - k * in_down;
        let lean = (target - fork) * 0.45;
        pen.cubic("inseam_thigh", fork + lean, target, knee_in).line("inseam_calf", hem_in).panel(
            self.name,
            self.part,
            Cut::Pair,
        )
    }
}

pub(super) fn draft(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    let crotch = body_rise(body) + v.get("rise_ease");
    let leg = v.get("leg_length");
    let quarter = 0.25 * (body[M::Hip] + v.get("hip_ease"));
    let waist = 0.25 * (body[M::Waist] + v.get("waist_ease"));
    // The seat is at the greatest prominence, but never as low as the crotch.
    let depth = hip_depth(body).min(0.75 * crotch);
    // Short legs have no knee: the widths meet half way.
    let knee = crotch + (0.5 * body[M::Inseam] - 0.05).min(0.55 * leg);
    let hem = crotch + leg;
    let share = ((knee - crotch) / (0.5 * body[M::Inseam] - 0.05)).clamp(0.05, 1.0);
    let thigh = 2.0 * quarter + 0.16 * body[M::Hip];
    let knee_width = thigh + share * (v.get("knee_width") - thigh);
    let hem_width = if leg < 0.6 * body[M::Inseam] { 0.95 * knee_width } else { v.get("hem_width") };
    let spare = (quarter - waist).max(0.0);
    let (front_dart, back_dart) = ((0.28 * spare).min(0.025), (0.32 * spare).min(0.035));
    let front = Leg {
        part: Part::LegFront,
        name: "front",
        crotch,
        drop: 0.0,
        knee,
        hem,
        hip: quarter - 0.005,
        hip_depth: depth,
        fork: 0.055 * body[M::Hip],
        knee_width: 0.5 * knee_width - 0.01,
        hem_width: 0.5 * hem_width - 0.01,
        centre: p(0.01_f64.min(0.3 * spare), -0.008),
        side: p(0.0, 0.0),
        hollow: 0.62,
    };
    let front = Leg { side: p(front.centre.x + waist - 0.005 + front_dart, 0.004), ..front };
    let lean = (0.08 * crotch + 0.1 * spare).min(0.04);
    let back = |drop: f64, side_y: f64| Leg {
        part: Part::LegBack,
        name: "back",
        drop,
        hip: quarter + 0.005,
        fork: 0.105 * body[M::Hip],
        knee_width: 0.5 * knee_width + 0.01,
        hem_width: 0.5 * hem_width + 0.01,
        centre: p(lean, 0.022),
        side: p(lean + waist + 0.005 + back_dart, side_y),
        hollow: 0.68,
        ..front
    };
    let front = front.draw();
    let inseam = |panel: &Panel| length(panel, "inseam_thigh");
    let drop = solve(-0.06, 0.06, |drop| inseam(&front) - inseam(&back(drop, 0.0).draw()));
    let outseam = |panel: &Panel| length(panel, "outseam_thigh") + length(panel, "outseam_hip");
    let side_y = solve(-0.06, 0.06, |y| outseam(&back(drop, y).draw()) - outseam(&front));
    assemble(front, back(drop, side_y).draw(), [front_dart, back_dart], crotch)
}

fn assemble(mut front: Panel, mut back: Panel, darts: [f64; 2], crotch: f64) -> Result<Pattern, DraftError> {
    for panel in [&mut front, &mut back] {
        // The grain is the crease.
        let (a, b) = (panel.outline[0].start, panel.outline[1].start);
        let x = 0.5 * (a.x + b.x);
        panel.grain = [p(x, a.y + 0.1 * (crotch - a.y)), p(x, -crotch)];
        let knee = panel.find("outseam_calf").unwrap_or_default();
        panel.notches.push(Notch { edge: knee, at: 1.0 });
    }
    let mut pattern = Pattern { panels: vec![front, behind(back)], ..Pattern::default() };
    for edge in ["outseam_calf", "inseam_thigh", "inseam_calf"] {
        sew(&mut pattern, edge, &format!("front.{edge}"), &format!("back.{edge}"));
    }
    sew(&mut pattern, "outseam", "front.outseam_thigh front.outseam_hip", "back.outseam_thigh back.outseam_hip");
    // Each centre seam joins a leg to its mirror image; the back is listed from its fork.
    sew(&mut pattern, "centre_front", "front.rise front.crotch", "front.rise front.crotch");
    sew(&mut pattern, "centre_back", "back.crotch back.rise", "back.crotch back.rise");
    for (panel, name, at, width, length) in
        [(0, "front_dart", 0.5, darts[0], 0.085_f64), (1, "back_dart", 0.5, darts[1], 0.115)]
    {
        if width > 0.004 {
            let edge = pattern.panels[panel].find("waist").unwrap_or_default();
            pattern.cut_dart(
                panel,
                edge,
                &Dart { name: name.to_owned(), at, width, length: length.min(0.45 * crotch) },
            )?;
        }
    }
    Ok(pattern)
}
