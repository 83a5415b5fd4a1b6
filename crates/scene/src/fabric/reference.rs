//! The reference page of fabric files, written from the declarations.

use std::fmt::Write;

use super::{FabricFile, names};
use crate::scene::{
    check::section_of,
    reference::keys,
    schema::{Field, Section},
};

/// A small fabric that shows the form of a file.
const EXAMPLE: &str = r#"name = "my-suiting"
source = "our laboratory"
friction = 0.35

[kes]
emt_warp = 4.0
emt_weft = 7.0
lt_warp = 0.62
lt_weft = 0.58
g_warp = 0.60
g_weft = 0.56
b_warp = 0.12
b_weft = 0.09
w = 19.5
t = 0.52
"#;

const OTHER_KINDS: &str = "
## XML

A file that ends in `.xml`, or begins with `<`. Elements anywhere below the root; names are compared without regard to case,
`-` and `_`. Others are ignored. The text of an element is one number, in the first unit of its row unless the attribute
`unit` names another.

| element | unit | gives |
|---|---|---|
";

const JSON: &str = "
## JSON of data-driven materials

A file that ends in `.json`, or begins with `{` or `/`: the form of Wang, O'Brien and Ramamoorthi 2011 as ARCSim reads it,
with C++ comments. `density` [kg/m²]; `stretching`, 6 rows of `c11, c12, c22, c33` [N/m], which are doubled; `bending`, 3 rows
(warp, bias, weft) of 5 rigidities at curvatures 5/m apart [N·m], which are divided by 4. Other keys are ignored. A fabric
is linear, so of the stretching only the first row is taken, the one of cloth at rest, and of each bending row the mean:

```text
E1 = c11 − c12²/c22     E2 = c22 − c12²/c11     ν12 = c12/c22     G = c33/4     Bt = (4 B45 − B1 − B2)/2
```

with the doubled values; `G` is a quarter because the energy there is `½ c33 (γ/2)²`.
";

/// The whole reference of fabric files as Markdown.
///
/// ```
/// let page = toile_scene::fabric::reference();
/// assert!(page.contains("| `shear` | a number | N/m | not set | ≥ 0.01, ≤ 1000000 | Shear stiffness"));
/// ```
pub fn reference() -> String {
    let mut page = format!(
        "# Fabric files\n\n\
         A fabric is a TOML file that holds what a textile laboratory measured, as in\n\n```toml\n{EXAMPLE}```\n\n\
         Properties are keys of the top level, in SI units per width of cloth. Those that are not there are computed from \
         the tables `[kes]`, `[fast]` and `[cantilever]`; a property that two tables give must be given itself. \
         Needed are mass, tensile stiffness, shear stiffness and bending rigidity; the rest has defaults. \
         A key that is not listed here is an error.\n\n\
         Fabrics of the library: {}. `toile fabric show NAME --toml` prints one to start from.\n",
        names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    );
    let (tables, plain): (Vec<&Field>, Vec<&Field>) =
        FabricFile::FIELDS.iter().partition(|field| section_of(&field.ty).is_some());
    page.push_str("\n## Top level\n\n");
    keys(&mut page, &plain);
    for field in tables {
        if let Some(Section { doc, fields }) = section_of(&field.ty) {
            let _ = write!(page, "\n## `[{}]`\n\n{}\n\n", field.key, doc.trim());
            keys(&mut page, &fields.iter().collect::<Vec<_>>());
        }
    }
    page.push_str(OTHER_KINDS);
    for element in super::xml::ELEMENTS {
        let units: Vec<&str> = element.units.iter().map(|unit| unit.0).collect();
        let units = if units == [""] { String::new() } else { units.join(", ") };
        let gives = element.gives.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(page, "| `{}` | {units} | {gives} |", element.name);
    }
    page.push_str(
        "\nModuli in Pa or MPa are multiplied by the thickness, which must then be given. `name` is an attribute or element.\n",
    );
    page.push_str(JSON);
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::NamedFabric;

    #[test]
    fn the_example_is_a_fabric() {
        assert_eq!(NamedFabric::from_toml("example.toml", EXAMPLE).unwrap().name, "my-suiting");
    }

    #[test]
    fn every_key_has_a_row() {
        let page = reference();
        let sections = FabricFile::FIELDS.iter().filter_map(|field| section_of(&field.ty));
        for field in sections.flat_map(|section| section.fields).chain(FabricFile::FIELDS) {
            let row = format!(" | {} | {} |", field.range.text(), field.doc.trim());
            let found = page.lines().any(|l| l.starts_with(&format!("| `{}` | ", field.key)) && l.ends_with(&row));
            assert!(found || section_of(&field.ty).is_some(), "{}", field.key);
        }
    }
}
