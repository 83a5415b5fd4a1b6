//! Motions: the posture of a body as a function of time.
//!
//! [`Motion`] is one of the routines a mannequin knows ([`Routine`]), which repeat and whose joints turn without jumps of
//! their speed, or a [`Clip`] of postures, from motion capture for instance. [`Performance`](crate::Performance) adds the
//! way into it from the pose of the draft.

mod arms;
mod clip;
mod cycle;
mod exercise;
mod gait;
pub(crate) mod limb;
pub(crate) mod room;
mod route;
pub(crate) mod sole;

pub use clip::Clip;

use exercise::{ArmRaise, Squat};
use gait::{Gait, Pace};

use crate::body::Body;
use crate::posture::Posture;

/// A motion that any mannequin knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routine {
    /// Walking straight on along +z: 1.4 m/s with legs of 0.90 m.
    Walk,
    /// Walking up and down a catwalk, with half a turn at either end.
    Catwalk,
    /// Running straight on along +z: 2.8 m/s with legs of 0.90 m, elbows bent.
    Run,
    /// Raising the arms to the sides and overhead, and lowering them.
    ArmRaise,
    /// Bending the knees until the thighs are level, arms forward, and rising again.
    Squat,
}

impl Routine {
    /// All routines.
    pub const ALL: [Self; 5] = [Self::Walk, Self::Catwalk, Self::Run, Self::ArmRaise, Self::Squat];

    /// Its name in a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Walk => "walk",
            Self::Catwalk => "catwalk",
            Self::Run => "run",
            Self::ArmRaise => "arm-raise",
            Self::Squat => "squat",
        }
    }

    /// Older spellings of its name, which files may still have.
    pub const fn old_names(self) -> &'static [&'static str] {
        match self {
            Self::ArmRaise => &["arm_raise"],
            Self::Walk | Self::Catwalk | Self::Run | Self::Squat => &[],
        }
    }

    /// The routine of this name, by its present or an older spelling.
    ///
    /// ```
    /// use toile_body::Routine;
    /// assert_eq!(Routine::find("arm-raise"), Some(Routine::ArmRaise));
    /// assert_eq!(Routine::find("arm_raise"), Some(Routine::ArmRaise));
    /// assert_eq!(Routine::find("moonwalk"), None);
    /// ```
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|routine| routine.name() == name || routine.old_names().contains(&name))
    }
}

/// What can be chosen about a [`Routine`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RoutineSettings {
    /// Whether the body stays where it is and the feet slide, as on a treadmill.
    pub in_place: bool,
    /// Length of a catwalk between its turns [m].
    pub catwalk: f64,
    /// Least angle of swinging upper arms against the vertical [rad]. By default they hang as near as leaves room for cloth
    /// between arm and body.
    pub arms_out: f64,
}

impl Default for RoutineSettings {
    fn default() -> Self {
        Self { in_place: false, catwalk: 4.0, arms_out: 0.0 }
    }
}

/// The posture of a body as a function of time.
#[derive(Clone, PartialEq, Debug)]
pub struct Motion(Kind);

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Still(Box<Posture>),
    Gait(Box<Gait>),
    ArmRaise(ArmRaise),
    Squat(Box<Squat>),
    Clip(Clip),
}

impl Motion {
    /// One posture for ever.
    pub fn still(posture: Posture) -> Self {
        Self(Kind::Still(Box::new(posture)))
    }

    /// Postures one after the other.
    pub fn clip(clip: Clip) -> Self {
        Self(Kind::Clip(clip))
    }

    /// A routine, for the proportions of a body.
    pub fn routine(routine: Routine, body: &Body, settings: RoutineSettings) -> Self {
        let gait = |pace, straight| Kind::Gait(Box::new(Gait::new(body, pace, straight, settings)));
        Self(match routine {
            Routine::Walk => gait(Pace::Walk, None),
            Routine::Catwalk => gait(Pace::Walk, Some(settings.catwalk)),
            Routine::Run => gait(Pace::Run, None),
            Routine::ArmRaise => Kind::ArmRaise(ArmRaise::new(body)),
            Routine::Squat => Kind::Squat(Box::new(Squat::new(body))),
        })
    }

    /// The posture at a time [s], any number: routines go on for ever, clips stand still before and after.
    pub fn posture(&self, t: f64) -> Posture {
        match &self.0 {
            Kind::Still(posture) => **posture,
            Kind::Gait(gait) => gait.posture(t),
            Kind::ArmRaise(raise) => raise.posture(t),
            Kind::Squat(squat) => squat.posture(t),
            Kind::Clip(clip) => clip.posture(t),
        }
    }

    /// Seconds until it repeats or ends [s]; 0 for one posture.
    pub fn duration(&self) -> f64 {
        match &self.0 {
            Kind::Still(_) => 0.0,
            Kind::Gait(gait) => gait.duration(),
            Kind::ArmRaise(_) => ArmRaise::DURATION,
            Kind::Squat(_) => Squat::DURATION,
            Kind::Clip(clip) => clip.duration(),
        }
    }
}
