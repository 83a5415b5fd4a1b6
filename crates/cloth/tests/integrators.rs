//! Time integration against closed forms: energy ratios of the linear oscillator, orders of convergence, the pendulum.

use toile_cloth::dynamics::{
    Energies, History, Integrator, Loads, Masses, Moving, NewtonSettings, NoContacts, PreconditionerKind, Stepper,
};
use toile_cloth::element::Spring;
use toile_mesh::{DMat3, DVec3};

const EXACT: NewtonSettings = NewtonSettings {
    tolerance: 1e-11,
    most_iterations: 50,
    linear_tolerance: 1e-13,
    most_linear_iterations: 100,
    ..NewtonSettings::DEFAULT
};

/// Particles of mass 1; the first is held at the origin and tied to the second by a spring.
struct Pair {
    stepper: Stepper,
    x: [DVec3; 2],
    v: [DVec3; 2],
    history: History,
    gravity: DVec3,
    settings: NewtonSettings,
}

impl Pair {
    fn new(stiffness: f64, rest: f64, x: DVec3, v: DVec3) -> Self {
        let springs = vec![Spring::new([0, 1], stiffness, rest)];
        let energies = Energies::new(vec![], springs, vec![], vec![], vec![], 2);
        Self {
            stepper: Stepper::new(energies, PreconditionerKind::default()),
            x: [DVec3::ZERO, x],
            v: [DVec3::ZERO, v],
            history: History::default(),
            gravity: DVec3::ZERO,
            settings: EXACT,
        }
    }

    fn step(&mut self, integrator: Integrator, h: f64) {
        let loads = Loads { gravity: self.gravity, ..Loads::default() };
        let masses = Masses { mass: &[1.0, 1.0], inverse: &[0.0, 1.0] };
        let moving = Moving { x: &mut self.x, v: &mut self.v, history: &mut self.history };
        let held = [DVec3::ZERO; 2];
        let report =
            self.stepper.advance(integrator, moving, &held, masses, &loads, &mut NoContacts, &self.settings, h);
        assert!(report.newton.converged, "{report:?}");
        assert!(self.x[0] == DVec3::ZERO && report.is_solved);
    }

    fn energy(&mut self) -> f64 {
        0.5 * self.v[1].length_squared() + self.stepper.energies_mut().energy(&self.x)
    }
}

#[test]
fn free_fall_of_implicit_euler_follows_its_closed_form() {
    let mut pair = Pair::new(0.0, 0.0, DVec3::X, DVec3::ZERO);
    pair.gravity = DVec3::new(0.0, -9.81, 0.0);
    let (h, n) = (1.0 / 60.0, 120);
    for _ in 0..n {
        pair.step(Integrator::ImplicitEuler, h);
    }
    let exact = -9.81 * h * h * f64::from(n * (n + 1)) / 2.0;
    assert!((pair.x[1].y / exact - 1.0).abs() < 1e-12, "{} {exact}", pair.x[1].y);
}

#[test]
fn linear_oscillator_loses_exactly_the_energy_of_its_method() {
    // ω = 1, so ωh = h. The ratios of BDF2 are those of its slow root.
    for (integrator, h, ratio) in [
        (Integrator::ImplicitEuler, 0.1, 1.0 / 1.01),
        (Integrator::ImplicitEuler, 0.5, 0.8),
        (Integrator::Bdf2, 0.1, 0.999_951_2),
        (Integrator::Bdf2, 0.5, 0.980_895),
        (Integrator::ImplicitMidpoint, 0.1, 1.0),
        (Integrator::ImplicitMidpoint, 0.5, 1.0),
    ] {
        let mut pair = Pair::new(1.0, 0.0, DVec3::X, DVec3::ZERO);
        // BDF2 starts with a step of another method; its parasitic root dies out at once.
        let settle = if integrator == Integrator::Bdf2 { 40 } else { 0 };
        for _ in 0..settle {
            pair.step(integrator, h);
        }
        let before = pair.energy();
        for _ in 0..100 {
            pair.step(integrator, h);
        }
        let found = (pair.energy() / before).powf(0.01);
        let tolerance = if integrator == Integrator::Bdf2 { bdf2_ratio(h) } else { ratio };
        assert!((found - ratio).abs() < 1e-6, "{integrator:?} {h}: {found}");
        // Energy of BDF2 swings a little within a period; over 100 steps that is below 1e-4.
        let bound = if integrator == Integrator::Bdf2 { 1e-5 } else { 1e-8 };
        assert!((found - tolerance).abs() < bound, "{integrator:?} {h}: {found} {tolerance}");
    }
}

/// Energy ratio per step of BDF2 from its characteristic equation (3/2 − iθ) ζ² − 2 ζ + 1/2 = 0.
fn bdf2_ratio(theta: f64) -> f64 {
    // ζ = (2 ± √(4 − 2 (3/2 − iθ)))/(2 (3/2 − iθ)) = (2 + √(1 + 2iθ))/(3 − 2iθ), the principal root.
    let modulus = (1.0 + 4.0 * theta * theta).sqrt();
    let (re, im) = ((0.5 * (modulus + 1.0)).sqrt(), (0.5 * (modulus - 1.0)).sqrt());
    ((2.0 + re).powi(2) + im * im) / (9.0 + 4.0 * theta * theta)
}

#[test]
fn bdf2_amplitudes_follow_the_characteristic_root() {
    for h in [0.1, 0.5] {
        let mut pair = Pair::new(1.0, 0.0, DVec3::X, DVec3::ZERO);
        for _ in 0..60 {
            pair.step(Integrator::Bdf2, h);
        }
        // Both x and v follow c ζⁿ (a complex number), so v² + x² of a quadrature pair would be exact; position alone swings.
        // Two oscillators a quarter period apart give that pair.
        let mut other = Pair::new(1.0, 0.0, DVec3::ZERO, DVec3::X);
        for _ in 0..60 {
            other.step(Integrator::Bdf2, h);
        }
        let size = |a: &Pair, b: &Pair| a.x[1].x * b.v[1].x - b.x[1].x * a.v[1].x;
        let before = size(&pair, &other);
        for _ in 0..50 {
            pair.step(Integrator::Bdf2, h);
            other.step(Integrator::Bdf2, h);
        }
        // The determinant of two solutions shrinks by |ζ|² per step, without any swing.
        let found = (size(&pair, &other) / before).powf(0.02);
        assert!((found - bdf2_ratio(h)).abs() < 1e-8, "{h}: {found} {}", bdf2_ratio(h));
    }
}

#[test]
fn explicit_methods_keep_the_energy_of_the_oscillator() {
    for integrator in [Integrator::SymplecticEuler, Integrator::Verlet] {
        let mut pair = Pair::new(1.0, 0.0, DVec3::X, DVec3::ZERO);
        let start = pair.energy();
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for _ in 0..100_000 {
            pair.step(integrator, 0.1);
            let energy = pair.energy() / start;
            (low, high) = (low.min(energy), high.max(energy));
        }
        assert!(low > 0.9 && high < 1.1, "{integrator:?} drifts to {low} … {high}");
    }
}

/// Where a stiffening pendulum is after one second of `n` steps.
fn swing(integrator: Integrator, n: u32) -> DVec3 {
    let mut pair = Pair::new(60.0, 1.0, DVec3::new(0.9, -0.3, 0.2), DVec3::new(0.0, 0.0, 1.0));
    pair.gravity = DVec3::new(0.0, -9.81, 0.0);
    // Rounding of positions, times the mass over h².
    pair.settings.tolerance = 1e-7;
    for _ in 0..n {
        pair.step(integrator, 1.0 / f64::from(n));
    }
    pair.x[1]
}

#[test]
fn methods_converge_with_their_order() {
    let exact = swing(Integrator::Rk4, 40_000);
    for (integrator, order, coarse) in [
        (Integrator::SymplecticEuler, 1.0, 400),
        (Integrator::Verlet, 2.0, 100),
        (Integrator::Rk4, 4.0, 40),
        (Integrator::ImplicitEuler, 1.0, 1600),
        (Integrator::ImplicitMidpoint, 2.0, 100),
        (Integrator::Bdf2, 2.0, 200),
    ] {
        let errors: Vec<f64> = (0..5).map(|k| swing(integrator, coarse << k).distance(exact)).collect();
        // Least squares of log₂ error over four halvings.
        let slope = errors.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]).map(|(e, k)| -k * e.log2()).sum::<f64>() / 10.0;
        assert!((slope - order).abs() < 0.15, "{integrator:?}: order {slope}, errors {errors:?}");
    }
}

#[test]
fn pendulum_swings_with_the_period_of_the_elliptic_integral() {
    // Released at 90°; 1.180341 T0. A stiff spring stands for the rod.
    let mut pair = Pair::new(1e7, 1.0, DVec3::X, DVec3::ZERO);
    pair.gravity = DVec3::new(0.0, -9.81, 0.0);
    pair.settings.tolerance = 1e-5;
    let h = 1e-3;
    let mut time = 0.0;
    let mut before = pair.x[1].x;
    // A quarter of the period passes until the first zero of x.
    while before > 0.0 {
        pair.step(Integrator::ImplicitMidpoint, h);
        let now = pair.x[1].x;
        time += if now > 0.0 { h } else { h * before / (before - now) };
        before = now;
    }
    let exact = 1.180_341 * std::f64::consts::TAU * (1.0_f64 / 9.81).sqrt();
    assert!((4.0 * time / exact - 1.0).abs() < 1e-3, "{} {exact}", 4.0 * time);
}

#[test]
fn linear_drag_reaches_its_terminal_velocity() {
    let mut pair = Pair::new(0.0, 0.0, DVec3::X, DVec3::ZERO);
    let drag = [DMat3::from_diagonal(DVec3::splat(2.0)); 2];
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2, Integrator::ImplicitMidpoint, Integrator::Verlet] {
        for _ in 0..400 {
            let loads =
                Loads { gravity: DVec3::new(0.0, -9.81, 0.0), force: &[], damping: &drag, velocity: &[DVec3::ZERO; 2] };
            let masses = Masses { mass: &[1.0, 1.0], inverse: &[0.0, 1.0] };
            let moving = Moving { x: &mut pair.x, v: &mut pair.v, history: &mut pair.history };
            let held = [DVec3::ZERO; 2];
            let _ = pair.stepper.advance(integrator, moving, &held, masses, &loads, &mut NoContacts, &EXACT, 0.05);
        }
        assert!((pair.v[1].y + 9.81 / 2.0).abs() < 1e-6, "{integrator:?}: {}", pair.v[1].y);
    }
}

#[test]
fn forbidden_direction_makes_a_slope() {
    // A particle that may not move along n slides down with the tangential part of gravity, without friction.
    let n = DVec3::new(0.5, 1.0, 0.0).normalize();
    for integrator in [Integrator::ImplicitEuler, Integrator::ImplicitMidpoint, Integrator::Bdf2] {
        let mut pair = Pair::new(0.0, 0.0, DVec3::X, DVec3::ZERO);
        pair.gravity = DVec3::new(0.0, -9.81, 0.0);
        pair.stepper.forbidden_mut().forbid(1, n);
        for _ in 0..100 {
            pair.step(integrator, 0.01);
        }
        let way = pair.x[1] - DVec3::X;
        assert!(way.dot(n).abs() < 1e-12, "{integrator:?}: leaves the slope by {:e}", way.dot(n));
        let slope = 9.81 * (1.0 - n.y * n.y).sqrt();
        assert!((pair.v[1].length() / slope - 1.0).abs() < 1e-9, "{integrator:?}: {}", pair.v[1]);
    }
}
