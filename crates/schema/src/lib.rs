//! Settings, declared once: in scene files, in code and on the reference page.
//!
//! The macro `section!` turns one declaration into a struct with documented fields, its defaults, its serde code and its
//! table of [`Field`]s. The table drives everything that would otherwise repeat the declaration: the check of a file
//! (unknown keys, types, ranges), the suggestions in messages and the reference page. Default values are shown by
//! serializing the very value that `Default` returns, so the page cannot disagree with the code.

use serde::Serialize;

/// What a value in a scene file may be.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// `true` or `false`.
    Bool,
    /// Whole number.
    Integer,
    /// Finite number; a whole number is accepted too.
    Number,
    /// Text in quotes.
    Text,
    /// Colour as text, `"#rrggbb"` or `"#rgb"`.
    Color,
    /// One word out of a list.
    Choice(&'static [Choice]),
    /// The word `"auto"` or a value.
    AutoOr(&'static Type),
    /// A value that may be left out and then has no default.
    Optional(&'static Type),
    /// Fixed number of values.
    Array(&'static Type, usize),
    /// Any number of values.
    List(&'static Type),
    /// Table with its own keys.
    Table(&'static Section),
    /// Table whose key `kind` says which keys it has.
    Kinds(&'static [Kind]),
}

/// One word of a [`Type::Choice`].
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The word as written in the file.
    pub text: &'static str,
    /// What it selects.
    pub doc: &'static str,
    /// Older words for it, which are still read.
    pub old: &'static [&'static str],
}

/// One form of a [`Type::Kinds`] table.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Value of the key `kind`.
    pub text: &'static str,
    /// The keys of this form.
    pub section: &'static Section,
}

/// A table of the scene file.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// What the table describes.
    pub doc: &'static str,
    /// Its keys in file order.
    pub fields: &'static [Field],
}

/// A key of the scene file.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Name in the file and of the Rust field.
    pub key: &'static str,
    /// What its value may be.
    pub ty: Type,
    /// Unit without brackets; empty for numbers without one.
    pub unit: &'static str,
    /// The default as TOML text; `None` when leaving the key out means «not set».
    pub default: fn() -> Option<String>,
    /// Allowed range of every number in the value.
    pub range: Range,
    /// What the key means.
    pub doc: &'static str,
}

/// Range of allowed numbers, always finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    open: bool,
}

impl Range {
    /// Every finite number.
    pub const ANY: Self = Self { low: f64::MIN, high: f64::MAX, open: false };

    /// `low ≤ x ≤ high`.
    pub const fn within(low: f64, high: f64) -> Self {
        Self { low, high, open: false }
    }

    /// `low < x ≤ high`.
    pub const fn above(low: f64, high: f64) -> Self {
        Self { low, high, open: true }
    }

    /// Whether `x` is finite and in the range.
    pub fn contains(self, x: f64) -> bool {
        x.is_finite() && x <= self.high && if self.open { x > self.low } else { x >= self.low }
    }

    /// The range in words of mathematics, as `> 0, ≤ 100`; empty for [`Range::ANY`].
    pub fn text(self) -> String {
        if self == Self::ANY {
            return String::new();
        }
        let sign = if self.open { '>' } else { '≥' };
        format!("{sign} {}, ≤ {}", self.low, self.high)
    }
}

/// A Rust type that can stand in a scene file.
pub trait Described {
    /// What its values look like in the file.
    const TYPE: Type;
}

impl Described for bool {
    const TYPE: Type = Type::Bool;
}
impl Described for u32 {
    const TYPE: Type = Type::Integer;
}
impl Described for f64 {
    const TYPE: Type = Type::Number;
}
impl Described for String {
    const TYPE: Type = Type::Text;
}
impl<T: Described> Described for Option<T> {
    const TYPE: Type = Type::Optional(&T::TYPE);
}
impl<T: Described> Described for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);
}
impl<T: Described, const N: usize> Described for [T; N] {
    const TYPE: Type = Type::Array(&T::TYPE, N);
}

/// `value` as TOML text, or `None` for an unset option.
pub fn toml_text<T: Serialize>(value: &T) -> Option<String> {
    let mut text = String::new();
    value.serialize(toml::ser::ValueSerializer::new(&mut text)).ok()?;
    Some(text)
}

/// A number that is outside of its declared range.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfRange {
    /// Keys from the top to the number, joined by dots.
    pub key: String,
    /// The number.
    pub value: f64,
    /// The allowed range in words of mathematics.
    pub allowed: String,
}

/// Compares every number of `value` with the range that `section` declares for it; the first one outside is the error.
pub fn check_ranges<T: Serialize>(value: &T, section: &Section) -> Result<(), OutOfRange> {
    // Every declared type is one that TOML can hold, so there is always a table.
    match toml::Table::try_from(value) {
        Ok(table) => check_table(&table, section, ""),
        Err(_) => Ok(()),
    }
}

fn check_table(table: &toml::Table, section: &Section, path: &str) -> Result<(), OutOfRange> {
    for field in section.fields {
        if let Some(value) = table.get(field.key) {
            check_value(value, &field.ty, field, &format!("{path}{}", field.key))?;
        }
    }
    Ok(())
}

fn check_value(value: &toml::Value, ty: &Type, field: &Field, key: &str) -> Result<(), OutOfRange> {
    let number = match value {
        toml::Value::Integer(number) => *number as f64,
        toml::Value::Float(number) => *number,
        toml::Value::Array(items) => {
            let (Type::Array(inner, _) | Type::List(inner)) = ty else { return Ok(()) };
            return items.iter().try_for_each(|item| check_value(item, inner, field, key));
        }
        toml::Value::Table(table) => {
            let section = match ty {
                Type::Table(section) | Type::Optional(Type::Table(section)) => Some(*section),
                Type::Kinds(kinds) => {
                    let word = table.get("kind").and_then(toml::Value::as_str);
                    kinds.iter().find(|kind| Some(kind.text) == word).map(|kind| kind.section)
                }
                _ => None,
            };
            return section.map_or(Ok(()), |section| check_table(table, section, &format!("{key}.")));
        }
        _ => return Ok(()),
    };
    if field.range.contains(number) {
        return Ok(());
    }
    let allowed = if field.range == Range::ANY { "a finite number".to_owned() } else { field.range.text() };
    Err(OutOfRange { key: key.to_owned(), value: number, allowed })
}

/// Declares a table of the scene file: `key: Type = default, ["unit"] within(low, high);` with the meaning as doc comment.
/// Unit and range may be left out.
#[macro_export]
macro_rules! section {
    (@range) => { $crate::Range::ANY };
    (@range $range:ident $low:literal $high:literal) => {
        $crate::Range::$range($low as f64, $high as f64)
    };
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $key:ident: $ty:ty = $default:expr
                $(, $([$unit:literal])? $($range:ident($low:literal, $high:literal))?)?;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $(
                #[doc = concat!($($doc,)+ $($(" \\[", $unit, "\\]",)?)? "\n\nDefault: `", stringify!($default), "`.")]
                pub $key: $ty,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }

        impl $name {
            /// The keys of this table, for checks and the reference page.
            pub const FIELDS: &'static [$crate::Field] = &[
                $($crate::Field {
                    key: stringify!($key),
                    ty: <$ty as $crate::Described>::TYPE,
                    unit: concat!($($($unit)?)?),
                    default: || {
                        let value: $ty = $default;
                        $crate::toml_text(&value)
                    },
                    range: $crate::section!(@range $($($range $low $high)?)?),
                    doc: concat!($($doc),+),
                },)*
            ];

            /// This table with its keys.
            pub const SECTION: &'static $crate::Section =
                &$crate::Section { doc: concat!($($about),+), fields: Self::FIELDS };
        }

        impl $crate::Described for $name {
            const TYPE: $crate::Type = $crate::Type::Table(Self::SECTION);
        }
    };
}

/// Declares an enum whose variants are single words in the file: `Variant = "word" | "older-word",` with the meaning as doc
/// comment. `= Variant` behind the name is the default. Older words are read with a warning.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident $(= $default:ident)? {
            $($(#[doc = $doc:literal])+ $variant:ident = $text:literal $(| $old:literal)*,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $doc])+ #[serde(rename = $text $(, alias = $old)*)] $variant,)+
        }

        $(impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        })?

        impl $crate::Described for $name {
            const TYPE: $crate::Type = $crate::Type::Choice(&[
                $($crate::Choice { text: $text, doc: concat!($($doc),+), old: &[$($old),*] },)+
            ]);
        }
    };
}

/// Declares an enum of tables told apart by their key `kind`.
#[macro_export]
macro_rules! kinds {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident { $($(#[doc = $doc:literal])+ $variant:ident($section:ident) = $text:literal,)+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "kind")]
        pub enum $name {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $variant($section),)+
        }

        impl $crate::Described for $name {
            const TYPE: $crate::Type = $crate::Type::Kinds(&[
                $($crate::Kind { text: $text, section: $section::SECTION },)+
            ]);
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_is_closed_or_half_open_and_never_takes_nan_or_infinity() {
        assert!(Range::within(0.0, 1.0).contains(0.0) && Range::within(0.0, 1.0).contains(1.0));
        assert!(!Range::above(0.0, 1.0).contains(0.0) && Range::above(0.0, 1.0).contains(f64::MIN_POSITIVE));
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!Range::ANY.contains(x));
        }
        assert_eq!(Range::above(0.0, 2.5).text(), "> 0, ≤ 2.5");
    }

    #[test]
    fn toml_text_of_plain_values_and_of_nothing() {
        assert_eq!(toml_text(&[0.0, -9.81, 0.0]).as_deref(), Some("[0.0, -9.81, 0.0]"));
        assert_eq!(toml_text(&"a\"b").as_deref(), Some("'a\"b'"));
        assert_eq!(toml_text(&None::<f64>), None);
    }
}
