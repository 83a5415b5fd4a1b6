//! Typed access to values of JSON, with messages that name the place.

use serde_json::Value;

/// A value, or what is wrong with it.
pub(super) type Found<T> = Result<T, String>;

pub(super) fn get<'v>(value: &'v Value, key: &str, at: &str) -> Found<&'v Value> {
    value.get(key).ok_or_else(|| format!("{at}: `{key}` is missing"))
}

pub(super) fn list<'v>(value: &'v Value, at: &str) -> Found<&'v [Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("{at}: a list is expected"))
}

pub(super) fn number(value: &Value, at: &str) -> Found<f64> {
    // Flags of arcs are numbers in some files and booleans in others.
    let flag = value.as_bool().map(|flag| f64::from(u8::from(flag)));
    let number = value.as_f64().or(flag).filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{at}: a finite number is expected"))
}

pub(super) fn numbers<const N: usize>(value: &Value, at: &str) -> Found<[f64; N]> {
    let items = list(value, at)?;
    if items.len() != N {
        return Err(format!("{at}: {N} numbers are expected"));
    }
    let mut all = [0.0; N];
    for (to, item) in all.iter_mut().zip(items) {
        *to = number(item, at)?;
    }
    Ok(all)
}

pub(super) fn index(value: &Value, count: usize, at: &str) -> Found<usize> {
    let index = value.as_u64().and_then(|index| usize::try_from(index).ok()).filter(|index| *index < count);
    index.ok_or_else(|| format!("{at}: a number below {count} is expected"))
}
