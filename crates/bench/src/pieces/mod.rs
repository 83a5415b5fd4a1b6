//! Moving meshes in closed form, on which collision searches are measured and tested.
//!
//! Nothing here simulates: the cloths follow formulas that look like cloth, and only what each type states is promised.
//! The figure that wears some of them is [`Figure`](toile_mesh::generate::motion::Figure), which scenes use too.
//!
//! | type | what it is | closed | intersections |
//! |---|---|---|---|
//! | [`Trousers`], [`Sleeve`] | tubes worn by the figure, some millimetres off the limbs, looser at hip and knee | no | none with the figure or themselves, from 1,600 triangles on |
//! | [`CrumpledSheet`] | a sheet pressed into a ball | no | many |
//! | [`SmoothDrape`] | a tablecloth hanging in folds | no | none |
//!
//! ```
//! use toile_bench::pieces::Trousers;
//! use toile_mesh::generate::motion::{Figure, MovingMesh};
//! use toile_mesh::judge;
//! let figure = Figure::new(2_000);
//! let trousers = Trousers::new(&figure, 1_600);
//! let (body, cloth) = (figure.mesh_at(0.8), trousers.mesh_at(0.8));
//! assert!(judge::mutual_intersections(&cloth, &body).is_clean());
//! ```

mod crumple;
mod drape;
mod fold;
mod noise;
mod sleeve;
mod trousers;
mod worn;

pub use crumple::CrumpledSheet;
pub use drape::SmoothDrape;
pub use sleeve::{Side, Sleeve};
pub use trousers::Trousers;

/// Cells along one side of a square grid of about `triangles` triangles, at least 1.
fn square_cells(triangles: usize) -> usize {
    ((0.5 * triangles as f64).sqrt().round() as usize).max(1)
}
