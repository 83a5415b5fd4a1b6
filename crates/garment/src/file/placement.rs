//! The key `placement` of a panel, in and out.

use std::ops::RangeInclusive;

use super::value::{Finding, Found, Table, Value, number, numbers, text};
use crate::placement::{Around, Bend, Limb, Placement, Stand};

pub(super) const FIXED: [&str; 5] = ["translation", "rotation_deg", "about", "bend_radius", "bend_deg"];
pub(super) const AROUND: [&str; 4] = ["around", "angle_deg", "along", "radius"];

/// Radii that a panel can be bent to [m].
const RADII: RangeInclusive<f64> = 0.005..=100.0;

/// The place that a table states, with lengths of which `scale` make a metre.
pub(super) fn placement(value: Value<'_, '_>, scale: f64) -> Found<Placement> {
    let all: Vec<&str> = FIXED.into_iter().chain(AROUND).collect();
    let table = Table::of(value, "a placement", &all)?;
    if table.get("around").is_some() {
        table.only("a placement with `around`", &AROUND)?;
        return around(&table, scale).map(Placement::Around);
    }
    table.only("a placement without `around`", &FIXED)?;
    let translation: [f64; 3] = numbers(table.need("translation")?)?;
    let rotation: [f64; 3] = table.get("rotation_deg").map_or(Ok([0.0; 3]), numbers)?;
    let stand = Stand { translation: translation.map(|x| x / scale), rotation: rotation.map(f64::to_radians) };
    let bend = match (radius(&table, "bend_radius", scale)?, table.get("bend_deg")) {
        (Some(radius), turn) => Some(Bend { radius, turn: turn.map_or(Ok(0.0), number)?.to_radians() }),
        (None, Some(turn)) => {
            return Err(Finding::new(turn.span(), "`bend_deg` without `bend_radius`", "add `bend_radius = …`"));
        }
        (None, None) => None,
    };
    match (table.flag("about")?, bend) {
        (true, Some(_)) => {
            let help = "leave out `about` to have it exactly so, or `bend_radius` to have it bent by itself";
            Err(Finding::new(value.span(), "a panel that stands about there is bent by itself", help))
        }
        (true, None) => Ok(Placement::About(stand)),
        (false, bend) => Ok(Placement::Fixed { stand, bend }),
    }
}

/// The word for the part of the body in a placement.
pub(super) fn around_word(value: Value<'_, '_>) -> Option<String> {
    let table = Table::of(value, "a placement", &AROUND).ok()?;
    text(table.get("around")?).ok()
}

fn around(table: &Table<'_, '_>, scale: f64) -> Found<Around> {
    let value = table.need("around")?;
    let word = text(value)?;
    let limb = Limb::from_word(&word).ok_or_else(|| {
        let known: Vec<&str> = Limb::ALL.iter().map(|limb| limb.word()).collect();
        Finding::new(value.span(), format!("`around` has no value `{word}`"), format!("known: {}", known.join(", ")))
    })?;
    let angle = table.number("angle_deg")?.unwrap_or(0.0).to_radians();
    let along = table.number("along")?.unwrap_or(0.0) / scale;
    Ok(Around { limb, angle, along, radius: radius(table, "radius", scale)? })
}

fn radius(table: &Table<'_, '_>, key: &str, scale: f64) -> Found<Option<f64>> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let radius = number(value)? / scale;
    if !RADII.contains(&radius) {
        let help = "give 5 mm to 100 m, in the unit of the file";
        return Err(Finding::new(value.span(), format!("`{key}` is out of range"), help));
    }
    Ok(Some(radius))
}

/// The table of a place; `length` and `angle` write numbers.
pub(super) fn written(placement: &Placement, length: impl Fn(f64) -> String, angle: impl Fn(f64) -> String) -> String {
    let three = |numbers: [f64; 3], write: &dyn Fn(f64) -> String| numbers.map(write).join(", ");
    let stood = |stand: &Stand| {
        let (translation, rotation) = (three(stand.translation, &length), three(stand.rotation, &angle));
        format!("translation = [{translation}], rotation_deg = [{rotation}]")
    };
    match placement {
        Placement::About(stand) => format!("{{ about = true, {} }}", stood(stand)),
        Placement::Fixed { stand, bend: None } => format!("{{ {} }}", stood(stand)),
        Placement::Fixed { stand, bend: Some(bend) } => {
            format!("{{ {}, bend_radius = {}, bend_deg = {} }}", stood(stand), length(bend.radius), angle(bend.turn))
        }
        Placement::Around(around) => {
            let radius = around.radius.map_or_else(String::new, |radius| format!(", radius = {}", length(radius)));
            let (turn, along) = (angle(around.angle), length(around.along));
            format!("{{ around = \"{}\", angle_deg = {turn}, along = {along}{radius} }}", around.limb.word())
        }
    }
}
