//! Facts about a scene file.

use std::fmt::Write;
use std::path::Path;

use miette::miette;
use serde_json::json;
use toile::World;
use toile::settings::Method;
use toile_mesh::Moves;
use toile_scene::{ClothShape, ObstacleShape, Scene};

use super::Sheet;
use crate::check::counted;

pub(super) fn sheet(path: &Path) -> miette::Result<Sheet> {
    let scene = Scene::load(path)?;
    let world = scene.build_as_given().map(|built| built.world).map_err(|e| miette!("{}: {e}", path.display()))?;
    let file = path.display().to_string();
    let mut sheet = Sheet::default();
    sheet.fact("scene", file.clone(), file);
    facts(&mut sheet, &scene, &world);
    Ok(sheet)
}

/// What there is to say about a scene and its world.
pub(super) fn facts(sheet: &mut Sheet, scene: &Scene, world: &World) {
    sheet.fact("name", scene.name.clone(), scene.name.clone());
    if !scene.description.is_empty() {
        sheet.fact("description", scene.description.clone(), scene.description.clone());
    }
    let time = &scene.time;
    let frames = time.frames();
    sheet.fact("duration", format!("{} s", time.duration), time.duration);
    let words = format!("{frames}, {} per second, each in {}", time.frame_rate, steps(time.substeps));
    sheet.fact("frames", words, json!({ "count": frames, "rate": time.frame_rate, "substeps": time.substeps }));
    let method = match scene.solver.method {
        Method::Sweep => "sweep",
        Method::Chains => "chains",
    };
    let iterations = scene.solver.iterations;
    let words = format!("{method}, {} per step", counted(iterations as usize, "iteration"));
    sheet.fact("solver", words, json!({ "method": method, "iterations": iterations }));
    cloths(sheet, scene, world);
    obstacles(sheet, scene, world);
}

fn steps(substeps: u32) -> String {
    format!("{} or more", counted(substeps as usize, "step"))
}

fn cloths(sheet: &mut Sheet, scene: &Scene, world: &World) {
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for (i, cloth) in scene.cloth.iter().enumerate() {
        let kind = match &cloth.shape {
            ClothShape::Grid(_) => "grid",
            ClothShape::Disc(_) => "disc",
            ClothShape::Ribbon(_) => "ribbon",
            ClothShape::Cylinder(_) => "cylinder",
            ClothShape::Knot(_) => "knot",
            ClothShape::File(_) => "file",
            ClothShape::Garment(_) => "garment",
        };
        let (name, vertices) = (scene.cloth_name(i), world.model().cloths[i].len());
        lines.push(format!("{name}: {kind}, {}", counted(vertices, "vertex")));
        values.push(json!({ "name": name, "shape": kind, "vertices": vertices }));
    }
    sheet.list("cloths", lines, values);
}

fn obstacles(sheet: &mut Sheet, scene: &Scene, world: &World) {
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for (i, obstacle) in scene.obstacle.iter().enumerate() {
        let kind = match &obstacle.shape {
            ObstacleShape::Sphere(_) => "sphere",
            ObstacleShape::Box(_) => "box",
            ObstacleShape::Capsule(_) => "capsule",
            ObstacleShape::Cylinder(_) => "cylinder",
            ObstacleShape::Plane(_) => "plane",
            ObstacleShape::Table(_) => "table",
            ObstacleShape::Mesh(_) => "mesh",
            ObstacleShape::Torus(_) => "torus",
            ObstacleShape::Wave(_) => "wave",
            ObstacleShape::Funnel(_) => "funnel",
            ObstacleShape::Needles(_) => "needles",
            ObstacleShape::Figure(_) => "figure",
        };
        let name = scene.obstacle_name(i);
        let mut value = json!({ "name": name, "shape": kind });
        let mut line = format!("{name}: {kind}");
        let mut moves = !obstacle.path.is_empty() || obstacle.velocity != [0.0; 3] || obstacle.spin != 0.0;
        if let Some(solid) = world.mesh_obstacles().iter().find(|mesh| mesh.name == name) {
            let triangles = solid.mesh.face_count();
            let _ = write!(line, ", {}", counted(triangles, "triangle"));
            value["triangles"] = json!(triangles);
            moves = solid.moves() != Moves::Never;
            if let Some(deformation) = &solid.deformation {
                let _ = write!(line, ", {}", deformation.summary());
                value["deformation"] = json!(deformation.summary());
            }
        }
        value["moves"] = json!(moves);
        lines.push(format!("{line}{}", if moves { ", moves" } else { "" }));
        values.push(value);
    }
    for i in 0..scene.body.len() {
        let name = scene.body_name(i);
        let Some(solid) = world.mesh_obstacles().iter().find(|mesh| mesh.name == name) else { continue };
        let (triangles, motion) = (solid.mesh.face_count(), solid.deformation.as_ref().map(|d| d.summary()));
        let does = motion.as_ref().map_or_else(|| ", stands still".to_owned(), |motion| format!(", {motion}"));
        lines.push(format!("{name}: body, {}{does}", counted(triangles, "triangle")));
        values.push(json!({ "name": name, "shape": "body", "triangles": triangles, "moves": motion.is_some(), "motion": motion }));
    }
    if lines.is_empty() {
        lines.push("none".to_owned());
    }
    sheet.list("obstacles", lines, values);
}
