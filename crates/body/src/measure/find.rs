//! Finding the landmarks of any upright body, a scan for instance.
//!
//! The body stands on its feet, y up, looks along +z, arms away from the trunk (A- or T-pose), legs apart. Landmarks are
//! found from sections, each near the place where people have it, as shares of the height:
//!
//! - crotch: the lowest level whose section is one loop across the middle;
//! - armpits: the highest level below which the loop around the middle grows steadily, without the jump at the arms;
//! - hip, calf, head: greatest girth in their range; waist, ankle, neck, wrist: least girth;
//! - bust: where the front is most prominent between waist and armpit; underbust: where it is hollow below that;
//! - neck sides: where the neck is a third wider than at its narrowest;
//! - shoulder points: on the outline right above the armpits, a little outward; the rest of the arms is found in `arm`.
//!
//! A body whose top is too near to its armpits has no head, and an arm that is too short no hand; landmarks are then found as if they were
//! there, from the height that belongs to the armpits. What is missing and what is wrong with the pose comes back as [`Note`]s.
//!
//! Bodies vary and surfaces do not show bones: levels found so are within some centimetres of those a tailor would feel,
//! which changes girths little, where they are extreme by definition, and lengths as much as the levels. Landmarks known
//! better may be set by hand.

use toile_mesh::{Aabb, DVec3, TriMesh};

use super::arm::ArmMarks;
use super::section::{Plane, section};
use super::tape::{chain_length, taut_around};
use super::{Landmarks, Note, distance_outside};

/// Why a mesh cannot be measured.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct NotABody {
    /// What is missing.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

/// Levels looked at in a range.
const STEPS: u32 = 40;

/// Rounds of refining the best of them.
const REFINEMENTS: u32 = 6;

/// A taut tape around one loop of a section.
pub(super) struct Ring {
    pub(super) girth: f64,
    bounds: Aabb,
}

impl Ring {
    pub(super) fn centre(&self) -> DVec3 {
        self.bounds.centre()
    }
}

/// All that was found on a body.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) landmarks: Landmarks,
    pub(crate) notes: Vec<Note>,
    /// Left and right arm.
    pub(crate) arms: [ArmMarks; 2],
    /// Middles of thigh, knee and ankle, left and right [m].
    pub(crate) legs: [[DVec3; 3]; 2],
    /// Level of the armpits, and half the width of the trunk there [m].
    pub(crate) armpit: [f64; 2],
    /// Height of the body with a head [m].
    pub(crate) stature: f64,
}

/// Armpit over height of a grown person: that of the mannequins.
const ARMPIT_SHARE: f64 = 0.745;

/// What is above the armpits over what is below them, with a head; a body without one has less than the least of it.
const LEAST_ABOVE: f64 = 0.25;

/// Angle of the arms against the vertical below which they are said to hang [rad].
const HANGING: f64 = 0.26;

/// Gap between the thighs below which they are said to be closed [m].
const CLOSED: f64 = 5e-3;

/// Bend of the knees that is mentioned [rad].
const BENT: f64 = 0.45;

/// Depth over height of a body that does not stand upright.
const SITTING: f64 = 0.42;

pub(super) struct Finder<'a> {
    pub(super) mesh: &'a TriMesh,
    floor: f64,
    /// With a head [m].
    pub(super) height: f64,
    /// Highest point of the mesh [m].
    top: f64,
    /// A point in the middle of the trunk [m].
    pub(super) middle: DVec3,
}

impl Landmarks {
    /// Finds the landmarks of an upright body.
    pub fn find(mesh: &TriMesh) -> Result<Self, NotABody> {
        Ok(find(mesh)?.landmarks)
    }

    /// The same with what should be known about the body.
    pub fn find_with_notes(mesh: &TriMesh) -> Result<(Self, Vec<Note>), NotABody> {
        let found = find(mesh)?;
        Ok((found.landmarks, found.notes))
    }
}

/// Finds all there is to find on an upright body.
pub(crate) fn find(mesh: &TriMesh) -> Result<Found, NotABody> {
    let bounds = mesh.bounds();
    let size = bounds.size();
    if mesh.triangles.is_empty() || !size.is_finite() || size.y <= 0.0 {
        return Err(not_found("a surface", "give a mesh with triangles and finite positions"));
    }
    let (floor, height) = (bounds.min.y, size.y);
    let mut finder = Finder { mesh, floor, height, top: bounds.max.y, middle: bounds.centre() };
    finder.middle = finder.trunk_middle().ok_or_else(|| not_found("a trunk", UPRIGHT))?;
    finder.found().map_err(|error| {
        if size.z <= SITTING * size.y {
            return error;
        }
        NotABody {
            message: format!("the body is {:.2} m deep and {:.2} m high: it sits, bends or strides", size.z, size.y),
            help: "measure and dress it standing upright, legs side by side, in an A-pose or a T-pose".into(),
        }
    })
}

const UPRIGHT: &str = "the body must stand upright, y up, facing +z";

pub(super) fn not_found(what: &str, help: &str) -> NotABody {
    NotABody { message: format!("the mesh does not show {what}"), help: help.to_owned() }
}

impl Finder<'_> {
    fn found(&mut self) -> Result<Found, NotABody> {
        let crotch = self.crotch().ok_or_else(|| {
            not_found(
                "two legs: they touch each other, or it does not stand",
                "stand it with its feet apart; y must be up",
            )
        })?;
        let armpit = self.armpit(crotch.y).ok_or_else(|| {
            let help = "use an A-pose or a T-pose: arms 20° to 90° off the sides, not touching them";
            not_found("arms away from the trunk", help)
        })?;
        let mut notes = Vec::new();
        if self.top - armpit < LEAST_ABOVE * (armpit - self.floor) {
            self.height = (armpit - self.floor) / ARMPIT_SHARE;
            notes.push(Note::NoHead(self.height));
        }
        let has_head = notes.is_empty();
        let span = armpit - crotch.y;
        let trunk =
            |y: f64| self.around(Plane { point: DVec3::new(self.middle.x, y, self.middle.z), normal: DVec3::Y });
        let girth = |y: f64| trunk(y).map_or(0.0, |r| r.girth);
        let front = |y: f64| trunk(y).map_or(f64::NEG_INFINITY, |r| r.bounds.max.z);
        let waist = least([crotch.y + 0.35 * span, crotch.y + 0.72 * span], girth);
        let hip = greatest([crotch.y + 0.02 * self.height, waist - 0.25 * (waist - crotch.y)], girth);
        // A belly may be more prominent than the chest, a broad back wider: both together tell.
        let fullness = |y: f64| girth(y) + 2.0 * front(y);
        let bust = greatest([waist + 0.45 * (armpit - waist), armpit - 0.01 * self.height], fullness);
        // Hollow below the breasts: farthest behind the line from the bust to the waist.
        let (front_bust, front_waist) = (front(bust), front(waist));
        let line = |y: f64| front_waist + (front_bust - front_waist) * (y - waist) / (bust - waist);
        let underbust = greatest([bust - 0.075 * self.height, bust - 0.025 * self.height], |y| line(y) - front(y));
        let neck = self.neck(armpit).ok_or_else(|| not_found("a neck", UPRIGHT))?;
        let crown = if has_head { self.extreme(|p| p.y) } else { DVec3 { y: self.share(1.0), ..self.middle } };
        let head = greatest([self.share(0.90), self.share(0.985)], girth);
        let neck_sides = self.neck_sides(neck.point.y).ok_or_else(|| not_found("a neck", UPRIGHT))?;
        let half_width = 0.5 * trunk(armpit).map_or(0.0, |r| r.bounds.size().x);
        let [left, right] = [1.0, -1.0].map(|side| self.arm(side, half_width, armpit));
        let (left, right) = (left?, right?);
        notes
            .extend([&left, &right].into_iter().enumerate().filter(|(_, a)| !a.has_hand).map(|(k, _)| Note::NoHand(k)));
        let leg = |side: f64, y: f64| self.leg(side, y).map(|r| DVec3 { y, ..r.centre() });
        let limb = |side: f64, y: f64| leg(side, y).ok_or_else(|| not_found("two legs", "the legs must stand apart"));
        let leg_girth = |y: f64| self.leg(1.0, y).map_or(0.0, |r| r.girth);
        let inseam = crotch.y - self.floor;
        let up = |t: f64| self.floor + t * inseam;
        let levels = [
            crotch.y - 0.024 * self.height,
            up(0.60),
            greatest([up(0.36), up(0.47)], leg_girth),
            least([up(0.10), up(0.25)], leg_girth),
        ];
        let [thigh, knee, calf, ankle] = levels.map(|y| limb(1.0, y));
        let (thigh, knee, calf, ankle) = (thigh?, knee?, calf?, ankle?);
        let right_leg = [levels[0], levels[1], levels[3]].map(|y| limb(-1.0, y));
        let [right_thigh, right_knee, right_ankle] = right_leg;
        let legs = [[thigh, knee, ankle], [right_thigh?, right_knee?, right_ankle?]];
        let landmarks = Landmarks {
            floor: self.floor,
            crown,
            head,
            neck,
            nape: neck_sides[0].y + 0.008 * self.height,
            neck_sides,
            shoulder_points: [left.shoulder, right.shoulder],
            bust,
            underbust,
            waist,
            hip,
            crotch,
            thigh,
            knee,
            calf,
            ankle,
            upper_arm: left.upper_arm,
            elbow: left.elbow,
            wrist: left.wrist,
        };
        let arms = [left, right];
        notes.extend(self.pose(&legs, &arms));
        Ok(Found { landmarks, notes, arms, legs, armpit: [armpit, half_width], stature: self.height })
    }

    /// What is wrong with the pose.
    fn pose(&self, legs: &[[DVec3; 3]; 2], arms: &[ArmMarks; 2]) -> Vec<Note> {
        let mut notes = Vec::new();
        let hanging = |arm: &ArmMarks| arm.upper_arm.normal.angle_between(DVec3::NEG_Y);
        let angle = arms.iter().map(hanging).fold(f64::INFINITY, f64::min);
        if angle < HANGING {
            notes.push(Note::ArmsDown(angle));
        }
        let gap = match [1.0, -1.0].map(|side| self.leg(side, legs[0][0].y)) {
            [Some(left), Some(right)] => left.bounds.min.x - right.bounds.max.x,
            _ => f64::INFINITY,
        };
        if gap < CLOSED {
            notes.push(Note::LegsClosed(gap.max(0.0)));
        }
        let bend = |[thigh, knee, ankle]: &[DVec3; 3]| (*knee - *thigh).angle_between(*ankle - *knee);
        let bend = legs.iter().map(bend).fold(0.0, f64::max);
        if bend > BENT {
            notes.push(Note::KneesBent(bend));
        }
        notes
    }

    fn share(&self, t: f64) -> f64 {
        self.floor + t * self.height
    }

    fn extreme(&self, value: impl Fn(DVec3) -> f64) -> DVec3 {
        let best = self.mesh.positions.iter().copied().max_by(|a, b| value(*a).total_cmp(&value(*b)));
        best.unwrap_or(DVec3::ZERO)
    }

    /// Centre of the largest loop at six tenths of the height: the trunk, whatever the arms do.
    fn trunk_middle(&self) -> Option<DVec3> {
        let rings = self.rings(Plane::level(self.share(0.6)));
        let trunk = rings.into_iter().max_by(|a, b| a.1.girth.total_cmp(&b.1.girth))?.1;
        Some(trunk.centre())
    }

    /// The tapes around all loops of a section, with the distance of the plane's point outside each.
    fn rings(&self, plane: Plane) -> Vec<(f64, Ring)> {
        let tape = |points: Vec<DVec3>| {
            let tape = taut_around(&points, plane);
            let ring = Ring { girth: chain_length(&tape, true), bounds: Aabb::around(tape.iter().copied()) };
            (distance_outside(&tape, plane), ring)
        };
        section(self.mesh, plane).into_iter().filter(|points| points.len() > 2).map(tape).collect()
    }

    /// The tape around the plane's point, or around the loop nearest to it.
    pub(super) fn around(&self, plane: Plane) -> Option<Ring> {
        self.rings(plane).into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, ring)| ring)
    }

    /// The loop of the left (+1) or right (−1) leg at a height: on that side of the middle, and the nearest to it.
    fn leg(&self, side: f64, y: f64) -> Option<Ring> {
        let out = |x: f64| side * (x - self.middle.x);
        let rings = self.rings(Plane::level(y)).into_iter().map(|(_, ring)| ring);
        let inner = |r: &Ring| out(r.bounds.min.x).min(out(r.bounds.max.x));
        let own = rings.filter(|r| out(r.centre().x) > 0.0 && inner(r) > -0.02 * self.height);
        own.min_by(|a, b| out(a.centre().x).total_cmp(&out(b.centre().x)))
    }

    /// Lowest point of the trunk, by halving the range between two legs and one trunk.
    fn crotch(&self) -> Option<DVec3> {
        let is_trunk = |y: f64| {
            let tapes = section(self.mesh, Plane::level(y));
            let across = |points: &Vec<DVec3>| {
                let bounds = Aabb::around(points.iter().copied());
                bounds.min.x < self.middle.x - 1e-6 && bounds.max.x > self.middle.x + 1e-6
            };
            tapes.iter().any(across)
        };
        let (mut low, mut high) = (self.share(0.25), self.share(0.60));
        if is_trunk(low) || !is_trunk(high) {
            return None;
        }
        while high - low > 1e-5 * self.height {
            let y = 0.5 * (low + high);
            if is_trunk(y) { high = y } else { low = y }
        }
        let mut depth = self.middle.z;
        // Of the points of the mesh in the middle, those right above the crotch tell its depth.
        let near =
            |p: &&DVec3| (p.x - self.middle.x).abs() < 0.01 * self.height && (p.y - high).abs() < 0.01 * self.height;
        let (sum, count) = self.mesh.positions.iter().filter(near).fold((0.0, 0.0), |(s, c), p| (s + p.z, c + 1.0));
        if count > 0.0 {
            depth = sum / count;
        }
        Some(DVec3::new(self.middle.x, high, depth))
    }

    /// Level below which the trunk is free of the arms: the first jump of its width on the way up.
    fn armpit(&self, crotch: f64) -> Option<f64> {
        let width = |y: f64| {
            let plane = Plane { point: DVec3 { y, ..self.middle }, normal: DVec3::Y };
            self.around(plane).map_or(0.0, |r| r.bounds.size().x)
        };
        let steps = 4 * STEPS;
        // By the length of the legs, which a missing head does not change.
        let inseam = crotch - self.floor;
        let level = |i: u32| self.floor + inseam * (1.31 + 0.53 * f64::from(i) / f64::from(steps));
        let mut before = width(level(0));
        for i in 1..=steps {
            let now = width(level(i));
            if now > before + 0.047 * inseam {
                return Some(level(i - 1));
            }
            before = now;
        }
        None
    }

    /// The plane square to the neck where it is thinnest.
    fn neck(&self, armpit: f64) -> Option<Plane> {
        let at = |y: f64| Plane { point: DVec3 { y, ..self.middle }, normal: DVec3::Y };
        let girth = |y: f64| self.around(at(y)).map_or(f64::INFINITY, |r| r.girth);
        let low = armpit + 0.06 * self.height;
        let step = 0.010 * self.height;
        let y = if self.top > self.share(0.94) { least([low, self.share(0.90)], girth) } else { self.cut_neck(low) };
        let [below, here, above] =
            [y - step, y, y + step].map(|y| self.around(at(y)).map(|r| DVec3 { y, ..r.centre() }));
        let lean = (above? - below?) * DVec3::new(0.0, 1.0, 0.6);
        Some(Plane { point: here?, normal: lean.try_normalize()? })
    }

    /// The middle of a neck without a head: where its girth changes least, between the slope of the shoulders and its closed end.
    fn cut_neck(&self, low: f64) -> f64 {
        let at = |y: f64| Plane { point: DVec3 { y, ..self.middle }, normal: DVec3::Y };
        let girth = |y: f64| self.around(at(y)).map_or(0.0, |r| r.girth);
        let step = 0.004 * self.height;
        let high = (self.top - 0.008 * self.height).min(self.share(0.90)).max(low);
        least([low, high], |y| (girth(y + step) - girth(y - step)).abs())
    }

    /// Where the neck, on the way down, has become a third wider.
    fn neck_sides(&self, neck: f64) -> Option<[DVec3; 2]> {
        let ring = |y: f64| self.around(Plane { point: DVec3 { y, ..self.middle }, normal: DVec3::Y });
        let narrow = ring(neck)?.bounds.size().x;
        let step = 0.002 * self.height;
        let level = (1..40)
            .map(|i| neck - f64::from(i) * step)
            .find(|&y| ring(y).is_some_and(|r| r.bounds.size().x > 1.33 * narrow));
        // A body cut off where the neck begins has no narrower place; its sides are right below the cut.
        let is_cut = self.top < self.share(0.94);
        let level = level.or(is_cut.then_some(neck - 2.0 * step))?;
        let bounds = ring(level)?.bounds;
        let side = |x: f64| DVec3::new(x, level, bounds.centre().z);
        Some([side(bounds.max.x), side(bounds.min.x)])
    }
}

/// Share in which golden section divides a range.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The place in a range where `value` is greatest.
pub(super) fn greatest([from, to]: [f64; 2], value: impl Fn(f64) -> f64) -> f64 {
    let place = |i: u32| from + (to - from) * f64::from(i) / f64::from(STEPS);
    let best = (0..=STEPS).map(|i| (value(place(i)), place(i))).max_by(|a, b| a.0.total_cmp(&b.0));
    let best = best.map_or(from, |(_, place)| place);
    // Between the neighbours of the best: golden section.
    let step = (to - from).abs() / f64::from(STEPS);
    let (mut low, mut high) = ((best - step).max(from.min(to)), (best + step).min(from.max(to)));
    for _ in 0..REFINEMENTS {
        let (a, b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if value(a) < value(b) { low = a } else { high = b }
    }
    let refined = 0.5 * (low + high);
    if value(refined) > value(best) { refined } else { best }
}

/// The place in a range where `value` is least.
pub(super) fn least(range: [f64; 2], value: impl Fn(f64) -> f64) -> f64 {
    greatest(range, |place| -value(place))
}
