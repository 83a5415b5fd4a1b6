//! Pools of worker threads, so that a measurement has as many as it says.

use miette::{IntoDiagnostic, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of so many worker threads.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads).build().into_diagnostic()
}
