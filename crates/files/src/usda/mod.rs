//! USD as text (usda 1.0, Pixar 2024), for Blender, engines and film tools: meshes with their frames as time samples.
//!
//! Written frame by frame: memory is that of one frame, whatever the length. Coordinates are metres (`metersPerUnit = 1`), y up.
//! Frame `k` is time code `k`, and `timeCodesPerSecond` is the frame rate. All objects are below one prim, the default one:
//!
//! ```text
//! /toile                       Xform, the default prim
//! /toile/t_shirt               Mesh: points, points.timeSamples or xformOps over time, extent
//!                              primvars:st         texture coordinates per corner, v upwards
//!                              primvars:strain     one number per vertex, over time
//! /toile/materials/jersey_knit Material with a UsdPreviewSurface
//! ```
//!
//! Vertices keep their order and number: corners, not vertices, have texture coordinates, so nothing is split at seams. Names of
//! prims are identifiers: every other character becomes an underscore, and `displayName` keeps the name as it was.

mod mesh;
mod write;

pub use mesh::{UsdaMesh, UsdaPose};
pub use write::UsdaWriter;
