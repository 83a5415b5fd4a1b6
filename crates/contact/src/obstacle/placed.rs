//! Obstacles put in place for one time step.

use toile_mesh::{DMat3, DVec3};

use super::near::NearPieces;
use super::{Friction, Obstacle, Pose, Shape};
use crate::{Contact, ContactTuning};

/// One convex piece of an obstacle at the end of a step, and how the obstacle came there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlacedPiece {
    /// Number of the obstacle in the slice that was placed.
    pub obstacle: usize,
    /// Number of the piece in the obstacle.
    pub piece: usize,
    /// The body.
    pub shape: Shape,
    /// Pose of the piece in the world at the end of the step.
    pub pose: Pose,
    /// The local axes in the world, that is the rotation of `pose` as a matrix: cheaper for many points.
    pub(super) axes: DMat3,
    /// Pose of the piece in the world at the beginning of the step.
    pub(super) pose_t0: Pose,
    /// Pose of the obstacle at the beginning of the step.
    pub obstacle_t0: Pose,
    /// Pose of the obstacle at the end of the step.
    pub obstacle_t1: Pose,
    /// Friction that acts on it.
    pub friction: Friction,
    /// Radius of a sphere about the pose that holds the piece [m]; infinite for a half space.
    pub radius: f64,
}

impl PlacedPiece {
    /// Signed distance [m] and unit outward normal at a world point, at the end of the step.
    #[inline]
    pub fn distance_and_normal(&self, world: DVec3) -> (f64, DVec3) {
        let (distance, normal) = self.shape.distance_and_normal(self.local(world));
        (distance, self.axes * normal)
    }

    /// A world point in the local frame of the piece [m].
    #[inline]
    pub(super) fn local(&self, world: DVec3) -> DVec3 {
        let d = world - self.pose.position;
        DVec3::new(self.axes.x_axis.dot(d), self.axes.y_axis.dot(d), self.axes.z_axis.dot(d))
    }

    /// Where the point that was at `world` [m] at the beginning of the step is at its end, moving with the obstacle.
    #[inline]
    pub fn carried(&self, world: DVec3) -> DVec3 {
        self.obstacle_t0.carry(&self.obstacle_t1, world)
    }

    /// How far a point within `reach` [m] of the piece goes at most if it moves with the obstacle [m].
    pub(crate) fn travel(&self, reach: f64) -> f64 {
        self.travel_from(&self.pose_t0, reach)
    }

    /// The same, from another pose of the piece.
    pub(super) fn travel_from(&self, from: &Pose, reach: f64) -> f64 {
        let to = &self.pose;
        let turned = from.rotation.angle_between(to.rotation);
        // A half space has no middle: it may turn about any point of the scene.
        let radius = if self.radius.is_finite() { self.radius } else { 1e3 };
        let turning = if turned > 0.0 { turned * (radius + reach) } else { 0.0 };
        from.position.distance(to.position) + turning
    }

    /// False only if every point within `reach` [m] of `world` is outside the bounding sphere.
    #[inline]
    pub fn may_touch(&self, world: DVec3, reach: f64) -> bool {
        let sum = self.radius + reach;
        (world - self.pose.position).length_squared() <= sum * sum
    }

    /// The contact of a feature of the cloth whose point was at `start` [m] when the step began and is `gap` [m] away at its end, at `point`
    /// [m]. The shape is taken for the plane that supports it there.
    #[inline]
    pub(crate) fn contact(&self, corners: Corners, normal: DVec3, gap: f64, start: DVec3, point: DVec3) -> Contact {
        Contact {
            vertices: corners.vertices,
            weights: corners.weights,
            normal,
            gap,
            offset: normal.dot(point) - gap,
            keep: 0.0,
            friction: self.friction,
            carried: self.carried(start) - start,
            bed: 0.0,
            hardening: 0.0,
            obstacle: Some(self.obstacle as u32),
        }
    }
}

/// Corners of a feature of the cloth and the weights of its point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corners {
    pub(crate) vertices: [u32; 4],
    pub(crate) weights: [f64; 4],
}

impl Corners {
    /// A particle.
    #[inline]
    pub(crate) fn particle(i: u32) -> Self {
        Self { vertices: [i; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// A point of a triangle.
    #[inline]
    pub(crate) fn triangle([a, b, c]: [u32; 3], [u, v, w]: [f64; 3]) -> Self {
        Self { vertices: [a, b, c, c], weights: [u, v, w, 0.0] }
    }
}

/// Friction of each cloth with each obstacle.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PairFriction {
    /// First particle of each cloth, ascending from 0.
    pub first: Vec<usize>,
    /// For each cloth its friction with each obstacle of the slice that is placed.
    pub friction: Vec<Vec<Friction>>,
}

impl PairFriction {
    /// The friction of a particle with an obstacle, if it is known.
    #[inline]
    fn of(&self, particle: usize, obstacle: usize) -> Option<Friction> {
        let cloth = self.first.partition_point(|first| *first <= particle).checked_sub(1)?;
        self.friction.get(cloth)?.get(obstacle).copied()
    }
}

/// All pieces of all obstacles, put in place for a time step; reusable without allocation.
///
/// ```
/// use toile_contact::{Friction, Motion, Obstacle, PlacedObstacles, Pose, Shape};
/// use toile_mesh::DVec3;
/// let ball = Obstacle::new("ball", Shape::Sphere { radius: 1.0 }, Motion::at_rest(Pose::IDENTITY), Friction::Scaled(0.5));
/// let mut placed = PlacedObstacles::default();
/// placed.place(&[ball], 0.0, 0.01);
/// assert_eq!(placed.distance(3.0 * DVec3::Y), 2.0);
/// ```
#[derive(Clone, Debug)]
pub struct PlacedObstacles {
    /// Cosine of the angle between normals of pieces that face each other.
    opposed: f64,
    /// Friction of the pairs, as it was given and as it acts.
    given: PairFriction,
    acting: PairFriction,
    pieces: Vec<PlacedPiece>,
    /// Pieces as they were placed before.
    before: Vec<PlacedPiece>,
    near: NearPieces,
}

impl Default for PlacedObstacles {
    fn default() -> Self {
        Self::new(&ContactTuning::default())
    }
}

impl PlacedObstacles {
    /// Nothing yet, to be placed with numbers of `tuning`.
    pub fn new(tuning: &ContactTuning) -> Self {
        Self {
            opposed: tuning.opposed,
            given: PairFriction::default(),
            acting: PairFriction::default(),
            pieces: Vec::new(),
            before: Vec::new(),
            near: NearPieces::default(),
        }
    }

    /// Whether pieces with these normals face each other: what is between them is pressed from both sides.
    pub(super) fn face_each_other(&self, n: DVec3, m: DVec3) -> bool {
        n.dot(m) < self.opposed
    }

    /// Replaces the content by `obstacles` as they move from time `t0` to `t1` [s].
    pub fn place(&mut self, obstacles: &[Obstacle], t0: f64, t1: f64) {
        self.near.clear();
        self.place_again(obstacles, t0, t1);
    }

    /// The same, but keeps marks that were made in another step, for as long as they [hold](Self::marks_hold): until then nothing may
    /// rely on them.
    pub fn place_again(&mut self, obstacles: &[Obstacle], t0: f64, t1: f64) {
        std::mem::swap(&mut self.pieces, &mut self.before);
        self.pieces.clear();
        for (number, obstacle) in obstacles.iter().enumerate() {
            let (obstacle_t0, obstacle_t1) = (obstacle.motion.pose_at(t0), obstacle.motion.pose_at(t1));
            self.pieces.extend(obstacle.pieces.iter().enumerate().map(|(piece, part)| {
                let pose = obstacle_t1.then(&part.pose);
                PlacedPiece {
                    obstacle: number,
                    piece,
                    shape: part.shape,
                    pose,
                    axes: DMat3::from_quat(pose.rotation),
                    pose_t0: obstacle_t0.then(&part.pose),
                    obstacle_t0,
                    obstacle_t1,
                    friction: obstacle.friction.unwrap_or(Friction::Coulomb(0.0)),
                    radius: part.shape.bounding_radius(),
                }
            }));
        }
        self.near.follow(&self.before, &self.pieces);
    }

    /// Sets the friction of cloths with obstacles, from now on. Without it, obstacles act with their own, or with none.
    pub fn set_friction(&mut self, friction: PairFriction) {
        self.acting.clone_from(&friction);
        self.given = friction;
    }

    /// A piece with the friction that it has for a particle.
    #[inline]
    pub fn piece_for(&self, piece: usize, particle: usize) -> PlacedPiece {
        let mut piece = self.pieces[piece];
        if let Some(friction) = self.acting.of(particle, piece.obstacle) {
            piece.friction = friction;
        }
        piece
    }

    /// Changes the friction of every piece, and of every pair from what it was given, until obstacles are placed again.
    pub fn map_friction(&mut self, f: impl Fn(Friction) -> Friction) {
        for piece in &mut self.pieces {
            piece.friction = f(piece.friction);
        }
        for (acting, given) in self.acting.friction.iter_mut().flatten().zip(self.given.friction.iter().flatten()) {
            *acting = f(*given);
        }
    }

    /// Remembers which pieces the particles at `x` [m] can reach, so that far ones are passed over from now on. Good
    /// while no particle moves farther than `slack` [m] from `x` and nothing is asked beyond `reach` [m] of a particle,
    /// or of a triangle within `reach` of its corners.
    pub fn mark_near(&mut self, x: &[DVec3], reach: f64, slack: f64) {
        self.near.update(&self.pieces, x, reach, slack);
    }

    /// Remembers which pieces particles that go from `start` to `end` [m] in the step can come within `reach` [m] of.
    pub fn mark_on_way(&mut self, start: &[DVec3], end: &[DVec3], reach: f64) {
        self.near.update_on_way(&self.pieces, start, end, reach);
    }

    /// Takes over the marks that other obstacles have, the same ones in the same places.
    pub fn share_marks(&mut self, other: &Self) {
        self.near.copy(&other.near);
    }

    /// Whether a particle can reach nothing, as far as marks tell.
    #[inline]
    pub(super) fn is_far_from_all(&self, particle: usize) -> bool {
        self.near.is_far(particle)
    }

    /// Whether the marks still hold for particles at `x` [m].
    pub fn marks_hold(&self, x: &[DVec3]) -> bool {
        self.near.is_valid(x)
    }

    /// The marks, if they hold for particles all the way from `start` to `end` [m].
    pub(crate) fn marks_on_way(&self, start: &[DVec3], end: &[DVec3]) -> Option<&NearPieces> {
        self.near.is_valid_on_way(&self.pieces, start, end).then_some(&self.near)
    }

    /// Numbers of the pieces that one of the particles may touch, ascending.
    #[inline]
    pub fn near<const N: usize>(&self, particles: [usize; N]) -> impl Iterator<Item = usize> + use<'_, N> {
        self.near.pieces_of(particles, self.pieces.len())
    }

    /// The pieces, in the order of obstacles and of pieces within each.
    pub fn pieces(&self) -> &[PlacedPiece] {
        &self.pieces
    }

    /// Smallest signed distance of a world point to any piece at the end of the step [m]; infinite without obstacles.
    ///
    /// Exact outside; inside overlapping pieces the true depth may be larger.
    pub fn distance(&self, world: DVec3) -> f64 {
        self.pieces.iter().map(|p| p.distance_and_normal(world).0).fold(f64::INFINITY, f64::min)
    }
}
