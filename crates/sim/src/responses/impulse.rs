//! Impulses after a free step.
//!
//! Pairs nearer than the distance they keep when the step begins touch with the normal they have then; pairs that meet
//! during the step with that of the moment. Impulses may lead others together, so touches are sought again a few times.
//! What is nearer than it should be is then set apart, which is no motion: velocities do not feel it.

use rayon::prelude::*;
use toile_contact::{Bodies, ImpulseSettings, NearPair, TouchRule, respond, set_apart};

use super::{Responses, rebuild};
use crate::report::{Phase, PhaseTimes};
use crate::world::World;

/// Searches for touches in a step at most.
const ROUNDS: usize = 3;
/// Pairs per task.
const CHUNK: usize = 256;

impl Responses {
    /// Fills the list of touches with the pairs that touch or meet.
    fn find_touches(&mut self, pairs: &[NearPair], bodies: &Bodies) {
        let found = pairs.par_chunks(CHUNK).map(|pairs| {
            let touches = pairs
                .iter()
                .filter(|pair| bodies.parts(pair))
                .filter_map(|pair| Some((pair.touch_in_step(&bodies.x_t0, &bodies.x_t1)?, pair)));
            let rule = |pair: &NearPair| TouchRule { friction: pair.friction, thickness: pair.keep };
            touches.map(|(touch, pair)| (touch, rule(pair))).collect::<Vec<_>>()
        });
        self.touches.clear();
        self.rules.clear();
        for (touch, rule) in found.collect::<Vec<_>>().into_iter().flatten() {
            self.touches.push(touch);
            self.rules.push(rule);
        }
    }
}

impl World {
    /// Gives impulses to what touches in the step from `t0` to `t1` [s]; returns how many pairs did.
    pub(crate) fn give_impulses(&mut self, t0: f64, t1: f64, times: &mut PhaseTimes) -> usize {
        let (work, state, h) = (&mut self.work, &mut self.state, t1 - t0);
        let Some(watch) = &mut work.watch else { return 0 };
        work.bodies.set_end(&state.x);
        let (bodies, responses) = (&mut work.bodies, &mut work.responses);
        responses.begin(bodies, h);
        let settings = impulse_settings(self.scene.contact.restitution);
        let mut touching = 0;
        for _ in 0..ROUNDS {
            if let Err(error) = times.time(Phase::Detect, || watch.cover(bodies, t0, t1)) {
                work.failure = work.failure.or(Some(error));
                break;
            }
            let pushed = times.time(Phase::Respond, || {
                responses.find_touches(watch.pairs(), bodies);
                let Responses { touches, rules, v, v_free, x_free, .. } = responses;
                let report = respond(touches, rules, &bodies.inverse_mass, v, &settings);
                touching = touching.max(report.near - report.immovable);
                rebuild(bodies, x_free, v_free, v, h);
                report.pushed
            });
            if pushed == 0 {
                break;
            }
        }
        state.x.copy_from_slice(bodies.cloth_end());
        touching
    }

    /// Moves what touched and is too near apart; velocities stay.
    pub(crate) fn set_pairs_apart(&mut self) {
        let (work, state) = (&mut self.work, &mut self.state);
        let Responses { touches, rules, .. } = &mut work.responses;
        if touches.is_empty() {
            return;
        }
        let settings = impulse_settings(self.scene.contact.restitution);
        work.bodies.set_end(&state.x);
        set_apart(touches, rules, &work.bodies.inverse_mass, &mut work.bodies.x_t1, &settings);
        touches.clear();
        let ends = work.bodies.cloth_end();
        if let Some(physical) = &mut work.physical {
            let free = physical.x_free.iter_mut().zip(ends.iter().zip(&state.x));
            free.for_each(|(free, (end, x))| *free += *end - *x);
        }
        state.x.copy_from_slice(ends);
    }
}

fn impulse_settings(restitution: f64) -> ImpulseSettings {
    ImpulseSettings { restitution, ..ImpulseSettings::default() }
}
