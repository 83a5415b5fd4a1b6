//! [`Friction`]: how a surface holds back what slides along it, at the level of positions.
//!
//! `d_t` is the tangential part of the movement of the contact point relative to the surface during the step
//! (Fuhrmann 2003, eq. 19). The paper scales it (eq. 20), which damps sliding but knows nothing of the pressure:
//! with `c_f < 1` nothing ever sticks on a slope. Coulomb's law limits the correction by the normal correction, which
//! stands for the normal force; what would reverse the movement is left out, so it stops instead.

use toile_mesh::DVec3;

/// Law of friction of an obstacle.
///
/// ```
/// use toile_contact::Friction;
/// use toile_mesh::DVec3;
/// let sliding = DVec3::new(0.2, 0.0, 0.0);
/// assert_eq!(Friction::Scaled(0.25).correction(sliding, 0.1), DVec3::new(-0.05, 0.0, 0.0));
/// assert_eq!(Friction::Coulomb(0.5).correction(sliding, 0.1), DVec3::new(-0.05, 0.0, 0.0));
/// assert_eq!(Friction::Coulomb(9.0).correction(sliding, 0.1), -sliding);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Friction {
    /// `r_t = −c_f d_t`: 0 slides freely, 1 cancels all tangential movement (Fuhrmann 2003, eq. 20).
    Scaled(f64),
    /// `|r_t| ≤ μ |r_n|`, against the movement and never beyond it.
    Coulomb(f64),
}

impl Friction {
    /// Tangential correction `r_t` [m] for a tangential movement `d_t` [m] and a normal correction of length
    /// `r_n` [m].
    #[inline]
    pub fn correction(&self, d_t: DVec3, r_n: f64) -> DVec3 {
        match *self {
            Self::Scaled(c_f) => -c_f * d_t,
            Self::Coulomb(mu) => {
                let (length, limit) = (d_t.length(), mu * r_n);
                if length <= limit { -d_t } else { -d_t * (limit / length) }
            }
        }
    }

    /// The friction of cloth with an obstacle, under the law of the obstacle: the geometric mean `√(μ_cloth μ_obstacle)`.
    ///
    /// A coefficient belongs to a pair of surfaces. With two numbers alone, the mean leaves pairs of equals as they are, and a
    /// surface without friction stays without.
    #[must_use]
    pub fn with_cloth(self, cloth: f64) -> Self {
        match self {
            Self::Scaled(obstacle) => Self::Scaled(mean_friction(cloth.min(1.0), obstacle)),
            Self::Coulomb(obstacle) => Self::Coulomb(mean_friction(cloth, obstacle)),
        }
    }

    /// The coefficient, of whichever law.
    pub fn coefficient(&self) -> f64 {
        let (Self::Scaled(coefficient) | Self::Coulomb(coefficient)) = *self;
        coefficient
    }

    /// Whether the coefficient makes sense: `0 ≤ c_f ≤ 1`, `0 ≤ μ < ∞`.
    pub fn is_valid(&self) -> bool {
        match *self {
            Self::Scaled(c_f) => (0.0..=1.0).contains(&c_f),
            Self::Coulomb(mu) => mu >= 0.0 && mu.is_finite(),
        }
    }
}

/// Coefficient of friction of two surfaces that state one each: the geometric mean, see [`Friction::with_cloth`].
pub fn mean_friction(a: f64, b: f64) -> f64 {
    (a * b).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn coefficients_that_would_drive_the_cloth_are_recognised() {
        assert!(Friction::Scaled(1.0).is_valid() && Friction::Coulomb(1.5).is_valid());
        for bad in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(!Friction::Scaled(bad).is_valid() && !Friction::Coulomb(bad).is_valid());
        }
        assert!(!Friction::Scaled(1.1).is_valid());
    }

    #[test]
    fn equals_rub_as_they_say_and_without_friction_on_one_side_there_is_none() {
        assert_eq!(Friction::Coulomb(0.25).with_cloth(0.25), Friction::Coulomb(0.25));
        assert_eq!(Friction::Coulomb(1.0).with_cloth(0.25), Friction::Coulomb(0.5));
        assert_eq!(Friction::Coulomb(0.0).with_cloth(0.4), Friction::Coulomb(0.0));
        assert_eq!(Friction::Scaled(1.0).with_cloth(4.0), Friction::Scaled(1.0));
    }

    proptest! {
        #[test]
        fn coulomb_stays_in_its_cone_and_opposes_the_movement(
            d_t in prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from),
            r_n in 0.0..1.0_f64,
            mu in 0.0..2.0_f64,
        ) {
            let r_t = Friction::Coulomb(mu).correction(d_t, r_n);
            prop_assert!(r_t.length() <= mu * r_n + 1e-15);
            prop_assert!(r_t.cross(d_t).length() < 1e-15 && r_t.dot(d_t) <= 0.0);
            // Never reversed, and stopped only if the cone allows it.
            prop_assert!((d_t + r_t).dot(d_t) >= -1e-15);
            prop_assert_eq!(d_t + r_t == DVec3::ZERO, d_t.length() <= mu * r_n);
        }
    }
}
