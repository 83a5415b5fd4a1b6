//! Contacts as terms of the potential of an implicit step.
//!
//! **Why.** Pushing cloth about after a free step gives it the velocity `Δx/h`, which stiff fabric answers with kicks. As part of the
//! potential, contacts let cloth rest where forces balance, however long the step. With a frozen normal, a contact is a convex energy of
//! the gap `s = n · Σ w_i x_i − offset` at the end of the step ([`NormalLaw`]), with friction beside it ([`FrictionLaw`]).
//!
//! **Unknowns.** Contacts act on the end of the step: on the gap at `x1 = σ z − (σ − 1) x0`, with `σ = 2` for implicit midpoint, whose
//! unknown `z` is the middle, and `σ = 1` else; and by friction on the displacement `u = h v1` of the velocity at the end,
//! `v1 = σ b (z − z_r) − (σ − 1) v0`, which for implicit Euler is `x1 − x0`. So what closes within a step is met and what sticks has
//! no velocity, whatever the method. With `ρ = σ b h` their potential is `E(x1)/σ + D(u)/ρ`, whose gradient by `z` is the force. A stiff
//! contact makes the velocity along the normal ring under implicit midpoint, as anything stiff does; implicit Euler and BDF2 damp it.
//!
//! **Friction.** Each iteration starts with [`ContactTerms::refresh`]: the limit `μ f` of friction is taken from the iterate at hand, and
//! friction becomes a quadratic model of the law there ([`Model`]). Both hold until the next one, so within an iteration the
//! potential is fixed and convex. Which model a contact takes follows from what the last iteration did to it: sliding that
//! was turned round sticks, what sticks with more than its limit slides, as in methods of active sets (Hintermüller, Ito, Kunisch 2003);
//! after a number of changes it only shrinks. Shrinking alone needs a hundred iterations wherever a force is near its limit.
//! A model that sticks beyond the creep is not the law, and then nothing has converged.
//!
//! **Stiffness.** It starts as if cloth lay on a bed of springs, `k = b A` with the area `A` of the cloth around a vertex and a stiffness `b`
//! per area: that of the contact ([`Contact::bed`]), or such that the pressure `p` presses the bed flat, `b = p/d`. Where a contact is overrun (below the floor) it gets stiffer from one iteration to the next, up to a
//! multiple of the stiffness of the cloth it works against ([`Contact::hardening`]), so that a needle's point or the rim of a plate bears
//! what hangs on it. Two obstacles that press one particle from opposite sides stay as they are: no force is right there.
//!
//! **Arrival.** What arrives fast overruns a bed of springs. Stiffening then throws it back from far inside: forces of that size are solved to
//! a fifth, which leaves more than all other forces of the cloth, and a bounded step ends there. So a contact that may get stiffer starts
//! stiff enough to stop within half its distance what velocities lead into it, see [`Bearing`].
//!
//! Terms of one particle become part of its diagonal block; others are couplings of the system.

mod friction;
mod normal;

use rayon::prelude::*;
use toile_cloth::dynamics::{ContactTerms, Part, VisitBlock};
use toile_cloth::linear::{Coupling, Couplings, Incidence, parts};
use toile_mesh::{DMat3, DVec3};

use self::friction::{FrictionLaw, Model, outer};
use self::normal::NormalLaw;
use crate::{Contact, ContactTuning, Step};

/// Weight from which a contact with an obstacle decides where its particle goes.
const HOLDING: f64 = 0.5;

/// How stiff contacts are.
///
/// A contact with inertia `m` over a step, in a chain of such masses and threads of stiffness `t`, is pushed by all that follows. Its end of
/// the chain resists displacement with the impedance `K`, a mass and the rest of the chain behind one thread:
///
/// ```text
/// K = m + t K/(t + K):   K = m/2 + √(m²/4 + m t)
/// ```
///
/// What velocities lead to a depth `p` below the distance `d` is stopped by the stiffness `k` at the depth `p K/(K + k)`. That is less than
/// `d/2` with `k = 2 K p/d`.
#[derive(Clone, Copy, Debug)]
pub struct Bearing<'a> {
    /// Area of the cloth around each particle [m²].
    pub area: &'a [f64],
    /// Stiffness of the stiffer threads of each cloth [N/m].
    pub threads: &'a [f64],
    /// Pressure that presses a contact flat if it is a spring all the way [Pa].
    pub pressure: f64,
}

/// How stiff a contact is, and how stiff it may get where it is overrun [N/m]. With a second value below the first it stays as it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stiffness {
    /// At first [N/m].
    pub first: f64,
    /// Of the cloth that it works against [N/m]; 0: it stays as it is.
    pub most: f64,
}

impl Bearing<'_> {
    /// Stiffness of a contact; `None` if no particle of the cloth takes part.
    fn stiffness(&self, contact: &Contact, step: &Step) -> Option<Stiffness> {
        let (mut area, mut threads) = (f64::INFINITY, f64::INFINITY);
        for v in contact.vertices.iter().map(|v| *v as usize).filter(|v| *v < step.cloth()) {
            area = area.min(self.area[v]);
            threads = threads.min(self.threads[step.participants.body[v] as usize]);
        }
        if !area.is_finite() {
            return None;
        }
        let most = if contact.hardening > 0.0 { contact.hardening * threads } else { 0.0 };
        let bed = if contact.bed > 0.0 { contact.bed } else { self.pressure / contact.keep };
        let arrival = if most > 0.0 { stopping_stiffness(contact, threads, step).min(most) } else { 0.0 };
        Some(Stiffness { first: arrival.max(bed * area), most })
    }
}

/// Stiffness that stops what arrives with the velocities of the step within half the distance to keep [N/m]; 0 if nothing does. See
/// [`Bearing`].
fn stopping_stiffness(contact: &Contact, threads: f64, step: &Step) -> f64 {
    let (h, half) = (step.length(), 0.5 * contact.keep);
    let depth = contact.keep - contact.gap_at(&step.x_t1);
    let compliance = contact.compliance(&step.inverse_mass);
    if depth <= half || compliance <= 0.0 || h <= 0.0 {
        return 0.0;
    }
    let inertia = 1.0 / (compliance * h * h);
    let impedance = 0.5 * inertia + (0.25 * inertia * inertia + inertia * threads).sqrt();
    impedance * depth / half
}

/// A contact over particles alone, with its stiffness.
#[derive(Clone, Copy, Debug)]
struct Term {
    contact: Contact,
    stiffness: Stiffness,
    /// Its number among the contacts that were given.
    number: u32,
}

/// What a contact does at the end of a step.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ContactForce {
    /// Force along the normal [N], never negative.
    pub normal: f64,
    /// Friction [N], across the normal; on particle `i` it acts by the weight `w_i`.
    pub friction: DVec3,
    /// Gap [m].
    pub gap: f64,
    /// Displacement across the normal over the step, at the velocity of its end [m].
    pub slip: DVec3,
}

/// The contacts of a step as [`ContactTerms`].
///
/// ```
/// use toile_contact::{Contact, ContactPotential, Stiffness};
/// use toile_mesh::DVec3;
/// // Particle 0 above the floor y = 0, which keeps a millimetre.
/// let floor = Contact::with_plane(0, DVec3::Y, 0.0, 1e-3);
/// let mut contacts = ContactPotential::default();
/// contacts.set_terms(&[floor], &[Stiffness { first: 100.0, most: 0.0 }], 1);
/// assert_eq!(contacts.forces().len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ContactPotential {
    tuning: ContactTuning,
    terms: Vec<Term>,
    states: Vec<State>,
    incidence: Incidence,
    /// Terms of several particles, in the order of the system's couplings.
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

/// A term at the iterate.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Displacement across the normal if velocities stay [m].
    ahead: DVec3,
    /// `Σ w x0` [m].
    start: DVec3,
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

impl Term {
    /// `Σ w_i x_i`.
    #[inline]
    fn sum(&self, x: &[DVec3]) -> DVec3 {
        parts(&self.contact.vertices, &self.contact.weights).fold(DVec3::ZERO, |sum, (i, w)| sum + x[i] * w)
    }

    /// Number of particles with a weight.
    fn count(&self) -> usize {
        self.contact.weights.iter().filter(|w| **w != 0.0).count()
    }

    /// Whether it is one of the cloth with something else: weights of contacts between cloths add up to 0.
    fn is_with_obstacle(&self) -> bool {
        self.contact.weights.iter().sum::<f64>().abs() > HOLDING
    }

    fn law(&self, tuning: &ContactTuning) -> NormalLaw {
        NormalLaw { keep: self.contact.keep, stiffness: self.stiffness.first, floor: tuning.floor }
    }

    /// Whether it can be used with that many particles: vertices exist, numbers are finite and not negative, the normal has length 1.
    fn is_usable(&self, particles: usize) -> bool {
        let Contact { vertices, weights, normal, offset, keep, friction, carried, .. } = &self.contact;
        let signless = [*keep, self.stiffness.first, self.stiffness.most, friction.coefficient()];
        weights.iter().all(|w| w.is_finite())
            && parts(vertices, weights).all(|(i, _)| i < particles)
            && signless.iter().all(|value| *value >= 0.0 && value.is_finite())
            && normal.is_normalized()
            && offset.is_finite()
            && carried.is_finite()
    }
}

impl ContactPotential {
    /// With other numbers than usual.
    pub fn new(tuning: ContactTuning) -> Self {
        Self { tuning, ..Self::default() }
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.set_terms(&[], &[], 0);
    }

    /// Replaces all contacts by those of a step. Vertices of obstacles become part of the offset. Left out are contacts beside held
    /// vertices that would move others too far for what they are short of.
    ///
    /// `change` is given the number of each contact and the contact over particles alone; it may change that, and says how stiff it must
    /// be at least [N/m].
    pub fn set(
        &mut self,
        contacts: &[Contact],
        step: &Step,
        bearing: &Bearing<'_>,
        change: impl Fn(usize, &mut Contact) -> f64 + Sync,
    ) {
        self.tuning.clone_from(step.tuning());
        let lever = self.tuning.lever;
        let found = contacts.par_chunks(crate::CHUNK).enumerate().map(|(chunk, contacts)| {
            let mut terms = Vec::with_capacity(contacts.len());
            for (k, contact) in contacts.iter().enumerate() {
                if throws_others(contact, step, lever) {
                    continue;
                }
                if let Some(mut stiffness) = bearing.stiffness(contact, step) {
                    let mut contact = step.on_particles(contact);
                    let number = chunk * crate::CHUNK + k;
                    stiffness.first = stiffness.first.max(change(number, &mut contact));
                    terms.push(Term { contact, stiffness, number: number as u32 });
                }
            }
            terms
        });
        let terms = found.collect::<Vec<_>>().into_iter().flatten().collect();
        self.replace(terms, step.cloth());
    }

    /// Replaces all contacts by some over `particles` particles alone, each with its stiffness. Those that are not usable, since a
    /// number is not finite or a particle does not exist, are left out.
    pub fn set_terms(&mut self, contacts: &[Contact], stiffness: &[Stiffness], particles: usize) {
        let given = contacts.iter().zip(stiffness).zip(0..);
        let terms =
            given.map(|((contact, stiffness), number)| Term { contact: *contact, stiffness: *stiffness, number });
        self.replace(terms.collect(), particles);
    }

    fn replace(&mut self, terms: Vec<Term>, particles: usize) {
        self.terms = terms;
        self.terms.retain(|term| term.is_usable(particles));
        self.states.clear();
        self.states.resize(self.terms.len(), State::default());
        self.incidence.set(particles, self.terms.iter().map(|term| (&term.contact.vertices, &term.contact.weights)));
        self.shared.clear();
        self.shared.extend((0..self.terms.len()).filter(|k| self.terms[*k].count() > 1).map(|k| k as u32));
    }

    /// The contacts, over particles alone.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = &Contact> {
        self.terms.iter().map(|term| &term.contact)
    }

    /// For each contact its number among those that were given: some are left out.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = usize> {
        self.terms.iter().map(|term| term.number as usize)
    }

    /// What the contacts did at the last refresh, in their order.
    pub fn forces(&self) -> impl ExactSizeIterator<Item = ContactForce> {
        self.states.iter().map(|state| ContactForce {
            normal: state.normal,
            friction: (-state.rub.0).clamp_length_max(state.limit),
            gap: state.gap,
            slip: state.slip,
        })
    }

    /// Whether an obstacle presses a particle of term `k` against another obstacle.
    fn is_squeezed(&self, k: usize) -> bool {
        let term = &self.terms[k];
        term.is_with_obstacle()
            && parts(&term.contact.vertices, &term.contact.weights).any(|(i, w)| {
                self.incidence.of(i).iter().any(|&(other, weight)| {
                    let (other, state) = (&self.terms[other as usize], &self.states[other as usize]);
                    let presses = state.normal > 0.0 && other.is_with_obstacle();
                    let cosine = term.contact.normal.dot(other.contact.normal) * (w * weight).signum();
                    presses && cosine < self.tuning.opposed
                })
            })
    }

    fn copy_blocks(&self, couplings: &mut Couplings) {
        for (block, k) in couplings.blocks_mut().zip(&self.shared) {
            *block = self.states[*k as usize].block;
        }
    }
}

/// Whether a contact has held vertices that should yield and cannot, so that the rest of its feature would be thrown.
fn throws_others(contact: &Contact, step: &Step, lever: f64) -> bool {
    let (mut held, mut square, mut largest) = (false, 0.0_f64, 0.0_f64);
    for (v, weight) in contact.vertices.iter().zip(contact.weights) {
        let (v, weight) = (*v as usize, weight.abs());
        if v < step.cloth() {
            let free = step.inverse_mass[v] > 0.0;
            held |= !free && weight > 0.0;
            square += if free { weight * weight } else { 0.0 };
            largest = largest.max(if free { weight } else { 0.0 });
        }
    }
    held && largest > lever * square
}

impl ContactTerms for ContactPotential {
    fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn connect(&self, particles: usize, couplings: &mut Couplings) {
        let coupling = |k: &u32| {
            let Contact { vertices, weights, .. } = self.terms[*k as usize].contact;
            Coupling { vertices, weights, block: DMat3::ZERO }
        };
        couplings.set(particles, self.shared.iter().map(coupling));
    }

    fn begin(&mut self, part: &Part<'_>) {
        let Part { stage, x, v, mass, h } = *part;
        let end = stage.end_scale();
        // A step with contacts is one of a single-step method: all particles have this rate.
        let rate = stage.b;
        self.scales = Scales { end, slip: end * rate * h, creep: self.tuning.creep * h };
        let Scales { slip, .. } = self.scales;
        let still = (end - 1.0) * h;
        self.states.par_chunks_mut(crate::CHUNK).zip(self.terms.par_chunks(crate::CHUNK)).for_each(
            |(states, terms)| {
                for (state, term) in states.iter_mut().zip(terms) {
                    let contact = &term.contact;
                    let mobility: f64 = parts(&contact.vertices, &contact.weights)
                        .map(|(i, w)| w * w / mass[i].max(f64::MIN_POSITIVE))
                        .sum();
                    let ahead = term.sum(v) * h - contact.carried;
                    *state = State {
                        ahead: ahead - contact.normal * contact.normal.dot(ahead),
                        start: term.sum(x),
                        slip_from: term.sum(&stage.reference) * slip + term.sum(v) * still + contact.carried,
                        inertia: rate * rate / slip / mobility.max(f64::MIN_POSITIVE),
                        is_fresh: true,
                        ..State::default()
                    };
                }
            },
        );
    }

    fn refresh(&mut self, z: &[DVec3], couplings: &mut Couplings) -> f64 {
        if self.terms.is_empty() {
            return 0.0;
        }
        let (scales, tuning) = (self.scales, &self.tuning);
        self.states.par_chunks_mut(crate::CHUNK).zip(self.terms.par_chunks(crate::CHUNK)).for_each(
            |(states, terms)| {
                states.iter_mut().zip(terms).for_each(|(state, term)| state.refresh(term, z, scales, tuning));
            },
        );
        self.copy_blocks(couplings);
        self.value(z)
    }

    fn value(&mut self, z: &[DVec3]) -> f64 {
        let (scales, tuning) = (self.scales, &self.tuning);
        let chunks = self.states.par_chunks(crate::CHUNK).zip(self.terms.par_chunks(crate::CHUNK));
        let sums = chunks.map(|(states, terms)| {
            let energies = states.iter().zip(terms).map(|(state, term)| {
                let (gap, slip) = state.place(term, z, scales);
                let (gradient, hessian) = state.rub;
                let since = slip - state.slip;
                let rubbed = since.dot(gradient + hessian * since * 0.5);
                term.law(tuning).at(gap)[0] / scales.end + rubbed / scales.slip
            });
            energies.sum::<f64>()
        });
        sums.collect_into_vec(&mut self.partial);
        self.partial.iter().sum()
    }

    #[inline]
    fn gradient(&self, i: usize) -> DVec3 {
        self.incidence.of(i).iter().fold(DVec3::ZERO, |sum, &(k, w)| sum + self.states[k as usize].gradient * w)
    }

    #[inline]
    fn add_to_diagonal(&self, i: usize, block: &mut DMat3) {
        for &(k, w) in self.incidence.of(i) {
            if self.terms[k as usize].count() == 1 {
                *block += self.states[k as usize].block * (w * w);
            }
        }
    }

    fn for_each_block(&self, visit: &mut VisitBlock<'_>) {
        for (term, state) in self.terms.iter().zip(&self.states) {
            if state.block != DMat3::ZERO {
                visit(&term.contact.vertices, &term.contact.weights, state.block);
            }
        }
    }

    fn hold_back(&self, i: usize, mut displacement: DVec3) -> Option<DVec3> {
        let mut pressed = false;
        for &(k, w) in self.incidence.of(i) {
            let (state, contact) = (&self.states[k as usize], &self.terms[k as usize].contact);
            if state.normal > 0.0 && w > HOLDING && contact.weights.iter().sum::<f64>() > HOLDING {
                displacement -= contact.normal * contact.normal.dot(displacement).min(0.0);
                pressed = true;
            }
        }
        pressed.then_some(displacement)
    }

    fn obey_the_law(&self) -> bool {
        let creep = self.scales.creep * (1.0 + 1e-9);
        self.states.iter().all(|s| s.model != Model::Stick || s.limit == 0.0 || s.slip.length() <= creep)
    }

    /// Contacts that stick beyond their limit do not ask for more: iterations with linear systems solved to a fifth throw light cloth
    /// about then.
    fn are_overrun(&self) -> bool {
        self.states.iter().zip(&self.terms).any(|(state, term)| state.gap < self.tuning.floor * term.contact.keep)
    }

    fn stiffen(&mut self, z: &[DVec3], couplings: &mut Couplings) -> Option<f64> {
        let mut weak = Vec::new();
        for (k, (term, state)) in self.terms.iter().zip(&self.states).enumerate() {
            let is_overrun = state.gap < self.tuning.floor * term.contact.keep;
            let may_stiffen = term.stiffness.first < state.stiffest(term, &self.tuning);
            if is_overrun && may_stiffen && !self.is_squeezed(k) {
                weak.push(k);
            }
        }
        for k in &weak {
            let (term, state) = (&mut self.terms[*k], &mut self.states[*k]);
            let stiffer = self.tuning.stiffening * term.stiffness.first;
            term.stiffness.first = stiffer.min(state.stiffest(term, &self.tuning));
            state.press(term, self.scales, &self.tuning);
        }
        self.copy_blocks(couplings);
        (!weak.is_empty()).then(|| self.value(z))
    }
}

impl State {
    /// Gap and displacement across the normal at `z`.
    #[inline]
    fn place(&self, term: &Term, z: &[DVec3], scales: Scales) -> (f64, DVec3) {
        let (sum, normal) = (term.sum(z), term.contact.normal);
        let gap = normal.dot(self.start + (sum - self.start) * scales.end) - term.contact.offset;
        let moved = sum * scales.slip - self.slip_from;
        (gap, moved - normal * normal.dot(moved))
    }

    fn refresh(&mut self, term: &Term, z: &[DVec3], scales: Scales, tuning: &ContactTuning) {
        let (gap, slip) = self.place(term, z, scales);
        self.limit = term.contact.friction.coefficient() * term.law(tuning).force(gap);
        // A step that starts where it began slides as the velocities say.
        let about = if self.is_fresh && slip.length() <= scales.creep { self.ahead } else { slip };
        let law = FrictionLaw { limit: self.limit, creep: scales.creep, firmness: tuning.firmness };
        self.choose_model(about, law, tuning.switches);
        let (gradient, hessian) = law.model(self.model, about, term.contact.normal);
        self.rub = (gradient + hessian * (slip - about), hessian);
        (self.slip, self.seen, self.gap, self.is_fresh) = (slip, about, gap, false);
        self.press(term, scales, tuning);
    }

    /// The stiffness that it may get [N/m].
    fn stiffest(&self, term: &Term, tuning: &ContactTuning) -> f64 {
        if term.stiffness.most > 0.0 { term.stiffness.most + tuning.stiffening * self.inertia } else { 0.0 }
    }

    /// Gradient and Hessian by the gap at hand.
    fn press(&mut self, term: &Term, scales: Scales, tuning: &ContactTuning) {
        let [_, force, stiffness] = term.law(tuning).at(self.gap);
        let normal = term.contact.normal;
        self.gradient = self.rub.0 - normal * force;
        self.block = outer(normal) * (stiffness * scales.end) + self.rub.1 * scales.slip;
        self.normal = force;
    }

    /// The model for an iteration that starts with the displacement `slip`, after one whose model was made for `self.seen`.
    ///
    /// Shrinking from `s` to `r` took the share `r/s` of the limit; the rest of it would stop what has less than that to lose,
    /// `inertia r ≤ limit (1 − r/s)`.
    fn choose_model(&mut self, slip: DVec3, law: FrictionLaw, most_switches: u32) {
        let r = slip.length();
        let next = if r <= law.creep {
            Model::Stick
        } else if self.is_fresh {
            // Friction that cannot end the sliding within the step is a constant force.
            if self.inertia * r > self.limit { Model::Slide } else { Model::Shrink }
        } else if self.switches >= most_switches {
            Model::Shrink
        } else {
            let turned = slip.dot(self.seen) < 0.0;
            let holds = r <= law.sticks_within(self.seen.length());
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
