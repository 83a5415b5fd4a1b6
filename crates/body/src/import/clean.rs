//! The first look at a scan: one connected part whose triangles are wound alike, two at each edge at most.
//!
//! Vertices nearer than [`WELD`] of the size are one: exporters split them at normals, textures and parts. Edges with three or more
//! triangles keep the two that have the fewest other faults. Where the winding cannot be made alike, the triangle that comes last is dropped;
//! what is missing then is closed as a hole.

use std::collections::{HashMap, HashSet};

use toile_mesh::{DVec3, FaceId, Topology, TriMesh, VertexId, triangle_area};

use super::ImportError;

/// Distance at which vertices are welded, over the largest extent: some hundredths of a millimetre, far above the rounding of files.
const WELD: f64 = 1e-5;

/// Rounds of dropping triangles; each may uncover a few others.
const ROUNDS: usize = 8;

pub(super) struct Cleaned {
    pub(super) mesh: TriMesh,
    /// The vertex of the file that each vertex is, shape `[vertices]`.
    pub(super) source: Vec<u32>,
    pub(super) welded: usize,
    /// Triangles without area or twice there.
    pub(super) dropped: usize,
    /// Triangles on edges with more than two, or wound against all others.
    pub(super) mended: usize,
    /// Parts, and their triangles.
    pub(super) left_out: [usize; 2],
}

pub(super) fn clean(mesh: TriMesh) -> Result<Cleaned, ImportError> {
    if let Some(v) = mesh.positions.iter().position(|p| !p.is_finite() || p.abs().max_element() > 1e6) {
        return Err(ImportError::new(format!("vertex {v} is not at a usable place"), "export the scan again"));
    }
    let count = mesh.vertex_count();
    if let Some(t) = mesh.triangles.iter().position(|t| t.iter().any(|v| v.index() >= count)) {
        return Err(ImportError::new(format!("triangle {t} names a missing vertex"), "export the scan again"));
    }
    let triangles = mesh.face_count();
    let (mut mesh, source, welded) = weld(mesh);
    let dropped = triangles - mesh.face_count();
    let left_out = largest_part(&mut mesh)?;
    let before = mesh.face_count();
    for _ in 0..ROUNDS {
        let faces = mesh.face_count();
        without_crowds(&mut mesh);
        wind_alike(&mut mesh);
        untie(&mut mesh);
        // What was dropped may have cut something off.
        largest_part(&mut mesh)?;
        if mesh.face_count() == faces {
            break;
        }
    }
    let mended = before - mesh.face_count();
    let source = compact(&mut mesh, &source);
    Ok(Cleaned { mesh, source, welded, dropped, mended, left_out })
}

/// Keeps the chosen triangles.
fn keep_only(mesh: &mut TriMesh, keep: &[bool]) {
    let mut kept = keep.iter();
    mesh.triangles.retain(|_| kept.next().copied().unwrap_or(true));
}

/// Welds vertices at one place; drops triangles without area and those whose vertices another one has. Returns the first vertex of the file
/// at each place, and how many were welded.
fn weld(mesh: TriMesh) -> (TriMesh, Vec<u32>, usize) {
    let size = mesh.bounds().size().max_element();
    let reach = if size > 0.0 { WELD * size } else { 1.0 };
    let cell_of = |p: DVec3| (p / (2.0 * reach)).floor().to_array().map(|x| x as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(mesh.vertex_count());
    let mut positions: Vec<DVec3> = Vec::new();
    let mut source: Vec<u32> = Vec::new();
    let mut number: Vec<u32> = Vec::with_capacity(mesh.vertex_count());
    for (v, p) in mesh.positions.iter().enumerate() {
        let found = neighbours(cell_of(*p - reach), cell_of(*p + reach))
            .filter_map(|cell| cells.get(&cell))
            .flatten()
            .copied()
            .filter(|u| positions[*u as usize].distance_squared(*p) <= reach * reach)
            .min();
        number.push(found.unwrap_or_else(|| {
            let new = positions.len() as u32;
            positions.push(*p);
            source.push(v as u32);
            cells.entry(cell_of(*p)).or_default().push(new);
            new
        }));
    }
    let welded = mesh.vertex_count() - positions.len();
    let mut seen = HashSet::with_capacity(mesh.face_count());
    let mut triangles = mesh.triangles;
    triangles.retain_mut(|t| {
        *t = t.map(|v| VertexId(number[v.index()]));
        let mut key = *t;
        key.sort_unstable();
        triangle_area(t.map(|v| positions[v.index()])) > 0.0 && seen.insert(key)
    });
    (TriMesh { positions, triangles }, source, welded)
}

/// The cells from one corner to another.
fn neighbours(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (low[0]..=high[0])
        .flat_map(move |x| (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| [x, y, z])))
}

/// Edges as pairs of ascending vertices with the triangles on them, sorted.
fn sides(mesh: &TriMesh) -> Vec<([VertexId; 2], u32)> {
    let mut sides: Vec<([VertexId; 2], u32)> = Vec::with_capacity(3 * mesh.face_count());
    for (f, [a, b, c]) in mesh.triangles.iter().enumerate() {
        for (u, v) in [(a, b), (b, c), (c, a)] {
            sides.push(([*u.min(v), *u.max(v)], f as u32));
        }
    }
    sides.sort_unstable();
    sides
}

/// Of the triangles on an edge with more than two, keeps the two with the fewest borders and crowded edges.
fn without_crowds(mesh: &mut TriMesh) {
    let sides = sides(mesh);
    let mut faults = vec![0_u32; mesh.face_count()];
    for edge in sides.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge.len() != 2) {
        for (_, face) in edge {
            faults[*face as usize] += 1;
        }
    }
    let mut keep = vec![true; mesh.face_count()];
    for edge in sides.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge.len() > 2) {
        let mut faces: Vec<u32> = edge.iter().map(|(_, face)| *face).filter(|face| keep[*face as usize]).collect();
        faces.sort_by_key(|face| (faults[*face as usize], *face));
        for face in faces.iter().skip(2) {
            keep[*face as usize] = false;
        }
    }
    keep_only(mesh, &keep);
}

/// Turns triangles so that neighbours wind alike; drops those for which two neighbours disagree.
fn wind_alike(mesh: &mut TriMesh) {
    let sides = sides(mesh);
    let mut beside: Vec<[Option<u32>; 3]> = vec![[None; 3]; mesh.face_count()];
    for edge in sides.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge.len() == 2) {
        for [here, there] in [[edge[0].1, edge[1].1], [edge[1].1, edge[0].1]] {
            if let Some(slot) = beside[here as usize].iter_mut().find(|slot| slot.is_none()) {
                *slot = Some(there);
            }
        }
    }
    let mut is_wound = vec![false; mesh.face_count()];
    let mut keep = vec![true; mesh.face_count()];
    for start in 0..mesh.face_count() {
        if is_wound[start] {
            continue;
        }
        is_wound[start] = true;
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(here) = queue.pop_front() {
            if !keep[here] {
                continue;
            }
            for there in beside[here].iter().flatten().map(|f| *f as usize) {
                let is_alike = !runs_along(mesh.triangles[here], mesh.triangles[there]);
                if !is_wound[there] {
                    is_wound[there] = true;
                    if !is_alike {
                        mesh.triangles[there].swap(1, 2);
                    }
                    queue.push_back(there);
                } else if !is_alike && keep[there] {
                    keep[there.max(here)] = false;
                    if there < here {
                        break;
                    }
                }
            }
        }
    }
    keep_only(mesh, &keep);
}

/// Whether two triangles go along their common edge in one direction, as neighbours must not.
fn runs_along(a: [VertexId; 3], b: [VertexId; 3]) -> bool {
    (0..3).any(|i| (0..3).any(|k| a[i] == b[k] && a[(i + 1) % 3] == b[(k + 1) % 3]))
}

/// Keeps the part with the largest area, connected over vertices; returns the number of parts left out and their triangles.
fn largest_part(mesh: &mut TriMesh) -> Result<[usize; 2], ImportError> {
    let topology = Topology::new(mesh);
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
    mesh.triangles.retain(|t| part_of(t) == largest);
    Ok([parts - 1, before - mesh.face_count()])
}

/// Drops all triangles but the largest fan around vertices where several fans meet.
fn untie(mesh: &mut TriMesh) {
    let topology = Topology::new(mesh);
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
    keep_only(mesh, &keep);
}

/// Drops vertices that no triangle uses; returns the vertex of the file for each that is left.
fn compact(mesh: &mut TriMesh, source: &[u32]) -> Vec<u32> {
    let mut is_used = vec![false; mesh.vertex_count()];
    for v in mesh.triangles.iter().flatten() {
        is_used[v.index()] = true;
    }
    let mut number = vec![VertexId(0); mesh.vertex_count()];
    let (mut positions, mut kept) = (Vec::new(), Vec::new());
    for v in (0..mesh.vertex_count()).filter(|v| is_used[*v]) {
        number[v] = VertexId::from(positions.len());
        positions.push(mesh.positions[v]);
        kept.push(source[v]);
    }
    for v in mesh.triangles.iter_mut().flatten() {
        *v = number[v.index()];
    }
    mesh.positions = positions;
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate;

    #[test]
    fn a_band_with_a_half_twist_is_cut_open() {
        // Twenty quadrilaterals around a circle, the last joined to the first upside down.
        let n = 20;
        let at = |k: u32, side: f64| {
            let t = f64::from(k) / f64::from(n);
            let (s, c) = (std::f64::consts::PI * t).sin_cos();
            let out = DVec3::new((std::f64::consts::TAU * t).cos(), 0.0, (std::f64::consts::TAU * t).sin());
            out * (1.0 + 0.2 * side * c) + DVec3::Y * (0.2 * side * s)
        };
        let positions: Vec<DVec3> = (0..n).flat_map(|k| [at(k, -1.0), at(k, 1.0)]).collect();
        let mut triangles = Vec::new();
        for k in 0..n {
            let (a, b) = (2 * k, 2 * k + 1);
            let [c, d] = if k + 1 < n { [2 * k + 2, 2 * k + 3] } else { [1, 0] };
            triangles.extend([[a, c, b], [b, c, d]]);
        }
        let cleaned = clean(TriMesh::from_indices(positions, &triangles)).unwrap();
        assert!(cleaned.mended > 0 && cleaned.mesh.face_count() >= 36, "{}", cleaned.mended);
        assert!(toile_mesh::check::repair(cleaned.mesh).is_ok());
    }

    #[test]
    fn a_fin_goes_and_the_ball_stays() {
        let ball = generate::icosphere(1.0, 2);
        // The fin comes first in the file.
        let [a, b, _] = ball.corners(FaceId(7));
        let mut mesh = TriMesh::from_indices(vec![a, b, 1.4 * a], &[[0, 1, 2]]);
        mesh.append(&ball);
        let cleaned = clean(mesh).unwrap();
        assert_eq!((cleaned.mended, cleaned.mesh.face_count()), (1, ball.face_count()));
        assert!(Topology::new(&cleaned.mesh).is_closed());
        for (p, v) in cleaned.mesh.positions.iter().zip(&cleaned.source) {
            assert!(*v < 3 || *p == ball.positions[*v as usize - 3]);
        }
    }

    #[test]
    fn vertices_apart_by_the_rounding_of_a_file_are_one() {
        let ball = generate::icosphere(1.0, 2);
        let mut split = TriMesh::default();
        for (k, f) in ball.faces().enumerate() {
            let shift = 1e-7 * DVec3::new((k as f64).sin(), (2.0 * k as f64).sin(), (3.0 * k as f64).cos());
            let corners = ball.corners(f).map(|p| p + shift);
            split.append(&TriMesh::from_indices(corners.to_vec(), &[[0, 1, 2]]));
        }
        let cleaned = clean(split).unwrap();
        assert_eq!((cleaned.mesh.vertex_count(), cleaned.mesh.face_count()), (ball.vertex_count(), ball.face_count()));
    }
}
