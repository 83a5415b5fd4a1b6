//! How cloth moves: particles, constraints and time integration.
