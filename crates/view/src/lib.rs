//! Software rendering: cameras, shading, colour maps, pictures and animations.

mod camera;
mod colour;
pub mod encode;
mod font;
mod image;
mod markup;
mod number;
mod overlay;
pub mod page;
pub mod plot;
mod render;
mod scene;

pub use camera::{Camera, FRAMING_FOV_DEG};
pub use colour::{ColourMap, linear_from_srgb, srgb_from_linear};
pub use image::{Image, MAX_SIDE};
pub use render::render;
pub use scene::{Backdrop, Light, Material, Object, Pattern, Quality, Scene, VertexValues};
