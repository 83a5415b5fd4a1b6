//! [`Figure`]: a walking body of round cones.

use super::MovingMesh;
use super::round_cone::RoundCone;
use super::walk::{FOREARM_LENGTH, HIP_HEIGHT, Limb, SHIN_LENGTH, THIGH_LENGTH, UPPER_ARM_LENGTH, limb_frame};
use crate::{DVec3, TriMesh, VertexId};

/// A body 1.75 m tall that stands on `y = 0` at `t ≤ 0` and then walks on the spot, facing +z.
///
/// One mesh of closed capsules that taper, each rigid in the frame of its limb (see
/// [`limb_frame`](super::limb_frame)). They overlap at the joints and on the trunk: the figure is meant as a body
/// that is never tested against itself. Triangles are about as large everywhere. The feet do not know the floor: the
/// lower one is within 2 cm of it while walking and dips 3 cm below it in the first steps.
///
/// ```
/// use toile_mesh::generate::motion::{Figure, MovingMesh};
/// let figure = Figure::new(28_000);
/// assert!(figure.triangles().len() >= 28_000);
/// assert_eq!(figure.positions_at(0.25).len(), figure.vertex_count());
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    triangles: Vec<[VertexId; 3]>,
    /// Positions in the frame of the limb they belong to [m], limb by limb.
    local_positions: Vec<DVec3>,
    /// Each capsule's limb and its number of vertices.
    capsules: Vec<(Limb, usize)>,
}

impl Figure {
    /// A figure of at least `triangles_at_least` triangles, usually at most a few percent more.
    pub fn new(triangles_at_least: usize) -> Self {
        let parts = parts();
        let edge = edge_for(&parts, triangles_at_least);
        let mut all = TriMesh::default();
        let mut capsules = Vec::with_capacity(parts.len());
        for (limb, cone) in parts {
            let mesh = cone.mesh(edge);
            capsules.push((limb, mesh.vertex_count()));
            all.append(&mesh);
        }
        Self { triangles: all.triangles, local_positions: all.positions, capsules }
    }
}

impl MovingMesh for Figure {
    fn triangles(&self) -> &[[VertexId; 3]] {
        &self.triangles
    }

    fn vertex_count(&self) -> usize {
        self.local_positions.len()
    }

    fn positions_into(&self, t: f64, positions: &mut Vec<DVec3>) {
        positions.clear();
        let mut local = self.local_positions.as_slice();
        for &(limb, count) in &self.capsules {
            let (own, rest) = local.split_at(count);
            let frame = limb_frame(limb, t);
            positions.extend(own.iter().map(|&p| frame.place(p)));
            local = rest;
        }
    }
}

/// The longest edge length [m], in steps of half a percent, that gives at least `count` triangles.
fn edge_for(parts: &[(Limb, RoundCone)], count: usize) -> f64 {
    let mut edge = 1.0;
    while parts.iter().map(|(_, cone)| cone.triangle_count(edge)).sum::<usize>() < count {
        edge *= 0.995;
    }
    edge
}

/// All capsules in the frames of their limbs.
fn parts() -> Vec<(Limb, RoundCone)> {
    let mut parts: Vec<_> = trunk().into_iter().map(|cone| (Limb::Trunk, cone)).collect();
    for (thigh_limb, shin_limb) in [(Limb::LeftThigh, Limb::LeftShin), (Limb::RightThigh, Limb::RightShin)] {
        parts.extend([(thigh_limb, thigh()), (shin_limb, shin()), (shin_limb, foot())]);
    }
    for (upper, fore) in [(Limb::LeftUpperArm, Limb::LeftForearm), (Limb::RightUpperArm, Limb::RightForearm)] {
        parts.extend([(upper, upper_arm()), (fore, forearm()), (fore, hand())]);
    }
    parts
}

/// The capsules of a limb that clothes must keep clear of, in the limb's frame: all but feet, hands and head.
pub fn dressed_parts(limb: Limb) -> Vec<RoundCone> {
    match limb {
        Limb::Trunk => trunk()[..5].to_vec(),
        Limb::LeftThigh | Limb::RightThigh => vec![thigh()],
        Limb::LeftShin | Limb::RightShin => vec![shin()],
        Limb::LeftUpperArm | Limb::RightUpperArm => vec![upper_arm()],
        Limb::LeftForearm | Limb::RightForearm => vec![forearm()],
    }
}

/// Pelvis, sides and middle of the chest, shoulders, neck, head.
fn trunk() -> [RoundCone; 7] {
    let up = |x: f64, y: f64| DVec3::new(x, y - HIP_HEIGHT, 0.0);
    [
        RoundCone::new([up(-0.07, 0.95), up(0.07, 0.95)], [0.108, 0.108]),
        RoundCone::new([up(0.04, 1.02), up(0.06, 1.35)], [0.092, 0.102]),
        RoundCone::new([up(-0.04, 1.02), up(-0.06, 1.35)], [0.092, 0.102]),
        RoundCone::new([up(0.0, 1.02), up(0.0, 1.35)], [0.092, 0.104]),
        RoundCone::new([up(-0.16, 1.40), up(0.16, 1.40)], [0.064, 0.064]),
        RoundCone::new([up(0.0, 1.42), up(0.0, 1.54)], [0.058, 0.050]),
        RoundCone::new([up(0.0, 1.575), up(0.0, 1.655)], [0.075, 0.095]),
    ]
}

fn thigh() -> RoundCone {
    RoundCone::new([DVec3::ZERO, DVec3::new(0.0, -THIGH_LENGTH, 0.0)], [0.086, 0.056])
}

fn shin() -> RoundCone {
    RoundCone::new([DVec3::ZERO, DVec3::new(0.0, -SHIN_LENGTH, 0.0)], [0.056, 0.038])
}

/// From heel to toes; its sole is level at rest.
fn foot() -> RoundCone {
    let sole = SHIN_LENGTH + THIGH_LENGTH - HIP_HEIGHT;
    let [heel, toes] = [0.040, 0.032];
    RoundCone::new(
        [DVec3::new(0.0, sole + heel - SHIN_LENGTH, -0.02), DVec3::new(0.0, sole + toes - SHIN_LENGTH, 0.15)],
        [heel, toes],
    )
}

fn upper_arm() -> RoundCone {
    RoundCone::new([DVec3::ZERO, DVec3::new(0.0, -UPPER_ARM_LENGTH, 0.0)], [0.050, 0.042])
}

fn forearm() -> RoundCone {
    RoundCone::new([DVec3::ZERO, DVec3::new(0.0, -FOREARM_LENGTH, 0.0)], [0.042, 0.029])
}

fn hand() -> RoundCone {
    let along = |y: f64| DVec3::new(0.0, -FOREARM_LENGTH - y, 0.005);
    RoundCone::new([along(0.05), along(0.13)], [0.036, 0.024])
}

#[cfg(test)]
mod tests {
    use super::super::walk::PERIOD;
    use super::*;
    use crate::{Topology, check, signed_volume};

    #[test]
    fn every_part_is_closed_and_the_count_is_reached() {
        for count in [0, 2_000, 25_000, 28_784] {
            let figure = Figure::new(count);
            let mesh = figure.mesh_at(0.7);
            let topology = Topology::new(&mesh);
            assert!(mesh.face_count() >= count && mesh.face_count() < count + count / 10 + 1_000);
            assert_eq!(topology.part_count, 19);
            assert!(topology.is_closed() && signed_volume(&mesh) > 0.0);
            assert!(check::check(&mesh).is_clean());
        }
    }

    #[test]
    fn it_stands_on_the_floor_and_is_as_tall_as_stated() {
        let bounds = Figure::new(20_000).mesh_at(0.0).bounds();
        assert!(bounds.min.y.abs() < 2e-4 && (bounds.max.y - 1.75).abs() < 1e-12, "{bounds:?}");
    }

    #[test]
    fn one_foot_stays_near_the_floor() {
        let figure = Figure::new(4_000);
        for i in 0..40 {
            let lowest = figure.mesh_at(0.5 + PERIOD * i as f64 / 40.0).bounds().min.y;
            assert!((-0.03..0.03).contains(&lowest), "{lowest} at step {i}");
        }
    }

    #[test]
    fn edges_are_about_as_long_everywhere() {
        let mesh = Figure::new(28_784).mesh_at(0.0);
        let mut lengths: Vec<f64> = Topology::new(&mesh)
            .edges
            .iter()
            .map(|e| mesh.position(e.ends[0]).distance(mesh.position(e.ends[1])))
            .collect();
        lengths.sort_by(f64::total_cmp);
        let (least, median, most) = (lengths[0], lengths[lengths.len() / 2], lengths[lengths.len() - 1]);
        assert!(least > 0.4 * median && most < 2.2 * median, "{least} {median} {most}");
    }

    #[test]
    fn equal_times_give_equal_bits_in_any_order() {
        let figure = Figure::new(2_000);
        let mut buffer = figure.positions_at(3.0);
        figure.positions_into(0.4, &mut buffer);
        assert_eq!(buffer, figure.positions_at(0.4));
        assert_ne!(buffer, figure.positions_at(0.4 + 1.0 / 60.0));
    }
}
