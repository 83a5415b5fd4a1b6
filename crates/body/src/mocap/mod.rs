//! Motion capture: a [`Bvh`](toile_files::bvh::Bvh) file moves a mannequin.
//!
//! [`JointMap`] says which joint of the file is which of ours, by the names that programs use or as it is told. [`retarget`]
//! carries the motion over: directions of bones are kept, lengths are those of the mannequin. Feet that stand are put flat on the floor and do
//! not slide; arms that press on the trunk are moved outward.
//!
//! ```no_run
//! use toile_body::{Blend, Body, Figure, Given, Motion, Specification, draft, mocap};
//! let body = Body::new(draft(&Specification::new(Figure::Male, Given::NONE))?, Blend::DualQuaternion);
//! let bvh = toile_files::bvh::read_bvh("walk.bvh".as_ref())?;
//! let map = mocap::JointMap::new(&bvh, &[])?;
//! let motion = Motion::clip(mocap::retarget(&bvh, &map, &body)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arms;
mod feet;
mod names;
mod retarget;

pub use names::JointMap;
pub use retarget::{carry_over, retarget};

/// Why a file cannot move a mannequin.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message}; {help}")]
pub struct MocapError {
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
}
