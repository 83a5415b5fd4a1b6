//! What a caller moves between two frames: obstacles, their vertices, holds, and vertices that are grabbed.
//!
//! Whatever is moved goes to its new place during the next frame, on a straight way and along the shorter arc, and stays there. All of
//! it is state: [`World::save`] keeps it, and a world that is restored goes on with the same bits.
//!
//! ```text
//! x(t) = x_from + s (x_to − x_from)      s = (t − t_from) / (t_to − t_from)      from the time of the call to the end of the frame
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use toile_contact::{Deformation, Keyframe, Motion, Pose};
use toile_mesh::{DVec3, TriMesh};

use crate::builder::{Contacts, HoldKey, Place, contacts};
use crate::hold::Held;
use crate::ids::{GrabId, HoldId, ObstacleId};
use crate::settings::Response;
use crate::step::rest::Rest;
use crate::world::World;

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

impl World {
    /// Moves an obstacle during the next frame: on a straight way and along the shorter arc to `pose`, where it stays. Its own motion
    /// ends.
    pub fn move_obstacle(&mut self, id: ObstacleId, pose: Pose) -> Result<(), MoveError> {
        let place = self.place_of(id)?;
        if !pose.is_valid() {
            return Err(MoveError::NotFinite { what: "obstacle", number: id.0 });
        }
        let [time, end] = self.next_frame();
        // Called twice before a frame, it still leaves from where it is.
        let known = self.moved.obstacles.get(&id.0).map(|[from, _]| *from).filter(|from| from.time == time);
        let motion = match place {
            Place::Exact(k) => &self.obstacles[k].motion,
            Place::Mesh(k) => &self.meshes[k].motion,
        };
        let from = known.unwrap_or_else(|| Keyframe { time, pose: motion.pose_at(time) });
        self.moved.obstacles.insert(id.0, [from, Keyframe { time: end, pose }]);
        self.apply_to_obstacle(id.0);
        Ok(())
    }

    /// Moves the vertices of a mesh obstacle during the next frame, each on a straight way, to `positions` in the obstacle's own frame
    /// [m], where they stay. Its own deformation ends.
    pub fn set_obstacle_vertices(&mut self, id: ObstacleId, positions: Vec<DVec3>) -> Result<(), MoveError> {
        let Place::Mesh(k) = self.place_of(id)? else {
            return Err(MoveError::NoVertices { obstacle: self.obstacle_name(id).to_owned() });
        };
        let mesh = &self.meshes[k];
        let (expected, found) = (mesh.mesh.vertex_count(), positions.len());
        if expected != found {
            return Err(MoveError::Count { obstacle: mesh.name.clone(), expected, found });
        }
        if positions.iter().any(|p| !p.is_finite()) {
            return Err(MoveError::NotFinite { what: "obstacle", number: id.0 });
        }
        let times = self.next_frame();
        let from = if let Some(shape) = self.moved.shapes.remove(&id.0).filter(|shape| shape.times == times) {
            let [from, _] = shape.positions;
            from
        } else {
            let mut from = mesh.mesh.positions.clone();
            if let Some(deformation) = &mesh.deformation {
                deformation.place(times[0], &mut from);
            }
            from
        };
        self.moved.shapes.insert(id.0, DrivenShape { times, positions: [from, positions] });
        self.apply_to_obstacle(id.0);
        Ok(())
    }

    /// Moves a hold during the next frame, straight to `offset` from where its vertices started [m], where it stays. Its own path ends.
    pub fn move_hold(&mut self, id: HoldId, offset: DVec3) -> Result<(), MoveError> {
        let held = self.holds.iter().position(|held| held.grab.is_none() && held.number == id.index());
        let Some(held) = held else { return Err(MoveError::Unknown { what: "hold", number: id.0 }) };
        if !offset.is_finite() {
            return Err(MoveError::NotFinite { what: "hold", number: id.0 });
        }
        let path = self.way(self.holds[held].key_at(self.time()), offset);
        self.moved.holds.insert(id.0, path);
        self.holds[held].path = path.to_vec();
        Ok(())
    }

    /// Grabs vertices where they are, numbered within the world as [`World::state`] numbers them. They stay there until the grab is
    /// moved or released.
    pub fn grab(&mut self, vertices: &[u32]) -> Result<GrabId, MoveError> {
        let mut vertices = vertices.to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let count = self.state.x.len();
        let Some(last) = vertices.last() else { return Err(MoveError::Nothing) };
        if *last as usize >= count {
            return Err(MoveError::Vertex { vertex: *last, count });
        }
        let taken = |v: &&u32| self.moved.grabs.values().any(|grab| grab.vertices.binary_search(v).is_ok());
        if let Some(vertex) = vertices.iter().find(taken) {
            return Err(MoveError::Grabbed { vertex: *vertex });
        }
        let anchors = vertices.iter().map(|v| self.state.x[*v as usize]).collect();
        let key = HoldKey { time: self.time(), ..HoldKey::default() };
        let id = self.moved.next;
        self.moved.next += 1;
        let grab = Grab { vertices, anchors, path: [key, HoldKey { time: self.next_frame()[1], ..key }] };
        for v in &grab.vertices {
            self.state.v[*v as usize] = DVec3::ZERO;
        }
        self.holds.push(Held::grabbed(id, &grab));
        self.moved.grabs.insert(id, grab);
        Ok(GrabId(id))
    }

    /// Moves a grab during the next frame, straight to `offset` from where it was grabbed [m].
    pub fn move_grab(&mut self, id: GrabId, offset: DVec3) -> Result<(), MoveError> {
        let held = self.grab_place(id)?;
        if !offset.is_finite() {
            return Err(MoveError::NotFinite { what: "grab", number: id.0 });
        }
        let path = self.way(self.holds[held].key_at(self.time()), offset);
        self.holds[held].path = path.to_vec();
        if let Some(grab) = self.moved.grabs.get_mut(&id.0) {
            grab.path = path;
        }
        Ok(())
    }

    /// Lets go of grabbed vertices. They keep the velocity with which the grab moved in the last frame.
    pub fn release(&mut self, id: GrabId) -> Result<(), MoveError> {
        let held = self.grab_place(id)?;
        self.holds.remove(held);
        let Some(grab) = self.moved.grabs.remove(&id.0) else { return Ok(()) };
        let [from, to] = grab.path;
        let is_moving = to.time <= self.time() && self.time() < to.time + 0.5 * (to.time - from.time);
        let v = if is_moving { (to.offset - from.offset) / (to.time - from.time) } else { DVec3::ZERO };
        let inverse_mass = self.inverse_mass();
        for p in grab.vertices.iter().map(|p| *p as usize) {
            // Another hold may hold it as well.
            self.state.v[p] = if inverse_mass[p] > 0.0 { v } else { DVec3::ZERO };
        }
        self.rest = Rest::default();
        Ok(())
    }

    /// Begin and end of the next frame [s].
    fn next_frame(&self) -> [f64; 2] {
        [self.time(), f64::from(self.frame + 1) / self.settings.time.frame_rate]
    }

    fn way(&self, from: HoldKey, offset: DVec3) -> [HoldKey; 2] {
        let [time, end] = self.next_frame();
        [HoldKey { time, ..from }, HoldKey { time: end, offset, ..from }]
    }

    fn grab_place(&self, id: GrabId) -> Result<usize, MoveError> {
        let found = self.holds.iter().position(|held| held.grab == Some(id.0));
        found.ok_or(MoveError::Unknown { what: "grab", number: id.0 })
    }

    /// Where an obstacle is that may be moved.
    fn place_of(&self, id: ObstacleId) -> Result<Place, MoveError> {
        if self.settings.contact.response == Response::Constraint {
            return Err(MoveError::AtRest);
        }
        let place = self.parts.places.get(id.index());
        place.copied().ok_or(MoveError::Unknown { what: "obstacle", number: id.0 })
    }

    /// Lets an obstacle be where it was moved to, and all that depends on it know.
    fn apply_to_obstacle(&mut self, number: u32) {
        let Place::Mesh(k) = self.parts.places[number as usize] else {
            self.follow_moved(number);
            return;
        };
        let before = self.meshes[k].moves();
        self.follow_moved(number);
        for held in &mut self.holds {
            held.follow(&self.meshes);
        }
        if self.meshes[k].moves() == before {
            self.engine.step.forget_places();
        } else {
            self.renew_contacts();
        }
    }

    /// Puts what was moved into the motion and shape of an obstacle.
    fn follow_moved(&mut self, number: u32) {
        let keys = self.moved.obstacles.get(&number).map(|keys| Motion::Keyframes(keys.to_vec()));
        match self.parts.places[number as usize] {
            Place::Exact(k) => {
                if let Some(motion) = keys {
                    self.obstacles[k].motion = motion;
                }
            }
            Place::Mesh(k) => {
                if let Some(motion) = keys {
                    self.meshes[k].motion = motion;
                }
                if let Some(shape) = self.moved.shapes.get(&number) {
                    self.meshes[k].deformation = Some(Arc::new(shape.clone()));
                }
            }
        }
    }

    /// Makes anew what finds contacts, for obstacles that move otherwise than when it was made.
    fn renew_contacts(&mut self) {
        let cloth = TriMesh { positions: self.state.x.clone(), triangles: self.triangles.clone() };
        let Self { settings, parts, model, meshes, engine, .. } = self;
        let particles = engine.response.particles.take().map(|particles| *particles);
        let made = contacts(settings, parts, model, &cloth, meshes, particles);
        let Contacts { step, candidates, mut response, overlap } =
            made.expect("every detector that is built in knows obstacles that move and deform");
        response.source = engine.response.source.take();
        (engine.step, engine.candidates, engine.response, engine.overlap) = (step, candidates, response, overlap);
    }

    /// Puts everything where `moved` says, whatever was moved before.
    pub(crate) fn set_moved(&mut self, moved: Moved) {
        let same = self.moved == moved && moved == Moved::default();
        self.moved = moved;
        self.holds.retain(|held| held.grab.is_none());
        if !same {
            self.obstacles.clone_from(&self.parts.obstacles);
            self.meshes.clone_from(&self.parts.meshes);
            for number in 0..self.parts.places.len() as u32 {
                self.follow_moved(number);
            }
            self.renew_contacts();
        }
        self.move_holds();
        let grabs = self.moved.grabs.iter().map(|(id, grab)| Held::grabbed(*id, grab));
        self.holds.extend(grabs);
    }

    /// Lets holds go where they were moved to, with the meshes that carry them.
    pub(crate) fn move_holds(&mut self) {
        for held in self.holds.iter_mut().filter(|held| held.grab.is_none()) {
            held.follow(&self.meshes);
            held.path = match self.moved.holds.get(&(held.number as u32)) {
                Some(path) => path.to_vec(),
                None => self.parts.holds[held.number].path.clone(),
            };
        }
    }

    /// Takes over what was moved in the same world before a cut: `was` is the number that each particle had.
    pub(crate) fn carry_moved(&mut self, before: &Self, was: &[usize]) {
        let mut moved = before.moved.clone();
        for grab in moved.grabs.values_mut() {
            let (mut vertices, mut anchors) = (Vec::new(), Vec::new());
            for (i, was) in was.iter().enumerate() {
                if let Ok(k) = grab.vertices.binary_search(&(*was as u32)) {
                    vertices.push(i as u32);
                    // Lips are drawn back a little.
                    anchors.push(grab.anchors[k] + self.state.x[i] - before.state.x[*was]);
                }
            }
            (grab.vertices, grab.anchors) = (vertices, anchors);
        }
        moved.grabs.retain(|_, grab| !grab.vertices.is_empty());
        self.moved = moved;
        let grabs = self.moved.grabs.iter().map(|(id, grab)| Held::grabbed(*id, grab));
        self.holds.extend(grabs);
    }
}
