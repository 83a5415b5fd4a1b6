//! Which pieces each particle could touch during a step.
//!
//! A step looks at every particle and triangle many times, and most are far from most pieces. Their distances are
//! taken once: bit k of a particle's mask says that it may come within `reach` of piece k while it moves no farther
//! than `slack` from where it was. [`NearPieces::is_valid`] tells whether that was so. A triangle may touch what one of its corners may touch, as `reach` is chosen to cover the way from any of
//! its points to the nearest corner.

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::PlacedPiece;

/// Particles per task.
const CHUNK: usize = 512;

/// One mask of near pieces per particle; without masks everything is near.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearPieces {
    masks: Vec<u64>,
    marked_at: Vec<DVec3>,
    slack: f64,
}

impl NearPieces {
    /// Takes the masks at positions `x` [m]: bit k is set where piece k is within `reach + slack` [m]. From the 64th on
    /// all pieces share the last bit, which is then always set. Positions that are not finite are near nothing.
    pub(crate) fn update(&mut self, pieces: &[PlacedPiece], x: &[DVec3], reach: f64, slack: f64) {
        self.slack = slack;
        self.marked_at.clear();
        self.marked_at.extend_from_slice(x);
        self.masks.resize(x.len(), 0);
        let shared = if pieces.len() > 64 { 1 << 63 } else { 0 };
        let distance = reach + slack;
        self.masks.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(masks, x)| {
            for (mask, &x) in masks.iter_mut().zip(x) {
                *mask = shared;
                for (k, piece) in pieces.iter().take(64).enumerate() {
                    if x.is_finite() && piece.may_touch(x, distance) && piece.distance_and_normal(x).0 <= distance {
                        *mask |= 1 << k;
                    }
                }
            }
        });
    }

    /// Whether no particle has moved farther than the slack since the masks were taken.
    pub(super) fn is_valid(&self, x: &[DVec3]) -> bool {
        let within = |(a, b): (&DVec3, &DVec3)| a.distance_squared(*b) <= self.slack * self.slack || !a.is_finite();
        x.len() == self.marked_at.len() && x.iter().zip(&self.marked_at).all(within)
    }

    /// Forgets the masks: every particle may touch everything.
    pub(super) fn clear(&mut self) {
        self.masks.clear();
        self.marked_at.clear();
    }

    /// Numbers of the pieces, of `count` there are, that one of the particles may touch, ascending.
    #[inline]
    pub(crate) fn pieces_of<const N: usize>(
        &self,
        particles: [usize; N],
        count: usize,
    ) -> impl Iterator<Item = usize> + use<N> {
        pieces_in(particles.iter().fold(0, |mask, p| mask | self.mask(*p)), count)
    }

    /// Pieces that a particle may touch.
    #[inline]
    pub(super) fn mask(&self, particle: usize) -> u64 {
        self.masks.get(particle).copied().unwrap_or(u64::MAX)
    }
}

/// Numbers of the pieces in a mask, of `count` there are.
#[inline]
pub(super) fn pieces_in(mask: u64, count: usize) -> impl Iterator<Item = usize> + use<> {
    let mut bits = mask;
    let low = std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let k = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            k
        })
    });
    let beyond = if mask >> 63 == 1 { 64..count.max(64) } else { 0..0 };
    low.filter(move |k| *k < count).chain(beyond)
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
        for count in [3, 64, 70] {
            let placed = balls(count);
            let x: Vec<DVec3> = (0..count).map(|k| DVec3::new(10.0 * k as f64, 1.4, 0.0)).collect();
            let mut near = NearPieces::default();
            near.update(placed.pieces(), &x, 0.3, 0.2);
            for k in 0..count {
                let found: Vec<usize> = pieces_in(near.mask(k), count).collect();
                assert!(found.contains(&k), "piece {k} of {count}");
                assert!(found.iter().all(|f| *f == k || *f >= 63 && count > 64), "{found:?}");
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
        near.clear();
        assert_eq!(near.mask(0), u64::MAX);
    }
}
