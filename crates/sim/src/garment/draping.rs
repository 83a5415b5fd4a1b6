//! Draping: the sewn garment gets its weight and hangs until it is at rest.
//!
//! Only where it comes to rest matters, not how it gets there: velocities fade by `exp(−Δt/τ)` from frame to frame, which stops a
//! skirt from swinging like a bell and changes no balance of forces. Particles of the constraint model tremble a little for
//! ever, so rest is not a matter of speed: a garment has settled when no vertex is farther than `STILL` from where it was a quarter of a second before.

use toile_cloth::Fabric;
use toile_mesh::DVec3;

use super::report::{Progress, Stage, TryOnReport};
use crate::build::{self, WorldError};
use crate::scene::{Model, Scene, Solver};
use crate::world::World;

/// Frames per second.
pub(super) const FRAME_RATE: f64 = 40.0;
/// Frames between the positions that are compared: a quarter of a second.
const FRAMES: u32 = 10;
/// Way in that time below which a garment has settled [m].
const STILL: f64 = 0.001;

/// Tension of close-fitting cloth [N/m].
const TENSION: f64 = 50.0;
/// Strain that every cloth gives, and the most by which it may stretch before triangles distort visibly.
const LEAST_GIVE: f64 = 0.02;
const MOST_GIVE: f64 = 0.1;

/// How lengths are kept meanwhile.
pub(super) fn solver(model: Model) -> Solver {
    Solver { model, damping: 0.98, ..Solver::default() }
}

/// Ratio of an edge to its length in the pattern up to which it may be stretched without finite elements: what [`TENSION`] does
/// to the softer of the two threads.
fn give(fabric: &Fabric) -> f64 {
    let softest = fabric.stretch_warp.min(fabric.stretch_weft);
    1.0 + (TENSION / softest).clamp(LEAST_GIVE, MOST_GIVE)
}

/// Lets cloths of a scene give as much as their fabrics do.
pub(super) fn allow_give(scene: &mut Scene, cloths: impl Iterator<Item = usize>) -> Result<(), WorldError> {
    for index in cloths {
        let give = give(&build::fabric(scene, index)?);
        scene.solver.limit = scene.solver.limit.max(give);
        scene.cloth[index].stretch_max = scene.cloth[index].stretch_max.max(give);
    }
    Ok(())
}

/// Height below which no garment is worn any more [m]; there is no floor to lie on.
const FLOOR: f64 = 0.0;
/// Time in which velocities fade to a third [s].
const FADING: f64 = 0.2;

/// Drapes for at most `most_time` [s].
pub(super) fn drape(
    world: &mut World,
    most_time: f64,
    report: &mut TryOnReport,
    progress: &mut dyn FnMut(&Progress<'_>),
) {
    let fade = (-1.0 / (FRAME_RATE * FADING)).exp();
    let mut before = world.state.x.clone();
    report.settled = false;
    while world.time() < most_time && !report.settled && !report.fallen {
        let frame = world.advance();
        report.note(&frame);
        for v in &mut world.state.v {
            *v *= fade;
        }
        report.fallen = world.state.x.iter().all(|x| x.y < FLOOR);
        if world.frame.is_multiple_of(FRAMES) {
            report.last_way = largest_way(&before, &world.state.x);
            report.settled = report.last_way < STILL;
            before.clone_from(&world.state.x);
        }
        progress(&Progress { stage: Stage::Draping, time: world.time(), left: report.last_way, frame: &frame, world });
    }
    report.draping_time += world.time();
}

fn largest_way(from: &[DVec3], to: &[DVec3]) -> f64 {
    from.iter().zip(to).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max).sqrt()
}
