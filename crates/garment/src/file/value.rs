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
                Err(Finding::new(key.span(), message, format!("known: {}", known.join(", "))))
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

    /// A list of values; empty if the key is missing.
    pub(super) fn list(&self, key: &str) -> Found<&'a [Spanned<DeValue<'t>>]> {
        self.get(key).map_or(Ok(&[][..]), list)
    }
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
