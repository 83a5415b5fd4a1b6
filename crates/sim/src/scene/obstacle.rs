//! An obstacle in a scene: what the cloth cannot move, at rest or moving on its own.

use super::{
    color::Color,
    schema::{kinds, section},
};

section! {
    /// A ball centred on the origin.
    pub struct SphereShape {
        /// Radius.
        radius: f64 = 0.25, ["m"] above(0, 1000);
    }
}

section! {
    /// A box centred on the origin.
    pub struct BoxShape {
        /// Lengths along x, y and z.
        size: [f64; 3] = [0.5, 0.5, 0.5], ["m"] above(0, 1000);
    }
}

section! {
    /// A cylinder with round ends, its axis along y, centred on the origin.
    pub struct CapsuleShape {
        /// Radius of the cylinder and its ends.
        radius: f64 = 0.1, ["m"] above(0, 1000);
        /// Length of the straight part.
        height: f64 = 0.5, ["m"] within(0, 1000);
    }
}

section! {
    /// A cylinder with flat ends, its axis along y, centred on the origin.
    pub struct CylinderShape {
        /// Radius.
        radius: f64 = 0.25, ["m"] above(0, 1000);
        /// Length.
        height: f64 = 0.5, ["m"] above(0, 1000);
    }
}

section! {
    /// The half space below the x–z plane.
    pub struct PlaneShape {}
}

section! {
    /// A round table standing on the origin.
    pub struct TableShape {
        /// Radius of the top.
        radius: f64 = 0.4, ["m"] above(0, 1000);
        /// Thickness of the top.
        thickness: f64 = 0.03, ["m"] above(0, 1000);
        /// Height of the upper face above the floor.
        height: f64 = 0.75, ["m"] above(0, 1000);
    }
}

kinds! {
    /// The shape of an obstacle before it is turned and put in place.
    pub enum ObstacleShape {
        /// A ball.
        Sphere(SphereShape) = "sphere",
        /// A box.
        Box(BoxShape) = "box",
        /// A cylinder with round ends.
        Capsule(CapsuleShape) = "capsule",
        /// A cylinder with flat ends.
        Cylinder(CylinderShape) = "cylinder",
        /// A floor.
        Plane(PlaneShape) = "plane",
        /// A round table.
        Table(TableShape) = "table",
    }
}

section! {
    /// One point of the way an obstacle takes; even motion in between, at rest before the first and after the last.
    pub struct ObstacleKey {
        /// When.
        time: f64 = 0.0, ["s"] within(0, 100_000.0);
        /// Where its origin is then; left out, at the obstacle's own position.
        position: Option<[f64; 3]> = None, ["m"] within(-10_000.0, 10_000.0);
        /// How it is turned then; left out, as the obstacle itself.
        rotation_deg: Option<[f64; 3]> = None, ["°"] within(-3600, 3600);
    }
}

section! {
    /// Something the cloth cannot move.
    pub struct Obstacle {
        /// Name in reports and files; empty, `obstacle-1`, `obstacle-2` and so on.
        name: String = String::new();
        /// Where its origin is put.
        position: [f64; 3] = [0.0, 0.0, 0.0], ["m"] within(-10_000.0, 10_000.0);
        /// Rotation about the x, then y, then z axis of the world, before it is put in place.
        rotation_deg: [f64; 3] = [0.0, 0.0, 0.0], ["°"] within(-3600, 3600);
        /// Coefficient of friction; 0 is frictionless.
        friction: f64 = 0.3, within(0, 10);
        /// Steady velocity between the times `from` and `until`.
        velocity: [f64; 3] = [0.0, 0.0, 0.0], ["m/s"] within(-1000, 1000);
        /// Axis of the spin through its origin, of any length but zero.
        spin_axis: [f64; 3] = [0.0, 1.0, 0.0], within(-1_000_000.0, 1_000_000.0);
        /// Turns per second between the times `from` and `until`, counter-clockwise seen from the tip of the axis.
        spin: f64 = 0.0, ["rev/s"] within(-1000, 1000);
        /// When velocity and spin begin.
        from: f64 = 0.0, ["s"] within(0, 100_000.0);
        /// When velocity and spin end; left out, never.
        until: Option<f64> = None, ["s"] within(0, 100_000.0);
        /// Colour in pictures.
        color: Color = Color([0x8c, 0x92, 0x9c]);
        /// The shape.
        shape: ObstacleShape = ObstacleShape::Sphere(SphereShape::default());
        /// The way it takes, instead of velocity and spin; empty, none.
        path: Vec<ObstacleKey> = Vec::new();
    }
}
