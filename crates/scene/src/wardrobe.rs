//! The garments of a scene: cloths whose shape is one are put on their bodies before the scene begins.
//!
//! A body is dressed at the origin, in the pose in which it begins; garments are then carried to where it stands.

use std::path::Path;

use toile::Fabric;
use toile_body::{Measurements, complete, sizes};
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::wear::{WearOptions, side_file, wear};
use toile_garment::{Pattern, file, garmentcode};
use toile_mesh::{DQuat, DVec3};
use toile_tailor::{Garment, TryOn, TryOnError, TryOnReport, Watch, Wearer, WornGarment};

use crate::build::{self, BuildError, GarmentError, Performer};
use crate::fabric::is_file_name;
use crate::scene::{ClothShape, GarmentShape, Scene};

/// What a garment is made of that names no fabric and is of no known design.
pub const USUAL_FABRIC: &str = "jersey-knit";

/// A body of a scene that wears garments.
#[derive(Clone, Debug)]
pub struct DressedBody {
    /// Its number in the scene.
    pub body: usize,
    /// As it was dressed.
    pub wearer: Wearer,
    /// How it moves.
    pub performer: Performer,
}

/// The garments of a scene on its bodies.
#[derive(Clone, Debug)]
pub struct Dressed {
    /// The garments, in the order of the scene's cloths.
    pub garments: Vec<WornGarment>,
    /// The bodies that wear any.
    pub wearers: Vec<DressedBody>,
    /// What happened, for each of them; empty if the garments were recalled from an earlier run.
    pub reports: Vec<TryOnReport>,
}

/// Dresses the bodies of a scene; `None` if it has no garments. `progress` is called after every frame; when it breaks, so does the
/// work, with [`BuildError::Cancelled`].
pub fn dress(scene: &Scene, progress: &mut Watch<'_>) -> Result<Option<Dressed>, BuildError> {
    let Some((wearers, wishes)) = wishes(scene)? else { return Ok(None) };
    let (mut garments, mut reports) = (Vec::new(), Vec::new());
    for (body, (cloths, wish)) in wearers.iter().map(|wearer| wearer.body).zip(wishes) {
        let worn = wish.run(progress).map_err(|error| refused(scene, body, error.into()))?;
        let stand = stand(scene, body);
        for mut garment in worn.garments {
            garment.x.iter_mut().for_each(|p| *p = stand(*p));
            garments.push(WornGarment { cloth: cloths[garment.cloth], body, ..garment });
        }
        reports.push(worn.report);
    }
    garments.sort_by_key(|garment| garment.cloth);
    Ok(Some(Dressed { garments, wearers, reports }))
}

/// Bodies that wear something, and for each the cloths it wears and the wish to wear them.
type Wishes = (Vec<DressedBody>, Vec<(Vec<usize>, TryOn)>);

/// Who is to wear what; `None` if there are no garments.
pub(crate) fn wishes(scene: &Scene) -> Result<Option<Wishes>, BuildError> {
    let (mut wearers, mut wishes) = (Vec::new(), Vec::new());
    for body in 0..scene.body.len() {
        let cloths: Vec<usize> = (0..scene.cloth.len()).filter(|i| scene.wearer(*i) == Some(body)).collect();
        if cloths.is_empty() {
            continue;
        }
        let (wearer, performer) = build::wearer(&scene.body[body], &scene.body_name(body))?;
        let mut garments = Vec::new();
        for i in &cloths {
            garments.push(garment(scene, *i, body, &wearer)?);
        }
        let wish = TryOn {
            garments,
            wearer: wearer.clone(),
            model: scene.solver.model,
            most_time: scene.dressing.most_time,
            together: scene.dressing.together,
        };
        wearers.push(DressedBody { body, wearer, performer });
        wishes.push((cloths, wish));
    }
    Ok((!wishes.is_empty()).then_some((wearers, wishes)))
}

/// The garment that cloth `index` of a scene is, which `body` wears.
fn garment(scene: &Scene, index: usize, body: usize, wearer: &Wearer) -> Result<Garment, BuildError> {
    let cloth = &scene.cloth[index];
    let ClothShape::Garment(shape) = &cloth.shape else { unreachable!("cloths that are worn are garments") };
    let (pattern, cut_for) = pattern(shape, wearer).map_err(|error| refused(scene, body, error))?;
    let fabric_name = if cloth.fabric.is_empty() { usual_fabric(&shape.design) } else { &cloth.fabric };
    let mut fabric = build::named_fabric(scene, index, fabric_name)?;
    if let Some(density) = cloth.areal_density {
        fabric.areal_density = density;
    }
    let panel_fabrics = panel_fabrics(scene, index, &shape.design, &pattern)?;
    Ok(Garment {
        name: scene.cloth_name(index),
        panel_fabrics,
        distance: shape.distance,
        fabric_name: fabric_name.to_owned(),
        thickness: cloth.thickness,
        friction: cloth.friction,
        layer: cloth.layer,
        stretch_min: cloth.stretch_min,
        stretch_max: cloth.stretch_max,
        bend_min: cloth.bend_min,
        pressure: cloth.pressure,
        cut_for,
        ..Garment::new(pattern, fabric)
    })
}

/// The fabrics that the panels of a pattern name. A file beside a pattern file is found there. What a DXF file calls a material is a
/// remark for the cutter; only names of known fabrics count.
fn panel_fabrics(
    scene: &Scene,
    index: usize,
    design: &str,
    pattern: &Pattern,
) -> Result<Vec<(String, Fabric)>, BuildError> {
    let mut found: Vec<(String, Fabric)> = Vec::new();
    let is_remark = extension(design).as_deref() == Some("dxf");
    for panel in pattern.panels.iter().filter(|panel| !panel.fabric.is_empty()) {
        let name = &panel.fabric;
        if found.iter().any(|(known, _)| known == name) {
            continue;
        }
        let beside = Path::new(design).with_file_name(name);
        let path =
            if is_file_name(name) && beside.exists() { beside.to_string_lossy().into_owned() } else { name.clone() };
        match build::named_fabric(scene, index, &path) {
            Ok(fabric) => found.push((name.clone(), fabric)),
            Err(_) if is_remark => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The ending of a file name in lower case.
fn extension(path: &str) -> Option<String> {
    Path::new(path).extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// The fabric that suits a design; for pattern files, and what is no design, jersey.
pub fn usual_fabric(design: &str) -> &'static str {
    match Design::find(design) {
        Some(Design::ALineSkirt | Design::PencilSkirt | Design::Trousers) => "wool-suiting",
        Some(Design::ShiftDress | Design::Tablecloth | Design::RoundTablecloth) => "linen",
        Some(Design::Cape | Design::Poncho) => "wool-melton",
        Some(Design::CircleSkirt | Design::Shirt) => "cotton-poplin",
        _ => USUAL_FABRIC,
    }
}

/// The pattern of a garment: drafted for a body, which is told too, or read from a file.
fn pattern(shape: &GarmentShape, wearer: &Wearer) -> Result<(Pattern, Option<Measurements>), GarmentError> {
    let Some(design) = Design::find(&shape.design) else { return Ok((read(shape)?, None)) };
    let measurements = match Size::from_word(&shape.size.to_uppercase()) {
        Some(size) => size.measurements(wearer.figuring.figure),
        None if shape.size.is_empty() => wearer.figuring.measurements,
        None => {
            let body = sizes::find(&shape.size)?;
            complete(body.figure, &body.given)
        }
    };
    let choices = shape.settings().fold(Choices::new(), |choices, (key, value)| choices.with(key, value));
    Ok((draft(design, &measurements, &choices)?, Some(measurements)))
}

/// A pattern from a file. Seams that the file does not state come from the side file beside it, or are proposed; doubtful ones are not
/// sewn unasked.
fn read(shape: &GarmentShape) -> Result<Pattern, GarmentError> {
    let path = Path::new(&shape.design);
    let size = (!shape.size.is_empty()).then(|| shape.size.clone());
    if let Some(worn) = wear(path, &WearOptions::of_size(size))? {
        return match worn.doubt() {
            None => Ok(worn.pattern),
            Some(doubt) => {
                Err(GarmentError::Doubtful { file: shape.design.clone(), doubt, side_file: side_file(path) })
            }
        };
    }
    match extension(&shape.design).as_deref() {
        Some("json") => Ok(garmentcode::load(path)?.pattern),
        _ => Ok(file::load(path)?.pattern),
    }
}

fn refused(scene: &Scene, body: usize, error: GarmentError) -> BuildError {
    match error {
        GarmentError::TryOn(TryOnError::World(error)) => error.into(),
        GarmentError::TryOn(TryOnError::Cancelled) => BuildError::Cancelled,
        other => BuildError::Garment { body: scene.body_name(body), source: Box::new(other) },
    }
}

/// From where a body is dressed to where it stands [m].
fn stand(scene: &Scene, body: usize) -> impl Fn(DVec3) -> DVec3 + use<> {
    let described = &scene.body[body];
    let turn = DQuat::from_rotation_y(described.heading_deg.to_radians());
    let place = DVec3::from(described.position);
    move |p| turn * p + place
}

impl Dressed {
    /// The name of a garment of the scene that its body does not wear, or of what is worn and no garment of it.
    pub(crate) fn missing(&self, scene: &Scene) -> Option<String> {
        let worn = |i: usize| self.garments.iter().find(|garment| garment.cloth == i).map(|garment| garment.body);
        let cloths = scene.cloth.len();
        let stranger = self.garments.iter().find(|garment| garment.cloth >= cloths).map(|g| g.name().to_owned());
        stranger.or_else(|| (0..cloths).find(|i| scene.wearer(*i) != worn(*i)).map(|i| scene.cloth_name(i)))
    }
}
