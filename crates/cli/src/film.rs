//! [`Film`]: stills and animations of a recorded run.

use miette::{IntoDiagnostic, Result};
use toile_mesh::{Aabb, DVec3};
use toile_scene::{LoggedFrame, RunReader, Values};
use toile_view::page::Media;
use toile_view::{Camera, Image, Quality, encode};

use crate::picture::{self, Shot};

/// A run that is to be drawn, and how.
pub(crate) struct Film {
    run: RunReader,
    /// Whether the cloth is coloured by strain.
    pub(crate) strain: bool,
    /// Angles of the camera instead of the scene's [deg]. They show the whole from there, whatever point the scene's
    /// camera looks at.
    pub(crate) azimuth: Option<f64>,
    pub(crate) elevation: Option<f64>,
}

impl Film {
    pub(crate) fn new(run: RunReader) -> Self {
        let strain = run.scene().output.values == Values::Strain;
        Self { run, strain, azimuth: None, elevation: None }
    }

    pub(crate) fn run(&self) -> &RunReader {
        &self.run
    }

    /// One frame, as large in the picture as it can be.
    pub(crate) fn still(&self, frame: usize, size: [u32; 2], quality: Quality) -> Result<Image> {
        let positions = self.run.positions(frame)?;
        let camera = self.camera(self.bounds(frame, &positions), size);
        Ok(self.shoot(frame, &positions, &camera, size, quality))
    }

    /// Every `step`-th frame from one camera that sees all of them, encoded.
    pub(crate) fn animation(&self, media: Media, size: [u32; 2], step: usize) -> Result<Vec<u8>> {
        let frames: Vec<usize> = (0..self.run.frame_count()).step_by(step).collect();
        let positions: Vec<Vec<DVec3>> = frames.iter().map(|f| self.run.positions(*f)).collect::<Result<_, _>>()?;
        let shown = || frames.iter().copied().zip(&positions);
        let bounds = shown().fold(Aabb::EMPTY, |b, (f, x)| b.union(self.bounds(f, x)));
        let camera = self.camera(bounds, size);
        let images: Vec<Image> = shown().map(|(f, x)| self.shoot(f, x, &camera, size, Quality::Draft)).collect();
        let delay = 1000.0 * step as f64 / self.run.scene().time.frame_rate;
        let delay_ms = delay.round().clamp(1.0, f64::from(u16::MAX)) as u16;
        match media {
            Media::Gif => encode::gif(&images, delay_ms),
            Media::Png => encode::apng(&images, delay_ms),
        }
        .into_diagnostic()
    }

    fn bounds(&self, frame: usize, positions: &[DVec3]) -> Aabb {
        picture::bounds(self.run.scene(), self.run.world(), positions, self.run.log()[frame].report.time)
    }

    fn camera(&self, bounds: Aabb, [width, height]: [u32; 2]) -> Camera {
        if self.azimuth.is_none() && self.elevation.is_none() {
            return picture::camera(self.run.scene(), bounds, [width, height]);
        }
        let camera = &self.run.scene().camera;
        let azimuth = self.azimuth.unwrap_or(camera.azimuth_deg);
        let elevation = self.elevation.unwrap_or(camera.elevation_deg);
        Camera::framing_with_fov(bounds, azimuth, elevation, f64::from(width) / f64::from(height), camera.fov_deg)
    }

    fn shoot(&self, frame: usize, positions: &[DVec3], camera: &Camera, size: [u32; 2], quality: Quality) -> Image {
        let world = self.run.world();
        let strain = self.strain.then(|| world.particle_strain_at(positions));
        let LoggedFrame { report, verdict } = &self.run.log()[frame];
        let shot = Shot {
            scene: self.run.scene(),
            world,
            positions,
            time: report.time,
            strain: strain.as_deref(),
            marked: verdict.as_ref().map_or(&[], |v| &v.triangles),
            caption: format!("{}   {:.2} s", self.run.scene().name, report.time),
            quality,
        };
        shot.render(camera, size)
    }
}
