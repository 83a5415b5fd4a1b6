//! [`GlbAnimation`]: what goes into a GLB file, checked and rounded to `f32` as it comes.

use std::path::Path;

use toile_mesh::{DVec3, TriMesh};

use super::document::glb_bytes;
use crate::{
    ExportError, FileError,
    atomic::write_atomic,
    export_check::{check_finite, check_length, check_triangles, single},
};

/// How the cloth moves between two frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlbInterpolation {
    /// It stays until the next frame.
    Step,
    /// Along straight lines.
    Linear,
}

/// Which normals of the cloth are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlbNormals {
    /// Those of the base mesh. Blender computes its own; web viewers shade later frames wrongly.
    Base,
    /// Those of every frame, for twice the size.
    PerFrame,
}

/// Something that does not move: a body, a floor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GlbObstacle<'a> {
    /// Name of the node.
    pub name: &'a str,
    /// Its surface [m].
    pub mesh: &'a TriMesh,
    /// Base colour: linear red, green, blue from 0 to 1.
    pub color: [f32; 3],
}

/// An array of `f32` triples per vertex.
pub(super) type Triples = Vec<[f32; 3]>;

/// A mesh as it is written.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub(super) name: String,
    pub(super) positions: Triples,
    pub(super) normals: Triples,
    pub(super) indices: Vec<[u32; 3]>,
    pub(super) color: [f32; 3],
}

/// Displacements of one frame from the base.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) positions: Triples,
    /// Only with [`GlbNormals::PerFrame`].
    pub(super) normals: Option<Triples>,
}

/// An animated cloth, built frame by frame and written as one GLB file.
///
/// ```
/// use toile_files::glb::{GlbAnimation, GlbInterpolation, GlbNormals};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let mut animation = GlbAnimation::new("cloth", &mesh, 24.0, GlbInterpolation::Linear, GlbNormals::Base).unwrap();
/// animation.set_strain(&[0.0, 0.01, 0.02]).unwrap();
/// for k in 0..3 {
///     let fallen: Vec<DVec3> = mesh.positions.iter().map(|p| p - DVec3::Y * 0.1 * k as f64).collect();
///     animation.push_frame(&fallen).unwrap();
/// }
/// assert!(animation.to_bytes().unwrap().starts_with(b"glTF"));
/// ```
#[derive(Clone, Debug)]
pub struct GlbAnimation {
    pub(super) cloth: Surface,
    /// The base mesh in `f64`, moved to every frame to compute its normals.
    moved: TriMesh,
    pub(super) fps: f64,
    pub(super) interpolation: GlbInterpolation,
    normals: GlbNormals,
    pub(super) colors: Option<Triples>,
    /// Places of the corners of triangles on a texture.
    pub(super) uv: Option<Vec<[[f32; 2]; 3]>>,
    /// Names and values of the attributes of its own.
    pub(super) attributes: Vec<(String, Vec<f32>)>,
    pub(super) targets: Vec<Target>,
    pub(super) obstacles: Vec<Surface>,
}

impl GlbAnimation {
    /// Starts an animation of `base` with `fps` frames per second [1/s].
    pub fn new(
        name: &str,
        base: &TriMesh,
        fps: f64,
        interpolation: GlbInterpolation,
        normals: GlbNormals,
    ) -> Result<Self, ExportError> {
        // Wider limits would make key times in `f32` infinite or equal.
        if !(1e-3..=1e5).contains(&fps) {
            let value = fps.to_string();
            return Err(ExportError::Setting { what: "frame rate", value, expected: "0.001 to 100000 per second" });
        }
        Ok(Self {
            cloth: surface(name, base, [0.8; 3])?,
            moved: base.clone(),
            fps,
            interpolation,
            normals,
            colors: None,
            uv: None,
            attributes: Vec::new(),
            targets: Vec::new(),
            obstacles: Vec::new(),
        })
    }

    /// Colours the cloth: linear red, green, blue from 0 to 1, shape `[vertices]`.
    pub fn set_colors(&mut self, colors: &[[f32; 3]]) -> Result<(), ExportError> {
        check_length("colors", colors.len(), self.moved.vertex_count())?;
        for &color in colors {
            check_color(color)?;
        }
        self.colors = Some(colors.to_vec());
        Ok(())
    }

    /// Adds the attribute `_STRAIN`, one number per vertex, shape `[vertices]`.
    pub fn set_strain(&mut self, strain: &[f32]) -> Result<(), ExportError> {
        self.set_attribute("_STRAIN", strain)
    }

    /// Adds or replaces an attribute, one number per vertex, shape `[vertices]`. The format wants its name to start with an
    /// underscore.
    pub fn set_attribute(&mut self, name: &str, values: &[f32]) -> Result<(), ExportError> {
        if !name.starts_with('_') {
            let expected = "a name that starts with an underscore";
            return Err(ExportError::Setting { what: "attribute", value: name.to_owned(), expected });
        }
        check_length("attribute", values.len(), self.moved.vertex_count())?;
        check_finite("attribute", values)?;
        self.attributes.retain(|(other, _)| other != name);
        self.attributes.push((name.to_owned(), values.to_vec()));
        Ok(())
    }

    /// Places the corners of each triangle on a texture, `u` to the right and `v` downwards from 0 to 1, shape `[triangles][3]`.
    /// A vertex may have several places, as in the seams of a garment: it is then written several times, with the same normal, so
    /// that no crease shows.
    pub fn set_uv(&mut self, uv: &[[[f32; 2]; 3]]) -> Result<(), ExportError> {
        check_length("texture coordinates", uv.len(), self.moved.face_count())?;
        check_finite("texture coordinates", uv.as_flattened().as_flattened())?;
        self.uv = Some(uv.to_vec());
        Ok(())
    }

    /// Adds the next frame [m], shape `[vertices]`. A refused frame leaves the animation as it was.
    pub fn push_frame(&mut self, positions: &[DVec3]) -> Result<(), ExportError> {
        check_length("positions", positions.len(), self.moved.vertex_count())?;
        // The difference to the rounded base, not to the exact one: then base and target add up to the frame.
        let displacements = positions
            .iter()
            .zip(&self.cloth.positions)
            .enumerate()
            .map(|(vertex, (&p, base))| single("position", vertex, p - DVec3::from(base.map(f64::from))))
            .collect::<Result<_, _>>()?;
        let normals = (self.normals == GlbNormals::PerFrame).then(|| {
            self.moved.positions.copy_from_slice(positions);
            let normals = unit_normals(&self.moved);
            normals.iter().zip(&self.cloth.normals).map(|(n, base)| [0, 1, 2].map(|i| n[i] - base[i])).collect()
        });
        self.targets.push(Target { positions: displacements, normals });
        Ok(())
    }

    /// Adds something that does not move.
    pub fn add_obstacle(&mut self, obstacle: GlbObstacle<'_>) -> Result<(), ExportError> {
        check_color(obstacle.color)?;
        self.obstacles.push(surface(obstacle.name, obstacle.mesh, obstacle.color)?);
        Ok(())
    }

    /// Number of frames so far.
    pub fn frame_count(&self) -> usize {
        self.targets.len()
    }

    /// The file. At least one frame is needed; a GLB file holds at most 4 GiB.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ExportError> {
        glb_bytes(self)
    }

    /// Writes the file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        write_atomic(path, &self.to_bytes().map_err(FileError::export(path))?)
    }
}

fn surface(name: &str, mesh: &TriMesh, color: [f32; 3]) -> Result<Surface, ExportError> {
    check_triangles(&mesh.triangles, mesh.vertex_count())?;
    // The largest index of all is reserved by the format.
    let limit = u64::from(u32::MAX);
    if mesh.vertex_count() as u64 > limit {
        return Err(ExportError::TooLarge { what: "number of vertices", value: mesh.vertex_count() as u64, limit });
    }
    let positions = mesh.positions.iter().enumerate().map(|(i, &p)| single("position", i, p));
    Ok(Surface {
        name: name.to_owned(),
        positions: positions.collect::<Result<_, _>>()?,
        normals: unit_normals(mesh),
        indices: mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect(),
        color,
    })
}

/// Normals of unit length, as the format demands; upwards where the mesh has none.
fn unit_normals(mesh: &TriMesh) -> Triples {
    let unit = |n: DVec3| if n == DVec3::ZERO { DVec3::Y } else { n };
    mesh.vertex_normals().into_iter().map(|n| unit(n).to_array().map(|x| x as f32)).collect()
}

fn check_color(color: [f32; 3]) -> Result<(), ExportError> {
    if color.iter().all(|c| (0.0..=1.0).contains(c)) {
        return Ok(());
    }
    Err(ExportError::Setting { what: "color", value: format!("{color:?}"), expected: "numbers from 0 to 1" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_input_is_refused() {
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
        let new = |fps| GlbAnimation::new("cloth", &mesh, fps, GlbInterpolation::Step, GlbNormals::Base);
        assert!(new(0.0).is_err() && new(f64::NAN).is_err() && new(f64::INFINITY).is_err());
        let mut animation = new(24.0).unwrap();
        assert_eq!(animation.to_bytes(), Err(ExportError::Empty { what: "frame" }));
        assert!(animation.push_frame(&mesh.positions[..2]).is_err());
        assert!(animation.push_frame(&[DVec3::ZERO, DVec3::NAN, DVec3::ZERO]).is_err());
        assert!(animation.set_strain(&[0.0, 1.0]).is_err() && animation.set_strain(&[f32::NAN; 3]).is_err());
        assert!(animation.set_attribute("GAP", &[0.0; 3]).is_err() && animation.set_uv(&[[[0.0; 2]; 3]; 2]).is_err());
        assert!(animation.set_uv(&[[[f32::INFINITY; 2]; 3]]).is_err());
        assert!(animation.set_colors(&[[0.0; 3]; 2]).is_err() && animation.set_colors(&[[1.5; 3]; 3]).is_err());
        let bare = TriMesh { triangles: Vec::new(), ..mesh.clone() };
        assert!(animation.add_obstacle(GlbObstacle { name: "floor", mesh: &bare, color: [0.5; 3] }).is_err());
        assert!(animation.add_obstacle(GlbObstacle { name: "floor", mesh: &mesh, color: [-0.1; 3] }).is_err());
        assert_eq!((animation.frame_count(), animation.obstacles.len()), (0, 0));
    }

    #[test]
    fn base_and_displacement_add_up_to_the_frame() {
        let far = DVec3::splat(1000.1);
        let mesh = TriMesh::from_indices(vec![far, far + DVec3::X, far + DVec3::Y], &[[0, 1, 2]]);
        let mut animation = GlbAnimation::new("a", &mesh, 24.0, GlbInterpolation::Step, GlbNormals::PerFrame).unwrap();
        let frame: Vec<DVec3> = mesh.positions.iter().map(|p| p + DVec3::splat(1e-3)).collect();
        animation.push_frame(&frame).unwrap();
        let target = &animation.targets[0];
        for (i, p) in frame.iter().enumerate() {
            for k in 0..3 {
                let sum = f64::from(animation.cloth.positions[i][k]) + f64::from(target.positions[i][k]);
                // Half a unit in the last place of 0.001; the rounding of the base itself is up to 3e-5 out here.
                assert!((sum - p[k]).abs() < 1e-10, "{sum} for {}", p[k]);
                assert!(target.normals.as_ref().unwrap()[i][k].abs() < 1e-6, "a shift turns nothing");
            }
        }
    }
}
