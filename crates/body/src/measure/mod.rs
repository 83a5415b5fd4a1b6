//! Measuring a body mesh: tapes around it and along it.
//!
//! [`measure`] takes every [`Measurement`] at given [`Landmarks`] and returns each with the tape itself, so that a picture
//! can show where it ran. A drafted mannequin knows its landmarks; [`Landmarks::find`] finds those of any upright mesh.

mod arm;
mod find;
mod landmarks;
mod note;
mod section;
mod tape;

pub(crate) use arm::ArmMarks;
pub use find::NotABody;
pub(crate) use find::{Found, find};
pub use landmarks::{Landmarks, Wrist};
pub use note::Note;
pub use section::{Plane, section};
pub use tape::{chain_length, taut_around};

use tape::taut_over;
use toile_mesh::{DVec2, DVec3, TriMesh};

use crate::measurement::{Measurement, Measurements};
use Measurement as M;

/// A measurement with the tape that took it.
#[derive(Clone, PartialEq, Debug)]
pub struct Tape {
    /// What was measured.
    pub measurement: Measurement,
    /// What the tape reads [m; rad].
    pub value: f64,
    /// Where the tape ran [m].
    pub points: Vec<DVec3>,
    /// Whether its ends meet.
    pub closed: bool,
}

/// Takes all measurements of a body, in the order of [`Measurement::ALL`].
///
/// A girth whose plane misses the body reads 0.
pub fn measure(mesh: &TriMesh, at: &Landmarks) -> Vec<Tape> {
    Measurement::ALL.into_iter().map(|m| take(mesh, at, m)).collect()
}

/// The values of all measurements [m; rad].
pub fn read(mesh: &TriMesh, at: &Landmarks) -> Measurements {
    Measurements::from_fn(|m| take(mesh, at, m).value)
}

/// Takes one measurement.
pub fn take(mesh: &TriMesh, at: &Landmarks, measurement: Measurement) -> Tape {
    let [left, right] = [0, 1].map(|side| (at.neck_sides[side], at.shoulder_points[side]));
    match measurement {
        M::Height => upright(measurement, at.floor, at.crown),
        M::Inseam => upright(measurement, at.floor, at.crotch),
        M::BackLength => back_length(mesh, at),
        M::ArmLength => open(measurement, vec![at.shoulder_points[0], at.elbow, at.wrist.point_on_outside]),
        M::ShoulderWidth => open(measurement, vec![left.1, right.1]),
        M::ShoulderSlope => {
            let slope = |(neck, shoulder): (DVec3, DVec3)| {
                let run = (shoulder - neck) * DVec3::new(1.0, 0.0, 1.0);
                (neck.y - shoulder.y).atan2(run.length())
            };
            let value = 0.5 * (slope(left) + slope(right));
            Tape { value, ..open(measurement, vec![left.1, left.0, right.0, right.1]) }
        }
        _ => plane_of(at, measurement).map_or_else(|| open(measurement, Vec::new()), |p| girth(mesh, measurement, p)),
    }
}

/// The plane in which a girth is taken, through a point inside the tape; `None` of what is no girth.
pub fn plane_of(at: &Landmarks, measurement: Measurement) -> Option<Plane> {
    // Horizontally around the middle of the body, or around a point inside a leg.
    let level = |height: f64| Some(Plane { point: DVec3::new(at.crotch.x, height, at.crotch.z), normal: DVec3::Y });
    let limb = |inside: DVec3| Some(Plane { point: inside, normal: DVec3::Y });
    match measurement {
        M::Head => level(at.head),
        M::Bust => level(at.bust),
        M::Underbust => level(at.underbust),
        M::Waist => level(at.waist),
        M::Hip => level(at.hip),
        M::Thigh => limb(at.thigh),
        M::Knee => limb(at.knee),
        M::Calf => limb(at.calf),
        M::Ankle => limb(at.ankle),
        M::Neck => Some(at.neck),
        M::UpperArm => Some(at.upper_arm),
        M::Wrist => Some(at.wrist.plane),
        M::Height | M::Inseam | M::BackLength | M::ArmLength | M::ShoulderWidth | M::ShoulderSlope => None,
    }
}

fn open(measurement: Measurement, points: Vec<DVec3>) -> Tape {
    Tape { measurement, value: chain_length(&points, false), points, closed: false }
}

fn upright(measurement: Measurement, floor: f64, top: DVec3) -> Tape {
    open(measurement, vec![DVec3::new(top.x, floor, top.z), top])
}

/// The tape around that loop of the section which goes around the plane's point, or comes nearest to it.
fn girth(mesh: &TriMesh, measurement: Measurement, plane: Plane) -> Tape {
    let tapes = section(mesh, plane).into_iter().map(|points| taut_around(&points, plane));
    let nearest = tapes.min_by(|a, b| distance_outside(a, plane).total_cmp(&distance_outside(b, plane)));
    let points = nearest.unwrap_or_default();
    Tape { measurement, value: chain_length(&points, true), points, closed: true }
}

/// How far the plane's point lies outside a convex loop, negative inside [m].
fn distance_outside(tape: &[DVec3], plane: Plane) -> f64 {
    let edge = |k: usize| {
        let (a, b) = (tape[k], tape[(k + 1) % tape.len()]);
        let outward = (b - a).cross(plane.normal).normalize_or_zero();
        outward.dot(plane.point - a)
    };
    (0..tape.len()).map(edge).fold(f64::NEG_INFINITY, f64::max)
}

/// From the back neck point to the waist over the most prominent points of the spine, in the plane of symmetry.
fn back_length(mesh: &TriMesh, at: &Landmarks) -> Tape {
    let plane = Plane { point: at.crotch, normal: DVec3::X };
    let loops = section(mesh, plane);
    let (low, high) = (at.waist, at.nape);
    // Where the profile crosses both ends.
    let mut ends = Vec::new();
    for points in &loops {
        for (k, &a) in points.iter().enumerate() {
            let b = points[(k + 1) % points.len()];
            for y in [low, high] {
                if (a.y - y) * (b.y - y) <= 0.0 && a.y != b.y {
                    ends.push(a.lerp(b, (y - a.y) / (b.y - a.y)));
                }
            }
        }
    }
    let rearmost = |y: f64| ends.iter().copied().filter(|p| (p.y - y).abs() < 1e-9).min_by(|a, b| a.z.total_cmp(&b.z));
    let (Some(bottom), Some(top)) = (rearmost(low), rearmost(high)) else {
        return open(M::BackLength, Vec::new());
    };
    let straight = |y: f64| bottom.z + (top.z - bottom.z) * (y - low) / (high - low);
    let between = loops.into_iter().flatten().filter(|p| p.y > low && p.y < high && p.z < straight(p.y));
    let flat = |p: DVec3| (DVec2::new(p.y, p.z), p);
    open(M::BackLength, taut_over(std::iter::once(bottom).chain(between).chain([top]).map(flat).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate;

    /// Landmarks of which only those that a test sets mean anything.
    fn landmarks() -> Landmarks {
        let plane = Plane::level(0.0);
        let zero = DVec3::ZERO;
        Landmarks {
            floor: 0.0,
            crown: zero,
            head: 0.0,
            neck: plane,
            nape: 0.0,
            neck_sides: [zero; 2],
            shoulder_points: [zero; 2],
            bust: 0.0,
            underbust: 0.0,
            waist: 0.0,
            hip: 0.0,
            crotch: zero,
            thigh: zero,
            knee: zero,
            calf: zero,
            ankle: zero,
            upper_arm: plane,
            elbow: zero,
            wrist: Wrist { plane, point_on_outside: zero },
        }
    }

    #[test]
    fn the_tape_goes_around_the_leg_that_is_meant() {
        let leg =
            |x: f64, radius: f64| generate::cylinder(radius, 1.0, 96).map_positions(|p| p + DVec3::new(x, 0.0, 0.0));
        let mut legs = leg(0.2, 0.1);
        legs.append(&leg(-0.2, 0.15));
        let at = Landmarks { thigh: DVec3::new(0.21, 0.02, 0.03), knee: DVec3::new(-0.3, 0.1, 0.0), ..landmarks() };
        let polygon = |radius: f64| 2.0 * 96.0 * radius * (std::f64::consts::PI / 96.0).sin();
        assert!((take(&legs, &at, M::Thigh).value - polygon(0.1)).abs() < 1e-12);
        assert!((take(&legs, &at, M::Knee).value - polygon(0.15)).abs() < 1e-12);
    }

    #[test]
    fn a_tilted_plane_measures_an_ellipse() {
        let neck = generate::cylinder(0.05, 1.0, 256);
        let (sin, cos) = 0.5_f64.sin_cos();
        let at = Landmarks { neck: Plane { point: DVec3::ZERO, normal: DVec3::new(0.0, cos, sin) }, ..landmarks() };
        // Ramanujan's perimeter of an ellipse with half axes r and r / cos.
        let (a, b) = (0.05 / cos, 0.05);
        let h = ((a - b) / (a + b)).powi(2);
        let expected = std::f64::consts::PI * (a + b) * (1.0 + 3.0 * h / (10.0 + (4.0 - 3.0 * h).sqrt()));
        assert!((take(&neck, &at, M::Neck).value / expected - 1.0).abs() < 2e-4);
    }

    #[test]
    fn the_back_is_measured_over_what_stands_out_and_across_what_is_hollow() {
        let ball = generate::icosphere(1.0, 5);
        let at = Landmarks { waist: -0.5, nape: 0.5, ..landmarks() };
        let tape = take(&ball, &at, M::BackLength);
        assert!((tape.value - 2.0 * 0.5_f64.asin()).abs() < 1e-3, "{}", tape.value);
        assert!(tape.points.iter().all(|p| p.z < 0.0));
        let waisted = generate::icosphere(1.0, 5).map_positions(|p| p * DVec3::new(1.0, 1.0, -(0.2 + p.y * p.y)));
        let tape = take(&waisted, &at, M::BackLength);
        assert!((tape.value - 1.0).abs() < 1e-3, "{}", tape.value);
    }

    #[test]
    fn the_slope_is_that_of_a_roof() {
        let neck = [DVec3::new(0.05, 1.5, 0.0), DVec3::new(-0.05, 1.5, 0.0)];
        let shoulder = [DVec3::new(0.15, 1.4, 0.0), DVec3::new(-0.15, 1.4, 0.0)];
        let at = Landmarks { neck_sides: neck, shoulder_points: shoulder, ..landmarks() };
        let value = |m| take(&TriMesh::default(), &at, m).value;
        assert!((value(M::ShoulderSlope) - std::f64::consts::FRAC_PI_4).abs() < 1e-12);
        assert!((value(M::ShoulderWidth) - 0.3).abs() < 1e-12);
        assert_eq!(value(M::Bust), 0.0);
    }
}
