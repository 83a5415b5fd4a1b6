//! [`Route`]: where a walker is and where it looks.
//!
//! Straight on, or up and down a catwalk: straight on, half a turn with short steps, back, half a turn. In a turn of the
//! duration `D` the heading grows by `π u² (3 − 2 u)`, `u = t / D`, and the speed falls to a share and rises again; the position is the
//! integral of both, tabulated with its exact slopes. Both halves of the lap are the same, the second in the opposite
//! direction, so the lap closes exactly.

use std::f64::consts::PI;

use toile_mesh::DVec3;

use super::cycle::hermite;
use crate::posture::ease;

/// From 0 to 1 with bounded curvature: a heading that grows like this turns no faster than half as much again as evenly.
fn turned(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

/// Share of the speed that is left in the middle of a turn.
const SPEED_IN_TURN: f64 = 0.32;

/// Samples of half a lap.
const SAMPLES: usize = 512;

/// Where a walker goes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Route {
    /// Speed on the straight [m/s].
    speed: f64,
    lap: Option<Lap>,
}

#[derive(Clone, PartialEq, Debug)]
struct Lap {
    /// Durations of the straight and the turn [s].
    straight: f64,
    turn: f64,
    /// Position at equal times over half a lap [m].
    places: Vec<DVec3>,
}

/// Position on the floor [m], heading about y [rad], 0 along +z, and how much of a turn this is, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Waypoint {
    pub(super) place: DVec3,
    pub(super) heading: f64,
    pub(super) turning: f64,
}

impl Waypoint {
    /// Unit vector ahead.
    pub(super) fn ahead(&self) -> DVec3 {
        ahead(self.heading)
    }

    /// Unit vector to the left.
    pub(super) fn left(&self) -> DVec3 {
        DVec3::new(self.heading.cos(), 0.0, -self.heading.sin())
    }
}

/// 1 in the middle of a turn, 0 at its ends and on the straight; `u` is the share of the turn that is done.
fn slowed(u: f64) -> f64 {
    ease(u / 0.3) * ease((1.0 - u) / 0.3)
}

fn ahead(heading: f64) -> DVec3 {
    DVec3::new(heading.sin(), 0.0, heading.cos())
}

impl Route {
    /// Straight on along +z.
    pub(super) fn straight(speed: f64) -> Self {
        Self { speed, lap: None }
    }

    /// Up and down; durations of a straight and a turn [s].
    pub(super) fn lap(speed: f64, straight: f64, turn: f64) -> Self {
        let mut route = Self { speed, lap: Some(Lap { straight, turn, places: Vec::new() }) };
        let h = (straight + turn) / SAMPLES as f64;
        let velocity = |t: f64| route.velocity(t);
        let mut places = vec![DVec3::ZERO];
        for k in 0..SAMPLES {
            let t = h * k as f64;
            let step = h / 6.0 * (velocity(t) + 4.0 * velocity(t + 0.5 * h) + velocity(t + h));
            places.push(places[k] + step);
        }
        if let Some(lap) = &mut route.lap {
            lap.places = places;
        }
        route
    }

    /// Velocity in the first half of a lap [m/s].
    fn velocity(&self, t: f64) -> DVec3 {
        let Some(lap) = &self.lap else { return self.speed * DVec3::Z };
        let u = (t - lap.straight) / lap.turn;
        self.speed * (1.0 - (1.0 - SPEED_IN_TURN) * slowed(u)) * ahead(PI * turned(u))
    }

    /// Duration of a lap [s], if it has laps.
    pub(super) fn duration(&self) -> Option<f64> {
        self.lap.as_ref().map(|lap| 2.0 * (lap.straight + lap.turn))
    }

    /// Where the walker is at a time [s]; headings grow from lap to lap.
    pub(super) fn at(&self, t: f64) -> Waypoint {
        let Some(lap) = &self.lap else {
            return Waypoint { place: self.speed * t * DVec3::Z, heading: 0.0, turning: 0.0 };
        };
        let half = lap.straight + lap.turn;
        let index = (t / half).floor();
        let (t, is_back) = (t - index * half, index.rem_euclid(2.0) == 1.0);
        let h = half / SAMPLES as f64;
        let k = ((t / h) as usize).min(SAMPLES - 1);
        let (t0, t1) = (h * k as f64, h * (k + 1) as f64);
        let (p, v) = ([lap.places[k], lap.places[k + 1]], [self.velocity(t0), self.velocity(t1)]);
        let axis = |i: usize| hermite(p.map(|p| p[i]), v.map(|v| v[i]), h, (t - t0) / h);
        let way = DVec3::new(axis(0), 0.0, axis(2));
        let place = if is_back { lap.places[SAMPLES] - way } else { way };
        let u = (t - lap.straight) / lap.turn;
        Waypoint { place, heading: PI * (index + turned(u)), turning: slowed(u) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_closes_and_moves_where_it_looks() {
        let route = Route::lap(1.3, 3.0, 2.0);
        let lap = route.duration().unwrap();
        assert!((route.at(lap).place - route.at(0.0).place).length() < 1e-12);
        assert!((route.at(lap).heading - 2.0 * PI).abs() < 1e-12);
        for k in 0..2000 {
            let (t, h) = (0.005 * f64::from(k), 1e-6);
            let [before, after] = [t - h, t].map(|t| (route.at(t + h).place - route.at(t).place) / h);
            assert!((before - after).length() < 1e-3, "{t}");
            assert!(after.cross(route.at(t).ahead()).length() < 1e-3 && after.dot(route.at(t).ahead()) > 0.3);
        }
    }

    #[test]
    fn left_is_left() {
        let route = Route::straight(1.0);
        let here = route.at(2.0);
        assert_eq!((here.place, here.ahead(), here.left()), (2.0 * DVec3::Z, DVec3::Z, DVec3::X));
    }
}
