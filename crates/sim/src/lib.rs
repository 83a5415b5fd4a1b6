//! Toile simulates cloth: a scene goes in; frames come out, each judged for intersections.
//!
//! ```
//! use toile::{World, scene::Scene};
//! let text = r#"
//!     [[cloth]]
//!     shape = { kind = "grid", size = [0.5, 0.5], vertices = [9, 9] }
//!     position = [0.0, 0.3, 0.0]
//!     [[obstacle]]
//!     shape = { kind = "sphere", radius = 0.15 }
//! "#;
//! let scene = Scene::from_toml("example.toml", text)?;
//! let mut world = World::new(&scene)?;
//! for _ in 0..10 {
//!     world.advance();
//! }
//! assert!(world.judge().is_clean());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`scene`]: what to simulate, from TOML. [`World`]: the live objects, and the time step.
//! - [`fabric`]: fabrics, from a library or from files of measurements.
//! - [`garment`]: garments put on bodies: sewn around them, draped, settled.
//! - [`lab`]: simulated textile tests that read back what a fabric file says.
//! - [`FrameReport`]: what one frame did. [`FrameVerdict`]: what the judge says of it.
//! - [`StartFindings`]: what intersects before anything has moved. [`StartRepair`]: how it was untangled.
//! - [`Run`]: a folder on disk with frames, log and checkpoints, which [`RunReader`] only looks at; [`checkpoint`]:
//!   saved states.
//!
//! Same scene, same bits: whatever the number of threads, and after a resume.

mod atmosphere;
mod build;
mod build_body;
mod build_mesh;
pub mod checkpoint;
mod detector;
pub mod fabric;
pub mod garment;
mod hold;
pub mod lab;
mod links;
mod penetration;
mod physical;
mod pinch;
mod report;
mod responses;
mod rest;
mod run;
pub mod scene;
mod scissors;
mod start;
mod step;
mod substeps;
mod tailored;
mod text_file;
mod touching;
mod verdict;
mod world;

pub use build::WorldError;
pub use build_body::{Figuring, Performer};
pub use report::{FrameReport, Integration, Phase, PhaseTimes, ZoneCounts};
pub use run::{LoggedFrame, Run, RunError, RunReader};
pub use start::{StartElement, StartFindings, StartInside, StartPair, StartRepair};
pub use verdict::FrameVerdict;
pub use world::World;

pub use toile_cloth as cloth;
pub use toile_collide as collide;
pub use toile_contact as contact;
pub use toile_files as files;
pub use toile_mesh as mesh;
