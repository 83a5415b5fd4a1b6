//! The fabrics that come with the program, and names near to one that does not exist.

use super::{FabricFileError, NamedFabric};
use crate::scene::suggest::edit_distance;

macro_rules! fabrics {
    ($($name:literal),* $(,)?) => {
        /// Names and texts, in the order of the list.
        const FABRICS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../fabrics/", $name, ".toml")))),*
        ];
    };
}

fabrics![
    "silk-habotai",
    "silk-charmeuse",
    "chiffon",
    "cotton-voile",
    "cotton-poplin",
    "linen",
    "wool-suiting",
    "wool-melton",
    "denim",
    "canvas",
    "polyester-banner",
    "velvet",
    "jersey-knit",
    "rib-knit",
    "stretch-wool",
    "leather",
];

/// Names of all fabrics of the library.
pub fn names() -> impl Iterator<Item = &'static str> {
    FABRICS.iter().map(|(name, _)| *name)
}

/// All fabrics of the library, in order.
pub fn library() -> Vec<NamedFabric> {
    // Every text is read in the tests, so that none is lost here.
    FABRICS.iter().filter_map(|(name, _)| find(name)?.ok()).collect()
}

/// The fabric of the library called `name`, written as people write it: case, blanks and underscores do not count, and the first
/// words are enough if only one fabric begins with them.
pub(super) fn find(name: &str) -> Option<Result<NamedFabric, FabricFileError>> {
    let wanted = plain(name);
    let begins = |known: &str| known.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('-'));
    let mut short = FABRICS.iter().filter(|(known, _)| begins(known));
    let only = short.next().filter(|_| short.next().is_none());
    let (name, text) = FABRICS.iter().find(|(known, _)| *known == wanted).or(only)?;
    Some(NamedFabric::from_toml(&format!("{name}.toml"), text))
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '_'], "-")
}

/// What to say to someone who asked for an unknown name.
pub(super) fn help(name: &str) -> String {
    let near = near(name);
    if near.is_empty() {
        format!("there are: {}; or give a file", names().collect::<Vec<_>>().join(", "))
    } else {
        format!("did you mean {}? `toile fabric list` shows all", near.join(" or "))
    }
}

/// Names near to an unknown one: those with a word in common, else those a few letters away.
fn near(name: &str) -> Vec<&'static str> {
    let wanted = plain(name);
    if wanted.chars().count() > super::LONGEST_NAME {
        return Vec::new();
    }
    let slips = |known: &str, word: &str| edit_distance(known, word) <= ((word.chars().count() + 1) / 3).min(2);
    let share = |known: &&str| wanted.split('-').any(|word| known.split('-').any(|other| slips(other, word)));
    let mut near: Vec<&str> = names().filter(|known| slips(known, &wanted)).collect();
    if near.is_empty() {
        near = names().filter(share).collect();
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        assert_eq!(near("demin"), ["denim"]);
        assert_eq!(near("silk"), ["silk-habotai", "silk-charmeuse"]);
        assert_eq!(near("cotton poplim"), ["cotton-poplin"]);
        assert_eq!(near("merino-wol"), ["wool-suiting", "wool-melton", "stretch-wool"]);
        assert!(near("xylophone").is_empty() && near(&"a".repeat(9999)).is_empty() && near("").is_empty());
        assert!(help("xylophone").contains("there are: silk-habotai, "));
    }

    #[test]
    fn case_and_separators_do_not_count() {
        assert_eq!(find("Silk Habotai").unwrap().unwrap().name, "silk-habotai");
        assert_eq!(find("wool_melton").unwrap().unwrap().name, "wool-melton");
        assert!(find("wool").is_none());
    }
}
