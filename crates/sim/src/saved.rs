//! [`SavedState`]: everything that the next frame depends on, besides the parts and settings of a world.
//!
//! As bytes, little endian: the frame (u32), eight counts (u64), then as many numbers (f64) of positions, velocities, the
//! step before, slip curvatures, the air, where cloth has come to rest, what obstacles have caught, and what a caller has moved.

use std::ops::RangeInclusive;

use toile_cloth::ClothState;
use toile_cloth::dynamics::History;
use toile_contact::{Caught, Keyframe, Pose};
use toile_mesh::{DQuat, DVec3};

use crate::builder::HoldKey;
use crate::moved::{DrivenShape, Grab, Moved};
use crate::step::rest::Rest;

/// Lists of numbers in a saved state.
const LISTS: usize = 8;
/// Bytes before the numbers.
const HEADER: usize = 4 + 8 * LISTS;
/// Numbers of a key of a hold, and of an obstacle.
const HOLD_KEY: usize = 5;
const OBSTACLE_KEY: usize = 8;

/// A state of a world, to go on from later.
///
/// ```
/// use toile::prelude::*;
/// use toile_mesh::generate::{Diagonals, grid};
/// let mut builder = WorldBuilder::new(Settings::default());
/// builder.cloth(Cloth::new("sheet", grid([1.0, 1.0], [5, 5], Diagonals::Alternating), Fabric::default()));
/// let mut world = builder.build()?;
/// world.advance();
/// let saved = world.save();
/// world.advance();
/// let hash = world.hash();
/// world.restore(&saved)?;
/// world.advance();
/// assert_eq!(world.hash(), hash);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct SavedState {
    pub(crate) frame: u32,
    pub(crate) cloth: ClothState,
    pub(crate) air: Vec<f64>,
    pub(crate) rest: Rest,
    pub(crate) caught: Vec<Caught>,
    pub(crate) moved: Moved,
}

/// Why a saved state cannot be restored: it belongs to a world of other parts or settings, or is damaged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct StateError {
    /// What does not fit.
    pub reason: String,
}

impl StateError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// How many numbers a saved state may have.
pub(crate) struct Capacity {
    pub(crate) particles: usize,
    lists: [usize; LISTS],
}

impl Capacity {
    /// Of a world with so many particles, bending elements, numbers of the air, numbers that mesh obstacles take when all their
    /// vertices are moved, obstacles and holds.
    pub(crate) fn new(n: usize, bends: usize, air: usize, meshes: usize, obstacles: usize, holds: usize) -> Self {
        let obstacles = (1 + 2 * OBSTACLE_KEY) * obstacles;
        let holds = (1 + 2 * HOLD_KEY) * holds;
        let grabs = (2 + 2 * HOLD_KEY + 4) * n;
        let moved = 5 + obstacles + meshes + holds + grabs;
        Self { particles: n, lists: [3 * n, 3 * n, 1 + 6 * n, 2 * bends, air, 1 + 3 * n, 3 * n, moved] }
    }

    /// Bytes that a saved state may have.
    pub(crate) fn bytes(&self) -> RangeInclusive<usize> {
        let least = HEADER + 8 * 6 * self.particles;
        least..=least + 8 * self.lists[2..].iter().sum::<usize>()
    }
}

impl SavedState {
    /// The frame it is of.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Positions, velocities and who is held.
    pub fn cloth(&self) -> &ClothState {
        &self.cloth
    }

    pub(crate) fn check(&self, capacity: &Capacity) -> Result<(), StateError> {
        let (n, found) = (capacity.particles, self.cloth.x.len());
        if found != n || self.cloth.v.len() != n {
            return Err(StateError::new(format!("it has {found} particles, the world has {n}")));
        }
        let counts = self.lists().map(|list| list.len());
        let none_or_all = |k: usize| counts[k] == 0 || counts[k] == capacity.lists[k];
        if !(2..6).all(none_or_all) || counts[6] > capacity.lists[6] {
            let (ours, theirs) = (&counts[2..], &capacity.lists[2..]);
            return Err(StateError::new(format!("it remembers {ours:?} numbers, the world {theirs:?}")));
        }
        if self.caught.iter().any(|c| c.vertex as usize >= n) || !self.caught.is_sorted_by_key(|c| c.vertex) {
            return Err(StateError::new("what is caught in it is not in the world"));
        }
        Ok(())
    }

    fn lists(&self) -> [Vec<f64>; LISTS] {
        let points = |x: &[DVec3]| x.iter().flat_map(DVec3::to_array).collect::<Vec<f64>>();
        let History { x, v, h } = &self.cloth.history;
        let mut history = Vec::new();
        if !x.is_empty() {
            history.push(*h);
            history.extend(points(x));
            history.extend(points(v));
        }
        let mut rest = Vec::new();
        if !self.rest.place.is_empty() {
            rest.push(f64::from(self.rest.frames));
            rest.extend(points(&self.rest.place));
        }
        let caught = self.caught.iter().flat_map(|c| [c.vertex, c.sheets[0], c.sheets[1]]).map(f64::from).collect();
        [
            points(&self.cloth.x),
            points(&self.cloth.v),
            history,
            self.cloth.slip.iter().flatten().copied().collect(),
            self.air.clone(),
            rest,
            caught,
            moved_numbers(&self.moved),
        ]
    }

    /// The state as bytes; see the module for their order.
    pub fn to_bytes(&self) -> Vec<u8> {
        let lists = self.lists();
        let mut bytes = self.frame.to_le_bytes().to_vec();
        for list in &lists {
            bytes.extend((list.len() as u64).to_le_bytes());
        }
        for number in lists.iter().flatten() {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// The state that was turned into `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let short = || StateError::new("it is cut off");
        let (frame, rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
        let (mut counts, mut rest) = ([0_u64; LISTS], rest);
        for count in &mut counts {
            let (number, after) = rest.split_first_chunk::<8>().ok_or_else(short)?;
            (*count, rest) = (u64::from_le_bytes(*number), after);
        }
        let total = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        if total != Some((rest.len() / 8) as u64) || !rest.len().is_multiple_of(8) {
            return Err(StateError::new("its lists are not as long as it says"));
        }
        let mut numbers = rest.as_chunks::<8>().0.iter().map(|number| f64::from_le_bytes(*number));
        let lists = counts.map(|count| numbers.by_ref().take(count as usize).collect::<Vec<f64>>());
        Self::from_lists(u32::from_le_bytes(*frame), &lists).ok_or_else(|| StateError::new("its lists make no sense"))
    }

    fn from_lists(frame: u32, lists: &[Vec<f64>; LISTS]) -> Option<Self> {
        let [x, v, history, slip, air, rest, caught, moved] = lists;
        let points = |list: &[f64]| {
            let (points, left) = list.as_chunks::<3>();
            left.is_empty().then(|| points.iter().map(|p| DVec3::from_array(*p)).collect::<Vec<DVec3>>())
        };
        let mut cloth = ClothState {
            x: points(x)?,
            v: points(v)?,
            slip: slip.as_chunks::<2>().0.to_vec(),
            ..ClothState::default()
        };
        if let Some((h, both)) = history.split_first() {
            let (x, v) = both.split_at(both.len() / 2);
            cloth.history = History { h: *h, x: points(x)?, v: points(v)? };
        }
        let mut place = Rest::default();
        if let Some((frames, list)) = rest.split_first() {
            place = Rest { frames: *frames as u32, place: points(list)? };
        }
        let of_caught = |c: &[f64; 3]| Caught { vertex: c[0] as u32, sheets: [c[1] as u32, c[2] as u32] };
        Some(Self {
            frame,
            cloth,
            air: air.clone(),
            rest: place,
            caught: caught.as_chunks::<3>().0.iter().map(of_caught).collect(),
            moved: moved_from(moved)?,
        })
    }
}

/// What a caller has moved, as numbers; none if nothing is.
fn moved_numbers(moved: &Moved) -> Vec<f64> {
    if *moved == Moved::default() {
        return Vec::new();
    }
    let hold_key = |key: &HoldKey| [key.time, key.offset.x, key.offset.y, key.offset.z, key.turns];
    let mut numbers = vec![f64::from(moved.next), moved.obstacles.len() as f64];
    for (id, keys) in &moved.obstacles {
        numbers.push(f64::from(*id));
        for Keyframe { time, pose } in keys {
            numbers.push(*time);
            numbers.extend(pose.position.to_array());
            numbers.extend(pose.rotation.to_array());
        }
    }
    numbers.push(moved.shapes.len() as f64);
    for (id, DrivenShape { times, positions }) in &moved.shapes {
        numbers.extend([f64::from(*id), times[0], times[1], positions[0].len() as f64]);
        numbers.extend(positions.iter().flatten().flat_map(DVec3::to_array));
    }
    numbers.push(moved.holds.len() as f64);
    for (id, keys) in &moved.holds {
        numbers.push(f64::from(*id));
        numbers.extend(keys.iter().flat_map(hold_key));
    }
    numbers.push(moved.grabs.len() as f64);
    for (id, Grab { vertices, anchors, path }) in &moved.grabs {
        numbers.extend([f64::from(*id), vertices.len() as f64]);
        numbers.extend(vertices.iter().map(|v| f64::from(*v)));
        numbers.extend(anchors.iter().flat_map(DVec3::to_array));
        numbers.extend(path.iter().flat_map(hold_key));
    }
    numbers
}

/// Takes numbers off the front of a list.
struct Numbers<'a>(&'a [f64]);

impl Numbers<'_> {
    fn number(&mut self) -> Option<f64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first).filter(|number| number.is_finite())
    }

    fn whole(&mut self) -> Option<u32> {
        self.number().filter(|n| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(n)).map(|n| n as u32)
    }

    /// A count of things that take so many numbers each at least.
    fn count(&mut self, each: usize) -> Option<usize> {
        let count = self.whole()? as usize;
        (count.checked_mul(each)? <= self.0.len()).then_some(count)
    }

    fn point(&mut self) -> Option<DVec3> {
        Some(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    fn points(&mut self, count: usize) -> Option<Vec<DVec3>> {
        (0..count).map(|_| self.point()).collect()
    }

    fn keyframe(&mut self) -> Option<Keyframe> {
        let (time, position) = (self.number()?, self.point()?);
        let rotation = DQuat::from_xyzw(self.number()?, self.number()?, self.number()?, self.number()?);
        Some(Keyframe { time, pose: Pose { position, rotation } })
    }

    fn hold_key(&mut self) -> Option<HoldKey> {
        Some(HoldKey { time: self.number()?, offset: self.point()?, turns: self.number()? })
    }
}

fn moved_from(numbers: &[f64]) -> Option<Moved> {
    let mut moved = Moved::default();
    if numbers.is_empty() {
        return Some(moved);
    }
    let mut numbers = Numbers(numbers);
    moved.next = numbers.whole()?;
    for _ in 0..numbers.count(1 + 2 * OBSTACLE_KEY)? {
        let id = numbers.whole()?;
        moved.obstacles.insert(id, [numbers.keyframe()?, numbers.keyframe()?]);
    }
    for _ in 0..numbers.count(4)? {
        let (id, times) = (numbers.whole()?, [numbers.number()?, numbers.number()?]);
        let count = numbers.count(6)?;
        let positions = [numbers.points(count)?, numbers.points(count)?];
        moved.shapes.insert(id, DrivenShape { times, positions });
    }
    for _ in 0..numbers.count(1 + 2 * HOLD_KEY)? {
        let id = numbers.whole()?;
        moved.holds.insert(id, [numbers.hold_key()?, numbers.hold_key()?]);
    }
    for _ in 0..numbers.count(2 + 2 * HOLD_KEY)? {
        let id = numbers.whole()?;
        let count = numbers.count(4)?;
        let vertices = (0..count).map(|_| numbers.whole()).collect::<Option<Vec<u32>>>()?;
        let anchors = numbers.points(count)?;
        let path = [numbers.hold_key()?, numbers.hold_key()?];
        moved.grabs.insert(id, Grab { vertices, anchors, path });
    }
    numbers.0.is_empty().then_some(moved)
}
