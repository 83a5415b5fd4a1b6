//! Summary.
