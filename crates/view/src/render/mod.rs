//! From scene to picture: geometry → screen triangles → tiles → shaded samples → pixels.
//!
//! Each sample of a `k × k` grid per pixel finds its nearest triangle; samples of a pixel that see the same side of
//! the same object at nearly the same depth are shaded once, at their mean. Tiles are independent of each other and
//! of the number of threads, so equal input gives equal bytes.

mod geometry;
mod ground;
mod light;
mod project;
mod shade;
mod surface;
mod tile;

use rayon::prelude::*;
use toile_mesh::DVec3;

use crate::colour::SrgbTable;
use crate::image::MAX_SIDE;
use crate::{Camera, Image, Quality, Scene, overlay};
use geometry::Geometry;
use ground::GroundShadow;
use light::Studio;
use project::{Screen, project};
use shade::Shader;
use surface::{Hit, Paint, Surfaces};
use tile::{Bins, NOTHING, TILE, Visibility};

/// Samples of one pixel belong together when their depths differ by less than this share of the depth.
const SAME_DEPTH: f64 = 0.01;

/// Draws a scene. Sides are clamped to `1..=`[`MAX_SIDE`].
///
/// Never fails: what cannot be drawn (non-finite vertices, missing indices, triangles behind the camera) is left out.
/// Legends of objects with values and the caption are drawn on top.
pub fn render(scene: &Scene, camera: &Camera, width: u32, height: u32) -> Image {
    let (width, height) = (width.clamp(1, MAX_SIDE), height.clamp(1, MAX_SIDE));
    let per_side = if scene.quality == Quality::Fine { 4 } else { 2 };
    let geometry = Geometry::new(scene);
    let screen = Screen::new(*camera, [width * per_side, height * per_side], near_distance(scene, camera));
    let triangles = project(&geometry, &screen);
    let bins = Bins::new(&triangles, screen.samples);
    let studio = Studio::new(&geometry, camera, &scene.light, scene.quality);
    let materials = scene.objects.iter().map(|o| (&o.material, o.values.is_some())).collect();
    let ground = scene.ground.filter(|h| h.is_finite() && *h < camera.eye.y);
    let shadow = GroundShadow::new(&studio, geometry.bounds(), ground, scene.quality);
    let frame = Frame {
        surfaces: Surfaces {
            geometry: &geometry,
            screen: &screen,
            paints: &Paint::of_scene(scene),
            samples_per_pixel: f64::from(per_side),
        },
        shader: Shader::new(&studio, shadow, materials, camera.eye, &scene.backdrop),
        ground,
        srgb: SrgbTable::new(),
        per_side: per_side as usize,
        size: [width as usize, height as usize],
    };
    let tiles: Vec<Vec<[u8; 3]>> = (0..bins.columns * bins.rows)
        .into_par_iter()
        .map(|number| {
            let origin = [number % bins.columns * TILE, number / bins.columns * TILE];
            let mut visibility = Visibility::new(origin);
            for t in bins.of(number) {
                visibility.draw(&triangles[*t as usize]);
            }
            frame.shade_tile(&visibility, origin)
        })
        .collect();
    let mut image = Image::filled(width, height, [0; 3]);
    let pixels = TILE / per_side as usize;
    for (number, tile) in tiles.iter().enumerate() {
        let (x0, y0) = (number % bins.columns * pixels, number / bins.columns * pixels);
        for (k, colour) in tile.iter().enumerate() {
            image.put((x0 + k % pixels) as u32, (y0 + k / pixels) as u32, *colour);
        }
    }
    overlay::draw(&mut image, scene);
    image
}

/// Nearest visible depth [m]: a small share of the distance to the scene, whatever its scale.
fn near_distance(scene: &Scene, camera: &Camera) -> f64 {
    let bounds = scene.bounds();
    let distance = if bounds.is_empty() { 1.0 } else { (bounds.centre() - camera.eye).length() };
    if distance.is_finite() { (1e-3 * distance).clamp(1e-9, 1e-2) } else { 1e-2 }
}

/// What all tiles share.
struct Frame<'a> {
    surfaces: Surfaces<'a>,
    shader: Shader<'a>,
    ground: Option<f64>,
    srgb: SrgbTable,
    per_side: usize,
    size: [usize; 2],
}

/// What one sample shows.
enum Seen {
    Surface(Hit),
    Ground,
    Backdrop,
}

impl Frame<'_> {
    /// Pixels of one tile, row by row.
    fn shade_tile(&self, visibility: &Visibility, origin: [usize; 2]) -> Vec<[u8; 3]> {
        let pixels = TILE / self.per_side;
        let mut light = vec![DVec3::ZERO; pixels * pixels];
        let mut hits = Vec::new();
        let mut targets: Vec<(usize, f64)> = Vec::new();
        for (k, sum) in light.iter_mut().enumerate() {
            let local = [k % pixels, k / pixels];
            let at = [0, 1].map(|c| origin[c] / self.per_side + local[c]);
            if at[0] < self.size[0] && at[1] < self.size[1] {
                let first = hits.len();
                *sum = self.gather_pixel(visibility, local, at, &mut hits);
                targets.resize(hits.len(), (k, 0.0));
                for (hit, (_, share)) in hits[first..].iter_mut().zip(&mut targets[first..]) {
                    *share = hit.samples / (self.per_side * self.per_side) as f64;
                    hit.finish();
                }
            }
        }
        for ((k, share), reflected) in targets.into_iter().zip(self.shader.surfaces(&hits)) {
            light[k] += reflected * share;
        }
        light.into_iter().map(|c| c.to_array().map(|c| self.srgb.byte(c))).collect()
    }

    /// Appends the surfaces seen by the pixel `local` of the tile, which is `at` in the picture; returns the linear
    /// light of what is behind them.
    fn gather_pixel(&self, seen: &Visibility, local: [usize; 2], at: [usize; 2], hits: &mut Vec<Hit>) -> DVec3 {
        let n = self.per_side;
        let all = (n * n) as f64;
        let corner = local[1] * n * TILE + local[0] * n;
        let samples = || (0..n * n).map(|k| (k % n, k / n));
        let middle = at.map(|c| (c * n) as f64 + 0.5 * n as f64);
        let face = seen.face[corner];
        let first_hit = hits.len();
        let (mut ground, mut backdrop) = (0.0, 0.0);
        let mut count = |seen: Seen, samples: f64| match seen {
            Seen::Surface(hit) => gather(hits, first_hit, hit, samples),
            Seen::Ground => ground += samples,
            Seen::Backdrop => backdrop += samples,
        };
        if samples().all(|(i, j)| seen.face[corner + j * TILE + i] == face) && self.is_clear_of_ground(face) {
            // Most pixels: one triangle, or none.
            count(self.see(face, seen.inv_z[corner], middle[0], middle[1]), all);
        } else {
            for (i, j) in samples() {
                let k = corner + j * TILE + i;
                let [x, y] = [at[0] * n + i, at[1] * n + j].map(|c| c as f64 + 0.5);
                count(self.see(seen.face[k], seen.inv_z[k], x, y), 1.0);
            }
        }
        if ground + backdrop == 0.0 {
            return DVec3::ZERO;
        }
        let place = [0, 1].map(|k| (at[k] as f64 + 0.5) / self.size[k] as f64);
        let point = self.ground_point(self.surfaces.screen.ray(middle[0], middle[1]));
        let share = point.filter(|_| ground > 0.0).map_or(DVec3::ONE, |(p, _)| self.shader.ground(p));
        self.shader.backdrop(place[0], place[1]) * (share * ground + backdrop) / all
    }

    /// Whether the ground does not cut through a face.
    fn is_clear_of_ground(&self, face: u32) -> bool {
        let Some(face) = self.surfaces.geometry.faces.get(face as usize) else { return true };
        self.ground.is_none_or(|height| self.surfaces.geometry.corners(face).iter().all(|p| p.y > height))
    }

    fn see(&self, face: u32, inv_z: f32, x: f64, y: f64) -> Seen {
        let ground = self.ground_point(self.surfaces.screen.ray(x, y));
        match ground {
            Some((_, depth)) if depth * f64::from(inv_z) < 1.0 => Seen::Ground,
            _ if face != NOTHING => Seen::Surface(self.surfaces.hit(face, x, y)),
            _ => Seen::Backdrop,
        }
    }

    /// Where a ray in camera coordinates meets the ground, and at what depth.
    fn ground_point(&self, ray: DVec3) -> Option<(DVec3, f64)> {
        let height = self.ground?;
        let camera = &self.surfaces.screen.camera;
        let d = camera.to_world_direction(ray);
        let depth = (height - camera.eye.y) / d.y;
        (d.y < 0.0 && depth.is_finite()).then(|| (camera.eye + d * depth, depth))
    }
}

/// Adds a hit to the group it belongs to among those from `first` on, or starts one.
fn gather(hits: &mut Vec<Hit>, first: usize, hit: Hit, samples: f64) {
    let group = hits[first..].iter_mut().find(|h| {
        h.object == hit.object && h.is_front == hit.is_front && (h.depth - hit.depth).abs() < SAME_DEPTH * h.depth
    });
    match group {
        Some(sum) => {
            sum.position += hit.position;
            sum.normal += hit.normal;
            sum.colour += hit.colour;
            sum.parts += 1.0;
            sum.samples += samples;
        }
        None => hits.push(Hit { samples, ..hit }),
    }
}
