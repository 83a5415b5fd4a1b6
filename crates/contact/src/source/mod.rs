//! Where contacts come from: [pairs of features](contacts_of_pairs), [features near exact shapes](contacts_of_shapes) and
//! [near particles](contacts_of_particles).
//!
//! Nothing that comes after knows which it was.

mod pairs;
mod particles;
mod shapes;

pub use pairs::contacts_of_pairs;
pub use particles::contacts_of_particles;
pub use shapes::{contacts_of_shapes, reach_of_shapes};
