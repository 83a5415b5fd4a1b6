//! [`Welded`]: the panels made one piece.
//!
//! Vertices that are sewn together, directly or through others, become one vertex in their middle. It has a place on every
//! panel it comes from, so triangles are given their own flat corners, in the directions of their panel's warp and weft.

use toile::Panel;
use toile_garment::mesh::{FlatMesh, Sewn};
use toile_mesh::{DVec2, DVec3, TriMesh};

use crate::TryOnError;

/// A garment in one piece.
#[derive(Clone, PartialEq, Debug)]
pub struct Welded {
    /// Where it was sewn, with its triangles in the order of the panels.
    pub mesh: TriMesh,
    /// For each vertex of all panels, its number in `mesh`.
    pub vertex: Vec<u32>,
    /// The corners of each triangle along warp and weft of its panel [m].
    pub flat: Vec<[DVec2; 3]>,
}

/// Refuses what is no surface with an outer side.
pub(crate) fn refuse(sewn: &Sewn) -> Result<(), TryOnError> {
    if sewn.is_manifold() {
        return Ok(());
    }
    let counts = [
        (sewn.collapsed.len(), "triangles have two corners that are sewn together"),
        (sewn.bad_edges.len(), "edges are sewn double or inside out"),
        (sewn.bad_vertices.len(), "vertices hold together what has no common edge"),
    ];
    let words = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    Err(TryOnError::Surface { reason: words.collect::<Vec<_>>().join(", ") })
}

impl Welded {
    /// Welds panels whose vertices are at `x` [m].
    pub fn new(mesh: &FlatMesh, sewn: &Sewn, x: &[DVec3]) -> Self {
        let mut sums = vec![(DVec3::ZERO, 0.0); sewn.vertex_count];
        for (x, v) in x.iter().zip(&sewn.vertex) {
            let (sum, count) = &mut sums[*v as usize];
            *sum += *x;
            *count += 1.0;
        }
        let positions = sums.into_iter().map(|(sum, count)| sum / count).collect();
        let mut flat = Vec::with_capacity(sewn.triangles.len());
        for panel in &mesh.panels {
            let threads = Panel { name: String::new(), warp: panel.warp, fabric: None };
            let corner = |v: u32| threads.along_threads(panel.positions[v as usize]);
            flat.extend(panel.triangles.iter().map(|t| t.map(corner)));
        }
        Self { mesh: TriMesh::from_indices(positions, &sewn.triangles), vertex: sewn.vertex.clone(), flat }
    }
}
