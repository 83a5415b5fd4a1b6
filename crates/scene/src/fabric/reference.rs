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

const DRAPE: &str = r"
## Drape

`toile fabric test NAME --only drape` drapes a specimen as a laboratory does: its middle is held, the rest lies on a plate, and the plate
sinks. It is a world with the settings of every scene, so a scene drapes as the laboratory does. `--stand 12.7` has the support of 12.7 cm and the
specimen of 25.4 cm of JIS L 1096. `--cell` and `--mesh` choose the cells. Threads of all cloth buckle by one law, in samples, sheets and garments:
`crates/cloth/src/element/law.rs` derives it from bending rigidity, thickness and the size of the triangle. No number of it is fitted.

**Cells.** Drape coefficients in %. The laboratory drapes once at the default four steps per frame; the scene is a disc of 16 rings over a
sinking plate:

| fabric | no order, 10 mm | rings, 10 mm | scene, rings of 9.4 mm |
|---|---|---|---|
| `silk-habotai` | 35.7 | 31.4 | 29.7 |
| `wool-suiting` | 56.6 | 56.3 | 59.0 |
| `cotton-poplin` | 73.7 | 74.0 | 75.1 |
| `denim` | 86.0 | 85.3 | – |

Rings of 7 mm show 2.2 to 2.5 points more than rings of 10 mm, for each of the four fabrics; cells of 5 mm were not measured. Silk is beyond the limit of 3
points between meshes and between scene and laboratory in single drapes, which differ in 10 to 12 folds. Means of three drapes with other
ripples and grains, and the standard deviation of one drape, on cells of 10 mm: in no order `silk-habotai` 33.6 (0.4), `wool-suiting` 57.6 (0.9), `cotton-poplin`
73.5 (0.3), `denim` 85.7 (0.1); in rings 34.0 (3.0), 54.2 (1.5), 71.5 (1.8), `denim` 85.2 (0.1). So single drapes in rings of limp cloth say nothing to 3 points. Meshes agree within 3
points but for wool, 3.4 with a standard error of 1. Most specimens still change by 0.4 to 0.5 points a second when they are measured, as the test allows. With one step per frame the poplin of
the scene shows 72.8 %, and solved to the end 70.0 %. Scenes less the laboratory, means of two drapes, by `toile truth drape`:
−0.9 points for `wool-suiting`, −2.0 for `cotton-poplin`, −1.4 for `denim`, −5.5 for `silk-habotai`.

Where an irregular mesh is held decides more than its cells do. Held by single vertices beyond the edge of the support, poplin on 10 mm showed 4 points
more than in rings. Irregular specimens therefore have two rings of vertices, midway between which the support ends.

**Hysteresis** of bending, 2HB, holds a sheet up: half its width is a moment that must be overcome before anything bends. Without it
poplin shows 63.3 instead of 75.1 % in the scene, and 62.6 instead of 71.3 % in the laboratory with one step per frame. The earlier
laboratory test softened threads and solved for rest with the memory of friction held, and showed 2.5 points only.

**Basis.** `toile fabric list` states what the numbers of a fabric rest on: `measured` on one cloth, `typical` of the class, or `tuned` until an
earlier drape test gave the published band. No fabric of the library is measured throughout: no public source was found with tension,
shear, bending, weight and drape of one cloth. Those that are tuned drape within their bands.

**Prediction.** `toile truth drape` drapes two cloths whose bending and drape are published, on the stand of 12.7 cm, with weight and shear usual for
their class. On cells of 10 mm in no order, cotton broad shows 86.4 instead of 82.9 % and polyester
faille 28.8 instead of 28.3 %. The mean error is 2 points, for two cloths only.

**Stiff and sheer fabrics.** Cusick 1965 found `DC = 35.6 c − 3.61 c² + 17` by bending length `c` [cm] where shear is free, for fabrics of the
middle of the range. The library beside it, in rings of 10 mm, with one step per frame:

| fabric | c [cm] | by bending length | simulated | folds |
|---|---|---|---|---|
| `linen` | 2.97 | 91 | 95.6 | 0 |
| `canvas` | 2.96 | 91 | 94.7 | 3.5 |
| `cotton-voile` | 2.25 | 79 | 83.7 | 6 |
| `chiffon` | 1.48 | 62 | 43.9 | 10 |

Linen, canvas and voile are stiff because their typical bending lengths are; chiffon shears easily, for which
the full formula takes 21 points away at a shear angle of 10°.
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
    page.push_str(DRAPE);
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
