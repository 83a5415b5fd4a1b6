//! [`WorldContact`]: where cloth touches something, as a frame left it.

use toile_contact::Candidates;
use toile_mesh::DVec3;

use crate::builder::Place;
use crate::ids::{ClothId, ObstacleId};
use crate::world::World;

/// Features touch that are at most this many times as far from each other as the distance they keep.
const TOUCHES: f64 = 1.1;

/// What a cloth touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touched {
    /// A cloth; may be the same.
    Cloth(ClothId),
    /// An obstacle.
    Obstacle(ObstacleId),
}

/// Where a cloth touches something.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorldContact {
    /// The cloth.
    pub cloth: ClothId,
    /// What it touches.
    pub touched: Touched,
    /// Vertices of cloth that take part, numbered within the world; those with weight 0 do not.
    pub vertices: [u32; 4],
    /// Shares of these vertices: the gap grows by `Σ wᵢ n·Δxᵢ`. Positive on the first side, negative on the other.
    pub weights: [f64; 4],
    /// Unit vector away from what is touched.
    pub normal: DVec3,
    /// Distance along it [m].
    pub gap: f64,
    /// Distance that is kept [m].
    pub keep: f64,
    /// Force on the cloth along the normal [N]; `None` where the step does not know it.
    pub force: Option<f64>,
}

impl World {
    /// Where cloth touches cloth and obstacles, as the last frame left it: everything nearer than 1.1 times the distance it keeps.
    /// Empty before the first frame. Exact obstacles are touched by vertices, meshes and cloth by vertices, edges and triangles.
    pub fn contacts(&self) -> Vec<WorldContact> {
        let mut contacts = Vec::new();
        self.exact_contacts(&mut contacts);
        self.pair_contacts(&mut contacts);
        contacts
    }

    fn exact_contacts(&self, contacts: &mut Vec<WorldContact>) {
        let keep = self.settings.contact.threshold;
        for (v, x) in self.state.x.iter().enumerate() {
            for piece in self.engine.shapes.smooth.pieces().iter().filter(|piece| piece.may_touch(*x, TOUCHES * keep)) {
                let (gap, normal) = piece.distance_and_normal(*x);
                if gap < TOUCHES * keep {
                    contacts.push(WorldContact {
                        cloth: self.cloth_of(v),
                        touched: self.touched_obstacle(Place::Exact(piece.obstacle)),
                        vertices: [v as u32, 0, 0, 0],
                        weights: [1.0, 0.0, 0.0, 0.0],
                        normal,
                        gap,
                        keep,
                        force: None,
                    });
                }
            }
        }
    }

    fn pair_contacts(&self, contacts: &mut Vec<WorldContact>) {
        let (step, cloths) = (&self.engine.step, self.model.cloths.len());
        for pair in self.engine.candidates.iter().flat_map(Candidates::pairs) {
            let Some(touch) = pair.touch(&step.x_t0, &step.x_t1, TOUCHES * pair.keep) else { continue };
            let is_cloth = |v: u32| (v as usize) < step.cloth();
            let sides = [touch.vertices[0], touch.vertices[3]];
            // The first side is cloth, or seen from the other side it is.
            let sign = if is_cloth(sides[0]) { 1.0 } else { -1.0 };
            let [own, other] = if is_cloth(sides[0]) { sides } else { [sides[1], sides[0]] };
            let mut contact = WorldContact {
                cloth: self.cloth_of(own as usize),
                touched: if is_cloth(other) {
                    Touched::Cloth(self.cloth_of(other as usize))
                } else {
                    self.touched_obstacle(Place::Mesh(step.participants.body[other as usize] as usize - cloths))
                },
                vertices: touch.vertices,
                weights: touch.weights.map(|w| sign * w),
                normal: sign * touch.normal,
                gap: touch.gap,
                keep: pair.keep,
                force: None,
            };
            for k in 0..4 {
                if !is_cloth(contact.vertices[k]) {
                    (contact.vertices[k], contact.weights[k]) = (0, 0.0);
                }
            }
            contacts.push(contact);
        }
    }

    fn cloth_of(&self, vertex: usize) -> ClothId {
        ClothId::from(self.model.cloths.partition_point(|range| range.end <= vertex))
    }

    fn touched_obstacle(&self, place: Place) -> Touched {
        let number = self.parts.places.iter().position(|other| *other == place).unwrap_or_default();
        Touched::Obstacle(ObstacleId::from(number))
    }
}
