//! Sewing patterns: panels and seams, drafting from measurements, meshing, pattern formats.
//!
//! - [`Pattern`], [`Panel`], [`Edge`], [`Seam`]: the flat pieces of a garment and how they are sewn, drawn for one side with
//!   folds and pairs; [`Pattern::whole`] draws every piece.
//! - [`check`]: faults of patterns, named with panel and edge, and repairs, stated.
//! - [`draft`]: T-shirt, skirts, trousers, dress, shirt and others from a body's measurements or a size.
//! - [`mesh`]: triangles with vertices that meet in the seams, and the surface they become when sewn.
//! - [`file`](mod@file): `pattern.toml`; [`garmentcode`]: `GarmentCode` JSON; [`dxf`]: DXF-AAMA/ASTM with `.rul` grading;
//!   [`svg`]: drawings; [`freesewing`]: `FreeSewing` JSON; [`drawn`]: either of them.
//! - [`sheet`]: seam allowances, notches and labels, on paper at full size (PDF, SVG, DXF).
//! - [`place`](mod@place): panels wrapped around a body, ready to be sewn.
//! - [`wear`](mod@wear): drawn files as garments; [`propose`]: seams for patterns that come without any; [`borders`]: the open rims of a sewn pattern.
//!
//! ```
//! use toile_body::Figure;
//! use toile_garment::draft::{Choices, Design, Size, draft};
//! use toile_garment::{mesh::FlatMesh, sheet::SheetOptions, svg::to_svg};
//!
//! let pattern = draft(Design::TShirt, &Size::M.measurements(Figure::Female), &Choices::new().with("sleeve_length", 0.25))?;
//! assert!(to_svg(&pattern, &SheetOptions::default())?.starts_with("<svg"));
//! let mesh = FlatMesh::new(&pattern, 0.02)?;
//! assert!(mesh.sewn().is_manifold());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Conventions: metres inside, y up on a panel, outer side up, outlines counter-clockwise; see [`Pattern`].

pub mod borders;
pub mod check;
mod curve;
mod dart;
pub mod draft;
pub mod drawn;
pub mod dxf;
mod fault;
pub mod file;
pub mod freesewing;
pub mod garmentcode;
pub mod mesh;
mod own;
mod pattern;
pub mod place;
mod placement;
pub mod propose;
mod recognise;
mod role;
pub mod sheet;
mod sketch;
pub mod svg;
pub mod wear;
mod whole;

pub use curve::{Curve, Segment};
pub use dart::Dart;
pub use fault::{Fault, PatternError, Problem};
pub use kurbo::{Affine, Point, Rect, Vec2};
pub use pattern::{Cut, Edge, EdgeRef, InternalLine, Mark, Notch, Panel, Pattern, Seam};
pub use placement::{Around, Bend, Limb, Placement, Stand};
pub use role::{Part, Side};
