//! Skirts. y = 0 is the waist at the centre.
//!
//! A-line and circle skirts are sectors of a ring: a quarter of the waist `w` at the radius `r = w / φ`, the hem at `r + length`.
//! For the A-line skirt `φ` is the angle at which the sector is as wide as the hip where the hip is,
//! `(r + d) φ = h` and so `φ = (h − w) / d`: what a straight skirt takes up in darts, the hem gets as flare.

use std::f64::consts::FRAC_PI_2;

use toile_body::{Measurement as M, Measurements};

use super::DraftError;
use super::parameter::Values;
use super::pen::{Pen, behind, fold, p, sew};
use super::tops::hip_depth;
use crate::dart::Dart;
use crate::pattern::{Cut, Notch, Pattern};
use crate::role::Part;

/// A sector of angle `phi` on the fold, at x ≥ 0: edges hem, side, waist, centre.
pub(super) fn sector(r: f64, length: f64, phi: f64, names: [&str; 3]) -> Pen {
    let (sin, cos) = phi.sin_cos();
    let outer = r + length;
    let at = |radius: f64| p(radius * sin, r - radius * cos);
    Pen::at(p(0.0, -length))
        .arc(names[0], phi, at(outer))
        .line(names[1], at(r))
        .arc(names[2], -phi, p(0.0, 0.0))
        .line("centre", p(0.0, -length))
}

/// Front and back of the same sector, sewn at the sides, with a band.
fn of_sectors(r: f64, phi: f64, v: &Values) -> Pattern {
    let half = |name: &str, part| {
        let mut panel = sector(r, v.get("length"), phi, ["hem", "side", "waist"]).panel(name, part, fold());
        panel.notches.push(Notch { edge: 1, at: 0.3 });
        panel
    };
    let back = behind(half("back", Part::SkirtBack));
    let mut pattern = Pattern { panels: vec![half("front", Part::SkirtFront), back], ..Pattern::default() };
    sew(&mut pattern, "side", "front.side", "back.side");
    add_band(&mut pattern, "front.waist", "back.waist", v.get("band_height"));
    pattern
}

pub(super) fn a_line(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    let waist = 0.25 * (body[M::Waist] + v.get("waist_ease"));
    let hip = 0.25 * (body[M::Hip] + v.get("hip_ease"));
    let phi = ((hip - waist) / hip_depth(body)).max(v.get("flare").to_radians()).max(0.02);
    Ok(of_sectors(radius(waist, phi)?, phi, v))
}

pub(super) fn circle(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    let waist = 0.25 * (body[M::Waist] + v.get("waist_ease"));
    let phi = FRAC_PI_2 * v.get("fullness");
    Ok(of_sectors(radius(waist, phi)?, phi, v))
}

fn radius(waist: f64, phi: f64) -> Result<f64, DraftError> {
    if waist < 0.05 {
        return Err(DraftError::impossible("the waist of the skirt is less than 20 cm", "raise `waist_ease`"));
    }
    Ok(waist / phi)
}

/// Length of a chain `panel.edge panel.edge …` [m].
fn chain(pattern: &Pattern, words: &str) -> f64 {
    let edges = words.split_whitespace().filter_map(|word| word.split_once('.'));
    let edges: Vec<_> = edges.filter_map(|(panel, edge)| pattern.edge(panel, edge)).collect();
    pattern.chain_length(&edges)
}

/// A straight waistband on the fold at the centre front, closed at the centre back. `back` is listed along its outline, from the
/// centre to the side; `front` from the side to the centre.
pub(super) fn add_band(pattern: &mut Pattern, front: &str, back: &str, height: f64) {
    if height <= 0.0 {
        return;
    }
    let lengths = [front, back].map(|words| chain(pattern, words));
    let whole = lengths[0] + lengths[1];
    let band = Pen::at(p(0.0, 0.0))
        .line("lower_front", p(lengths[0], 0.0))
        .line("lower_back", p(whole, 0.0))
        .line("end", p(whole, height))
        .line("upper", p(0.0, height))
        .line("centre", p(0.0, 0.0));
    let mut band = band.panel("band", Part::Waistband, fold());
    band.grain = [p(0.2 * whole, 0.5 * height), p(0.8 * whole, 0.5 * height)];
    pattern.panels.push(band);
    sew(pattern, "band_front", front, "band.lower_front");
    sew(pattern, "band_back", back, "band.lower_back");
    sew(pattern, "band_end", "band.end", "band.end");
}

/// Half of a pencil skirt with its side shaped by `side` [m] between hip and waist, at x ≥ 0.
fn pencil_half(body: &Measurements, v: &Values, waist: f64, centre_down: f64) -> Result<Pen, DraftError> {
    let hip = p(0.25 * (body[M::Hip] + v.get("hip_ease")), -hip_depth(body));
    let hem = p(hip.x - v.get("taper"), -v.get("length"));
    if hem.y > hip.y - 0.03 {
        return Err(DraftError::impossible("the skirt ends above the hip", "raise `length`"));
    }
    // The waist rises towards the side, so that it runs level around the body once the darts are closed.
    let side = p(waist, 0.012);
    let lean = (hip.x - hem.x) / (hip.y - hem.y);
    let k = 0.45 * (side.y - hip.y);
    let pen = Pen::at(p(0.0, hem.y)).line("hem", hem).line("side_low", hip).cubic(
        "side",
        p(hip.x + lean * k, hip.y + k),
        p(side.x + 0.25 * (hip.x - side.x), side.y - 0.8 * k),
        side,
    );
    let top = p(0.0, -centre_down);
    let third = (side.x - top.x) / 3.0;
    Ok(pen
        .cubic("waist", p(side.x - third, side.y - 0.25 * third), p(top.x + third, top.y), top)
        .line("centre", p(0.0, hem.y)))
}

pub(super) fn pencil(body: &Measurements, v: &Values) -> Result<Pattern, DraftError> {
    let waist = 0.25 * (body[M::Waist] + v.get("waist_ease"));
    let hip = 0.25 * (body[M::Hip] + v.get("hip_ease"));
    let spare = (hip - waist).max(0.0);
    // Of what the waist is narrower, the side takes a part, one dart the rest in front and two darts behind.
    let (front_dart, back_dart) = ((0.40 * spare).min(0.035), (0.29 * spare).min(0.03));
    let front = pencil_half(body, v, waist + front_dart, 0.005)?.panel("front", Part::SkirtFront, fold());
    let back = pencil_half(body, v, waist + 2.0 * back_dart, 0.012)?.panel("back", Part::SkirtBack, Cut::Pair);
    let mut pattern = Pattern { panels: vec![front, behind(back)], ..Pattern::default() };
    sew(&mut pattern, "side_low", "front.side_low", "back.side_low");
    sew(&mut pattern, "side", "front.side", "back.side");
    sew(&mut pattern, "centre_back", "back.centre", "back.centre");
    let depth = hip_depth(body);
    let cut = |pattern: &mut Pattern, panel: usize, edge: &str, name: &str, at: f64, width: f64, length: f64| {
        let edge = pattern.panels[panel].find(edge).unwrap_or_default();
        pattern.cut_dart(panel, edge, &Dart { name: name.to_owned(), at, width, length })
    };
    let has_darts = front_dart > 0.004;
    if has_darts {
        cut(&mut pattern, 0, "waist", "front_dart", 0.42, front_dart, 0.48 * depth)?;
        // The back runs from the centre to the side.
        cut(&mut pattern, 1, "waist", "centre_dart", 0.36, back_dart, 0.68 * depth)?;
        cut(&mut pattern, 1, "waist_2", "side_dart", 0.5, back_dart, 0.60 * depth)?;
    }
    let (front, back) = if has_darts {
        ("front.waist_1 front.waist_2", "back.waist_1 back.waist_2_1 back.waist_2_2")
    } else {
        ("front.waist", "back.waist")
    };
    add_band(&mut pattern, front, back, v.get("band_height"));
    Ok(pattern)
}
