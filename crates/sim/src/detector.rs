//! From the table `[collision]` to a detector.

use std::sync::Arc;

use toile_collide::{Abilities, BruteForce, Detector, HierarchySettings, TreeSettings, UpdatePolicy};
use toile_contact::{Candidates, MakeDetector, MeshObstacle, Step};
use toile_mesh::{Moves, Surface, TriMesh};

use crate::builder::WorldError;
use crate::settings::{AutoLength, Collision, DetectorKind, Settings, UpdateKind};

/// Lazy tolerance if none is given, as a share of the largest distance that anything keeps.
const LAZY_SHARE: f64 = 0.5;

/// The candidates among pairs of features; `None` if nothing can touch anything. `no_solids`: there are no exact obstacles, which
/// the guard looks after as well.
pub(crate) fn candidates(
    settings: &Settings,
    step: &Step,
    cloth: &TriMesh,
    obstacles: &[MeshObstacle],
    no_solids: bool,
) -> Result<Option<Candidates>, WorldError> {
    let contact = &settings.contact;
    if obstacles.is_empty() && no_solids && !contact.self_collision {
        return Ok(None);
    }
    let make = make(&settings.collision, step.participants.materials.largest_distance());
    let candidates = Candidates::new(step, cloth, obstacles, make, contact.self_collision);
    let animated = obstacles.iter().any(|o| o.moves() == Moves::Freely);
    let detector = candidates.detector();
    match lacks(detector.abilities(), animated) {
        Some(lacks) => Err(WorldError::Detector { detector: detector.name(), lacks }),
        None => Ok(Some(candidates)),
    }
}

/// What a detector would have to do besides.
fn lacks(abilities: Abilities, animated: bool) -> Option<&'static str> {
    if !abilities.continuous {
        Some("it does not see what happens between the start and the end of a step, as contacts with meshes need")
    } else if !abilities.exact {
        Some("it does not find every pair, as contacts with meshes need")
    } else if animated && !abilities.animated {
        Some("it does not know obstacles that deform, and one has keyframes for its vertices")
    } else {
        None
    }
}

/// `distance`: the largest that anything keeps [m].
fn make(collision: &Collision, distance: f64) -> MakeDetector {
    let settings = settings(collision, distance);
    let kind = collision.detector;
    Arc::new(move |surfaces: Vec<Surface>| -> Box<dyn Detector> {
        match kind {
            DetectorKind::BruteForce => Box::new(BruteForce::new(surfaces, settings.method)),
            DetectorKind::Hierarchy => {
                settings.detector(surfaces).expect("a builder allows the values of `dop` and `arity` that there are")
            }
        }
    })
}

fn settings(collision: &Collision, distance: f64) -> HierarchySettings {
    HierarchySettings {
        dop: collision.dop,
        arity: collision.arity,
        tree: TreeSettings { leaf_size: collision.leaf_size as usize, ..TreeSettings::default() },
        cover: collision.inflation,
        update: match (collision.update, collision.lazy_tolerance) {
            (UpdateKind::Full, _) => UpdatePolicy::Full,
            (UpdateKind::Lazy, AutoLength::Auto) => UpdatePolicy::Lazy { tolerance: LAZY_SHARE * distance },
            (UpdateKind::Lazy, AutoLength::Metres(tolerance)) => UpdatePolicy::Lazy { tolerance },
            (UpdateKind::OnDemand, _) => UpdatePolicy::OnDemand,
        },
        close_angle: collision.cones.then_some(collision.close_angle_deg.to_radians()),
        ..HierarchySettings::default()
    }
}

#[cfg(test)]
mod tests {
    use toile_collide::Cover;

    use super::*;

    #[test]
    fn the_defaults_of_the_scene_are_those_of_the_detector() {
        let ours = settings(&Collision::default(), 0.003);
        let theirs = HierarchySettings::default();
        let angle = |s: &HierarchySettings| s.close_angle.map(|a| (a * 1e9).round());
        assert_eq!(angle(&ours), angle(&theirs));
        // Scenes search along whole paths, where moving volumes pay; they cost more where nothing moves.
        let apart = |s: HierarchySettings| HierarchySettings { close_angle: None, cover: Cover::Moving, ..s };
        assert_eq!(apart(ours), apart(theirs));
    }

    #[test]
    fn what_a_detector_cannot_do_is_named() {
        let all = Abilities { self_collision: true, continuous: true, animated: true, exact: true };
        assert_eq!(lacks(all, true), None);
        assert!(lacks(Abilities { continuous: false, ..all }, false).is_some_and(|why| why.contains("between")));
        assert!(lacks(Abilities { exact: false, ..all }, false).is_some_and(|why| why.contains("every pair")));
        let rigid = Abilities { animated: false, ..all };
        assert!(lacks(rigid, true).is_some_and(|why| why.contains("keyframes")) && lacks(rigid, false).is_none());
    }
}
