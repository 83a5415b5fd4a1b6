//! Pictures of a garment on a body: front, side and back, all of them in one, and once around.

use miette::{IntoDiagnostic, Result};
use rayon::prelude::*;
use toile_mesh::{Aabb, DVec3, TriMesh};
use toile_tailor::{Wearer, WornGarment};
use toile_view::{Camera, Image, Material, Object, Quality, Scene, VertexValues, encode, render};

use super::Tried;

/// Colour of skin.
pub(super) const SKIN: [f32; 3] = [0.86, 0.76, 0.68];
/// Colours of fabrics by a part of their name; the last is that of all others.
const FABRICS: [(&str, [f32; 3]); 10] = [
    ("denim", [0.20, 0.28, 0.45]),
    ("melton", [0.36, 0.20, 0.24]),
    ("wool", [0.34, 0.35, 0.40]),
    ("silk", [0.66, 0.42, 0.50]),
    ("chiffon", [0.62, 0.55, 0.68]),
    ("linen", [0.74, 0.68, 0.55]),
    ("velvet", [0.38, 0.12, 0.20]),
    ("leather", [0.27, 0.19, 0.15]),
    ("canvas", [0.60, 0.56, 0.44]),
    ("", [0.30, 0.45, 0.62]),
];

/// Width of a view over its height.
const ASPECT: f64 = 0.8;
/// Name of each view, and the angle of the camera around the body [°].
pub(super) const VIEWS: [(&str, f64); 3] = [("front.png", 0.0), ("side.png", 75.0), ("back.png", 180.0)];
/// Distance of the camera over what a view shows.
const DISTANCE: f64 = 5.0;
/// How much of the body is shown above and below the garment [m].
const ABOVE: f64 = 0.32;
const BELOW: f64 = 0.26;
/// Share of a view that stays free at its rim.
const RIM: f64 = 0.06;

/// Views of a turntable, their height over that of other views, and the time for each [ms].
const TURNS: u32 = 24;
const TURNTABLE: f64 = 0.4;
const TURN_MS: u16 = 110;

/// Garment and body, ready to be drawn.
pub(crate) struct Stage {
    pub(super) garment: TriMesh,
    /// What is worn below it, with its colours.
    below: Vec<(TriMesh, [f32; 3])>,
    body: TriMesh,
    colour: [f32; 3],
    /// Middle of what is shown, and its height [m].
    middle: DVec3,
    shown: f64,
    /// Height of a view [pixels].
    height: u32,
}

/// The colour in which a fabric is drawn.
pub(super) fn colour(fabric: &str) -> [f32; 3] {
    FABRICS.iter().find(|(part, _)| fabric.contains(part)).map_or(FABRICS[FABRICS.len() - 1].1, |(_, colour)| *colour)
}

impl Stage {
    pub(super) fn new(tried: &Tried) -> Self {
        Self::of(&tried.dressed.garments, tried.place, tried.wearer(), tried.picture_height)
    }

    /// One of the garments that are worn, with what is below it; views are `height` pixels high.
    pub(crate) fn of(worn: &[WornGarment], place: usize, wearer: &Wearer, height: u32) -> Self {
        let (garment, body) = (worn[place].mesh(), wearer.mesh.clone());
        let below = worn[..place].iter().map(|garment| (garment.mesh(), colour(garment.fabric()))).collect();
        let (inner, outer) = (garment.bounds(), body.bounds());
        let low = inner.min.y.min(outer.min.y.max(inner.min.y - BELOW));
        let high = inner.max.y.max(outer.max.y.min(inner.max.y + ABOVE));
        let centre = inner.centre();
        // From the side a garment is as wide as it is deep; all views are shown at one scale.
        let width = 2.0 * horizontal_reach(inner, centre);
        Self {
            garment,
            below,
            body,
            colour: colour(worn[place].fabric()),
            middle: DVec3 { y: 0.5 * (low + high), ..centre },
            shown: (1.0 + 2.0 * RIM) * (high - low).max(width / ASPECT),
            height,
        }
    }

    /// What all stages need to be shown at one scale.
    pub(super) fn frame(&self) -> [f64; 2] {
        [self.middle.y, self.shown]
    }

    /// Shows as much as another stage.
    pub(super) fn reframe(&mut self, [middle, shown]: [f64; 2]) {
        self.middle.y = middle;
        self.shown = shown;
    }

    /// One view, `scale` times as high as others, with values on the garment or in its own colour.
    pub(crate) fn shoot(
        &self,
        azimuth: f64,
        scale: f64,
        values: Option<VertexValues<'_>>,
        caption: &str,
        quality: Quality,
    ) -> Image {
        let mut garment = Object::cloth(&self.garment, Material::fabric(self.colour));
        garment.values = values;
        let mut objects = vec![garment, Object::solid(&self.body, Material::solid(SKIN))];
        objects.extend(self.below.iter().map(|(mesh, colour)| Object::cloth(mesh, Material::fabric(*colour))));
        let mut scene = Scene::new(objects).on_ground(0.0);
        caption.clone_into(&mut scene.caption);
        scene.quality = quality;
        let (sin, cos) = azimuth.to_radians().sin_cos();
        let eye = self.middle + DVec3::new(sin, 0.08, cos) * (DISTANCE * self.shown);
        let angle = 2.0 * (0.5 / DISTANCE).atan().to_degrees();
        let height = scale * f64::from(self.height);
        render(
            &scene,
            &Camera::look_at(eye, self.middle, angle),
            (ASPECT * height).round() as u32,
            height.round() as u32,
        )
    }

    /// The pictures as PNG, with their names.
    pub(super) fn pictures(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let views = VIEWS.map(|(name, azimuth)| (name, self.shoot(azimuth, 1.0, None, "", Quality::Good)));
        let all = ("views.png", side_by_side(&views.each_ref().map(|(_, view)| view)));
        let views: Vec<_> = views.into_iter().chain([all]).collect();
        views.par_iter().map(|(name, view)| Ok((*name, encode::png(view).into_diagnostic()?))).collect()
    }

    /// Once around the body, as GIF.
    pub(super) fn turntable(&self) -> Result<Vec<u8>> {
        let azimuth = |k: u32| 360.0 * f64::from(k) / f64::from(TURNS);
        let views: Vec<Image> =
            (0..TURNS).map(|k| self.shoot(azimuth(k), TURNTABLE, None, "", Quality::Draft)).collect();
        encode::gif(&views, TURN_MS).into_diagnostic()
    }
}

/// Half the width that a box needs, seen from anywhere around a point.
fn horizontal_reach(bounds: Aabb, centre: DVec3) -> f64 {
    let far = (bounds.max - centre).max(centre - bounds.min);
    far.x.max(far.z)
}

/// Pictures in a row.
pub(super) fn side_by_side(pictures: &[&Image]) -> Image {
    let width = pictures.iter().map(|picture| picture.width()).sum();
    let height = pictures.iter().map(|picture| picture.height()).max().unwrap_or(1);
    let mut sheet = Image::filled(width, height, [255; 3]);
    let mut left = 0;
    for picture in pictures {
        sheet.paste(picture, left, 0);
        left += picture.width();
    }
    sheet
}
