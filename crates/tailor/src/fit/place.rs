//! [`Place`]: where on a body something is, in words of the wearer.
//!
//! The body looks along +z and has its left at +x. Seen from above, a place is named by the eighth of the circle around a middle in
//! which it lies: front, front left, left and so on.

use serde::Serialize;
use toile_mesh::DVec3;

/// A place on a body.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Place {
    /// Side of the wearer: `front`, `front left`, `left`, `back left`, `back`, `back right`, `right` or `front right`.
    pub side: &'static str,
    /// Height above the floor [m].
    pub height: f64,
    /// The point [m].
    pub point: [f64; 3],
}

/// Sides of the wearer, from the front over the left.
const SIDES: [&str; 8] = ["front", "front left", "left", "back left", "back", "back right", "right", "front right"];

impl Place {
    /// Of a point, seen from a middle, above a floor.
    pub(super) fn of(point: DVec3, middle: DVec3, floor: f64) -> Self {
        let away = point - middle;
        let eighths = away.x.atan2(away.z) / std::f64::consts::FRAC_PI_4;
        // From −4 to 4: the eighth part on either side of each direction.
        let side = SIDES[(eighths.round() as i32).rem_euclid(8) as usize];
        Self { side, height: point.y - floor, point: point.to_array() }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:.0} cm", self.side, 100.0 * self.height)
    }
}

/// The largest value and where it is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// Where.
    pub place: Place,
}

/// The largest of values at points; of equal ones the first. `None` if there are none.
pub(super) fn largest(values: impl Iterator<Item = (f64, DVec3)>, middle: DVec3, floor: f64) -> Option<Extreme> {
    let mut best: Option<(f64, DVec3)> = None;
    for (value, point) in values {
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, point));
        }
    }
    best.map(|(value, point)| Extreme { value, place: Place::of(point, middle, floor) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_go_around_from_the_front_over_the_left() {
        let middle = DVec3::new(1.0, 0.0, 2.0);
        let side = |x: f64, z: f64| Place::of(middle + DVec3::new(x, 1.2, z), middle, 0.2).side;
        assert_eq!(
            [side(0.0, 1.0), side(1.0, 0.0), side(0.0, -1.0), side(-1.0, 0.0)],
            ["front", "left", "back", "right"]
        );
        assert_eq!([side(1.0, 1.0), side(1.0, -1.0)], ["front left", "back left"]);
        assert_eq!([side(-1.0, 1.0), side(-1.0, -1.0), side(-1e-9, -1.0)], ["front right", "back right", "back"]);
        let place = Place::of(middle + DVec3::new(0.0, 1.2, 1.0), middle, 0.2);
        assert_eq!(place.to_string(), "front 100 cm");
    }

    #[test]
    fn the_largest_value_is_found_with_its_place() {
        let at = |k: f64| DVec3::new(k, k, 0.0);
        let found =
            largest([(1.0, at(0.1)), (3.0, at(0.2)), (3.0, at(-0.3)), (2.0, at(0.4))].into_iter(), DVec3::ZERO, 0.0);
        let found = found.unwrap();
        assert_eq!((found.value, found.place.side, found.place.height), (3.0, "left", 0.2));
        assert_eq!(largest(std::iter::empty(), DVec3::ZERO, 0.0), None);
    }
}
