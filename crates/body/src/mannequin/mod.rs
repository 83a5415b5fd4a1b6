//! The mannequin: a body drafted from measurements.
//!
//! From the specification to the mesh:
//!
//! 1. `form`: levels, profiles and bones from a *design*, a full set of measurements. `trunk` (with `stations` and `bumps`),
//!    `leg`, `foot` and `arm` give the section of each part at every place: superellipses that differ in front and behind, with bumps for breasts, seat
//!    and shoulder blades.
//! 2. `template`: one net of quadrilaterals for all bodies, laid over the form.
//! 3. `fair`: the joins at shoulders, armpits and crotch become the smoothest surface through what is around them.
//! 4. `whole`: both halves, triangles, landmarks.
//! 5. `fit`: the tape is laid, the design corrected, until the mesh has the measurements that were asked for.
//!
//! Explicit sections were preferred to a blend of implicit parts: the net stays the same for all bodies, girths are met
//! by scaling sections, and a gap of a centimetre between the thighs costs no resolution.
//!
//! Limits: no face, no ears, no fingers; the arms are in the plane of the body but for the forearms, which point a
//! little forward; left and right are mirror images.

mod arm;
mod bumps;
mod curve;
pub(crate) mod fair;
mod fit;
mod foot;
mod form;
mod leg;
mod stations;
mod template;
mod trunk;
mod whole;

pub use fit::draft;

use toile_mesh::TriMesh;

use crate::measure::Landmarks;
use crate::measurement::Measurements;
use crate::skeleton::{Joint, Skeleton};
use crate::skin::Skin;

/// A drafted body.
#[derive(Clone, PartialEq, Debug)]
pub struct Mannequin {
    /// The surface: closed, of one part, mirror-symmetric in x. The sole is at y = 0, the body looks along +z. Bodies of
    /// one number of triangles have the same triangles, whatever their size.
    pub mesh: TriMesh,
    /// Where its measurements are taken.
    pub landmarks: Landmarks,
    /// Its joints.
    pub skeleton: Skeleton,
    /// The joint whose bone each vertex belongs to, shape `[vertices]`.
    pub bones: Vec<Joint>,
    /// All measurements it was drafted to [m; rad]: those given, the others by regression.
    pub measurements: Measurements,
}

impl Mannequin {
    /// Weights with which the surface follows the joints.
    ///
    /// ```
    /// use toile_body::skeleton::Joint;
    /// use toile_body::{Blend, Figure, Given, Specification, draft};
    /// use toile_mesh::{DQuat, DVec3};
    /// let body = draft(&Specification { triangles: 5_000, ..Specification::new(Figure::Female, Given::NONE) })?;
    /// let mut turns = [DQuat::IDENTITY; Joint::COUNT];
    /// turns[Joint::LeftElbow as usize] = DQuat::from_rotation_y(-1.0);
    /// let motions = body.skeleton.pose(&turns, DVec3::ZERO);
    /// let bent = body.skin().apply(&body.mesh.positions, &motions, Blend::DualQuaternion);
    /// assert_eq!(bent.len(), body.mesh.vertex_count());
    /// # Ok::<(), toile_body::Refusal>(())
    /// ```
    pub fn skin(&self) -> Skin {
        Skin::spread(&self.mesh, &self.bones)
    }
}
