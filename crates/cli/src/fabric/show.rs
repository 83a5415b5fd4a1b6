//! One fabric in all its units.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::fmt::Write;

use serde_json::{Map, Value, json};
use toile_cloth::Fabric;
use toile_cloth::fabric::{PROPERTIES, REFERENCE_LOAD, kes};
use toile_scene::fabric::NamedFabric;

use super::short;

/// Longest line of running text.
const LINE: usize = 76;

pub(super) fn text(named: &NamedFabric) -> String {
    let fabric = &named.fabric;
    let mut out = format!("{}\n", named.name);
    for paragraph in [&named.description, &named.source].into_iter().filter(|p| !p.is_empty()) {
        wrap(&mut out, paragraph);
    }
    out.push('\n');
    for property in PROPERTIES {
        let value = property.of(fabric);
        let si = format!("{} {}", scientific(value), property.unit);
        let line =
            format!("{:<16} {:<18} {:<22} {}", property.name, si, instrument(property.name, value), property.meaning);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push_str("\nwhat follows\n");
    for (name, value, unit, meaning) in derived(fabric) {
        let _ = writeln!(out, "{name:<16} {:<18} {meaning}", format!("{} {unit}", scientific(value)));
    }
    out
}

/// A value in the unit of KES-F, or one that is easier to read.
fn instrument(name: &str, value: f64) -> String {
    match name {
        "areal_density" => format!("{} g/m²", short(1e3 * value)),
        "thickness" => format!("{} mm", short(1e3 * value)),
        "stretch_warp" | "stretch_weft" => format!("EMT {} %", short(100.0 * REFERENCE_LOAD / value)),
        "linearity_warp" | "linearity_weft" => format!("LT {}", short(value)),
        "shear" => format!("G {} gf/(cm·°)", short(value / kes::SHEAR)),
        "bend_warp" | "bend_weft" => format!("B {} gf·cm²/cm", short(value / kes::BEND)),
        "bend_twist" => format!("{} gf·cm²/cm", short(value / kes::BEND)),
        "hysteresis_warp" | "hysteresis_weft" => format!("2HB {} gf·cm/cm", short(value / kes::BEND_HYSTERESIS)),
        _ => String::new(),
    }
}

/// What can be computed from the properties: name, value, unit, meaning.
fn derived(fabric: &Fabric) -> [(&'static str, f64, &'static str, &'static str); 8] {
    let [initial_warp, initial_weft] = fabric.initial_stretch();
    [
        ("initial_warp", initial_warp, "N/m", "tensile stiffness at small strains along the warp"),
        ("initial_weft", initial_weft, "N/m", "tensile stiffness at small strains along the weft"),
        ("stretch_bias", fabric.stretch_along(FRAC_PI_4), "N/m", "tensile stiffness at small strains at 45°"),
        ("bend_bias", fabric.bend_of_strip(FRAC_PI_4), "N·m", "bending rigidity of a strip at 45°"),
        ("length_warp", fabric.bending_length(0.0), "m", "bending length along the warp"),
        ("length_weft", fabric.bending_length(FRAC_PI_2), "m", "bending length along the weft"),
        ("length_bias", fabric.bending_length(FRAC_PI_4), "m", "bending length at 45°"),
        ("drape_of_strips", fabric.drape_of_strips(), "", "drape coefficient (Cusick) of independent radial strips"),
    ]
}

pub(super) fn json(named: &NamedFabric) -> Value {
    let fabric = &named.fabric;
    let properties: Map<String, Value> =
        PROPERTIES.iter().map(|p| (p.name.to_owned(), json!({ "value": p.of(fabric), "unit": p.unit }))).collect();
    let derived: Map<String, Value> = derived(fabric)
        .into_iter()
        .map(|(name, value, unit, _)| (name.to_owned(), json!({ "value": value, "unit": unit })))
        .collect();
    json!({
        "name": named.name,
        "description": named.description,
        "source": named.source,
        "properties": properties,
        "derived": derived,
    })
}

/// A number as people read it: as it is, or with an exponent if it is very small.
fn scientific(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-3 { format!("{x:.3e}") } else { short_exact(x) }
}

/// Up to five digits, without zeros at the end.
fn short_exact(x: f64) -> String {
    let digits = if x == 0.0 { 0 } else { (4 - x.abs().log10().floor() as i32).clamp(0, 12) };
    let text = format!("{x:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Appends a paragraph in lines of bounded length.
fn wrap(out: &mut String, paragraph: &str) {
    let mut line = String::new();
    for word in paragraph.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() >= LINE {
            let _ = writeln!(out, "{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_digits() {
        let cases =
            [(0.0, "0"), (16300.0, "16300"), (0.3, "0.3"), (1.18e-4, "1.180e-4"), (66.6, "66.6"), (-0.5, "-0.5")];
        for (x, text) in cases {
            assert_eq!(scientific(x), text);
        }
    }

    #[test]
    fn paragraphs_keep_their_words() {
        let text = "word ".repeat(60);
        let mut out = String::new();
        wrap(&mut out, &text);
        assert!(out.lines().all(|line| line.chars().count() <= LINE) && out.lines().count() > 3);
        assert_eq!(out.split_whitespace().count(), 60);
    }
}
