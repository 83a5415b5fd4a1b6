//! [`Body`]: a surface that follows a skeleton.

use toile_mesh::{DVec3, TriMesh};

use crate::mannequin::Mannequin;
use crate::posture::Posture;
use crate::skeleton::{Joint, Skeleton};
use crate::skin::{Blend, Skin};

/// A body at rest, ready to be posed.
///
/// ```
/// use toile_body::{Blend, Body, Figure, Given, Motion, Routine, RoutineSettings, Specification, draft};
/// let mannequin = draft(&Specification { triangles: 5_000, ..Specification::new(Figure::Female, Given::NONE) })?;
/// let body = Body::new(mannequin, Blend::DualQuaternion);
/// let walk = Motion::routine(Routine::Walk, &body, RoutineSettings::default());
/// let mut positions = Vec::new();
/// body.positions(&walk.posture(0.25), &mut positions);
/// assert_eq!(positions.len(), body.mesh.vertex_count());
/// # Ok::<(), toile_body::Refusal>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Body {
    /// Its surface at rest: stands on y = 0, looks along +z.
    pub mesh: TriMesh,
    /// Its joints at rest.
    pub skeleton: Skeleton,
    /// The joint whose bone each vertex belongs to, shape `[vertices]`.
    pub bones: Vec<Joint>,
    /// How the surface follows the joints.
    pub skin: Skin,
    /// How the motions of bones are mixed.
    pub blend: Blend,
}

impl Body {
    /// A mannequin with its skin.
    pub fn new(mannequin: Mannequin, blend: Blend) -> Self {
        let skin = mannequin.skin();
        let Mannequin { mesh, skeleton, bones, .. } = mannequin;
        Self { mesh, skeleton, bones, skin, blend }
    }

    /// Positions of the vertices in a posture [m], shape `[vertices]`. Takes no memory if `positions` has room.
    pub fn positions(&self, posture: &Posture, positions: &mut Vec<DVec3>) {
        let motions = self.skeleton.pose(&posture.turns, posture.shift);
        self.skin.apply_into(&self.mesh.positions, &motions, self.blend, positions);
    }

    /// The surface in a posture.
    pub fn posed(&self, posture: &Posture) -> TriMesh {
        let mut positions = Vec::new();
        self.positions(posture, &mut positions);
        TriMesh { positions, triangles: self.mesh.triangles.clone() }
    }
}
