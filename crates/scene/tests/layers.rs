//! Garments in layers: each is closed over what is worn already, and all hang clear of each other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use toile_contact::NearestFace;
use toile_mesh::DVec3;
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

/// Half the width of the trunk that is looked at [m]: arms hang beside it.
const TRUNK: f64 = 0.15;

/// Whether the way from `a` to `b` goes through a triangle (Möller and Trumbore 1997).
fn goes_through(a: DVec3, b: DVec3, [p, q, r]: [DVec3; 3]) -> bool {
    let (way, u, v) = (b - a, q - p, r - p);
    let across = way.cross(v);
    let volume = u.dot(across);
    let from = a - p;
    let first = from.dot(across) / volume;
    let other = from.cross(u);
    let second = way.dot(other) / volume;
    let at = v.dot(other) / volume;
    first >= 0.0 && second >= 0.0 && first + second <= 1.0 && (0.0..=1.0).contains(&at)
}

/// Share of the vertices of one garment on the trunk between two heights whose shortest way to the body goes through another garment:
/// 1 if it is worn over that, 0 if it is worn below.
fn share_over(dressed: &Dressed, over: usize, below: usize, heights: [f64; 2]) -> f64 {
    let body = NearestFace::new(dressed.wearers[0].wearer.mesh.clone());
    let other = &dressed.garments[below];
    let triangles: Vec<[DVec3; 3]> =
        other.welded.mesh.triangles.iter().map(|t| t.map(|v| other.x[v.index()])).collect();
    let (mut all, mut through) = (0, 0);
    for p in dressed.garments[over].x.iter().filter(|p| (heights[0]..heights[1]).contains(&p.y)) {
        let skin = body.nearest(*p).unwrap().point;
        if skin.x.abs() < TRUNK {
            all += 1;
            through += usize::from(triangles.iter().any(|corners| goes_through(skin, *p, *corners)));
        }
    }
    assert!(all > 20, "{all} vertices on the trunk");
    through as f64 / all as f64
}

/// One garment is worn over another: nearly all of its vertices have the other below them, and hardly any of the other's has it.
fn is_over(dressed: &Dressed, over: usize, below: usize, heights: [f64; 2]) {
    let shares = [share_over(dressed, over, below, heights), share_over(dressed, below, over, heights)];
    assert!(shares[0] > 0.9 && shares[1] < 0.05, "{over} over {below}: {shares:?}");
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
        is_over(&dressed, outer, inner, heights);
    }
}

/// Trousers close over a T-shirt that is wider than they are: it is tucked in.
#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_a_t_shirt_is_tucked_into_trousers() {
    let dressed = outfit(&["t-shirt", "trousers"], 8.0);
    is_worn(&dressed);
    assert!(dressed.reports[0].settled, "{:?}", dressed.reports[0]);
    is_over(&dressed, 1, 0, [0.95, 1.03]);
}
