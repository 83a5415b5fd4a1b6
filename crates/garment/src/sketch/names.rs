//! What the names of pieces tell: parts and sides.

use crate::role::{Part, Side};

/// The words of a name: letters only, parted at capitals.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && was_small) {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if letter.is_alphabetic() {
            let last = words.len() - 1;
            words[last].extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

const BACK: [&str; 7] = ["back", "backs", "rear", "dos", "rücken", "rückenteil", "espalda"];
const FRONT: [&str; 6] = ["front", "fronts", "devant", "vorderteil", "delantero", "bodice"];
const SLEEVE: [&str; 6] = ["sleeve", "sleeves", "manche", "ärmel", "manga", "topsleeve"];
const COLLAR: [&str; 6] = ["collar", "neckband", "collarstand", "col", "kragen", "cuello"];
const CUFF: [&str; 4] = ["cuff", "cuffs", "poignet", "manschette"];
const WAISTBAND: [&str; 4] = ["waistband", "ceinture", "bund", "pretina"];
const SKIRT: [&str; 4] = ["skirt", "jupe", "rock", "falda"];
const LEGS: [&str; 10] = ["leg", "legs", "trousers", "trouser", "pants", "pant", "jeans", "shorts", "pantalon", "hose"];
const CAPE: [&str; 2] = ["cape", "poncho"];

/// The part that the names of a piece and its garment tell.
pub(super) fn part_of(name: &str, garment: &str) -> Part {
    let (own, all) = (words(name), words(&format!("{garment} {name}")));
    let has = |words: &[String], known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let is_back = has(&own, &BACK);
    if has(&own, &CUFF) {
        Part::Cuff
    } else if has(&own, &SLEEVE) {
        Part::Sleeve
    } else if has(&own, &COLLAR) {
        Part::Collar
    } else if has(&own, &WAISTBAND) {
        Part::Waistband
    } else if has(&all, &CAPE) {
        Part::Cape
    } else if has(&all, &SKIRT) && (is_back || has(&own, &FRONT) || has(&own, &SKIRT)) {
        if is_back { Part::SkirtBack } else { Part::SkirtFront }
    } else if has(&all, &LEGS) && (is_back || has(&own, &FRONT) || has(&own, &LEGS)) {
        if is_back { Part::LegBack } else { Part::LegFront }
    } else if is_back {
        Part::Back
    } else if has(&own, &FRONT) {
        Part::Front
    } else {
        Part::Other
    }
}

pub(super) fn side_of(name: &str) -> Side {
    let words = words(name);
    let has = |side: &str| words.iter().any(|word| word == side);
    match (has("left"), has("right")) {
        (true, false) => Side::Left,
        (false, true) => Side::Right,
        _ => Side::Both,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_parts_and_sides() {
        for (name, garment, part) in [
            ("front", "teagan", Part::Front),
            ("BackBodice", "x", Part::Back),
            ("background", "x", Part::Other),
            ("back", "a-line skirt", Part::SkirtBack),
            ("frontLeg 2", "x", Part::LegFront),
            ("sleeve_cuff", "shirt", Part::Cuff),
            ("pocket", "trousers", Part::Other),
        ] {
            assert_eq!(part_of(name, garment), part, "{name}");
        }
        assert_eq!((side_of("front-left"), side_of("Leftover")), (Side::Left, Side::Both));
    }
}
