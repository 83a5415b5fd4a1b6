//! Items as files.

use std::path::Path;

use miette::{IntoDiagnostic, Result};
use toile_files::glb::{GlbInterpolation, GlbNormals, GlbObject, GlbScene};
use toile_files::obj::{ObjObject, ObjScene};
use toile_files::pc2::Pc2Writer;
use toile_files::usda::{UsdaMesh, UsdaPose, UsdaWriter};
use toile_mesh::{DVec3, TriMesh};

use super::bones::Bones;
use super::item::{Item, Items, Way};

/// Writes all items and their motion as one GLB file.
pub(crate) fn write_glb(items: &dyn Items, path: &Path) -> Result<()> {
    let mut scene = GlbScene::new(items.rate(), GlbInterpolation::Linear).into_diagnostic()?;
    for (i, item) in items.items().iter().enumerate() {
        let object = match &item.way {
            Way::Skinned(bones) => skinned(items, i, bones)?,
            _ => None,
        };
        let mut object = match object {
            Some(object) => object,
            None => unskinned(items, i)?,
        };
        object.set_material(&item.material, item.color).into_diagnostic()?;
        if let Some(uv) = &item.uv {
            object.set_uv(uv).into_diagnostic()?;
        }
        for (name, values) in &item.values {
            object.set_attribute(name, values).into_diagnostic()?;
        }
        scene.add(object);
    }
    scene.save(path).into_diagnostic()
}

fn unskinned(items: &dyn Items, i: usize) -> Result<GlbObject> {
    let item = &items.items()[i];
    let mesh = TriMesh { positions: items.positions(i, 0)?, triangles: item.triangles.clone() };
    match &item.way {
        Way::Still => GlbObject::new(&item.name, &mesh, GlbNormals::Base).into_diagnostic(),
        Way::Rigid(poses) => {
            let base = TriMesh { positions: centred(&mesh.positions), ..mesh };
            let mut object = GlbObject::new(&item.name, &base, GlbNormals::Base).into_diagnostic()?;
            for pose in poses {
                object.push_pose(*pose).into_diagnostic()?;
            }
            Ok(object)
        }
        Way::Free | Way::Skinned(_) => {
            let mut object = GlbObject::new(&item.name, &mesh, GlbNormals::PerFrame).into_diagnostic()?;
            for frame in 0..items.frames() {
                object.push_frame(&items.positions(i, frame)?).into_diagnostic()?;
            }
            Ok(object)
        }
    }
}

/// A body over its bones; `None` if some frame cannot be written so.
fn skinned(items: &dyn Items, i: usize, bones: &Bones) -> Result<Option<GlbObject>> {
    let item = &items.items()[i];
    let (Some(rest), Some(skin)) = (bones.rest(), bones.skin()) else { return Ok(None) };
    if rest.len() != items.positions(i, 0)?.len() {
        return Ok(None);
    }
    let mesh = TriMesh { positions: rest.to_vec(), triangles: item.triangles.clone() };
    let mut object = GlbObject::new(&item.name, &mesh, GlbNormals::Base).into_diagnostic()?;
    object.set_skin(skin).into_diagnostic()?;
    for frame in 0..items.frames() {
        let Some(motions) = bones.motions(items.time(frame)) else { return Ok(None) };
        if object.push_posture(&motions, &items.positions(i, frame)?).is_err() {
            return Ok(None);
        }
    }
    Ok(Some(object))
}

/// Positions around their middle [m].
fn centred(x: &[DVec3]) -> Vec<DVec3> {
    let centre = x.iter().sum::<DVec3>() / x.len().max(1) as f64;
    x.iter().map(|p| *p - centre).collect()
}

/// Writes all items as one USD file, frame by frame.
pub(crate) fn write_usda(items: &dyn Items, path: &Path) -> Result<()> {
    let mut writer = UsdaWriter::create(path, items.rate(), items.frames()).into_diagnostic()?;
    for i in 0..items.items().len() {
        write_usda_item(items, i, &mut writer)?;
    }
    writer.finish().into_diagnostic()
}

fn write_usda_item(items: &dyn Items, i: usize, writer: &mut UsdaWriter) -> Result<()> {
    let item = &items.items()[i];
    let start = items.positions(i, 0)?;
    let deforms = matches!(item.way, Way::Free | Way::Skinned(_));
    let uv = item.uv_upwards();
    let mesh = UsdaMesh {
        name: &item.name,
        vertices: start.len(),
        triangles: &item.triangles,
        uv: uv.as_deref(),
        deforms,
        material: &item.material,
        color: item.color,
    };
    writer.begin(&mesh).into_diagnostic()?;
    match &item.way {
        Way::Still => writer.push_points(&start).into_diagnostic()?,
        Way::Rigid(poses) => {
            writer.push_points(&centred(&start)).into_diagnostic()?;
            for pose in poses {
                let pose = UsdaPose { position: pose.position, rotation: pose.rotation };
                writer.push_pose(pose).into_diagnostic()?;
            }
        }
        Way::Free | Way::Skinned(_) => {
            for frame in 0..items.frames() {
                writer.push_points(&items.positions(i, frame)?).into_diagnostic()?;
            }
        }
    }
    let strain_over_time = deforms && items.strain(i, 0)?.is_some();
    if strain_over_time {
        for frame in 0..items.frames() {
            if let Some(strain) = items.strain(i, frame)? {
                writer.push_values("strain", items.frames(), &strain).into_diagnostic()?;
            }
        }
    }
    for (name, values) in &item.values {
        let plain = name.trim_start_matches('_').to_lowercase();
        if !(strain_over_time && plain == "strain") {
            writer.push_values(&plain, 1, values).into_diagnostic()?;
        }
    }
    writer.end().into_diagnostic()
}

/// Writes all items at the first frame as one OBJ file with its materials.
pub(crate) fn write_obj(items: &dyn Items, path: &Path) -> Result<()> {
    let mut scene = ObjScene::create(path).into_diagnostic()?;
    for (i, item) in items.items().iter().enumerate() {
        let mesh = TriMesh { positions: items.positions(i, 0)?, triangles: item.triangles.clone() };
        let uv = item.uv_upwards();
        let object =
            ObjObject { name: &item.name, mesh: &mesh, uv: uv.as_deref(), material: &item.material, color: item.color };
        scene.push(&object).into_diagnostic()?;
    }
    scene.finish().into_diagnostic()
}

/// Writes a point cache into `folder` for each item that moves, under the name of the item: frame 0 is that of the OBJ file.
pub(crate) fn write_pc2(items: &dyn Items, folder: &Path) -> Result<()> {
    let mut taken: Vec<String> = Vec::new();
    for (i, item) in items.items().iter().enumerate() {
        let name = free_name(item, &taken);
        if !matches!(item.way, Way::Still) {
            std::fs::create_dir_all(folder).into_diagnostic()?;
            let count = items.positions(i, 0)?.len();
            let path = folder.join(format!("{name}.pc2"));
            let mut cache = Pc2Writer::create(&path, count, 0.0, 1.0).into_diagnostic()?;
            for frame in 0..items.frames() {
                cache.push(&items.positions(i, frame)?).into_diagnostic()?;
            }
            cache.finish().into_diagnostic()?;
        }
        taken.push(name);
    }
    Ok(())
}

/// The name of an item as that of a file; with a number behind it as in the OBJ file if it is taken.
fn free_name(item: &Item, taken: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')');
    let plain: String = item.name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let plain = if plain.trim_matches('.').is_empty() { "_".to_owned() } else { plain };
    let numbered = std::iter::once(plain.clone()).chain((2..).map(|n: u32| format!("{plain}_{n}")));
    numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default()
}
