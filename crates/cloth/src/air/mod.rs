//! The air around cloth: wind, what bodies make of it, and the force it exerts on a triangle.
//!
//! Two models of wind among bodies, named by Kimmerle 2005, §6.2, after Keckeisen et al. 2004, *Modelling Effects of
//! Wind Fields in Cloth Animations*:
//!
//! - [`LeeField`]: particle tracing. The wind is given; air that has passed a body is slower, and none blows into it.
//! - [`Flow`]: the Navier–Stokes equations of incompressible air, solved on a grid.
//!
//! [`Gusts`] is the wind far from bodies, [`WindField`] one type for all of them, and [`AirForces`] turns wind at the
//! particles into forces and damping for a time step:
//!
//! ```
//! use toile_cloth::air::{Air, AirForces, Bodies, Gusts, Wind, WindField};
//! use toile_mesh::DVec3;
//!
//! let x = [DVec3::ZERO, DVec3::X, DVec3::Y];
//! let v = [DVec3::ZERO; 3];
//! let mut field = WindField::Gusty(Gusts::new(Wind { mean: 4.0 * DVec3::Z, ..Wind::default() }));
//! let mut forces = AirForces::new(&[[0, 1, 2]], x.len());
//! let mut wind = [DVec3::ZERO; 3];
//!
//! field.advance(0.0, 0.01, Bodies::none());
//! field.sample(&x, 0.01, &mut wind);
//! forces.evaluate(&x, &v, &wind, Air::default());
//! assert!(forces.force().iter().all(|f| f.z > 0.0));
//! ```
//!
//! Bodies come in as a signed distance and a velocity ([`Bodies`]); the air does not know what they are made of. Cloth
//! does not act on the air: it casts no lee and stops no flow.

mod drag;
mod field;
mod flow;
mod lattice;
mod lee;
mod stream;
mod wind;

pub use drag::{Air, AirForces};
pub use field::WindField;
pub use flow::{Flow, FlowReport, FlowSettings};
pub use lattice::{GridError, StateMismatch};
pub use lee::{LeeField, LeeSettings};
pub use wind::{Gusts, Wind};

use toile_mesh::DVec3;

/// What stands in the wind, as functions of a point [m].
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    /// Signed distance to the nearest body [m], negative inside.
    pub distance: &'a (dyn Fn(DVec3) -> f64 + Sync),
    /// Velocity of the body [m/s]; asked only near and inside bodies.
    pub velocity: &'a (dyn Fn(DVec3) -> DVec3 + Sync),
}

impl Bodies<'static> {
    /// Nothing stands in the wind.
    pub fn none() -> Self {
        Self { distance: &|_| f64::INFINITY, velocity: &|_| DVec3::ZERO }
    }
}

impl<'a> Bodies<'a> {
    /// Bodies at rest.
    pub fn still(distance: &'a (dyn Fn(DVec3) -> f64 + Sync)) -> Self {
        Self { distance, velocity: &|_| DVec3::ZERO }
    }
}

/// `3x² − 2x³`, which leaves 0 and reaches 1 without a kink; constant outside.
fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
