//! [`Note`]: what is missing on a body, or wrong with its pose.

use std::fmt;

/// Something about a body that changes what can be read from it, or what can be put on it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Note {
    /// There is no head; the height is estimated [m].
    NoHead(f64),
    /// There is no hand on the left (0) or right (1).
    NoHand(usize),
    /// The arms hang so near to the sides: angle of the upper arms against the vertical [rad].
    ArmsDown(f64),
    /// The thighs are so near to each other [m].
    LegsClosed(f64),
    /// The knees are bent: angle between thigh and shank [rad].
    KneesBent(f64),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHead(height) => write!(f, "there is no head; the height is estimated as {:.0} cm", 100.0 * height),
            Self::NoHand(side) => write!(f, "there is no {} hand", if *side == 0 { "left" } else { "right" }),
            Self::ArmsDown(angle) => write!(
                f,
                "the arms hang {:.0}° off the sides; girths of chest and arms are uncertain, 20° to 60° is better",
                angle.to_degrees()
            ),
            Self::LegsClosed(gap) => write!(
                f,
                "the thighs are {:.0} mm apart; trousers need 5 mm, so stand with the feet apart",
                1000.0 * gap
            ),
            Self::KneesBent(angle) => write!(
                f,
                "the knees are bent by {:.0}°; lengths of the legs are uncertain, stand upright",
                angle.to_degrees()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_what_to_do() {
        assert_eq!(Note::NoHand(1).to_string(), "there is no right hand");
        assert!(Note::NoHead(1.684).to_string().ends_with("estimated as 168 cm"));
        assert!(Note::ArmsDown(0.2).to_string().contains("11°"));
        assert!(Note::LegsClosed(0.003).to_string().contains("3 mm"));
        assert!(Note::KneesBent(0.5).to_string().contains("29°"));
    }
}
