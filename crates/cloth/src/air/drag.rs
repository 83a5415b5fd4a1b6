//! [`AirForces`]: what the air does to a triangle that moves through it.
//!
//! With the wind `u = w − v` relative to the triangle (means over its vertices), its area `A`, a unit normal `n` and
//! `û = u/|u|`, after Keckeisen et al. 2004:
//!
//! ```text
//! drag   ½ρ C_D A |n·û| |u|² û                = ½ρ C_D A |n·u| u
//! lift   ½ρ C_L A |n·û| |u|² (û × n') × û     = ½ρ C_L A (n·u) (|u| n − (n·u) û)
//! skin   ½ρ C_F A |u_t| u_t                     with u_t = u − (n·u) n
//! ```
//!
//! `n'` is that of the two normals which points downwind, `n'·u ≥ 0`: air dams up on the windward side, so pressure
//! pushes along `n'`, and its part across the wind is along `n' − (n'·û) û = (û × n') × û`. Keeping the length of that
//! vector (the sine between wind and normal) lets lift vanish in a head-on wind, where it has no direction. The right
//! column holds for either normal: cloth has no preferred side.
//!
//! For implicit time steps each particle gets a symmetric positive semidefinite block `C` such that
//! `f(v) ≈ f(v0) − C (v − v0)` close to the state `v0` of the evaluation. Of `−∂f/∂v` a triangle contributes
//!
//! ```text
//! drag   ½ρ C_D A |n·u| (I + n nᵀ)              exact when u is along n; the unsymmetric rest n u_tᵀ is left out
//! lift   ½ρ C_L A |u| (1 − (n·û)²)² n nᵀ        exact along n; the rest is not symmetric, nor definite
//! skin   ½ρ C_F A (|u_t| (I − n nᵀ) + u_t u_tᵀ/|u_t|)      exact
//! ```
//!
//! A triangle's force depends on the mean velocity, so the full derivative couples its vertices by a ninth of this
//! each; a third on the diagonal has the same effect on common motion and damps at least as much else.
//!
//! **Added mass.** Cloth that swings takes air along. A sheet that waves with the wave number `k` in air moves `ρ/k` per area on each
//! side (potential flow, which dies away as `e^(−kz)`); a strip of height `H` that moves as a whole moves `ρ π H/4` per area
//! (Lighthill 1960, *Note on the swimming of slender fish*). Between the two limits their squares are joined. A flag is held at
//! one edge and free at the other, so that its wave is about twice its length (Argentina, Mahadevan 2005, *Fluid-flow-induced
//! flutter of a flag*, take its length for `1/k` as well). For a piece of cloth of area `S`, with `H = √S` and `k = π/√S`:
//!
//! ```text
//! m_a = ρ (π H/4)/√(1 + (π k H/8)²) = 0.4946 ρ √S                force = −m_a A n (n·dv/dt)
//! ```
//!
//! Over a step of length `h` that is a block `m_a A/(3 h) n nᵀ` of damping at each corner ([`AirForces::add_inertia`]). Gusts are
//! slow beside that: the acceleration of the air itself is left out. In a stream that air moves on along the sheet; what comes of it is in
//! [`Stream`], and takes the place of lift.
//!
//! Fails gracefully: triangles without area or without relative wind exert nothing.

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

use super::stream::Stream;
use crate::calm::Pieces;

/// Mass of air that a piece of cloth takes along, per area, density and root of its area: `(π/4)/√(1 + (π²/8)²)`.
const ADDED_MASS: f64 = 0.494_6;

/// Triangles or particles per parallel task: fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 1024;

/// How the air acts on cloth. Negative values count as zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Air {
    /// Density `ρ` [kg/m³].
    pub density: f64,
    /// Coefficient of drag `C_D`, 1.28 for a flat plate across the wind. More makes sheets fall slower.
    pub drag: f64,
    /// Coefficient of lift `C_L`. Equal to drag by default: the part across the wind of a pressure
    /// `½ρ C_D |n·û| |u|²`. More makes flags flutter.
    pub lift: f64,
    /// Coefficient of skin friction `C_F` of both sides together: 0.01, that of a turbulent boundary layer.
    pub skin: f64,
}

impl Default for Air {
    fn default() -> Self {
        Self { density: 1.2, drag: 1.28, lift: 1.28, skin: 0.01 }
    }
}

/// What a third of a triangle feels.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Load {
    force: DVec3,
    damping: DMat3,
}

impl Load {
    const NONE: Self = Self { force: DVec3::ZERO, damping: DMat3::ZERO };
}

/// Aerodynamic forces on the particles of a mesh; see [the module](crate::air) for an example.
///
/// Allocates when made, not when evaluated.
#[derive(Clone, Debug)]
pub struct AirForces {
    triangles: Vec<[u32; 3]>,
    /// Triangles of each particle, ascending: `of_particle[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    of_particle: Vec<u32>,
    loads: Vec<Load>,
    force: Vec<DVec3>,
    damping: Vec<DMat3>,
    /// Mass of air that goes with each triangle [kg/m²]; empty if none does.
    added: Vec<f64>,
    /// What that air does on its way downwind, if any goes with cloth.
    stream: Option<Box<Stream>>,
    /// Share of lift whose place that takes.
    carried: f64,
}

impl AirForces {
    /// Forces on `particles` particles that `triangles` connect.
    ///
    /// # Panics
    /// If a triangle names a particle beyond `particles`.
    pub fn new(triangles: &[[u32; 3]], particles: usize) -> Self {
        let mut starts = vec![0_u32; particles + 1];
        for &p in triangles.iter().flatten() {
            assert!((p as usize) < particles, "a triangle names particle {p} of {particles}");
            starts[p as usize + 1] += 1;
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut of_particle = vec![0; 3 * triangles.len()];
        for (t, triangle) in triangles.iter().enumerate() {
            for &p in triangle {
                of_particle[next[p as usize] as usize] = t as u32;
                next[p as usize] += 1;
            }
        }
        Self {
            triangles: triangles.to_vec(),
            starts,
            of_particle,
            loads: vec![Load::NONE; triangles.len()],
            force: vec![DVec3::ZERO; particles],
            damping: vec![DMat3::ZERO; particles],
            added: Vec::new(),
            stream: None,
            carried: 0.0,
        }
    }

    /// Lets air of this density [kg/m³] go with cloth, `share` times as much as goes with a flapping sheet.
    /// `area`: of the cloth that belongs to each particle [m²].
    #[must_use]
    pub fn with_added_mass(self, area: &[f64], density: f64, share: f64) -> Self {
        let mass = ADDED_MASS * density.max(0.0) * share;
        if mass <= 0.0 {
            return self;
        }
        let edges = self.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c]]);
        let pieces = Pieces::new(edges, area.len()).of_each(|members| {
            let whole: f64 = members.iter().map(|p| area[*p as usize]).sum();
            mass * whole.max(0.0).sqrt()
        });
        let added = self.triangles.iter().map(|triangle| pieces[triangle[0] as usize]).collect();
        let stream = Stream::new(&self.triangles, area, density, share);
        Self { added, stream: Some(Box::new(stream)), carried: share.min(1.0), ..self }
    }

    /// Computes forces and damping for particles at `x` [m] with velocities `v` [m/s] in a wind `wind` [m/s].
    ///
    /// # Panics
    /// If the slices do not have one element per particle.
    pub fn evaluate(&mut self, x: &[DVec3], v: &[DVec3], wind: &[DVec3], air: Air) {
        assert!(
            [x.len(), v.len(), wind.len()] == [self.force.len(); 3],
            "one position, velocity and wind per particle"
        );
        let triangles = &self.triangles;
        let mut stream = self.stream.as_deref_mut();
        let flows = stream.as_deref_mut().is_some_and(|stream| stream.evaluate(triangles, x, v, wind, air));
        let stream = stream.as_deref().filter(|_| flows);
        let air = Air { lift: air.lift * (1.0 - self.carried), ..air };
        self.loads.par_chunks_mut(CHUNK).zip(triangles.par_chunks(CHUNK)).for_each(|(loads, triangles)| {
            for (load, triangle) in loads.iter_mut().zip(triangles) {
                let corners = triangle.map(|p| p as usize);
                let u = corners.iter().map(|&p| wind[p] - v[p]).sum::<DVec3>() / 3.0;
                *load = third_of_triangle(corners.map(|p| x[p]), u, air);
            }
        });
        let (starts, of_particle, loads) = (&self.starts, &self.of_particle, &self.loads);
        let particles = self.force.par_chunks_mut(CHUNK).zip(self.damping.par_chunks_mut(CHUNK));
        particles.enumerate().for_each(|(chunk, (force, damping))| {
            for (i, (force, damping)) in force.iter_mut().zip(damping).enumerate() {
                let i = chunk * CHUNK + i;
                let mut sum = Load::NONE;
                for &t in &of_particle[starts[i] as usize..starts[i + 1] as usize] {
                    sum.force += loads[t as usize].force;
                    sum.damping += loads[t as usize].damping;
                }
                let carried = stream.map_or(DVec3::ZERO, |stream| stream.force(i));
                (*force, *damping) = (sum.force + carried, sum.damping);
            }
        });
    }

    /// Adds the inertia of the air that goes with cloth at `x` [m] over a step of length `h` [s] to the damping; call it after
    /// [`AirForces::evaluate`] with the velocities where the step begins.
    pub fn add_inertia(&mut self, x: &[DVec3], h: f64) {
        for (triangle, mass) in self.triangles.iter().zip(&self.added) {
            let corners = triangle.map(|p| p as usize);
            let [a, b, c] = corners.map(|p| x[p]);
            let normal = (b - a).cross(c - a);
            let twice_area = normal.length();
            if twice_area > 0.0 && twice_area.is_finite() {
                let block = outer(normal / twice_area) * (mass * twice_area / (6.0 * h));
                for p in corners {
                    self.damping[p] += block;
                }
            }
        }
    }

    /// Force on each particle at the evaluated velocities [N].
    pub fn force(&self) -> &[DVec3] {
        &self.force
    }

    /// Damping of each particle [N·s/m]: the force at another velocity is about `force − damping (v − v0)`.
    pub fn damping(&self) -> &[DMat3] {
        &self.damping
    }
}

/// A third of the force on a triangle at `x` in the relative wind `u`, and a third of its damping.
fn third_of_triangle(x: [DVec3; 3], u: DVec3, air: Air) -> Load {
    let normal = (x[1] - x[0]).cross(x[2] - x[0]);
    let (twice_area, speed) = (normal.length(), u.length());
    if !(twice_area > 0.0 && twice_area.is_finite() && speed > 0.0 && speed.is_finite()) {
        return Load::NONE;
    }
    let n = normal / twice_area;
    let k = 0.5 * air.density.max(0.0) * 0.5 * twice_area / 3.0;
    let [drag, lift, skin] = [air.drag, air.lift, air.skin].map(|c| k * c.max(0.0));

    let through = n.dot(u);
    let cosine = through / speed;
    let along = u - n * through;
    let slip = along.length();
    let force = u * (drag * through.abs()) + (n * speed - u * cosine) * (lift * through) + along * (skin * slip);

    let sine_sq = (1.0 - cosine * cosine).max(0.0);
    let even = drag * through.abs() + skin * slip;
    let across = drag * through.abs() + lift * speed * sine_sq * sine_sq - skin * slip;
    let mut damping = DMat3::from_diagonal(DVec3::splat(even)) + outer(n) * across;
    if slip > 0.0 {
        damping += outer(along / slip) * (skin * slip);
    }
    Load { force, damping }
}

/// `a aᵀ`.
fn outer(a: DVec3) -> DMat3 {
    DMat3::from_cols(a * a.x, a * a.y, a * a.z)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toile_mesh::DQuat;

    use super::*;

    const DRAG_ONLY: Air = Air { density: 1.2, drag: 1.28, lift: 0.0, skin: 0.0 };

    /// A unit square of 2·n² triangles, normal z.
    fn plate(n: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let at = |i: u32, j: u32| i + (n + 1) * j;
        let x = (0..=n).flat_map(|j| (0..=n).map(move |i| DVec3::new(f64::from(i), f64::from(j), 0.0) / f64::from(n)));
        let cells = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
        let triangles = cells.flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        });
        (x.collect(), triangles.collect())
    }

    fn evaluated(x: &[DVec3], triangles: &[[u32; 3]], v: DVec3, wind: DVec3, air: Air) -> AirForces {
        let mut forces = AirForces::new(triangles, x.len());
        forces.evaluate(x, &vec![v; x.len()], &vec![wind; x.len()], air);
        forces
    }

    fn total(forces: &AirForces) -> DVec3 {
        forces.force().iter().sum()
    }

    fn load(x: [DVec3; 3], u: DVec3, air: Air) -> Load {
        let third = third_of_triangle(x, u, air);
        Load { force: 3.0 * third.force, damping: third.damping * 3.0 }
    }

    #[test]
    fn a_plate_feels_the_drag_and_lift_of_the_closed_form_at_any_angle() {
        let (x, triangles) = plate(5);
        let (speed, air) = (3.0, Air { skin: 0.0, lift: 0.7, ..Air::default() });
        for degrees in [0.0_f64, 20.0, 45.0, 70.0, 90.0, 130.0, 180.0, 250.0] {
            let angle = degrees.to_radians();
            let u = speed * DVec3::new(angle.sin(), 0.0, angle.cos());
            let f = total(&evaluated(&x, &triangles, DVec3::new(1.0, 2.0, 3.0), u + DVec3::new(1.0, 2.0, 3.0), air));
            let pressure = 0.5 * 1.2 * speed * speed * angle.cos().abs();
            assert!((f.dot(u) / speed - 1.28 * pressure).abs() < 1e-12, "drag at {degrees}°");
            // Across the wind, in the plane of wind and normal, towards where the lee side of the plate faces.
            let across = DVec3::new(-angle.cos(), 0.0, angle.sin()) * angle.cos().signum();
            assert!((f.dot(across) - 0.7 * pressure * angle.sin().abs() * angle.sin().signum()).abs() < 1e-12);
            assert!(f.y.abs() < 1e-12);
        }
    }

    #[test]
    fn a_sheet_falling_flat_follows_the_closed_form() {
        let (sigma, g) = (0.15, 9.81);
        let terminal = f64::sqrt(2.0 * sigma * g / (1.2 * 1.28));
        assert!((terminal - 1.3842).abs() < 5e-5);
        let (x, triangles) = plate(4);
        // The sheet is rigid: its velocity solves the sum of all rows of (m + h C) Δv = h (f + m g).
        let run = |h: f64, end: f64| {
            let mut v = DVec3::ZERO;
            for _ in 0..(end / h).round() as usize {
                let forces = evaluated(&x, &triangles, v, DVec3::ZERO, Air::default());
                let damping = forces.damping().iter().fold(DMat3::ZERO, |sum, c| sum + *c);
                let f = total(&forces) - DVec3::Z * (sigma * g);
                v += (DMat3::IDENTITY * sigma + damping * h).inverse() * (f * h);
            }
            -v.z
        };
        assert!((run(0.02, 3.0) - terminal).abs() < 1e-9 * terminal);
        for end in [0.1, 0.2] {
            let exact = terminal * (g * end / terminal).tanh();
            let errors = [2e-3, 1e-3].map(|h| (run(h, end) - exact).abs());
            assert!(errors[1] < 2e-3 * terminal && errors[1] < 0.6 * errors[0], "{errors:?}");
        }
    }

    #[test]
    fn a_square_of_cloth_takes_its_share_of_air_along() {
        let (x, triangles) = plate(5);
        let area = vec![1.0 / 36.0; 36];
        let still = vec![DVec3::ZERO; 36];
        let mut forces = AirForces::new(&triangles, 36).with_added_mass(&area, 1.2, 1.0);
        forces.evaluate(&x, &still, &still, Air::default());
        forces.add_inertia(&x, 0.01);
        let damping = forces.damping().iter().fold(DMat3::ZERO, |sum, c| sum + *c);
        // 1 m² with normal z, by the formula of the module.
        let square = std::f64::consts::PI.powi(2) / 8.0;
        let mass = 1.2 * std::f64::consts::FRAC_PI_4 / (1.0 + square * square).sqrt();
        assert!((0.01 * damping.z_axis.z / mass - 1.0).abs() < 1e-3, "{damping}");
        assert!(damping.x_axis.length() < 1e-12 && damping.y_axis.length() < 1e-12);
        let mut none = AirForces::new(&triangles, 36).with_added_mass(&area, 1.2, 0.0);
        none.evaluate(&x, &still, &still, Air::default());
        none.add_inertia(&x, 0.01);
        assert!(none.damping().iter().all(|c| *c == DMat3::ZERO));
    }

    #[test]
    fn no_relative_wind_no_force() {
        let (x, triangles) = plate(2);
        let v = DVec3::new(4.0, -1.0, 2.0);
        let forces = evaluated(&x, &triangles, v, v, Air::default());
        assert!(forces.force().iter().all(|f| *f == DVec3::ZERO));
        assert!(forces.damping().iter().all(|c| *c == DMat3::ZERO));
    }

    #[test]
    fn skin_friction_drags_along_a_sheet_that_lies_in_the_wind() {
        let (x, triangles) = plate(2);
        let f = total(&evaluated(&x, &triangles, DVec3::ZERO, 5.0 * DVec3::X, Air { skin: 0.02, ..Air::default() }));
        assert!((f - DVec3::X * (0.5 * 1.2 * 0.02 * 25.0)).length() < 1e-12);
    }

    #[test]
    fn degenerate_triangles_exert_nothing_and_nothing_becomes_nan() {
        let p = DVec3::new(0.1, 0.2, 0.3);
        let shapes = [[p; 3], [DVec3::ZERO, p, 2.0 * p], [DVec3::ZERO, 1e-170 * DVec3::X, 1e-170 * DVec3::Y]];
        for x in shapes {
            assert!(load(x, DVec3::new(1.0, 2.0, 3.0), Air::default()).force.length() < 1e-12);
        }
        let x = [DVec3::ZERO, DVec3::X, DVec3::Y];
        for u in [DVec3::Z, DVec3::X, 1e-300 * DVec3::Z, 1e-160 * DVec3::X] {
            let load = load(x, u, Air::default());
            assert!(load.force.is_finite() && load.damping.is_finite());
        }
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let (x, triangles) = plate(40);
        let wind: Vec<DVec3> = x.iter().map(|p| DVec3::new(1.0 + p.y, p.x * p.y, 2.0 - p.x)).collect();
        let results = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut forces = AirForces::new(&triangles, x.len());
            pool.install(|| forces.evaluate(&x, &vec![DVec3::ZERO; x.len()], &wind, Air::default()));
            (forces.force, forces.damping)
        });
        assert!(results[0] == results[1] && results[0] == results[2]);
    }

    fn vector(scale: f64) -> impl Strategy<Value = DVec3> {
        (-scale..scale, -scale..scale, -scale..scale).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn damping_is_symmetric_and_positive_semidefinite(
            x in [vector(1.0), vector(1.0), vector(1.0)], u in vector(9.0), z in vector(1.0), skin in 0.0..1.0,
        ) {
            let damping = load(x, u, Air { skin, ..Air::default() }).damping;
            prop_assert_eq!(damping, damping.transpose());
            let largest = damping.to_cols_array().iter().fold(0.0, |most: f64, c| most.max(c.abs()));
            prop_assert!(z.dot(damping * z) >= -1e-14 * largest);
        }

        #[test]
        fn damping_along_the_normal_is_the_derivative(
            x in [vector(1.0), vector(1.0), vector(1.0)], u in vector(9.0),
        ) {
            let n = (x[1] - x[0]).cross(x[2] - x[0]);
            prop_assume!(n.length() > 0.05 && n.normalize().dot(u).abs() > 0.01);
            let (n, step, air) = (n.normalize(), 1e-5, Air::default());
            let slope = (load(x, u + step * n, air).force - load(x, u - step * n, air).force).dot(n) / (2.0 * step);
            let damping = n.dot(load(x, u, air).damping * n);
            prop_assert!((slope - damping).abs() < 1e-6 * (1.0 + damping), "{} against {}", damping, slope);
        }

        #[test]
        fn skin_damping_is_the_derivative(u in vector(9.0), d in vector(1.0)) {
            let x = [DVec3::ZERO, DVec3::X, DVec3::Y];
            prop_assume!(u.truncate().length() > 0.05);
            let air = Air { density: 1.0, drag: 0.0, lift: 0.0, skin: 1.0 };
            let step = 1e-5;
            let slope = (load(x, u + step * d, air).force - load(x, u - step * d, air).force) / (2.0 * step);
            prop_assert!((slope - load(x, u, air).damping * d).length() < 1e-6);
        }

        #[test]
        fn drag_acts_along_the_wind_and_all_forces_turn_with_the_scene(
            u in vector(9.0), axis in vector(1.0), angle in 0.0..6.0,
        ) {
            prop_assume!(axis.length() > 0.1);
            let x = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.8, 0.1)];
            prop_assert!(load(x, u, DRAG_ONLY).force.cross(u).length() < 1e-10);
            let turn = DQuat::from_axis_angle(axis.normalize(), angle);
            let turned = load(x.map(|p| turn * p), turn * u, Air::default()).force;
            prop_assert!((turned - turn * load(x, u, Air::default()).force).length() < 1e-10);
        }
    }
}
