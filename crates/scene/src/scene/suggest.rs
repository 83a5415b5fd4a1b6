//! Which known word someone meant when they wrote an unknown one.

/// Longest word worth comparing; longer ones are no slip of the finger.
const LONGEST: usize = 64;

/// Number of single-letter insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment: no letter is edited twice).
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The known word nearest to `word`, if it is near: at most one edit per three letters. The first wins among equals.
pub(super) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > LONGEST {
        return None;
    }
    let allowed = (word.chars().count() / 3).max(1);
    let word = word.to_lowercase().replace('-', "_");
    known
        .map(|known| (edit_distance(&word, known), known))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition as a recursion on the ends of both words.
    fn by_definition(a: &[char], b: &[char]) -> usize {
        let (Some((x, a1)), Some((y, b1))) = (a.split_last(), b.split_last()) else {
            return a.len().max(b.len());
        };
        let mut best = by_definition(a1, b1) + usize::from(x != y);
        best = best.min(by_definition(a1, b) + 1).min(by_definition(a, b1) + 1);
        if let ([a2 @ .., p, q], [b2 @ .., r, s]) = (a, b)
            && p == s
            && q == r
        {
            best = best.min(by_definition(a2, b2) + 1);
        }
        best
    }

    proptest! {
        #[test]
        fn edit_distance_equals_its_definition(a in "[abc]{0,6}", b in "[abc]{0,6}") {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(edit_distance(&a, &b), by_definition(&x, &y));
        }
    }

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["duration", "frame_rate", "substeps"];
        assert_eq!(nearest("druation", known.into_iter()), Some("duration"));
        assert_eq!(nearest("frame-rate", known.into_iter()), Some("frame_rate"));
        assert_eq!(nearest("Duration", known.into_iter()), Some("duration"));
        assert_eq!(nearest("colour", known.into_iter()), None);
        assert_eq!(nearest(&"x".repeat(1 << 20), known.into_iter()), None);
    }
}
