//! What follows from the numbers of a fabric: stiffness in other directions, bending length, how it will drape.
//!
//! Along a direction at `φ` from the warp, with `c = cos φ`, `s = sin φ` and the stiffnesses `E1`, `E2` at small strains:
//!
//! ```text
//! 1/E(φ) = c⁴/E1 + (1/G − 2 ν12/E1) s² c² + s⁴/E2
//! B(φ)   = B1 c⁴ + 2 Bt s² c² + B2 s⁴                  a wide sheet that bends to a cylinder
//! 1/B(φ) = c⁴/B1 + 2 s² c²/Bt + s⁴/B2                  a narrow strip, whose sides curl and twist freely
//! ```
//!
//! The bending length is `(B/(σ g))^⅓`. Cusick's drape test lays a disc of 30 cm on a stand of 18 cm and reports how much
//! of the overhanging ring still casts a shadow; independent radial strips of it hang as cantilevers of 6 cm, which is
//! less than a whole sheet, held up by its hoops, will do.

use std::f64::consts::PI;

use super::{Cantilever, Fabric, STANDARD_GRAVITY, cantilever};

/// Radii of stand and specimen of the drape test [m].
const DRAPE_RADII: [f64; 2] = [0.09, 0.15];
/// Directions over which strips are averaged, within the quarter turn that repeats.
const STRIPS: usize = 16;

impl Fabric {
    /// Tensile stiffness at small strains of a free strip at `angle` [rad] from the warp [N/m].
    pub fn stretch_along(&self, angle: f64) -> f64 {
        let [e1, e2] = self.initial_stretch();
        let (s2, c2) = (angle.sin().powi(2), angle.cos().powi(2));
        1.0 / (c2 * c2 / e1 + (1.0 / self.shear - 2.0 * self.poisson / e1) * s2 * c2 + s2 * s2 / e2)
    }

    /// Bending rigidity of a narrow strip at `angle` [rad] from the warp, without moments across or of twist [N·m].
    pub fn bend_of_strip(&self, angle: f64) -> f64 {
        let (s2, c2) = (angle.sin().powi(2), angle.cos().powi(2));
        1.0 / (c2 * c2 / self.bend_warp + 2.0 * s2 * c2 / self.bend_twist + s2 * s2 / self.bend_weft)
    }

    /// Bending rigidity of a wide sheet that bends to a cylinder, at `angle` [rad] from the warp [N·m].
    pub fn bend_along(&self, angle: f64) -> f64 {
        let (s2, c2) = (angle.sin().powi(2), angle.cos().powi(2));
        self.bend_warp * c2 * c2 + 2.0 * self.bend_twist * s2 * c2 + self.bend_weft * s2 * s2
    }

    /// Bending length of a narrow strip at `angle` [rad] from the warp [m].
    pub fn bending_length(&self, angle: f64) -> f64 {
        (self.bend_of_strip(angle) / (self.areal_density * STANDARD_GRAVITY)).cbrt()
    }

    /// Drape coefficient that independent radial strips would show, 0 to 1: a lower estimate of Cusick's.
    pub fn drape_of_strips(&self) -> f64 {
        let [stand, rim] = DRAPE_RADII;
        let overhang = rim - stand;
        let of_strip = |i: usize| {
            let length = self.bending_length((i as f64 + 0.5) / STRIPS as f64 * 0.5 * PI);
            let load = (overhang / length).powi(3).clamp(cantilever::LOADS[0], cantilever::LOADS[1]);
            let reach = Cantilever::with_load(load).map_or(1.0, |strip| strip.reach);
            ((stand + overhang * reach).powi(2) - stand * stand) / (rim * rim - stand * stand)
        };
        (0..STRIPS).map(of_strip).sum::<f64>() / STRIPS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    /// Penava 2014, cotton: the shear stiffness that its three tensile tests imply.
    #[test]
    fn the_bias_of_a_measured_cotton() {
        let cotton =
            Fabric { stretch_warp: 10_354.0, stretch_weft: 3_955.0, poisson: 0.243, shear: 66.58, ..Fabric::default() };
        assert!((cotton.stretch_along(FRAC_PI_4) - 261.1).abs() < 0.1, "{}", cotton.stretch_along(FRAC_PI_4));
        assert!((cotton.stretch_along(0.0) - 10_354.0).abs() < 1e-6);
        assert!((cotton.stretch_along(FRAC_PI_2) - 3_955.0).abs() < 1e-6);
    }

    #[test]
    fn bending_on_the_bias_and_of_isotropic_cloth() {
        let fabric = Fabric { bend_warp: 4e-6, bend_weft: 1e-6, bend_twist: 3e-6, ..Fabric::default() };
        assert!((fabric.bend_along(FRAC_PI_4) - 2.75e-6).abs() < 1e-18);
        // 4/(1/4 + 2/3 + 1/1).
        assert!((fabric.bend_of_strip(FRAC_PI_4) - 48.0 / 23.0 * 1e-6).abs() < 1e-18);
        for i in 0..8 {
            assert!((Fabric::default().bend_along(f64::from(i) * 0.3) - 1e-5).abs() < 1e-18);
            assert!((Fabric::default().bend_of_strip(f64::from(i) * 0.3) - 1e-5).abs() < 1e-18);
        }
    }

    /// Bending length [cm] and drape coefficient [%] of radial strips, rounded.
    #[test]
    fn strips_drape_as_in_the_table() {
        for (length, percent) in
            [(1.0, 8.0), (1.5, 17.0), (2.0, 31.0), (2.5, 49.0), (3.0, 67.5), (3.5, 81.0), (4.0, 90.0), (5.0, 97.0)]
        {
            let bend = 0.15 * STANDARD_GRAVITY * (0.01_f64 * length).powi(3);
            let fabric = Fabric { bend_warp: bend, bend_weft: bend, bend_twist: bend, ..Fabric::default() };
            assert!((fabric.bending_length(0.7) - 0.01 * length).abs() < 1e-12);
            let found = 100.0 * fabric.drape_of_strips();
            assert!((found - percent).abs() < 0.6, "{length}: {found}");
        }
    }
}
