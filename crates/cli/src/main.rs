//! The `toile` command line.
fn main() {}
