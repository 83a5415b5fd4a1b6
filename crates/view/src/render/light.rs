//! Soft light from many directions, each with its own depth map.
//!
//! The studio is a few dozen far lights: a round soft box (key) sampled by a sunflower spiral, a dome (fill and
//! ambient in one) and a narrow light from behind (rim). Each has an orthographic depth map of the whole scene
//! (Williams 1978), looked up with bilinear percentage-closer filtering (Reeves et al. 1987). Summed, the hard
//! shadows of the single maps become penumbrae, contact shadows and ambient occlusion without a separate model.
//!
//! A map stores for each texel the largest `h = l·p` of the surface, `l` pointing to the light. A point is in
//! shadow where the stored `h` is larger than its own. To keep a surface from shading itself the point is first
//! moved along its normal by `OFFSET` texels: along the light that is a gap of `offset / cos θ`, while the plane of
//! the surface rises by at most `√2 texel · tan θ` within the filter.

use std::f64::consts::{PI, TAU};

use rayon::prelude::*;
use toile_mesh::DVec3;

use crate::render::geometry::Geometry;
use crate::{Camera, Light, Quality};

/// Distance a point is lifted off its surface before the lookup [texels].
const OFFSET: f32 = 1.6;

/// Irradiance of all lights of a kind together on a surface that faces them, linear rgb.
const KEY: DVec3 = DVec3::new(1.06, 1.01, 0.94);
const DOME: DVec3 = DVec3::new(0.70, 0.76, 0.84);
const RIM: DVec3 = DVec3::new(0.46, 0.48, 0.52);

/// What a light is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Key,
    Dome,
    Rim,
}

/// One far light.
#[derive(Debug)]
pub(crate) struct FarLight {
    /// Unit vector to the light.
    pub(crate) direction: DVec3,
    /// Irradiance on a surface facing it, linear rgb.
    pub(crate) irradiance: DVec3,
    pub(crate) role: Role,
    /// Angle to the neighbouring lights of the same kind [rad].
    pub(crate) spacing: f64,
    map: DepthMap,
}

impl FarLight {
    /// Share of the light that reaches a local point with unit normal `n` on the side of the light, 0–1.
    #[inline]
    pub(crate) fn visibility(&self, p: Local, n: Local) -> f32 {
        let Some((above, weight)) = self.map.around(self.lifted(p, n)) else { return 1.0 };
        let lit = |k: usize| if above[k] > 0.0 { 0.0 } else { weight[k] };
        lit(0) + lit(1) + lit(2) + lit(3)
    }

    /// Distance to what is between a local point and the light [m], with the share it blocks.
    pub(crate) fn blocker(&self, p: Local, n: Local) -> (f32, f32) {
        let Some((above, weight)) = self.map.around(self.lifted(p, n)) else { return (0.0, 0.0) };
        let blocking = || (0..4).filter(|k| above[*k] > 0.0);
        let share: f32 = blocking().map(|k| weight[k]).sum();
        let gap: f32 = blocking().map(|k| weight[k] * above[k]).sum();
        if share > 0.0 { (gap / share, share) } else { (0.0, 0.0) }
    }

    #[inline]
    fn lifted(&self, p: Local, n: Local) -> Local {
        let offset = OFFSET * self.map.texel;
        [p[0] + n[0] * offset, p[1] + n[1] * offset, p[2] + n[2] * offset]
    }
}

/// A point relative to [`Studio::centre`], or a direction, in single precision: maps resolve a thousandth of the
/// scene, single precision a millionth.
pub(crate) type Local = [f32; 3];

/// The lights of a studio with their maps.
#[derive(Debug)]
pub(crate) struct Studio {
    pub(crate) lights: Vec<FarLight>,
    /// Unit vector to the middle of the key light.
    pub(crate) key: DVec3,
    /// Middle of the scene [m].
    centre: DVec3,
}

/// Number of lights and side of their maps.
struct Budget {
    key: (usize, usize),
    dome: (usize, usize),
    rim: (usize, usize),
}

impl Studio {
    pub(crate) fn new(geometry: &Geometry, camera: &Camera, light: &Light, quality: Quality) -> Self {
        let budget = match quality {
            Quality::Draft => Budget { key: (10, 224), dome: (18, 96), rim: (2, 96) },
            Quality::Good => Budget { key: (18, 320), dome: (36, 128), rim: (3, 128) },
            Quality::Fine => Budget { key: (96, 768), dome: (160, 320), rim: (12, 384) },
        };
        // Light angles are relative to the camera's heading; looking straight down, "forward" is the picture's up.
        let flat = DVec3::new(camera.forward.x, 0.0, camera.forward.z);
        let heading =
            flat.try_normalize().unwrap_or(DVec3::new(camera.up.x, 0.0, camera.up.z).normalize_or(DVec3::NEG_Z));
        let left = DVec3::Y.cross(heading);
        let toward = |azimuth_deg: f64, elevation_deg: f64| {
            let (a, e) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
            (-heading * a.cos() + left * a.sin()) * e.cos() + DVec3::Y * e.sin()
        };
        let usable = |a: f64, default: f64| if a.is_finite() { a } else { default };
        let key = toward(usable(light.azimuth_deg, 55.0), usable(light.elevation_deg, 42.0).clamp(-90.0, 90.0));
        let softness = usable(light.softness_deg, 11.0).clamp(0.0, 60.0);
        let mut plan: Vec<FarLight> = Vec::new();
        let mut add = |directions: &mut dyn Iterator<Item = (DVec3, DVec3)>,
                       role,
                       (count, side): (usize, usize),
                       solid_angle: f64| {
            for (direction, colour) in directions {
                let spacing = (solid_angle / count as f64).sqrt();
                let map = DepthMap::empty(direction, side);
                plan.push(FarLight { direction, irradiance: colour / count as f64, role, spacing, map });
            }
        };
        let disc = |half_angle_deg: f64| PI * half_angle_deg.to_radians().powi(2);
        add(&mut cone(key, softness, budget.key.0).map(|d| (d, KEY)), Role::Key, budget.key, disc(softness));
        // Brighter above and on the side away from the key, where the fill panel stands.
        let fill = |d: DVec3| DOME * (0.75 + 0.35 * d.y - 0.25 * d.dot(key));
        add(&mut dome(budget.dome.0).map(|d| (d, fill(d))), Role::Dome, budget.dome, TAU);
        let rim = toward(205.0, 38.0);
        add(&mut cone(rim, 8.0, budget.rim.0).map(|d| (d, RIM)), Role::Rim, budget.rim, disc(8.0));
        let bounds = geometry.bounds();
        if bounds.is_empty() {
            return Self { lights: plan, key, centre: DVec3::ZERO };
        }
        let studio = Self { lights: Vec::new(), key, centre: bounds.centre() };
        let points: Vec<Local> = geometry.positions.iter().map(|p| studio.local(*p)).collect();
        let triangles: Vec<[u32; 3]> = geometry.faces.iter().map(|f| f.corners).collect();
        plan.par_iter_mut().for_each(|light| light.map.fill(&triangles, &points));
        Self { lights: plan, ..studio }
    }

    /// A world point as the depth maps take it.
    pub(crate) fn local(&self, p: DVec3) -> Local {
        (p - self.centre).as_vec3().to_array()
    }
}

/// `count` directions spread evenly over a cone around `axis`: a sunflower spiral (Vogel 1979).
fn cone(axis: DVec3, half_angle_deg: f64, count: usize) -> impl Iterator<Item = DVec3> {
    let (u, v) = axis.any_orthonormal_pair();
    let radius = half_angle_deg.to_radians().tan();
    (0..count).map(move |i| {
        let r = radius * ((i as f64 + 0.5) / count as f64).sqrt();
        let angle = i as f64 * GOLDEN_ANGLE;
        (axis + (u * angle.cos() + v * angle.sin()) * r).normalize()
    })
}

/// `count` directions over the upper half sphere, evenly by solid angle, none flatter than about 5°.
fn dome(count: usize) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let y = 0.08 + 0.92 * (i as f64 + 0.5) / count as f64;
        let r = (1.0 - y * y).sqrt();
        let angle = i as f64 * GOLDEN_ANGLE;
        DVec3::new(r * angle.cos(), y, r * angle.sin())
    })
}

/// π (3 − √5) [rad].
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// Height of the scene towards one light, on a square grid over its extent.
#[derive(Debug)]
struct DepthMap {
    /// Rows of the map from local points to texels x, y and height; the fourth number is added.
    rows: [[f32; 4]; 3],
    /// Larger side of a texel [m].
    texel: f32,
    side: usize,
    /// Largest height per texel [m]; empty if nothing was drawn.
    height: Vec<f32>,
}

impl DepthMap {
    /// A map without anything in it: all is lit.
    fn empty(direction: DVec3, side: usize) -> Self {
        let (right, up) = direction.any_orthonormal_pair();
        let rows = [right, up, direction].map(|r| [r.x as f32, r.y as f32, r.z as f32, 0.0]);
        Self { rows, texel: 0.0, side, height: Vec::new() }
    }

    fn apply(&self, p: Local) -> [f32; 3] {
        self.rows.map(|r| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3])
    }

    /// Draws all triangles, whose vertices are at `points`, into an empty map.
    fn fill(&mut self, triangles: &[[u32; 3]], points: &[Local]) {
        let mut seen: Vec<[f32; 3]> = points.iter().map(|p| self.apply(*p)).collect();
        // Two free texels on each side: outside of the map everything is lit.
        for axis in 0..2 {
            let (lo, hi) = seen.iter().fold((f32::MAX, f32::MIN), |(lo, hi), q| (lo.min(q[axis]), hi.max(q[axis])));
            let scale = (self.side as f32 - 5.0) / (hi - lo).max(f32::MIN_POSITIVE.sqrt());
            self.texel = self.texel.max(1.0 / scale);
            self.rows[axis] = self.rows[axis].map(|r| r * scale);
            self.rows[axis][3] = 2.0 - lo * scale;
            for q in &mut seen {
                q[axis] = q[axis] * scale + (2.0 - lo * scale);
            }
        }
        self.height = vec![f32::NEG_INFINITY; self.side * self.side];
        // Most triangles of a fine mesh are smaller than a texel: with all corners in one column or one row of cells
        // they hold no texel, which costs two comparisons when each vertex knows its cell.
        let cell: Vec<u32> = seen.iter().map(|q| (q[0] as u32) << 16 | (q[1] as u32 & 0xffff)).collect();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|v| cell[v as usize]);
            let differ = (a ^ b) | (a ^ c);
            if differ > 0xffff && differ & 0xffff != 0 {
                self.draw(triangle.map(|v| seen[v as usize]));
            }
        }
    }

    /// Raises the map to a triangle given in texels and height.
    fn draw(&mut self, [a, b, c]: [[f32; 3]; 3]) {
        let x0 = (a[0].min(b[0]).min(c[0]) as u32).saturating_add(1);
        let x_end = (a[0].max(b[0]).max(c[0]) as u32).saturating_add(1).min(self.side as u32);
        let y0 = (a[1].min(b[1]).min(c[1]) as u32).saturating_add(1);
        let y_end = (a[1].max(b[1]).max(c[1]) as u32).saturating_add(1).min(self.side as u32);
        // Twice the signed area, and the weights of b and c times it: linear in x and y.
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let sign = area.signum();
        let size = area.abs();
        let (bx, by) = (sign * (c[1] - a[1]), sign * (a[0] - c[0]));
        let (cx, cy) = (sign * (a[1] - b[1]), sign * (b[0] - a[0]));
        // Slightly generous: a crack in a depth map lets a dot of light through, an overlap does no harm.
        let slack = 1e-3 * size;
        for y in y0..y_end {
            let row = y as usize * self.side;
            for x in x0..x_end {
                let (px, py) = (x as f32 - a[0], y as f32 - a[1]);
                let (wb, wc) = (px * bx + py * by, px * cx + py * cy);
                if wb.min(wc).min(size - wb - wc) >= -slack && size > 0.0 {
                    let h = a[2] + (wb * (b[2] - a[2]) + wc * (c[2] - a[2])) / size;
                    let texel = &mut self.height[row + x as usize];
                    *texel = texel.max(h);
                }
            }
        }
    }

    /// The heights of the four texels around a point above it [m], negative for those below, and their weights by
    /// nearness; `None` outside of the map.
    #[inline]
    fn around(&self, p: Local) -> Option<([f32; 4], [f32; 4])> {
        let [x, y, h] = self.apply(p);
        let limit = self.side as f32 - 1.0;
        if !(x >= 0.0 && y >= 0.0 && x < limit && y < limit) {
            return None;
        }
        let (i, j) = (x as u32, y as u32);
        let (fx, fy) = (x - i as f32, y - j as f32);
        let k = j as usize * self.side + i as usize;
        let upper = self.height.get(k..k + 2)?;
        let lower = self.height.get(k + self.side..k + self.side + 2)?;
        let above = [upper[0] - h, upper[1] - h, lower[0] - h, lower[1] - h];
        Some((above, [(1.0 - fx) * (1.0 - fy), fx * (1.0 - fy), (1.0 - fx) * fy, fx * fy]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Material, Object, Scene};
    use toile_mesh::TriMesh;

    fn square_at(height: f64) -> TriMesh {
        let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
        let positions = corners.map(|[x, z]| DVec3::new(x, height, z)).into();
        TriMesh::from_indices(positions, &[[0, 1, 2], [0, 2, 3]])
    }

    fn filled(geometry: &Geometry, direction: DVec3) -> FarLight {
        let mut map = DepthMap::empty(direction, 64);
        let points: Vec<Local> = geometry.positions.iter().map(|p| p.as_vec3().to_array()).collect();
        let triangles: Vec<[u32; 3]> = geometry.faces.iter().map(|f| f.corners).collect();
        map.fill(&triangles, &points);
        FarLight { direction, irradiance: DVec3::ONE, role: Role::Key, spacing: 0.0, map }
    }

    #[test]
    fn a_square_shades_what_is_under_it_and_nothing_else() {
        let mesh = square_at(1.0);
        let geometry = Geometry::new(&Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.5; 3]))]));
        let above = filled(&geometry, DVec3::Y);
        // A slanted light moves the shadow: with l = (1, 1, 0)/√2 the middle of it is at x = −1.
        let slanted = filled(&geometry, DVec3::new(1.0, 1.0, 0.0).normalize());
        let cases = [
            (&above, [0.0, 0.0, 0.0], 0.0),
            (&above, [0.9, 0.0, -0.9], 0.0),
            (&above, [0.0, 1.1, 0.0], 1.0),
            (&above, [1.1, 0.0, 0.0], 1.0),
            (&slanted, [-1.9, 0.0, 0.0], 0.0),
            (&slanted, [0.2, 0.0, 0.0], 1.0),
        ];
        for (light, p, expected) in cases {
            assert_eq!(light.visibility(p, [0.0; 3]), expected, "at {p:?}");
        }
        let (gap, share) = above.blocker([0.3, 0.25, 0.1], [0.0; 3]);
        assert!((gap - 0.75).abs() < 1e-5 && share == 1.0);
    }

    #[test]
    fn a_flat_sheet_does_not_shade_itself() {
        let mesh = square_at(0.0);
        let geometry = Geometry::new(&Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.5; 3]))]));
        let camera = Camera::look_at(DVec3::new(0.0, 1.0, 4.0), DVec3::ZERO, 30.0);
        let studio = Studio::new(&geometry, &camera, &Light::default(), Quality::Draft);
        for light in &studio.lights {
            for x in [-0.83, -0.11, 0.37, 0.71] {
                let p = studio.local(DVec3::new(x, 0.0, 0.29));
                assert!(light.visibility(p, [0.0, 1.0, 0.0]) > 0.999, "{:?}", light.direction);
            }
        }
    }
}
