//! Saved states: `checkpoint/frame_000120.toile` in a run folder.
//!
//! Little endian: magic `TOILESTA`, version (u32), frame (u32), hash of the scene (u64), particle count n (u64), then n
//! positions, n velocities (3 × f64 each) and n inverse masses (f64); then what the model remembers: five counts (u64) and as many
//! numbers (f64) of the step before, of slip curvatures, of the air, of where cloth has come to rest and of what obstacles have
//! caught; and an FNV-1a hash (u64) of everything before it.
//! Files are written whole and renamed into place, so that a crash leaves the one before. A file that is cut off,
//! altered, of another version or of another scene is refused by name.

use std::io::Read;
use std::path::{Path, PathBuf};

use toile_cloth::ClothState;
use toile_cloth::dynamics::History;
use toile_contact::Caught;
use toile_files::FileError;
use toile_files::atomic::write_atomic;
use toile_mesh::DVec3;

use crate::World;
use crate::rest::Rest;

const MAGIC: &[u8; 8] = b"TOILESTA";
const VERSION: u32 = 4;
const HEADER: usize = 8 + 4 + 4 + 8 + 8;
const PER_PARTICLE: usize = 7 * 8;
/// Lists of what the model remembers.
const LISTS: usize = 5;
const MEMORY_COUNTS: usize = LISTS * 8;

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

/// Saves the state of `world` as `folder/frame_NNNNNN.toile`; returns the path.
pub fn save(world: &World, folder: &Path) -> Result<PathBuf, CheckpointError> {
    let state = world.state();
    let mut bytes = Vec::with_capacity(HEADER + state.x.len() * PER_PARTICLE + 8);
    bytes.extend_from_slice(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(world.frame().to_le_bytes());
    bytes.extend(scene_hash(world).to_le_bytes());
    bytes.extend((state.x.len() as u64).to_le_bytes());
    for p in state.x.iter().chain(&state.v) {
        p.to_array().iter().for_each(|c| bytes.extend(c.to_le_bytes()));
    }
    state.inverse_mass.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    let memory = memory(world);
    for list in &memory {
        bytes.extend((list.len() as u64).to_le_bytes());
    }
    for number in memory.iter().flatten() {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(fnv(&bytes).to_le_bytes());
    let path = folder.join(format!("frame_{:06}.toile", world.frame()));
    write_atomic(&path, &bytes)?;
    Ok(path)
}

/// Puts `world` into the state saved at `path`.
pub fn load(world: &mut World, path: &Path) -> Result<(), CheckpointError> {
    let read = |source| CheckpointError::Read { path: path.to_owned(), source };
    let damaged = |reason: String| CheckpointError::Damaged { path: path.to_owned(), reason };
    if let Some(frame) = frame_of(path).map_err(read)? {
        world.cut_as_in(frame);
    }
    let n = world.model().particle_count();
    // What a checkpoint of this world holds is known up to what the model remembers; anything else is refused before its
    // bytes are read into memory.
    let least = HEADER + n * PER_PARTICLE + MEMORY_COUNTS + 8;
    let most = least + 8 * memory_capacity(world).iter().sum::<usize>();
    let found = std::fs::metadata(path).map_err(read)?.len();
    if !(least as u64..=most as u64).contains(&found) {
        return Err(damaged(format!("it has {found} bytes instead of {least} to {most} for {n} particles")));
    }
    let bytes = std::fs::read(path).map_err(read)?;
    let mut reader = Reader(&bytes);
    if bytes.len() as u64 != found || reader.take(8) != MAGIC {
        return Err(damaged("it does not begin with the mark of a checkpoint".into()));
    }
    let version = u32::from_le_bytes(reader.array());
    if version != VERSION {
        return Err(damaged(format!("it has version {version}, this program reads version {VERSION}")));
    }
    let (body, sum) = bytes.split_at(bytes.len() - 8);
    if fnv(body).to_le_bytes() != sum {
        return Err(damaged("its checksum does not match its content".into()));
    }
    let frame = u32::from_le_bytes(reader.array());
    if u64::from_le_bytes(reader.array()) != scene_hash(world) {
        return Err(CheckpointError::OtherScene { path: path.to_owned() });
    }
    let count = u64::from_le_bytes(reader.array());
    if count != n as u64 {
        return Err(damaged(format!("it has {count} particles, the scene has {n}")));
    }
    let mut state = ClothState {
        x: (0..n).map(|_| reader.vector()).collect(),
        v: (0..n).map(|_| reader.vector()).collect(),
        inverse_mass: (0..n).map(|_| reader.number()).collect(),
        ..ClothState::default()
    };
    let counts: [u64; LISTS] = std::array::from_fn(|_| u64::from_le_bytes(reader.array()));
    let capacity = memory_capacity(world);
    let held = (reader.0.len() - 8) / 8;
    let fits = |(count, most): (&u64, usize)| *count == 0 || *count == most as u64;
    let known =
        counts.iter().zip(capacity).take(4).all(fits) && counts[4] <= capacity[4] as u64 && counts[4].is_multiple_of(3);
    if !known || counts.iter().sum::<u64>() != held as u64 {
        return Err(damaged(format!("it remembers {counts:?} numbers, the scene {capacity:?}")));
    }
    if counts[0] > 0 {
        state.history.h = reader.number();
        state.history.x = (0..n).map(|_| reader.vector()).collect();
        state.history.v = (0..n).map(|_| reader.vector()).collect();
    }
    state.slip = (0..counts[1] / 2).map(|_| [reader.number(), reader.number()]).collect();
    let air: Vec<f64> = (0..counts[2]).map(|_| reader.number()).collect();
    if let Some(atmosphere) = &mut world.air
        && !air.is_empty()
    {
        atmosphere.field.restore(&air).map_err(|error| damaged(format!("its air: {error}")))?;
    }
    let mut rest = Rest::default();
    if counts[3] > 0 {
        rest.frames = reader.number() as u32;
        rest.place = (0..n).map(|_| reader.vector()).collect();
    }
    let caught: Vec<Caught> = (0..counts[4] / 3)
        .map(|_| {
            let [vertex, first, second] = std::array::from_fn(|_| reader.number() as u32);
            Caught { vertex, sheets: [first, second] }
        })
        .collect();
    if caught.iter().any(|c| c.vertex as usize >= n) || !caught.is_sorted_by_key(|c| c.vertex) {
        return Err(damaged("what is caught is not in the scene".into()));
    }
    let fits = world.restore(frame, state);
    (world.caught, world.rest) = (caught, rest);
    debug_assert!(fits, "the count was compared above");
    Ok(())
}

/// The frame that a checkpoint says it is of, before anything else of it is known; `None` if it is too short.
fn frame_of(path: &Path) -> std::io::Result<Option<u32>> {
    let mut start = [0; 16];
    let mut file = std::fs::File::open(path)?;
    Ok(file.read_exact(&mut start).is_ok().then(|| u32::from_le_bytes([start[12], start[13], start[14], start[15]])))
}

/// What is remembered beyond positions and velocities: the step before, slip curvatures, the air, where cloth has come to rest, what
/// is caught.
fn memory(world: &World) -> [Vec<f64>; LISTS] {
    let History { x, v, h } = &world.state().history;
    let mut history = Vec::new();
    if !x.is_empty() {
        history.push(*h);
        history.extend(x.iter().chain(v).flat_map(|p| (*p).to_array()));
    }
    let slip = world.state().slip.iter().flatten().copied().collect();
    let air = world.air.as_ref().map_or_else(Vec::new, |air| air.field.state());
    let caught = world.caught.iter().flat_map(|c| [c.vertex, c.sheets[0], c.sheets[1]]).map(f64::from).collect();
    let Rest { place, frames } = &world.rest;
    let mut rest = Vec::new();
    if !place.is_empty() {
        rest.push(f64::from(*frames));
        rest.extend(place.iter().flat_map(|p| (*p).to_array()));
    }
    [history, slip, air, rest, caught]
}

/// As many numbers as [`memory`] may have.
fn memory_capacity(world: &World) -> [usize; LISTS] {
    let bends = world.stepper().map_or(0, |stepper| stepper.energies().bends.elements().len());
    let air = world.air.as_ref().map_or(0, |air| air.field.state().len());
    let n = world.model().particle_count();
    [1 + 6 * n, 2 * bends, air, 1 + 3 * n, 3 * n]
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
fn scene_hash(world: &World) -> u64 {
    let mut scene = world.scene().clone();
    scene.output = crate::scene::Output::default();
    scene.camera = crate::scene::Camera::default();
    scene.collision = crate::scene::Collision { ccd: scene.collision.ccd, ..crate::scene::Collision::default() };
    let mut hash = Fnv::default();
    hash.write(scene.to_toml().as_bytes());
    for fabric in world.fabrics() {
        hash.write(format!("{fabric:?}").as_bytes());
    }
    let meshes = world.mesh_obstacles();
    let mut point = |p: DVec3| p.to_array().iter().for_each(|c| hash.write(&c.to_le_bytes()));
    world.model().rest.iter().chain(meshes.iter().flat_map(|m| &m.mesh.positions)).for_each(|p| point(*p));
    for deformation in meshes.iter().filter_map(|m| m.deformation.as_ref()) {
        deformation.describe(&mut point);
    }
    for v in world.triangles().iter().chain(meshes.iter().flat_map(|m| &m.mesh.triangles)).flatten() {
        hash.write(&v.0.to_le_bytes());
    }
    hash.finish()
}

/// FNV-1a, 64 bits: small, and strong enough against accidents (not against malice).
#[derive(Clone, Copy, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash of all bytes so far.
    pub fn finish(self) -> u64 {
        self.0
    }
}

pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.write(bytes);
    hash.finish()
}

/// Takes numbers off the front of a slice whose length was checked.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(n);
        self.0 = rest;
        head
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N));
        array
    }

    fn number(&mut self) -> f64 {
        f64::from_le_bytes(self.array())
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        // Published FNV-1a test vectors.
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
