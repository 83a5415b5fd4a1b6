//! [`World`]: the live objects of a scene.
//!
//! Three kinds of data: what is fixed during a run (scene, model, obstacles, holds), the state and the frame number (what
//! a checkpoint saves), and the workspace (scratch memory, reused, never saved).

use std::sync::Arc;

use toile_cloth::dynamics::Stepper;
use toile_cloth::{ClothModel, ClothState, ConstraintFabric, ConstraintSolver, Fabric, Sheets};
use toile_collide::{DetectError, PairSearch, ParticleTree};
use toile_contact::{
    Bodies, Caught, Extent, Feature, Guard, MeshObstacle, Obstacle, Pincers, PlacedObstacles, Projection, Separation,
    Tessellation, TriangleSweep, Watch, extents,
};
use toile_mesh::{Aabb, DVec2, DVec3, TriMesh, VertexId, judge};

use crate::atmosphere::Atmosphere;
use crate::build::{self, WorldError};
use crate::build_body;
use crate::build_mesh::{self, Built};
use crate::detector;
use crate::garment::{self, Dressed, Progress};
use crate::hold::Hold;
use crate::physical::Physical;
use crate::pinch::Pinched;
use crate::report::Integration;
use crate::responses::Responses;
use crate::rest::Rest;
use crate::scene::{AutoLength, Method, Model, Response, Scene};
use crate::scissors::Scissors;
use crate::start::{self, StartFindings, StartRepair};
use crate::tailored::Tailored;
use crate::verdict::FrameVerdict;

/// Most triangles a [`FrameVerdict`] lists.
const LISTED_TRIANGLES: usize = 1000;

/// Everything that takes part in a run.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) scene: Scene,
    pub(crate) model: ClothModel,
    /// What each cloth is made of.
    pub(crate) fabrics: Vec<Fabric>,
    pub(crate) triangles: Vec<[VertexId; 3]>,
    /// Obstacles known by their distance, and those known by their triangles.
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) meshes: Vec<MeshObstacle>,
    /// Where each obstacle and then each body of the scene is in these lists.
    places: Vec<Place>,
    pub(crate) holds: Vec<Hold>,
    /// What is cut, and when, if anything is.
    pub(crate) scissors: Option<Scissors>,
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
    /// How the start was untangled, if it was.
    pub(crate) repair: Option<StartRepair>,
    /// The garments that were put on before the start, if there are any.
    pub(crate) dressed: Option<Arc<Dressed>>,
    pub(crate) work: Workspace,
}

/// Number of an obstacle in the list of its kind.
#[derive(Clone, Copy, Debug)]
enum Place {
    Exact(usize),
    Mesh(usize),
}

/// What the cloth cannot move, before there is a world.
struct Solids {
    obstacles: Vec<Obstacle>,
    meshes: Vec<MeshObstacle>,
    places: Vec<Place>,
}

impl Solids {
    fn of(scene: &Scene, tailored: Option<&Tailored<'_>>) -> Result<Self, WorldError> {
        let (mut obstacles, mut meshes, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..scene.obstacle.len() {
            match build_mesh::obstacle(scene, i)? {
                Built::Exact(obstacle) => {
                    places.push(Place::Exact(obstacles.len()));
                    obstacles.push(obstacle);
                }
                Built::Mesh(mesh) => {
                    places.push(Place::Mesh(meshes.len()));
                    meshes.push(mesh);
                }
            }
        }
        for i in 0..scene.body.len() {
            places.push(Place::Mesh(meshes.len()));
            meshes.push(match tailored {
                None => build_body::body(scene, i)?,
                Some(tailored) => tailored.bodies[i].clone(),
            });
        }
        Ok(Self { obstacles, meshes, places })
    }
}

/// Scratch memory of the step.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    pub(crate) x_t0: Vec<DVec3>,
    pub(crate) solver: ConstraintSolver,
    pub(crate) tree: ParticleTree,
    pub(crate) search: PairSearch,
    pub(crate) candidates: Vec<[u32; 2]>,
    pub(crate) separation: Separation,
    /// The obstacles of this step without and with friction.
    pub(crate) slippery: PlacedObstacles,
    pub(crate) rough: PlacedObstacles,
    pub(crate) triangle_sweep: TriangleSweep,
    /// All vertices, the pairs of features that may touch, if anything can, and what keeps them apart.
    pub(crate) bodies: Bodies,
    pub(crate) watch: Option<Watch>,
    pub(crate) projection: Projection,
    pub(crate) responses: Responses,
    pub(crate) guard: Guard,
    /// Fastest that anything can be expected to move in this frame [m/s].
    pub(crate) pace: f64,
    /// Whether obstacles or hands move in this frame.
    pub(crate) is_moved: bool,
    /// Whether a particle went farther than that in the last step, and was held back.
    pub(crate) flung: bool,
    /// Whether the guard could not keep something out.
    pub(crate) pinched: bool,
    /// What is pinched in this step.
    pub(crate) pinched_now: Pinched,
    /// States that steps began with.
    pub(crate) saved: Vec<(ClothState, Vec<Caught>)>,
    /// Knows what mesh obstacles have caught.
    pub(crate) pincers: Pincers,
    /// Features that could not be kept out in the step that is done again.
    pub(crate) excused: Vec<Feature>,
    /// Where the cloth was before the last corrections, and after them.
    pub(crate) x_moved: Vec<DVec3>,
    pub(crate) x_tidied: Vec<DVec3>,
    /// Why a search for them failed in this frame.
    pub(crate) failure: Option<DetectError>,
    /// Longest edge of the flat cloth [m].
    pub(crate) longest_edge: f64,
    /// Finite elements, where the scene asks for them.
    pub(crate) physical: Option<Physical>,
    /// What they did in this frame.
    pub(crate) integration: Integration,
}

impl World {
    /// Builds the world of a scene. Relative paths of mesh files start at the current folder; [`Scene::load`] has
    /// already joined them with the scene's. Garments are put on first. A start that intersects is untangled or refused, as
    /// the scene says.
    pub fn new(scene: &Scene) -> Result<Self, WorldError> {
        Self::dressing(scene, &mut |_| ())
    }

    /// The same; `progress` is called after every frame in which garments are put on.
    pub fn dressing(scene: &Scene, progress: &mut dyn FnMut(&Progress<'_>)) -> Result<Self, WorldError> {
        let mut world = Self::wearing(scene, garment::dress(scene, progress)?)?;
        start::settle(&mut world)?;
        Ok(world)
    }

    /// The same for a scene whose garments [are worn](garment::dress) already.
    pub fn dressed_in(scene: &Scene, dressed: Dressed) -> Result<Self, WorldError> {
        if let Some(cloth) = dressed.missing(scene) {
            return Err(WorldError::NotDressed { cloth });
        }
        let mut world = Self::wearing(scene, Some(dressed))?;
        start::settle(&mut world)?;
        Ok(world)
    }

    /// Builds the world of a scene as it stands, whether its start intersects or not: to look at it, or to put a saved
    /// state into it.
    pub fn as_given(scene: &Scene) -> Result<Self, WorldError> {
        Self::wearing(scene, garment::dress(scene, &mut |_| ())?)
    }

    /// The same for a scene whose garments are worn already, if it has any.
    pub(crate) fn wearing(scene: &Scene, dressed: Option<Dressed>) -> Result<Self, WorldError> {
        let Some(dressed) = dressed else { return Self::assemble(scene, None) };
        let scene = dressed.allow_give(scene)?;
        let bodies = dressed.bodies(&scene)?;
        let mut world = Self::assemble(&scene, Some(&Tailored { cloths: dressed.cloths(&scene), bodies: &bodies }))?;
        world.dressed = Some(Arc::new(dressed));
        Ok(world)
    }

    /// Builds a world around cloths and bodies that were made in code. A start that intersects is untangled or refused, as the
    /// scene says.
    pub(crate) fn tailored(scene: &Scene, tailored: &Tailored<'_>) -> Result<Self, WorldError> {
        let mut world = Self::assemble(scene, Some(tailored))?;
        start::settle(&mut world)?;
        Ok(world)
    }

    fn assemble(scene: &Scene, tailored: Option<&Tailored<'_>>) -> Result<Self, WorldError> {
        let scissors = Scissors::of(scene, tailored)?;
        Self::put_together(scene, tailored, scissors, None)
    }

    /// `before`: a world of the same scene with other cuts, whose obstacles, fabrics and air are taken over.
    pub(crate) fn put_together(
        scene: &Scene,
        tailored: Option<&Tailored<'_>>,
        scissors: Option<Scissors>,
        before: Option<&Self>,
    ) -> Result<Self, WorldError> {
        let mut model = ClothModel::default();
        let (mut triangles, mut start, mut holds) = (Vec::new(), Vec::new(), Vec::new());
        let (mut extent, mut cloth_of) = (Vec::new(), Vec::new());
        let (mut sheets, mut hysteresis, mut fabrics) = (Sheets::default(), false, Vec::new());
        for (index, cloth) in scene.cloth.iter().enumerate() {
            let first = model.particle_count();
            let built = match (&scissors, tailored.and_then(|tailored| tailored.cloths[index])) {
                (Some(scissors), _) => scissors.cloth(index, first),
                (None, None) => build::cloth(scene, index, first)?,
                (None, Some(tailored)) => tailored.build(scene, index, first)?,
            };
            let fabric = match before {
                None => build::fabric(scene, index)?,
                Some(before) => before.fabrics[index].clone(),
            };
            let constraints = ConstraintFabric {
                areal_density: fabric.areal_density,
                stretch_min: cloth.stretch_min,
                stretch_max: cloth.stretch_max,
                bend_min: cloth.bend_min,
            };
            match &built.cut {
                None => model.add(&built.flat, &constraints),
                Some(cut) => model.add_sewn(&built.flat, cut, &constraints),
            };
            if let Some(area) = &built.area {
                model.mass.splice(first.., area.iter().map(|area| area * fabric.areal_density));
                model.area.splice(first.., area.iter().copied());
            }
            if scene.solver.model == Model::Fem {
                let options = build::sheet_options(scene, cloth, built.cut.is_some());
                match &built.cut {
                    None => sheets.add(&built.flat, first, &fabric, &options),
                    Some(cut) => sheets.add_cut(&built.flat, cut, first, &fabric, &options),
                }
                hysteresis |= fabric.hysteresis_warp + fabric.hysteresis_weft > 0.0;
            }
            match scene.contact.distance {
                AutoLength::Auto => extent.extend(extents(&built.flat, cloth.stretch_max.max(scene.solver.limit))),
                AutoLength::Metres(d) => extent.extend(vec![Extent::for_distance(d); built.start.len()]),
            }
            fabrics.push(fabric);
            triangles.extend(built.flat.triangles.iter().map(|t| t.map(|v| VertexId(v.0 + first as u32))));
            cloth_of.extend(vec![index as u32; built.start.len()]);
            start.extend(built.start);
            holds.extend(built.holds);
        }
        let Solids { obstacles, meshes, places } = match before {
            None => Solids::of(scene, tailored)?,
            Some(before) => Solids {
                obstacles: before.obstacles.clone(),
                meshes: before.meshes.clone(),
                places: before.places.clone(),
            },
        };
        build::fasten(scene, &mut holds, &meshes)?;
        let reach = reach(scene, &extent, &obstacles, !meshes.is_empty());
        let mut work = workspace(scene, &model, extent, cloth_of.clone());
        if scene.solver.model == Model::Fem {
            build::add_seams(scene, &model, scissors.as_ref(), &mut sheets)?;
            work.physical =
                Some(Physical::new(&scene.physics, sheets.build(model.particle_count()), &fabrics, hysteresis));
        }
        let cloth = TriMesh { positions: start, triangles };
        let exceptions = build::friction_exceptions(scene, &model, &obstacles);
        work.slippery.set_exceptions(exceptions.clone());
        work.rough.set_exceptions(exceptions);
        work.bodies = build::bodies(scene, &model, &cloth_of, &fabrics, &meshes);
        work.watch = detector::watch(scene, &work.bodies, &cloth, &meshes, obstacles.is_empty())?;
        work.responses = Responses::new(scene, work.watch.as_ref());
        let TriMesh { positions: start, triangles } = cloth;
        work.pincers = Pincers::new(&work.bodies, &meshes, &triangles);
        let air = match before {
            None => Atmosphere::new(&scene.air, &triangles, &start, &obstacles)?,
            Some(before) => before.air.as_ref().map(|air| air.around(&triangles, start.len())),
        };
        let state = ClothState::at_rest(&model, start);
        let scene = scene.clone();
        let mut world = Self {
            scene,
            model,
            fabrics,
            triangles,
            obstacles,
            meshes,
            places,
            holds,
            scissors,
            reach,
            frame: 0,
            state,
            air,
            repair: None,
            caught: Vec::new(),
            rest: Rest::default(),
            dressed: before.and_then(|before| before.dressed.clone()),
            work,
        };
        world.hold_particles(0.0, 0.0);
        Ok(world)
    }

    /// The scene the world was built from.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of frames simulated so far.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        f64::from(self.frame) / self.scene.time.frame_rate
    }

    /// Particles, rest shape and constraints.
    pub fn model(&self) -> &ClothModel {
        &self.model
    }

    /// What each cloth is made of, in the order of the scene.
    pub fn fabrics(&self) -> &[Fabric] {
        &self.fabrics
    }

    /// Finite elements and their integration, where the scene asks for them.
    pub fn stepper(&self) -> Option<&Stepper> {
        self.work.physical.as_ref().map(|physical| &physical.stepper)
    }

    /// Positions, velocities and who is held.
    pub fn state(&self) -> &ClothState {
        &self.state
    }

    /// Puts the world into a saved state of `frame`, cut as it is then. `false` if the state has another number of particles.
    #[must_use]
    pub fn restore(&mut self, frame: u32, state: ClothState) -> bool {
        self.cut_as_in(frame);
        let n = self.model.particle_count();
        let fits = [state.x.len(), state.v.len(), state.inverse_mass.len()].iter().all(|len| *len == n);
        if fits {
            (self.frame, self.state) = (frame, state);
            self.caught.clear();
            self.rest = Rest::default();
            self.recall_slip();
        }
        fits
    }

    /// All cloth where it is now, as one mesh; the cloths' vertices follow each other as in [`ClothModel::cloths`].
    pub fn cloth_mesh(&self) -> TriMesh {
        TriMesh { positions: self.state.x.clone(), triangles: self.triangles.clone() }
    }

    /// Triangles of all cloths, over the particles of the world.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        &self.triangles
    }

    /// Where the corners of each triangle lie on their cloth as it was cut [m]: on a panel of a garment, y up, or on a sheet, seen
    /// from above; with the number of the panel or sheet, counted through all cloths.
    pub fn flat_corners(&self) -> Vec<(u32, [DVec2; 3])> {
        let (mut corners, mut first) = (Vec::with_capacity(self.triangles.len()), 0);
        let mut triangles = self.triangles.iter().peekable();
        for (index, range) in self.model.cloths.iter().enumerate() {
            let garment = self.dressed().and_then(|dressed| dressed.garments.iter().find(|g| g.cloth == index));
            let own = std::iter::from_fn(|| triangles.next_if(|t| range.contains(&t[0].index())));
            let place = |v: VertexId| DVec2::new(self.model.rest[v.index()].x, -self.model.rest[v.index()].z);
            let sheet: Vec<(u32, [DVec2; 3])> = own.map(|t| (0, t.map(place))).collect();
            let found = match (garment, &self.scissors) {
                (None, _) => sheet,
                (Some(_), Some(scissors)) => scissors.on_panels(index),
                (Some(garment), None) => garment.on_panels().collect(),
            };
            corners.extend(found.into_iter().map(|(panel, place)| (first + panel, place)));
            first += garment.map_or(1, |garment| garment.flat.panels.len() as u32);
        }
        corners
    }

    /// Mesh of obstacle `i` where it is now.
    pub fn obstacle_mesh(&self, i: usize) -> TriMesh {
        self.obstacle_mesh_at(i, self.time())
    }

    /// Mesh of obstacle `i` at time `t` [s].
    pub fn obstacle_mesh_at(&self, i: usize, t: f64) -> TriMesh {
        match self.places[i] {
            Place::Exact(k) => self.obstacles[k].tessellate(&Tessellation::default(), t),
            Place::Mesh(k) => self.meshes[k].mesh_at(t),
        }
    }

    /// The obstacles that cloth touches as triangle meshes.
    pub fn mesh_obstacles(&self) -> &[MeshObstacle] {
        &self.meshes
    }

    /// Number of obstacles, bodies included: these follow the others.
    pub fn obstacle_count(&self) -> usize {
        self.places.len()
    }

    /// Why contacts with meshes could not be searched for in the last frame; `None` if they could.
    pub fn failure(&self) -> Option<DetectError> {
        self.work.failure
    }

    /// Engineering strain of the edges around each particle, averaged.
    pub fn particle_strain(&self) -> Vec<f64> {
        self.particle_strain_at(&self.state.x)
    }

    /// The same at other positions [m], as of a recorded frame.
    pub fn particle_strain_at(&self, x: &[DVec3]) -> Vec<f64> {
        self.work.solver.particle_strain(x)
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

    /// The obstacles as the judge sees them where they are now, with their numbers in the scene and whether they are
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
        self.places.iter().enumerate().map(solid).collect()
    }

    /// Everything that intersects where the world is now, by name, as far as the scene keeps it apart.
    pub fn findings(&self) -> StartFindings {
        StartFindings::of(self)
    }

    /// The garments that were put on before the start, and how; `None` if the scene has none.
    pub fn dressed(&self) -> Option<&Dressed> {
        self.dressed.as_deref()
    }

    /// How the start was untangled; `None` if it needed no repair.
    pub fn repair(&self) -> Option<StartRepair> {
        self.repair
    }

    /// 64-bit hash of the state: equal for equal bits of every position and velocity.
    pub fn hash(&self) -> u64 {
        let mut hash = crate::checkpoint::Fnv::default();
        hash.write(&self.frame.to_le_bytes());
        for p in self.state.x.iter().chain(&self.state.v) {
            p.to_array().iter().for_each(|c| hash.write(&c.to_bits().to_le_bytes()));
        }
        hash.finish()
    }
}

fn workspace(scene: &Scene, model: &ClothModel, extent: Vec<Extent>, cloth_of: Vec<u32>) -> Workspace {
    let method = match scene.solver.method {
        Method::Sweep => toile_cloth::Method::Sweep,
        Method::Chains => toile_cloth::Method::Chains,
    };
    let constraints = || model.structural.iter().chain(&model.bending);
    let links: Vec<[u32; 2]> = constraints().map(|c| c.ends).collect();
    Workspace {
        x_t0: Vec::with_capacity(model.particle_count()),
        solver: ConstraintSolver::new(model, method, limit(scene)),
        tree: ParticleTree::new(&model.rest, &links),
        search: PairSearch::default(),
        candidates: Vec::new(),
        separation: Separation::new(extent, &model.rest, cloth_of),
        slippery: PlacedObstacles::default(),
        rough: PlacedObstacles::default(),
        triangle_sweep: TriangleSweep::default(),
        bodies: Bodies::default(),
        watch: None,
        projection: Projection::default(),
        responses: Responses::default(),
        guard: Guard::default(),
        pace: 0.0,
        is_moved: false,
        flung: false,
        pinched: false,
        pinched_now: Pinched::default(),
        saved: Vec::new(),
        pincers: Pincers::default(),
        excused: Vec::new(),
        x_moved: Vec::new(),
        x_tidied: Vec::new(),
        failure: None,
        longest_edge: model.structural.iter().map(|e| e.rest).fold(0.0, f64::max),
        physical: None,
        integration: Integration::default(),
    }
}

/// Longest edge relative to its rest length that is left alone: what fabrics do is their own affair.
fn limit(scene: &Scene) -> f64 {
    if scene.solver.model == Model::Fem { f64::INFINITY } else { scene.solver.limit }
}

/// How many times as far particles may travel in a step that looks ahead.
const FARSIGHTED: f64 = 5.0;

/// How far a particle may travel in one step [m]: half the distance kept from other particles, and not through the
/// middle of the thinnest obstacle, behind which it would be pushed out on the wrong side. Among meshes it is half the
/// distance between particles too, so that contacts are found where they are and not where they will have been. Links
/// meet what comes, and implicit steps need not be short, so that finite elements may go several times as far.
fn reach(scene: &Scene, extent: &[Extent], obstacles: &[Obstacle], meshes: bool) -> f64 {
    let apart = if scene.contact.self_collision || meshes {
        extent.iter().map(|e| e.distance(*e)).filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min)
    } else {
        f64::INFINITY
    };
    let pieces = obstacles.iter().flat_map(|o| &o.pieces);
    let thinnest = pieces.map(|p| p.shape.inner_radius()).fold(f64::INFINITY, f64::min);
    let farsighted = scene.solver.model == Model::Fem && scene.contact.response == Response::Solved;
    let share = if farsighted { 0.5 * FARSIGHTED } else { 0.5 };
    (share * apart).min(0.9 * (thinnest + scene.contact.threshold))
}
