//! Cloth in the air: what slows it is the air's drag.

use std::f64::consts::TAU;

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
    all.extend([3.0, 5.0, 10.0].map(flag));
    all
}

/// A flag of polyester in a steady wind: how often it flaps, times its length, over the speed of the wind.
fn flag(wind: f64) -> Experiment {
    Experiment {
        name: format!("flag in a wind of {wind} m/s"),
        group: GROUP,
        reference: 0.175,
        source: "flags in the wind: 0.1 to 0.25",
        unit: "f L/U",
        limit: Limit::Within(0.075),
        is_long: true,
        converges: false,
        measure: Box::new(move |accuracy| flapping(wind, accuracy)),
    }
}

/// Length of the flag along the wind [m].
const FLAG: f64 = 1.0;

/// Frequency of the middle of the free edge across the wind, in lengths of the flag over the speed of the wind.
fn flapping(wind: f64, accuracy: Accuracy) -> Result<f64> {
    let held: Vec<String> = (0..13).map(|row| (row * 19).to_string()).collect();
    let text = format!(
        "
        [solver]
        model = \"fem\"
        [air]
        model = \"open\"
        wind = [{wind:?}, 0.0, {:?}]
        fade_in = 0.5
        [[cloth]]
        fabric = \"polyester-banner\"
        position = [0.5, 0.0, 0.0]
        rotation_deg = [90.0, 0.0, 0.0]
        shape = {{ kind = \"grid\", size = [{FLAG:?}, 0.667], vertices = [19, 13] }}
        hold = [{{ vertices = [{}] }}]
        ",
        // A little askew, so that it begins to flap.
        0.05 * wind,
        held.join(", "),
    );
    let mut world = world(&text, accuracy)?;
    // Two seconds to begin, twelve to count: frequencies are told apart by 0.02 U/L then.
    advance(&mut world, 60)?;
    let mut across = Vec::new();
    for _ in 0..360 {
        advance(&mut world, 1)?;
        across.push(world.state().x[6 * 19 + 18].z);
    }
    Ok(frequency(&across, 30.0) * FLAG / wind)
}

/// Frequency with the largest part in samples taken at `rate` [1/s]: the peak of a periodogram under Hann's window.
fn frequency(samples: &[f64], rate: f64) -> f64 {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let power = |f: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (k, sample) in samples.iter().enumerate() {
            let (t, window) = (k as f64 / rate, 0.5 - 0.5 * (TAU * (k as f64 + 0.5) / count).cos());
            let (sin, cos) = (TAU * f * t).sin_cos();
            re += window * (sample - mean) * cos;
            im += window * (sample - mean) * sin;
        }
        re * re + im * im
    };
    // From two periods in all samples to half their rate, in steps of a tenth of what can be told apart.
    let step = 0.1 * rate / count;
    let steps = (20..).map(|k| f64::from(k) * step).take_while(|f| *f < 0.5 * rate);
    steps.max_by(|a, b| power(*a).total_cmp(&power(*b))).unwrap_or(f64::NAN)
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
    use super::*;

    #[test]
    fn frequencies_are_found() {
        let samples: Vec<f64> = (0..180)
            .map(|k| f64::from(k) / 30.0)
            .map(|t| 3.0 + (TAU * 1.7 * t).sin() + 0.4 * (TAU * 5.1 * t).sin())
            .collect();
        assert!((frequency(&samples, 30.0) - 1.7).abs() < 0.02);
    }

    #[test]
    fn slow_flags_flap_as_often_as_flags_do() {
        for wind in [3, 5, 10] {
            assert_holds(&format!("flag in a wind of {wind} m/s"));
        }
    }

    #[test]
    fn sheets_fall_as_fast_as_gravity_and_the_air_let_them() {
        for model in ["constraint", "fem"] {
            assert_holds(&format!("sheet that falls without air for 1 s, {model}"));
            assert_holds(&format!("sheet that falls flat through air for 1 s, {model}"));
        }
    }
}
