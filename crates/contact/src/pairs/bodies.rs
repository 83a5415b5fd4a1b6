//! [`Bodies`]: everything that has vertices, and what happens between which of them.

use toile_collide::impact::PairKind;
use toile_mesh::{DVec3, Motion, Moves};

use super::{Feature, NearPair};
use crate::{MeshObstacle, Pose};

/// Distances and friction between bodies: cloths first, then mesh obstacles.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Materials {
    bodies: usize,
    distance: Vec<f64>,
    friction: Vec<f64>,
}

impl Materials {
    /// Between `bodies` bodies: `of(a, b)` is the distance to keep [m] and the coefficient of friction, asked for `a ≤ b`.
    pub fn new(bodies: usize, of: impl Fn(usize, usize) -> (f64, f64)) -> Self {
        let both = (0..bodies * bodies).map(|k| (k / bodies, k % bodies)).map(|(a, b)| of(a.min(b), a.max(b)));
        let (distance, friction) = both.unzip();
        Self { bodies, distance, friction }
    }

    /// Distance kept between two bodies [m].
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        self.distance[a as usize * self.bodies + b as usize]
    }

    /// Coefficient of friction between two bodies.
    #[inline]
    pub fn friction(&self, a: u32, b: u32) -> f64 {
        self.friction[a as usize * self.bodies + b as usize]
    }

    /// The largest distance that any two keep [m].
    pub fn largest_distance(&self) -> f64 {
        self.distance.iter().copied().fold(0.0, f64::max)
    }
}

/// All vertices of a step: those of the cloth, then those of each mesh obstacle.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Positions at the start of the step [m].
    pub x_t0: Vec<DVec3>,
    /// Positions at its end, as far as they are known [m].
    pub x_t1: Vec<DVec3>,
    /// Inverse masses [1/kg]; 0 for what is held and for obstacles.
    pub inverse_mass: Vec<f64>,
    /// Body of each vertex: number of its cloth, then of its obstacle, counted on.
    pub body: Vec<u32>,
    /// Distances and friction.
    pub materials: Materials,
    /// Only vertices of the cloth are pushed off obstacles, not its edges and triangles.
    pub vertices_only: bool,
    /// Features of the cloth whose pairs with obstacles are passed over, ascending; see [`Pincers`](super::Pincers).
    pub excused: Vec<Feature>,
    /// Shape of the cloth without forces [m].
    pub(super) rest: Vec<DVec3>,
    /// First vertex of each obstacle, and the number of all vertices.
    first: Vec<usize>,
    moves: Vec<Moves>,
    poses: Vec<[Pose; 2]>,
    cloths: u32,
    /// Time up to which the obstacles were put in place last [s].
    placed_until: Option<f64>,
    scratch: Vec<DVec3>,
}

impl Bodies {
    /// Cloth with rest shape `rest` [m], each vertex of the cloth with a number in `cloth_of`, and obstacles.
    pub fn new(rest: &[DVec3], cloth_of: &[u32], obstacles: &[MeshObstacle], materials: Materials) -> Self {
        let cloths = cloth_of.iter().max().map_or(0, |c| c + 1);
        let mut bodies = Self {
            rest: rest.to_vec(),
            body: cloth_of.to_vec(),
            inverse_mass: vec![0.0; rest.len()],
            first: vec![rest.len()],
            moves: obstacles.iter().map(MeshObstacle::moves).collect(),
            poses: vec![[Pose::IDENTITY; 2]; obstacles.len()],
            materials,
            cloths,
            ..Self::default()
        };
        for (k, obstacle) in obstacles.iter().enumerate() {
            bodies.body.extend(std::iter::repeat_n(cloths + k as u32, obstacle.mesh.vertex_count()));
            bodies.first.push(bodies.body.len());
        }
        bodies.inverse_mass.resize(bodies.body.len(), 0.0);
        bodies.x_t0.resize(bodies.body.len(), DVec3::ZERO);
        bodies.x_t1.resize(bodies.body.len(), DVec3::ZERO);
        bodies
    }

    /// Number of vertices of the cloth.
    #[inline]
    pub fn cloth(&self) -> usize {
        self.first[0]
    }

    /// Number of surfaces: the cloth and each obstacle.
    pub fn surfaces(&self) -> usize {
        self.first.len()
    }

    /// Puts `obstacles`, those it was made with, in place for a step from `t0` to `t1` [s].
    pub fn place(&mut self, obstacles: &[MeshObstacle], t0: f64, t1: f64) {
        // A step mostly begins where the one before ended, and where obstacles are depends on time alone.
        let goes_on = self.placed_until == Some(t0);
        self.placed_until = Some(t1);
        for (k, obstacle) in obstacles.iter().enumerate() {
            let range = self.first[k]..self.first[k + 1];
            if goes_on {
                self.x_t0[range.clone()].copy_from_slice(&self.x_t1[range.clone()]);
            } else {
                obstacle.place(t0, &mut self.scratch);
                self.x_t0[range.clone()].copy_from_slice(&self.scratch);
            }
            obstacle.place(t1, &mut self.scratch);
            self.x_t1[range].copy_from_slice(&self.scratch);
            self.poses[k] = [t0, t1].map(|t| obstacle.motion.pose_at(t));
        }
    }

    /// Puts the cloth at the start of a step, `x` [m], with inverse masses `w` [1/kg].
    pub fn begin(&mut self, x: &[DVec3], w: &[f64]) {
        self.x_t0[..x.len()].copy_from_slice(x);
        self.inverse_mass[..w.len()].copy_from_slice(w);
    }

    /// Puts the cloth at the end of the step, `x` [m].
    pub fn set_end(&mut self, x: &[DVec3]) {
        self.x_t1[..x.len()].copy_from_slice(x);
    }

    /// Where the cloth is at the end of the step [m].
    pub fn cloth_end(&self) -> &[DVec3] {
        &self.x_t1[..self.cloth()]
    }

    /// Motions of the surfaces between two lists of all vertices.
    pub fn motions<'a>(&self, from: &'a [DVec3], to: &'a [DVec3]) -> Vec<Motion<'a>> {
        let starts = std::iter::once(0).chain(self.first.iter().copied());
        let motion = |(a, b): (usize, &usize)| Motion { x_t0: &from[a..*b], x_t1: &to[a..*b] };
        starts.zip(&self.first).map(motion).collect()
    }

    /// First vertex of each surface.
    pub(super) fn offsets(&self) -> Vec<u32> {
        std::iter::once(0).chain(self.first.iter().map(|n| *n as u32)).collect()
    }

    /// Whether a pair is to be pushed apart; see [`Bodies::vertices_only`] and [`Bodies::excused`].
    #[inline]
    pub fn parts(&self, pair: &NearPair) -> bool {
        let is_cloth = |v: u32| (v as usize) < self.cloth();
        let alone = pair.kind == PairKind::VertexFace && is_cloth(pair.vertices[0]);
        if self.is_excused(pair.kind, pair.vertices) {
            return false;
        }
        !self.vertices_only || alone || pair.vertices.iter().all(|v| is_cloth(*v))
    }

    /// Poses between which the obstacle of a vertex goes, if it moves as one.
    pub(super) fn poses_of(&self, vertex: usize) -> Option<[Pose; 2]> {
        let obstacle = (self.body[vertex] as usize).checked_sub(self.cloths as usize)?;
        (self.moves[obstacle] != Moves::Freely).then(|| self.poses[obstacle])
    }
}
