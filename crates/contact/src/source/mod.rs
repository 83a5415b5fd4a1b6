//! Where contacts come from: [pairs of features](contacts_of_pairs), and [features near exact shapes](contacts_of_shapes).
//!
//! Nothing that comes after knows which it was.

mod pairs;
mod shapes;

pub use pairs::contacts_of_pairs;
pub use shapes::{contacts_of_shapes, reach_of_shapes};
