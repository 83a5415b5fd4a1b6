//! [`Specification`]: what mannequin to draft.

use crate::measurement::Given;

/// The proportions a body has where measurements leave them open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Figure {
    /// A woman's.
    Female,
    /// A man's.
    Male,
    /// Half way between.
    Neutral,
}

impl Figure {
    /// All figures.
    pub const ALL: [Self; 3] = [Self::Female, Self::Male, Self::Neutral];

    /// Its name in a `body.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Female => "female",
            Self::Male => "male",
            Self::Neutral => "neutral",
        }
    }

    /// 0 for a woman's proportions, 1 for a man's.
    pub(crate) const fn masculinity(self) -> f64 {
        match self {
            Self::Female => 0.0,
            Self::Male => 1.0,
            Self::Neutral => 0.5,
        }
    }
}

/// How a mannequin stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pose {
    /// Arms lowered, at this angle against the vertical [rad].
    A(f64),
    /// Arms level.
    T,
}

impl Pose {
    /// Angle of the arms in the A-pose unless another is asked for [rad]: 40°.
    pub const USUAL_ARM_ANGLE: f64 = 0.698_131_700_797_731_8;

    /// Smallest angle of the arms accepted [rad]: 15°. Closer to the body they touch the hips of most people.
    pub const LEAST_ARM_ANGLE: f64 = 0.261_799_387_799_149_4;

    /// Angle of the arms against the vertical [rad].
    pub const fn arm_angle(self) -> f64 {
        match self {
            Self::A(angle) => angle,
            Self::T => std::f64::consts::FRAC_PI_2,
        }
    }
}

/// What mannequin to draft.
///
/// ```
/// use toile_body::{Figure, Given, Measurement, Specification, draft};
/// let given = Given::NONE.with(Measurement::Height, 1.72).with(Measurement::Waist, 0.70);
/// let body = draft(&Specification { triangles: 5_000, ..Specification::new(Figure::Female, given) })?;
/// assert!((body.mesh.bounds().size().y - 1.72).abs() < 2e-3);
/// # Ok::<(), toile_body::Refusal>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Specification {
    /// Proportions where measurements leave them open.
    pub figure: Figure,
    /// Stance.
    pub pose: Pose,
    /// Number of triangles, met within some per cent. More resolve the surface finer and take longer to draft.
    pub triangles: usize,
    /// The measurements it shall have; all others follow by [`complete`](crate::complete).
    pub given: Given,
}

impl Specification {
    /// Number of triangles unless another is asked for.
    pub const USUAL_TRIANGLES: usize = 20_000;

    /// Least and greatest number of triangles.
    pub const TRIANGLES: [usize; 2] = [3_000, 120_000];

    /// A figure in the usual A-pose with some measurements.
    pub fn new(figure: Figure, given: Given) -> Self {
        Self { figure, pose: Pose::A(Pose::USUAL_ARM_ANGLE), triangles: Self::USUAL_TRIANGLES, given }
    }
}
