//! Reads `fabric.toml`: the check against the declaration, then instruments, then what they contradict.

use std::ops::Range;

use serde::Deserialize;
use toile_cloth::fabric::{FabricError, Measured, PROPERTIES};
use toml::de::{DeTable, DeValue, Deserializer};

use super::{FabricFile, Raw, finding};
use crate::scene::{check, error::Finding};

type Span = Range<usize>;

/// Properties by the table that gives them.
type Instrument = (&'static str, Measured);

pub(super) fn read(text: &str) -> Result<Raw, Vec<Finding>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    refuse(errors.iter().map(syntax).collect())?;
    refuse(check::check(root.get_ref(), FabricFile::SECTION).findings)?;
    let file = FabricFile::deserialize(Deserializer::from(root.clone())).map_err(|error| vec![syntax(&error)])?;
    let root = root.get_ref();
    let given = file.given();
    let instruments = instruments(&file, &given, root)?;
    refuse(contradictions(&given, &instruments, root))?;
    let measured = instruments.iter().fold(given, |all, (_, more)| all.or(more));
    let mut places: Vec<(&'static str, Span)> = Vec::new();
    for property in PROPERTIES {
        let table = instruments.iter().find(|(_, measured)| measured.get(property.name).is_some());
        let table = table.and_then(|(table, _)| key(root, table));
        places.extend(key(root, property.name).or(table).map(|span| (property.name, span)));
    }
    places.extend(key(root, "name").map(|span| ("name", span)));
    Ok(Raw { name: file.name, description: file.description, source: file.source, measured, places })
}

fn refuse(findings: Vec<Finding>) -> Result<(), Vec<Finding>> {
    if findings.is_empty() { Ok(()) } else { Err(findings) }
}

/// What each table gives, in the order of their precedence; every table only what it can.
fn instruments(file: &FabricFile, given: &Measured, root: &DeTable<'_>) -> Result<Vec<Instrument>, Vec<Finding>> {
    let mut found = Vec::new();
    let in_table = |table: &'static str, error: FabricError| {
        let span = inner(root, table, error.field).or_else(|| key(root, table));
        let mut finding = finding(span.unwrap_or(0..0), error);
        finding.message = format!("[{table}] {}", finding.message);
        vec![finding]
    };
    if let Some(kes) = &file.kes {
        found.push(("kes", kes.values().measured().map_err(|error| in_table("kes", error))?));
    }
    if let Some(fast) = &file.fast {
        found.push(("fast", fast.values().measured().map_err(|error| in_table("fast", error))?));
    }
    if let Some(cantilever) = &file.cantilever {
        let mut weights = std::iter::once(given).chain(found.iter().map(|(_, measured)| measured));
        let Some(weight) = weights.find_map(|measured| measured.areal_density) else {
            return Err(vec![Finding {
                span: key(root, "cantilever").unwrap_or(0..0),
                message: "[cantilever] is of no use without the mass per area".to_owned(),
                label: "here".to_owned(),
                help: "give `areal_density` in kg/m² too".to_owned(),
            }]);
        };
        let measured = cantilever.values().measured(weight).map_err(|error| in_table("cantilever", error))?;
        found.push(("cantilever", measured));
    }
    Ok(found)
}

/// Properties that two tables give and no key decides.
fn contradictions(given: &Measured, instruments: &[Instrument], root: &DeTable<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in PROPERTIES.iter().map(|property| property.name).filter(|name| given.get(name).is_none()) {
        let mut tables = instruments.iter().filter(|(_, measured)| measured.get(name).is_some());
        if let (Some((first, _)), Some((second, _))) = (tables.next(), tables.next()) {
            findings.push(Finding {
                span: key(root, second).unwrap_or(0..0),
                message: format!("[{first}] and [{second}] both give `{name}`"),
                label: "the second".to_owned(),
                help: format!("leave it out of one of them, or give `{name}` itself, which then counts"),
            });
        }
    }
    findings
}

/// The place of a key of the top level.
fn key(root: &DeTable<'_>, name: &str) -> Option<Span> {
    let (key, value) = root.iter().find(|(key, _)| key.get_ref() == name)?;
    // The span of a table under a header is its header, or empty: then the key is the place to look at.
    Some(if matches!(value.get_ref(), DeValue::Table(_)) { key.span() } else { value.span() })
}

/// The place of a value in a table of the top level.
fn inner(root: &DeTable<'_>, table: &str, name: &str) -> Option<Span> {
    let (_, value) = root.iter().find(|(key, _)| key.get_ref() == table)?;
    let table = value.get_ref().as_table()?;
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value.span())
}

/// An error of the TOML parser, on one line.
fn syntax(error: &toml::de::Error) -> Finding {
    let reason = error.message().lines().collect::<Vec<_>>().join("; ");
    let help = match reason.as_str() {
        "duplicate key" => "write each key and each header only once",
        "recursion limit" => "no key of a fabric is nested that deeply",
        _ => "fabric files are TOML, see https://toml.io for its form",
    };
    Finding {
        span: error.span().unwrap_or_default(),
        message: format!("invalid TOML: {reason}"),
        label: "here".to_owned(),
        help: help.to_owned(),
    }
}
