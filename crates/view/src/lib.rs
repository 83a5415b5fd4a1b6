//! Software rendering: cameras, shading, colour maps, pictures, animations, charts and report pages.
//!
//! - [`render`] draws a [`Scene`] of [`Object`]s seen by a [`Camera`] into an [`Image`]: soft studio light, shadows,
//!   woven patterns, values on vertices with a legend. No window, no GPU; equal input gives equal bytes for any number
//!   of threads on one machine.
//! - [`encode`] turns images into PNG, APNG and GIF bytes.
//! - [`plot`] draws charts as SVG text, [`page`] builds self-contained HTML.
//!
//! This crate reads and writes no files.
//!
//! ```
//! use toile_mesh::{DVec3, TriMesh};
//! use toile_view::{Camera, Material, Object, Scene, encode, render};
//!
//! let sheet = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, z]| DVec3::new(x, 0.3 * x, -z));
//! let mesh = TriMesh::from_indices(sheet.into(), &[[0, 1, 2], [0, 2, 3]]);
//! let cloth = Object::cloth(&mesh, Material::fabric([0.70, 0.26, 0.21]));
//! let scene = Scene::new(vec![cloth]).on_ground(-0.1);
//! let camera = Camera::framing(scene.bounds(), 30.0, 20.0, 16.0 / 9.0);
//! let png = encode::png(&render(&scene, &camera, 160, 90))?;
//! assert!(png.len() > 100);
//! # Ok::<(), encode::EncodeError>(())
//! ```

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
