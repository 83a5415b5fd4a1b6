//! Cloth that starts intersecting is parted before it is simulated.
//!
//! [`untangle`] moves vertices until nothing intersects and everything keeps a small distance, or gives up:
//! 1. whole pieces are moved aside where that is enough (`shift`);
//! 2. rounds of: keeping edge lengths, pushes at the crossings (`push`), cloth out of obstacles (`solid`); which way to push
//!    follows from the regions into which the lines of intersection cut the cloth (`region`), from layers, from the outside
//!    of closed obstacles, or from what shortens the lines;
//! 3. once nothing crosses: distances and lengths, with every step guarded (`ease`).
//!
//! After Baraff, Witkin and Kass 2003 ("Untangling Cloth"), and Volino and Magnenat-Thalmann 2006 ("Resolving Surface
//! Collisions through Intersection Contour Minimization").
//!
//! Conventions: lengths in metres; held vertices never move. All decisions are made in one order, so the result does
//! not depend on threads.
//!
//! When it fails: what held vertices force to intersect stays so; cloth that is linked with itself, or wound through
//! another several times, may find no way; a mesh obstacle that is open or intersects itself has no inside, so cloth
//! goes to the side where more of it is. A result is never taken that tears the cloth ([`LARGEST_STRETCH`]).

mod crossing;
mod ease;
mod nearest;
mod push;
mod region;
mod shift;
mod solid;
mod tangle;

pub use nearest::{Foot, NearestFace};
pub use tangle::Tangle;

use std::ops::ControlFlow;

use toile_mesh::DVec3;

use crossing::Crossings;
use ease::Easing;
use tangle::Weave;

/// Largest ratio of an edge to its rest length in a result.
pub const LARGEST_STRETCH: f64 = 1.25;
/// Rounds at most.
const ROUNDS: usize = 300;
/// Rounds without fewer crossings than ever before, after which it is given up.
const PATIENCE: usize = 60;
/// Passes over all lengths in a round.
const PASSES: usize = 10;
/// Rounds after which lengths are kept less strictly, so that pushes win.
const STRICT_ROUNDS: usize = 100;
/// Times that easing may be tried.
const EASINGS: usize = 3;

/// What became of a tangle.
#[derive(Clone, PartialEq, Debug)]
pub struct Untangled {
    /// Where the vertices of the cloth are now [m].
    pub positions: Vec<DVec3>,
    /// Whether nothing intersects, everything keeps its distance and nothing is torn.
    pub parted: bool,
    /// Rounds made.
    pub rounds: usize,
    /// How far the vertex that moved farthest is from its place [m].
    pub largest_move: f64,
    /// Largest ratio of an edge to its rest length.
    pub largest_stretch: f64,
}

/// Parts what intersects.
///
/// ```
/// use toile_contact::{PlacedObstacles, Tangle, untangle};
/// use toile_mesh::{DQuat, DVec3, generate, judge};
/// // An upright sheet goes a little way through a level one.
/// let mut cloth = generate::plane([1.0, 1.0], [8, 8]);
/// let turn = DQuat::from_rotation_x(1.5);
/// cloth.append(&generate::plane([0.3, 0.3], [4, 4]).map_positions(|p| turn * p + DVec3::new(0.01, 0.1, 0.02)));
/// assert!(!judge::self_intersections(&cloth).is_clean());
/// let count = cloth.vertex_count();
/// let sheet: Vec<u32> = (0..count as u32).map(|v| u32::from(v >= 81)).collect();
/// let tangle = Tangle {
///     cloth: &cloth,
///     rest: &cloth.positions,
///     held: &vec![false; count],
///     sheet: &sheet,
///     layer: &[0, 0],
///     gap: &[3e-4, 3e-4],
///     sewn: &[],
///     self_contact: true,
///     obstacles: &PlacedObstacles::default(),
///     meshes: &[],
///     obstacle_gap: 3e-4,
/// };
/// let result = untangle(&tangle);
/// assert!(result.parted && result.largest_stretch < 1.01);
/// cloth.positions = result.positions;
/// assert!(judge::self_intersections(&cloth).is_clean());
/// ```
///
/// # Panics
/// If a slice of the tangle is shorter than its cloth has vertices or sheets.
pub fn untangle(tangle: &Tangle<'_>) -> Untangled {
    match untangle_each(tangle, &mut || ControlFlow::Continue(())) {
        ControlFlow::Continue(untangled) => untangled,
        ControlFlow::Break(()) => unreachable!("a callback that never breaks cancels nothing"),
    }
}

/// The same; `each` is called before every round of pushing or easing. When it breaks, so does the work.
///
/// # Panics
/// As [`untangle`].
pub fn untangle_each(tangle: &Tangle<'_>, each: &mut dyn FnMut() -> ControlFlow<()>) -> ControlFlow<(), Untangled> {
    let (weave, start) = Weave::new(*tangle);
    let mut x = start.clone();
    let finite = start.iter().all(|p| p.is_finite());
    let mut rounds = 0;
    let parted = finite && !solid::holds_inside(&weave, &x) && {
        rounds += usize::from(shift::settle(&weave, &mut x));
        part(&weave, &mut x, &mut rounds, each)?
    };
    x.truncate(weave.cloth_vertices());
    let largest_move = x.iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let largest_stretch = weave.stretch(&x);
    ControlFlow::Continue(Untangled {
        parted: parted && largest_stretch <= LARGEST_STRETCH,
        positions: x,
        rounds,
        largest_move,
        largest_stretch,
    })
}

/// Rounds of pushes, then easing; whether all is well in the end.
fn part(
    weave: &Weave<'_>,
    x: &mut Vec<DVec3>,
    rounds: &mut usize,
    each: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), bool> {
    let Some(mut easing) = Easing::new(weave) else { return ControlFlow::Continue(false) };
    let (mut fewest, mut since, mut easings) = (usize::MAX, 0, 0);
    for round in 0..ROUNDS {
        each()?;
        let found = Crossings::find(weave, x);
        let mut y = x.clone();
        let solids = solid::push_out(weave, &mut y);
        if found.is_empty() && solids.met == 0 {
            let apart = match easing.run(x, each) {
                Ok(Some(apart)) => apart,
                Ok(None) => return ControlFlow::Break(()),
                Err(_) => false,
            };
            easings += 1;
            let good = apart && weave.stretch(x) <= LARGEST_STRETCH && weave.judged(x).is_empty();
            if good || easings >= EASINGS {
                return ControlFlow::Continue(good);
            }
        }
        let left = found.count() + solids.met;
        since = if left < fewest { 0 } else { since + 1 };
        fewest = fewest.min(left);
        if since > PATIENCE || x.iter().any(|p| !p.is_finite()) {
            return ControlFlow::Continue(false);
        }
        let share = if round < STRICT_ROUNDS { 1.0 } else { 0.3 };
        if round > 0 {
            weave.keep_lengths(x, PASSES, share);
        }
        // Lengths have moved the crossings: the pushes need them as they are now.
        let found = if round > 0 { Crossings::find(weave, x) } else { found };
        push::push_crossings(weave, &found, x);
        solid::push_out(weave, x);
        *rounds += 1;
    }
    ControlFlow::Continue(false)
}

#[cfg(test)]
mod tests;
