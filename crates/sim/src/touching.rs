//! The part of a step that keeps cloth from cloth and from meshes, and the guard that has the last word.

use toile_contact::{GuardReport, GuardSettings, NearPair, Solids, Watch};
use toile_mesh::{DVec3, judge};

use crate::report::{Phase, PhaseTimes};
use crate::scene::Response;
use crate::world::World;

/// Passes over pairs that touch.
const PASSES: usize = 3;
/// More of them, each after one over the constraints of the cloth, while an edge is too long.
const MORE_PASSES: usize = 12;
/// Edges up to this factor beyond the longest allowed, or the longest that the solve left, ask for none of these.
const LONG: f64 = 1.02;
/// Share of the distance kept that the guard never gives up.
pub(crate) const FLOOR: f64 = 0.1;

/// Particles touch what is at most this many times as far as the distance they keep.
const TOUCHES: f64 = 1.1;
/// Cosine of the angle between directions that press against each other.
pub(crate) const OPPOSED: f64 = -0.5;

/// Particles that are pressed by obstacles.
pub(crate) struct Pressed {
    pub(crate) touching: usize,
    pub(crate) squeezed: usize,
}

impl World {
    /// Whether particles keep a distance from each other, as in Fuhrmann 2003.
    pub(crate) fn parts_particles(&self) -> bool {
        self.scene.contact.self_collision && self.scene.contact.response == Response::Particles
    }

    /// Searches for pairs so far.
    pub(crate) fn searches(&self) -> u32 {
        self.work.watch.as_ref().map_or(0, Watch::searches)
    }

    /// Whether contacts with obstacles are part of what is solved, and nothing need be pushed off them after it.
    pub(crate) fn has_links(&self) -> bool {
        let solved = self.work.physical.is_some() && self.scene.contact.response == Response::Solved;
        solved || self.forbids_directions()
    }

    /// Whether pairs of features are brought apart after the solve.
    pub(crate) fn parts_pairs(&self) -> bool {
        !self.parts_particles() && (!self.has_links() || self.forbids_directions())
    }

    /// Finds the pairs that may touch in this step and, if the response does, pushes them apart. Returns how many touched.
    pub(crate) fn part_pairs(&mut self, t0: f64, t1: f64, times: &mut PhaseTimes) -> usize {
        match self.scene.contact.response {
            Response::Impulse => return self.give_impulses(t0, t1, times),
            Response::Zones => return self.resolve_zones(t0, t1, times),
            Response::Solved | Response::Constraint | Response::Particles => {}
        }
        let forbids = self.forbids_directions();
        let (work, state) = (&mut self.work, &mut self.state);
        let Some(watch) = &mut work.watch else { return 0 };
        work.bodies.set_end(&state.x);
        if let Err(error) = times.time(Phase::Detect, || watch.cover(&work.bodies, t0, t1)) {
            work.failure = work.failure.or(Some(error));
            return 0;
        }
        let mut touching = 0;
        times.time(Phase::Respond, || {
            if forbids {
                // Forbidden directions know no friction with obstacles, so what they let through has none either.
                let solid = |pair: &NearPair| pair.vertices.iter().any(|v| *v as usize >= work.bodies.cloth());
                let smooth = |pair: &NearPair| NearPair { friction: 0.0, ..*pair };
                let pairs = watch.pairs().iter().map(|pair| if solid(pair) { smooth(pair) } else { *pair });
                work.projection.gather(&mut pairs.collect::<Vec<_>>(), &work.bodies, t1 - t0);
            } else {
                work.projection.gather(watch.pairs_mut(), &work.bodies, t1 - t0);
            }
            // Without a guard cloth may have crossed, and passes that pull together what others push apart shake it.
            let pulled = work.physical.is_none() && self.scene.contact.guard;
            // The longest that the solve left, in cloth that is pulled at all: what touches nothing is not.
            let pulls = pulled && !work.projection.is_empty();
            let left = if pulls { work.solver.largest_stretch(work.bodies.cloth_end()) } else { 0.0 };
            let longest = work.solver.longest().max(left);
            for pass in 1.. {
                let report = work.projection.pass(&mut work.bodies, pass % 2 == 0);
                touching = touching.max(report.contacts);
                if report.contacts == 0 || pass >= PASSES + MORE_PASSES {
                    break;
                }
                let cloth = work.bodies.cloth();
                let x = &mut work.bodies.x_t1[..cloth];
                let is_long = pulls && work.solver.largest_stretch(x) > LONG * longest;
                if is_long {
                    // What was pushed pulls what it hangs on along.
                    work.solver.iterate(x, &state.inverse_mass);
                    work.projection.follow(&work.bodies);
                } else if pass >= PASSES {
                    break;
                }
            }
            state.x.copy_from_slice(work.bodies.cloth_end());
        });
        touching
    }

    /// One more pass over the pairs that touch.
    pub(crate) fn part_again(&mut self) {
        let (work, state) = (&mut self.work, &mut self.state);
        if work.watch.is_some() && !work.projection.is_empty() {
            work.bodies.set_end(&state.x);
            work.projection.follow(&work.bodies);
            work.projection.pass(&mut work.bodies, false);
            state.x.copy_from_slice(work.bodies.cloth_end());
        }
    }

    /// In debug and test builds: nothing crosses where a step ends that the guard left clean.
    pub(crate) fn assert_clean(&mut self, t1: f64, guard: &GuardReport) {
        if !cfg!(debug_assertions) || !self.scene.contact.guard || self.work.failure.is_some() {
            return;
        }
        // What exact obstacles pinch once may stay so for a while.
        self.work.pinched |= guard.left > 0 || self.work.pinched_now.count() > 0;
        if self.work.pinched || !self.caught.is_empty() || self.work.watch.is_none() {
            return;
        }
        let cloth = self.cloth_mesh();
        if self.scene.contact.self_collision {
            let crossing = judge::self_intersections(&cloth);
            assert_eq!(crossing.count(), 0, "cloth crosses itself at {t1} s: {:?}", crossing.pairs);
        }
        for mesh in &self.meshes {
            let crossing = judge::mutual_intersections(&cloth, &mesh.mesh_at(t1));
            assert_eq!(crossing.count(), 0, "cloth crosses \"{}\" at {t1} s: {:?}", mesh.name, crossing.pairs);
        }
        for triangle in &self.triangles {
            let corners = triangle.map(|v| self.state.x[v.index()]);
            let inside = self.work.slippery.pieces().iter().find(|piece| piece.holds_part_of(corners));
            assert!(inside.is_none(), "a triangle at {corners:?} is in an obstacle at {t1} s: {inside:?}");
        }
    }

    /// Particles that touch obstacles where a frame ends, and those of them that are squeezed: pressed from opposite sides, with
    /// less than half the distance they keep.
    pub(crate) fn pressed(&self) -> Pressed {
        let keep = self.scene.contact.threshold;
        let pieces = self.work.slippery.pieces();
        let solid = |x: &DVec3| -> Vec<(f64, DVec3)> {
            let near = pieces.iter().filter(|p| p.may_touch(*x, TOUCHES * keep)).map(|p| p.distance_and_normal(*x));
            near.map(|(distance, normal)| (distance / keep, normal)).filter(|(share, _)| *share < TOUCHES).collect()
        };
        let mut presses: Vec<Vec<(f64, DVec3)>> = self.state.x.iter().map(solid).collect();
        let bodies = &self.work.bodies;
        for pair in self.work.watch.iter().flat_map(Watch::pairs) {
            if pair.vertices.iter().all(|v| (*v as usize) < presses.len()) {
                continue;
            }
            let Some(touch) = pair.touch(&bodies.x_t0, &bodies.x_t1, TOUCHES * pair.keep) else { continue };
            for (v, weight) in touch.vertices.iter().zip(touch.weights).filter(|(_, w)| *w != 0.0) {
                if let Some(presses) = presses.get_mut(*v as usize) {
                    presses.push((touch.gap / pair.keep, touch.normal * weight.signum()));
                }
            }
        }
        let squeezed = |presses: &&Vec<(f64, DVec3)>| {
            let hard = || presses.iter().filter(|(share, _)| *share < 0.5);
            hard().any(|(_, n)| hard().any(|(_, m)| n.dot(*m) < OPPOSED))
        };
        Pressed {
            touching: presses.iter().filter(|presses| !presses.is_empty()).count(),
            squeezed: presses.iter().filter(squeezed).count(),
        }
    }

    /// Takes back whatever would go through.
    pub(crate) fn guard(&mut self, t0: f64, t1: f64, times: &mut PhaseTimes) -> GuardReport {
        self.yield_led();
        let (work, state, contact) = (&mut self.work, &mut self.state, &self.scene.contact);
        let Some(watch) = work.watch.as_mut().filter(|_| contact.guard) else { return GuardReport::default() };
        work.bodies.set_end(&state.x);
        times.time(Phase::Guard, || {
            let solids = Solids { placed: &work.slippery, triangles: &self.triangles };
            let settings = GuardSettings { floor: FLOOR, solid_floor: FLOOR * contact.threshold };
            match work.guard.run(&mut work.bodies, watch, solids, (t0, t1), &work.x_moved, &settings) {
                Ok(report) => {
                    state.x.copy_from_slice(work.bodies.cloth_end());
                    report
                }
                Err(error) => {
                    work.failure = work.failure.or(Some(error));
                    GuardReport::default()
                }
            }
        })
    }
}
