//! What particles rest on while lengths are corrected.
//!
//! A pass over lengths that knows nothing of obstacles moves what is light and near: a particle that lies on an obstacle is drawn
//! into it, the response lifts it out again, and little of the correction reaches the cloth that could follow. Next to a point
//! that carries much cloth, edges then grow longer from step to step. So a particle that would be moved beyond its support counts
//! with the mobility that is left to it, `w (I − s m mᵀ)` instead of `w I` with the normal `m` of the support and a share `s`: the
//! multiplier of a length follows from what can move. This is how Baraff and Witkin 1998 filter an implicit step, for one
//! pass and one side.
//!
//! **Load.** The part of a correction that the support takes is what presses the particle on it. It is kept, and given back by
//! [`Supports::press`] before the response looks, whose friction depends on it.

use toile_mesh::DVec3;

/// A half space that a particle should not be moved out of: `normal · x ≥ offset`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Support {
    /// Unit vector into the half space.
    pub normal: DVec3,
    /// Distance of its boundary from the origin, along the normal [m].
    pub offset: f64,
    /// Share of a way out of it that it takes: 0 is no support, and with 1 lengths along the normal could not be kept at all.
    pub share: f64,
    /// How far the particle is pressed into it at most [m].
    pub give: f64,
}

impl Support {
    /// Whether a particle that goes the `way` [m] to `x` [m] is stopped.
    #[inline]
    pub(crate) fn stops(&self, way: DVec3, x: DVec3) -> bool {
        self.share > 0.0 && self.normal.dot(way) < 0.0 && self.normal.dot(x) < self.offset
    }

    /// What is left of a way [m] of a particle that is stopped.
    #[inline]
    pub(crate) fn left(&self, way: DVec3) -> DVec3 {
        way - self.normal * (self.share * self.normal.dot(way))
    }
}

/// The supports of all particles in a step; none at all if there are none.
#[derive(Clone, Debug, Default)]
pub struct Supports {
    pub(crate) of: Vec<Support>,
    /// What the supports have taken of the ways of their particles [m].
    pub(crate) taken: Vec<DVec3>,
    /// Those that stay when the others are taken away.
    lasting: Vec<(usize, Support)>,
    any: bool,
}

impl Supports {
    /// Takes all supports away but those that last.
    pub fn clear(&mut self, particles: usize) {
        if self.any || self.of.len() != particles {
            self.of.clear();
            self.of.resize(particles, Support::default());
            self.any = false;
        }
        self.taken.resize(particles, DVec3::ZERO);
        let lasting = std::mem::take(&mut self.lasting);
        for (particle, support) in &lasting {
            self.add(*particle, *support);
        }
        self.lasting = lasting;
    }

    /// Replaces the supports of particles that last, from the next time on that the others are taken away.
    pub fn set_lasting(&mut self, lasting: Vec<(usize, Support)>) {
        self.lasting = lasting;
    }

    /// Supports a particle, unless it has a support with a larger share.
    pub fn add(&mut self, particle: usize, support: Support) {
        if support.share > self.of[particle].share {
            self.of[particle] = support;
            self.any = true;
        }
    }

    /// Whether no particle has one.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Moves particles into their supports by what these have taken since the last time.
    pub fn press(&mut self, x: &mut [DVec3]) {
        for ((x, taken), support) in x.iter_mut().zip(&mut self.taken).zip(&self.of) {
            *x += std::mem::take(taken).clamp_length_max(support.give);
        }
    }

    /// Forgets what the supports have taken.
    pub fn relieve(&mut self) {
        self.taken.fill(DVec3::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chains, DistanceRange, Sweep};

    /// Two edges of rest length 1 that hang over a point at the origin, as an inverted V, each 1.25 long.
    fn tent() -> (Vec<DistanceRange>, Vec<DVec3>, Vec<DVec3>) {
        let edges = [[0, 1], [1, 2]].map(|ends| DistanceRange::new(ends, 1.0, 1.0, 1.0)).to_vec();
        let rest = [-1.0, 0.0, 1.0].map(|x| DVec3::X * x).to_vec();
        let x = vec![DVec3::new(-1.0, -0.75, 0.0), DVec3::ZERO, DVec3::new(1.0, -0.75, 0.0)];
        (edges, rest, x)
    }

    fn on_a_point(share: f64) -> Supports {
        let mut supports = Supports::default();
        supports.clear(3);
        supports.add(1, Support { normal: DVec3::Y, offset: 0.0, share, give: 0.01 });
        supports
    }

    #[test]
    fn a_chain_over_a_point_follows_the_mobility_left_and_the_support_takes_the_rest() {
        let (edges, rest, start) = tent();
        let chains = Chains::new(&edges, &rest);
        let (w, share) = ([2.0, 0.5, 2.0], 0.9);
        let (mut x, mut supports) = (start.clone(), on_a_point(share));
        chains.supported_pass(&mut x, &w, &mut chains.workspace(), &mut supports);
        // By symmetry both multipliers are equal: λ (2 + (1 − s 0.6²)/2 − (0.8² − 0.6² + s 0.6²)/2) = 0.25.
        let coupling = 0.8 * 0.8 - 0.6 * 0.6 + share * 0.36;
        let lambda = 0.25 / (2.0 + 0.5 * (1.0 - share * 0.36) - 0.5 * coupling);
        let way = 2.0 * lambda * DVec3::new(0.8, 0.6, 0.0);
        assert!((x[0] - start[0]).distance(way) < 1e-6, "{} {way}", x[0] - start[0]);
        // The free way of the middle is 0.5 λ 1.2 down, of which a tenth is left.
        assert!((x[1] - start[1]).distance(DVec3::NEG_Y * (0.06 * lambda)) < 1e-6);
        let impulse: DVec3 = (0..3).map(|i| (x[i] - start[i] + supports.taken[i]) / w[i]).sum();
        assert!(impulse.length() < 1e-12, "{impulse}");
    }

    #[test]
    fn passes_over_a_point_end_with_right_lengths_above_it() {
        let (edges, rest, mut x) = tent();
        let (chains, sweep) = (Chains::new(&edges, &rest), Sweep::new(&edges, &rest));
        let mut supports = on_a_point(1.0);
        for _ in 0..20 {
            chains.supported_pass(&mut x, &[1.0; 3], &mut chains.workspace(), &mut supports);
            sweep.supported_limit_pass(&mut x, &[1.0; 3], 1.0, &mut supports);
        }
        assert!(x[1].y >= -1e-12 && sweep.largest_stretch(&x) < 1.0 + 1e-6, "{x:?}");
        let before = x[1];
        supports.press(&mut x);
        assert!(x[1].distance(before - DVec3::Y * 0.01) < 1e-12, "it is pressed down, but no farther than allowed");
    }

    #[test]
    fn the_limiter_shortens_an_edge_below_its_support_from_below() {
        let edges = [DistanceRange::new([0, 1], 1.0, 1.0, 1.0)];
        let rest = [DVec3::ZERO, DVec3::X];
        let sweep = Sweep::new(&edges, &rest);
        let mut supports = Supports::default();
        supports.clear(2);
        supports.add(0, Support { normal: DVec3::Y, offset: 0.0, share: 1.0, give: 0.0 });
        let mut x = [DVec3::ZERO, DVec3::NEG_Y * 1.5];
        sweep.supported_limit_pass(&mut x, &[1.0; 2], 1.0, &mut supports);
        assert!(x[0] == DVec3::ZERO && x[1].distance(DVec3::NEG_Y) < 1e-12, "{x:?}");
        assert!((supports.taken[0].y + 0.5).abs() < 1e-12);
    }

    #[test]
    fn what_leaves_its_support_is_not_stopped() {
        let (edges, rest, start) = tent();
        let chains = Chains::new(&edges, &rest);
        let mut supports = on_a_point(1.0);
        let hung: Vec<DVec3> = start.iter().map(|x| DVec3::new(x.x, -x.y, 0.0)).collect();
        let (mut x, mut free) = (hung.clone(), hung);
        chains.supported_pass(&mut x, &[1.0; 3], &mut chains.workspace(), &mut supports);
        chains.pass(&mut free, &[1.0; 3], &mut chains.workspace());
        assert!(x.iter().zip(&free).all(|(a, b)| a.distance(*b) < 1e-12) && x[1].y > 0.1);
    }
}
