//! The stages of the mesh check. Each looks at the triangles that earlier ones left and may change or drop some.

use std::collections::HashMap;

use super::report::{CheckReport, Defect, Element, Place};
use super::winding::orient;
use crate::{Aabb, DVec3, FaceId, Topology, TriMesh, VertexId};

/// Coordinates beyond this [m] are warned about: at 10 km neighbouring numbers in single precision, which most files
/// hold, are a millimetre apart.
pub const FAR_FROM_ORIGIN: f64 = 1e4;

/// Meshes larger than this [m] are warned about: garments and bodies are smaller, and a body in millimetres or
/// centimetres is not.
pub const LARGEST_PLAUSIBLE_EXTENT: f64 = 20.0;

/// Meshes smaller than this [m] are warned about: a body converted from millimetres twice is about 2 mm high.
pub const SMALLEST_PLAUSIBLE_EXTENT: f64 = 5e-3;

/// A triangle whose height is below this fraction of its longest edge has no area: a millionth of a millimetre on
/// an edge of one metre, and a little above rounding where millimetre edges lie a kilometre out.
pub const MIN_RELATIVE_HEIGHT: f64 = 1e-9;

/// The state of a check: the mesh, what is left of its triangles, and the findings so far.
pub(super) struct Inspection<'a> {
    mesh: &'a TriMesh,
    /// Remaining triangles, by number in `mesh`.
    faces: Vec<FaceId>,
    /// Their vertices, welded and oriented, by number in `mesh`.
    triangles: Vec<[VertexId; 3]>,
    pub(super) report: CheckReport,
}

impl<'a> Inspection<'a> {
    /// Runs all stages.
    pub(super) fn run(mesh: &'a TriMesh) -> Self {
        let report = CheckReport::default();
        let mut inspection = Self { mesh, faces: mesh.faces().collect(), triangles: mesh.triangles.clone(), report };
        inspection.warn_about_coordinates();
        let set_aside = inspection.set_aside_unusable();
        let welded = inspection.weld();
        inspection.drop_zero_area();
        inspection.drop_duplicates();
        if set_aside == 0 {
            // Otherwise the triangles set aside would seem to be missing.
            inspection.find_missing(welded);
        }
        inspection.orient_parts();
        inspection
    }

    /// The remaining triangles as a mesh without unused vertices, in the original order.
    pub(super) fn repaired(&self) -> TriMesh {
        let mut number = vec![None; self.mesh.vertex_count()];
        for v in self.triangles.iter().flatten() {
            number[v.index()] = Some(VertexId(0));
        }
        let mut positions = Vec::new();
        for (slot, &p) in number.iter_mut().zip(&self.mesh.positions).filter(|(slot, _)| slot.is_some()) {
            *slot = Some(VertexId::from(positions.len()));
            positions.push(p);
        }
        let renumber = |v: VertexId| number[v.index()].expect("every vertex of a triangle was numbered above");
        TriMesh { positions, triangles: self.triangles.iter().map(|t| t.map(renumber)).collect() }
    }

    fn add(&mut self, defect: Defect, element: Element, position: DVec3, other: Option<Element>) {
        self.report.add(defect, Place { element, position, other });
    }

    /// Adds a finding about a triangle, placed in the middle of those corners that exist.
    fn add_face(&mut self, defect: Defect, face: FaceId, other: Option<Element>) {
        let corners = self.mesh.triangles[face.index()].map(|v| self.mesh.positions.get(v.index()));
        let share = 1.0 / corners.iter().flatten().count() as f64;
        let middle = corners.iter().flatten().map(|&&p| share * p).sum();
        self.add(defect, Element::Face(face), middle, other);
    }

    fn finite_bounds(&self) -> Aabb {
        Aabb::around(self.mesh.positions.iter().copied().filter(|p| p.is_finite()))
    }

    fn warn_about_coordinates(&mut self) {
        for (i, &p) in self.mesh.positions.iter().enumerate() {
            let v = Element::Vertex(VertexId::from(i));
            if !p.is_finite() {
                self.add(Defect::NonFinitePosition, v, p, None);
            } else if p.abs().max_element() > FAR_FROM_ORIGIN {
                self.add(Defect::FarFromOrigin, v, p, None);
            }
        }
        let bounds = self.finite_bounds();
        let extent = bounds.size();
        if extent.max_element() > LARGEST_PLAUSIBLE_EXTENT {
            self.add(Defect::ImplausiblyLarge, Element::Mesh, extent, None);
        } else if !bounds.is_empty() && extent.max_element() < SMALLEST_PLAUSIBLE_EXTENT {
            self.add(Defect::ImplausiblySmall, Element::Mesh, extent, None);
        }
    }

    /// Takes out triangles that later stages could not look at. The mesh is rejected anyway; the rest is examined
    /// so that the report is complete. Returns their number.
    fn set_aside_unusable(&mut self) -> usize {
        let count = self.mesh.vertex_count();
        self.retain(|inspection, face, t| {
            let missing = t.into_iter().find(|v| v.index() >= count);
            if let Some(v) = missing {
                inspection.add_face(Defect::IndexOutOfRange, face, Some(Element::Vertex(v)));
            }
            missing.is_none() && t.iter().all(|&v| inspection.mesh.position(v).is_finite())
        });
        self.mesh.face_count() - self.faces.len()
    }

    /// Replaces every vertex by the first one at the same place. Returns whether each vertex was replaced.
    fn weld(&mut self) -> Vec<bool> {
        let mut first_at: HashMap<[u64; 3], VertexId> = HashMap::with_capacity(self.mesh.vertex_count());
        let mut first = Vec::with_capacity(self.mesh.vertex_count());
        for (i, &p) in self.mesh.positions.iter().enumerate() {
            let v = VertexId::from(i);
            if !p.is_finite() {
                first.push(v);
                continue;
            }
            // Adding zero turns −0 into +0, which are equal but differ in bits.
            let key = (p + 0.0).to_array().map(f64::to_bits);
            let target = *first_at.entry(key).or_insert(v);
            if target != v {
                self.add(Defect::DuplicateVertex, Element::Vertex(v), p, Some(Element::Vertex(target)));
            }
            first.push(target);
        }
        for t in &mut self.triangles {
            *t = t.map(|v| first[v.index()]);
        }
        first.iter().enumerate().map(|(i, target)| target.index() != i).collect()
    }

    fn drop_zero_area(&mut self) {
        self.retain(|inspection, face, t| {
            let has_area = has_area(t.map(|v| inspection.mesh.position(v)));
            if !has_area {
                inspection.add_face(Defect::ZeroArea, face, None);
            }
            has_area
        });
    }

    fn drop_duplicates(&mut self) {
        let mut first_with: HashMap<[VertexId; 3], FaceId> = HashMap::with_capacity(self.faces.len());
        self.retain(|inspection, face, mut t| {
            t.sort_unstable();
            let first = *first_with.entry(t).or_insert(face);
            if first != face {
                inspection.add_face(Defect::DuplicateFace, face, Some(Element::Face(first)));
            }
            first == face
        });
    }

    /// Reports an empty mesh, and vertices that were not welded and are in no remaining triangle.
    fn find_missing(&mut self, welded: Vec<bool>) {
        if self.faces.is_empty() {
            let extent = self.finite_bounds().size();
            self.add(Defect::Empty, Element::Mesh, extent, None);
        }
        let mut is_accounted_for = welded;
        for v in self.triangles.iter().flatten() {
            is_accounted_for[v.index()] = true;
        }
        for (i, &p) in self.mesh.positions.iter().enumerate().filter(|&(i, _)| !is_accounted_for[i]) {
            self.add(Defect::IsolatedVertex, Element::Vertex(VertexId::from(i)), p, None);
        }
    }

    /// Reports edges with more than two triangles, then gives each part one winding.
    fn orient_parts(&mut self) {
        let positions = self.mesh.positions.clone();
        let topology = Topology::new(&TriMesh { positions, triangles: self.triangles.clone() });
        let mut crowded: Vec<_> = topology.non_manifold.iter().map(|&(e, _)| e).collect();
        crowded.sort_unstable();
        crowded.dedup();
        let winding = orient(&self.triangles, &topology, &crowded);
        for (defect, edges) in [(Defect::NonManifoldEdge, crowded), (Defect::NotOrientable, winding.conflicts)] {
            for e in edges {
                let ends = topology.edges[e.index()].ends;
                let [a, b] = ends.map(|v| 0.5 * self.mesh.position(v));
                self.add(defect, Element::Edge(ends), a + b, None);
            }
        }
        for k in winding.flips {
            self.triangles[k].swap(1, 2);
            self.add_face(Defect::InconsistentWinding, self.faces[k], None);
        }
    }

    /// Keeps the triangles for which `keep` holds, which may add findings.
    fn retain(&mut self, mut keep: impl FnMut(&mut Self, FaceId, [VertexId; 3]) -> bool) {
        let (faces, triangles) = (std::mem::take(&mut self.faces), std::mem::take(&mut self.triangles));
        for (face, t) in faces.into_iter().zip(triangles) {
            if keep(self, face, t) {
                self.faces.push(face);
                self.triangles.push(t);
            }
        }
    }
}

/// Whether the height of a triangle is above [`MIN_RELATIVE_HEIGHT`] of its longest edge.
///
/// With edges `u`, `v`: height / longest = `|u × v| / longest²`. The corners are halved, so that no difference
/// overflows, and the edges are scaled, so that no product does. A comparison with NaN is false: no area. Swapping
/// the last two corners changes no bit of the answer, so flipping a triangle cannot make it degenerate.
fn has_area(corners: [DVec3; 3]) -> bool {
    let [a, b, c] = corners.map(|p| 0.5 * p);
    let edges = [b - a, c - a, c - b];
    let scale = edges.iter().fold(0.0, |m: f64, e| m.max(e.abs().max_element()));
    let [u, v, w] = edges.map(|e| e / scale);
    let longest_sq = u.length_squared().max(v.length_squared()).max(w.length_squared());
    u.cross(v).length() > MIN_RELATIVE_HEIGHT * longest_sq
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn area_is_relative_to_the_edges() {
        for size in [f64::MIN_POSITIVE, 1e-200, 1e-6, 1.0, 1e200, f64::MAX] {
            assert!(has_area([DVec3::ZERO, size * DVec3::X, size * DVec3::Y]), "{size}");
            assert!(!has_area([DVec3::ZERO, size * DVec3::X, 0.5 * size * DVec3::X]), "{size}");
        }
        let needle = |height: f64| [DVec3::ZERO, DVec3::X, DVec3::new(0.5, height, 0.0)];
        assert!(has_area(needle(2e-9)) && !has_area(needle(0.5e-9)));
        assert!(!has_area([DVec3::ONE; 3]) && !has_area([DVec3::ZERO, DVec3::X, DVec3::NAN]));
        assert!(has_area([DVec3::MIN, DVec3::MAX, DVec3::new(f64::MAX, 0.0, 0.0)]));
    }

    proptest! {
        #[test]
        fn flipping_does_not_change_whether_a_triangle_has_area(
            x in prop::array::uniform3(prop::array::uniform3(-1.0..1.0_f64)),
            squash in 1e-10..1e-8_f64,
        ) {
            let [a, b, c] = x.map(|p| DVec3::new(p[0], squash * p[1], squash * p[2]));
            prop_assert_eq!(has_area([a, b, c]), has_area([a, c, b]));
        }
    }
}
