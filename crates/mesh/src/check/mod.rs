//! The mesh check: every known defect of a triangle mesh with one fixed verdict, and the repairs.
//!
//! | defect | verdict | what happens |
//! |---|---|---|
//! | no vertices, no triangles, or none left after the repairs | reject | |
//! | coordinate NaN or infinite | reject | |
//! | triangle names a vertex that does not exist | reject | |
//! | edge with more than two triangles | reject | |
//! | part that cannot be oriented (Möbius strip) | reject | |
//! | two vertices at the same place | repair | welded: files double vertices along texture seams |
//! | triangle without area | repair | dropped |
//! | two triangles with the same vertices | repair | the later one is dropped |
//! | neighbours winding against each other | repair | the fewer triangles of the part are flipped |
//! | vertex without triangle | repair | removed |
//! | coordinates far from the origin | warn | floating-point resolution suffers |
//! | extent that suggests another unit of length | warn | |
//!
//! [`check`] and [`repair`] run the same stages, in the order weld, drop, orient: the check names exactly what the
//! repair would do. Later stages judge the mesh that earlier ones leave, so a doubled sheet is reported as
//! duplicate triangles, not as many edges with four triangles. Numbers in a report are those of the mesh given.
//!
//! What the repairs cost: parts that touch at equal vertices become one, and if they touch along an edge of closed
//! bodies that edge has four triangles and the mesh is rejected; check such parts one by one. Dropping a
//! triangle whose middle corner lies on its longest edge leaves a slit there, as narrow as the triangle was.
//!
//! ```
//! use toile_mesh::{DVec3, TriMesh, check};
//! let corners = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y, DVec3::ZERO];
//! let (mesh, report) = check::repair(TriMesh::from_indices(corners, &[[0, 1, 2], [4, 3, 2]])).unwrap();
//! assert_eq!((mesh.vertex_count(), mesh.face_count()), (4, 2));
//! assert_eq!(report.count(check::Defect::DuplicateVertex), 1);
//! assert_eq!(report.count(check::Defect::InconsistentWinding), 1);
//! assert!(check::check(&mesh).is_clean());
//! ```

mod report;
mod stages;
mod winding;

pub use report::{CheckReport, Defect, Element, Finding, MAX_PLACES, Place, Severity};
pub use stages::{FAR_FROM_ORIGIN, LARGEST_PLAUSIBLE_EXTENT, MIN_RELATIVE_HEIGHT, SMALLEST_PLAUSIBLE_EXTENT};

use crate::TriMesh;
use stages::Inspection;

/// Names all defects of a mesh. Never fails: any positions and indices can be checked.
pub fn check(mesh: &TriMesh) -> CheckReport {
    Inspection::run(mesh).report
}

/// The mesh with all repairs applied and the report on what it was, or that report alone if it names a reject.
///
/// A repaired mesh has no defects left but warnings, and repairing it again changes nothing. A mesh that needs no
/// repair keeps its numbering.
pub fn repair(mesh: TriMesh) -> Result<(TriMesh, CheckReport), CheckReport> {
    let inspection = Inspection::run(&mesh);
    let repaired = inspection.repaired();
    let report = inspection.report;
    match report.worst() {
        Some(Severity::Reject) => Err(report),
        Some(Severity::Repair) => Ok((repaired, report)),
        Some(Severity::Warn) | None => Ok((mesh, report)),
    }
}
