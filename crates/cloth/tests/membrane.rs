//! The membrane against closed forms of elasticity: patch test, orthotropic and bias moduli, hanging strip, catenary.

use toile_cloth::dynamics::{Loads, Masses, PreconditionerKind, SettleSettings, Stepper};
use toile_cloth::{Fabric, MembraneKind, SheetOptions, Sheets};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DQuat, DVec2, DVec3, TriMesh};

/// A sheet with an irregular inside: interior vertices moved about by a fixed pattern.
fn irregular(size: [f64; 2], n: [usize; 2]) -> TriMesh {
    let mut mesh = grid(size, n, Diagonals::Alternating);
    let cell = (size[0] / (n[0] - 1) as f64).min(size[1] / (n[1] - 1) as f64);
    for (i, p) in mesh.positions.iter_mut().enumerate() {
        if !on_border(size, *p) {
            let t = i as f64;
            p.x += 0.25 * cell * (12.9 * t).sin();
            p.z += 0.25 * cell * (78.2 * t + 1.0).sin();
        }
    }
    mesh
}

fn on_border(size: [f64; 2], p: DVec3) -> bool {
    p.x.abs() > 0.5 * size[0] - 1e-9 || p.z.abs() > 0.5 * size[1] - 1e-9
}

/// Kinds of membranes that know what strain is.
const KINDS: [MembraneKind; 2] = [MembraneKind::Corotational, MembraneKind::Threads];

fn masses(mesh: &TriMesh, density: f64) -> Vec<f64> {
    mesh.vertex_areas().iter().map(|a| a * density).collect()
}

/// Settles a sheet under forces on its vertices; `free` says who may move.
fn settle(
    mesh: &TriMesh,
    fabric: &Fabric,
    (grain, membrane): (f64, MembraneKind),
    start: Vec<DVec3>,
    (force, gravity): (&[DVec3], DVec3),
    tolerance: f64,
    free: impl Fn(usize) -> bool,
) -> (Vec<DVec3>, Stepper) {
    let mut sheets = Sheets::default();
    sheets.add(mesh, 0, fabric, &SheetOptions { grain, membrane, ..SheetOptions::default() });
    let mut stepper = Stepper::new(sheets.build(mesh.vertex_count()), PreconditionerKind::default());
    let mass = masses(mesh, fabric.areal_density);
    let inverse: Vec<f64> = (0..mass.len()).map(|i| if free(i) { 1.0 / mass[i] } else { 0.0 }).collect();
    let loads = Loads { gravity, force, ..Loads::default() };
    let mut x = start;
    let settings = SettleSettings { tolerance, ..SettleSettings::default() };
    let report = stepper.settle(&mut x, Masses { mass: &mass, inverse: &inverse }, &loads, &settings);
    assert!(report.converged, "{report:?}");
    (x, stepper)
}

fn cloth() -> Fabric {
    Fabric {
        areal_density: 0.15,
        stretch_warp: 1000.0,
        stretch_weft: 400.0,
        poisson: 0.3,
        shear: 60.0,
        ..Fabric::default()
    }
}

#[test]
fn patch_of_constant_strain_stays_constant_under_any_rotation() {
    let size = [0.3, 0.2];
    let mesh = irregular(size, [7, 6]);
    // In the plane: interior vertices would otherwise be free to leave it under compression.
    let stretch = |p: DVec3| DVec3::new(1.02 * p.x + 0.01 * p.z, 0.0, 0.005 * p.x + 1.01 * p.z);
    let mut stresses: Vec<[f64; 3]> = Vec::new();
    for (degrees, kind) in [0.0, 37.0, 90.0, 179.0_f64].into_iter().flat_map(|d| KINDS.map(|kind| (d, kind))) {
        let turn = DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 0.8).normalize(), degrees.to_radians());
        let exact: Vec<DVec3> = mesh.positions.iter().map(|p| turn * stretch(*p)).collect();
        // Boundary in place, the inside a little off.
        let start: Vec<DVec3> = (0..exact.len())
            .map(|i| {
                let off = 1e-4 * DVec3::new((i as f64).sin(), 0.0, (2.0 * i as f64).cos());
                if on_border(size, mesh.positions[i]) { exact[i] } else { exact[i] + turn * off }
            })
            .collect();
        let border: Vec<bool> = mesh.positions.iter().map(|p| on_border(size, *p)).collect();
        let (x, stepper) = settle(&mesh, &cloth(), (0.0, kind), start, (&[], DVec3::ZERO), 1e-9, |i| !border[i]);
        let worst = x.iter().zip(&exact).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(worst < 1e-10 * 0.3, "{degrees}°: {worst:e} m off");
        let membranes = stepper.energies().membranes.elements();
        let stress = membranes[0].stresses(&x);
        for m in membranes {
            let s = m.stresses(&x);
            let spread = (0..3).map(|k| (s[k] - stress[k]).abs()).fold(0.0, f64::max);
            assert!(spread < 1e-10 * stress[0], "{degrees}°: {s:?} {stress:?}");
        }
        stresses.push(stress);
    }
    // Each kind has its own stress, whatever the rotation.
    for (i, s) in stresses.iter().enumerate() {
        let first = stresses[i % KINDS.len()];
        assert!((0..3).all(|k| (s[k] - first[k]).abs() < 1e-10 * first[0]), "{stresses:?}");
    }
}

/// Uniform traction `s` [N/m] along x at both ends of a sheet, as forces on its vertices.
fn traction(mesh: &TriMesh, size: [f64; 2], s: f64) -> Vec<DVec3> {
    let rows = mesh.positions.iter().filter(|p| (p.x - 0.5 * size[0]).abs() < 1e-9).count();
    let edge = size[1] / (rows - 1) as f64;
    let corner = |p: &DVec3| (p.z.abs() - 0.5 * size[1]).abs() < 1e-9;
    let share = |p: &DVec3| if corner(p) { 0.5 * edge * s } else { edge * s };
    let end = |p: &DVec3| (p.x.abs() - 0.5 * size[0]).abs() < 1e-9;
    mesh.positions.iter().map(|p| if end(p) { DVec3::X * p.x.signum() * share(p) } else { DVec3::ZERO }).collect()
}

/// Mean strains along and across a sheet pulled by `load` [N/m].
fn pulled(fabric: &Fabric, grain: f64, membrane: MembraneKind, load: f64) -> [f64; 2] {
    let size = [0.2, 0.1];
    let mesh = irregular(size, [13, 7]);
    let force = traction(&mesh, size, load);
    // One vertex in the middle keeps the sheet in place; nothing turns it.
    let middle = (0..mesh.vertex_count())
        .min_by(|a, b| mesh.positions[*a].length().total_cmp(&mesh.positions[*b].length()))
        .expect("the sheet has vertices");
    let (x, _) =
        settle(&mesh, fabric, (grain, membrane), mesh.positions.clone(), (&force, DVec3::ZERO), 1e-6, |i| i != middle);
    let extent = |x: &[DVec3], k: usize, side: f64| {
        let at = |p: &DVec3| ((if k == 0 { p.x } else { p.z }) - side).abs() < 1e-9;
        let ends: Vec<f64> = mesh.positions.iter().zip(x).filter(|(p, _)| at(p)).map(|(_, x)| x[2 * k]).collect();
        ends.iter().sum::<f64>() / ends.len() as f64
    };
    std::array::from_fn(|k| {
        let half = 0.5 * size[k];
        (extent(&x, k, half) - extent(&x, k, -half)) / size[k] - 1.0
    })
}

#[test]
fn strip_along_the_warp_stretches_by_its_modulus_and_contracts_by_poisson() {
    let fabric = cloth();
    let load = 10.0;
    for kind in KINDS {
        let [along, across] = pulled(&fabric, 0.0, kind, load);
        assert!((along / (load / 1000.0) - 1.0).abs() < 1e-3, "{along}");
        assert!((across / (-0.3 * load / 1000.0) - 1.0).abs() < 1e-3, "{across}");
        // Along the weft: ν21 = ν12 E2/E1.
        let [along, across] = pulled(&fabric, std::f64::consts::FRAC_PI_2, kind, load);
        assert!((along / (load / 400.0) - 1.0).abs() < 1e-3, "{along}");
        assert!((across / (-0.3 * 0.4 * load / 400.0) - 1.0).abs() < 1e-3, "{across}");
    }
}

#[test]
fn bias_strip_has_the_bias_modulus() {
    let fabric = cloth();
    let load = 0.5;
    let exact = 4.0 / (1.0 / 1000.0 + 1.0 / 400.0 + 1.0 / 60.0 - 2.0 * 0.3 / 1000.0);
    for kind in KINDS {
        let [along, _] = pulled(&fabric, std::f64::consts::FRAC_PI_4, kind, load);
        assert!((load / along / exact - 1.0).abs() < 0.01, "{kind:?}: {} {exact}", load / along);
    }
    assert!((toile_cloth::off_axis_modulus(&fabric, DVec2::ONE) / exact - 1.0).abs() < 1e-12);
}

#[test]
fn hanging_strip_stretches_by_half_its_weight() {
    // σ = 0.15, L = 1, E1h = 1000: 0.735750 mm; another strain measure would be 0.15 % off.
    let size = [1.0, 0.1];
    let mesh = grid(size, [41, 5], Diagonals::Alternating);
    let fabric = Fabric { stretch_warp: 1000.0, stretch_weft: 1000.0, poisson: 0.0, shear: 500.0, ..cloth() };
    let hang = |p: &DVec3| DVec3::new(0.0, -(p.x + 0.5), p.z);
    let start: Vec<DVec3> = mesh.positions.iter().map(hang).collect();
    let top = |i: usize| mesh.positions[i].x < -0.5 + 1e-9;
    for kind in KINDS {
        let (x, _) =
            settle(&mesh, &fabric, (0.0, kind), start.clone(), (&[], DVec3::new(0.0, -9.81, 0.0)), 1e-6, |i| !top(i));
        let bottom: Vec<f64> =
            (0..x.len()).filter(|i| mesh.positions[*i].x > 0.5 - 1e-9).map(|i| -x[i].y - 1.0).collect();
        let tip = bottom.iter().sum::<f64>() / bottom.len() as f64;
        assert!((tip / 0.735_750e-3 - 1.0).abs() < 1e-3, "{tip}");
    }
}

#[test]
fn limp_strip_between_two_nails_hangs_as_a_catenary() {
    // Span 1: sags of lengths 1.2, 1.5, 2.
    for (length, sag) in [(1.2, 0.292_344), (1.5, 0.502_633), (2.0, 0.796_388)] {
        let size = [length, 0.05];
        let mesh = grid(size, [61, 2], Diagonals::Same);
        let fabric = Fabric {
            stretch_warp: 1e5,
            stretch_weft: 1e5,
            poisson: 0.0,
            bend_warp: 1e-9,
            bend_weft: 1e-9,
            bend_twist: 1e-9,
            ..cloth()
        };
        // A V that the ends can hold.
        let start: Vec<DVec3> = mesh
            .positions
            .iter()
            .map(|p| {
                let depth = (0.25 * length * length - 0.25).sqrt();
                DVec3::new(p.x / length, depth * (2.0 * p.x.abs() / length - 1.0), p.z)
            })
            .collect();
        let end = |i: usize| mesh.positions[i].x.abs() > 0.5 * length - 1e-9;
        let (x, _) = settle(
            &mesh,
            &fabric,
            (0.0, MembraneKind::Threads),
            start,
            (&[], DVec3::new(0.0, -9.81, 0.0)),
            1e-3,
            |i| !end(i),
        );
        let lowest = x.iter().map(|p| -p.y).fold(0.0, f64::max);
        assert!((lowest / sag - 1.0).abs() < 5e-3, "length {length}: {lowest} instead of {sag}");
    }
}
