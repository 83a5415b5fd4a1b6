//! Impact zones: collisions of whole patches of cloth resolved at once, with their momentum (Huh 2001).
//!
//! **What.** Pairs of faces that collide during a step are gathered into *zones* that have nothing to do with each other, and
//! each zone into *clusters* of connected faces (`build.rs`). A cluster that collides with itself is segmented at sharp
//! bends (`segment.rs`), and clusters close together are merged (`merge.rs`). Clusters of cloth then collide as bodies along
//! the mean of their normals (`graph.rs`), all at once, and every particle receives the change of velocity of its cluster
//! (`solve.rs`, `tree.rs`, `programme.rs`). Obstacles come last, particle by particle (`rigid.rs`). New collisions may
//! follow, so the search is repeated a bounded number of times.
//!
//! **From.** Huh, Metaxas and Badler 2001, all of it but the detection by swept volumes, which is the detector's. Where the
//! paper leaves a choice or was left, the files say so.
//!
//! **Contract.** As for impulses: arrays run over all vertices of the [`ZoneMesh`], held vertices and obstacles have inverse
//! mass 0 and known velocities, and velocities are those of the step, `v = (x_t1 − x_t0) / h`. The caller rebuilds
//! `x_t1 = x_t0 + h v`, in its search as well as at the end.
//!
//! **When it fails.** Clusters are rigid in thought, cloth is not: particles keep their motion relative to their cluster, and
//! may still collide. [`ZoneReport::left`] counts what the last search found; a guard has to have the last word.

mod build;
mod graph;
mod groups;
mod merge;
mod mesh;
mod programme;
mod rigid;
mod segment;
mod solve;
mod tree;

pub use mesh::ZoneMesh;

use build::{Zone, find_zones};
use toile_mesh::DVec3;

/// How zones are resolved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ZoneSettings {
    /// `C_e`: share of the speed of approach with which bodies separate again, within 0 (default) and 1.
    pub elasticity: f64,
    /// `C_f`: share of the tangential velocity that particles keep when they strike a fixed obstacle; 1 (default) slides
    /// freely, 0 stops. A damping, whatever the pressure; see `rigid.rs`.
    pub slip_kept: f64,
    /// Distance from an obstacle within which particles are resolved against it [m]; 1 mm by default, a thick cloth.
    pub thickness: f64,
    /// Most rounds of searching and resolving, 4 by default.
    pub rounds: usize,
    /// Most edges of a collision graph for linear programming, 256 by default. Larger cyclic ones are bundled.
    pub largest_programme: usize,
}

impl Default for ZoneSettings {
    fn default() -> Self {
        Self { elasticity: 0.0, slip_kept: 1.0, thickness: 0.001, rounds: 4, largest_programme: 256 }
    }
}

/// What does not change while a step is resolved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ZoneStep<'a> {
    /// Positions at the start of the step [m], shape `[vertices]`.
    pub x_t0: &'a [DVec3],
    /// Inverse masses [1/kg], shape `[vertices]`.
    pub inverse_mass: &'a [f64],
    /// Length of the step h [s].
    pub step: f64,
}

/// What [`resolve_zones`] did, summed over its rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ZoneReport {
    /// Rounds in which there was something to resolve.
    pub rounds: usize,
    /// Impact zones.
    pub zones: usize,
    /// Clusters of cloth and of obstacles, as found.
    pub clusters: [usize; 2],
    /// Clusters of cloth that collided with themselves: fallen into parts, and left whole.
    pub segmented: [usize; 2],
    /// Clusters of cloth that others took in.
    pub merged: usize,
    /// Pairs of clusters of cloth that approached each other.
    pub collisions: usize,
    /// Collision graphs with cycles.
    pub cyclic: usize,
    /// Linear programmes solved for them.
    pub programmes: usize,
    /// Collision graphs without solution, whose bodies went on together.
    pub bundled: usize,
    /// Particles that struck a fixed obstacle.
    pub struck: usize,
    /// Particles carried by a moving obstacle.
    pub carried: usize,
    /// Colliding pairs of faces found by the last search.
    pub left: usize,
}

/// Resolves collisions zone by zone, changing the velocities of the step `v` [m/s]; see the module for the contract.
///
/// `search` is asked for the colliding pairs of faces at given velocities, in numbers of `mesh`, which
/// [`ZoneMesh::face_pairs`] makes of a detector's impacts. It is called once more than there are rounds. The order of
/// its pairs does not matter.
///
/// ```
/// use toile_contact::{ZoneMesh, ZoneSettings, ZoneStep, resolve_zones};
/// use toile_mesh::{DVec3, Surface, generate};
/// // One square falls onto another of the same mass.
/// let lower = generate::plane([1.0, 1.0], [1, 1]);
/// let upper = lower.clone().map_positions(|p| p + 0.1 * DVec3::Y);
/// let mesh = ZoneMesh::new(&[Surface::new(&lower), Surface::new(&upper)]);
/// let x_t0: Vec<DVec3> = lower.positions.into_iter().chain(upper.positions).collect();
/// let mut v: Vec<DVec3> = (0..8).map(|i| if i < 4 { DVec3::ZERO } else { -2.0 * DVec3::Y }).collect();
/// let step = ZoneStep { x_t0: &x_t0, inverse_mass: &[1.0; 8], step: 0.1 };
/// let search = |v: &[DVec3]| -> Result<_, ()> {
///     Ok(if x_t0[4].y + 0.1 * v[4].y < 0.1 * v[0].y { vec![[0, 2], [1, 3]] } else { vec![] })
/// };
/// let report = resolve_zones(&mesh, &step, &mut v, &ZoneSettings::default(), search).unwrap();
/// assert!(report.collisions == 1 && report.left == 0);
/// assert!(v.iter().all(|v| (*v + DVec3::Y).length() < 1e-15));
/// ```
///
/// # Errors
/// Those of `search`; `v` then has the result of the rounds before.
///
/// # Panics
/// If the arrays do not have an entry for every vertex of `mesh`, or `search` names a face that does not exist.
pub fn resolve_zones<E>(
    mesh: &ZoneMesh,
    step: &ZoneStep<'_>,
    v: &mut [DVec3],
    settings: &ZoneSettings,
    mut search: impl FnMut(&[DVec3]) -> Result<Vec<[u32; 2]>, E>,
) -> Result<ZoneReport, E> {
    let count = mesh.vertex_count();
    assert!(step.x_t0.len() == count && step.inverse_mass.len() == count && v.len() == count, "an entry per vertex");
    let mut report = ZoneReport::default();
    let mut pairs = search(v)?;
    for _ in 0..settings.rounds {
        if pairs.is_empty() {
            break;
        }
        report.rounds += 1;
        let mut changed = false;
        for zone in find_zones(mesh, &pairs) {
            changed |= resolve_zone(mesh, zone, step, v, settings, &mut report);
        }
        if !changed {
            break;
        }
        pairs = search(v)?;
    }
    report.left = pairs.len();
    Ok(report)
}

/// Resolves one zone; whether a velocity changed.
fn resolve_zone(
    mesh: &ZoneMesh,
    mut zone: Zone,
    step: &ZoneStep<'_>,
    v: &mut [DVec3],
    settings: &ZoneSettings,
    report: &mut ZoneReport,
) -> bool {
    report.zones += 1;
    report.clusters[0] += zone.cloth.len();
    report.clusters[1] += zone.rigid.len();
    segment_clusters(mesh, step.x_t0, &mut zone, report);
    report.merged += merge::merge(mesh, step.x_t0, &mut zone);

    let (bodies, edges) = graph::collision_graph(mesh, &zone, step, v);
    report.collisions += edges.len();
    let elasticity = settings.elasticity.clamp(0.0, 1.0);
    let changes = solve::resolve(&bodies, &edges, elasticity, settings.largest_programme, report);
    for (cluster, change) in zone.cloth.iter().zip(&changes) {
        for i in cluster.vertices.iter().map(|i| *i as usize).filter(|i| step.inverse_mass[*i] > 0.0) {
            v[i] += *change;
        }
    }
    let struck = rigid::resolve(mesh, &zone, step, v, settings, report);
    struck || !edges.is_empty()
}

/// Puts parts in the place of clusters that collide with themselves.
fn segment_clusters(mesh: &ZoneMesh, x: &[DVec3], zone: &mut Zone, report: &mut ZoneReport) {
    let mut with_itself: Vec<usize> =
        zone.colliding().iter().filter(|(c, _)| c[0] == c[1]).map(|(c, _)| c[0]).collect();
    with_itself.dedup();
    // From the last, so that the numbers of those before stay.
    for c in with_itself.into_iter().rev() {
        if let Some(parts) = segment::segment(mesh, x, &zone.cloth[c]) {
            zone.cloth.splice(c..=c, parts);
            report.segmented[0] += 1;
        } else {
            report.segmented[1] += 1;
        }
    }
}
