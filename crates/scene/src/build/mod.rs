//! From a [`Scene`] to a world: tables become parts of a [`WorldBuilder`], files are read on the way.

mod body;
mod error;
mod imported;
mod obstacle;
mod pieces;

use std::ops::ControlFlow;
use std::path::PathBuf;

use toile::settings::Model;
use toile::{Ball, Cloth, ClothId, Cut, Fabric, Hold, HoldKey, ObstacleId, Seam, World, WorldBuilder, WorldError};
use toile_files::read_mesh;
use toile_mesh::{DQuat, DVec2, DVec3, TriMesh, generate};
use toile_tailor::{Progress, Watch};

use crate::scene::{self, ClothShape, Diagonals, Scene};
use crate::wardrobe::{self, Dressed};

pub(crate) use body::body_of;
pub use body::{Performer, wearer};
pub use error::{BuildError, GarmentError};
pub(crate) use imported::{OWN, STILL};

/// What cloth of finite elements is made of that names no fabric.
const DEFAULT_FABRIC: &str = "cotton-poplin";
/// Mass per area of cloth that names neither fabric nor mass [kg/m²].
const DEFAULT_DENSITY: f64 = 0.2;
/// Thickness of cloth that names neither fabric nor thickness [m].
const DEFAULT_THICKNESS: f64 = 0.003;
/// Friction of cloth that names neither fabric nor friction.
const DEFAULT_FRICTION: f64 = 0.3;

/// A world, and the garments that were put on before its start.
#[derive(Clone, Debug)]
pub struct Built {
    /// The world.
    pub world: World,
    /// The garments, and how they were put on; `None` if the scene has none.
    pub dressed: Option<Dressed>,
}

impl Scene {
    /// The world of the scene. Relative paths of files start at the current folder; [`Scene::load`] has already joined them with the
    /// scene's. Garments are put on first. A start that intersects is untangled or refused, as the scene says.
    ///
    /// ```
    /// use toile_scene::Scene;
    /// let mut world = Scene::from_toml("flag.toml", "[[cloth]]\nshape = { kind = \"grid\", vertices = [9, 9] }")?.world()?;
    /// world.advance();
    /// assert_eq!(world.state().x.len(), 81);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn world(&self) -> Result<World, BuildError> {
        Ok(self.build(&mut |_| ControlFlow::Continue(()))?.world)
    }

    /// The world of the scene with its garments. `progress` is called after every frame in which garments are put on, and before every
    /// round in which a start is untangled; when it breaks,
    /// so does the work, with [`BuildError::Cancelled`].
    pub fn build(&self, progress: &mut Watch<'_>) -> Result<Built, BuildError> {
        let dressed = wardrobe::dress(self, progress)?;
        let builder = self.builder(dressed.as_ref())?;
        match builder.build_each(&mut || progress(&Progress::UNTANGLING)) {
            Err(WorldError::Cancelled) => Err(BuildError::Cancelled),
            built => Ok(Built { world: built?, dressed }),
        }
    }

    /// The same for a scene whose garments [are worn](wardrobe::dress) already.
    pub fn build_wearing(&self, dressed: Dressed) -> Result<Built, BuildError> {
        if let Some(cloth) = dressed.missing(self) {
            return Err(BuildError::NotDressed { cloth });
        }
        let world = self.builder(Some(&dressed))?.build()?;
        Ok(Built { world, dressed: Some(dressed) })
    }

    /// The world of the scene as it stands, whether its start intersects or not: to look at it, or to put a saved state into it.
    pub fn build_as_given(&self) -> Result<Built, BuildError> {
        let dressed = wardrobe::dress(self, &mut |_| ControlFlow::Continue(()))?;
        self.given(dressed)
    }

    /// The same for a scene whose garments are worn already, if it has any.
    pub(crate) fn given(&self, dressed: Option<Dressed>) -> Result<Built, BuildError> {
        let world = self.builder(dressed.as_ref())?.build_as_given()?;
        Ok(Built { world, dressed })
    }

    /// The parts of the scene; garments as they are worn.
    pub fn builder(&self, dressed: Option<&Dressed>) -> Result<WorldBuilder, BuildError> {
        let mut builder = WorldBuilder::new(self.settings());
        for index in 0..self.cloth.len() {
            let garment = dressed.and_then(|dressed| dressed.garments.iter().find(|garment| garment.cloth == index));
            let cloth = match garment {
                None => cloth(self, index)?,
                Some(garment) => {
                    let mut cloth = garment.cloth();
                    let stretch = cloth.fabrics().map(toile_tailor::stretch_of_worn).fold(1.0, f64::max);
                    cloth.stretch_max = cloth.stretch_max.max(stretch);
                    let limit = &mut builder.settings_mut().solver.limit;
                    *limit = limit.max(stretch);
                    cloth
                }
            };
            builder.cloth(cloth);
        }
        for index in 0..self.obstacle.len() {
            match obstacle::obstacle(self, index)? {
                obstacle::Built::Exact(obstacle) => builder.obstacle(obstacle),
                obstacle::Built::Mesh(mesh) => builder.mesh_obstacle(mesh),
            };
        }
        for index in 0..self.body.len() {
            let dressed = dressed.and_then(|dressed| dressed.wearers.iter().find(|wearer| wearer.body == index));
            builder.mesh_obstacle(match dressed {
                None => body::body(self, index)?,
                Some(wearer) => body_of(self, index, &wearer.performer),
            });
        }
        for (index, cloth) in self.cloth.iter().enumerate() {
            for hold in &cloth.hold {
                builder.hold(self.hold(index, hold));
            }
            for seam in &cloth.seam {
                builder.seam(self.seam(index, seam));
            }
        }
        for scissors in &self.scissors {
            builder.cut(self.cut(scissors));
        }
        Ok(builder)
    }

    fn hold(&self, cloth: usize, hold: &scene::Hold) -> Hold {
        let solids = self.obstacle.len() + self.body.len();
        let key = |key: &scene::HoldKey| HoldKey { time: key.time, offset: DVec3::from(key.offset), turns: key.turns };
        Hold {
            cloth: ClothId::from(cloth),
            vertices: hold.vertices.clone(),
            near: hold.near.map(|near| Ball { centre: DVec3::from(near), radius: hold.radius }),
            path: hold.path.iter().map(key).collect(),
            pivot: DVec3::from(hold.pivot),
            axis: DVec3::from(hold.axis),
            until: hold.until.unwrap_or(f64::INFINITY),
            // The rules of the scene have checked that there is one.
            fastened_to: (0..solids).find(|i| self.solid_name(*i) == hold.fastened_to).map(ObstacleId::from),
        }
    }

    fn seam(&self, cloth: usize, seam: &scene::Seam) -> Seam {
        let named = (0..self.cloth.len()).find(|i| self.cloth_name(*i) == seam.to_cloth);
        Seam {
            from: ClothId::from(cloth),
            to: ClothId::from(named.unwrap_or(cloth)),
            pairs: seam.from.iter().zip(&seam.to).map(|(from, to)| [*from, *to]).collect(),
            stiffness: seam.stiffness,
        }
    }

    fn cut(&self, scissors: &scene::Scissors) -> Cut {
        // The rules of the scene have checked that there is one.
        let cloth = (0..self.cloth.len()).find(|i| self.cloth_name(*i) == scissors.cloth).unwrap_or(self.cloth.len());
        Cut {
            cloth: ClothId::from(cloth),
            panel: scissors.panel.clone(),
            at: scissors.at,
            path: scissors.path.iter().map(|p| DVec2::from(*p)).collect(),
            through: scissors.through.iter().map(|p| DVec3::from(*p)).collect(),
            remove: scissors.remove.map(DVec2::from),
            remove_panel: scissors.remove_panel,
        }
    }
}

/// The fabric of a cloth, with the mass the scene gives it.
pub(crate) fn fabric(scene: &Scene, index: usize) -> Result<Fabric, BuildError> {
    let cloth = &scene.cloth[index];
    let mut fabric = match (cloth.fabric.as_str(), scene.solver.model) {
        ("", Model::Constraint) => Fabric {
            areal_density: DEFAULT_DENSITY,
            thickness: DEFAULT_THICKNESS,
            friction: DEFAULT_FRICTION,
            ..Fabric::default()
        },
        ("", Model::Fem) => named_fabric(scene, index, DEFAULT_FABRIC)?,
        (name, _) => named_fabric(scene, index, name)?,
    };
    if let Some(density) = cloth.areal_density {
        fabric.areal_density = density;
    }
    Ok(fabric)
}

/// A fabric by name or file, for cloth `index` of a scene.
pub(crate) fn named_fabric(scene: &Scene, index: usize, name: &str) -> Result<Fabric, BuildError> {
    match crate::fabric::find(name) {
        Ok(named) => Ok(named.fabric),
        Err(source) => {
            let help = miette::Diagnostic::help(&source).map_or_else(String::new, |help| help.to_string());
            Err(BuildError::Fabric { cloth: scene.cloth_name(index), help, source: Box::new(source) })
        }
    }
}

/// Cloth `index` of a scene, which is no garment.
fn cloth(scene: &Scene, index: usize) -> Result<Cloth, BuildError> {
    let cloth = &scene.cloth[index];
    let name = scene.cloth_name(index);
    let (flat, local) = cloth_mesh(&cloth.shape, &name)?;
    let rotation = rotation(cloth.rotation_deg);
    let local = local.as_ref().unwrap_or(&flat.positions);
    let start: Vec<DVec3> = local.iter().map(|p| rotation * *p + DVec3::from(cloth.position)).collect();
    let mesh = TriMesh { positions: start, triangles: flat.triangles };
    Ok(Cloth {
        rest: flat.positions,
        thickness: cloth.thickness,
        friction: cloth.friction,
        grain: cloth.grain_deg.to_radians(),
        pressure: cloth.pressure,
        layer: cloth.layer,
        stretch_min: cloth.stretch_min,
        stretch_max: cloth.stretch_max,
        bend_min: cloth.bend_min,
        ..Cloth::new(name, mesh, fabric(scene, index)?)
    })
}

/// The flat shape of a cloth, and where its vertices start before it is put in place, if that is elsewhere.
fn cloth_mesh(shape: &ClothShape, name: &str) -> Result<(TriMesh, Option<Vec<DVec3>>), BuildError> {
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
        ClothShape::Garment(_) => return Err(BuildError::NotDressed { cloth: name.to_owned() }),
        ClothShape::File(file) => {
            let path = PathBuf::from(&file.path);
            let mesh = read_mesh(&path).map_err(|source| BuildError::File { cloth: name.to_owned(), source })?;
            let (mesh, _) = toile_mesh::check::repair(mesh).map_err(|report| BuildError::Mesh {
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
pub(crate) fn rotation(degrees: [f64; 3]) -> DQuat {
    let [x, y, z] = degrees.map(f64::to_radians);
    DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
}
