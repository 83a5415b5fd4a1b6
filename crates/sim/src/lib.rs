//! Toile, a cloth simulator: scenes, worlds, the time step, runs and checkpoints.
