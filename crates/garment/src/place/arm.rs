//! Sleeves and cuffs around the arms.

use kurbo::Rect;
use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use super::{GAP, LAYER, cloth, put};
use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::role::{Part, Side};

/// Axis of the left arm.
pub(super) struct Arm {
    /// A point on it at the height of the shoulder.
    shoulder: DVec3,
    /// Direction towards the hand.
    down: DVec3,
    length: f64,
    /// How far down the arm its upper girth is taken, where it is clear of the trunk.
    free: f64,
}

impl Arm {
    pub(super) fn new(at: &Landmarks) -> Self {
        let (middle, wrist) = (at.upper_arm.point, at.wrist.plane.point);
        let down = (wrist - middle).normalize_or(DVec3::X);
        let shoulder = middle + (at.shoulder_points[0] - middle).dot(down) * down;
        Self { shoulder, down, length: shoulder.distance(wrist), free: (middle - shoulder).dot(down) }
    }

    /// The axis on a side.
    pub(super) fn on(&self, side: Side) -> (DVec3, DVec3) {
        let mirror = if side == Side::Right { DVec3::new(-1.0, 1.0, 1.0) } else { DVec3::ONE };
        (self.shoulder * mirror, self.down * mirror)
    }

    /// Distance of a point from the nearer arm, hand included, and how far down it is.
    pub(super) fn reach(&self, p: DVec3, side: Side) -> (f64, f64) {
        let (shoulder, down) = self.on(side);
        let t = (p - shoulder).dot(down);
        let on_axis = shoulder + t.clamp(0.0, self.length + 0.25) * down;
        (p.distance(on_axis), t)
    }

    pub(super) fn is_near(&self, p: DVec3) -> bool {
        [Side::Left, Side::Right].into_iter().any(|side| self.reach(p, side).0 < 0.10)
            && p.x.abs() > self.shoulder.x.abs() - 0.03
    }

    /// Where a panel on the trunk must keep clear of a point of the body, as `(x, z)`; `None` for the arms. Of the shoulders only
    /// the depth counts: panels hang beside them.
    pub(super) fn trunk_point(&self, p: DVec3) -> Option<DVec2> {
        if !self.is_near(p) {
            return Some(DVec2::new(p.x, p.z));
        }
        let side = if p.x < 0.0 { Side::Right } else { Side::Left };
        let reach = self.shoulder.x.abs();
        (self.reach(p, side).1 < 0.10).then(|| DVec2::new(p.x.clamp(-reach, reach), p.z))
    }
}

/// Wraps sleeves, and cuffs below them, around the arms.
pub(super) fn wrap_arms(mesh: &FlatMesh, body: &TriMesh, arm: &Arm, positions: &mut [DVec3]) {
    let on_arm = |panel: &Panel| matches!(panel.part, Part::Sleeve | Part::Cuff);
    let others = cloth(mesh, positions, |panel| !on_arm(panel));
    for side in [Side::Left, Side::Right] {
        let mine = |panel: &Panel| on_arm(panel) && panel.side == side;
        let chosen: Vec<(usize, &Panel, Rect)> = mesh
            .pattern
            .panels
            .iter()
            .enumerate()
            .filter(|(_, panel)| mine(panel))
            .map(|(i, panel)| (i, panel, panel.bounds()))
            .collect();
        // Down the arm in steps of 2 cm until nothing is touched; the last step stays if that never happens.
        for step in 0..12 {
            let mut start = 0.01 + 0.02 * f64::from(step);
            for (number, panel, bounds) in &chosen {
                let end = start + bounds.height();
                wrap_arm(mesh, *number, panel, *bounds, (body, arm, start, side), positions);
                start = end + GAP;
            }
            let sleeves = cloth(mesh, positions, mine);
            if judge::mutual_intersections(&sleeves, body).is_clean()
                && judge::mutual_intersections(&sleeves, &others).is_clean()
            {
                break;
            }
        }
    }
}

pub(super) fn wrap_arm(
    mesh: &FlatMesh,
    number: usize,
    panel: &Panel,
    bounds: Rect,
    (body, arm, start, side): (&TriMesh, &Arm, f64, Side),
    positions: &mut [DVec3],
) {
    let end = start + bounds.height();
    let near = body.positions.iter().map(|p| (*p, arm.reach(*p, side)));
    // Further up, only the cap is there, which lies on the arm and not around it.
    let from = (start - 0.01).max(arm.free - 0.03);
    let arm_only = near.filter(|(_, (far, t))| *t > from && *t < end + 0.01 && *far < 0.10);
    let thick = arm_only.map(|(_, (far, _))| far).fold(0.03, f64::max);
    let outer = LAYER * f64::from(panel.layer.clamp(0, 100));
    let radius = (thick + 0.008 + outer).max((bounds.width() + GAP) / std::f64::consts::TAU);
    let (shoulder, down) = arm.on(side);
    let out = (DVec3::Y - DVec3::Y.dot(down) * down).normalize_or(DVec3::Z);
    let across = out.cross(down);
    // A sleeve's cap is highest at x = 0; a cuff hangs by its middle.
    let middle = if panel.part == Part::Sleeve { 0.0 } else { bounds.center().x };
    put(mesh, number, positions, |p| {
        let (sin, cos) = ((p.x - middle) / radius).sin_cos();
        shoulder + (start + bounds.y1 - p.y) * down + radius * (cos * out + sin * across)
    });
}
