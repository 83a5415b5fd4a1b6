//! PC2, the point cache of 3ds Max, version 1: vertex positions per sample, without a mesh. All numbers are little
//! endian; positions are `f32` [m].
//!
//! | byte | type | content |
//! |---|---|---|
//! | 0 | 12 chars | `POINTCACHE2` and a zero |
//! | 12 | i32 | version, 1 |
//! | 16 | i32 | points per sample |
//! | 20 | f32 | start frame |
//! | 24 | f32 | sample rate [frames per sample] |
//! | 28 | i32 | samples |
//! | 32 | f32 | x, y, z of every point of every sample |
//!
//! The usual cache for long runs: [`Pc2Writer`] streams, [`Pc2Reader`] gives any frame.

mod read;
mod write;

pub use read::Pc2Reader;
pub use write::Pc2Writer;

const MAGIC: [u8; 12] = *b"POINTCACHE2\0";
const VERSION: i32 = 1;
const HEADER_BYTES: u64 = 32;
/// Where the number of samples stands.
const SAMPLES_AT: u64 = 28;
const POINT_BYTES: u64 = 12;
