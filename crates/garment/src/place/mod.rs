//! [`place`]: panels around a body, ready to be sewn.
//!
//! Pre-positioning mimics what a person does (Kimmerle 2005, §6.3): fronts in front, backs behind, sleeves around the arms. Panels are
//! laid onto guide surfaces that keep clear of the body:
//!
//! - Trunk and waist: a vertical cylinder over the convex hull of the body at these heights, without its arms, grown
//!   outwards until fronts and backs have room on their halves. A panel's x is the length along the hull from the centre
//!   front or back, its y the height. Tops of tops are at the side neck points, tops of skirts and trousers at the waist.
//! - Legs: such a cylinder around each leg, with a wall between the legs (`leg`).
//! - Skirts that are sectors of a ring, with two arcs about one centre: the cone they are when sewn, in waves if they are
//!   fuller than a cone between the arms can be, front and back moved apart until the body has room between them.
//! - Sleeves and cuffs: a round cylinder around the arm, wide enough for arm and sleeve. The top of the cap is at the shoulder
//!   point; the sleeve is moved down the arm until it touches nothing.
//! - Collars: a vertical cylinder around the neck.
//! - Capes and ponchos: level or nearly so, with the neck in the middle of their arcs, as low as they touch nothing. Tablecloths:
//!   level, above the head.
//!
//! A pattern whose panels all state their place, as those of `GarmentCode` do, is put there. Cylinders and cones are developable, so that
//! panels are bent but not strained. The result is judged exactly; what still intersects is counted.

mod arm;
mod cone;
mod guide;
mod leg;
mod trunk;

use toile_body::measure::Landmarks;
use toile_mesh::{DVec2, DVec3, TriMesh, judge};

use arm::{Arm, wrap_arms};
use cone::Cones;
use leg::wrap_legs;
pub(crate) use trunk::{HANG, HANG_FROM_NECK};
use trunk::{wrap_collar, wrap_trunk};

use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::role::Part;

/// Distance of guides from the body [m].
const MARGIN: f64 = 0.02;
/// Space between neighbouring panels [m].
const GAP: f64 = 0.015;
/// How much further out each layer is [m].
const LAYER: f64 = 0.012;

/// Height of what lies level over the crown [m].
const ABOVE: f64 = 0.03;
/// How steeply an open cape falls from the neck at first [rad]: less than arms do.
const CAPE_SLOPE: f64 = 0.6;
/// Steps in which capes are raised from the shoulders [m].
const RAISE: f64 = 0.005;

/// Panels around a body.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// Positions of all vertices, numbered as in the flat mesh [m].
    pub positions: Vec<DVec3>,
    /// Pairs of triangles that intersect, cloth with cloth and cloth with the body. None is what a simulation wants.
    pub intersections: usize,
}

/// Why panels cannot be placed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Nothing tells where a panel belongs.
    #[error("panel `{panel}`: its part is `other`; state the part it covers, or its placement")]
    NoPart {
        /// The panel.
        panel: String,
    },
}

/// Places the panels of a mesh around a body.
pub fn place(mesh: &FlatMesh, body: &TriMesh, at: &Landmarks) -> Result<Placed, PlaceError> {
    let panels = &mesh.pattern.panels;
    let mut positions = vec![DVec3::ZERO; mesh.vertex_count()];
    if panels.iter().all(|panel| panel.placement.is_some()) {
        for (number, panel) in panels.iter().enumerate() {
            if let Some(place) = panel.placement {
                let (turn, shift) = (crate::garmentcode::matrix(&place), DVec3::from_array(place.translation));
                put(mesh, number, &mut positions, |p| turn * DVec3::new(p.x, p.y, 0.0) + shift);
            }
        }
        return Ok(judged(mesh, body, positions));
    }
    if let Some(panel) = panels.iter().find(|panel| panel.part == Part::Other) {
        return Err(PlaceError::NoPart { panel: panel.name.clone() });
    }
    let arm = Arm::new(at);
    let cones = Cones::find(panels);
    wrap_trunk(mesh, body, at, &arm, &cones, &mut positions);
    cones.wrap(mesh, body, at, &arm, &mut positions);
    wrap_legs(mesh, body, at, &arm, &mut positions);
    for (number, panel) in panels.iter().enumerate() {
        match panel.part {
            Part::Collar => wrap_collar(mesh, number, body, at, &mut positions),
            Part::Cape => lay_around_neck(mesh, number, body, at, &mut positions),
            Part::Flat => {
                let centre = at.crown.with_y(at.crown.y + ABOVE + LAYER * f64::from(panel.layer));
                put(mesh, number, &mut positions, |p| centre + DVec3::new(p.x, 0.0, -p.y));
            }
            _ => {}
        }
    }
    wrap_arms(mesh, body, &arm, &mut positions);
    Ok(judged(mesh, body, positions))
}

/// Lays a cape around the neck, its front to the front; above the head if nothing lower is free. A cape that is closed in front
/// is a flat cone: a level one would not know which way to bend when it is closed.
fn lay_around_neck(mesh: &FlatMesh, number: usize, body: &TriMesh, at: &Landmarks, positions: &mut [DVec3]) {
    let panel = &mesh.pattern.panels[number];
    let arcs = cone::arcs(panel);
    let middle = arcs.first().map_or(panel.bounds().center(), |(centre, _)| *centre);
    let neck = arcs.iter().map(|(_, radius)| *radius).reduce(f64::min).unwrap_or(0.0);
    // A cape is drawn as its back, which is seen from behind; what has a hole is drawn as seen from above, its front down.
    let (side, slope) = if panel.holes.is_empty() { (-1.0, CAPE_SLOPE) } else { (1.0, 0.0) };
    let (fall, out) = slope.sin_cos();
    let highest = at.crown.y + ABOVE;
    let mut height = at.neck_sides[0].y;
    loop {
        let tip = DVec3::new(0.0, height + neck * fall + LAYER * f64::from(panel.layer), at.neck.point.z);
        put(mesh, number, positions, |p| {
            let from = kurbo::Point::new(p.x, p.y) - middle;
            let (sin, cos) = (cone::turn(from) / out).sin_cos();
            tip + from.hypot() * DVec3::new(side * out * sin, -fall, side * out * cos)
        });
        let placed = cloth(mesh, positions, |other| other.name == panel.name);
        if height >= highest || judge::mutual_intersections(&placed, body).is_clean() {
            return;
        }
        height = (height + RAISE).min(highest);
    }
}

fn put(mesh: &FlatMesh, number: usize, positions: &mut [DVec3], map: impl Fn(DVec2) -> DVec3) {
    let panel = &mesh.panels[number];
    let first = panel.first as usize;
    for (to, from) in positions[first..first + panel.positions.len()].iter_mut().zip(&panel.positions) {
        *to = map(*from);
    }
}

/// The placed cloth as one mesh, of the panels for which `wanted` holds.
fn cloth(mesh: &FlatMesh, positions: &[DVec3], wanted: impl Fn(&Panel) -> bool) -> TriMesh {
    let chosen = mesh.panels.iter().zip(&mesh.pattern.panels).filter(|(_, panel)| wanted(panel));
    let triangles: Vec<[u32; 3]> =
        chosen.flat_map(|(panel, _)| panel.triangles.iter().map(|t| t.map(|v| v + panel.first))).collect();
    TriMesh::from_indices(positions.to_vec(), &triangles)
}

fn judged(mesh: &FlatMesh, body: &TriMesh, positions: Vec<DVec3>) -> Placed {
    let all = cloth(mesh, &positions, |_| true);
    let intersections = judge::self_intersections(&all).count() + judge::mutual_intersections(&all, body).count();
    Placed { positions, intersections }
}
