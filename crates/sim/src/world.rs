//! [`World`]: everything that takes part in a simulation.
//!
//! Three kinds of data: what is fixed during a run (settings, parts, model), the state and the frame number (what
//! a checkpoint saves), and the engine (scratch memory, reused, never saved).

use std::ops::ControlFlow;
use std::sync::Arc;

use toile_cloth::dynamics::Stepper;
use toile_cloth::{ClothModel, ClothState};
use toile_collide::{DetectError, PairSearch, ParticleTree};
use toile_contact::{Caught, Extent, MeshObstacle, Obstacle, PlacedObstacles, Separation, Tessellation};
use toile_mesh::{Aabb, DVec2, DVec3, TriMesh, VertexId, judge};

use crate::atmosphere::Atmosphere;
use crate::builder::{Cloth, Parts, Place};
use crate::contacts::{self, WorldContact};
use crate::hash::Fnv;
use crate::hold::Held;
use crate::ids::ObstacleId;
use crate::moved::Moved;
use crate::penetration;
use crate::report::FrameReport;
use crate::scissors::Scissors;
use crate::settings::{Model, Response, Settings};
use crate::start::{StartFindings, StartRepair};
use crate::step::Engine;
use crate::step::constraint::Particles;
use crate::step::rest::Rest;
use crate::verdict::FrameVerdict;

/// Most triangles a [`FrameVerdict`] lists.
const LISTED_TRIANGLES: usize = 1000;

/// Everything that takes part in a run.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) settings: Settings,
    /// What it was built from.
    pub(crate) parts: Arc<Parts>,
    pub(crate) model: ClothModel,
    pub(crate) triangles: Vec<[VertexId; 3]>,
    /// Obstacles known by their distance, and those known by their triangles.
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) meshes: Vec<MeshObstacle>,
    pub(crate) holds: Vec<Held>,
    /// What is cut, and when, if anything is.
    pub(crate) scissors: Option<Scissors>,
    /// Particles that are sewn to each other; each pair both ways, ascending.
    pub(crate) sewn: Vec<[u32; 2]>,
    /// Distance a particle may travel in one step [m].
    pub(crate) reach: f64,
    pub(crate) frame: u32,
    pub(crate) state: ClothState,
    /// What mesh obstacles have caught, ascending.
    pub(crate) caught: Vec<Caught>,
    /// Where the cloth has been lately, so that it can come to rest.
    pub(crate) rest: Rest,
    /// The air, whose wind changes too.
    pub(crate) air: Option<Atmosphere>,
    /// What a caller has moved.
    pub(crate) moved: Moved,
    /// How the start was untangled, if it was.
    pub(crate) repair: Option<StartRepair>,
    /// What it takes to try a step; never saved.
    pub(crate) engine: Engine,
}

impl World {
    /// What steers it.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Number of frames simulated so far.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        f64::from(self.frame) / self.settings.time.frame_rate
    }

    /// Simulates `frames` frames. `each` is called after every one; when it breaks, so does the run, and the world stays as it is.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use toile::prelude::*;
    /// use toile_mesh::generate::{Diagonals, grid};
    /// let mut builder = WorldBuilder::new(Settings::default());
    /// builder.cloth(Cloth::new("sheet", grid([1.0, 1.0], [5, 5], Diagonals::Alternating), Fabric::default()));
    /// let mut world = builder.build()?;
    /// let outcome = world.run(100, &mut |report| {
    ///     if report.frame == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// });
    /// assert!(outcome.is_break() && world.frame() == 3);
    /// # Ok::<(), toile::WorldError>(())
    /// ```
    pub fn run(&mut self, frames: u32, each: &mut impl FnMut(&FrameReport) -> ControlFlow<()>) -> ControlFlow<()> {
        for _ in 0..frames {
            let report = self.advance();
            each(&report)?;
        }
        ControlFlow::Continue(())
    }

    /// Particles, rest shape and constraints.
    pub fn model(&self) -> &ClothModel {
        &self.model
    }

    /// The cloths as they were given.
    pub fn cloths(&self) -> &[Cloth] {
        &self.parts.cloths
    }

    /// Mesh obstacles as they were given, before a caller moved any.
    pub fn given_meshes(&self) -> &[MeshObstacle] {
        &self.parts.meshes
    }

    /// Name of an obstacle.
    pub fn obstacle_name(&self, id: ObstacleId) -> &str {
        self.parts.obstacle_name(id.index())
    }

    /// Finite elements and their integration, where `solver.model` asks for them.
    pub fn stepper(&self) -> Option<&Stepper> {
        self.engine.implicit().map(|implicit| &implicit.stepper)
    }

    /// Positions, velocities and who is held.
    pub fn state(&self) -> &ClothState {
        &self.state
    }

    /// Puts the world into a saved state of `frame`, cut as it is then. `false` if the state has another number of particles.
    #[must_use]
    pub fn set_state(&mut self, frame: u32, state: ClothState) -> bool {
        self.cut_as_in(frame);
        let n = self.model.particle_count();
        let fits = [state.x.len(), state.v.len()].iter().all(|len| *len == n);
        if fits {
            (self.frame, self.state) = (frame, state);
            self.caught.clear();
            self.rest = Rest::default();
            self.recall_slip();
        }
        fits
    }

    /// Gives bending the memory that the state holds; contacts of another state have no forces here.
    pub(crate) fn recall_slip(&mut self) {
        if let Some(implicit) = self.engine.implicit_mut() {
            implicit.forget_contacts();
            implicit.set_slip(&self.state.slip);
        }
    }

    /// Puts held particles where their hands are now.
    pub(crate) fn put_in_hands(&mut self) {
        let t = self.time();
        for hold in self.holds.iter().filter(|hold| t <= hold.until) {
            for (i, x) in hold.places(t) {
                self.state.x[i] = x;
            }
        }
    }

    /// Inverse masses as they count now [1/kg]: 0 for what is held.
    pub fn inverse_mass(&self) -> Vec<f64> {
        let mut inverse_mass = self.model.inverse_mass();
        for hold in self.holds.iter().filter(|hold| self.time() <= hold.until) {
            for (i, _) in hold.places(self.time()) {
                inverse_mass[i] = 0.0;
            }
        }
        inverse_mass
    }

    /// All cloth where it is now, as one mesh; the cloths' vertices follow each other as in [`ClothModel::cloths`].
    pub fn cloth_mesh(&self) -> TriMesh {
        TriMesh { positions: self.state.x.clone(), triangles: self.triangles.clone() }
    }

    /// Triangles of all cloths, over the particles of the world.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        &self.triangles
    }

    /// Where the corners of each triangle lie on their cloth as it was cut [m]: on a panel as it is drawn, y up, or on a sheet, seen
    /// from above; with the number of the panel or sheet, counted through all cloths.
    pub fn flat_corners(&self) -> Vec<(u32, [DVec2; 3])> {
        let (mut corners, mut first) = (Vec::with_capacity(self.triangles.len()), 0);
        let mut triangles = self.triangles.iter().peekable();
        for (index, (cloth, range)) in self.parts.cloths.iter().zip(&self.model.cloths).enumerate() {
            let own = std::iter::from_fn(|| triangles.next_if(|t| range.contains(&t[0].index())));
            let place = |v: VertexId| DVec2::new(self.model.rest[v.index()].x, -self.model.rest[v.index()].z);
            let sheet: Vec<(u32, [DVec2; 3])> = own.map(|t| (0, t.map(place))).collect();
            let found = match (&self.scissors, &cloth.cut) {
                (Some(scissors), Some(_)) => scissors.on_panels(index),
                (None, Some(cut)) => cloth.on_panels(cut),
                (_, None) => sheet,
            };
            corners.extend(found.into_iter().map(|(panel, place)| (first + panel, place)));
            first += cloth.panels.len().max(1) as u32;
        }
        corners
    }

    /// Mesh of an obstacle where it is now.
    pub fn obstacle_mesh(&self, id: ObstacleId) -> TriMesh {
        self.obstacle_mesh_at(id, self.time())
    }

    /// Mesh of an obstacle at time `t` [s].
    pub fn obstacle_mesh_at(&self, id: ObstacleId, t: f64) -> TriMesh {
        match self.parts.places[id.index()] {
            Place::Exact(k) => self.obstacles[k].tessellate(&Tessellation::default(), t),
            Place::Mesh(k) => self.meshes[k].mesh_at(t),
        }
    }

    /// The obstacles that cloth touches as triangle meshes.
    pub fn mesh_obstacles(&self) -> &[MeshObstacle] {
        &self.meshes
    }

    /// Number of obstacles, exact ones and meshes together.
    pub fn obstacle_count(&self) -> usize {
        self.parts.places.len()
    }

    /// Why contacts with meshes could not be searched for in the last frame; `None` if they could.
    pub fn failure(&self) -> Option<DetectError> {
        self.engine.failure
    }

    /// Engineering strain of the edges around each particle, averaged.
    pub fn particle_strain(&self) -> Vec<f64> {
        self.particle_strain_at(&self.state.x)
    }

    /// The same at other positions [m], as of a recorded frame.
    pub fn particle_strain_at(&self, x: &[DVec3]) -> Vec<f64> {
        self.engine.lengths.particle_strain(x)
    }

    /// Where cloth touches cloth and obstacles, as the last frame left it: everything nearer than 1.1 times the distance it keeps, and
    /// everything that the last solve pressed apart. Empty before the first frame.
    ///
    /// Exact obstacles are touched by vertices, and by triangles where these were pressed; meshes and cloth by vertices, edges and
    /// triangles. A contact with a [force](WorldContact::force) has the normal along which the force acts.
    pub fn contacts(&self) -> Vec<WorldContact> {
        contacts::Reader { world: self }.read()
    }

    /// Lets the judge look at this frame: cloth against itself and against every obstacle.
    pub fn judge(&self) -> FrameVerdict {
        let cloth = self.cloth_mesh();
        let own = judge::self_intersections(&cloth);
        let mut verdict =
            FrameVerdict { frame: self.frame, cloth: own.count(), unjudged: own.unjudged, ..FrameVerdict::default() };
        let mut triangles: Vec<u32> = own.pairs.iter().flat_map(|p| [p.a.0, p.b.0]).collect();
        let mut placed = PlacedObstacles::default();
        placed.place(&self.obstacles, self.time(), self.time());
        verdict.inside = self.state.x.iter().filter(|x| placed.distance(**x) < 0.0).count();
        for (_, solid, _) in self.judged_solids() {
            let mutual = judge::mutual_intersections(&cloth, &solid);
            verdict.obstacles += mutual.count();
            triangles.extend(mutual.pairs.iter().map(|p| p.a.0));
        }
        triangles.sort_unstable();
        triangles.dedup();
        triangles.truncate(LISTED_TRIANGLES);
        verdict.triangles = triangles;
        verdict
    }

    /// The obstacles as the judge sees them where they are now, with their numbers and whether they are
    /// exact; those are given as triangles inside their surface.
    pub(crate) fn judged_solids(&self) -> Vec<(usize, TriMesh, bool)> {
        let cloth = Aabb::around(self.state.x.iter().copied());
        let mesh = |place: &Place| match place {
            Place::Exact(k) => {
                let obstacle = &self.obstacles[*k];
                // A half space is judged as a square that is larger than the cloth is wide.
                let position = obstacle.motion.pose_at(self.time()).position;
                let far = cloth.size().length() + cloth.centre().distance(position);
                let fineness = Tessellation { plane_size: 2.0 * far.max(5.0), ..Tessellation::default() };
                (obstacle.tessellate(&fineness, self.time()), true)
            }
            Place::Mesh(k) => (self.meshes[*k].mesh_at(self.time()), false),
        };
        let solid = |(i, place): (usize, &Place)| {
            let (mesh, exact) = mesh(place);
            (i, mesh, exact)
        };
        self.parts.places.iter().enumerate().map(solid).collect()
    }

    /// Depth of the deepest point of cloth in any obstacle that is known by its distance [m]; 0 if all are outside.
    ///
    /// Whole triangles count, not only their corners. Obstacles made of triangles have no inside and are passed over.
    ///
    /// ```
    /// use toile::prelude::*;
    /// use toile_mesh::generate::{Diagonals, grid};
    /// let mut builder = WorldBuilder::new(Settings::default());
    /// let sunk = grid([1.0, 1.0], [5, 5], Diagonals::Alternating).map_positions(|p| p - 0.02 * DVec3::Y);
    /// builder.cloth(Cloth::new("sheet", sunk, Fabric::default()));
    /// let still = Motion::at_rest(Pose::IDENTITY);
    /// builder.obstacle(Obstacle::new("floor", Shape::Plane, still, Friction::Coulomb(0.3)));
    /// let world = builder.build_as_given()?;
    /// assert_eq!(world.penetration(), 0.02);
    /// # Ok::<(), toile::WorldError>(())
    /// ```
    pub fn penetration(&self) -> f64 {
        penetration::deepest(&self.obstacles, &self.triangles, &self.state.x, self.time())
    }

    /// Everything that intersects where the world is now, by name, as far as the settings keep it apart.
    pub fn findings(&self) -> StartFindings {
        StartFindings::of(self)
    }

    /// How the start was untangled; `None` if it needed no repair.
    pub fn repair(&self) -> Option<StartRepair> {
        self.repair
    }

    /// 64-bit hash of the state: equal for equal bits of every position and velocity.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.write(&self.frame.to_le_bytes());
        for p in self.state.x.iter().chain(&self.state.v) {
            p.to_array().iter().for_each(|c| hash.write(&c.to_bits().to_le_bytes()));
        }
        hash.finish()
    }
}

/// Particles that keep a distance from each other.
pub(crate) fn particles(model: &ClothModel, extent: Vec<Extent>, cloth_of: Vec<u32>) -> Particles {
    let constraints = model.structural.iter().chain(&model.bending);
    let joined: Vec<[u32; 2]> = constraints.map(|c| c.ends).collect();
    Particles {
        tree: ParticleTree::new(&model.rest, &joined),
        search: PairSearch::default(),
        candidates: Vec::new(),
        separation: Separation::new(extent, &model.rest, cloth_of),
    }
}

/// Longest edge relative to its rest length that is left alone: what fabrics do is their own affair.
pub(crate) fn limit(settings: &Settings) -> f64 {
    if settings.solver.model == Model::Fem { f64::INFINITY } else { settings.solver.limit }
}

/// How far a particle may travel in one step [m]: half the distance kept from other particles, and not through the
/// middle of the thinnest obstacle, behind which it would be pushed out on the wrong side. Among meshes it is half the
/// distance between particles too, so that contacts are found where they are and not where they will have been.
/// Contact terms meet what comes, and implicit steps need not be short, so that finite elements may go several times as far.
pub(crate) fn reach(settings: &Settings, extent: &[Extent], obstacles: &[Obstacle], meshes: bool) -> f64 {
    let apart = if settings.contact.self_collision || meshes {
        extent.iter().map(|e| e.distance(*e)).filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min)
    } else {
        f64::INFINITY
    };
    let pieces = obstacles.iter().flat_map(|o| &o.pieces);
    let thinnest = pieces.map(|p| p.shape.inner_radius()).fold(f64::INFINITY, f64::min);
    let farsighted = settings.solver.model == Model::Fem && settings.contact.response == Response::Solved;
    let share = if farsighted { 0.5 * settings.advanced.reach } else { 0.5 };
    (share * apart).min(0.9 * (thinnest + settings.contact.threshold))
}
