//! [`Aim`]: the law of impulses inside an implicit step.
//!
//! An impulse on a point mass moves one particle by `h p/m` while its neighbours stay: threads of a thousand newtons per metre are
//! strained by a tenth, and answer in the next step. The inertia against which a contact works in an implicit step is not `M/h²` but
//! `M/h² + K`. So the law of impulses is part of the solve: every contact is aimed at the gap that the law asks for at the end of the step.
//! Bounded iterations leave some below half their distance; these alone are given impulses after the step.

use toile_contact::{Contact, Step};

/// Share of the distance by which contacts that would meet are aimed beyond where they are.
const HAIR: f64 = 1e-3;
/// Pairs that approach slower do not spring back [m/s].
const SLOW: f64 = 1e-3;
/// Stiffness of a contact that springs back, relative to the inertia of its particles in the step: it gives back all but 1/50.
const BOUNCING: f64 = 50.0;

/// Aims contacts at the gaps that the law of impulses asks for.
pub(super) struct Aim<'a> {
    pub(super) step: &'a Step,
    pub(super) restitution: f64,
    /// Seconds in which a pair gains its whole distance; that of projections.
    pub(super) recovery: f64,
}

impl Aim<'_> {
    /// Moves the offset of a contact over particles so that its force is zero at the gap `t` instead of its distance `d`. Returns the least
    /// stiffness that it needs [N/m].
    ///
    /// With the gap `φ₀` at the start of the step, the speed of approach `v⁻` and the restitution `e`:
    /// ```text
    /// φ₀ < d:  t = min(d, max(d/2, φ₀ + h d/recovery))   it touches: the inner half is hard, the outer half is gained gradually
    /// φ₀ ≥ d:  t = φ₀                                    it would meet: it stops approaching, as by an impulse
    ///          t = φ₀ + h e v⁻                           if that is more: it parts with e v⁻
    /// ```
    /// A contact that would meet acts from the start, by a hair. If it began to act on the way, the first direction of Newton's method
    /// would be free flight into it, its line search would cut that, and a bounded step would end there with momentum lost.
    pub(super) fn set(&self, contact: &mut Contact) -> f64 {
        let (h, d) = (self.step.length(), contact.keep);
        let carried = contact.normal.dot(contact.carried);
        let gap = contact.gap_at(&self.step.x_t0) + carried;
        let approach = carried / h - contact.normal.dot(contact.relative(&self.step.v));
        let mut target = if gap < d { (gap + h * d / self.recovery).clamp(0.5 * d, d) } else { gap + HAIR * d };
        let mut stiffness = 0.0;
        let parted = gap + h * self.restitution * approach;
        if self.restitution > 0.0 && approach > SLOW && parted > target {
            target = parted;
            let mobility = contact.compliance(&self.step.inverse_mass);
            if mobility > 0.0 {
                stiffness = BOUNCING / (h * h * mobility);
            }
        }
        contact.offset += target - d;
        stiffness
    }
}
