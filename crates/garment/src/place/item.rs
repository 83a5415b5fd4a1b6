//! [`Item`]: a panel in the coordinates of the surface it is laid onto.
//!
//! All surfaces have two coordinates: `u` around the body, in the direction of the panel's x where its outer side is up, and `v` up, or
//! along a limb towards the trunk. A panel without a place of its own is drawn in these coordinates already (see
//! [`draft`](crate::draft)). For one that stands about somewhere, they follow from where it stands: `v` is the direction of the panel that
//! rises most, `u` is square to it.

use kurbo::{Affine, Point, Rect, Vec2};
use toile_mesh::{DVec3, TriMesh};

use crate::mesh::FlatMesh;
use crate::pattern::{EdgeRef, Panel};
use crate::placement::{Placement, Stand};
use crate::role::{Part, Side};

/// What a panel is laid onto.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    /// A quarter of the trunk.
    Trunk(Row),
    /// All around the waist.
    Band,
    /// Front or back of a leg.
    Leg(Row),
    /// Around a leg, below the hem of trousers.
    Ankle,
    /// An arm.
    Arm,
    /// Around the neck.
    Collar,
    /// Around the neck, level.
    Cape,
    /// Level above the head.
    Flat,
    /// Nothing: it stands about where it is stated.
    Free,
    /// Nothing: it is exactly where it is stated, or around what it names.
    Stated,
}

/// A quarter of the trunk, in the order of the coordinate `u`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Row {
    Front,
    Left,
    Back,
    Right,
}

impl Row {
    pub(super) const ALL: [Self; 4] = [Self::Front, Self::Left, Self::Back, Self::Right];

    /// The quarter that a direction looks to.
    fn facing(n: DVec3) -> Self {
        if n.z.abs() >= n.x.abs() {
            if n.z >= 0.0 { Self::Front } else { Self::Back }
        } else if n.x > 0.0 {
            Self::Left
        } else {
            Self::Right
        }
    }

    /// Direction of `u` in the middle of the quarter.
    fn along(self) -> DVec3 {
        match self {
            Self::Front => DVec3::X,
            Self::Left => DVec3::NEG_Z,
            Self::Back => DVec3::NEG_X,
            Self::Right => DVec3::Z,
        }
    }
}

/// A panel that is laid onto a surface.
#[derive(Clone, Debug)]
pub(super) struct Item<'m> {
    pub(super) number: usize,
    pub(super) panel: &'m Panel,
    pub(super) region: Region,
    /// From the panel to `u` and `v`.
    pub(super) frame: Affine,
    /// The box around it in these coordinates.
    pub(super) bounds: Rect,
    pub(super) side: Side,
    pub(super) layer: i32,
    /// Quarters of a turn from the top of an arm to where `u` = 0 is.
    pub(super) quarter: f64,
    /// Where it stands about, if it does.
    pub(super) about: Option<Stand>,
}

impl<'m> Item<'m> {
    pub(super) fn new(mesh: &'m FlatMesh, number: usize) -> Self {
        let panel = &mesh.pattern.panels[number];
        let about = match panel.placement {
            Some(Placement::About(stand)) => Some(stand),
            _ => None,
        };
        let region = match panel.placement {
            Some(Placement::Fixed { .. } | Placement::Around(_)) => Region::Stated,
            _ => about.map_or_else(|| by_part(panel.part), |stand| standing(panel.part, &stand)),
        };
        let frame = about.map_or(Affine::IDENTITY, |stand| upright(&stand, region, panel));
        let mut item = Self {
            number,
            panel,
            region,
            frame,
            bounds: Rect::ZERO,
            side: panel.side,
            layer: panel.layer.clamp(0, 100),
            quarter: 0.0,
            about,
        };
        item.measure(mesh);
        if item.about.is_some() && item.side == Side::Both && matches!(region, Region::Arm | Region::Leg(_)) {
            let middle = item.about.map_or(0.0, |stand| stand.at(panel.bounds().center()).x);
            item.side = if middle < 0.0 { Side::Right } else { Side::Left };
        }
        item
    }

    /// Leaves it flat about where it stands.
    pub(super) fn stand_free(&mut self) {
        self.region = Region::Free;
        self.frame = Affine::IDENTITY;
    }

    /// Moves it in its coordinates.
    pub(super) fn shift(&mut self, by: Vec2) {
        self.frame = Affine::translate(by) * self.frame;
        self.bounds = self.bounds + by;
    }

    /// Turns it upside down about the middle of its box.
    pub(super) fn turn_round(&mut self) {
        self.frame = Affine::rotate_about(std::f64::consts::PI, self.bounds.center()) * self.frame;
    }

    /// Finds the box around it.
    pub(super) fn measure(&mut self, mesh: &FlatMesh) {
        let points = mesh.panels[self.number].positions.iter().map(|p| self.frame * Point::new(p.x, p.y));
        let bounds = points.map(|p| Rect::from_points(p, p)).reduce(|a, b| a.union(b));
        self.bounds = bounds.unwrap_or(Rect::ZERO);
    }

    /// Lays it down: `map` takes `u` and `v`.
    pub(super) fn put(&self, mesh: &FlatMesh, positions: &mut [DVec3], map: impl Fn(f64, f64) -> DVec3) {
        let panel = &mesh.panels[self.number];
        let first = panel.first as usize;
        for (to, from) in positions[first..first + panel.positions.len()].iter_mut().zip(&panel.positions) {
            let at = self.frame * Point::new(from.x, from.y);
            *to = map(at.x, at.y);
        }
    }

    /// Mean place of some of its edges in its coordinates.
    pub(super) fn middle_of(&self, edges: &[usize]) -> Option<Point> {
        let segments = edges.iter().filter_map(|edge| self.panel.segment(*edge));
        let (sum, length) = segments.fold((Vec2::ZERO, 0.0), |(sum, length), segment| {
            let own = segment.length();
            (sum + own * (self.frame * segment.at_fraction(0.5)).to_vec2(), length + own)
        });
        (length > 0.0).then(|| (sum / length).to_point())
    }
}

/// What a panel is laid onto that only says which part it is.
fn by_part(part: Part) -> Region {
    match part {
        Part::Front | Part::SkirtFront => Region::Trunk(Row::Front),
        Part::Back | Part::SkirtBack => Region::Trunk(Row::Back),
        Part::Waistband => Region::Band,
        Part::LegFront => Region::Leg(Row::Front),
        Part::LegBack => Region::Leg(Row::Back),
        Part::Sleeve | Part::Cuff => Region::Arm,
        Part::Collar => Region::Collar,
        Part::Cape => Region::Cape,
        Part::Flat => Region::Flat,
        Part::Other => Region::Free,
    }
}

/// What a panel is laid onto that stands about somewhere.
fn standing(part: Part, stand: &Stand) -> Region {
    let n = stand.matrix().z_axis;
    let told = match part {
        Part::Back | Part::SkirtBack | Part::LegBack => Row::Back,
        _ => Row::Front,
    };
    match part {
        Part::Front | Part::Back | Part::SkirtFront | Part::SkirtBack | Part::Waistband => {
            Region::Trunk(if n.y.abs() > 0.9 { told } else { Row::facing(n) })
        }
        Part::LegFront | Part::LegBack => Region::Leg(told),
        Part::Sleeve | Part::Cuff => Region::Arm,
        _ => Region::Free,
    }
}

/// The frame of a panel that stands about somewhere: `v` rises, and its middle has the height and the place around the body that it
/// stands at.
fn upright(stand: &Stand, region: Region, panel: &Panel) -> Affine {
    let (Region::Trunk(row) | Region::Leg(row)) = region else { return Affine::IDENTITY };
    let r = stand.matrix();
    let mut up = Vec2::new(r.x_axis.y, r.y_axis.y);
    if up.hypot() < 0.1 {
        // Level: what is farther ahead on the body counts as lower.
        let ahead = row.along().cross(DVec3::Y);
        up = Vec2::new(r.x_axis.dot(ahead), r.y_axis.dot(ahead));
    }
    let up = up / up.hypot().max(1e-12);
    let turn = Affine::new([up.y, up.x, -up.x, up.y, 0.0, 0.0]);
    let middle = panel.bounds().center();
    let place = stand.at(middle);
    let at = Point::new(place.dot(row.along()), place.y);
    Affine::translate(at - turn * middle) * turn
}

/// Edges of a panel with those of another that they are sewn to.
pub(super) struct Sewn {
    pub(super) panels: [usize; 2],
    pub(super) edges: [Vec<usize>; 2],
}

/// All pairs of panels that are sewn to each other, each pair once and in the order of its numbers.
pub(super) fn sewn_pairs(mesh: &FlatMesh) -> Vec<Sewn> {
    let mut pairs: Vec<Sewn> = Vec::new();
    for seam in &mesh.pattern.seams {
        for a in &seam.a {
            for b in seam.b.iter().filter(|b| b.panel != a.panel) {
                add_pair(&mut pairs, *a, *b);
            }
        }
    }
    pairs.sort_by_key(|pair| pair.panels);
    pairs
}

fn add_pair(pairs: &mut Vec<Sewn>, a: EdgeRef, b: EdgeRef) {
    let (a, b) = if a.panel < b.panel { (a, b) } else { (b, a) };
    let panels = [a.panel, b.panel];
    let known = pairs.iter().position(|pair| pair.panels == panels);
    let i = known.unwrap_or_else(|| {
        pairs.push(Sewn { panels, edges: [Vec::new(), Vec::new()] });
        pairs.len() - 1
    });
    for (edges, edge) in pairs[i].edges.iter_mut().zip([a.edge, b.edge]) {
        if !edges.contains(&edge) {
            edges.push(edge);
        }
    }
}

/// The cloth of some panels where they are placed, as one mesh.
pub(super) fn cloth(mesh: &FlatMesh, positions: &[DVec3], wanted: impl Fn(usize) -> bool) -> TriMesh {
    let chosen = mesh.panels.iter().enumerate().filter(|(number, _)| wanted(*number));
    let triangles: Vec<[u32; 3]> =
        chosen.flat_map(|(_, panel)| panel.triangles.iter().map(|t| t.map(|v| v + panel.first))).collect();
    TriMesh::from_indices(positions.to_vec(), &triangles)
}

/// Mean place of the vertices of placed panels to which a panel is sewn [m].
pub(super) fn sewn_at(mesh: &FlatMesh, number: usize, is_placed: &[bool], positions: &[DVec3]) -> Option<DVec3> {
    let owner = |v: u32| mesh.panels.iter().rposition(|panel| panel.first <= v).unwrap_or(0);
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for [a, b] in mesh.seams.iter().flat_map(|seam| &seam.stitches) {
        for (own, other) in [(*a, *b), (*b, *a)] {
            let neighbour = owner(other);
            if owner(own) == number && neighbour != number && is_placed[neighbour] {
                sum += positions[other as usize];
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| sum / count)
}
