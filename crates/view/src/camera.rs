//! [`Camera`]: a pinhole, and how to place it so that everything is in the picture.
//!
//! Camera frame: `right`, `up`, `forward` orthonormal; a world point `p` has the camera coordinates
//! `q = (right·d, up·d, forward·d)` with `d = p − eye`, and depth `q.z`. On the picture plane at depth 1 it is
//! `(q.x, q.y) / q.z`, visible within `±tan_x`, `±tan_y`.

use toile_mesh::{Aabb, DVec3};

/// Vertical opening angle used by [`Camera::framing`] [deg]: a mild telephoto, little distortion.
pub const FRAMING_FOV_DEG: f64 = 28.0;

/// Share of the half picture kept free around a framed box.
const FRAMING_MARGIN: f64 = 0.10;

/// A perspective camera.
///
/// ```
/// use toile_view::Camera;
/// use toile_mesh::{Aabb, DVec3};
/// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
/// let camera = Camera::framing(unit, 30.0, 20.0, 16.0 / 9.0);
/// let centre = camera.project(DVec3::splat(0.5)).expect("in front of the camera");
/// assert!(centre[0].abs() < 0.2 && centre[1].abs() < 0.2);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Camera {
    pub(crate) eye: DVec3,
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    pub(crate) forward: DVec3,
    /// Tangent of half the vertical opening angle.
    pub(crate) tan_y: f64,
}

impl Camera {
    /// A camera at `eye` [m] looking at `target` [m], y up, with a vertical opening angle [deg].
    ///
    /// Where the direction is undefined (equal or non-finite points) it looks along −z; looking straight up or
    /// down it keeps −z at the top of the picture.
    pub fn look_at(eye: DVec3, target: DVec3, fov_y_deg: f64) -> Self {
        let eye = if eye.is_finite() { eye } else { DVec3::ZERO };
        let forward = (target - eye).try_normalize().unwrap_or(DVec3::NEG_Z);
        let fov = if fov_y_deg.is_finite() { fov_y_deg.clamp(0.1, 170.0) } else { FRAMING_FOV_DEG };
        let right = forward.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X);
        Self { eye, right, up: right.cross(forward), forward, tan_y: (0.5 * fov.to_radians()).tan() }
    }

    /// A camera that shows the whole box as large as possible.
    ///
    /// `azimuth_deg` turns the camera around the vertical axis: 0 looks along −z from the front, 90 from +x;
    /// `elevation_deg` raises it above the horizon. `aspect` is width / height of the picture.
    ///
    /// With `A = max(r·p − t f·p)` and `B = max(−r·p − t f·p)` over the corners `p` (`r` right, `f` forward, `t` the
    /// tangent of half the angle), the closest camera that sees all corners stands at
    /// `f = −(A + B) / 2t`, `r = (A − B) / 2`; the axis that needs more distance decides.
    pub fn framing(bounds: Aabb, azimuth_deg: f64, elevation_deg: f64, aspect: f64) -> Self {
        Self::framing_with_fov(bounds, azimuth_deg, elevation_deg, aspect, FRAMING_FOV_DEG)
    }

    /// As [`Camera::framing`], with a vertical opening angle [deg].
    pub fn framing_with_fov(bounds: Aabb, azimuth_deg: f64, elevation_deg: f64, aspect: f64, fov_y_deg: f64) -> Self {
        let usable = !bounds.is_empty() && bounds.min.is_finite() && bounds.max.is_finite();
        let bounds = if usable { bounds } else { Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) } };
        let aspect = if aspect.is_finite() { aspect.clamp(0.05, 20.0) } else { 1.0 };
        let finite_or_zero = |a: f64| if a.is_finite() { a } else { 0.0 };
        let azimuth = finite_or_zero(azimuth_deg).to_radians();
        let elevation = finite_or_zero(elevation_deg).clamp(-89.9, 89.9).to_radians();
        let away = DVec3::new(elevation.cos() * azimuth.sin(), elevation.sin(), elevation.cos() * azimuth.cos());
        let centre = bounds.centre();
        let mut camera = Self::look_at(centre + away, centre, fov_y_deg);
        let corners = corners(bounds).map(|p| p - centre);
        let fit = |axis: DVec3, tan: f64| {
            let reach = |sign: f64| {
                corners.iter().map(|p| sign * axis.dot(*p) - tan * camera.forward.dot(*p)).fold(f64::MIN, f64::max)
            };
            let (a, b) = (reach(1.0), reach(-1.0));
            ((a + b) / (2.0 * tan), 0.5 * (a - b))
        };
        let tan = camera.tan_y * (1.0 - FRAMING_MARGIN);
        let (back_x, x) = fit(camera.right, tan * aspect);
        let (back_y, y) = fit(camera.up, tan);
        let back = back_x.max(back_y).max(1e-3);
        camera.eye = centre + camera.right * x + camera.up * y - camera.forward * back;
        camera
    }

    /// Position of the camera [m].
    pub fn eye(&self) -> DVec3 {
        self.eye
    }

    /// Where a world point appears: `[x, y]` with `x` in ±aspect and `y` in ±1 inside the picture, y up;
    /// `None` behind the camera.
    pub fn project(&self, p: DVec3) -> Option<[f64; 2]> {
        let q = self.to_camera(p);
        (q.z > 0.0).then(|| [q.x / (q.z * self.tan_y), q.y / (q.z * self.tan_y)])
    }

    /// Camera coordinates of a world point.
    pub(crate) fn to_camera(self, p: DVec3) -> DVec3 {
        let d = p - self.eye;
        DVec3::new(self.right.dot(d), self.up.dot(d), self.forward.dot(d))
    }

    /// World direction of a direction in camera coordinates.
    pub(crate) fn to_world_direction(self, q: DVec3) -> DVec3 {
        self.right * q.x + self.up * q.y + self.forward * q.z
    }
}

fn corners(b: Aabb) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let pick = |bit: usize, lo: f64, hi: f64| if i >> bit & 1 == 0 { lo } else { hi };
        DVec3::new(pick(0, b.min.x, b.max.x), pick(1, b.min.y, b.max.y), pick(2, b.min.z, b.max.z))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn azimuth_zero_looks_along_minus_z_with_x_to_the_right() {
        let c = Camera::framing(Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE }, 0.0, 0.0, 1.0);
        assert!((c.forward - DVec3::NEG_Z).length() < 1e-12 && (c.right - DVec3::X).length() < 1e-12);
        let c = Camera::framing(Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE }, 90.0, 0.0, 1.0);
        assert!((c.forward - DVec3::NEG_X).length() < 1e-12 && c.eye.x > 1.0);
    }

    #[test]
    fn projection_of_a_known_point() {
        let c = Camera::look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, 90.0);
        let [x, y] = c.project(DVec3::new(1.0, 2.0, 1.0)).unwrap();
        assert!((x - 0.25).abs() < 1e-12 && (y - 0.5).abs() < 1e-12);
        assert_eq!(c.project(DVec3::new(0.0, 0.0, 6.0)), None);
    }

    proptest! {
        #[test]
        fn framing_holds_every_corner_and_touches_the_margin(
            lo in prop::array::uniform3(-10.0..10.0_f64), size in prop::array::uniform3(0.01..5.0_f64),
            azimuth in -360.0..360.0_f64, elevation in -80.0..80.0_f64, aspect in 0.3..3.0_f64,
        ) {
            let min = DVec3::from(lo);
            let bounds = Aabb { min, max: min + DVec3::from(size) };
            let camera = Camera::framing(bounds, azimuth, elevation, aspect);
            let mut largest = 0.0_f64;
            for p in corners(bounds) {
                let [x, y] = camera.project(p).unwrap();
                prop_assert!(x.abs() <= aspect && y.abs() <= 1.0);
                largest = largest.max(x.abs() / aspect).max(y.abs());
            }
            prop_assert!((largest - (1.0 - FRAMING_MARGIN)).abs() < 1e-9, "largest {largest}");
        }

        #[test]
        fn any_input_gives_a_usable_camera(v in prop::array::uniform6(prop::num::f64::ANY), fov in prop::num::f64::ANY) {
            let (a, b) = (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]));
            let look = Camera::look_at(a, b, fov);
            let framing = Camera::framing(Aabb { min: a, max: b }, v[0], v[1], fov);
            for c in [look, framing] {
                prop_assert!(c.forward.is_finite() && c.right.is_finite() && c.tan_y > 0.0);
            }
        }
    }
}
