//! `GarmentCode` JSON (Korosteleva & Sorkine-Hornung 2023; `specification.json` of pygarment), in and out.
//!
//! | there | here |
//! |---|---|
//! | `vertices`, `edges` with `endpoints` and `curvature` | outline; other loops are holes |
//! | `quadratic`, `cubic`: control points relative to the edge, `(x, y)` = along it, and to its left, in edge lengths | Bézier curves |
//! | `circle`: radius, large arc, right | arcs |
//! | `translation`, `rotation` in degrees, about x, y, z of the turning panel | [`Placement::About`](crate::Placement::About) |
//! | `label` of edges | names of edges |
//! | name and `label` of panels | part and side (`names`) |
//! | `stitches`: pairs of single edges, without direction | seams (`stitches`) |
//! | `toile`, ours; other programs pass it over | part, side, layer, fabric, quantity, grainline and unsplit edges of panels; names, ratios and folds of seams |
//!
//! Loops there run counter-clockwise around the panel's outer side. A loop that is clockwise in its own coordinates shows its
//! inner side: it is mirrored on reading, and its rotation turned by 180° about y, which leaves it where it is in space.
//!
//! Writing splits both sides of a seam where either has a corner, so that each stitch is a pair of edges; polylines become
//! straight edges. Notches, lines and marks have no place in the format and are left out.

mod json;
mod names;
mod own;
mod read;
mod stitches;
mod write;

pub use read::{from_json, load};
pub use write::to_json;
