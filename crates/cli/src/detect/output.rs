//! Pairs for programs: JSON and plain lines. Numbers are written so that reading them gives the same bits.

use std::io::{self, Write};
use std::path::Path;

use miette::{Report, miette};
use serde_json::Value;
use toile_files::atomic::AtomicFile;

use super::search::Pairs;
use crate::args::JsonTo;

/// A complete file without a name yet, or nothing.
#[must_use = "a file that is not committed is gone"]
pub(super) struct Pending(Option<AtomicFile>);

impl Pending {
    pub(super) fn commit(self) -> miette::Result<()> {
        self.0.map_or(Ok(()), |file| file.commit().map_err(|e| miette!("{e}")))
    }
}

/// Opens a file that appears on commit.
pub(super) fn open(path: &Path) -> miette::Result<AtomicFile> {
    AtomicFile::create(path).map_err(|e| miette!("{e}"))
}

/// Tells of a failed write.
pub(super) fn failed(path: &Path) -> impl FnOnce(io::Error) -> Report {
    move |e| miette!("cannot write {}: {e}", path.display())
}

/// Pairs, if there are any to tell of, and the summary.
pub(super) fn write_json(target: Option<&JsonTo>, pairs: Option<&Pairs>, summary: &Value) -> miette::Result<Pending> {
    match target {
        None | Some(JsonTo::Nowhere) => Ok(Pending(None)),
        Some(JsonTo::StandardOutput) => {
            // A reader that has gone away is no error.
            let _ = json(&mut io::BufWriter::new(io::stdout().lock()), pairs, summary);
            Ok(Pending(None))
        }
        Some(JsonTo::File(path)) => {
            let mut file = open(path)?;
            json(&mut file, pairs, summary).map_err(failed(path))?;
            Ok(Pending(Some(file)))
        }
    }
}

/// One object, one pair per line.
fn json(out: &mut impl Write, pairs: Option<&Pairs>, summary: &Value) -> io::Result<()> {
    write!(out, "{{")?;
    if let Some(pairs) = pairs {
        list(out, "vf", pairs.vf.iter().map(|(ids, value)| (&ids[..], *value)))?;
        list(out, "ee", pairs.ee.iter().map(|(ids, value)| (&ids[..], *value)))?;
    }
    writeln!(out, "\"summary\": {summary:#}}}")?;
    out.flush()
}

fn list<'a>(out: &mut impl Write, key: &str, pairs: impl Iterator<Item = (&'a [u32], f64)>) -> io::Result<()> {
    write!(out, "\"{key}\": [")?;
    for (i, (ids, value)) in pairs.enumerate() {
        out.write_all(if i == 0 { b"\n[" } else { b",\n[" })?;
        for id in ids {
            write!(out, "{id}, ")?;
        }
        // The shortest digits that read back as the same number, with an exponent where it is short.
        write!(out, "{value:?}]")?;
    }
    writeln!(out, "],")
}

/// `v VERTEX FACE VALUE` and `e A0 A1 B0 B1 VALUE`.
pub(super) fn write_lines(target: Option<&Path>, pairs: &Pairs) -> miette::Result<Pending> {
    let Some(path) = target else { return Ok(Pending(None)) };
    let mut file = open(path)?;
    lines(&mut file, pairs).map_err(failed(path))?;
    Ok(Pending(Some(file)))
}

fn lines(out: &mut impl Write, pairs: &Pairs) -> io::Result<()> {
    for ([vertex, face], value) in &pairs.vf {
        writeln!(out, "v {vertex} {face} {value:?}")?;
    }
    for ([a0, a1, b0, b1], value) in &pairs.ee {
        writeln!(out, "e {a0} {a1} {b0} {b1} {value:?}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value;

    #[test]
    fn json_and_lines_hold_the_same_bits() {
        let third = 1.0 / 3.0;
        let pairs = Pairs { vf: vec![([3, 4], 1e-9), ([5, 0], 0.0)], ee: vec![([0, 1, 2, 3], third)] };
        let mut bytes = Vec::new();
        json(&mut bytes, Some(&pairs), &value!({ "n": 1 })).unwrap();
        let read: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(
            read,
            value!({ "vf": [[3, 4, 1e-9], [5, 0, 0.0]], "ee": [[0, 1, 2, 3, third]], "summary": { "n": 1 } })
        );
        let mut bytes = Vec::new();
        lines(&mut bytes, &pairs).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), format!("v 3 4 1e-9\nv 5 0 0.0\ne 0 1 2 3 {third}\n"));
    }

    #[test]
    fn no_pairs_are_empty_lists() {
        let mut bytes = Vec::new();
        json(&mut bytes, Some(&Pairs::default()), &value!({})).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value!({ "vf": [], "ee": [], "summary": {} }));
    }
}
