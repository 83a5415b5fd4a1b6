//! Responses after a free step: what brings features apart that touch.
//!
//! - [`Projection`]: pairs pushed apart, with Coulomb friction, beside the other constraints of cloth.
//! - [`respond`] and [`set_apart`]: impulses with friction, and the distance that contacts keep (Kimmerle 2005, §3.2.3).
//! - [`resolve_zones`]: collisions of whole patches at once, with their momentum (Huh 2001).
//! - [`Separation`]: self-collision avoidance between particles (Fuhrmann 2003, §4).

mod impulse;
mod particles;
mod projection;
mod zones;

pub use impulse::{ImpulseReport, ImpulseSettings, respond, set_apart};
pub use particles::{CANDIDATE_MARGIN, Extent, Separation, extents};
pub use projection::{Projection, ProjectionReport};
pub use zones::{ZoneMesh, ZoneReport, ZoneSettings, ZoneStep, resolve_zones};
