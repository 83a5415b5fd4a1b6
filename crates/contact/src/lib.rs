//! What happens when things touch.
//!
//! - [`Contact`]: what touches what and where; the one noun that responses, the potential and the guard share.
//! - [`Step`]: all vertices of a step, of cloth and of obstacles, from its start to its end, and who may move them ([`Mobility`]).
//! - [`Obstacle`]: exact shapes, moving or not. [`MeshObstacle`]: obstacles that are triangle meshes, moving or not.
//! - [`Candidates`]: pairs of features that may touch, complete by proof; [`CandidateSource`]: what a response may use instead.
//! - Contacts come from [pairs](contacts_of_pairs) or from [exact shapes](contacts_of_shapes).
//! - [`ContactPotential`]: contacts as terms of an implicit step.
//! - Responses after a free step: [`Projection`], impulses ([`respond`], [`set_apart`]), [impact zones](resolve_zones),
//!   [particles kept apart](Separation), and what [lifts particles](resolve_particles) and [triangles](TriangleSweep) off exact shapes.
//! - [`Guard`]: has the last word; [`Overlap`]: cloth that obstacles leave no room.
//! - [`untangle`](fn@untangle): parts cloth that starts intersecting. [`NearestFace`]: the point of a mesh nearest to another.
//!
//! This crate knows particles and contacts, not fabrics, and does no input or output.

/// Items per parallel task. Results are put together in order, so that it does not show in them.
pub(crate) const CHUNK: usize = 512;

mod candidates;
mod contact;
mod guard;
mod mesh_obstacle;
mod obstacle;
mod potential;
mod response;
mod source;
mod step;
mod tuning;
mod untangle;

pub use candidates::{Candidate, CandidateSource, Candidates, MakeDetector};
pub use contact::Contact;
pub use guard::{Caught, Feature, Guard, GuardReport, Overlap, OverlapReport, Solids};
pub use mesh_obstacle::*;
pub use obstacle::*;
pub use potential::{Bearing, ContactForce, ContactPotential, Stiffness};
pub use response::{
    CANDIDATE_MARGIN, Extent, ImpulseReport, ImpulseSettings, Projection, ProjectionReport, Separation, ZoneMesh,
    ZoneReport, ZoneSettings, ZoneStep, extents, resolve_zones, respond, set_apart,
};
pub use source::{contacts_of_pairs, contacts_of_particles, contacts_of_shapes, reach_of_shapes};
pub use step::{Materials, Mobility, Participants, Step};
pub use tuning::ContactTuning;
pub use untangle::{Foot, LARGEST_STRETCH, NearestFace, Tangle, Untangled, untangle, untangle_each};
