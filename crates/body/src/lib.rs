//! Bodies to dress: a mannequin drafted from tailor's measurements, and the measuring of any body mesh.
//!
//! - [`Specification`]: figure, pose, density and the measurements that are known, from code or a `body.toml` (see
//!   [`file`]). Missing measurements follow by regression ([`complete`]).
//! - [`sizes`]: specifications by the number on the label, as `woman-38`; [`chart`]: sizes of one's own; [`length`]: centimetres and inches.
//! - [`draft`]: a [`Mannequin`] on whose mesh every given measurement is met, or a [`Refusal`] that says why not.
//! - [`measure`]: tapes laid around and along any upright body, with the lines they run along.
//! - [`skeleton`] and [`skin`]: the joints of a mannequin and how its surface follows them; [`Body`] is all of it together.
//! - [`motion`]: walking, running and other routines, clips of motion capture ([`mocap`]); [`Performance`] is a body over time.
//! - [`import`]: scans made into bodies: units, axes, holes, size. [`rig`]: joints and weights for them.
//! - [`trouble`]: where a body goes through itself while it moves.
//! - [`Recording`]: meshes whose positions were recorded, as another way to move.
//!
//! # Measurements
//!
//! Names follow ISO 8559-1. Girths are read from a taut tape: the perimeter of the convex hull of the section.
//!
//! | key | ISO 8559-1 | how it is taken |
//! |---|---|---|
//! | `height` | stature (height) | floor to the crown, vertically |
//! | `inseam` | inside leg height | floor to the crotch, vertically |
//! | `back_length` | back waist length | back neck point to the waist, taut over the spine |
//! | `arm_length` | arm length | shoulder point over the elbow to the wrist, on the outside of the arm |
//! | `shoulder_width` | shoulder width | shoulder point to shoulder point, straight |
//! | `shoulder_slope_deg` | shoulder slope | fall from the side neck point to the shoulder point against the horizontal |
//! | `head` | head girth | horizontally above the brows |
//! | `neck` | neck girth | square to the axis of the neck, above the back neck point |
//! | `bust` | bust girth / chest girth | horizontally at the bust points |
//! | `underbust` | under-bust girth | horizontally right below the breasts |
//! | `waist` | waist girth | horizontally, where the back length ends |
//! | `hip` | hip girth | horizontally at the greatest prominence of the seat |
//! | `thigh` | thigh girth | horizontally, one fortieth of the height below the crotch |
//! | `knee` | knee girth | horizontally at the middle of the kneecap |
//! | `calf` | calf girth | horizontally where it is thickest |
//! | `ankle` | minimum leg girth | horizontally above the ankle bones |
//! | `upper_arm` | upper arm girth | square to the arm, half way from shoulder to elbow |
//! | `wrist` | wrist girth | square to the forearm |
//!
//! ```
//! use toile_body::{Measurement, Specification, draft, measure};
//! let text = "figure = \"male\"\nunit = \"cm\"\ntriangles = 5000\n[measurements]\nheight = 183\nbust = 104";
//! let body = draft(&Specification::from_toml("body.toml", text)?)?;
//! let chest = measure::take(&body.mesh, &body.landmarks, Measurement::Bust);
//! assert!((chest.value - 1.04).abs() < 2e-3 && chest.closed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Conventions: SI units, y up, right-handed; a body stands on y = 0, looks along +z, and has its left at +x.

mod body;
pub mod chart;
mod crease;
pub mod file;
pub mod import;
pub mod length;
pub mod mannequin;
pub mod measure;
mod measurement;
pub mod mocap;
pub mod motion;
mod parting;
mod performance;
mod posture;
mod recording;
mod regression;
pub mod rig;
mod rules;
pub mod sizes;
pub mod skeleton;
pub mod skin;
mod specification;
pub mod trouble;

pub use body::Body;
pub use chart::SizeChart;
pub use file::BodyFileError;
pub use mannequin::{Mannequin, draft};
pub use measurement::{Given, Kind, Measurement, Measurements, Table};
pub use motion::{Clip, Motion, Routine, RoutineSettings};
pub use performance::Performance;
pub use posture::{Posture, ease, eased_time};
pub use recording::{Recording, RecordingError};
pub use regression::complete;
pub use rules::{Refusal, nape_height};
pub use skeleton::{Joint, Segment, Skeleton};
pub use skin::{Blend, Skin};
pub use specification::{Figure, Pose, Specification};
pub use trouble::Trouble;
