//! What a sample hits: point, normal, side, base colour.
//!
//! With the corners `q_i` in camera coordinates and the ray `d` through the sample, the barycentric coordinates are
//! `b_i ∝ d · (q_j × q_k)`: perspective-correct, and the same whether or not the triangle was clipped.

use toile_mesh::DVec3;

use crate::colour::linear_from_srgb;
use crate::render::geometry::{Face, Geometry};
use crate::render::project::Screen;
use crate::{Pattern, Scene};

/// Linear colour of highlighted triangles.
const HIGHLIGHT: DVec3 = DVec3::new(0.80, 0.012, 0.018);

/// Linear colour where a value is missing.
const NO_VALUE: DVec3 = DVec3::new(0.21, 0.21, 0.21);

/// A point of a surface as seen from the camera.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// World position [m].
    pub(crate) position: DVec3,
    /// Unit shading normal on the viewer's side.
    pub(crate) normal: DVec3,
    /// Base colour, linear rgb.
    pub(crate) colour: DVec3,
    pub(crate) object: u32,
    pub(crate) is_front: bool,
    pub(crate) depth: f64,
    /// Number of hits summed up in this one, until [`Hit::finish`].
    pub(crate) parts: f64,
    /// Samples of the pixel it stands for.
    pub(crate) samples: f64,
}

impl Hit {
    /// Turns sums into means.
    pub(crate) fn finish(&mut self) {
        self.position /= self.parts;
        self.colour /= self.parts;
        self.normal = self.normal.normalize_or(DVec3::Y);
        self.parts = 1.0;
    }
}

/// Colours of one object, in linear light.
pub(crate) struct Paint<'a> {
    sides: [DVec3; 2],
    pattern: Option<(Pattern, DVec3, &'a [[f64; 2]])>,
    values: Vec<DVec3>,
    wireframe: bool,
}

pub(crate) fn linear(c: [f32; 3]) -> DVec3 {
    DVec3::from(c.map(|c| f64::from(linear_from_srgb(if c.is_finite() { c.clamp(0.0, 1.0) } else { 0.5 }))))
}

impl<'a> Paint<'a> {
    pub(crate) fn of_scene(scene: &Scene<'a>) -> Vec<Self> {
        scene
            .objects
            .iter()
            .map(|object| {
                let material = &object.material;
                let pattern = match material.pattern {
                    Pattern::Plain => None,
                    p @ (Pattern::Gingham { colour, .. } | Pattern::Stripes { colour, .. }) => {
                        object.uv.map(|uv| (p, linear(colour), uv))
                    }
                };
                let values = object.values.as_ref().map_or(Vec::new(), |v| {
                    let [lo, hi] = v.resolved_range();
                    let colour =
                        |x: &f64| if x.is_finite() { linear(v.map.at((x - lo) / (hi - lo))) } else { NO_VALUE };
                    let mut colours: Vec<DVec3> = v.values.iter().map(colour).collect();
                    colours.resize(object.mesh.vertex_count(), NO_VALUE);
                    colours
                });
                let sides = [linear(material.front), linear(material.back)];
                Self { sides, pattern, values, wireframe: object.wireframe }
            })
            .collect()
    }
}

/// Barycentric coordinates of the point of a triangle in camera coordinates under the ray `d`, clamped to it.
pub(crate) fn barycentric(q: [DVec3; 3], d: DVec3) -> DVec3 {
    let b = unclamped(q, d).map_or(DVec3::splat(1.0 / 3.0), |b| b.max(DVec3::ZERO));
    b / b.element_sum()
}

fn unclamped(q: [DVec3; 3], d: DVec3) -> Option<DVec3> {
    let b = DVec3::new(d.dot(q[1].cross(q[2])), d.dot(q[2].cross(q[0])), d.dot(q[0].cross(q[1])));
    let b = b / b.element_sum();
    b.is_finite().then_some(b)
}

/// Everything needed to turn a sample into a [`Hit`].
pub(crate) struct Surfaces<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) screen: &'a Screen,
    pub(crate) paints: &'a [Paint<'a>],
    /// Samples per pixel side, the width over which patterns are smoothed.
    pub(crate) samples_per_pixel: f64,
}

impl Surfaces<'_> {
    /// The point of a face seen at a place of the screen given in samples.
    pub(crate) fn hit(&self, face_number: u32, x: f64, y: f64) -> Hit {
        let face = &self.geometry.faces[face_number as usize];
        let corners = self.geometry.corners(face);
        let q = corners.map(|p| self.screen.camera.to_camera(p));
        let b = barycentric(q, self.screen.ray(x, y));
        let mix = |v: [DVec3; 3]| v[0] * b.x + v[1] * b.y + v[2] * b.z;
        let position = mix(corners);
        let flat = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let view = self.screen.camera.eye - position;
        let is_front = flat.dot(view) >= 0.0;
        let smooth = mix(face.normals.map(|n| self.geometry.normals[n as usize]));
        let side = if is_front { 1.0 } else { -1.0 };
        let normal = smooth.try_normalize().or(flat.try_normalize()).unwrap_or(DVec3::Y) * side;
        let mut colour = if face.highlighted { HIGHLIGHT } else { self.base_colour(face, b, is_front, q, x, y) };
        if self.paints[face.object as usize].wireframe {
            colour *= self.edge_tint(q, b, x, y);
        }
        Hit {
            position,
            normal,
            colour,
            object: face.object,
            is_front,
            depth: q[0].z * b.x + q[1].z * b.y + q[2].z * b.z,
            parts: 1.0,
            samples: 1.0,
        }
    }

    fn base_colour(&self, face: &Face, b: DVec3, is_front: bool, q: [DVec3; 3], x: f64, y: f64) -> DVec3 {
        let paint = &self.paints[face.object as usize];
        let first = self.geometry.first_vertex[face.object as usize];
        let local = face.corners.map(|v| (v - first) as usize);
        if !paint.values.is_empty() {
            let [c0, c1, c2] = local.map(|v| paint.values[v]);
            return c0 * b.x + c1 * b.y + c2 * b.z;
        }
        let plain = paint.sides[usize::from(!is_front)];
        let Some((pattern, colour, uv)) = &paint.pattern else { return plain };
        let Some(corner_uv) = corner_uv(uv, local) else { return plain };
        let at = |b: DVec3| [0, 1].map(|k| corner_uv[0][k] * b.x + corner_uv[1][k] * b.y + corner_uv[2][k] * b.z);
        let here = at(b);
        let s = self.samples_per_pixel;
        let right = unclamped(q, self.screen.ray(x + s, y)).map_or(here, at);
        let below = unclamped(q, self.screen.ray(x, y + s)).map_or(here, at);
        let width = [0, 1].map(|k| (right[k] - here[k]).abs().max((below[k] - here[k]).abs()));
        // The dyed yarn keeps the ratio between the two sides of the plain material.
        let shade = if is_front { DVec3::ONE } else { paint.sides[1] / paint.sides[0].max(DVec3::splat(1e-3)) };
        let dyed = *colour * shade.min(DVec3::ONE);
        // Yarns of two colours mix darker than their mean light: halfway between adding light and stacking filters.
        let mixed = plain.map(f64::sqrt).lerp(dyed.map(f64::sqrt), coverage(*pattern, here, width));
        mixed * mixed
    }

    /// Darkening near triangle edges: a line of about one pixel.
    fn edge_tint(&self, q: [DVec3; 3], b: DVec3, x: f64, y: f64) -> f64 {
        let s = self.samples_per_pixel;
        let right = unclamped(q, self.screen.ray(x + s, y)).unwrap_or(b) - b;
        let below = unclamped(q, self.screen.ray(x, y + s)).unwrap_or(b) - b;
        let change = (right * right + below * below).map(f64::sqrt).max(DVec3::splat(1e-12));
        let pixels = (b / change).min_element();
        0.45 + 0.55 * (pixels - 0.1).clamp(0.0, 1.0)
    }
}

fn corner_uv(uv: &[[f64; 2]], corners: [usize; 3]) -> Option<[[f64; 2]; 3]> {
    let [a, b, c] = corners.map(|v| uv.get(v).copied().filter(|uv| uv.iter().all(|c| c.is_finite())));
    Some([a?, b?, c?])
}

/// Share of dyed yarn in a box of the given width around a place on the fabric, 0–1.
fn coverage(pattern: Pattern, uv: [f64; 2], width: [f64; 2]) -> f64 {
    match pattern {
        Pattern::Plain => 0.0,
        Pattern::Gingham { width: band, .. } => {
            0.5 * (band_share(uv[0], width[0], band) + band_share(uv[1], width[1], band))
        }
        Pattern::Stripes { width: band, .. } => band_share(uv[0], width[0], band),
    }
}

/// Mean of a square wave (1 on even bands, 0 on odd ones) over `[x − w/2, x + w/2]`, from its integral.
fn band_share(x: f64, w: f64, band: f64) -> f64 {
    let (t, w) = (x / band, (w / band).max(1e-4));
    if !(t.is_finite() && w.is_finite() && band > 0.0) {
        return 0.5;
    }
    let integral = |t: f64| {
        let pairs = (0.5 * t).floor();
        pairs + (t - 2.0 * pairs).min(1.0)
    };
    // A box wider than many bands sees the mean; the difference of large integrals would only add noise.
    if w > 64.0 { 0.5 } else { ((integral(t + 0.5 * w) - integral(t - 0.5 * w)) / w).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barycentric_is_perspective_correct() {
        // A floor from depth 1 to depth 3: halfway on the screen is not halfway on the floor.
        let q = [DVec3::new(0.0, -1.0, 1.0), DVec3::new(0.0, -1.0, 3.0), DVec3::new(1.0, -1.0, 1.0)];
        // Screen y of the corners: −1 and −1/3, their middle −2/3 is met at depth 1 / (2/3) = 1.5.
        let b = barycentric(q, DVec3::new(0.0, -2.0 / 3.0, 1.0));
        assert!((b - DVec3::new(0.75, 0.25, 0.0)).length() < 1e-12, "{b}");
    }

    #[test]
    fn degenerate_triangles_give_finite_weights() {
        let b = barycentric([DVec3::Z; 3], DVec3::Z);
        assert!(b.is_finite() && (b.element_sum() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn bands_are_filtered_exactly() {
        assert!((band_share(0.5, 0.0, 1.0) - 1.0).abs() < 1e-9);
        assert_eq!(band_share(1.5, 0.0, 1.0), 0.0);
        assert!((band_share(1.0, 0.5, 1.0) - 0.5).abs() < 1e-12);
        assert!((band_share(-0.25, 1.0, 1.0) - 0.25).abs() < 1e-12);
        assert!((band_share(0.3, 2.0, 1.0) - 0.5).abs() < 1e-12);
        assert_eq!(band_share(f64::NAN, 0.1, 1.0), 0.5);
        assert_eq!(band_share(1.0, 0.1, 0.0), 0.5);
    }
}
