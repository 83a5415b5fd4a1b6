//! What several values of a scene must satisfy together, beyond the range of each.

use std::ops::Range;

use toile::settings::{Collision, Integrator, Model, Response};
use toile_body::{Routine, sizes};
use toile_garment::draft::{Design, Size};
use toml::de::{DeTable, DeValue};

use super::{
    Body, Cloth, ClothShape, GarmentShape, Hold, Obstacle, ObstacleShape, Scene, body::is_file_name,
    body::is_mannequin_file, check::quoted, cloth::setting, error::Finding,
};
use crate::build::{OWN, STILL};

/// Frames of a run at most.
pub(super) const MOST_FRAMES: u32 = 100_000;
/// Vertices of all cloths together at most.
pub(super) const MOST_VERTICES: u64 = 4_000_000;
/// Planes of a bounding volume, and children of a tree node, that there are.
const DOPS: [u32; 4] = [6, 14, 18, 26];
const ARITIES: [u32; 3] = [2, 4, 8];
/// Vertices that the keyframes of one generated mesh have together at most.
const MOST_KEYFRAME_POSITIONS: f64 = 5e7;
/// Length of a spin axis at least; a shorter one loses its direction to rounding when it is squared.
const SHORTEST_AXIS: f64 = 1e-6;
/// Letters of a name at most.
const LONGEST_NAME: usize = 64;

/// One step of the way from the top of a scene to a value.
#[derive(Debug, Clone, Copy)]
enum Step {
    Key(&'static str),
    Item(usize),
}
use Step::{Item, Key};

struct Rules<'d> {
    root: &'d DeTable<'d>,
    findings: Vec<Finding>,
}

/// Gives words in the texts of a scene their new spelling, with a warning for each; `root` is the text `scene` was built from.
pub(super) fn renew_words(scene: &mut Scene, root: &DeTable<'_>) -> Vec<Finding> {
    let mut warnings = Vec::new();
    for (i, body) in scene.body.iter_mut().enumerate().filter(|(_, body)| body.file.is_empty()) {
        let Some(routine) = Routine::find(&body.motion) else { continue };
        if body.motion != routine.name() {
            let span = locate(root, &[Key("body"), Item(i), Key("motion")]);
            warnings.push(Finding::old_word(span, "motion", &body.motion, routine.name()));
            routine.name().clone_into(&mut body.motion);
        }
    }
    warnings
}

/// Findings of all rules; `root` is the text `scene` was built from.
pub(super) fn check(scene: &Scene, root: &DeTable<'_>) -> Vec<Finding> {
    let mut rules = Rules { root, findings: Vec::new() };
    rules.run(scene);
    rules.sizes(scene);
    rules.names(scene);
    rules.collision(&scene.collision);
    rules.model(scene);
    rules.pairs(scene);
    rules.fastened(scene);
    rules.response(scene);
    for (i, cloth) in scene.cloth.iter().enumerate() {
        rules.cloth(i, cloth);
        if let ClothShape::Garment(garment) = &cloth.shape {
            rules.garment(scene, i, garment);
        }
    }
    for (i, obstacle) in scene.obstacle.iter().enumerate() {
        rules.obstacle(i, obstacle);
        rules.obstacle_shape(i, obstacle, scene.time.duration);
    }
    for (i, body) in scene.body.iter().enumerate() {
        rules.body(i, body);
    }
    for i in 0..scene.scissors.len() {
        rules.scissors(i, scene);
    }
    rules.findings
}

impl Rules<'_> {
    fn report(&mut self, path: &[Step], message: String, help: impl Into<String>) {
        let finding = Finding { span: locate(self.root, path), message, label: "here".to_owned(), help: help.into() };
        self.findings.push(finding);
    }

    fn run(&mut self, scene: &Scene) {
        let frames = scene.time.duration * scene.time.frame_rate;
        if frames > f64::from(MOST_FRAMES) {
            let message = format!("the run would have {frames:.0} frames, at most {MOST_FRAMES} are allowed");
            self.report(&[Key("time")], message, "lower `duration` or `frame_rate`");
        }
        if scene.cloth.is_empty() {
            self.report(&[], "the scene has no cloth".to_owned(), "add at least one table `[[cloth]]`");
        }
    }

    /// What only finite elements can do is refused elsewhere, rather than ignored.
    fn model(&mut self, scene: &Scene) {
        for (i, cloth) in scene.cloth.iter().enumerate() {
            if scene.solver.model == Model::Constraint && (cloth.pressure != 0.0 || !cloth.seam.is_empty()) {
                let key = if cloth.pressure == 0.0 { "seam" } else { "pressure" };
                let message = format!("`{key}` needs finite elements");
                self.report(&[Key("cloth"), Item(i), Key(key)], message, "write `model = \"fem\"` in [solver]");
            }
            for (j, seam) in cloth.seam.iter().enumerate() {
                let known =
                    seam.to_cloth.is_empty() || (0..scene.cloth.len()).any(|k| scene.cloth_name(k) == seam.to_cloth);
                if !known {
                    let message = format!("no cloth has the name {}", quoted(&seam.to_cloth));
                    let path = [Key("cloth"), Item(i), Key("seam"), Item(j), Key("to_cloth")];
                    self.report(&path, message, "name a cloth of this scene, or leave the key out");
                }
            }
        }
    }

    /// Holds are fastened to something that there is.
    fn fastened(&mut self, scene: &Scene) {
        let solids = scene.obstacle.len() + scene.body.len();
        for (i, cloth) in scene.cloth.iter().enumerate() {
            for (j, hold) in cloth.hold.iter().enumerate() {
                let known = hold.fastened_to.is_empty() || (0..solids).any(|k| scene.solid_name(k) == hold.fastened_to);
                if !known {
                    let message = format!("no body or obstacle has the name {}", quoted(&hold.fastened_to));
                    let path = [Key("cloth"), Item(i), Key("hold"), Item(j), Key("fastened_to")];
                    self.report(&path, message, "name a body of this scene, or leave the key out");
                }
            }
        }
    }

    /// Pairs name bodies that there are, at least one of them a cloth.
    fn pairs(&mut self, scene: &Scene) {
        let is_cloth = |name: &str| (0..scene.cloth.len()).any(|i| scene.cloth_name(i) == name);
        let solids = scene.obstacle.len() + scene.body.len();
        let is_obstacle = |name: &str| (0..solids).any(|i| scene.solid_name(i) == name);
        for (i, pair) in scene.contact.pair.iter().enumerate() {
            let place = |key: &'static str| [Key("contact"), Key("pair"), Item(i), Key(key)];
            for (key, name) in [("a", &pair.a), ("b", &pair.b)] {
                if !is_cloth(name) && !is_obstacle(name) {
                    let message = format!("no cloth or obstacle has the name {}", quoted(name));
                    self.report(&place(key), message, "name two bodies of this scene");
                }
            }
            if is_obstacle(&pair.a) && is_obstacle(&pair.b) {
                let message = "friction between two obstacles has no effect".to_owned();
                self.report(&place("a"), message, "name a cloth and an obstacle, or two cloths");
            }
        }
    }

    /// Forbidden directions are a matter of the implicit solver, and nothing lets go of an obstacle that moves on.
    fn response(&mut self, scene: &Scene) {
        if scene.contact.response != Response::Constraint {
            return;
        }
        let at = [Key("contact"), Key("response")];
        if scene.solver.model != Model::Fem {
            let message = "the response `constraint` needs finite elements".to_owned();
            self.report(&at, message, "write `model = \"fem\"` in [solver], or choose another response");
            return;
        }
        let explicit = [Integrator::SymplecticEuler, Integrator::Verlet, Integrator::Rk4];
        if explicit.contains(&scene.physics.integrator) {
            let message = "the response `constraint` needs an implicit integrator".to_owned();
            let help = "choose `implicit-euler`, `implicit-midpoint` or `bdf2`, or another response";
            self.report(&[Key("physics"), Key("integrator")], message, help);
        }
        for i in (0..scene.obstacle.len()).filter(|i| can_move(&scene.obstacle[*i])) {
            let name = quoted(&scene.obstacle_name(i));
            let message = format!("the response `constraint` is for obstacles at rest, but {name} moves");
            self.report(&[Key("obstacle"), Item(i)], message, "let it stand still, or choose another response");
        }
        for i in (0..scene.body.len()).filter(|i| !matches!(scene.body[*i].motion.as_str(), "" | STILL)) {
            let name = quoted(&scene.body_name(i));
            let message = format!("the response `constraint` is for bodies at rest, but {name} moves");
            self.report(&[Key("body"), Item(i), Key("motion")], message, "leave it out, or choose another response");
        }
    }

    fn sizes(&mut self, scene: &Scene) {
        let mut total = 0_u64;
        for (i, cloth) in scene.cloth.iter().enumerate() {
            total = total.saturating_add(cloth.shape.vertex_count().unwrap_or(0));
            if total > MOST_VERTICES {
                let message = format!("all cloths together would have {total} vertices or more");
                let help = format!("at most {MOST_VERTICES} vertices are allowed; make the meshes coarser");
                self.report(&[Key("cloth"), Item(i), Key("shape")], message, help);
                return;
            }
        }
    }

    fn names(&mut self, scene: &Scene) {
        self.name(&[Key("name")], &scene.name);
        let cloths = (0..scene.cloth.len()).map(|i| ("cloth", i, scene.cloth_name(i)));
        let obstacles = (0..scene.obstacle.len()).map(|i| ("obstacle", i, scene.obstacle_name(i)));
        let mut taken = std::collections::BTreeSet::new();
        let bodies = (0..scene.body.len()).map(|i| ("body", i, scene.body_name(i)));
        for (list, i, name) in cloths.chain(obstacles).chain(bodies) {
            let path = [Key(list), Item(i), Key("name")];
            self.name(&path, &name);
            // File systems that fold case would let one object overwrite the files of the other.
            if !taken.insert(name.to_lowercase()) {
                let message = format!("the name {} is taken already", quoted(&name));
                self.report(&path, message, "cloths, obstacles and bodies need different names, capitals do not count");
            }
        }
    }

    fn name(&mut self, path: &[Step], name: &str) {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.');
        let edges_fine = !name.starts_with(['.', ' ']) && !name.ends_with(['.', ' ']);
        if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(plain) || !edges_fine {
            let help = format!(
                "names become file names: up to {LONGEST_NAME} letters, digits, spaces, `-`, `_`, `.`; \
                 no space or dot at the ends"
            );
            self.report(path, format!("{} cannot be a name", quoted(name)), help);
        }
    }

    fn cloth(&mut self, i: usize, cloth: &Cloth) {
        let (min, max) = (cloth.stretch_min, cloth.stretch_max);
        if min > max {
            let message = format!("`stretch_min` = {min} is above `stretch_max` = {max}");
            let help = "edges could have no length at all; raise `stretch_max` or lower `stretch_min`";
            self.report(&[Key("cloth"), Item(i), Key("stretch_min")], message, help);
        }
        if let ClothShape::File(file) = &cloth.shape
            && file.path.is_empty()
        {
            let message = "a cloth from a file needs its `path`".to_owned();
            let help = "add `path = \"mesh.obj\"`, relative to the scene file";
            self.report(&[Key("cloth"), Item(i), Key("shape"), Key("path")], message, help);
        }
        for (j, seam) in cloth.seam.iter().enumerate() {
            let at = [Key("cloth"), Item(i), Key("seam"), Item(j)];
            if seam.from.len() != seam.to.len() || seam.from.is_empty() {
                let message = format!("a seam of {} vertices to {} vertices", seam.from.len(), seam.to.len());
                self.report(&at, message, "list as many vertices in `to` as in `from`, and at least one");
            }
        }
        for (j, hold) in cloth.hold.iter().enumerate() {
            self.hold(&[Key("cloth"), Item(i), Key("hold"), Item(j)], cloth, hold);
        }
    }

    /// A garment is something that can be cut, for a body that there is.
    fn garment(&mut self, scene: &Scene, i: usize, garment: &GarmentShape) {
        let cloth = &scene.cloth[i];
        let under = |key| [Key("cloth"), Item(i), Key("shape"), Key(key)];
        let words = |words: Vec<&str>| words.join(", ");
        if scene.wearer(i).is_none() {
            let (message, help) = if garment.wearer.is_empty() {
                ("a garment needs a body to be put on".to_owned(), "add a table `[[body]]`")
            } else {
                (format!("no body has the name {}", quoted(&garment.wearer)), "name a body of this scene")
            };
            self.report(&under("wearer"), message, help);
        }
        let drafted = Design::find(&garment.design).is_some();
        if !drafted && !is_file_name(&garment.design) {
            let known = words(Design::ALL.iter().map(|design| design.word()).collect());
            let message = format!("there is no garment {}", quoted(&garment.design));
            self.report(&under("design"), message, format!("there are: {known}; or name a pattern file"));
        }
        // A DXF file has sizes of its own.
        let is_dxf = garment.design.to_lowercase().ends_with(".dxf");
        let letter = Size::from_word(&garment.size.to_uppercase());
        if !is_dxf && !garment.size.is_empty() && letter.is_none() && !sizes::is_understood(&garment.size) {
            let known = words(Size::ALL.iter().map(|size| size.word()).collect());
            let known = format!("letters are {known}; {}", sizes::known());
            self.report(&under("size"), format!("there is no size {}", quoted(&garment.size)), known);
        }
        for (key, given) in [("size", !garment.size.is_empty()), ("set", !garment.set.is_empty())] {
            if given && !drafted && !(is_dxf && key == "size") {
                let message = "a pattern from a file is cut as it is drawn".to_owned();
                self.report(&under(key), message, format!("leave out `{key}`, or name a garment to draft"));
            }
        }
        for text in garment.set.iter().filter(|text| setting(text).is_none()) {
            let message = format!("{} is no setting", quoted(text));
            self.report(
                &under("set"),
                message,
                "write a key, `=` and a number or a length, as in `set = [\"length = 60cm\"]`",
            );
        }
        let usual = Cloth::default();
        let places = [
            ("position", cloth.position != usual.position),
            ("rotation_deg", cloth.rotation_deg != usual.rotation_deg),
            ("grain_deg", cloth.grain_deg != usual.grain_deg),
        ];
        for (key, _) in places.into_iter().filter(|(_, given)| *given) {
            let message = format!("`{key}` of a garment is that of its body or pattern");
            self.report(&[Key("cloth"), Item(i), Key(key)], message, "leave it out; move the body instead");
        }
    }

    fn hold(&mut self, at: &[Step], cloth: &Cloth, hold: &Hold) {
        if hold.vertices.is_empty() == hold.near.is_none() {
            let message = if hold.near.is_none() {
                "a hold needs `vertices` or `near`"
            } else {
                "a hold takes `vertices` or `near`, not both"
            };
            self.report(at, message.to_owned(), "write `vertices = [0, 1]`, or `near = [x, y, z]` with a `radius`");
        }
        if let Some(count) = cloth.shape.vertex_count()
            && let Some((k, vertex)) = hold.vertices.iter().enumerate().find(|(_, v)| u64::from(**v) >= count)
        {
            let message = format!("the cloth has no vertex {vertex}");
            let help = format!("it has {count} vertices, numbered from 0 to {}", count - 1);
            self.report(&[at, &[Key("vertices"), Item(k)]].concat(), message, help);
        }
        if hold.path.iter().any(|key| key.turns != 0.0) && length(hold.axis) < SHORTEST_AXIS {
            let message = "`axis` has no length, but the hold turns".to_owned();
            let help = "give the axis a direction, as in `axis = [0, 1, 0]`";
            self.report(&[at, &[Key("axis")]].concat(), message, help);
        }
        self.ascending(at, hold.path.iter().map(|key| key.time));
    }

    fn body(&mut self, i: usize, body: &Body) {
        let under = |key| [Key("body"), Item(i), Key(key)];
        if body.stance().is_none() {
            let message = format!("{} is no pose", quoted(&body.pose));
            self.report(
                &under("pose"),
                message,
                "write `a`, `t`, or `a-` and an angle from 15 to 90 degrees, as `a-30`",
            );
        }
        if body.file.is_empty() && !is_mannequin_file(&body.mannequin) && !sizes::is_understood(&body.mannequin) {
            let message = format!("there is no mannequin {}", quoted(&body.mannequin));
            self.report(&under("mannequin"), message, sizes::known());
        }
        let routines: Vec<&str> = Routine::ALL.iter().map(|routine| routine.name()).collect();
        let is_own = body.motion == OWN && !body.file.is_empty();
        let is_known = is_own || body.motion == STILL || Routine::find(&body.motion).is_some();
        if !is_known && !body.motion.is_empty() && !is_file_name(&body.motion) {
            let message = format!("{} is no motion for this body", quoted(&body.motion));
            let help = match body.file.as_str() {
                "" => format!("name one of {}, or a BVH file", routines.join(", ")),
                _ => format!("name one of {}, own, a BVH file, a PC2 cache or a folder of meshes", routines.join(", ")),
            };
            self.report(&under("motion"), message, help);
        }
        if !body.file.is_empty() && !body.pose.is_empty() {
            let message = "`pose` belongs to a mannequin".to_owned();
            self.report(&under("pose"), message, "leave it out: a mesh from a file stands as it is");
        }
        if body.file_unit().is_none() {
            let message = format!("{} is no unit", quoted(&body.unit));
            self.report(&under("unit"), message, "write m, dm, cm, mm, ft or in");
        }
        for (key, word) in [("up", &body.up), ("front", &body.front)] {
            if body.file_axis(word).is_none() {
                self.report(&under(key), format!("{} is no axis", quoted(word)), "write +x, -x, +y, -y, +z or -z");
            }
        }
        for (key, word) in [("unit", &body.unit), ("up", &body.up), ("front", &body.front)] {
            if body.file.is_empty() && !word.is_empty() {
                let message = format!("`{key}` belongs to a mesh from a file");
                self.report(&under(key), message, "leave it out, or name a `file`");
            }
        }
    }

    fn scissors(&mut self, i: usize, scene: &Scene) {
        let under = |key| [Key("scissors"), Item(i), Key(key)];
        let scissors = &scene.scissors[i];
        let cloth = (0..scene.cloth.len()).find(|k| scene.cloth_name(*k) == scissors.cloth);
        let Some(cloth) = cloth else {
            let message = format!("no cloth has the name {}", quoted(&scissors.cloth));
            self.report(&under("cloth"), message, "name a cloth of this scene");
            return;
        };
        if matches!(scene.cloth[cloth].shape, ClothShape::Cylinder(_)) {
            let message = format!("cloth {} is round: a path in its flat shape means nothing", quoted(&scissors.cloth));
            self.report(&under("cloth"), message, "cut cloth of another shape, or a flat mesh from a file");
        }
        let is_garment = matches!(scene.cloth[cloth].shape, ClothShape::Garment(_));
        if is_garment && scissors.panel.is_empty() {
            let message = format!("{} is a garment, of which one panel is cut at a time", quoted(&scissors.cloth));
            let help = "add `panel = \"front\"`, or another name that `toile pattern show` gives";
            self.report(&[Key("scissors"), Item(i)], message, help);
        }
        if !is_garment && (!scissors.panel.is_empty() || scissors.remove_panel) {
            let key = if scissors.panel.is_empty() { "remove_panel" } else { "panel" };
            let message = format!("{} is no garment and has no panels", quoted(&scissors.cloth));
            self.report(&under(key), message, "leave this key out, or cut a garment");
            return;
        }
        if scissors.remove_panel {
            if !scissors.path.is_empty() || !scissors.through.is_empty() || scissors.remove.is_some() {
                let message = "a panel that is taken away as a whole needs no path and no point".to_owned();
                self.report(&under("remove_panel"), message, "leave out `path`, `through` and `remove`, or this");
            }
            return;
        }
        match (scissors.path.len(), scissors.through.len()) {
            (0, 0) if scissors.remove.is_none() => {
                let help = "add `path = [[x, z], [x, z]]`, or `remove = [x, z]` for a piece that is there";
                self.report(&[Key("scissors"), Item(i)], "scissors without a path cut nothing".to_owned(), help);
            }
            (1, 0) | (0, 1) => {
                let key = if scissors.path.is_empty() { "through" } else { "path" };
                let message = "a path of one point cuts nothing".to_owned();
                self.report(&under(key), message, "give it at least two points");
            }
            (0, _) | (_, 0) => {}
            _ => {
                let message = "scissors take a `path` or points to go `through`, not both".to_owned();
                self.report(&under("through"), message, "remove one of them");
            }
        }
    }

    fn obstacle(&mut self, i: usize, obstacle: &Obstacle) {
        let at = [Key("obstacle"), Item(i)];
        let under = |key| [Key("obstacle"), Item(i), Key(key)];
        let moves = obstacle.velocity != [0.0; 3] || obstacle.spin != 0.0;
        if obstacle.spin != 0.0 && length(obstacle.spin_axis) < SHORTEST_AXIS {
            let message = "`spin_axis` has no length, but the obstacle spins".to_owned();
            self.report(&under("spin_axis"), message, "give the axis a direction, as in `spin_axis = [0, 1, 0]`");
        }
        if moves && !obstacle.path.is_empty() {
            let message = "an obstacle takes a `path`, or `velocity` and `spin`, not both".to_owned();
            self.report(&under("path"), message, "put the whole motion into the path, or remove it");
        }
        if let Some(until) = obstacle.until
            && until < obstacle.from
        {
            let message = format!("`until` = {until} lies before `from` = {}", obstacle.from);
            self.report(&under("until"), message, "the motion must end after it begins");
        }
        self.ascending(&at, obstacle.path.iter().map(|key| key.time));
    }

    fn obstacle_shape(&mut self, i: usize, obstacle: &Obstacle, duration: f64) {
        let under = |key| [Key("obstacle"), Item(i), Key("shape"), Key(key)];
        match &obstacle.shape {
            ObstacleShape::Mesh(mesh) => {
                if mesh.file.is_empty() {
                    let message = "an obstacle of kind mesh needs its `file`".to_owned();
                    self.report(&under("file"), message, "add `file = \"mesh.obj\"`, relative to the scene file");
                }
                if let Some(k) = mesh.keyframes.iter().position(String::is_empty) {
                    let message = "a keyframe has no file name".to_owned();
                    let help = "name PC2, OBJ, PLY or STL files or folders of them, or leave `keyframes` out";
                    self.report(&[&under("keyframes")[..], &[Item(k)]].concat(), message, help);
                }
            }
            ObstacleShape::Torus(torus) if torus.tube >= torus.radius => {
                let message = format!("`tube` = {} closes the hole of a torus of radius {}", torus.tube, torus.radius);
                self.report(&under("tube"), message, "make `tube` smaller than `radius`");
            }
            ObstacleShape::Wave(wave) => {
                let vertices = f64::from(wave.cells + 1).powi(2);
                self.keyframes(&under("cells"), vertices * (duration * wave.keyframe_rate).max(1.0), "cells");
            }
            ObstacleShape::Figure(figure) => {
                // A closed mesh has about half as many vertices as triangles.
                let vertices = 0.5 * f64::from(figure.triangles);
                self.keyframes(&under("triangles"), vertices * (duration * figure.keyframe_rate).max(1.0), "triangles");
            }
            ObstacleShape::Funnel(funnel) if funnel.radii[0] >= funnel.radii[1] => {
                let message = format!("a funnel of radius {} does not widen to {}", funnel.radii[0], funnel.radii[1]);
                self.report(&under("radii"), message, "give the spout's radius first, then a larger one");
            }
            ObstacleShape::Needles(needles) if needles.height < 2.0 * needles.radius => {
                let message = format!("needles of radius {} are higher than {}", needles.radius, needles.height);
                self.report(&under("height"), message, "make `height` at least twice the `radius`");
            }
            _ => {}
        }
    }

    /// How many vertices all keyframes of a generated mesh have together; `key` makes it finer.
    fn keyframes(&mut self, at: &[Step], positions: f64, key: &str) {
        if positions > MOST_KEYFRAME_POSITIONS {
            let message = format!("the keyframes of this obstacle would have {positions:.0} vertices together");
            let help = format!("at most {MOST_KEYFRAME_POSITIONS:.0} are allowed; lower `{key}` or `keyframe_rate`");
            self.report(at, message, help);
        }
    }

    fn collision(&mut self, collision: &Collision) {
        let sets: [(_, _, &[u32]); 2] = [("dop", collision.dop, &DOPS), ("arity", collision.arity, &ARITIES)];
        for (key, value, allowed) in sets {
            if !allowed.contains(&value) {
                let words: Vec<String> = allowed.iter().map(u32::to_string).collect();
                let message = format!("`{key}` cannot be {value}");
                self.report(&[Key("collision"), Key(key)], message, format!("allowed: {}", words.join(", ")));
            }
        }
    }

    /// Times of the keys in the list `path` of the table `at`.
    fn ascending(&mut self, at: &[Step], times: impl Iterator<Item = f64>) {
        let mut previous = f64::NEG_INFINITY;
        for (k, time) in times.enumerate() {
            if time <= previous {
                let message = format!("`time` = {time} does not come after {previous}");
                let help = "the times of a path must ascend";
                self.report(&[at, &[Key("path"), Item(k), Key("time")]].concat(), message, help);
                return;
            }
            previous = time;
        }
    }
}

/// Whether an obstacle can be somewhere else, or have another shape, later on.
fn can_move(obstacle: &Obstacle) -> bool {
    let deforms = match &obstacle.shape {
        ObstacleShape::Mesh(mesh) => !mesh.keyframes.is_empty(),
        ObstacleShape::Wave(_) | ObstacleShape::Figure(_) => true,
        _ => false,
    };
    deforms || obstacle.velocity != [0.0; 3] || obstacle.spin != 0.0 || obstacle.path.len() > 1
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The place of a value in the text; of the nearest table above it where it was left out.
fn locate(root: &DeTable<'_>, path: &[Step]) -> Range<usize> {
    let mut span = 0..0;
    let mut found: Option<&DeValue<'_>> = None;
    for step in path {
        let next = match (step, found) {
            (Key(key), None) => entry(root, key),
            (Key(key), Some(DeValue::Table(table))) => entry(table, key),
            (Item(i), Some(DeValue::Array(array))) => array.get(*i),
            _ => None,
        };
        let Some(next) = next else { break };
        span = next.span();
        found = Some(next.get_ref());
    }
    span
}

fn entry<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t toml::Spanned<DeValue<'i>>> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
}
