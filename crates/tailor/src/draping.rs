//! Draping: the sewn garment gets its weight and hangs until it is at rest.
//!
//! Only where it comes to rest matters, not how it gets there: velocities fade by `exp(−Δt/τ)` from frame to frame, which stops a
//! skirt from swinging like a bell and changes no balance of forces. Particles of the constraint model tremble a little for
//! ever, and so do edges that lie on each other, so rest is not a matter of speed: a garment has settled when 99 of 100 vertices are no
//! farther than `STILL` from where they were a quarter of a second before, and none is farther than `RESTLESS`.

use std::ops::ControlFlow;

use toile::settings::{Contact, Model, Physics, Settings, Solver};
use toile::{Cloth, Fabric, World};
use toile_cloth::dynamics::Integrator;
use toile_mesh::DVec3;
use tracing::{info, info_span};

use crate::TryOnError;
use crate::give::tension_of_stretched;
use crate::report::{Progress, Stage, TryOnReport, Watch};

/// Frames per second.
pub(crate) const FRAME_RATE: f64 = 40.0;
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
pub(crate) fn solver(model: Model) -> Solver {
    Solver { model, damping: 0.98, ..Solver::default() }
}

/// How finite elements are integrated meanwhile: loosely, by the method that damps most. Every step still goes on towards the balance of
/// forces, so the garment rests where a better solution would let it rest.
pub(crate) fn physics() -> Physics {
    Physics { integrator: Integrator::ImplicitEuler, iterations: 2, linear_tolerance: 0.1, ..Physics::default() }
}

/// Ratio of an edge to its length in the pattern up to which worn cloth of a fabric may be stretched without finite elements: what
/// the tension of worn cloth does to the softer of the two threads.
pub fn stretch_of_worn(fabric: &Fabric) -> f64 {
    let softest = fabric.stretch_warp.min(fabric.stretch_weft);
    1.0 + (TENSION / softest).clamp(LEAST_GIVE, MOST_GIVE)
}

/// Lets worn cloth give as much as its fabric does.
pub(crate) fn allow_give(settings: &mut Settings, cloths: &mut [Cloth]) {
    for cloth in cloths {
        let give = cloth.fabrics().map(stretch_of_worn).fold(1.0, f64::max);
        settings.solver.limit = settings.solver.limit.max(give);
        cloth.stretch_max = cloth.stretch_max.max(give);
    }
}

/// Radius of a body where it is narrow or sharply curved [m]: a tension `T` around it presses with `T/R`.
const RADIUS: f64 = 0.12;
/// What contacts bear over the pressure that the settings say of them.
const BORNE: f64 = 2.5;

/// Lets contacts bear the pressure of garments that were stretched by that ratio to be sewn. Contacts that give way leave tight cloth
/// to the guard, which knows no balance of forces: it never comes to rest. Of several garments the softest counts, since contacts
/// that are stiffer than cloth between them throw it.
pub(crate) fn bear_tightness(settings: &mut Settings, cloths: &[Cloth], sewn: f64) {
    let tensions = cloths.iter().flat_map(Cloth::fabrics).map(|fabric| tension_of_stretched(fabric, sewn));
    let softest = tensions.fold(f64::INFINITY, f64::min);
    if softest.is_finite() {
        settings.contact.pressure = settings.contact.pressure.max(softest / RADIUS / BORNE);
    }
}

/// Strain to which a limb pulls a garment that is just wide enough for it.
const PULLED: f64 = 0.03;

/// Pressure [Pa] that contacts should bear (`contact.pressure`) if garments of these fabrics move with a body: that of the softest
/// when it is pulled taut, since stiffer contacts than its own shake soft cloth; not less than the usual one. Where contacts give way,
/// the guard keeps the cloth out, which stretches it.
pub fn pressure_in_motion<'a>(fabrics: impl IntoIterator<Item = &'a Fabric>) -> f64 {
    let tension = |fabric: &Fabric| PULLED * fabric.stretch_warp.max(fabric.stretch_weft);
    let softest = fabrics.into_iter().map(tension).fold(f64::INFINITY, f64::min);
    let pressure = if softest.is_finite() { softest / RADIUS / BORNE } else { 0.0 };
    pressure.max(Contact::default().pressure)
}

/// Height below which no garment is worn any more [m]; there is no floor to lie on.
const FLOOR: f64 = 0.0;
/// Time in which velocities fade to a third [s].
const FADING: f64 = 0.2;

/// Drapes for at most `most_time` [s].
pub(crate) fn drape(
    world: &mut World,
    most_time: f64,
    report: &mut TryOnReport,
    progress: &mut Watch<'_>,
) -> Result<(), TryOnError> {
    let _stage = info_span!("drape").entered();
    let fade = (-1.0 / (FRAME_RATE * FADING)).exp();
    let mut before = world.state().x.clone();
    report.settled = false;
    while world.time() < most_time && !report.settled && !report.fallen {
        let frame = world.advance();
        report.note(&frame);
        world.change_velocities(|_, _, v| v * fade);
        let x = &world.state().x;
        report.fallen = x.iter().all(|x| x.y < FLOOR);
        if world.frame().is_multiple_of(FRAMES) {
            let (usual, largest) = ways(&before, x);
            report.last_way = usual;
            report.settled = usual < STILL && largest < RESTLESS;
            before.clone_from(x);
        }
        let (left, frame) = (report.last_way, Some(&frame));
        let told = Progress { stage: Stage::Draping, time: world.time(), left, frame, world: Some(world) };
        if let ControlFlow::Break(()) = progress(&told) {
            return Err(TryOnError::Cancelled);
        }
    }
    report.draping_time += world.time();
    info!(
        time = world.time(),
        settled = report.settled,
        fallen = report.fallen,
        way = report.last_way,
        "draping ended"
    );
    Ok(())
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

    #[test]
    fn the_softest_garment_says_what_contacts_bear() {
        let fabric = |stretch_weft: f64| Fabric { stretch_warp: 1000.0, stretch_weft, ..Fabric::default() };
        let (linen, jersey) = (fabric(20_000.0), fabric(500.0));
        // 600 N/m around 0.12 m press with 5 kPa, two fifths of which are said.
        assert!((pressure_in_motion([&linen]) - 2000.0).abs() < 1e-9);
        assert_eq!(pressure_in_motion([&linen, &jersey]), Contact::default().pressure);
        assert_eq!(pressure_in_motion([]), Contact::default().pressure);
    }
}
