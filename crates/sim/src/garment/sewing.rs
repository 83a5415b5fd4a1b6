//! Sewing: stitches draw the sides of all seams together.
//!
//! A stitch that is `g` long at first may be at most `c + s(t) (g − c)` long, with `s` falling smoothly from 1 to 0 in
//! [`DRAWING`] seconds and `c` the distance that cloth keeps from cloth; then there is time until all are closed, as long as they come
//! nearer. The cloth has no weight and slides on the body without friction, so that seams find their place. What is gathered may
//! shrink along its seam (`gather`).

use toile_cloth::{ConstraintSolver, Method};
use toile_contact::MeshObstacle;
use toile_garment::mesh::FlatMesh;
use toile_mesh::{DVec2, DVec3, TriMesh};

use super::TryOnError;
use super::gather::gather;
use super::report::{Progress, Stage, TryOnReport};
use crate::scene::{Forces, Scene, Solver};
use crate::tailored::Tailored;
use crate::world::World;

/// Frames per second.
pub(super) const FRAME_RATE: f64 = 60.0;
/// Time in which stitches are drawn together [s].
const DRAWING: f64 = 1.0;
/// Time in which the widest gap must have become narrower by a twentieth, or open seams are given up [s].
const PATIENCE: f64 = 1.0;
/// Time after which they are given up anyway [s].
const LONGEST: f64 = 12.0;
/// Distance that cloth keeps from cloth and body meanwhile [m]. Thin, so that little moves when seams are welded, and a band that
/// fits closely can be closed.
const THICKNESS: f64 = 0.0004;
/// How long edges may become meanwhile, over their length in the pattern: a tight band is pulled together.
const MOST_STRETCH: f64 = 1.06;
/// How much a stitch is shortened in one pass over the constraints [m]: with 16 passes in a frame about 1 m/s, so that what is
/// stuck on the body is pulled and not shot.
const PULL: f64 = 0.001;
/// Length of a closed stitch over that distance.
const SLACK: f64 = 1.2;
/// Stitches up to this length can be welded [m].
const CLOSED: f64 = 0.001;
/// Space between panels that are laid out side by side [m].
const APART: f64 = 0.5;

/// Sews panels that start at `start` [m]; returns where their vertices are then.
pub(super) fn sew(
    scene: &Scene,
    mesh: &FlatMesh,
    start: &[DVec3],
    bodies: &[MeshObstacle],
    report: &mut TryOnReport,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Vec<DVec3>, TryOnError> {
    let mut scene = scene.clone();
    scene.forces = Forces { gravity: [0.0; 3], ..Forces::default() };
    scene.solver = Solver { iterations: 8, damping: 0.97, ..Solver::default() };
    scene.solver.limit = MOST_STRETCH;
    scene.contact.threshold = THICKNESS;
    for cloth in &mut scene.cloth {
        (cloth.thickness, cloth.friction, cloth.stretch_max) = (Some(THICKNESS), Some(0.0), MOST_STRETCH);
    }
    let rest = laid_out(mesh);
    let mut world = World::tailored(&scene, &Tailored { rest: &rest, start, cut: None, bodies })?;
    gather(mesh, &mut world.model);
    world.work.solver = ConstraintSolver::new(&world.model, Method::Sweep, MOST_STRETCH);
    let pairs: Vec<[u32; 2]> =
        mesh.seams.iter().flat_map(|seam| &seam.stitches).copied().filter(|[a, b]| a != b).collect();
    report.stitches = pairs.len();
    world.work.solver.set_stitches(&pairs, start, SLACK * THICKNESS, PULL);
    let gap = |world: &World, [a, b]: [u32; 2]| world.state.x[a as usize].distance(world.state.x[b as usize]);
    let widest = |world: &World| pairs.iter().map(|pair| gap(world, *pair)).fold(0.0, f64::max);
    report.first_gap = widest(&world);
    if pairs.is_empty() {
        return Ok(world.state.x);
    }
    let (mut narrowest, mut since) = (report.first_gap, DRAWING);
    while world.time() < DRAWING || widest(&world) > CLOSED {
        if widest(&world) < 0.95 * narrowest {
            (narrowest, since) = (widest(&world), world.time().max(DRAWING));
        }
        if world.time() >= LONGEST.min(since + PATIENCE) {
            break;
        }
        let s = (world.time() / DRAWING).min(1.0);
        world.work.solver.draw(1.0 - s * s * (3.0 - 2.0 * s));
        let frame = world.advance();
        report.note(&frame);
        progress(&Progress {
            stage: Stage::Sewing,
            time: world.time(),
            left: widest(&world),
            frame: &frame,
            world: &world,
        });
    }
    report.sewing_time = world.time();
    report.largest_gap = widest(&world);
    if report.largest_gap > CLOSED {
        let worst = |stitches: &[[u32; 2]]| stitches.iter().map(|pair| gap(&world, *pair)).fold(0.0, f64::max);
        let seam = mesh.seams.iter().max_by(|a, b| worst(&a.stitches).total_cmp(&worst(&b.stitches)));
        let seam = seam.map_or_else(String::new, |seam| seam.name.clone());
        return Err(TryOnError::Open { seam, gap: report.largest_gap });
    }
    Ok(world.state.x)
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
