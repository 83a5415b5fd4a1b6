//! [`GlbObject`]: one thing of a scene and how it moves, checked and rounded to `f32` as it comes.

use toile_mesh::{DVec3, TriMesh};

use super::skin::{Correction, GlbPose, GlbSkin};
use crate::{
    ExportError,
    export_check::{check_finite, check_length, check_triangles, single},
};

/// Which normals are written of what deforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlbNormals {
    /// Those of the base mesh. Blender computes its own; web viewers shade later frames wrongly.
    Base,
    /// Those of every frame, for twice the size.
    PerFrame,
}

/// An array of `f32` triples per vertex.
pub(super) type Triples = Vec<[f32; 3]>;

/// Displacements of one frame from the base.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) positions: Triples,
    /// Only with [`GlbNormals::PerFrame`].
    pub(super) normals: Option<Triples>,
}

/// How an object moves; each entry of a list is a frame.
#[derive(Clone, Debug)]
pub(super) enum Motion {
    Still,
    Frames(Vec<Target>),
    Poses(Vec<GlbPose>),
    /// Joints relative to their parents, and corrections.
    Postures(Vec<Vec<GlbPose>>, Vec<Correction>),
}

/// A mesh with a name, a material and a motion: it stands still, deforms freely ([`push_frame`](Self::push_frame)), moves as one body
/// ([`push_pose`](Self::push_pose)) or follows joints ([`push_posture`](Self::push_posture)).
///
/// ```
/// use toile_files::glb::{GlbInterpolation, GlbNormals, GlbObject, GlbScene};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let mut cloth = GlbObject::new("cloth", &mesh, GlbNormals::Base)?;
/// cloth.set_material("linen", [0.7, 0.6, 0.5])?;
/// cloth.set_strain(&[0.0, 0.01, 0.02])?;
/// for k in 0..3 {
///     let fallen: Vec<DVec3> = mesh.positions.iter().map(|p| p - DVec3::Y * 0.1 * k as f64).collect();
///     cloth.push_frame(&fallen)?;
/// }
/// let mut scene = GlbScene::new(24.0, GlbInterpolation::Linear)?;
/// scene.add(cloth);
/// assert!(scene.to_bytes()?.starts_with(b"glTF"));
/// # Ok::<(), toile_files::ExportError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GlbObject {
    pub(super) name: String,
    pub(super) positions: Triples,
    pub(super) normals: Triples,
    pub(super) indices: Vec<[u32; 3]>,
    pub(super) material: String,
    pub(super) color: [f32; 3],
    pub(super) colors: Option<Triples>,
    /// Places of the corners of triangles on a texture.
    pub(super) uv: Option<Vec<[[f32; 2]; 3]>>,
    /// Names and values of the attributes of its own.
    pub(super) attributes: Vec<(String, Vec<f32>)>,
    pub(super) skin: Option<GlbSkin>,
    pub(super) motion: Motion,
    /// The base mesh in `f64`, moved to every frame to compute its normals.
    moved: TriMesh,
    which_normals: GlbNormals,
}

impl GlbObject {
    /// An object with the shape of `base` [m], which stands still until frames are pushed.
    pub fn new(name: &str, base: &TriMesh, normals: GlbNormals) -> Result<Self, ExportError> {
        check_triangles(&base.triangles, base.vertex_count())?;
        // The largest index of all is reserved by the format.
        let limit = u64::from(u32::MAX);
        if base.vertex_count() as u64 > limit {
            return Err(ExportError::TooLarge { what: "number of vertices", value: base.vertex_count() as u64, limit });
        }
        let positions = base.positions.iter().enumerate().map(|(i, &p)| single("position", i, p));
        Ok(Self {
            name: name.to_owned(),
            positions: positions.collect::<Result<_, _>>()?,
            normals: unit_normals(base),
            indices: base.triangles.iter().map(|t| t.map(|v| v.0)).collect(),
            material: name.to_owned(),
            color: [0.8; 3],
            colors: None,
            uv: None,
            attributes: Vec::new(),
            skin: None,
            motion: Motion::Still,
            moved: base.clone(),
            which_normals: normals,
        })
    }

    /// Names its material and the base colour of it: linear red, green, blue from 0 to 1.
    pub fn set_material(&mut self, name: &str, color: [f32; 3]) -> Result<(), ExportError> {
        check_color(color)?;
        name.clone_into(&mut self.material);
        self.color = color;
        Ok(())
    }

    /// Colours its vertices instead: linear red, green, blue from 0 to 1, shape `[vertices]`.
    pub fn set_colors(&mut self, colors: &[[f32; 3]]) -> Result<(), ExportError> {
        check_length("colors", colors.len(), self.positions.len())?;
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
        check_length("attribute", values.len(), self.positions.len())?;
        check_finite("attribute", values)?;
        self.attributes.retain(|(other, _)| other != name);
        self.attributes.push((name.to_owned(), values.to_vec()));
        Ok(())
    }

    /// Places the corners of each triangle on a texture, `u` to the right and `v` downwards from 0 to 1, shape `[triangles][3]`.
    /// A vertex may have several places, as in the seams of a garment: it is then written several times, with the same normal, so
    /// that no crease shows.
    pub fn set_uv(&mut self, uv: &[[[f32; 2]; 3]]) -> Result<(), ExportError> {
        check_length("texture coordinates", uv.len(), self.indices.len())?;
        check_finite("texture coordinates", uv.as_flattened().as_flattened())?;
        self.uv = Some(uv.to_vec());
        Ok(())
    }

    /// Adds the next frame of what deforms freely [m], shape `[vertices]`. A refused frame leaves the object as it was.
    pub fn push_frame(&mut self, positions: &[DVec3]) -> Result<(), ExportError> {
        check_length("positions", positions.len(), self.positions.len())?;
        // The difference to the rounded base, not to the exact one: then base and target add up to the frame.
        let displacements = positions
            .iter()
            .zip(&self.positions)
            .enumerate()
            .map(|(vertex, (&p, base))| single("position", vertex, p - DVec3::from(base.map(f64::from))))
            .collect::<Result<_, _>>()?;
        let normals = (self.which_normals == GlbNormals::PerFrame).then(|| {
            self.moved.positions.copy_from_slice(positions);
            let normals = unit_normals(&self.moved);
            normals.iter().zip(&self.normals).map(|(n, base)| [0, 1, 2].map(|i| n[i] - base[i])).collect()
        });
        let target = Target { positions: displacements, normals };
        match &mut self.motion {
            Motion::Frames(targets) => targets.push(target),
            Motion::Still if self.skin.is_none() => self.motion = Motion::Frames(vec![target]),
            _ => return Err(two_motions("frames")),
        }
        Ok(())
    }

    /// Adds the next place of what moves as one body: how the base goes there. A refused pose leaves the object as it was.
    pub fn push_pose(&mut self, pose: GlbPose) -> Result<(), ExportError> {
        check_poses(&[pose])?;
        match &mut self.motion {
            Motion::Poses(poses) => poses.push(pose),
            Motion::Still if self.skin.is_none() => self.motion = Motion::Poses(vec![pose]),
            _ => return Err(two_motions("poses")),
        }
        Ok(())
    }

    /// Lets the vertices follow joints; the base is then the surface at rest.
    pub fn set_skin(&mut self, skin: GlbSkin) -> Result<(), ExportError> {
        skin.check(self.positions.len())?;
        if !matches!(self.motion, Motion::Still) {
            return Err(two_motions("a skin"));
        }
        self.skin = Some(skin);
        Ok(())
    }

    /// Adds the next frame of a surface with a skin: how each joint takes what is at rest along, and where the vertices are then [m].
    /// What the joints alone would do wrongly is corrected by a morph target. A refused frame leaves the object as it was.
    pub fn push_posture(&mut self, motions: &[GlbPose], positions: &[DVec3]) -> Result<(), ExportError> {
        let Some(skin) = &self.skin else { return Err(two_motions("postures without a skin")) };
        check_length("motions", motions.len(), skin.joints.len())?;
        check_length("positions", positions.len(), self.positions.len())?;
        check_poses(motions)?;
        let locals = skin.locals(motions);
        let correction = skin.correction(&self.positions, &locals, positions)?;
        match &mut self.motion {
            Motion::Postures(postures, corrections) => {
                postures.push(locals);
                corrections.push(correction);
            }
            _ => self.motion = Motion::Postures(vec![locals], vec![correction]),
        }
        Ok(())
    }

    /// Number of frames so far; 0 for what stands still.
    pub fn frame_count(&self) -> usize {
        match &self.motion {
            Motion::Still => 0,
            Motion::Frames(frames) => frames.len(),
            Motion::Poses(poses) => poses.len(),
            Motion::Postures(postures, _) => postures.len(),
        }
    }
}

fn two_motions(what: &str) -> ExportError {
    ExportError::Setting { what: "motion", value: what.to_owned(), expected: "one kind of motion for an object" }
}

fn check_poses(poses: &[GlbPose]) -> Result<(), ExportError> {
    let is_good = |pose: &GlbPose| pose.position.is_finite() && (pose.rotation.length() - 1.0).abs() < 1e-6;
    match poses.iter().find(|pose| !is_good(pose)) {
        None => Ok(()),
        Some(pose) => {
            let expected = "finite numbers and a rotation of length 1";
            Err(ExportError::Setting { what: "pose", value: format!("{pose:?}"), expected })
        }
    }
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
    use super::super::skin::GlbJoint;
    use super::*;
    use toile_mesh::DQuat;

    #[test]
    fn senseless_input_is_refused() {
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
        let mut object = GlbObject::new("cloth", &mesh, GlbNormals::Base).unwrap();
        assert!(object.push_frame(&mesh.positions[..2]).is_err());
        assert!(object.push_frame(&[DVec3::ZERO, DVec3::NAN, DVec3::ZERO]).is_err());
        assert!(object.set_strain(&[0.0, 1.0]).is_err() && object.set_strain(&[f32::NAN; 3]).is_err());
        assert!(object.set_attribute("GAP", &[0.0; 3]).is_err() && object.set_uv(&[[[0.0; 2]; 3]; 2]).is_err());
        assert!(object.set_uv(&[[[f32::INFINITY; 2]; 3]]).is_err());
        assert!(object.set_colors(&[[0.0; 3]; 2]).is_err() && object.set_colors(&[[1.5; 3]; 3]).is_err());
        assert!(object.set_material("skin", [-0.1; 3]).is_err());
        assert!(object.push_pose(GlbPose { position: DVec3::NAN, rotation: DQuat::IDENTITY }).is_err());
        assert!(object.push_pose(GlbPose { position: DVec3::X, rotation: DQuat::IDENTITY * 2.0 }).is_err());
        assert!(object.push_posture(&[], &mesh.positions).is_err(), "there is no skin");
        assert_eq!(object.frame_count(), 0);
        object.push_frame(&mesh.positions).unwrap();
        assert!(object.push_pose(GlbPose { position: DVec3::X, rotation: DQuat::IDENTITY }).is_err());
        let bare = TriMesh { triangles: Vec::new(), ..mesh };
        assert!(GlbObject::new("floor", &bare, GlbNormals::Base).is_err());
    }

    #[test]
    fn a_skin_must_fit_the_mesh() {
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
        let joint = |parent| GlbJoint { name: "hip".into(), parent, rest: DVec3::ZERO };
        let whole = [(0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
        let skin = |joints: Vec<GlbJoint>, influences| GlbSkin { joints, influences };
        let mut object = GlbObject::new("body", &mesh, GlbNormals::Base).unwrap();
        for bad in [
            skin(vec![joint(None)], vec![whole; 2]),
            skin(vec![joint(Some(0))], vec![whole; 3]),
            skin(vec![joint(None)], vec![[(0, 0.5); 4]; 3]),
            skin(vec![joint(None)], vec![[(1, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]; 3]),
        ] {
            assert!(object.set_skin(bad).is_err());
        }
        object.set_skin(skin(vec![joint(None)], vec![whole; 3])).unwrap();
        assert!(object.push_frame(&mesh.positions).is_err());
    }

    #[test]
    fn base_and_displacement_add_up_to_the_frame() {
        let far = DVec3::splat(1000.1);
        let mesh = TriMesh::from_indices(vec![far, far + DVec3::X, far + DVec3::Y], &[[0, 1, 2]]);
        let mut object = GlbObject::new("a", &mesh, GlbNormals::PerFrame).unwrap();
        let frame: Vec<DVec3> = mesh.positions.iter().map(|p| p + DVec3::splat(1e-3)).collect();
        object.push_frame(&frame).unwrap();
        let Motion::Frames(targets) = &object.motion else { panic!("no frames") };
        for (i, p) in frame.iter().enumerate() {
            for k in 0..3 {
                let sum = f64::from(object.positions[i][k]) + f64::from(targets[0].positions[i][k]);
                // Half a unit in the last place of 0.001; the rounding of the base itself is up to 3e-5 out here.
                assert!((sum - p[k]).abs() < 1e-10, "{sum} for {}", p[k]);
                assert!(targets[0].normals.as_ref().unwrap()[i][k].abs() < 1e-6, "a shift turns nothing");
            }
        }
    }
}
