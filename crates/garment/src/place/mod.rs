//! [`place`]: panels around a body, ready to be sewn.
//!
//! Pre-positioning mimics what a person does (Kimmerle 2005, §6.3): fronts in front, backs behind, sleeves around the arms. Panels are
//! laid onto guide surfaces that keep clear of the body:
//!
//! - Trunk and waist: a vertical cylinder over the convex hull of the body at these heights, without its arms, grown
//!   outwards until fronts and backs have room on their halves. A panel's x is the length along the hull from the centre
//!   front or back, its y the height. Tops of tops are at the side neck points, tops of skirts and trousers at the waist.
//! - Legs: such a cylinder around each leg, with a wall between the legs (`leg`). Their cuffs: a round cylinder below.
//! - Skirts that are sectors of a ring, with two arcs about one centre: the cone they are when sewn, in waves if they are
//!   fuller than a cone between the arms can be, front and back moved apart until the body has room between them.
//! - Sleeves and cuffs: a round cylinder around the arm, wide enough for arm and sleeve. The top of the cap is at the shoulder
//!   point; the sleeve is moved down the arm until it touches nothing.
//! - Collars: a vertical cylinder around the neck.
//! - Capes and ponchos: level or nearly so, with the neck in the middle of their arcs, as low as they touch nothing. Tablecloths:
//!   level, above the head.
//!
//! A panel that states its place exactly is put there; one that stands about somewhere, as those of `GarmentCode` do, is laid onto the
//! guide of what it stands before, at the heights of this body (`item`, `trunk`, `arm`, `leg`); hoods and collars of that kind stay
//! flat. Stated panels that touch the body or another panel are moved out (`stated`). Cylinders and cones are developable, so that
//! panels are bent but not strained. The result is judged exactly; what still intersects is counted.

mod arm;
mod cone;
mod guide;
mod item;
mod leg;
mod stated;
mod trunk;

use toile_body::measure::Landmarks;
use toile_mesh::{DVec3, TriMesh, judge};

use arm::{Arm, wrap_arms};
use cone::find_cones;
use item::{Item, Region, cloth, sewn_at, sewn_pairs};
use leg::wrap_legs;
use stated::{bring_near, part, put_free, put_stated};
pub(crate) use trunk::{HANG, HANG_FROM_NECK};
use trunk::{wrap_collar, wrap_trunk};

use crate::mesh::FlatMesh;
use crate::pattern::Panel;
use crate::placement::Placement;
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
    let bent = place_as(mesh, body, at, false)?;
    let stands = |panel: &Panel| matches!(panel.placement, Some(Placement::About(_)));
    if bent.intersections == 0 || !mesh.pattern.panels.iter().any(stands) {
        return Ok(bent);
    }
    // What cannot be bent around this body may stand flat before it.
    let flat = place_as(mesh, body, at, true)?;
    Ok(if flat.intersections < bent.intersections { flat } else { bent })
}

/// Places panels; those that stand about somewhere are bent, or stay flat.
fn place_as(mesh: &FlatMesh, body: &TriMesh, at: &Landmarks, stay_flat: bool) -> Result<Placed, PlaceError> {
    let mut items: Vec<Item<'_>> = (0..mesh.panels.len()).map(|number| Item::new(mesh, number)).collect();
    if let Some(item) = items.iter().find(|item| item.region == Region::Free && item.about.is_none()) {
        return Err(PlaceError::NoPart { panel: item.panel.name.clone() });
    }
    let pairs = sewn_pairs(mesh);
    let drawn: Vec<f64> = items.iter().map(|item| item.bounds.y1).collect();
    trunk::raise(&mut items, &pairs, at);
    let cones = find_cones(&items);
    let is_cone = |number: usize| cones.iter().any(|cone| cone.items.contains(&number));
    trunk::part(&mut items, is_cone);
    leg::find_cuffs(&mut items, &pairs);
    leg::arrange(&mut items, &pairs);
    arm::arrange(mesh, &mut items, &pairs);
    // How far the trunk was raised: what is sewn to nothing goes with it.
    let trunk = items.iter().find(|item| item.about.is_some() && matches!(item.region, Region::Trunk(_)));
    let raised = trunk.map_or(0.0, |item| item.bounds.y1 - drawn[item.number]);
    if stay_flat {
        items.iter_mut().filter(|item| item.about.is_some()).for_each(Item::stand_free);
    }
    let arm = Arm::new(at);
    let mut positions = vec![DVec3::ZERO; mesh.vertex_count()];
    let mut is_placed = vec![false; items.len()];
    for item in items.iter().filter(|item| item.region == Region::Stated) {
        put_stated(mesh, item, body, at, &arm, &mut positions);
        is_placed[item.number] = true;
    }
    let on_trunk = |item: &&Item<'_>| matches!(item.region, Region::Trunk(_) | Region::Band) && !is_cone(item.number);
    let hung: Vec<&Item<'_>> = items.iter().filter(on_trunk).collect();
    wrap_trunk(mesh, body, &arm, &hung, &mut positions);
    for item in &hung {
        is_placed[item.number] = true;
    }
    let cones = if stay_flat { Vec::new() } else { cones };
    for cone in &cones {
        // Below what it is sewn to, if it stands about there; else at the waist.
        let stood = cone.items.iter().filter(|i| items[**i].about.is_some());
        let sewn = stood.filter_map(|i| sewn_at(mesh, *i, &is_placed, &positions)).map(|p| p.y);
        let top = sewn.reduce(f64::min).map_or(at.waist, |y| y - GAP);
        cone.wrap(mesh, &items, body, &arm, top, &mut positions);
        cone.items.iter().for_each(|i| is_placed[*i] = true);
    }
    let legs: Vec<usize> = (0..items.len()).filter(|i| matches!(items[*i].region, Region::Leg(_))).collect();
    let stood = legs.iter().filter(|i| items[**i].about.is_some());
    let sewn = stood.filter_map(|i| sewn_at(mesh, *i, &is_placed, &positions)).map(|p| p.y);
    let waist = sewn.reduce(f64::min).map_or(at.waist, |y| y - GAP);
    wrap_legs(mesh, &items, body, at, &arm, waist, &mut positions);
    for i in &legs {
        is_placed[*i] = true;
    }
    for item in items.iter().filter(|item| item.region == Region::Ankle) {
        leg::wrap_cuff(mesh, item, body, at, &is_placed, &mut positions);
    }
    items.iter().filter(|item| item.region == Region::Ankle).for_each(|item| is_placed[item.number] = true);
    for item in &items {
        match item.region {
            Region::Collar => wrap_collar(mesh, item, body, at, &mut positions),
            Region::Cape => lay_around_neck(mesh, item, body, at, &mut positions),
            Region::Flat => {
                let centre = at.crown.with_y(at.crown.y + ABOVE + LAYER * f64::from(item.layer));
                item.put(mesh, &mut positions, |x, y| centre + DVec3::new(x, 0.0, -y));
            }
            _ => continue,
        }
        is_placed[item.number] = true;
    }
    wrap_arms(mesh, &items, body, &arm, &mut positions);
    items.iter().filter(|item| item.region == Region::Arm).for_each(|item| is_placed[item.number] = true);
    for item in items.iter().filter(|item| item.region == Region::Free) {
        put_free(mesh, item, &is_placed, raised, &mut positions);
        if item.panel.part == Part::Collar {
            bring_near(mesh, item, &is_placed, body, &mut positions);
        }
        is_placed[item.number] = true;
    }
    part(mesh, &items, body, &mut positions);
    Ok(judged(mesh, body, positions))
}

/// Lays a cape around the neck, its front to the front; above the head if nothing lower is free. A cape that is closed in front
/// is a flat cone: a level one would not know which way to bend when it is closed.
fn lay_around_neck(mesh: &FlatMesh, item: &Item<'_>, body: &TriMesh, at: &Landmarks, positions: &mut [DVec3]) {
    let panel = item.panel;
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
        item.put(mesh, positions, |x, y| {
            let from = kurbo::Point::new(x, y) - middle;
            let (sin, cos) = (cone::turn(from) / out).sin_cos();
            tip + from.hypot() * DVec3::new(side * out * sin, -fall, side * out * cos)
        });
        let placed = cloth(mesh, positions, |other| other == item.number);
        if height >= highest || judge::mutual_intersections(&placed, body).is_clean() {
            return;
        }
        height = (height + RAISE).min(highest);
    }
}

fn judged(mesh: &FlatMesh, body: &TriMesh, positions: Vec<DVec3>) -> Placed {
    let all = cloth(mesh, &positions, |_| true);
    let intersections = judge::self_intersections(&all).count() + judge::mutual_intersections(&all, body).count();
    Placed { positions, intersections }
}
