//! Drafting: patterns from a body's measurements.
//!
//! A [`Design`] is a small program that draws a pattern the way a pattern book does: from girths and lengths of the body, with
//! ease, by constructed points joined by lines and curves. Lengths that must agree are made to agree by solving for them,
//! not by eye: a sleeve's cap for the armhole it is set into, the fork of a back leg for the inseam of the front.
//!
//! Every number a tailor would change is a [`Parameter`] with a default that follows from the measurements, so the same
//! design serves made-to-measure (this sleeve 2 cm longer) and graded sizes ([`Size`]).
//!
//! Proportions are the common ones of flat pattern cutting (as in Aldrich, *Metric Pattern Cutting*, and Müller & Sohn's system):
//! neck width a fifth of the neck girth, armscye depth an eighth of the bust plus 10 cm, front and back forks of about a
//! twentieth and a tenth of the hip, hip darts from the difference of hip and waist.
//!
//! Panels are drawn for the wearer's left: fronts at x ≥ 0, backs, which are seen from behind, at x ≤ 0.

mod bodice;
mod parameter;
mod pen;
mod plain;
mod size;
mod skirt;
mod sleeve;
mod tops;
mod trousers;

use toile_body::Measurements;

pub use parameter::{Choices, Parameter};
pub use size::Size;

use crate::check::mend;
use crate::fault::{Fault, PatternError};
use crate::pattern::Pattern;
use crate::role::words;

words! {
    /// A garment that can be drafted.
    Design {
        /// Short-sleeved top of jersey.
        TShirt = "t-shirt",
        /// Sleeveless top with narrow straps.
        TankTop = "tank-top",
        /// Skirt that widens from the waist over the hip to the hem.
        ALineSkirt = "a-line-skirt",
        /// Skirt cut from a full circle, or from a part of one.
        CircleSkirt = "circle-skirt",
        /// Narrow skirt with waist darts.
        PencilSkirt = "pencil-skirt",
        /// Straight trousers with waist darts.
        Trousers = "trousers",
        /// Sleeveless dress with bust and waist darts.
        ShiftDress = "shift-dress",
        /// Open shirt with set-in sleeves, stand collar and cuffs.
        Shirt = "shirt",
        /// Part of a circle hung from the neck, open in front below a clasp.
        Cape = "cape",
        /// Circle with a hole for the head.
        Poncho = "poncho",
        /// Rectangle.
        Tablecloth = "tablecloth",
        /// Circle.
        RoundTablecloth = "round-tablecloth",
    }
}

impl Design {
    /// The design that a person calls so: capitals and separators do not count.
    ///
    /// ```
    /// use toile_garment::draft::Design;
    /// assert_eq!((Design::find("TShirt"), Design::find("a_line skirt")), (Some(Design::TShirt), Some(Design::ALineSkirt)));
    /// assert_eq!(Design::find("toga"), None);
    /// ```
    pub fn find(name: &str) -> Option<Self> {
        let plain =
            |name: &str| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        Self::ALL.iter().copied().find(|design| plain(design.word()) == plain(name))
    }
}

/// Why there is no pattern.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// The design has no such parameter.
    #[error("{design} has no parameter `{key}`; it has {known}")]
    Unknown {
        /// Word of the design.
        design: &'static str,
        /// What was asked for.
        key: String,
        /// The parameters it has.
        known: String,
    },
    /// A parameter is out of its range.
    #[error("{key} = {value} is out of range; choose {low} to {high} {unit}{}", unit_hint(*value, *high, unit))]
    Range {
        /// The parameter.
        key: &'static str,
        /// The value asked for.
        value: f64,
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
        /// Their unit.
        unit: &'static str,
    },
    /// Measurements and parameters that no garment can have together.
    #[error("{reason}; {help}")]
    Impossible {
        /// Why not.
        reason: String,
        /// How to mend it.
        help: &'static str,
    },
    /// The drawing is no sound pattern, as when an outline crosses itself for extreme parameters.
    #[error("these measurements and parameters give no sound pattern: {0}")]
    Unsound(PatternError),
}

/// What is likely meant by a number that is far too long for metres.
fn unit_hint(value: f64, high: f64, unit: &str) -> String {
    if unit == "m" && value > high {
        format!(", or write {value}cm: a number without a unit is in metres")
    } else {
        String::new()
    }
}

impl DraftError {
    pub(crate) fn impossible(reason: impl Into<String>, help: &'static str) -> Self {
        Self::Impossible { reason: reason.into(), help }
    }
}

impl From<Box<Fault>> for DraftError {
    fn from(fault: Box<Fault>) -> Self {
        Self::Unsound(vec![*fault].into())
    }
}

/// Drafts a design for a body. The pattern is drawn for one side, with folds and pairs; [`Pattern::whole`] doubles it.
///
/// ```
/// use toile_body::{Figure, Given, complete};
/// use toile_garment::draft::{Choices, Design, draft};
/// let body = complete(Figure::Female, &Given::NONE);
/// let skirt = draft(Design::CircleSkirt, &body, &Choices::new().with("length", 0.55))?;
/// assert_eq!(skirt.panels.len(), 2);
/// # Ok::<(), toile_garment::draft::DraftError>(())
/// ```
pub fn draft(design: Design, body: &Measurements, choices: &Choices) -> Result<Pattern, DraftError> {
    let values = parameter::resolve(design, body, choices)?;
    let mut pattern = match design {
        Design::TShirt => tops::t_shirt(body, &values),
        Design::TankTop => tops::tank_top(body, &values),
        Design::ShiftDress => tops::shift_dress(body, &values),
        Design::Shirt => tops::shirt(body, &values),
        Design::ALineSkirt => skirt::a_line(body, &values),
        Design::CircleSkirt => skirt::circle(body, &values),
        Design::PencilSkirt => skirt::pencil(body, &values),
        Design::Trousers => trousers::draft(body, &values),
        Design::Cape => Ok(plain::cape(body, &values)),
        Design::Poncho => Ok(plain::poncho(body, &values)),
        Design::Tablecloth => Ok(plain::tablecloth(&values)),
        Design::RoundTablecloth => Ok(plain::round_tablecloth(&values)),
    }?;
    design.word().clone_into(&mut pattern.name);
    let mended = mend(pattern).map_err(DraftError::Unsound)?;
    Ok(mended.pattern)
}

#[cfg(test)]
mod tests;
