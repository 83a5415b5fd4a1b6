//! [`Stream`]: what the air that goes along with cloth does on its way downwind.
//!
//! Added mass alone, `m_a ∂²w/∂t²`, belongs to a sheet in air at rest. In a stream each piece of air moves on along the sheet, and its
//! momentum changes because the sheet is askew further down. For small deflections `w` and the stream `U` along `x` (Lighthill 1960, *Note on
//! the swimming of slender fish*):
//!
//! ```text
//! p = −m_a (∂/∂t + U ∂/∂x)² w = −m_a (w_tt + 2 U w_xt + U² w_xx)
//! ```
//!
//! The last term pushes crests outwards and is what makes flags flap; quasi-steady forces alone leave them almost straight, with ripples
//! whose number depends on the stiffness, so that they follow each other ever faster in relation to the wind. For any deflection
//! (Lighthill 1971, *Large-amplitude elongated-body theory of fish locomotion*; Eloy, Kofman, Schouveiler 2012, *The origin of hysteresis in the
//! flag instability*), with the velocity of cloth relative to the air `u = v − wind = u_n n + u_t`, its gradient along the sheet `∇`:
//!
//! ```text
//! p = −m_a (n·dv/dt + q),     q = u·dn/dt − ∇·(u_n u_t) − ½ u_n² ∇·n,     dn/dt = −Σ_i g_i (n·v_i)
//! ```
//!
//! `g_i` are the gradients of the linear shape functions of a triangle; `n·dv/dt` is implicit ([`AirForces`](super::AirForces)), `q` is taken where
//! the step begins.
//!
//! **Wavelengths.** Mass of air falls with the wave number `k`: `m_a(k) = ρ (π H/4)/√(1 + y²)` with `y = π k H/8`, `H = √S`. It is found
//! without Fourier's help from `1/√(1 + y²) = (2/π) ∫ dφ/(1 + y² cos²φ)` over 0–π/2, by the midpoint rule with [`NODES`] angles:
//! each is a field `(1 − ℓ² ∇²) p_j = m_a(0) q` with `ℓ = (π H/8) cos φ_j`, linear elements with lumped areas and free borders, solved by
//! conjugate gradients. The mean is within 1 % of the law up to `y = 2`, waves of 1.2 `H`, and 10 % too small at `y = 4`. Such a pressure cannot
//! pump waves of the size of triangles.
//!
//! **Bound.** Where the sheet is bent or turned so much that the flow separates, `p` cannot exceed what a plate across the wind bears:
//! `p ← p/√(1 + (p/p_m)²)` with `p_m = ½ρ C_D |u|²`.
//!
//! **Edges.** Air arrives at the edge that meets it with no momentum across the sheet, and takes on `m_a u_n` there; where it leaves, it keeps what it has. So
//! the flux `u_n u_t` counts at borders that air leaves, and not where it arrives. On a rigid sheet that adds up to the lift of slender wings
//! (Jones 1946, *Properties of low-aspect-ratio pointed wings*), `m_a(0) U² α` per width of the edge, spread over about `ℓ` behind it. It turns a flag back into the
//! wind. Lift by the local incidence would count it twice, and would pump each wave by its slope: a wave that fits onto a sheet several times
//! lifts nothing. Air that goes along therefore takes the place of `C_L`.
//!
//! Fails: triangles of one piece must have the same side up. The wake of shed vortices is left out, and how deep a sheet is along the wind. Everything runs on one thread, in the order of the triangles.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use toile_mesh::DVec3;

use super::drag::Air;
use crate::calm::Pieces;

/// Angles of the midpoint rule for the law of wavelengths: three make it good to 1 % for waves longer than 1.2 `H`.
const NODES: usize = 3;
/// Residual of the smoothed fields relative to their sources. A hundredth is far below what the theory is good for.
const TOLERANCE: f64 = 1e-2;
/// Iterations at most: a disc of 15 mm cells needs twenty.
const MOST_ITERATIONS: usize = 300;
/// Pressure that moves no cloth [Pa]: a fiftieth of the weight of chiffon. Where the bound is below it everywhere, nothing is computed.
const NOTHING: f64 = 0.01;

/// Air that goes along with cloth; memory for its pressure.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// Mass of air that goes with long waves, of the piece that each particle belongs to [kg/m²].
    mass: Vec<f64>,
    /// `H` of that piece [m].
    size: Vec<f64>,
    /// Area of each particle [m²], and normal.
    area: Vec<f64>,
    normal: Vec<DVec3>,
    shapes: Vec<Shape>,
    /// Speed of each particle through the air along its normal [m/s].
    through: Vec<f64>,
    source: Vec<f64>,
    pressure: Vec<f64>,
    /// Edges in one triangle only: the triangle and its corner that is not on the edge, ascending.
    borders: Vec<[u32; 2]>,
    solver: Solver,
}

/// A triangle where the step begins.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Shape {
    area: f64,
    normal: DVec3,
    /// Gradients of the shape functions [1/m].
    gradients: [DVec3; 3],
}

impl Shape {
    /// `None` for a triangle without area.
    fn new([a, b, c]: [DVec3; 3]) -> Option<Self> {
        let normal = (b - a).cross(c - a);
        let twice_area = normal.length();
        if !(twice_area > f64::MIN_POSITIVE && twice_area.is_finite()) {
            return None;
        }
        let n = normal / twice_area;
        let gradients = [c - b, a - c, b - a].map(|edge| n.cross(edge) / twice_area);
        let is_finite = gradients.iter().all(|g| g.is_finite());
        is_finite.then_some(Self { area: 0.5 * twice_area, normal: n, gradients })
    }
}

impl Stream {
    /// Air of this density [kg/m³] around `triangles`, `share` times as much as goes with a flapping sheet. `area` of each particle [m²].
    pub(super) fn new(triangles: &[[u32; 3]], area: &[f64], density: f64, share: f64) -> Self {
        let particles = area.len();
        let edges = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c]]);
        let size = Pieces::new(edges, particles)
            .of_each(|members| members.iter().map(|p| area[*p as usize]).sum::<f64>().max(0.0).sqrt());
        Self {
            mass: size.iter().map(|size| share * density * FRAC_PI_4 * size).collect(),
            size,
            area: vec![0.0; particles],
            normal: vec![DVec3::ZERO; particles],
            shapes: vec![Shape::default(); triangles.len()],
            through: vec![0.0; particles],
            source: vec![0.0; particles],
            pressure: vec![0.0; particles],
            borders: borders(triangles),
            solver: Solver::new(particles),
        }
    }

    /// Computes the pressure on particles at `x` [m] with velocities `v` [m/s] in `wind` [m/s]; whether there is any.
    pub(super) fn evaluate(
        &mut self,
        triangles: &[[u32; 3]],
        x: &[DVec3],
        v: &[DVec3],
        wind: &[DVec3],
        air: Air,
    ) -> bool {
        let bound = |i: usize| 0.5 * air.density.max(0.0) * air.drag.max(0.0) * (v[i] - wind[i]).length_squared();
        if !(0..x.len()).any(|i| bound(i) > NOTHING) {
            return false;
        }
        self.measure(triangles, x);
        for i in 0..x.len() {
            self.through[i] = self.normal[i].dot(v[i] - wind[i]);
        }
        self.carry(triangles, v, wind);
        for i in 0..x.len() {
            let (p, most) = (self.pressure[i], bound(i));
            self.pressure[i] = if most > 0.0 && p.is_finite() { p / (1.0 + (p / most).powi(2)).sqrt() } else { 0.0 };
        }
        true
    }

    /// Force of the pressure on particle `i` [N].
    pub(super) fn force(&self, i: usize) -> DVec3 {
        self.normal[i] * (self.pressure[i] * self.area[i])
    }

    fn measure(&mut self, triangles: &[[u32; 3]], x: &[DVec3]) {
        self.area.fill(0.0);
        self.normal.fill(DVec3::ZERO);
        for (triangle, shape) in triangles.iter().zip(&mut self.shapes) {
            let corners = triangle.map(|p| p as usize);
            *shape = Shape::new(corners.map(|p| x[p])).unwrap_or_default();
            for p in corners {
                self.area[p] += shape.area / 3.0;
                self.normal[p] += shape.normal * shape.area;
            }
        }
        self.normal.iter_mut().for_each(|n| *n = n.normalize_or_zero());
    }

    /// The pressure of air on its way.
    fn carry(&mut self, triangles: &[[u32; 3]], v: &[DVec3], wind: &[DVec3]) {
        self.source.fill(0.0);
        let relative = |p: usize| v[p] - wind[p];
        let flux = |p: usize| (relative(p) - self.normal[p] * self.through[p]) * self.through[p];
        for (triangle, shape) in triangles.iter().zip(&self.shapes) {
            let corners = triangle.map(|p| p as usize);
            let u = corners.iter().map(|&p| relative(p)).sum::<DVec3>() / 3.0;
            let passing = corners.iter().map(|&p| flux(p)).sum::<DVec3>() / 3.0;
            let through = shape.normal.dot(u);
            let mut q = 0.0;
            for (&p, g) in corners.iter().zip(&shape.gradients) {
                q -= u.dot(*g) * v[p].dot(shape.normal) + 0.5 * through * through * g.dot(self.normal[p]);
            }
            // −∇·(u_n u_t), by parts.
            let mass = self.mass[corners[0]] * shape.area;
            for (&p, g) in corners.iter().zip(&shape.gradients) {
                self.source[p] -= mass * (q / 3.0 + g.dot(passing));
            }
        }
        for [triangle, corner] in &self.borders {
            let (shape, corner) = (&self.shapes[*triangle as usize], *corner as usize);
            let ends = [1, 2].map(|k| triangles[*triangle as usize][(corner + k) % 3] as usize);
            // Inwards, as long as the edge.
            let inwards = shape.gradients[corner] * (2.0 * shape.area);
            let u = 0.5 * (relative(ends[0]) + relative(ends[1]));
            // Cloth that goes inwards through the air is left by it.
            if u.dot(inwards) > 0.0 {
                let passing = 0.25 * (flux(ends[0]) + flux(ends[1])).dot(inwards);
                ends.iter().for_each(|&p| self.source[p] -= self.mass[p] * passing);
            }
        }
        self.pressure.fill(0.0);
        let Self { size, area, shapes, source, pressure, solver, .. } = self;
        for node in 0..NODES {
            let cosine = ((node as f64 + 0.5) / NODES as f64 * FRAC_PI_2).cos();
            let length = |p: usize| PI / 8.0 * size[p] * cosine;
            solver.add(triangles, shapes, area, source, length, 1.0 / NODES as f64, pressure);
        }
    }
}

/// Edges that belong to one triangle: it, and its corner that is not on the edge.
fn borders(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = triangles.iter().enumerate().flat_map(|(t, c)| {
        (0..3).map(move |k| {
            let [a, b] = [1, 2].map(|i| c[(k + i) % 3]);
            ([a.min(b), a.max(b)], [t as u32, k as u32])
        })
    });
    let mut sides: Vec<_> = sides.collect();
    sides.sort_unstable();
    let mut borders: Vec<_> = sides.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() == 1).map(|s| s[0].1).collect();
    borders.sort_unstable();
    borders
}

/// Conjugate gradients for `(A + ℓ² K) y = b` with lumped areas `A` and the stiffness `K` of linear triangles.
#[derive(Clone, Debug)]
struct Solver {
    y: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    inverse: Vec<f64>,
}

impl Solver {
    fn new(particles: usize) -> Self {
        let zero = || vec![0.0; particles];
        Self { y: zero(), residual: zero(), direction: zero(), product: zero(), inverse: zero() }
    }

    /// Adds `share` times the solution for the source `b` to `sum`.
    #[expect(clippy::too_many_arguments, reason = "what a linear system is made of")]
    fn add(
        &mut self,
        triangles: &[[u32; 3]],
        shapes: &[Shape],
        area: &[f64],
        b: &[f64],
        length: impl Fn(usize) -> f64,
        share: f64,
        sum: &mut [f64],
    ) {
        let Self { y, residual, direction, product, inverse } = self;
        let weight = |triangle: &[u32; 3], shape: &Shape| length(triangle[0] as usize).powi(2) * shape.area;
        inverse.copy_from_slice(area);
        for (triangle, shape) in triangles.iter().zip(shapes) {
            let weight = weight(triangle, shape);
            for (p, g) in triangle.iter().zip(&shape.gradients) {
                inverse[*p as usize] += weight * g.length_squared();
            }
        }
        inverse.iter_mut().for_each(|d| *d = if *d > 0.0 { d.recip() } else { 0.0 });
        y.fill(0.0);
        residual.copy_from_slice(b);
        let scaled = |residual: &[f64]| residual.iter().zip(inverse.iter()).map(|(r, d)| r * r * d).sum::<f64>();
        let mut left = scaled(residual);
        let end = left * TOLERANCE * TOLERANCE;
        let mut turn = 0.0;
        direction.fill(0.0);
        for _ in 0..MOST_ITERATIONS {
            if !(left > end && left.is_finite()) {
                break;
            }
            for ((d, r), inverse) in direction.iter_mut().zip(residual.iter()).zip(inverse.iter()) {
                *d = r * inverse + turn * *d;
            }
            for ((product, d), area) in product.iter_mut().zip(direction.iter()).zip(area) {
                *product = area * d;
            }
            for (triangle, shape) in triangles.iter().zip(shapes) {
                let corners = triangle.map(|p| p as usize);
                let slope: DVec3 = corners.iter().zip(&shape.gradients).map(|(&p, g)| *g * direction[p]).sum();
                let slope = slope * weight(triangle, shape);
                corners.iter().zip(&shape.gradients).for_each(|(&p, g)| product[p] += g.dot(slope));
            }
            let bend = direction.iter().zip(product.iter()).map(|(d, product)| d * product).sum::<f64>();
            if bend <= 0.0 {
                break;
            }
            let go = left / bend;
            for i in 0..y.len() {
                y[i] += go * direction[i];
                residual[i] -= go * product[i];
            }
            let before = left;
            left = scaled(residual);
            turn = left / before;
        }
        sum.iter_mut().zip(y.iter()).for_each(|(sum, y)| *sum += share * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip along x, 1 m × 0.25 m, of 2·n·n/4 triangles with normal z, deflected by `w` and moving along z by `w_t`.
    fn strip(n: u32, w: impl Fn(f64) -> f64, speed: impl Fn(f64) -> f64) -> (Vec<[u32; 3]>, Vec<DVec3>, Vec<DVec3>) {
        let at = |i: u32, j: u32| i + (n + 1) * j;
        let cells = (0..n / 4).flat_map(|j| (0..n).map(move |i| (i, j)));
        let triangles = cells.flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        });
        let places =
            (0..=n / 4).flat_map(|j| (0..=n).map(move |i| (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n))));
        let (x, v) = places.map(|(x, y)| (DVec3::new(x, y, w(x)), DVec3::Z * speed(x))).unzip();
        (triangles.collect(), x, v)
    }

    fn areas(triangles: &[[u32; 3]], x: &[DVec3]) -> Vec<f64> {
        let mut area = vec![0.0; x.len()];
        for t in triangles {
            let shape = Shape::new(t.map(|p| x[p as usize])).unwrap();
            t.iter().for_each(|p| area[*p as usize] += shape.area / 3.0);
        }
        area
    }

    /// `p = −m_a(k) (2 U w_xt + U² w_xx)` of `w = a cos(k x − ω t)`, `m_a(k) = ρ (π H/4)/√(1 + (π k H/8)²)`, at t = 0.
    #[test]
    fn a_travelling_wave_in_a_stream_feels_the_pressure_of_the_closed_form() {
        let (amplitude, wind, air) = (1e-4, 4.0, Air::default());
        for half_waves in [1.0, 2.0, 3.0] {
            for omega in [0.0, 9.0, -5.0] {
                let k = PI * half_waves;
                let (triangles, x, v) = strip(64, |x| amplitude * (k * x).cos(), |x| amplitude * omega * (k * x).sin());
                let area = areas(&triangles, &x);
                let mut stream = Stream::new(&triangles, &area, air.density, 1.0);
                let blow = vec![DVec3::X * wind; x.len()];
                assert!(stream.evaluate(&triangles, &x, &v, &blow, air));
                let size = 0.5;
                let mass = air.density * FRAC_PI_4 * size / (1.0 + (PI / 8.0 * k * size).powi(2)).sqrt();
                let crest = -mass * amplitude * (2.0 * wind * k * omega - wind * wind * k * k);
                // Its part along cos(k x): a cosine is even at both ends, so that free borders do not change it.
                let part =
                    x.iter().zip(&stream.pressure).zip(&area).map(|((x, p), a)| a * p * (k * x.x).cos()).sum::<f64>();
                let whole = x.iter().zip(&area).map(|(x, a)| a * (k * x.x).cos().powi(2)).sum::<f64>();
                let found = part / whole;
                // The two terms may almost cancel: an error counts relative to both.
                let terms = mass * amplitude * (2.0 * wind * k * omega.abs() + wind * wind * k * k);
                assert!(
                    (found - crest).abs() < 0.03 * terms,
                    "{found} Pa instead of {crest} with {half_waves}, {omega}"
                );
            }
        }
    }

    #[test]
    fn a_rigid_sheet_has_the_lift_of_slender_wings_near_the_edge_that_meets_the_wind() {
        let (slope, wind) = (1e-3, 4.0);
        let (triangles, x, v) = strip(32, |x| -slope * x, |_| 0.0);
        let mut stream = Stream::new(&triangles, &areas(&triangles, &x), 1.2, 1.0);
        assert!(stream.evaluate(&triangles, &x, &v, &vec![DVec3::X * wind; x.len()], Air::default()));
        let forces: Vec<f64> = (0..x.len()).map(|i| stream.force(i).z).collect();
        // Its width is 0.25 m, and H = 0.5 m.
        let lift = 1.2 * FRAC_PI_4 * 0.5 * wind * wind * slope * 0.25;
        let sum: f64 = forces.iter().sum();
        assert!((sum / lift - 1.0).abs() < 0.02, "{sum} N instead of {lift}");
        let lever = x.iter().zip(&forces).map(|(x, f)| x.x * f).sum::<f64>() / sum;
        assert!(lever > 0.05 && lever < 0.25, "centre of pressure at {lever} m");
    }

    #[test]
    fn a_plate_that_goes_straight_through_the_air_carries_none_on() {
        let (triangles, x, v) = strip(16, |_| 0.0, |_| 2.0);
        let mut stream = Stream::new(&triangles, &areas(&triangles, &x), 1.2, 1.0);
        assert!(stream.evaluate(&triangles, &x, &v, &vec![DVec3::ZERO; x.len()], Air::default()));
        assert!(stream.pressure.iter().all(|p| p.abs() < 1e-12), "{:?}", stream.pressure);
    }

    #[test]
    fn pressure_is_bounded_and_finite_whatever_the_shape() {
        let air = Air::default();
        for amplitude in [0.3, 1e3] {
            let (triangles, mut x, v) = strip(16, |x| amplitude * (60.0 * x).sin(), |x| 50.0 * (40.0 * x).cos());
            x[5] = x[6];
            let mut stream = Stream::new(&triangles, &vec![1e-3; x.len()], air.density, 1.0);
            let blow = vec![DVec3::X * 30.0; x.len()];
            assert!(stream.evaluate(&triangles, &x, &v, &blow, air));
            for (i, v) in v.iter().enumerate() {
                let most = 0.5 * air.density * air.drag * (*v - blow[i]).length_squared();
                assert!(stream.pressure[i].abs() <= most && stream.force(i).is_finite());
            }
        }
    }

    #[test]
    fn air_that_cannot_move_cloth_costs_nothing() {
        let (triangles, x, v) = strip(8, |x| 0.1 * x * x, |_| 0.05);
        let mut stream = Stream::new(&triangles, &areas(&triangles, &x), 1.2, 1.0);
        assert!(!stream.evaluate(&triangles, &x, &v, &vec![DVec3::ZERO; x.len()], Air::default()));
    }
}
