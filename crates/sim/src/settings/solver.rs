//! Time, model of cloth and forces.

use toile_cloth::Method;
use toile_schema::{choice, section};

section! {
    /// How long to simulate, and how finely.
    pub struct Time {
        /// Simulated time.
        duration: f64 = 2.0, ["s"] above(0.0, 100_000.0);
        /// Frames written per second of simulated time.
        frame_rate: f64 = 30.0, ["1/s"] within(0.01, 10_000.0);
        /// Smallest number of steps per frame; more steps follow fast motion better and cost in proportion.
        substeps: u32 = 4, within(1, 1000);
    }
}

impl Time {
    /// Frames of the whole run after the starting one, at least 1.
    pub fn frames(&self) -> u32 {
        // A float cast saturates, so absurd values stay absurd instead of wrapping.
        (self.duration * self.frame_rate).round().max(1.0) as u32
    }
}

choice! {
    /// What cloth is.
    pub enum Model {
        /// Particles at allowed distances (Fuhrmann 2003): fast, stiff, knows no fabric.
        Constraint = "constraint",
        /// A fabric with measured stiffnesses: finite elements, see `[physics]`.
        Fem = "fem",
    }
}

section! {
    /// How the cloth is kept from stretching, and what calms it.
    pub struct Solver {
        /// What cloth is.
        model: Model = Model::Constraint;
        /// How lengths are kept by the constraint model.
        method: Method = Method::Chains;
        /// Passes over all constraints per step; more make the cloth stiffer.
        iterations: u32 = 4, within(1, 1000);
        /// Factor on velocities within a piece of cloth per 1/120 s; 1 takes nothing away. Rigid motion is not damped: drag is
        /// the air's. Constraint model only: fabrics have their own damping.
        damping: f64 = 0.99, within(0, 1);
        /// Ratio of length to rest length above which edges are shortened: after each pass of chains, and where a frame
        /// ends. Constraint model only: see `physics.strain_limit`.
        limit: f64 = 1.02, within(1, 10);
        /// Diffusion of velocity along edges; removes ripples and keeps rigid motion, 0 is off.
        smoothing: f64 = 0.015, ["m²/s"] within(0, 100);
        /// After the passes go on until near particles are apart and, where a frame ends, triangles clear of obstacles and
        /// long edges short; off leaves every step as the passes left it.
        finish: bool = true;
        /// Let cloth that has kept its place to a millimetre for half a second rest, at no cost and without trembling,
        /// until something moves.
        rest: bool = true;
        /// Take more steps when something would move farther in one than half the contact distance or through an obstacle.
        adaptive: bool = true;
    }
}

section! {
    /// What pulls on the cloth.
    pub struct Forces {
        /// Acceleration of free fall.
        gravity: [f64; 3] = [0.0, -9.81, 0.0], ["m/s²"] within(-10_000.0, 10_000.0);
        /// Force of the wind per area of cloth.
        wind: [f64; 3] = [0.0, 0.0, 0.0], ["N/m²"] within(-100_000.0, 100_000.0);
        /// Swing of the wind relative to its mean; 0 is steady.
        gust: f64 = 0.0, within(0, 10);
        /// Gusts per second.
        gust_frequency: f64 = 0.5, ["1/s"] within(0, 1000);
    }
}
