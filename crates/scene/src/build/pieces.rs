//! Exact obstacles of a scene.

use toile::{Keyframe, Motion, Obstacle, Piece, Pose, RigidMotion, Shape};
use toile_mesh::DVec3;

use super::rotation;
use crate::scene::{self, ObstacleShape, Scene};

/// Obstacle `index` of a scene, known by the distance to its surface; without pieces if it is known by its triangles alone.
pub(super) fn exact(scene: &Scene, index: usize) -> Obstacle {
    let obstacle = &scene.obstacle[index];
    let friction = obstacle.friction.map(|coefficient| scene.contact.friction_by_law(coefficient));
    let start = Pose { position: DVec3::from(obstacle.position), rotation: rotation(obstacle.rotation_deg) };
    let pieces = obstacle_pieces(&obstacle.shape);
    Obstacle {
        name: scene.obstacle_name(index),
        pieces,
        motion: motion(obstacle, start),
        friction,
        padding: obstacle.padding,
    }
}

fn motion(obstacle: &scene::Obstacle, start: Pose) -> Motion {
    if obstacle.path.is_empty() {
        return Motion::Rigid(RigidMotion {
            start,
            velocity: DVec3::from(obstacle.velocity),
            spin_axis: DVec3::from(obstacle.spin_axis),
            spin_rate: obstacle.spin * std::f64::consts::TAU,
            from: obstacle.from,
            until: obstacle.until.unwrap_or(f64::INFINITY),
        });
    }
    let key = |key: &scene::ObstacleKey| Keyframe {
        time: key.time,
        pose: Pose {
            position: key.position.map_or(start.position, DVec3::from),
            rotation: key.rotation_deg.map_or(start.rotation, rotation),
        },
    };
    Motion::Keyframes(obstacle.path.iter().map(key).collect())
}

fn obstacle_pieces(shape: &ObstacleShape) -> Vec<Piece> {
    let one = |shape: Shape| vec![Piece { shape, pose: Pose::IDENTITY }];
    match shape {
        ObstacleShape::Sphere(s) => one(Shape::Sphere { radius: s.radius }),
        ObstacleShape::Box(b) => one(Shape::Cuboid { half_size: 0.5 * DVec3::from(b.size) }),
        ObstacleShape::Capsule(c) => one(Shape::Capsule { radius: c.radius, half_height: 0.5 * c.height }),
        ObstacleShape::Cylinder(c) => one(Shape::Cylinder { radius: c.radius, half_height: 0.5 * c.height }),
        ObstacleShape::Plane(_) => one(Shape::Plane),
        ObstacleShape::Table(t) => table(t.radius, t.thickness, t.height),
        ObstacleShape::Needles(n) => needles(n),
        // Known by their triangles alone.
        ObstacleShape::Mesh(_)
        | ObstacleShape::Torus(_)
        | ObstacleShape::Wave(_)
        | ObstacleShape::Funnel(_)
        | ObstacleShape::Figure(_) => Vec::new(),
    }
}

/// Upright capsules in rows; their lower ends are round too, at y = 0.
fn needles(needles: &scene::NeedlesShape) -> Vec<Piece> {
    let radius = needles.radius.min(0.5 * needles.height);
    let shape = Shape::Capsule { radius, half_height: 0.5 * needles.height - radius };
    let along = |axis: usize, k: u32| match needles.count[axis] {
        0 | 1 => 0.0,
        n => needles.size[axis] * (f64::from(k) / f64::from(n - 1) - 0.5),
    };
    let place = |i: u32, j: u32| Pose::at(DVec3::new(along(0, i), 0.5 * needles.height, along(1, j)));
    let rows = (0..needles.count[1]).flat_map(|j| (0..needles.count[0]).map(move |i| (i, j)));
    rows.map(|(i, j)| Piece { shape, pose: place(i, j) }).collect()
}

/// A round table standing on y = 0: top, leg and foot.
fn table(radius: f64, thickness: f64, height: f64) -> Vec<Piece> {
    let thickness = thickness.min(height);
    let disc = |radius: f64, bottom: f64, top: f64| Piece {
        shape: Shape::Cylinder { radius, half_height: 0.5 * (top - bottom) },
        pose: Pose::at(DVec3::Y * (0.5 * (top + bottom))),
    };
    let under = height - thickness;
    let mut pieces = vec![disc(radius, under, height)];
    if under > 0.0 {
        let foot = (0.03_f64).min(0.2 * under);
        pieces.push(disc(0.12 * radius, foot, under));
        pieces.push(disc(0.5 * radius, 0.0, foot));
    }
    pieces
}
