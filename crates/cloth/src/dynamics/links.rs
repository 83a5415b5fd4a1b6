//! [`Links`]: the links of a step inside Newton's method.
//!
//! Links act on the end of the step: on the gap at `x1 = σ z − (σ − 1) x0`, with `σ = 2` for implicit midpoint, whose unknown `z` is the
//! middle, and `σ = 1` else; and by friction on the displacement `u = h v1` of the velocity at the end, `v1 = σ b (z − z_r) − (σ − 1) v0`,
//! which for implicit Euler is `x1 − x0`. So what closes within a step is met and what sticks has no velocity, whatever the method.
//! With `ρ = σ b h` their potential is `E(x1)/σ + D(u)/ρ`, whose gradient by `z` is the force. A stiff contact makes the velocity along the
//! normal ring under implicit midpoint, as anything stiff does; implicit Euler and BDF2 damp it.
//!
//! Each iteration starts with [`Links::refresh`]: the limit `μ f` of friction is taken from the iterate at hand, and friction becomes a
//! quadratic model of the law there ([`Model`]). Both hold until the next one, so within an iteration the potential is fixed and
//! convex, and a line search means what it says. Which model a link takes follows from what the last iteration did to it: sliding that
//! was turned round sticks, what sticks with more than its limit slides, as in methods of active sets (Hintermüller, Ito, Kunisch 2003);
//! after [`MOST_SWITCHES`] changes it only shrinks. Shrinking alone needs a hundred iterations wherever a force is near its limit.
//! A model that sticks beyond the creep is not the law: [`Links::obey`] tells whether there is one, and then nothing has converged.
//!
//! Links of one particle become part of its diagonal block; others are couplings of the system.

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

use super::Stage;
use super::link::{CREEP, Link, LinkForce, Model, Rubbing, outer};
use crate::linear::{Coupling, Incidence, System, parts};

/// Links per parallel task.
const CHUNK: usize = 512;

/// Weight from which a link to an obstacle decides where its particle goes.
const HOLDING: f64 = 0.5;

/// Share of its distance below which a link has been overrun.
const DEEP: f64 = 0.1;

/// By what a link that has been overrun gets stiffer from one iteration to the next.
const STIFFER: f64 = 4.0;
/// Multiple of the inertia, beside the stiffness of the cloth, that it may get as stiff as: much more makes systems that are
/// solved to a fifth worse without making the contact better, and throws coarse cloth about.
const OF_INERTIA: f64 = 4.0;
/// Cosine of the angle between normals of obstacles that leave a particle no room.
const OPPOSED: f64 = -0.5;

/// Changes between sticking and sliding before a link gives in.
const MOST_SWITCHES: u32 = 10;

/// Links with what they know within a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    items: Vec<Link>,
    states: Vec<State>,
    incidence: Incidence,
    /// Links of several particles, as numbered in `items`, in the order of the system's couplings.
    shared: Vec<u32>,
    scales: Scales,
    partial: Vec<f64>,
}

/// How a step's end follows from `z`.
#[derive(Clone, Copy, Debug, Default)]
struct Scales {
    /// `σ`, of positions.
    end: f64,
    /// `ρ`, of displacements by the velocity at the end.
    slip: f64,
    /// Displacement over which sticking is smoothed [m].
    creep: f64,
}

/// A link at the iterate.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Displacement across the normal if velocities stay [m].
    ahead: DVec3,
    /// `Σ w x0` [m].
    start: DVec3,
    /// Offset at the end of the part [m].
    offset: f64,
    /// What `ρ Σ w z` is measured from [m].
    slip_from: DVec3,
    /// Inertia against displacement [N/m].
    inertia: f64,
    /// Limit of friction [N].
    limit: f64,
    /// Gradient by `Σ w z` [N] and Hessian [N/m].
    gradient: DVec3,
    block: DMat3,
    /// Displacement across the normal at the last refresh, and that for which the model was made [m].
    slip: DVec3,
    seen: DVec3,
    gap: f64,
    normal: f64,
    /// Gradient [N] and Hessian [N/m] of friction by the displacement.
    rub: (DVec3, DMat3),
    model: Model,
    switches: u32,
    is_fresh: bool,
}

impl Links {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Replaces all links; those that are not usable act as if they were not there.
    pub(crate) fn set(&mut self, links: &[Link], particles: usize, system: &mut System) {
        self.items.clear();
        self.items.extend(links.iter().map(|l| if l.is_usable(particles) { *l } else { Link::default() }));
        self.states.clear();
        self.states.resize(links.len(), State::default());
        self.incidence.set(particles, self.items.iter().map(|l| (&l.vertices, &l.weights)));
        self.shared.clear();
        self.shared.extend((0..links.len()).filter(|k| self.items[*k].count() > 1).map(|k| k as u32));
        let coupling = |k: &u32| {
            let Link { vertices, weights, .. } = self.items[*k as usize];
            Coupling { vertices, weights, block: DMat3::ZERO }
        };
        system.couplings.set(particles, self.shared.iter().map(coupling));
    }

    /// Begins the part of a step between the shares `from` and `to`, of length `h`, at positions `x` and velocities `v`.
    pub(crate) fn begin(
        &mut self,
        stage: &Stage,
        (x, v): (&[DVec3], &[DVec3]),
        mass: &[f64],
        (from, to): (f64, f64),
        h: f64,
    ) {
        let end = stage.end_scale();
        self.scales = Scales { end, slip: end * stage.b * h, creep: CREEP * h };
        let Scales { slip, .. } = self.scales;
        self.states.par_chunks_mut(CHUNK).zip(self.items.par_chunks(CHUNK)).for_each(|(states, links)| {
            for (state, link) in states.iter_mut().zip(links) {
                let still = (end - 1.0) * h;
                let mobility: f64 =
                    parts(&link.vertices, &link.weights).map(|(i, w)| w * w / mass[i].max(f64::MIN_POSITIVE)).sum();
                let ahead = link.sum(v) * h - link.carried * (to - from);
                *state = State {
                    ahead: ahead - link.normal * link.normal.dot(ahead),
                    start: link.sum(x),
                    offset: link.offset - (1.0 - to) * link.normal.dot(link.carried),
                    slip_from: link.sum(&stage.reference) * slip + link.sum(v) * still + link.carried * (to - from),
                    inertia: stage.a / slip / mobility.max(f64::MIN_POSITIVE),
                    is_fresh: true,
                    ..State::default()
                };
            }
        });
    }

    /// Takes everything at `z`, limits of friction too; blocks of couplings go to `system`. Returns the energy there [J].
    pub(crate) fn refresh(&mut self, z: &[DVec3], system: &mut System) -> f64 {
        if self.items.is_empty() {
            return 0.0;
        }
        let scales = self.scales;
        self.states.par_chunks_mut(CHUNK).zip(self.items.par_chunks(CHUNK)).for_each(|(states, links)| {
            states.iter_mut().zip(links).for_each(|(state, link)| state.refresh(link, z, scales));
        });
        for (block, k) in system.couplings.blocks_mut().zip(&self.shared) {
            *block = self.states[*k as usize].block;
        }
        self.energy(z)
    }

    /// Energy at `z` [J], that of friction since the last refresh and in its models.
    pub(crate) fn energy(&mut self, z: &[DVec3]) -> f64 {
        let scales = self.scales;
        let chunks = self.states.par_chunks(CHUNK).zip(self.items.par_chunks(CHUNK));
        let sums = chunks.map(|(states, links)| {
            let energies = states.iter().zip(links).map(|(state, link)| {
                let (gap, slip) = state.place(link, z, scales);
                let (gradient, hessian) = state.rub;
                let since = slip - state.slip;
                let rubbed = since.dot(gradient + hessian * since * 0.5);
                link.normal_law(gap)[0] / scales.end + rubbed / scales.slip
            });
            energies.sum::<f64>()
        });
        sums.collect_into_vec(&mut self.partial);
        self.partial.iter().sum()
    }

    /// Whether the models of the last refresh are the law there: none sticks beyond its limit.
    pub(crate) fn obey(&self) -> bool {
        let creep = self.scales.creep * (1.0 + 1e-9);
        self.states.iter().all(|s| s.model != Model::Stick || s.limit == 0.0 || s.slip.length() <= creep)
    }

    /// Whether something is nearer than links allow, so that a step that ended here would be left to the guard. Links that stick beyond
    /// their limit do not ask for more: iterations with linear systems solved to a fifth throw light cloth about then.
    pub(crate) fn are_overrun(&self) -> bool {
        self.states.iter().zip(&self.items).any(|(state, link)| state.gap < DEEP * link.distance)
    }

    /// Makes links stiffer that have been overrun, since they have to bear more than they can, as far as they may; not those of
    /// obstacles that press a particle from opposite sides, where no force is right. Returns the energy at `z` [J], where the last
    /// refresh was, or `None` if all are left as they are.
    pub(crate) fn stiffen(&mut self, z: &[DVec3], system: &mut System) -> Option<f64> {
        let is_weak =
            |link: &Link, state: &State| state.gap < DEEP * link.distance && link.stiffness < state.stiffest(link);
        let all = self.items.iter().zip(&self.states).enumerate();
        let weak = all.filter(|(k, (link, state))| is_weak(link, state) && !self.is_squeezed(*k));
        let weak: Vec<usize> = weak.map(|(k, _)| k).collect();
        for k in &weak {
            let (link, state) = (&mut self.items[*k], &mut self.states[*k]);
            link.stiffness = (STIFFER * link.stiffness).min(state.stiffest(link));
            state.press(link, self.scales);
        }
        for (block, k) in system.couplings.blocks_mut().zip(&self.shared) {
            *block = self.states[*k as usize].block;
        }
        (!weak.is_empty()).then(|| self.energy(z))
    }

    /// Whether an obstacle presses a particle of link `k` against another obstacle.
    fn is_squeezed(&self, k: usize) -> bool {
        let of_obstacle = |link: &Link| link.weights.iter().sum::<f64>().abs() > HOLDING;
        let link = &self.items[k];
        of_obstacle(link)
            && parts(&link.vertices, &link.weights).any(|(i, w)| {
                self.incidence.of(i).iter().any(|&(other, weight)| {
                    let other = other as usize;
                    let presses = self.states[other].normal > 0.0 && of_obstacle(&self.items[other]);
                    presses && link.normal.dot(self.items[other].normal) * (w * weight).signum() < OPPOSED
                })
            })
    }

    /// Gradient by the position of particle `i` at the last refresh [N].
    #[inline]
    pub(crate) fn gradient(&self, i: usize) -> DVec3 {
        self.incidence.of(i).iter().fold(DVec3::ZERO, |sum, &(k, w)| sum + self.states[k as usize].gradient * w)
    }

    /// What obstacles that press particle `i` at the last refresh leave of its `way`; `None` if none does.
    pub(crate) fn hold_back(&self, i: usize, mut way: DVec3) -> Option<DVec3> {
        let mut pressed = false;
        for &(k, w) in self.incidence.of(i) {
            let (state, link) = (&self.states[k as usize], &self.items[k as usize]);
            if state.normal > 0.0 && w > HOLDING && link.weights.iter().sum::<f64>() > HOLDING {
                way -= link.normal * link.normal.dot(way).min(0.0);
                pressed = true;
            }
        }
        pressed.then_some(way)
    }

    /// Particles, weights and Hessian of each link that acts at the last refresh.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (&[u32; 4], &[f64; 4], DMat3)> {
        let acting = self.items.iter().zip(&self.states).filter(|(_, state)| state.block != DMat3::ZERO);
        acting.map(|(link, state)| (&link.vertices, &link.weights, state.block))
    }

    /// Adds the Hessian of links of particle `i` alone to its block of the diagonal.
    #[inline]
    pub(crate) fn add_to_diagonal(&self, i: usize, block: &mut DMat3) {
        for &(k, w) in self.incidence.of(i) {
            if self.items[k as usize].count() == 1 {
                *block += self.states[k as usize].block * (w * w);
            }
        }
    }

    /// What the links did at the last refresh, in the order they were given.
    pub(crate) fn forces(&self) -> impl ExactSizeIterator<Item = LinkForce> {
        self.states.iter().map(|state| LinkForce {
            normal: state.normal,
            friction: (-state.rub.0).clamp_length_max(state.limit),
            gap: state.gap,
            slip: state.slip,
        })
    }
}

impl State {
    /// Gap and displacement across the normal at `z`.
    #[inline]
    fn place(&self, link: &Link, z: &[DVec3], scales: Scales) -> (f64, DVec3) {
        let sum = link.sum(z);
        let gap = link.normal.dot(self.start + (sum - self.start) * scales.end) - self.offset;
        let moved = sum * scales.slip - self.slip_from;
        (gap, moved - link.normal * link.normal.dot(moved))
    }

    fn refresh(&mut self, link: &Link, z: &[DVec3], scales: Scales) {
        let (gap, slip) = self.place(link, z, scales);
        let force = link.force_at(gap);
        let pressed = if self.is_fresh && link.force > 0.0 { link.force } else { force };
        self.limit = link.friction * pressed;
        // A step that starts where it began slides as the velocities say.
        let about = if self.is_fresh && slip.length() <= scales.creep { self.ahead } else { slip };
        self.choose_model(about, scales.creep);
        let n = link.normal;
        let (gradient, hessian) = Rubbing { limit: self.limit, creep: scales.creep }.model(self.model, about, n);
        self.rub = (gradient + hessian * (slip - about), hessian);
        (self.slip, self.seen, self.gap, self.is_fresh) = (slip, about, gap, false);
        self.press(link, scales);
    }

    /// The stiffness that it may get [N/m].
    fn stiffest(&self, link: &Link) -> f64 {
        if link.against > 0.0 { link.against + OF_INERTIA * self.inertia } else { 0.0 }
    }

    /// Gradient and Hessian by the gap at hand.
    fn press(&mut self, link: &Link, scales: Scales) {
        let [_, force, stiffness] = link.normal_law(self.gap);
        self.gradient = self.rub.0 - link.normal * force;
        self.block = outer(link.normal) * (stiffness * scales.end) + self.rub.1 * scales.slip;
        self.normal = force;
    }

    /// The model for an iteration that starts with the displacement `slip`, after one whose model was made for `self.seen`.
    ///
    /// Shrinking from `s` to `r` took the share `r/s` of the limit; the rest of it would stop what has less than that to lose,
    /// `inertia r ≤ limit (1 − r/s)`.
    fn choose_model(&mut self, slip: DVec3, creep: f64) {
        let r = slip.length();
        let next = if r <= creep {
            Model::Stick
        } else if self.is_fresh {
            // Friction that cannot end the sliding within the step is a constant force.
            if self.inertia * r > self.limit { Model::Slide } else { Model::Shrink }
        } else if self.switches >= MOST_SWITCHES {
            Model::Shrink
        } else {
            let turned = slip.dot(self.seen) < 0.0;
            let holds = r <= Rubbing { limit: self.limit, creep }.sticks_within(self.seen.length());
            let stops = self.inertia * r <= self.limit * (1.0 - r / self.seen.length());
            match self.model {
                Model::Slide if turned => Model::Stick,
                Model::Shrink if stops => Model::Stick,
                Model::Stick if holds => Model::Stick,
                Model::Stick | Model::Slide | Model::Shrink => Model::Slide,
            }
        };
        self.switches += u32::from(!self.is_fresh && next != self.model);
        self.model = next;
    }
}
