//! [`Item`]: one object of a result; [`Items`]: all of them with their frames.

use miette::Result;
use toile_files::glb::GlbPose;
use toile_mesh::{DVec3, VertexId};

use super::bones::Bones;

/// How an item moves.
pub(crate) enum Way {
    Still,
    /// As one body: for each frame, how the item, centred at the origin, goes where it is then.
    Rigid(Vec<GlbPose>),
    /// As a skin over bones.
    Skinned(Box<Bones>),
    /// Every vertex on its own.
    Free,
}

/// One object of a result, without its positions.
pub(crate) struct Item {
    /// Its name: that of the garment, the body or the obstacle.
    pub(crate) name: String,
    /// Name of its material: that of the fabric, or what it is.
    pub(crate) material: String,
    /// Colour of its material: linear red, green, blue.
    pub(crate) color: [f32; 3],
    pub(crate) triangles: Vec<[VertexId; 3]>,
    /// Places of the corners on a texture, `v` downwards.
    pub(crate) uv: Option<Vec<[[f32; 2]; 3]>>,
    /// Names and values of vertices at the last frame; names as glTF wants them, as `_STRAIN`.
    pub(crate) values: Vec<(String, Vec<f32>)>,
    pub(crate) way: Way,
}

impl Item {
    /// Places of the corners on a texture with `v` upwards, as OBJ and USD count it.
    pub(crate) fn uv_upwards(&self) -> Option<Vec<[[f32; 2]; 3]>> {
        let turned = |uv: &Vec<[[f32; 2]; 3]>| uv.iter().map(|corners| corners.map(|[u, v]| [u, 1.0 - v])).collect();
        self.uv.as_ref().map(turned)
    }
}

/// The items of a result, and where they are in each of its frames.
pub(crate) trait Items {
    fn items(&self) -> &[Item];

    /// Number of frames; 1 for what does not move.
    fn frames(&self) -> usize;

    /// Frames per second [1/s].
    fn rate(&self) -> f64;

    /// Time of a frame [s].
    fn time(&self, frame: usize) -> f64;

    /// Positions of an item in a frame [m].
    fn positions(&self, item: usize, frame: usize) -> Result<Vec<DVec3>>;

    /// Strain of the vertices of an item in a frame; nothing for what is no cloth, or if only the last frame is known.
    fn strain(&self, item: usize, frame: usize) -> Result<Option<Vec<f32>>>;
}
