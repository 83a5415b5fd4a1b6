//! [`Fabric`]: what a textile laboratory measures of a cloth, in SI units per width of cloth.
//!
//! Warp (index 1) and weft (index 2) are the two thread directions. Plane stress of an orthotropic sheet, stresses per
//! width [N/m], strains `ε`, shear angle `γ`:
//!
//! ```text
//! ε1 = s1/E1 − ν21 s2/E2      ε2 = −ν12 s1/E1 + s2/E2      γ = t/G      ν12/E1 = ν21/E2
//! ```
//!
//! stable if and only if all moduli are positive and `ν12 ν21 < 1`. Moments per width [N] of curvatures `κ` [1/m], with
//! `τ` the twist `∂²w/∂1∂2`:
//!
//! ```text
//! m1 = B1 κ1      m2 = B2 κ2      energy per area = ½ B1 κ1² + ½ B2 κ2² + Bt τ²
//! ```
//!
//! so that equal `B1 = B2 = Bt` is isotropic cloth, and a wide sheet bends at 45° with `(B1 + B2 + 2 Bt)/4`, a narrow
//! strip with the harmonic mean of the same four.
//!
//! Tension follows a straight line and a power of strain, `s = E (a ε + (1 − a) ε^n/ε_r^(n−1))`, where `E` is the secant stiffness
//! at [`REFERENCE_LOAD`], `ε_r` the strain there, and `a` and `n` follow from `LT`, the linearity of KES-F: the work of extension
//! relative to that of a straight line ([`Tension`]).
//!
//! Where the numbers come from: by hand, from [`KesValues`], [`FastValues`] or a [`CantileverTest`], or from several of
//! them through [`Measured`]. [`Fabric::check`] says whether they can be simulated.

pub mod cantilever;
mod check;
mod derived;
mod fast;
pub mod kes;
mod property;
mod tension;

pub use cantilever::{Cantilever, CantileverTest, bending_rigidity};
pub use check::{FabricError, USUAL_DENSITY};
pub use fast::FastValues;
pub use kes::KesValues;
pub use property::{Measured, PROPERTIES, Property};
pub use tension::Tension;

/// Acceleration of free fall that weights of textile tests refer to [m/s²].
pub const STANDARD_GRAVITY: f64 = 9.80665;

/// Load per width at which secant stiffness and linearity are measured [N/m]: 500 gf/cm, the end of the KES-F test.
pub const REFERENCE_LOAD: f64 = 490.3325;

/// A fabric in SI units; see [the module](self) for what the numbers mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// Mass per area [kg/m²].
    pub areal_density: f64,
    /// Thickness [m].
    pub thickness: f64,
    /// Tensile stiffness along the warp, secant at [`REFERENCE_LOAD`] [N/m].
    pub stretch_warp: f64,
    /// Tensile stiffness along the weft, secant at [`REFERENCE_LOAD`] [N/m].
    pub stretch_weft: f64,
    /// Contraction across per extension along the warp, `ν12`.
    pub poisson: f64,
    /// Shear stiffness [N/m] per radian of shear angle.
    pub shear: f64,
    /// Linearity of tension along the warp: 1 is a straight line, less stiffens, more softens.
    pub linearity_warp: f64,
    /// Linearity of tension along the weft.
    pub linearity_weft: f64,
    /// Bending rigidity of curvature along the warp [N·m].
    pub bend_warp: f64,
    /// Bending rigidity of curvature along the weft [N·m].
    pub bend_weft: f64,
    /// Twisting rigidity [N·m].
    pub bend_twist: f64,
    /// Width of the bending hysteresis along the warp, 2HB [N]: moment per width.
    pub hysteresis_warp: f64,
    /// Width of the bending hysteresis along the weft, 2HB [N].
    pub hysteresis_weft: f64,
    /// Viscosity of stretching relative to its stiffness [s].
    pub damping_stretch: f64,
    /// Viscosity of bending relative to its stiffness [s].
    pub damping_bend: f64,
    /// Coefficient of friction on itself and on bodies that state none.
    pub friction: f64,
}

impl Default for Fabric {
    /// A light isotropic cotton-like cloth.
    fn default() -> Self {
        Self {
            areal_density: 0.15,
            thickness: 3e-4,
            stretch_warp: 5000.0,
            stretch_weft: 5000.0,
            poisson: 0.0,
            shear: 100.0,
            linearity_warp: 1.0,
            linearity_weft: 1.0,
            bend_warp: 1e-5,
            bend_weft: 1e-5,
            bend_twist: 1e-5,
            hysteresis_warp: 0.0,
            hysteresis_weft: 0.0,
            damping_stretch: 1e-3,
            damping_bend: 1e-2,
            friction: 0.3,
        }
    }
}

impl Fabric {
    /// Tensile stiffnesses at small strains along warp and weft [N/m].
    pub fn initial_stretch(&self) -> [f64; 2] {
        [self.tension(0).start, self.tension(1).start]
    }

    /// How a thread is pulled, along warp (0) or weft (1).
    pub fn tension(&self, direction: usize) -> Tension {
        match direction {
            0 => Tension::new(self.stretch_warp, self.linearity_warp),
            _ => Tension::new(self.stretch_weft, self.linearity_weft),
        }
    }
}
