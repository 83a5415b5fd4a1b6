//! Clusters of one zone that lie close together on the cloth become one (Huh 2001, §3.2).
//!
//! Neighbouring patches with different velocities would tear at the cloth between them. Where a zone has three or more
//! clusters, two are joined if at most two edges of the cloth lead from one to the other and there is no significant bend
//! between them: their mean normals have `N₁ · N₂ ≥ 0`. Clusters that collide with each other are never joined, nor
//! those whose partners do: the collision would be lost.

use toile_mesh::DVec3;

use super::ZoneMesh;
use super::build::{Cluster, Zone};
use super::groups::Groups;

/// Joins clusters of `zone` that are close together, with vertices at `x` [m]; returns by how many they became fewer.
pub(super) fn merge(mesh: &ZoneMesh, x: &[DVec3], zone: &mut Zone) -> usize {
    let before = zone.cloth.len();
    if before < 3 {
        return 0;
    }
    let normals: Vec<DVec3> = zone.cloth.iter().map(|c| c.normal(mesh, x)).collect();
    let colliding: Vec<[usize; 2]> = zone.colliding().into_iter().map(|(clusters, _)| clusters).collect();
    let mut groups = Groups::new(before);
    for [a, b] in close_pairs(mesh, &zone.cloth) {
        let is_bent = normals[a].dot(normals[b]) < 0.0;
        let ends = [groups.find(a), groups.find(b)];
        let mut is_between = |pair: &[usize; 2]| {
            let pair = pair.map(|c| groups.find(c));
            pair == ends || pair == [ends[1], ends[0]]
        };
        if !is_bent && !colliding.iter().any(&mut is_between) {
            groups.join(a, b);
        }
    }
    let (group_of, count) = groups.number();
    let mut merged = vec![Cluster::default(); count];
    for (c, cluster) in zone.cloth.drain(..).enumerate() {
        merged[group_of[c]].faces.extend(cluster.faces);
        merged[group_of[c]].vertices.extend(cluster.vertices);
    }
    for cluster in &mut merged {
        cluster.faces.sort_unstable();
        cluster.vertices.sort_unstable();
    }
    zone.cloth = merged;
    before - count
}

/// Pairs of clusters that at most two edges join, ascending.
fn close_pairs(mesh: &ZoneMesh, clusters: &[Cluster]) -> Vec<[usize; 2]> {
    let mut cluster_of: Vec<(u32, usize)> = Vec::new();
    for (c, cluster) in clusters.iter().enumerate() {
        cluster_of.extend(cluster.vertices.iter().map(|v| (*v, c)));
    }
    cluster_of.sort_unstable();
    let find = |v: u32| cluster_of.binary_search_by_key(&v, |entry| entry.0).ok().map(|i| cluster_of[i].1);
    // One edge or two: both clusters reach some vertex in the middle by at most one edge.
    let mut middles: Vec<u32> = cluster_of.iter().flat_map(|(v, _)| mesh.neighbours(*v).iter().copied()).collect();
    middles.sort_unstable();
    middles.dedup();
    let mut pairs = Vec::new();
    for middle in middles {
        let around = mesh.neighbours(middle).iter().copied().chain([middle]);
        let mut reached: Vec<usize> = around.filter_map(find).collect();
        reached.sort_unstable();
        reached.dedup();
        for (i, a) in reached.iter().enumerate() {
            pairs.extend(reached[i + 1..].iter().map(|b| [*a, *b]));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::build::find_zones;
    use super::*;
    use toile_mesh::{Surface, TriMesh, generate};

    /// A strip of twelve cells of two faces each, and another above it.
    fn strips(bend: impl Fn(DVec3) -> DVec3) -> (ZoneMesh, Vec<DVec3>) {
        let lower: TriMesh = generate::plane([12.0, 1.0], [12, 1]).map_positions(bend);
        let upper = generate::plane([12.0, 1.0], [12, 1]).map_positions(|p| p + DVec3::Y);
        let mesh = ZoneMesh::new(&[Surface::new(&lower), Surface::new(&upper)]);
        (mesh, lower.positions.into_iter().chain(upper.positions).collect())
    }

    fn merged(pairs: &[[u32; 2]], bend: impl Fn(DVec3) -> DVec3) -> Vec<Vec<u32>> {
        let (mesh, x) = strips(bend);
        let mut zone = find_zones(&mesh, pairs).remove(0);
        let before = zone.cloth.len();
        assert_eq!(before - merge(&mesh, &x, &mut zone), zone.cloth.len());
        assert!(zone.cloth.iter().all(|c| Cluster::of_faces(&mesh, c.faces.clone()) == *c));
        zone.cloth.into_iter().map(|c| c.faces).collect()
    }

    #[test]
    fn two_patches_two_edges_apart_become_one() {
        // One patch above hits cells 0 and 3 of the strip below: two columns of edges lie between.
        assert_eq!(merged(&[[0, 24], [6, 25]], |p| p), [vec![0, 6], vec![24, 25]]);
    }

    #[test]
    fn patches_three_edges_apart_stay_apart() {
        assert_eq!(merged(&[[0, 24], [8, 25]], |p| p), [vec![0], vec![8], vec![24, 25]]);
    }

    #[test]
    fn a_significant_bend_keeps_neighbours_apart() {
        let fold = |p: DVec3| if p.x > -4.5 { DVec3::new(-9.0 - p.x, 0.1, p.z) } else { p };
        assert_eq!(merged(&[[0, 24], [6, 25]], fold), [vec![0], vec![6], vec![24, 25]]);
    }

    #[test]
    fn two_clusters_are_left_as_they_are() {
        assert_eq!(merged(&[[0, 6]], |p| p), [[0], [6]]);
    }

    #[test]
    fn neighbours_that_collide_stay_apart() {
        assert_eq!(merged(&[[0, 6], [0, 24]], |p| p), [[0], [6], [24]]);
    }
}
