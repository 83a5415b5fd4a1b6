//! [`Shape`]: what the sides of a panel are, by the order in which they follow each other.
//!
//! A template lists the sides of a piece counter-clockwise as it is worn: where each looks, where it lies in the piece's box, whether
//! it is straight, hollow or bulging. The sides of an outline are laid onto a template in order, each on the same place as the
//! one before it or a later one. The cost is
//! `Σ (length / perimeter) (look + place + bend) + Σ missing`, least over all beginnings, found by dynamic programming.
//! The template of least cost says what the piece is, and its places what the sides are.

use kurbo::Vec2;

use super::stretch::{Outline, Stretch};
use crate::role::Part;

/// What a side of a panel is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Role {
    Hem,
    Side,
    Armhole,
    Shoulder,
    Neck,
    /// Centre front or back.
    Centre,
    Cap,
    Underarm,
    Waist,
    Outseam,
    Inseam,
    /// The centre seam of trousers, from the waist to the fork.
    Rise,
    /// Upper side of a panel that hangs from a yoke.
    Top,
    /// The side of a band that is sewn on, the free one, and its ends.
    Sewn,
    Free,
    End,
}

impl Role {
    /// Its word in the names of edges.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Hem => "hem",
            Self::Side => "side",
            Self::Armhole => "armhole",
            Self::Shoulder => "shoulder",
            Self::Neck => "neck",
            Self::Centre => "centre",
            Self::Cap => "cap",
            Self::Underarm => "underarm",
            Self::Waist => "waist",
            Self::Outseam => "outseam",
            Self::Inseam => "inseam",
            Self::Rise => "rise",
            Self::Top => "top",
            Self::Sewn => "sewn",
            Self::Free => "free",
            Self::End => "end",
        }
    }
}

/// How a side is bent.
#[derive(Clone, Copy, PartialEq)]
enum Bend {
    Any,
    Straight,
    Hollow,
    Bulging,
}

struct Place {
    role: Role,
    /// Where it looks, in degrees counter-clockwise from +x.
    look: f64,
    /// Where its middle lies in the box, from 0 to 1.
    at: [f64; 2],
    bend: Bend,
    /// Cost if there is no such side.
    missing: f64,
}

const fn place(role: Role, look: f64, at: [f64; 2], bend: Bend, missing: f64) -> Place {
    Place { role, look, at, bend, missing }
}

const TOP_HALF: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.3),
    place(Role::Side, 0.0, [1.0, 0.35], Bend::Any, 0.3),
    place(Role::Armhole, 25.0, [0.8, 0.85], Bend::Hollow, 0.12),
    place(Role::Shoulder, 75.0, [0.55, 0.97], Bend::Straight, 0.10),
    place(Role::Neck, 130.0, [0.15, 0.95], Bend::Hollow, 0.10),
    place(Role::Centre, 180.0, [0.0, 0.45], Bend::Straight, 0.3),
];
const TOP_WHOLE: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.3),
    place(Role::Side, 0.0, [1.0, 0.35], Bend::Any, 0.3),
    place(Role::Armhole, 25.0, [0.9, 0.85], Bend::Hollow, 0.10),
    place(Role::Shoulder, 75.0, [0.75, 0.97], Bend::Straight, 0.08),
    place(Role::Neck, 90.0, [0.5, 0.93], Bend::Hollow, 0.15),
    place(Role::Shoulder, 105.0, [0.25, 0.97], Bend::Straight, 0.08),
    place(Role::Armhole, 155.0, [0.1, 0.85], Bend::Hollow, 0.10),
    place(Role::Side, 180.0, [0.0, 0.35], Bend::Any, 0.3),
];
const LOW_HALF: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.3),
    place(Role::Side, 0.0, [1.0, 0.4], Bend::Any, 0.3),
    place(Role::Armhole, 25.0, [0.9, 0.9], Bend::Hollow, 0.12),
    place(Role::Top, 90.0, [0.4, 1.0], Bend::Straight, 0.2),
    place(Role::Centre, 180.0, [0.0, 0.5], Bend::Straight, 0.3),
];
const LOW_WHOLE: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.3),
    place(Role::Side, 0.0, [1.0, 0.4], Bend::Any, 0.3),
    place(Role::Armhole, 25.0, [0.95, 0.9], Bend::Hollow, 0.12),
    place(Role::Top, 90.0, [0.5, 1.0], Bend::Straight, 0.2),
    place(Role::Armhole, 155.0, [0.05, 0.9], Bend::Hollow, 0.12),
    place(Role::Side, 180.0, [0.0, 0.4], Bend::Any, 0.3),
];
const YOKE_HALF: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.3),
    place(Role::Armhole, 0.0, [1.0, 0.4], Bend::Any, 0.2),
    place(Role::Shoulder, 75.0, [0.65, 0.9], Bend::Straight, 0.2),
    place(Role::Neck, 120.0, [0.15, 0.85], Bend::Hollow, 0.2),
    place(Role::Centre, 180.0, [0.0, 0.4], Bend::Straight, 0.2),
];
const YOKE_WHOLE: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.3),
    place(Role::Armhole, 0.0, [1.0, 0.4], Bend::Any, 0.2),
    place(Role::Shoulder, 75.0, [0.8, 0.9], Bend::Straight, 0.2),
    place(Role::Neck, 90.0, [0.5, 0.85], Bend::Hollow, 0.2),
    place(Role::Shoulder, 105.0, [0.2, 0.9], Bend::Straight, 0.2),
    place(Role::Armhole, 180.0, [0.0, 0.4], Bend::Any, 0.2),
];
const SKIRT_HALF: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::Side, 0.0, [1.0, 0.5], Bend::Any, 0.4),
    place(Role::Waist, 90.0, [0.4, 1.0], Bend::Any, 0.4),
    place(Role::Centre, 180.0, [0.0, 0.5], Bend::Straight, 0.4),
];
const SKIRT_WHOLE: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::Side, 0.0, [1.0, 0.5], Bend::Any, 0.4),
    place(Role::Waist, 90.0, [0.5, 1.0], Bend::Any, 0.4),
    place(Role::Side, 180.0, [0.0, 0.5], Bend::Any, 0.4),
];
const SIDE_PANEL: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::Side, 0.0, [1.0, 0.5], Bend::Any, 0.4),
    place(Role::Armhole, 90.0, [0.5, 0.95], Bend::Any, 0.4),
    place(Role::Side, 180.0, [0.0, 0.5], Bend::Any, 0.4),
];
const SLEEVE: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::Underarm, 0.0, [0.95, 0.3], Bend::Any, 0.3),
    place(Role::Cap, 90.0, [0.5, 0.95], Bend::Bulging, 0.5),
    place(Role::Underarm, 180.0, [0.05, 0.3], Bend::Any, 0.3),
];
const RAGLAN: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::Underarm, 0.0, [0.95, 0.25], Bend::Any, 0.3),
    place(Role::Cap, 30.0, [0.8, 0.75], Bend::Any, 0.3),
    place(Role::Neck, 90.0, [0.5, 1.0], Bend::Any, 0.4),
    place(Role::Cap, 150.0, [0.2, 0.75], Bend::Any, 0.3),
    place(Role::Underarm, 180.0, [0.05, 0.25], Bend::Any, 0.3),
];
const LEG: &[Place] = &[
    place(Role::Hem, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::Outseam, 0.0, [0.95, 0.5], Bend::Any, 0.4),
    place(Role::Waist, 90.0, [0.6, 1.0], Bend::Any, 0.4),
    place(Role::Rise, 165.0, [0.12, 0.85], Bend::Hollow, 0.4),
    place(Role::Inseam, 195.0, [0.12, 0.35], Bend::Any, 0.4),
];
const BAND_HALF: &[Place] = &[
    place(Role::Sewn, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::End, 0.0, [1.0, 0.5], Bend::Any, 0.1),
    place(Role::Free, 90.0, [0.5, 1.0], Bend::Any, 0.4),
    place(Role::Centre, 180.0, [0.0, 0.5], Bend::Straight, 0.1),
];
const BAND_WHOLE: &[Place] = &[
    place(Role::Sewn, -90.0, [0.5, 0.0], Bend::Any, 0.4),
    place(Role::End, 0.0, [1.0, 0.5], Bend::Any, 0.1),
    place(Role::Free, 90.0, [0.5, 1.0], Bend::Any, 0.4),
    place(Role::End, 180.0, [0.0, 0.5], Bend::Any, 0.1),
];

/// A kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Half a front or back with shoulder and neck, the centre at the lesser x.
    TopHalf,
    TopWhole,
    /// Half a piece below a yoke.
    LowHalf,
    LowWhole,
    YokeHalf,
    YokeWhole,
    SkirtHalf,
    SkirtWhole,
    /// A strip between front and back, up to the armhole.
    SidePanel,
    Sleeve,
    RaglanSleeve,
    Leg,
    BandHalf,
    BandWhole,
}

impl Shape {
    pub(crate) const ALL: [Self; 14] = [
        Self::TopHalf,
        Self::TopWhole,
        Self::LowHalf,
        Self::LowWhole,
        Self::YokeHalf,
        Self::YokeWhole,
        Self::SkirtHalf,
        Self::SkirtWhole,
        Self::SidePanel,
        Self::Sleeve,
        Self::RaglanSleeve,
        Self::Leg,
        Self::BandHalf,
        Self::BandWhole,
    ];

    /// Whether it is one half of a symmetric piece.
    pub(crate) fn is_half(self) -> bool {
        matches!(self, Self::TopHalf | Self::LowHalf | Self::YokeHalf | Self::SkirtHalf | Self::BandHalf)
    }

    /// Whether it is symmetric, drawn whole.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::TopWhole | Self::LowWhole | Self::YokeWhole | Self::SkirtWhole | Self::BandWhole)
    }

    /// Whether it is a waistband, a collar or a cuff.
    pub(crate) fn is_band(self) -> bool {
        matches!(self, Self::BandHalf | Self::BandWhole)
    }

    /// Shapes that a panel of a part may have.
    pub(crate) fn of(part: Part) -> &'static [Self] {
        match part {
            Part::Front | Part::Back => &[
                Self::TopHalf,
                Self::TopWhole,
                Self::LowHalf,
                Self::LowWhole,
                Self::YokeHalf,
                Self::YokeWhole,
                Self::SidePanel,
            ],
            Part::SkirtFront | Part::SkirtBack => &[Self::SkirtHalf, Self::SkirtWhole],
            Part::Sleeve => &[Self::Sleeve, Self::RaglanSleeve],
            Part::LegFront | Part::LegBack => &[Self::Leg],
            Part::Collar | Part::Cuff | Part::Waistband => &[Self::BandWhole, Self::BandHalf],
            Part::Cape | Part::Flat | Part::Other => &[],
        }
    }

    fn places(self) -> &'static [Place] {
        match self {
            Self::TopHalf => TOP_HALF,
            Self::TopWhole => TOP_WHOLE,
            Self::LowHalf => LOW_HALF,
            Self::LowWhole => LOW_WHOLE,
            Self::YokeHalf => YOKE_HALF,
            Self::YokeWhole => YOKE_WHOLE,
            Self::SkirtHalf => SKIRT_HALF,
            Self::SkirtWhole => SKIRT_WHOLE,
            Self::SidePanel => SIDE_PANEL,
            Self::Sleeve => SLEEVE,
            Self::RaglanSleeve => RAGLAN,
            Self::Leg => LEG,
            Self::BandHalf => BAND_HALF,
            Self::BandWhole => BAND_WHOLE,
        }
    }
}

/// Weights of the terms of a side's cost.
const LOOK: f64 = 1.0;
const AT: f64 = 0.6;
const BENT: f64 = 0.8;

/// Greatest height of a whole yoke over its width.
const YOKE: f64 = 0.8;
/// Cost of asymmetry of a whole piece, and that of a half which is symmetric itself.
const ASYMMETRIC: f64 = 4.0;
const SYMMETRIC: f64 = 0.004;
const HALF_SYMMETRIC: f64 = 0.1;

/// How far sides are from the mirror images of others, relative to the size of the piece: the mean over the perimeter.
fn asymmetry(outline: &Outline) -> f64 {
    let size = outline.bounds.width().max(outline.bounds.height()).max(1e-6);
    let mirrored = outline.mirrored();
    let off = |side: &Stretch| {
        let far = |other: &Stretch| side.middle.distance(other.middle) + (side.length - other.length).abs();
        side.length * mirrored.stretches.iter().map(far).fold(f64::INFINITY, f64::min)
    };
    outline.stretches.iter().map(off).sum::<f64>() / (outline.length * size).max(1e-12)
}

/// Cost of a side at a place, before it is weighted by its length.
fn cost(stretch: &Stretch, place: &Place, outline: &Outline) -> f64 {
    let (sin, cos) = place.look.to_radians().sin_cos();
    let look = 1.0 - stretch.normal.dot(Vec2::new(cos, sin));
    let bounds = outline.bounds;
    let x = (stretch.middle.x - bounds.x0) / bounds.width().max(1e-6);
    let y = (stretch.middle.y - bounds.y0) / bounds.height().max(1e-6);
    let far = (x - place.at[0]).abs() + (y - place.at[1]).abs();
    let bend = stretch.bend;
    let bent = match place.bend {
        Bend::Any => 0.0,
        Bend::Straight => bend.abs().min(0.5),
        Bend::Hollow => (bend + 0.02).clamp(0.0, 0.5),
        Bend::Bulging => (0.15 - bend).clamp(0.0, 0.5),
    };
    LOOK * look + AT * far + BENT * bent
}

/// An outline laid onto a template.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) shape: Shape,
    pub(crate) cost: f64,
    /// What each stretch is.
    pub(crate) roles: Vec<Role>,
}

/// Lays an outline onto a template; `None` for an outline of one closed curve.
pub(crate) fn fit(outline: &Outline, shape: Shape) -> Option<Fit> {
    let (places, sides) = (shape.places(), &outline.stretches);
    let (count, most) = (sides.len(), places.len());
    if !(2..=200).contains(&count) || outline.length <= 0.0 {
        return None;
    }
    let costs: Vec<Vec<f64>> = sides
        .iter()
        .map(|side| places.iter().map(|place| side.length / outline.length * cost(side, place, outline)).collect())
        .collect();
    let mut best: Option<(f64, Vec<usize>)> = None;
    for first in 0..count {
        // least[k][j]: cost of the first k + 1 sides, the last of them at place j; with the place of the one before.
        let mut least = vec![vec![(f64::INFINITY, 0_usize); most]; count];
        least[0][0] = (costs[first][0], 0);
        for k in 1..count {
            let side = (first + k) % count;
            for j in 0..most {
                for before in 0..=j {
                    let skipped: f64 = (before + 1..j).map(|skip| places[skip].missing).sum();
                    let sum = least[k - 1][before].0 + skipped + costs[side][j];
                    if sum < least[k][j].0 {
                        least[k][j] = (sum, before);
                    }
                }
            }
        }
        for last in 0..most {
            let left: f64 = places[last + 1..].iter().map(|place| place.missing).sum();
            let sum = least[count - 1][last].0 + left;
            if sum.is_finite() && best.as_ref().is_none_or(|(cost, _)| sum < *cost - 1e-12) {
                let mut chosen = vec![0; count];
                let mut j = last;
                for k in (0..count).rev() {
                    chosen[(first + k) % count] = j;
                    j = least[k][j].1;
                }
                best = Some((sum, chosen));
            }
        }
    }
    let (mut cost, chosen) = best?;
    let asymmetry = asymmetry(outline);
    // A yoke is low.
    let tall = outline.bounds.height() / outline.bounds.width().max(1e-6);
    if (shape == Shape::YokeWhole && tall > YOKE) || (shape == Shape::YokeHalf && tall > 2.0 * YOKE) {
        cost += 0.5;
    }
    if shape.is_whole() {
        cost += (ASYMMETRIC * asymmetry).min(1.0);
    } else if shape.is_half() && asymmetry < SYMMETRIC {
        cost += HALF_SYMMETRIC;
    }
    Some(Fit { shape, cost, roles: chosen.into_iter().map(|j| places[j].role).collect() })
}
