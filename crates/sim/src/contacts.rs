//! [`WorldContact`]: where cloth touches something, as a frame left it, and how hard it presses.
//!
//! Forces are those of the last implicit step: the normal law of each term at the end of Newton's method. In equilibrium they balance
//! the weight, `Σ f n = −Σ m g`, together with friction. What follows the solve is no part of them: the guard, a strain limit.

use std::collections::BTreeMap;

use toile_contact::{Candidates, Contact};
use toile_mesh::DVec3;

use crate::builder::Place;
use crate::ids::{ClothId, ObstacleId};
use crate::settings::Response;
use crate::step::implicit::Implicit;
use crate::world::World;

/// Features touch that are at most this many times as far from each other as the distance they keep.
pub(crate) const TOUCHES: f64 = 1.1;

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
    /// Force on the cloth along the normal [N], where the last step solved for it: with finite elements, an implicit integrator and
    /// `contact.response = "solved"`.
    ///
    /// `None` with the constraint model, an explicit integrator or another response; for a contact that the last step of the frame did not
    /// solve for, because it arose in that step; and after [`World::restore`] until the next frame.
    pub force: Option<f64>,
}

/// What a contact of the solve is known by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ContactKey {
    /// Corners of two features, and whether these are edges.
    Pair([u32; 4], bool),
    /// A particle and an exact obstacle.
    Exact(u32, u32),
}

impl ContactKey {
    /// `None` for a triangle on an exact obstacle, which only the solve knows.
    fn of(contact: &Contact) -> Option<Self> {
        match contact.obstacle {
            None => Some(Self::Pair(contact.vertices, contact.weights[1] > 0.0)),
            Some(obstacle) if contact.weights[0] == 1.0 => Some(Self::Exact(contact.vertices[0], obstacle)),
            Some(_) => None,
        }
    }
}

/// Reads the contacts of a world.
pub(crate) struct Reader<'a> {
    pub(crate) world: &'a World,
}

impl Reader<'_> {
    /// All contacts, see [`World::contacts`].
    pub(crate) fn read(&self) -> Vec<WorldContact> {
        let mut contacts = Vec::new();
        let forces = self.solved_contacts(&mut contacts);
        self.exact_contacts(&forces, &mut contacts);
        self.pair_contacts(&forces, &mut contacts);
        contacts
    }

    /// The implicit step whose contacts have forces, if there is one.
    fn solved(&self) -> Option<&Implicit> {
        let is_solved = self.world.settings.contact.response == Response::Solved;
        self.world.engine.implicit().filter(|implicit| is_solved && implicit.integrator.is_implicit())
    }

    /// Appends the contacts that the last solve pressed apart; returns the forces of all that it knew [N].
    fn solved_contacts(&self, contacts: &mut Vec<WorldContact>) -> BTreeMap<ContactKey, f64> {
        let mut forces = BTreeMap::new();
        let Some(implicit) = self.solved() else { return forces };
        let terms = implicit.potential.contacts().zip(implicit.potential.numbers()).zip(implicit.potential.forces());
        for ((term, number), force) in terms {
            let given = &implicit.contacts[number];
            if let Some(key) = ContactKey::of(given) {
                forces.insert(key, force.normal);
            }
            if force.normal > 0.0 {
                let gap = term.gap_at(&self.world.state.x);
                contacts.push(WorldContact { force: Some(force.normal), gap, ..self.world_contact(given) });
            }
        }
        forces
    }

    fn exact_contacts(&self, forces: &BTreeMap<ContactKey, f64>, contacts: &mut Vec<WorldContact>) {
        let shapes = &self.world.engine.shapes.smooth;
        for (v, x) in self.world.state.x.iter().enumerate() {
            for (k, piece) in shapes.pieces().iter().enumerate() {
                let keep = shapes.share_for(k, v) * self.world.keep;
                if !piece.may_touch(*x, TOUCHES * keep) {
                    continue;
                }
                let (gap, normal) = piece.distance_and_normal(*x);
                let force = forces.get(&ContactKey::Exact(v as u32, piece.obstacle as u32)).copied();
                if gap < TOUCHES * keep && is_new(force) {
                    contacts.push(WorldContact {
                        cloth: self.cloth_of(v),
                        touched: self.touched_obstacle(Place::Exact(piece.obstacle)),
                        vertices: [v as u32, 0, 0, 0],
                        weights: [1.0, 0.0, 0.0, 0.0],
                        normal,
                        gap,
                        keep,
                        force,
                    });
                }
            }
        }
    }

    fn pair_contacts(&self, forces: &BTreeMap<ContactKey, f64>, contacts: &mut Vec<WorldContact>) {
        let step = &self.world.engine.step;
        for pair in self.world.engine.candidates.iter().flat_map(Candidates::pairs) {
            let Some(contact) = pair.contact(&step.x_t0, &step.x_t1, TOUCHES * pair.keep) else { continue };
            let force = ContactKey::of(&contact).and_then(|key| forces.get(&key).copied());
            if is_new(force) && !pair.is_at_end(&contact) {
                contacts.push(WorldContact { force, ..self.world_contact(&contact) });
            }
        }
    }

    /// A contact of a step as a caller sees it, without a force.
    fn world_contact(&self, contact: &Contact) -> WorldContact {
        let (step, cloths) = (&self.world.engine.step, self.world.model.cloths.len());
        let is_cloth = |v: u32| (v as usize) < step.cloth();
        let sides = [contact.vertices[0], contact.vertices[3]];
        // The first side is cloth, or seen from the other side it is.
        let sign = if is_cloth(sides[0]) { 1.0 } else { -1.0 };
        let [own, other] = if is_cloth(sides[0]) { sides } else { [sides[1], sides[0]] };
        let touched = match contact.obstacle {
            Some(obstacle) => self.touched_obstacle(Place::Exact(obstacle as usize)),
            None if is_cloth(other) => Touched::Cloth(self.cloth_of(other as usize)),
            None => self.touched_obstacle(Place::Mesh(step.participants.body[other as usize] as usize - cloths)),
        };
        let mut seen = WorldContact {
            cloth: self.cloth_of(own as usize),
            touched,
            vertices: contact.vertices,
            weights: contact.weights.map(|w| sign * w),
            normal: sign * contact.normal,
            gap: contact.gap,
            keep: contact.keep,
            force: None,
        };
        for k in 0..4 {
            if !is_cloth(seen.vertices[k]) || seen.weights[k] == 0.0 {
                (seen.vertices[k], seen.weights[k]) = (0, 0.0);
            }
        }
        seen
    }

    fn cloth_of(&self, vertex: usize) -> ClothId {
        ClothId::from(self.world.model.cloths.partition_point(|range| range.end <= vertex))
    }

    fn touched_obstacle(&self, place: Place) -> Touched {
        let number = self.world.parts.places.iter().position(|other| *other == place).unwrap_or_default();
        Touched::Obstacle(ObstacleId::from(number))
    }
}

/// Whether a contact that the solve gave this force is not listed yet: those that it pressed apart are.
fn is_new(force: Option<f64>) -> bool {
    force.is_none_or(|force| force == 0.0)
}
