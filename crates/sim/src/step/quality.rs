//! [`StepQuality`]: how good a step is, and the one rule that accepts it or splits it.

use toile_contact::GuardReport;

use crate::settings::StepSettings;

/// By how much longer than before an edge must have got to count as dragged.
const DRAGGED_FARTHER: f64 = 1.02;

/// How good a step is that was tried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct StepQuality {
    /// Pairs that meet all the same.
    left: usize,
    /// Whether the equations of motion were solved.
    is_solved: bool,
    /// Whether the guard had to work hard, or a particle was flung.
    is_hard: bool,
}

/// What to do with a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It counts.
    Accept,
    /// It is tried again and passes over what could not be kept out.
    Excuse,
    /// It is tried again as two halves.
    Split,
}

/// Whether an edge of length `after` that was `before` long, both relative to its rest length, was dragged.
pub(super) fn is_dragged(before: f64, after: f64, settings: &StepSettings) -> bool {
    after > settings.dragged.max(DRAGGED_FARTHER * before)
}

impl StepQuality {
    /// Of a step of `particles` particles after the guard.
    pub(super) fn new(
        guard: &GuardReport,
        particles: usize,
        is_solved: bool,
        is_flung: bool,
        is_dragged: bool,
        settings: &StepSettings,
    ) -> Self {
        let takes_back_much = guard.taken_back as f64 > settings.taken_back * particles as f64;
        let takes_long = guard.rounds > settings.guard_rounds as usize;
        Self { left: guard.left, is_solved, is_hard: takes_back_much || takes_long || is_flung || is_dragged }
    }

    /// What to do with the step, which was split `depth` times and tried `attempt` times before. `caught`: obstacles have caught cloth
    /// already, so that shorter steps would not help.
    pub(super) fn verdict(&self, depth: u32, attempt: u32, caught: bool, settings: &StepSettings) -> Verdict {
        if self.left > 0 && (caught || depth >= settings.splits) && attempt < settings.excuses {
            return Verdict::Excuse;
        }
        let is_wrong = self.left > 0 || !self.is_solved;
        let splits = is_wrong && depth < settings.splits || self.is_hard && depth < settings.hard_splits;
        if splits { Verdict::Split } else { Verdict::Accept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> StepSettings {
        StepSettings::default()
    }

    fn quality(left: usize, is_solved: bool, is_hard: bool) -> StepQuality {
        StepQuality { left, is_solved, is_hard }
    }

    #[test]
    fn good_steps_are_accepted_and_others_split_a_bounded_number_of_times() {
        assert_eq!(quality(0, true, false).verdict(0, 0, false, &usual()), Verdict::Accept);
        for (bad, most) in [(quality(1, true, false), 3), (quality(0, false, false), 3), (quality(0, true, true), 2)] {
            assert_eq!(bad.verdict(most - 1, 0, false, &usual()), Verdict::Split, "{bad:?}");
            assert_ne!(bad.verdict(most, 8, false, &usual()), Verdict::Split, "{bad:?}");
        }
    }

    #[test]
    fn what_has_no_room_is_excused_before_anything_else() {
        let stuck = quality(4, true, false);
        assert_eq!(stuck.verdict(0, 0, true, &usual()), Verdict::Excuse);
        assert_eq!(stuck.verdict(3, 7, false, &usual()), Verdict::Excuse);
        assert_eq!(stuck.verdict(3, 8, false, &usual()), Verdict::Accept, "it ends");
    }

    #[test]
    fn dragging_is_told_from_cloth_that_was_long_before() {
        assert!(is_dragged(1.0, 1.2, &usual()) && !is_dragged(1.2, 1.21, &usual()) && !is_dragged(1.0, 1.1, &usual()));
    }
}
