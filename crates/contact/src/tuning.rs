//! [`ContactTuning`]: the numbers of contacts that are choices, each with its unit, where it comes from and what it does.

use toile_schema::section;

section! {
    /// How contacts are found, pressed and kept apart.
    pub struct ContactTuning {
        /// Share of the distance to keep below which nothing comes: where the barrier of a contact ends, below which it counts as
        /// overrun, and what the guard never gives up. Larger leaves cloth less room between obstacles; smaller brings features so
        /// near that rounding matters.
        floor: f64 = 0.1, above(0, 0.5);
        /// Cosine of the angle between normals that press against each other, 120°: three equal pushes in a plane just balance there.
        opposed: f64 = -0.5, within(-1, 0);
        /// A vertex is moved at most this many times as far as its feature is short of its target. With all four weights equal the lever
        /// is 4; more is asked only of vertices of small weight beside held ones, which would be thrown.
        lever: f64 = 4.0, within(1, 100);
        /// Time in which a pair gains the outer half of its distance, if nothing presses it: shorter throws cloth apart, longer leaves it
        /// too near.
        recovery: f64 = 0.03, ["s"] above(0, 10);
        /// Share of the distance to keep that edges and triangles keep from exact shapes; vertices keep all of it. Flat triangles on
        /// a round shape are nearer than their corners by design.
        triangle_share: f64 = 0.5, within(0, 1);
        /// Candidates are listed up to this many distances to keep, beside what is travelled: larger makes longer lists, smaller more
        /// searches.
        listed: f64 = 1.5, above(1, 10);
        /// Candidates that are not listed stay apart by this share of the distance to keep while a list is used.
        unlisted: f64 = 0.4, within(0, 1);
        /// Features of one cloth keep at most this share of the distance that they have in the flat cloth, so that neighbours are no
        /// contacts.
        of_rest: f64 = 0.4, within(0, 1);
        /// Share of the distance to keep at which pairs that approach meet. More than the floor, so that the guard has nothing to do.
        meeting: f64 = 0.5, within(0, 1);
        /// Speed below which friction grows with the speed: what sticks creeps slower. Smaller makes systems stiffer: sticking acts as
        /// `μ f/(ε h)`.
        creep: f64 = 1e-5, ["m/s"] above(0, 1);
        /// How many times its limit friction that sticks draws back what has slid within a step. Without a bound, linear systems
        /// solved to a fifth of that are not solved at all for the cloth's own forces.
        firmness: f64 = 16.0, within(1, 1000);
        /// By what a contact that is overrun gets stiffer from one iteration to the next, and how many times the inertia of a step it
        /// may be as stiff as, beside the cloth. Much more throws coarse cloth about.
        stiffening: f64 = 4.0, within(1, 100);
        /// Share of the stiffness of the cloth's threads that a contact has at most at first. Stiffer contacts, as those of large triangles,
        /// are left unsolved by steps of few iterations, and stretch cloth that is drawn over an edge.
        softness: f64 = 0.2, above(0, 1000);
        /// How many times as stiff as the cloth a contact with an exact shape may get, which acts on its particles nearly alone.
        hardening: f64 = 32.0, within(0, 1000);
        /// Changes between sticking and sliding within a step before friction only shrinks what slides.
        switches: u32 = 10, within(1, 1000);
        /// Rounds in which the guard pushes what meets apart before it takes anything back.
        pushing_rounds: u32 = 240, within(1, 10_000);
        /// Rounds of pushing that bring nothing after which the guard gives it up.
        pushing_patience: u32 = 60, within(1, 10_000);
        /// Rounds in which the guard scales displacements back before it cuts them.
        scaling_rounds: u32 = 4, within(1, 1000);
        /// Rounds of taking back single vertices before the whole cloth is taken back.
        cutting_rounds: u32 = 24, within(1, 1000);
        /// Speed with which caught cloth is led out of an obstacle.
        leading_speed: f64 = 1.0, ["m/s"] above(0, 100);
        /// Steps of the longest path for which candidates are listed.
        path_steps: f64 = 16.0, within(1, 1000);
        /// Share of the vertices that may leave their path before everything is searched anew.
        stray_share: f64 = 0.1, within(0, 1);
    }
}
