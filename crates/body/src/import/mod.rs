//! Scans made into bodies.
//!
//! 1. `clean`: vertices at one place are welded, triangles without area, duplicates and those that crowd an edge dropped, the
//!    largest part kept, neighbours wound alike.
//! 2. `stance`: which axis is up, where the front is, in what unit the file was written. The body is turned, scaled and put on
//!    the floor. Up is an axis of the file; the front may be anywhere around it.
//! 3. `holes`: closed by a patch that continues its surroundings. Then the surface is turned outward, by its volume.
//! 4. `decimate`: fewer triangles, if asked for.
//!
//! A file with an animation is imported in its rest pose; [`Import::frame`] carries any other frame of it along.
//!
//! What was assumed and what was mended is in the [`ImportReport`]. Limits: bodies stand upright with their feet apart; a scan
//! that intersects itself is not untangled.

mod clean;
mod decimate;
mod holes;
pub mod makehuman;
mod stance;

use std::fmt;

use toile_mesh::{DVec3, Topology, TriMesh, signed_volume};

use crate::mannequin::fair::{Neighbours, fair};

pub use decimate::decimate;
pub(crate) use holes::close_flat;
pub use stance::Unit;

/// An axis of a file with a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    /// 0, 1, 2 for x, y, z.
    pub number: u8,
    /// Whether it points against the coordinate.
    pub is_negative: bool,
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = ["x", "y", "z"].get(usize::from(self.number)).copied().unwrap_or("?");
        write!(f, "{}{letter}", if self.is_negative { "−" } else { "+" })
    }
}

/// What is known about a scan, and what is wanted. The default finds everything out and keeps all triangles.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ImportSettings {
    /// Unit of length of the file.
    pub unit: Option<Unit>,
    /// Axis of the file that is up.
    pub up: Option<Axis>,
    /// Axis of the file that the body looks along.
    pub front: Option<Axis>,
    /// Triangles that the body should have at most.
    pub triangles: Option<usize>,
}

/// What was assumed about a scan and mended in it.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportReport {
    /// Unit of length of the file.
    pub unit: Unit,
    /// Axis of the file that is up.
    pub up: Axis,
    /// Axis of the file nearest to where the body looks.
    pub front: Axis,
    /// Angle from that axis to where it looks, about the vertical [rad].
    pub heading: f64,
    /// Height of the body [m].
    pub height: f64,
    /// Vertices welded with others at their place.
    pub welded: usize,
    /// Triangles dropped: without area, or twice there.
    pub dropped: usize,
    /// Triangles dropped: on an edge with two others, or wound against all others.
    pub mended: usize,
    /// Parts left out, and their triangles.
    pub left_out: [usize; 2],
    /// Holes closed, and the triangles of their patches.
    pub closed: [usize; 2],
    /// Whether the surface was turned outward.
    pub turned: bool,
    /// Triangles before and after decimation.
    pub decimated: [usize; 2],
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unit, up, front, heading, height, welded, dropped, left_out, closed, decimated, .. } = self;
        write!(f, "taken as {unit}, {up} up, looking along {front}")?;
        if *heading != 0.0 {
            write!(f, " turned by {:.0}°", heading.to_degrees())?;
        }
        write!(f, ": {height:.3} m high")?;
        let mut mended = Vec::new();
        if *welded + *dropped > 0 {
            mended.push(format!("{welded} vertices welded, {dropped} triangles dropped"));
        }
        if self.mended > 0 {
            mended.push(format!("{} triangles dropped that did not fit the surface", self.mended));
        }
        if left_out[0] > 0 {
            mended.push(format!("{} small parts of {} triangles left out", left_out[0], left_out[1]));
        }
        if closed[0] > 0 {
            mended.push(format!("{} holes closed with {} triangles", closed[0], closed[1]));
        }
        if self.turned {
            mended.push("turned inside out".to_owned());
        }
        if decimated[0] != decimated[1] {
            mended.push(format!("{} of {} triangles kept", decimated[1], decimated[0]));
        }
        if mended.is_empty() { Ok(()) } else { write!(f, "; {}", mended.join("; ")) }
    }
}

/// Why a mesh cannot be made into a body.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message}; {help}")]
pub struct ImportError {
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

impl ImportError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// Makes a scan into a closed body of metres that stands on y = 0 and looks along +z.
///
/// ```
/// use toile_body::{Figure, Given, Specification, draft, import};
/// let body = draft(&Specification { triangles: 5_000, ..Specification::new(Figure::Female, Given::NONE) })?;
/// let inches = body.mesh.clone().map_positions(|p| p / 0.0254);
/// let (mesh, report) = import::import(inches, &import::ImportSettings::default())?;
/// assert_eq!(report.to_string(), "taken as inches, +y up, looking along +z: 1.680 m high");
/// assert!((mesh.bounds().max.y - body.mesh.bounds().max.y).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn import(mesh: TriMesh, settings: &ImportSettings) -> Result<(TriMesh, ImportReport), ImportError> {
    let before = Import::new(mesh, settings)?;
    let mut report = before.report;
    let mut mesh = before.mesh;
    if let Some(wanted) = settings.triangles {
        mesh = decimate(&mesh, wanted);
        report.decimated[1] = mesh.face_count();
        report.height = mesh.bounds().size().y;
    }
    Ok((mesh, report))
}

/// A body with the way from its file to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    /// The body, closed; never decimated.
    pub mesh: TriMesh,
    /// What was assumed and mended.
    pub report: ImportReport,
    /// The vertex of the file that each of the first vertices is; those after them close holes.
    source: Vec<u32>,
    placing: stance::Placing,
}

impl Import {
    /// Imports the rest pose of a file; [`ImportSettings::triangles`] is left to the caller.
    pub fn new(mesh: TriMesh, settings: &ImportSettings) -> Result<Self, ImportError> {
        let clean::Cleaned { mut mesh, source, welded, dropped, mended, left_out } = clean::clean(mesh)?;
        let stance = stance::find(&mesh, settings)?;
        let placing = stance.apply(&mut mesh);
        let closed = holes::close(&mut mesh)?;
        let turned = signed_volume(&mesh) < 0.0;
        if turned {
            for triangle in &mut mesh.triangles {
                triangle.swap(1, 2);
            }
        }
        if !Topology::new(&mesh).is_closed() {
            let help = "close them in a mesh editor and export again";
            return Err(ImportError::new("some holes could not be closed", help));
        }
        let report = ImportReport {
            unit: stance.unit,
            up: stance.up,
            front: stance.front,
            heading: stance.heading,
            height: mesh.bounds().size().y,
            welded,
            dropped,
            mended,
            left_out,
            closed,
            turned,
            decimated: [mesh.face_count(); 2],
        };
        Ok(Self { mesh, report, source, placing })
    }

    /// Another frame of the file, with all its vertices, as positions of the body [m]; patches over holes are as fair as in the rest
    /// pose.
    ///
    /// # Panics
    ///
    /// If the frame has fewer vertices than the file.
    pub fn frame(&self, frame: &[DVec3]) -> Vec<DVec3> {
        let known = self.source.len();
        let mut positions: Vec<DVec3> = self.source.iter().map(|v| self.placing.apply(frame[*v as usize])).collect();
        positions.extend_from_slice(&self.mesh.positions[known..]);
        if positions.len() > known {
            let triangles: Vec<[u32; 3]> = self.mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect();
            let neighbours = Neighbours::of_polygons(positions.len(), &triangles);
            let free: Vec<bool> = (0..positions.len()).map(|v| v >= known).collect();
            fair(&mut positions, &neighbours, &free);
        }
        positions
    }
}
