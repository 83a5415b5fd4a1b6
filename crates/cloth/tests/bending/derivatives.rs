//! Gradients and Hessians against finite differences, and what rigid motions must not change.

use proptest::prelude::*;
use toile_cloth::Fabric;
use toile_cloth::element::{Bend, Curvature, Element, Hinge, SLIP_CURVATURE};
use toile_cloth::linear::Block;
use toile_mesh::{DQuat, DVec2, DVec3};

use crate::meshes::{Flat, Kind};

/// The derivative at 0 from four evaluations, with an error of fourth order.
fn differences<T>(f: impl Fn(f64) -> T, s: f64) -> T
where
    T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    ((f(s) - f(-s)) * 8.0 - (f(2.0 * s) - f(-2.0 * s))) * (1.0 / (12.0 * s))
}

fn moved(x: &[DVec3], node: u32, axis: usize, by: f64) -> Vec<DVec3> {
    let mut x = x.to_vec();
    x[node as usize][axis] += by;
    x
}

/// Largest error of the gradient relative to its largest entry.
pub(crate) fn gradient_error<E: Element>(element: &E, x: &[DVec3], s: f64) -> f64 {
    let local = element.local(x, Curvature::Definite);
    let (mut error, mut size) = (0.0_f64, f64::MIN_POSITIVE);
    for (a, node) in element.nodes().iter().enumerate() {
        let gradient = element.gradient(&local, a);
        for axis in 0..3 {
            let expected = differences(|by| element.energy(&moved(x, *node, axis, by)), s);
            error = error.max((gradient[axis] - expected).abs());
            size = size.max(expected.abs());
        }
    }
    error / size
}

/// Largest error of the exact Hessian relative to its largest entry.
pub(crate) fn hessian_error<E: Element>(element: &E, x: &[DVec3], s: f64) -> f64 {
    let local = element.local(x, Curvature::Exact);
    let (mut error, mut size) = (0.0_f64, f64::MIN_POSITIVE);
    for (b, node) in element.nodes().iter().enumerate() {
        for axis in 0..3 {
            for a in 0..element.nodes().len() {
                let gradient = |x: Vec<DVec3>| element.gradient(&element.local(&x, Curvature::Exact), a);
                let expected = differences(|by| gradient(moved(x, *node, axis, by)), s);
                let column = element.hessian(&local, a, b).matrix().col(axis);
                error = error.max((column - expected).abs().max_element());
                size = size.max(expected.abs().max_element());
            }
        }
    }
    error / size
}

/// Sum of forces and of torques, relative to the largest.
fn imbalance<E: Element>(elements: &[E], x: &[DVec3]) -> f64 {
    let (mut force, mut torque, mut size) = (DVec3::ZERO, DVec3::ZERO, f64::MIN_POSITIVE);
    for element in elements {
        let local = element.local(x, Curvature::Definite);
        for (a, node) in element.nodes().iter().enumerate() {
            let f = element.gradient(&local, a);
            force += f;
            torque += x[*node as usize].cross(f);
            size = size.max(f.length());
        }
    }
    force.length().max(torque.length()) / size
}

fn fabric() -> Fabric {
    Fabric {
        bend_warp: 2.0,
        bend_weft: 0.7,
        bend_twist: 1.1,
        hysteresis_warp: 20.0,
        hysteresis_weft: 8.0,
        ..Fabric::default()
    }
}

/// A jittered sheet of cells of size `[1, stretch]` that is shaken in space.
fn shaken(stretch: f64, amplitude: f64, seed: u64) -> (Flat, Vec<DVec3>) {
    let mut flat = Flat::new(Kind::Jittered, DVec2::ZERO, [5, 5], 1.0, [0, 0]);
    flat.rest.iter_mut().for_each(|p| p.y *= stretch);
    let wave = |i: usize, f: f64| ((i as f64 + 1.3) * f + seed as f64).sin();
    let offset = |i: usize| DVec3::new(wave(i, 12.9898), stretch * wave(i, 78.233), stretch.min(1.0) * wave(i, 37.719));
    let x = flat.rest.iter().enumerate().map(|(i, p)| p.extend(0.0) + amplitude * offset(i)).collect();
    (flat, x)
}

fn hinges(flat: &Flat) -> Vec<Hinge> {
    let hinges = Hinge::all(&flat.triangles, &flat.corners(), &fabric());
    hinges.into_iter().enumerate().map(|(i, h)| h.with_rest_angle(0.1 * (i % 5) as f64)).collect()
}

fn bends(flat: &Flat) -> Vec<Bend> {
    let bends = Bend::all(&flat.triangles, &flat.corners(), &fabric());
    let with = |(i, b): (usize, Bend)| {
        let mut bend = b.with_rest_curvature([0.3, -0.2 * (i % 3) as f64]);
        bend.set_slip([0.1 * (i % 7) as f64, -20.0 * (i % 2) as f64]);
        bend
    };
    bends.into_iter().enumerate().map(with).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_are_those_of_the_energy(skinny in any::<bool>(), seed in 0_u64..1000) {
        let stretch = if skinny { 0.01 } else { 1.0 };
        let (flat, x) = shaken(stretch, 0.1, seed);
        let s = 1e-4 * stretch;
        for (i, hinge) in hinges(&flat).iter().enumerate() {
            prop_assert!(gradient_error(hinge, &x, s) <= 1e-6, "hinge {i} {:e}", gradient_error(hinge, &x, s));
            prop_assert!(hessian_error(hinge, &x, s) <= 1e-6, "hinge {i} {:e}", hessian_error(hinge, &x, s));
        }
        // Where friction begins to slip the second derivative jumps; differences across the jump tell nothing.
        let smooth = |bend: &&Bend| {
            let mut stretched = bend.curvatures(&x).into_iter().zip(bend.slip()).map(|(k, p)| (k - p).abs());
            stretched.all(|u| (u - SLIP_CURVATURE).abs() > 0.5)
        };
        for (i, bend) in bends(&flat).iter().filter(smooth).enumerate() {
            prop_assert!(gradient_error(bend, &x, s) <= 1e-6, "bend {i} {:e}", gradient_error(bend, &x, s));
        }
        let elastic = Fabric { hysteresis_warp: 0.0, hysteresis_weft: 0.0, ..fabric() };
        for (i, bend) in Bend::all(&flat.triangles, &flat.corners(), &elastic).iter().enumerate() {
            prop_assert!(hessian_error(bend, &x, s) <= 1e-6, "bend {i}");
        }
    }

    #[test]
    fn rigid_motions_change_nothing_and_no_net_force_or_torque_acts(
        axis in prop::array::uniform3(-1.0..1.0_f64), angle in -3.0..3.0_f64, seed in 0_u64..1000,
    ) {
        let (flat, x) = shaken(1.0, 0.1, seed);
        let axis = DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::X);
        let turn = DQuat::from_axis_angle(axis, angle);
        let turned: Vec<DVec3> = x.iter().map(|p| turn * *p + DVec3::new(3.0, -2.0, 1.0)).collect();
        for (a, b) in energies(&hinges(&flat), &x, &turned).into_iter().chain(energies(&bends(&flat), &x, &turned)) {
            prop_assert!((a - b).abs() <= 1e-12 * a.abs().max(10.0), "{a} {b}");
        }
        prop_assert!(imbalance(&hinges(&flat), &x) <= 1e-12);
        prop_assert!(imbalance(&bends(&flat), &x) <= 1e-12);
    }
}

fn energies<E: Element>(elements: &[E], x: &[DVec3], y: &[DVec3]) -> Vec<(f64, f64)> {
    elements.iter().map(|e| (e.energy(x), e.energy(y))).collect()
}

/// The Hessian along a direction.
fn along<E: Element>(e: &E, x: &[DVec3], d: &[DVec3]) -> f64 {
    let local = e.local(x, Curvature::Definite);
    let n = e.nodes();
    let pair = |a: usize, b: usize| d[n[a] as usize].dot(e.hessian(&local, a, b).times(d[n[b] as usize]));
    (0..n.len()).flat_map(|a| (0..n.len()).map(move |b| (a, b))).map(|(a, b)| pair(a, b)).sum()
}

#[test]
fn definite_hessians_have_no_negative_direction() {
    let (flat, x) = shaken(1.0, 0.4, 5);
    let wave = |i: usize| DVec3::new((i as f64).sin(), (1.7 * i as f64 + 3.0).sin(), (2.3 * i as f64 - 1.0).sin());
    let direction: Vec<DVec3> = (0..x.len()).map(wave).collect();
    assert!(hinges(&flat).iter().all(|h| along(h, &x, &direction) >= -1e-12));
    assert!(bends(&flat).iter().all(|b| along(b, &x, &direction) >= -1e-12));
}

fn finite<E: Element>(elements: &[E], x: &[DVec3]) -> bool {
    elements.iter().all(|e| {
        let local = e.local(x, Curvature::Exact);
        let blocks = |a: usize| (0..e.nodes().len()).all(|b| e.hessian(&local, a, b).matrix().is_finite());
        e.energy(x).is_finite() && (0..e.nodes().len()).all(|a| e.gradient(&local, a).is_finite() && blocks(a))
    })
}

#[test]
fn collapsed_triangles_give_finite_answers() {
    let (flat, mut x) = shaken(1.0, 0.0, 0);
    for collapse in 0..3 {
        match collapse {
            0 => x.iter_mut().for_each(|p| p.y = 0.0),
            1 => x[7] = x[8],
            _ => x.iter_mut().for_each(|p| *p = DVec3::ONE),
        }
        assert!(finite(&hinges(&flat), &x) && finite(&bends(&flat), &x), "{collapse}");
    }
}
