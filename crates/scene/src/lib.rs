//! Scenes for [`toile`]: files that say what to simulate become worlds, and runs become folders.
//!
//! ```
//! use toile_scene::Scene;
//! let text = r#"
//!     [[cloth]]
//!     shape = { kind = "grid", size = [0.5, 0.5], vertices = [9, 9] }
//!     position = [0.0, 0.3, 0.0]
//!     [[obstacle]]
//!     shape = { kind = "sphere", radius = 0.15 }
//! "#;
//! let mut world = Scene::from_toml("example.toml", text)?.world()?;
//! for _ in 0..10 {
//!     world.advance();
//! }
//! assert!(world.judge().is_clean());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Scene`]: what to simulate, from TOML; [`Scene::build`] makes a world of it. [`reference()`] prints every key.
//! - [`fabric`]: fabrics, from a library or from files of measurements.
//! - [`dress`]: garments of a scene put on its bodies.
//! - [`lab`]: simulated textile tests that read back what a fabric file says.
//! - [`Run`]: a folder on disk with frames, log and checkpoints, which [`RunReader`] only looks at; [`checkpoint`]:
//!   saved states.

mod build;
pub mod checkpoint;
pub mod fabric;
mod kept;
pub mod lab;
mod run;
mod scene;
mod text_file;
mod wardrobe;

pub use build::{BuildError, Built, GarmentError, Performer, wearer};
pub use run::{LoggedFrame, Run, RunError, RunReader, keep_worn};
pub use scene::*;
pub use wardrobe::{Dressed, DressedBody, USUAL_FABRIC, dress, usual_fabric};
