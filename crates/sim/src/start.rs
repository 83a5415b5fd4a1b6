//! The start of a run: what intersects before anything has moved, and its repair.
//!
//! [`WorldBuilder::build`](crate::WorldBuilder::build) lets the judge look at the start. One that intersects is refused with the list of
//! what does, or with `contact.untangle = true` parted by [`toile_contact::untangle`](fn@toile_contact::untangle). Only what
//! the scene keeps apart counts: without `contact.self_collision` cloth may go through cloth. Triangles at a seam may touch.
//!
//! Cloth that is wholly inside a mesh obstacle intersects nothing and is left there: it may be meant to be.

use std::fmt;
use std::ops::ControlFlow;

use toile_contact::{PlacedObstacles, Tangle, untangle_each};
use toile_mesh::judge::{self, Intersection};
use toile_mesh::{Aabb, DVec3, TriMesh};

use crate::builder::WorldError;
use crate::world::World;

/// Elements that the words of an error list.
const LISTED: usize = 8;
/// Distance reached by untangling, as a share of the thickness of cloth and of the distance kept from obstacles.
const GAP_SHARE: f64 = 0.1;

/// A triangle or vertex of a cloth or an obstacle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartElement {
    /// Name of the cloth or obstacle.
    pub name: String,
    /// Whether it is cloth.
    pub is_cloth: bool,
    /// Number of the triangle or vertex in its mesh, from 0. Triangles of exact obstacles are not counted.
    pub number: Option<usize>,
}

/// Two triangles that intersect at the start.
#[derive(Clone, PartialEq, Debug)]
pub struct StartPair {
    /// The one, always cloth.
    pub a: StartElement,
    /// The other.
    pub b: StartElement,
    /// Where, roughly [m].
    pub place: DVec3,
}

/// A vertex of cloth that is inside an obstacle at the start.
#[derive(Clone, PartialEq, Debug)]
pub struct StartInside {
    /// The vertex.
    pub vertex: StartElement,
    /// Name of the obstacle.
    pub obstacle: String,
    /// Whether the vertex is held there.
    pub held: bool,
    /// Where it is [m].
    pub place: DVec3,
}

/// What intersects at the start of a world.
#[derive(Clone, PartialEq, Debug, Default)]
#[must_use]
pub struct StartFindings {
    /// Triangles that intersect.
    pub pairs: Vec<StartPair>,
    /// Vertices inside exact obstacles.
    pub inside: Vec<StartInside>,
    /// All cloth triangles that take part, numbered within the world, ascending.
    pub triangles: Vec<u32>,
    /// Triangles that could not be judged because a coordinate is not finite.
    pub unjudged: usize,
}

/// How a start was untangled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StartRepair {
    /// Intersecting pairs of triangles and vertices inside obstacles there were.
    pub found: usize,
    /// Rounds it took.
    pub rounds: usize,
    /// How far the vertex that moved farthest was moved [m].
    pub largest_move: f64,
    /// Largest ratio of an edge to its rest length after it.
    pub largest_stretch: f64,
}

impl StartFindings {
    /// Whether nothing intersects.
    pub fn is_clean(&self) -> bool {
        self.count() == 0 && self.unjudged == 0
    }

    /// Pairs of triangles and vertices inside obstacles.
    pub fn count(&self) -> usize {
        self.pairs.len() + self.inside.len()
    }

    /// Judges a world where it is now.
    pub(crate) fn of(world: &World) -> Self {
        let cloth = world.cloth_mesh();
        let places = Places::new(world, &cloth);
        let mut findings = Self::default();
        if world.settings.contact.self_collision {
            let own = judge::self_intersections(&cloth);
            findings.unjudged = own.unjudged;
            for pair in own.pairs.iter().filter(|p| !is_seam(&world.sewn, &cloth, p)) {
                let [a, b] = [pair.a, pair.b].map(|f| cloth.corners(f));
                let (first, second) = (places.triangle(pair.a.index()), places.triangle(pair.b.index()));
                findings.pairs.push(StartPair { a: first, b: second, place: middle(a, b) });
                findings.triangles.extend([pair.a.0, pair.b.0]);
            }
        } else {
            findings.unjudged = cloth.faces().filter(|f| cloth.corners(*f).iter().any(|c| !c.is_finite())).count();
        }
        for (i, solid, exact) in world.judged_solids() {
            let name = world.parts.obstacle_name(i).to_owned();
            for pair in judge::mutual_intersections(&cloth, &solid).pairs {
                let number = (!exact).then_some(pair.b.index());
                let place = middle(cloth.corners(pair.a), solid.corners(pair.b));
                let b = StartElement { name: name.clone(), is_cloth: false, number };
                findings.pairs.push(StartPair { a: places.triangle(pair.a.index()), b, place });
                findings.triangles.push(pair.a.0);
            }
        }
        // A triangle may cut many triangles of an exact obstacle, which nobody has seen: once is enough.
        findings.pairs.dedup_by(|p, q| p.a == q.a && p.b == q.b);
        findings.look_inside(world, &places);
        findings.triangles.sort_unstable();
        findings.triangles.dedup();
        findings
    }

    fn look_inside(&mut self, world: &World, places: &Places) {
        let mut placed = PlacedObstacles::default();
        placed.place(&world.obstacles, world.time(), world.time());
        let mut inside = vec![false; world.state.x.len()];
        let inverse_mass = world.inverse_mass();
        for (v, &place) in world.state.x.iter().enumerate() {
            let within = placed.pieces().iter().find(|piece| piece.distance_and_normal(place).0 < 0.0);
            if let Some(piece) = within {
                inside[v] = true;
                let held = inverse_mass[v] == 0.0;
                let obstacle = world.obstacles[piece.obstacle].name.clone();
                self.inside.push(StartInside { vertex: places.vertex(v), obstacle, held, place });
            }
        }
        let sunk = world.triangles.iter().enumerate().filter(|(_, t)| t.iter().any(|v| inside[v.index()]));
        self.triangles.extend(sunk.map(|(f, _)| f as u32));
    }
}

impl fmt::Display for StartElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_cloth { "cloth" } else { "obstacle" };
        match self.number {
            Some(number) => write!(f, "triangle {number} of {what} \"{}\"", self.name),
            None => write!(f, "{what} \"{}\"", self.name),
        }
    }
}

impl fmt::Display for StartPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DVec3 { x, y, z } = self.place;
        write!(f, "{} and {} near ({x:.3}, {y:.3}, {z:.3})", self.a, self.b)
    }
}

impl fmt::Display for StartInside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DVec3 { x, y, z } = self.place;
        let held = if self.held { ", held," } else { "" };
        let number = self.vertex.number.unwrap_or(0);
        write!(f, "vertex {number} of cloth \"{}\"{held} inside ", self.vertex.name)?;
        write!(f, "obstacle \"{}\" at ({x:.3}, {y:.3}, {z:.3})", self.obstacle)
    }
}

/// Counts, then the first few elements, one a line. Of vertices inside obstacles the held ones come first.
impl fmt::Display for StartFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let mut counts = Vec::new();
        if !self.pairs.is_empty() {
            counts.push(plural(self.pairs.len(), "pair of triangles intersects", "pairs of triangles intersect"));
        }
        if !self.inside.is_empty() {
            counts.push(plural(self.inside.len(), "vertex is inside an obstacle", "vertices are inside obstacles"));
        }
        if self.unjudged > 0 {
            counts.push(plural(self.unjudged, "triangle is not finite", "triangles are not finite"));
        }
        write!(f, "{}", if counts.is_empty() { "nothing intersects".to_owned() } else { counts.join(", ") })?;
        let held = self.inside.iter().filter(|i| i.held).chain(self.inside.iter().filter(|i| !i.held));
        let lines: Vec<String> = (held.take(LISTED).map(ToString::to_string))
            .chain(self.pairs.iter().take(LISTED).map(ToString::to_string))
            .collect();
        for line in &lines {
            write!(f, "\n  {line}")?;
        }
        if self.count() > lines.len() {
            write!(f, "\n  and {} more", self.count() - lines.len())?;
        }
        Ok(())
    }
}

/// Middle of what the boxes of two triangles have in common.
fn middle(a: [DVec3; 3], b: [DVec3; 3]) -> DVec3 {
    let [a, b] = [a, b].map(Aabb::around);
    Aabb { min: a.min.max(b.min), max: a.max.min(b.max) }.centre()
}

/// From numbers in the world to numbers in a cloth.
struct Places {
    names: Vec<String>,
    first_vertex: Vec<usize>,
    first_triangle: Vec<usize>,
}

impl Places {
    fn new(world: &World, cloth: &TriMesh) -> Self {
        let first_vertex: Vec<usize> = world.model.cloths.iter().map(|c| c.start).collect();
        // Triangles stand in the order of the cloths, as vertices do.
        let first = |start: &usize| cloth.triangles.partition_point(|t| t[0].index() < *start);
        Self {
            names: world.parts.cloths.iter().map(|cloth| cloth.name.clone()).collect(),
            first_triangle: first_vertex.iter().map(first).collect(),
            first_vertex,
        }
    }

    fn element(&self, first: &[usize], number: usize) -> StartElement {
        let cloth = first.partition_point(|f| *f <= number).saturating_sub(1);
        StartElement { name: self.names[cloth].clone(), is_cloth: true, number: Some(number - first[cloth]) }
    }

    fn triangle(&self, f: usize) -> StartElement {
        self.element(&self.first_triangle, f)
    }

    fn vertex(&self, v: usize) -> StartElement {
        self.element(&self.first_vertex, v)
    }
}

/// Whether two triangles are sewn to each other; `sewn` has the particles that are, each pair both ways, ascending.
fn is_seam(sewn: &[[u32; 2]], cloth: &TriMesh, pair: &Intersection) -> bool {
    let [a, b] = [pair.a, pair.b].map(|f| cloth.triangles[f.index()]);
    !sewn.is_empty() && a.iter().any(|v| b.iter().any(|u| sewn.binary_search(&[v.0, u.0]).is_ok()))
}

/// Judges the start of a world, and repairs or refuses it.
/// `each` is called before every round of untangling; when it breaks, so does the work.
pub(crate) fn settle(world: &mut World, each: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), WorldError> {
    let findings = StartFindings::of(world);
    if findings.is_clean() {
        return Ok(());
    }
    if !world.settings.contact.untangle || findings.unjudged > 0 {
        return Err(WorldError::Start { findings: Box::new(findings) });
    }
    let before = std::mem::take(&mut world.state.x);
    let ControlFlow::Continue((result, after)) = untangled(world, &before, each) else {
        return Err(WorldError::Cancelled);
    };
    world.state.x = after;
    let left = StartFindings::of(world);
    if result.parted && left.is_clean() {
        world.repair = Some(StartRepair { found: findings.count(), ..result.repair });
        return Ok(());
    }
    world.state.x = before;
    let stretch = result.repair.largest_stretch;
    let reason = if left.is_clean() && stretch > toile_contact::LARGEST_STRETCH {
        format!("only by stretching an edge to {stretch:.2} of its length")
    } else {
        format!("given up after {} rounds", result.repair.rounds)
    };
    // What is left tells more, unless it is the cloth's stretch that is wrong.
    let findings = Box::new(if left.is_clean() { findings } else { left });
    Err(WorldError::Tangled { findings, reason })
}

/// What untangling says of itself.
struct Attempt {
    parted: bool,
    repair: StartRepair,
}

fn untangled(
    world: &World,
    start: &[DVec3],
    each: &mut dyn FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), (Attempt, Vec<DVec3>)> {
    let (cloths, contact) = (&world.parts.cloths, &world.settings.contact);
    let cloth = TriMesh { positions: start.to_vec(), triangles: world.triangles.clone() };
    let mut sheet = vec![0; start.len()];
    for (i, particles) in world.model.cloths.iter().enumerate() {
        sheet[particles.clone()].fill(i as u32);
    }
    let gap: Vec<f64> = cloths.iter().map(|cloth| GAP_SHARE * cloth.kept_thickness()).collect();
    let layer: Vec<u32> = cloths.iter().map(|cloth| cloth.layer).collect();
    let mut obstacles = PlacedObstacles::default();
    obstacles.place(&world.obstacles, world.time(), world.time());
    let meshes: Vec<TriMesh> = world.meshes.iter().map(|mesh| mesh.mesh_at(world.time())).collect();
    let held: Vec<bool> = world.inverse_mass().iter().map(|w| *w == 0.0).collect();
    let tangle = Tangle {
        cloth: &cloth,
        rest: &world.model.rest,
        held: &held,
        sheet: &sheet,
        layer: &layer,
        gap: &gap,
        sewn: &world.sewn,
        self_contact: contact.self_collision,
        obstacles: &obstacles,
        meshes: &meshes,
        obstacle_gap: GAP_SHARE * world.obstacle_distance(),
    };
    let result = untangle_each(&tangle, each)?;
    let repair = StartRepair {
        found: 0,
        rounds: result.rounds,
        largest_move: result.largest_move,
        largest_stretch: result.largest_stretch,
    };
    ControlFlow::Continue((Attempt { parted: result.parted, repair }, result.positions))
}
