//! What makes the last step of a frame fit to be seen: edges that the passes left too long get their length, and triangles that cut exact
//! shapes between their corners are lifted off them.
//!
//! This is no motion: velocities do not feel it. It stands outside the step, as a step of its own from where the cloth is to where it looks
//! right, in which obstacles stand still. The guard has the last word here too; what it cannot allow stays as it was.

use toile_contact::{Step, SweepReport, SweepSettings};

use super::{Changing, Engine, Fixed, Motion};

/// Edges up to this factor beyond the longest allowed are short enough.
const GOOD_STRETCH: f64 = 1.01;

impl Engine {
    /// Makes the state fit to be seen. Returns what was done to triangles.
    pub(crate) fn present(&mut self, fixed: &Fixed<'_>, changing: &mut Changing<'_>) -> SweepReport {
        self.step.linger();
        let t = self.step.t0;
        self.shapes.place(fixed.obstacles, t, t);
        let report = self.tidy(fixed);
        if self.step.cloth_end() != self.step.cloth_start() {
            self.count_as_motion();
            self.keep_apart(fixed);
            changing.state.x.copy_from_slice(self.step.cloth_end());
        }
        report
    }

    /// Whether frames need it: not where contacts are part of what is solved, so that cloth rests where forces balance.
    pub(crate) fn presents(&self) -> bool {
        !self.implicit().is_some_and(|implicit| implicit.integrator.is_implicit())
    }

    fn tidy(&mut self, fixed: &Fixed<'_>) -> SweepReport {
        let (contact, advanced) = (&fixed.settings.contact, &fixed.settings.advanced);
        let settings = SweepSettings::new(self.step.tuning().triangle_share * fixed.keep);
        let cloth = self.step.cloth();
        let mut contacts = None;
        let mut report = SweepReport::default();
        for round in 0..=advanced.last_rounds {
            let Self { step, motion, lengths, shapes, overlap, .. } = self;
            let Step { x_t0, x_t1, inverse_mass, .. } = step;
            let (x_t0, x, w) = (&x_t0[..cloth], &mut x_t1[..cloth], &inverse_mass[..cloth]);
            if contact.triangles && !shapes.is_empty() {
                shapes.renew_marks(lengths, x, fixed.keep);
                let pushed = overlap.pushed(fixed.triangles);
                report = shapes.sweep.resolve(&shapes.smooth, pushed, x_t0, x, w, &settings);
                report.contacts = *contacts.get_or_insert(report.contacts);
            }
            let is_short = match motion {
                Motion::Implicit(implicit) => !implicit.is_too_long(x),
                Motion::Constraint => lengths.largest_stretch(x) <= GOOD_STRETCH * lengths.longest(),
            };
            if is_short || round == advanced.last_rounds {
                break;
            }
            for _ in 0..advanced.last_passes {
                self.pass_again(fixed, true);
            }
        }
        report
    }
}
