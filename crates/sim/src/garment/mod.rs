//! Virtual try-on: from a pattern to a garment that hangs on a body.
//!
//! What a person does (Kimmerle 2005, §6.3; Fuhrmann 2003, §5): panels are held around the body, sewn, and let go.
//!
//! 1. [`toile_garment::mesh`] and [`toile_garment::place`](mod@toile_garment::place): triangles, bent around the body, without intersections.
//! 2. Sewing (`sewing`): the panels are pieces of cloth on their own; stitches draw the two sides of every seam together,
//!    without weight and without friction. Nothing goes through anything on the way, as in any other scene.
//! 3. Welding (`weld`): vertices that were sewn together become one, in their middle. Each triangle keeps the flat shape it
//!    was cut in. What then intersects is untangled, or the garment refused.
//! 4. Draping (`draping`): weight and friction, until nothing moves any more or time is up.
//!
//! ```
//! use toile::garment::{TryOn, Wearer};
//! use toile::scene::Body;
//! use toile_garment::draft::{Choices, Design, draft};
//! let wearer = Wearer::new(&Body { mannequin: "woman-38".into(), triangles: Some(3000), ..Body::default() })?;
//! let skirt = draft(Design::ALineSkirt, &wearer.figuring.measurements, &Choices::new())?;
//! let worn = TryOn { distance: 0.06, most_time: 0.5, ..TryOn::new(skirt, wearer) }.run(&mut |_| ())?;
//! assert!(worn.world.judge().is_clean());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draping;
mod gather;
mod report;
mod sewing;
mod wearer;
mod weld;

use std::time::Instant;

use toile_contact::MeshObstacle;
use toile_garment::mesh::{FlatMesh, MeshError};
use toile_garment::place::{PlaceError, place};
use toile_garment::{Part, Pattern};

use crate::build::{self, WorldError};
use crate::build_body;
use crate::scene::{Cloth, Contact, FrictionPair, Model, Scene, Time};
use crate::world::World;

pub use report::{Phases, Progress, Stage, TryOnReport};
pub use wearer::Wearer;
pub use weld::Welded;

/// Name of the garment among the cloths of its scene.
const GARMENT: &str = "garment";
/// Distance that cloth keeps from the body [m].
const CLEARANCE: f64 = 0.001;
/// What a garment is made of that names no fabric.
pub const USUAL_FABRIC: &str = "jersey-knit";

/// A garment to be tried on.
#[derive(Clone, Debug)]
pub struct TryOn {
    /// What it is sewn from.
    pub pattern: Pattern,
    /// Who wears it.
    pub wearer: Wearer,
    /// What it is made of: a name from the library or a fabric file.
    pub fabric: String,
    /// Distance between vertices [m].
    pub distance: f64,
    /// What cloth is while it drapes; it is always sewn as constraints.
    pub model: Model,
    /// Longest time to drape for [s].
    pub most_time: f64,
}

/// A garment on a body.
#[derive(Clone, Debug)]
pub struct Worn {
    /// Garment and body, as the last frame left them; it can go on.
    pub world: World,
    /// The pattern in triangles.
    pub flat: FlatMesh,
    /// The garment in one piece: which vertex of the pattern is which of the world.
    pub welded: Welded,
    /// What happened.
    pub report: TryOnReport,
}

/// Why a garment cannot be put on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TryOnError {
    /// The pattern has no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The panels have no place.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Nobody wears it.
    #[error(
        "panel `{panel}` lies flat and is worn on no body; drape it over a table in a scene, or state the part it covers"
    )]
    Flat {
        /// The panel.
        panel: String,
    },
    /// The panels intersect where they were placed.
    #[error(
        "{count} pairs of triangles intersect where the panels are placed; \
         state other places for the panels, or choose another size"
    )]
    Placed {
        /// How many.
        count: usize,
    },
    /// What is sewn would not be a surface.
    #[error("the seams do not make a surface: {reason}; check which edges are sewn to which")]
    Surface {
        /// Why not.
        reason: String,
    },
    /// Seams stay open.
    #[error(
        "seam `{seam}` stays open by {:.1} mm: the garment is too small for the body, or caught on an arm or a leg; \
         choose a larger size or more ease, or state other places for its panels",
        1000.0 * gap
    )]
    Open {
        /// The seam with the widest gap.
        seam: String,
        /// The gap [m].
        gap: f64,
    },
    /// The world cannot be built.
    #[error(transparent)]
    World(#[from] WorldError),
}

impl TryOn {
    /// A draft of jersey: vertices 20 mm apart, at most eight seconds of draping.
    pub fn new(pattern: Pattern, wearer: Wearer) -> Self {
        let model = Model::Fem;
        Self { pattern, wearer, fabric: USUAL_FABRIC.to_owned(), distance: 0.02, model, most_time: 8.0 }
    }

    /// Puts the garment on; `progress` is called after every frame.
    pub fn run(&self, progress: &mut dyn FnMut(&Progress<'_>)) -> Result<Worn, TryOnError> {
        if let Some(panel) = self.pattern.panels.iter().find(|panel| panel.part == Part::Flat) {
            return Err(TryOnError::Flat { panel: panel.name.clone() });
        }
        let mut report = TryOnReport::default();
        let start = Instant::now();
        let flat = FlatMesh::new(&self.pattern, self.distance)?;
        let sewn = flat.sewn();
        weld::refuse(&sewn)?;
        report.phases.mesh = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let body = self.wearer.mesh();
        let placed = place(&flat, &body, &self.wearer.figuring.landmarks)?;
        if placed.intersections > 0 {
            return Err(TryOnError::Placed { count: placed.intersections });
        }
        report.phases.place = start.elapsed().as_secs_f64();

        let scene = self.scene();
        let bodies = [build_body::obstacle(&scene, 0, &self.wearer.performer)];
        let start = Instant::now();
        let together = sewing::sew(&scene, &flat, &placed.positions, &bodies, &mut report, progress)?;
        report.phases.sew = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let welded = Welded::new(&flat, &sewn, &together);
        let mut world = self.dress(&scene, &welded, &bodies)?;
        report.untangled = world.repair().map_or(0, |repair| repair.found);
        report.phases.weld = start.elapsed().as_secs_f64();

        let start = Instant::now();
        draping::drape(&mut world, self.most_time, &mut report, progress);
        report.phases.drape = start.elapsed().as_secs_f64();
        report.finish(&world, &flat);
        Ok(Worn { world, flat, welded, report })
    }

    fn scene(&self) -> Scene {
        let smooth = FrictionPair { a: GARMENT.to_owned(), b: self.wearer.described.name.clone(), friction: 0.0 };
        Scene {
            name: self.pattern.name.clone(),
            time: Time { duration: self.most_time, frame_rate: sewing::FRAME_RATE, substeps: 2 },
            contact: Contact { threshold: CLEARANCE, untangle: true, pair: vec![smooth], ..Contact::default() },
            cloth: vec![Cloth { name: GARMENT.to_owned(), fabric: self.fabric.clone(), ..Cloth::default() }],
            body: vec![self.wearer.described.clone()],
            ..Scene::default()
        }
    }

    fn dress(&self, sewing: &Scene, welded: &Welded, bodies: &[MeshObstacle]) -> Result<World, TryOnError> {
        let mut scene = sewing.clone();
        scene.contact.pair.clear();
        scene.time = Time { duration: self.most_time, frame_rate: draping::FRAME_RATE, substeps: 3 };
        scene.solver = draping::solver(self.model);
        let give = draping::give(&build::fabric(&scene, 0)?);
        scene.solver.limit = scene.solver.limit.max(give);
        scene.cloth[0].stretch_max = scene.cloth[0].stretch_max.max(give);
        Ok(World::tailored(&scene, &welded.tailored(bodies))?)
    }
}
