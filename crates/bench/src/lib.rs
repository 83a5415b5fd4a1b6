//! Benchmarks of Toile and its torture suite.
//!
//! - [`bench`]: speed, as ratios within one run (`toile bench`).
//! - [`torture`]: scenes made to break a cloth simulator, judged frame by frame (`toile torture`).
//! - [`truth`]: scenes at default settings beside closed forms (`toile truth`).
//! - [`pieces`]: moving meshes in closed form, which collision searches are measured on.
//!
//! The library prints nothing by itself. Whoever runs it implements [`Program`].

pub mod pieces;
mod pool;
mod program;
mod speed;
mod torture;
mod truth;

pub use program::{Options, Program};
pub use speed::{BenchArgs, bench};
pub use torture::{TORTURE_HELP, TortureArgs, torture};
pub use truth::{TRUTH_HELP, TruthArgs, truth};
