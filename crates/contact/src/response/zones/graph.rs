//! The collision graph of a zone: clusters as bodies, and the directions in which they collide (Huh 2001, §3.3).
//!
//! **Step.** A cluster moves with the mean velocity of its particles. Huh leaves the weights of the mean open; only that by
//! mass, `v = Σ m_i v_i / Σ m_i`, makes the momentum of the body that of its particles, so that a change of velocity shared
//! by all of them keeps the total exactly. Held particles (inverse mass 0) cannot share it and are left out; a cluster of
//! held particles alone is an immovable body.
//!
//! **Directions.** The mean of the two clusters' normals, signed so that `N₁ · N₂ ≥ 0`. It points from the second body to
//! the first: on which side the first is, the nearest points of their colliding faces tell, at the start of the step when
//! nothing has gone through. Where these coincide the centres of the clusters tell, and where these do too, the velocity
//! is taken for an approach.
//!
//! **Edges.** Step that separate along the direction do not collide and get no edge.

use toile_collide::distance::convex_polygons;
use toile_mesh::DVec3;

use super::build::{Cluster, Zone, corners};
use super::{ZoneMesh, ZoneStep};

/// Approaches below this share of the bodies' speeds are rounding.
pub(super) const APPROACH: f64 = 1.0e-12;

/// A cluster as one mass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Body {
    /// [m/s]
    pub(super) velocity: DVec3,
    /// [1/kg]; 0 for a body that cannot be moved.
    pub(super) inverse_mass: f64,
}

/// Two bodies that approach each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Edge {
    pub(super) bodies: [usize; 2],
    /// Unit vector from the second body to the first.
    pub(super) normal: DVec3,
}

impl Edge {
    /// `v_ij`: velocity of the first body relative to the second along the normal; negative if they approach.
    pub(super) fn relative(&self, bodies: &[Body]) -> f64 {
        self.normal.dot(bodies[self.bodies[0]].velocity - bodies[self.bodies[1]].velocity)
    }
}

/// The cluster as a body.
pub(super) fn body(cluster: &Cluster, step: &ZoneStep<'_>, v: &[DVec3]) -> Body {
    let (mut mass, mut momentum, mut plain) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for i in cluster.vertices.iter().map(|i| *i as usize) {
        plain += v[i];
        if step.inverse_mass[i] > 0.0 {
            mass += 1.0 / step.inverse_mass[i];
            momentum += v[i] / step.inverse_mass[i];
        }
    }
    if mass > 0.0 {
        Body { velocity: momentum / mass, inverse_mass: 1.0 / mass }
    } else {
        Body { velocity: plain / cluster.vertices.len().max(1) as f64, inverse_mass: 0.0 }
    }
}

/// Step and edges of the cloth of a zone.
pub(super) fn collision_graph(
    mesh: &ZoneMesh,
    zone: &Zone,
    step: &ZoneStep<'_>,
    v: &[DVec3],
) -> (Vec<Body>, Vec<Edge>) {
    let x = step.x_t0;
    let bodies: Vec<Body> = zone.cloth.iter().map(|cluster| body(cluster, step, v)).collect();
    let colliding = zone.colliding();
    let between = colliding.chunk_by(|p, q| p.0 == q.0).filter(|pairs| pairs[0].0[0] != pairs[0].0[1]);
    let edges = between.filter_map(|pairs| {
        let [a, b] = pairs[0].0;
        let clusters = [&zone.cloth[a], &zone.cloth[b]];
        let apart: DVec3 = pairs.iter().map(|(_, faces)| offset(mesh, x, *faces).normalize_or_zero()).sum();
        let line = direction(clusters.map(|c| c.normal(mesh, x))).or_else(|| apart.try_normalize())?;
        let centre = |c: &Cluster| c.vertices.iter().map(|v| x[*v as usize]).sum::<DVec3>() / c.vertices.len() as f64;
        let approach = bodies[b].velocity - bodies[a].velocity;
        let along = [apart, centre(clusters[0]) - centre(clusters[1]), approach].map(|d| d.dot(line));
        let side = along.into_iter().find(|d| *d != 0.0)?;
        let edge = Edge { bodies: [a, b], normal: line * side.signum() };
        let speed = bodies[a].velocity.length() + bodies[b].velocity.length();
        (edge.relative(&bodies) < -APPROACH * speed).then_some(edge)
    });
    let edges = edges.collect();
    (bodies, edges)
}

/// The mean of two normals up to sign; of one, if the other is zero; `None` if both are.
fn direction([n, m]: [DVec3; 2]) -> Option<DVec3> {
    (if n.dot(m) < 0.0 { n - m } else { n + m }).try_normalize()
}

/// From the second face's nearest point to the first's [m].
fn offset(mesh: &ZoneMesh, x: &[DVec3], faces: [u32; 2]) -> DVec3 {
    let [a, b] = faces.map(|f| corners(mesh, x, f));
    let closest = convex_polygons(&a, &b);
    closest.point_a - closest.point_b
}

#[cfg(test)]
mod tests {
    use super::super::build::find_zones;
    use super::*;
    use toile_mesh::{Surface, generate};

    /// Two squares of two faces, the second above the first, wound the other way round if `turned`.
    fn squares(turned: bool) -> (ZoneMesh, Vec<DVec3>) {
        let lower = generate::plane([1.0, 1.0], [1, 1]);
        let mut upper = lower.clone().map_positions(|p| p + 0.1 * DVec3::Y);
        if turned {
            upper.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        }
        let x = lower.positions.iter().chain(&upper.positions).copied().collect();
        (ZoneMesh::new(&[Surface::new(&lower), Surface::new(&upper)]), x)
    }

    fn edges(turned: bool, upper: DVec3, inverse_mass: &[f64]) -> (Vec<Body>, Vec<Edge>) {
        let (mesh, x) = squares(turned);
        let v: Vec<DVec3> = (0..8).map(|i| if i < 4 { DVec3::X } else { upper }).collect();
        let zones = find_zones(&mesh, &[[0, 2], [1, 3]]);
        let step = ZoneStep { x_t0: &x, inverse_mass, step: 0.1 };
        collision_graph(&mesh, &zones[0], &step, &v)
    }

    #[test]
    fn the_direction_is_the_mean_normal_towards_the_first_whichever_way_faces_are_wound() {
        for turned in [false, true] {
            let (bodies, edges) = edges(turned, DVec3::new(3.0, -2.0, 0.0), &[1.0; 8]);
            assert_eq!(edges.len(), 1);
            assert!((edges[0].normal + DVec3::Y).length() < 1e-15);
            assert!((edges[0].relative(&bodies) + 2.0).abs() < 1e-15);
        }
    }

    #[test]
    fn bodies_that_separate_or_rest_get_no_edge() {
        assert!(edges(false, DVec3::Y, &[1.0; 8]).1.is_empty());
        assert!(edges(false, 5.0 * DVec3::X, &[1.0; 8]).1.is_empty());
    }

    #[test]
    fn velocity_is_the_mean_by_mass_and_held_particles_do_not_count() {
        let (mesh, x) = squares(false);
        let v: Vec<DVec3> = (0..8).map(|i| f64::from(i) * DVec3::X).collect();
        let w = [0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: 0.1 };
        let free = body(&Cluster::of_faces(&mesh, vec![0, 1]), &step, &v);
        assert!((free.velocity.x - 1.0 / 3.0).abs() < 1e-15 && (free.inverse_mass - 1.0 / 3.0).abs() < 1e-15);
        let held = body(&Cluster::of_faces(&mesh, vec![2, 3]), &step, &v);
        assert_eq!(held, Body { velocity: 5.5 * DVec3::X, inverse_mass: 0.0 });
    }

    #[test]
    fn two_normals_are_signed_before_they_are_averaged() {
        let tilted = DVec3::new(0.6, -0.8, 0.0);
        let mean = direction([DVec3::Y, tilted]).unwrap();
        assert!((mean - DVec3::new(-0.6, 1.8, 0.0).normalize()).length() < 1e-15);
        assert_eq!(direction([DVec3::ZERO, DVec3::X]), Some(DVec3::X));
        assert_eq!(direction([DVec3::ZERO; 2]), None);
    }
}
