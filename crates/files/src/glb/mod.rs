//! GLB, the binary form of glTF 2.0 (Khronos 2021).
//!
//! Written: objects that stand still, move or deform, for Blender, engines and web viewers. Read: any triangles with morph targets,
//! skins and the first animation ([`RiggedScene`](crate::RiggedScene)).
//!
//! | object | written as |
//! |---|---|
//! | stands still, or has one frame | a mesh |
//! | moves as one body | a mesh whose node is animated |
//! | deforms | a mesh with one morph target per frame |
//! | follows joints | a skin, and morph targets for what joints alone cannot do |
//!
//! Morph target `k` holds the displacement `x_k − x` of every vertex from the base position; the animation gives target `k` the
//! weight 1 at time `k / fps` and 0 at all other keys, so that at every key the object stands exactly where the frame says (to
//! `f32`), and in between it is interpolated as [`GlbInterpolation`] says. Each frame costs 12 bytes per vertex, 24 with
//! [`GlbNormals::PerFrame`], and the weights grow with the square of the frames: above some hundred frames a
//! [point cache](crate::pc2) is the better choice.
//!
//! Blender 4.5 makes shape keys, armatures and actions of this; `_STRAIN` and its like become float attributes of the points. It
//! places the first frame at its frame 0, converts y up to z up, and leaves out vertices that no triangle uses.
//!
//! Corners of triangles may have places on a texture; a vertex with several of them, in a seam, is written several times.
//!
//! Positions are in metres, y up, as the simulation has them: that is what glTF asks for.

mod binary;
mod document;
mod object;
mod read;
mod scene;
mod skin;
mod texture;

pub use object::{GlbNormals, GlbObject};
pub use read::{MOST_NUMBERS, MOST_VERTICES, parse_glb, read_glb};
pub use scene::{GlbInterpolation, GlbScene};
pub use skin::{GlbJoint, GlbPose, GlbSkin};
