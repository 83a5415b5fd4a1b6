//! From the words of a [`Scene`] to meshes, holds and obstacles.

use std::path::PathBuf;

use toile_cloth::{BendingKind, ClothModel, Fabric, MembraneKind, SheetOptions, Sheets};
use toile_contact::{
    Bodies, Friction, FrictionException, Keyframe, Materials, MeshObstacle, Motion, Obstacle, Piece, Pose, RigidMotion,
    Shape,
};
use toile_files::{FileError, read_mesh};
use toile_mesh::check::CheckReport;
use toile_mesh::{DQuat, DVec2, DVec3, TriMesh, generate};

use crate::hold::Hold;
use crate::scene::{self, ClothShape, Diagonals, FrictionLaw, ObstacleShape, Scene};
use crate::scissors::Scissors;
use crate::start::StartFindings;

/// Why a scene cannot become a world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A mesh file could not be read.
    #[error("cloth \"{cloth}\": {source}")]
    File {
        /// Name of the cloth.
        cloth: String,
        /// What is wrong with the file.
        source: FileError,
    },
    /// A fabric cannot be used.
    #[error("cloth \"{cloth}\": {source}; {help}")]
    Fabric {
        /// Name of the cloth.
        cloth: String,
        /// How to fix it.
        help: String,
        /// What is wrong with the fabric.
        source: Box<crate::fabric::FabricFileError>,
    },
    /// A mesh cannot be simulated.
    #[error("cloth \"{cloth}\": mesh {path} cannot be used:\n{report}", path = path.display())]
    Mesh {
        /// Name of the cloth.
        cloth: String,
        /// The mesh file.
        path: PathBuf,
        /// What the mesh check found.
        report: Box<CheckReport>,
    },
    /// A file of a mesh obstacle could not be read.
    #[error("obstacle \"{obstacle}\": {source}")]
    ObstacleFile {
        /// Name of the obstacle.
        obstacle: String,
        /// What is wrong with the file.
        source: FileError,
    },
    /// A mesh cannot be an obstacle.
    #[error("obstacle \"{obstacle}\": mesh {path} cannot be used:\n{report}", path = path.display())]
    ObstacleMesh {
        /// Name of the obstacle.
        obstacle: String,
        /// The mesh file.
        path: PathBuf,
        /// What the mesh check found.
        report: Box<CheckReport>,
    },
    /// Positions of a mesh obstacle cannot be used.
    #[error("obstacle \"{obstacle}\": {path}: {reason}; {remedy}", path = path.display())]
    ObstacleKeyframes {
        /// Name of the obstacle.
        obstacle: String,
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// A hold cannot be fastened.
    #[error(
        "cloth \"{cloth}\": a hold cannot be fastened to \"{carrier}\", which is no mesh; name a body, or write \
         `triangulate = true` in the obstacle"
    )]
    Fastened {
        /// Name of the cloth.
        cloth: String,
        /// What it is fastened to.
        carrier: String,
    },
    /// A body cannot be made.
    #[error("body \"{body}\": {reason}; {help}")]
    Body {
        /// Name of the body.
        body: String,
        /// What is wrong.
        reason: String,
        /// How to mend it.
        help: String,
    },
    /// The detector cannot do what the scene needs.
    #[error("the detector \"{detector}\" cannot be used for this scene: {lacks}; choose another `collision.detector`")]
    Detector {
        /// Name of the detector.
        detector: &'static str,
        /// What it cannot do.
        lacks: &'static str,
    },
    /// The air's grid cannot be made.
    #[error("the air cannot be simulated: {source}; change `cell`, `low` or `high` in [air]")]
    Air {
        /// What is wrong with the grid.
        source: toile_cloth::air::GridError,
    },
    /// The start intersects.
    #[error("the start intersects: {findings}\nmove or turn what intersects, or set `untangle = true` in [contact]")]
    Start {
        /// What intersects.
        findings: Box<StartFindings>,
    },
    /// The start intersects and cannot be untangled.
    #[error(
        "the start intersects and could not be untangled ({reason}): {findings}\n\
         move or turn what intersects, and hold nothing inside or across something else"
    )]
    Tangled {
        /// What could not be parted, or all that intersects if the repair was refused for another reason.
        findings: Box<StartFindings>,
        /// Why it was given up.
        reason: String,
    },
    /// A garment is not worn by its body.
    #[error(
        "cloth \"{cloth}\" is a garment, but no body wears it; add a table `[[body]]`, and dress it for this scene"
    )]
    NotDressed {
        /// Name of the cloth.
        cloth: String,
    },
    /// A garment cannot be put on.
    #[error("body \"{body}\": {source}")]
    Garment {
        /// Name of the body.
        body: String,
        /// Why not.
        source: Box<crate::garment::TryOnError>,
    },
    /// A cut cannot be made.
    #[error("scissors {number} cannot cut cloth \"{cloth}\": {reason}; {help}")]
    Scissors {
        /// Number of the cut, from 1.
        number: usize,
        /// Name of the cloth.
        cloth: String,
        /// What is wrong.
        reason: String,
        /// How to mend it.
        help: String,
    },
    /// A hold names a vertex that the cloth does not have.
    #[error("cloth \"{cloth}\": hold {hold} names vertex {vertex}, but the cloth has vertices 0 to {last}")]
    HoldVertex {
        /// Name of the cloth.
        cloth: String,
        /// Number of the hold, from 1.
        hold: usize,
        /// The vertex it names.
        vertex: u32,
        /// Highest vertex number there is.
        last: usize,
    },
    /// A seam names a vertex that a cloth does not have.
    #[error("cloth \"{cloth}\": seam {seam} names vertex {vertex}, but \"{other}\" has vertices 0 to {last}")]
    SeamVertex {
        /// Name of the cloth the seam belongs to.
        cloth: String,
        /// Number of the seam, from 1.
        seam: usize,
        /// The vertex it names.
        vertex: u32,
        /// The cloth that has no such vertex.
        other: String,
        /// Highest vertex number there is.
        last: usize,
    },
    /// A hold finds no vertex.
    #[error(
        "cloth \"{cloth}\": hold {hold} finds no vertex within {radius} m of {near:?}; \
         the nearest is {nearest:.4} m away: move `near` or enlarge `radius`"
    )]
    HoldEmpty {
        /// Name of the cloth.
        cloth: String,
        /// Number of the hold, from 1.
        hold: usize,
        /// Where it looks [m].
        near: [f64; 3],
        /// How far [m].
        radius: f64,
        /// Distance of the nearest vertex [m].
        nearest: f64,
    },
}

/// What cloth of finite elements is made of that names no fabric.
const DEFAULT_FABRIC: &str = "cotton-poplin";
/// Mass per area of cloth that names neither fabric nor mass [kg/m²].
const DEFAULT_DENSITY: f64 = 0.2;

/// A cloth as built: its flat mesh, and where it starts.
#[derive(Clone, Debug)]
pub(crate) struct BuiltCloth {
    pub(crate) flat: TriMesh,
    pub(crate) start: Vec<DVec3>,
    pub(crate) holds: Vec<Hold>,
    /// The flat corners of each triangle along warp and weft [m], if `flat` is not what it says.
    pub(crate) cut: Option<Vec<[DVec2; 3]>>,
    /// Cloth area that belongs to each vertex [m²], if it does not follow from the triangles.
    pub(crate) area: Option<Vec<f64>>,
}

/// The fabric of a cloth, with the mass the scene gives it.
pub(crate) fn fabric(scene: &Scene, index: usize) -> Result<Fabric, WorldError> {
    let cloth = &scene.cloth[index];
    let named = |name: &str| match crate::fabric::find(name) {
        Ok(named) => Ok(named.fabric),
        Err(source) => {
            let help = miette::Diagnostic::help(&source).map_or_else(String::new, |help| help.to_string());
            Err(WorldError::Fabric { cloth: scene.cloth_name(index), help, source: Box::new(source) })
        }
    };
    let mut fabric = match (cloth.fabric.as_str(), scene.solver.model) {
        ("", scene::Model::Constraint) => Fabric { areal_density: DEFAULT_DENSITY, ..Fabric::default() },
        ("", scene::Model::Fem) => named(DEFAULT_FABRIC)?,
        (name, _) => named(name)?,
    };
    if let Some(density) = cloth.areal_density {
        fabric.areal_density = density;
    }
    Ok(fabric)
}

/// Thickness of cloth that names neither fabric nor thickness [m].
const DEFAULT_THICKNESS: f64 = 0.003;
/// Friction of cloth that names neither fabric nor friction.
const DEFAULT_FRICTION: f64 = 0.3;

/// All vertices of the world, with the distances they keep and the friction between them.
pub(crate) fn bodies(
    scene: &Scene,
    model: &ClothModel,
    cloth_of: &[u32],
    fabrics: &[Fabric],
    meshes: &[MeshObstacle],
) -> Bodies {
    let cloths = scene.cloth.len();
    let plain = |i: usize| scene.cloth[i].fabric.is_empty() && scene.solver.model == scene::Model::Constraint;
    let thickness = |i: usize| {
        let own = if plain(i) { DEFAULT_THICKNESS } else { fabrics[i].thickness };
        scene.cloth[i].thickness.unwrap_or(own)
    };
    let friction = |i: usize| {
        let own = if plain(i) { DEFAULT_FRICTION } else { fabrics[i].friction };
        scene.cloth[i].friction.unwrap_or(own)
    };
    let name = |i: usize| if i < cloths { scene.cloth_name(i) } else { meshes[i - cloths].name.clone() };
    let materials = Materials::new(cloths + meshes.len(), |a, b| {
        let given = scene.friction_between(&name(a), &name(b));
        if b < cloths {
            let mean = |of: &dyn Fn(usize) -> f64| 0.5 * (of(a) + of(b));
            (mean(&thickness), given.unwrap_or_else(|| mean(&friction)))
        } else {
            let own = || meshes[b - cloths].friction.coefficient();
            (scene.contact.threshold, given.unwrap_or_else(own))
        }
    });
    let mut bodies = Bodies::new(&model.rest, cloth_of, meshes, materials);
    bodies.vertices_only = !scene.contact.triangles;
    bodies
}

/// Fastens the holds that say so; they are in the order of cloths and their holds.
pub(crate) fn fasten(scene: &Scene, holds: &mut [Hold], meshes: &[MeshObstacle]) -> Result<(), WorldError> {
    let described = scene.cloth.iter().enumerate().flat_map(|(i, cloth)| cloth.hold.iter().map(move |hold| (i, hold)));
    for (hold, (i, said)) in holds.iter_mut().zip(described).filter(|(_, (_, said))| !said.fastened_to.is_empty()) {
        let mesh = meshes.iter().find(|mesh| mesh.name == said.fastened_to);
        if !mesh.is_some_and(|mesh| hold.fasten(mesh)) {
            let (cloth, carrier) = (scene.cloth_name(i), said.fastened_to.clone());
            return Err(WorldError::Fastened { cloth, carrier });
        }
    }
    Ok(())
}

/// Friction of cloths with exact obstacles that `contact.pair` says otherwise.
pub(crate) fn friction_exceptions(scene: &Scene, model: &ClothModel, obstacles: &[Obstacle]) -> Vec<FrictionException> {
    let mut exceptions = Vec::new();
    for (obstacle, solid) in obstacles.iter().enumerate() {
        for (cloth, particles) in model.cloths.iter().enumerate() {
            if let Some(coefficient) = scene.friction_between(&scene.cloth_name(cloth), &solid.name) {
                let friction = friction_by_law(scene, coefficient);
                exceptions.push(FrictionException { obstacle, particles: particles.clone(), friction });
            }
        }
    }
    exceptions
}

/// How a cloth of the scene becomes elements; threads of garments buckle.
pub(crate) fn sheet_options(scene: &Scene, cloth: &scene::Cloth, is_garment: bool) -> SheetOptions {
    SheetOptions {
        membrane: match scene.physics.membrane {
            scene::MembraneKind::Corotational => MembraneKind::Corotational,
            scene::MembraneKind::Threads => MembraneKind::Threads,
            scene::MembraneKind::Springs => MembraneKind::Springs,
        },
        bending: match scene.physics.bending {
            scene::BendingKind::Fit => BendingKind::Fit,
            scene::BendingKind::Hinge => BendingKind::Hinge,
        },
        grain: cloth.grain_deg.to_radians(),
        pressure: cloth.pressure,
        buckling: is_garment,
    }
}

/// Adds the seams of all cloths, as they are cut.
pub(crate) fn add_seams(
    scene: &Scene,
    model: &ClothModel,
    scissors: Option<&Scissors>,
    sheets: &mut Sheets,
) -> Result<(), WorldError> {
    let sewn = scene.cloth.iter().any(|cloth| !cloth.seam.is_empty());
    let copies: Vec<Vec<Vec<u32>>> = (scissors.filter(|_| sewn).into_iter())
        .flat_map(|scissors| (0..scene.cloth.len()).map(|i| scissors.copies(i)))
        .collect();
    for (index, cloth) in scene.cloth.iter().enumerate() {
        for (number, seam) in cloth.seam.iter().enumerate() {
            let other = if seam.to_cloth.is_empty() {
                index
            } else {
                // The rules of the scene have checked that there is one.
                (0..scene.cloth.len()).find(|i| scene.cloth_name(*i) == seam.to_cloth).unwrap_or(index)
            };
            let place = |cloth: usize, vertex: u32| {
                let particles = &model.cloths[cloth];
                let missing = WorldError::SeamVertex {
                    cloth: scene.cloth_name(index),
                    seam: number + 1,
                    vertex,
                    other: scene.cloth_name(cloth),
                    last: particles.len() - 1,
                };
                let first = particles.start as u32;
                match copies.get(cloth) {
                    None if (vertex as usize) < particles.len() => Ok(vec![first + vertex]),
                    Some(copies) if (vertex as usize) < copies.len() => {
                        Ok(copies[vertex as usize].iter().map(|v| first + v).collect())
                    }
                    _ => Err(missing),
                }
            };
            for (from, to) in seam.from.iter().zip(&seam.to) {
                let (from, to) = (place(index, *from)?, place(other, *to)?);
                // The sides of a slit across a seam stay with their own; what is whole holds all of them.
                let pairs: Vec<[u32; 2]> = if from.len() == to.len() {
                    from.iter().zip(&to).map(|(a, b)| [*a, *b]).collect()
                } else {
                    from.iter().flat_map(|a| to.iter().map(|b| [*a, *b])).collect()
                };
                for pair in pairs {
                    sheets.add_seam(pair, seam.stiffness);
                }
            }
        }
    }
    Ok(())
}

pub(crate) fn cloth(scene: &Scene, index: usize, first: usize) -> Result<BuiltCloth, WorldError> {
    let cloth = &scene.cloth[index];
    let name = scene.cloth_name(index);
    let (flat, local) = cloth_mesh(&cloth.shape, &name)?;
    let rotation = rotation(cloth.rotation_deg);
    let local = local.as_ref().unwrap_or(&flat.positions);
    let start: Vec<DVec3> = local.iter().map(|p| rotation * *p + DVec3::from(cloth.position)).collect();
    let holds = (cloth.hold.iter().enumerate())
        .map(|(k, hold)| Hold::new(hold, k + 1, &name, &start, first))
        .collect::<Result<_, _>>()?;
    Ok(BuiltCloth { flat, start, holds, cut: None, area: None })
}

/// The flat shape of a cloth, and where its vertices start before it is put in place, if that is elsewhere.
fn cloth_mesh(shape: &ClothShape, name: &str) -> Result<(TriMesh, Option<Vec<DVec3>>), WorldError> {
    let count = |n: [u32; 2]| n.map(|n| n as usize);
    let mesh = match shape {
        ClothShape::Grid(grid) => {
            let diagonals = match grid.diagonals {
                Diagonals::Alternating => generate::Diagonals::Alternating,
                Diagonals::Same => generate::Diagonals::Same,
            };
            generate::grid(grid.size, count(grid.vertices), diagonals)
        }
        ClothShape::Disc(disc) => generate::disc(disc.radius, disc.rings as usize),
        ClothShape::Ribbon(ribbon) => generate::ribbon(ribbon.length, ribbon.width, count(ribbon.segments)),
        ClothShape::Cylinder(tube) => generate::tube(tube.radius, tube.height, count(tube.segments)),
        ClothShape::Knot(knot) => {
            let size = generate::ReefKnot { width: knot.width, size: knot.size, leg: knot.leg };
            let [first, second] = size.strands(count(knot.segments));
            let strand = if knot.strand == 2 { second } else { first };
            return Ok((strand.flat, Some(strand.start)));
        }
        ClothShape::Garment(_) => return Err(WorldError::NotDressed { cloth: name.to_owned() }),
        ClothShape::File(file) => {
            let path = PathBuf::from(&file.path);
            let mesh = read_mesh(&path).map_err(|source| WorldError::File { cloth: name.to_owned(), source })?;
            let (mesh, _) = toile_mesh::check::repair(mesh).map_err(|report| WorldError::Mesh {
                cloth: name.to_owned(),
                path,
                report: Box::new(report),
            })?;
            mesh.map_positions(|p| p * file.scale)
        }
    };
    Ok((mesh, None))
}

/// Rotation by angles about x, then y, then z [°].
fn rotation(degrees: [f64; 3]) -> DQuat {
    let [x, y, z] = degrees.map(f64::to_radians);
    DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
}

/// A coefficient of friction under the scene's law.
pub(crate) fn friction_by_law(scene: &Scene, coefficient: f64) -> Friction {
    match scene.contact.friction_law {
        // The paper's factor cancels at most all tangential motion.
        FrictionLaw::Scaled => Friction::Scaled(coefficient.min(1.0)),
        FrictionLaw::Coulomb => Friction::Coulomb(coefficient),
    }
}

pub(crate) fn obstacle(scene: &Scene, index: usize) -> Obstacle {
    let obstacle = &scene.obstacle[index];
    let friction = friction_by_law(scene, obstacle.friction);
    let start = Pose { position: DVec3::from(obstacle.position), rotation: rotation(obstacle.rotation_deg) };
    let pieces = obstacle_pieces(&obstacle.shape);
    Obstacle { name: scene.obstacle_name(index), pieces, motion: motion(obstacle, start), friction }
}

fn motion(obstacle: &scene::Obstacle, start: Pose) -> Motion {
    if obstacle.path.is_empty() {
        return Motion::Rigid(RigidMotion {
            start,
            velocity: DVec3::from(obstacle.velocity),
            spin_axis: DVec3::from(obstacle.spin_axis),
            spin_rate: obstacle.spin * std::f64::consts::TAU,
            from: obstacle.from,
            until: obstacle.until.unwrap_or(f64::INFINITY),
        });
    }
    let key = |key: &scene::ObstacleKey| Keyframe {
        time: key.time,
        pose: Pose {
            position: key.position.map_or(start.position, DVec3::from),
            rotation: key.rotation_deg.map_or(start.rotation, rotation),
        },
    };
    Motion::Keyframes(obstacle.path.iter().map(key).collect())
}

fn obstacle_pieces(shape: &ObstacleShape) -> Vec<Piece> {
    let one = |shape: Shape| vec![Piece { shape, pose: Pose::IDENTITY }];
    match shape {
        ObstacleShape::Sphere(s) => one(Shape::Sphere { radius: s.radius }),
        ObstacleShape::Box(b) => one(Shape::Cuboid { half_size: 0.5 * DVec3::from(b.size) }),
        ObstacleShape::Capsule(c) => one(Shape::Capsule { radius: c.radius, half_height: 0.5 * c.height }),
        ObstacleShape::Cylinder(c) => one(Shape::Cylinder { radius: c.radius, half_height: 0.5 * c.height }),
        ObstacleShape::Plane(_) => one(Shape::Plane),
        ObstacleShape::Table(t) => table(t.radius, t.thickness, t.height),
        ObstacleShape::Needles(n) => needles(n),
        // Known by their triangles alone.
        ObstacleShape::Mesh(_)
        | ObstacleShape::Torus(_)
        | ObstacleShape::Wave(_)
        | ObstacleShape::Funnel(_)
        | ObstacleShape::Figure(_) => Vec::new(),
    }
}

/// Upright capsules in rows; their lower ends are round too, at y = 0.
fn needles(needles: &scene::NeedlesShape) -> Vec<Piece> {
    let radius = needles.radius.min(0.5 * needles.height);
    let shape = Shape::Capsule { radius, half_height: 0.5 * needles.height - radius };
    let along = |axis: usize, k: u32| match needles.count[axis] {
        0 | 1 => 0.0,
        n => needles.size[axis] * (f64::from(k) / f64::from(n - 1) - 0.5),
    };
    let place = |i: u32, j: u32| Pose::at(DVec3::new(along(0, i), 0.5 * needles.height, along(1, j)));
    let rows = (0..needles.count[1]).flat_map(|j| (0..needles.count[0]).map(move |i| (i, j)));
    rows.map(|(i, j)| Piece { shape, pose: place(i, j) }).collect()
}

/// A round table standing on y = 0: top, leg and foot.
fn table(radius: f64, thickness: f64, height: f64) -> Vec<Piece> {
    let thickness = thickness.min(height);
    let disc = |radius: f64, bottom: f64, top: f64| Piece {
        shape: Shape::Cylinder { radius, half_height: 0.5 * (top - bottom) },
        pose: Pose::at(DVec3::Y * (0.5 * (top + bottom))),
    };
    let under = height - thickness;
    let mut pieces = vec![disc(radius, under, height)];
    if under > 0.0 {
        let foot = (0.03_f64).min(0.2 * under);
        pieces.push(disc(0.12 * radius, foot, under));
        pieces.push(disc(0.5 * radius, 0.0, foot));
    }
    pieces
}
