//! [`Length`]: along the middle of the garment, and along the arm.
//!
//! The plane of symmetry of the body cuts a dress along its centre front and its centre back, and trousers from the waist in front
//! between the legs to the waist behind. Where it goes over the head, as along a hood, it is told as one length. The length of a sleeve is taken as on the body: from the shoulder point over the
//! elbow to where the sleeve ends.

use serde::Serialize;
use toile_body::measure::Plane;
use toile_mesh::DVec3;

use super::FitInput;
use super::section::{Curve, curves};

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LengthKind {
    /// From the neck or the waist to the hem, in the middle of the back.
    CentreBack,
    /// The same in front.
    CentreFront,
    /// From the waist in front between the legs to the waist behind.
    Crotch,
    /// From the front over the head or the shoulders to the hem behind, along a hood.
    OverHead,
    /// From the shoulder point to the end of the left sleeve.
    Sleeve,
}

impl LengthKind {
    /// In words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CentreBack => "centre back",
            Self::CentreFront => "centre front",
            Self::Crotch => "crotch",
            Self::OverHead => "over the head",
            Self::Sleeve => "sleeve",
        }
    }
}

/// A length of a garment.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Length {
    /// What is measured.
    pub kind: LengthKind,
    /// As worn [m].
    pub worn: f64,
    /// As cut [m]; `None` if it is not measured on the cloth.
    pub cut: Option<f64>,
}

/// Way along the arm from which a border is the end of a sleeve and no armhole [m].
const SHORTEST_SLEEVE: f64 = 0.06;
/// How far from the arm's line the middle of a sleeve's end may lie [m].
const SLEEVE_REACH: f64 = 0.12;

/// All lengths there are, the longest of each kind.
pub(super) fn lengths(input: &FitInput<'_>) -> Vec<Length> {
    let middle = input.landmarks.crotch;
    let plane = Plane { point: middle, normal: DVec3::X };
    let mut found: Vec<Length> = curves(input.x, input.triangles, input.cut, plane)
        .iter()
        .filter(|curve| !curve.closed)
        .filter_map(|curve| Some(Length { kind: kind(curve, middle.z)?, worn: curve.worn(), cut: Some(curve.cut()) }))
        .chain(sleeve(input))
        .collect();
    found.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.worn.total_cmp(&a.worn)));
    found.dedup_by_key(|length| length.kind);
    found
}

/// By the ends of the curve and its middle.
fn kind(curve: &Curve, middle: f64) -> Option<LengthKind> {
    let (first, last) = (curve.pieces.first()?.ends[0], curve.pieces.last()?.ends[1]);
    if (first.z < middle) != (last.z < middle) {
        // Between the legs the curve is lowest inside, over the head it is highest.
        let heights = curve.points().into_iter().map(|p| p.y);
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let (below, above) = (first.y.min(last.y) - low, high - first.y.max(last.y));
        return Some(if below > above { LengthKind::Crotch } else { LengthKind::OverHead });
    }
    Some(if first.z < middle { LengthKind::CentreBack } else { LengthKind::CentreFront })
}

/// The border around the left arm that is farthest down.
fn sleeve(input: &FitInput<'_>) -> Option<Length> {
    let at = input.landmarks;
    let line = [at.shoulder_points[0], at.elbow, at.wrist.point_on_outside];
    let ends = input.borders.iter().filter(|ring| !ring.is_empty()).filter_map(|ring| {
        let middle = ring.iter().map(|v| input.x[*v as usize]).sum::<DVec3>() / ring.len() as f64;
        let (along, distance) = along_line(&line, middle);
        (distance < SLEEVE_REACH && along > SHORTEST_SLEEVE).then_some(along)
    });
    let worn = ends.max_by(f64::total_cmp)?;
    Some(Length { kind: LengthKind::Sleeve, worn, cut: None })
}

/// Way along a line to its point nearest to `p`, and the distance there [m].
fn along_line(line: &[DVec3], p: DVec3) -> (f64, f64) {
    let (mut best, mut before) = ((0.0, f64::INFINITY), 0.0);
    for pair in line.windows(2) {
        let along = pair[1] - pair[0];
        let s = ((p - pair[0]).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let distance = p.distance(pair[0] + along * s);
        if distance < best.1 {
            best = (before + s * along.length(), distance);
        }
        before += along.length();
    }
    best
}
