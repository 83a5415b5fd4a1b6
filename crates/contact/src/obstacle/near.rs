//! Which pieces each particle could touch during a step.
//!
//! A step looks at every particle and triangle many times, and most are far from most pieces. Their distances are
//! taken once: bit k of a particle's mask says that it may come within `reach` of piece k while it moves no farther
//! than `slack` from where it was. [`NearPieces::is_valid`] tells whether that was so. A triangle may touch what one of its
//! corners may touch, as `reach` is chosen to cover the way from any of its points to the nearest corner. Masks are good for
//! several steps: what pieces move is taken off the slack.

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::PlacedPiece;

/// One row of bits per particle, 64 pieces to a word; without rows everything is near.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearPieces {
    masks: Vec<u64>,
    /// Words of a row.
    words: usize,
    marked_at: Vec<DVec3>,
    reach: f64,
    whole_slack: f64,
    /// What is left of the slack [m].
    slack: f64,
    /// Number of the masks, which copies have as well.
    number: u64,
}

impl NearPieces {
    /// Takes the masks at positions `x` [m]: bit k is set where piece k is within `reach + slack` [m]. Positions that are
    /// not finite are near nothing.
    pub(crate) fn update(&mut self, pieces: &[PlacedPiece], x: &[DVec3], reach: f64, slack: f64) {
        (self.reach, self.whole_slack, self.slack) = (reach, slack, slack);
        self.number += 1;
        self.marked_at.clear();
        self.marked_at.extend_from_slice(x);
        self.words = pieces.len().div_ceil(64).max(1);
        self.masks.clear();
        self.masks.resize(x.len() * self.words, 0);
        let (words, distance) = (self.words, reach + slack);
        self.masks.par_chunks_mut(crate::CHUNK * words).zip(x.par_chunks(crate::CHUNK)).for_each(|(masks, x)| {
            for (row, &x) in masks.chunks_mut(words).zip(x) {
                for (k, piece) in pieces.iter().enumerate() {
                    if x.is_finite() && piece.may_touch(x, distance) && piece.distance_and_normal(x).0 <= distance {
                        row[k / 64] |= 1 << (k % 64);
                    }
                }
            }
        });
    }

    /// Takes the masks of particles that go from `start` to `end` [m] while pieces go to their places, and may be pushed as far again:
    /// bit k is set where piece k comes within `reach` [m].
    pub(crate) fn update_on_way(&mut self, pieces: &[PlacedPiece], start: &[DVec3], end: &[DVec3], reach: f64) {
        let way = start.iter().zip(end).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max).sqrt();
        let carried = pieces.iter().map(|p| p.travel(reach + way)).fold(0.0, f64::max);
        self.update(pieces, end, reach + 2.0 * (way + carried), 0.0);
    }

    /// Whether no particle has moved farther than the slack since the masks were taken.
    pub(super) fn is_valid(&self, x: &[DVec3]) -> bool {
        self.holds_within(x, self.slack)
    }

    /// How far corners of a triangle with edges up to the reach can be apart while the masks are valid, at any two times [m].
    pub(crate) fn spread(&self) -> f64 {
        self.reach + 2.0 * self.whole_slack
    }

    /// Whether that holds all the way from `start` to `end` [m], while pieces go to their places.
    pub(crate) fn is_valid_on_way(&self, pieces: &[PlacedPiece], start: &[DVec3], end: &[DVec3]) -> bool {
        let slack = self.slack - pieces.iter().map(|p| p.travel(self.reach)).fold(0.0, f64::max);
        self.holds_within(start, slack) && self.holds_within(end, slack)
    }

    fn holds_within(&self, x: &[DVec3], slack: f64) -> bool {
        let within = |(a, b): (&DVec3, &DVec3)| a.distance_squared(*b) <= slack * slack || !a.is_finite();
        slack >= 0.0 && x.len() == self.marked_at.len() && x.iter().zip(&self.marked_at).all(within)
    }

    /// Takes off the slack how far pieces, the same ones in other places, have moved.
    pub(super) fn follow(&mut self, before: &[PlacedPiece], now: &[PlacedPiece]) {
        if before.len() != now.len() || before.iter().zip(now).any(|(a, b)| a.shape != b.shape) {
            self.clear();
            return;
        }
        let travel = |(a, b): (&PlacedPiece, &PlacedPiece)| b.travel_from(&a.pose, self.reach);
        self.slack -= before.iter().zip(now).map(travel).fold(0.0, f64::max);
    }

    /// Takes over the masks of others.
    pub(super) fn copy(&mut self, other: &Self) {
        if self.number == other.number && self.masks.len() == other.masks.len() {
            self.slack = other.slack;
        } else {
            self.clone_from(other);
        }
    }

    /// Forgets the masks: every particle may touch everything.
    pub(super) fn clear(&mut self) {
        self.masks.clear();
        self.marked_at.clear();
        self.number += 1;
    }

    /// Numbers of the pieces, of `count` there are, that one of the particles may touch, ascending.
    #[inline]
    pub(crate) fn pieces_of<const N: usize>(
        &self,
        particles: [usize; N],
        count: usize,
    ) -> impl Iterator<Item = usize> + use<'_, N> {
        let word = move |w: usize| particles.iter().fold(0, |mask, p| mask | self.word(*p, w));
        (0..count.div_ceil(64))
            .flat_map(move |w| bits(word(w)).map(move |k| 64 * w + k))
            .take_while(move |k| *k < count)
    }

    /// Whether a particle may touch no piece.
    #[inline]
    pub(super) fn is_far(&self, particle: usize) -> bool {
        (0..self.words.max(1)).all(|w| self.word(particle, w) == 0)
    }

    /// Pieces `64 w` to `64 w + 63` that a particle may touch.
    #[inline]
    fn word(&self, particle: usize, w: usize) -> u64 {
        self.masks.get(particle * self.words + w).copied().unwrap_or(u64::MAX)
    }
}

/// Numbers of the bits that are set, ascending.
#[inline]
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let k = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            k
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Friction, Motion, Obstacle, PlacedObstacles, Pose, Shape};

    fn balls(count: usize) -> PlacedObstacles {
        let ball = |k: usize| {
            let pose = Pose::at(DVec3::X * (10.0 * k as f64));
            Obstacle::new("ball", Shape::Sphere { radius: 1.0 }, Motion::at_rest(pose), Friction::Scaled(0.0))
        };
        let mut placed = PlacedObstacles::default();
        placed.place(&(0..count).map(ball).collect::<Vec<_>>(), 0.0, 0.1);
        placed
    }

    #[test]
    fn every_piece_within_reach_is_in_the_mask_and_far_ones_are_not() {
        for count in [3, 64, 70, 130] {
            let placed = balls(count);
            let x: Vec<DVec3> = (0..count).map(|k| DVec3::new(10.0 * k as f64, 1.4, 0.0)).collect();
            let mut near = NearPieces::default();
            near.update(placed.pieces(), &x, 0.3, 0.2);
            assert!(!near.is_far(count - 1));
            for k in 0..count {
                assert_eq!(near.pieces_of([k], count).collect::<Vec<_>>(), [k]);
                let both = near.pieces_of([k, 0], count).collect::<Vec<_>>();
                assert_eq!(both, if k == 0 { vec![0] } else { vec![0, k] });
            }
        }
    }

    #[test]
    fn moving_farther_than_the_slack_is_noticed() {
        let placed = balls(1);
        let mut near = NearPieces::default();
        near.update(placed.pieces(), &[DVec3::Y * 2.0], 0.1, 0.2);
        assert!(near.is_valid(&[DVec3::Y * 1.81]));
        assert!(!near.is_valid(&[DVec3::Y * 1.79]));
        assert!(!near.is_valid(&[]));
        near.update(placed.pieces(), &[DVec3::Y * 2.0], 0.1, 0.2);
        let mut moved = balls(1);
        let ball = Obstacle::new(
            "ball",
            Shape::Sphere { radius: 1.0 },
            Motion::at_rest(Pose::at(DVec3::Y * 0.15)),
            Friction::Scaled(0.0),
        );
        moved.place(&[ball], 0.0, 0.1);
        near.follow(placed.pieces(), moved.pieces());
        assert!(near.is_valid(&[DVec3::Y * 1.96]) && !near.is_valid(&[DVec3::Y * 1.94]));
        assert!(near.is_valid_on_way(moved.pieces(), &[DVec3::Y * 1.96], &[DVec3::Y * 2.04]));
        assert!(!near.is_valid_on_way(moved.pieces(), &[DVec3::Y * 1.94], &[DVec3::Y * 2.0]));
        let mut copy = NearPieces::default();
        copy.copy(&near);
        assert!(copy.is_valid(&[DVec3::Y * 1.96]) && !copy.is_valid(&[DVec3::Y * 1.94]));
        near.follow(moved.pieces(), placed.pieces());
        assert!(!near.is_valid(&[DVec3::Y * 2.0]), "as far as it went and back again");
        near.clear();
        assert_eq!(near.pieces_of([0], 3).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(!near.is_far(0));
    }
}
