//! Obstacles: solid things of known shape and motion that cloth cannot move.
//!
//! An [`Obstacle`] is a union of convex [`Piece`]s that moves rigidly. For a time step all obstacles are put in place
//! once ([`PlacedObstacles`]); then the particles are lifted off them ([`resolve_particles`], Fuhrmann 2003, section
//! "Cloth–Environment Collisions", eq. 18–21), and after that the edges and interiors of the triangles
//! ([`TriangleSweep`]), which the paper leaves to chance: a coarse cloth would cut the rim of a table.
//!
//! Conventions: lengths in metres, times in seconds, signed distances negative inside, normals outward.
//!
//! When it fails: only the end of the step is looked at, so a particle that crosses more than half of a thin obstacle
//! in one step leaves on the wrong side, and one that jumps over it is not noticed; a triangle that a thin obstacle has
//! pierced stays pierced, and cloth pinched between two obstacles without room for it stays in one of them. The report
//! of the sweep says how much remains and how deep.

mod cutting_plane;
mod deepest;
mod friction;
mod motion;
mod near;
mod particles;
mod placed;
mod pose;
mod shape;
mod swept;
mod tessellate;
mod triangles;

use std::fmt;

pub use deepest::{DEEPEST_POINT_ERROR, DeepestPoint, deepest_point_below, deepest_point_on_triangle};
pub use friction::{Friction, mean_friction};
pub use motion::{Keyframe, Motion, RigidMotion};
pub(crate) use near::NearPieces;
pub use particles::{ParticleReport, particle_contact, resolve_particles};
pub(crate) use placed::Corners;
pub use placed::{PairSurfaces, PlacedObstacles, PlacedPiece};
pub use pose::Pose;
pub use shape::Shape;
pub(crate) use swept::ARRIVED;
pub use swept::Arrival;
pub use tessellate::Tessellation;
pub use triangles::{SweepReport, SweepSettings, TriangleSweep};

/// A convex part of an obstacle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Piece {
    /// The body.
    pub shape: Shape,
    /// Its pose in the frame of the obstacle.
    pub pose: Pose,
}

impl Piece {
    /// Radius of a ball round the obstacle's origin that holds the piece [m]; infinite for a half space.
    pub fn bounding_radius(&self) -> f64 {
        self.pose.position.length() + self.shape.bounding_radius()
    }
}

/// A solid thing that cloth cannot move.
///
/// ```
/// use toile_contact::{Friction, Motion, Obstacle, Piece, Pose, Shape};
/// use toile_mesh::DVec3;
/// let disc = |radius, half_height, y| Piece {
///     shape: Shape::Cylinder { radius, half_height },
///     pose: Pose::at(DVec3::new(0.0, y, 0.0)),
/// };
/// let table = Obstacle {
///     name: "round table".into(),
///     pieces: vec![disc(0.5, 0.015, 0.7), disc(0.04, 0.35, 0.35), disc(0.2, 0.01, 0.01)],
///     motion: Motion::at_rest(Pose::IDENTITY),
///     friction: Some(Friction::Coulomb(0.3)),
///     padding: 0.0,
/// };
/// assert!(table.check().is_ok());
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Obstacle {
    /// What reports call it.
    pub name: String,
    /// The convex parts; they may overlap.
    pub pieces: Vec<Piece>,
    /// How it moves.
    pub motion: Motion,
    /// How it holds back what slides on it; `None`, as what slides says itself.
    pub friction: Option<Friction>,
    /// What it adds to half the thickness of the cloth that touches it [m].
    pub padding: f64,
}

impl Obstacle {
    /// A hard obstacle of one piece whose frame is that of the shape.
    pub fn new(name: impl Into<String>, shape: Shape, motion: Motion, friction: impl Into<Option<Friction>>) -> Self {
        let pieces = vec![Piece { shape, pose: Pose::IDENTITY }];
        Self { name: name.into(), pieces, motion, friction: friction.into(), padding: 0.0 }
    }

    /// Whether the obstacle can be used; the error names what cannot.
    ///
    /// An obstacle that fails the check does no harm, but what it does is not defined.
    pub fn check(&self) -> Result<(), ObstacleError> {
        let name = || self.name.clone();
        if self.pieces.is_empty() {
            return Err(ObstacleError::NoPieces { name: name() });
        }
        for (piece, part) in self.pieces.iter().enumerate() {
            if !part.shape.is_valid() {
                return Err(ObstacleError::Shape { name: name(), piece, shape: part.shape });
            }
            if !part.pose.is_valid() {
                return Err(ObstacleError::Pose { name: name(), piece, pose: part.pose });
            }
        }
        if !self.motion.is_valid() {
            return Err(ObstacleError::Motion { name: name() });
        }
        if let Some(friction) = self.friction.filter(|friction| !friction.is_valid()) {
            return Err(ObstacleError::Friction { name: name(), friction });
        }
        if !is_padding(self.padding) {
            return Err(ObstacleError::Padding { name: name(), padding: self.padding });
        }
        Ok(())
    }
}

/// Whether an obstacle may add this to the distance that cloth keeps [m].
pub fn is_padding(padding: f64) -> bool {
    padding >= 0.0 && padding.is_finite()
}

/// Why an obstacle cannot be used.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ObstacleError {
    /// It has no pieces: give it at least one.
    NoPieces {
        /// Name of the obstacle.
        name: String,
    },
    /// A size is not positive and finite.
    Shape {
        /// Name of the obstacle.
        name: String,
        /// Number of the piece.
        piece: usize,
        /// Its shape.
        shape: Shape,
    },
    /// A piece has a pose that is not finite or a rotation that is not a unit quaternion.
    Pose {
        /// Name of the obstacle.
        name: String,
        /// Number of the piece.
        piece: usize,
        /// Its pose.
        pose: Pose,
    },
    /// A pose or rate of the motion is not usable, its end lies before its beginning, or its keyframes do not ascend.
    Motion {
        /// Name of the obstacle.
        name: String,
    },
    /// The coefficient is negative, not finite, or a scale above one.
    Friction {
        /// Name of the obstacle.
        name: String,
        /// Its friction.
        friction: Friction,
    },
    /// The padding is negative or not finite.
    Padding {
        /// Name of the obstacle.
        name: String,
        /// Its padding [m].
        padding: f64,
    },
}

impl fmt::Display for ObstacleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPieces { name } => write!(f, "obstacle \"{name}\" has no pieces"),
            Self::Shape { name, piece, shape } => {
                write!(f, "obstacle \"{name}\", piece {piece}: sizes must be positive and finite, not {shape:?}")
            }
            Self::Pose { name, piece, pose } => write!(
                f,
                "obstacle \"{name}\", piece {piece}: position must be finite and rotation a unit quaternion, not {pose:?}"
            ),
            Self::Motion { name } => write!(
                f,
                "obstacle \"{name}\": motion needs finite poses and rates, an end after its beginning, and keyframes \
                 at ascending times"
            ),
            Self::Friction { name, friction } => write!(
                f,
                "obstacle \"{name}\": friction must be 0 to 1 if scaled, not negative if Coulomb, not {friction:?}"
            ),
            Self::Padding { name, padding } => {
                write!(f, "obstacle \"{name}\": padding must be finite and not negative, not {padding} m")
            }
        }
    }
}

impl std::error::Error for ObstacleError {}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{DQuat, DVec3};

    #[test]
    fn the_check_names_what_is_wrong() {
        let good = Obstacle::new(
            "crate",
            Shape::Cuboid { half_size: DVec3::ONE },
            Motion::at_rest(Pose::IDENTITY),
            Friction::Scaled(0.5),
        );
        assert_eq!(good.check(), Ok(()));
        let piece = |shape, rotation| vec![good.pieces[0], Piece { shape, pose: Pose { rotation, ..Pose::IDENTITY } }];
        let broken = [
            (Obstacle { pieces: vec![], ..good.clone() }, "no pieces"),
            (
                Obstacle { pieces: piece(Shape::Sphere { radius: -1.0 }, DQuat::IDENTITY), ..good.clone() },
                "piece 1: sizes",
            ),
            (
                Obstacle { pieces: piece(Shape::Plane, DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0)), ..good.clone() },
                "piece 1: pos",
            ),
            (Obstacle { motion: Motion::at_rest(Pose::at(DVec3::NAN)), ..good.clone() }, "motion"),
            (Obstacle { friction: Some(Friction::Scaled(2.0)), ..good.clone() }, "friction"),
            (Obstacle { padding: -1e-3, ..good.clone() }, "padding"),
        ];
        for (obstacle, words) in broken {
            let message = obstacle.check().expect_err(words).to_string();
            assert!(message.contains("\"crate\"") && message.contains(words), "{message}");
        }
    }
}
