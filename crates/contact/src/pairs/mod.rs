//! Contacts of features: vertices with triangles and edges with edges, of cloth with itself, with other cloth, and with
//! obstacles that are meshes.
//!
//! - [`Bodies`]: all vertices that take part in a step, in one numbering.
//! - [`Watch`]: the list of pairs that may touch during a step or several, complete by proof.
//! - [`Projection`]: pushes pairs apart that are nearer than they should be, with Coulomb friction.
//! - [`Guard`]: takes back whatever would go through all the same.
//! - [`Pincers`]: lead cloth out of obstacles that left it no room.
//!
//! A step begins with cloth that crosses nothing. What counts is on which side of each other two features are then:
//! meshes may be open, and cloth has no inside.

mod bodies;
mod guard;
mod near_pair;
mod pinch;
mod projection;
mod watch;

pub use bodies::{Bodies, Materials};
pub use guard::{Guard, GuardReport, GuardSettings, Solids};
pub use near_pair::{MEETING, NearPair};
pub use pinch::{Caught, Feature, Led, Pincers};
pub use projection::{Projection, ProjectionReport};
pub use watch::{MakeDetector, Watch};
