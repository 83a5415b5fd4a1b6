//! The net of quadrilaterals that every mannequin shares, laid over a form.
//!
//! Only the left half (x ≥ 0) is laid; the right one is its mirror image. With the density `n`, half a ring of the trunk
//! has `4n` segments from the middle of the front to the middle of the back, a leg `6n`, an arm `4n`:
//!
//! - The lowest ring of the trunk and a line of `2n` segments below the crotch bound the leg.
//! - The trunk leaves out `n × n` quadrilaterals at the side, between armpit and shoulder point; their border is the
//!   first ring of the arm.
//! - The crown is a grid whose border is the last ring of the head; fingers and toes close likewise.
//!
//! Nothing here depends on sizes: vertex 1234 is at the same place of every body of one density, and so may carry
//! weights, landmarks or clothes from one body to another. Vertices around the joins are *free*: the fairing places them.

use std::f64::consts::{FRAC_PI_3, PI, TAU};

use toile_mesh::DVec3;

use super::form::{Form, point};
use crate::skeleton::Joint;

/// Density of the net.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Density {
    /// Segments of a quarter of the arm.
    pub(super) n: usize,
    /// Rows per column, over the usual number.
    pub(super) rows: f64,
}

/// Triangles of a mannequin of density 1 with the usual number of rows.
const TRIANGLES: f64 = 428.0;

impl Density {
    /// The density that comes nearest to a number of triangles.
    pub(super) fn for_triangles(triangles: usize) -> Self {
        let n = (triangles as f64 / TRIANGLES).sqrt().floor().max(2.0);
        Self { n: n as usize, rows: triangles as f64 / (TRIANGLES * n * n) }
    }

    fn rows(self, share: f64) -> usize {
        (share * self.rows * self.n as f64).round().max(1.0) as usize
    }
}

/// Square of the radius of the crown's border over that of the head.
const CROWN: f64 = 0.5;

/// Vertices that measurements need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub(super) crotch: u32,
    pub(super) neck_side: u32,
    pub(super) shoulder: u32,
    pub(super) elbow: u32,
    pub(super) wrist: u32,
}

/// The left half of the net.
pub(super) struct Half {
    pub(super) positions: Vec<DVec3>,
    pub(super) quads: Vec<[u32; 4]>,
    /// Vertices the fairing may move.
    pub(super) free: Vec<bool>,
    /// Vertices in the plane of symmetry.
    pub(super) middle: Vec<bool>,
    /// The joint whose bone each vertex belongs to.
    pub(super) bones: Vec<Joint>,
    pub(super) marks: Marks,
    /// The bone of the vertices being added.
    bone: Joint,
}

/// Rows of the trunk that others refer to.
struct Rows {
    heights: Vec<f64>,
    bust: usize,
    armpit: usize,
    neck_side: usize,
}

impl Half {
    /// Lays the net over a form.
    pub(super) fn lay(form: &Form, density: Density) -> Self {
        let mut half = Self {
            positions: Vec::new(),
            quads: Vec::new(),
            free: Vec::new(),
            middle: Vec::new(),
            bones: Vec::new(),
            marks: Marks::default(),
            bone: Joint::Pelvis,
        };
        let rows = trunk_rows(form, density);
        let trunk = half.trunk(form, density, &rows);
        half.crown(form, density, trunk.last().map_or(&[], Vec::as_slice));
        half.leg(form, density, &trunk);
        half.arm(form, density, &trunk, &rows);
        half.marks.neck_side = trunk[rows.neck_side][2 * density.n];
        half
    }

    fn add(&mut self, position: DVec3, free: bool, middle: bool) -> u32 {
        self.positions.push(if middle { point(0.0, position.y, position.z) } else { position });
        self.free.push(free);
        self.middle.push(middle);
        self.bones.push(self.bone);
        (self.positions.len() - 1) as u32
    }

    fn trunk(&mut self, form: &Form, density: Density, rows: &Rows) -> Vec<Vec<u32>> {
        let n = density.n;
        let (first, last) = hole_columns(n);
        let (low, high) = (rows.armpit, rows.armpit + n);
        let reach = n.div_ceil(2);
        let mut grid = Vec::new();
        for (i, &y) in rows.heights.iter().enumerate() {
            self.bone = spine(form, y);
            let ring = (0..=4 * n).map(|j| {
                // Inside the hole nothing is needed; a place is kept so that rows stay whole.
                let inside = i > low && i < high && j > first && j < last;
                if inside {
                    return u32::MAX;
                }
                let near_arm = i > rows.bust
                    && i + 2 * reach >= low
                    && i <= high + reach / 2
                    && j + reach >= first
                    && j <= last + reach;
                let near_crotch = i < reach && (j < n || j > 3 * n) || i == 0;
                let is_shoulder = i == high && j == 2 * n;
                let position = if is_shoulder {
                    form.trunk.shoulder_point()
                } else {
                    form.trunk.at(y, PI * j as f64 / (4 * n) as f64)
                };
                self.add(position, (near_arm || near_crotch) && !is_shoulder, j == 0 || j == 4 * n)
            });
            let ring: Vec<u32> = ring.collect();
            grid.push(ring);
        }
        self.marks.shoulder = grid[high][2 * n];
        for i in 0..grid.len() - 1 {
            for j in 0..4 * n {
                if i >= low && i < high && j >= first && j < last {
                    continue;
                }
                self.quads.push([grid[i][j], grid[i][j + 1], grid[i + 1][j + 1], grid[i + 1][j]]);
            }
        }
        grid
    }

    /// Closes the last ring of the head by a grid of `n × 2n` on the cap of an ellipsoid.
    fn crown(&mut self, form: &Form, density: Density, ring: &[u32]) {
        let n = density.n;
        let at = |half: &Self, j: usize| half.positions[ring[j] as usize];
        let (front, side, back) = (at(self, 0), at(self, 2 * n), at(self, 4 * n));
        let middle = 0.5 * (front.z + back.z);
        let dome = |p: DVec3| {
            let across = (p.x / side.x).powi(2) + ((p.z - middle) / (front.z - middle)).powi(2);
            let rise = |rho_sq: f64| (1.0 - CROWN * rho_sq.min(1.0)).sqrt();
            let share = (rise(across) - rise(1.0)) / (1.0 - rise(1.0));
            point(p.x, front.y + share * (form.levels.top - front.y), p.z)
        };
        self.grid([n, 2 * n], false, |half, u, v| match (u, v) {
            (u, 0) => ring[u],
            (u, v) if u == n => ring[n + v],
            (u, v) if v == 2 * n => ring[4 * n - u],
            (u, v) => {
                let flat = at(half, u).lerp(at(half, 4 * n - u), v as f64 / (2 * n) as f64);
                half.add(dome(flat), false, u == 0)
            }
        });
    }

    /// The line of `2n` segments below the crotch, from the middle of the back to the middle of the front.
    fn crotch_line(&mut self, form: &Form, n: usize, [front, back]: [u32; 2]) -> Vec<u32> {
        self.bone = Joint::Pelvis;
        let [front, back] = [front, back].map(|v| self.positions[v as usize]);
        let crotch = point(0.0, form.levels.crotch, -0.012 * form.levels.top);
        let place = |k: usize| {
            let t = k as f64 / (2 * n) as f64;
            let line = back.lerp(front, t);
            if k == n { crotch } else { point(0.0, line.y + (PI * t).sin() * (crotch.y - line.y), line.z) }
        };
        let line: Vec<u32> = (1..2 * n).map(|k| self.add(place(k), k != n, true)).collect();
        self.marks.crotch = line[n - 1];
        line
    }

    fn leg(&mut self, form: &Form, density: Density, trunk: &[Vec<u32>]) {
        let n = density.n;
        let l = &form.levels;
        let start = bottom(form);
        let mut ring = trunk[0].clone();
        ring.extend(self.crotch_line(form, n, [trunk[0][0], trunk[0][4 * n]]));
        let angle = |k: usize| FRAC_PI_3 * (1.0 + k as f64 / n as f64);
        let mut heights: Vec<(f64, bool)> = Vec::new();
        let steps = [
            (start, l.thigh, 0.9, true),
            (l.thigh, l.knee, 2.0, false),
            (l.knee, l.calf, 1.0, false),
            (l.calf, l.ankle, 1.6, false),
        ];
        for (from, to, share, free) in steps {
            let count = density.rows(share);
            heights.extend((1..=count).map(|i| (from + (to - from) * i as f64 / count as f64, free && i < count)));
        }
        for (y, free) in heights {
            self.bone = if y > l.knee { Joint::LeftHip } else { Joint::LeftKnee };
            let next = (0..6 * n).map(|k| self.add(form.leg.at(y, angle(k)), free, false)).collect();
            ring = self.bridge(&ring, next, true);
        }
        let count = density.rows(2.6);
        self.bone = Joint::LeftAnkle;
        for i in 1..=count {
            let way = i as f64 / count as f64;
            let next = (0..6 * n).map(|k| self.add(form.leg.foot.at(way, angle(k)), false, false)).collect();
            ring = self.bridge(&ring, next, true);
        }
        self.close(&ring, [2 * n, 6 * n - n / 2], 0.004 * l.top * DVec3::Z, true);
    }

    fn arm(&mut self, form: &Form, density: Density, trunk: &[Vec<u32>], rows: &Rows) {
        let n = density.n;
        let (first, last) = hole_columns(n);
        let (low, high) = (rows.armpit, rows.armpit + n);
        let mut ring: Vec<u32> = (first..last).map(|j| trunk[low][j]).collect();
        ring.extend((low..high).map(|i| trunk[i][last]));
        ring.extend((first + 1..=last).rev().map(|j| trunk[high][j]));
        ring.extend((low + 1..=high).rev().map(|i| trunk[i][first]));
        let [elbow, wrist, tip] = form.arm.places();
        let angle = |k: usize| TAU * (k as f64 - 0.5 * n as f64) / (4 * n) as f64;
        let settled = form.arm.free_to();
        let steps = [
            (0.0, settled, 1.0, true),
            (settled, elbow, 1.7, false),
            (elbow, wrist, 1.8, false),
            (wrist, wrist + 0.985 * (tip - wrist), 1.7, false),
        ];
        let bones = [Joint::LeftShoulder, Joint::LeftShoulder, Joint::LeftElbow, Joint::LeftWrist];
        for (part, (from, to, share, free)) in steps.into_iter().enumerate() {
            self.bone = bones[part];
            let count = density.rows(share);
            for i in 1..=count {
                let place = from + (to - from) * i as f64 / count as f64;
                let next =
                    (0..4 * n).map(|k| self.add(form.arm.at(place, angle(k)), free && i < count, false)).collect();
                ring = self.bridge(&ring, next, false);
            }
            match part {
                1 => self.marks.elbow = ring[5 * n / 2],
                2 => self.marks.wrist = ring[5 * n / 2],
                _ => {}
            }
        }
        let across = (n / 3).max(1);
        // Long sides on the inside and the outside of the hand.
        let bulge = 0.003 * form.levels.top * form.arm.direction(tip);
        self.close(&ring, [2 * n - across, 4 * n - (n - across) / 2], bulge, false);
    }

    /// Joins a ring to the next one and returns the latter. `downward`: the next ring lies below, as seen from the front.
    fn bridge(&mut self, ring: &[u32], next: Vec<u32>, downward: bool) -> Vec<u32> {
        let count = ring.len();
        for k in 0..count {
            let k1 = (k + 1) % count;
            self.quads.push(if downward {
                [ring[k], next[k], next[k1], ring[k1]]
            } else {
                [ring[k], ring[k1], next[k1], next[k]]
            });
        }
        next
    }

    /// Closes a ring by a grid whose first long side of `long` segments begins at ring vertex `start`; its middle stands out
    /// by `bulge`.
    fn close(&mut self, ring: &[u32], [long, start]: [usize; 2], bulge: DVec3, downward: bool) {
        let count = ring.len();
        let short = count / 2 - long;
        let border = |k: usize| ring[(start + k) % count];
        self.grid([long, short], downward, |half, u, v| match (u, v) {
            (u, 0) => border(u),
            (u, v) if u == long => border(long + v),
            (u, v) if v == short => border(2 * long + short - u),
            (0, v) => border(count - v),
            (u, v) => {
                let [a, b] = [border(u), border(2 * long + short - u)].map(|v| half.positions[v as usize]);
                let [s, t] = [u as f64 / long as f64, v as f64 / short as f64];
                half.add(a.lerp(b, t) + 16.0 * s * (1.0 - s) * t * (1.0 - t) * bulge, false, false)
            }
        });
    }

    /// Adds a grid of quadrilaterals between the vertices that `vertex` names, column by column.
    fn grid(&mut self, [long, short]: [usize; 2], flip: bool, vertex: impl Fn(&mut Self, usize, usize) -> u32) {
        let columns: Vec<Vec<u32>> = (0..=long).map(|u| (0..=short).map(|v| vertex(self, u, v)).collect()).collect();
        for pair in columns.windows(2) {
            for v in 0..short {
                let quad = [pair[0][v], pair[1][v], pair[1][v + 1], pair[0][v + 1]];
                self.quads.push(if flip { [quad[0], quad[3], quad[2], quad[1]] } else { quad });
            }
        }
    }
}

/// The joint of the spine whose bone holds a height.
fn spine(form: &Form, y: f64) -> Joint {
    let l = &form.levels;
    let joints = [(l.waist, Joint::Pelvis), (l.bust, Joint::Waist), (l.neck_side, Joint::Chest), (l.chin, Joint::Neck)];
    joints.into_iter().find(|&(end, _)| y < end).map_or(Joint::Head, |(_, joint)| joint)
}

/// First and last column of the hole for the arm.
fn hole_columns(n: usize) -> (usize, usize) {
    let first = 2 * n - n / 2;
    (first, first + n)
}

/// Height of the lowest ring of the trunk [m].
fn bottom(form: &Form) -> f64 {
    let l = &form.levels;
    l.crotch + 0.45 * (l.hip - l.crotch)
}

fn trunk_rows(form: &Form, density: Density) -> Rows {
    let l = &form.levels;
    let head = l.top - l.chin;
    let mut heights = vec![bottom(form)];
    let mut climb = |to: f64, count: usize| {
        let from = heights.last().copied().unwrap_or_default();
        heights.extend((1..=count).map(|i| from + (to - from) * i as f64 / count as f64));
        heights.len() - 1
    };
    climb(l.hip, density.rows(0.4));
    climb(l.waist, density.rows(1.6));
    climb(l.underbust, density.rows(0.9));
    let bust = climb(l.bust, density.rows(0.7));
    let armpit = climb(l.armpit, density.rows(0.5));
    climb(l.acromion, density.n);
    let neck_side = climb(l.neck_side, density.rows(0.9));
    climb(l.chin, density.rows(0.4));
    climb(l.chin + 0.06 * head, density.rows(0.4));
    climb(l.brow, density.rows(1.0));
    climb(l.chin + 0.90 * head, density.rows(0.5));
    Rows { heights, bust, armpit, neck_side }
}
