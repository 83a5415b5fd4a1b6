//! Sewing: stitches draw the sides of all seams together.
//!
//! A stitch that is `g` long at first may be at most `c + s(t) (g − c)` long, with `s` falling smoothly from 1 to 0 in
//! [`DRAWING`] seconds and `c` the distance that cloth keeps from cloth; then there is time until all are closed, as long as they come
//! nearer. The cloth has no weight and slides on the body without friction, so that seams find their place. What is gathered may
//! shrink along its seam (`gather`).
//! What is worn below is held against the body meanwhile (`smoothing`).
//! Where seams come no nearer, the garment is too small, and its cloth is let stretch more (`give`); over worn cloth it is that which
//! is let shrink ([`Lies`]). What stays open even then is refused.

use std::ops::Range;

use toile_cloth::{ClothModel, ConstraintSolver, Fabric, Method};
use toile_contact::MeshObstacle;
use toile_garment::mesh::{FlatMesh, SeamMesh, Sewn};
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use super::gather::gather;
use super::give::{Give, MOST_STRETCH};
use super::report::{Progress, Stage, TryOnReport};
use super::smoothing::Hand;
use super::weld::Welded;
use super::{TryOnError, WornGarment};
use crate::build::WorldError;
use crate::scene::{Body, Forces, FrictionPair, Hold, Scene, Solver};
use crate::tailored::{Tailored, TailoredCloth};
use crate::world::World;

/// Frames per second.
pub(super) const FRAME_RATE: f64 = 60.0;
/// Steps of a frame at least.
const SUBSTEPS: u32 = 2;
/// Time in which stitches are drawn together [s].
const DRAWING: f64 = 1.0;
/// Time in which the widest gap must have become narrower by a twentieth, or open seams are given up [s].
const PATIENCE: f64 = 1.0;
/// Time after which they are given up anyway [s], and if there is another way of sewing them.
const LONGEST: f64 = 12.0;
const LONG: f64 = 5.0;
/// Distance that cloth keeps from cloth and body meanwhile [m]. Thin, so that little moves when seams are welded, and a band that
/// fits closely can be closed.
const THICKNESS: f64 = 0.0004;
/// Time in which the widest gap must have become narrower by a twentieth, or cloth is let stretch more [s].
const STALLED: f64 = 0.3;
/// How much a stitch is shortened in one pass over the constraints [m]: with 16 passes in a frame about 1 m/s, so that what is
/// stuck on the body is pulled and not shot.
const PULL: f64 = 0.001;
/// Length of a closed stitch over that distance.
const SLACK: f64 = 1.2;
/// Stitches up to this length can be welded [m].
const CLOSED: f64 = 0.001;
/// Time in which closed stitches are drawn nearer until welding them makes no intersections [s]; what is left then is untangled.
const TRIES: f64 = 1.0;
/// How far above and below a garment what is worn under it is free to move [m].
const BEYOND: f64 = 0.05;
/// How short edges of worn cloth may become, over their length in the pattern, and by how much more each time that seams over them come
/// no nearer.
const SHRUNK: f64 = 0.4;
const MORE_SHRUNK: f64 = 0.1;
/// How near the far corners of two triangles of gathered cloth come, over their distance in the pattern.
const FOLDED: f64 = 0.35;
/// Space between panels that are laid out side by side [m].
const APART: f64 = 0.5;

/// A garment whose panels are laid around a body.
pub(super) struct Laid<'a> {
    pub(super) mesh: &'a FlatMesh,
    /// What becomes one vertex when it is welded.
    pub(super) sewn: &'a Sewn,
    /// Where its vertices start [m].
    pub(super) start: &'a [DVec3],
}

/// What is worn below the garments that are sewn.
#[derive(Clone, Copy)]
pub(super) struct Below<'a> {
    pub(super) worn: &'a [WornGarment],
    /// Lowest and highest place that is covered [m].
    pub(super) covered: [f64; 2],
    /// How it makes room.
    pub(super) lies: Lies,
    /// What holds it against the body.
    pub(super) hand: &'a Hand,
}

/// How worn cloth lies that is too wide for what is put on over it, as a shirt in trousers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lies {
    /// In pleats. Where seams over it come no nearer, its edges are let shrink, more and more, to [`SHRUNK`].
    Pleated,
    /// In folds smaller than triangles: its edges shrink as much from the first, and it hardly bends. Pleats that are caught between the
    /// sides of a seam are no hindrance, but cloth so gathered takes longer to come to rest.
    Gathered,
}

/// Sews garments; `scene` has those that are worn below them first. Returns where the vertices of the worn ones and of the panels are
/// then, or which garment failed and why. Pleats may not be caught in a seam.
pub(super) fn sew(
    scene: &Scene,
    laid: &[Laid<'_>],
    below: Below<'_>,
    bodies: &[MeshObstacle],
    report: &mut TryOnReport,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Vec<Vec<DVec3>>, Box<(usize, TryOnError)>> {
    let Below { worn, lies, hand, .. } = below;
    let is_pleated = !worn.is_empty() && lies == Lies::Pleated;
    let longest_time = if is_pleated { LONG } else { LONGEST };
    let mut world = sewing_world(scene, laid, below, bodies).map_err(|error| Box::new((0, error.into())))?;
    let ranges = world.model().cloths[worn.len()..].to_vec();
    for (laid, range) in laid.iter().zip(&ranges) {
        gather(laid.mesh, range.start as u32, &mut world.model);
    }
    let fabrics = &world.fabrics()[worn.len()..];
    // Cloth that has to be stretched to close over other cloth presses that into pleats which never come to rest.
    let give = |fabric: &Fabric| if worn.is_empty() { Give::of(fabric) } else { Give::none() };
    let mut gives: Vec<Give> = fabrics.iter().map(give).collect();
    world.work.solver = ConstraintSolver::new(&world.model, Method::Sweep, MOST_STRETCH);
    let stitches = |k: usize, seam: &SeamMesh| -> Vec<[u32; 2]> {
        let first = ranges[k].start as u32;
        seam.stitches.iter().filter(|[a, b]| a != b).map(|pair| pair.map(|v| v + first)).collect()
    };
    let seams: Vec<(usize, &SeamMesh)> =
        laid.iter().enumerate().flat_map(|(k, laid)| laid.mesh.seams.iter().map(move |seam| (k, seam))).collect();
    let pairs: Vec<[u32; 2]> = seams.iter().flat_map(|(k, seam)| stitches(*k, seam)).collect();
    let start = world.state.x.clone();
    world.work.solver.set_stitches(&pairs, &start, SLACK * THICKNESS, PULL);
    let gap = |world: &World, [a, b]: [u32; 2]| world.state.x[a as usize].distance(world.state.x[b as usize]);
    let widest = |world: &World, pairs: &[[u32; 2]]| pairs.iter().map(|pair| gap(world, *pair)).fold(0.0, f64::max);
    report.first_gap = report.first_gap.max(widest(&world, &pairs));
    let (mut narrowest, mut since) = (f64::INFINITY, DRAWING);
    let (mut closed_since, mut caught, mut shrunk) = (f64::INFINITY, false, 1.0);
    while !pairs.is_empty() {
        let left = widest(&world, &pairs);
        if world.time() >= DRAWING && left <= CLOSED {
            closed_since = closed_since.min(world.time());
            caught = !can_be_welded(&world, laid, worn);
            if !caught || world.time() >= closed_since + TRIES {
                break;
            }
        }
        if left < 0.95 * narrowest {
            (narrowest, since) = (left, world.time().max(DRAWING));
        }
        if world.time() >= since + STALLED {
            let is_open =
                |k: usize| seams.iter().any(|(i, seam)| *i == k && widest(&world, &stitches(k, seam)) > CLOSED);
            let open: Vec<usize> = (0..laid.len()).filter(|k| is_open(*k) && gives[*k].has_more()).collect();
            for k in &open {
                gives[*k].more(&ranges[*k], &mut world.model);
            }
            let shrinks = is_pleated && left > CLOSED && shrunk > SHRUNK;
            if shrinks {
                shrunk = (shrunk - MORE_SHRUNK).max(SHRUNK);
                shrink(shrunk, 0..ranges[0].start, &mut world.model);
            }
            if shrinks || !open.is_empty() {
                let longest = gives.iter().map(|give| give.now).fold(MOST_STRETCH, f64::max);
                world.work.solver = ConstraintSolver::new(&world.model, Method::Sweep, longest);
                world.work.solver.set_stitches(&pairs, &start, SLACK * THICKNESS, PULL);
                since = world.time();
            }
        }
        if world.time() >= longest_time.min(since + PATIENCE) {
            break;
        }
        let s = (world.time() / DRAWING).min(1.0);
        world.work.solver.draw(1.0 - s * s * (3.0 - 2.0 * s));
        hand.press(&mut world, 0..ranges[0].start);
        let frame = world.advance();
        report.note(&frame);
        progress(&Progress {
            stage: Stage::Sewing,
            time: world.time(),
            left: widest(&world, &pairs),
            frame: &frame,
            world: &world,
        });
    }
    report.sewing_time += world.time();
    let left = widest(&world, &pairs);
    if left > CLOSED || is_pleated && caught {
        let gaps = seams.iter().map(|(k, seam)| (widest(&world, &stitches(*k, seam)), *k, seam.name.clone()));
        let (gap, k, seam) = gaps.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
        return Err(Box::new((k, TryOnError::Open { seam, gap, stretch: gives[k].now - 1.0 })));
    }
    report.stitches += pairs.len();
    report.largest_gap = report.largest_gap.max(left);
    report.sewn_stretch = gives.iter().map(|give| give.now).fold(report.sewn_stretch.max(MOST_STRETCH), f64::max);
    Ok(world.model().cloths.iter().map(|range| world.state.x[range.clone()].to_vec()).collect())
}

/// Lets the edges of worn cloth become as short as a share of their length in the pattern.
fn shrink(ratio: f64, worn: Range<usize>, model: &mut ClothModel) {
    for edge in model.structural.iter_mut().filter(|edge| worn.contains(&(edge.ends[0] as usize))) {
        edge.min = edge.min.min(ratio * edge.rest);
    }
}

/// Panels without weight, and what is worn below them, limp; nothing rubs. What is farther off than [`BEYOND`] from the heights they
/// cover stays where it is.
pub(super) fn sewing_world(
    scene: &Scene,
    laid: &[Laid<'_>],
    below: Below<'_>,
    bodies: &[MeshObstacle],
) -> Result<World, WorldError> {
    let Below { worn, covered: [low, high], lies, .. } = below;
    let mut scene = scene.clone();
    scene.time.frame_rate = FRAME_RATE;
    scene.time.substeps = SUBSTEPS;
    scene.forces = Forces { gravity: [0.0; 3], ..Forces::default() };
    scene.solver = Solver { iterations: 8, damping: 0.97, ..Solver::default() };
    scene.solver.limit = MOST_STRETCH;
    scene.contact.threshold = THICKNESS;
    for (i, cloth) in scene.cloth.iter_mut().enumerate() {
        (cloth.thickness, cloth.friction, cloth.stretch_max) = (Some(THICKNESS), Some(0.0), MOST_STRETCH);
        let smooth = |body: &Body| FrictionPair { a: cloth.name.clone(), b: body.name.clone(), friction: 0.0 };
        scene.contact.pair.extend(scene.body.iter().map(smooth));
        if let Some(piece) = worn.get(i) {
            cloth.bend_min = 0.0;
            if lies == Lies::Gathered {
                (cloth.stretch_min, cloth.bend_min) = (SHRUNK, FOLDED);
            }
            let is_off = |p: &DVec3| p.y < low - BEYOND || p.y > high + BEYOND;
            let vertices: Vec<u32> = (0..).zip(&piece.x).filter(|(_, p)| is_off(p)).map(|(v, _)| v).collect();
            if !vertices.is_empty() {
                cloth.hold = vec![Hold { vertices, ..Hold::default() }];
            }
        }
    }
    let rests: Vec<TriMesh> = laid.iter().map(|laid| laid_out(laid.mesh)).collect();
    let panels =
        rests.iter().zip(laid).map(|(rest, laid)| TailoredCloth { rest, start: laid.start, cut: None, panels: &[] });
    let cloths = worn.iter().map(WornGarment::tailored).chain(panels).map(Some).collect();
    World::tailored(&scene, &Tailored { cloths, bodies })
}

/// Whether nothing intersects if panels are welded where they are: a vertex is moved by half of its stitch, which is more than the
/// distance to cloth in a fold beside it may be.
fn can_be_welded(world: &World, laid: &[Laid<'_>], worn: &[WornGarment]) -> bool {
    let x = |i: usize| &world.state.x[world.model().cloths[i].clone()];
    let mut all = TriMesh::default();
    for (i, piece) in worn.iter().enumerate() {
        all.append(&TriMesh { positions: x(i).to_vec(), triangles: piece.welded.mesh.triangles.clone() });
    }
    for (k, laid) in laid.iter().enumerate() {
        all.append(&Welded::new(laid.mesh, laid.sewn, x(worn.len() + k)).mesh);
    }
    judge::self_intersections(&all).is_clean()
        && world.meshes.iter().all(|body| judge::mutual_intersections(&all, &body.mesh).is_clean())
}

/// The panels side by side in the x–z plane, outer side up.
pub(super) fn laid_out(mesh: &FlatMesh) -> TriMesh {
    let (mut flat, mut left) = (TriMesh::default(), 0.0);
    for panel in &mesh.panels {
        let x = |f: fn(f64, f64) -> f64, from: f64| panel.positions.iter().map(|p| p.x).fold(from, f);
        let (low, high) = (x(f64::min, f64::INFINITY), x(f64::max, f64::NEG_INFINITY));
        let place = |p: &DVec2| DVec3::new(left + p.x - low, 0.0, -p.y);
        flat.append(&TriMesh::from_indices(panel.positions.iter().map(place).collect(), &panel.triangles));
        left += high - low + APART;
    }
    flat
}
