//! Cones over sets of vectors: Mezger 2003, §5.
//!
//! - [`NormalCone`] holds the normals of a region; its apex angle measures curvature (§5.1, after Provot 1997).
//! - [`VelocityCone`] holds the displacements of a region's vertices during a step (§5.2): axis, angle and height, and
//!   besides the ball around the mean, which bounds how two regions move against each other.

use toile_mesh::DVec3;

/// Relative widening of every bound: far above the rounding of a few operations in `f64`, far below what matters.
const ROUNDING: f64 = 1.0e-12;

/// A cone that holds a set of directions: axis and half of the apex angle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NormalCone {
    /// Unit vector.
    pub axis: DVec3,
    /// Largest angle between the axis and a direction inside [rad], at most π.
    pub half_angle: f64,
}

impl NormalCone {
    /// Holds every direction.
    pub const ALL: Self = Self { axis: DVec3::Y, half_angle: std::f64::consts::PI };

    /// The cone around the mean of vectors; zero vectors have every direction, so that one of them opens it fully.
    ///
    /// ```
    /// use toile_collide::NormalCone;
    /// use toile_mesh::DVec3;
    /// let cone = NormalCone::around([DVec3::X, DVec3::Y * 2.0].into_iter());
    /// assert!(cone.apex_angle() > 1.57 && cone.apex_angle() < 2.4);
    /// ```
    pub fn around(vectors: impl Iterator<Item = DVec3> + Clone) -> Self {
        let axis = vectors.clone().map(DVec3::normalize_or_zero).sum::<DVec3>().normalize_or_zero();
        let least = vectors.map(|v| v.normalize_or_zero().dot(axis)).fold(1.0, f64::min);
        Self::new(axis, least)
    }

    /// A cone around a unit vector that holds directions up to a certain cosine of the angle between them; the one that
    /// holds everything unless that is positive.
    pub(crate) fn new(axis: DVec3, cosine: f64) -> Self {
        // NaN, and regions whose vectors cancel, are cones without a direction.
        if cosine <= 0.0 || cosine.is_nan() || axis == DVec3::ZERO {
            return Self::ALL;
        }
        Self { axis, half_angle: (cosine - ROUNDING).acos() + ROUNDING }
    }

    /// A cone around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let axis = (self.axis + other.axis).normalize_or_zero();
        // Accurate for nearly parallel axes, as an arc cosine is not.
        let between = |a: DVec3| a.cross(axis).length().atan2(a.dot(axis));
        let angle = |c: &Self| between(c.axis) + c.half_angle + ROUNDING;
        let half_angle = angle(self).max(angle(other));
        if axis == DVec3::ZERO || half_angle >= std::f64::consts::PI { Self::ALL } else { Self { axis, half_angle } }
    }

    /// Apex angle α [rad]: a region may meet itself if it is π or more.
    pub fn apex_angle(&self) -> f64 {
        2.0 * self.half_angle
    }
}

/// Displacements of a set of vertices during a step [m], or velocities [m/s].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VelocityCone {
    /// Direction of the mean, or zero if nothing moves or all motions cancel.
    pub axis: DVec3,
    /// Cosine of the largest angle between the axis and a vector that is not zero.
    pub cos_half_angle: f64,
    /// Height of the cone: the largest length.
    pub fastest: f64,
    /// Mean vector.
    pub mean: DVec3,
    /// Largest distance of a vector from the mean.
    pub spread: f64,
}

impl VelocityCone {
    /// Nothing moves.
    pub const STILL: Self =
        Self { axis: DVec3::ZERO, cos_half_angle: 1.0, fastest: 0.0, mean: DVec3::ZERO, spread: 0.0 };

    /// The cone around vectors.
    pub fn around(vectors: impl IntoIterator<Item = DVec3> + Clone) -> Self {
        let (mut sum, mut count, mut fastest) = (DVec3::ZERO, 0.0, 0.0_f64);
        for v in vectors.clone() {
            sum += v;
            count += 1.0;
            fastest = fastest.max(v.length());
        }
        if fastest == 0.0 {
            return Self::STILL;
        }
        let mean = sum / count;
        let axis = mean.normalize_or_zero();
        let (mut least, mut spread) = (1.0_f64, 0.0_f64);
        for v in vectors {
            least = least.min(v.normalize_or(axis).dot(axis));
            spread = spread.max(v.distance(mean));
        }
        let widen = 1.0 + ROUNDING;
        Self { axis, cos_half_angle: least - ROUNDING, fastest: fastest * widen, mean, spread: spread * widen }
    }

    /// Bound of v · n over the vectors of the cone, slow ones too: v̂ |n| cos(max(0, ∠(axis, n) − α/2)), at least 0.
    pub fn reach(&self, n: DVec3) -> f64 {
        let length = n.length();
        let most = self.fastest * length * (1.0 + ROUNDING);
        let cos_angle = self.axis.dot(n) / length;
        if self.axis == DVec3::ZERO || cos_angle >= self.cos_half_angle {
            return most;
        }
        let sin_angle = self.axis.cross(n).length() / length;
        let sin_half_angle = (1.0 - self.cos_half_angle * self.cos_half_angle).max(0.0).sqrt();
        most * (cos_angle * self.cos_half_angle + sin_angle * sin_half_angle + ROUNDING).clamp(0.0, 1.0)
    }

    /// Bound of how far any two vectors of the two cones differ: how much two regions can near each other.
    pub fn relative_motion(&self, other: &Self) -> f64 {
        (self.mean.distance(other.mean) + self.spread + other.spread) * (1.0 + ROUNDING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vectors() -> impl Strategy<Value = Vec<DVec3>> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from), 1..12)
    }

    proptest! {
        #[test]
        fn cones_hold_their_vectors(a in vectors(), b in vectors(), n in prop::array::uniform3(-1.0..1.0_f64)) {
            let cones = [&a, &b].map(|v| NormalCone::around(v.iter().copied()));
            let both = cones[0].union(&cones[1]);
            for v in a.iter().chain(&b) {
                prop_assert!(both.half_angle >= std::f64::consts::PI || v.angle_between(both.axis) <= both.half_angle + 1.0e-9);
            }
            let motion = [&a, &b].map(|v| VelocityCone::around(v.iter().copied()));
            for u in &a {
                prop_assert!(motion[0].reach(DVec3::from(n)) >= u.dot(DVec3::from(n)) - 1.0e-15);
                for v in &b {
                    prop_assert!(motion[0].relative_motion(&motion[1]) >= u.distance(*v) - 1.0e-15);
                }
            }
        }
    }

    #[test]
    fn rigid_translation_has_no_relative_motion() {
        let cone = VelocityCone::around(vec![DVec3::X; 5]);
        assert!(cone.relative_motion(&cone) < 1.0e-15);
        assert_eq!(VelocityCone::around([DVec3::ZERO]), VelocityCone::STILL);
    }

    #[test]
    fn a_zero_normal_opens_the_cone() {
        assert_eq!(NormalCone::around([DVec3::X, DVec3::ZERO].into_iter()), NormalCone::ALL);
    }
}
