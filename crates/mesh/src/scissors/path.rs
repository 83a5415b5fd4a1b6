//! A path becomes a row of edges: [`Layout::slit`].
//!
//! The points of the path are made vertices first. Then the path is followed from each to the next: from a vertex `c` at `p`
//! towards `q`, in the direction `d = q − p`, it leaves the triangle `(c, u, v)` in which
//!
//! ```text
//! d × (u − p) ≤ 0 ≤ d × (v − p),      at the share  f = −d × (u − p) / (d × (v − p) − d × (u − p))  of the edge u v
//! ```
//!
//! There the edge is split, or the path goes through `u` or `v` if `f` or `1 − f` is below [`SNAP`]. Every step goes along an
//! edge that there is then, and begins anew from the vertex it has reached: no decision depends on one made before, so the row
//! cannot break, however the numbers are rounded.

use glam::DVec2;

use super::{CutEdge, Layout, cut_edge};

/// Share of an edge, or of the height of a triangle, within which a path goes through what is there already.
pub const SNAP: f64 = 0.25;
/// Sine of the angle by which a path may miss a triangle because of rounding.
const ROUNDING: f64 = 1e-9;

/// Why a path cannot be cut.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PathError {
    /// A point is outside of the cloth.
    Outside {
        /// Its number, from 0.
        point: usize,
        /// How far [m].
        distance: f64,
    },
    /// The path leaves the cloth after a point.
    Leaves {
        /// Its number, from 0.
        point: usize,
        /// Where the cloth ends [m].
        at: DVec2,
    },
    /// It comes to nothing: all its points are at one vertex.
    NoLength,
}

/// The point of a triangle that is nearest to another.
struct Nearest {
    distance: f64,
    shares: [f64; 3],
}

impl Layout {
    /// Splits triangles of a panel so that the path through `points` [m] becomes edges, and marks them as cut by slit `number`; edges
    /// that are cut already stay with the slit that cut them. The first and the last point may be outside: the path then begins or
    /// ends at the border.
    pub fn slit(&mut self, number: u32, points: &[DVec2], panel: u32) -> Result<(), PathError> {
        let points = &self.between_borders(points, panel);
        let mut vertices = Vec::with_capacity(points.len());
        for (point, q) in points.iter().enumerate() {
            vertices.push(self.place(*q, panel).map_err(|distance| PathError::Outside { point, distance })?);
        }
        let mut passed = Vec::new();
        for (point, ends) in vertices.windows(2).enumerate() {
            let places = [point, point + 1].map(|k| points[k]);
            let steps = self.follow([ends[0], ends[1]], places, panel, number);
            passed.extend(steps.map_err(|at| PathError::Leaves { point, at })?);
        }
        match passed.as_slice() {
            [] => Err(PathError::NoLength),
            // Both ends of a single edge are tips, between which nothing could open.
            [[a, b]] if !self.is_at_border(*a) && !self.is_at_border(*b) => {
                self.split_edge(*a, *b, 0.5);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The triangle of a panel that is nearest to a point [m], and how far it is.
    pub fn locate(&self, q: DVec2, panel: u32) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        for f in (0..self.triangles.len()).filter(|f| self.panel[*f] == panel) {
            let distance = nearest(self.flat[f], q).distance;
            if best.is_none_or(|(_, least)| distance < least) {
                best = Some((f as u32, distance));
            }
        }
        best
    }

    /// The points, the first and the last of which are drawn to the border if they are outside.
    fn between_borders(&self, points: &[DVec2], panel: u32) -> Vec<DVec2> {
        let mut inside = points.to_vec();
        if let [.., before, last] = inside.as_mut_slice() {
            *last = self.border_before(*before, *last, panel);
        }
        if let [first, after, ..] = inside.as_mut_slice() {
            *first = self.border_before(*after, *first, panel);
        }
        inside
    }

    /// Where the way from `from` to `to` [m] first meets the border of a panel if it ends outside; else its end.
    fn border_before(&self, from: DVec2, to: DVec2, panel: u32) -> DVec2 {
        let is_inside = |p: DVec2| self.locate(p, panel).is_some_and(|(_, distance)| distance == 0.0);
        if is_inside(to) || !is_inside(from) {
            return to;
        }
        let mut least = 1.0;
        for (f, (t, flat)) in self.triangles.iter().zip(&self.flat).enumerate().filter(|(f, _)| self.panel[*f] == panel)
        {
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                // The sides of a dart are one edge of the panel, but not in its plane.
                let same = |g: &u32, k: usize| self.corner_at(*g, t[k]) == Some(flat[k]);
                let beside = |g: &u32| *g as usize != f && self.panel[*g as usize] == panel && same(g, i) && same(g, j);
                let (way, side) = (to - from, flat[j] - flat[i]);
                let turn = way.perp_dot(side);
                let (along, across) = ((flat[i] - from).perp_dot(side) / turn, (flat[i] - from).perp_dot(way) / turn);
                let meets = (0.0..least).contains(&along) && (-ROUNDING..=1.0 + ROUNDING).contains(&across);
                if meets && !self.at_edge(t[i], t[j]).iter().any(beside) {
                    least = along;
                }
            }
        }
        from.lerp(to, least)
    }

    /// Makes a point a vertex; the distance to the cloth if it is outside.
    fn place(&mut self, q: DVec2, panel: u32) -> Result<u32, f64> {
        let (f, distance) = self.locate(q, panel).ok_or(f64::INFINITY)?;
        let (corners, flat) = (self.triangles[f as usize], self.flat[f as usize]);
        let sides = [0, 1, 2].map(|k| flat[k].distance(flat[(k + 1) % 3]));
        let shortest = sides.into_iter().fold(f64::INFINITY, f64::min);
        if distance > SNAP * shortest {
            return Err(distance);
        }
        let shares = nearest(flat, q).shares;
        let far = |k: &usize| flat[*k].distance(q);
        let corner = (0..3).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
        // The share of a corner is the distance from the edge across, relative to the height over it.
        let across = (0..3).min_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap_or(0);
        let (i, j) = ((across + 1) % 3, (across + 2) % 3);
        let vertex = if far(&corner) <= SNAP * shortest {
            corners[corner]
        } else if shares[across] <= SNAP {
            let along = shares[j] / (shares[i] + shares[j]);
            self.split_edge(corners[i], corners[j], along.clamp(SNAP, 1.0 - SNAP))
        } else {
            self.split_face(f, shares)
        };
        self.draw_to(vertex, q, panel);
        self.fixed[vertex as usize] = true;
        Ok(vertex)
    }

    /// Moves a vertex to `q` beside it, if it can be moved.
    fn draw_to(&mut self, v: u32, q: DVec2, panel: u32) {
        let inside = |f: &u32| self.panel[*f as usize] == panel;
        let far = |f: &u32| nearest(self.flat[*f as usize], q).distance;
        let face =
            self.around(v).iter().copied().filter(inside).min_by(|a, b| far(a).total_cmp(&far(b)).then(a.cmp(b)));
        if let Some(f) = face {
            self.move_vertex(v, f, nearest(self.flat[f as usize], q).shares);
        }
    }

    /// Goes between two vertices near `places` [m] and cuts the edges on the way; returns them, or where the cloth ends if it
    /// does [m].
    fn follow(
        &mut self,
        [from, to]: [u32; 2],
        places: [DVec2; 2],
        panel: u32,
        number: u32,
    ) -> Result<Vec<CutEdge>, DVec2> {
        let ends = self.flat_near(from, panel, places[0]).zip(self.flat_near(to, panel, places[1]));
        let Some((mut p, q)) = ends else { return Ok(Vec::new()) };
        let (mut current, mut passed) = (from, Vec::new());
        // Every triangle is left at most once, and each step splits at most two.
        let most = 4 * self.triangles.len() + 16;
        while current != to && passed.len() < most {
            let next = self.step(current, p, to, q, panel).ok_or(p)?;
            self.fixed[next as usize] = true;
            passed.push(cut_edge(current, next));
            self.slits.entry(cut_edge(current, next)).or_insert(number);
            p = self.flat_beside(next, current, p, panel).ok_or(p)?;
            current = next;
        }
        if current == to { Ok(passed) } else { Err(p) }
    }

    /// One step on the way from vertex `c` at `p` to vertex `to` at `q`: a neighbour that is there or is made.
    fn step(&mut self, c: u32, p: DVec2, to: u32, q: DVec2, panel: u32) -> Option<u32> {
        let d = (q - p).normalize_or_zero();
        let mut best: Option<(f64, u32, usize)> = None;
        for f in self.around(c).iter().copied().filter(|f| self.panel[*f as usize] == panel) {
            let Some(k) = self.corner(f, c).filter(|k| self.flat[f as usize][*k] == p) else { continue };
            if self.triangles[f as usize].contains(&to) {
                return Some(to);
            }
            let [right, left] = self.sides(f, k, d);
            let inside = (-right).min(left);
            if best.is_none_or(|(most, g, _)| inside > most || (inside == most && f < g)) {
                best = Some((inside, f, k));
            }
        }
        let (_, f, k) = best.filter(|(inside, ..)| *inside >= -ROUNDING)?;
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (corners, flat) = (self.triangles[f as usize], self.flat[f as usize]);
        let lengths = [i, j].map(|n| flat[n].distance(p));
        let [right, left] = self.sides(f, k, d);
        let [u, v] = [(-right * lengths[0]).max(0.0), (left * lengths[1]).max(0.0)];
        let share = if u + v > 0.0 { u / (u + v) } else { 0.0 };
        if (SNAP..=1.0 - SNAP).contains(&share) {
            return Some(self.split_edge(corners[i], corners[j], share));
        }
        let (near, far, off) = if share < SNAP { (i, j, share) } else { (j, i, 1.0 - share) };
        let mut shares = [0.0; 3];
        (shares[near], shares[far]) = (1.0 - off, off);
        self.move_vertex(corners[near], f, shares);
        Some(corners[near])
    }

    /// Sines of the angles from the direction `d` to the two sides of triangle `f` at corner `k`, counter-clockwise.
    fn sides(&self, f: u32, k: usize, d: DVec2) -> [f64; 2] {
        let flat = self.flat[f as usize];
        let turn = self.signed_area(f as usize).signum();
        [1, 2].map(|n| turn * d.perp_dot((flat[(k + n) % 3] - flat[k]).normalize_or_zero()))
    }

    /// Where a vertex is in a panel [m]; of several places, which it has on the sides of a dart, the one nearest to `q`.
    fn flat_near(&self, v: u32, panel: u32, q: DVec2) -> Option<DVec2> {
        let inside = self.around(v).iter().filter(|f| self.panel[**f as usize] == panel);
        let places = inside.filter_map(|f| self.corner_at(*f, v).map(|p| (p.distance(q), *f, p)));
        places.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, _, p)| p)
    }

    /// Where a vertex is [m] in a triangle of a panel that it shares with vertex `c` at `p`.
    fn flat_beside(&self, v: u32, c: u32, p: DVec2, panel: u32) -> Option<DVec2> {
        let shared = |f: &&u32| self.panel[**f as usize] == panel && self.corner_at(**f, c) == Some(p);
        let face = self.around(v).iter().filter(shared).min()?;
        self.corner_at(*face, v)
    }
}

/// The point of a flat triangle nearest to `q`.
fn nearest(flat: [DVec2; 3], q: DVec2) -> Nearest {
    let [a, b, c] = flat;
    let area = (b - a).perp_dot(c - a);
    let inside = [(b - q).perp_dot(c - q) / area, (c - q).perp_dot(a - q) / area, (a - q).perp_dot(b - q) / area];
    if inside.iter().all(|s| *s >= 0.0) {
        return Nearest { distance: 0.0, shares: inside };
    }
    let on_side = |k: usize| {
        let (i, j) = (k, (k + 1) % 3);
        let way = flat[j] - flat[i];
        let along = ((q - flat[i]).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        let mut shares = [0.0; 3];
        (shares[i], shares[j]) = (1.0 - along, along);
        Nearest { distance: q.distance(flat[i].lerp(flat[j], along)), shares }
    };
    let [x, y, z] = [0, 1, 2].map(on_side);
    let nearer = |a: Nearest, b: Nearest| if b.distance < a.distance { b } else { a };
    nearer(nearer(x, y), z)
}
