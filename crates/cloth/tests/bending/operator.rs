//! Second derivatives on every triangle: exact for quadratics, in balance, and defined on the smallest meshes.

use proptest::prelude::*;
use toile_cloth::Fabric;
use toile_cloth::element::{Bend, Element, Hinge, SLIP_CURVATURE, Stencil, flat_corners, stencils};
use toile_mesh::{DMat3, DVec2, DVec3};

use crate::meshes::{Flat, Kind};
use crate::table::unit_fabric;

/// Second derivatives of heights `w`, and the size of the terms they were summed from.
fn second_derivatives(stencil: &Stencil, w: impl Fn(u32) -> f64) -> ([f64; 3], f64) {
    let (mut sum, mut size) = ([0.0; 3], f64::MIN_POSITIVE);
    for (node, row) in stencil.nodes().iter().zip(stencil.rows()) {
        for k in 0..3 {
            sum[k] += row[k] * w(*node);
            size = f64::max(size, (row[k] * w(*node)).abs());
        }
    }
    (sum, size)
}

fn turned(mut flat: Flat, angle: f64, stretch: f64) -> Flat {
    let turn = DVec2::from_angle(angle);
    flat.rest.iter_mut().for_each(|p| *p = turn.rotate(DVec2::new(p.x, stretch * p.y)));
    flat
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn quadratics_are_exact_on_any_mesh_of_any_scale_and_stretch(
        kind in 0_usize..5, cells in [2_u32..7, 2_u32..7], angle in 0.0..6.0_f64,
        stretch in prop::sample::select(vec![1.0, 0.3, 0.01]), scale in prop::sample::select(vec![1.0, 1e-4, 1e3]),
    ) {
        let flat = turned(Flat::new(Kind::ALL[kind], DVec2::splat(-2.0 * scale), cells, scale, [0, 0]), angle, stretch);
        let stencils = stencils(&flat.triangles, &flat.corners());
        for stencil in &stencils {
            prop_assert!(stencil.is_exact(), "{:?} {cells:?} {:?}", Kind::ALL[kind], stencil.nodes());
            let monomials: [fn(DVec2) -> f64; 6] =
                [|_| 1.0, |p| p.x, |p| p.y, |p| 0.5 * p.x * p.x, |p| 0.5 * p.y * p.y, |p| p.x * p.y];
            for (m, monomial) in monomials.into_iter().enumerate() {
                let (found, size) = second_derivatives(stencil, |i| monomial(flat.rest[i as usize]));
                for k in 0..3 {
                    let expected = if m == 3 + k { 1.0 } else { 0.0 };
                    prop_assert!((found[k] - expected).abs() <= 1e-9 * size.max(1.0), "{m} {k} {found:?} {size}");
                }
            }
        }
    }
}

#[test]
fn a_constant_moment_is_in_balance_inside() {
    for kind in Kind::ALL {
        let flat = Flat::new(kind, DVec2::ZERO, [10, 10], 1.0, [0, 0]);
        let mut force = vec![[0.0; 3]; flat.rest.len()];
        let mut size = 0.0_f64;
        for stencil in stencils(&flat.triangles, &flat.corners()) {
            for (node, row) in stencil.nodes().iter().zip(stencil.rows()) {
                for k in 0..3 {
                    force[*node as usize][k] += stencil.area() * row[k];
                    size = size.max((stencil.area() * row[k]).abs());
                }
            }
        }
        // Slopes at the border reach a few cells into the sheet.
        let inside = |p: DVec2| p.x - 0.5 * p.y * f64::from(u8::from(kind == Kind::Equilateral));
        for (p, f) in flat.rest.iter().zip(&force) {
            let (x, y) = (inside(*p), if kind == Kind::Equilateral { p.y / 0.75_f64.sqrt() } else { p.y });
            if x.min(y) > 3.5 && x.max(y) < 6.5 {
                assert!(f.iter().all(|f| f.abs() < 1e-12 * size), "{kind:?} {p} {f:?}");
            }
        }
    }
}

#[test]
fn stencils_stay_small() {
    let most = |kind: Kind| {
        let flat = Flat::new(kind, DVec2::ZERO, [20, 20], 1.0, [0, 0]);
        stencils(&flat.triangles, &flat.corners()).iter().map(|s| s.nodes().len()).collect::<Vec<_>>()
    };
    let inner =
        |kind: Kind, limit: usize| most(kind).iter().filter(|n| **n <= limit).count() as f64 / most(kind).len() as f64;
    assert!(inner(Kind::Right, 6) > 0.75);
    assert!(inner(Kind::Equilateral, 6) > 0.75);
    assert!(inner(Kind::Crossed, 8) > 0.75);
    assert!(inner(Kind::Jittered, 12) > 0.95);
}

/// Panels have coordinates of their own: turned, shifted and mirrored ones bend alike, up to the warp direction.
#[test]
fn triangles_with_their_own_coordinates_bend_as_in_one_plane() {
    let flat = Flat::new(Kind::Jittered, DVec2::ZERO, [6, 6], 1.0, [0, 0]);
    let scattered: Vec<[DVec2; 3]> = flat
        .corners()
        .iter()
        .enumerate()
        .map(|(f, corners)| {
            let (turn, shift) = (DVec2::from_angle(f as f64), DVec2::new(f as f64, 3.0));
            corners.map(|p| if f % 3 == 0 { shift - turn.rotate(p).perp() } else { turn.rotate(DVec2::new(-p.x, p.y)) })
        })
        .collect();
    let x: Vec<DVec3> = flat.rest.iter().map(|p| p.extend((p.x * 1.3).sin() * (p.y * 0.7).cos())).collect();
    let energies = |corners: &[[DVec2; 3]]| -> Vec<f64> {
        Bend::all(&flat.triangles, corners, &unit_fabric()).iter().map(|b| b.energy(&x)).collect()
    };
    for (a, b) in energies(&flat.corners()).iter().zip(energies(&scattered)) {
        assert!((a - b).abs() < 1e-9 * a.max(1e-3), "{a} {b}");
    }
}

#[test]
fn the_smallest_meshes_bend_as_far_as_they_can() {
    let single = ([DVec2::ZERO, DVec2::X, DVec2::Y].to_vec(), vec![[0, 1, 2]]);
    let broken =
        (vec![DVec2::ZERO, DVec2::NAN, DVec2::Y, DVec2::ZERO], vec![[0, 1, 2], [0, 2, 3], [2, 2, 0], [0, 9, 2]]);
    for (rest, triangles) in [(vec![], vec![]), single, broken] {
        let x = vec![DVec3::new(1.0, 2.0, 3.0); 10];
        let corners = flat_corners(&triangles, &rest);
        assert!(Bend::all(&triangles, &corners, &unit_fabric()).iter().all(|b| b.energy(&x) == 0.0));
        assert!(Hinge::all(&triangles, &corners, &unit_fabric()).is_empty());
    }
    // Two triangles see bending across their common edge, strips one cell wide see bending along them at inner edges.
    for (cells, kind) in [(1, Kind::Right), (2, Kind::Right), (7, Kind::Right), (7, Kind::Alternating)] {
        let flat = Flat::new(kind, DVec2::ZERO, [cells, 1], 1.0, [0, 0]);
        let along = if cells == 1 { DVec2::new(1.0, -1.0).normalize() } else { DVec2::X };
        let x: Vec<DVec3> = flat.rest.iter().map(|p| p.extend(0.5e-3 * p.dot(along).powi(2))).collect();
        let bends = Bend::all(&flat.triangles, &flat.corners(), &unit_fabric());
        let energy: f64 = bends.iter().map(|b| b.energy(&x)).sum::<f64>() / (0.5e-6 * f64::from(cells));
        assert!(bends.iter().all(|b| !b.stencil().is_exact()));
        let expected = if cells == 1 { 1.0 } else { 1.0 - 1.0 / f64::from(cells) };
        assert!((energy - expected).abs() < 1e-9, "{kind:?} {cells} {energy}");
    }
}

/// A cylinder of curvature `bent` along the warp.
fn cylinder(flat: &Flat, bent: f64) -> Vec<DVec3> {
    let roll = |p: &DVec2| match bent {
        0.0 => p.extend(0.0),
        k => DVec3::new((k * p.x).sin() / k, p.y, (1.0 - (k * p.x).cos()) / k),
    };
    flat.rest.iter().map(roll).collect()
}

#[test]
fn cloth_that_was_bent_far_keeps_the_curvature_of_its_hysteresis() {
    let flat = Flat::new(Kind::Alternating, DVec2::ZERO, [6, 6], 1e-3, [0, 0]);
    // 2HB/(2B) = 52.5 1/m, as of a cotton broadcloth.
    let fabric = Fabric { bend_warp: 1e-5, hysteresis_warp: 2.0 * 52.5e-5, ..Fabric::default() };
    let mut bends = Bend::all(&flat.triangles, &flat.corners(), &fabric);
    let area: f64 = flat.areas().sum();
    let moment = |bends: &[Bend], k: f64| {
        let energy = |k: f64| bends.iter().map(|b| b.energy(&cylinder(&flat, k))).sum::<f64>() / area;
        (energy(k + 0.01) - energy(k - 0.01)) / 0.02
    };
    let bend_to = |bends: &mut [Bend], k: f64| bends.iter_mut().for_each(|b| b.update(&cylinder(&flat, k)));
    // At first friction is a spring.
    let initial = moment(&bends, 1.0);
    assert!((initial / (1e-5 + 52.5e-5 / SLIP_CURVATURE) - 1.0).abs() < 0.01, "{initial}");
    bend_to(&mut bends, 250.0);
    assert!((moment(&bends, 250.5) / (1e-5 * (250.5 + 52.5)) - 1.0).abs() < 0.03);
    let mut k = 250.0;
    while moment(&bends, k) > 0.0 {
        k -= 0.5;
        bend_to(&mut bends, k);
    }
    assert!((k - 52.5).abs() < 1.0, "{k}");
    // What it remembers can be carried over.
    let mut others = Bend::all(&flat.triangles, &flat.corners(), &fabric);
    others.iter_mut().zip(&bends).for_each(|(a, b)| a.set_slip(b.slip()));
    assert_eq!(moment(&others, 30.0), moment(&bends, 30.0));
}

#[test]
fn a_rest_curvature_is_where_the_cloth_has_no_energy() {
    let flat = Flat::new(Kind::Right, DVec2::ZERO, [6, 6], 1e-3, [0, 0]);
    let bends = Bend::all(&flat.triangles, &flat.corners(), &Fabric::default());
    let bends: Vec<Bend> = bends.into_iter().map(|b| b.with_rest_curvature([20.0, 0.0])).collect();
    let energy = |k: f64| bends.iter().map(|b| b.energy(&cylinder(&flat, k))).sum::<f64>();
    let unit = 0.5 * 1e-5 * 400.0 * flat.areas().sum::<f64>();
    assert!(energy(20.0).abs() < 1e-3 * unit, "{}", energy(20.0) / unit);
    assert!((energy(0.0) / unit - 1.0).abs() < 1e-3 && (energy(40.0) / unit - 1.0).abs() < 1e-2);
}

#[test]
fn a_hinge_has_the_rigidity_across_its_edge_and_returns_to_its_rest_angle() {
    let fabric = Fabric { bend_warp: 3.0, bend_weft: 1.0, bend_twist: 0.5, ..Fabric::default() };
    for (angle, rigidity) in [(0.0, 1.0), (90.0, 3.0), (45.0, (3.0 + 1.0 + 1.0) / 4.0)] {
        let turn = DVec2::from_angle(f64::to_radians(angle));
        let rest = [DVec2::ZERO, DVec2::X, DVec2::new(0.3, 0.8), DVec2::new(0.6, -0.7)].map(|p| turn.rotate(p));
        let triangles = [[0, 1, 2], [1, 0, 3]];
        let hinge = Hinge::all(&triangles, &flat_corners(&triangles, &rest), &fabric)[0];
        // The first triangle turns down about the edge by 0.4: a ridge.
        let down = DMat3::from_axis_angle(turn.extend(0.0), -0.4);
        let mut x = rest.map(|p| p.extend(0.0));
        x[2] = down * x[2];
        assert!((hinge.angle(&x) - 0.4).abs() < 1e-14);
        let expected = 0.5 * rigidity * 0.16 / (0.5 * (0.8 + 0.7));
        assert!((hinge.energy(&x) / expected - 1.0).abs() < 1e-12);
        assert!(hinge.with_rest_angle(0.4).energy(&x) < 1e-28);
        // Across the cut at half a turn the short way counts.
        let wrapped = hinge.with_rest_angle(0.4 + std::f64::consts::TAU - 0.1).energy(&x);
        assert!((wrapped / expected - 0.0625).abs() < 1e-9);
    }
}
