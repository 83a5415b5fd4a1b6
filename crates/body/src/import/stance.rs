//! Which way a scan stands, and in what unit it was written.
//!
//! - Up is the longest extent. If another is nearly as long (arms held level), left and right are mirror images and top and
//!   bottom are not: of the two, the axis along which the area is spread less evenly about its middle is up.
//! - The end that is cut into two loops near its tip has the feet; a scan whose feet are above is turned over.
//! - The front is where the toes are: the shortest extent, in the direction from the ankles to the lowest twentieth.
//! - The unit is that of metres, centimetres, millimetres and inches which makes the height nearest to that of a grown person.

use std::fmt;

use toile_mesh::{DMat3, DVec3, TriMesh, triangle_area};

use super::{Axis, ImportError, ImportSettings};
use crate::measure::{Plane, chain_length, section};

/// Unit of length of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unit {
    Metres,
    Centimetres,
    Millimetres,
    Inches,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 4] = [Self::Metres, Self::Centimetres, Self::Millimetres, Self::Inches];

    /// Its length [m].
    pub const fn metres(self) -> f64 {
        match self {
            Self::Metres => 1.0,
            Self::Centimetres => 0.01,
            Self::Millimetres => 0.001,
            Self::Inches => 0.0254,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metres => "metres",
            Self::Centimetres => "centimetres",
            Self::Millimetres => "millimetres",
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

pub(super) struct Stance {
    pub(super) unit: Unit,
    pub(super) up: Axis,
    pub(super) front: Axis,
}

pub(super) fn find(mesh: &TriMesh, settings: &ImportSettings) -> Result<Stance, ImportError> {
    if let Some(axis) = [settings.up, settings.front].into_iter().flatten().find(|axis| axis.number > 2) {
        return Err(ImportError::new(format!("there is no axis {}", axis.number), "axes are 0, 1, 2 for x, y, z"));
    }
    let up = settings.up.unwrap_or_else(|| find_up(mesh));
    let front = settings.front.unwrap_or_else(|| find_front(mesh, up));
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
    Ok(Stance { unit, up, front })
}

fn direction(axis: Axis) -> DVec3 {
    let unit = DVec3::AXES[usize::from(axis.number)];
    if axis.is_negative { -unit } else { unit }
}

impl Stance {
    /// Turns, scales and places a scan.
    pub(super) fn apply(&self, mesh: &mut TriMesh) {
        let (up, front) = (direction(self.up), direction(self.front));
        let turn = DMat3::from_cols(up.cross(front), up, front).transpose();
        let scale = self.unit.metres();
        for p in &mut mesh.positions {
            *p = scale * (turn * *p);
        }
        let middle = area_weighted(mesh, |_| true);
        let floor = mesh.bounds().min.y;
        for p in &mut mesh.positions {
            *p -= DVec3::new(middle.x, floor, middle.z);
        }
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

fn find_front(mesh: &TriMesh, up: Axis) -> Axis {
    let size = mesh.bounds().size();
    let up_number = usize::from(up.number);
    let [a, b] = match up_number {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    };
    let axis = if size[a] < size[b] { a } else { b };
    let bounds = mesh.bounds();
    let height = |p: DVec3| {
        let share = (p[up_number] - bounds.min[up_number]) / size[up_number];
        if up.is_negative { 1.0 - share } else { share }
    };
    let foot = area_weighted(mesh, |p| height(p) < 0.035);
    let shank = area_weighted(mesh, |p| (0.06..0.14).contains(&height(p)));
    Axis { number: axis as u8, is_negative: foot[axis] < shank[axis] }
}
