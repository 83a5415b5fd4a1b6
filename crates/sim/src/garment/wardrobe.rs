//! The garments of a scene: cloths whose shape is one are put on their bodies before the scene begins.
//!
//! A body is dressed at the origin, in the pose in which it begins; garments are then carried to where it stands.

use toile_body::{Measurements, complete, sizes};
use toile_cloth::Fabric;
use toile_contact::MeshObstacle;
use toile_garment::check::mend;
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::dxf::{self, DxfOptions};
use toile_garment::propose::propose_seams;
use toile_garment::{Pattern, file, garmentcode};
use toile_mesh::{DQuat, DVec3};

use super::report::{Progress, TryOnReport};
use super::wearer::Wearer;
use super::{Garment, TryOn, TryOnError, USUAL_FABRIC, WornGarment, draping};
use crate::build::WorldError;
use crate::build_body;
use crate::scene::{ClothShape, Contact, GarmentShape, Scene};
use crate::tailored::TailoredCloth;

/// The garments of a scene on its bodies.
#[derive(Clone, Debug)]
pub struct Dressed {
    /// The garments, in the order of the scene's cloths.
    pub garments: Vec<WornGarment>,
    /// The bodies that wear any, with their numbers in the scene.
    pub wearers: Vec<(usize, Wearer)>,
    /// What happened, for each of them; empty if the garments were recalled from an earlier run.
    pub reports: Vec<TryOnReport>,
}

/// Dresses the bodies of a scene; `None` if it has no garments. `progress` is called after every frame.
pub fn dress(scene: &Scene, progress: &mut dyn FnMut(&Progress<'_>)) -> Result<Option<Dressed>, WorldError> {
    let Some((wearers, wishes)) = wishes(scene)? else { return Ok(None) };
    let (mut garments, mut reports) = (Vec::new(), Vec::new());
    for (body, (cloths, wish)) in wearers.iter().map(|(body, _)| *body).zip(wishes) {
        let worn = wish.run(progress).map_err(|error| refused(scene, body, error))?;
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

/// Bodies by number in the scene, and for each the cloths it wears and the wish to wear them.
type Wishes = (Vec<(usize, Wearer)>, Vec<(Vec<usize>, TryOn)>);

/// Who is to wear what; `None` if there are no garments.
pub(super) fn wishes(scene: &Scene) -> Result<Option<Wishes>, WorldError> {
    let (mut wearers, mut wishes) = (Vec::new(), Vec::new());
    for body in 0..scene.body.len() {
        let cloths: Vec<usize> = (0..scene.cloth.len()).filter(|i| scene.wearer(*i) == Some(body)).collect();
        if cloths.is_empty() {
            continue;
        }
        let mut described = scene.body[body].clone();
        described.name = scene.body_name(body);
        let wearer = Wearer::new(&described)?;
        let garments = cloths.iter().map(|i| garment(scene, *i, &wearer)).collect::<Result<Vec<_>, _>>();
        let wish = TryOn {
            garments: garments.map_err(|error| refused(scene, body, error))?,
            wearer: wearer.clone(),
            model: scene.solver.model,
            most_time: scene.dressing.most_time,
            together: scene.dressing.together,
        };
        wearers.push((body, wearer));
        wishes.push((cloths, wish));
    }
    Ok((!wishes.is_empty()).then_some((wearers, wishes)))
}

/// The garment that cloth `index` of a scene is.
fn garment(scene: &Scene, index: usize, wearer: &Wearer) -> Result<Garment, TryOnError> {
    let mut cloth = scene.cloth[index].clone();
    let ClothShape::Garment(shape) = &cloth.shape else { unreachable!("cloths that are worn are garments") };
    let (pattern, cut_for) = pattern(shape, wearer)?;
    let distance = shape.distance;
    if cloth.fabric.is_empty() {
        usual_fabric(&shape.design).clone_into(&mut cloth.fabric);
    }
    cloth.name = scene.cloth_name(index);
    Ok(Garment { pattern, distance, cloth, cut_for })
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

/// Strain to which a limb pulls a garment that is just wide enough for it.
const PULLED: f64 = 0.03;
/// Radius of what pulls it [m]: a tension `T` around it presses with `T/R`.
const LIMB: f64 = 0.12;
/// What contacts bear over the pressure that a scene says of them.
const BORNE: f64 = 2.5;

/// Pressure [Pa] that contacts should bear (`contact.pressure`) if garments of these fabrics move with a body: that of the softest
/// when it is pulled taut, since stiffer contacts than its own shake soft cloth; not less than the usual one. Where contacts give way,
/// the guard keeps the cloth out, which stretches it.
pub fn pressure_in_motion<'a>(fabrics: impl IntoIterator<Item = &'a Fabric>) -> f64 {
    let tension = |fabric: &Fabric| PULLED * fabric.stretch_warp.max(fabric.stretch_weft);
    let softest = fabrics.into_iter().map(tension).fold(f64::INFINITY, f64::min);
    let pressure = if softest.is_finite() { softest / LIMB / BORNE } else { 0.0 };
    pressure.max(Contact::default().pressure)
}

/// The pattern of a garment: drafted for a body, which is told too, or read from a file.
fn pattern(shape: &GarmentShape, wearer: &Wearer) -> Result<(Pattern, Option<Measurements>), TryOnError> {
    let Some(design) = Design::find(&shape.design) else { return Ok((read(&shape.design)?, None)) };
    let measurements = match (Size::from_word(&shape.size.to_uppercase()), sizes::named(&shape.size)) {
        (Some(size), _) => size.measurements(wearer.figuring.figure),
        (None, Some(body)) => complete(body.figure, &body.given),
        (None, None) => wearer.figuring.measurements,
    };
    let choices = shape.settings().fold(Choices::new(), |choices, (key, value)| choices.with(key, value));
    Ok((draft(design, &measurements, &choices)?, Some(measurements)))
}

/// A pattern from a file; a DXF file says nothing of seams, so they are proposed.
fn read(path: &str) -> Result<Pattern, TryOnError> {
    let extension = std::path::Path::new(path).extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("json") => Ok(garmentcode::load(path)?.pattern),
        Some("dxf") => {
            let mut pattern = dxf::load(path, &DxfOptions::default())?.pattern;
            let proposals = propose_seams(&pattern);
            pattern.seams.extend(proposals.into_iter().map(|proposal| proposal.seam));
            Ok(mend(pattern).map_err(toile_garment::mesh::MeshError::from)?.pattern)
        }
        _ => Ok(file::load(path)?.pattern),
    }
}

fn refused(scene: &Scene, body: usize, error: TryOnError) -> WorldError {
    match error {
        TryOnError::World(error) => error,
        other => WorldError::Garment { body: scene.body_name(body), source: Box::new(other) },
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

    /// The scene with garments that give as their fabrics do.
    pub(crate) fn allow_give(&self, scene: &Scene) -> Result<Scene, WorldError> {
        let mut scene = scene.clone();
        for garment in &self.garments {
            garment.fabric().clone_into(&mut scene.cloth[garment.cloth].fabric);
        }
        draping::allow_give(&mut scene, self.garments.iter().map(|garment| garment.cloth))?;
        Ok(scene)
    }

    /// For each cloth of the scene, the garment it is.
    pub(crate) fn cloths(&self, scene: &Scene) -> Vec<Option<TailoredCloth<'_>>> {
        let mut cloths = vec![None; scene.cloth.len()];
        for garment in &self.garments {
            cloths[garment.cloth] = Some(garment.tailored());
        }
        cloths
    }

    /// All bodies of the scene; those that wear something need not be made again.
    pub(crate) fn bodies(&self, scene: &Scene) -> Result<Vec<MeshObstacle>, WorldError> {
        let body = |i: usize| match self.wearers.iter().find(|(number, _)| *number == i) {
            Some((_, wearer)) => Ok(build_body::obstacle(scene, i, &wearer.performer)),
            None => build_body::body(scene, i),
        };
        (0..scene.body.len()).map(body).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_softest_garment_says_what_contacts_bear() {
        let fabric = |stretch_weft: f64| Fabric { stretch_warp: 1000.0, stretch_weft, ..Fabric::default() };
        let (linen, jersey) = (fabric(20_000.0), fabric(500.0));
        // 600 N/m around 0.12 m press with 5 kPa, two fifths of which are said.
        assert!((pressure_in_motion([&linen]) - 2000.0).abs() < 1e-9);
        assert_eq!(pressure_in_motion([&linen, &jersey]), Contact::default().pressure);
        assert_eq!(pressure_in_motion([]), Contact::default().pressure);
    }
}
