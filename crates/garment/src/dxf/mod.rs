//! DXF as garment CAD writes it (AAMA-292, ASTM D6673), in and out, with `.rul` grading.
//!
//! The format carries pieces, not garments: no seams, no places in space. What is read, by layer:
//!
//! | layer | entity | here |
//! |---|---|---|
//! | 14, else 1, else 84 | polylines, one or several | the outline: sew line, else boundary, else its validation copy |
//! | 2, 3 | points | corners of edges; points on curves |
//! | 4, 80–83 | points | notches, moved onto the nearest edge |
//! | 6 | line | the fold, if it is an edge |
//! | 7 | line | grainline |
//! | 8, 9, 10 | lines | internal lines |
//! | 14, and 11, else 86 | closed polylines | holes: sew lines, and cut lines that have none |
//! | 13 | points | marks |
//! | 2, 3 | text `# n` | grade rule `n`, kept as a mark of this name |
//! | any | text `Key: value` | name, size, quantity, fabric; units and sample size in the entities |
//! | 15 | text | what this program has to say of panels, edges and seams (`annotation`) |
//!
//! Outlines come in several polylines, split at turn points and mostly not closed: they are joined end to end, backwards where
//! needed, and put in order (`outline`). Nests have a block per piece and size; one size is read. Unknown entities, layers and group codes
//! are passed over. Units are stated and checked (`units`). What pieces are is found by `recognise`.
//!
//! Seams come from the file's own texts, from a side file with the `[[seam]]` tables of a `pattern.toml`, or are proposed: [`wear`].

mod annotation;
mod grade;
mod groups;
mod labels;
mod outline;
mod piece;
mod read;
mod units;
mod write;

pub use grade::{Rules, grade};
pub use read::{DxfOptions, DxfPattern, from_dxf, load};
pub use units::DxfUnit;
pub use write::{to_dxf, to_dxf_with_allowances};
