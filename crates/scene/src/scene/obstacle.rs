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

section! {
    /// A triangle mesh from a file, still, moving as one body, or with keyframes for its vertices. It may be open, like a
    /// sheet: cloth keeps the side that it is on.
    pub struct MeshShape {
        /// The mesh file (OBJ, PLY or STL), relative to the scene file; must be given.
        file: String = String::new();
        /// Factor on all coordinates, of the mesh and of its keyframes.
        scale: f64 = 1.0, above(0, 1_000_000.0);
        /// Where its vertices are at evenly spaced times from 0 on: files, in this order, of which a PC2 cache gives all
        /// its frames, a mesh file one, and a folder its mesh files by name. All have as many vertices as the mesh.
        /// Straight lines in between; the last one is held. Empty, the mesh keeps its shape.
        keyframes: Vec<String> = Vec::new();
        /// Keyframes per second.
        keyframe_rate: f64 = 30.0, ["1/s"] within(0.001, 10_000.0);
    }
}

section! {
    /// A ring of round cross-section about the y axis, centred on the origin; always triangulated.
    pub struct TorusShape {
        /// Radius of the middle line of the tube.
        radius: f64 = 0.3, ["m"] above(0, 1000);
        /// Radius of the tube.
        tube: f64 = 0.08, ["m"] above(0, 1000);
        /// Edges round the axis and round the tube.
        segments: [u32; 2] = [48, 16], within(3, 2000);
    }
}

section! {
    /// A square sheet about the x–z plane, centred on the origin, that swells and sinks as a standing wave: an open mesh
    /// with keyframes for its vertices.
    pub struct WaveShape {
        /// Edge length of the square.
        size: f64 = 1.0, ["m"] above(0, 1000);
        /// Squares along each edge.
        cells: u32 = 24, within(1, 1000);
        /// Height of the crests.
        height: f64 = 0.1, ["m"] within(0, 1000);
        /// Distance between crests.
        length: f64 = 0.5, ["m"] above(0, 1000);
        /// Swings per second.
        frequency: f64 = 0.5, ["1/s"] within(0, 100);
        /// Keyframes per second, with even motion in between.
        keyframe_rate: f64 = 30.0, ["1/s"] within(0.001, 10_000.0);
    }
}

section! {
    /// A funnel about the y axis, an open mesh: a cone that widens upwards from its neck, which is at the origin, and a spout
    /// below.
    pub struct FunnelShape {
        /// Radius of the spout and of the wide end.
        radii: [f64; 2] = [0.1, 0.4], ["m"] above(0, 1000);
        /// Length of the spout and height of the cone.
        heights: [f64; 2] = [0.2, 0.3], ["m"] above(0, 1000);
        /// Edges round the axis, and along spout and cone each.
        segments: [u32; 2] = [48, 8], within(3, 2000);
    }
}

section! {
    /// A bed of upright needles with round tips, in rows over a rectangle of the x–z plane that is centred on the origin.
    pub struct NeedlesShape {
        /// Distance between the first and the last needle along x and along z.
        size: [f64; 2] = [0.5, 0.5], ["m"] within(0, 1000);
        /// Needles along x and along z.
        count: [u32; 2] = [10, 10], within(1, 50);
        /// Radius of a needle.
        radius: f64 = 0.003, ["m"] above(0, 1000);
        /// Height of the tips above the origin; at least two radii.
        height: f64 = 0.2, ["m"] above(0, 1000);
    }
}

section! {
    /// A figure 1.75 m tall that stands on the origin facing +z and walks on the spot from the time 0 on: a mesh with
    /// keyframes for its vertices. Its feet reach up to 3 cm below the origin.
    pub struct FigureShape {
        /// Triangles at least.
        triangles: u32 = 4000, within(500, 200_000);
        /// Keyframes per second, with even motion in between.
        keyframe_rate: f64 = 30.0, ["1/s"] within(0.001, 10_000.0);
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
        /// A triangle mesh from a file.
        Mesh(MeshShape) = "mesh",
        /// A ring.
        Torus(TorusShape) = "torus",
        /// A swaying sheet.
        Wave(WaveShape) = "wave",
        /// A funnel.
        Funnel(FunnelShape) = "funnel",
        /// A bed of needles.
        Needles(NeedlesShape) = "needles",
        /// A walking figure.
        Figure(FigureShape) = "figure",
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
        /// Coefficient of friction with its like; 0 is frictionless. Cloth slides on it with the geometric mean of its own and this;
        /// left out, with its own.
        friction: Option<f64> = None, within(0, 10);
        /// What it adds to half the thickness of the cloth that touches it: 0 for what is hard, more for what has a pile of its own.
        padding: f64 = 0.0, ["m"] within(0, 1);
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
        /// Let cloth touch the triangles of a mesh of the shape, found as said in [collision], instead of its exact surface.
        /// Kinds that are meshes anyway do not ask.
        triangulate: bool = false;
        /// Colour in pictures.
        color: Color = Color([0x8c, 0x92, 0x9c]);
        /// The shape.
        shape: ObstacleShape = ObstacleShape::Sphere(SphereShape::default());
        /// The way it takes, instead of velocity and spin; empty, none.
        path: Vec<ObstacleKey> = Vec::new();
    }
}
