//! The air of a scene: wind, what obstacles make of it, and how it acts on cloth.

use toile_schema::{choice, section};

choice! {
    /// What the air knows of obstacles.
    pub enum AirModel {
        /// There is no air.
        None = "none",
        /// The wind is the same everywhere: obstacles do not matter.
        Open = "open",
        /// Wind is weaker behind obstacles, by tracing where air comes from.
        Lee = "lee",
        /// Incompressible flow around obstacles, solved on a grid.
        Flow = "flow",
    }
}

section! {
    /// The air. Obstacles given by meshes do not stand in it; cloth does not act on it.
    pub struct Air {
        /// What the air knows of obstacles.
        model: AirModel = AirModel::None;
        /// Velocity of the wind.
        wind: [f64; 3] = [0.0, 0.0, 0.0], ["m/s"] within(-1000, 1000);
        /// Largest deviation of the wind's speed in gusts.
        gust: f64 = 0.0, ["m/s"] within(0, 1000);
        /// Gusts per second.
        gust_frequency: f64 = 0.5, ["1/s"] within(0, 1000);
        /// Root mean square of each component of the turbulence.
        turbulence: f64 = 0.0, ["m/s"] within(0, 1000);
        /// Size of the largest eddies.
        eddy_length: f64 = 1.0, ["m"] above(0, 1000);
        /// How often the largest eddies change.
        eddy_frequency: f64 = 0.5, ["1/s"] within(0, 1000);
        /// Time until the wind has grown to full strength.
        fade_in: f64 = 0.0, ["s"] within(0, 100_000.0);
        /// Which of all such winds.
        seed: u32 = 0, within(0, 4_000_000_000.0);
        /// Mass per volume of the air.
        density: f64 = 1.2, ["kg/m³"] within(0, 1000);
        /// Drag coefficient of a triangle across the wind.
        drag: f64 = 1.28, within(0, 100);
        /// Lift coefficient of a triangle askew to the wind. Air that goes along with cloth takes its place: with `added_mass` of 1 it has no effect.
        lift: f64 = 0.6, within(0, 100);
        /// Coefficient of skin friction along a triangle.
        skin: f64 = 0.01, within(0, 100);
        /// Mass of air that goes with cloth as it swings, and on downwind, relative to what goes with a flapping sheet of its size; 0 is none.
        added_mass: f64 = 1.0, within(0, 100);
        /// Cells of the grid, for `lee` and `flow`.
        cell: f64 = 0.1, ["m"] above(0, 100);
        /// Lowest corner of the grid; left out, a box around cloth and obstacles.
        low: Option<[f64; 3]> = None, ["m"] within(-10_000.0, 10_000.0);
        /// Highest corner of the grid.
        high: Option<[f64; 3]> = None, ["m"] within(-10_000.0, 10_000.0);
        /// Distance behind an obstacle at which the wind has recovered, for `lee`.
        recovery: f64 = 3.0, ["m"] above(0, 1000);
        /// Strength of vorticity confinement, which keeps eddies alive on a coarse grid, for `flow`.
        confinement: f64 = 0.0, within(0, 100);
    }
}
