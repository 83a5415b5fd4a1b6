//! Virtual try-on: from patterns to garments that hang on a body.
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
//! Garments are worn over each other by their layers (`dressing`): one after the other, or placed over each other and sewn
//! all at once. A scene with garments dresses its bodies before it begins (`wardrobe`).
//!
//! ```
//! use toile::garment::{TryOn, Wearer};
//! use toile::scene::Body;
//! use toile_garment::draft::{Choices, Design, draft};
//! let wearer = Wearer::new(&Body { mannequin: "woman-38".into(), triangles: Some(3000), ..Body::default() })?;
//! let skirt = draft(Design::ALineSkirt, &wearer.figuring.measurements, &Choices::new())?;
//! let mut wish = TryOn { most_time: 0.5, ..TryOn::new(skirt, wearer) };
//! wish.garments[0].distance = 0.06;
//! let worn = wish.run(&mut |_| ())?;
//! assert!(worn.world.judge().is_clean());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draping;
mod dressing;
pub mod fit;
mod gather;
mod give;
mod hanging;
mod kept;
mod report;
mod sewing;
mod smoothing;
mod wardrobe;
mod wearer;
mod weld;

use toile_body::Measurements;
use toile_garment::Pattern;
use toile_garment::draft::DraftError;
use toile_garment::file::PatternFileError;
use toile_garment::mesh::{FlatMesh, MeshError, PanelMesh};
use toile_garment::place::PlaceError;
use toile_mesh::{DVec2, DVec3, TriMesh};

use crate::build::WorldError;
use crate::scene::{Cloth, Model};
use crate::tailored::TailoredCloth;
use crate::world::World;

pub use dressing::CLEARANCE;
pub(crate) use kept::{keep, recall};
pub use report::{Phases, Progress, Stage, TryOnReport};
pub use wardrobe::{Dressed, dress, pressure_in_motion, usual_fabric};
pub use wearer::Wearer;
pub use weld::Welded;
pub(crate) use weld::along_threads;

/// What a garment is made of that names no fabric.
pub const USUAL_FABRIC: &str = "jersey-knit";

/// A garment to be put on.
#[derive(Clone, PartialEq, Debug)]
pub struct Garment {
    /// What it is sewn from.
    pub pattern: Pattern,
    /// Distance between vertices [m].
    pub distance: f64,
    /// Name, fabric, layer, friction and all else that a scene says of cloth; its shape, place and holds do not count.
    pub cloth: Cloth,
    /// The body it was drafted for, if it was drafted.
    pub cut_for: Option<Measurements>,
}

impl Garment {
    /// A draft of jersey: vertices 20 mm apart.
    pub fn new(pattern: Pattern) -> Self {
        let (name, fabric) = (pattern.name.clone(), USUAL_FABRIC.to_owned());
        Self { pattern, distance: 0.02, cloth: Cloth { name, fabric, ..Cloth::default() }, cut_for: None }
    }
}

/// Garments to be tried on.
#[derive(Clone, Debug)]
pub struct TryOn {
    /// What is worn; garments of one layer are put on in this order.
    pub garments: Vec<Garment>,
    /// Who wears it.
    pub wearer: Wearer,
    /// What cloth is while it drapes; it is always sewn as constraints.
    pub model: Model,
    /// Longest time to drape for [s].
    pub most_time: f64,
    /// Whether all garments are placed over each other and sewn at once, rather than one after the other.
    pub together: bool,
}

/// Garments on a body.
#[derive(Clone, Debug)]
pub struct Worn {
    /// Garments and body, as the last frame left them; it can go on. Its cloths are the garments.
    pub world: World,
    /// The garments, innermost first.
    pub garments: Vec<WornGarment>,
    /// What happened.
    pub report: TryOnReport,
}

/// A garment that is worn.
#[derive(Clone, PartialEq, Debug)]
pub struct WornGarment {
    /// Its number among the garments to be tried on, or among the cloths of a scene.
    pub cloth: usize,
    /// Number of the body that wears it.
    pub body: usize,
    /// As it was asked for.
    pub asked: Garment,
    /// The pattern in triangles.
    pub flat: FlatMesh,
    /// The garment in one piece, where it was sewn: which vertex of the pattern is which of the garment.
    pub welded: Welded,
    /// Where its vertices are [m].
    pub x: Vec<DVec3>,
}

impl WornGarment {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.asked.cloth.name
    }

    /// What it is made of.
    pub fn fabric(&self) -> &str {
        &self.asked.cloth.fabric
    }

    /// Its surface as it is worn.
    pub fn mesh(&self) -> TriMesh {
        TriMesh { positions: self.x.clone(), triangles: self.welded.mesh.triangles.clone() }
    }

    /// The panel of each triangle, and its corners on it [m].
    pub fn on_panels(&self) -> impl Iterator<Item = (u32, [DVec2; 3])> {
        let corners = |panel: &PanelMesh, t: &[u32; 3]| t.map(|v| panel.positions[v as usize]);
        (0..)
            .zip(&self.flat.panels)
            .flat_map(move |(k, panel)| panel.triangles.iter().map(move |t| (k, corners(panel, t))))
    }

    pub(crate) fn tailored(&self) -> TailoredCloth<'_> {
        let (rest, cut) = (&self.welded.mesh, Some(self.welded.flat.as_slice()));
        TailoredCloth { rest, start: &self.x, cut, panels: &self.flat.panels }
    }
}

/// Why a garment cannot be put on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TryOnError {
    /// The pattern file cannot be used.
    #[error("{0}; {help}", help = .0.help())]
    File(#[from] PatternFileError),
    /// The pattern cannot be drafted.
    #[error(transparent)]
    Draft(#[from] DraftError),
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
        "seam `{seam}` stays open by {:.1} mm with the cloth stretched by {:.0} %: the garment is too small for the body or for what is worn \
         below it, or caught on an arm or a leg; choose a larger size, more ease or cloth that stretches more, or state other places for its panels",
        1000.0 * gap,
        100.0 * stretch
    )]
    Open {
        /// The seam with the widest gap.
        seam: String,
        /// The gap [m].
        gap: f64,
        /// Strain that the cloth was allowed.
        stretch: f64,
    },
    /// One of several garments cannot be put on.
    #[error("{garment}: {reason}")]
    Among {
        /// Its name.
        garment: String,
        /// Why not.
        reason: Box<TryOnError>,
    },
    /// Garments that are sewn all at once do not close; none below another makes room then.
    #[error("{reason}; or put them on one after the other rather than all together")]
    Together {
        /// What stays open.
        reason: Box<TryOnError>,
    },
    /// The world cannot be built.
    #[error(transparent)]
    World(#[from] WorldError),
}

impl TryOn {
    /// One garment, a draft of jersey; at most eight seconds of draping.
    pub fn new(pattern: Pattern, wearer: Wearer) -> Self {
        let garments = vec![Garment::new(pattern)];
        Self { garments, wearer, model: Model::Fem, most_time: 8.0, together: false }
    }
}
