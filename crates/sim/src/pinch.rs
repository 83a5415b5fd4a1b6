//! Cloth that obstacles pinch: where two of them press from opposite sides and leave no room, nothing that pushes a particle
//! out of one would keep it out of the other.
//!
//! **Exact obstacles.** Such a particle is held for the step and goes as far as the obstacles do in the mean. Triangles at it are not pushed
//! out of obstacles, which could only throw their other corners about. When the obstacles part, the particle is free
//! again and leaves the one it is in as any other would.
//!
//! **Meshes.** What the guard could not keep out, with halves of the step neither, is excused, and led by [`Pincers`](toile_contact::Pincers).

use toile_mesh::{DVec3, VertexId};

use crate::touching::{FLOOR, OPPOSED};
use crate::world::World;

/// Particles held for a step because they are pinched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pinched {
    /// Particles that exact obstacles pinch, with the inverse masses they had [1/kg].
    particles: Vec<(usize, f64)>,
    /// Particles led by meshes, with these too, and the way of what leads them [m].
    led: Vec<(usize, f64, DVec3)>,
    /// Triangles without such a particle; only kept while there is one.
    free: Vec<[VertexId; 3]>,
}

impl Pinched {
    /// How many particles are pinched.
    pub(crate) fn count(&self) -> usize {
        self.particles.len() + self.led.len()
    }

    /// The triangles that obstacles push.
    pub(crate) fn pushed<'a>(&'a self, all: &'a [[VertexId; 3]]) -> &'a [[VertexId; 3]] {
        if self.particles.is_empty() { all } else { &self.free }
    }
}

impl World {
    /// Holds what is pinched when the step ends; obstacles are in place.
    pub(crate) fn hold_pinched(&mut self) {
        let (state, work) = (&mut self.state, &mut self.work);
        work.pinched_now.particles.clear();
        let (pieces, keep) = (work.slippery.pieces(), self.scene.contact.threshold);
        if pieces.len() < 2 {
            return;
        }
        for i in 0..state.x.len() {
            let (start, w) = (work.x_t0[i], state.inverse_mass[i]);
            if w == 0.0 {
                continue;
            }
            let near = pieces.iter().filter(|piece| piece.may_touch(start, keep));
            let presses: Vec<(f64, DVec3, DVec3)> = near
                .map(|piece| (piece.distance_and_normal(start), piece.carried(start) - start))
                .filter(|((distance, _), _)| *distance < keep)
                .map(|((distance, normal), way)| (distance, normal, way))
                .collect();
            let pinches = |a: &(f64, DVec3, DVec3), b: &(f64, DVec3, DVec3)| {
                a.1.dot(b.1) < OPPOSED && a.0 + b.0 < 2.0 * FLOOR * keep
            };
            if presses.iter().any(|a| presses.iter().any(|b| pinches(a, b))) {
                let way: DVec3 = presses.iter().map(|(_, _, way)| *way).sum::<DVec3>() / presses.len() as f64;
                work.pinched_now.particles.push((i, w));
                state.inverse_mass[i] = 0.0;
                state.x[i] = start + way;
            }
        }
        if !work.pinched_now.particles.is_empty() {
            let held = &state.inverse_mass;
            let pinched = &work.pinched_now.particles;
            let is_free = |t: &&[VertexId; 3]| {
                t.iter().all(|v| held[v.index()] > 0.0 || pinched.binary_search_by_key(&v.index(), |p| p.0).is_err())
            };
            work.pinched_now.free = self.triangles.iter().filter(is_free).copied().collect();
        }
    }

    /// Leads what meshes have caught through a step of `h` seconds; bodies are in place.
    pub(crate) fn hold_caught(&mut self, h: f64) {
        let (state, work) = (&mut self.state, &mut self.work);
        work.pinched_now.led.clear();
        work.bodies.excused.clone_from(&work.excused);
        if self.caught.is_empty() {
            return;
        }
        work.bodies.begin(&work.x_t0, &state.inverse_mass);
        work.bodies.excused.extend(work.pincers.excused(&work.bodies, &self.caught));
        work.bodies.excused.sort_unstable();
        work.bodies.excused.dedup();
        for led in work.pincers.lead(&work.bodies, &mut self.caught, h) {
            let w = state.inverse_mass[led.vertex];
            if w > 0.0 {
                work.pinched_now.led.push((led.vertex, w, led.way));
                state.inverse_mass[led.vertex] = 0.0;
                state.x[led.vertex] = led.end;
            }
        }
    }

    /// The guard may take back what is led: other cloth comes first.
    pub(crate) fn yield_led(&mut self) {
        for (i, w, _) in &self.work.pinched_now.led {
            self.work.bodies.inverse_mass[*i] = *w;
        }
    }

    /// Excuses what the guard could not keep out of meshes in the last step; false if there was nothing new.
    pub(crate) fn excuse_left(&mut self) -> bool {
        let work = &mut self.work;
        let before = work.excused.len();
        work.excused.extend_from_slice(work.guard.left());
        work.excused.sort_unstable();
        work.excused.dedup();
        work.excused.len() > before
    }

    /// Finds out what is caught where a step has ended.
    pub(crate) fn catch(&mut self) {
        let work = &mut self.work;
        if !self.caught.is_empty() || !work.excused.is_empty() {
            work.bodies.set_end(&self.state.x);
            self.caught = work.pincers.renewed(&work.bodies, &self.caught, &work.excused);
            work.excused.clear();
        }
    }

    /// Lets go of what was pinched in the step of `h` seconds.
    pub(crate) fn release_pinched(&mut self, h: f64) {
        for (i, w, way) in &self.work.pinched_now.led {
            self.state.inverse_mass[*i] = *w;
            self.state.v[*i] = *way / h;
        }
        for (i, w) in &self.work.pinched_now.particles {
            self.state.inverse_mass[*i] = *w;
            self.state.v[*i] = DVec3::ZERO;
        }
    }
}
