//! The reference page of scene files, written from the declarations.

use std::fmt::Write;

use super::{
    Scene,
    check::{describe, header, section_of},
    schema::{Field, Kind, Section, Type},
};

/// A small scene that shows the form of a file.
pub(super) const EXAMPLE: &str = r#"name = "tablecloth"

[time]
duration = 3.0

[[cloth]]
position = [0, 1, 0]
shape = { kind = "grid", size = [1.2, 1.2], vertices = [60, 60] }

[[obstacle]]
shape = { kind = "table", radius = 0.4 }
"#;

/// The whole reference of scene files as Markdown.
///
/// ```
/// let page = toile_scene::reference();
/// assert!(page.contains("| `duration` | a number | s | `2.0` | > 0, ≤ 100000 | Simulated time. |"));
/// ```
pub fn reference() -> String {
    let mut page = format!(
        "# Scene files\n\n\
         A scene is a TOML file that says what to simulate. Every key has a default and may be left out; \
         only one cloth must be there, as in\n\n```toml\n{EXAMPLE}```\n\n\
         Lengths are in metres, times in seconds, masses in kilograms, angles in degrees; y points up. \
         Numbers must be finite. A key that is not listed here is an error.\n"
    );
    let (tables, plain): (Vec<&Field>, Vec<&Field>) =
        Scene::FIELDS.iter().partition(|field| section_of(&field.ty).is_some());
    page.push_str("\n## Top level\n\n");
    keys(&mut page, &plain);
    for field in tables {
        if let Some(section) = section_of(&field.ty) {
            let _ = write!(page, "\n## `{}`\n\n", header(field));
            body(&mut page, section, field.key, 3);
        }
    }
    page
}

/// Keys of a section, the words of its choices, then the tables inside it. `path` is the section's dotted name.
fn body(page: &mut String, section: &Section, path: &str, level: usize) {
    let _ = write!(page, "{}\n\n", section.doc.trim());
    // A table inside has a heading of its own, not a row.
    let fields: Vec<&Field> = section.fields.iter().filter(|field| !matches!(field.ty, Type::Table(_))).collect();
    if fields.is_empty() {
        page.push_str("No keys.\n");
        return;
    }
    keys(page, &fields);
    words(page, section);
    for field in section.fields {
        let inner = format!("{path}.{}", field.key);
        let hashes = "#".repeat(level);
        if let Type::Kinds(kinds) = field.ty {
            for Kind { text, section } in kinds {
                let _ = write!(page, "\n{hashes} `[{inner}]` with `kind = \"{text}\"`\n\n");
                body(page, section, &inner, level + 1);
            }
        } else if let Some(section) = section_of(&field.ty) {
            let is_list = !matches!(field.ty, Type::Table(_));
            let heading = if is_list { format!("[[{inner}]]") } else { format!("[{inner}]") };
            let _ = write!(page, "\n{hashes} `{heading}`\n\n");
            body(page, section, &inner, level + 1);
        }
    }
}

/// A table of keys.
pub(crate) fn keys(page: &mut String, fields: &[&Field]) {
    page.push_str("| key | value | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n");
    for field in fields {
        let default = (field.default)().map_or_else(|| "not set".to_owned(), |text| format!("`{text}`"));
        let (ty, allowed, doc) = (describe(&field.ty), field.range.text(), field.doc.trim());
        let _ = writeln!(page, "| `{}` | {ty} | {} | {default} | {allowed} | {doc} |", field.key, field.unit);
    }
}

fn words(page: &mut String, section: &Section) {
    for field in section.fields {
        if let Type::Choice(choices) = field.ty {
            page.push('\n');
            for choice in choices {
                let _ = writeln!(page, "- `{} = \"{}\"`: {}", field.key, choice.text, choice.doc.trim());
            }
        }
    }
}
