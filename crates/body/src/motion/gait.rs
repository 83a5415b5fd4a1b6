//! Walking and running.
//!
//! Feet are planned first and legs follow them. A stride has the duration `T`; each foot stands for a share of it and swings
//! for the rest, left and right half a stride apart. A footprint lies beside the route where the walker is near the
//! middle of the stance. The foot rolls over it from heel to toe without slipping (`sole`), by a pitch that repeats with the stride;
//! from the last place of one footprint it swings to the first of the next on a cubic that keeps its velocity, lifted by a
//! bump `1 − cos⁶`. The pelvis follows the route and sways, lists and turns a little with the stride; it is as high as both
//! legs allow. Thighs and shanks then follow from hip and ankle (`limb`).
//!
//! Durations and lengths follow the length `L` of the legs at equal Froude number `v² / (g L)` (Alexander 1976,
//! "Estimates of speeds of dinosaurs"): `v ∝ √L`. Angles are those of gait laboratories, rounded (Perry and Burnfield
//! 2010, "Gait analysis", chapters 3 to 8), but for the foot, which has no toes here and tips less.

use std::f64::consts::{PI, TAU};

use toile_mesh::{DQuat, DVec3};

use super::RoutineSettings;
use super::arms::{ArmAngles, Arms};
use super::cycle::Cycle;
use super::limb::{Leg, REACH};
use super::room::Room;
use super::route::{Route, Waypoint};
use super::sole::Sole;
use crate::body::Body;
use crate::posture::{Posture, ease};
use crate::skeleton::{Joint, Skeleton};

/// Length of the legs, hip to floor, for which speeds are stated [m].
const USUAL_LEG: f64 = 0.90;

/// Phases of a stride at which the height of the pelvis is fitted.
const PHASES: u32 = 128;

/// Phases of a stride at which arms must leave room for cloth.
const ARM_PHASES: u32 = 16;

/// Least angle of hanging arms against the vertical, and the largest that is tried [rad].
const HANGING: [f64; 2] = [0.10, 0.70];

/// What the pelvis is lower than these phases demand, for those in between [m].
const SPARE: f64 = 1e-3;

/// Smoothing of a swinging foot [m].
const AIR: f64 = 4e-3;

/// How much farther apart feet are set in a turn, each [m]: thighs would brush each other.
const WIDER: f64 = 0.025;

/// What distinguishes a walk from a run. Lengths are for the usual leg.
struct Style {
    /// [m/s]
    speed: f64,
    /// Duration of a stride [s].
    stride: f64,
    /// Share of the stride for which a foot stands.
    stance: f64,
    /// Phase of the stance at which the hip is above the ankle: before its middle, as the foot rolls on to its toes.
    above: f64,
    /// Pitch of the foot over the stride [rad]; the heel is up if positive.
    pitch: &'static [(f64, f64)],
    /// How high a foot is lifted beyond what its pitch demands [m].
    lift: f64,
    /// How much the pelvis rises and falls [m], and where in the stride of the left foot it is highest.
    bounce: [f64; 2],
    /// Turn of the pelvis about the vertical, and drop of its free side [rad].
    pelvis: [f64; 2],
    /// Way of the pelvis to the side [m].
    sway: f64,
    /// Forward lean of the trunk [rad].
    lean: f64,
    /// Swing of the arms to either side of its middle, and its middle [rad].
    arms: [f64; 2],
    /// Bend of the elbows behind and in front [rad].
    elbows: [f64; 2],
}

const WALK: Style = Style {
    speed: 1.40,
    stride: 1.03,
    stance: 0.62,
    above: 0.235,
    pitch: &[
        (0.0, -0.30),
        (0.11, 0.0),
        (0.34, 0.0),
        (0.50, 0.26),
        (0.62, 0.76),
        (0.70, 0.82),
        (0.86, 0.0),
        (0.94, -0.24),
    ],
    lift: 0.015,
    bounce: [0.022, 0.28],
    pelvis: [0.09, 0.06],
    sway: 0.016,
    lean: 0.04,
    arms: [0.34, -0.04],
    elbows: [0.15, 0.42],
};

const RUN: Style = Style {
    speed: 2.80,
    stride: 0.70,
    stance: 0.35,
    above: 0.135,
    pitch: &[
        (0.0, -0.12),
        (0.07, 0.0),
        (0.16, 0.0),
        (0.35, 0.80),
        (0.48, 1.15),
        (0.66, 0.90),
        (0.86, 0.06),
        (0.95, -0.10),
    ],
    lift: 0.10,
    bounce: [0.034, 0.42],
    pelvis: [0.12, 0.05],
    sway: 0.008,
    lean: 0.16,
    arms: [0.55, -0.10],
    elbows: [1.35, 1.60],
};

/// Which gait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    Walk,
    Run,
}

impl Pace {
    const fn style(self) -> &'static Style {
        match self {
            Self::Walk => &WALK,
            Self::Run => &RUN,
        }
    }
}

/// A body that walks or runs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Gait {
    pace: Pace,
    skeleton: Skeleton,
    legs: [Leg; 2],
    soles: [Sole; 2],
    arms: Arms,
    /// Angle of the upper arms against the vertical [rad].
    hanging: f64,
    pitch: Cycle,
    route: Route,
    in_place: bool,
    /// Length of the legs over the usual one.
    scale: f64,
    /// Duration of a stride [s].
    stride: f64,
    /// Mean way of the pelvis down from its place at rest [m].
    drop: f64,
}

/// Where a foot is.
struct Foot {
    ankle: DVec3,
    heading: f64,
    pitch: f64,
}

impl Foot {
    fn turn(&self) -> DQuat {
        DQuat::from_rotation_y(self.heading) * DQuat::from_rotation_x(self.pitch)
    }
}

impl Gait {
    /// Straight on, or laps with straights of about `straight` [m].
    pub(super) fn new(body: &Body, pace: Pace, straight: Option<f64>, settings: RoutineSettings) -> Self {
        use Joint::{LeftAnkle, LeftHip, RightAnkle};
        let style = pace.style();
        let scale = (body.skeleton.position(LeftHip).y / USUAL_LEG).max(0.1);
        let (stride, speed) = (style.stride * scale.sqrt(), style.speed * scale.sqrt());
        // Whole strides, so that a lap ends as it began.
        let strides = |seconds: f64| (seconds / stride).round().max(1.0) * stride;
        let route = match straight {
            Some(length) => Route::lap(speed, strides(length.max(0.0) / speed), 4.0 * stride),
            None => Route::straight(speed),
        };
        let mut gait = Self {
            pace,
            skeleton: body.skeleton,
            legs: Leg::both(&body.skeleton),
            soles: [LeftAnkle, RightAnkle].map(|joint| Sole::new(body, joint)),
            arms: Arms::new(body),
            hanging: 0.0,
            pitch: Cycle::new(style.pitch),
            route,
            in_place: settings.in_place,
            scale,
            stride,
            drop: 0.0,
        };
        let drops = (0..PHASES).map(|k| gait.needed_drop(f64::from(k) / f64::from(PHASES)));
        gait.drop = drops.fold(0.0, f64::max) + SPARE;
        let [least, most] = HANGING;
        let least = settings.arms_out.clamp(least, most);
        for side in 0..2 {
            let from = gait.hanging.max(least);
            gait.hanging = Room::new(body, side).least_angle([from, most], |angle| gait.stride_with_arms_at(angle));
        }
        gait
    }

    /// Postures of a stride straight on, with arms that hang at an angle [rad].
    fn stride_with_arms_at(&self, angle: f64) -> impl Iterator<Item = Posture> + use<> {
        let straight = Self { hanging: angle, ..self.straight() };
        (0..ARM_PHASES).map(move |k| straight.posture(straight.stride * f64::from(k) / f64::from(ARM_PHASES)))
    }

    /// The same gait straight on.
    fn straight(&self) -> Self {
        Self { route: Route::straight(self.pace.style().speed * self.scale.sqrt()), ..self.clone() }
    }

    /// Seconds after which it repeats: a lap, or a stride.
    pub(super) fn duration(&self) -> f64 {
        self.route.duration().unwrap_or(self.stride)
    }

    /// How it stands at a time [s].
    pub(super) fn posture(&self, t: f64) -> Posture {
        let phase = t / self.stride;
        let here = self.route.at(t);
        let mut posture = self.trunk(phase, &here);
        for side in 0..2 {
            self.bend_leg(&mut posture, side, &self.foot(side, t), &here);
            // An arm swings with the opposite leg.
            let style = self.pace.style();
            let wave = (TAU * (phase - 0.5 * side as f64)).cos();
            let [behind, front] = style.elbows;
            let angles = ArmAngles {
                outward: self.hanging,
                swing: style.arms[1] - style.arms[0] * wave,
                elbow: behind + (front - behind) * (0.5 - 0.5 * wave),
            };
            self.arms.set(&mut posture, side, angles);
        }
        if self.in_place {
            posture.shift -= here.place;
        }
        posture
    }

    /// Pelvis, spine and head.
    fn trunk(&self, phase: f64, here: &Waypoint) -> Posture {
        let style = self.pace.style();
        let (sin, cos) = (TAU * phase).sin_cos();
        let [yaw, list] = [-style.pelvis[0] * cos, style.pelvis[1] * sin];
        let rest = self.skeleton.position(Joint::Pelvis);
        let rise = style.bounce[0] * self.scale * (2.0 * TAU * (phase - style.bounce[1])).cos();
        let side = style.sway * self.scale * sin * here.left();
        let mut posture = Posture { shift: here.place + side + DVec3::Y * (rise - self.drop), ..Posture::REST };
        // The pelvis turns about its own place, which may lie before or behind the route at rest.
        posture.shift += DQuat::from_rotation_y(here.heading) * (rest * DVec3::new(1.0, 0.0, 1.0))
            - rest * DVec3::new(1.0, 0.0, 1.0);
        let turned = |yaw: f64, list: f64, lean: f64| {
            DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(lean) * DQuat::from_rotation_z(list)
        };
        posture.set(Joint::Pelvis, turned(here.heading + yaw, list, 0.4 * style.lean));
        posture.set(Joint::Waist, turned(-0.8 * yaw, -0.8 * list, 0.6 * style.lean));
        posture.set(Joint::Chest, turned(-0.8 * yaw, -0.4 * list, 0.0));
        // The head keeps looking ahead.
        posture.set(Joint::Neck, turned(0.3 * yaw, 0.1 * list, -0.4 * style.lean));
        posture.set(Joint::Head, turned(0.3 * yaw, 0.1 * list, -0.4 * style.lean));
        posture
    }

    /// Where the left (0) or right (1) foot is at a time [s].
    fn foot(&self, side: usize, t: f64) -> Foot {
        let stance = self.pace.style().stance;
        let phase = t / self.stride - 0.5 * side as f64;
        let step = phase.floor();
        let u = phase - step;
        if u < stance {
            return self.standing(side, step, u);
        }
        let (lift_off, landing) = (self.standing(side, step, stance), self.standing(side, step + 1.0, 0.0));
        // Velocities of the rolling ankle at both ends, per stride.
        let slope = |step: f64, u: f64| {
            const H: f64 = 1e-4;
            let [before, after] = [u - H, u + H].map(|u| self.standing(side, step, u).ankle);
            (after - before) / (2.0 * H)
        };
        let (v0, v1) = (slope(step, stance), slope(step + 1.0, 0.0));
        let (length, way) = (1.0 - stance, (u - stance) / (1.0 - stance));
        let (a, b) = (lift_off.ankle, landing.ankle);
        let axis = |i: usize| super::cycle::hermite([a[i], b[i]], [v0[i], v1[i]], length, way);
        let heading = lift_off.heading + (landing.heading - lift_off.heading) * ease(way);
        let pitch = self.pitch.at(u);
        let bump = self.scale * (1.0 - (PI * way).cos().powi(6));
        // In the air heel and toes change places gently, which costs some height.
        let height = self.soles[side].height_above(DQuat::from_rotation_x(pitch), AIR * bump);
        let height = height + self.pace.style().lift * bump;
        Foot { ankle: DVec3::new(axis(0), height, axis(2)), heading, pitch }
    }

    /// The foot on its footprint number `step`, at a phase of its stride.
    fn standing(&self, side: usize, step: f64, u: f64) -> Foot {
        let sole = &self.soles[side];
        let print = self.route.at(self.stride * (step + 0.5 * side as f64 + self.pace.style().above));
        let pitch = self.pitch.at(u);
        let ankle = print.place
            + (sole.ankle.x + WIDER.copysign(sole.ankle.x) * self.scale * print.turning) * print.left()
            + (sole.ankle.z + sole.rolled(pitch)) * print.ahead()
            + DVec3::Y * sole.height(DQuat::from_rotation_x(pitch));
        Foot { ankle, heading: print.heading, pitch }
    }

    fn bend_leg(&self, posture: &mut Posture, side: usize, foot: &Foot, here: &Waypoint) {
        let leg = &self.legs[side];
        let pelvis = posture.turn(Joint::Pelvis);
        let knee_ahead = DQuat::from_rotation_y(0.5 * (foot.heading + here.heading)) * DVec3::Z;
        let [thigh, shank] = leg.reach(foot.ankle - self.hip(posture, leg), knee_ahead);
        posture.set(leg.hip, pelvis.conjugate() * thigh);
        posture.set(leg.knee, thigh.conjugate() * shank);
        posture.set(leg.ankle, shank.conjugate() * foot.turn());
    }

    /// Where a hip is in a posture [m].
    fn hip(&self, posture: &Posture, leg: &Leg) -> DVec3 {
        let root = self.skeleton.position(Joint::Pelvis);
        root + posture.shift + posture.turn(Joint::Pelvis) * (self.skeleton.position(leg.hip) - root)
    }

    /// How much lower than now the pelvis must be at a phase, so that both legs reach the floor [m].
    fn needed_drop(&self, phase: f64) -> f64 {
        let t = phase * self.stride;
        let straight = self.straight();
        let posture = straight.trunk(phase, &straight.route.at(t));
        let drops = straight.legs.iter().enumerate().map(|(side, leg)| {
            let way = straight.foot(side, t).ankle - straight.hip(&posture, leg);
            let reach = (REACH * leg.length()).powi(2) - way.x * way.x - way.z * way.z;
            -way.y - reach.max(0.0).sqrt()
        });
        drops.fold(0.0, f64::max)
    }
}
