//! Meshing: a pattern becomes triangles, with vertices that meet in its seams.
//!
//! 1. `sampling`: edges are cut into pieces of about the particle distance. Both sides of a seam get the same number of
//!    points, at equal fractions of their lengths, whatever their lengths are; so easing and gathering are spread evenly.
//!    Corners on one side become points of the other.
//! 2. `triangulate`: constrained Delaunay refinement of each panel (Ruppert 1995, as in spade), which leaves those points as
//!    they are.
//! 3. [`Sewn`]: which vertices are one after sewing, and whether the result is a surface.
//!
//! Positions are those of the pattern: the rest shape, and the texture coordinates. The warp of each panel is kept beside them.

mod sampling;
mod sewn;
mod triangulate;

use toile_mesh::DVec2;

pub use sewn::Sewn;

use crate::check::mend;
use crate::fault::PatternError;
use crate::pattern::Pattern;

/// Most vertices of a mesh.
pub const MOST_VERTICES: usize = 5_000_000;

/// A pattern in triangles.
#[derive(Clone, PartialEq, Debug)]
pub struct FlatMesh {
    /// The panels of the whole pattern, in its order.
    pub panels: Vec<PanelMesh>,
    /// The seams of the whole pattern, in its order.
    pub seams: Vec<SeamMesh>,
    /// The whole pattern: what the panels and seams are meshes of.
    pub pattern: Pattern,
}

/// A panel in triangles.
#[derive(Clone, PartialEq, Debug)]
pub struct PanelMesh {
    /// Its name.
    pub name: String,
    /// Number of its first vertex among those of all panels.
    pub first: u32,
    /// Positions on the panel [m]; those of the border come first, loop by loop.
    pub positions: Vec<DVec2>,
    /// Triangles, counter-clockwise; vertices numbered from 0 in this panel.
    pub triangles: Vec<[u32; 3]>,
    /// The vertices of each loop of the border in its order: the outline counter-clockwise, then holes clockwise.
    pub borders: Vec<Vec<u32>>,
    /// For each edge of the panel its vertices, both ends included.
    pub edges: Vec<Vec<u32>>,
    /// Direction of the warp, of length one.
    pub warp: DVec2,
}

/// A seam as pairs of vertices.
#[derive(Clone, PartialEq, Debug)]
pub struct SeamMesh {
    /// Its name.
    pub name: String,
    /// Vertices sewn together, one on each side, numbered through all panels, along the seam.
    pub stitches: Vec<[u32; 2]>,
    /// Angle by which the cloth is folded along it [rad].
    pub fold_angle: f64,
}

/// Why there is no mesh.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The pattern cannot be used.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The particle distance is not a number between 0.1 mm and 1 m.
    #[error("a particle distance of {distance} m is out of range; choose 0.0001 to 1 m, as 0.02, 0.01 or 0.005")]
    Distance {
        /// The distance asked for [m].
        distance: f64,
    },
    /// Too many vertices.
    #[error("about {count} vertices, at most {MOST_VERTICES} are made; choose a larger particle distance")]
    TooFine {
        /// Estimated number.
        count: usize,
    },
    /// Straight pieces of the particle distance cross where the curves do not.
    #[error(
        "panel `{panel}`: edge `{edge}` is too narrow or too curved for this particle distance; choose a smaller one"
    )]
    TooCoarse {
        /// The panel.
        panel: String,
        /// An edge that crosses another.
        edge: String,
    },
}

impl FlatMesh {
    /// Meshes a pattern with vertices about `distance` [m] apart: 20 mm for drafts, 10 mm for results, 5 mm for fine ones.
    ///
    /// ```
    /// use toile_body::{Figure, Given, complete};
    /// use toile_garment::{draft::{Choices, Design, draft}, mesh::FlatMesh};
    /// let pattern = draft(Design::TShirt, &complete(Figure::Female, &Given::NONE), &Choices::new())?;
    /// let mesh = FlatMesh::new(&pattern, 0.02)?;
    /// let sewn = mesh.sewn();
    /// assert_eq!((sewn.part_count, sewn.borders.len()), (1, 4)); // hem, neck and two sleeves
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(pattern: &Pattern, distance: f64) -> Result<Self, MeshError> {
        if !(1e-4..=1.0).contains(&distance) {
            return Err(MeshError::Distance { distance });
        }
        let mended = mend(pattern.clone())?;
        let whole = mended.pattern.whole().map_err(PatternError::from)?;
        let count = sampling::estimate(&whole, distance);
        if count > MOST_VERTICES {
            return Err(MeshError::TooFine { count });
        }
        let samples = sampling::sample(&whole, distance);
        let mut panels = Vec::new();
        let mut first = 0;
        for (number, panel) in whole.panels.iter().enumerate() {
            let mesh = triangulate::panel(panel, &samples.edges[number], distance, first)?;
            first += mesh.positions.len() as u32;
            panels.push(mesh);
        }
        let seams = whole.seams.iter().zip(&samples.stitches).map(|(seam, stitches)| {
            let vertex = |place: &sampling::Place| {
                let panel = &panels[place.panel];
                panel.first + panel.edges[place.edge][place.sample]
            };
            let mut pairs: Vec<[u32; 2]> = stitches.iter().map(|[a, b]| [vertex(a), vertex(b)]).collect();
            pairs.dedup();
            SeamMesh { name: seam.name.clone(), stitches: pairs, fold_angle: seam.fold_angle }
        });
        let seams = seams.collect();
        Ok(Self { panels, seams, pattern: whole })
    }

    /// Number of vertices of all panels.
    pub fn vertex_count(&self) -> usize {
        self.panels.iter().map(|panel| panel.positions.len()).sum()
    }

    /// Number of triangles of all panels.
    pub fn triangle_count(&self) -> usize {
        self.panels.iter().map(|panel| panel.triangles.len()).sum()
    }

    /// The surface after sewing.
    pub fn sewn(&self) -> Sewn {
        Sewn::new(self)
    }
}

#[cfg(test)]
mod tests;
