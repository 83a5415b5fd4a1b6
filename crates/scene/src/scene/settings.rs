//! The tables of a scene that only scenes have: dressing, output, camera.

use toile_schema::{choice, section};

section! {
    /// How garments are put on before the scene begins.
    pub struct Dressing {
        /// Longest time to drape for; a garment that rests is done earlier.
        most_time: f64 = 8.0, ["s"] within(0, 1000);
        /// Place all garments of a body over each other and sew them at once, rather than one after the other by their layers.
        together: bool = false;
    }
}

choice! {
    /// Format of the moving preview.
    pub enum Animation {
        /// GIF: 256 colours, shown everywhere.
        Gif = "gif",
        /// Animated PNG: all colours, larger.
        Apng = "apng",
        /// No moving preview.
        None = "none",
    }
}

choice! {
    /// What the colours in pictures show.
    pub enum Values {
        /// The colours of the cloth.
        None = "none",
        /// Strain of the edges, as a colour scale.
        Strain = "strain",
    }
}

section! {
    /// What a run writes.
    pub struct Output {
        /// One OBJ mesh per frame, with all cloth.
        obj: bool = false;
        /// `result.obj` with all objects at the start and their texture coordinates, and for each that moves a point cache
        /// `pc2/NAME.pc2` with the same vertices.
        pc2: bool = true;
        /// `result.glb`, the motion as glTF: morph targets for cloth, skins for bodies, moving nodes for other obstacles; strain of the
        /// last frame as an attribute, texture coordinates from the cut.
        glb: bool = true;
        /// `result.usda`, the motion as USD: points and strain over time, texture coordinates from the cut. A text, and so larger.
        usda: bool = false;
        /// Format of the moving preview.
        animation: Animation = Animation::Gif;
        /// Width and height of the still picture.
        picture: [u32; 2] = [1280, 720], ["px"] within(16, 8192);
        /// Width and height of the moving preview.
        animation_size: [u32; 2] = [640, 360], ["px"] within(16, 4096);
        /// What the colours in pictures show.
        values: Values = Values::None;
        /// Write a checkpoint every so many frames; 0 writes none.
        checkpoint_every: u32 = 0, ["frames"] within(0, 100_000);
        /// Let the judge look for intersections in every so many frames; 0 is never.
        judge_every: u32 = 1, ["frames"] within(0, 100_000);
    }
}

section! {
    /// Where the pictures are taken from.
    pub struct Camera {
        /// Direction of the camera round the y axis, 0 looks from +z and 90 from +x.
        azimuth_deg: f64 = 30.0, ["°"] within(-360, 360);
        /// Height of the camera above the horizon.
        elevation_deg: f64 = 20.0, ["°"] within(-90, 90);
        /// Point in the middle of the picture; left out, the middle of the scene.
        target: Option<[f64; 3]> = None, ["m"] within(-10_000.0, 10_000.0);
        /// Distance from the target; left out, far enough to see everything.
        distance: Option<f64> = None, ["m"] above(0, 10_000.0);
        /// Vertical opening angle.
        fov_deg: f64 = 28.0, ["°"] within(1, 150);
    }
}
