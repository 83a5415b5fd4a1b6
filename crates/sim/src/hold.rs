//! [`Held`]: particles that follow the hand.
//!
//! At time `t` the particle that started at `anchor` is at
//!
//! ```text
//! pivot + R(turns(t)) (anchor − pivot) + offset(t)
//! ```
//!
//! with `turns` and `offset` linear between keys and constant outside, `R` the rotation about the hold's axis. Turns are
//! kept as a number, not as an orientation: a hold may turn many times between two keys.
//!
//! A hold that is fastened to a mesh follows it: each anchor keeps its place in the frame of the triangle that is nearest to
//! it at time 0, `x(t) = Σ w_k x_k(t) + F(t) d`, with the point `Σ w_k x_k` of the triangle, its frame `F` of an edge, the normal and
//! what is square to both, and the way `d` from the point to the anchor.

use std::f64::consts::TAU;

use toile_collide::closest_points;
use toile_collide::impact::PairKind;
use toile_contact::MeshObstacle;
use toile_mesh::{DMat3, DQuat, DVec3, VertexId};

use crate::builder::{Hold, HoldKey, WorldError};
use crate::moved::Grab;

/// Particles that follow the hand.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// Number of the hold it was built from.
    pub(crate) number: usize,
    /// Number of the grab it is instead, if it is one.
    pub(crate) grab: Option<u32>,
    /// Held particles, numbered within the world.
    particles: Vec<u32>,
    /// Where they started [m].
    anchors: Vec<DVec3>,
    /// A point of the axis [m], and its unit direction.
    pivot: DVec3,
    axis: DVec3,
    /// The way, ascending in time.
    pub(crate) path: Vec<HoldKey>,
    /// Time of release [s].
    pub(crate) until: f64,
    /// What it is fastened to.
    carrier: Option<Carrier>,
}

/// A mesh that carries the anchors.
#[derive(Clone, Debug)]
struct Carrier {
    mesh: MeshObstacle,
    /// Its number among the meshes of the world.
    number: usize,
    /// For each anchor the corners of its triangle, their weights and the way to the anchor in its frame [m].
    seats: Vec<([usize; 3], [f64; 3], DVec3)>,
}

impl Carrier {
    fn new(mesh: &MeshObstacle, number: usize, anchors: &[DVec3]) -> Option<Self> {
        let start = mesh.mesh_at(0.0);
        let seat = |anchor: &DVec3| {
            let mut best: Option<(f64, [usize; 3], [f64; 3])> = None;
            for triangle in &start.triangles {
                let corners = triangle.map(|v| start.position(v));
                let [a, b, c] = corners;
                let closest = closest_points(PairKind::VertexFace, &[*anchor, a, b, c]);
                if best.is_none_or(|best| closest.distance < best.0) && frame(corners).is_some() {
                    let weights = [closest.weights[1], closest.weights[2], closest.weights[3]];
                    best = Some((closest.distance, triangle.map(VertexId::index), weights));
                }
            }
            let (_, corners, weights) = best?;
            let at = corners.map(|v| start.positions[v]);
            let way = frame(at)?.transpose() * (*anchor - weighted(at, weights));
            Some((corners, weights, way))
        };
        let seats = anchors.iter().map(seat).collect::<Option<Vec<_>>>()?;
        Some(Self { mesh: mesh.clone(), number, seats })
    }

    /// Where the anchors are at time `t` [m].
    fn places(&self, t: f64) -> Vec<DVec3> {
        let mut x = Vec::new();
        self.mesh.place(t, &mut x);
        let place = |(corners, weights, way): &([usize; 3], [f64; 3], DVec3)| {
            let at = corners.map(|v| x[v]);
            // A triangle that has lost its area carries without turning.
            weighted(at, *weights) + frame(at).map_or(*way, |frame| frame * *way)
        };
        self.seats.iter().map(place).collect()
    }
}

fn weighted([a, b, c]: [DVec3; 3], [u, v, w]: [f64; 3]) -> DVec3 {
    a * u + b * v + c * w
}

/// An edge of a triangle, its normal, and what is square to both.
fn frame([a, b, c]: [DVec3; 3]) -> Option<DMat3> {
    let edge = (b - a).try_normalize()?;
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(DMat3::from_cols(edge, normal, edge.cross(normal)))
}

impl Held {
    /// Hold `number` of a builder, which is number `own` (from 1) of the cloth called `cloth`. The vertices of the cloth start at
    /// `start` [m]; particle `first` is the first one of that cloth.
    pub(crate) fn new(
        hold: &Hold,
        number: usize,
        own: usize,
        cloth: &str,
        start: &[DVec3],
        first: usize,
    ) -> Result<Self, WorldError> {
        let vertices = vertices(hold, own, cloth, start)?;
        Ok(Self {
            number,
            grab: None,
            anchors: vertices.iter().map(|v| start[*v as usize]).collect(),
            particles: vertices.iter().map(|v| v + first as u32).collect(),
            pivot: hold.pivot,
            axis: hold.axis.normalize_or(DVec3::Y),
            path: hold.path.clone(),
            until: hold.until,
            carrier: None,
        })
    }

    /// Particles in the hand of a caller.
    pub(crate) fn grabbed(number: u32, grab: &Grab) -> Self {
        Self {
            number: usize::MAX,
            grab: Some(number),
            particles: grab.vertices.clone(),
            anchors: grab.anchors.clone(),
            pivot: DVec3::ZERO,
            axis: DVec3::Y,
            path: grab.path.to_vec(),
            until: f64::INFINITY,
            carrier: None,
        }
    }

    /// Lets the mesh it is fastened to move as it does among the meshes of the world.
    pub(crate) fn follow(&mut self, meshes: &[MeshObstacle]) {
        if let Some(carrier) = &mut self.carrier {
            carrier.mesh = meshes[carrier.number].clone();
        }
    }

    /// The same hold on the copies of its particles, which are numbered from 0 here: `copies` of each, which start at `start` [m] and of
    /// which the first one of all is particle `first`. It is not fastened yet.
    pub(crate) fn on_copies(&self, copies: &[Vec<u32>], start: &[DVec3], first: usize) -> Self {
        let held: Vec<u32> = self.particles.iter().flat_map(|p| &copies[*p as usize]).copied().collect();
        Self {
            anchors: held.iter().map(|v| start[*v as usize]).collect(),
            particles: held.iter().map(|v| v + first as u32).collect(),
            path: self.path.clone(),
            carrier: None,
            ..*self
        }
    }

    /// Fastens the anchors to mesh `number` of the world; false if it has no triangle with an area.
    pub(crate) fn fasten(&mut self, mesh: &MeshObstacle, number: usize) -> bool {
        self.carrier = Carrier::new(mesh, number, &self.anchors);
        self.carrier.is_some()
    }

    /// The held particles and where they are at time `t` [m].
    pub(crate) fn places(&self, t: f64) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let HoldKey { offset, turns, .. } = self.key_at(t);
        let turn = (turns != 0.0).then(|| DQuat::from_axis_angle(self.axis, TAU * turns.fract()));
        let anchors = self.carrier.as_ref().map_or_else(|| self.anchors.clone(), |carrier| carrier.places(t));
        self.particles.iter().zip(anchors).map(move |(&p, anchor)| {
            // Without a turn the anchor is moved as it is, to the last bit.
            let turned = turn.map_or(anchor, |turn| self.pivot + turn * (anchor - self.pivot));
            (p as usize, turned + offset)
        })
    }

    /// At most how far a particle of the hold goes from `t0` to `t1` [m], were there no key in between, beside what carries it.
    pub(crate) fn travel(&self, t0: f64, t1: f64) -> f64 {
        let (a, b) = (self.key_at(t0), self.key_at(t1));
        let from_axis = |x: &DVec3| (*x - self.pivot).reject_from_normalized(self.axis).length();
        let turned = TAU * (b.turns - a.turns).abs();
        let lever = if turned > 0.0 { self.anchors.iter().map(from_axis).fold(0.0, f64::max) } else { 0.0 };
        a.offset.distance(b.offset) + turned * lever
    }

    pub(crate) fn key_at(&self, t: f64) -> HoldKey {
        let next = self.path.partition_point(|key| key.time <= t);
        match (next.checked_sub(1).map(|k| self.path[k]), self.path.get(next)) {
            (None, None) => HoldKey::default(),
            (None, Some(first)) => *first,
            (Some(last), None) => last,
            (Some(a), Some(b)) => {
                let s = (t - a.time) / (b.time - a.time);
                HoldKey { time: t, offset: a.offset.lerp(b.offset, s), turns: a.turns + (b.turns - a.turns) * s }
            }
        }
    }
}

/// Numbers of the vertices a hold names or finds, ascending.
fn vertices(hold: &Hold, number: usize, cloth: &str, start: &[DVec3]) -> Result<Vec<u32>, WorldError> {
    let mut vertices = hold.vertices.clone();
    if let Some(&vertex) = vertices.iter().find(|v| **v as usize >= start.len()) {
        return Err(WorldError::HoldVertex {
            cloth: cloth.to_owned(),
            hold: number,
            vertex,
            last: start.len().saturating_sub(1),
        });
    }
    if let Some(ball) = hold.near {
        let distance = |p: &DVec3| p.distance(ball.centre);
        let found = (0..start.len() as u32).filter(|v| distance(&start[*v as usize]) <= ball.radius);
        let before = vertices.len();
        vertices.extend(found);
        if vertices.len() == before {
            let nearest = start.iter().map(distance).fold(f64::INFINITY, f64::min);
            let (cloth, near, radius) = (cloth.to_owned(), ball.centre.to_array(), ball.radius);
            return Err(WorldError::HoldEmpty { cloth, hold: number, near, radius, nearest });
        }
    }
    vertices.sort_unstable();
    vertices.dedup();
    Ok(vertices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ClothId;

    fn turning() -> Held {
        let key = |time: f64, turns: f64, y: f64| HoldKey { time, turns, offset: y * DVec3::Y };
        let hold = Hold {
            pivot: DVec3::X,
            axis: 2.0 * DVec3::Y,
            path: vec![key(1.0, 0.0, 0.0), key(3.0, 4.5, 0.2)],
            ..Hold::new(ClothId(0), vec![0, 1])
        };
        Held::new(&hold, 0, 1, "cloth", &[DVec3::new(2.0, 0.0, 0.0), DVec3::new(1.0, 5.0, 0.0)], 7).unwrap()
    }

    #[test]
    fn a_hold_turns_about_its_axis_while_it_moves() {
        let hold = turning();
        let at = |t: f64| hold.places(t).collect::<Vec<_>>();
        assert_eq!(at(0.5), [(7, DVec3::new(2.0, 0.0, 0.0)), (8, DVec3::new(1.0, 5.0, 0.0))]);
        // After two of nine half turns in two seconds, a quarter of the way to the last, and at the end.
        for (t, x) in [
            (1.0 + 4.0 / 9.0, [2.0, 0.4 / 9.0, 0.0]),
            (1.0 + 1.0 / 9.0, [1.0, 0.1 / 9.0, -1.0]),
            (9.0, [0.0, 0.2, 0.0]),
        ] {
            assert!(at(t)[0].1.distance(DVec3::from(x)) < 1e-12, "{t}: {}", at(t)[0].1);
            assert!((at(t)[1].1.x - 1.0).abs() < 1e-12, "on the axis");
        }
    }

    #[test]
    fn travel_bounds_what_the_particles_do() {
        let hold = turning();
        let (mut whole, n) = ([0.0; 2], 1000);
        for k in 0..n {
            let t = |k: i32| 1.0 + 2.0 * f64::from(k) / f64::from(n);
            for (i, (a, b)) in hold.places(t(k)).zip(hold.places(t(k + 1))).enumerate() {
                whole[i] += a.1.distance(b.1);
            }
        }
        let bound = hold.travel(1.0, 3.0);
        assert!(whole[0] <= bound && whole[1] <= bound && bound < 1.01 * (whole[0] + 0.2), "{whole:?} {bound}");
    }
}
