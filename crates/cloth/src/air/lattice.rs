//! [`Lattice`]: values at the points of a regular grid, and between them.

use std::fmt;
use std::ops::{Add, Mul, Sub};

use toile_mesh::{Aabb, DVec3};

/// Most cells a grid of the air may have: 16 million, a gigabyte or two of flow.
const MAX_CELLS: f64 = 16_777_216.0;

/// Why a grid of air cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GridError {
    /// The box is empty or not finite: give corners with `min < max`.
    Bounds,
    /// The edge of a cell is not a positive number.
    Cell,
    /// More than 16 million cells: take larger cells or a smaller box.
    TooManyCells,
}

impl fmt::Display for GridError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bounds => "the box of the air is empty or not finite",
            Self::Cell => "the cell of the air's grid has no positive edge length",
            Self::TooManyCells => "the air's grid has more than 16 million cells",
        })
    }
}

impl std::error::Error for GridError {}

/// A saved state of air belongs to another grid or another kind of wind field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateMismatch {
    /// Numbers the state should have.
    pub expected: usize,
    /// Numbers it has.
    pub found: usize,
}

impl fmt::Display for StateMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a saved state of the air has {} numbers instead of {}", self.found, self.expected)
    }
}

impl std::error::Error for StateMismatch {}

/// Points `origin + cell · (i, j, k)`, `i` running fastest; at least two along every axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Lattice {
    /// The first point [m].
    pub(crate) origin: DVec3,
    /// Distance of neighbours [m].
    pub(crate) cell: f64,
    /// Points along each axis.
    pub(crate) dims: [usize; 3],
}

impl Lattice {
    /// The centres of the cells that cover `bounds` from its smallest corner on.
    pub(crate) fn centres(bounds: Aabb, cell: f64) -> Result<Self, GridError> {
        if !(bounds.min.is_finite() && bounds.max.is_finite()) || bounds.is_empty() {
            return Err(GridError::Bounds);
        }
        if !cell.is_finite() || cell <= 0.0 {
            return Err(GridError::Cell);
        }
        // A box that is a whole number of cells up to rounding gets that number.
        let counts = (bounds.size() / cell - DVec3::splat(1e-9)).ceil().max(DVec3::splat(2.0));
        if counts.element_product() <= MAX_CELLS {
            let dims = counts.to_array().map(|n| n as usize);
            Ok(Self { origin: bounds.min + DVec3::splat(0.5 * cell), cell, dims })
        } else {
            Err(GridError::TooManyCells)
        }
    }

    /// The corners of the cells whose centres these are.
    pub(crate) fn corners(self) -> Self {
        Self { origin: self.origin - DVec3::splat(0.5 * self.cell), dims: self.dims.map(|n| n + 1), ..self }
    }

    /// The centres of the faces across `axis` of the cells whose centres these are.
    pub(crate) fn faces(self, axis: usize) -> Self {
        let mut faces = self;
        faces.origin[axis] -= 0.5 * self.cell;
        faces.dims[axis] += 1;
        faces
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.dims.iter().product()
    }

    /// Points in a plane of equal `k`: a piece of work that does not depend on the number of threads.
    pub(crate) fn plane(&self) -> usize {
        self.dims[0] * self.dims[1]
    }

    /// Distance in memory of neighbours along each axis.
    pub(crate) fn strides(&self) -> [usize; 3] {
        [1, self.dims[0], self.plane()]
    }

    /// Place of a point among the values.
    pub(crate) fn index(&self, at: [usize; 3]) -> usize {
        at[0] + self.dims[0] * (at[1] + self.dims[1] * at[2])
    }

    /// The point at a place among the values.
    pub(crate) fn coordinates(&self, index: usize) -> [usize; 3] {
        [index % self.dims[0], index / self.dims[0] % self.dims[1], index / self.plane()]
    }

    /// Where a point is [m].
    pub(crate) fn point(&self, at: [usize; 3]) -> DVec3 {
        self.origin + self.cell * DVec3::from_array(at.map(|i| i as f64))
    }

    /// Whether `p` lies between the first and the last points.
    pub(crate) fn contains(&self, p: DVec3) -> bool {
        let last = self.point(self.dims.map(|n| n - 1));
        self.origin.cmple(p).all() && p.cmple(last).all()
    }

    /// Trilinear interpolation; beyond the outermost points the value of the nearest place. Equal values stay exactly
    /// equal, since each step is `a + (b − a) t`.
    pub(crate) fn interpolate<T>(&self, values: &[T], p: DVec3) -> T
    where
        T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
    {
        let scaled = (p - self.origin) * self.cell.recip();
        let mut at = [0; 3];
        let mut t = [0.0; 3];
        for axis in 0..3 {
            let r = scaled[axis].clamp(0.0, (self.dims[axis] - 1) as f64);
            at[axis] = (r as usize).min(self.dims[axis] - 2);
            t[axis] = r - at[axis] as f64;
        }
        let [_, row, plane] = self.strides();
        let first = self.index(at);
        let lerp = |a: T, b: T, t: f64| a + (b - a) * t;
        let along = |i: usize| lerp(values[i], values[i + 1], t[0]);
        let across = |i: usize| lerp(along(i), along(i + row), t[1]);
        lerp(across(first), across(first + plane), t[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice() -> Lattice {
        Lattice::centres(Aabb { min: DVec3::new(-1.0, 0.0, 2.0), max: DVec3::new(0.0, 0.75, 2.5) }, 0.25).unwrap()
    }

    #[test]
    fn interpolation_reproduces_linear_functions_and_clamps_beyond() {
        let lattice = lattice();
        assert_eq!(lattice.dims, [4, 3, 2]);
        let f = |p: DVec3| 3.0 - 2.0 * p.x + 5.0 * p.y + p.z;
        let values: Vec<f64> = (0..lattice.len()).map(|i| f(lattice.point(lattice.coordinates(i)))).collect();
        for p in [DVec3::new(-0.5, 0.3, 2.2), DVec3::new(-0.87, 0.125, 2.3), DVec3::new(-0.2, 0.6, 2.13)] {
            assert!((lattice.interpolate(&values, p) - f(p)).abs() < 1e-13);
        }
        let beyond = lattice.interpolate(&values, DVec3::new(9.0, 9.0, 9.0));
        assert!((beyond - f(lattice.point([3, 2, 1]))).abs() < 1e-13);
    }

    #[test]
    fn faces_and_corners_surround_the_cells() {
        let lattice = lattice();
        assert_eq!(lattice.faces(1).dims, [4, 4, 2]);
        assert_eq!(lattice.faces(1).origin, DVec3::new(-0.875, 0.0, 2.125));
        assert_eq!(lattice.corners().origin, DVec3::new(-1.0, 0.0, 2.0));
        assert!(lattice.corners().contains(DVec3::new(0.0, 0.75, 2.5)));
        assert!(!lattice.corners().contains(DVec3::new(0.01, 0.75, 2.5)));
    }

    #[test]
    fn unusable_grids_are_refused() {
        let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        assert_eq!(Lattice::centres(Aabb::EMPTY, 0.1), Err(GridError::Bounds));
        assert_eq!(Lattice::centres(unit, 0.0), Err(GridError::Cell));
        assert_eq!(Lattice::centres(unit, f64::NAN), Err(GridError::Cell));
        assert_eq!(Lattice::centres(unit, 1e-4), Err(GridError::TooManyCells));
    }
}
