//! What most programs need: `use toile::prelude::*`.

pub use crate::settings::{Model, Settings};
pub use crate::{Cloth, Cut, Hold, HoldKey, Seam, World, WorldBuilder, WorldError};
pub use crate::{ClothId, FrameReport, GrabId, HoldId, ObstacleId};
pub use crate::{DQuat, DVec2, DVec3, TriMesh, VertexId};
pub use crate::{Fabric, Friction, Keyframe, MeshObstacle, Motion, Obstacle, Pose, RigidMotion, Shape};
