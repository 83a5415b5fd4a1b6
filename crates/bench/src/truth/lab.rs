//! What laboratories measure: strips on the bias, and tension that is no straight line.

use std::f64::consts::FRAC_PI_4;

use miette::{Result, bail};
use toile_cloth::Fabric;
use toile_mesh::DVec3;
use toile_scene::fabric::NamedFabric;
use toile_scene::lab::Direction;
use toile_scene::lab::tensile::{TensileOptions, tensile};

use super::reference;
use super::scene::{advance, world_of_fabric};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Laboratory";
/// Acceleration of free fall in scenes [m/s²].
const GRAVITY: f64 = 9.81;

pub(super) fn experiments() -> Vec<Experiment> {
    let mut all = vec![bias_cantilever()];
    all.extend([0.3, 0.45, 0.8, 1.15].map(linearity));
    all
}

/// Cells of the strip along its overhang, and across.
const CELLS: [usize; 2] = [48, 2];

/// A narrow strip at 45° to threads of different rigidity: its sides curl and twist as they like, so that it bends with
/// `4/B = 1/B1 + 2/Bt + 1/B2`, and hangs as the elastica of that rigidity. It hangs by a few degrees only: one that hangs far turns its
/// side to the ground, and its weight twists it back.
fn bias_cantilever() -> Experiment {
    let [b1, b2, twist, density, length] = [2e-5, 0.5e-5, 1e-5, 0.15, 0.02];
    let fabric = Fabric {
        bend_warp: b1,
        bend_weft: b2,
        bend_twist: twist,
        areal_density: density,
        // Shear and threads of a common cotton.
        shear: 60.0,
        ..Fabric::default()
    };
    let rigidity = 4.0 / (1.0 / b1 + 2.0 / twist + 1.0 / b2);
    let [height, width] = reference::cantilever(density * GRAVITY * f64::powi(length, 3) / rigidity);
    Experiment {
        name: "cantilever of a narrow strip on the bias, bdf2".to_owned(),
        group: GROUP,
        reference: height / width,
        source: "the heavy elastica, compliances of a laminate",
        unit: "H/W",
        limit: Limit::Share(0.03),
        is_long: true,
        converges: true,
        measure: Box::new(move |accuracy| bias_sag(&fabric, length, accuracy)),
    }
}

/// Height that the tip of a strip on the bias loses over the width it reaches, once it hangs still.
fn bias_sag(fabric: &Fabric, length: f64, accuracy: Accuracy) -> Result<f64> {
    // Three rows are held; they clamp midway between the last two.
    let [along, across] = CELLS;
    let cell = length / (along as f64 + 0.5);
    let [columns, rows] = [along + 3, across + 1];
    let held: Vec<String> =
        (0..rows).flat_map(|row| (0..3).map(move |k| row * columns + k)).map(|i| i.to_string()).collect();
    let text = format!(
        "
        [solver]
        model = \"fem\"
        [physics]
        integrator = \"bdf2\"
        [[cloth]]
        fabric = \"strip.toml\"
        grain_deg = {:?}
        position = [0.0, 0.0, 0.0]
        shape = {{ kind = \"grid\", size = [{:?}, {:?}], vertices = [{columns}, {rows}] }}
        hold = [{{ vertices = [{}] }}]
        ",
        FRAC_PI_4.to_degrees(),
        cell * (columns - 1) as f64,
        cell * across as f64,
        held.join(", "),
    );
    let named = NamedFabric {
        name: "strip".to_owned(),
        description: String::new(),
        source: String::new(),
        fabric: fabric.clone(),
    };
    let mut world = world_of_fabric(&text, &named, accuracy)?;
    advance(&mut world, 240)?;
    let x = &world.state().x;
    let middle = across / 2 * columns;
    let clamp = 0.5 * (x[middle + 1] + x[middle + 2]);
    let tip: DVec3 = (0..rows).map(|row| x[row * columns + columns - 1]).sum::<DVec3>() / rows as f64;
    Ok((clamp.y - tip.y) / (tip.x - clamp.x))
}

/// What the tensile test reads of a fabric with this linearity.
fn linearity(typed: f64) -> Experiment {
    Experiment {
        name: format!("linearity {typed} of tension, read back"),
        group: GROUP,
        reference: typed,
        source: "the number typed in",
        unit: "LT",
        limit: Limit::Share(0.02),
        is_long: false,
        converges: false,
        measure: Box::new(move |_| {
            let fabric = Fabric { linearity_warp: typed, ..Fabric::default() };
            let test = tensile(&fabric, Direction::Warp, &TensileOptions { cells: 2, loads: 50, ..Default::default() });
            if !test.converged {
                bail!("the tensile test of linearity {typed} found no balance of forces");
            }
            let half = 0.5 * toile_cloth::fabric::REFERENCE_LOAD * test.extension / 100.0;
            Ok(test.work / half)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    fn the_tensile_test_reads_any_linearity() {
        for typed in [0.3, 0.45, 0.8, 1.15] {
            assert_holds(&format!("linearity {typed} of tension, read back"));
        }
    }

    #[test]
    fn slow_narrow_strips_on_the_bias_curl_freely() {
        assert_holds("cantilever of a narrow strip on the bias, bdf2");
    }
}
