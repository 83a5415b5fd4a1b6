//! What the names and labels of `GarmentCode` say: which part of the garment a panel is, and on which side of the wearer.
//!
//! Labels are `body`, `arm` and `leg`, and often missing; names are words joined by underscores, as `left_ftorso`, `pant_f_l`, `wb_back`,
//! `right_sleeve_b`, `skirt_front_0`, `left_hood`. Where neither tells front from back, the outer side of the panel does.

use toile_mesh::DVec3;

use crate::role::{Part, Side};

/// The words of a name in lower case.
fn words(name: &str) -> Vec<String> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The side of the wearer that a name tells.
pub(super) fn sides(name: &str) -> Side {
    let words = words(name);
    let has = |short: &str, long: &str| words.iter().any(|word| word == short || word.starts_with(long));
    match (has("l", "left"), has("r", "right")) {
        (true, false) => Side::Left,
        (false, true) => Side::Right,
        _ => Side::Both,
    }
}

/// What a panel covers, whose outer side looks along `outwards`.
pub(super) fn covers(name: &str, label: &str, outwards: DVec3) -> Part {
    if let Some(part) = Part::from_word(label) {
        return part;
    }
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.iter().any(|part| word.contains(part)));
    let is = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let told_back = has(&["back", "btorso"]) || is(&["b", "bk"]);
    let told_front = has(&["front", "ftorso"]) || is(&["f", "fr"]);
    let back = if told_back == told_front { outwards.z < 0.0 } else { told_back };
    let one_of = |front: Part, rear: Part| if back { rear } else { front };
    let trousers = has(&["pant", "trouser", "short"]) || is(&["leg"]);
    if has(&["cuff"]) {
        return if trousers || label == "leg" { one_of(Part::LegFront, Part::LegBack) } else { Part::Cuff };
    }
    if has(&["sleeve"]) || label == "arm" {
        return Part::Sleeve;
    }
    if has(&["hood", "lapel", "turtle", "collar"]) {
        return Part::Collar;
    }
    if is(&["wb", "band", "belt"]) || has(&["waistband"]) {
        return Part::Waistband;
    }
    if trousers {
        return one_of(Part::LegFront, Part::LegBack);
    }
    if has(&["skirt", "godet", "flare", "gore", "tier", "ruffle", "peplum"]) || is(&["ins", "inset"]) || label == "leg"
    {
        return one_of(Part::SkirtFront, Part::SkirtBack);
    }
    if has(&["torso", "bodice", "shirt", "top", "vest", "yoke", "dress", "front", "back"]) || label == "body" {
        return one_of(Part::Front, Part::Back);
    }
    Part::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels_tell_part_and_side() {
        let known = [
            ("left_ftorso", "body", Part::Front, Side::Left),
            ("right_btorso", "", Part::Back, Side::Right),
            ("left_sleeve_b", "arm", Part::Sleeve, Side::Left),
            ("sl_right_cuff_skirt_f", "arm", Part::Cuff, Side::Right),
            ("pant_l_cuff_skirt_b", "leg", Part::LegBack, Side::Left),
            ("pant_f_r", "", Part::LegFront, Side::Right),
            ("skirt_front_0", "leg", Part::SkirtFront, Side::Both),
            ("wb_back", "body", Part::Waistband, Side::Both),
            ("left_hood", "body", Part::Collar, Side::Left),
            ("left_collar_back", "body", Part::Collar, Side::Left),
            ("thing", "", Part::Other, Side::Both),
        ];
        for (name, label, part, side) in known {
            assert_eq!((covers(name, label, DVec3::Z), sides(name)), (part, side), "{name}");
        }
        assert_eq!(covers("panel_3", "body", -DVec3::Z), Part::Back);
        assert_eq!(covers("panel_3", "skirt_front", -DVec3::Z), Part::SkirtFront);
    }
}
