//! `garments.toile` in a run folder: where garments were sewn and worn, so that a run that is resumed or looked at need not
//! dress its bodies again.
//!
//! Little endian: magic `TOILEGAR`, version (u32), hash of the scene's text (u64), then for each garment its number of vertices
//! (u64), where they were sewn and where they are worn (3 × f64 each, all of the one, then of the other); and an FNV-1a hash (u64) of
//! everything before it. All else follows from the scene. What does not fit the scene is passed over, and the bodies are
//! dressed anew, with the same bits.

use std::path::Path;

use toile::Fnv;
use toile_files::FileError;
use toile_files::atomic::write_atomic;
use toile_garment::mesh::FlatMesh;
use toile_mesh::DVec3;
use toile_tailor::{Welded, WornGarment};

use crate::build::BuildError;
use crate::scene::Scene;
use crate::wardrobe::{Dressed, wishes};

const MAGIC: &[u8; 8] = b"TOILEGAR";
const VERSION: u32 = 1;
const HEADER: usize = 8 + 4 + 8;

/// Writes what is worn at the start of a run.
pub(crate) fn keep(dressed: &Dressed, scene: &Scene, path: &Path) -> Result<(), FileError> {
    let mut bytes = header(scene);
    for garment in &dressed.garments {
        bytes.extend((garment.x.len() as u64).to_le_bytes());
        for p in garment.welded.mesh.positions.iter().chain(&garment.x) {
            p.to_array().iter().for_each(|c| bytes.extend(c.to_le_bytes()));
        }
    }
    bytes.extend(Fnv::of(&bytes).to_le_bytes());
    write_atomic(path, &bytes)
}

/// The garments of a scene as they were kept; `None` if there are none, or what was kept is of no use.
pub(crate) fn recall(scene: &Scene, path: &Path) -> Result<Option<Dressed>, BuildError> {
    let Some((wearers, wishes)) = wishes(scene)? else { return Ok(None) };
    let mut garments = Vec::new();
    for (wearer, (cloths, wish)) in wearers.iter().zip(&wishes) {
        for (cloth, garment) in cloths.iter().zip(&wish.garments) {
            let Ok(flat) = FlatMesh::new(&garment.pattern, garment.distance) else { return Ok(None) };
            let sewn = flat.sewn();
            let nowhere = vec![DVec3::ZERO; flat.vertex_count()];
            let welded = Welded::new(&flat, &sewn, &nowhere);
            let (cloth, body, asked) = (*cloth, wearer.body, garment.clone());
            garments.push(WornGarment { cloth, body, asked, flat, welded, x: Vec::new() });
        }
    }
    garments.sort_by_key(|garment| garment.cloth);
    let known = fill(&mut garments, &header(scene), path).is_some();
    Ok(known.then_some(Dressed { garments, wearers, reports: Vec::new() }))
}

fn header(scene: &Scene) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(Fnv::of(scene.to_toml().as_bytes()).to_le_bytes());
    bytes
}

/// Puts what the file says into garments whose sizes are known; `None` if it says anything else.
fn fill(garments: &mut [WornGarment], header: &[u8], path: &Path) -> Option<()> {
    let vertices = garments.iter().map(|garment| garment.welded.mesh.positions.len());
    let expected = HEADER + vertices.map(|n| 8 + 48 * n).sum::<usize>() + 8;
    if std::fs::metadata(path).ok()?.len() != expected as u64 {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let (body, sum) = bytes.split_at_checked(expected - 8)?;
    let mut rest = body.strip_prefix(header)?;
    if Fnv::of(body).to_le_bytes() != sum {
        return None;
    }
    for garment in garments {
        let n = garment.welded.mesh.positions.len();
        rest = rest.strip_prefix((n as u64).to_le_bytes().as_slice())?;
        let (positions, after) = rest.split_at_checked(48 * n)?;
        let number = |c: &[u8]| Some(f64::from_le_bytes(c.try_into().ok()?));
        let point = |p: &[u8]| Some(DVec3::new(number(&p[..8])?, number(&p[8..16])?, number(&p[16..])?));
        let points = positions.chunks_exact(24).map(point).collect::<Option<Vec<_>>>()?;
        let (sewn, worn) = points.split_at_checked(n)?;
        garment.welded.mesh.positions = sewn.to_vec();
        garment.x = worn.to_vec();
        rest = after;
    }
    rest.is_empty().then_some(())
}
