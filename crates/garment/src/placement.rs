//! Where panels are before they are sewn: [`Placement`].
//!
//! A panel that is drawn at `p` stands at `R (p.x, p.y, 0) + t`, with `R = R_x R_y R_z`. Bent, it lies on a cylinder of radius `r`
//! behind it, whose axis is parallel to the panel and touches the line through the panel's origin: a length `s` across that line
//! becomes the angle `s / r`, so that lengths are kept.

use kurbo::Point;
use toile_mesh::{DMat3, DVec2, DVec3};

use crate::role::words;

/// Where a panel is before it is sewn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Placement {
    /// Exactly there, flat or bent. It is moved out along its outer side only if it touches the body or another panel there.
    Fixed {
        /// Where it stands.
        stand: Stand,
        /// How it is bent; `None`, it is flat.
        bend: Option<Bend>,
    },
    /// About there, as drawings of a garment before a body show it: the panel is bent around what it stands before, at the heights of the
    /// body that is dressed.
    About(Stand),
    /// Bent around a part of the body.
    Around(Around),
}

/// A place in space: `x ↦ R x + t`, with `R = R_x R_y R_z`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stand {
    /// `t` [m].
    pub translation: [f64; 3],
    /// Angles about x, y and z [rad]: about x, then about the turned y, then about the turned z.
    pub rotation: [f64; 3],
}

/// A cylinder that a panel is bent to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bend {
    /// Its radius [m].
    pub radius: f64,
    /// Angle of its axis from the panel's y, counter-clockwise [rad].
    pub turn: f64,
}

/// A part of the body that a panel is bent around.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Around {
    /// The part.
    pub limb: Limb,
    /// Where the panel's x = 0 is, in the direction of its x [rad]: from the front of trunk, neck and legs, from the top of arms.
    pub angle: f64,
    /// How far the panel's y = 0 is above the waist, the side of the neck, the crotch or the shoulder point, along the part [m].
    pub along: f64,
    /// Distance of the panel from the axis [m]; `None`, as near as the body and its own width let it.
    pub radius: Option<f64>,
}

words! {
    /// A part of the body.
    Limb {
        /// Chest, waist and hip.
        Trunk = "trunk",
        /// The neck.
        Neck = "neck",
        /// The wearer's left arm.
        LeftArm = "left-arm" | "left_arm",
        /// The wearer's right arm.
        RightArm = "right-arm" | "right_arm",
        /// The wearer's left leg.
        LeftLeg = "left-leg" | "left_leg",
        /// The wearer's right leg.
        RightLeg = "right-leg" | "right_leg",
    }
}

impl Limb {
    /// The same on the other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::LeftArm => Self::RightArm,
            Self::RightArm => Self::LeftArm,
            Self::LeftLeg => Self::RightLeg,
            Self::RightLeg => Self::LeftLeg,
            Self::Trunk | Self::Neck => self,
        }
    }
}

impl Stand {
    /// `R`.
    pub fn matrix(&self) -> DMat3 {
        let [x, y, z] = self.rotation;
        DMat3::from_rotation_x(x) * DMat3::from_rotation_y(y) * DMat3::from_rotation_z(z)
    }

    /// `R` and `t` as angles.
    pub fn from_matrix(r: &DMat3, translation: DVec3) -> Self {
        Self { translation: translation.to_array(), rotation: angles(r) }
    }

    /// Where a point of the panel is [m].
    pub fn at(&self, p: Point) -> DVec3 {
        self.matrix() * DVec3::new(p.x, p.y, 0.0) + DVec3::from_array(self.translation)
    }

    /// Where the mirror image of the panel, drawn at −x, stands on the other side of the body.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let flip = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        Self::from_matrix(&(flip * self.matrix() * flip), flip * DVec3::from_array(self.translation))
    }
}

impl Bend {
    /// Where a point of the panel is, before the panel stands anywhere [m].
    pub fn at(&self, p: DVec2) -> DVec3 {
        let axis = DVec2::from_angle(self.turn).perp();
        let across = -axis.perp();
        let (length, height) = (p.dot(across), p.dot(axis));
        let (sin, cos) = (length / self.radius).sin_cos();
        let flat = self.radius * sin * across + height * axis;
        DVec3::new(flat.x, flat.y, self.radius * (cos - 1.0))
    }
}

impl Placement {
    /// Where the mirror image of the panel is placed on the other side of the body.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        match *self {
            Self::Fixed { stand, bend } => {
                let bend = bend.map(|bend| Bend { turn: -bend.turn, ..bend });
                Self::Fixed { stand: stand.mirrored(), bend }
            }
            Self::About(stand) => Self::About(stand.mirrored()),
            Self::Around(around) => {
                Self::Around(Around { limb: around.limb.opposite(), angle: -around.angle, ..around })
            }
        }
    }
}

/// Angles about x, y and z of `R = R_x R_y R_z`.
fn angles(r: &DMat3) -> [f64; 3] {
    let (c0, c1, c2) = (r.x_axis, r.y_axis, r.z_axis);
    let y = c2.x.clamp(-1.0, 1.0).asin();
    if c2.x.abs() > 1.0 - 1e-12 {
        // Level with the axis only the sum of the other two angles is known.
        return [c1.z.atan2(c1.y), y, 0.0];
    }
    [(-c2.y).atan2(c2.z), y, (-c1.x).atan2(c0.x)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn mirror_images_stand_where_a_mirror_shows_them(
            t in prop::array::uniform3(-1.0..1.0_f64), r in prop::array::uniform3(-3.0..3.0_f64), x in -1.0..1.0_f64, y in -1.0..1.0_f64,
        ) {
            let stand = Stand { translation: t, rotation: r };
            let seen = stand.at(Point::new(x, y)) * DVec3::new(-1.0, 1.0, 1.0);
            prop_assert!(stand.mirrored().at(Point::new(-x, y)).distance(seen) < 1e-9);
            let bend = Bend { radius: 0.2, turn: r[0] };
            let Placement::Fixed { bend: Some(other), .. } = (Placement::Fixed { stand, bend: Some(bend) }).mirrored() else {
                unreachable!()
            };
            let seen = bend.at(DVec2::new(x, y)) * DVec3::new(-1.0, 1.0, 1.0);
            prop_assert!(other.at(DVec2::new(-x, y)).distance(seen) < 1e-9);
        }

        #[test]
        fn bending_keeps_lengths_and_stays_on_the_cylinder(turn in -3.0..3.0_f64, x in -0.3..0.3_f64, y in -0.3..0.3_f64) {
            let bend = Bend { radius: 0.2, turn };
            let p = DVec2::new(x, y);
            for way in [DVec2::X, DVec2::Y, DVec2::new(0.6, 0.8)] {
                let h = 1e-6;
                prop_assert!(((bend.at(p + h * way).distance(bend.at(p))) / h - 1.0).abs() < 1e-4);
            }
            // The axis runs 0.2 m behind the panel, along y turned by `turn`.
            let axis = DVec3::new(-turn.sin(), turn.cos(), 0.0);
            let from = bend.at(p) - DVec3::new(0.0, 0.0, -0.2);
            prop_assert!(((from - from.dot(axis) * axis).length() - 0.2).abs() < 1e-9);
        }
    }
}
