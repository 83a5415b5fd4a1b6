//! [`Moved`]: what a caller has moved: obstacles, their vertices, holds, and vertices that are grabbed.

use std::collections::BTreeMap;

use toile_contact::{Deformation, Keyframe, MeshObstacle};
use toile_mesh::DVec3;

use crate::builder::{HoldKey, Parts, Place};

/// Why something cannot be moved.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// There is no such part.
    #[error("there is no {what} {number}; use an id that the builder or `grab` returned")]
    Unknown {
        /// An obstacle, hold or grab.
        what: &'static str,
        /// Its number.
        number: u32,
    },
    /// A number is not finite, or a rotation has no length.
    #[error("{what} {number} cannot be moved to a place that is not finite")]
    NotFinite {
        /// An obstacle, hold or grab.
        what: &'static str,
        /// Its number.
        number: u32,
    },
    /// The obstacle is known by its distance and has no vertices.
    #[error("obstacle \"{obstacle}\" has no vertices; build it as a mesh")]
    NoVertices {
        /// Its name.
        obstacle: String,
    },
    /// The obstacle has another number of vertices.
    #[error("obstacle \"{obstacle}\" has {expected} vertices, but {found} places were given")]
    Count {
        /// Its name.
        obstacle: String,
        /// Its vertices.
        expected: usize,
        /// The places that were given.
        found: usize,
    },
    /// The response forbids directions, which is for obstacles at rest.
    #[error("the response `constraint` is for obstacles at rest; choose another `contact.response` to move them")]
    AtRest,
    /// A grab without vertices.
    #[error("nothing is grabbed; name at least one vertex")]
    Nothing,
    /// A vertex that there is not.
    #[error("vertex {vertex} cannot be grabbed, there are {count}; number the vertices of all cloths from 0")]
    Vertex {
        /// The vertex.
        vertex: u32,
        /// Vertices of all cloths.
        count: usize,
    },
    /// A vertex that another grab holds.
    #[error("vertex {vertex} is grabbed already; release it first")]
    Grabbed {
        /// The vertex.
        vertex: u32,
    },
}

/// Vertices in the hand of a caller.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Grab {
    /// Numbered within the world, ascending.
    pub(crate) vertices: Vec<u32>,
    /// Where they were grabbed [m].
    pub(crate) anchors: Vec<DVec3>,
    pub(crate) path: [HoldKey; 2],
}

/// Vertices of a mesh obstacle that a caller moves, in its own frame.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DrivenShape {
    /// When they leave and when they arrive [s].
    pub(crate) times: [f64; 2],
    /// Where they leave and where they arrive [m].
    pub(crate) positions: [Vec<DVec3>; 2],
}

impl Deformation for DrivenShape {
    fn place(&self, t: f64, positions: &mut Vec<DVec3>) {
        let [t0, t1] = self.times;
        let [from, to] = &self.positions;
        positions.clear();
        let share = ((t - t0) / (t1 - t0)).clamp(0.0, 1.0);
        if share >= 1.0 {
            positions.extend_from_slice(to);
        } else {
            positions.extend(from.iter().zip(to).map(|(a, b)| a.lerp(*b, share)));
        }
    }

    fn moves(&self) -> bool {
        true
    }

    fn summary(&self) -> String {
        "moved by the caller".to_owned()
    }

    fn describe(&self, point: &mut dyn FnMut(DVec3)) {
        self.positions.iter().flatten().for_each(|p| point(*p));
    }
}

/// Everything that a caller has moved, by number.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Moved {
    pub(crate) obstacles: BTreeMap<u32, [Keyframe; 2]>,
    pub(crate) shapes: BTreeMap<u32, DrivenShape>,
    pub(crate) holds: BTreeMap<u32, [HoldKey; 2]>,
    pub(crate) grabs: BTreeMap<u32, Grab>,
    /// Number of the next grab.
    pub(crate) next: u32,
}

impl Moved {
    /// Whether everything moved is something that there is, in a world with so many particles.
    pub(crate) fn fits(&self, parts: &Parts, meshes: &[MeshObstacle], particles: usize) -> bool {
        let shape_fits = |(number, shape): (&u32, &DrivenShape)| match parts.places.get(*number as usize) {
            Some(Place::Mesh(k)) => {
                let count = meshes[*k].mesh.vertex_count();
                shape.positions.iter().all(|x| x.len() == count)
            }
            _ => false,
        };
        let is_within = |grab: &Grab| grab.vertices.iter().all(|v| (*v as usize) < particles);
        self.obstacles.keys().all(|number| (*number as usize) < parts.places.len())
            && self.shapes.iter().all(shape_fits)
            && self.holds.keys().all(|number| (*number as usize) < parts.holds.len())
            && self.grabs.values().all(is_within)
    }

    /// The same in cloth that was cut: `was` is the number that each particle had, and `before` and `now` are where the particles were and
    /// are [m].
    pub(crate) fn carried(&self, was: &[usize], before: &[DVec3], now: &[DVec3]) -> Self {
        let mut moved = self.clone();
        for grab in moved.grabs.values_mut() {
            let (mut vertices, mut anchors) = (Vec::new(), Vec::new());
            for (i, was) in was.iter().enumerate() {
                if let Ok(k) = grab.vertices.binary_search(&(*was as u32)) {
                    vertices.push(i as u32);
                    // Lips are drawn back a little.
                    anchors.push(grab.anchors[k] + now[i] - before[*was]);
                }
            }
            (grab.vertices, grab.anchors) = (vertices, anchors);
        }
        moved.grabs.retain(|_, grab| !grab.vertices.is_empty());
        moved
    }
}
