//! Which way a scan stands, and in what unit it was written.
//!
//! - Up is the longest extent. If another is nearly as long (arms held level), left and right are mirror images and top and
//!   bottom are not: of the two, the axis along which the area is spread less evenly about its middle is up.
//! - The end that is cut into two loops near its tip has the feet; a scan whose feet are above is turned over.
//! - Bodies are wider than deep: across is the direction in which the area is spread most, seen from above. If it is near to an axis of the
//!   file, it is that axis.
//! - The front is where the toes are, in the direction from the ankles to the lowest twentieth. A body without feet looks away from its
//!   seat.
//! - The unit is the one that makes the height nearest to that of a grown person.

use std::fmt;

use toile_mesh::{DMat3, DQuat, DVec3, TriMesh, triangle_area};

use super::{Axis, ImportError, ImportSettings};
use crate::measure::{Plane, chain_length, section};

/// Unit of length of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unit {
    Metres,
    Decimetres,
    Centimetres,
    Millimetres,
    Feet,
    Inches,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 6] =
        [Self::Metres, Self::Decimetres, Self::Centimetres, Self::Millimetres, Self::Feet, Self::Inches];

    /// The unit of a word such as `cm` or `centimetres`.
    ///
    /// ```
    /// use toile_body::import::Unit;
    /// assert_eq!(Unit::from_word("mm"), Some(Unit::Millimetres));
    /// assert_eq!(Unit::from_word("cubits"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.symbol() == word || unit.to_string() == word)
    }

    /// Its symbol.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Metres => "m",
            Self::Decimetres => "dm",
            Self::Centimetres => "cm",
            Self::Millimetres => "mm",
            Self::Feet => "ft",
            Self::Inches => "in",
        }
    }

    /// Its length [m].
    pub const fn metres(self) -> f64 {
        match self {
            Self::Metres => 1.0,
            Self::Decimetres => 0.1,
            Self::Centimetres => 0.01,
            Self::Millimetres => 0.001,
            Self::Feet => 0.3048,
            Self::Inches => 0.0254,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metres => "metres",
            Self::Decimetres => "decimetres",
            Self::Centimetres => "centimetres",
            Self::Millimetres => "millimetres",
            Self::Feet => "feet",
            Self::Inches => "inches",
        })
    }
}

/// Heights of bodies [m].
const HEIGHTS: [f64; 2] = [0.5, 2.5];

/// Height that a guessed unit should come near to [m].
const USUAL: f64 = 1.70;

/// Share by which the longest extent must exceed the next to be up without further question.
const LONGER: f64 = 1.3;

/// Angle within which the direction across is that of an axis of the file [rad].
const SNAP: f64 = 0.05;

pub(super) struct Stance {
    pub(super) unit: Unit,
    pub(super) up: Axis,
    /// The axis nearest to the front.
    pub(super) front: Axis,
    /// Angle from that axis to the front, about the vertical [rad].
    pub(super) heading: f64,
}

/// How points of a file become those of a body: `x ↦ M x + t`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Placing {
    turn: DMat3,
    shift: DVec3,
}

impl Placing {
    pub(super) fn apply(&self, x: DVec3) -> DVec3 {
        self.turn * x + self.shift
    }
}

pub(super) fn find(mesh: &TriMesh, settings: &ImportSettings) -> Result<Stance, ImportError> {
    if let Some(axis) = [settings.up, settings.front].into_iter().flatten().find(|axis| axis.number > 2) {
        return Err(ImportError::new(format!("there is no axis {}", axis.number), "axes are 0, 1, 2 for x, y, z"));
    }
    let up = settings.up.unwrap_or_else(|| find_up(mesh));
    let (front, heading) = match settings.front {
        Some(front) => (front, 0.0),
        None => find_front(mesh, up),
    };
    if up.number == front.number {
        return Err(ImportError::new(format!("{up} cannot be up and in front"), "name two different axes"));
    }
    let extent = mesh.bounds().size()[usize::from(up.number)];
    let height = |unit: &Unit| extent * unit.metres();
    let off = |unit: &Unit| (height(unit) / USUAL).ln().abs();
    let fits = |unit: &Unit| (HEIGHTS[0]..=HEIGHTS[1]).contains(&height(unit));
    let guessed = || Unit::ALL.into_iter().filter(fits).min_by(|a, b| off(a).total_cmp(&off(b)));
    let unit = settings.unit.or_else(guessed).ok_or_else(|| {
        let message = format!("along {up} the scan measures {extent:.4}, the height of a body in no usual unit");
        ImportError::new(message, "say in which unit it is and which axis is up, or scale it to metres")
    })?;
    Ok(Stance { unit, up, front, heading })
}

fn direction(axis: Axis) -> DVec3 {
    let unit = DVec3::AXES[usize::from(axis.number)];
    if axis.is_negative { -unit } else { unit }
}

impl Stance {
    /// Turns, scales and places a scan; returns how.
    pub(super) fn apply(&self, mesh: &mut TriMesh) -> Placing {
        let up = direction(self.up);
        let ahead = direction(self.front);
        let front = if self.heading == 0.0 { ahead } else { DQuat::from_axis_angle(up, self.heading) * ahead };
        let turn = DMat3::from_cols(up.cross(front), up, front).transpose();
        let scale = self.unit.metres();
        for p in &mut mesh.positions {
            *p = scale * (turn * *p);
        }
        let middle = area_weighted(mesh, |_| true);
        let floor = mesh.bounds().min.y;
        let shift = -DVec3::new(middle.x, floor, middle.z);
        for p in &mut mesh.positions {
            *p += shift;
        }
        Placing { turn: turn * scale, shift }
    }
}

/// Middle of the area of the triangles whose middles are chosen.
fn area_weighted(mesh: &TriMesh, chosen: impl Fn(DVec3) -> bool) -> DVec3 {
    let mut sum = DVec3::ZERO;
    let mut total = 0.0;
    for f in mesh.faces() {
        let corners = mesh.corners(f);
        let middle = corners.iter().sum::<DVec3>() / 3.0;
        if chosen(middle) {
            let area = triangle_area(corners);
            sum += area * middle;
            total += area;
        }
    }
    if total > 0.0 { sum / total } else { mesh.bounds().centre() }
}

fn find_up(mesh: &TriMesh) -> Axis {
    let size = mesh.bounds().size();
    let mut order = [0_usize, 1, 2];
    order.sort_by(|a, b| size[*b].total_cmp(&size[*a]));
    let [longest, next, _] = order;
    let is_clear = size[longest] > LONGER * size[next];
    let axis = if is_clear || unevenness(mesh, longest) >= unevenness(mesh, next) { longest } else { next };
    let is_negative = loops_near(mesh, axis, 1.0) == 2 && loops_near(mesh, axis, 0.0) != 2;
    Axis { number: axis as u8, is_negative }
}

/// How far the spread of area along an axis is from its mirror image: 0 for symmetric bodies.
fn unevenness(mesh: &TriMesh, axis: usize) -> f64 {
    const BINS: usize = 24;
    let bounds = mesh.bounds();
    let (low, extent) = (bounds.min[axis], bounds.size()[axis].max(f64::MIN_POSITIVE));
    let mut bins = [0.0; BINS];
    for f in mesh.faces() {
        let corners = mesh.corners(f);
        let place = (corners.iter().map(|p| p[axis]).sum::<f64>() / 3.0 - low) / extent;
        bins[((place * BINS as f64) as usize).min(BINS - 1)] += triangle_area(corners);
    }
    (0..BINS / 2).map(|k| (bins[k] - bins[BINS - 1 - k]).abs()).sum::<f64>() / bins.iter().sum::<f64>()
}

/// Loops of some length in which the scan is cut a little from one end of an axis (0 the lower, 1 the upper).
fn loops_near(mesh: &TriMesh, axis: usize, end: f64) -> usize {
    let bounds = mesh.bounds();
    let extent = bounds.size()[axis];
    let level = bounds.min[axis] + extent * (0.08 + 0.84 * end);
    let unit = DVec3::AXES[axis];
    let loops = section(mesh, Plane { point: level * unit, normal: unit });
    loops.iter().filter(|points| chain_length(points, true) > 0.06 * extent).count()
}

/// The axis of the file nearest to the front, and the angle from there to the front about the vertical [rad].
fn find_front(mesh: &TriMesh, up: Axis) -> (Axis, f64) {
    let bounds = mesh.bounds();
    let number = usize::from(up.number);
    let (low, extent) = (bounds.min[number], bounds.size()[number]);
    let height = |p: DVec3| {
        let share = (p[number] - low) / extent;
        if up.is_negative { 1.0 - share } else { share }
    };
    let vertical = direction(up);
    // The two horizontal axes of the file; the second is the first turned by a right angle about the vertical.
    let first = DVec3::AXES[(number + 1) % 3];
    let second = vertical.cross(first);
    let across = widest(mesh, [first, second]);
    let quarter = std::f64::consts::FRAC_PI_2;
    let nearest = (across / quarter).round() * quarter;
    let across = if (across - nearest).abs() < SNAP { nearest } else { across };
    let mut front = second * across.cos() - first * across.sin();
    let foot = area_weighted(mesh, |p| height(p) < 0.035);
    let shank = area_weighted(mesh, |p| (0.06..0.14).contains(&height(p)));
    let toes = (foot - shank).dot(front);
    let seat = area_weighted(mesh, |p| (0.47..0.54).contains(&height(p)));
    let waist = area_weighted(mesh, |p| (0.58..0.66).contains(&height(p)));
    let is_ahead = if toes.abs() > FOOT * extent { toes > 0.0 } else { (seat - waist).dot(front) < 0.0 };
    if !is_ahead {
        front = -front;
    }
    let axes = [first, second, -first, -second];
    let nearest = (0..4).max_by(|a, b| axes[*a].dot(front).total_cmp(&axes[*b].dot(front))).unwrap_or(0);
    let axis = axes[nearest];
    let named = (0..3_u8).find(|n| axis[usize::from(*n)].abs() > 0.5).unwrap_or(0);
    let heading = axis.cross(front).dot(vertical).atan2(axis.dot(front));
    let heading = if heading.abs() < 1e-9 { 0.0 } else { heading };
    (Axis { number: named, is_negative: axis[usize::from(named)] < 0.0 }, heading)
}

/// How far toes reach in front of the ankle at least, over the height.
const FOOT: f64 = 0.004;

/// Angle of the direction in which the area is spread most, from the first of two axes towards the second [rad].
fn widest(mesh: &TriMesh, axes: [DVec3; 2]) -> f64 {
    let middle = area_weighted(mesh, |_| true);
    let mut moments = [0.0; 3];
    for f in mesh.faces() {
        let corners = mesh.corners(f);
        let area = triangle_area(corners);
        // Exact for a triangle: the mean over the middles of its sides.
        for k in 0..3 {
            let p = 0.5 * (corners[k] + corners[(k + 1) % 3]) - middle;
            let (a, b) = (p.dot(axes[0]), p.dot(axes[1]));
            moments[0] += area * a * a;
            moments[1] += area * a * b;
            moments[2] += area * b * b;
        }
    }
    0.5 * (2.0 * moments[1]).atan2(moments[0] - moments[2])
}
