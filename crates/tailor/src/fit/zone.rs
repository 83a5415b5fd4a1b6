//! [`Zone`]: body and garment where a tailor measures.
//!
//! The garment is cut by the plane in which the body's girth is taken. The curve that counts goes around the tape, and around no
//! other part of the body in that plane: a skirt has no thigh, a poncho no chest. Its length on the pattern is the garment's girth.
//!
//! Short sleeves end above the middle of the upper arm; body and garment are then compared a little higher. Where armholes reach below
//! the bust, as those of a dress that is too large, they are compared right below them. Skirts and trousers
//! that are wide at the waist slide down until they hold; then their upper border is compared with the waist.

use serde::Serialize;
use toile_body::measure::{Plane, chain_length, plane_of, section, take, taut_around};
use toile_body::{Kind, Measurement};
use toile_mesh::{DVec3, TriMesh};

use super::field::{ElementFit, VertexFit};
use super::section::{Curve, border, curves};
use super::verdict::{Reading, Verdict};
use super::{FitInput, section as cuts};

/// Body and garment at one girth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Zone {
    /// Which girth, by its key in files of measurements.
    #[serde(rename = "zone", serialize_with = "key")]
    pub measurement: Measurement,
    /// Girth of the body, with a taut tape [m].
    pub body: f64,
    /// Girth of the garment as it was cut [m].
    pub garment: f64,
    /// Girth of the garment as it is worn, along its folds [m].
    pub worn: f64,
    /// Garment less body [m].
    pub ease: f64,
    /// The ease that the garment has on the body it was cut for [m]; `None` if that is not known.
    pub intended: Option<f64>,
    /// Mean strain along the girth.
    pub stretch: f64,
    /// Mean tension along the girth, per width [N/m].
    pub tension: f64,
    /// Mean pressure on the body [Pa].
    pub pressure: f64,
    /// What a tailor would say.
    pub verdict: Verdict,
}

impl Zone {
    /// Its name for people.
    pub fn name(&self) -> &'static str {
        match self.measurement {
            Measurement::Bust => "bust",
            Measurement::Underbust => "under the bust",
            Measurement::UpperArm => "upper arm",
            other => other.key(),
        }
    }

    /// Ease over the girth of the body.
    pub fn ease_share(&self) -> f64 {
        if self.body > 0.0 { self.ease / self.body } else { 0.0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn key<S: serde::Serializer>(measurement: &Measurement, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(measurement.key())
}

/// All zones that the garment covers.
pub(super) fn zones(input: &FitInput<'_>, elements: &[ElementFit], vertices: &[VertexFit]) -> Vec<Zone> {
    let girths = Measurement::ALL.into_iter().filter(|m| m.kind() == Kind::Girth);
    girths.filter_map(|measurement| zone(input, elements, vertices, measurement)).collect()
}

fn zone(
    input: &FitInput<'_>,
    elements: &[ElementFit],
    vertices: &[VertexFit],
    measurement: Measurement,
) -> Option<Zone> {
    let usual = take(input.body, input.landmarks, measurement).value;
    let (body, curve) = compared(input, measurement)?;
    let (garment, worn) = (curve.cut(), curve.worn());
    let ease = garment - body;
    // The body that was meant differs here as much as where it is measured.
    let intended = input.cut_for.map(|other| ease - (other[measurement] - usual));
    let mean = |value: &dyn Fn(&cuts::Piece) -> f64| {
        curve.pieces.iter().map(|piece| piece.cut.length() * value(piece)).sum::<f64>() / garment
    };
    let tension = mean(&|piece| {
        let ([s1, s2, t], d) = (elements[piece.face].stress, piece.cut.normalize_or_zero());
        s1 * d.x * d.x + s2 * d.y * d.y + 2.0 * t * d.x * d.y
    });
    let pressure = mean(&|piece| input.triangles[piece.face].iter().map(|v| vertices[v.index()].pressure / 3.0).sum());
    let reading = Reading { body, ease, intended, tension };
    let stretch = worn / garment - 1.0;
    let verdict = Verdict::of(&reading);
    Some(Zone { measurement, body, garment, worn, ease, intended, stretch, tension, pressure, verdict })
}

/// How far above the middle of the upper arm a sleeve may end [m], and in which steps that is tried.
const SLEEVE_REACH: f64 = 0.06;
const STEP: f64 = 0.01;
/// How far armholes may reach below the bust [m].
const ARMHOLE_REACH: f64 = 0.05;
/// How far below the waist, and above it, the upper border of a skirt may lie [m].
const SLIDE: [f64; 2] = [0.25, 0.06];

/// Girth of the body and curve of the garment, where they can be compared.
fn compared(input: &FitInput<'_>, measurement: Measurement) -> Option<(f64, Curve)> {
    let plane = plane_of(input.landmarks, measurement)?;
    let at = |plane: Plane| Some((girth(input.body, plane)?, around(input, plane)?));
    let first_along = |way: DVec3, reach: f64| {
        let steps = (reach / STEP).round() as u32;
        (0..=steps).find_map(|k| at(Plane { point: plane.point + way * (STEP * f64::from(k)), ..plane }))
    };
    match measurement {
        Measurement::UpperArm => {
            let up = plane.normal * (input.landmarks.shoulder_points[0] - plane.point).dot(plane.normal).signum();
            first_along(up, SLEEVE_REACH)
        }
        Measurement::Bust => first_along(DVec3::NEG_Y, ARMHOLE_REACH),
        Measurement::Waist => at(plane).or_else(|| Some((girth(input.body, plane)?, upper_border(input, plane)?))),
        _ => at(plane),
    }
}

/// The highest border, if it goes around the trunk near the waist.
fn upper_border(input: &FitInput<'_>, waist: Plane) -> Option<Curve> {
    let height = |ring: &[u32]| ring.iter().map(|v| input.x[*v as usize].y).sum::<f64>() / ring.len() as f64;
    let rings = input.borders.iter().filter(|ring| ring.len() > 2);
    let ring = rings.max_by(|a, b| height(a).total_cmp(&height(b)))?;
    let above = height(ring) - waist.point.y;
    let curve = border(input.x, input.triangles, input.cut, ring);
    let is_near = (-SLIDE[0]..SLIDE[1]).contains(&above);
    (is_near && curve.cut() > 0.0 && curve.turns_around(waist.point, waist.normal) == 1).then_some(curve)
}

/// Length of a taut tape around the part of a body that holds the plane's point [m].
fn girth(body: &TriMesh, plane: Plane) -> Option<f64> {
    let around = section(body, plane).into_iter().find(|points| holds(points, plane))?;
    Some(chain_length(&taut_around(&around, plane), true))
}

/// Whether a closed curve goes around the plane's point.
fn holds(points: &[DVec3], plane: Plane) -> bool {
    let to = |k: usize| points[k % points.len()] - plane.point;
    let turn = |a: DVec3, b: DVec3| a.cross(b).dot(plane.normal).atan2(a.dot(b));
    (0..points.len()).map(|k| turn(to(k), to(k + 1))).sum::<f64>().abs() > std::f64::consts::PI
}

/// The curve of the garment around the plane's point and nothing else of the body; of several the nearest, which is the shortest.
fn around(input: &FitInput<'_>, plane: Plane) -> Option<Curve> {
    let others = other_parts(input, plane);
    let found = curves(input.x, input.triangles, input.cut, plane).into_iter().filter(|curve| {
        curve.turns_around(plane.point, plane.normal) == 1
            && others.iter().all(|point| curve.turns_around(*point, plane.normal) == 0)
    });
    found.filter(|curve| curve.cut() > 0.0).min_by(|a, b| a.worn().total_cmp(&b.worn()))
}

/// The middles of the parts of the body that the plane cuts, but for the one around its point.
fn other_parts(input: &FitInput<'_>, plane: Plane) -> Vec<DVec3> {
    let loops = section(input.body, plane).into_iter().filter(|points| !holds(points, plane));
    loops.map(|points| points.iter().sum::<DVec3>() / points.len() as f64).collect()
}
