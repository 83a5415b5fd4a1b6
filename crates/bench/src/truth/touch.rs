//! Cloth that touches: it slides as its friction says, and lies on what bears it at the distance of its fabric.

use std::f64::consts::PI;

use miette::Result;
use toile_mesh::DVec3;

use super::scene::{advance, world};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Touch";
/// Acceleration of free fall in scenes [m/s²].
const GRAVITY: f64 = 9.81;
/// Slope of the incline.
const SLOPE: f64 = 0.4;

pub(super) fn experiments() -> Vec<Experiment> {
    let mut all = Vec::new();
    for is_mesh in [false, true] {
        // Coefficients of the library, and what the ground states.
        for (fabric, own, ground) in
            [("silk-habotai", 0.25, None), ("velvet", 0.6, None), ("silk-habotai", 0.25, Some(0.36))]
        {
            all.push(incline(fabric, own, ground, is_mesh));
        }
        all.push(belt(is_mesh));
    }
    all
}

/// How a shape is touched, in a word.
fn surface(is_mesh: bool) -> &'static str {
    if is_mesh { "triangles" } else { "exact shape" }
}

/// A small sheet that is let go on an incline.
fn incline(fabric: &'static str, own: f64, ground: Option<f64>, is_mesh: bool) -> Experiment {
    let friction = ground.map_or(own, |ground: f64| (own * ground).sqrt());
    let (sin, cos) = SLOPE.atan().sin_cos();
    let stated = ground.map_or_else(String::new, |ground| format!(" that states {ground}"));
    Experiment {
        name: format!("{fabric} on a slope of {SLOPE}{stated}, {}", surface(is_mesh)),
        group: GROUP,
        reference: (GRAVITY * (sin - friction * cos)).max(0.0),
        source: "Coulomb's law",
        unit: "m/s²",
        limit: Limit::Within(0.02 * GRAVITY * (sin - friction * cos).max(0.01)),
        is_long: false,
        converges: true,
        measure: Box::new(move |accuracy| acceleration(fabric, ground, is_mesh, accuracy)),
    }
}

/// Acceleration down the incline [m/s²], from second differences of the way over a second, which do not depend on how it began.
fn acceleration(fabric: &str, ground: Option<f64>, is_mesh: bool, accuracy: Accuracy) -> Result<f64> {
    let (sin, cos) = SLOPE.atan().sin_cos();
    let (normal, down) = (DVec3::new(sin, cos, 0.0), DVec3::new(cos, -sin, 0.0));
    let turn = -SLOPE.atan().to_degrees();
    let text = format!(
        "
        [solver]
        model = \"fem\"
        rest = false
        [[cloth]]
        fabric = \"{fabric}\"
        position = {:?}
        rotation_deg = [0.0, 0.0, {turn:?}]
        shape = {{ kind = \"grid\", size = [0.1, 0.1], vertices = [5, 5] }}
        [[obstacle]]
        {}
        triangulate = {is_mesh}
        position = {:?}
        rotation_deg = [0.0, 0.0, {turn:?}]
        shape = {{ kind = \"box\", size = [6.0, 0.1, 1.0] }}
        ",
        (0.002 * normal).to_array(),
        ground.map_or_else(String::new, |ground| format!("friction = {ground:?}")),
        (-0.05 * normal).to_array(),
    );
    let mut world = world(&text, accuracy)?;
    let frames = (0.5 * world.settings().time.frame_rate) as u32;
    let mut way = [0.0; 3];
    for way in &mut way {
        advance(&mut world, frames)?;
        let x = &world.state().x;
        *way = x.iter().sum::<DVec3>().dot(down) / x.len() as f64;
    }
    Ok((way[2] - 2.0 * way[1] + way[0]) / 0.25)
}

/// Radius of a pulley, radius of the belt before it is stretched, distance of the axes in the end [m].
const BELT: [f64; 3] = [0.02, 0.04, 0.0639];
/// Vertices round the belt and along its axis.
const ROUND: [usize; 2] = [120, 5];

/// A belt of silk round two smooth pulleys that part: its middle surface lies half a thickness off, so
///
/// ```text
/// ε = (2π (R + t/2) + 2 D)/(2π r) − 1
/// ```
///
/// with pulleys of radius `R`, axes `D` apart, and a belt of radius `r` and thickness `t`. Its tension presses with `T/R`, about 5 kPa.
fn belt(is_mesh: bool) -> Experiment {
    let [pulley, radius, apart] = BELT;
    let thickness = 1.2e-4;
    Experiment {
        name: format!("belt of silk-habotai round pulleys, {}", surface(is_mesh)),
        group: GROUP,
        reference: 100.0 * ((2.0 * PI * (pulley + 0.5 * thickness) + 2.0 * apart) / (2.0 * PI * radius) - 1.0),
        source: "its length round the pulleys",
        unit: "%",
        limit: Limit::Share(0.1),
        is_long: true,
        converges: false,
        measure: Box::new(move |accuracy| belt_strain(is_mesh, accuracy)),
    }
}

/// Mean strain round the belt once the pulleys stand still [%]. The guard must have nothing to bear then.
fn belt_strain(is_mesh: bool, accuracy: Accuracy) -> Result<f64> {
    let [pulley, radius, apart] = BELT;
    let [round, along] = ROUND;
    let path = |side: f64| {
        let (from, to) = (side * (radius - pulley - 0.005), 0.5 * side * apart);
        format!(
            "[[obstacle]]\ntriangulate = {is_mesh}\npath = [{{ time = 0.0, position = [{from:?}, 0.0, 0.0] }}, \
             {{ time = 0.8, position = [{to:?}, 0.0, 0.0] }}]\n\
             shape = {{ kind = \"cylinder\", radius = {pulley:?}, height = 0.05 }}\n"
        )
    };
    let text = format!(
        "[solver]\nmodel = \"fem\"\n[forces]\ngravity = [0.0, 0.0, 0.0]\n\
         [[cloth]]\nfabric = \"silk-habotai\"\nfriction = 0.0\nposition = [0.0, 0.0, 0.0]\n\
         shape = {{ kind = \"cylinder\", radius = {radius:?}, height = 0.02, segments = [{round}, {}] }}\n{}{}",
        along - 1,
        path(-1.0),
        path(1.0),
    );
    let mut world = world(&text, accuracy)?;
    let frames = (2.0 * world.settings().time.frame_rate) as u32;
    advance(&mut world, frames - 1)?;
    let report = world.advance();
    if report.pushed + report.taken_back > 0 {
        miette::bail!("the guard bears the belt: {} pushes", report.pushed);
    }
    let x = &world.state().x;
    let ring = |row: usize| {
        let vertex = |k: usize| x[row * round + k % round];
        (0..round).map(|k| vertex(k).distance(vertex(k + 1))).sum::<f64>()
    };
    // Chords of the flat belt, as long as arcs at rest.
    let rest = 2.0 * radius * round as f64 * (PI / round as f64).sin();
    Ok(100.0 * (ring(along / 2) / rest - 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    fn fabrics_slide_or_stick_by_their_friction() {
        for surface in ["exact shape", "triangles"] {
            for fabric in ["silk-habotai on a slope of 0.4", "velvet on a slope of 0.4"] {
                assert_holds(&format!("{fabric}, {surface}"));
            }
        }
        assert_holds("silk-habotai on a slope of 0.4 that states 0.36, triangles");
    }

    #[test]
    fn slow_a_belt_lies_half_its_thickness_off_its_pulleys() {
        for surface in ["exact shape", "triangles"] {
            assert_holds(&format!("belt of silk-habotai round pulleys, {surface}"));
        }
    }
}
