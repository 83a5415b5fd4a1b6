//! What steers a simulation: every value has a unit, a default, a range and a meaning, declared once.
//!
//! Scene files have a table for each of these; code fills a [`Settings`] and gives it to a world.

mod air;
mod collision;
mod contact;
mod physics;
mod solver;
mod step;

use toile_schema::section;

pub use air::{Air, AirModel};
pub use collision::{Collision, DetectorKind, UpdateKind};
pub use contact::{AutoLength, Contact, FrictionLaw, FrictionPair, Response};
pub use physics::Physics;
pub use solver::{Forces, Model, Solver, Time};
pub use step::StepSettings;
pub use toile_cloth::dynamics::{Effort, Integrator, PreconditionerKind};
pub use toile_cloth::{BendingKind, MembraneKind, Method};
pub use toile_collide::Cover;

section! {
    /// What steers a simulation.
    pub struct Settings {
        /// How long, and how finely.
        time: Time = Time::default();
        /// How the cloth is kept from stretching.
        solver: Solver = Solver::default();
        /// The physical model of cloth.
        physics: Physics = Physics::default();
        /// What pulls on the cloth.
        forces: Forces = Forces::default();
        /// The air around the cloth.
        air: Air = Air::default();
        /// How cloth touches itself and obstacles.
        contact: Contact = Contact::default();
        /// How contacts with meshes are searched for.
        collision: Collision = Collision::default();
        /// Numbers of the step that few people need.
        advanced: StepSettings = StepSettings::default();
    }
}
