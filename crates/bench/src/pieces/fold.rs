//! Bending space into a meander: how a flat sheet is laid in folds almost without stretch.
//!
//! The line `ξ` becomes the curve with tangent angle `ψ(ξ) = ψ_m sin τ`, `τ = 2π ξ / λ + φ`, which keeps its
//! length; a point at height `ζ` above the line goes along the curve's normal:
//! `(ξ, ζ) ↦ (X(ξ), Z(ξ)) + ζ (−sin ψ, cos ψ)`. So lengths along ξ change by the factor `1 − ζ dψ/dξ` alone. The
//! curve is the integral of `(cos ψ, sin ψ)`, by the expansion of Jacobi and Anger
//! `X = J_0 ξ + (λ/2π) Σ (2 J_2k / 2k) sin 2k τ` and `Z = −(λ/2π) Σ (2 J_2k+1 / (2k+1)) cos (2k+1) τ` with Bessel
//! functions `J_n(ψ_m)`. Its mean advance is `J_0` per length; beyond `ψ_m ≈ 2.3` neighbouring bends touch.

use std::f64::consts::TAU;

use toile_mesh::DVec3;

/// Terms of the series; with `ψ_m ≤ 2.3` the next one is below 1e-9.
const TERMS: usize = 14;

/// A meander along one axis.
#[derive(Clone, Debug)]
pub(super) struct Meander {
    /// Unit vector along which space is folded.
    along: DVec3,
    /// Unit vector in which the folds rise, at right angles to `along`.
    across: DVec3,
    /// Length of cloth in one wave [m], the λ of the module text.
    wavelength: f64,
    /// Largest tangent angle `ψ_m` [rad].
    swing: f64,
    /// Bessel functions `J_n(ψ_m)`.
    bessel: [f64; TERMS],
}

impl Meander {
    pub(super) fn new(along: DVec3, across: DVec3, wavelength: f64, swing: f64) -> Self {
        Self { along, across, wavelength, swing, bessel: std::array::from_fn(|n| bessel(n, swing)) }
    }

    /// The image of `p` [m] with the waves shifted by `phase` [rad].
    pub(super) fn bend(&self, p: DVec3, phase: f64) -> DVec3 {
        let (xi, zeta) = (p.dot(self.along), p.dot(self.across));
        let tau = TAU * xi / self.wavelength + phase;
        let (mut x, mut z) = (self.bessel[0] * xi, 0.0);
        for (n, j) in self.bessel.iter().enumerate().skip(1) {
            let (sin, cos) = (n as f64 * tau).sin_cos();
            let part = self.wavelength / TAU * 2.0 * j / n as f64;
            if n % 2 == 0 { x += part * sin } else { z -= part * cos }
        }
        let (sin, cos) = (self.swing * tau.sin()).sin_cos();
        p + (x - zeta * sin - xi) * self.along + (z + zeta * cos - zeta) * self.across
    }
}

/// `J_n(x) = (1/2π) ∫ cos(n τ − x sin τ) dτ` over a period; the trapezoidal rule converges at once.
fn bessel(n: usize, x: f64) -> f64 {
    const POINTS: usize = 64;
    let at = |i: usize| {
        let tau = TAU * i as f64 / POINTS as f64;
        (n as f64 * tau - x * tau.sin()).cos()
    };
    (0..POINTS).map(at).sum::<f64>() / POINTS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_functions_match_tables() {
        // Abramowitz and Stegun 1964, table 9.1.
        for (n, x, value) in [(0, 2.0, 0.223_890_779_1), (1, 2.0, 0.576_724_807_8), (2, 1.0, 0.114_903_485_0)] {
            assert!((bessel(n, x) - value).abs() < 1e-10);
        }
    }

    #[test]
    fn lengths_change_only_by_height_times_curvature() {
        let fold = Meander::new(DVec3::Z, DVec3::Y, 0.3, 2.1);
        let h = 1e-6;
        for i in 0..30 {
            let (xi, zeta) = (0.037 * i as f64, 0.01 * (i % 3) as f64);
            let at = |xi: f64| fold.bend(DVec3::new(0.2, zeta, xi), 0.4);
            let stretch = at(xi + h).distance(at(xi - h)) / (2.0 * h);
            let curvature = 2.1 * TAU / 0.3 * (TAU * xi / 0.3 + 0.4).cos();
            assert!((stretch - (1.0 - zeta * curvature).abs()).abs() < 1e-7, "{stretch}");
            assert_eq!(at(xi).x, 0.2);
        }
    }
}
