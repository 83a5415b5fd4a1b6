//! Whether a garment still hangs where it is worn.
//!
//! What covers the trunk, a cape as well, hangs from the shoulders: on each side of the body where some of it was above the shoulder point
//! when it was sewn, some of it still is. A top that was above neither, a strapless one, stays above the breasts by its upper border.
//! Everything else hangs from the waist: it may slide down until the body is wide enough to hold it, but its upper border stays
//! above the hip, below which nothing holds it.

use toile_body::measure::Landmarks;
use toile_garment::mesh::FlatMesh;
use toile_garment::{Part, Pattern};
use toile_mesh::DVec3;

/// Whether a garment that was sewn with its vertices at `sewn`, which are now at `x` [m], has slipped from where it is worn.
pub(crate) fn has_slipped(mesh: &FlatMesh, sewn: &[DVec3], x: &[DVec3], at: &Landmarks) -> bool {
    let mut lowest = at.hip;
    if hangs_from_the_shoulders(&mesh.pattern) {
        let highest = |x: &[DVec3], left: bool| {
            let half = x.iter().filter(|p| (p.x > at.crotch.x) == left);
            half.map(|p| p.y).fold(f64::NEG_INFINITY, f64::max)
        };
        let first_is_left = at.shoulder_points[0].x > at.crotch.x;
        let sides = [(first_is_left, at.shoulder_points[0].y), (!first_is_left, at.shoulder_points[1].y)];
        let hung: Vec<(bool, f64)> = sides.into_iter().filter(|(left, y)| highest(sewn, *left) >= *y).collect();
        if !hung.is_empty() {
            return hung.iter().any(|(left, y)| highest(x, *left) < *y);
        }
        lowest = at.underbust;
    }
    let borders = mesh.sewn().borders;
    let height = |ring: &[u32]| ring.iter().map(|v| x[*v as usize].y).fold(f64::INFINITY, f64::min);
    let upper =
        borders.iter().filter(|ring| !ring.is_empty()).map(|ring| height(ring)).fold(f64::NEG_INFINITY, f64::max);
    upper < lowest
}

fn hangs_from_the_shoulders(pattern: &Pattern) -> bool {
    let over = |part: Part| matches!(part, Part::Front | Part::Back | Part::Sleeve | Part::Collar | Part::Cape);
    pattern.panels.iter().any(|panel| over(panel.part))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::Wearer;
    use toile_body::{Specification, sizes};
    use toile_garment::draft::{Choices, Design, draft};

    #[test]
    fn what_is_let_down_has_slipped() {
        let size = Specification { triangles: 3_000, ..sizes::named("woman-38").unwrap() };
        let wearer = Wearer::mannequin("body", &size).unwrap();
        let at = &wearer.figuring.landmarks;
        for (design, top) in [(Design::CircleSkirt, at.waist), (Design::Poncho, at.neck_sides[0].y)] {
            let pattern = draft(design, &wearer.figuring.measurements, &Choices::new()).unwrap();
            let mesh = FlatMesh::new(&pattern, 0.05).unwrap();
            // As if it lay level: a flat ring around the body.
            let level = |down: f64| vec![DVec3::new(0.0, top - down, 0.0); mesh.sewn().vertex_count];
            let x = |down: f64| -> Vec<DVec3> {
                let side = |k: usize| if k.is_multiple_of(2) { 0.2 } else { -0.2 };
                level(down).into_iter().enumerate().map(|(k, p)| p + DVec3::X * side(k)).collect()
            };
            assert!(!has_slipped(&mesh, &x(0.0), &x(0.0), at), "{design:?}");
            assert!(has_slipped(&mesh, &x(0.0), &x(0.3), at), "{design:?}");
        }
        // Down on one side only.
        let pattern = draft(Design::Poncho, &wearer.figuring.measurements, &Choices::new()).unwrap();
        let mesh = FlatMesh::new(&pattern, 0.05).unwrap();
        let y = at.neck_sides[0].y;
        let x = |k: usize| if k.is_multiple_of(2) { DVec3::new(0.2, y, 0.0) } else { DVec3::new(-0.2, y - 0.4, 0.0) };
        let now: Vec<DVec3> = (0..mesh.sewn().vertex_count).map(x).collect();
        let level: Vec<DVec3> = now.iter().map(|p| p.with_y(y)).collect();
        assert!(has_slipped(&mesh, &level, &now, at));
        // What was never on the other shoulder hangs from one.
        assert!(!has_slipped(&mesh, &now, &now, at));
    }
}
