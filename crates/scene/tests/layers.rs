//! Garments in layers: each is closed over what is worn already, and all hang clear of each other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use toile_contact::NearestFace;
use toile_scene::{Dressed, Scene, dress};

/// An outfit of designs, innermost first, coarse; it drapes for at most so long [s].
fn outfit(designs: &[&str], most_time: f64) -> Dressed {
    let cloth = |(layer, design): (usize, &&str)| {
        let shape = format!("{{ kind = 'garment', design = '{design}', distance = 0.03 }}");
        format!("[[cloth]]\nname = '{design}'\nlayer = {layer}\nshape = {shape}\n")
    };
    let cloths: String = designs.iter().enumerate().map(cloth).collect();
    let text = format!(
        "[solver]\nmodel = 'fem'\n[contact]\nthreshold = 0.001\n[dressing]\nmost_time = {most_time}\n\
         [[body]]\nmannequin = 'woman-38'\ntriangles = 5000\n{cloths}"
    );
    dress(&Scene::from_toml("outfit.toml", &text).unwrap(), &mut |_| ControlFlow::Continue(())).unwrap().unwrap()
}

/// Median distance of a garment from the body between two heights [m].
fn off_the_body(dressed: &Dressed, garment: usize, heights: [f64; 2]) -> f64 {
    let body = NearestFace::new(dressed.wearers[0].wearer.mesh.clone());
    let near = dressed.garments[garment].x.iter().filter(|p| (heights[0]..heights[1]).contains(&p.y));
    let mut far: Vec<f64> = near.map(|p| body.nearest(*p).unwrap().distance).collect();
    far.sort_by(f64::total_cmp);
    far[far.len() / 2]
}

fn is_worn(dressed: &Dressed) {
    let report = &dressed.reports[0];
    assert!(report.verdict.is_clean() && report.meeting == 0 && report.slipped.is_empty(), "{report:?}");
    assert!(report.first_gap > 0.1 && report.largest_gap <= 1e-3, "{report:?}");
}

/// The sleeves of the shirt close around those of the T-shirt, and its open fronts hang over it.
#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_a_shirt_is_worn_over_a_t_shirt_over_trousers() {
    let dressed = outfit(&["trousers", "t-shirt", "shirt"], 8.0);
    is_worn(&dressed);
    assert!(dressed.reports[0].settled, "{:?}", dressed.reports[0]);
    // The trunk between waist and armpits, and what hangs over the waist of the trousers.
    for ([inner, outer], heights) in [([1, 2], [1.10, 1.25]), ([0, 1], [0.95, 1.03])] {
        let far = [inner, outer].map(|garment| off_the_body(&dressed, garment, heights));
        // Folds of what is below stand out between those of what is above: both means agree to a fraction of a millimetre.
        assert!(far[1] > far[0] - 0.5e-3, "{inner} below {outer}: {far:?}");
    }
}

/// Trousers close over a T-shirt that is wider than they are: it is tucked in.
#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_a_t_shirt_is_tucked_into_trousers() {
    let dressed = outfit(&["t-shirt", "trousers"], 8.0);
    is_worn(&dressed);
    assert!(dressed.reports[0].settled, "{:?}", dressed.reports[0]);
    let far = [0, 1].map(|garment| off_the_body(&dressed, garment, [0.90, 1.03]));
    assert!(far[0] < far[1], "the T-shirt below the trousers: {far:?}");
}
