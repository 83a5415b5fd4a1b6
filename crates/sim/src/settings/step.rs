//! [`StepSettings`]: every number of the step that is a choice, once.

use toile_contact::ContactTuning;
use toile_schema::section;

section! {
    /// Numbers of the step that few people need. Each says what it does and where its default comes from.
    pub struct StepSettings {
        /// How contacts are found, pressed and kept apart.
        contact: ContactTuning = ContactTuning::default();
        /// Steps of a frame at most, as a multiple of `time.substeps`, where something moves fast.
        most_substeps: u32 = 64, within(1, 10_000);
        /// How many times as far as others finite elements may go in a step: contacts of the solve meet what comes, and implicit steps
        /// need not be short.
        reach: f64 = 5.0, within(0.1, 100);
        /// Times that a step is split in two at most, where pairs still meet or the equations of motion are not solved.
        splits: u32 = 3, within(0, 10);
        /// The same where a step is hard but not wrong.
        hard_splits: u32 = 2, within(0, 10);
        /// Times that a step is tried again with features excused, because obstacles leave cloth no room.
        excuses: u32 = 8, within(0, 100);
        /// Share of the particles above which it is hard that the guard takes them back.
        taken_back: f64 = 0.05, within(0, 1);
        /// Rounds of the guard above which a step is hard.
        guard_rounds: u32 = 40, within(1, 10_000);
        /// Longest edge relative to its rest length that the guard may leave in finite elements. Single vertices that a limb drags along
        /// are longer; the cloth follows them in shorter steps.
        dragged: f64 = 1.15, within(1, 10);
        /// Strain of threads, beyond that where the step began, above which it is hard that the guard pushed finite elements: what the
        /// solve did not foresee in a long step it does in shorter ones. Cotton strains by a hundredth where it is pulled hard.
        strained: f64 = 0.02, within(0, 10);
        /// A particle that goes this many times as far as anything could be expected to is held back, and the step is hard.
        flung: f64 = 2.0, within(1, 100);
        /// Share of the threshold that passes of the constraint model keep with scaled friction, so that particles in contact are still
        /// in contact when friction acts.
        inner_threshold: f64 = 0.9, within(0, 1);
        /// Passes over pairs that touch.
        pair_passes: u32 = 3, within(1, 1000);
        /// More of them, each after one over the lengths of the cloth, while an edge is too long.
        more_pair_passes: u32 = 12, within(0, 1000);
        /// Edges up to this factor beyond the longest allowed are left alone by them.
        long: f64 = 1.02, within(1, 10);
        /// Searches for contacts in a step with impulses.
        impulse_rounds: u32 = 3, within(1, 100);
        /// Rounds of passes that make a frame fit to be seen, or particles keep their distance.
        last_rounds: u32 = 6, within(0, 1000);
        /// Passes of such a round.
        last_passes: u32 = 4, within(1, 1000);
        /// Time for which cloth must have kept its place to rest.
        rest_time: f64 = 0.5, ["s"] above(0, 100);
        /// How far its place reaches, as a share of what it would fall in that time.
        rest_reach: f64 = 1e-3, within(0, 1);
    }
}
