//! Draping: the sewn garment gets its weight and hangs until it is at rest.
//!
//! Only where it comes to rest matters, not how it gets there: velocities fade by `exp(−Δt/τ)` from frame to frame, which stops a
//! skirt from swinging like a bell and changes no balance of forces. Particles of the constraint model tremble a little for
//! ever, and so do edges that lie on each other, so rest is not a matter of speed: a garment has settled when 99 of 100 vertices are no
//! farther than `STILL` from where they were a quarter of a second before, and none is farther than `RESTLESS`.

use toile_cloth::Fabric;
use toile_mesh::DVec3;

use super::give::tension_of_stretched;
use super::report::{Progress, Stage, TryOnReport};
use crate::build::{self, WorldError};
use crate::scene::{Model, Scene, Solver};
use crate::world::World;

/// Frames per second.
pub(super) const FRAME_RATE: f64 = 40.0;
/// Frames between the positions that are compared: a quarter of a second.
const FRAMES: u32 = 10;
/// Way of most vertices in that time below which a garment has settled [m].
const STILL: f64 = 0.001;
/// Way that no vertex may make in that time [m].
const RESTLESS: f64 = 0.005;
/// Which part of the vertices most of them are.
const MOST: f64 = 0.99;

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

/// Radius of a body where it is narrow or sharply curved [m]: a tension `T` around it presses with `T/R`.
const RADIUS: f64 = 0.12;
/// What contacts bear over the pressure that a scene says of them.
const BORNE: f64 = 2.5;

/// Lets contacts bear the pressure of garments that were stretched by that ratio to be sewn. Contacts that give way leave tight cloth
/// to the guard, which knows no balance of forces: it never comes to rest. Of several garments the softest counts, since contacts
/// that are stiffer than cloth between them throw it.
pub(super) fn bear_tightness(scene: &mut Scene, sewn: f64) -> Result<(), WorldError> {
    let mut softest = f64::INFINITY;
    for index in 0..scene.cloth.len() {
        softest = softest.min(tension_of_stretched(&build::fabric(scene, index)?, sewn));
    }
    if softest.is_finite() {
        scene.contact.pressure = scene.contact.pressure.max(softest / RADIUS / BORNE);
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
            let (usual, largest) = ways(&before, &world.state.x);
            report.last_way = usual;
            report.settled = usual < STILL && largest < RESTLESS;
            before.clone_from(&world.state.x);
        }
        progress(&Progress { stage: Stage::Draping, time: world.time(), left: report.last_way, frame: &frame, world });
    }
    report.draping_time += world.time();
}

/// The way that most vertices keep within, and the largest [m].
fn ways(from: &[DVec3], to: &[DVec3]) -> (f64, f64) {
    let mut all: Vec<f64> = from.iter().zip(to).map(|(a, b)| a.distance(*b)).collect();
    all.sort_by(f64::total_cmp);
    let most = ((MOST * all.len() as f64) as usize).min(all.len().saturating_sub(1));
    (all.get(most).copied().unwrap_or(0.0), all.last().copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_restless_vertex_of_a_hundred_does_not_count_as_most() {
        let from = vec![DVec3::ZERO; 200];
        let mut to = vec![DVec3::new(0.0, 5e-4, 0.0); 200];
        to[17] = DVec3::X * 0.003;
        assert_eq!(ways(&from, &to), (5e-4, 0.003));
        to[..3].fill(DVec3::X * 0.002);
        assert_eq!(ways(&from, &to), (0.002, 0.003));
        assert_eq!(ways(&[], &[]), (0.0, 0.0));
    }
}
