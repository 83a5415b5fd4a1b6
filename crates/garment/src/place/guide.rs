//! [`Guide`]: a convex curve around a body, along which panels are laid.

use toile_body::measure::{Plane, taut_around};
use toile_mesh::{DVec2, DVec3};

/// A convex closed curve in the x–z plane, from the centre front towards the left.
pub(super) struct Guide {
    points: Vec<DVec2>,
    along: Vec<f64>,
}

impl Guide {
    /// The hull of some points, `margin` [m] away from them. Points are `(x, z)`.
    pub(super) fn around(points: &[DVec2], margin: f64) -> Self {
        let directions = 48;
        let circle = |k: usize| DVec2::from_angle(std::f64::consts::TAU * k as f64 / directions as f64);
        // The hull of circles around the hull is the hull, offset.
        let lift = |p: DVec2| DVec3::new(p.x, 0.0, p.y);
        let level = Plane::level(0.0);
        let inner = taut_around(&points.iter().copied().map(lift).collect::<Vec<_>>(), level);
        let grown: Vec<DVec3> =
            inner.iter().flat_map(|p| (0..directions).map(move |k| *p + margin * lift(circle(k)))).collect();
        let hull = taut_around(&grown, level);
        let mut hull: Vec<DVec2> = hull.iter().map(|p| DVec2::new(p.x, p.z)).collect();
        let area: f64 = (0..hull.len()).map(|i| hull[i].perp_dot(hull[(i + 1) % hull.len()])).sum();
        // From the front (+z) towards the left (+x) is clockwise in (x, z).
        if area > 0.0 {
            hull.reverse();
        }
        let front = start_at_front(&mut hull);
        hull.insert(0, front);
        hull.push(front);
        let mut along = vec![0.0];
        for pair in hull.windows(2) {
            along.push(along[along.len() - 1] + pair[0].distance(pair[1]));
        }
        Self { points: hull, along }
    }

    pub(super) fn length(&self) -> f64 {
        self.along[self.along.len() - 1]
    }

    /// Length at which the curve comes to x ≤ 0 again: the centre back.
    pub(super) fn behind(&self) -> f64 {
        let back = (1..self.points.len()).find(|&i| self.points[i].x <= 0.0 && self.points[i - 1].x > 0.0);
        back.map_or(0.5 * self.length(), |i| {
            let (p, q) = (self.points[i - 1], self.points[i]);
            self.along[i - 1] + p.x / (p.x - q.x) * (self.along[i] - self.along[i - 1])
        })
    }

    /// Point at a length from the centre front, to the left.
    pub(super) fn at(&self, s: f64) -> DVec2 {
        let s = s.rem_euclid(self.length());
        let i = self.along.partition_point(|at| *at <= s).clamp(1, self.points.len() - 1);
        let span = self.along[i] - self.along[i - 1];
        let t = if span > 0.0 { (s - self.along[i - 1]) / span } else { 0.0 };
        self.points[i - 1].lerp(self.points[i], t)
    }
}

/// Turns a hull so that it starts behind its crossing of x = 0 in front, and returns the crossing.
pub(super) fn start_at_front(hull: &mut [DVec2]) -> DVec2 {
    let count = hull.len();
    let crossing = (0..count).find(|&i| {
        let (p, q) = (hull[i], hull[(i + 1) % count]);
        p.x < 0.0 && q.x >= 0.0 && 0.5 * (p.y + q.y) > hull.iter().map(|r| r.y).sum::<f64>() / count as f64
    });
    let Some(i) = crossing else { return hull.first().copied().unwrap_or(DVec2::ZERO) };
    let (p, q) = (hull[i], hull[(i + 1) % count]);
    let front = p.lerp(q, -p.x / (q.x - p.x));
    hull.rotate_left((i + 1) % count);
    front
}
