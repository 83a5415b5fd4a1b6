//! [`Tailored`]: cloths that are made in code and are no shape of a scene.

use toile_contact::MeshObstacle;
use toile_garment::mesh::PanelMesh;
use toile_mesh::{DVec2, DVec3, TriMesh};

use crate::build::{BuiltCloth, WorldError};
use crate::hold::Hold;
use crate::scene::Scene;

/// What takes the place of shapes of a scene's cloths, and of its bodies. Fabrics, holds and all else are the scene's.
pub(crate) struct Tailored<'a> {
    /// For each cloth of the scene; `None` where its shape counts.
    pub(crate) cloths: Vec<Option<TailoredCloth<'a>>>,
    /// The bodies of the scene, in its order.
    pub(crate) bodies: &'a [MeshObstacle],
}

/// A cloth that is made in code.
#[derive(Clone, Copy)]
pub(crate) struct TailoredCloth<'a> {
    /// Positions from which distances of near features without forces are taken, and all triangles.
    pub(crate) rest: &'a TriMesh,
    /// Where the vertices start [m].
    pub(crate) start: &'a [DVec3],
    /// The flat corners of each triangle along warp and weft [m]; `None` if `rest` is flat.
    pub(crate) cut: Option<&'a [[DVec2; 3]]>,
    /// The panels it is sewn of, in the order of its triangles; empty if it is one sheet.
    pub(crate) panels: &'a [PanelMesh],
}

impl TailoredCloth<'_> {
    /// As cloth `index` of the scene, whose first particle is `first`.
    pub(crate) fn build(&self, scene: &Scene, index: usize, first: usize) -> Result<BuiltCloth, WorldError> {
        let name = scene.cloth_name(index);
        let holds = scene.cloth[index].hold.iter().enumerate();
        Ok(BuiltCloth {
            flat: self.rest.clone(),
            start: self.start.to_vec(),
            holds: holds.map(|(k, hold)| Hold::new(hold, k + 1, &name, self.start, first)).collect::<Result<_, _>>()?,
            cut: self.cut.map(<[_]>::to_vec),
            area: None,
        })
    }
}
