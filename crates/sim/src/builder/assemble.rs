//! From parts to a world.

use std::sync::Arc;

use toile_cloth::{ClothModel, ClothState, ConstraintFabric, ConstraintSolver, Fabric, SheetOptions, Sheets};
use toile_contact::{
    Candidates, Extent, Materials, MeshObstacle, Obstacle, Overlap, PairFriction, Participants, Step, extents,
    mean_friction,
};
use toile_mesh::{DVec2, DVec3, TriMesh, VertexId};

use super::{Cloth, Parts, Place, WorldError};
use crate::atmosphere::Atmosphere;
use crate::detector;
use crate::hold::Held;
use crate::moved::Moved;
use crate::scissors::Scissors;
use crate::settings::{AutoLength, Model, Settings};
use crate::step::constraint::{Particles, parts_particles};
use crate::step::implicit::Implicit;
use crate::step::respond::Response;
use crate::step::rest::Rest;
use crate::step::{Engine, EngineParts, Motion, Shapes};
use crate::world::{World, limit, particles, reach};

/// A cloth that is ready to become particles.
#[derive(Clone, Debug)]
pub(crate) struct BuiltCloth {
    pub(crate) flat: TriMesh,
    pub(crate) start: Vec<DVec3>,
    pub(crate) holds: Vec<Held>,
    /// The flat corners of each triangle along warp and weft [m], if `flat` is not what it says.
    pub(crate) cut: Option<Vec<[DVec2; 3]>>,
    /// The panel of each triangle; empty if it is one sheet.
    pub(crate) panel: Vec<u32>,
    /// Cloth area that belongs to each vertex [m²], if it does not follow from the triangles.
    pub(crate) area: Option<Vec<f64>>,
}

impl BuiltCloth {
    /// Cloth `index` of the parts, whose first particle is `first`.
    pub(crate) fn new(parts: &Parts, index: usize, first: usize) -> Result<Self, WorldError> {
        let cloth = &parts.cloths[index];
        let start = cloth.mesh.positions.clone();
        let mut holds = Vec::new();
        for (k, (number, hold)) in parts.holds_of(index).enumerate() {
            holds.push(Held::new(hold, number, k + 1, &cloth.name, &start, first)?);
        }
        Ok(Self {
            flat: cloth.rest_mesh(),
            start,
            holds,
            cut: cloth.cut.clone(),
            panel: cloth.panel.clone(),
            area: None,
        })
    }
}

/// Cloths that have become particles.
#[derive(Default)]
struct Sewn {
    model: ClothModel,
    triangles: Vec<[VertexId; 3]>,
    start: Vec<DVec3>,
    holds: Vec<Held>,
    /// What each particle keeps from others, if particles are kept apart.
    extent: Vec<Extent>,
    /// Number of the cloth of each particle.
    cloth_of: Vec<u32>,
    sheets: Sheets,
}

impl Sewn {
    /// Adds the next cloth of the parts.
    fn add(&mut self, settings: &Settings, parts: &Parts, index: usize, built: BuiltCloth) {
        let (cloth, first) = (&parts.cloths[index], self.model.particle_count());
        let constraints = ConstraintFabric {
            areal_density: cloth.fabric.areal_density,
            stretch_min: cloth.stretch_min,
            stretch_max: cloth.stretch_max,
            bend_min: cloth.bend_min,
        };
        match &built.cut {
            None => self.model.add(&built.flat, &constraints),
            Some(cut) => self.model.add_sewn(&built.flat, cut, &constraints),
        };
        if let Some(area) = &built.area {
            self.model.mass.splice(first.., area.iter().map(|area| area * cloth.fabric.areal_density));
            self.model.area.splice(first.., area.iter().copied());
        }
        let fabrics: Vec<&Fabric> = match built.panel.as_slice() {
            [] => vec![&cloth.fabric; built.flat.face_count()],
            panels => panels.iter().map(|panel| cloth.fabric_of(*panel as usize)).collect(),
        };
        if fabrics.iter().any(|fabric| fabric.areal_density != cloth.fabric.areal_density) {
            self.weigh(first, &built, &fabrics);
        }
        if settings.solver.model == Model::Fem {
            let options = SheetOptions {
                membrane: settings.physics.membrane,
                bending: settings.physics.bending,
                grain: cloth.grain,
                pressure: cloth.pressure,
                buckling: built.cut.is_some(),
            };
            match &built.cut {
                None => self.sheets.add(&built.flat, first, &cloth.fabric, &options),
                Some(cut) => self.sheets.add_pieces(&built.flat, cut, first, &fabrics, &options),
            }
        }
        let vertices = built.start.len();
        match settings.contact.distance {
            AutoLength::Auto => {
                let longest = cloth.stretch_max.max(settings.solver.limit);
                self.extent.extend(extents(&built.flat, longest));
            }
            AutoLength::Metres(d) => self.extent.extend(std::iter::repeat_n(Extent::for_distance(d), vertices)),
        }
        self.triangles.extend(built.flat.triangles.iter().map(|t| t.map(|v| VertexId(v.0 + first as u32))));
        self.cloth_of.extend(std::iter::repeat_n(index as u32, vertices));
        self.start.extend(built.start);
        self.holds.extend(built.holds);
    }
}

impl Sewn {
    /// Gives the particles from `first` on the mass of their triangles, each of its own fabric: the area of a particle weighs as the
    /// triangles around it do on average.
    fn weigh(&mut self, first: usize, built: &BuiltCloth, fabrics: &[&Fabric]) {
        let mut sums = vec![(0.0, 0.0); built.flat.vertex_count()];
        for (f, t) in built.flat.triangles.iter().enumerate() {
            let area = match &built.cut {
                Some(cut) => 0.5 * (cut[f][1] - cut[f][0]).perp_dot(cut[f][2] - cut[f][0]).abs(),
                None => 1.0,
            };
            for v in t {
                sums[v.index()].0 += area * fabrics[f].areal_density;
                sums[v.index()].1 += area;
            }
        }
        for (i, (mass, area)) in sums.into_iter().enumerate() {
            if area > 0.0 {
                self.model.mass[first + i] = self.model.area[first + i] * mass / area;
            }
        }
    }
}

/// Makes a world. `before`: a world of the same parts with other cuts, whose obstacles and air are taken over.
pub(crate) fn assemble(
    settings: Settings,
    parts: Arc<Parts>,
    scissors: Option<Scissors>,
    before: Option<&World>,
) -> Result<World, WorldError> {
    let mut sewn = Sewn::default();
    for index in 0..parts.cloths.len() {
        let first = sewn.model.particle_count();
        let built = match &scissors {
            Some(scissors) => scissors.cloth(index, first),
            None => BuiltCloth::new(&parts, index, first)?,
        };
        sewn.add(&settings, &parts, index, built);
    }
    let Sewn { model, triangles, start, mut holds, extent, cloth_of, mut sheets } = sewn;
    let (obstacles, meshes) = match before {
        None => (parts.obstacles.clone(), parts.meshes.clone()),
        Some(before) => (before.obstacles.clone(), before.meshes.clone()),
    };
    fasten(&parts, &mut holds)?;
    for held in &mut holds {
        held.follow(&meshes);
    }
    let reach = reach(&settings, &extent, &obstacles, !meshes.is_empty());
    let stitches = stitches(&parts, &model, scissors.as_ref())?;
    let motion = if settings.solver.model == Model::Fem {
        for (pair, stiffness) in &stitches {
            sheets.add_seam(*pair, *stiffness);
        }
        let mut fabrics = parts.cloths.iter().flat_map(Cloth::fabrics);
        let hysteresis = fabrics.any(|fabric| fabric.hysteresis_warp + fabric.hysteresis_weft > 0.0);
        let stiffer = |fabric: &Fabric| fabric.stretch_warp.max(fabric.stretch_weft);
        let threads = parts.cloths.iter().map(|cloth| cloth.fabrics().map(stiffer).fold(0.0, f64::max)).collect();
        let energies = sheets.build(model.particle_count());
        Motion::Implicit(Box::new(Implicit::new(&settings.physics, energies, threads, hysteresis)))
    } else {
        Motion::Constraint
    };
    let longest_edge = model.structural.iter().map(|e| e.rest).fold(0.0, f64::max);
    let mut shapes = Shapes::new(&settings.advanced.contact, longest_edge);
    let friction = friction_with_shapes(&settings, &parts, &model, &obstacles);
    shapes.smooth.set_friction(friction.clone());
    shapes.rough.set_friction(friction);
    let cloth = TriMesh { positions: start, triangles };
    let keeps_apart = parts_particles(&settings.contact);
    let particles = keeps_apart.then(|| particles(&model, extent, cloth_of));
    let Contacts { step, candidates, response, overlap } =
        contacts(&settings, &parts, &model, &cloth, &meshes, particles)?;
    let TriMesh { positions: start, triangles } = cloth;
    let lengths = ConstraintSolver::new(&model, settings.solver.method, limit(&settings));
    let inverse_mass = model.inverse_mass();
    let engine = EngineParts { step, motion, lengths, shapes, candidates, response, overlap, inverse_mass };
    let air = match before {
        None => Atmosphere::new(&settings.air, &triangles, &start, &model.area, &obstacles)?,
        Some(before) => before.air.as_ref().map(|air| air.around(&triangles, &model.area)),
    };
    let mut sewn: Vec<[u32; 2]> = stitches.iter().flat_map(|([a, b], _)| [[*a, *b], [*b, *a]]).collect();
    sewn.sort_unstable();
    let mut world = World {
        state: ClothState::at_rest(start),
        settings,
        parts,
        model,
        triangles,
        obstacles,
        meshes,
        holds,
        scissors,
        sewn,
        reach,
        frame: 0,
        air,
        repair: None,
        caught: Vec::new(),
        rest: Rest::default(),
        moved: Moved::default(),
        engine: Engine::new(engine),
    };
    world.put_in_hands();
    Ok(world)
}

/// What finds contacts of cloth with cloth and with meshes, and what answers them.
pub(crate) struct Contacts {
    pub(crate) step: Step,
    pub(crate) candidates: Option<Candidates>,
    pub(crate) response: Response,
    pub(crate) overlap: Overlap,
}

pub(crate) fn contacts(
    settings: &Settings,
    parts: &Parts,
    model: &ClothModel,
    cloth: &TriMesh,
    meshes: &[MeshObstacle],
    particles: Option<Particles>,
) -> Result<Contacts, WorldError> {
    let step = Step::new(participants(settings, parts, model, meshes));
    let candidates = detector::candidates(settings, &step, cloth, meshes, parts.obstacles.is_empty())?;
    let response = Response::new(settings, candidates.as_ref(), particles);
    let overlap = Overlap::new(&step.participants, meshes, &cloth.triangles);
    Ok(Contacts { step, candidates, response, overlap })
}

/// All vertices of the world, with the distances they keep and the friction between them.
fn participants(settings: &Settings, parts: &Parts, model: &ClothModel, meshes: &[MeshObstacle]) -> Participants {
    let cloths = parts.cloths.len();
    let name = |i: usize| if i < cloths { parts.cloths[i].name.as_str() } else { meshes[i - cloths].name.as_str() };
    let materials = Materials::new(cloths + meshes.len(), |a, b| {
        let given = settings.contact.friction_between(name(a), name(b));
        if b < cloths {
            let (a, b) = (&parts.cloths[a], &parts.cloths[b]);
            let thickness = 0.5 * (a.kept_thickness() + b.kept_thickness());
            (thickness, given.unwrap_or_else(|| mean_friction(a.kept_friction(), b.kept_friction())))
        } else {
            // Obstacles never meet each other.
            let friction = parts.cloths.get(a).map_or(0.0, |cloth| {
                settings.contact.friction_on(cloth, meshes[b - cloths].friction, given).coefficient()
            });
            (settings.contact.threshold, friction)
        }
    });
    let mut cloth_of = vec![0; model.particle_count()];
    for (i, particles) in model.cloths.iter().enumerate() {
        cloth_of[particles.clone()].fill(i as u32);
    }
    let mut participants = Participants::new(&model.rest, &cloth_of, meshes, materials);
    participants.vertices_only = !settings.contact.triangles;
    participants.tuning = settings.advanced.contact.clone();
    participants
}

/// Fastens the holds that say so.
fn fasten(parts: &Parts, holds: &mut [Held]) -> Result<(), WorldError> {
    for held in holds {
        let hold = &parts.holds[held.number];
        let Some(carrier) = hold.fastened_to else { continue };
        let is_fast = match parts.places[carrier.index()] {
            Place::Exact(_) => false,
            Place::Mesh(k) => held.fasten(&parts.meshes[k], k),
        };
        if !is_fast {
            let cloth = parts.cloths[hold.cloth.index()].name.clone();
            return Err(WorldError::Fastened { cloth, carrier: parts.obstacle_name(carrier.index()).to_owned() });
        }
    }
    Ok(())
}

/// Friction of each cloth with each exact obstacle.
fn friction_with_shapes(
    settings: &Settings,
    parts: &Parts,
    model: &ClothModel,
    obstacles: &[Obstacle],
) -> PairFriction {
    let friction = parts.cloths.iter().map(|cloth| {
        let with = |solid: &Obstacle| {
            let given = settings.contact.friction_between(&cloth.name, &solid.name);
            settings.contact.friction_on(cloth, solid.friction, given)
        };
        obstacles.iter().map(with).collect()
    });
    PairFriction { first: model.cloths.iter().map(|particles| particles.start).collect(), friction: friction.collect() }
}

/// Pairs of particles that seams pull together, as cloths are cut, with their stiffness [N/m].
fn stitches(
    parts: &Parts,
    model: &ClothModel,
    scissors: Option<&Scissors>,
) -> Result<Vec<([u32; 2], f64)>, WorldError> {
    if parts.seams.is_empty() {
        return Ok(Vec::new());
    }
    let copies: Vec<Vec<Vec<u32>>> =
        scissors.map_or_else(Vec::new, |scissors| (0..parts.cloths.len()).map(|i| scissors.copies(i)).collect());
    let particles_of = |cloth: usize, vertex: u32| {
        let particles = &model.cloths[cloth];
        let first = particles.start as u32;
        match copies.get(cloth) {
            None => ((vertex as usize) < particles.len()).then(|| vec![first + vertex]),
            Some(copies) => copies.get(vertex as usize).map(|copies| copies.iter().map(|v| first + v).collect()),
        }
    };
    let mut found = Vec::new();
    for (number, seam) in parts.seams.iter().enumerate() {
        let place = |cloth: usize, vertex: u32| {
            particles_of(cloth, vertex).ok_or_else(|| WorldError::SeamVertex {
                cloth: parts.cloths[seam.from.index()].name.clone(),
                seam: 1 + parts.seams[..number].iter().filter(|other| other.from == seam.from).count(),
                vertex,
                other: parts.cloths[cloth].name.clone(),
                last: model.cloths[cloth].len().saturating_sub(1),
            })
        };
        for [from, to] in &seam.pairs {
            let (from, to) = (place(seam.from.index(), *from)?, place(seam.to.index(), *to)?);
            // The sides of a slit across a seam stay with their own; what is whole holds all of them.
            if from.len() == to.len() {
                found.extend(from.iter().zip(&to).map(|(a, b)| ([*a, *b], seam.stiffness)));
            } else {
                found.extend(from.iter().flat_map(|a| to.iter().map(|b| ([*a, *b], seam.stiffness))));
            }
        }
    }
    Ok(found)
}
