//! PLY 1.0, the polygon file format (Turk 1994): a text header that declares elements and their properties, then the
//! values, as text or binary in either byte order.
//!
//! Read are the scalar properties `x`, `y`, `z` of element `vertex` and the list `vertex_indices` (or `vertex_index`)
//! of element `face`, in any number type, at any place among other properties, which are skipped, as are other
//! elements. Polygons are cut into a fan around their first corner. In ascii files every row is one line. Bytes that
//! remain after the last element, other than blanks, are an error: then the counts in the header are wrong.
//!
//! Written is `binary_little_endian` with `float` or `double` coordinates and any number of `float` attributes.

mod body;
mod header;
mod read;
mod write;

pub(crate) use read::parse;
pub use write::{PlyAttribute, PlyPrecision, ply_bytes, save_ply};
