//! Light to eye: surfaces, ground and backdrop, in linear light.
//!
//! A surface sends to the eye `colour · (E + bounce) + sheen · (1 − n·v)³ · E + highlight`, with the irradiance
//! `E = Σ E_l max(0, n·l) V_l` over the studio's lights. A fabric lets a share of the light on its far side through.
//! The ground is a shadow catcher: the backdrop times `E / E₀`, `E₀` without any object; where nothing is
//! shaded it is the backdrop itself, so it has no visible end.

use toile_mesh::DVec3;

use crate::render::ground::GroundShadow;
use crate::render::light::{Role, Studio};
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

    /// Light from a surface point to the eye.
    pub(crate) fn surface(&self, hit: &Hit) -> DVec3 {
        let (material, shows_values) = self.materials[hit.object as usize];
        let n = hit.normal;
        let (p, up, down) = (self.studio.local(hit.position), n.as_vec3().to_array(), (-n).as_vec3().to_array());
        let view = (self.eye - hit.position).normalize_or(n);
        let translucency = f64::from(material.translucency).clamp(0.0, 1.0);
        let (mut direct, mut through, mut key_seen, mut dome_seen) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
        let (mut keys, mut domes) = (0.0_f64, 0.0_f64);
        for light in &self.studio.lights {
            let cos = n.dot(light.direction);
            if cos > 0.0 {
                let v = f64::from(light.visibility(p, up));
                direct += light.irradiance * (cos * v);
                match light.role {
                    Role::Key => key_seen += v,
                    Role::Dome => dome_seen += v * cos,
                    Role::Rim => {}
                }
            } else if translucency > 0.0 && light.role == Role::Key {
                through += light.irradiance * (-cos * f64::from(light.visibility(p, down)));
            }
            match light.role {
                Role::Key => keys += 1.0,
                Role::Dome => domes += cos.max(0.0),
                Role::Rim => {}
            }
        }
        // Light that comes back from the floor and the room; little of it finds its way into deep folds.
        let openness = dome_seen / domes.max(1e-9);
        let bounce = DVec3::new(0.20, 0.19, 0.18) * ((0.62 - 0.38 * n.y) * (0.35 + 0.65 * openness));
        let mut received = direct + through * translucency + bounce;
        if shows_values {
            // Colours that carry numbers must stay readable in the shade.
            received = received.lerp(DVec3::splat(0.85), 0.45);
        }
        let mut light = hit.colour * received;
        let grazing = (1.0 - n.dot(view).clamp(0.0, 1.0)).powi(3);
        let fuzz = hit.colour.lerp(DVec3::ONE, 0.35);
        light += fuzz * (direct + bounce) * (0.5 * f64::from(material.sheen) * grazing);
        let half = (view + self.studio.key).normalize_or_zero();
        let mirror = n.dot(half).max(0.0).powi(48) * key_seen / keys.max(1.0);
        light + DVec3::ONE * (f64::from(material.gloss) * (0.9 * mirror + 0.25 * grazing * openness))
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

/// Keeps colours up to `KNEE` and bends brighter ones towards 1, so that highlights keep their shape.
pub(crate) fn tone(c: DVec3) -> DVec3 {
    const KNEE: f64 = 0.75;
    c.map(|c| if c <= KNEE { c.max(0.0) } else { KNEE + (1.0 - KNEE) * (1.0 - (-(c - KNEE) / (1.0 - KNEE)).exp()) })
}
