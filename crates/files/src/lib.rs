//! Every mesh and animation format that Toile reads or writes, with limits.
