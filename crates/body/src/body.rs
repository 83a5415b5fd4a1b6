//! [`Body`]: a surface that follows a skeleton.

use toile_mesh::{DVec3, TriMesh, VertexId};

use crate::crease::Creases;
use crate::import::close_flat;
use crate::mannequin::Mannequin;
use crate::posture::Posture;
use crate::skeleton::{Joint, Segment, Skeleton};
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
    /// Where bent joints crease the skin.
    creases: Creases,
}

impl Body {
    /// A mannequin with its skin.
    pub fn new(mannequin: Mannequin, blend: Blend) -> Self {
        let skin = mannequin.skin();
        let Mannequin { mesh, skeleton, bones, .. } = mannequin;
        Self::from_parts(mesh, skeleton, bones, skin, blend)
    }

    /// A surface with its joints and skin.
    pub fn from_parts(mesh: TriMesh, skeleton: Skeleton, bones: Vec<Joint>, skin: Skin, blend: Blend) -> Self {
        let creases = Creases::new(&mesh, &skeleton, &skin);
        Self { mesh, skeleton, bones, skin, blend, creases }
    }

    /// Positions of the vertices in a posture [m], shape `[vertices]`. Creases of bent joints are filled.
    pub fn positions(&self, posture: &Posture, positions: &mut Vec<DVec3>) {
        let motions = self.skeleton.pose(&posture.turns, posture.shift);
        self.skin.apply_into(&self.mesh.positions, &motions, self.blend, positions);
        self.creases.fill(&self.skin, &motions, positions);
    }

    /// The body without some segments: their triangles are gone, and what is open then is closed flat. Joints stay.
    ///
    /// ```
    /// use toile_body::{Blend, Body, Figure, Given, Segment, Specification, draft};
    /// use toile_mesh::Topology;
    /// let mannequin = draft(&Specification { triangles: 5_000, ..Specification::new(Figure::Female, Given::NONE) })?;
    /// let body = Body::new(mannequin, Blend::DualQuaternion);
    /// let handless = body.without(&[Segment::LeftHand, Segment::RightHand]);
    /// assert!(handless.mesh.face_count() < body.mesh.face_count() && Topology::new(&handless.mesh).is_closed());
    /// # Ok::<(), toile_body::Refusal>(())
    /// ```
    #[must_use]
    pub fn without(&self, segments: &[Segment]) -> Self {
        let (mesh, kept) = self.cut(segments);
        let bones = kept.iter().map(|v| self.bones[*v]).collect();
        let skin = Skin { weights: kept.iter().map(|v| self.skin.weights[*v]).collect() };
        Self::from_parts(mesh, self.skeleton, bones, skin, self.blend)
    }

    /// The mesh without some segments, and the vertices that are left, in their order.
    pub fn cut(&self, segments: &[Segment]) -> (TriMesh, Vec<usize>) {
        let is_gone = |v: &VertexId| segments.contains(&self.bones[v.index()].segment());
        let mut mesh = self.mesh.clone();
        mesh.triangles.retain(|t| !t.iter().all(is_gone));
        close_flat(&mut mesh);
        let mut number = vec![None; mesh.vertex_count()];
        for v in mesh.triangles.iter().flatten() {
            number[v.index()] = Some(VertexId(0));
        }
        let kept: Vec<usize> = (0..number.len()).filter(|v| number[*v].is_some()).collect();
        for (new, old) in kept.iter().enumerate() {
            number[*old] = Some(VertexId::from(new));
        }
        for v in mesh.triangles.iter_mut().flatten() {
            *v = number[v.index()].unwrap_or(*v);
        }
        mesh.positions = kept.iter().map(|v| mesh.positions[*v]).collect();
        (mesh, kept)
    }

    /// The surface in a posture.
    pub fn posed(&self, posture: &Posture) -> TriMesh {
        let mut positions = Vec::new();
        self.positions(posture, &mut positions);
        TriMesh { positions, triangles: self.mesh.triangles.clone() }
    }
}
