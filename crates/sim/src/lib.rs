//! Toile simulates cloth: meshes, fabrics and obstacles go in; frames without intersections come out.
//!
//! ```
//! use toile::prelude::*;
//! use toile_mesh::generate::{Diagonals, grid};
//! let mut builder = WorldBuilder::new(Settings::default());
//! let sheet = grid([0.5, 0.5], [17, 17], Diagonals::Alternating).map_positions(|p| p + 0.3 * DVec3::Y);
//! builder.cloth(Cloth::new("sheet", sheet, Fabric::default()));
//! let still = Motion::at_rest(Pose::IDENTITY);
//! builder.obstacle(Obstacle::new("ball", Shape::Sphere { radius: 0.15 }, still, Friction::Coulomb(0.3)));
//! let mut world = builder.build()?;
//! for _ in 0..10 {
//!     world.advance();
//! }
//! assert!(world.judge().is_clean());
//! # Ok::<(), toile::WorldError>(())
//! ```
//!
//! - [`WorldBuilder`]: builds a world from [`Cloth`], obstacles, [`Hold`]s, [`Seam`]s and [`Cut`]s. [`settings`]: what steers it.
//! - [`World`]: everything that takes part, and the time step. Between frames a caller may move obstacles and holds, grab vertices,
//!   and read positions, contacts and strain.
//! - [`FrameReport`]: what one frame did. [`FrameVerdict`]: what the judge says of it.
//! - [`StartFindings`]: what intersects before anything has moved. [`StartRepair`]: how it was untangled.
//! - [`SavedState`]: everything that the next frame depends on.
//!
//! Scene files, fabric files and run folders are in `toile-scene`; garments are put on bodies by `toile-tailor`.
//!
//! Same parts, same bits: whatever the number of threads, and after a restore.

mod advance;
mod atmosphere;
mod builder;
mod contacts;
mod detector;
mod door;
mod hash;
mod hold;
mod ids;
mod moved;
mod penetration;
pub mod prelude;
mod report;
mod saved;
mod scissors;
pub mod settings;
mod start;
mod step;
mod verdict;
mod world;

pub use builder::{Ball, Cloth, Cut, Hold, HoldKey, Panel, Seam, WorldBuilder, WorldError};
pub use contacts::{Touched, WorldContact};
pub use door::Stitches;
pub use hash::Fnv;
pub use ids::{ClothId, GrabId, HoldId, ObstacleId};

pub use moved::MoveError;
pub use report::{FrameReport, Integration, Phase, PhaseTimes, ZoneCounts};
pub use saved::{SavedState, StateError};
pub use settings::Settings;
pub use start::{StartElement, StartFindings, StartInside, StartPair, StartRepair};
pub use verdict::FrameVerdict;
pub use world::World;

pub use toile_cloth::{ClothModel, ClothState, Fabric};
pub use toile_contact::{
    Bone, Deformation, Friction, Influence, Keyframe, MeshObstacle, Motion, Obstacle, Piece, Pose, RigidMotion, Shape,
    Skin, VertexKeyframes,
};
pub use toile_mesh::{DQuat, DVec2, DVec3, TriMesh, VertexId};
