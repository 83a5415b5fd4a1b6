//! [`Zone`]: body and garment where a tailor measures.
//!
//! **The body** is measured by the tape alone: its girths are the same whatever it wears.
//!
//! **The garment** is cut by the plane in which the body's girth is taken. The curve that counts goes around the tape, and around no
//! other part of the body in that plane: a skirt has no thigh, a poncho no chest. Its length on the pattern is the garment's girth. Where
//! the garment is open, as a shirt in front, it is measured from edge to edge.
//!
//! Garments are measured where they can be, as tailors do, near the tape of the body: the chest right below armholes that reach below
//! the bust, short sleeves a little above the middle of the upper arm and those of deep armholes below it, the thigh below a deep crotch, hems that end above the hip at
//! the hem, cuffs above the wrist. [`Zone::offset`] says how far away. Skirts and trousers that are wide at the waist slide down until
//! they hold; then their upper border is compared with the waist.

use serde::Serialize;
use toile_body::measure::{Plane, plane_of, section, take};
use toile_body::{Kind, Measurement};
use toile_mesh::DVec3;

use super::field::{ElementFit, VertexFit};
use super::meant::Meant;
use super::place::{Extreme, largest};
use super::section::{Curve, border, curves};
use super::verdict::{Reading, Verdict};
use super::{FitInput, section as cuts};

/// Body and garment at one girth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Zone {
    /// Which girth, by its key in files of measurements.
    #[serde(rename = "zone", serialize_with = "key")]
    pub measurement: Measurement,
    /// Girth of the body, with a taut tape, whatever it wears [m].
    pub body: f64,
    /// Girth of the garment as it was cut [m].
    pub garment: f64,
    /// Girth of the garment as it is worn, along its folds [m].
    pub worn: f64,
    /// Garment less body [m].
    pub ease: f64,
    /// The ease that it is meant to have [m].
    pub meant: Meant,
    /// How far from the tape of the body the garment was measured [m].
    pub offset: f64,
    /// Whether the garment is open there; it is then measured from edge to edge.
    pub is_open: bool,
    /// Mean strain along the girth.
    pub stretch: f64,
    /// The largest strain along the girth, and where.
    pub most_stretch: Option<Extreme>,
    /// Mean tension along the girth, per width [N/m].
    pub tension: f64,
    /// Mean pressure on the body [Pa].
    pub pressure: f64,
    /// The largest pressure along the girth [Pa], and where.
    pub most_pressure: Option<Extreme>,
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
    let body = take(input.body, input.landmarks, measurement).value;
    if body <= 0.0 {
        return None;
    }
    let Compared { curve, offset, middle } = compared(input, measurement)?;
    let (garment, worn) = (curve.cut(), curve.worn());
    let ease = garment - body;
    let meant = Meant::at(input.meant, measurement, garment, body, input.fabric);
    let mean = |value: &dyn Fn(&cuts::Piece) -> f64| {
        curve.pieces.iter().map(|piece| piece.cut.length() * value(piece)).sum::<f64>() / garment
    };
    let tension = mean(&|piece| {
        let ([s1, s2, t], d) = (elements[piece.face].stress, piece.cut.normalize_or_zero());
        s1 * d.x * d.x + s2 * d.y * d.y + 2.0 * t * d.x * d.y
    });
    let pressure_at =
        |piece: &cuts::Piece| input.triangles[piece.face].iter().map(|v| vertices[v.index()].pressure / 3.0).sum();
    let pressure = mean(&pressure_at);
    let stretch_at = |piece: &cuts::Piece| piece.ends[0].distance(piece.ends[1]) / piece.cut.length() - 1.0;
    let place = |piece: &cuts::Piece| piece.ends[0].midpoint(piece.ends[1]);
    let floor = input.landmarks.floor;
    // Slivers where the plane passes a corner tell nothing.
    let whole = || curve.pieces.iter().filter(|piece| piece.cut.length() > SLIVER);
    let most_stretch = largest(whole().map(|piece| (stretch_at(piece), place(piece))), middle, floor);
    let most_pressure = largest(whole().map(|piece| (pressure_at(piece), place(piece))), middle, floor);
    let is_open = !curve.closed;
    let verdict = Verdict::of(&Reading { body, ease, meant, tension, is_open });
    let stretch = worn / garment - 1.0;
    Some(Zone {
        measurement,
        body,
        garment,
        worn,
        ease,
        meant,
        offset,
        is_open,
        stretch,
        most_stretch,
        tension,
        pressure,
        most_pressure,
        verdict,
    })
}

/// Length of a piece below which its strain tells nothing [m].
const SLIVER: f64 = 0.001;

/// Steps in which the garment is looked for beside the tape of the body [m].
const STEP: f64 = 0.01;
/// The most steps that any reach below takes.
const MOST_STEPS: u32 = 8;
/// How far above the middle of the upper arm a sleeve may end, and how far below it an armhole may reach [m].
const SLEEVE_REACH: f64 = 0.08;
/// How far armholes may reach below the bust [m].
const ARMHOLE_REACH: f64 = 0.08;
/// How far above the hip a hem may end [m].
const HEM_REACH: f64 = 0.05;
/// How far the crotch of trousers may hang below the thigh's tape [m].
const CROTCH_REACH: f64 = 0.06;
/// How far above the wrist a cuff may end [m].
const CUFF_REACH: f64 = 0.05;
/// How far below the waist, and above it, the upper border of a skirt may lie [m].
const SLIDE: [f64; 2] = [0.25, 0.06];

/// Where a garment is measured.
struct Compared {
    curve: Curve,
    /// Distance from the tape of the body [m].
    offset: f64,
    /// A point of the body inside the curve [m].
    middle: DVec3,
}

/// The curve of the garment nearest to the tape of the body, where there may be one.
fn compared(input: &FitInput<'_>, measurement: Measurement) -> Option<Compared> {
    let plane = plane_of(input.landmarks, measurement)?;
    // Towards a point along the normal of the plane.
    let towards = |point: DVec3| plane.normal * (point - plane.point).dot(plane.normal).signum();
    let to_shoulder = towards(input.landmarks.shoulder_points[0]);
    let ways: &[(DVec3, f64)] = match measurement {
        Measurement::UpperArm => &[(to_shoulder, SLEEVE_REACH), (-to_shoulder, SLEEVE_REACH)],
        Measurement::Wrist => &[(towards(input.landmarks.elbow), CUFF_REACH)],
        Measurement::Bust => &[(DVec3::NEG_Y, ARMHOLE_REACH)],
        Measurement::Hip => &[(DVec3::Y, HEM_REACH)],
        Measurement::Thigh => &[(DVec3::NEG_Y, CROTCH_REACH)],
        _ => &[(DVec3::Y, 0.0)],
    };
    // The nearest closed curve; only what is closed nowhere is open.
    let mut open = None;
    for k in 0..=MOST_STEPS {
        let offset = STEP * f64::from(k);
        for (way, _) in ways.iter().filter(|(_, reach)| offset <= reach + 0.5 * STEP) {
            let moved = Plane { point: plane.point + *way * offset, ..plane };
            let Some(curve) = around(input, moved) else { continue };
            let found = Compared { curve, offset, middle: moved.point };
            if found.curve.closed {
                return Some(found);
            }
            open = open.or(Some(found));
        }
    }
    if open.is_some() {
        return open;
    }
    if measurement != Measurement::Waist {
        return None;
    }
    let curve = upper_border(input, plane)?;
    let points = curve.points();
    let height = points.iter().map(|p| p.y).sum::<f64>() / points.len() as f64;
    Some(Compared { curve, offset: (height - plane.point.y).abs(), middle: plane.point })
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

/// Whether a closed curve goes around the plane's point.
fn holds(points: &[DVec3], plane: Plane) -> bool {
    let to = |k: usize| points[k % points.len()] - plane.point;
    let turn = |a: DVec3, b: DVec3| a.cross(b).dot(plane.normal).atan2(a.dot(b));
    (0..points.len()).map(|k| turn(to(k), to(k + 1))).sum::<f64>().abs() > std::f64::consts::PI
}

/// The curve of the garment around the plane's point and nothing else of the body; of several the nearest, which is the shortest. Where
/// none is closed, an open one that nearly goes around.
fn around(input: &FitInput<'_>, plane: Plane) -> Option<Curve> {
    let others = other_parts(input, plane);
    let found = curves(input.x, input.triangles, input.cut, plane).into_iter().filter(|curve| {
        curve.cut() > 0.0
            && curve.encloses(plane.point, plane.normal)
            && others.iter().all(|point| !curve.encloses(*point, plane.normal))
    });
    found.min_by(|a, b| b.closed.cmp(&a.closed).then(a.worn().total_cmp(&b.worn())))
}

/// The middles of the parts of the body that the plane cuts, but for the one around its point.
fn other_parts(input: &FitInput<'_>, plane: Plane) -> Vec<DVec3> {
    let loops = section(input.body, plane).into_iter().filter(|points| !holds(points, plane));
    loops.map(|points| points.iter().sum::<DVec3>() / points.len() as f64).collect()
}
