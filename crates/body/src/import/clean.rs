//! The first look at a scan: one connected part whose triangles are wound alike.

use std::collections::HashMap;

use toile_mesh::{DVec3, FaceId, Topology, TriMesh, VertexId, check, triangle_area};

use super::ImportError;

pub(super) struct Cleaned {
    pub(super) mesh: TriMesh,
    pub(super) welded: usize,
    pub(super) dropped: usize,
    /// Parts, and their triangles.
    pub(super) left_out: [usize; 2],
}

/// Rounds of dropping triangles that crowd edges; dropping some can crowd none, so one is enough, and one to be sure.
const ROUNDS: usize = 2;

pub(super) fn clean(mesh: TriMesh) -> Result<Cleaned, ImportError> {
    if let Some(v) = mesh.positions.iter().position(|p| !p.is_finite() || p.abs().max_element() > 1e6) {
        return Err(ImportError::new(format!("vertex {v} is not at a usable place"), "export the scan again"));
    }
    let count = mesh.vertex_count();
    if let Some(t) = mesh.triangles.iter().position(|t| t.iter().any(|v| v.index() >= count)) {
        return Err(ImportError::new(format!("triangle {t} names a missing vertex"), "export the scan again"));
    }
    let triangles = mesh.face_count();
    let (mesh, welded) = weld(mesh);
    let mesh = without_crowds(mesh);
    let dropped = triangles - mesh.face_count();
    let (mesh, left_out) = largest_part(mesh)?;
    // Corners where parts of the surface touch in one vertex would tie holes together.
    let mesh = untied(mesh);
    match check::repair(mesh) {
        Ok((mesh, _)) => Ok(Cleaned { mesh, welded, dropped, left_out }),
        Err(report) => {
            let reasons = report.findings.iter().map(|finding| finding.defect);
            let worst = reasons.max_by_key(|defect| defect.severity());
            let (message, help) = worst.map_or(("no triangles are left", "export the scan again"), |defect| {
                (defect.description(), defect.remedy())
            });
            Err(ImportError::new(message, help))
        }
    }
}

/// Welds vertices at one place; drops triangles without area and those whose vertices another one has.
fn weld(mesh: TriMesh) -> (TriMesh, usize) {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(mesh.vertex_count());
    let mut positions: Vec<DVec3> = Vec::new();
    // Adding zero makes −0 equal to 0.
    let number: Vec<u32> = (mesh.positions.iter())
        .map(|p| {
            *first.entry((*p + 0.0).to_array().map(f64::to_bits)).or_insert_with(|| {
                positions.push(*p);
                positions.len() as u32 - 1
            })
        })
        .collect();
    let welded = mesh.vertex_count() - positions.len();
    let mut seen = std::collections::HashSet::with_capacity(mesh.face_count());
    let mut triangles = mesh.triangles;
    triangles.retain_mut(|t| {
        *t = t.map(|v| VertexId(number[v.index()]));
        let mut key = *t;
        key.sort_unstable();
        triangle_area(t.map(|v| positions[v.index()])) > 0.0 && seen.insert(key)
    });
    (TriMesh { positions, triangles }, welded)
}

/// Drops the triangles that are third or later on an edge.
fn without_crowds(mut mesh: TriMesh) -> TriMesh {
    for _ in 0..ROUNDS {
        let crowding: Vec<FaceId> = Topology::new(&mesh).non_manifold.iter().map(|(_, face)| *face).collect();
        if crowding.is_empty() {
            break;
        }
        let mut keep = vec![true; mesh.face_count()];
        for face in crowding {
            keep[face.index()] = false;
        }
        let mut kept = keep.iter();
        mesh.triangles.retain(|_| kept.next().copied().unwrap_or(true));
    }
    mesh
}

/// The part with the largest area, connected over vertices; parts left out and their triangles.
fn largest_part(mesh: TriMesh) -> Result<(TriMesh, [usize; 2]), ImportError> {
    let topology = Topology::new(&mesh);
    let part_of = |t: &[VertexId; 3]| topology.part_of_vertex[t[0].index()] as usize;
    let mut areas = vec![0.0; topology.part_count as usize];
    for f in mesh.faces() {
        areas[part_of(&mesh.triangles[f.index()])] += triangle_area(mesh.corners(f));
    }
    let largest = (0..areas.len()).max_by(|a, b| areas[*a].total_cmp(&areas[*b]).then(b.cmp(a)));
    let largest = largest
        .filter(|part| areas[*part] > 0.0)
        .ok_or_else(|| ImportError::new("there are no triangles with an area", "export the scan with its triangles"))?;
    let parts = areas.iter().filter(|area| **area > 0.0).count();
    let before = mesh.face_count();
    let triangles: Vec<[VertexId; 3]> = mesh.triangles.iter().filter(|t| part_of(t) == largest).copied().collect();
    let left_out = [parts - 1, before - triangles.len()];
    Ok((TriMesh { positions: mesh.positions, triangles }, left_out))
}

/// Drops all triangles but the largest fan around vertices where several fans meet.
fn untied(mut mesh: TriMesh) -> TriMesh {
    let topology = Topology::new(&mesh);
    let mut keep = vec![true; mesh.face_count()];
    for v in (0..mesh.vertex_count() as u32).map(VertexId) {
        let mut rest: Vec<FaceId> = topology.ring(v).to_vec();
        let mut fans: Vec<Vec<FaceId>> = Vec::new();
        while let Some(start) = rest.pop() {
            let mut fan = vec![start];
            let mut next = 0;
            while next < fan.len() {
                let here = mesh.triangles[fan[next].index()];
                let shares = |f: &FaceId| mesh.triangles[f.index()].iter().filter(|u| here.contains(u)).count() > 1;
                let (joined, apart) = rest.into_iter().partition(shares);
                rest = apart;
                fan.extend::<Vec<FaceId>>(joined);
                next += 1;
            }
            fans.push(fan);
        }
        fans.sort_by_key(|fan| std::cmp::Reverse(fan.len()));
        for face in fans.iter().skip(1).flatten() {
            keep[face.index()] = false;
        }
    }
    let mut kept = keep.iter();
    mesh.triangles.retain(|_| kept.next().copied().unwrap_or(true));
    mesh
}
