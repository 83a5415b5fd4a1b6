//! Whether parts and settings can become a world.

use std::collections::BTreeSet;

use toile_cloth::Fabric;
use toile_contact::{MeshObstacle, Motion};
use toile_mesh::{DVec2, DVec3, Moves, TriMesh, triangle_area};
use toile_schema::check_ranges;

use super::{Cloth, Hold, Parts, WorldError};
use crate::settings::{Model, Response, Settings};

/// Planes of a bounding volume, and children of a tree node, that there are.
const DOPS: [u32; 4] = [6, 14, 18, 26];
const ARITIES: [u32; 3] = [2, 4, 8];
/// Length of an axis at least; a shorter one loses its direction to rounding when it is squared.
const SHORTEST_AXIS: f64 = 1e-6;

/// Refuses what cannot be simulated.
pub(super) fn check(settings: &Settings, parts: &Parts) -> Result<(), WorldError> {
    check_settings(settings)?;
    check_names(settings, parts)?;
    for cloth in &parts.cloths {
        check_cloth(settings, cloth)?;
    }
    for obstacle in &parts.obstacles {
        obstacle.check().map_err(|error| WorldError::Obstacle {
            obstacle: obstacle.name.clone(),
            reason: error.to_string(),
            remedy: "give it positive sizes and finite numbers".to_owned(),
        })?;
    }
    for mesh in &parts.meshes {
        check_mesh(mesh)?;
    }
    check_ids(parts)?;
    for (cloth, _) in parts.cloths.iter().enumerate() {
        for (k, (_, hold)) in parts.holds_of(cloth).enumerate() {
            check_hold(&parts.cloths[cloth].name, k + 1, hold)?;
        }
    }
    check_response(settings, parts)
}

fn check_settings(settings: &Settings) -> Result<(), WorldError> {
    let setting = |key: &str, reason: String, remedy: String| {
        let key = key.to_owned();
        Err(WorldError::Setting { key, reason, remedy })
    };
    if let Err(found) = check_ranges(settings, Settings::SECTION) {
        let remedy = format!("allowed: {}", found.allowed);
        return setting(&found.key, format!("{} is out of range", found.value), remedy);
    }
    let sets: [(&str, u32, &[u32]); 2] =
        [("collision.dop", settings.collision.dop, &DOPS), ("collision.arity", settings.collision.arity, &ARITIES)];
    for (key, value, allowed) in sets {
        if !allowed.contains(&value) {
            let words: Vec<String> = allowed.iter().map(u32::to_string).collect();
            return setting(key, format!("it cannot be {value}"), format!("allowed: {}", words.join(", ")));
        }
    }
    Ok(())
}

/// Names differ, and pairs name parts that there are.
fn check_names(settings: &Settings, parts: &Parts) -> Result<(), WorldError> {
    let mut taken = BTreeSet::new();
    let obstacles = (0..parts.places.len()).map(|i| parts.obstacle_name(i));
    for name in parts.cloths.iter().map(|cloth| cloth.name.as_str()).chain(obstacles) {
        if name.is_empty() {
            return Err(WorldError::Name { name: String::new(), reason: "is empty" });
        }
        if !taken.insert(name) {
            return Err(WorldError::Name { name: name.to_owned(), reason: "is taken already" });
        }
    }
    for pair in &settings.contact.pair {
        for name in [&pair.a, &pair.b] {
            if !taken.contains(name.as_str()) {
                let reason = format!("no cloth or obstacle has the name \"{name}\"");
                let (key, remedy) = ("contact.pair".to_owned(), "name two parts of this world".to_owned());
                return Err(WorldError::Setting { key, reason, remedy });
            }
        }
    }
    Ok(())
}

fn check_cloth(settings: &Settings, cloth: &Cloth) -> Result<(), WorldError> {
    let refuse = |reason: String, remedy: &str| {
        let (cloth, remedy) = (cloth.name.clone(), remedy.to_owned());
        Err(WorldError::Cloth { cloth, reason, remedy })
    };
    let (vertices, triangles) = (cloth.mesh.vertex_count(), cloth.mesh.face_count());
    if let Some((reason, remedy)) = fault_of_surface(&cloth.mesh) {
        return refuse(reason, remedy);
    }
    if !cloth.rest.is_empty() && cloth.rest.len() != vertices {
        let reason = format!("its rest shape has {} vertices, its mesh has {vertices}", cloth.rest.len());
        return refuse(reason, "give as many, or leave `rest` empty");
    }
    if let Some(v) = cloth.rest.iter().position(|p| !p.is_finite()) {
        return refuse(format!("vertex {v} of its rest shape is at no finite place"), "give finite coordinates");
    }
    if let Some(cut) = &cloth.cut {
        if cut.len() != triangles {
            let reason = format!("it was cut in {} triangles, its mesh has {triangles}", cut.len());
            return refuse(reason, "give three flat corners for each triangle of the mesh, in its order");
        }
        let is_flat = |[a, b, c]: &[DVec2; 3]| {
            let area = (*b - *a).perp_dot(*c - *a);
            area.is_finite() && area != 0.0
        };
        if let Some(f) = cut.iter().position(|corners| !is_flat(corners)) {
            return refuse(
                format!("triangle {f} has no area as it was cut"),
                "give it three corners apart from each other",
            );
        }
    } else {
        let rest = cloth.rest_mesh();
        if let Some(f) = rest.faces().find(|f| triangle_area(rest.corners(*f)) <= 0.0) {
            let reason = format!("triangle {} has no area in its rest shape", f.index());
            return refuse(reason, "remove it, or move its corners apart");
        }
    }
    if !cloth.panel.is_empty() && cloth.panel.len() != triangles {
        let reason = format!("{} triangles have a panel, its mesh has {triangles}", cloth.panel.len());
        return refuse(reason, "number the panel of each triangle, or leave `panel` empty");
    }
    if cloth.panels.is_empty() != cloth.panel.is_empty() {
        return refuse("it has panels or numbers of panels, but not both".into(), "give both, or neither");
    }
    if let Some(f) = cloth.panel.iter().position(|panel| *panel as usize >= cloth.panels.len()) {
        let reason = format!("triangle {f} is on panel {}, there are {}", cloth.panel[f], cloth.panels.len());
        return refuse(reason, "number panels from 0");
    }
    if settings.solver.model == Model::Fem {
        // Any mass will do: it is compared with nothing but itself.
        for fabric in cloth.fabrics() {
            let elastic = Fabric { areal_density: Fabric::default().areal_density, ..fabric.clone() };
            if let Err(error) = elastic.check() {
                return refuse(format!("its fabric cannot be used: {error}"), &error.remedy);
            }
        }
    }
    if cloth.cut.is_none() && cloth.panels.iter().any(|panel| panel.fabric.is_some()) {
        let reason = "its panels have fabrics of their own, but it was not cut".to_owned();
        return refuse(reason, "give the corners of each triangle as `cut`");
    }
    let is_weight = |fabric: &Fabric| fabric.areal_density.is_finite() && fabric.areal_density > 0.0;
    if let Some(panel) = cloth.panels.iter().find(|panel| panel.fabric.as_ref().is_some_and(|f| !is_weight(f))) {
        let reason = format!("the fabric of panel `{}` has no weight", panel.name);
        return refuse(reason, "give it an areal density above 0");
    }
    if let Some((key, value)) = number_out_of_range(cloth) {
        return refuse(format!("`{key}` = {value} is out of range"), "see the documentation of `Cloth`");
    }
    if cloth.stretch_min > cloth.stretch_max {
        let reason = format!("`stretch_min` = {} is above `stretch_max` = {}", cloth.stretch_min, cloth.stretch_max);
        return refuse(reason, "edges could have no length at all; raise `stretch_max` or lower `stretch_min`");
    }
    if cloth.pressure != 0.0 && settings.solver.model == Model::Constraint {
        return refuse("`pressure` needs finite elements".into(), "set `solver.model` to `Model::Fem`");
    }
    Ok(())
}

fn number_out_of_range(cloth: &Cloth) -> Option<(&'static str, f64)> {
    let thickness = cloth.kept_thickness();
    let friction = cloth.kept_friction();
    let density = cloth.fabric.areal_density;
    let ranges = [
        ("fabric.areal_density", density, density > 0.0),
        ("thickness", thickness, thickness > 0.0),
        ("friction", friction, friction >= 0.0),
        ("grain", cloth.grain, true),
        ("pressure", cloth.pressure, true),
        ("stretch_min", cloth.stretch_min, cloth.stretch_min >= 0.0),
        ("stretch_max", cloth.stretch_max, cloth.stretch_max > 0.0),
        ("bend_min", cloth.bend_min, (0.0..=1.0).contains(&cloth.bend_min)),
    ];
    let bad = ranges.into_iter().find(|(_, value, fits)| !value.is_finite() || !fits);
    bad.map(|(key, value, _)| (key, value))
}

/// What is wrong with triangles over vertices, and what to do.
fn fault_of_triangles(mesh: &TriMesh) -> Option<(String, &'static str)> {
    if mesh.triangles.is_empty() {
        return Some(("it has no triangles".to_owned(), "give it at least one"));
    }
    if let Some(v) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return Some((format!("vertex {v} is at no finite place"), "give finite coordinates"));
    }
    let count = mesh.vertex_count();
    for (f, t) in mesh.triangles.iter().enumerate() {
        if let Some(v) = t.iter().find(|v| v.index() >= count) {
            let reason = format!("triangle {f} names vertex {}, there are {count}", v.0);
            return Some((reason, "number vertices from 0"));
        }
        if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
            return Some((format!("triangle {f} has a corner twice"), "remove it"));
        }
    }
    None
}

/// What keeps a mesh from being a surface that can be cloth, and what to do.
fn fault_of_surface(mesh: &TriMesh) -> Option<(String, &'static str)> {
    if let Some(fault) = fault_of_triangles(mesh) {
        return Some(fault);
    }
    let mut used = vec![false; mesh.vertex_count()];
    let mut sides: Vec<[u32; 3]> = Vec::with_capacity(3 * mesh.face_count());
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| v.0);
        for v in t {
            used[v.index()] = true;
        }
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q), u32::from(p < q)]));
    }
    if let Some(v) = used.iter().position(|used| !used) {
        return Some((format!("vertex {v} belongs to no triangle"), "remove it"));
    }
    sides.sort_unstable();
    for three in sides.windows(3) {
        if three[0][..2] == three[2][..2] {
            let reason =
                format!("more than two triangles share the edge of vertices {} and {}", three[0][0], three[0][1]);
            return Some((reason, "cloth is a surface: give the further triangles vertices of their own"));
        }
    }
    for two in sides.windows(2) {
        if two[0] == two[1] {
            let reason = format!(
                "the two triangles at the edge of vertices {} and {} wind against each other",
                two[0][0], two[0][1]
            );
            return Some((reason, "order the corners of all triangles alike; `toile_mesh::check::repair` does it"));
        }
    }
    None
}

fn check_mesh(obstacle: &MeshObstacle) -> Result<(), WorldError> {
    let refuse = |reason: String, remedy: &str| {
        let (obstacle, remedy) = (obstacle.name.clone(), remedy.to_owned());
        Err(WorldError::Obstacle { obstacle, reason, remedy })
    };
    if let Some((reason, remedy)) = fault_of_triangles(&obstacle.mesh) {
        return refuse(reason, remedy);
    }
    if !obstacle.motion.is_valid() {
        return refuse("its motion makes no sense".into(), "give finite poses at ascending times");
    }
    if obstacle.friction.is_some_and(|friction| !friction.is_valid()) {
        return refuse("its friction is out of range".into(), "give a coefficient that is not negative");
    }
    if let Some(deformation) = &obstacle.deformation {
        let mut positions: Vec<DVec3> = Vec::new();
        deformation.place(0.0, &mut positions);
        let (found, wanted) = (positions.len(), obstacle.mesh.vertex_count());
        if found != wanted {
            let reason = format!("its deformation places {found} vertices, its mesh has {wanted}");
            return refuse(reason, "deform the vertices of the mesh, in their order");
        }
        if deformation.skin().is_some_and(|skin| !skin.fits(wanted)) {
            let reason = "its skin is not that of its mesh".to_owned();
            return refuse(reason, "give every vertex weights that sum to one, and a segment that there is");
        }
    }
    Ok(())
}

/// Holds, seams and cuts name parts that there are.
fn check_ids(parts: &Parts) -> Result<(), WorldError> {
    let (cloths, solids) = (parts.cloths.len(), parts.places.len());
    let mut named: Vec<(&'static str, usize, &'static str, u32, usize)> = Vec::new();
    for (i, hold) in parts.holds.iter().enumerate() {
        named.push(("hold", i, "cloth", hold.cloth.0, cloths));
        named.extend(hold.fastened_to.map(|carrier| ("hold", i, "obstacle", carrier.0, solids)));
    }
    for (i, seam) in parts.seams.iter().enumerate() {
        named.extend([seam.from, seam.to].map(|cloth| ("seam", i, "cloth", cloth.0, cloths)));
    }
    for (i, cut) in parts.cuts.iter().enumerate() {
        named.push(("cut", i, "cloth", cut.cloth.0, cloths));
    }
    match named.into_iter().find(|(_, _, _, id, count)| *id as usize >= *count) {
        None => Ok(()),
        Some((what, i, part, id, count)) => Err(WorldError::Unknown { what, number: i + 1, part, id, count }),
    }
}

fn check_hold(cloth: &str, number: usize, hold: &Hold) -> Result<(), WorldError> {
    let refuse = |reason: &str, remedy: &'static str| {
        let (cloth, reason) = (cloth.to_owned(), reason.to_owned());
        Err(WorldError::Hold { cloth, hold: number, reason, remedy })
    };
    if hold.vertices.is_empty() && hold.near.is_none() {
        return refuse("it holds nothing", "name vertices, or a ball to look for them");
    }
    let near = hold.near.is_none_or(|ball| ball.centre.is_finite() && ball.radius > 0.0 && ball.radius.is_finite());
    let path = hold.path.iter().all(|key| key.time.is_finite() && key.offset.is_finite() && key.turns.is_finite());
    if !near || !path || !hold.pivot.is_finite() || !hold.axis.is_finite() || hold.until.is_nan() {
        return refuse("a number is not finite", "give finite numbers");
    }
    if !hold.path.is_sorted_by(|a, b| a.time < b.time) {
        return refuse("the times of its path do not ascend", "order its path by time");
    }
    if hold.path.iter().any(|key| key.turns != 0.0) && hold.axis.length() < SHORTEST_AXIS {
        return refuse("it turns about an axis without length", "give the axis a direction");
    }
    Ok(())
}

/// What only finite elements can do is refused elsewhere, and forbidden directions are for implicit solvers and obstacles at rest.
fn check_response(settings: &Settings, parts: &Parts) -> Result<(), WorldError> {
    let setting = |key: &str, reason: &str, remedy: &str| {
        let (key, reason, remedy) = (key.to_owned(), reason.to_owned(), remedy.to_owned());
        Err(WorldError::Setting { key, reason, remedy })
    };
    let is_fem = settings.solver.model == Model::Fem;
    if !parts.seams.is_empty() && !is_fem {
        return setting("solver.model", "seams need finite elements", "set it to `Model::Fem`");
    }
    if settings.contact.response != Response::Constraint {
        return Ok(());
    }
    if !is_fem || !settings.physics.integrator.is_implicit() {
        let reason = "the response `constraint` needs finite elements and an implicit integrator";
        return setting("contact.response", reason, "choose another response, model or integrator");
    }
    let exact = parts.obstacles.iter().any(|obstacle| is_moving(&obstacle.motion));
    let meshes = parts.meshes.iter().any(|mesh| mesh.moves() != Moves::Never);
    if exact || meshes {
        let reason = "the response `constraint` is for obstacles at rest, but one moves";
        return setting("contact.response", reason, "choose another response, or let them stand still");
    }
    Ok(())
}

fn is_moving(motion: &Motion) -> bool {
    match motion {
        Motion::Rigid(motion) => motion.velocity != DVec3::ZERO || motion.spin_rate != 0.0,
        Motion::Keyframes(keys) => keys.len() > 1,
    }
}
