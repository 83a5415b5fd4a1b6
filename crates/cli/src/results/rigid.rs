//! Whether vertices move as one body, and how.
//!
//! Three vertices far apart span a frame of axes; the rotation takes the axes at the start to those of now. It is the motion of all if
//! it takes every vertex to its place.

use toile_files::glb::GlbPose;
use toile_mesh::{DMat3, DQuat, DVec3};

/// How far a vertex may be from where the motion takes it, over the size of the item.
const TOLERANCE: f64 = 1e-9;

/// Three vertices that span a frame.
pub(super) struct Rigid {
    start: Vec<DVec3>,
    corners: [usize; 3],
    size: f64,
}

impl Rigid {
    /// For vertices at the start [m]; `None` if they are all on a line.
    pub(super) fn new(start: Vec<DVec3>) -> Option<Self> {
        let farthest = |distance: &dyn Fn(DVec3) -> f64| {
            let far = (0..start.len()).max_by(|a, b| distance(start[*a]).total_cmp(&distance(start[*b])))?;
            Some((far, distance(start[far])))
        };
        let first = *start.first()?;
        let (b, size) = farthest(&|p| p.distance(first))?;
        let along = (start[b] - first).normalize_or_zero();
        let (c, width) = farthest(&|p| (p - first).reject_from_normalized(along).length())?;
        let is_spread = size > 0.0 && width > 1e-6 * size;
        is_spread.then_some(Self { corners: [0, b, c], size, start })
    }

    /// The middle of the vertices at the start [m].
    pub(super) fn centre(&self) -> DVec3 {
        mean(&self.start)
    }

    /// How the item, centred at the origin, goes to these positions; `None` if it deforms.
    pub(super) fn pose(&self, now: &[DVec3]) -> Option<GlbPose> {
        let (centre, position) = (self.centre(), mean(now));
        let turn = axes(now, self.corners) * axes(&self.start, self.corners).transpose();
        let is_there = |(a, b): (&DVec3, &DVec3)| {
            (turn * (*a - centre) + position).distance(*b) <= TOLERANCE * (self.size + b.length())
        };
        let rotation = DQuat::from_mat3(&turn).normalize();
        self.start.iter().zip(now).all(is_there).then_some(GlbPose { position, rotation })
    }
}

/// Orthonormal axes: along the first side of a triangle, in its plane, and normal to it.
fn axes(x: &[DVec3], [a, b, c]: [usize; 3]) -> DMat3 {
    let along = (x[b] - x[a]).normalize_or_zero();
    let across = (x[c] - x[a]).reject_from(along).normalize_or_zero();
    DMat3::from_cols(along, across, along.cross(across))
}

fn mean(x: &[DVec3]) -> DVec3 {
    x.iter().sum::<DVec3>() / x.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate;

    #[test]
    fn a_turn_is_found_and_a_bend_is_not() {
        let start = generate::torus(0.5, 0.1, [12, 8]).map_positions(|p| p + DVec3::new(1.0, 2.0, 3.0)).positions;
        let rigid = Rigid::new(start.clone()).unwrap();
        let (turn, shift) = (DQuat::from_scaled_axis(DVec3::new(0.3, -2.0, 0.5)), DVec3::new(-4.0, 0.1, 0.0));
        let moved: Vec<DVec3> = start.iter().map(|p| turn * *p + shift).collect();
        let pose = rigid.pose(&moved).unwrap();
        for (a, b) in start.iter().zip(&moved) {
            assert!((pose.rotation * (*a - rigid.centre()) + pose.position).distance(*b) < 1e-12);
        }
        let bent: Vec<DVec3> = start.iter().map(|p| *p + DVec3::Y * 1e-6 * p.x * p.x).collect();
        assert!(rigid.pose(&bent).is_none());
        let mirrored: Vec<DVec3> = start.iter().map(|p| *p * DVec3::new(-1.0, 1.0, 1.0)).collect();
        assert!(rigid.pose(&mirrored).is_none(), "a mirror image is no motion");
    }

    #[test]
    fn a_line_has_no_axes() {
        assert!(Rigid::new((0..5).map(|k| DVec3::X * f64::from(k)).collect()).is_none());
        assert!(Rigid::new(vec![DVec3::ONE; 4]).is_none() && Rigid::new(Vec::new()).is_none());
    }
}
