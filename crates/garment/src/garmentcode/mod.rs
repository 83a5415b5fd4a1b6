//! `GarmentCode` JSON (Korosteleva & Sorkine-Hornung 2023; `specification.json` of pygarment), in and out.
//!
//! | there | here |
//! |---|---|
//! | `vertices`, `edges` with `endpoints` and `curvature` | outline; other loops are holes |
//! | `quadratic`, `cubic`: control points relative to the edge, `(x, y)` = along it, and to its left, in edge lengths | Bézier curves |
//! | `circle`: radius, large arc, right | arcs |
//! | `translation`, `rotation` in degrees, about x, y, z of the turning panel | [`Placement`](crate::Placement) |
//! | `label` of edges and panels | names of edges, part |
//! | `stitches`: pairs of single edges, without direction | seams |
//!
//! Loops there run counter-clockwise around the panel's outer side. A loop that is clockwise in its own coordinates shows its
//! inner side: it is mirrored on reading, and its rotation turned by 180° about y, which leaves it where it is in space.
//!
//! Stitches do not say which ends meet. Two panels with their outer sides up are always sewn against each other's direction;
//! where the placement in space contradicts that clearly, because the other pairing of ends is nearer, the seam is a reversed
//! stitch: repaired and reported.
//!
//! Writing splits both sides of a seam where either has a corner, so that each stitch is a pair of edges; polylines become
//! straight edges. Ratios, fold angles, grainlines, notches and marks have no place in the format and are left out.

mod read;
mod write;

pub(crate) use read::matrix;
pub use read::{from_json, load};
pub use write::to_json;
