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
    /// Why the step was hard, if it was.
    hard: Option<&'static str>,
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
        let hardships = [
            (takes_back_much, "the guard took back many particles"),
            (takes_long, "the guard needed many rounds"),
            (is_flung, "a particle was flung"),
            (is_dragged, "an edge was dragged"),
        ];
        let hard = hardships.iter().find(|(is_so, _)| *is_so).map(|(_, reason)| *reason);
        Self { left: guard.left, is_solved, hard }
    }

    /// Pairs that meet all the same.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// What is wrong with the step, the worst first; `None` if it is good.
    pub(super) fn flaw(&self) -> Option<&'static str> {
        if self.left > 0 {
            return Some("pairs meet all the same");
        }
        if !self.is_solved {
            return Some("the equations of motion are not solved");
        }
        self.hard
    }

    /// What to do with the step, which was split `depth` times and tried `attempt` times before. `caught`: obstacles have caught cloth
    /// already, so that shorter steps would not help.
    pub(super) fn verdict(&self, depth: u32, attempt: u32, caught: bool, settings: &StepSettings) -> Verdict {
        if self.left > 0 && (caught || depth >= settings.splits) && attempt < settings.excuses {
            return Verdict::Excuse;
        }
        let is_wrong = self.left > 0 || !self.is_solved;
        let splits = is_wrong && depth < settings.splits || self.hard.is_some() && depth < settings.hard_splits;
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
        StepQuality { left, is_solved, hard: is_hard.then_some("hard") }
    }

    #[test]
    fn the_flaw_of_a_step_is_the_worst_of_its_flaws() {
        assert_eq!(quality(0, true, false).flaw(), None);
        assert_eq!(quality(0, true, true).flaw(), Some("hard"));
        let (unsolved, meeting) = (quality(0, false, true).flaw(), quality(1, false, true).flaw());
        assert!(unsolved.unwrap().contains("solved") && meeting.unwrap().contains("meet"));
        // Each kind of hardship is told by its own words.
        let settings = usual();
        let new = |taken_back: usize, rounds: usize, is_flung: bool, is_dragged: bool| {
            let guard = GuardReport { taken_back, rounds, ..GuardReport::default() };
            StepQuality::new(&guard, 100, true, is_flung, is_dragged, &settings).flaw()
        };
        let many = settings.guard_rounds as usize + 1;
        let flaws =
            [new(100, 0, false, false), new(0, many, false, false), new(0, 0, true, false), new(0, 0, false, true)];
        for (flaw, word) in flaws.iter().zip(["took back", "rounds", "flung", "dragged"]) {
            assert!(flaw.unwrap().contains(word), "{flaw:?}");
        }
        assert_eq!(new(0, 0, false, false), None);
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
