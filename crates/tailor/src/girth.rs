//! Girths of a pattern against those of the body, before anything is sewn.
//!
//! Where panels are placed, bending keeps heights. So the cloth that a level plane cuts is as long as the garment is wide there: the girth
//! `G(y)` is the sum over the triangles of trunk, skirt and legs of the length that the plane cuts from them on the pattern. Darts and
//! gaps hold no cloth and count for nothing. Below the crotch both legs would count, so nothing is measured there.

use serde::Serialize;
use toile_body::Measurement;
use toile_garment::Part;
use toile_garment::mesh::FlatMesh;
use toile_mesh::{DVec2, DVec3};

use crate::{Figuring, Garment};

/// Share of the body's girth that a garment may lack before it is said; cloth gives as much without notice.
const LACK: f64 = 0.02;

/// Levels below the bust at which a top is measured too, and the distance between them [m]: armholes end within 10 cm.
const ARMHOLE_LEVELS: u32 = 4;
const ARMHOLE_STEP: f64 = 0.025;

/// How far below a level the girth is taken where the plane only grazes the garment [m].
const GRAZED: f64 = 0.015;

/// A girth of a garment as it was cut, and that of the body there.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Girth {
    /// Where: `bust`, `waist` or `hip`.
    pub zone: &'static str,
    /// Of the pattern [m].
    pub pattern: f64,
    /// Of the body [m].
    pub body: f64,
}

impl Girth {
    /// Strain that the cloth needs to go around the body; negative if it is wider.
    pub fn strain(&self) -> f64 {
        self.body / self.pattern - 1.0
    }
}

impl std::fmt::Display for Girth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (zone, pattern, body) = (self.zone, 100.0 * self.pattern, 100.0 * self.body);
        write!(f, "the {zone} of the pattern is {pattern:.0} cm, that of the body {body:.0} cm")
    }
}

/// Girths of placed panels at bust, waist and hip, as far as they reach there.
pub(crate) fn girths(flat: &FlatMesh, positions: &[DVec3], figuring: &Figuring) -> Vec<Girth> {
    let at = &figuring.landmarks;
    let zones = [
        ("bust", at.bust, Measurement::Bust),
        ("waist", at.waist, Measurement::Waist),
        ("hip", at.hip, Measurement::Hip),
    ];
    let mut found = Vec::new();
    for (zone, height, measurement) in zones {
        // Armholes may reach below the bust: what counts is the widest level down to where they end.
        let levels = if zone == "bust" { ARMHOLE_LEVELS } else { 0 };
        let cut = |height: f64| cut_at(flat, positions, zone, height);
        let widths = (0..=levels).map(|k| cut(height - f64::from(k) * ARMHOLE_STEP));
        let level = widths.fold(0.0, f64::max);
        // A plane that grazes the upper edge of a skirt cuts tips of it: what counts is the cloth just below.
        let below = cut(height - GRAZED);
        let pattern = if level > 0.0 && level < 0.7 * below { below } else { level };
        if pattern > 0.0 {
            found.push(Girth { zone, pattern, body: figuring.measurements[measurement] });
        }
    }
    found
}

/// Those in which a garment is too narrow for the body.
pub(crate) fn narrow(girths: &[Girth]) -> Vec<Girth> {
    girths.iter().filter(|girth| girth.pattern < (1.0 - LACK) * girth.body).cloned().collect()
}

/// A sentence about a garment that is narrow but was closed, or `None`.
pub(crate) fn remark(garment: &Garment, girths: &[Girth]) -> Option<String> {
    let worst = narrow(girths).into_iter().max_by(|a, b| a.strain().total_cmp(&b.strain()))?;
    Some(format!(
        "{}: {worst}, so the cloth is stretched by {:.0} % there: choose a larger size or a fabric that stretches",
        garment.name,
        100.0 * worst.strain()
    ))
}

/// A sentence about a garment that slipped, or `None`.
pub(crate) fn slipping(garment: &Garment, girths: &[Girth]) -> Option<String> {
    let waist = girths.iter().find(|girth| girth.zone == "waist").filter(|girth| girth.pattern > girth.body)?;
    Some(format!("{}: {waist}, so nothing holds it: choose a smaller size or take the waist in", garment.name))
}

/// Whether a part goes around the body in a zone. Waistbands are laid above the waist and worn at it: they have no bust.
fn goes_around(part: Part, zone: &str) -> bool {
    match part {
        Part::Front | Part::Back => true,
        Part::SkirtFront | Part::SkirtBack | Part::LegFront | Part::LegBack | Part::Waistband => zone != "bust",
        _ => false,
    }
}

/// Length of the cloth of trunk, skirt and legs that a level plane cuts in a zone [m]. Nothing if it cuts one side of the body only.
fn cut_at(flat: &FlatMesh, positions: &[DVec3], zone: &str, height: f64) -> f64 {
    let mut length = 0.0;
    let (mut left, mut right) = (false, false);
    for (panel, drawn) in flat.panels.iter().zip(&flat.pattern.panels) {
        if !goes_around(drawn.part, zone) {
            continue;
        }
        for t in &panel.triangles {
            let corners = t.map(|v| (panel.positions[v as usize], positions[(panel.first + v) as usize]));
            let ends = crossings(corners.map(|(p, x)| (p, x.y - height)));
            if let [Some(a), Some(b)] = ends {
                length += a.distance(b);
                left |= corners.iter().any(|(_, x)| x.x > 0.0);
                right |= corners.iter().any(|(_, x)| x.x < 0.0);
            }
        }
    }
    if left && right { length } else { 0.0 }
}

/// Where the sides of a flat triangle cross the height 0 of its corners.
fn crossings(corners: [(DVec2, f64); 3]) -> [Option<DVec2>; 2] {
    let mut found = [None, None];
    for k in 0..3 {
        let ((p, h), (q, i)) = (corners[k], corners[(k + 1) % 3]);
        if (h < 0.0) != (i < 0.0) {
            let at = p.lerp(q, h / (h - i));
            if found[0].is_none() {
                found[0] = Some(at);
            } else {
                found[1] = Some(at);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::Wearer;
    use toile_body::{Specification, sizes};
    use toile_garment::draft::{Choices, Design, draft};
    use toile_garment::place::place;

    /// Waists of skirts are curved: the plane at the waist cuts only tips of some. None is called narrow for that.
    #[test]
    fn no_skirt_that_is_made_to_measure_is_called_narrow() {
        let size = Specification { triangles: 3_000, ..sizes::named("woman-38").unwrap() };
        let wearer = Wearer::mannequin("body", &size).unwrap();
        for design in [Design::ALineSkirt, Design::PencilSkirt, Design::CircleSkirt, Design::Trousers] {
            let pattern = draft(design, &wearer.figuring.measurements, &Choices::new()).unwrap();
            for distance in [0.02, 0.03] {
                let flat = FlatMesh::new(&pattern, distance).unwrap();
                let placed = place(&flat, &wearer.mesh, &wearer.figuring.landmarks).unwrap();
                let found = narrow(&girths(&flat, &placed.positions, &wearer.figuring));
                assert!(found.is_empty(), "{} at {distance}: {}", design.word(), found[0]);
            }
        }
    }

    #[test]
    fn girths_of_a_made_to_measure_skirt_are_its_waist_and_hip_with_ease() {
        let size = Specification { triangles: 3_000, ..sizes::named("woman-38").unwrap() };
        let wearer = Wearer::mannequin("body", &size).unwrap();
        let figuring = &wearer.figuring;
        let ease = |waist: f64, hip: f64| Choices::new().with("waist_ease", waist).with("hip_ease", hip);
        let of = |choices: &Choices| {
            let pattern = draft(Design::PencilSkirt, &figuring.measurements, choices).unwrap();
            let flat = FlatMesh::new(&pattern, 0.02).unwrap();
            let placed = place(&flat, &wearer.mesh, &figuring.landmarks).unwrap();
            girths(&flat, &placed.positions, figuring)
        };
        let found = of(&ease(0.02, 0.04));
        assert_eq!(found.iter().map(|girth| girth.zone).collect::<Vec<_>>(), ["hip"]);
        // The hip of the draft is at the height of the body's, where the side is nearly straight.
        let hip = &found[0];
        assert!((hip.pattern - hip.body - 0.04).abs() < 0.015, "{hip}");
        assert!(narrow(&found).is_empty());
    }
}
