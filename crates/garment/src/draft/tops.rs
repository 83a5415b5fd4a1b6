//! T-shirt, tank top, shirt and shift dress.

use kurbo::Point;
use toile_body::{Measurement as M, Measurements};

use super::DraftError;
use super::bodice::{Bodice, Ease, Half};
use super::parameter::Values;
use super::pen::{Pen, behind, fold, length, p, sew};
use super::sleeve::Sleeve;
use crate::curve::Curve;
use crate::dart::Dart;
use crate::pattern::{Cut, Edge, Notch, Panel, Pattern};
use crate::role::Part;

/// Height of the hip below the waist [m].
pub(super) fn hip_depth(body: &Measurements) -> f64 {
    0.115 * body[M::Height]
}

/// Half a front or back from a straight hem, on the fold, at x ≥ 0.
fn straight_half(bodice: &Bodice, half: Half, hem: Point, name: &str) -> Panel {
    let pen = Pen::at(p(0.0, hem.y)).line("hem", hem);
    // The side comes up straight from the hem and meets the armhole squarely.
    let under = bodice.underarm;
    let rise = under.y - hem.y;
    let pen = pen.cubic("side", p(hem.x, hem.y + 0.3 * rise), p(under.x, under.y - 0.3 * rise), under);
    let part = if half == Half::Front { Part::Front } else { Part::Back };
    let mut panel = bodice.draw(pen, half).line("centre", p(0.0, hem.y)).panel(name, part, fold());
    // Marks for the sleeve: one in front, two behind.
    let pitch = panel.find("armhole_high").unwrap_or_default();
    panel.notches.push(Notch { edge: pitch, at: 0.1 });
    if half == Half::Back {
        panel.notches.push(Notch { edge: pitch, at: 0.2 });
    }
    panel
}

/// Front and back sewn at sides and shoulders.
fn body_of(front: Panel, back: Panel) -> Pattern {
    let mut pattern = Pattern { panels: vec![front, behind(back)], ..Pattern::default() };
    sew(&mut pattern, "side", "front.side", "back.side");
    sew(&mut pattern, "shoulder", "front.shoulder", "back.shoulder");
    pattern
}

/// Lengths of the front and the back armhole.
fn armholes(pattern: &Pattern) -> [f64; 2] {
    [0, 1].map(|i| length(&pattern.panels[i], "armhole_low") + length(&pattern.panels[i], "armhole_high"))
}

fn set_in(pattern: &mut Pattern, sleeve: Panel, ease: f64) {
    pattern.panels.push(sleeve);
    sew(pattern, "armhole_front", "front.armhole_low front.armhole_high", "sleeve.cap_front");
    sew(pattern, "armhole_back", "back.armhole_high back.armhole_low", "sleeve.cap_back");
    sew(pattern, "underarm", "sleeve.under_back", "sleeve.under_front");
    for seam in pattern.seams.iter_mut().filter(|seam| seam.name.starts_with("armhole")) {
        seam.ratio = Some(1.0 + ease);
    }
    mark_cap(pattern);
}

/// Notches on the cap where those of the armholes meet it: one in front and two behind, as is the custom.
fn mark_cap(pattern: &mut Pattern) {
    let mut notches = Vec::new();
    for seam in pattern.seams.iter().filter(|seam| seam.name.starts_with("armhole")) {
        let (whole, mut passed) = (pattern.chain_length(&seam.a), 0.0);
        for edge in &seam.a {
            let panel = &pattern.panels[edge.panel];
            let length = panel.length(edge.edge);
            for notch in panel.notches.iter().filter(|notch| notch.edge == edge.edge) {
                // The cap is sewn against its direction.
                let at = 1.0 - (passed + notch.at * length) / whole;
                notches.push(Notch { edge: seam.b[0].edge, at });
            }
            passed += length;
        }
    }
    if let Some(sleeve) = pattern.find("sleeve") {
        pattern.panels[sleeve].notches = notches;
    }
}

/// Half the girth of the hem, at least a quarter of chest and hip with their ease.
fn hem_point(body: &Measurements, v: &Values, bodice: &Bodice) -> Result<Point, DraftError> {
    let y = body[M::BackLength] - v.get("length");
    if y > bodice.underarm.y - 0.03 {
        return Err(DraftError::impossible("the hem is above the armhole", "raise `length`"));
    }
    // Above the hip the garment need not be as wide as there.
    let share = (-y / hip_depth(body)).clamp(0.0, 1.0);
    let hip = 0.25 * (body[M::Hip] + v.get("hip_ease"));
    let chest = bodice.underarm.x;
    Ok(p((chest + share * (hip - chest)).max(0.96 * chest), y))
}

/// What most tops change of the body's lines.
fn usual_ease(v: &Values) -> Ease {
    Ease {
        bust: v.get("bust_ease"),
        neck_widen: v.get("neck_widen"),
        front_drop: v.get("neck_drop"),
        back_drop: 0.0,
        armhole_drop: v.get("armhole_drop"),
        shoulder_extend: v.get("shoulder_extend"),
    }
}

pub(super) fn t_shirt(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    let bodice = Bodice::new(body, &usual_ease(v))?;
    let hem = hem_point(body, v, &bodice)?;
    let halves = [(Half::Front, "front"), (Half::Back, "back")];
    let [front, back] = halves.map(|(half, name)| straight_half(&bodice, half, hem, name));
    let mut pattern = body_of(front, back);
    let sleeve = Sleeve {
        armhole: armholes(&pattern),
        ease: v.get("cap_ease"),
        biceps: body[M::UpperArm] + v.get("biceps_ease"),
        length: v.get("sleeve_length"),
        hem: body[M::UpperArm] + v.get("sleeve_hem_ease"),
    };
    set_in(&mut pattern, sleeve.draw()?, v.get("cap_ease"));
    Ok(pattern)
}

pub(super) fn tank_top(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    // The strap's outer end follows from its width along the shoulder.
    let neck = body[M::Neck] / 5.0 + v.get("neck_widen");
    let reach = v.get("strap_width") * (body[M::ShoulderSlope] - 0.03).max(0.03).cos();
    let bodice = Bodice::new(
        body,
        &Ease {
            bust: v.get("bust_ease"),
            neck_widen: v.get("neck_widen"),
            front_drop: v.get("neck_drop"),
            back_drop: v.get("back_drop"),
            armhole_drop: v.get("armhole_drop"),
            shoulder_extend: neck + reach - 0.5 * body[M::ShoulderWidth],
        },
    )?;
    let hem = hem_point(body, v, &bodice)?;
    let halves = [(Half::Front, "front"), (Half::Back, "back")];
    let [front, back] = halves.map(|(half, name)| {
        let mut panel = straight_half(&bodice, half, hem, name);
        panel.notches.clear();
        panel
    });
    Ok(body_of(front, back))
}

pub(super) fn shirt(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    let bodice = Bodice::new(body, &usual_ease(v))?;
    let hem = hem_point(body, v, &bodice)?;
    let mut front = straight_half(&bodice, Half::Front, hem, "front");
    front.cut = Cut::Pair;
    add_button_stand(&mut front, v.get("button_stand"));
    let mut pattern = body_of(front, straight_half(&bodice, Half::Back, hem, "back"));
    let cuff = body[M::Wrist] + v.get("cuff_ease");
    let gather = v.get("cuff_gather");
    let biceps = body[M::UpperArm] + v.get("biceps_ease");
    let sleeve = Sleeve {
        armhole: armholes(&pattern),
        ease: v.get("cap_ease"),
        biceps,
        length: v.get("sleeve_length"),
        hem: cuff * gather,
    };
    if sleeve.hem > 1.3 * biceps {
        return Err(DraftError::impossible(
            "the sleeve is wider at the cuff than at the upper arm",
            "lower `cuff_gather`",
        ));
    }
    set_in(&mut pattern, sleeve.draw()?, v.get("cap_ease"));
    add_collar(&mut pattern, v.get("collar_height"));
    let height = v.get("cuff_height");
    let band = Pen::at(p(0.0, 0.0))
        .line("lower", p(cuff, 0.0))
        .line("end_back", p(cuff, height))
        .line("upper", p(0.0, height))
        .line("end_front", p(0.0, 0.0));
    pattern.panels.push(band.panel("cuff", Part::Cuff, Cut::Pair));
    sew(&mut pattern, "cuff", "sleeve.hem", "cuff.upper");
    sew(&mut pattern, "cuff_end", "cuff.end_back", "cuff.end_front");
    pattern.seams.iter_mut().filter(|seam| seam.name == "cuff").for_each(|seam| seam.ratio = Some(1.0 / gather));
    Ok(pattern)
}

/// Lets the front reach beyond its centre, where the buttons are.
fn add_button_stand(front: &mut Panel, width: f64) {
    let (Some(centre), true) = (front.find("centre"), width > 0.0) else { return };
    let Some(line) = front.segment(centre) else { return };
    let (top, bottom) = (p(-width, line.start.y), p(-width, line.end.y));
    front.outline.splice(
        centre..=centre,
        [
            Edge::new("stand_top", line.start, Curve::Line),
            Edge::new("front_edge", top, Curve::Line),
            Edge::new("stand_hem", bottom, Curve::Line),
        ],
    );
    front.lines.push(crate::InternalLine { name: "centre front".to_owned(), points: vec![line.start, line.end] });
}

/// A straight stand collar, on the fold at the centre back.
fn add_collar(pattern: &mut Pattern, height: f64) {
    let [front, back] = [0, 1].map(|i| length(&pattern.panels[i], "neck"));
    let whole = front + back;
    let band = Pen::at(p(0.0, 0.0))
        .line("lower_back", p(back, 0.0))
        .line("lower_front", p(whole, 0.0))
        .cubic("end", p(whole, 0.6 * height), p(whole - 0.1 * height, height), p(whole - 0.5 * height, height))
        .line("upper", p(0.0, height))
        .line("centre", p(0.0, 0.0));
    let mut collar = band.panel("collar", Part::Collar, fold());
    collar.grain = [p(0.2 * whole, 0.5 * height), p(0.8 * whole, 0.5 * height)];
    pattern.panels.push(behind(collar));
    sew(pattern, "collar_back", "back.neck", "collar.lower_back");
    sew(pattern, "collar_front", "front.neck", "collar.lower_front");
}

/// Half of a shift dress, at x ≥ 0: the side in three edges over hip and waist.
fn dress_half(body: &Measurements, v: &Values, bodice: &Bodice, half: Half, waist: f64) -> Result<Panel, DraftError> {
    let y_hem = body[M::BackLength] - v.get("length");
    let y_hip = -hip_depth(body);
    if y_hem > y_hip - 0.05 {
        return Err(DraftError::impossible("the dress ends above the hip", "raise `length`, or draft a tank top"));
    }
    let hip = p(0.25 * (body[M::Hip] + v.get("hip_ease")), y_hip);
    let hem = p(hip.x + v.get("hem_flare"), y_hem);
    let under = bodice.underarm;
    let waist = p(waist, 0.0);
    let lean = (hip.x - hem.x) / (hip.y - hem.y);
    let slope = 0.5 * (under.x - hip.x) / (under.y - hip.y);
    let pen = Pen::at(p(0.0, hem.y)).line("hem", hem).line("side_low", hip);
    let k = 0.4 * (waist.y - hip.y);
    let pen = pen.cubic("side_hip", p(hip.x + lean * k, hip.y + k), p(waist.x - slope * k, waist.y - k), waist);
    let k = 0.35 * (under.y - waist.y);
    let pen = pen.cubic("side", p(waist.x + slope * k, waist.y + k), p(under.x - 0.15 * k, under.y - k), under);
    let (name, part) = if half == Half::Front { ("front", Part::Front) } else { ("back", Part::Back) };
    Ok(bodice.draw(pen, half).line("centre", p(0.0, hem.y)).panel(name, part, fold()))
}

/// A dart with two tips, at the waist: a hole that is sewn closed.
fn add_waist_dart(panel: &mut Panel, x: f64, width: f64, top: f64, bottom: f64) {
    let corner = |i: usize, x: f64, y: f64| Edge::new(format!("waist_dart_{i}"), p(x, y), Curve::Line);
    let half = 0.5 * width;
    panel.holes.push(vec![corner(1, x, top), corner(2, x + half, 0.0), corner(3, x, bottom), corner(4, x - half, 0.0)]);
}

pub(super) fn shift_dress(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    let bodice = Bodice::new(body, &usual_ease(v))?;
    let intake = v.get("bust_dart");
    let raised = bodice.raised(if intake < 0.005 { 0.0 } else { intake });
    // What the waist takes in: a third at the side, the rest in the dart.
    let suppression = (bodice.underarm.x - 0.25 * (body[M::Waist] + v.get("waist_ease"))).clamp(-0.06, 0.09);
    let dart = (0.65 * suppression).clamp(0.0, 0.035);
    let waist = bodice.underarm.x - (suppression - dart);
    let mut front = dress_half(body, v, &raised, Half::Front, waist)?;
    let mut back = dress_half(body, v, &bodice, Half::Back, waist)?;
    let bust_x = 0.1 * body[M::Bust];
    let (y_bust, y_hip) = (bodice.underarm.y - 0.02, -hip_depth(body));
    if dart > 0.008 && y_bust > 0.06 {
        add_waist_dart(&mut front, bust_x, dart, y_bust - 0.03, 0.6 * y_hip);
        add_waist_dart(&mut back, bust_x, dart, bodice.underarm.y, 0.7 * y_hip);
    }
    let width = length(&front, "side") - length(&back, "side");
    let mut pattern = body_of(front, back);
    for edge in ["side_hip", "side_low"] {
        sew(&mut pattern, edge, &format!("front.{edge}"), &format!("back.{edge}"));
    }
    if !pattern.panels[0].holes.is_empty() {
        // A back is listed the other way round, so that its chains change places.
        let chains = ["front.waist_dart_1 front.waist_dart_2", "front.waist_dart_4 front.waist_dart_3"];
        sew(&mut pattern, "front_waist_dart", chains[0], chains[1]);
        let [a, b] = ["back.waist_dart_4 back.waist_dart_3", "back.waist_dart_1 back.waist_dart_2"];
        sew(&mut pattern, "back_waist_dart", a, b);
    }
    if width > 0.004 {
        let side = pattern.panels[0].find("side").unwrap_or_default();
        let whole = pattern.panels[0].length(side);
        let at = 1.0 - (0.055 + 0.5 * width) / whole;
        let dart_length = bodice.underarm.x - bust_x - 0.03;
        pattern.cut_dart(0, side, &Dart { name: "bust_dart".to_owned(), at, width, length: dart_length })?;
    }
    Ok(pattern)
}
