//! Sizes by name: `woman-38`, `man-50`, as clothes are labelled in the shops of Europe.
//!
//! A number stands for girths of bust, waist and hip as the size charts of the trade have them (women 32–54, men 42–60),
//! rounded to centimetres, with the height of a middle-sized person of that girth. All other measurements follow by
//! regression ([`complete`](crate::complete)). Charts differ by makers; whoever is to be fitted is measured instead.

use std::path::Path;

use crate::measurement::Measurement;
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

/// The body a size stands for; `None` if there is no such size. `woman`, `man` and `person` are those in the middle.
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
        "man" => MEN.iter().find(|row| is(row[0], 50)).map(|[_, b, w, h, t]| of(Figure::Male, [*b, *w, *h, *t])),
        _ => None,
    }
}

/// The body of a size, or of a file of measurements: what has an extension is a file.
///
/// ```
/// use toile_body::sizes;
/// assert!(sizes::find("man-50").is_ok());
/// assert!(sizes::find("man-51").unwrap_err().help().contains("man-50"));
/// ```
pub fn find(name_or_file: &str) -> Result<Specification, BodyFileError> {
    match named(name_or_file) {
        Some(specification) => Ok(specification),
        None if Path::new(name_or_file).extension().is_some() => Specification::load(name_or_file),
        None => Err(BodyFileError::Read {
            file: name_or_file.to_owned(),
            message: "there is no such size".to_owned(),
            help: known(),
        }),
    }
}

/// What [`find`] knows, in words.
pub fn known() -> String {
    format!("sizes are person, {}; or name a file of measurements", names().join(", "))
}

/// The names of all sizes, smallest first.
pub fn names() -> Vec<String> {
    let women = WOMEN.iter().map(|row| format!("woman-{}", row[0]));
    women.chain(MEN.iter().map(|row| format!("man-{}", row[0]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_ascend_and_all_can_be_drafted() {
        for names in names().windows(2).filter(|pair| pair[0].split('-').next() == pair[1].split('-').next()) {
            let [small, large] = [&names[0], &names[1]].map(|name| named(name).unwrap().given);
            for m in [Measurement::Bust, Measurement::Waist, Measurement::Hip] {
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
        for name in ["", "woman-", "man-38x", "person-3", "child", "woman-38-40"] {
            assert!(named(name).is_none(), "{name}");
        }
    }
}
