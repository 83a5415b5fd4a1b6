//! Cloth at rest: it hangs where gravity points, and bends as its rigidity says.

use miette::Result;
use toile_mesh::DVec3;
use toile_scene::fabric::NamedFabric;

use super::reference;
use super::scene::{advance, named, physics, world, world_of_fabric};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Rest";
/// The integrator that has no dead zone.
const BDF2: Option<&str> = Some("bdf2");
/// Acceleration of free fall in scenes [m/s²].
const GRAVITY: f64 = 9.81;

pub(super) fn experiments() -> Vec<Experiment> {
    let mut all = Vec::new();
    all.push(tilted(2.0, 4, None));
    for substeps in [1, 4] {
        for degrees in [0.5, 2.0, 4.0] {
            all.push(tilted(degrees, substeps, BDF2));
        }
    }
    all.extend(toile_scene::fabric::library().iter().map(cantilever));
    all
}

/// A strip that hangs straight down when gravity begins to point aside.
fn tilted(degrees: f64, substeps: u32, integrator: Option<&'static str>) -> Experiment {
    let steps = if substeps == 1 { "step" } else { "steps" };
    Experiment {
        name: format!("strip tilted by {degrees}°, {substeps} {steps} a frame{}", named(integrator)),
        group: GROUP,
        reference: degrees,
        source: "the direction of gravity",
        unit: "°",
        limit: Limit::Within(0.05),
        is_long: false,
        converges: true,
        measure: Box::new(move |accuracy| angle_of_rest(degrees, substeps, integrator, accuracy)),
    }
}

/// Mean angle of the line from the upper edge to the lower one against the vertical [°].
fn angle_of_rest(degrees: f64, substeps: u32, integrator: Option<&str>, accuracy: Accuracy) -> Result<f64> {
    let physics = physics(integrator);
    let tilt = degrees.to_radians();
    let (across, down) = (GRAVITY * tilt.sin(), -GRAVITY * tilt.cos());
    // Vertices are numbered along the strip, 25 to a row; it hangs by the first of each row.
    let text = format!(
        "
        [time]
        substeps = {substeps}
        [solver]
        model = \"fem\"
        rest = false
        {physics}
        [forces]
        gravity = [{across:?}, {down:?}, 0.0]
        [[cloth]]
        fabric = \"cotton-poplin\"
        position = [0.0, 0.0, 0.0]
        rotation_deg = [0.0, 0.0, -90.0]
        shape = {{ kind = \"grid\", size = [0.3, 0.05], vertices = [25, 5] }}
        hold = [{{ vertices = [0, 25, 50, 75, 100] }}]
        "
    );
    let mut world = world(&text, accuracy)?;
    // Nothing but its own viscosity takes its energy: it swings about where it will rest, and the mean over many swings tells.
    let (mut sum, mut count) = (DVec3::ZERO, 0);
    for _ in 0..900 {
        advance(&mut world, 1)?;
        let x = &world.state().x;
        let row = |last: bool| (0..5).map(|k| x[25 * k + if last { 24 } else { 0 }]).sum::<DVec3>() / 5.0;
        sum += row(true) - row(false);
        count += 1;
    }
    let chord = sum / f64::from(count);
    Ok(chord.x.atan2(-chord.y).to_degrees())
}

/// Cells of a cantilever along its overhang.
const CELLS: usize = 24;

/// A strip of a fabric of the library that is clamped level and hangs by twice its bending length. Yarns do not rub, because the
/// answer would depend on how the strip got there.
fn cantilever(named: &NamedFabric) -> Experiment {
    let mut named = named.clone();
    (named.fabric.hysteresis_warp, named.fabric.hysteresis_weft) = (0.0, 0.0);
    let fabric = &named.fabric;
    let length = 2.0 * fabric.bending_length(0.0);
    let [height, width] = reference::cantilever(fabric.areal_density * GRAVITY * length.powi(3) / fabric.bend_warp);
    Experiment {
        name: format!("cantilever of {}, bdf2", named.name),
        group: GROUP,
        reference: height / width,
        source: "the heavy elastica",
        unit: "H/W",
        limit: Limit::Share(0.02),
        is_long: true,
        converges: true,
        measure: Box::new(move |accuracy| sag(&named, length, accuracy)),
    }
}

/// Height that the tip of a strip loses over the width it reaches, once it hangs still.
fn sag(named: &NamedFabric, length: f64, accuracy: Accuracy) -> Result<f64> {
    // Three rows are held; they clamp midway between the last two.
    let cell = length / (CELLS as f64 + 0.5);
    let columns = CELLS + 3;
    let whole = cell * (columns - 1) as f64;
    let held: Vec<String> =
        (0..5).flat_map(|row| (0..3).map(move |k| row * columns + k)).map(|i| i.to_string()).collect();
    let text = format!(
        "
        [solver]
        model = \"fem\"
        [physics]
        integrator = \"bdf2\"
        [[cloth]]
        fabric = \"strip.toml\"
        position = [0.0, 0.0, 0.0]
        shape = {{ kind = \"grid\", size = [{whole:?}, {:?}], vertices = [{columns}, 5] }}
        hold = [{{ vertices = [{}] }}]
        ",
        4.0 * cell,
        held.join(", "),
    );
    let mut world = world_of_fabric(&text, named, accuracy)?;
    // Its own viscosity brings it to rest.
    advance(&mut world, 240)?;
    let x = &world.state().x;
    let clamp = 0.5 * (x[1] + x[2]);
    let tip = (0..5).map(|row| x[row * columns + columns - 1]).sum::<DVec3>() / 5.0;
    Ok((clamp.y - tip.y) / (tip.x - clamp.x))
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    fn a_strip_hangs_where_gravity_points() {
        assert_holds("strip tilted by 0.5°, 1 step a frame, bdf2");
        assert_holds("strip tilted by 4°, 1 step a frame, bdf2");
    }

    #[test]
    fn slow_strips_of_all_fabrics_bend_as_their_rigidity_says() {
        for name in toile_scene::fabric::names() {
            assert_holds(&format!("cantilever of {name}, bdf2"));
        }
    }
}
