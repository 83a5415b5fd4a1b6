//! A cluster that collides with itself falls into parts where the cloth is bent sharply (Huh 2001, §3.1).
//!
//! A *border edge* is one whose two faces have normals with `N₁ · N₂ < 0`. The particles on border edges are taken out;
//! what still hangs together along edges of the cluster is one part each. A face belongs to the part of its remaining
//! particles, which are joined by its own edges. Particles taken out keep their velocity.
//!
//! Huh segments the only cluster of a zone. Here every cluster that collides with itself is, since its collision would
//! otherwise be lost as soon as the zone has another cluster. A cluster bent round gently, by less than a right angle per
//! edge, has no border edge and stays whole.

use toile_mesh::{DVec3, triangle_vector_area};

use super::ZoneMesh;
use super::build::{Cluster, corners};
use super::groups::Groups;

/// The parts of a cluster, numbered by their lowest particle; `None` if it does not fall apart.
pub(super) fn segment(mesh: &ZoneMesh, x: &[DVec3], cluster: &Cluster) -> Option<Vec<Cluster>> {
    let local = |v: u32| cluster.vertices.partition_point(|w| *w < v);
    let mut stays = vec![true; cluster.vertices.len()];
    for v in border_vertices(mesh, x, cluster) {
        stays[local(v)] = false;
    }
    let remaining = |face: u32| mesh.triangle(face).into_iter().map(local).filter(|i| stays[*i]).collect::<Vec<_>>();
    let mut groups = Groups::new(cluster.vertices.len());
    for face in &cluster.faces {
        remaining(*face).windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
    }
    let (part_of, count) = groups.number();
    let mut parts = vec![Cluster::default(); count];
    for (i, v) in cluster.vertices.iter().enumerate().filter(|(i, _)| stays[*i]) {
        parts[part_of[i]].vertices.push(*v);
    }
    for face in &cluster.faces {
        if let Some(i) = remaining(*face).first() {
            parts[part_of[*i]].faces.push(*face);
        }
    }
    // A particle taken out is a group without members.
    parts.retain(|part| !part.vertices.is_empty());
    (parts.len() > 1).then_some(parts)
}

/// Vertices of edges between two faces of the cluster at which it is bent by more than a right angle.
fn border_vertices(mesh: &ZoneMesh, x: &[DVec3], cluster: &Cluster) -> Vec<u32> {
    let normal = |face: u32| triangle_vector_area(corners(mesh, x, face));
    let mut vertices = Vec::new();
    for &face in &cluster.faces {
        let triangle = mesh.triangle(face);
        for (k, edge) in mesh.edges_of(face).into_iter().enumerate() {
            let bent = mesh
                .faces_at_edge(edge)
                .iter()
                .any(|other| cluster.faces.binary_search(other).is_ok() && normal(face).dot(normal(*other)) < 0.0);
            if bent {
                vertices.extend([triangle[k], triangle[(k + 1) % 3]]);
            }
        }
    }
    vertices
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{Surface, generate};

    /// A strip of four cells along x, folded over at its middle by an angle [rad], as one cluster.
    fn folded(angle: f64) -> (ZoneMesh, Vec<DVec3>, Cluster) {
        let fold = |p: DVec3| {
            let (sin, cos) = angle.sin_cos();
            if p.x > 0.0 { DVec3::new(p.x * cos, p.x * sin, p.z) } else { p }
        };
        let strip = generate::plane([4.0, 1.0], [4, 1]).map_positions(fold);
        let mesh = ZoneMesh::new(&[Surface::new(&strip)]);
        let cluster = Cluster::of_faces(&mesh, (0..8).collect());
        (mesh, strip.positions, cluster)
    }

    #[test]
    fn a_folded_strip_falls_into_its_two_arms() {
        let (mesh, x, cluster) = folded(3.0);
        let parts = segment(&mesh, &x, &cluster).unwrap();
        assert_eq!(parts.len(), 2);
        for (part, left) in parts.iter().zip([true, false]) {
            assert_eq!(part.vertices.len(), 4, "the two particles of the crease are taken out");
            assert_eq!(part.faces.len(), 4);
            let mean: f64 = part.faces.iter().map(|f| corners(&mesh, &x, *f).iter().sum::<DVec3>().y).sum();
            assert_eq!(mean == 0.0, left, "one arm lies flat, the other is above it");
        }
    }

    #[test]
    fn a_strip_bent_by_less_than_a_right_angle_stays_whole() {
        let (mesh, x, cluster) = folded(1.5);
        assert_eq!(segment(&mesh, &x, &cluster), None);
        let (mesh, x, cluster) = folded(1.7);
        assert!(segment(&mesh, &x, &cluster).is_some());
    }

    #[test]
    fn a_bend_outside_the_cluster_does_not_count() {
        // A face of the left arm with an edge on the crease, and one of the right arm that has only one end of it.
        let (mesh, x, _) = folded(3.0);
        let on_crease = |f: u32| mesh.triangle(f).iter().filter(|v| x[**v as usize].x == 0.0).count();
        let left = (0..4).find(|f| on_crease(*f) == 2).unwrap();
        let right = (4..8).find(|f| on_crease(*f) == 1).unwrap();
        assert_eq!(segment(&mesh, &x, &Cluster::of_faces(&mesh, vec![left, right])), None);
        let across = (4..8).find(|f| on_crease(*f) == 2).unwrap();
        assert!(segment(&mesh, &x, &Cluster::of_faces(&mesh, vec![left, across])).is_some());
    }
}
