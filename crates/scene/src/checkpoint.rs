//! Saved states: `checkpoint/frame_000120.toile` in a run folder.
//!
//! Little endian: magic `TOILESTA`, version (u32), hash of the scene (u64), the bytes of a [`SavedState`], whose first four are the
//! frame; and an FNV-1a hash (u64) of everything before it.
//! Files are written whole and renamed into place, so that a crash leaves the one before. A file that is cut off,
//! altered, of another version or of another scene is refused by name.

use std::io::Read;
use std::path::{Path, PathBuf};

use toile::{Fnv, SavedState, World};
use toile_files::FileError;
use toile_files::atomic::write_atomic;
use toile_mesh::DVec3;

use crate::scene::{Camera, Output, Scene};

const MAGIC: &[u8; 8] = b"TOILESTA";
const VERSION: u32 = 5;
const HEADER: usize = 8 + 4 + 8;

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It cannot be read.
    #[error("checkpoint {} cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Its bytes are not a whole, unaltered checkpoint of this version.
    #[error("checkpoint {} is damaged: {reason}; delete it to resume from an older one or start again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// It was saved by a run of another scene.
    #[error("checkpoint {} belongs to another scene; resume it in the run folder it was written to", path.display())]
    OtherScene {
        /// The file.
        path: PathBuf,
    },
    /// There is none.
    #[error("no checkpoint in {}: run with --checkpoint-every N first, or start the scene again", path.display())]
    None {
        /// The folder.
        path: PathBuf,
    },
}

/// Saves the state of `world`, which was built from `scene`, as `folder/frame_NNNNNN.toile`; returns the path.
pub fn save(scene: &Scene, world: &World, folder: &Path) -> Result<PathBuf, CheckpointError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(scene_hash(scene, world).to_le_bytes());
    bytes.extend(world.save().to_bytes());
    bytes.extend(Fnv::of(&bytes).to_le_bytes());
    let path = folder.join(format!("frame_{:06}.toile", world.frame()));
    write_atomic(&path, &bytes)?;
    Ok(path)
}

/// Puts `world`, which was built from `scene`, into the state saved at `path`. What is refused changes nothing.
pub fn load(scene: &Scene, world: &mut World, path: &Path) -> Result<(), CheckpointError> {
    let read = |source| CheckpointError::Read { path: path.to_owned(), source };
    let damaged = |reason: String| CheckpointError::Damaged { path: path.to_owned(), reason };
    let beginning = beginning(path).map_err(read)?;
    if beginning.as_ref().is_none_or(|beginning| !beginning.starts_with(MAGIC)) {
        return Err(damaged("it does not begin with the mark of a checkpoint".into()));
    }
    let frame = beginning.map_or(0, |b| u32::from_le_bytes([b[20], b[21], b[22], b[23]]));
    // What a checkpoint of this world may hold is known; anything else is refused before its bytes are read into memory.
    let (least, most) = world.saved_size(frame).into_inner();
    let (least, most) = (HEADER + least + 8, HEADER + most + 8);
    let found = std::fs::metadata(path).map_err(read)?.len();
    if !(least as u64..=most as u64).contains(&found) {
        let n = world.particles_in(frame);
        return Err(damaged(format!("it has {found} bytes instead of {least} to {most} for {n} particles")));
    }
    let bytes = std::fs::read(path).map_err(read)?;
    let Some((body, sum)) = bytes.split_last_chunk::<8>().filter(|_| bytes.len() as u64 == found) else {
        return Err(damaged("it changes while it is read".into()));
    };
    let version = u32::from_le_bytes([body[8], body[9], body[10], body[11]]);
    if version != VERSION {
        return Err(damaged(format!("it has version {version}, this program reads version {VERSION}")));
    }
    if Fnv::of(body) != u64::from_le_bytes(*sum) {
        return Err(damaged("its checksum does not match its content".into()));
    }
    if body[12..HEADER] != scene_hash(scene, world).to_le_bytes() {
        return Err(CheckpointError::OtherScene { path: path.to_owned() });
    }
    let saved = SavedState::from_bytes(&body[HEADER..]).map_err(|error| damaged(error.reason))?;
    world.restore(&saved).map_err(|error| damaged(error.reason))
}

/// Its first bytes up to the frame, before anything else of it is known; `None` if it is too short.
fn beginning(path: &Path) -> std::io::Result<Option<[u8; HEADER + 4]>> {
    let mut start = [0; HEADER + 4];
    let mut file = std::fs::File::open(path)?;
    Ok(file.read_exact(&mut start).is_ok().then_some(start))
}

/// The newest checkpoint in `folder`.
pub fn newest(folder: &Path) -> Result<PathBuf, CheckpointError> {
    all(folder).pop().ok_or_else(|| CheckpointError::None { path: folder.to_owned() })
}

/// Deletes all but the newest `keep` checkpoints. Failing to delete is not an error: they only take space.
pub fn prune(folder: &Path, keep: usize) {
    let mut paths = all(folder);
    paths.truncate(paths.len().saturating_sub(keep));
    for path in paths {
        let _ = std::fs::remove_file(path);
    }
}

/// Checkpoints in `folder`, oldest frame first.
fn all(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_checkpoint = |path: &PathBuf| path.extension().is_some_and(|e| e == "toile");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(is_checkpoint).collect();
    paths.sort();
    paths
}

/// Hash of what the state depends on: the scene without what it writes, how contacts are searched for and where it is
/// seen from, and fabrics, cloth and meshes as built, because a file may have changed since.
fn scene_hash(scene: &Scene, world: &World) -> u64 {
    let mut scene = scene.clone();
    scene.output = Output::default();
    scene.camera = Camera::default();
    scene.collision = toile::settings::Collision::default();
    let mut hash = Fnv::default();
    hash.write(scene.to_toml().as_bytes());
    let point = |hash: &mut Fnv, p: DVec3| p.to_array().iter().for_each(|c| hash.write(&c.to_le_bytes()));
    for cloth in world.cloths() {
        cloth.fabrics().for_each(|fabric| hash.write(format!("{fabric:?}").as_bytes()));
        cloth.rest.iter().for_each(|p| point(&mut hash, *p));
        cloth.mesh.triangles.iter().flatten().for_each(|v| hash.write(&v.0.to_le_bytes()));
    }
    for mesh in world.given_meshes() {
        mesh.mesh.positions.iter().for_each(|p| point(&mut hash, *p));
        mesh.mesh.triangles.iter().flatten().for_each(|v| hash.write(&v.0.to_le_bytes()));
        if let Some(deformation) = &mesh.deformation {
            deformation.describe(&mut |p| point(&mut hash, p));
        }
    }
    hash.finish()
}
