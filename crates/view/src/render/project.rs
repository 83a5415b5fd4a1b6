//! Triangles on the screen: clipping, projection and snapping to a sub-sample grid.
//!
//! Corners are clipped in camera space against the near plane and, when they reach far outside the picture, against
//! a guard frustum (Sutherland & Hodgman 1974), so that screen coordinates fit in integers. They are then snapped to
//! 1/256 of a sample: from here on coverage is integer arithmetic and neighbouring triangles share edges exactly.

use rayon::prelude::*;
use toile_mesh::DVec3;

use crate::Camera;
use crate::render::geometry::Geometry;

/// Sub-sample steps per sample.
pub(crate) const SNAP: i64 = 256;

/// The guard frustum is this many times wider than the picture.
const GUARD: f64 = 4.0;

/// The picture plane: how many samples, and what part of the world they see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) camera: Camera,
    /// Samples in x and y.
    pub(crate) samples: [u32; 2],
    /// Tangents of half the opening angles.
    pub(crate) tan: [f64; 2],
    /// Nearest visible depth [m].
    pub(crate) near: f64,
}

impl Screen {
    pub(crate) fn new(camera: Camera, samples: [u32; 2], near: f64) -> Self {
        let aspect = f64::from(samples[0]) / f64::from(samples[1]);
        Self { camera, samples, tan: [camera.tan_y * aspect, camera.tan_y], near }
    }

    /// Direction through a point of the screen given in samples, in camera coordinates with depth 1.
    pub(crate) fn ray(&self, x: f64, y: f64) -> DVec3 {
        let u = 2.0 * x / f64::from(self.samples[0]) - 1.0;
        let v = 1.0 - 2.0 * y / f64::from(self.samples[1]);
        DVec3::new(u * self.tan[0], v * self.tan[1], 1.0)
    }

    fn snap(&self, q: DVec3) -> [i32; 2] {
        let [w, h] = self.samples.map(f64::from);
        let x = 0.5 * w * (1.0 + q.x / (q.z * self.tan[0]));
        let y = 0.5 * h * (1.0 - q.y / (q.z * self.tan[1]));
        [x, y].map(|c| (c * SNAP as f64).round() as i32)
    }
}

/// A triangle ready to be sampled: positive area, snapped corners, `1/depth` at each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenTriangle {
    pub(crate) x: [i32; 3],
    pub(crate) y: [i32; 3],
    pub(crate) inv_z: [f32; 3],
    pub(crate) face: u32,
}

/// All visible triangles in the order of the faces.
pub(crate) fn project(geometry: &Geometry, screen: &Screen) -> Vec<ScreenTriangle> {
    let camera: Vec<DVec3> = geometry.positions.par_iter().map(|p| screen.camera.to_camera(*p)).collect();
    let chunks: Vec<Vec<ScreenTriangle>> = geometry
        .faces
        .par_chunks(4096)
        .enumerate()
        .map(|(chunk, faces)| {
            let mut out = Vec::with_capacity(faces.len());
            for (i, face) in faces.iter().enumerate() {
                let q = face.corners.map(|v| camera[v as usize]);
                project_triangle(q, (chunk * 4096 + i) as u32, screen, &mut out);
            }
            out
        })
        .collect();
    chunks.concat()
}

/// Appends what is visible of a triangle given in camera coordinates.
pub(crate) fn project_triangle(q: [DVec3; 3], face: u32, screen: &Screen, out: &mut Vec<ScreenTriangle>) {
    if q.iter().any(|q| !q.is_finite()) {
        return;
    }
    let [tx, ty] = screen.tan;
    // Signed distances to the picture's own frustum decide on rejection, to the guard frustum on clipping.
    let side = |q: DVec3, k: usize, widen: f64| match k {
        0 => q.z - screen.near,
        1 => q.z * tx * widen - q.x,
        2 => q.z * tx * widen + q.x,
        3 => q.z * ty * widen - q.y,
        _ => q.z * ty * widen + q.y,
    };
    let mut polygon = Polygon::new(q);
    for k in 0..5 {
        if q.iter().all(|q| side(*q, k, 1.0) < 0.0) {
            return;
        }
        if q.iter().any(|q| side(*q, k, GUARD) < 0.0) {
            polygon = polygon.clipped(|q| side(q, k, GUARD));
        }
    }
    let points = polygon.points();
    for k in 2..points.len() {
        out.extend(setup([points[0], points[k - 1], points[k]], face, screen));
    }
}

fn setup(q: [DVec3; 3], face: u32, screen: &Screen) -> Option<ScreenTriangle> {
    let p = q.map(|q| screen.snap(q));
    let inv_z = q.map(|q| (1.0 / q.z) as f32);
    let [a, b, c] = p.map(|p| p.map(i64::from));
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let order = match area.signum() {
        1 => [0, 1, 2],
        -1 => [0, 2, 1],
        _ => return None,
    };
    Some(ScreenTriangle { x: order.map(|i| p[i][0]), y: order.map(|i| p[i][1]), inv_z: order.map(|i| inv_z[i]), face })
}

/// A convex polygon of at most eight corners: a triangle gains one per clipping plane.
struct Polygon {
    corners: [DVec3; 8],
    count: usize,
}

impl Polygon {
    fn new(q: [DVec3; 3]) -> Self {
        let mut corners = [DVec3::ZERO; 8];
        corners[..3].copy_from_slice(&q);
        Self { corners, count: 3 }
    }

    fn points(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    /// The part where the linear function `side` is not negative.
    fn clipped(&self, side: impl Fn(DVec3) -> f64) -> Self {
        let mut out = Self { corners: [DVec3::ZERO; 8], count: 0 };
        let mut push = |q: DVec3| {
            // Rounding can make a sliver cross a plane more often than twice: surplus corners are dropped.
            if out.count < 8 {
                out.corners[out.count] = q;
                out.count += 1;
            }
        };
        // Always from inside to outside, so that two triangles sharing the edge cut it at the same bits.
        let cut = |inside: DVec3, outside: DVec3| {
            let (fi, fo) = (side(inside), side(outside));
            inside + (outside - inside) * (fi / (fi - fo))
        };
        for (i, &b) in self.points().iter().enumerate() {
            let a = self.points()[(i + self.count - 1) % self.count];
            match (side(a) >= 0.0, side(b) >= 0.0) {
                (true, true) => push(b),
                (true, false) => push(cut(a, b)),
                (false, true) => {
                    push(cut(b, a));
                    push(b);
                }
                (false, false) => {}
            }
        }
        out
    }
}
