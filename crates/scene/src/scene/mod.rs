//! What to simulate: scenes, read from TOML.
//!
//! A [`Scene`] is a plain description; the world is built from it. Every key of the file is a public field declared
//! once, with unit, default, allowed range and meaning (see [`schema`]); [`reference()`] prints them all.
//!
//! Reading a scene takes three passes over the text: the `toml` crate parses it into a tree with spans, the tree is
//! checked against the declarations (unknown keys, types, ranges), and the scene built from it is checked against the
//! rules between values (path times ascend, names differ, sizes are bounded). Whatever fails becomes a [`SceneError`]
//! that points at the place and says how to fix it. A scene that comes out is valid and finite throughout.
//!
//! Conventions: SI units, y up, right-handed; angles in degrees, in keys ending in `_deg`.

mod body;
pub(crate) mod check;
mod cloth;
mod color;
pub(crate) mod error;
mod obstacle;
pub(crate) mod reference;
mod rules;
mod scissors;
mod settings;
pub(crate) mod suggest;

use std::path::Path;

use serde::de::Deserialize;
use toile_body::chart::split_reference;
use toml::de::{DeTable, Deserializer};

use crate::text_file::{self, Remedies, Unreadable};
use error::Finding;
use schema::section;

pub use body::{Body, LeaveOut, Skinning};
pub use cloth::{
    Cloth, ClothShape, Diagonals, DiscShape, FileShape, GarmentShape, GridShape, Hold, HoldKey, KnotShape, Pattern,
    RibbonShape, Seam, TubeShape,
};
pub use color::Color;
pub use error::{SceneError, SceneProblem, SceneWarning};
pub use obstacle::{
    BoxShape, CapsuleShape, CylinderShape, FigureShape, FunnelShape, MeshShape, NeedlesShape, Obstacle, ObstacleKey,
    ObstacleShape, PlaneShape, SphereShape, TableShape, TorusShape, WaveShape,
};
pub use reference::reference;
pub use scissors::Scissors;
pub use settings::{Animation, Camera, Dressing, Output, Values};
pub use toile_schema as schema;

use toile::settings::{Air, Collision, Contact, Forces, Physics, Settings, Solver, StepSettings, Time};

/// Largest scene text accepted, in bytes.
pub const MOST_BYTES: usize = 4 << 20;

section! {
    /// What to simulate.
    ///
    /// ```
    /// use toile_scene::Scene;
    /// let scene = Scene::from_toml("flag.toml", "[[cloth]]\nareal_density = 0.1")?;
    /// assert_eq!(scene.time.frames(), 60);
    /// assert_eq!(scene.cloth_name(0), "cloth-1");
    ///
    /// let error = Scene::from_toml("flag.toml", "[time]\ndurtion = 3").unwrap_err();
    /// assert_eq!(error.to_string(), "flag.toml:2:1: unknown key \"durtion\" in [time]");
    /// # Ok::<(), toile_scene::SceneError>(())
    /// ```
    pub struct Scene {
        /// Name of the scene in reports and files.
        name: String = "scene".to_owned();
        /// A sentence about the scene.
        description: String = String::new();
        /// How long, and how finely.
        time: Time = Time::default();
        /// How the cloth is kept from stretching.
        solver: Solver = Solver::default();
        /// The physical model of cloth.
        physics: Physics = Physics::default();
        /// What pulls on the cloth.
        forces: Forces = Forces::default();
        /// The air around the cloth.
        air: Air = Air::default();
        /// How cloth touches itself and obstacles.
        contact: Contact = Contact::default();
        /// How contacts with meshes are searched for.
        collision: Collision = Collision::default();
        /// The pieces of cloth.
        cloth: Vec<Cloth> = Vec::new();
        /// What the cloth cannot move.
        obstacle: Vec<Obstacle> = Vec::new();
        /// What wears the cloth.
        body: Vec<Body> = Vec::new();
        /// How garments are put on.
        dressing: Dressing = Dressing::default();
        /// Where and when cloth is cut.
        scissors: Vec<Scissors> = Vec::new();
        /// Numbers of the step that few people need.
        advanced: StepSettings = StepSettings::default();
        /// What a run writes.
        output: Output = Output::default();
        /// Where pictures are taken from.
        camera: Camera = Camera::default();
    }
}

impl Scene {
    /// Reads a scene from TOML text; `source_name` stands in messages for the file.
    pub fn from_toml(source_name: &str, text: &str) -> Result<Self, SceneError> {
        Self::read(source_name, text).map(|(scene, _)| scene)
    }

    /// The same, with warnings about old spellings and retired keys, which are still read. The program `toile` prints them to standard
    /// error; a library does not print.
    ///
    /// ```
    /// use toile_scene::Scene;
    /// let (_, warnings) = Scene::read("old.toml", "[collision]\ndetector = \"brute_force\"\n[[cloth]]")?;
    /// assert_eq!(warnings[0].to_string(), "old.toml:2:12: `detector` = \"brute_force\" is an old spelling; write \"brute-force\"");
    /// # Ok::<(), toile_scene::SceneError>(())
    /// ```
    pub fn read(source_name: &str, text: &str) -> Result<(Self, Vec<SceneWarning>), SceneError> {
        if text.len() > MOST_BYTES {
            return Err(unreadable(source_name, Unreadable::too_large(MOST_BYTES, &REMEDIES)));
        }
        let (mut root, errors) = DeTable::parse_recoverable(text);
        let fail = |findings| into_result(source_name, text, findings);
        fail(errors.iter().map(syntax).collect())?;
        let checked = check::check(root.get_ref(), Self::SECTION);
        fail(checked.findings)?;
        check::remove_retired(root.get_mut());
        let built = Self::deserialize(Deserializer::from(root.clone()));
        let mut scene = match built {
            Ok(scene) => scene,
            // The check above lets nothing through that cannot be built; should it ever, say so with the place.
            Err(error) => return fail(vec![syntax(&error)]).map(|()| (Self::default(), Vec::new())),
        };
        fail(rules::check(&scene, root.get_ref()))?;
        let mut warnings = checked.warnings;
        warnings.extend(rules::renew_words(&mut scene, root.get_ref()));
        warnings.sort_by_key(|warning| warning.span.start);
        let warnings = warnings.into_iter().map(|finding| SceneWarning::new(source_name, text, finding));
        Ok((scene, warnings.collect()))
    }

    /// Reads a scene file. Mesh files named relative to it are made relative to the current folder.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        Self::load_with_warnings(path).map(|(scene, _)| scene)
    }

    /// The same, with warnings about old spellings and retired keys.
    pub fn load_with_warnings(path: impl AsRef<Path>) -> Result<(Self, Vec<SceneWarning>), SceneError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let text = text_file::read(path, MOST_BYTES, &REMEDIES).map_err(|why| unreadable(&file, why))?;
        let (mut scene, warnings) = Self::read(&file, &text)?;
        let Some(folder) = path.parent() else { return Ok((scene, warnings)) };
        for named in scene.files_mut() {
            *named = folder.join(&*named).into_os_string().into_string().map_err(|_| {
                let message = "the name of its folder is not Unicode".to_owned();
                SceneError::Read { file: file.clone(), message, help: "rename the folder".to_owned() }
            })?;
        }
        Ok((scene, warnings))
    }

    /// What steers the simulation.
    pub fn settings(&self) -> Settings {
        Settings {
            time: self.time.clone(),
            solver: self.solver.clone(),
            physics: self.physics.clone(),
            forces: self.forces.clone(),
            air: self.air.clone(),
            contact: self.contact.clone(),
            collision: self.collision.clone(),
            advanced: self.advanced.clone(),
        }
    }

    /// The names of all files that the scene refers to.
    pub(crate) fn files_mut(&mut self) -> Vec<&mut String> {
        let mut files = Vec::new();
        for cloth in &mut self.cloth {
            match &mut cloth.shape {
                ClothShape::File(file) => files.push(&mut file.path),
                ClothShape::Garment(garment) => {
                    if body::is_file_name(&garment.design) {
                        files.push(&mut garment.design);
                    }
                    if split_reference(&garment.size).is_some() {
                        files.push(&mut garment.size);
                    }
                }
                _ => {}
            }
            if crate::fabric::is_file_name(&cloth.fabric) {
                files.push(&mut cloth.fabric);
            }
        }
        for obstacle in &mut self.obstacle {
            if let ObstacleShape::Mesh(mesh) = &mut obstacle.shape {
                files.push(&mut mesh.file);
                files.extend(&mut mesh.keyframes);
            }
        }
        for body in &mut self.body {
            if body::is_mannequin_file(&body.mannequin) {
                files.push(&mut body.mannequin);
            }
            let names = [&mut body.file, &mut body.motion];
            files.extend(names.into_iter().filter(|name| body::is_file_name(name)));
        }
        files
    }

    /// The scene as TOML with every key written out; reading it back gives an equal scene.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("every field of a scene is declared with a type that TOML can hold")
    }

    /// Checks a scene built in code as strictly as one from a file.
    pub fn validate(&self) -> Result<(), SceneError> {
        Self::from_toml(&self.name, &self.to_toml()).map(|_| ())
    }

    /// Name of cloth `i`, `cloth-1` for the first if it has none.
    pub fn cloth_name(&self, i: usize) -> String {
        name_or_number(self.cloth.get(i).map_or("", |cloth| &cloth.name), "cloth", i)
    }

    /// Number of the body that wears cloth `i`; `None` for what is no garment, or if there is no such body.
    pub fn wearer(&self, i: usize) -> Option<usize> {
        let ClothShape::Garment(garment) = &self.cloth.get(i)?.shape else { return None };
        (0..self.body.len()).find(|body| garment.wearer.is_empty() || self.body_name(*body) == garment.wearer)
    }

    /// Name of body `i`, `body-1` for the first if it has none.
    pub fn body_name(&self, i: usize) -> String {
        name_or_number(self.body.get(i).map_or("", |body| &body.name), "body", i)
    }

    /// Name of what the cloth cannot move: obstacles first, then bodies.
    pub fn solid_name(&self, i: usize) -> String {
        i.checked_sub(self.obstacle.len()).map_or_else(|| self.obstacle_name(i), |k| self.body_name(k))
    }

    /// Its colour in pictures.
    pub fn solid_color(&self, i: usize) -> Color {
        let body = || self.body.get(i.checked_sub(self.obstacle.len())?).map(|body| body.color);
        let color = self.obstacle.get(i).map(|obstacle| obstacle.color).or_else(body);
        color.unwrap_or_else(|| Obstacle::default().color)
    }

    /// Name of obstacle `i`, `obstacle-1` for the first if it has none.
    pub fn obstacle_name(&self, i: usize) -> String {
        name_or_number(self.obstacle.get(i).map_or("", |obstacle| &obstacle.name), "obstacle", i)
    }
}

fn name_or_number(name: &str, what: &str, i: usize) -> String {
    if name.is_empty() { format!("{what}-{}", i + 1) } else { name.to_owned() }
}

fn into_result(source_name: &str, text: &str, findings: Vec<Finding>) -> Result<(), SceneError> {
    let problem = error::first_problem(source_name, text, findings);
    problem.map_or(Ok(()), |problem| Err(SceneError::Invalid(Box::new(problem))))
}

/// An error of the TOML parser, on one line.
fn syntax(error: &toml::de::Error) -> Finding {
    let reason = error.message().lines().collect::<Vec<_>>().join("; ");
    let help = match reason.as_str() {
        "duplicate key" => "write each key, and each header in single brackets, only once",
        "recursion limit" => "no key of a scene is nested that deeply",
        _ => "scene files are TOML, see https://toml.io for its form",
    };
    Finding {
        span: error.span().unwrap_or_default(),
        message: format!("invalid TOML: {reason}"),
        label: "here".to_owned(),
        help: help.to_owned(),
    }
}

const REMEDIES: Remedies = Remedies {
    missing: "check the name of the scene file",
    folder: "name the scene file in it",
    too_large: "a scene describes; put meshes into files of their own, with `kind = \"file\"`",
    encoding: "save the scene as UTF-8 text",
};

fn unreadable(file: &str, Unreadable { message, help }: Unreadable) -> SceneError {
    SceneError::Read { file: file.to_owned(), message, help }
}
