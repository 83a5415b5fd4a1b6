//! Light to eye: surfaces, ground and backdrop, in linear light.
//!
//! A surface sends to the eye `colour · (E + bounce) + sheen · (1 − n·v)³ · E + highlight`, with the irradiance
//! `E = Σ E_l max(0, n·l) V_l` over the studio's lights. A fabric lets a share of the light on its far side through.
//! The ground is a shadow catcher: the backdrop times `E / E₀`, `E₀` without any object; where nothing is
//! shaded it is the backdrop itself, so it has no visible end.

use toile_mesh::DVec3;

use crate::render::ground::GroundShadow;
use crate::render::light::{Local, Role, Studio};
use crate::render::surface::{Hit, linear};
use crate::{Backdrop, Material};

/// How dark full shadow on the ground is: 1 is as dark as the light allows.
const GROUND_SHADOW: f64 = 0.86;

pub(crate) struct Shader<'a> {
    pub(crate) studio: &'a Studio,
    /// Material of each object, and whether it shows values.
    pub(crate) materials: Vec<(&'a Material, bool)>,
    pub(crate) eye: DVec3,
    shadow: GroundShadow,
    top: DVec3,
    bottom: DVec3,
}

impl<'a> Shader<'a> {
    pub(crate) fn new(
        studio: &'a Studio,
        shadow: GroundShadow,
        materials: Vec<(&'a Material, bool)>,
        eye: DVec3,
        backdrop: &Backdrop,
    ) -> Self {
        Self { studio, materials, eye, shadow, top: linear(backdrop.top), bottom: linear(backdrop.bottom) }
    }

    /// Light from surface points to the eye, in the order of the points.
    ///
    /// Points of one tile are neighbours in the depth maps, too: going through them light by light keeps one small
    /// part of one map at hand at a time.
    pub(crate) fn surfaces(&self, hits: &[Hit]) -> Vec<DVec3> {
        let points: Vec<Lit> = hits.iter().map(|hit| self.lit_point(hit)).collect();
        let mut received = vec![Received::default(); hits.len()];
        for light in &self.studio.lights {
            let l = light.direction.as_vec3().to_array();
            let colour = light.irradiance.as_vec3().to_array();
            for (point, sum) in points.iter().zip(&mut received) {
                let n = point.normal;
                let cos = n[0] * l[0] + n[1] * l[1] + n[2] * l[2];
                if cos > 0.0 {
                    let seen = light.visibility(point.position, n);
                    sum.add(colour, cos * seen);
                    match light.role {
                        Role::Key => sum.key += seen,
                        Role::Dome => sum.dome += cos * seen,
                        Role::Rim => {}
                    }
                } else if point.translucency > 0.0 && light.role == Role::Key {
                    let behind = light.visibility(point.position, n.map(|c| -c));
                    sum.add(colour, -cos * behind * point.translucency);
                }
                if light.role == Role::Dome {
                    sum.open_dome += cos.max(0.0);
                }
            }
        }
        hits.iter().zip(&received).map(|(hit, received)| self.reflected(hit, received)).collect()
    }

    fn lit_point(&self, hit: &Hit) -> Lit {
        let translucency = self.materials[hit.object as usize].0.translucency.clamp(0.0, 1.0);
        Lit { position: self.studio.local(hit.position), normal: hit.normal.as_vec3().to_array(), translucency }
    }

    /// Light sent to the eye for the light received.
    fn reflected(&self, hit: &Hit, received: &Received) -> DVec3 {
        let (material, shows_values) = self.materials[hit.object as usize];
        let n = hit.normal;
        let view = (self.eye - hit.position).normalize_or(n);
        // Light that comes back from the floor and the room; little of it finds its way into deep folds.
        let openness = f64::from(received.dome / received.open_dome.max(1e-9));
        let bounce = DVec3::new(0.20, 0.19, 0.18) * ((0.62 - 0.38 * n.y) * (0.35 + 0.65 * openness));
        let mut irradiance = DVec3::from(received.light.map(f64::from)) + bounce;
        if shows_values {
            // Colours that carry numbers must stay readable in the shade.
            irradiance = irradiance.lerp(DVec3::splat(0.85), 0.45);
        }
        let grazing = (1.0 - n.dot(view).clamp(0.0, 1.0)).powi(3);
        let fuzz = hit.colour.lerp(DVec3::ONE, 0.35) * (0.5 * f64::from(material.sheen) * grazing);
        let half = (view + self.studio.key).normalize_or_zero();
        let keys = self.studio.lights.iter().filter(|l| l.role == Role::Key).count().max(1);
        let mirror = n.dot(half).max(0.0).powi(48) * f64::from(received.key) / keys as f64;
        let polish = f64::from(material.gloss) * (0.9 * mirror + 0.25 * grazing * openness);
        tone((hit.colour + fuzz) * irradiance + DVec3::splat(polish))
    }

    /// The ground's share of the backdrop at a world point.
    pub(crate) fn ground(&self, p: DVec3) -> DVec3 {
        DVec3::ONE.lerp(self.shadow.at(p), GROUND_SHADOW)
    }

    /// The backdrop at a place of the picture, `x` and `y` in 0–1 from the upper left.
    pub(crate) fn backdrop(&self, x: f64, y: f64) -> DVec3 {
        let t = y * y * (3.0 - 2.0 * y);
        let (dx, dy) = (x - 0.5, y - 0.62);
        let pool = 1.0 + 0.16 * (-(dx * dx * 3.2 + dy * dy * 4.5)).exp() - 0.06;
        self.top.lerp(self.bottom, t) * pool
    }
}

/// A surface point as the lights see it.
struct Lit {
    position: Local,
    normal: Local,
    translucency: f32,
}

/// Sums over the lights at one point.
#[derive(Clone, Copy, Default)]
struct Received {
    /// Irradiance, linear rgb.
    light: [f32; 3],
    /// Key lights seen.
    key: f32,
    /// Dome lights seen and all of them, each times its cosine.
    dome: f32,
    open_dome: f32,
}

impl Received {
    fn add(&mut self, colour: [f32; 3], factor: f32) {
        for (sum, c) in self.light.iter_mut().zip(colour) {
            *sum += c * factor;
        }
    }
}

/// Keeps colours up to `KNEE` and bends brighter ones towards 1, so that highlights keep their shape.
fn tone(c: DVec3) -> DVec3 {
    const KNEE: f64 = 0.75;
    c.map(|c| if c <= KNEE { c.max(0.0) } else { KNEE + (1.0 - KNEE) * (1.0 - (-(c - KNEE) / (1.0 - KNEE)).exp()) })
}
