//! [`Verdict`]: what a tailor would say of a zone.
//!
//! Too narrow is a matter of force. A knit gives where poplin does not, and the tension in the cloth knows that: `T` on a round of
//! radius `R` presses with `T/R`, so that 40 N/m are 0.3 kPa around a waist, which is felt, and 150 N/m above 1 kPa, half
//! of what a light compression stocking does. A woven garment that is narrower than the body strains by its lack of ease and passes
//! these limits at about 1 % and 3 %; jersey at ten times as much.
//!
//! What is meant to be narrow is not tight. With the least ease that is meant the cloth would be strained by `ε₀`, and it is strained by
//! `ε`; so a share `ε₀/ε` of the tension is meant and only the rest counts for *tight*. Nothing can be meant to press with more than
//! [`TOO_TIGHT_TENSION`], so a pattern with negative ease is good in a knit and too tight in woven cloth.
//!
//! Too wide is a matter of intention alone ([`Meant`]). More than [`INTENDED_SHARE`] beyond the ease of the design is loose: three quarters
//! of the step between letter sizes. Beyond what is usual, all is loose. *Close* is what lies against the body but was not meant to.

use serde::Serialize;

use super::meant::Meant;

/// Tension along a girth above which it is tight, beyond what is meant [N/m].
pub const TIGHT_TENSION: f64 = 40.0;
/// Tension along a girth above which it is too tight, whatever is meant [N/m].
pub const TOO_TIGHT_TENSION: f64 = 150.0;
/// Ease over the girth of the body below which cloth lies against it.
pub const CLOSE_SHARE: f64 = 0.02;
/// Lack of ease, against what is meant and over the girth of the body, that nobody notices.
pub const UNNOTICED_SHARE: f64 = 0.01;
/// Ease beyond that of the design, over the girth of the body, above which a garment is loose.
pub const INTENDED_SHARE: f64 = 0.065;
/// The same, above which it is too loose.
pub const MOST_INTENDED_SHARE: f64 = 0.13;
/// Ease beyond what is usual, over the girth of the body, above which a garment is too loose; any is loose.
pub const MOST_USUAL_SHARE: f64 = 0.15;

/// What a tailor would say of a zone, from narrow to wide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It presses, would have to be forced on, or cannot be closed.
    TooTight,
    /// It is felt, and was not meant to be.
    Tight,
    /// It lies against the body, and was not meant to.
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
    /// Girth of the body [m].
    pub(super) body: f64,
    /// Girth of the garment less that of the body [m].
    pub(super) ease: f64,
    /// The ease that is meant.
    pub(super) meant: Meant,
    /// Tension along the girth [N/m].
    pub(super) tension: f64,
    /// Whether the garment is open there: what does not reach around cannot be closed.
    pub(super) is_open: bool,
}

impl Verdict {
    pub(super) fn of(reading: &Reading) -> Self {
        let Reading { body, ease, meant, tension, is_open } = *reading;
        let body = body.max(f64::MIN_POSITIVE);
        let [least, most] = meant.range();
        let (loose, too_loose) = match meant {
            Meant::Design(_) => (INTENDED_SHARE, MOST_INTENDED_SHARE),
            Meant::Usual(_) => (0.0, MOST_USUAL_SHARE),
        };
        let (lack, beyond) = ((least - ease) / body, (ease - most) / body);
        // Both strains have the garment's girth below them, which cancels.
        let share_meant = if ease < 0.0 { (least.min(0.0) / ease).min(1.0) } else { 0.0 };
        let cannot_close = is_open && ease < 0.0 && lack > UNNOTICED_SHARE;
        if tension > TOO_TIGHT_TENSION || cannot_close {
            Self::TooTight
        } else if tension * (1.0 - share_meant) > TIGHT_TENSION {
            Self::Tight
        } else if beyond > too_loose {
            Self::TooLoose
        } else if beyond > loose {
            Self::Loose
        } else if ease / body < CLOSE_SHARE && lack > UNNOTICED_SHARE {
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
            Self::Good => 0,
            Self::Close | Self::Loose => 1,
            Self::Tight => 2,
            Self::TooLoose => 3,
            Self::TooTight => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(ease: f64, meant: Meant, tension: f64) -> Verdict {
        Verdict::of(&Reading { body: 1.0, ease, meant, tension, is_open: false })
    }

    #[test]
    fn what_is_meant_to_be_narrow_is_good_in_a_knit_and_too_tight_in_woven_cloth() {
        // A twelfth narrower than the body: jersey of 1090 N/m has 99 N/m, poplin of 3955 N/m 360 N/m.
        let (strain, meant) = (1.0 / 11.0, Meant::Design(-1.0 / 12.0));
        assert_eq!(verdict(-1.0 / 12.0, meant, 1090.0 * strain), Verdict::Good);
        assert_eq!(verdict(-1.0 / 12.0, meant, 3955.0 * strain), Verdict::TooTight);
        // The same jersey that was meant to be as wide as the body is tight.
        assert_eq!(verdict(-1.0 / 12.0, Meant::Design(0.0), 1090.0 * strain), Verdict::Tight);
        // Cut for a body that is a size smaller, half of the tension is meant.
        assert_eq!(verdict(-0.08, Meant::Design(-0.04), 78.0), Verdict::Close);
        assert_eq!(verdict(-0.08, Meant::Design(-0.04), 82.0), Verdict::Tight);
    }

    #[test]
    fn ease_is_judged_by_what_is_meant() {
        for (ease, meant, expected) in [
            (0.30, 0.30, Verdict::Good),
            (0.36, 0.30, Verdict::Good),
            (0.37, 0.30, Verdict::Loose),
            (0.44, 0.30, Verdict::TooLoose),
            (0.10, 0.02, Verdict::Loose),
            (0.01, 0.01, Verdict::Good),
            (0.01, 0.06, Verdict::Close),
            (0.03, 0.06, Verdict::Good),
        ] {
            assert_eq!(verdict(ease, Meant::Design(meant), 0.0), expected, "{ease} {meant}");
        }
        let usual = Meant::Usual([0.04, 0.25]);
        for (ease, expected) in [
            (0.01, Verdict::Close),
            (0.05, Verdict::Good),
            (0.25, Verdict::Good),
            (0.26, Verdict::Loose),
            (0.41, Verdict::TooLoose),
        ] {
            assert_eq!(verdict(ease, usual, 0.0), expected, "{ease}");
        }
    }

    #[test]
    fn what_is_open_must_reach_around() {
        let of = |ease: f64, meant: f64| {
            Verdict::of(&Reading { body: 1.0, ease, meant: Meant::Design(meant), tension: 0.0, is_open: true })
        };
        assert_eq!([of(-0.03, 0.1), of(0.03, 0.1), of(-0.3, -0.3)], [Verdict::TooTight, Verdict::Good, Verdict::Good]);
    }
}
