//! Reads JSON materials of data-driven cloth models: the form of Wang, O'Brien, Ramamoorthi 2011, *Data-driven elastic
//! models for cloth*, as `ARCSim` reads it. Comments of C and C++ are allowed. The numbers of such files are not
//! shipped here: their licences differ; bring your own.
//!
//! - `density` [kg/m²].
//! - `stretching`: 6 rows of `c11, c12, c22, c33` [N/m]; the first row is cloth at rest, the others are stretched along
//!   five directions. The model doubles them on reading, and so does this module.
//! - `bending`: 3 rows (warp, bias, weft) of 5 rigidities [N·m] at curvatures 0, 5, … 20 1/m. The hinge that they were
//!   fitted with is four times too soft, so that a quarter is the rigidity of the cloth.
//!
//! [`Fabric`](toile_cloth::Fabric) is linear. It gets the stiffness at rest, from the first row with doubled values, and the mean rigidity
//! of each bending row:
//!
//! ```text
//! E1 = c11 − c12²/c22    E2 = c22 − c12²/c11    ν12 = c12/c22    G = c33/4    Bt = (4 B45 − B1 − B2)/2
//! ```
//!
//! `E` and `ν12` invert the stiffness matrix for a free width. `G` is a quarter of `c33` since the model's energy is
//! `½ c33 G12²` with the strain `G12 = γ/2`. The model takes negative numbers for 0, and so does this module. If `Bt` would
//! not be positive, it is left to its default. Other keys are ignored.

use std::ops::Range;

use serde_json::Value;
use toile_cloth::fabric::Measured;

use super::{Raw, offset};
use crate::scene::error::Finding;

/// On reading the model doubles all stretching numbers.
const STRETCH_FACTOR: f64 = 2.0;
/// From the hinge of the model to the rigidity of cloth.
const BEND_FACTOR: f64 = 0.25;

pub(super) fn read(text: &str) -> Result<Raw, Vec<Finding>> {
    let bare = without_comments(text);
    let value: Value = serde_json::from_str(&bare).map_err(|error| vec![syntax(text, &bare, &error)])?;
    material(text, &value).map_err(|finding| vec![finding])
}

fn material(text: &str, value: &Value) -> Result<Raw, Finding> {
    if !value.is_object() {
        return Err(problem(0..0, "a material is a table in braces", "see `toile fabric reference` for its keys"));
    }
    let place = |key: &str| place_of(text, key);
    let density = value.get("density").ok_or_else(|| missing("density", "the mass per area in kg/m²"))?;
    let density =
        density.as_f64().ok_or_else(|| problem(place("density"), "`density` must be a number", "in kg/m²"))?;
    let stretching = rows::<6, 4>(text, value, "stretching")?;
    let bending = rows::<3, 5>(text, value, "bending")?;
    let [c11, c12, c22, c33] = stretching[0].map(|c| STRETCH_FACTOR * c.max(0.0));
    // Finite numbers whose products overflow are refused here or as out of range.
    if c11 * c22 <= c12 * c12 {
        let message = "the first row of `stretching` is not stable: c11·c22 must be greater than c12²";
        return Err(problem(place("stretching"), message, "check the order of the numbers: c11, c12, c22, c33"));
    }
    let [b1, b45, b2] = bending.map(|row| BEND_FACTOR * row.map(|b| b.max(0.0)).iter().sum::<f64>() / 5.0);
    let twist = 0.5 * (4.0 * b45 - b1 - b2);
    let measured = Measured {
        areal_density: Some(density),
        stretch_warp: Some(c11 - c12 * c12 / c22),
        stretch_weft: Some(c22 - c12 * c12 / c11),
        poisson: Some(c12 / c22),
        shear: Some(c33 / 4.0),
        bend_warp: Some(b1),
        bend_weft: Some(b2),
        bend_twist: (twist > 0.0).then_some(twist),
        ..Measured::default()
    };
    let stretch = ["stretch_warp", "stretch_weft", "poisson", "shear"].map(|name| (name, place("stretching")));
    let bend = ["bend_warp", "bend_weft", "bend_twist"].map(|name| (name, place("bending")));
    let mut places = vec![("areal_density", place("density"))];
    places.extend(stretch.into_iter().chain(bend));
    let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let source = "data-driven material; stiffness at rest, mean bending rigidity".to_owned();
    Ok(Raw { name: word("name"), description: word("description"), source, measured, places })
}

/// The numbers under `key`: `R` rows of `C` each.
fn rows<const R: usize, const C: usize>(
    text: &str,
    value: &Value,
    key: &'static str,
) -> Result<[[f64; C]; R], Finding> {
    let what = format!("{R} rows of {C} numbers");
    let rows = value.get(key).ok_or_else(|| missing(key, &what))?;
    let wrong = |message: String| problem(place_of(text, key), message, format!("`{key}` is {what}"));
    let rows = rows.as_array().filter(|rows| rows.len() == R);
    let rows = rows.ok_or_else(|| wrong(format!("`{key}` must have {R} rows")))?;
    let mut numbers = [[0.0; C]; R];
    for (i, (row, out)) in rows.iter().zip(&mut numbers).enumerate() {
        let row = row.as_array().filter(|row| row.len() == C);
        let row = row.ok_or_else(|| wrong(format!("row {} of `{key}` must have {C} numbers", i + 1)))?;
        for (cell, out) in row.iter().zip(out) {
            *out = cell
                .as_f64()
                .ok_or_else(|| wrong(format!("row {} of `{key}` holds something else than numbers", i + 1)))?;
        }
    }
    Ok(numbers)
}

fn missing(key: &str, what: &str) -> Finding {
    problem(
        0..0,
        format!("`{key}` is missing"),
        format!("a material has `density`, `stretching` and `bending`; `{key}` is {what}"),
    )
}

fn problem(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding { span, message: message.into(), label: "here".to_owned(), help: help.into() }
}

/// Where the key stands first in the text.
fn place_of(text: &str, key: &str) -> Range<usize> {
    let quoted = format!("\"{key}\"");
    text.find(&quoted).map_or(0..0, |at| at..at + quoted.len())
}

/// The text with a blank for every byte of a comment, so that places stay what they are.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes[..3].fill(b' ');
    }
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = match rest {
            [b'"', ..] => {
                at += string_length(rest);
                continue;
            }
            [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest.windows(2).skip(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 4),
            _ => {
                at += 1;
                continue;
            }
        };
        for byte in &mut bytes[at..at + length] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at += length;
    }
    // Comments end at ASCII letters, so whole letters were blanked.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Bytes of the string in quotes at the beginning of `rest`, or all of `rest` if it does not end.
fn string_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn syntax(text: &str, bare: &str, error: &serde_json::Error) -> Finding {
    // Columns count bytes of a text whose comments are blank; both have the same lines and lengths.
    let line = offset(bare, error.line(), 1);
    let at = (line + error.column().saturating_sub(1)).min(text.len());
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    problem(at..at, format!("invalid JSON: {reason}"), "materials are JSON, in which comments of C++ are allowed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comments_become_blanks_and_strings_stay() {
        assert_eq!(without_comments("{ // é\n\"a//b\\\"/*\": /* x\n */ 1 }"), "{      \n\"a//b\\\"/*\":     \n    1 }");
        assert_eq!(without_comments("1 /* open"), "1        ");
        assert_eq!(without_comments("/*/ 1"), "     ");
    }

    proptest! {
        #[test]
        fn blanking_keeps_length_and_lines(text in r#"([ab/*"\\\n]|//|/\*|\*/|é){0,40}"#) {
            let bare = without_comments(&text);
            prop_assert_eq!(bare.len(), text.len());
            let lines = |text: &str| text.bytes().enumerate().filter(|b| b.1 == b'\n').map(|b| b.0).collect::<Vec<_>>();
            prop_assert_eq!(lines(&bare), lines(&text));
        }
    }
}
