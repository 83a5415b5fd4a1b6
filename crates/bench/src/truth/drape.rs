//! Drape: scenes drape as the laboratory does, and fabrics whose bending was measured as their specimens did.
//!
//! A scene has the same instrument as the laboratory, a plate that sinks, but another mesh, other steps and no ripples.
//!
//! Matsudaira, Masuda, Wada, Yokura 2015 (J. Textile Eng. 61(6), 69–73, tables 1–2, second hand) give the bending rigidity, its hysteresis
//! and the drape coefficient of the same cloth, on the stand of 12.7 cm. Weight, shear and tension are not at hand: those of the class
//! stand in, and nothing is fitted.

use miette::Result;
use toile_cloth::Fabric;
use toile_cloth::fabric::kes;
use toile_scene::fabric::find;
use toile_scene::lab::drape::{DrapeOptions, drape, drape_coefficient};

use super::scene::{advance, world};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Drape";
/// How far a predicted drape coefficient may be from the published one [points].
const LIMIT: f64 = 6.0;

/// A cloth of which bending and drape were published.
struct Published {
    name: &'static str,
    /// Drape coefficient [%].
    drape: f64,
    /// Bending rigidity [gf·cm²/cm] and hysteresis 2HB [gf·cm/cm], means of warp and weft.
    bending: [f64; 2],
    /// Weight of the class [kg/m²].
    weight: f64,
    /// Shear stiffness of the class [gf/(cm·°)].
    shear: f64,
}

const CLOTHS: [Published; 2] = [
    Published { name: "cotton broad", drape: 82.9, bending: [0.118, 0.124], weight: 0.12, shear: 1.0 },
    Published { name: "polyester faille", drape: 28.3, bending: [0.019, 0.007], weight: 0.11, shear: 0.35 },
];

/// How far a scene may be from the laboratory [points].
const SAME: f64 = 3.0;
/// Fabrics that are draped in a scene and in the laboratory, from limp to stiff.
const IN_SCENES: [&str; 4] = ["silk-habotai", "wool-suiting", "cotton-poplin", "denim"];

pub(super) fn experiments() -> Vec<Experiment> {
    IN_SCENES.iter().copied().map(scene_less_laboratory).chain(CLOTHS.iter().map(published)).collect()
}

fn scene_less_laboratory(name: &'static str) -> Experiment {
    Experiment {
        name: format!("drape of {name}, scene less laboratory"),
        group: GROUP,
        reference: 0.0,
        source: "irregular cells of 10 mm in the laboratory, rings in the scene",
        unit: "points",
        limit: Limit::Within(SAME),
        is_long: true,
        converges: true,
        measure: Box::new(move |accuracy| {
            let options = DrapeOptions { cell: 0.01, runs: 2, ..DrapeOptions::default() };
            let there = drape(&find(name)?.fabric, &options).coefficient();
            let here = [0.0, 20.0].map(|grain| in_scene(name, grain, accuracy)).into_iter().sum::<Result<f64>>()? / 2.0;
            Ok(here - there)
        }),
    }
}

/// Drape coefficient of a disc in a scene, once it hangs still [%].
fn in_scene(name: &str, grain: f64, accuracy: Accuracy) -> Result<f64> {
    // Of 16 rings the tenth is the last one held: the clamp, midway before it, is at 89 mm.
    let text = format!(
        "
        [solver]
        model = \"fem\"
        [[cloth]]
        fabric = \"{name}\"
        grain_deg = {grain:?}
        position = [0.0, 0.3, 0.0]
        shape = {{ kind = \"disc\", radius = 0.15, rings = 16 }}
        hold = [{{ near = [0.0, 0.3, 0.0], radius = 0.0945 }}]
        [[obstacle]]
        name = \"plate\"
        shape = {{ kind = \"plane\" }}
        position = [0.0, 0.295, 0.0]
        path = [{{ time = 0.0 }}, {{ time = 1.5, position = [0.0, 0.222, 0.0] }}]
        "
    );
    let mut world = world(&text, accuracy)?;
    let whole = world.cloth_mesh().area();
    advance(&mut world, 150)?;
    Ok(drape_coefficient(&world.cloth_mesh(), whole, 2.0 * CLAMP))
}

/// Where the clamp of the scene is [m].
const CLAMP: f64 = 0.15 * 9.5 / 16.0;

fn published(cloth: &'static Published) -> Experiment {
    Experiment {
        name: format!("drape of {}", cloth.name),
        group: GROUP,
        reference: cloth.drape,
        source: "Matsudaira et al. 2015, measured",
        unit: "%",
        limit: Limit::Within(LIMIT),
        is_long: true,
        converges: false,
        measure: Box::new(move |_| Ok(coefficient(cloth))),
    }
}

/// Drape coefficient of the cloth in the virtual laboratory [%].
fn coefficient(cloth: &Published) -> f64 {
    let ([rigidity, hysteresis], usual) = (cloth.bending, Fabric::default());
    let (bend, rub) = (rigidity * kes::BEND, hysteresis * kes::BEND_HYSTERESIS);
    let fabric = Fabric {
        areal_density: cloth.weight,
        shear: cloth.shear * kes::SHEAR,
        bend_warp: bend,
        bend_weft: bend,
        bend_twist: bend,
        hysteresis_warp: rub,
        hysteresis_weft: rub,
        ..usual
    };
    let [support, specimen] = DrapeOptions::FIVE_INCHES;
    let options = DrapeOptions { support, specimen, cell: 0.01, runs: 3, ..DrapeOptions::default() };
    drape(&fabric, &options).coefficient()
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;

    #[test]
    #[ignore = "slow: runs in the slow profile"]
    fn slow_published_cloths_drape_as_published() {
        assert_holds("drape of cotton broad");
        assert_holds("drape of polyester faille");
    }

    #[test]
    #[ignore = "slow: runs in the slow profile"]
    fn slow_scenes_drape_as_the_laboratory() {
        for name in ["wool-suiting", "cotton-poplin", "denim"] {
            assert_holds(&format!("drape of {name}, scene less laboratory"));
        }
    }

    /// A known gap: with two drapes it was 5.5 points less than in cells of no order. Single drapes of silk in rings scatter by 3 points, so that the
    /// limit asks for more drapes than two; means of three in the laboratory, in rings and in no order, are 34.0 and 33.6 %.
    #[test]
    #[ignore = "a known gap: light silk depends on the layout of cells; run by hand in release"]
    fn gap_silk_in_scenes_drapes_as_in_the_laboratory() {
        assert_holds("drape of silk-habotai, scene less laboratory");
    }
}
