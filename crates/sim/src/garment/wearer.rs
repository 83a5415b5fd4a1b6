//! [`Wearer`]: the body that a garment is put on.

use toile_mesh::TriMesh;

use crate::build::WorldError;
use crate::build_body::{Figuring, Performer};
use crate::scene::Body;

/// A body with all that is asked of it when a garment is cut and put on.
#[derive(Clone, Debug)]
pub struct Wearer {
    /// As a scene says it, at the origin, looking along +z.
    pub described: Body,
    /// Its surface over time.
    pub performer: Performer,
    /// Its measurements and where they are taken.
    pub figuring: Figuring,
}

impl Wearer {
    /// Drafts a mannequin, or reads and measures a mesh. It stands at the origin wherever `described` puts it, and is dressed in
    /// the pose in which it stands before it moves.
    pub fn new(described: &Body) -> Result<Self, WorldError> {
        let name = if described.name.is_empty() { "body".to_owned() } else { described.name.clone() };
        let described = Body { name, position: [0.0; 3], heading_deg: 0.0, ..described.clone() };
        let performer = Performer::new(&described, &described.name)?;
        let figuring = match &performer.figuring {
            Some(figuring) => figuring.clone(),
            None => Figuring::of_mesh(&performer.performance.start()).map_err(|e| WorldError::Body {
                body: described.name.clone(),
                reason: e.message,
                help: e.help,
            })?,
        };
        Ok(Self { described, performer, figuring })
    }

    /// Its surface in the pose in which it is dressed.
    pub fn mesh(&self) -> TriMesh {
        self.performer.performance.start()
    }
}
