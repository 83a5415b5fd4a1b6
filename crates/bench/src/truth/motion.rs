//! Cloth in motion: what it loses is the fabric's and the air's, not the solver's.

use miette::Result;

use super::scene::{advance, named, physics, world};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Motion";

pub(super) fn experiments() -> Vec<Experiment> {
    let cases = [(11, 120, 140.0), (21, 120, 140.0), (11, 60, 130.0), (21, 60, 130.0)];
    let mut all = vec![swing(11, 120, 140.0, None)];
    all.extend(cases.map(|(vertices, rate, least)| swing(vertices, rate, least, Some("bdf2"))));
    all
}

/// A sheet that is held by one edge and let go from level.
fn swing(vertices: usize, rate: u32, least: f64, integrator: Option<&'static str>) -> Experiment {
    Experiment {
        name: format!("swing of a sheet of {vertices}² vertices, {rate} steps a second{}", named(integrator)),
        group: GROUP,
        // Steps of 1/960 s, solved to the end, on 11² and 21² vertices.
        reference: 147.0,
        source: "short steps, solved to the end",
        unit: "mm",
        limit: Limit::AtLeast(least),
        is_long: vertices > 11,
        converges: true,
        measure: Box::new(move |accuracy| beyond_the_vertical(vertices, rate, integrator, accuracy)),
    }
}

/// How far the middle of the sheet swings past the vertical below its edge [mm].
fn beyond_the_vertical(vertices: usize, rate: u32, integrator: Option<&str>, accuracy: Accuracy) -> Result<f64> {
    let held: Vec<String> = (0..vertices).map(|row| (row * vertices).to_string()).collect();
    let text = format!(
        "
        [time]
        substeps = {}
        [solver]
        model = \"fem\"
        {}
        [[cloth]]
        fabric = \"cotton-poplin\"
        position = [0.15, 0.0, 0.0]
        shape = {{ kind = \"grid\", size = [0.3, 0.3], vertices = [{vertices}, {vertices}] }}
        hold = [{{ vertices = [{}] }}]
        ",
        rate / 30,
        physics(integrator),
        held.join(", "),
    );
    let mut world = world(&text, accuracy)?;
    let mut farthest: f64 = 0.0;
    for _ in 0..30 {
        advance(&mut world, 1)?;
        farthest = farthest.max(-world.state().center_of_mass(world.model()).x);
    }
    Ok(1000.0 * farthest)
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    fn a_sheet_swings_on_past_the_vertical() {
        assert_holds("swing of a sheet of 11² vertices, 120 steps a second, bdf2");
        assert_holds("swing of a sheet of 11² vertices, 60 steps a second, bdf2");
    }

    #[test]
    fn slow_finer_sheets_swing_as_far() {
        assert_holds("swing of a sheet of 21² vertices, 120 steps a second, bdf2");
        assert_holds("swing of a sheet of 21² vertices, 60 steps a second, bdf2");
    }
}
