//! From a world to a picture.

use toile::World;
use toile_mesh::{Aabb, DVec3, FaceId, TriMesh, VertexId};
use toile_scene::{Color, Obstacle, ObstacleShape, Scene};
use toile_view::{Camera, ColourMap, Image, Material, Object, Pattern, Quality, VertexValues, render};

/// Width of the bands of a woven pattern [m].
const BAND: f64 = 0.05;
/// Strain at the ends of the colour map [%].
const STRAIN_RANGE: [f64; 2] = [-5.0, 5.0];

/// What a picture of a world shows.
pub(crate) struct Shot<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) world: &'a World,
    /// Particle positions [m] at `time` [s].
    pub(crate) positions: &'a [DVec3],
    pub(crate) time: f64,
    /// Strain of each particle, if the cloth is to be coloured by it.
    pub(crate) strain: Option<&'a [f64]>,
    /// World triangles to draw red.
    pub(crate) marked: &'a [u32],
    pub(crate) caption: String,
    pub(crate) quality: Quality,
}

/// One cloth of a world, cut out.
struct ClothPart {
    mesh: TriMesh,
    uv: Vec<[f64; 2]>,
    strain: Option<Vec<f64>>,
    marked: Vec<FaceId>,
    material: Material,
}

impl Shot<'_> {
    /// Draws the shot.
    pub(crate) fn render(&self, camera: &Camera, [width, height]: [u32; 2]) -> Image {
        let parts: Vec<ClothPart> = (0..self.world.model().cloths.len()).map(|c| self.cloth_part(c)).collect();
        let solids: Vec<(TriMesh, Material)> = (0..self.world.obstacle_count())
            .filter(|i| !is_plane(self.scene, *i))
            .map(|i| {
                let color = self.scene.solid_color(i);
                (self.world.obstacle_mesh_at(i.into(), self.time), Material::solid(unit(color)))
            })
            .collect();
        let mut objects: Vec<Object<'_>> = parts.iter().map(ClothPart::object).collect();
        objects.extend(solids.iter().map(|(mesh, material)| Object::solid(mesh, *material)));
        let mut scene = toile_view::Scene::new(objects);
        scene.ground = ground(self.scene);
        scene.caption.clone_from(&self.caption);
        scene.quality = self.quality;
        render(&scene, camera, width, height)
    }

    fn cloth_part(&self, c: usize) -> ClothPart {
        let range = self.world.model().cloths[c].clone();
        let cloth = &self.scene.cloth[c];
        let first = range.start as u32;
        let inside = |t: &[VertexId; 3]| range.contains(&t[0].index());
        let (mut triangles, mut marked) = (Vec::new(), Vec::new());
        for (f, t) in self.world.triangles().iter().enumerate().filter(|(_, t)| inside(t)) {
            if self.marked.binary_search(&(f as u32)).is_ok() {
                marked.push(FaceId::from(triangles.len()));
            }
            triangles.push(t.map(|v| VertexId(v.0 - first)));
        }
        let color = unit(cloth.color);
        let pattern = match cloth.pattern {
            toile_scene::Pattern::Plain => Pattern::Plain,
            toile_scene::Pattern::Check => Pattern::Gingham { width: BAND, colour: color },
            toile_scene::Pattern::Stripes => Pattern::Stripes { width: BAND, colour: color },
        };
        let ground = if pattern == Pattern::Plain { color } else { [0.93, 0.91, 0.87] };
        ClothPart {
            mesh: TriMesh { positions: self.positions[range.clone()].to_vec(), triangles },
            uv: self.world.model().rest[range.clone()].iter().map(|p| [p.x, p.z]).collect(),
            strain: self.strain.map(|s| s[range].iter().map(|s| 100.0 * s).collect()),
            marked,
            material: Material::fabric(ground).with_pattern(pattern),
        }
    }
}

impl ClothPart {
    fn object(&self) -> Object<'_> {
        let object = Object::cloth(&self.mesh, self.material).with_uv(&self.uv).with_highlight(&self.marked);
        match &self.strain {
            None => object,
            Some(values) => object.with_values(VertexValues {
                values,
                range: Some(STRAIN_RANGE),
                map: ColourMap::Strain,
                label: "strain [%]".into(),
            }),
        }
    }
}

/// The camera of the scene, or one that frames everything that moves into `bounds`.
pub(crate) fn camera(scene: &Scene, bounds: Aabb, [width, height]: [u32; 2]) -> Camera {
    let camera = &scene.camera;
    let aspect = f64::from(width) / f64::from(height);
    let framed = Camera::framing_with_fov(bounds, camera.azimuth_deg, camera.elevation_deg, aspect, camera.fov_deg);
    if camera.target.is_none() && camera.distance.is_none() {
        return framed;
    }
    let target = camera.target.map_or(bounds.centre(), DVec3::from);
    let away = (framed.eye() - bounds.centre()).normalize_or(DVec3::Z);
    let distance = camera.distance.unwrap_or_else(|| framed.eye().distance(bounds.centre()));
    Camera::look_at(target + away * distance, target, camera.fov_deg)
}

/// What a picture at these positions must show: cloth and obstacles but half spaces.
pub(crate) fn bounds(scene: &Scene, world: &World, positions: &[DVec3], time: f64) -> Aabb {
    let cloth = Aabb::around(positions.iter().copied().filter(|p| p.is_finite()));
    (0..world.obstacle_count())
        .filter(|i| !is_plane(scene, *i))
        .fold(cloth, |b, i| b.union(world.obstacle_mesh_at(i.into(), time).bounds()))
}

/// Height of the first level half space [m], drawn as the ground.
fn ground(scene: &Scene) -> Option<f64> {
    let level = |o: &&Obstacle| matches!(o.shape, ObstacleShape::Plane(_)) && o.rotation_deg == [0.0; 3];
    scene.obstacle.iter().find(level).map(|o| o.position[1])
}

fn is_plane(scene: &Scene, i: usize) -> bool {
    scene.obstacle.get(i).is_some_and(|obstacle| matches!(obstacle.shape, ObstacleShape::Plane(_)))
}

/// A colour in 0–1.
pub(crate) fn unit(color: Color) -> [f32; 3] {
    color.0.map(|c| f32::from(c) / 255.0)
}
