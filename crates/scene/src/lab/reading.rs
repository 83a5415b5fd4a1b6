//! [`Reading`]: a number that was typed in, and what an instrument read.

use toile_cloth::fabric::kes;

/// A thread direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Along the length of the piece.
    Warp,
    /// Across it.
    Weft,
}

impl Direction {
    /// Both of them.
    pub const BOTH: [Self; 2] = [Self::Warp, Self::Weft];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warp => "warp",
            Self::Weft => "weft",
        }
    }

    /// The direction of the warp on a sample whose x axis is this direction [rad].
    pub(super) fn grain(self) -> f64 {
        match self {
            Self::Warp => 0.0,
            Self::Weft => std::f64::consts::FRAC_PI_2,
        }
    }
}

/// What a reading is measured in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A ratio.
    None,
    /// Length [m].
    Length,
    /// Tensile stiffness [N/m].
    Stiffness,
    /// Shear stiffness per radian [N/m].
    Shear,
    /// Bending rigidity [N·m].
    Bending,
    /// Moment per width [N].
    Hysteresis,
}

impl Unit {
    /// The SI unit as text.
    pub fn si(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Length => "m",
            Self::Stiffness | Self::Shear => "N/m",
            Self::Bending => "N·m",
            Self::Hysteresis => "N",
        }
    }

    /// The unit people of textile laboratories read, and how many SI units it is.
    pub fn usual(self) -> (&'static str, f64) {
        match self {
            Self::None => ("", 1.0),
            Self::Length => ("cm", 1e-2),
            Self::Stiffness => ("N/m", 1.0),
            Self::Shear => ("gf/(cm·°)", kes::SHEAR),
            Self::Bending => ("gf·cm²/cm", kes::BEND),
            Self::Hysteresis => ("gf·cm/cm", kes::BEND_HYSTERESIS),
        }
    }
}

/// A number that was typed into a fabric, and what an instrument read from a sample of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// Its symbol in textile laboratories.
    pub symbol: &'static str,
    /// What both numbers are in.
    pub unit: Unit,
    /// The direction it belongs to, if it has one.
    pub direction: Option<Direction>,
    /// What was typed in, in SI units.
    pub typed: f64,
    /// What was read, in SI units.
    pub read: f64,
    /// Relative difference that is allowed.
    pub tolerance: f64,
}

impl Reading {
    pub(super) fn new(
        symbol: &'static str,
        unit: Unit,
        direction: Option<Direction>,
        typed: f64,
        read: f64,
        tolerance: f64,
    ) -> Self {
        Self { symbol, unit, direction, typed, read, tolerance }
    }

    /// Difference relative to what was typed in; of zero, zero if nothing was read either.
    pub fn difference(&self) -> f64 {
        if self.typed == 0.0 {
            if self.read.abs() < 1e-12 { 0.0 } else { f64::INFINITY }
        } else {
            self.read / self.typed - 1.0
        }
    }

    /// Whether the difference is within its tolerance.
    pub fn is_within(&self) -> bool {
        self.difference().abs() <= self.tolerance
    }
}
