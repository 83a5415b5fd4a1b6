//! Obstacles that are triangle meshes: still, moving as one body, or with a [`Deformation`], as keyframes for their vertices.
//!
//! A mesh has no inside that could be asked for its distance: it may be open, and cloth may be on either side of it. What
//! counts is on which side of each triangle and edge the cloth was when the step began: see [`Candidates`](crate::Candidates).
//!
//! Conventions: lengths in metres, times in seconds.

mod keyframes;
mod skin;

pub use keyframes::{KeyframeError, VertexKeyframes};
pub use skin::{Bone, INFLUENCES, Influence, Skin};

use std::sync::Arc;

use toile_mesh::{DVec3, Moves, Surface, TriMesh};

use crate::{Friction, Motion, RigidMotion};

/// Times between two by which the way of deforming vertices is measured.
const SAMPLES: u32 = 8;

/// How the vertices of a mesh move in its own frame, as a function of time alone.
pub trait Deformation: std::fmt::Debug + Send + Sync {
    /// Puts the vertices at time `t` [s] into `positions` [m], instead of what is there.
    fn place(&self, t: f64, positions: &mut Vec<DVec3>);

    /// Whether they move at all.
    fn moves(&self) -> bool;

    /// In a few words, as `31 keyframes`.
    fn summary(&self) -> String;

    /// Passes on the points that tell it from others.
    fn describe(&self, point: &mut dyn FnMut(DVec3));

    /// The bones that the vertices follow and the segments they belong to, if that is known.
    fn skin(&self) -> Option<&Skin> {
        None
    }
}

/// A triangle mesh that cloth cannot move.
///
/// ```
/// use std::sync::Arc;
/// use toile_contact::{Friction, MeshObstacle, Motion, Pose, VertexKeyframes};
/// use toile_mesh::{DVec3, generate};
/// let ball = generate::icosphere(1.0, 1);
/// let swollen = ball.positions.iter().map(|p| 2.0 * *p).collect();
/// let breathing = MeshObstacle {
///     name: "ball".into(),
///     deformation: Some(Arc::new(VertexKeyframes::new(1.0, vec![ball.positions.clone(), swollen]).unwrap())),
///     mesh: ball,
///     motion: Motion::at_rest(Pose::at(DVec3::Y)),
///     friction: Some(Friction::Coulomb(0.3)),
///     padding: 0.0,
/// };
/// let half = breathing.mesh_at(0.5);
/// assert!((half.positions[0].distance(DVec3::Y) - 1.5).abs() < 1e-15);
/// ```
#[derive(Clone, Debug)]
pub struct MeshObstacle {
    /// What reports call it.
    pub name: String,
    /// The mesh in its own frame.
    pub mesh: TriMesh,
    /// Where its vertices are over time in its own frame; `None`, it keeps its shape.
    pub deformation: Option<Arc<dyn Deformation>>,
    /// How its frame moves.
    pub motion: Motion,
    /// How it holds back what slides on it; `None`, as what slides says itself.
    pub friction: Option<Friction>,
    /// What it adds to half the thickness of the cloth that touches it [m].
    pub padding: f64,
}

impl MeshObstacle {
    /// Puts the vertices in the world at time `t` [s] into `positions` [m].
    pub fn place(&self, t: f64, positions: &mut Vec<DVec3>) {
        match &self.deformation {
            Some(deformation) => deformation.place(t, positions),
            None => positions.clone_from(&self.mesh.positions),
        }
        let pose = self.motion.pose_at(t);
        for p in positions {
            *p = pose.to_world(*p);
        }
    }

    /// The mesh in the world at time `t` [s].
    pub fn mesh_at(&self, t: f64) -> TriMesh {
        let mut mesh = TriMesh { positions: Vec::new(), triangles: self.mesh.triangles.clone() };
        self.place(t, &mut mesh.positions);
        mesh
    }

    /// How it moves, as a detector wants to know it.
    pub fn moves(&self) -> Moves {
        let at_rest = match &self.motion {
            Motion::Rigid(RigidMotion { velocity, spin_rate, .. }) => *velocity == DVec3::ZERO && *spin_rate == 0.0,
            Motion::Keyframes(keys) => keys.len() < 2,
        };
        match (&self.deformation, at_rest) {
            (Some(deformation), _) if deformation.moves() => Moves::Freely,
            (_, true) => Moves::Never,
            (_, false) => Moves::Rigidly,
        }
    }

    /// Its surface for a detector.
    pub fn surface(&self) -> Surface {
        Surface::obstacle(&self.mesh, self.moves())
    }

    /// Estimate of how far any vertex goes from `t0` to `t1` [s], from a few times in between [m].
    pub fn travel(&self, t0: f64, t1: f64) -> f64 {
        if self.moves() == Moves::Never {
            return 0.0;
        }
        let (mut from, mut to, mut way) = (Vec::new(), Vec::new(), 0.0);
        self.place(t0, &mut from);
        for k in 1..=SAMPLES {
            self.place(t0 + (t1 - t0) * f64::from(k) / f64::from(SAMPLES), &mut to);
            way += from.iter().zip(&to).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max).sqrt();
            std::mem::swap(&mut from, &mut to);
        }
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;
    use toile_mesh::generate;

    fn ball(motion: Motion) -> MeshObstacle {
        let mesh = generate::icosphere(0.5, 1);
        MeshObstacle { name: "ball".into(), mesh, deformation: None, motion, friction: None, padding: 0.0 }
    }

    #[test]
    fn a_spinning_ball_moves_rigidly_and_its_travel_is_that_of_its_equator() {
        let spin = RigidMotion { spin_rate: 0.5, ..RigidMotion::at_rest(Pose::at(DVec3::X)) };
        let obstacle = ball(Motion::Rigid(spin));
        assert_eq!(obstacle.moves(), Moves::Rigidly);
        let equator = obstacle.mesh.positions.iter().map(|p| p.x.hypot(p.z)).fold(0.0, f64::max);
        let way = obstacle.travel(1.0, 2.0);
        // Chords of a sixteenth of a radian are shorter than the arc by 1.6e-4 of it.
        assert!((way / (0.5 * equator) - 1.0).abs() < 2e-4, "{way}");
    }

    #[test]
    fn a_ball_at_rest_stays_where_it_is() {
        let obstacle = ball(Motion::at_rest(Pose::at(DVec3::X)));
        assert_eq!((obstacle.moves(), obstacle.travel(0.0, 9.0)), (Moves::Never, 0.0));
        assert_eq!(obstacle.mesh_at(0.0), obstacle.mesh_at(9.0));
    }

    #[test]
    fn deformed_vertices_are_carried_along() {
        let shifted = |obstacle: &MeshObstacle| obstacle.mesh.positions.iter().map(|p| *p + DVec3::Y).collect();
        let moving = RigidMotion { velocity: DVec3::X, ..RigidMotion::at_rest(Pose::IDENTITY) };
        let mut obstacle = ball(Motion::Rigid(moving));
        let frames = vec![obstacle.mesh.positions.clone(), shifted(&obstacle)];
        obstacle.deformation = Some(Arc::new(VertexKeyframes::new(2.0, frames).unwrap()));
        assert_eq!(obstacle.moves(), Moves::Freely);
        let (start, end) = (obstacle.mesh_at(0.0), obstacle.mesh_at(0.5));
        for (a, b) in start.positions.iter().zip(&end.positions) {
            assert!((*b - *a - DVec3::new(0.5, 1.0, 0.0)).length() < 1e-15);
        }
        assert!((obstacle.travel(0.0, 0.5) - 1.25_f64.sqrt()).abs() < 1e-12);
    }
}
