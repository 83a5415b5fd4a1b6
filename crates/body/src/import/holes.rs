//! Closing holes.
//!
//! A hole is a loop of border edges. It is filled with rings that shrink toward its middle, each with as many points as keeps
//! its edges about as long as those of the border, and the gaps between rings are zipped with triangles. Where the points go
//! is then decided by fairing (`fair`): the patch continues its surroundings without a crease, independent of where the
//! points were begun. Around holes of a jagged outline such a patch may fold; one that intersects anything is replaced by the
//! triangles between the vertices of the hole that have the least area (Barequet and Sharir 1995, "Filling gaps in the
//! boundary of a polyhedron").

use toile_mesh::{DVec3, TriMesh, VertexId, judge, triangle_area};

use super::ImportError;
use crate::mannequin::fair::{Neighbours, fair};

/// Border edges of one hole at most: beyond, the scan is not a closed body with flaws but a sheet.
const LONGEST: usize = 4_000;

/// Rings of a patch at most.
const MOST_RINGS: usize = 60;

/// Border edges up to which a patch that folds is replaced.
const MOST_REPLACED: usize = 200;

/// Closes all holes; their number and that of the triangles added.
pub(super) fn close(mesh: &mut TriMesh) -> Result<[usize; 2], ImportError> {
    let loops = border_loops(mesh)?;
    let (known, before) = (mesh.vertex_count(), mesh.face_count());
    // Where the triangles of each patch begin.
    let mut starts = Vec::with_capacity(loops.len());
    for border in &loops {
        if border.len() > LONGEST {
            let message = format!("a hole of {} edges", border.len());
            return Err(ImportError::new(message, "close it in a mesh editor: the surface is open by design"));
        }
        starts.push(mesh.face_count());
        fill(mesh, border);
    }
    if mesh.vertex_count() > known {
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v.0)).collect();
        let neighbours = Neighbours::of_polygons(mesh.vertex_count(), &triangles);
        let free: Vec<bool> = (0..mesh.vertex_count()).map(|v| v >= known).collect();
        fair(&mut mesh.positions, &neighbours, &free);
        replace_folded(mesh, &loops, &starts);
    }
    Ok([loops.len(), mesh.face_count() - before])
}

/// Closes all holes between their own vertices: with the least area, or as a fan where that cannot be.
pub(crate) fn close_flat(mesh: &mut TriMesh) {
    // Borders that touch in a vertex are left open; a cut through a limb has none.
    let Ok(loops) = border_loops(mesh) else { return };
    for border in loops {
        if border.len() > MOST_REPLACED || !fill_flat(mesh, &border) {
            mesh.triangles.extend((2..border.len()).map(|k| [border[0], border[k - 1], border[k]]));
        }
    }
}

/// Replaces the patches that intersect something by flat ones.
fn replace_folded(mesh: &mut TriMesh, loops: &[Vec<VertexId>], starts: &[usize]) {
    let patch_of = |face: usize| starts.partition_point(|start| *start <= face).checked_sub(1);
    let mut is_folded = vec![false; loops.len()];
    for pair in judge::self_intersections(mesh).pairs {
        for patch in [pair.a, pair.b].into_iter().filter_map(|face| patch_of(face.index())) {
            is_folded[patch] = loops[patch].len() <= MOST_REPLACED;
        }
    }
    if !is_folded.contains(&true) {
        return;
    }
    let patches = mesh.triangles.split_off(starts[0]);
    for (i, border) in loops.iter().enumerate() {
        let end = starts.get(i + 1).map_or(patches.len(), |end| end - starts[0]);
        if !is_folded[i] || !fill_flat(mesh, border) {
            mesh.triangles.extend_from_slice(&patches[starts[i] - starts[0]..end]);
        }
    }
    drop_unused(mesh);
}

fn drop_unused(mesh: &mut TriMesh) {
    let mut number = vec![None; mesh.vertex_count()];
    for v in mesh.triangles.iter().flatten() {
        number[v.index()] = Some(VertexId(0));
    }
    for (count, slot) in number.iter_mut().flatten().enumerate() {
        *slot = VertexId::from(count);
    }
    let mut numbers = number.iter();
    mesh.positions.retain(|_| numbers.next().is_some_and(Option::is_some));
    for v in mesh.triangles.iter_mut().flatten() {
        *v = number[v.index()].unwrap_or(*v);
    }
}

/// The borders, each in the direction in which its patch winds.
fn border_loops(mesh: &TriMesh) -> Result<Vec<Vec<VertexId>>, ImportError> {
    let mut sides: Vec<[VertexId; 2]> = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    sides.sort_unstable();
    // The patch runs against the triangle at each edge.
    let mut next: Vec<Option<VertexId>> = vec![None; mesh.vertex_count()];
    for &[a, b] in sides.iter().filter(|[a, b]| sides.binary_search(&[*b, *a]).is_err()) {
        if next[b.index()].replace(a).is_some() {
            let message = format!("two holes touch at vertex {b}");
            return Err(ImportError::new(message, "clean the borders of the scan in a mesh editor"));
        }
    }
    let mut loops = Vec::new();
    for start in (0..mesh.vertex_count() as u32).map(VertexId) {
        let mut border = Vec::new();
        let mut here = start;
        while let Some(there) = next[here.index()].take() {
            border.push(here);
            here = there;
        }
        if !border.is_empty() {
            loops.push(border);
        }
    }
    Ok(loops)
}

/// A closed chain of vertices; vertex `i` of `n` stands at the share `i / n` of the way around.
struct Ring(Vec<VertexId>);

fn fill(mesh: &mut TriMesh, border: &[VertexId]) {
    if let &[a, b, c] = border {
        mesh.triangles.push([a, b, c]);
        return;
    }
    let points: Vec<DVec3> = border.iter().map(|v| mesh.position(*v)).collect();
    let n = points.len();
    let middle = points.iter().sum::<DVec3>() / n as f64;
    let edge = (0..n).map(|i| points[i].distance(points[(i + 1) % n])).sum::<f64>() / n as f64;
    let radius = points.iter().map(|p| p.distance(middle)).sum::<f64>() / n as f64;
    let rings = ((radius / (0.87 * edge)).round() as usize).clamp(1, MOST_RINGS);
    let mut outer = Ring(border.to_vec());
    for k in 1..rings {
        let inward = k as f64 / rings as f64;
        let count = ((n as f64 * (1.0 - inward)).round() as usize).max(3);
        let ring = (0..count).map(|i| {
            let place = i as f64 / count as f64 * n as f64;
            let (a, share) = (place as usize, place.fract());
            let rim = points[a % n].lerp(points[(a + 1) % n], share);
            mesh.positions.push(rim.lerp(middle, inward));
            VertexId::from(mesh.positions.len() - 1)
        });
        let inner = Ring(ring.collect());
        zip(&outer, &inner, &mut mesh.triangles);
        outer = inner;
    }
    if outer.0.len() == 3 {
        mesh.triangles.push([outer.0[0], outer.0[1], outer.0[2]]);
        return;
    }
    mesh.positions.push(middle);
    let tip = VertexId::from(mesh.positions.len() - 1);
    let m = outer.0.len();
    mesh.triangles.extend((0..m).map(|i| [outer.0[i], outer.0[(i + 1) % m], tip]));
}

/// Closes a hole with the triangles of least area between its vertices, none of whose new edges exists already; false if there
/// are none.
fn fill_flat(mesh: &mut TriMesh, border: &[VertexId]) -> bool {
    let n = border.len();
    let points: Vec<DVec3> = border.iter().map(|v| mesh.position(*v)).collect();
    let mut is_taken = vec![false; n * n];
    for t in &mesh.triangles {
        let mut on: Vec<usize> = t.iter().filter_map(|v| border.iter().position(|b| b == v)).collect();
        on.sort_unstable();
        for (x, &i) in on.iter().enumerate() {
            for &k in &on[x + 1..] {
                is_taken[i * n + k] = k > i + 1 && (i, k) != (0, n - 1);
            }
        }
    }
    // Least area between vertices i and k, and the third corner on the edge between them.
    let mut least = vec![(0.0, 0); n * n];
    for (i, k) in (2..n).flat_map(|gap| (0..n - gap).map(move |i| (i, i + gap))) {
        let area = |m: usize| {
            let corners = [points[i], points[m], points[k]];
            let own = triangle_area(corners);
            let longest =
                [0, 1, 2].map(|c| corners[c].distance_squared(corners[(c + 1) % 3])).into_iter().fold(0.0, f64::max);
            // In a straight border triangles without area would be the cheapest.
            if own < 1e-6 * longest {
                return f64::INFINITY;
            }
            own + least[i * n + m].0 + least[m * n + k].0
        };
        let best = (i + 1..k).map(|m| (area(m), m)).min_by(|a, b| a.0.total_cmp(&b.0));
        least[i * n + k] = if is_taken[i * n + k] { (f64::INFINITY, 0) } else { best.unwrap_or((f64::INFINITY, 0)) };
    }
    if !least[n - 1].0.is_finite() {
        return false;
    }
    let mut open = vec![(0, n - 1)];
    while let Some((i, k)) = open.pop() {
        if k - i < 2 {
            continue;
        }
        let m = least[i * n + k].1;
        mesh.triangles.push([border[i], border[m], border[k]]);
        open.extend([(i, m), (m, k)]);
    }
    true
}

/// Triangles between two rings: at each step the ring that is behind goes on.
fn zip(outer: &Ring, inner: &Ring, triangles: &mut Vec<[VertexId; 3]>) {
    let (n, m) = (outer.0.len(), inner.0.len());
    let (mut i, mut j) = (0, 0);
    while i < n || j < m {
        let (a, b) = (outer.0[i % n], inner.0[j % m]);
        // (i + 1) / n against (j + 1) / m, in whole numbers.
        if j == m || (i < n && (i + 1) * m <= (j + 1) * n) {
            triangles.push([a, outer.0[(i + 1) % n], b]);
            i += 1;
        } else {
            triangles.push([a, inner.0[(j + 1) % m], b]);
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{Topology, generate, signed_volume};

    #[test]
    fn a_ball_with_holes_becomes_a_ball_again() {
        let ball = generate::icosphere(1.0, 4);
        let mut torn = ball.clone();
        let towards = [DVec3::Y, DVec3::new(0.6, -0.8, 0.0), DVec3::NEG_Z];
        torn.triangles.retain(|t| {
            let middle = t.iter().map(|v| torn.positions[v.index()]).sum::<DVec3>() / 3.0;
            towards.iter().zip([0.92, 0.97, 0.985]).all(|(d, cos)| middle.normalize().dot(*d) < cos)
        });
        let (mut torn, _) = toile_mesh::check::repair(torn).unwrap();
        assert_eq!(close(&mut torn).unwrap()[0], 3);
        assert!(Topology::new(&torn).is_closed());
        assert!((signed_volume(&torn) / signed_volume(&ball) - 1.0).abs() < 0.01);
        for p in &torn.positions {
            assert!((p.length() - 1.0).abs() < 0.05, "{p}");
        }
    }

    #[test]
    fn a_jagged_hole_in_a_flat_place_is_closed_flat() {
        let mut box_ = generate::cuboid(DVec3::ONE, 12);
        let removed =
            |p: DVec3| p.y > 0.49 && (p.x.abs().max(0.5 * p.z.abs()) < 0.2 || p.z.abs().max(0.3 * p.x.abs()) < 0.1);
        let keep: Vec<bool> = (box_.faces()).map(|f| !removed(box_.corners(f).iter().sum::<DVec3>() / 3.0)).collect();
        let mut kept = keep.iter();
        box_.triangles.retain(|_| *kept.next().unwrap());
        let (mut torn, _) = toile_mesh::check::repair(box_).unwrap();
        assert!(!border_loops(&torn).unwrap().is_empty());
        close(&mut torn).unwrap();
        assert!(Topology::new(&torn).is_closed() && judge::self_intersections(&torn).is_clean());
        assert!((signed_volume(&torn) - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_missing_triangle_is_put_back() {
        let ball = generate::icosphere(1.0, 1);
        let mut torn = ball.clone();
        let missing = torn.triangles.remove(7);
        assert_eq!(close(&mut torn).unwrap(), [1, 1]);
        let mut added = *torn.triangles.last().unwrap();
        let at = added.iter().position(|v| *v == missing[0]).unwrap();
        added.rotate_left(at);
        assert_eq!(added, missing);
    }
}
