//! What the mesh check says: defects, their verdicts, and where they are.

use std::fmt;

use crate::{DVec3, FaceId, VertexId};

/// Most places listed per defect; beyond these only the count grows.
pub const MAX_PLACES: usize = 8;

/// What becomes of a mesh with a defect, mildest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The mesh is used as it is; the result may disappoint.
    Warn,
    /// [`repair`](super::repair) removes the defect.
    Repair,
    /// The mesh cannot be used.
    Reject,
}

/// A kind of defect. The order is that of the report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Defect {
    /// No vertices, no triangles, or no triangle left after the repairs.
    Empty,
    /// A coordinate is NaN or infinite.
    NonFinitePosition,
    /// A triangle names a vertex that does not exist.
    IndexOutOfRange,
    /// An edge has more than two triangles.
    NonManifoldEdge,
    /// A part has no consistent winding, like a Möbius strip.
    NotOrientable,
    /// A vertex is at the place of an earlier one.
    DuplicateVertex,
    /// A triangle has no area: its height is below [`MIN_RELATIVE_HEIGHT`](super::MIN_RELATIVE_HEIGHT) of its
    /// longest edge, or it names a vertex twice.
    ZeroArea,
    /// A triangle has the same vertices as an earlier one, in any order.
    DuplicateFace,
    /// A triangle winds against its neighbours.
    InconsistentWinding,
    /// A vertex belongs to no triangle, or only to dropped ones.
    IsolatedVertex,
    /// A coordinate is beyond [`FAR_FROM_ORIGIN`](super::FAR_FROM_ORIGIN).
    FarFromOrigin,
    /// The mesh is larger than [`LARGEST_PLAUSIBLE_EXTENT`](super::LARGEST_PLAUSIBLE_EXTENT).
    ImplausiblyLarge,
    /// The mesh is smaller than [`SMALLEST_PLAUSIBLE_EXTENT`](super::SMALLEST_PLAUSIBLE_EXTENT).
    ImplausiblySmall,
}

impl Defect {
    /// The fixed verdict.
    pub fn severity(self) -> Severity {
        match self {
            Self::Empty
            | Self::NonFinitePosition
            | Self::IndexOutOfRange
            | Self::NonManifoldEdge
            | Self::NotOrientable => Severity::Reject,
            Self::DuplicateVertex
            | Self::ZeroArea
            | Self::DuplicateFace
            | Self::InconsistentWinding
            | Self::IsolatedVertex => Severity::Repair,
            Self::FarFromOrigin | Self::ImplausiblyLarge | Self::ImplausiblySmall => Severity::Warn,
        }
    }

    /// What is wrong, as the end of a sentence about the place.
    pub fn description(self) -> &'static str {
        match self {
            Self::Empty => "there are no triangles to simulate",
            Self::NonFinitePosition => "a coordinate is not a finite number",
            Self::IndexOutOfRange => "a vertex number is out of range",
            Self::NonManifoldEdge => "more than two triangles meet",
            Self::NotOrientable => "the winding cannot be made consistent, as on a Möbius strip",
            Self::DuplicateVertex => "another vertex is at the same place",
            Self::ZeroArea => "the triangle has no area",
            Self::DuplicateFace => "another triangle has the same vertices",
            Self::InconsistentWinding => "the triangle winds against its neighbours",
            Self::IsolatedVertex => "no triangle uses the vertex",
            Self::FarFromOrigin => "the position is far from the origin",
            Self::ImplausiblyLarge => "the mesh is larger than clothing and bodies are",
            Self::ImplausiblySmall => "the mesh is smaller than clothing and bodies are",
        }
    }

    /// What the repair does, or what the user can do.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Empty => "export the mesh with its triangles",
            Self::NonFinitePosition => "export the mesh again, or delete the vertex",
            Self::IndexOutOfRange => "the file is damaged or cut off: export it again",
            Self::NonManifoldEdge => "separate the sheets that meet there, or delete the inner ones",
            Self::NotOrientable => "cut the part open along one line",
            Self::DuplicateVertex => "repaired by welding the two",
            Self::ZeroArea | Self::DuplicateFace => "repaired by dropping the triangle",
            Self::InconsistentWinding => "repaired by flipping the triangle",
            Self::IsolatedVertex => "repaired by removing the vertex",
            Self::FarFromOrigin => "move the mesh to the origin, or precision suffers",
            Self::ImplausiblyLarge => "if the file is in millimetres or centimetres, convert it to metres",
            Self::ImplausiblySmall => "if the file was in metres already, do not convert it again",
        }
    }
}

/// A part of a mesh, by its number in the mesh that was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// The mesh as a whole.
    Mesh,
    /// A vertex.
    Vertex(VertexId),
    /// A triangle.
    Face(FaceId),
    /// The edge between two vertices.
    Edge([VertexId; 2]),
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh => write!(f, "mesh"),
            Self::Vertex(v) => write!(f, "vertex {v}"),
            Self::Face(face) => write!(f, "triangle {face}"),
            Self::Edge([a, b]) => write!(f, "edge {a}–{b}"),
        }
    }
}

/// Where a defect is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Place {
    /// The defective element.
    pub element: Element,
    /// Its position [m]: the vertex, or the middle of a triangle or edge; for the whole mesh its extent [m].
    pub position: DVec3,
    /// The earlier element that it repeats, or the vertex number that is out of range.
    pub other: Option<Element>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DVec3 { x, y, z } = self.position;
        match self.element {
            Element::Mesh => write!(f, "mesh of extent {x:.6} × {y:.6} × {z:.6} m")?,
            element => write!(f, "{element} at ({x:.6}, {y:.6}, {z:.6}) m")?,
        }
        self.other.map_or(Ok(()), |other| write!(f, " ({other})"))
    }
}

/// All occurrences of one defect.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The defect.
    pub defect: Defect,
    /// How often it occurs.
    pub count: usize,
    /// The first places, at most [`MAX_PLACES`].
    pub places: Vec<Place>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.defect.severity() {
            Severity::Warn => "warning",
            Severity::Repair => "repair",
            Severity::Reject => "reject",
        };
        write!(f, "{verdict}: ")?;
        for (i, place) in self.places.iter().enumerate() {
            write!(f, "{}{place}", if i == 0 { "" } else { ", " })?;
        }
        if self.count > self.places.len() {
            write!(f, " and {} more", self.count - self.places.len())?;
        }
        write!(f, ": {}; {}", self.defect.description(), self.defect.remedy())
    }
}

/// The findings of a mesh check, one per kind of defect.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CheckReport {
    /// In the order of [`Defect`].
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// Whether nothing was found, not even a warning.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// The gravest verdict, `None` for a clean mesh.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.defect.severity()).max()
    }

    /// The finding about a defect, if it occurs.
    pub fn finding(&self, defect: Defect) -> Option<&Finding> {
        self.findings.iter().find(|f| f.defect == defect)
    }

    /// How often a defect occurs.
    pub fn count(&self, defect: Defect) -> usize {
        self.finding(defect).map_or(0, |f| f.count)
    }

    pub(super) fn add(&mut self, defect: Defect, place: Place) {
        let at = self.findings.partition_point(|f| f.defect < defect);
        if self.findings.get(at).is_none_or(|f| f.defect != defect) {
            self.findings.insert(at, Finding { defect, count: 0, places: Vec::new() });
        }
        let finding = &mut self.findings[at];
        finding.count += 1;
        if finding.places.len() < MAX_PLACES {
            finding.places.push(place);
        }
    }
}

impl fmt::Display for CheckReport {
    /// One line per finding.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, finding) in self.findings.iter().enumerate() {
            write!(f, "{}{finding}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for CheckReport {}
