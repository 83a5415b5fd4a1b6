//! Impact zones and collision clusters from colliding pairs of faces (Huh 2001, §2.2).
//!
//! An *impact zone* is a separable colliding area: none of its faces collides with a face outside, each with one inside.
//! The smallest such areas are the connected parts of the graph whose nodes are the colliding faces, joined where they
//! collide. Cloth faces that share a vertex are joined as well, or one particle would be resolved in two zones.
//! A *collision cluster* is a visitable part of a zone: faces that can be reached from each other along their edges.
//!
//! Obstacles do not change by a collision, so a shared vertex of theirs joins clusters of one zone, but no zones.
//! Zones and clusters are numbered by their lowest face and do not depend on the order of the pairs.

use toile_mesh::{DVec3, triangle_vector_area};

use super::ZoneMesh;
use super::groups::Groups;

/// A visitable area. Faces and vertices ascend.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Cluster {
    pub(super) faces: Vec<u32>,
    pub(super) vertices: Vec<u32>,
}

impl Cluster {
    pub(super) fn of_faces(mesh: &ZoneMesh, faces: Vec<u32>) -> Self {
        let mut vertices: Vec<u32> = faces.iter().flat_map(|f| mesh.triangle(*f)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Self { faces, vertices }
    }

    /// Mean normal of the faces, by area; zero where they cancel or have none.
    pub(super) fn normal(&self, mesh: &ZoneMesh, x: &[DVec3]) -> DVec3 {
        let sum: DVec3 = self.faces.iter().map(|f| triangle_vector_area(corners(mesh, x, *f))).sum();
        sum.normalize_or_zero()
    }
}

/// A separable colliding area, its clusters apart by kind.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Zone {
    /// Clusters of cloth.
    pub(super) cloth: Vec<Cluster>,
    /// Clusters of obstacles.
    pub(super) rigid: Vec<Cluster>,
    /// Colliding pairs of cloth faces.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Vertices of all cloth faces, ascending. Those that segmentation takes out of the clusters stay here.
    pub(super) particles: Vec<u32>,
}

impl Zone {
    /// Pairs of clusters of cloth that collide, with the faces that do, both in the order of the clusters; ascending.
    /// A cluster that collides with itself is paired with itself.
    pub(super) fn colliding(&self) -> Vec<([usize; 2], [u32; 2])> {
        let mut of_face: Vec<(u32, usize)> = Vec::new();
        for (c, cluster) in self.cloth.iter().enumerate() {
            of_face.extend(cluster.faces.iter().map(|f| (*f, c)));
        }
        of_face.sort_unstable();
        let find = |face: u32| of_face.binary_search_by_key(&face, |entry| entry.0).ok().map(|i| of_face[i].1);
        let mut colliding: Vec<_> = self
            .pairs
            .iter()
            .filter_map(|&[f, g]| {
                let (a, b) = (find(f)?, find(g)?);
                Some(if a <= b { ([a, b], [f, g]) } else { ([b, a], [g, f]) })
            })
            .collect();
        colliding.sort_unstable();
        colliding
    }
}

pub(super) fn corners(mesh: &ZoneMesh, x: &[DVec3], face: u32) -> [DVec3; 3] {
    mesh.triangle(face).map(|v| x[v as usize])
}

/// The zones of colliding pairs of faces. Pairs of two obstacles are none of cloth's business and left out.
pub(super) fn find_zones(mesh: &ZoneMesh, pairs: &[[u32; 2]]) -> Vec<Zone> {
    let mut pairs: Vec<[u32; 2]> = pairs
        .iter()
        .filter(|[f, g]| f != g && !(mesh.is_obstacle(*f) && mesh.is_obstacle(*g)))
        .map(|[f, g]| [*f.min(g), *f.max(g)])
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut faces: Vec<u32> = pairs.iter().flatten().copied().collect();
    faces.sort_unstable();
    faces.dedup();
    let local = |face: u32| faces.partition_point(|f| *f < face);

    let with_vertices = || faces.iter().enumerate().flat_map(|(i, f)| mesh.triangle(*f).map(|v| (v, i)));
    let mut groups = Groups::new(faces.len());
    for [f, g] in &pairs {
        groups.join(local(*f), local(*g));
    }
    groups.join_by(with_vertices().filter(|(_, i)| !mesh.is_obstacle(faces[*i])).collect());
    let (zone_of, zone_count) = groups.number();

    let mut groups = Groups::new(faces.len());
    groups.join_by(with_vertices().map(|(v, i)| ((zone_of[i], v), i)).collect());
    let (cluster_of, cluster_count) = groups.number();

    let mut cluster_faces = vec![(0, Vec::new()); cluster_count];
    for (i, face) in faces.iter().enumerate() {
        cluster_faces[cluster_of[i]].0 = zone_of[i];
        cluster_faces[cluster_of[i]].1.push(*face);
    }
    let mut zones = vec![Zone::default(); zone_count];
    for (zone, faces) in cluster_faces {
        let is_rigid = mesh.is_obstacle(faces[0]);
        let (zone, cluster) = (&mut zones[zone], Cluster::of_faces(mesh, faces));
        if is_rigid {
            zone.rigid.push(cluster);
        } else {
            zone.particles.extend(&cluster.vertices);
            zone.cloth.push(cluster);
        }
    }
    for pair in pairs.iter().filter(|pair| !pair.iter().any(|f| mesh.is_obstacle(*f))) {
        zones[zone_of[local(pair[0])]].pairs.push(*pair);
    }
    for zone in &mut zones {
        zone.particles.sort_unstable();
    }
    zones
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{Moves, Surface, TriMesh, generate};

    /// A strip of cells of two faces each, `2 i` and `2 i + 1`, and a floor of the same kind after it.
    fn mesh() -> ZoneMesh {
        let strip: TriMesh = generate::plane([12.0, 1.0], [12, 1]);
        ZoneMesh::new(&[Surface::new(&strip), Surface::obstacle(&strip, Moves::Never)])
    }

    #[test]
    fn areas_that_do_not_collide_with_each_other_are_zones_of_their_own() {
        let zones = find_zones(&mesh(), &[[8, 20], [0, 12], [9, 21]]);
        assert_eq!(zones.len(), 2);
        let faces = |zone: &Zone| zone.cloth.iter().map(|c| c.faces.clone()).collect::<Vec<_>>();
        assert_eq!(faces(&zones[0]), [[0], [12]]);
        assert_eq!(faces(&zones[1]), [[8, 9], [20, 21]], "faces of one cell share vertices and are one cluster");
        assert_eq!(zones[1].pairs, [[8, 20], [9, 21]]);
        assert_eq!(zones[1].colliding(), [([0, 1], [8, 20]), ([0, 1], [9, 21])]);
    }

    #[test]
    fn a_face_merges_the_clusters_it_connects() {
        let apart = find_zones(&mesh(), &[[0, 12], [6, 14]]);
        let joined = find_zones(&mesh(), &[[0, 12], [6, 14], [2, 20], [4, 20]]);
        assert_eq!(apart.iter().map(|z| z.cloth.len()).sum::<usize>(), 3, "faces 12 and 14 are neighbours");
        assert_eq!(joined.len(), 1);
        assert!(joined[0].cloth[0].faces == [0, 2, 4, 6] && joined[0].cloth.len() == 3);
    }

    #[test]
    fn neighbours_on_an_obstacle_join_clusters_but_no_zones() {
        // Faces 24 and 25 are one cell of the floor; cloth faces 0 and 20 are far apart.
        let zones = find_zones(&mesh(), &[[0, 24], [20, 25]]);
        assert_eq!(zones.len(), 2);
        let zones = find_zones(&mesh(), &[[0, 24], [20, 24], [20, 25]]);
        assert_eq!(zones.len(), 1);
        assert!(zones[0].rigid.len() == 1 && zones[0].cloth.len() == 2 && zones[0].pairs.is_empty());
    }

    #[test]
    fn numbering_does_not_depend_on_the_order_of_the_pairs() {
        let pairs = [[0, 12], [6, 14], [2, 20], [4, 20], [8, 26], [10, 18], [18, 40], [24, 30]];
        let mut shuffled: Vec<[u32; 2]> = pairs.iter().rev().map(|[f, g]| [*g, *f]).collect();
        shuffled.rotate_left(3);
        shuffled.push([0, 12]);
        assert_eq!(find_zones(&mesh(), &pairs), find_zones(&mesh(), &shuffled));
    }
}
