//! Sizes by name: `woman-38`, `man-50`, `child-128`, as clothes are labelled in the shops of Europe.
//!
//! A number stands for girths of bust, waist and hip as the size charts of the trade have them (women 32–54, men 42–60),
//! rounded to centimetres, with the height of a middle-sized person of that girth. All other measurements follow by
//! regression ([`complete`](crate::complete)). Charts differ by makers; whoever is to be fitted is measured instead.
//!
//! Children (104–164) are named by their height [cm], in steps of 6 cm as EN 13402-3 has them. Their proportions are not those of small
//! adults, so every girth and length is in the table: middle values of boys and girls, rounded from children's size charts of the
//! trade and from growth charts for the head.
//!
//! [`find`] also understands a size of one's own chart (`sizes.toml:M`), a file of measurements, and changes behind a comma:
//! `woman-38, bust=36in, hips=40in`.

use std::path::Path;

use crate::chart::{self, SizeChart};
use crate::length;
use crate::measurement::{Kind, Measurement};
use crate::rules;
use crate::{BodyFileError, Figure, Given, Specification};

/// Number, bust, waist and hip girth of women's sizes [cm]; all are 168 cm tall.
const WOMEN: [[u16; 4]; 12] = [
    [32, 76, 60, 86],
    [34, 80, 64, 90],
    [36, 84, 68, 94],
    [38, 88, 72, 97],
    [40, 92, 76, 100],
    [42, 96, 80, 103],
    [44, 100, 84, 106],
    [46, 104, 88, 109],
    [48, 110, 94, 114],
    [50, 116, 101, 119],
    [52, 122, 107, 124],
    [54, 128, 114, 129],
];

/// Number, chest, waist and hip girth and height of men's sizes [cm].
const MEN: [[u16; 5]; 10] = [
    [42, 84, 72, 90, 166],
    [44, 88, 76, 94, 168],
    [46, 92, 80, 98, 171],
    [48, 96, 84, 102, 174],
    [50, 100, 88, 106, 177],
    [52, 104, 93, 109, 180],
    [54, 108, 98, 112, 182],
    [56, 112, 103, 115, 184],
    [58, 116, 108, 118, 186],
    [60, 120, 113, 121, 187],
];

/// Measurements of children's sizes [cm]: height, bust, underbust, waist, hip, inseam, back length, arm length, shoulder width, head,
/// neck, thigh, knee, calf, ankle, upper arm, wrist.
const CHILDREN: [[f64; 17]; 11] = [
    [104.0, 57.0, 55.5, 54.0, 60.0, 45.0, 25.2, 35.0, 25.0, 51.0, 26.5, 33.5, 24.0, 22.5, 15.0, 17.0, 11.6],
    [110.0, 59.0, 57.0, 55.0, 62.0, 48.5, 26.4, 37.5, 26.2, 51.5, 27.0, 35.0, 25.0, 23.5, 15.6, 17.5, 11.9],
    [116.0, 61.0, 58.5, 56.5, 65.0, 51.5, 27.6, 39.5, 27.4, 52.0, 27.6, 36.5, 26.0, 24.5, 16.2, 18.0, 12.2],
    [122.0, 63.0, 60.5, 58.0, 67.0, 55.0, 28.8, 42.0, 28.6, 52.5, 28.2, 38.0, 27.0, 25.5, 16.8, 18.7, 12.5],
    [128.0, 66.0, 63.0, 59.5, 70.0, 58.5, 30.0, 44.0, 29.8, 53.0, 29.0, 40.0, 28.0, 26.6, 17.4, 19.5, 12.9],
    [134.0, 69.0, 65.5, 61.5, 73.0, 61.5, 31.4, 46.5, 31.0, 53.4, 29.8, 42.0, 29.2, 27.8, 18.0, 20.4, 13.3],
    [140.0, 72.0, 68.0, 63.0, 76.0, 64.5, 32.8, 48.5, 32.1, 53.8, 30.6, 44.0, 30.4, 29.0, 18.6, 21.3, 13.7],
    [146.0, 75.0, 70.0, 64.5, 80.0, 67.5, 34.4, 51.0, 33.2, 54.2, 31.4, 46.0, 31.6, 30.2, 19.2, 22.2, 14.1],
    [152.0, 78.0, 72.0, 66.5, 83.5, 70.5, 36.0, 53.0, 34.3, 54.6, 32.2, 48.5, 32.8, 31.4, 19.8, 23.2, 14.5],
    [158.0, 81.0, 74.0, 68.5, 87.0, 73.0, 37.6, 55.0, 35.3, 55.0, 33.0, 50.5, 33.8, 32.6, 20.4, 24.2, 14.9],
    [164.0, 84.0, 76.0, 70.0, 90.0, 75.5, 39.0, 57.0, 36.2, 55.4, 33.8, 52.5, 34.8, 33.6, 21.0, 25.2, 15.2],
];

/// What the columns of [`CHILDREN`] are.
const CHILDREN_COLUMNS: [Measurement; 17] = [
    Measurement::Height,
    Measurement::Bust,
    Measurement::Underbust,
    Measurement::Waist,
    Measurement::Hip,
    Measurement::Inseam,
    Measurement::BackLength,
    Measurement::ArmLength,
    Measurement::ShoulderWidth,
    Measurement::Head,
    Measurement::Neck,
    Measurement::Thigh,
    Measurement::Knee,
    Measurement::Calf,
    Measurement::Ankle,
    Measurement::UpperArm,
    Measurement::Wrist,
];

/// The body a size stands for; `None` if there is no such size. `woman`, `man`, `child` and `person` are those in the middle.
///
/// ```
/// use toile_body::{Measurement, sizes};
/// assert_eq!(sizes::named("woman-38").unwrap().given[Measurement::Bust], Some(0.88));
/// assert!(sizes::named("woman-37").is_none());
/// ```
pub fn named(name: &str) -> Option<Specification> {
    if name == "person" {
        return Some(Specification::new(Figure::Neutral, Given::NONE));
    }
    let (figure, number) = match name.split_once('-') {
        Some((figure, number)) => (figure, Some(number)),
        None => (name, None),
    };
    let of = |figure, [bust, waist, hip, height]: [u16; 4]| {
        let metres = |centimetres: u16| f64::from(centimetres) / 100.0;
        let given = Given::NONE.with(Measurement::Height, metres(height)).with(Measurement::Bust, metres(bust));
        let given = given.with(Measurement::Waist, metres(waist)).with(Measurement::Hip, metres(hip));
        Specification::new(figure, given)
    };
    let is = |size: u16, usual: u16| number.map_or(size == usual, |number| number == size.to_string());
    match figure {
        "woman" => WOMEN.iter().find(|row| is(row[0], 38)).map(|[_, b, w, h]| of(Figure::Female, [*b, *w, *h, 168])),
        "child" => {
            let row = CHILDREN.iter().find(|row| is(row[0] as u16, 134))?;
            let given = Given::NONE;
            let given = CHILDREN_COLUMNS.iter().zip(row).fold(given, |given, (m, value)| given.with(*m, value / 100.0));
            Some(Specification::new(Figure::Neutral, given))
        }
        "man" => MEN.iter().find(|row| is(row[0], 50)).map(|[_, b, w, h, t]| of(Figure::Male, [*b, *w, *h, *t])),
        _ => None,
    }
}

/// The body of a size, of a size of a chart (`sizes.toml:M`) or of a file of measurements, with changes behind commas.
///
/// ```
/// use toile_body::{Measurement, sizes};
/// assert!(sizes::find("man-50").is_ok());
/// assert!(sizes::find("man-51").unwrap_err().help().contains("man-50"));
/// let changed = sizes::find("woman-38, chest=36in")?;
/// assert_eq!(changed.given[Measurement::Bust], Some(0.9144));
/// # Ok::<(), toile_body::BodyFileError>(())
/// ```
pub fn find(text: &str) -> Result<Specification, BodyFileError> {
    let fail = |message: String, help: String| BodyFileError::Read { file: text.to_owned(), message, help };
    let mut parts = text.split(',').map(str::trim);
    let base = parts.next().unwrap_or_default();
    let mut specification = match (named(base), chart::split_reference(base)) {
        (Some(specification), _) => specification,
        (None, Some((file, size))) => {
            let chart = SizeChart::load(file)?;
            let found = chart.find(size).cloned();
            found.ok_or_else(|| fail(format!("{file} has no size `{size}`"), format!("it has: {}", chart.names())))?
        }
        (None, None) if Path::new(base).extension().is_some() => Specification::load(base)?,
        (None, None) => return Err(fail("there is no such size".to_owned(), known())),
    };
    let mut is_changed = false;
    for part in parts {
        let (m, value) = change(part).map_err(|(message, help)| fail(message, help))?;
        specification.given[m] = Some(value);
        is_changed = true;
    }
    if is_changed {
        rules::check(&specification).map_err(|refusal| fail(refusal.message, refusal.help))?;
    }
    Ok(specification)
}

/// A measurement and its value, written as `bust=36in` [m; rad].
fn change(text: &str) -> Result<(Measurement, f64), (String, String)> {
    let how = "behind a size write changes as `bust=92cm`, with commas between them";
    let (word, value) = text.split_once('=').ok_or_else(|| (format!("\"{text}\" is no change"), how.to_owned()))?;
    let m = Measurement::from_word(word).ok_or_else(|| {
        (format!("unknown measurement `{}`", word.trim()), format!("known: {}", Measurement::known()))
    })?;
    match m.kind() {
        Kind::Angle => {
            let degrees = value.trim().trim_end_matches('°').parse::<f64>().ok().filter(|degrees| degrees.is_finite());
            let wrong = || (format!("`{}` is no angle", value.trim()), format!("write degrees, as {}=21", m.key()));
            degrees.map(|degrees| (m, degrees.to_radians())).ok_or_else(wrong)
        }
        Kind::Girth | Kind::Length => {
            let [low, high] = m.range();
            if length::read(value).is_none() {
                return Err((format!("{}: \"{}\" is no length", m.key(), value.trim()), length::HOW.to_owned()));
            }
            let value = length::parse_within(value, low, high);
            let help = || format!("{} is taken between {:.0} cm and {:.0} cm", m.iso_name(), 100.0 * low, 100.0 * high);
            value.map(|value| (m, value)).map_err(|wrong| (format!("{}: {wrong}", m.key()), help()))
        }
    }
}

/// Whether [`find`] would look for a body under this text; files are not opened.
pub fn is_understood(text: &str) -> bool {
    let base = text.split(',').next().unwrap_or_default().trim();
    named(base).is_some() || chart::split_reference(base).is_some() || Path::new(base).extension().is_some()
}

/// What [`find`] knows, in words.
pub fn known() -> String {
    format!(
        "sizes are person, {}; or name a file of measurements, or a size of a chart as sizes.toml:M",
        names().join(", ")
    )
}

/// The names of all sizes, smallest first.
pub fn names() -> Vec<String> {
    let women = WOMEN.iter().map(|row| format!("woman-{}", row[0]));
    let men = MEN.iter().map(|row| format!("man-{}", row[0]));
    women.chain(men).chain(CHILDREN.iter().map(|row| format!("child-{}", row[0]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_ascend_and_all_can_be_drafted() {
        for names in names().windows(2).filter(|pair| pair[0].split('-').next() == pair[1].split('-').next()) {
            let [small, large] = [&names[0], &names[1]].map(|name| named(name).unwrap().given);
            let wanted = [Measurement::Bust, Measurement::Waist, Measurement::Hip];
            let all = Measurement::ALL.into_iter().filter(|m| small[*m].is_some() && names[0].starts_with("child"));
            for m in wanted.into_iter().chain(all) {
                assert!(small[m] < large[m], "{names:?}");
            }
        }
        for name in names() {
            let specification = Specification { triangles: 3_000, ..named(&name).unwrap() };
            assert!(crate::draft(&specification).is_ok(), "{name}");
        }
    }

    #[test]
    fn middle_sizes_have_short_names_and_others_are_refused() {
        assert_eq!(named("woman"), named("woman-38"));
        assert_eq!(named("man"), named("man-50"));
        assert!(named("person").is_some());
        for name in ["", "woman-", "man-38x", "person-3", "child-105", "woman-38-40"] {
            assert!(named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn changes_behind_a_size_are_made_or_refused() {
        let changed = find("woman-38, chest = 36in,waist=28\", shoulder_slope=20").unwrap();
        assert_eq!(changed.given[Measurement::Bust], Some(0.9144));
        assert_eq!(changed.given[Measurement::Waist], Some(28.0 * 0.0254));
        assert_eq!(changed.given[Measurement::ShoulderSlope], Some(20f64.to_radians()));
        assert_eq!(changed.given[Measurement::Hip], Some(0.97));
        for (text, told) in [
            ("woman-38, bust", "as `bust=92cm`"),
            ("woman-38, bst=90cm", "bust (chest)"),
            ("woman-38, bust=92", "92cm"),
            ("woman-38, bust=much", "36in"),
            ("woman-38, shoulder_slope=steep", "degrees"),
            ("woman-38, waist=40cm, hip=150cm", "hip"),
            ("sizes.toml:M", "cannot be read"),
        ] {
            let error = find(text).unwrap_err();
            let words = format!("{error} {}", error.help());
            assert!(words.contains(told) || (told == "36in" && words.contains("23.5in")), "{text}: {words}");
        }
        assert!(is_understood("woman-38, bust=1") && is_understood("a.toml:S") && !is_understood("woman-39"));
    }

    /// Growth: heads, weights and legs of children against numbers that the table was not made from.
    #[test]
    fn children_have_the_proportions_of_children() {
        // Weight for height, median of boys and girls (WHO growth references 2006 and 2007) [kg], and heights in heads (Stratz 1909).
        let known =
            [("child-104", 16.8, 5.5), ("child-128", 26.0, 6.2), ("child-152", 42.0, 6.7), ("child-164", 52.0, 7.0)];
        for (name, kilograms, heads) in known {
            let specification = Specification { triangles: 6_000, ..named(name).unwrap() };
            let body = crate::draft(&specification).unwrap_or_else(|e| panic!("{name}: {e}"));
            let weight = 1010.0 * toile_mesh::signed_volume(&body.mesh);
            assert!((weight / kilograms - 1.0).abs() < 0.2, "{name}: {weight} kg");
            let height = body.measurements[Measurement::Height];
            // The chin is a little above the back neck point.
            let head = height - (body.landmarks.nape + 0.017 * height);
            assert!((height / head / heads - 1.0).abs() < 0.12, "{name}: {} heads", height / head);
            assert!((0.42..0.48).contains(&(body.landmarks.crotch.y / height)), "{name}");
        }
    }
}
