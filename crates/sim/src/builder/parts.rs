//! The parts of a world as plain values: cloth, holds, seams, cuts.

use toile_cloth::Fabric;
use toile_contact::{MeshObstacle, Obstacle};
use toile_mesh::{DVec2, DVec3, TriMesh};

use crate::ids::{ClothId, ObstacleId};

/// A piece of cloth.
///
/// Its unloaded shape is where it starts, unless `rest` or `cut` say otherwise. `Cloth::new` fills in the rest:
///
/// ```
/// use toile::{Cloth, Fabric};
/// use toile_mesh::generate::{Diagonals, grid};
/// let cloth = Cloth { layer: 1, ..Cloth::new("sheet", grid([1.0, 1.0], [9, 9], Diagonals::Alternating), Fabric::default()) };
/// assert_eq!(cloth.thickness, None);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Cloth {
    /// Name in messages and reports.
    pub name: String,
    /// Its triangles, and where its vertices start [m].
    pub mesh: TriMesh,
    /// Where its vertices are while nothing pulls on it [m], shape `[vertices]`; empty, where they start.
    pub rest: Vec<DVec3>,
    /// The corners of each triangle as it was cut, along warp and weft [m], shape `[triangles]`; `None`, `rest` says it.
    /// Cloth that is cut so is sewn from flat pieces: its threads buckle, and `rest` only tells which features are near.
    pub cut: Option<Vec<[DVec2; 3]>>,
    /// The panels it was cut in; none if it is one sheet.
    pub panels: Vec<Panel>,
    /// The panel of each triangle, shape `[triangles]`; empty if it is one sheet.
    pub panel: Vec<u32>,
    /// What it is made of. The constraint model knows only its mass, thickness and friction.
    pub fabric: Fabric,
    /// Distance its middle surface keeps from that of cloth of the same thickness [m]; `None`, that of the fabric.
    pub thickness: Option<f64>,
    /// Coefficient of friction with its like, and with obstacles that state none; `None`, that of the fabric.
    pub friction: Option<f64>,
    /// Direction of the warp threads in the flat shape, from x towards z [rad].
    pub grain: f64,
    /// Overpressure of the gas inside, for closed cloth made of finite elements [Pa].
    pub pressure: f64,
    /// Its place among cloths worn over each other; a lower number is nearer to the body.
    pub layer: u32,
    /// Constraint model: smallest ratio of an edge to its rest length; 1 resists all compression.
    pub stretch_min: f64,
    /// Constraint model: largest ratio of an edge to its rest length.
    pub stretch_max: f64,
    /// Constraint model: smallest ratio to the rest length between the far corners of two neighbouring triangles; 0 bends freely.
    pub bend_min: f64,
}

impl Cloth {
    /// One sheet that is unloaded where it starts.
    pub fn new(name: impl Into<String>, mesh: TriMesh, fabric: Fabric) -> Self {
        Self {
            name: name.into(),
            mesh,
            rest: Vec::new(),
            cut: None,
            panels: Vec::new(),
            panel: Vec::new(),
            fabric,
            thickness: None,
            friction: None,
            grain: 0.0,
            pressure: 0.0,
            layer: 0,
            stretch_min: 1.0,
            stretch_max: 1.02,
            bend_min: 0.89,
        }
    }

    /// Distance its middle surface keeps from that of cloth of the same thickness [m].
    pub fn kept_thickness(&self) -> f64 {
        self.thickness.unwrap_or(self.fabric.thickness)
    }

    /// Coefficient of friction with its like, and with obstacles that state none.
    pub fn kept_friction(&self) -> f64 {
        self.friction.unwrap_or(self.fabric.friction)
    }

    /// The panel of each triangle, and its corners on it as it is drawn [m], for triangles that were cut as `cut` says.
    pub(crate) fn on_panels(&self, cut: &[[DVec2; 3]]) -> Vec<(u32, [DVec2; 3])> {
        if self.panels.is_empty() {
            return cut.iter().map(|corners| (0, *corners)).collect();
        }
        let drawn = |(panel, corners): (&u32, &[DVec2; 3])| {
            (*panel, corners.map(|place| self.panels[*panel as usize].as_drawn(place)))
        };
        self.panel.iter().zip(cut).map(drawn).collect()
    }

    /// What a triangle of a panel is made of.
    pub fn fabric_of(&self, panel: usize) -> &Fabric {
        self.panels.get(panel).and_then(|panel| panel.fabric.as_ref()).unwrap_or(&self.fabric)
    }

    /// All fabrics that it is made of, its own first.
    pub fn fabrics(&self) -> impl Iterator<Item = &Fabric> {
        std::iter::once(&self.fabric).chain(self.panels.iter().filter_map(|panel| panel.fabric.as_ref()))
    }

    /// Its unloaded shape.
    pub(crate) fn rest_mesh(&self) -> TriMesh {
        let positions = if self.rest.is_empty() { &self.mesh.positions } else { &self.rest };
        TriMesh { positions: positions.clone(), triangles: self.mesh.triangles.clone() }
    }
}

/// A flat piece that a garment is sewn from.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// Name in the pattern.
    pub name: String,
    /// Unit direction of the warp threads on the panel as it is drawn.
    pub warp: DVec2,
    /// What it is made of; `None`, the fabric of its cloth. Thickness and friction are those of the cloth.
    pub fabric: Option<Fabric>,
}

impl Panel {
    /// A place on the panel as it is drawn [m], along its warp and weft.
    pub fn along_threads(&self, place: DVec2) -> DVec2 {
        DVec2::new(place.dot(self.warp), self.warp.perp_dot(place))
    }

    /// A place along warp and weft [m], on the panel as it is drawn.
    pub fn as_drawn(&self, place: DVec2) -> DVec2 {
        self.warp.rotate(place)
    }
}

/// Vertices that are held: fixed, moved along a path, or fastened to a mesh.
///
/// At time `t` a vertex that starts at `x` is at `pivot + R(turns(t)) (x − pivot) + offset(t)`, with `R` the rotation about
/// `axis`.
#[derive(Clone, PartialEq, Debug)]
pub struct Hold {
    /// The cloth.
    pub cloth: ClothId,
    /// Numbers of the held vertices within the cloth, from 0.
    pub vertices: Vec<u32>,
    /// Holds the vertices that start within a ball as well.
    pub near: Option<Ball>,
    /// The way, ascending in time; empty, the vertices stay in place.
    pub path: Vec<HoldKey>,
    /// A point on the axis about which the hold turns [m].
    pub pivot: DVec3,
    /// Direction of that axis, of any length but zero.
    pub axis: DVec3,
    /// When the vertices are let go [s]; may be infinite.
    pub until: f64,
    /// A mesh to which the vertices are fastened: they follow the points of its surface that are nearest at the start, moved by the
    /// path on top.
    pub fastened_to: Option<ObstacleId>,
}

impl Hold {
    /// Vertices that stay where they start.
    pub fn new(cloth: ClothId, vertices: Vec<u32>) -> Self {
        Self {
            cloth,
            vertices,
            near: None,
            path: Vec::new(),
            pivot: DVec3::ZERO,
            axis: DVec3::Y,
            until: f64::INFINITY,
            fastened_to: None,
        }
    }
}

/// A ball in space.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ball {
    /// Its middle [m].
    pub centre: DVec3,
    /// Its radius [m].
    pub radius: f64,
}

/// One point of the way that a hold takes; straight lines and even turns in between.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HoldKey {
    /// When [s].
    pub time: f64,
    /// How far from the starting place [m].
    pub offset: DVec3,
    /// How far turned about the axis of the hold, before it is moved by `offset` [rev].
    pub turns: f64,
}

/// Pairs of vertices that finite elements pull onto each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Seam {
    /// The cloth on its first side.
    pub from: ClothId,
    /// The cloth on its second side; may be the same.
    pub to: ClothId,
    /// A vertex of the first and one of the second cloth each, numbered within their cloths.
    pub pairs: Vec<[u32; 2]>,
    /// How strongly a pair is pulled together [N/m].
    pub stiffness: f64,
}

/// A cut through a cloth that is flat at rest, or through a panel of a garment. It is made where the first frame begins at or after
/// its time.
///
/// An end of its path on the border or outside opens it; inside, its tip holds. Seams of a garment hold as well.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// The cloth.
    pub cloth: ClothId,
    /// Name of the panel that is cut; empty for one sheet.
    pub panel: String,
    /// When [s].
    pub at: f64,
    /// Points in the flat shape of the cloth, x and z [m], or on its panel as it is drawn; joined by straight lines.
    pub path: Vec<DVec2>,
    /// Further points of the path: those of the cloth that are nearest to these points in space where it starts [m].
    pub through: Vec<DVec3>,
    /// A point of the piece of cloth that is taken away with the cut [m]; `None`, all pieces stay.
    pub remove: Option<DVec2>,
    /// Whether the whole panel is unpicked from its seams and taken away.
    pub remove_panel: bool,
}

impl Cut {
    /// A cut along a path in the flat shape of a sheet [m] at a time [s].
    pub fn new(cloth: ClothId, at: f64, path: Vec<DVec2>) -> Self {
        let (panel, through) = (String::new(), Vec::new());
        Self { cloth, panel, at, path, through, remove: None, remove_panel: false }
    }
}

/// Number of an obstacle in the list of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Exact(usize),
    Mesh(usize),
}

/// Everything that a world is built from, besides its settings. It never changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) cloths: Vec<Cloth>,
    /// Obstacles known by their distance, and those known by their triangles, as they were given.
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) meshes: Vec<MeshObstacle>,
    /// Where each obstacle is in these lists.
    pub(crate) places: Vec<Place>,
    pub(crate) holds: Vec<Hold>,
    pub(crate) seams: Vec<Seam>,
    pub(crate) cuts: Vec<Cut>,
}

impl Parts {
    /// Name of an obstacle.
    pub(crate) fn obstacle_name(&self, i: usize) -> &str {
        match self.places[i] {
            Place::Exact(k) => &self.obstacles[k].name,
            Place::Mesh(k) => &self.meshes[k].name,
        }
    }

    /// The holds of a cloth with their numbers among all, in order.
    pub(crate) fn holds_of(&self, cloth: usize) -> impl Iterator<Item = (usize, &Hold)> {
        self.holds.iter().enumerate().filter(move |(_, hold)| hold.cloth.index() == cloth)
    }
}
