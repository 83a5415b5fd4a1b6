//! [`Meant`]: the ease that a garment is meant to have, and [`GarmentKind`]: what tells it if nobody says for whom it was cut.
//!
//! **Known.** The body that a pattern was drafted for tells the design ease: what the pattern measures at a level less that body there.
//!
//! **Usual.** A pattern from outside states no body. Then the kind of the garment tells which ease is usual at each girth, as a share
//! of the girth of the body: from the wearing ease that woven cloth needs to move in (bust 4 %, hip 3 %, upper arm 10 %) to the fullness
//! of loose cuts (after Aldrich, *Metric Pattern Cutting*, and Armstrong, *Patternmaking for Fashion Design*). Cloth that gives may be
//! cut smaller: the least ease of a fabric is that of rigid cloth less twice the strain `ε` at which it begins to be felt,
//!
//! ```text
//! least(fabric) = least − 2 ε(40 N/m)
//! ```
//!
//! which is 2 % for poplin and some ten for jersey.

use serde::Serialize;
use toile_body::{Measurement, Measurements};
use toile_cloth::Fabric;
use toile_garment::{Part, Pattern};

use super::verdict::TIGHT_TENSION;
use crate::give::strain_at;

/// What kind of garment a pattern is, as far as usual ease depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GarmentKind {
    /// Covers the trunk.
    Top,
    /// Covers the trunk and hangs below the hips.
    Dress,
    /// Hangs from the waist around both legs.
    Skirt,
    /// Hangs from the waist around each leg.
    Trousers,
    /// Covers trunk and legs.
    Overall,
    /// Anything else.
    Other,
}

/// Height of a panel of the trunk from which a garment is a dress, over the height of a body [m].
const DRESS_LENGTH: f64 = 0.85;

impl GarmentKind {
    /// By the parts that its panels name.
    pub fn of(pattern: &Pattern) -> Self {
        let has = |parts: &[Part]| pattern.panels.iter().any(|panel| parts.contains(&panel.part));
        let trunk = has(&[Part::Front, Part::Back]);
        let (skirt, legs) = (has(&[Part::SkirtFront, Part::SkirtBack]), has(&[Part::LegFront, Part::LegBack]));
        let of_trunk = pattern.panels.iter().filter(|panel| matches!(panel.part, Part::Front | Part::Back));
        let is_long = of_trunk.map(|panel| panel.bounds().height()).fold(0.0, f64::max) > DRESS_LENGTH;
        match (trunk, skirt, legs) {
            (true, _, true) => Self::Overall,
            (true, true, false) => Self::Dress,
            (true, false, false) if is_long => Self::Dress,
            (true, false, false) => Self::Top,
            (false, _, true) => Self::Trousers,
            (false, true, false) => Self::Skirt,
            (false, false, false) => Self::Other,
        }
    }

    /// Least and most ease that is usual in cloth that does not give, as shares of the body's girth.
    fn usual_share(self, measurement: Measurement) -> [f64; 2] {
        use GarmentKind as K;
        use Measurement as M;
        match (self, measurement) {
            (_, M::Neck) => [0.0, 0.35],
            (_, M::Head) => [0.03, 0.5],
            (_, M::UpperArm) => [0.10, 0.6],
            (_, M::Wrist) => [0.08, 0.9],
            (K::Skirt | K::Trousers, M::Waist) => [-0.01, 0.055],
            (K::Skirt, _) | (K::Dress, M::Hip) => [0.03, 1.5],
            (_, M::Bust) => [0.04, 0.25],
            (_, M::Underbust) => [0.03, 0.45],
            (_, M::Waist) => [0.03, 0.5],
            (_, M::Hip) => [0.03, 0.3],
            (_, M::Thigh) => [0.06, 0.5],
            (_, M::Knee) => [0.10, 0.9],
            (_, M::Calf) => [0.08, 1.0],
            (_, M::Ankle) => [0.10, 1.8],
            _ => [0.02, 0.6],
        }
    }
}

/// What tells the ease that a garment is meant to have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Intention<'a> {
    /// The body that it was cut for.
    CutFor(&'a Measurements),
    /// What is usual for its kind and fabric.
    Usual(GarmentKind),
}

/// The ease that is meant at one girth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meant {
    /// The ease of the design [m].
    Design(f64),
    /// Least and most ease that is usual [m].
    Usual([f64; 2]),
}

impl Meant {
    /// At a girth of a body, for a garment of a girth, made of a fabric.
    pub(super) fn at(
        intention: Intention<'_>,
        measurement: Measurement,
        garment: f64,
        body: f64,
        fabric: &Fabric,
    ) -> Self {
        match intention {
            Intention::CutFor(other) => Self::Design(garment - other[measurement]),
            Intention::Usual(kind) => {
                let [least, most] = kind.usual_share(measurement);
                Self::Usual([(least - 2.0 * strain_at(fabric, TIGHT_TENSION)) * body, most * body])
            }
        }
    }

    /// Least and most ease that is meant [m].
    pub const fn range(&self) -> [f64; 2] {
        match *self {
            Self::Design(ease) => [ease, ease],
            Self::Usual(range) => range,
        }
    }

    /// How far an ease is from the middle of what is meant, over half of the range: narrow ranges count for more than wide ones. 0 if one
    /// ease is meant.
    pub fn off_middle(&self, ease: f64) -> f64 {
        let [least, most] = self.range();
        let half = 0.5 * (most - least);
        if half > 0.0 { (ease - least - half).abs() / half } else { 0.0 }
    }

    /// How far an ease is from what is meant [m].
    pub fn distance(&self, ease: f64) -> f64 {
        let [least, most] = self.range();
        (least - ease).max(ease - most).max(0.0)
    }
}
