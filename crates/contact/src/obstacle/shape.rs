//! [`Shape`]: solid convex bodies with an exact signed distance.
//!
//! `φ(p)` is the distance from `p` to the surface, negative inside; its gradient is the unit normal `n(p)` that
//! points outwards. The signed distance of a convex body is a convex function with slope at most one, and `n` is
//! always one of its subgradients: `φ(q) ≥ φ(p) + n(p)·(q − p)` for every `q`. The search for the deepest point of a
//! triangle and the proof that a correction suffices rest on this inequality alone, so it also holds where `φ` has
//! a kink (edges of the medial axis, centre of a sphere): there one of the valid normals is chosen by a fixed rule.
//!
//! With `q = |p| − h` for the half extents `h` (boxes in three dimensions, cylinders in radius and height):
//! outside `φ = ‖max(q, 0)‖`, inside `φ = max(q)`. Spheres and capsules: distance to the centre or axis minus the
//! radius. Half space: `φ = y`.

use toile_mesh::DVec3;

/// A solid convex body around the local origin; lengths in metres.
///
/// ```
/// use toile_contact::Shape;
/// use toile_mesh::DVec3;
/// let table_top = Shape::Cylinder { radius: 0.5, half_height: 0.02 };
/// assert_eq!(table_top.distance(DVec3::new(0.1, 0.52, 0.0)), 0.5);
/// assert_eq!(table_top.normal(DVec3::new(0.1, 0.52, 0.0)), DVec3::Y);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A box with axes along x, y, z.
    Cuboid {
        /// Half of each edge length [m].
        half_size: DVec3,
    },
    /// All points within `radius` of a segment on the y axis.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Half the length of the segment, without the caps [m].
        half_height: f64,
    },
    /// A solid cylinder about the y axis with flat ends.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half the height [m].
        half_height: f64,
    },
    /// The half space `y ≤ 0`.
    Plane,
}

impl Shape {
    /// Signed distance of a local point to the surface, negative inside [m].
    #[inline]
    pub fn distance(&self, p: DVec3) -> f64 {
        self.distance_and_normal(p).0
    }

    /// Unit outward normal at a local point: the gradient of the distance.
    #[inline]
    pub fn normal(&self, p: DVec3) -> DVec3 {
        self.distance_and_normal(p).1
    }

    /// Signed distance [m] and unit outward normal at a local point.
    ///
    /// The normal is a finite unit vector for every input, even for one that is not a number; the distance is
    /// meaningful for finite points only.
    #[inline]
    pub fn distance_and_normal(&self, p: DVec3) -> (f64, DVec3) {
        match *self {
            Self::Sphere { radius } => from_core(p, radius),
            Self::Cuboid { half_size } => cuboid(p, half_size),
            Self::Capsule { radius, half_height } => {
                let above = p.y - p.y.max(-half_height).min(half_height);
                from_core(DVec3::new(p.x, above, p.z), radius)
            }
            Self::Cylinder { radius, half_height } => cylinder(p, radius, half_height),
            Self::Plane => (p.y, DVec3::Y),
        }
    }

    /// Radius of the smallest sphere about the local origin that contains the body [m]; infinite for the half space.
    pub fn bounding_radius(&self) -> f64 {
        match *self {
            Self::Sphere { radius } => radius,
            Self::Cuboid { half_size } => half_size.length(),
            Self::Capsule { radius, half_height } => radius + half_height,
            Self::Cylinder { radius, half_height } => radius.hypot(half_height),
            Self::Plane => f64::INFINITY,
        }
    }

    /// Radius of the largest sphere inside the body [m]; infinite for the half space.
    pub fn inner_radius(&self) -> f64 {
        match *self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => radius,
            Self::Cuboid { half_size } => half_size.min_element(),
            Self::Cylinder { radius, half_height } => radius.min(half_height),
            Self::Plane => f64::INFINITY,
        }
    }

    /// Whether all sizes are positive and finite (the half height of a capsule may be zero).
    pub fn is_valid(&self) -> bool {
        let positive = |length: f64| length > 0.0 && length.is_finite();
        match *self {
            Self::Sphere { radius } => positive(radius),
            Self::Cuboid { half_size } => half_size.to_array().into_iter().all(positive),
            Self::Capsule { radius, half_height } => positive(radius) && half_height >= 0.0 && half_height.is_finite(),
            Self::Cylinder { radius, half_height } => positive(radius) && positive(half_height),
            Self::Plane => true,
        }
    }
}

/// Whether a vector of this length can be divided by it: below 1e-140 (relative to any length that occurs: zero) its
/// square underflows, above the largest number it is infinite.
#[inline]
fn has_direction(length: f64) -> bool {
    length > 1e-140 && length < f64::INFINITY
}

/// Distance to a core point or axis, which is at `offset` from the query, minus the radius.
///
/// On the core itself every direction away from it is a valid normal; +x is perpendicular to the y axis of a capsule.
#[inline]
fn from_core(offset: DVec3, radius: f64) -> (f64, DVec3) {
    let length = offset.length();
    let normal = if has_direction(length) { offset / length } else { DVec3::X };
    (length - radius, normal)
}

#[inline]
fn cuboid(p: DVec3, half_size: DVec3) -> (f64, DVec3) {
    let q = p.abs() - half_size;
    let sign = DVec3::select(p.cmplt(DVec3::ZERO), DVec3::NEG_ONE, DVec3::ONE);
    let outside = q.max(DVec3::ZERO);
    let length = outside.length();
    if has_direction(length) {
        return (length, sign * outside / length);
    }
    // Inside (or so close that the square underflows) the nearest face decides; the first axis wins a tie.
    let (axis, deepest) = if q.x >= q.y && q.x >= q.z {
        (DVec3::X, q.x)
    } else if q.y >= q.z {
        (DVec3::Y, q.y)
    } else {
        (DVec3::Z, q.z)
    };
    (deepest, sign * axis)
}

#[inline]
fn cylinder(p: DVec3, radius: f64, half_height: f64) -> (f64, DVec3) {
    let r = (p.x * p.x + p.z * p.z).sqrt();
    let radial = if has_direction(r) { DVec3::new(p.x / r, 0.0, p.z / r) } else { DVec3::X };
    let axial = if p.y < 0.0 { DVec3::NEG_Y } else { DVec3::Y };
    let (side, end) = (r - radius, p.y.abs() - half_height);
    if side > 0.0 && end > 0.0 {
        let length = (side * side + end * end).sqrt();
        if has_direction(length) {
            return (length, (radial * side + axial * end) / length);
        }
    }
    // Beyond one face only, or inside: the face that is farther out decides; the end wins a tie.
    if end >= side { (end, axial) } else { (side, radial) }
}

/// One body of every kind, for the tests of this folder.
#[cfg(test)]
pub(super) const SHAPES: [Shape; 6] = [
    Shape::Sphere { radius: 0.7 },
    Shape::Cuboid { half_size: DVec3::new(0.5, 0.3, 0.8) },
    Shape::Capsule { radius: 0.3, half_height: 0.5 },
    Shape::Cylinder { radius: 0.6, half_height: 0.25 },
    Shape::Cylinder { radius: 0.2, half_height: 0.9 },
    Shape::Plane,
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.5..1.5_f64).prop_map(DVec3::from)
    }

    fn shape() -> impl Strategy<Value = Shape> {
        prop::sample::select(SHAPES.to_vec())
    }

    #[test]
    fn distances_by_hand() {
        let cases = [
            (SHAPES[0], DVec3::new(0.0, 2.0, 0.0), 1.3),
            (SHAPES[0], DVec3::new(0.0, 0.0, 0.2), -0.5),
            (SHAPES[1], DVec3::new(0.8, 0.7, 0.0), 0.5),
            (SHAPES[1], DVec3::new(0.4, 0.0, 0.0), -0.1),
            (SHAPES[1], DVec3::ZERO, -0.3),
            (SHAPES[2], DVec3::new(0.3, 0.9, 0.0), 0.2),
            (SHAPES[2], DVec3::new(0.1, 0.4, 0.0), -0.2),
            (SHAPES[3], DVec3::new(0.9, 0.65, 0.0), 0.5),
            (SHAPES[3], DVec3::new(0.0, 0.1, 0.0), -0.15),
            (SHAPES[3], DVec3::new(0.0, 0.1, 0.55), -0.05),
            (SHAPES[5], DVec3::new(7.0, -0.2, 1.0), -0.2),
        ];
        for (shape, p, expected) in cases {
            assert!((shape.distance(p) - expected).abs() < 1e-15, "{shape:?} at {p}");
        }
    }

    #[test]
    fn the_normal_is_a_unit_vector_at_every_special_point() {
        let specials = [0.0, -0.0, 1e-200, -1e-160, 0.3, 0.5, 0.6, 1e300, f64::INFINITY, f64::NAN];
        for shape in SHAPES {
            for x in specials {
                for y in specials {
                    for z in specials {
                        let n = shape.normal(DVec3::new(x, y, z));
                        let all_small = x.abs() < 1e100 && y.abs() < 1e100 && z.abs() < 1e100;
                        assert!(n.is_finite(), "{shape:?} {x} {y} {z}: {n}");
                        assert!(!all_small || (n.length() - 1.0).abs() < 1e-14, "{shape:?} {x} {y} {z}: {n}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_bounding_sphere_holds_the_body() {
        for shape in &SHAPES[..5] {
            let r = shape.bounding_radius();
            let reach = (0..10_000)
                .map(|i| {
                    // Spiral points on the sphere; the body nearly touches it somewhere but never sticks out.
                    let y = 1.0 - 2.0 * (i as f64 + 0.5) / 10_000.0;
                    let (s, c) = (i as f64 * 2.399_963).sin_cos();
                    shape.distance(r * DVec3::new(c * (1.0 - y * y).sqrt(), y, s * (1.0 - y * y).sqrt()))
                })
                .fold(f64::INFINITY, f64::min);
            assert!(reach > -1e-12 && reach < 0.02 * r, "{shape:?}: {reach}");
        }
    }

    #[test]
    fn the_largest_inner_sphere_sits_at_the_centre() {
        for shape in &SHAPES[..5] {
            assert_eq!(shape.inner_radius(), -shape.distance(DVec3::ZERO), "{shape:?}");
        }
    }

    #[test]
    fn unusable_sizes_are_recognised() {
        assert!(SHAPES.iter().all(Shape::is_valid));
        assert!(!Shape::Sphere { radius: 0.0 }.is_valid());
        assert!(!Shape::Cuboid { half_size: DVec3::new(1.0, -1.0, 1.0) }.is_valid());
        assert!(!Shape::Cylinder { radius: f64::NAN, half_height: 1.0 }.is_valid());
        assert!(!Shape::Capsule { radius: 1.0, half_height: f64::INFINITY }.is_valid());
    }

    proptest! {
        #[test]
        fn the_distance_is_convex_with_slope_at_most_one(shape in shape(), p in point(), q in point()) {
            let (a, b, middle) = (shape.distance(p), shape.distance(q), shape.distance(0.5 * (p + q)));
            prop_assert!(middle <= 0.5 * (a + b) + 1e-15);
            prop_assert!((a - b).abs() <= (p - q).length() + 1e-15);
        }

        #[test]
        fn the_normal_is_a_subgradient(shape in shape(), p in point(), q in point()) {
            let (d, n) = shape.distance_and_normal(p);
            prop_assert!(shape.distance(q) >= d + n.dot(q - p) - 1e-14);
        }

        #[test]
        fn the_normal_leads_to_the_surface(shape in shape(), p in point()) {
            // Walking the distance against the normal ends on the surface, so no surface point is nearer
            // (slope at most one) and this one is as near: the distance is exact.
            let (d, n) = shape.distance_and_normal(p);
            prop_assert!(shape.distance(p - d * n).abs() < 1e-14);
        }

        #[test]
        fn the_normal_is_the_gradient(shape in shape(), p in point()) {
            let h = 1e-6;
            let slope = |axis: DVec3| (shape.distance(p + h * axis) - shape.distance(p - h * axis)) / (2.0 * h);
            let finite = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
            // Next to a kink the difference quotient mixes two gradients and is shorter than one.
            prop_assume!((finite.length() - 1.0).abs() < 1e-6);
            prop_assert!((finite - shape.normal(p)).length() < 1e-4);
        }
    }
}
