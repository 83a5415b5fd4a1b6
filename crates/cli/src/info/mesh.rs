//! Facts about a mesh as it stands in its file, before any repair.

use std::path::Path;

use serde_json::{Value, json};
use toile_mesh::check::{self, CheckReport, Defect, Severity};
use toile_mesh::{Aabb, Topology, TriMesh, VertexId, signed_volume, triangle_angles};

use super::{Sheet, short};
use crate::check::{counted, read_mesh};

pub(super) fn sheet(path: &Path) -> miette::Result<Sheet> {
    let mesh = read_mesh(path)?;
    let topology = Topology::new(&mesh);
    let report = check::check(&mesh);
    let file = path.display().to_string();
    let mut sheet = Sheet::default();
    sheet.fact("mesh", file.clone(), file);
    for (key, count) in [
        ("vertices", mesh.vertex_count()),
        ("triangles", mesh.face_count()),
        ("edges", topology.edges.len()),
        ("parts", part_count(&mesh, &topology)),
    ] {
        sheet.fact(key, count.to_string(), count);
    }
    let (edges, loops) = (topology.border_edges().count(), border_loops(&topology));
    let words = if topology.is_closed() { "yes" } else { "no" };
    sheet.fact("closed", words, topology.is_closed());
    let words = format!("{} of {}", counted(loops, "border"), counted(edges, "edge"));
    let words = if loops == 0 { "none".to_owned() } else { words };
    sheet.fact("borders", words, json!({ "count": loops, "edges": edges }));
    bounds(&mut sheet, mesh.bounds());
    sheet.fact("area", format!("{} m²", short(mesh.area())), mesh.area());
    if let Some(volume) = volume(&mesh, &topology, &report) {
        let inward = if volume < 0.0 { " (the triangles wind inward)" } else { "" };
        sheet.fact("volume", format!("{} m³{inward}", short(volume)), volume);
    }
    let [min, mean, max] = edge_lengths(&mesh, &topology);
    let words = format!("shortest {} m, mean {} m, longest {} m", short(min), short(mean), short(max));
    sheet.fact("edge_lengths", words, json!({ "shortest": min, "mean": mean, "longest": max }));
    let angle = smallest_angle(&mesh).to_degrees();
    sheet.fact("smallest_angle", format!("{}°", short(angle)), angle);
    let (words, verdict) = verdict(&report);
    sheet.fact("check", words, verdict);
    Ok(sheet)
}

fn bounds(sheet: &mut Sheet, bounds: Aabb) {
    let words = |p: toile_mesh::DVec3| p.to_array().map(short).join(", ");
    let size = bounds.size().to_array().map(short).join(" × ");
    sheet.fact("size", format!("{size} m"), json!(bounds.size().to_array()));
    let value = json!({ "min": bounds.min.to_array(), "max": bounds.max.to_array() });
    sheet.fact("bounds", format!("({}) to ({}) m", words(bounds.min), words(bounds.max)), value);
}

/// Connected parts that have triangles.
fn part_count(mesh: &TriMesh, topology: &Topology) -> usize {
    let mut parts: Vec<u32> = mesh.triangles.iter().map(|t| topology.part_of_vertex[t[0].index()]).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.len()
}

/// Connected groups of border edges: their vertices, less one for every edge that joins two groups (union–find).
fn border_loops(topology: &Topology) -> usize {
    let mut parent: Vec<u32> = (0..topology.part_of_vertex.len() as u32).collect();
    let mut is_border = vec![false; parent.len()];
    let mut joins = 0;
    for edge in topology.edges.iter().filter(|e| e.is_border()) {
        let [a, b] = edge.ends.map(|v| {
            is_border[v.index()] = true;
            root(&mut parent, v.0)
        });
        joins += usize::from(a != b);
        parent[a as usize] = b;
    }
    is_border.iter().filter(|b| **b).count() - joins
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

/// Volume [m³] of a mesh that has one: closed, and wound alike throughout.
fn volume(mesh: &TriMesh, topology: &Topology, report: &CheckReport) -> Option<f64> {
    let is_wound = report.count(Defect::InconsistentWinding) + report.count(Defect::NotOrientable) == 0;
    (topology.is_closed() && is_wound).then(|| signed_volume(mesh))
}

/// Shortest, mean and longest edge [m].
fn edge_lengths(mesh: &TriMesh, topology: &Topology) -> [f64; 3] {
    let length = |ends: [VertexId; 2]| mesh.position(ends[0]).distance(mesh.position(ends[1]));
    let (mut min, mut sum, mut max) = (f64::INFINITY, 0.0, 0.0_f64);
    for length in topology.edges.iter().map(|e| length(e.ends)) {
        (min, sum, max) = (min.min(length), sum + length, max.max(length));
    }
    [min, sum / topology.edges.len() as f64, max]
}

/// Smallest interior angle of all triangles [rad].
fn smallest_angle(mesh: &TriMesh) -> f64 {
    mesh.faces().flat_map(|f| triangle_angles(mesh.corners(f))).fold(f64::INFINITY, f64::min)
}

fn verdict(report: &CheckReport) -> (&'static str, Value) {
    match report.worst() {
        None => ("no defects", json!("clean")),
        Some(Severity::Warn) => ("usable, with warnings; see `toile check`", json!("warning")),
        Some(Severity::Repair) => ("usable after repair; see `toile check`", json!("repair")),
        Some(Severity::Reject) => ("cannot be used; see `toile check`", json!("reject")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{DVec3, generate};

    fn loops(mesh: &TriMesh) -> usize {
        border_loops(&Topology::new(mesh))
    }

    #[test]
    fn borders_are_counted_as_loops() {
        let sheet = generate::plane([1.0, 1.0], [5, 5]);
        assert_eq!(loops(&sheet), 1);
        assert_eq!(loops(&generate::icosphere(1.0, 1)), 0);
        let mut two = sheet.clone();
        two.append(&sheet.clone().map_positions(|p| p + DVec3::Y));
        assert_eq!(loops(&two), 2);
        // A hole in the middle of a sheet has a border of its own.
        let mut holed = generate::plane([1.0, 1.0], [8, 8]);
        let middle = |p: DVec3| p.x.abs() < 0.2 && p.z.abs() < 0.2;
        let corners = holed.positions.clone();
        holed.triangles.retain(|t| !t.iter().all(|v| middle(corners[v.index()])));
        assert_eq!(loops(&holed), 2);
    }

    #[test]
    fn isolated_vertices_are_no_parts() {
        let mut mesh = generate::plane([1.0, 1.0], [3, 3]);
        mesh.positions.push(DVec3::ONE);
        assert_eq!(part_count(&mesh, &Topology::new(&mesh)), 1);
    }

    #[test]
    fn an_open_mesh_has_no_volume_and_a_box_has_its_own() {
        let volume = |mesh: &TriMesh| volume(mesh, &Topology::new(mesh), &check::check(mesh));
        assert_eq!(volume(&generate::plane([1.0, 1.0], [3, 3])), None);
        let cuboid = generate::cuboid(DVec3::new(1.0, 2.0, 3.0), 1);
        assert!((volume(&cuboid).unwrap() - 6.0).abs() < 1e-12);
        let mut mixed = cuboid;
        mixed.triangles[0].swap(1, 2);
        assert_eq!(volume(&mixed), None);
    }

    #[test]
    fn lengths_and_angles_of_a_right_triangle() {
        let mesh = TriMesh::from_indices(vec![DVec3::ZERO, 4.0 * DVec3::X, 3.0 * DVec3::Y], &[[0, 1, 2]]);
        assert_eq!(edge_lengths(&mesh, &Topology::new(&mesh)), [3.0, 4.0, 5.0]);
        assert!((smallest_angle(&mesh) - 0.75_f64.atan()).abs() < 1e-12);
    }
}
