//! What a specification must satisfy before a body is drafted to it.
//!
//! Each measurement has a range of its own; pairs have bounds on their ratio, wide enough for the bodies of people and
//! narrow enough to catch a slip of the pen, a wrong unit, or a hip entered as a thigh. What passes may still be
//! impossible in the whole: then the fit fails and says what it could not meet.

use std::fmt;

use crate::measurement::{Kind, Measurement, Measurements};
use crate::regression::{complete, reference};
use crate::{Figure, Pose, Specification};
use Measurement as M;

/// Why there is no body to a specification.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The key of `body.toml` that is to blame.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

/// `low ≤ measurement / other ≤ high`, and what it means if not.
struct Ratio {
    of: Measurement,
    to: Measurement,
    bounds: [f64; 2],
}

const fn ratio(of: Measurement, to: Measurement, low: f64, high: f64) -> Ratio {
    Ratio { of, to, bounds: [low, high] }
}

const RATIOS: [Ratio; 20] = [
    ratio(M::Inseam, M::Height, 0.38, 0.53),
    ratio(M::BackLength, M::Height, 0.19, 0.30),
    ratio(M::ArmLength, M::Height, 0.27, 0.42),
    ratio(M::ShoulderWidth, M::Height, 0.16, 0.30),
    ratio(M::Bust, M::Height, 0.34, 1.02),
    ratio(M::Waist, M::Height, 0.24, 1.02),
    ratio(M::Hip, M::Height, 0.36, 1.04),
    ratio(M::Underbust, M::Bust, 0.68, 1.02),
    ratio(M::Waist, M::Underbust, 0.62, 1.30),
    ratio(M::Waist, M::Hip, 0.48, 1.25),
    ratio(M::Bust, M::Hip, 0.66, 1.45),
    ratio(M::Thigh, M::Hip, 0.42, 0.70),
    ratio(M::Knee, M::Thigh, 0.42, 0.88),
    ratio(M::Calf, M::Knee, 0.70, 1.35),
    ratio(M::Ankle, M::Calf, 0.45, 0.85),
    ratio(M::Wrist, M::UpperArm, 0.32, 0.78),
    ratio(M::UpperArm, M::Bust, 0.19, 0.45),
    ratio(M::Neck, M::Bust, 0.24, 0.52),
    ratio(M::Neck, M::Head, 0.46, 0.92),
    ratio(M::ShoulderWidth, M::Neck, 0.72, 1.75),
];

/// All measurements of the body, or the first rule that it breaks.
pub(crate) fn check(specification: &Specification) -> Result<Measurements, Refusal> {
    check_settings(specification)?;
    for m in Measurement::ALL {
        if let Some(value) = specification.given[m] {
            check_range(m, value)?;
        }
    }
    let all = complete(specification.figure, &specification.given);
    // Of all broken rules the one about most given values is the most helpful.
    let is_broken = |r: &&Ratio| !(r.bounds[0]..=r.bounds[1]).contains(&(all[r.of] / all[r.to]));
    let given = |r: &&Ratio| [r.of, r.to].into_iter().filter(|&m| specification.given[m].is_some()).count();
    if let Some(rule) = RATIOS.iter().filter(is_broken).rev().max_by_key(given) {
        return Err(broken(rule, specification, &all));
    }
    check_waist(specification, &all)?;
    Ok(all)
}

fn check_settings(specification: &Specification) -> Result<(), Refusal> {
    let [least, most] = Specification::TRIANGLES;
    if !(least..=most).contains(&specification.triangles) {
        return Err(Refusal {
            key: "triangles",
            message: format!("{} triangles are out of range", specification.triangles),
            help: format!("ask for {least} to {most}"),
        });
    }
    let angle = specification.pose.arm_angle();
    if !(Pose::LEAST_ARM_ANGLE - 1e-9..=std::f64::consts::FRAC_PI_2 + 1e-9).contains(&angle) {
        return Err(Refusal {
            key: "arm_angle_deg",
            message: format!("arms at {:.1}° to the vertical are out of range", angle.to_degrees()),
            help: format!("choose {:.0} to 90", Pose::LEAST_ARM_ANGLE.to_degrees()),
        });
    }
    Ok(())
}

fn check_range(m: Measurement, value: f64) -> Result<(), Refusal> {
    let [low, high] = m.range();
    if value >= low && value <= high {
        return Ok(());
    }
    let (low, high) = (Amount(m, low), Amount(m, high));
    let mut help = format!("{} is taken between {low} and {high}", m.iso_name());
    if m.kind() != Kind::Angle {
        help +=
            "; check the unit: a number is in metres unless the file says `unit = \"cm\"`, and \"36in\" states its own";
    }
    let message = format!("{} = {} is out of range", m.key(), Amount(m, value));
    Err(Refusal { key: m.key(), message, help })
}

fn broken(rule: &Ratio, specification: &Specification, all: &Measurements) -> Refusal {
    let (of, to) = (rule.of, rule.to);
    let [low, high] = rule.bounds;
    let (bound, limit) = if all[of] < low * all[to] { ("less", low) } else { ("more", high) };
    let is_given = |m: Measurement| specification.given[m].is_some();
    let origin = |m: Measurement| if is_given(m) { "" } else { " (estimated from the others)" };
    let message = format!(
        "{} {}{} with {} {}{} is no human body: {bound} than {limit} times",
        of.iso_name(),
        Amount(of, all[of]),
        origin(of),
        to.iso_name(),
        Amount(to, all[to]),
        origin(to),
    );
    let (blamed, other) = match (is_given(of), is_given(to)) {
        (true, _) => (of, to),
        (false, true) => (to, of),
        (false, false) => (oddest(specification).unwrap_or(of), of),
    };
    let help = if is_given(other) {
        format!("correct `{}` or `{}`", blamed.key(), other.key())
    } else {
        format!("correct `{}`, or give `{}` as well", blamed.key(), other.key())
    };
    Refusal { key: blamed.key(), message, help }
}

/// The given measurement that departs most from the reference body, as a ratio.
fn oddest(specification: &Specification) -> Option<Measurement> {
    let reference = reference(specification.figure);
    let departure = |m: Measurement| specification.given[m].map_or(0.0, |value| (value / reference[m]).ln().abs());
    let given = Measurement::ALL.into_iter().filter(|&m| specification.given[m].is_some());
    given.max_by(|a, b| departure(*a).total_cmp(&departure(*b)))
}

/// Head girth over height, relative to the reference body, up to which heads are as tall as those of adults; children's are taller.
const LARGEST_ADULT_HEAD: f64 = 1.04;

/// By which share the head of a child is taller than that of an adult of its height; 0 for adults.
pub(crate) fn head_excess(body: &Measurements) -> f64 {
    let share = |m: &Measurements| m[M::Head] / m[M::Height];
    (share(body) / share(&reference(Figure::Neutral)) / LARGEST_ADULT_HEAD - 1.0).max(0.0)
}

/// Height of the back neck point of a body above the floor [m]: 85.5 % of the height of an adult, less of a child's.
///
/// ```
/// use toile_body::{Figure, Given, complete, nape_height, sizes};
/// let adult = complete(Figure::Female, &Given::NONE);
/// assert!((nape_height(&adult) - 0.855 * 1.68).abs() < 1e-12);
/// let child = sizes::named("child-104").expect("a size of the table");
/// assert!(nape_height(&complete(child.figure, &child.given)) < 0.82 * 1.04);
/// ```
pub fn nape_height(body: &Measurements) -> f64 {
    (0.855 - 0.145 * head_excess(body)) * body[M::Height]
}

/// The waist must come to lie above the seat.
fn check_waist(specification: &Specification, all: &Measurements) -> Result<(), Refusal> {
    let waist = nape_height(all) - all[M::BackLength];
    if waist - all[M::Inseam] >= 0.075 * all[M::Height] {
        return Ok(());
    }
    let key = if specification.given[M::Inseam].is_some() { M::Inseam } else { M::BackLength }.key();
    let message = format!(
        "a back length of {} and an inseam of {} leave no room for the seat at a height of {}",
        Amount(M::BackLength, all[M::BackLength]),
        Amount(M::Inseam, all[M::Inseam]),
        Amount(M::Height, all[M::Height]),
    );
    Err(Refusal { key, message, help: "correct `back_length`, `inseam` or `height`".to_owned() })
}

/// A value as a tailor writes it.
pub(crate) struct Amount(pub(crate) Measurement, pub(crate) f64);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind() {
            Kind::Angle => write!(f, "{:.1}°", self.1.to_degrees()),
            Kind::Girth | Kind::Length => write!(f, "{:.1} cm", 100.0 * self.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Given;

    fn refusal(given: &Given) -> Refusal {
        check(&Specification::new(Figure::Female, *given)).unwrap_err()
    }

    #[test]
    fn the_reference_bodies_pass() {
        for figure in Figure::ALL {
            check(&Specification::new(figure, Given::NONE)).unwrap();
        }
    }

    #[test]
    fn a_value_out_of_range_names_its_key_and_the_unit() {
        let refusal = refusal(&Given::NONE.with(M::Waist, 74.0));
        assert_eq!(refusal.key, "waist");
        assert_eq!(refusal.message, "waist = 7400.0 cm is out of range");
        assert!(refusal.help.contains("between 40.0 cm and 190.0 cm") && refusal.help.contains("unit"));
    }

    #[test]
    fn not_a_number_is_out_of_range() {
        assert_eq!(refusal(&Given::NONE.with(M::Hip, f64::NAN)).key, "hip");
    }

    #[test]
    fn impossible_pairs_name_both() {
        let girth = refusal(&Given::NONE.with(M::Height, 1.5).with(M::Waist, 1.7));
        assert_eq!(girth.key, "waist");
        assert!(girth.message.contains("170.0 cm") && girth.message.contains("150.0 cm"), "{girth}");
        let leg = refusal(&Given::NONE.with(M::Height, 1.3).with(M::Inseam, 1.1));
        assert_eq!((leg.key, leg.help.as_str()), ("inseam", "correct `inseam` or `height`"));
    }

    #[test]
    fn a_given_value_is_blamed_before_an_estimated_one() {
        let refusal = refusal(&Given::NONE.with(M::Knee, 0.70));
        assert_eq!(refusal.key, "knee");
        assert!(refusal.message.contains("(estimated from the others)"), "{refusal}");
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let base = Specification::new(Figure::Male, Given::NONE);
        let pose = Specification { pose: Pose::A(0.1), ..base.clone() };
        assert_eq!(check(&pose).unwrap_err().key, "arm_angle_deg");
        let pose = Specification { pose: Pose::A(f64::NAN), ..base.clone() };
        assert_eq!(check(&pose).unwrap_err().key, "arm_angle_deg");
        let dense = Specification { triangles: 10_000_000, ..base };
        assert_eq!(check(&dense).unwrap_err().key, "triangles");
    }
}
