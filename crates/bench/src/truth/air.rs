//! Cloth in the air: what slows it is the air's drag.

use miette::Result;

use super::scene::{advance, world};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Air";
/// Acceleration of free fall in scenes [m/s²].
const GRAVITY: f64 = 9.81;

pub(super) fn experiments() -> Vec<Experiment> {
    let mut all = Vec::new();
    for model in ["constraint", "fem"] {
        all.push(free_fall(model));
        all.push(terminal(model));
    }
    all
}

/// A sheet that falls without air is as fast as anything else.
fn free_fall(model: &'static str) -> Experiment {
    Experiment {
        name: format!("sheet that falls without air for 1 s, {model}"),
        group: GROUP,
        reference: GRAVITY,
        source: "v = g t",
        unit: "m/s",
        limit: Limit::Share(0.005),
        is_long: false,
        converges: false,
        measure: Box::new(move |accuracy| speed(model, "none", accuracy)),
    }
}

/// A sheet that falls flat through air at rest: `½ ρ C_D v² = σ g`.
fn terminal(model: &'static str) -> Experiment {
    let (density, drag, areal_density) = (1.2, 1.28, 0.15);
    Experiment {
        name: format!("sheet that falls flat through air for 1 s, {model}"),
        group: GROUP,
        // v = v_t tanh(g t/v_t): after a second it is within 2·10⁻⁶ of the terminal velocity.
        reference: f64::sqrt(2.0 * areal_density * GRAVITY / (density * drag)),
        source: "drag balances weight",
        unit: "m/s",
        limit: Limit::Share(0.02),
        is_long: false,
        converges: false,
        measure: Box::new(move |accuracy| speed(model, "open", accuracy)),
    }
}

/// How fast a level sheet falls after a second [m/s].
fn speed(model: &str, air: &str, accuracy: Accuracy) -> Result<f64> {
    let text = format!(
        "
        [solver]
        model = \"{model}\"
        [air]
        model = \"{air}\"
        [[cloth]]
        areal_density = 0.15
        position = [0.0, 0.0, 0.0]
        shape = {{ kind = \"grid\", size = [0.3, 0.3], vertices = [11, 11] }}
        "
    );
    let mut world = world(&text, accuracy)?;
    advance(&mut world, 30)?;
    let state = world.state();
    let mass: f64 = world.model().mass.iter().sum();
    let momentum: f64 = state.v.iter().zip(&world.model().mass).map(|(v, m)| v.y * m).sum();
    Ok(-momentum / mass)
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    fn sheets_fall_as_fast_as_gravity_and_the_air_let_them() {
        for model in ["constraint", "fem"] {
            assert_holds(&format!("sheet that falls without air for 1 s, {model}"));
            assert_holds(&format!("sheet that falls flat through air for 1 s, {model}"));
        }
    }
}
