//! What integrators do to the energy of cloth that nothing damps: no fabric, no air, no friction.
//!
//! Two motions of the same sheet of poplin without damping and hysteresis. It swings, which is slow for every step; or it
//! is stretched by a thousandth and vibrates with 16 Hz, which is slow for short steps only. Nothing takes energy away, so
//! all of it should be left. What is missing is the method's own damping.

use std::f64::consts::PI;

use miette::{IntoDiagnostic, Result, miette};
use toile::{Fabric, World};
use toile_mesh::DVec3;
use toile_scene::fabric::{self, NamedFabric};

use super::scene::{advance, world_of_fabric};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Integrators";
/// All integrators.
const ALL: [&str; 6] = ["symplectic-euler", "verlet", "rk4", "implicit-euler", "sdirk2", "bdf2"];
/// Vertices along each side.
const VERTICES: usize = 11;
/// Length of a side [m].
const SIDE: f64 = 0.3;
/// Acceleration of free fall in scenes [m/s²].
const GRAVITY: f64 = 9.81;
/// Frames per second of scenes.
const FRAMES: f64 = 30.0;
/// Strain of the sheet that vibrates.
const STRAIN: f64 = 1e-3;
/// Its speed in the middle at first [m/s].
const SPEED: f64 = 0.2;

/// A motion of the sheet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Motion {
    /// Held by one edge, let go from level.
    Swing,
    /// Held by two edges, without gravity, stretched and struck.
    Vibration,
}

pub(super) fn experiments() -> Vec<Experiment> {
    let mut all = Vec::new();
    for motion in [Motion::Swing, Motion::Vibration] {
        for rate in [60, 240] {
            for seconds in [0.5, 2.0] {
                all.extend(ALL.map(|integrator| energy(motion, rate, seconds, integrator)));
            }
        }
    }
    all
}

fn energy(motion: Motion, rate: u32, seconds: f64, integrator: &'static str) -> Experiment {
    let word = match motion {
        Motion::Swing => "swings",
        Motion::Vibration => "vibrates",
    };
    Experiment {
        name: format!("energy of a sheet that {word} for {seconds} s, {rate} steps a second, {integrator}"),
        group: GROUP,
        reference: 100.0,
        source: "nothing takes energy away",
        unit: "%",
        // No method may add energy. Those that keep it on average swing about it by less than this.
        limit: Limit::AtMost(102.0),
        is_long: true,
        converges: matches!(integrator, "implicit-euler" | "sdirk2" | "bdf2"),
        measure: Box::new(move |accuracy| energy_left(motion, rate, seconds, integrator, accuracy)),
    }
}

/// Poplin that keeps all energy. Threads that are pulled along the warp do not draw the others in.
fn undamped() -> Result<NamedFabric> {
    let mut named = fabric::find("cotton-poplin").into_diagnostic()?;
    "undamped".clone_into(&mut named.name);
    named.fabric = Fabric { damping_stretch: 0.0, damping_bend: 0.0, poisson: 0.0, ..named.fabric.elastic() };
    Ok(named)
}

/// Energy after so many seconds, relative to what the motion began with [%].
fn energy_left(motion: Motion, rate: u32, seconds: f64, integrator: &str, accuracy: Accuracy) -> Result<f64> {
    let named = undamped()?;
    let density = named.fabric.areal_density;
    let edge = |column: usize| {
        let row = |row: usize| (row * VERTICES + column).to_string();
        (0..VERTICES).map(row).collect::<Vec<_>>().join(", ")
    };
    let (gravity, far) = match motion {
        Motion::Swing => (GRAVITY, String::new()),
        Motion::Vibration => {
            let path = format!("[{{ time = 0.0, offset = [{}, 0.0, 0.0] }}]", STRAIN * SIDE);
            (0.0, format!(", {{ vertices = [{}], path = {path} }}", edge(VERTICES - 1)))
        }
    };
    let text = format!(
        "
        [time]
        substeps = {}
        [solver]
        model = \"fem\"
        rest = false
        [physics]
        integrator = \"{integrator}\"
        [forces]
        gravity = [0.0, {:?}, 0.0]
        [contact]
        self_collision = false
        [[cloth]]
        fabric = \"undamped.toml\"
        position = [0.15, 0.0, 0.0]
        shape = {{ kind = \"grid\", size = [{SIDE}, {SIDE}], vertices = [{VERTICES}, {VERTICES}] }}
        hold = [{{ vertices = [{}] }}{far}]
        ",
        f64::from(rate) / FRAMES,
        -gravity,
        edge(0),
    );
    let mut world = world_of_fabric(&text, &named, accuracy)?;
    let still = match motion {
        // It hangs straight down.
        Motion::Swing => -0.5 * density * SIDE.powi(3) * GRAVITY,
        Motion::Vibration => {
            strike(&mut world)?;
            total_energy(&world, 0.0)? - kinetic_energy(&world)
        }
    };
    let first = total_energy(&world, gravity)? - still;
    advance(&mut world, (seconds * FRAMES).round() as u32)?;
    Ok(100.0 * (total_energy(&world, gravity)? - still) / first)
}

/// Stretches the sheet along x, and gives it the speed of its slowest vibration.
fn strike(world: &mut World) -> Result<()> {
    let mut state = world.state().clone();
    for (i, (x, v)) in state.x.iter_mut().zip(&mut state.v).enumerate() {
        // The far edge is in the hand already.
        let share = (i % VERTICES) as f64 / (VERTICES - 1) as f64;
        x.x = share * SIDE * (1.0 + STRAIN);
        *v = DVec3::Y * (SPEED * (PI * share).sin());
    }
    if world.set_state(0, state) { Ok(()) } else { Err(miette!("the sheet of an experiment cannot be struck")) }
}

fn kinetic_energy(world: &World) -> f64 {
    let parts = world.model().mass.iter().zip(&world.state().v);
    parts.map(|(mass, v)| 0.5 * mass * v.length_squared()).sum()
}

/// Kinetic, elastic and potential energy [J]; the edge that is held is at height 0.
fn total_energy(world: &World, gravity: f64) -> Result<f64> {
    let stepper = world.stepper().ok_or_else(|| miette!("the sheet of an experiment is no finite elements"))?;
    let x = &world.state().x;
    let elastic = stepper.energies().clone().stored(x);
    let height: f64 = world.model().mass.iter().zip(x).map(|(mass, x)| mass * x.y).sum();
    Ok(kinetic_energy(world) + elastic + gravity * height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vibrations_lose_what_the_linear_theory_of_the_method_says() {
        // 16 Hz: f = √(E ε/σ)/(2 L); the ratio of two stages per step, |R(iθ)|² with θ = 2π f/240.
        let fabric = undamped().unwrap().fabric;
        let frequency = (fabric.stretch_warp * STRAIN / fabric.areal_density).sqrt() / (2.0 * SIDE);
        let theta = 2.0 * PI * frequency / 240.0;
        let gamma = 1.0 - 0.5_f64.sqrt();
        let ratio = (1.0 + ((1.0 - 2.0 * gamma) * theta).powi(2)) / (1.0 + (gamma * theta).powi(2)).powi(2);
        let expected = 100.0 * ratio.powi(120);
        let found = energy_left(Motion::Vibration, 240, 0.5, "sdirk2", Accuracy::Converged).unwrap();
        assert!((found - expected).abs() < 2.0, "{found} %, {expected} % by theory");
    }

    #[test]
    fn second_order_keeps_most_of_the_energy_of_a_swing() {
        let left = |integrator| energy_left(Motion::Swing, 240, 0.5, integrator, Accuracy::Default).unwrap();
        let [sdirk2, euler] = ["sdirk2", "implicit-euler"].map(left);
        assert!((85.0..100.5).contains(&sdirk2) && euler < 80.0, "{sdirk2} %, {euler} %");
    }
}
