//! `toile info`: what is in a mesh, a scene or a run.

mod mesh;
mod run;
mod scene;

use std::fmt::Write;
use std::process::ExitCode;

use miette::miette;
use serde_json::{Map, Value};

use crate::args::{Global, InfoArgs};
use crate::say;

pub(crate) fn info(args: &InfoArgs, global: &Global) -> miette::Result<ExitCode> {
    let input = &args.input;
    if !input.exists() {
        let help = "give a mesh (.obj, .ply, .stl), a scene (.toml) or the folder of a run or a try-on";
        return Err(miette!(help = help, "{}: no such file or folder", input.display()));
    }
    let sheet = if input.is_dir() {
        run::sheet(input)?
    } else if input.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        scene::sheet(input)?
    } else {
        mesh::sheet(input)?
    };
    if global.json {
        say(sheet.json());
    } else if !global.quiet {
        say(sheet.text());
    }
    Ok(ExitCode::SUCCESS)
}

/// Facts in order, each in words and as a value.
#[derive(Default)]
struct Sheet(Vec<Fact>);

struct Fact {
    /// Key in JSON; in text its underscores are spaces.
    key: &'static str,
    /// One line, or one per item.
    lines: Vec<String>,
    value: Value,
}

impl Sheet {
    fn fact(&mut self, key: &'static str, words: impl Into<String>, value: impl Into<Value>) {
        self.list(key, vec![words.into()], value);
    }

    fn list(&mut self, key: &'static str, lines: Vec<String>, value: impl Into<Value>) {
        self.0.push(Fact { key, lines, value: value.into() });
    }

    /// Two columns; further lines of a fact stand below its first.
    fn text(&self) -> String {
        let width = self.0.iter().map(|f| f.key.len()).max().unwrap_or(0);
        let mut text = String::new();
        for fact in &self.0 {
            let label = fact.key.replace('_', " ");
            for (i, line) in fact.lines.iter().enumerate() {
                let _ = writeln!(text, "{:width$}  {line}", if i == 0 { label.as_str() } else { "" });
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn json(&self) -> Value {
        Value::Object(self.0.iter().map(|f| (f.key.to_owned(), f.value.clone())).collect::<Map<_, _>>())
    }
}

/// A number with four significant digits, without an exponent where it can be read without.
fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let magnitude = x.abs().log10().floor();
    match magnitude {
        -5.0..7.0 => format!("{x:.0$}", (3.0 - magnitude).max(0.0) as usize),
        _ => format!("{x:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1.000"),
            (-12.345_67, "-12.35"),
            (0.000_123_45, "0.0001234"),
            (123_456.0, "123456"),
            (1e-7, "1.000e-7"),
            (2.5e9, "2.500e9"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }

    #[test]
    fn a_list_stands_below_its_label() {
        let mut sheet = Sheet::default();
        sheet.fact("name", "a", "a");
        sheet.list("two_words", vec!["b".into(), "c".into()], vec!["b", "c"]);
        assert_eq!(sheet.text(), "name       a\ntwo words  b\n           c");
        assert_eq!(sheet.json().to_string(), r#"{"name":"a","two_words":["b","c"]}"#);
    }
}
