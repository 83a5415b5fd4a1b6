//! Responses to pairs of features after a free step: projections, impulses, impact zones, particles kept apart.
//!
//! Impulses and zones work on the velocities of the step, `v = (x_t1 − x_t0) / h`, over all vertices of a [`Step`]. Exact shapes have no
//! vertices: they keep their response of particles and triangles. The guard has the last word after all of them.
//!
//! **Impulses.** Pairs nearer than the distance they keep when the step begins touch with the normal they have then; pairs that meet
//! during the step with that of the moment. Impulses may lead others together, so contacts are sought again a few times.
//! What is nearer than it should be is then set apart, which is no motion: velocities do not feel it.
//!
//! **Zones.** Pairs of features collide that come below half the distance they keep, or are below it and come nearer still.
//! Obstacles that are meshes take part as rigid clusters. What particles keep of their own motion in a cluster, and
//! cloth that touches an obstacle between its particles, is left by the zones: it is given impulses. Friction with obstacles is Huh's
//! damping `C_f` of what slips, one value for all: `(1 − μ)` per 1/120 s with the largest coefficient of friction of any cloth with any mesh, as for
//! `friction_law = "scaled"`. Between cloths there is none.

use toile_cloth::verlet::DAMPING_STEP;
use toile_contact::{
    Candidate, CandidateSource, Candidates, Contact, ImpulseSettings, Projection, Step, ZoneMesh, ZoneSettings,
    ZoneStep, contacts_of_pairs, resolve_zones, respond, set_apart,
};
use toile_mesh::DVec3;

use super::constraint::Particles;
use super::{Engine, Fixed, Motion};
use crate::report::{Phase, PhaseTimes, ZoneCounts};
use crate::settings::{self, Settings};

/// What responds to contacts after a free step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    pub(super) projection: Projection,
    /// With particles kept apart.
    pub(crate) particles: Option<Box<Particles>>,
    /// All faces that can collide, with the response by zones.
    zone_mesh: Option<ZoneMesh>,
    /// Where pairs of features come from, if not from the candidates of the guard.
    pub(crate) source: Option<SharedSource>,
    contacts: Vec<Contact>,
    velocities: Velocities,
    /// What zones did in this frame.
    pub(crate) zones: Option<ZoneCounts>,
}

/// A source of candidates that worlds can be cloned with.
#[derive(Clone, Debug)]
pub(crate) struct SharedSource(pub(crate) std::sync::Arc<std::sync::Mutex<dyn CandidateSource>>);

/// Velocities of a step that is corrected.
#[derive(Clone, Debug, Default)]
struct Velocities {
    /// As they are now, and as they were when positions were those before anything was changed [m/s].
    v: Vec<DVec3>,
    v_free: Vec<DVec3>,
    /// Positions at the end of the step before anything was changed [m].
    x_free: Vec<DVec3>,
}

impl Velocities {
    fn begin(&mut self, step: &Step) {
        let h = step.length();
        self.x_free.clone_from(&step.x_t1);
        self.v_free.clear();
        self.v_free.extend(step.x_t1.iter().zip(&step.x_t0).map(|(end, start)| (*end - *start) / h));
        self.v.clone_from(&self.v_free);
    }

    /// Moves the ends of a step to where velocities `v` lead. Vertices whose velocity is unchanged stay to the bit.
    fn rebuild(x_free: &[DVec3], v_free: &[DVec3], v: &[DVec3], step: &mut Step) {
        let h = step.length();
        for (i, x) in step.x_t1.iter_mut().enumerate() {
            *x = x_free[i] + (v[i] - v_free[i]) * h;
        }
    }
}

impl Response {
    pub(crate) fn new(settings: &Settings, candidates: Option<&Candidates>, particles: Option<Particles>) -> Self {
        let with_zones = settings.contact.response == settings::Response::Zones;
        let surfaces = candidates.filter(|_| with_zones).map(|candidates| candidates.detector().surfaces());
        Self { zone_mesh: surfaces.map(ZoneMesh::new), particles: particles.map(Box::new), ..Self::default() }
    }
}

impl Response {
    /// Passes on the candidates of the response: those of its own source, or else those of the guard.
    pub(super) fn with_candidates(&self, candidates: &mut Candidates, work: impl FnOnce(&mut [Candidate])) {
        match &self.source {
            None => work(candidates.found()),
            Some(SharedSource(source)) => {
                if let Ok(mut source) = source.lock() {
                    work(source.found());
                }
            }
        }
    }

    /// Forgets contacts that need not be set apart.
    pub(super) fn forget_contacts(&mut self) {
        self.contacts.clear();
    }
}

impl Engine {
    /// Finds pairs that touch in the step and brings them apart; returns how many touched.
    pub(super) fn respond(&mut self, fixed: &Fixed<'_>, times: &mut PhaseTimes) -> usize {
        match fixed.settings.contact.response {
            settings::Response::Impulse => self.give_impulses(fixed, false, times),
            settings::Response::Zones => {
                times.time(Phase::Respond, || self.resolve_zones(fixed));
                self.give_impulses(fixed, false, times)
            }
            settings::Response::Solved | settings::Response::Constraint | settings::Response::Particles => {
                self.project_pairs(fixed, times)
            }
        }
    }

    /// Finds the candidates of the step, from the source of the response or that of the guard. False if there are none to be had.
    pub(super) fn find_candidates(&mut self, times: &mut PhaseTimes) -> bool {
        let Some(candidates) = &mut self.candidates else { return false };
        let found = times.time(Phase::Detect, || match &self.response.source {
            None => candidates.cover(&self.step),
            Some(SharedSource(source)) => match source.lock() {
                Ok(mut source) => source.find(&self.step),
                Err(_) => Ok(()),
            },
        });
        if let Err(error) = found {
            self.fail(error);
            return false;
        }
        true
    }

    /// Pushes pairs apart that are nearer than they should be.
    fn project_pairs(&mut self, fixed: &Fixed<'_>, times: &mut PhaseTimes) -> usize {
        if !self.find_candidates(times) {
            return 0;
        }
        times.time(Phase::Respond, || {
            let Self { step, candidates, response, .. } = self;
            if let Some(candidates) = candidates {
                let mut projection = std::mem::take(&mut response.projection);
                response.with_candidates(candidates, |pairs| projection.gather(pairs, step));
                response.projection = projection;
            }
            self.pass_over_pairs(fixed)
        })
    }

    fn pass_over_pairs(&mut self, fixed: &Fixed<'_>) -> usize {
        let Self { step, motion, lengths, response: Response { projection, .. }, .. } = self;
        let cloth = step.cloth();
        // Without a guard cloth may have crossed, and passes that pull together what others push apart shake it.
        let keeps_lengths = matches!(motion, Motion::Constraint) && fixed.settings.contact.guard;
        // The longest that the solve left, in cloth that is pulled at all: what touches nothing is not.
        let pulls = keeps_lengths && !projection.is_empty();
        let left = if pulls { lengths.largest_stretch(step.cloth_end()) } else { 0.0 };
        let longest = lengths.longest().max(left);
        let mut touching = 0;
        let advanced = &fixed.settings.advanced;
        let most = advanced.pair_passes + advanced.more_pair_passes;
        for pass in 1..=most {
            let report = projection.pass(step, pass % 2 == 0);
            touching = touching.max(report.contacts);
            if report.contacts == 0 || pass == most {
                break;
            }
            if pulls && lengths.largest_stretch(step.cloth_end()) > advanced.long * longest {
                // What was pushed pulls what it hangs on along.
                let Step { x_t1, inverse_mass, .. } = &mut *step;
                lengths.iterate(&mut x_t1[..cloth], &inverse_mass[..cloth]);
                projection.follow(step);
            } else if pass >= advanced.pair_passes {
                break;
            }
        }
        touching
    }

    /// Gives impulses to what touches in the step; returns how many pairs did. `overrun`: contacts are part of what was solved, and only
    /// those that it let come below half their distance are given impulses, against obstacles too unless these forbid directions.
    pub(super) fn give_impulses(&mut self, fixed: &Fixed<'_>, overrun: bool, times: &mut PhaseTimes) -> usize {
        if self.candidates.is_none() {
            return 0;
        }
        times.time(Phase::Respond, || self.response.velocities.begin(&self.step));
        let settings = impulse_settings(fixed.settings.contact.restitution);
        let forbids = overrun && fixed.settings.contact.response == settings::Response::Constraint;
        let mut touching = 0;
        for _ in 0..fixed.settings.advanced.impulse_rounds {
            if !self.find_candidates(times) {
                break;
            }
            let pushed = times.time(Phase::Respond, || {
                let Self { step, motion, candidates, response, .. } = self;
                let Some(candidates) = candidates else { return 0 };
                let mut contacts = std::mem::take(&mut response.contacts);
                contacts.clear();
                response.with_candidates(candidates, |pairs| contacts_of_pairs(pairs, step, &mut contacts));
                if overrun {
                    // Contacts of an impact have a gap of exactly that share of the distance, but for rounding.
                    contacts.retain(|contact| contact.gap <= step.tuning().meeting * contact.keep * (1.0 + 1e-9));
                }
                if forbids {
                    contacts.retain(|contact| contact.vertices.iter().all(|v| (*v as usize) < step.cloth()));
                }
                let Velocities { v, v_free, x_free } = &mut response.velocities;
                let report = respond(&contacts, &step.inverse_mass, v, &settings);
                if let Motion::Implicit(implicit) = motion
                    && forbids
                {
                    // What an obstacle forbids cannot be pushed into it.
                    let forbidden = implicit.stepper.forbidden_mut();
                    for i in 0..step.cloth() {
                        v[i] = v_free[i] + forbidden.project(i, v[i] - v_free[i]);
                    }
                }
                touching = touching.max(report.near - report.immovable);
                Velocities::rebuild(x_free, v_free, v, step);
                response.contacts = contacts;
                report.pushed
            });
            if pushed == 0 {
                break;
            }
        }
        touching
    }

    /// Moves what touched and is too near apart; velocities stay.
    pub(super) fn set_apart(&mut self, fixed: &Fixed<'_>) {
        let Self { step, motion, response: Response { contacts, .. }, .. } = self;
        if contacts.is_empty() {
            return;
        }
        let before: Vec<DVec3> = step.cloth_end().to_vec();
        let settings = impulse_settings(fixed.settings.contact.restitution);
        set_apart(contacts, &step.inverse_mass, &mut step.x_t1, &settings);
        contacts.clear();
        if let Motion::Implicit(implicit) = motion {
            for (free, (end, before)) in implicit.x_free.iter_mut().zip(step.cloth_end().iter().zip(&before)) {
                *free += *end - *before;
            }
        }
    }

    /// Resolves collisions before an implicit step, where everything goes on as it does: velocities at its start change by what
    /// clusters receive, and the solve spreads it.
    pub(super) fn resolve_zones_ahead(&mut self, fixed: &Fixed<'_>, times: &mut PhaseTimes) {
        times.time(Phase::Predict, || self.extrapolate());
        times.time(Phase::Respond, || {
            if !self.resolve_zones(fixed) {
                return;
            }
            let Velocities { v, v_free, .. } = &self.response.velocities;
            let mut is_changed = false;
            for (i, velocity) in self.step.v.iter_mut().enumerate() {
                is_changed |= v[i] != v_free[i];
                *velocity += v[i] - v_free[i];
            }
            // The motion before an impact says nothing of the one after it.
            if is_changed && let Motion::Implicit(implicit) = &mut self.motion {
                implicit.history.clear();
            }
        });
    }

    /// Resolves collisions zone by zone; false if there is nothing that could collide.
    fn resolve_zones(&mut self, fixed: &Fixed<'_>) -> bool {
        let settings = zone_settings(fixed.settings, &self.step);
        let Self { step, candidates, response, .. } = self;
        let (Some(candidates), Some(mesh)) = (candidates, &response.zone_mesh) else { return false };
        response.velocities.begin(step);
        let Velocities { v, v_free, x_free } = &mut response.velocities;
        let (x_t0, inverse_mass) = (step.x_t0.clone(), step.inverse_mass.clone());
        let frozen = ZoneStep { x_t0: &x_t0, inverse_mass: &inverse_mass, step: step.length() };
        let resolved = resolve_zones(mesh, &frozen, v, &settings, |v| {
            Velocities::rebuild(x_free, v_free, v, step);
            Ok(mesh.face_pairs(&candidates.colliding(step)?))
        });
        Velocities::rebuild(x_free, v_free, v, step);
        match resolved {
            Ok(report) => *response.zones.get_or_insert_default() += ZoneCounts::from(&report),
            Err(error) => self.fail(error),
        }
        true
    }
}

fn zone_settings(settings: &Settings, step: &Step) -> ZoneSettings {
    let roughest = step.participants.largest_obstacle_friction().min(1.0);
    ZoneSettings {
        elasticity: settings.contact.restitution,
        slip_kept: (1.0 - roughest).powf(step.length() / DAMPING_STEP),
        thickness: step.participants.largest_obstacle_distance(),
        ..ZoneSettings::default()
    }
}

fn impulse_settings(restitution: f64) -> ImpulseSettings {
    ImpulseSettings { restitution, ..ImpulseSettings::default() }
}
