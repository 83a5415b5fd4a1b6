//! [`WorldBuilder`]: a world from meshes in memory.
//!
//! A builder collects parts; [`WorldBuilder::build`] checks them and makes a [`World`]. Nothing here reads a file.
//! What is refused is named, with the cause and the remedy.

mod assemble;
mod check;
mod error;
mod parts;

use std::ops::ControlFlow;
use std::sync::Arc;

use toile_contact::{MeshObstacle, Obstacle};

use crate::ids::{ClothId, HoldId, ObstacleId};
use crate::scissors::Scissors;
use crate::settings::{FrictionPair, Settings};
use crate::start;
use crate::world::World;

pub(crate) use assemble::{BuiltCloth, Contacts, assemble, contacts};
pub use error::WorldError;
pub use parts::{Ball, Cloth, Cut, Hold, HoldKey, Panel, Seam};
pub(crate) use parts::{Parts, Place};

/// Collects the parts of a world.
///
/// ```
/// use toile::prelude::*;
/// use toile_mesh::generate::{Diagonals, grid};
/// let mut builder = WorldBuilder::new(Settings::default());
/// let sheet = grid([0.5, 0.5], [9, 9], Diagonals::Alternating).map_positions(|p| p + 0.3 * DVec3::Y);
/// let sheet = builder.cloth(Cloth::new("sheet", sheet, Fabric::default()));
/// let still = Motion::at_rest(Pose::IDENTITY);
/// builder.obstacle(Obstacle::new("ball", Shape::Sphere { radius: 0.15 }, still, Friction::Coulomb(0.3)));
/// builder.hold(Hold::new(sheet, vec![0]));
/// let mut world = builder.build()?;
/// for _ in 0..10 {
///     world.advance();
/// }
/// assert!(world.judge().is_clean());
/// # Ok::<(), toile::WorldError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct WorldBuilder {
    settings: Settings,
    parts: Parts,
}

impl WorldBuilder {
    /// An empty world that is steered by `settings`.
    pub fn new(settings: Settings) -> Self {
        Self { settings, parts: Parts::default() }
    }

    /// Adds a cloth.
    pub fn cloth(&mut self, cloth: Cloth) -> ClothId {
        self.parts.cloths.push(cloth);
        ClothId::from(self.parts.cloths.len() - 1)
    }

    /// Adds an obstacle that is known by the distance to its surface.
    pub fn obstacle(&mut self, obstacle: Obstacle) -> ObstacleId {
        self.parts.places.push(Place::Exact(self.parts.obstacles.len()));
        self.parts.obstacles.push(obstacle);
        ObstacleId::from(self.parts.places.len() - 1)
    }

    /// Adds an obstacle that is known by its triangles: still, moving as one body, or deforming.
    pub fn mesh_obstacle(&mut self, obstacle: MeshObstacle) -> ObstacleId {
        self.parts.places.push(Place::Mesh(self.parts.meshes.len()));
        self.parts.meshes.push(obstacle);
        ObstacleId::from(self.parts.places.len() - 1)
    }

    /// Holds vertices of a cloth.
    pub fn hold(&mut self, hold: Hold) -> HoldId {
        self.parts.holds.push(hold);
        HoldId::from(self.parts.holds.len() - 1)
    }

    /// Sews vertices of cloths of finite elements together.
    pub fn seam(&mut self, seam: Seam) {
        self.parts.seams.push(seam);
    }

    /// Cuts a cloth while it is simulated.
    pub fn cut(&mut self, cut: Cut) {
        self.parts.cuts.push(cut);
    }

    /// Sets the coefficient of friction between two cloths, or a cloth and an obstacle, by name; the last one counts.
    pub fn friction(&mut self, a: impl Into<String>, b: impl Into<String>, friction: f64) {
        self.settings.contact.pair.push(FrictionPair { a: a.into(), b: b.into(), friction });
    }

    /// What will steer the world.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// The world. A start that intersects is untangled or refused, as `contact.untangle` says.
    pub fn build(self) -> Result<World, WorldError> {
        self.build_each(&mut || ControlFlow::Continue(()))
    }

    /// The same. `each` is called before every round of untangling; when it breaks, so does the work, with [`WorldError::Cancelled`].
    pub fn build_each(self, each: &mut dyn FnMut() -> ControlFlow<()>) -> Result<World, WorldError> {
        let mut world = self.build_as_given()?;
        start::settle(&mut world, each)?;
        Ok(world)
    }

    /// The world as it stands, whether its start intersects or not: to look at it, or to put a saved state into it.
    pub fn build_as_given(self) -> Result<World, WorldError> {
        check::check(&self.settings, &self.parts)?;
        let scissors = Scissors::of(&self.settings, &self.parts)?;
        assemble(self.settings, Arc::new(self.parts), scissors, None)
    }
}

#[cfg(test)]
mod tests;
