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
//! all at once. Every world on the way is built with [`toile::WorldBuilder`]; nothing here reads or writes files.
//!
//! ```
//! use std::ops::ControlFlow;
//! use toile::Fabric;
//! use toile_body::sizes;
//! use toile_garment::draft::{Choices, Design, draft};
//! use toile_tailor::{Garment, TryOn, Wearer};
//! let size = sizes::named("woman-38").expect("a size of the table");
//! let wearer = Wearer::mannequin("eve", &toile_body::Specification { triangles: 3000, ..size })?;
//! let skirt = draft(Design::ALineSkirt, &wearer.figuring.measurements, &Choices::new())?;
//! let garment = Garment { distance: 0.06, ..Garment::new(skirt, Fabric::default()) };
//! let wish = TryOn { most_time: 0.5, ..TryOn::new(garment, wearer) };
//! let worn = wish.run(&mut |_| ControlFlow::Continue(()))?;
//! assert!(worn.world.judge().is_clean());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draping;
mod dressing;
pub mod fit;
mod gather;
mod girth;
mod give;
mod hanging;
mod report;
mod sewing;
mod smoothing;
mod wearer;
mod weld;

use toile::settings::Model;
use toile::{Cloth, Fabric, Panel, World, WorldError};
use toile_body::Measurements;
use toile_garment::Pattern;
use toile_garment::mesh::{FlatMesh, MeshError, PanelMesh};
use toile_garment::place::PlaceError;
use toile_mesh::{DVec2, DVec3, TriMesh};

pub use draping::{pressure_in_motion, stretch_of_worn};
pub use dressing::CLEARANCE;
pub use girth::Girth;
pub use report::{Phases, Progress, Stage, TryOnReport, Watch};
pub use wearer::{Figuring, Wearer};
pub use weld::Welded;

/// A garment to be put on.
#[derive(Clone, PartialEq, Debug)]
pub struct Garment {
    /// Name in messages and reports.
    pub name: String,
    /// What it is sewn from.
    pub pattern: Pattern,
    /// Distance between vertices [m].
    pub distance: f64,
    /// What it is made of.
    pub fabric: Fabric,
    /// What reports call the fabric.
    pub fabric_name: String,
    /// The fabrics that its panels name, with their names; a panel that names none is made of `fabric`.
    pub panel_fabrics: Vec<(String, Fabric)>,
    /// Distance its middle surface keeps from that of cloth of the same thickness [m]; `None`, that of the fabric.
    pub thickness: Option<f64>,
    /// Coefficient of friction with its like, and with bodies that state none; `None`, that of the fabric.
    pub friction: Option<f64>,
    /// Its place among garments worn over each other; a lower number is nearer to the body.
    pub layer: u32,
    /// Constraint model: smallest ratio of an edge to its rest length.
    pub stretch_min: f64,
    /// Constraint model: largest ratio of an edge to its rest length.
    pub stretch_max: f64,
    /// Constraint model: smallest ratio to the rest length between the far corners of two neighbouring triangles.
    pub bend_min: f64,
    /// Overpressure of the gas inside, for closed cloth made of finite elements [Pa].
    pub pressure: f64,
    /// The body it was drafted for, if it was drafted.
    pub cut_for: Option<Measurements>,
}

impl Garment {
    /// A draft with the name of its pattern, or `garment` if that has none: vertices 20 mm apart.
    pub fn new(pattern: Pattern, fabric: Fabric) -> Self {
        let usual = Cloth::new("", TriMesh::default(), Fabric::default());
        Self {
            name: if pattern.name.is_empty() { "garment".to_owned() } else { pattern.name.clone() },
            pattern,
            distance: 0.02,
            fabric,
            fabric_name: String::new(),
            panel_fabrics: Vec::new(),
            thickness: None,
            friction: None,
            layer: 0,
            stretch_min: usual.stretch_min,
            stretch_max: usual.stretch_max,
            bend_min: usual.bend_min,
            pressure: 0.0,
            cut_for: None,
        }
    }

    /// What a panel that names a fabric is made of; `None` if it names none.
    pub fn fabric_of(&self, name: &str) -> Option<&Fabric> {
        self.panel_fabrics.iter().find(|(known, _)| known == name).map(|(_, fabric)| fabric)
    }

    /// All fabrics it is made of, its own first.
    pub fn fabrics(&self) -> impl Iterator<Item = &Fabric> {
        std::iter::once(&self.fabric).chain(self.panel_fabrics.iter().map(|(_, fabric)| fabric))
    }

    /// As cloth with a mesh.
    fn cloth(&self, mesh: TriMesh) -> Cloth {
        Cloth {
            thickness: self.thickness,
            friction: self.friction,
            layer: self.layer,
            stretch_min: self.stretch_min,
            stretch_max: self.stretch_max,
            bend_min: self.bend_min,
            pressure: self.pressure,
            ..Cloth::new(self.name.clone(), mesh, self.fabric.clone())
        }
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
    /// Its number among the garments to be tried on, or among the cloths that the caller counts.
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
        &self.asked.name
    }

    /// Name of what it is made of.
    pub fn fabric(&self) -> &str {
        &self.asked.fabric_name
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

    /// What each triangle is made of.
    pub fn fabric_of_triangles(&self) -> Vec<&Fabric> {
        let panels = self.flat.panels.iter().zip(&self.flat.pattern.panels);
        let fabric = |name: &str| self.asked.fabric_of(name).unwrap_or(&self.asked.fabric);
        panels.flat_map(|(panel, drawn)| vec![fabric(&drawn.fabric); panel.triangles.len()]).collect()
    }

    /// As cloth of a world, where it is worn.
    pub fn cloth(&self) -> Cloth {
        let numbers = (0..).zip(&self.flat.panels).flat_map(|(k, panel)| vec![k; panel.triangles.len()]);
        let panel = |(panel, drawn): (&PanelMesh, &toile_garment::Panel)| Panel {
            name: panel.name.clone(),
            warp: panel.warp,
            fabric: self.asked.fabric_of(&drawn.fabric).cloned(),
        };
        Cloth {
            rest: self.welded.mesh.positions.clone(),
            cut: Some(self.welded.flat.clone()),
            panel: numbers.collect(),
            panels: self.flat.panels.iter().zip(&self.flat.pattern.panels).map(panel).collect(),
            ..self.asked.cloth(self.mesh())
        }
    }
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
        "seam `{seam}` stays open by {:.1} mm with the cloth stretched by {:.0} %: {}; choose a larger size, more ease or cloth that \
         stretches more, or state other places for its panels",
        1000.0 * gap,
        100.0 * stretch,
        cause(narrow)
    )]
    Open {
        /// The seam with the widest gap.
        seam: String,
        /// The gap [m].
        gap: f64,
        /// Strain that the cloth was allowed.
        stretch: f64,
        /// Where the pattern is narrower than the body.
        narrow: Vec<Girth>,
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
    /// The caller broke it off.
    #[error("putting garments on was cancelled")]
    Cancelled,
}

/// Why seams stay open.
fn cause(narrow: &[Girth]) -> String {
    match narrow.iter().max_by(|a, b| a.strain().total_cmp(&b.strain())) {
        Some(girth) => girth.to_string(),
        None => "the garment is too small for the body or for what is worn below it, or caught on an arm or a leg"
            .to_owned(),
    }
}

impl TryOn {
    /// One garment; at most eight seconds of draping.
    pub fn new(garment: Garment, wearer: Wearer) -> Self {
        Self { garments: vec![garment], wearer, model: Model::Fem, most_time: 8.0, together: false }
    }
}
