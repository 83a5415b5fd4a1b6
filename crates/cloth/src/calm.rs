//! Damping of motion within a piece of cloth, not of the motion of the piece.
//!
//! Fuhrmann 2003, §3, multiplies all velocities by 0.99 a step "in order to simulate air drag". That drags a sheet that slides
//! or falls as if it moved through syrup. Drag is the air's (`[air]`), so what is multiplied here are velocities relative to the
//! rigid motion of a piece (Müller, Heidelberger, Hennix, Ratcliff 2007, *Position Based Dynamics*, §3.5):
//!
//! ```text
//! c = Σ m x/Σ m,  u = Σ m v/Σ m,  L = Σ m r × v,  I = Σ m (r² 1 − r rᵀ),  ω = I⁻¹ L,   r = x − c
//! v ← R + f (v − R),   R = u + ω × r
//! ```
//!
//! A piece is what edges connect. Sums run over its free particles; momentum and angular momentum of a piece stay as they are.

use std::ops::Range;

use rayon::prelude::*;
use toile_mesh::{DMat3, DVec3};

/// Share of its largest moment by which the inertia of a piece is raised, so that particles in a row have an inverse of it.
/// Rotation is found too small by as much.
const RAISED: f64 = 1e-9;

/// Particles by the piece of cloth that they belong to.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// Particles of all pieces, one after another, ascending in each.
    members: Vec<u32>,
    pieces: Vec<Range<usize>>,
}

/// The motion of a piece if it were rigid.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Rigid {
    centre: DVec3,
    velocity: DVec3,
    spin: DVec3,
}

impl Rigid {
    fn at(&self, x: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(x - self.centre)
    }
}

impl Pieces {
    /// The pieces that `edges` between `particles` particles leave.
    pub(crate) fn new(edges: impl Iterator<Item = [u32; 2]>, particles: usize) -> Self {
        let mut parent: Vec<u32> = (0..particles as u32).collect();
        for [a, b] in edges {
            let [a, b] = [a, b].map(|p| root(&mut parent, p));
            // The lowest particle of a piece stands for it.
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut members: Vec<(u32, u32)> = (0..particles as u32).map(|p| (root(&mut parent, p), p)).collect();
        members.sort_unstable();
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for (i, (of, _)) in members.iter().enumerate() {
            match pieces.last_mut() {
                Some(piece) if members[piece.start].0 == *of => piece.end = i + 1,
                _ => pieces.push(i..i + 1),
            }
        }
        Self { members: members.into_iter().map(|(_, p)| p).collect(), pieces }
    }

    /// Calls `change` on velocities and then multiplies what they differ by from the rigid motion of their piece by `factor`; the
    /// rigid motion stays as it was before `change`.
    ///
    /// `x` [m], `v` [m/s], `w` [1/kg]: of all particles; those without inverse mass are held and stay.
    pub(crate) fn calm(&self, x: &[DVec3], v: &mut [DVec3], w: &[f64], factor: f64, change: impl FnOnce(&mut [DVec3])) {
        let before = self.rigid(x, v, w);
        change(v);
        let after = self.rigid(x, v, w);
        for ((piece, before), after) in self.pieces.iter().zip(before).zip(after) {
            for &p in &self.members[piece.clone()] {
                let p = p as usize;
                if w[p] > 0.0 {
                    v[p] = before.at(x[p]) + (v[p] - after.at(x[p])) * factor;
                }
            }
        }
    }

    /// A value of every particle's piece, by the particles of that.
    pub(crate) fn of_each(&self, value: impl Fn(&[u32]) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; self.members.len()];
        for piece in &self.pieces {
            let members = &self.members[piece.clone()];
            let value = value(members);
            for p in members {
                values[*p as usize] = value;
            }
        }
        values
    }

    /// The rigid motion of every piece.
    fn rigid(&self, x: &[DVec3], v: &[DVec3], w: &[f64]) -> Vec<Rigid> {
        self.pieces.iter().map(|piece| rigid(&self.members[piece.clone()], x, v, w)).collect()
    }
}

/// The lowest particle of the piece of `p`; halves the way to it for the next who asks.
fn root(parent: &mut [u32], mut p: u32) -> u32 {
    while parent[p as usize] != p {
        parent[p as usize] = parent[parent[p as usize] as usize];
        p = parent[p as usize];
    }
    p
}

/// The rigid motion with the momentum and the angular momentum of the free `members`; none if all are held.
fn rigid(members: &[u32], x: &[DVec3], v: &[DVec3], w: &[f64]) -> Rigid {
    let free = |p: &&u32| w[**p as usize] > 0.0;
    // Partial sums over chunks of fixed size, added in order: the same bits for any number of threads.
    let parts = |term: &(dyn Fn(usize) -> [DVec3; 4] + Sync)| {
        let partial = |chunk: &[u32]| {
            let mut sum = [DVec3::ZERO; 4];
            for p in chunk.iter().filter(free) {
                for (sum, term) in sum.iter_mut().zip(term(*p as usize)) {
                    *sum += term;
                }
            }
            sum
        };
        let partial: Vec<[DVec3; 4]> = members.par_chunks(crate::CHUNK).map(partial).collect();
        partial.into_iter().fold([DVec3::ZERO; 4], |a, b| std::array::from_fn(|i| a[i] + b[i]))
    };
    let [mass, place, momentum, _] = parts(&|p| [DVec3::X, x[p], v[p], DVec3::ZERO].map(|term| term / w[p]));
    if mass.x <= 0.0 {
        return Rigid::default();
    }
    let (centre, velocity) = (place / mass.x, momentum / mass.x);
    let [spin, squares, products, _] = parts(&|p| {
        let (r, u) = (x[p] - centre, v[p] - velocity);
        [r.cross(u), r * r, DVec3::new(r.y * r.z, r.z * r.x, r.x * r.y), DVec3::ZERO].map(|term| term / w[p])
    });
    let (s, q) = (squares, products);
    let diagonal = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y);
    let d = diagonal + DVec3::splat(RAISED * diagonal.max_element());
    let inertia =
        DMat3::from_cols(DVec3::new(d.x, -q.z, -q.y), DVec3::new(-q.z, d.y, -q.x), DVec3::new(-q.y, -q.x, d.z));
    let spin = if diagonal.max_element() > 0.0 { inertia.inverse() * spin } else { DVec3::ZERO };
    Rigid { centre, velocity, spin }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of three, a triangle in space and a particle alone, with different masses.
    fn three_pieces() -> (Pieces, Vec<DVec3>, Vec<f64>) {
        let edges = [[0, 1], [4, 3], [1, 2], [3, 5]];
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 3.0], [1.0, 2.0, 2.0], [0.0, 4.0, 1.0]];
        let mut x: Vec<DVec3> = x.map(DVec3::from).into();
        x.push(DVec3::ONE);
        (Pieces::new(edges.into_iter(), 7), x, vec![1.0, 0.5, 2.0, 1.0, 3.0, 0.2, 1.0])
    }

    #[test]
    fn pieces_are_what_edges_connect() {
        let (pieces, ..) = three_pieces();
        assert_eq!(pieces.members, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(pieces.pieces, [0..3, 3..6, 6..7]);
    }

    #[test]
    fn rigid_motion_is_not_damped() {
        let (pieces, x, w) = three_pieces();
        let spin = DVec3::new(0.3, -2.0, 1.0);
        let start: Vec<DVec3> = x.iter().map(|x| DVec3::new(5.0, -1.0, 2.0) + spin.cross(*x)).collect();
        let mut v = start.clone();
        pieces.calm(&x, &mut v, &w, 0.5, |_| ());
        for (v, start) in v.iter().zip(&start) {
            assert!(v.distance(*start) < 1e-7, "{v} was {start}");
        }
    }

    #[test]
    fn other_motion_is_damped_and_momenta_stay() {
        let (pieces, x, w) = three_pieces();
        let start: Vec<DVec3> =
            (0..7).map(|i| DVec3::new(f64::from(i * i), f64::from(5 - i), f64::from(i % 3))).collect();
        let mut v = start.clone();
        // What is changed in between has no say in the rigid motion.
        pieces.calm(&x, &mut v, &w, 0.0, |v| v.iter_mut().for_each(|v| *v += DVec3::Y));
        let sum = |v: &[DVec3], f: &dyn Fn(usize, DVec3) -> DVec3| (3..6).map(|i| f(i, v[i]) / w[i]).sum::<DVec3>();
        assert!((sum(&v, &|_, v| v) - sum(&start, &|_, v| v)).length() < 1e-9);
        assert!((sum(&v, &|i, v| x[i].cross(v)) - sum(&start, &|i, v| x[i].cross(v))).length() < 1e-6);
        // Nothing is left but rigid motion: no edge gets longer.
        for [a, b] in [[3_usize, 4], [4, 5], [0, 1], [1, 2]] {
            assert!((v[a] - v[b]).dot(x[a] - x[b]).abs() < 1e-6);
        }
        assert_eq!(v[6], start[6]);
    }

    #[test]
    fn held_particles_stay_and_have_no_say() {
        let (pieces, x, mut w) = three_pieces();
        w[0] = 0.0;
        let mut v = vec![DVec3::X; 7];
        v[0] = DVec3::ZERO;
        pieces.calm(&x, &mut v, &w, 0.1, |_| ());
        assert_eq!(v[0], DVec3::ZERO);
        assert!(v[1..].iter().all(|v| v.distance(DVec3::X) < 1e-12));
    }
}
