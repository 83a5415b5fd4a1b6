//! [`Verdict`]: what a tailor would say of a zone.
//!
//! Too narrow is a matter of force. A knit gives where poplin does not, and the tension in the cloth knows that: `T` on a round of
//! radius `R` presses with `T/R`, so that 40 N/m are 0.3 kPa around a waist, which is felt, and 150 N/m above 1 kPa, half
//! of what a light compression stocking does. A woven garment that is narrower than the body strains by its lack of ease and passes
//! these limits at about 1 % and 3 %; jersey at ten times as much.
//!
//! Too wide is a matter of intention. If the body that the garment was cut for is known, its ease on that body is what was meant,
//! and more than [`INTENDED_SHARE`] beyond it is loose: three quarters of the step between letter sizes. If not, shares of
//! the girth must do, which call every full skirt too loose.

use serde::Serialize;

/// Tension along a girth above which it is tight [N/m].
pub const TIGHT_TENSION: f64 = 40.0;
/// Tension along a girth above which it is too tight [N/m].
pub const TOO_TIGHT_TENSION: f64 = 150.0;
/// Ease over the girth of the body below which cloth without tension is close.
pub const CLOSE_SHARE: f64 = 0.02;
/// Ease beyond what was meant, over the girth of the body, above which a garment is loose.
pub const INTENDED_SHARE: f64 = 0.065;
/// The same, above which it is too loose.
pub const MOST_INTENDED_SHARE: f64 = 0.13;
/// Ease over the girth of the body above which a garment is loose, if nothing is known of what was meant; twice that is too
/// loose.
pub const LOOSE_SHARE: f64 = 0.2;

/// What a tailor would say of a zone, from narrow to wide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It presses, or would have to be forced on.
    TooTight,
    /// It is felt.
    Tight,
    /// It lies against the body.
    Close,
    /// As it should be.
    Good,
    /// Wider than it was meant to be.
    Loose,
    /// Far wider.
    TooLoose,
}

/// What a verdict is made from.
pub(super) struct Reading {
    pub(super) body: f64,
    pub(super) ease: f64,
    pub(super) intended: Option<f64>,
    pub(super) tension: f64,
}

impl Verdict {
    pub(super) fn of(reading: &Reading) -> Self {
        let Reading { body, ease, intended, tension } = *reading;
        let share = ease / body.max(f64::MIN_POSITIVE);
        let (beyond, loose, too_loose) = match intended {
            Some(intended) => (share - intended / body.max(f64::MIN_POSITIVE), INTENDED_SHARE, MOST_INTENDED_SHARE),
            None => (share, LOOSE_SHARE, 2.0 * LOOSE_SHARE),
        };
        if tension > TOO_TIGHT_TENSION {
            Self::TooTight
        } else if tension > TIGHT_TENSION {
            Self::Tight
        } else if beyond > too_loose {
            Self::TooLoose
        } else if beyond > loose {
            Self::Loose
        } else if share < CLOSE_SHARE {
            Self::Close
        } else {
            Self::Good
        }
    }

    /// In words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::TooTight => "too tight",
            Self::Tight => "tight",
            Self::Close => "close",
            Self::Good => "good",
            Self::Loose => "loose",
            Self::TooLoose => "too loose",
        }
    }

    /// How far it is from what one wants; what is tight weighs more than what is loose, as it cannot be worn.
    pub const fn penalty(self) -> u32 {
        match self {
            Self::Close | Self::Good => 0,
            Self::Loose => 1,
            Self::Tight => 2,
            Self::TooLoose => 3,
            Self::TooTight => 6,
        }
    }
}
