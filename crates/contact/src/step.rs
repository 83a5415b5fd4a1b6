//! [`Step`]: all vertices over one step, and [`Participants`]: who they belong to.

use toile_collide::impact::PairKind;
use toile_mesh::{DVec3, Motion, Moves};

use crate::{Candidate, Contact, ContactTuning, Feature, MeshObstacle, Pose};

/// Distances to keep and friction between participants: cloths first, then mesh obstacles.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Materials {
    participants: usize,
    distance: Vec<f64>,
    friction: Vec<f64>,
}

impl Materials {
    /// Between so many participants: `of(a, b)` is the distance to keep [m] and the coefficient of friction, asked for `a ≤ b`.
    pub fn new(participants: usize, of: impl Fn(usize, usize) -> (f64, f64)) -> Self {
        let pairs = (0..participants * participants).map(|k| (k / participants, k % participants));
        let (distance, friction) = pairs.map(|(a, b)| of(a.min(b), a.max(b))).unzip();
        Self { participants, distance, friction }
    }

    /// Distance kept between two participants [m].
    #[inline]
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        self.distance[a as usize * self.participants + b as usize]
    }

    /// Coefficient of friction between two participants.
    #[inline]
    pub fn friction(&self, a: u32, b: u32) -> f64 {
        self.friction[a as usize * self.participants + b as usize]
    }

    /// The largest distance that any two keep [m].
    pub fn largest_distance(&self) -> f64 {
        self.distance.iter().copied().fold(0.0, f64::max)
    }
}

/// Who takes part in contacts: vertices of the cloths, then those of each mesh obstacle, in one numbering.
#[derive(Clone, Debug, Default)]
pub struct Participants {
    /// Body of each vertex: number of its cloth, then of its obstacle, counted on.
    pub body: Vec<u32>,
    /// Distances and friction.
    pub materials: Materials,
    /// Only vertices of the cloth are pushed off obstacles, not its edges and triangles.
    pub vertices_only: bool,
    /// Shape of the cloth without forces [m].
    pub rest: Vec<DVec3>,
    /// Numbers of contacts that are choices.
    pub tuning: ContactTuning,
    /// First vertex of each obstacle, and the number of all vertices.
    first: Vec<usize>,
    moves: Vec<Moves>,
    cloths: u32,
}

impl Participants {
    /// Cloth with rest shape `rest` [m], each vertex of the cloth with a number in `cloth_of`, and obstacles.
    pub fn new(rest: &[DVec3], cloth_of: &[u32], obstacles: &[MeshObstacle], materials: Materials) -> Self {
        let cloths = cloth_of.iter().max().map_or(0, |c| c + 1);
        let (mut body, mut first) = (cloth_of.to_vec(), vec![rest.len()]);
        for (k, obstacle) in obstacles.iter().enumerate() {
            body.extend(std::iter::repeat_n(cloths + k as u32, obstacle.mesh.vertex_count()));
            first.push(body.len());
        }
        let moves = obstacles.iter().map(MeshObstacle::moves).collect();
        let tuning = ContactTuning::default();
        Self { body, materials, vertices_only: false, rest: rest.to_vec(), tuning, first, moves, cloths }
    }

    /// Number of vertices of the cloth.
    #[inline]
    pub fn cloth(&self) -> usize {
        self.first.first().copied().unwrap_or(0)
    }

    /// First vertex of each surface: of the cloth and of each obstacle.
    pub(crate) fn offsets(&self) -> Vec<u32> {
        std::iter::once(0).chain(self.first.iter().map(|n| *n as u32)).collect()
    }

    /// Cloths with mesh obstacles.
    fn pairs_with_obstacles(&self) -> impl Iterator<Item = (u32, u32)> {
        let (cloths, obstacles) = (self.cloths, self.moves.len() as u32);
        (cloths..cloths + obstacles).flat_map(move |obstacle| (0..cloths).map(move |cloth| (cloth, obstacle)))
    }

    /// Largest coefficient of friction of any cloth with any mesh obstacle.
    pub fn largest_obstacle_friction(&self) -> f64 {
        self.pairs_with_obstacles().map(|(a, b)| self.materials.friction(a, b)).fold(0.0, f64::max)
    }

    /// Largest distance that any cloth keeps from any mesh obstacle [m].
    pub fn largest_obstacle_distance(&self) -> f64 {
        self.pairs_with_obstacles().map(|(a, b)| self.materials.distance(a, b)).fold(0.0, f64::max)
    }

    /// Distance that bodies of two vertices keep [m].
    pub fn keep(&self, a: usize, b: usize) -> f64 {
        self.materials.distance(self.body[a], self.body[b])
    }
}

/// What may move a vertex in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mobility {
    /// Forces, contacts and the guard.
    #[default]
    Free,
    /// Nothing: a hand, an obstacle or what pinches it says where it ends.
    Held,
    /// The guard alone: it is led out of obstacles that have caught it, and other cloth comes first.
    Guided,
}

/// A step of everything that has vertices: the cloth, then each mesh obstacle.
///
/// Solvers and responses write [`Step::x_t1`] in place; nothing of it is saved.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Who takes part.
    pub participants: Participants,
    /// Time when it begins [s].
    pub t0: f64,
    /// Time when it ends [s].
    pub t1: f64,
    /// Positions when it begins [m].
    pub x_t0: Vec<DVec3>,
    /// Positions when it ends, as far as they are known [m].
    pub x_t1: Vec<DVec3>,
    /// Velocities of the cloth [m/s]: as the step begins, then as it ends.
    pub v: Vec<DVec3>,
    /// What may move the vertices of the cloth; obstacles are held.
    pub mobility: Vec<Mobility>,
    /// Inverse masses [1/kg]; 0 for all that is not free.
    pub inverse_mass: Vec<f64>,
    /// Features of the cloth whose pairs with obstacles are passed over, ascending; see [`Overlap`](crate::Overlap).
    pub excused: Vec<Feature>,
    poses: Vec<[Pose; 2]>,
    /// Time up to which the obstacles were put in place last [s].
    placed_until: Option<f64>,
    scratch: Vec<DVec3>,
}

impl Step {
    /// Memory for steps of these participants.
    pub fn new(participants: Participants) -> Self {
        let (all, cloth) = (participants.body.len(), participants.cloth());
        Self {
            x_t0: vec![DVec3::ZERO; all],
            x_t1: vec![DVec3::ZERO; all],
            v: vec![DVec3::ZERO; cloth],
            mobility: vec![Mobility::Free; cloth],
            inverse_mass: vec![0.0; all],
            poses: vec![[Pose::IDENTITY; 2]; participants.moves.len()],
            participants,
            ..Self::default()
        }
    }

    /// Number of vertices of the cloth.
    #[inline]
    pub fn cloth(&self) -> usize {
        self.participants.cloth()
    }

    /// Numbers of contacts that are choices.
    #[inline]
    pub fn tuning(&self) -> &ContactTuning {
        &self.participants.tuning
    }

    /// Length of the step [s].
    #[inline]
    pub fn length(&self) -> f64 {
        self.t1 - self.t0
    }

    /// Puts `obstacles`, those it was made with, in place for a step from `t0` to `t1` [s].
    pub fn place(&mut self, obstacles: &[MeshObstacle], t0: f64, t1: f64) {
        (self.t0, self.t1) = (t0, t1);
        // A step mostly begins where the one before ended, and where obstacles are depends on time alone.
        let goes_on = self.placed_until == Some(t0);
        self.placed_until = Some(t1);
        for (k, obstacle) in obstacles.iter().enumerate() {
            let range = self.participants.first[k]..self.participants.first[k + 1];
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

    /// Turns a step that has ended into one of no length that begins there: obstacles stand still, and positions change at once. What may
    /// move vertices stays as it was.
    pub fn linger(&mut self) {
        self.x_t0.clone_from(&self.x_t1);
        self.t0 = self.t1;
        for poses in &mut self.poses {
            poses[0] = poses[1];
        }
        self.placed_until = None;
    }

    /// Forgets where obstacles were put last, as after they were moved from outside.
    pub fn forget_places(&mut self) {
        self.placed_until = None;
    }

    /// Puts the cloth at the start of a step, all of it free: positions `x` [m], velocities `v` [m/s], inverse masses `w` [1/kg].
    pub fn begin(&mut self, x: &[DVec3], v: &[DVec3], w: &[f64]) {
        self.x_t0[..x.len()].copy_from_slice(x);
        self.x_t1[..x.len()].copy_from_slice(x);
        self.v.copy_from_slice(v);
        self.inverse_mass[..w.len()].copy_from_slice(w);
        self.mobility.fill(Mobility::Free);
        self.excused.clear();
    }

    /// Says that particle `i` ends at `end` [m], whatever else happens.
    pub fn prescribe(&mut self, i: usize, mobility: Mobility, end: DVec3) {
        self.mobility[i] = mobility;
        self.inverse_mass[i] = 0.0;
        self.x_t1[i] = end;
    }

    /// Lets others move what is guided from now on; `w` are the inverse masses of free particles [1/kg].
    pub fn yield_guided(&mut self, w: &[f64]) {
        for (i, w) in w.iter().enumerate() {
            if self.mobility[i] == Mobility::Guided {
                self.inverse_mass[i] = *w;
            }
        }
    }

    /// Holds what is guided again.
    pub fn hold_guided(&mut self) {
        for (i, mobility) in self.mobility.iter().enumerate() {
            if *mobility == Mobility::Guided {
                self.inverse_mass[i] = 0.0;
            }
        }
    }

    /// Whether a particle is free.
    #[inline]
    pub fn is_free(&self, i: usize) -> bool {
        self.mobility[i] == Mobility::Free && self.inverse_mass[i] > 0.0
    }

    /// Where the cloth is when the step begins [m].
    pub fn cloth_start(&self) -> &[DVec3] {
        &self.x_t0[..self.cloth()]
    }

    /// Where the cloth is when the step ends [m].
    pub fn cloth_end(&self) -> &[DVec3] {
        &self.x_t1[..self.cloth()]
    }

    /// Puts the cloth at the end of the step, `x` [m].
    pub fn set_end(&mut self, x: &[DVec3]) {
        self.x_t1[..x.len()].copy_from_slice(x);
    }

    /// Motions of the surfaces between two lists of all vertices.
    pub fn motions<'a>(&self, from: &'a [DVec3], to: &'a [DVec3]) -> Vec<Motion<'a>> {
        let first = &self.participants.first;
        let starts = std::iter::once(0).chain(first.iter().copied());
        starts.zip(first).map(|(a, b)| Motion { x_t0: &from[a..*b], x_t1: &to[a..*b] }).collect()
    }

    /// Whether a pair is to be pushed apart; see [`Participants::vertices_only`] and [`Step::excused`].
    #[inline]
    pub fn parts(&self, pair: &Candidate) -> bool {
        let is_cloth = |v: u32| (v as usize) < self.cloth();
        let alone = pair.kind == PairKind::VertexFace && is_cloth(pair.vertices[0]);
        if self.is_excused(pair.kind, pair.vertices) {
            return false;
        }
        !self.participants.vertices_only || alone || pair.vertices.iter().all(|v| is_cloth(*v))
    }

    /// A contact over particles of the cloth alone: vertices of obstacles, whose ends are known, become its offset.
    pub fn on_particles(&self, contact: &Contact) -> Contact {
        let mut on = *contact;
        let mut solid = 0.0;
        for k in 0..4 {
            let (v, weight) = (contact.vertices[k] as usize, contact.weights[k]);
            if v >= self.cloth() {
                on.offset -= contact.normal.dot(self.x_t1[v]) * weight;
                on.carried += (self.x_t1[v] - self.x_t0[v]) * weight;
                solid += weight;
                (on.vertices[k], on.weights[k]) = (0, 0.0);
            }
        }
        if solid > 0.0 {
            // The first feature is the obstacle's: seen from the cloth everything is the other way round.
            on.normal = -on.normal;
            on.weights = on.weights.map(|w| -w);
        } else if solid < 0.0 {
            on.carried = -on.carried;
        }
        on
    }

    /// Poses between which the obstacle of a vertex goes, if it moves as one.
    pub(crate) fn poses_of(&self, vertex: usize) -> Option<[Pose; 2]> {
        let Participants { body, cloths, moves, .. } = &self.participants;
        let obstacle = (body[vertex] as usize).checked_sub(*cloths as usize)?;
        (moves[obstacle] != Moves::Freely).then(|| self.poses[obstacle])
    }
}
