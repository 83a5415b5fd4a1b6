//! Cloth that slides: Coulomb's law and nothing else decides how fast.

use miette::Result;
use toile_mesh::DVec3;

use super::scene::{advance, world};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Sliding";
/// Acceleration of free fall in scenes [m/s²].
const GRAVITY: f64 = 9.81;
/// Tangent of the inclination.
const SLOPE: f64 = 0.5;

pub(super) fn experiments() -> Vec<Experiment> {
    let mut all = Vec::new();
    for friction in [0.2, 0.45] {
        for is_mesh in [false, true] {
            all.push(incline(friction, is_mesh));
        }
    }
    all
}

/// A sheet of the constraint model that slides down an incline: `a = g (sin θ − μ cos θ)`.
fn incline(friction: f64, is_mesh: bool) -> Experiment {
    let (sin, cos) = SLOPE.atan().sin_cos();
    let ground = if is_mesh { "a mesh" } else { "a half space" };
    Experiment {
        name: format!("incline of {ground}, friction {friction}, constraint model"),
        group: GROUP,
        reference: GRAVITY * (sin - friction * cos),
        source: "Coulomb's law",
        unit: "m/s²",
        limit: Limit::Share(0.02),
        is_long: false,
        converges: false,
        measure: Box::new(move |accuracy| acceleration(friction, is_mesh, accuracy)),
    }
}

/// Mean acceleration down the incline [m/s²]: from second differences of the way, which do not depend on how it began.
fn acceleration(friction: f64, is_mesh: bool, accuracy: Accuracy) -> Result<f64> {
    let (sin, cos) = SLOPE.atan().sin_cos();
    let (normal, down) = (DVec3::new(sin, cos, 0.0), DVec3::new(cos, -sin, 0.0));
    let obstacle = if is_mesh {
        let centre = (1.5 * down - 0.05 * normal).to_array();
        format!("triangulate = true\nposition = {centre:?}\nshape = {{ kind = \"box\", size = [4.0, 0.1, 1.0] }}")
    } else {
        "shape = { kind = \"plane\" }".to_owned()
    };
    let turn = -SLOPE.atan().to_degrees();
    let text = format!(
        "
        [solver]
        model = \"constraint\"
        [[cloth]]
        friction = {friction:?}
        position = {:?}
        rotation_deg = [0.0, 0.0, {turn:?}]
        shape = {{ kind = \"grid\", size = [0.2, 0.2], vertices = [9, 9] }}
        [[obstacle]]
        friction = {friction:?}
        rotation_deg = [0.0, 0.0, {turn:?}]
        {obstacle}
        ",
        (0.005 * normal).to_array(),
    );
    let mut world = world(&text, accuracy)?;
    let mut ways = Vec::new();
    // It lands and lies flat within a tenth of a second.
    for frames in [6, 12, 12] {
        advance(&mut world, frames)?;
        ways.push(world.state().center_of_mass(world.model()).dot(down));
    }
    Ok((ways[2] - 2.0 * ways[1] + ways[0]) / (0.4 * 0.4))
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    fn the_constraint_model_slides_as_coulomb_says() {
        assert_holds("incline of a half space, friction 0.2, constraint model");
        assert_holds("incline of a half space, friction 0.45, constraint model");
        assert_holds("incline of a mesh, friction 0.2, constraint model");
        assert_holds("incline of a mesh, friction 0.45, constraint model");
    }
}
