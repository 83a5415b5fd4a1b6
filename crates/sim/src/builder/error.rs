//! Why parts cannot become a world.

use crate::start::StartFindings;

/// Why parts cannot become a world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The caller broke untangling off.
    #[error("building the world was cancelled")]
    Cancelled,
    /// A setting has a value that it cannot have.
    #[error("setting `{key}`: {reason}; {remedy}")]
    Setting {
        /// Its name, as `contact.threshold`.
        key: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// Two parts have the same name, or one has none.
    #[error("the name \"{name}\" {reason}; give every cloth and every obstacle a name of its own")]
    Name {
        /// The name.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// A cloth cannot be used.
    #[error("cloth \"{cloth}\": {reason}; {remedy}")]
    Cloth {
        /// Name of the cloth.
        cloth: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// An obstacle cannot be used.
    #[error("obstacle \"{obstacle}\": {reason}; {remedy}")]
    Obstacle {
        /// Name of the obstacle.
        obstacle: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// A hold, a seam or a cut names a part that there is not.
    #[error("{what} {number} names {part} {id}, but there are {count}; use the ids that the builder returned")]
    Unknown {
        /// A hold, seam or cut.
        what: &'static str,
        /// Its number, from 1.
        number: usize,
        /// A cloth or an obstacle.
        part: &'static str,
        /// Number of that part, from 0.
        id: u32,
        /// How many there are.
        count: usize,
    },
    /// A hold cannot be used.
    #[error("cloth \"{cloth}\": hold {hold}: {reason}; {remedy}")]
    Hold {
        /// Name of the cloth.
        cloth: String,
        /// Number of the hold among those of the cloth, from 1.
        hold: usize,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A hold names a vertex that the cloth does not have.
    #[error("cloth \"{cloth}\": hold {hold} names vertex {vertex}, but the cloth has vertices 0 to {last}")]
    HoldVertex {
        /// Name of the cloth.
        cloth: String,
        /// Number of the hold among those of the cloth, from 1.
        hold: usize,
        /// The vertex it names.
        vertex: u32,
        /// Highest vertex number there is.
        last: usize,
    },
    /// A hold finds no vertex.
    #[error(
        "cloth \"{cloth}\": hold {hold} finds no vertex within {radius} m of {near:?}; \
         the nearest is {nearest:.4} m away: move `near` or enlarge `radius`"
    )]
    HoldEmpty {
        /// Name of the cloth.
        cloth: String,
        /// Number of the hold among those of the cloth, from 1.
        hold: usize,
        /// Where it looks [m].
        near: [f64; 3],
        /// How far [m].
        radius: f64,
        /// Distance of the nearest vertex [m].
        nearest: f64,
    },
    /// A hold cannot be fastened.
    #[error(
        "cloth \"{cloth}\": a hold cannot be fastened to \"{carrier}\", which is no mesh; name a body, or write \
         `triangulate = true` in the obstacle"
    )]
    Fastened {
        /// Name of the cloth.
        cloth: String,
        /// What it is fastened to.
        carrier: String,
    },
    /// A seam names a vertex that a cloth does not have.
    #[error("cloth \"{cloth}\": seam {seam} names vertex {vertex}, but \"{other}\" has vertices 0 to {last}")]
    SeamVertex {
        /// Name of the cloth the seam belongs to.
        cloth: String,
        /// Number of the seam among those of the cloth, from 1.
        seam: usize,
        /// The vertex it names.
        vertex: u32,
        /// The cloth that has no such vertex.
        other: String,
        /// Highest vertex number there is.
        last: usize,
    },
    /// The detector cannot do what the world needs.
    #[error("the detector \"{detector}\" cannot be used for this scene: {lacks}; choose another `collision.detector`")]
    Detector {
        /// Name of the detector.
        detector: &'static str,
        /// What it cannot do.
        lacks: &'static str,
    },
    /// The air's grid cannot be made.
    #[error("the air cannot be simulated: {source}; change `cell`, `low` or `high` in [air]")]
    Air {
        /// What is wrong with the grid.
        source: toile_cloth::air::GridError,
    },
    /// The start intersects.
    #[error("the start intersects: {findings}\nmove or turn what intersects, or set `untangle = true` in [contact]")]
    Start {
        /// What intersects.
        findings: Box<StartFindings>,
    },
    /// The start intersects and cannot be untangled.
    #[error(
        "the start intersects and could not be untangled ({reason}): {findings}\n\
         move or turn what intersects, and hold nothing inside or across something else"
    )]
    Tangled {
        /// What could not be parted, or all that intersects if the repair was refused for another reason.
        findings: Box<StartFindings>,
        /// Why it was given up.
        reason: String,
    },
    /// A cut cannot be made.
    #[error("scissors {number} cannot cut cloth \"{cloth}\": {reason}; {help}")]
    Scissors {
        /// Number of the cut, from 1.
        number: usize,
        /// Name of the cloth.
        cloth: String,
        /// What is wrong.
        reason: String,
        /// How to mend it.
        help: String,
    },
}
