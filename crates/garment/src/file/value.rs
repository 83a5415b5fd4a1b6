//! Typed access to a spanned TOML tree, with findings that point at the value.

use std::ops::Range;

use kurbo::Point;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A finding and its place in the text.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Finding {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: help.into() }
    }
}

pub(super) type Value<'a, 't> = &'a Spanned<DeValue<'t>>;
pub(super) type Found<T> = Result<T, Finding>;

/// A table with its place.
#[derive(Clone)]
pub(super) struct Table<'a, 't> {
    pub(super) table: &'a DeTable<'t>,
    pub(super) span: Range<usize>,
}

impl<'a, 't> Table<'a, 't> {
    pub(super) fn of(value: Value<'a, 't>, what: &str, known: &[&str]) -> Found<Self> {
        let table = value.get_ref().as_table().ok_or_else(|| {
            Finding::new(value.span(), format!("{what} must be a table"), format!("with {}", known.join(", ")))
        })?;
        let table = Self { table, span: value.span() };
        table.only(what, known)?;
        Ok(table)
    }

    /// Refuses keys that are not known.
    pub(super) fn only(&self, what: &str, known: &[&str]) -> Found<()> {
        match self.table.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!("unknown key `{}` in {what}", key.get_ref());
                let meant = nearest(key.get_ref(), known).map(|meant| format!("did you mean `{meant}`? "));
                let help = format!("{}known: {}", meant.unwrap_or_default(), known.join(", "));
                Err(Finding::new(key.span(), message, help))
            }
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'a, 't>> {
        self.table.get(key)
    }

    pub(super) fn need(&self, key: &str) -> Found<Value<'a, 't>> {
        let missing = || Finding::new(self.span.clone(), format!("`{key}` is missing"), format!("add `{key} = …`"));
        self.get(key).ok_or_else(missing)
    }

    pub(super) fn text(&self, key: &str) -> Found<Option<String>> {
        self.get(key).map(text).transpose()
    }

    pub(super) fn number(&self, key: &str) -> Found<Option<f64>> {
        self.get(key).map(number).transpose()
    }

    /// A number without fraction.
    pub(super) fn whole_number(&self, key: &str) -> Found<Option<f64>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let found = number(value)?;
        if found.fract() != 0.0 {
            return Err(Finding::new(value.span(), format!("`{key}` must be a whole number"), "write `1`"));
        }
        Ok(Some(found))
    }

    /// `true` or `false`; `false` if the key is missing.
    pub(super) fn flag(&self, key: &str) -> Found<bool> {
        let Some(value) = self.get(key) else { return Ok(false) };
        value.get_ref().as_bool().ok_or_else(|| {
            Finding::new(value.span(), format!("`{key}` is true or false"), format!("write `{key} = true`"))
        })
    }

    /// A list of values; empty if the key is missing.
    pub(super) fn list(&self, key: &str) -> Found<&'a [Spanned<DeValue<'t>>]> {
        self.get(key).map_or(Ok(&[][..]), list)
    }
}

/// The known word that a misspelt one is likely to mean: at most a third of its letters, or two, are wrong.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let far = |other: &str| distance(word, other);
    let best = known.iter().copied().min_by_key(|other| far(other))?;
    (far(best) <= (word.chars().count() / 3).max(2).min(word.chars().count().saturating_sub(1))).then_some(best)
}

/// Letters that must be added, left out, exchanged or replaced to make one word of the other (Damerau 1964, without overlaps).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                }
            };
        }
    }
    table[a.len()][b.len()]
}

pub(super) fn list<'a, 't>(value: Value<'a, 't>) -> Found<&'a [Spanned<DeValue<'t>>]> {
    match value.get_ref() {
        DeValue::Array(items) => Ok(items),
        _ => Err(Finding::new(value.span(), "a list is expected here", "write `[…]`")),
    }
}

pub(super) fn text(value: Value<'_, '_>) -> Found<String> {
    let text = value.get_ref().as_str().map(str::to_owned);
    text.ok_or_else(|| Finding::new(value.span(), "a text is expected here", "write it in quotes"))
}

pub(super) fn number(value: Value<'_, '_>) -> Found<f64> {
    let parsed = match value.get_ref() {
        DeValue::Float(float) => float.as_str().replace('_', "").parse().ok(),
        DeValue::Integer(integer) => {
            let digits = integer.as_str().replace('_', "");
            i64::from_str_radix(&digits, integer.radix()).ok().map(|number| number as f64)
        }
        _ => None,
    };
    parsed
        .filter(|number: &f64| number.is_finite())
        .ok_or_else(|| Finding::new(value.span(), "a finite number is expected here", "write `1.0`"))
}

pub(super) fn numbers<const N: usize>(value: Value<'_, '_>) -> Found<[f64; N]> {
    let items = list(value)?;
    let wrong = || Finding::new(value.span(), format!("{N} numbers are expected here"), "write `[…, …]`");
    if items.len() != N {
        return Err(wrong());
    }
    let mut all = [0.0; N];
    for (number_of, item) in all.iter_mut().zip(items) {
        *number_of = number(item)?;
    }
    Ok(all)
}

pub(super) fn point(value: Value<'_, '_>, scale: f64) -> Found<Point> {
    let [x, y] = numbers(value)?;
    Ok(Point::new(x / scale, y / scale))
}

pub(super) fn points(value: Value<'_, '_>, scale: f64) -> Found<Vec<Point>> {
    list(value)?.iter().map(|item| point(item, scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_find_what_was_meant() {
        let known = ["name", "fabric", "placement", "edges"];
        assert_eq!(nearest("fabirc", &known), Some("fabric"));
        assert_eq!(nearest("palcement", &known), Some("placement"));
        assert_eq!(nearest("nmae", &known), Some("name"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("x", &known), None);
        assert_eq!((distance("", "abc"), distance("abcd", "badc"), distance("same", "same")), (3, 2, 0));
    }
}
