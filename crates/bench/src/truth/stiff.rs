//! The bending coefficient of the constraint model: how near far corners of neighbouring triangles may come.

use miette::Result;

use super::scene::{advance, world};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Bending coefficient";

pub(super) fn experiments() -> Vec<Experiment> {
    vec![Experiment {
        name: "short distances of a tabletop on a sphere, coefficient 0.99".to_owned(),
        group: GROUP,
        reference: 0.0,
        source: "Fuhrmann 2003, fig. 2: none is below 0.985",
        unit: "%",
        limit: Limit::Within(2.0),
        is_long: true,
        converges: false,
        measure: Box::new(|accuracy| short_distances(0.99, accuracy)),
    }]
}

/// Share of the distances across edges that are more than 0.005 below the coefficient after 3 s [%].
fn short_distances(coefficient: f64, accuracy: Accuracy) -> Result<f64> {
    let text = format!(
        "
        [[cloth]]
        position = [0.0, 0.6, 0.0]
        bend_min = {coefficient:?}
        shape = {{ kind = \"grid\", size = [1.0, 1.0], vertices = [40, 40] }}
        [[obstacle]]
        position = [0.0, 0.28, 0.0]
        friction = 0.3
        shape = {{ kind = \"sphere\", radius = 0.28 }}
        [[obstacle]]
        shape = {{ kind = \"plane\" }}
        "
    );
    let mut world = world(&text, accuracy)?;
    advance(&mut world, 90)?;
    let x = &world.state().x;
    let across = &world.model().bending;
    let least = coefficient - 0.005;
    let short = across.iter().filter(|c| x[c.ends[0] as usize].distance(x[c.ends[1] as usize]) < least * c.rest);
    Ok(100.0 * short.count() as f64 / across.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    fn slow_stiff_cloth_keeps_its_bending_coefficient() {
        assert_holds("short distances of a tabletop on a sphere, coefficient 0.99");
    }
}
