//! Axis-aligned boxes in `f64`.

use glam::DVec3;

/// An axis-aligned box `[min, max]` [m]. The empty box has `min > max`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Aabb {
    /// Smallest corner [m].
    pub min: DVec3,
    /// Largest corner [m].
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing; the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around `points`; [`Aabb::EMPTY`] if there are none.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the boxes share a point (touching counts).
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether the box contains no point.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Midpoint [m].
    pub fn centre(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Edge lengths [m]; zero for the empty box.
    pub fn size(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { self.max - self.min }
    }
}
