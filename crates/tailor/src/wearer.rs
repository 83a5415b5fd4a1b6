//! [`Wearer`]: the body that a garment is put on.

use toile_body::measure::{self, Landmarks, NotABody};
use toile_body::{Figure, Given, Measurement, Measurements, Refusal, Specification, complete, draft};
use toile_mesh::TriMesh;

/// A body with all that is asked of it when a garment is cut and put on. It stands at the origin and looks along +z.
#[derive(Clone, PartialEq, Debug)]
pub struct Wearer {
    /// Name in messages.
    pub name: String,
    /// Its surface in the pose in which it is dressed.
    pub mesh: TriMesh,
    /// Its measurements and where they are taken.
    pub figuring: Figuring,
    /// Coefficient of friction with its like; `None`, the fabric says how it slides on skin.
    pub friction: Option<f64>,
    /// What fine hair and soft skin add to half the thickness of the cloth [m].
    pub padding: f64,
}

/// What a tailor asks of a body.
#[derive(Clone, PartialEq, Debug)]
pub struct Figuring {
    /// Whose proportions it has.
    pub figure: Figure,
    /// Where its measurements are taken.
    pub landmarks: Landmarks,
    /// Its measurements [m; rad].
    pub measurements: Measurements,
}

impl Figuring {
    /// Measures an upright mesh, of which nobody says whose proportions it has.
    pub fn of_mesh(mesh: &TriMesh) -> Result<Self, NotABody> {
        Ok(Self::at(mesh, Landmarks::find(mesh)?))
    }

    /// Measures an upright mesh at its landmarks. What a mesh without a head does not show follows from its height: the girth of its
    /// head, and that of its neck if it is cut off where the shoulders begin.
    pub fn at(mesh: &TriMesh, landmarks: Landmarks) -> Self {
        let read = measure::read(mesh, &landmarks);
        let usual = complete(Figure::Neutral, &Given::NONE.with(Measurement::Height, read[Measurement::Height]));
        let has_head = read[Measurement::Head] > 0.0;
        let is_shown = |m: Measurement| match m {
            Measurement::Neck => has_head || read[m] < WIDEST_NECK * usual[m],
            _ => read[m] > 0.0,
        };
        let measurements = Measurements::from_fn(|m| if is_shown(m) { read[m] } else { usual[m] });
        Self { figure: Figure::Neutral, landmarks, measurements }
    }
}

/// Girth of the end of a body without a head, over that of the usual neck, above which it is no neck.
const WIDEST_NECK: f64 = 1.2;

/// What fine hair and soft skin add to half the thickness of the cloth that touches it [m]. With less, coarse triangles of moving bodies
/// meet cloth at the rounding of their edges; a millimetre more adds 0.7 % to a girth of 90 cm.
pub const SKIN_PADDING: f64 = 0.0005;

impl Wearer {
    /// Drafts a mannequin in the pose of its specification.
    pub fn mannequin(name: impl Into<String>, specification: &Specification) -> Result<Self, Refusal> {
        let drafted = draft(specification)?;
        let figuring =
            Figuring { figure: specification.figure, landmarks: drafted.landmarks, measurements: drafted.measurements };
        Ok(Self { name: name.into(), mesh: drafted.mesh, figuring, friction: None, padding: SKIN_PADDING })
    }

    /// Measures an upright mesh that stands at the origin and looks along +z.
    pub fn of_mesh(name: impl Into<String>, mesh: TriMesh) -> Result<Self, NotABody> {
        let figuring = Figuring::of_mesh(&mesh)?;
        Ok(Self { name: name.into(), mesh, figuring, friction: None, padding: SKIN_PADDING })
    }
}
