//! [`Landmarks`]: where the tape is laid.

use toile_mesh::DVec3;

use super::Plane;

/// Places of a body that measurements refer to. y is up; the body looks along +z, its left side is at +x.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Landmarks {
    /// Height of the floor [m].
    pub floor: f64,
    /// Highest point of the head [m].
    pub crown: DVec3,
    /// Height of the greatest girth of the head [m].
    pub head: f64,
    /// Plane square to the neck, through its middle.
    pub neck: Plane,
    /// Height of the back neck point (seventh cervical vertebra) [m].
    pub nape: f64,
    /// Left and right side neck point, where the shoulder line meets the neck [m].
    pub neck_sides: [DVec3; 2],
    /// Left and right shoulder point (acromion) [m].
    pub shoulder_points: [DVec3; 2],
    /// Height of the bust points [m].
    pub bust: f64,
    /// Height right below the breasts [m].
    pub underbust: f64,
    /// Height of the waist [m].
    pub waist: f64,
    /// Height of the greatest prominence of the seat [m].
    pub hip: f64,
    /// Lowest point of the trunk between the legs [m].
    pub crotch: DVec3,
    /// Points inside the left leg at the height of each of its girths [m].
    pub thigh: DVec3,
    /// As [`Landmarks::thigh`].
    pub knee: DVec3,
    /// As [`Landmarks::thigh`].
    pub calf: DVec3,
    /// As [`Landmarks::thigh`].
    pub ankle: DVec3,
    /// Plane square to the left upper arm at half its length, through its middle.
    pub upper_arm: Plane,
    /// Point on the outside of the left elbow [m].
    pub elbow: DVec3,
    /// The left wrist.
    pub wrist: Wrist,
}

/// A wrist: where its girth is taken, and where the arm length ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wrist {
    /// Plane square to the forearm, through the middle of the wrist.
    pub plane: Plane,
    /// Point on the outside of the wrist [m].
    pub point_on_outside: DVec3,
}
