//! Compares a parsed TOML text with the declared [`Type`]s: unknown keys, wrong types, numbers out of range.
//!
//! The check walks the spanned tree of the `toml` crate, so every finding points at the very key or value. A text
//! without findings is certain to build a scene; what several values must satisfy together is left to the rules.

use std::ops;

use toml::de::{DeTable, DeValue};

use super::{
    color::Color,
    error::Finding,
    schema::{Choice, Field, Kind, Range, Section, Type},
    suggest::nearest,
};

/// Tables in one list. Guards the memory of a hostile file, not a design limit.
const MOST_TABLES: usize = 10_000;
/// Findings collected before giving up.
const MOST_FINDINGS: usize = 100;

type Span = ops::Range<usize>;

/// Findings of the whole text against the top-level `section`.
pub(crate) fn check(root: &DeTable<'_>, section: &'static Section) -> Checked {
    let mut walk = Walk { top: section, path: Vec::new(), findings: Vec::new(), warnings: Vec::new() };
    walk.table(root, section.fields, &[]);
    Checked { findings: walk.findings, warnings: walk.warnings }
}

/// What a check found.
pub(crate) struct Checked {
    /// What makes the text unusable.
    pub(crate) findings: Vec<Finding>,
    /// Old words and keys that are still read.
    pub(crate) warnings: Vec<Finding>,
}

/// A key that scenes had once: its table, its name, and why it is gone.
struct Retired {
    table: &'static str,
    key: &'static str,
    why: &'static str,
}

/// Keys that are read and do nothing.
const RETIRED: [Retired; 2] = [
    Retired { table: "collision", key: "ccd", why: "times of impact are always conservative in a simulation" },
    Retired { table: "collision", key: "coherence", why: "lists of candidates last for several steps anyway" },
];

/// Takes retired keys out of a text that was checked.
pub(crate) fn remove_retired(root: &mut DeTable<'_>) {
    for (table, value) in root.iter_mut() {
        if let DeValue::Table(keys) = value.get_mut() {
            let is_retired = |key: &str| RETIRED.iter().any(|r| r.table == table.get_ref() && r.key == key);
            *keys = std::mem::take(keys).into_iter().filter(|(key, _)| !is_retired(key.get_ref())).collect();
        }
    }
}

struct Walk {
    top: &'static Section,
    /// Keys from the top to the table being looked at.
    path: Vec<&'static str>,
    findings: Vec<Finding>,
    warnings: Vec<Finding>,
}

/// A value being checked, with the key it belongs to.
#[derive(Clone, Copy)]
struct Place<'f> {
    field: &'f Field,
    key: &'f str,
}

impl Walk {
    fn report(&mut self, span: Span, message: String, label: &str, help: String) {
        self.findings.push(Finding { span, message, label: label.to_owned(), help });
    }

    /// Where the table being looked at is, with its header as one would write it.
    fn here(&self) -> String {
        if self.path.is_empty() { "at the top level".to_owned() } else { format!("in [{}]", self.path.join(".")) }
    }

    fn table(&mut self, table: &DeTable<'_>, fields: &'static [Field], others: &[Kind]) {
        // A pattern that stands where something else is wanted is told as a whole, not by its first key.
        if self.path.is_empty()
            && let Some((key, _)) = table.iter().find(|(key, _)| key.get_ref() == "panel")
        {
            let help = "wear it: `toile try-on --garment FILE`; or name it as `design` of a cloth".to_owned();
            self.report(key.span(), "this is the file of a sewing pattern".to_owned(), "a panel", help);
            return;
        }
        for (key, value) in table {
            if self.findings.len() >= MOST_FINDINGS {
                return;
            }
            let name: &str = key.get_ref();
            if let Some(field) = fields.iter().find(|field| field.key == name) {
                self.path.push(field.key);
                self.value(value.get_ref(), value.span(), &field.ty, Place { field, key: field.key });
                self.path.pop();
            } else if let Some(retired) = RETIRED.iter().find(|r| self.path == [r.table] && r.key == name) {
                let message = format!("the key {} {} does nothing any more", quoted(name), self.here());
                let help = format!("remove it: {}", retired.why);
                self.warnings.push(Finding { span: key.span(), message, label: "retired".to_owned(), help });
            } else if others.is_empty() || name != "kind" {
                let message = format!("unknown key {} {}", quoted(name), self.here());
                let help = self.help_for_unknown(name, fields, others);
                self.report(key.span(), message, "not a key of this table", help);
            }
        }
    }

    fn help_for_unknown(&self, name: &str, fields: &[Field], others: &[Kind]) -> String {
        let has_key = |kind: &&Kind| kind.section.fields.iter().any(|field| field.key == name);
        let mut with_key = others.iter().filter(has_key).map(|kind| kind.text).peekable();
        if with_key.peek().is_some() {
            return format!("`{name}` is a key of the kind {}", alternatives(with_key));
        }
        let elsewhere = || {
            let homes = self.top.fields.iter().filter_map(|field| Some((field, section_of(&field.ty)?)));
            let mut homes = homes.filter(|(_, section)| section.fields.iter().any(|field| field.key == name));
            homes.next().map(|(home, _)| header(home))
        };
        if name == "colour" && fields.iter().any(|field| field.key == "color") {
            return "did you mean `color`?".to_owned();
        }
        if let Some(known) = nearest(name, fields.iter().map(|field| field.key)) {
            return format!("did you mean `{known}`?");
        }
        if let Some(home) = elsewhere() {
            return format!("`{name}` belongs in {home}");
        }
        let keys: Vec<&str> = fields.iter().map(|field| field.key).collect();
        if keys.is_empty() { "no keys are allowed here".to_owned() } else { format!("allowed: {}", keys.join(", ")) }
    }

    fn value(&mut self, value: &DeValue<'_>, span: Span, ty: &'static Type, at: Place<'_>) {
        match (ty, value) {
            (Type::Bool, DeValue::Boolean(_)) | (Type::Text, DeValue::String(_)) => {}
            (Type::AutoOr(_), DeValue::String(text)) if text == "auto" => {}
            (Type::Optional(inner), _) | (Type::AutoOr(inner), DeValue::Integer(_) | DeValue::Float(_)) => {
                self.value(value, span, inner, at);
            }
            (Type::Number, DeValue::Float(float)) => self.number(float.as_str().parse().ok(), value, span, at),
            (Type::Number, DeValue::Integer(_)) => self.number(integer(value).map(|n| n as f64), value, span, at),
            (Type::Integer, DeValue::Integer(_)) => self.integer(value, span, at),
            (Type::Color, DeValue::String(text)) => {
                if let Err(reason) = text.parse::<Color>() {
                    let message = format!("`{}` = {} is no colour", at.key, quoted(text));
                    self.report(span, message, "no colour", format!("{reason}, as in `color = \"#b03a48\"`"));
                }
            }
            (Type::Choice(choices), DeValue::String(text)) => self.choice(text, span, choices, at),
            (Type::Array(inner, count), DeValue::Array(items)) if items.len() == *count => {
                for item in items {
                    self.value(item.get_ref(), item.span(), inner, at);
                }
            }
            (Type::Array(_, count), DeValue::Array(items)) => {
                let message = format!("`{}` must have {count} values, not {}", at.key, items.len());
                self.report(span, message, "wrong number of values", example(at.field));
            }
            (Type::List(inner), DeValue::Array(items)) => self.list(items.iter(), span, inner, at),
            (Type::Table(section), DeValue::Table(table)) => self.table(table, section.fields, &[]),
            (Type::Kinds(kinds), DeValue::Table(table)) => self.kinds(table, span, kinds),
            _ => {
                let message = format!("`{}` must be {}, not {}", at.key, describe(ty), found(value));
                let help = if let Type::List(Type::Table(_)) = at.field.ty {
                    format!("write a header `[[{}]]` over each table", self.path.join("."))
                } else {
                    example(at.field)
                };
                self.report(span, message, "wrong type", help);
            }
        }
    }

    fn list<'d, 'i: 'd>(
        &mut self,
        items: impl ExactSizeIterator<Item = &'d toml::Spanned<DeValue<'i>>>,
        span: Span,
        inner: &'static Type,
        at: Place<'_>,
    ) {
        if section_of(inner).is_some() && items.len() > MOST_TABLES {
            let message = format!("{} tables `{}`, at most {MOST_TABLES} are allowed", items.len(), at.key);
            self.report(span, message, "too many", "split the file".to_owned());
            return;
        }
        for item in items {
            if self.findings.len() >= MOST_FINDINGS {
                return;
            }
            self.value(item.get_ref(), item.span(), inner, at);
        }
    }

    fn integer(&mut self, value: &DeValue<'_>, span: Span, at: Place<'_>) {
        self.number(integer(value).filter(|n| u32::try_from(*n).is_ok()).map(|n| n as f64), value, span, at);
    }

    fn number(&mut self, number: Option<f64>, value: &DeValue<'_>, span: Span, at: Place<'_>) {
        if number.is_some_and(|x| at.field.range.contains(x)) {
            return;
        }
        let text = number_text(value);
        let Field { range, unit, .. } = at.field;
        let allowed = if *range == Range::ANY { "a finite number".to_owned() } else { range.text() };
        let message = format!("`{}` = {text} is out of range", at.key);
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        let default = (at.field.default)().map_or_else(String::new, |text| format!("; default {}", shorten(&text)));
        self.report(span, message, "out of range", format!("allowed: {allowed}{unit}{default}"));
    }

    fn choice(&mut self, text: &str, span: Span, choices: &[Choice], at: Place<'_>) {
        if choices.iter().any(|choice| choice.text == text) {
            return;
        }
        if let Some(choice) = choices.iter().find(|choice| choice.old.contains(&text)) {
            self.warnings.push(Finding::old_word(span, at.key, text, choice.text));
            return;
        }
        let message = format!("`{}` cannot be {}", at.key, quoted(text));
        self.report(span, message, "unknown word", word_help(text, choices.iter().map(|choice| choice.text)));
    }

    fn kinds(&mut self, table: &DeTable<'_>, span: Span, kinds: &'static [Kind]) {
        let words = || kinds.iter().map(|kind| kind.text);
        let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == "kind") else {
            let message = format!("missing `kind` {}", self.here());
            self.report(span, message, "no `kind`", format!("add `kind = …`, one of {}", alternatives(words())));
            return;
        };
        match value.get_ref() {
            DeValue::String(text) => {
                if let Some(kind) = kinds.iter().find(|kind| kind.text == text) {
                    self.table(table, kind.section.fields, kinds);
                } else {
                    let message = format!("`kind` cannot be {}", quoted(text));
                    self.report(value.span(), message, "unknown kind", word_help(text, words()));
                }
            }
            other => {
                let message = format!("`kind` must be text, not {}", found(other));
                self.report(value.span(), message, "wrong type", format!("one of {}", alternatives(words())));
            }
        }
    }
}

/// The table a type stands for, if it is one or a list of one.
pub(crate) fn section_of(ty: &Type) -> Option<&'static Section> {
    match ty {
        Type::Table(section) => Some(section),
        Type::List(inner) | Type::Optional(inner) => section_of(inner),
        _ => None,
    }
}

/// The header of a top-level table as written in a file.
pub(super) fn header(field: &Field) -> String {
    if matches!(field.ty, Type::List(_)) { format!("[[{}]]", field.key) } else { format!("[{}]", field.key) }
}

/// A type in words, with its article.
pub(super) fn describe(ty: &Type) -> String {
    match ty {
        Type::Bool => "true or false".to_owned(),
        Type::Integer => "a whole number".to_owned(),
        Type::Number => "a number".to_owned(),
        Type::Text => "text in quotes".to_owned(),
        Type::Color => "a colour in quotes".to_owned(),
        Type::Choice(choices) => alternatives(choices.iter().map(|choice| choice.text)),
        Type::AutoOr(inner) => format!("\"auto\" or {}", describe(inner)),
        Type::Optional(inner) => describe(inner),
        Type::Array(inner, count) => format!("a list of {count} {}", plural(inner)),
        Type::List(inner) => format!("a list of {}", plural(inner)),
        Type::Table(_) => "a table".to_owned(),
        Type::Kinds(_) => "a table with the key `kind`".to_owned(),
    }
}

fn plural(ty: &Type) -> &'static str {
    match ty {
        Type::Integer => "whole numbers",
        Type::Number => "numbers",
        Type::Table(_) => "tables",
        _ => "values",
    }
}

fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {}", quoted(text)),
        DeValue::Integer(_) | DeValue::Float(_) => number_text(value),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

fn example(field: &Field) -> String {
    match (field.default)() {
        Some(default) if !matches!(field.ty, Type::Table(_)) => {
            format!("for example `{} = {}`", field.key, shorten(&default))
        }
        _ => format!("expected {}", describe(&field.ty)),
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn number_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Integer(number) => shorten(&number.to_string()),
        DeValue::Float(number) => shorten(number.as_str()),
        _ => String::new(),
    }
}

/// `text` in quotes, escaped, and cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", shorten(text))
}

fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

fn alternatives<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    words.join(" or ")
}

fn word_help<'w>(text: &str, words: impl Iterator<Item = &'w str> + Clone) -> String {
    match nearest(text, words.clone()) {
        Some(word) => format!("did you mean \"{word}\"? Allowed: {}", alternatives(words)),
        None => format!("allowed: {}", alternatives(words)),
    }
}
