//! Particles of a zone against the obstacles in it, after its cloth has been resolved (Huh 2001, §3.5).
//!
//! The rigid cluster whose face is nearest to a particle's path decides; particles farther from it than the thickness are
//! left alone. With V the velocity of the particle and N the normal of the face on the particle's side:
//! - **Fixed**: unless the particle separates (`V · N > 0`), `V = −C_e V_n + C_f V_t`, each particle on its own.
//! - **Moving**: the particle is carried as part of a bundle. It gets the displacement of the cluster's centre during the
//!   step and its velocity, `V = V_rigid`; turning is left out, as in the paper.
//!
//! This covers Huh's three cases, all fixed, all moving and both. A cluster is fixed if none of its vertices moves in
//! this step. Huh asks for the distance of a particle, without saying when: here it is that of its whole path from the
//! start to the end of the step, relative to the cluster, so that fast particles are not overlooked. Of faces equally near
//! that from whose plane the particle started farthest counts: at the rim of a table its top, not its side.
//!
//! `C_f` scales whatever slips, however lightly it is pressed: it is a damping, not Coulomb's friction. On a slope nothing
//! comes to rest by it. A particle that was stopped does not approach any more, so it is damped once per step.

use toile_collide::distance::convex_polygons;
use toile_mesh::{DVec3, triangle_normal};

use super::build::{Cluster, Zone, corners};
use super::graph::APPROACH;
use super::{ZoneMesh, ZoneReport, ZoneSettings, ZoneStep};

/// A face of a rigid cluster at the start of the step.
struct Face {
    corners: [DVec3; 3],
    low: DVec3,
    high: DVec3,
    /// Number of the face, and which cluster it belongs to.
    number: u32,
    cluster: usize,
}

/// Faces by the lower end of their boxes along x, with the widest of them.
struct Faces {
    sorted: Vec<Face>,
    widest: f64,
}

/// How near a particle's path comes to a face.
struct Nearest {
    cluster: usize,
    distance: f64,
    /// Distance of the particle from the plane of the face at the start.
    height: f64,
    /// On the side of the particle at the start; zero for a face without area.
    normal: DVec3,
}

/// Resolves the particles of `zone`; whether a velocity changed.
pub(super) fn resolve(
    mesh: &ZoneMesh,
    zone: &Zone,
    step: &ZoneStep<'_>,
    v: &mut [DVec3],
    settings: &ZoneSettings,
    report: &mut ZoneReport,
) -> bool {
    let velocities: Vec<Option<DVec3>> = zone.rigid.iter().map(|cluster| velocity(cluster, v)).collect();
    let faces = Faces::new(mesh, step.x_t0, &zone.rigid);
    let elasticity = settings.elasticity.clamp(0.0, 1.0);
    let mut changed = false;
    for i in zone.particles.iter().map(|i| *i as usize).filter(|i| step.inverse_mass[*i] > 0.0) {
        let Some(nearest) = faces.nearest(step, i, v[i], &velocities, settings.thickness) else { continue };
        let before = v[i];
        if let Some(carrier) = velocities[nearest.cluster] {
            v[i] = carrier;
            report.carried += 1;
        } else {
            let approach = before.dot(nearest.normal);
            if approach < -APPROACH * before.length() {
                let normal = nearest.normal * approach;
                v[i] = -elasticity * normal + settings.slip_kept * (before - normal);
                report.struck += 1;
            }
        }
        changed |= v[i] != before;
    }
    changed
}

/// Velocity of the centre of a rigid cluster [m/s]; `None` if nothing of it moves.
fn velocity(cluster: &Cluster, v: &[DVec3]) -> Option<DVec3> {
    let velocities = || cluster.vertices.iter().map(|i| v[*i as usize]);
    velocities().any(|v| v != DVec3::ZERO).then(|| velocities().sum::<DVec3>() / cluster.vertices.len() as f64)
}

impl Faces {
    fn new(mesh: &ZoneMesh, x: &[DVec3], clusters: &[Cluster]) -> Self {
        let mut sorted: Vec<Face> = Vec::new();
        for (cluster, faces) in clusters.iter().enumerate() {
            sorted.extend(faces.faces.iter().map(|&number| {
                let corners @ [a, b, c] = corners(mesh, x, number);
                Face { corners, low: a.min(b).min(c), high: a.max(b).max(c), number, cluster }
            }));
        }
        sorted.sort_by(|f, g| f.low.x.total_cmp(&g.low.x).then(f.number.cmp(&g.number)));
        let widest = sorted.iter().fold(0.0_f64, |most, f| most.max(f.high.x - f.low.x));
        Self { sorted, widest }
    }

    /// The face nearest to the path of particle `i` with velocity `v` among those at most `within` [m] from it.
    fn nearest(
        &self,
        step: &ZoneStep<'_>,
        i: usize,
        v: DVec3,
        velocities: &[Option<DVec3>],
        within: f64,
    ) -> Option<Nearest> {
        let from = step.x_t0[i];
        let ends = |cluster: usize| from + step.step * (v - velocities[cluster].unwrap_or(DVec3::ZERO));
        let paths: Vec<[DVec3; 2]> = (0..velocities.len()).map(|cluster| [from, ends(cluster)]).collect();
        let (low, high) = paths.iter().fold((from, from), |(low, high), path| (low.min(path[1]), high.max(path[1])));
        let first = self.sorted.partition_point(|face| face.low.x < low.x - within - self.widest);
        let mut best: Option<(Nearest, u32)> = None;
        for face in self.sorted[first..].iter().take_while(|face| face.low.x <= high.x + within) {
            let is_far = (face.low - within).cmpgt(high).any() || (face.high + within).cmplt(low).any();
            if is_far {
                continue;
            }
            let distance = convex_polygons(&paths[face.cluster], &face.corners).distance;
            if distance <= within {
                let nearest = Nearest::new(face, from, distance);
                let is_nearer = best.as_ref().is_none_or(|(best, number)| {
                    let farther_below = best.height.total_cmp(&nearest.height);
                    distance.total_cmp(&best.distance).then(farther_below).then(face.number.cmp(number)).is_lt()
                });
                if is_nearer {
                    best = Some((nearest, face.number));
                }
            }
        }
        best.map(|(nearest, _)| nearest)
    }
}

impl Nearest {
    fn new(face: &Face, particle: DVec3, distance: f64) -> Self {
        let normal = triangle_normal(face.corners).unwrap_or(DVec3::ZERO);
        let height = normal.dot(particle - face.corners[0]);
        // In the plane of the face, its winding tells what is outside.
        let normal = if height < 0.0 { -normal } else { normal };
        Self { cluster: face.cluster, distance, height: height.abs(), normal }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::find_zones;
    use super::*;
    use proptest::prelude::*;
    use toile_mesh::{Moves, Surface, TriMesh, generate};

    /// A triangle of cloth at `corners` and an obstacle, all of whose faces collide with it.
    fn scene(corners: [DVec3; 3], obstacle: &TriMesh) -> (ZoneMesh, Vec<DVec3>, Zone) {
        let cloth = TriMesh::from_indices(corners.to_vec(), &[[0, 1, 2]]);
        let mesh = ZoneMesh::new(&[Surface::new(&cloth), Surface::obstacle(obstacle, Moves::Never)]);
        let pairs: Vec<[u32; 2]> = (1..mesh.face_count() as u32).map(|f| [0, f]).collect();
        let zone = find_zones(&mesh, &pairs).remove(0);
        (mesh, corners.into_iter().chain(obstacle.positions.iter().copied()).collect(), zone)
    }

    #[test]
    fn above_the_rim_of_a_table_its_top_counts_and_not_its_side() {
        // Corners a little outside the top of a unit cube, coming down past the rim on all four sides.
        for turn in 0..4 {
            let turned =
                |p: DVec3| toile_mesh::DQuat::from_rotation_y(f64::from(turn) * std::f64::consts::FRAC_PI_2) * p;
            let corners = [-0.3, 0.0, 0.3].map(|z| turned(DVec3::new(0.501, 0.51 + 0.01 * z, z)));
            let (mesh, x, zone) = scene(corners, &generate::cuboid(DVec3::ONE, 2));
            let mut v = vec![DVec3::ZERO; x.len()];
            v[..3].fill(-DVec3::Y);
            let w: Vec<f64> = (0..x.len()).map(|i| if i < 3 { 1.0 } else { 0.0 }).collect();
            let step = ZoneStep { x_t0: &x, inverse_mass: &w, step: 0.0085 };
            let settings = ZoneSettings { thickness: 0.005, ..Default::default() };
            let mut report = ZoneReport::default();
            assert!(resolve(&mesh, &zone, &step, &mut v, &settings, &mut report));
            assert!(report.struck >= 1, "{report:?}");
            assert!(v[0].length() < 1e-12, "stopped by the top: {}", v[0]);
        }
    }

    proptest! {
        #[test]
        fn the_sorted_search_finds_what_testing_all_faces_finds(
            corners in prop::array::uniform3(prop::array::uniform3(-1.2..1.2_f64)),
            v in prop::array::uniform3(-1.0..1.0_f64),
            within in 0.01..0.4_f64,
        ) {
            let (mesh, x, zone) = scene(corners.map(DVec3::from), &generate::icosphere(0.8, 1));
            let step = ZoneStep { x_t0: &x, inverse_mass: &[], step: 0.3 };
            let faces = Faces::new(&mesh, &x, &zone.rigid);
            let still = vec![None; zone.rigid.len()];
            let found = faces.nearest(&step, 0, DVec3::from(v), &still, within).map(|nearest| nearest.distance);
            let path = [x[0], x[0] + 0.3 * DVec3::from(v)];
            let all = (1..mesh.face_count() as u32).map(|f| convex_polygons(&path, &corners_of(&mesh, &x, f)).distance);
            let expected = all.fold(f64::INFINITY, f64::min);
            prop_assert_eq!(found, (expected <= within).then_some(expected));
        }
    }

    use super::corners as corners_of;
}
