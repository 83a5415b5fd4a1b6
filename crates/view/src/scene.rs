//! What is drawn: meshes with materials, on a ground, before a backdrop.

use toile_mesh::{Aabb, FaceId, TriMesh};

use crate::ColourMap;

/// Everything in one picture.
///
/// ```
/// use toile_view::{Camera, Material, Object, Scene, render};
/// use toile_mesh::{DVec3, TriMesh};
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let scene = Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.2, 0.4, 0.7]))]).on_ground(0.0);
/// let camera = Camera::framing(scene.bounds(), 25.0, 20.0, 4.0 / 3.0);
/// let image = render(&scene, &camera, 80, 60);
/// assert_eq!((image.width(), image.height()), (80, 60));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene<'a> {
    /// The meshes.
    pub objects: Vec<Object<'a>>,
    /// Height of the ground [m]; it takes shadows and otherwise looks like the backdrop. `None`: no ground.
    pub ground: Option<f64>,
    /// Colours behind everything.
    pub backdrop: Backdrop,
    /// Direction and size of the main light.
    pub light: Light,
    /// How much work goes into edges and shadows.
    pub quality: Quality,
    /// One line of text in the lower left corner; empty for none.
    pub caption: String,
}

impl<'a> Scene<'a> {
    /// A scene without ground, before the light backdrop.
    pub fn new(objects: Vec<Object<'a>>) -> Self {
        Self { objects, ..Self::default() }
    }

    /// The same scene on a ground at this height [m].
    #[must_use]
    pub fn on_ground(mut self, height: f64) -> Self {
        self.ground = Some(height);
        self
    }

    /// The smallest box around all finite vertices [m]; empty without any.
    pub fn bounds(&self) -> Aabb {
        let points = self.objects.iter().flat_map(|o| &o.mesh.positions);
        Aabb::around(points.copied().filter(|p| p.is_finite()))
    }
}

/// A mesh and how it looks.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    /// The surface. Triangles with missing or non-finite corners are left out of the picture.
    pub mesh: &'a TriMesh,
    /// Colours and reflection.
    pub material: Material,
    /// Place of each vertex on the fabric [m], for [`Pattern`]s; shape `[vertices]`, `None` for plain colour.
    pub uv: Option<&'a [[f64; 2]]>,
    /// Values shown as colours instead of the material's own.
    pub values: Option<VertexValues<'a>>,
    /// Triangles drawn bright red, for instance those that intersect.
    pub highlight: &'a [FaceId],
    /// Edges between triangles that meet at more than this angle look sharp [deg]; 180 smooths everything.
    pub crease_deg: f64,
    /// Whether the triangle edges are drawn as thin lines.
    pub wireframe: bool,
}

impl<'a> Object<'a> {
    /// A cloth: smooth everywhere.
    pub fn cloth(mesh: &'a TriMesh, material: Material) -> Self {
        Self { mesh, material, uv: None, values: None, highlight: &[], crease_deg: 180.0, wireframe: false }
    }

    /// A solid thing: edges above 40° stay sharp.
    pub fn solid(mesh: &'a TriMesh, material: Material) -> Self {
        Self { crease_deg: 40.0, ..Self::cloth(mesh, material) }
    }

    /// With a place on the fabric for each vertex [m].
    #[must_use]
    pub fn with_uv(mut self, uv: &'a [[f64; 2]]) -> Self {
        self.uv = Some(uv);
        self
    }

    /// With values shown as colours and a legend.
    #[must_use]
    pub fn with_values(mut self, values: VertexValues<'a>) -> Self {
        self.values = Some(values);
        self
    }

    /// With these triangles in red.
    #[must_use]
    pub fn with_highlight(mut self, faces: &'a [FaceId]) -> Self {
        self.highlight = faces;
        self
    }
}

/// Values on the vertices of an object.
#[derive(Clone, Debug)]
pub struct VertexValues<'a> {
    /// One value per vertex; missing and non-finite ones are grey.
    pub values: &'a [f64],
    /// Values at the two ends of the colour map; `None` takes the smallest and largest value.
    pub range: Option<[f64; 2]>,
    /// The colours.
    pub map: ColourMap,
    /// Heading of the legend with the unit, as `"strain [%]"`; empty for no legend.
    pub label: String,
}

impl VertexValues<'_> {
    /// The range in use: finite and with positive width.
    pub fn resolved_range(&self) -> [f64; 2] {
        let finite = self.values.iter().copied().filter(|v| v.is_finite());
        let [lo, hi] = self.range.filter(|r| r.iter().all(|v| v.is_finite())).unwrap_or_else(|| {
            let [lo, hi] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], v| [lo.min(v), hi.max(v)]);
            if lo <= hi { [lo, hi] } else { [0.0, 1.0] }
        });
        let (lo, hi) = (lo.min(hi), lo.max(hi));
        if hi > lo && (hi - lo).is_finite() { [lo, hi] } else { [lo, lo + lo.abs().clamp(1e-12, 1e300)] }
    }
}

/// How a surface reflects. Colours are sRGB in 0–1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Material {
    /// Colour of the side the triangles wind counter-clockwise on.
    pub front: [f32; 3],
    /// Colour of the other side.
    pub back: [f32; 3],
    /// What is woven in; needs [`Object::uv`].
    pub pattern: Pattern,
    /// Light caught by the fuzz of a fabric at grazing view, 0–1.
    pub sheen: f32,
    /// Strength of the mirror highlight of a polished surface, 0–1.
    pub gloss: f32,
    /// Share of the light that shines through, 0–1.
    pub translucency: f32,
}

impl Material {
    /// A woven fabric; the back is a little darker and greyer.
    pub fn fabric(front: [f32; 3]) -> Self {
        let grey = (front[0] + front[1] + front[2]) / 3.0;
        let back = front.map(|c| 0.80 * (0.78 * c + 0.22 * grey));
        Self { front, back, pattern: Pattern::Plain, sheen: 0.35, gloss: 0.0, translucency: 0.12 }
    }

    /// A satin-polished solid, same on both sides.
    pub fn solid(colour: [f32; 3]) -> Self {
        Self { front: colour, back: colour, pattern: Pattern::Plain, sheen: 0.0, gloss: 0.25, translucency: 0.0 }
    }

    /// The same material with a woven pattern.
    #[must_use]
    pub fn with_pattern(mut self, pattern: Pattern) -> Self {
        self.pattern = pattern;
        self
    }
}

/// A pattern in the fabric's own coordinates. Colours are sRGB in 0–1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Pattern {
    /// One colour.
    Plain,
    /// Gingham: dyed bands in warp and weft; where they cross the colour is full, where one runs it is half.
    Gingham {
        /// Width of a band and of the gap beside it [m].
        width: f64,
        /// Colour of the bands.
        colour: [f32; 3],
    },
    /// Bands along v.
    Stripes {
        /// Width of a band and of the gap beside it [m].
        width: f64,
        /// Colour of the bands.
        colour: [f32; 3],
    },
}

/// Colours behind everything: a gradient from top to bottom with a brighter pool in the middle. sRGB in 0–1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Backdrop {
    /// Colour at the top.
    pub top: [f32; 3],
    /// Colour at the bottom.
    pub bottom: [f32; 3],
}

impl Backdrop {
    /// Nearly white studio paper.
    pub const LIGHT: Self = Self { top: [0.80, 0.82, 0.845], bottom: [0.925, 0.925, 0.92] };
    /// Charcoal.
    pub const DARK: Self = Self { top: [0.10, 0.11, 0.13], bottom: [0.25, 0.26, 0.28] };
}

impl Default for Backdrop {
    fn default() -> Self {
        Self::LIGHT
    }
}

/// The main light, a round soft box. Angles are relative to the camera, so every view is lit alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Light {
    /// Angle to the left of the camera [deg], seen from above.
    pub azimuth_deg: f64,
    /// Angle above the horizon [deg].
    pub elevation_deg: f64,
    /// Half the angle the soft box spans [deg]: larger is softer.
    pub softness_deg: f64,
}

impl Default for Light {
    fn default() -> Self {
        Self { azimuth_deg: 55.0, elevation_deg: 42.0, softness_deg: 11.0 }
    }
}

/// How much work goes into a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Quality {
    /// Animations and quick looks: 2 × 2 samples, few lights.
    Draft,
    /// Pictures in documents: 2 × 2 samples, smooth shadows.
    #[default]
    Good,
    /// The top of a page: 4 × 4 samples, finest shadows; several times slower.
    Fine,
}
