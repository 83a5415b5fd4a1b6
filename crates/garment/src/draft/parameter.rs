//! The numbers of a design that can be chosen: [`Parameter`] and [`Choices`].

use std::collections::BTreeMap;

use toile_body::{Measurement as M, Measurements};

use super::{Design, DraftError};

/// A number of a design that can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub key: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its unit: `m`, `°` or empty.
    pub unit: &'static str,
    /// Its value for a body unless another is chosen.
    pub default: fn(&Measurements) -> f64,
    /// Smallest and largest value.
    pub range: [f64; 2],
}

const fn parameter(
    key: &'static str,
    unit: &'static str,
    range: [f64; 2],
    default: fn(&Measurements) -> f64,
    doc: &'static str,
) -> Parameter {
    Parameter { key, doc, unit, default, range }
}

const fn bust_ease(default: fn(&Measurements) -> f64) -> Parameter {
    parameter("bust_ease", "m", [-0.15, 0.6], default, "girth of the garment at the bust less that of the body")
}

const fn hip_ease(default: fn(&Measurements) -> f64) -> Parameter {
    parameter("hip_ease", "m", [-0.15, 0.6], default, "girth of the garment at the hip less that of the body")
}

const fn waist_ease(default: fn(&Measurements) -> f64) -> Parameter {
    parameter("waist_ease", "m", [-0.15, 0.6], default, "girth of the garment at the waist less that of the body")
}

const fn length(doc: &'static str, default: fn(&Measurements) -> f64) -> Parameter {
    parameter("length", "m", [0.05, 2.5], default, doc)
}

const NECK_DROP: Parameter =
    parameter("neck_drop", "m", [0.0, 0.3], |_| 0.02, "how much deeper the neckline is in front than a round neck");
const NECK_WIDEN: Parameter =
    parameter("neck_widen", "m", [-0.01, 0.12], |_| 0.01, "how much wider the neckline is on either side");
const ARMHOLE_DROP: Parameter =
    parameter("armhole_drop", "m", [-0.02, 0.2], |_| 0.01, "how much deeper the armhole is than a close one");
const SHOULDER: Parameter = parameter(
    "shoulder_extend",
    "m",
    [-0.12, 0.15],
    |_| 0.0,
    "how far the shoulder seam reaches beyond the shoulder point",
);
const CAP_EASE: Parameter =
    parameter("cap_ease", "", [0.0, 0.08], |_| 0.0, "length of the sleeve's cap over that of the armhole, less one");
const BICEPS_EASE: Parameter = parameter(
    "biceps_ease",
    "m",
    [0.0, 0.4],
    |m| 0.35 * m[M::UpperArm],
    "girth of the sleeve at the upper arm less that of the arm",
);

const T_SHIRT: &[Parameter] = &[
    bust_ease(|_| 0.10),
    hip_ease(|_| 0.05),
    length("from the back neck point to the hem", |m| m[M::BackLength] + 0.12 * m[M::Height]),
    parameter(
        "sleeve_length",
        "m",
        [0.1, 0.9],
        |m| (0.23 * m[M::Bust]).max(0.15),
        "from the shoulder point to the hem",
    ),
    parameter(
        "sleeve_hem_ease",
        "m",
        [0.0, 0.4],
        |m| 0.25 * m[M::UpperArm],
        "girth of the sleeve's hem less that of the upper arm",
    ),
    NECK_DROP,
    NECK_WIDEN,
    ARMHOLE_DROP,
    SHOULDER,
    CAP_EASE,
    BICEPS_EASE,
];

const TANK_TOP: &[Parameter] = &[
    bust_ease(|_| 0.06),
    hip_ease(|_| 0.05),
    length("from the back neck point to the hem", |m| m[M::BackLength] + 0.11 * m[M::Height]),
    parameter("strap_width", "m", [0.015, 0.12], |_| 0.045, "width of the straps at the shoulder"),
    parameter("neck_drop", "m", [0.0, 0.3], |_| 0.07, "how much deeper the neckline is in front than a round neck"),
    parameter("back_drop", "m", [0.0, 0.3], |_| 0.04, "how much deeper the neckline is at the back"),
    parameter("neck_widen", "m", [-0.01, 0.12], |_| 0.03, "how much wider the neckline is on either side"),
    parameter("armhole_drop", "m", [-0.02, 0.2], |_| 0.02, "how much deeper the armhole is than a close one"),
];

const SHIFT_DRESS: &[Parameter] = &[
    bust_ease(|_| 0.07),
    waist_ease(|_| 0.12),
    hip_ease(|_| 0.06),
    length("from the back neck point to the hem", |m| m[M::BackLength] + 0.36 * m[M::Height]),
    parameter("hem_flare", "m", [-0.05, 0.3], |_| 0.05, "how far each side seam swings out at the hem"),
    parameter(
        "bust_dart",
        "m",
        [0.0, 0.08],
        |m| (0.2 * (m[M::Bust] - m[M::Underbust])).clamp(0.0, 0.06),
        "width of the side darts",
    ),
    NECK_DROP,
    NECK_WIDEN,
    parameter("armhole_drop", "m", [-0.02, 0.2], |_| 0.0, "how much deeper the armhole is than a close one"),
    parameter(
        "shoulder_extend",
        "m",
        [-0.12, 0.15],
        |_| -0.015,
        "how far the shoulder seam reaches beyond the shoulder point",
    ),
];

const SHIRT: &[Parameter] = &[
    bust_ease(|_| 0.12),
    hip_ease(|_| 0.09),
    length("from the back neck point to the hem", |m| m[M::BackLength] + 0.17 * m[M::Height]),
    parameter("sleeve_length", "m", [0.3, 0.9], |m| m[M::ArmLength] - 0.045, "from the shoulder point to the cuff"),
    parameter("button_stand", "m", [0.0, 0.06], |_| 0.015, "how far the fronts reach beyond the centre"),
    parameter("collar_height", "m", [0.015, 0.12], |_| 0.035, "height of the collar"),
    parameter("cuff_height", "m", [0.02, 0.2], |_| 0.06, "height of the cuffs"),
    parameter("cuff_ease", "m", [0.0, 0.2], |_| 0.05, "girth of the cuffs less that of the wrist"),
    parameter("cuff_gather", "", [1.0, 2.5], |_| 1.2, "girth of the sleeve at the cuff over that of the cuff"),
    parameter("neck_drop", "m", [0.0, 0.3], |_| 0.0, "how much deeper the neckline is in front than a round neck"),
    parameter("neck_widen", "m", [-0.01, 0.12], |_| 0.0, "how much wider the neckline is on either side"),
    ARMHOLE_DROP,
    SHOULDER,
    parameter("cap_ease", "", [0.0, 0.08], |_| 0.02, "length of the sleeve's cap over that of the armhole, less one"),
    parameter(
        "biceps_ease",
        "m",
        [0.0, 0.4],
        |m| 0.28 * m[M::UpperArm],
        "girth of the sleeve at the upper arm less that of the arm",
    ),
];

const A_LINE: &[Parameter] = &[
    waist_ease(|_| 0.01),
    hip_ease(|_| 0.06),
    length("from the waist to the hem", |m| 0.33 * m[M::Height]),
    parameter(
        "flare",
        "°",
        [0.0, 80.0],
        |_| 17.0,
        "angle of a quarter of the skirt, at least; the hip may ask for more",
    ),
    parameter("band_height", "m", [0.0, 0.12], |_| 0.03, "height of the waistband; none if 0"),
];

const CIRCLE: &[Parameter] = &[
    waist_ease(|_| 0.01),
    length("from the waist to the hem", |m| 0.33 * m[M::Height]),
    parameter("fullness", "", [0.2, 1.0], |_| 1.0, "part of a circle"),
    parameter("band_height", "m", [0.0, 0.12], |_| 0.0, "height of the waistband; none if 0"),
];

const PENCIL: &[Parameter] = &[
    waist_ease(|_| 0.02),
    hip_ease(|_| 0.04),
    length("from the waist to the hem", |m| 0.36 * m[M::Height]),
    parameter("taper", "m", [-0.1, 0.08], |_| 0.02, "how far each side seam swings in at the hem"),
    parameter("band_height", "m", [0.0, 0.12], |_| 0.03, "height of the waistband; none if 0"),
];

const TROUSERS: &[Parameter] = &[
    waist_ease(|_| 0.02),
    hip_ease(|_| 0.05),
    parameter("leg_length", "m", [0.05, 1.3], |m| m[M::Inseam] - 0.06, "from the crotch to the hem"),
    parameter("rise_ease", "m", [-0.03, 0.1], |_| 0.01, "depth of the crotch below that of the body"),
    parameter("knee_width", "m", [0.2, 1.2], |m| m[M::Knee] + 0.09, "girth of the leg at the knee"),
    parameter("hem_width", "m", [0.2, 1.5], |m| m[M::Knee] + 0.04, "girth of the leg at the hem"),
];

const CAPE: &[Parameter] = &[
    length("from the neck to the hem", |m| 0.42 * m[M::Height]),
    parameter("angle", "°", [60.0, 175.0], |_| 120.0, "angle of half the cape"),
    parameter("neck_ease", "m", [0.0, 0.4], |_| 0.04, "length of the neckline less the neck girth"),
    parameter("clasp", "m", [0.0, 0.3], |_| 0.03, "how far the front edges are closed below the neck; open if 0"),
];

const PONCHO: &[Parameter] = &[
    length("from the neck to the hem", |m| 0.36 * m[M::Height]),
    parameter("neck_ease", "m", [0.0, 0.6], |_| 0.04, "girth of the hole less that of the head"),
];

const TABLECLOTH: &[Parameter] = &[
    parameter("width", "m", [0.05, 20.0], |_| 1.4, "its width"),
    parameter("length", "m", [0.05, 20.0], |_| 2.0, "its length"),
];

const ROUND: &[Parameter] = &[parameter("diameter", "m", [0.05, 20.0], |_| 1.6, "its diameter")];

impl Design {
    /// What can be chosen.
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::TShirt => T_SHIRT,
            Self::TankTop => TANK_TOP,
            Self::ShiftDress => SHIFT_DRESS,
            Self::Shirt => SHIRT,
            Self::ALineSkirt => A_LINE,
            Self::CircleSkirt => CIRCLE,
            Self::PencilSkirt => PENCIL,
            Self::Trousers => TROUSERS,
            Self::Cape => CAPE,
            Self::Poncho => PONCHO,
            Self::Tablecloth => TABLECLOTH,
            Self::RoundTablecloth => ROUND,
        }
    }
}

/// Values chosen for parameters, by key; the others follow from the body.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choices(BTreeMap<String, f64>);

impl Choices {
    /// Nothing chosen.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more value, in the unit of its [`Parameter`].
    #[must_use]
    pub fn with(mut self, key: &str, value: f64) -> Self {
        self.0.insert(key.to_owned(), value);
        self
    }
}

/// The values of all parameters of a design.
pub(super) struct Values(BTreeMap<&'static str, f64>);

impl Values {
    /// The value of a parameter that the design has.
    pub(super) fn get(&self, key: &str) -> f64 {
        *self.0.get(key).expect("a design reads only parameters that its table declares")
    }
}

pub(super) fn resolve(design: Design, body: &Measurements, choices: &Choices) -> Result<Values, DraftError> {
    let parameters = design.parameters();
    if let Some(key) = choices.0.keys().find(|key| parameters.iter().all(|p| p.key != *key)) {
        let known = parameters.iter().map(|p| p.key).collect::<Vec<_>>().join(", ");
        return Err(DraftError::Unknown { design: design.word(), key: key.clone(), known });
    }
    let mut values = BTreeMap::new();
    for p in parameters {
        let [low, high] = p.range;
        let value = choices.0.get(p.key).copied().unwrap_or_else(|| (p.default)(body).clamp(low, high));
        if !(low..=high).contains(&value) {
            return Err(DraftError::Range { key: p.key, value, low, high, unit: p.unit });
        }
        values.insert(p.key, value);
    }
    Ok(Values(values))
}
