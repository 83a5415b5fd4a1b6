//! What a caller does to a world between two frames: move obstacles and holds, grab vertices, change lengths, save and restore.
//!
//! Whatever is moved goes to its new place during the next frame, on a straight way and along the shorter arc, and stays there. All of
//! it is state: [`World::save`] keeps it, and a world that is restored goes on with the same bits.
//!
//! ```text
//! x(t) = x_from + s (x_to − x_from)      s = (t − t_from) / (t_to − t_from)      from the time of the call to the end of the frame
//! ```

use std::ops::RangeInclusive;
use std::sync::Arc;

use toile_cloth::{ConstraintSolver, DistanceRange, Method};
use toile_contact::{Keyframe, Motion, Pose};
use toile_mesh::{DVec3, TriMesh};

use crate::builder::{Contacts, HoldKey, Place, contacts};
use crate::hold::Held;
use crate::ids::{GrabId, HoldId, ObstacleId};
use crate::moved::{DrivenShape, Grab, MoveError, Moved};
use crate::saved::{Capacity, SavedState, StateError};
use crate::settings::Response;
use crate::step::rest::Rest;
use crate::world::World;

/// Stitches that draw pairs of particles together, in the constraint model.
#[derive(Clone, Copy, Debug)]
pub struct Stitches<'a> {
    /// The particles of each stitch.
    pub pairs: &'a [[u32; 2]],
    /// Positions from which the first length of each stitch is taken [m], shape `[particles]`.
    pub start: &'a [DVec3],
    /// Length of a closed stitch [m].
    pub closed: f64,
    /// How much a stitch is shortened in one pass over the constraints [m].
    pub most: f64,
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
        self.hold_grabs();
    }

    /// Lets grabs hold their vertices.
    pub(crate) fn hold_grabs(&mut self) {
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

    /// Gives edges and bending constraints of the constraint model other allowed lengths, and stitches beside them.
    ///
    /// `structural` and `bending` are those of [`World::model`] with other `min` and `max`. `method` says how lengths are kept from
    /// now on. Edges longer than `limit` times their rest length are shortened.
    ///
    /// # Panics
    /// If they join other particles than those of the model.
    pub fn set_lengths(
        &mut self,
        structural: Vec<DistanceRange>,
        bending: Vec<DistanceRange>,
        method: Method,
        limit: f64,
        stitches: &Stitches<'_>,
    ) {
        let same = |ours: &[DistanceRange], theirs: &[DistanceRange]| {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| a.ends == b.ends)
        };
        assert!(same(&self.model.structural, &structural), "edges join the particles of the model");
        assert!(same(&self.model.bending, &bending), "bending constraints join the particles of the model");
        self.model.structural = structural;
        self.model.bending = bending;
        self.engine.lengths = ConstraintSolver::new(&self.model, method, limit);
        self.engine.lengths.set_stitches(stitches.pairs, stitches.start, stitches.closed, stitches.most);
    }

    /// Lets stitches be as long as a share of their first length over the closed one: 1 is open, 0 is closed.
    pub fn draw_stitches(&mut self, share: f64) {
        self.engine.lengths.draw(share);
    }

    /// Changes velocities between two frames [m/s]. `change` gets the number of each free particle, its position [m] and its
    /// velocity. Cloth that rests wakes up if anything moves then.
    pub fn change_velocities(&mut self, mut change: impl FnMut(usize, DVec3, DVec3) -> DVec3) {
        let (rests, inverse_mass) = (self.rests(), self.inverse_mass());
        let state = &mut self.state;
        for (i, v) in state.v.iter_mut().enumerate() {
            if inverse_mass[i] > 0.0 {
                *v = change(i, state.x[i], *v);
            }
        }
        state.history.clear();
        if rests && state.v.iter().any(|v| *v != DVec3::ZERO) {
            self.rest = Rest::default();
        }
    }

    /// Everything that the next frame depends on.
    pub fn save(&self) -> SavedState {
        SavedState {
            frame: self.frame,
            cloth: self.state.clone(),
            air: self.air.as_ref().map_or_else(Vec::new, |air| air.field.state()),
            rest: self.rest.clone(),
            caught: self.caught.clone(),
            moved: self.moved.clone(),
        }
    }

    /// Goes back, or forth, to a saved state of a world with the same parts and settings; cloth is cut as it was then. A state that is
    /// refused changes nothing.
    pub fn restore(&mut self, saved: &SavedState) -> Result<(), StateError> {
        let capacity = self.capacity_in(saved.frame);
        saved.check(&capacity)?;
        if !saved.moved.fits(&self.parts, &self.meshes, capacity.particles) {
            return Err(StateError::new("what is moved in it is not in the world"));
        }
        if let Some(air) = self.air.as_mut().filter(|_| !saved.air.is_empty()) {
            air.field.restore(&saved.air).map_err(|error| StateError::new(format!("its air: {error}")))?;
        }
        let fits = self.set_state(saved.frame, saved.cloth.clone());
        debug_assert!(fits, "the counts were compared");
        self.set_moved(saved.moved.clone());
        self.caught.clone_from(&saved.caught);
        self.rest.clone_from(&saved.rest);
        Ok(())
    }

    /// Bytes that a saved state of `frame` may have.
    pub fn saved_size(&self, frame: u32) -> RangeInclusive<usize> {
        let capacity = self.capacity_in(frame);
        capacity.bytes()
    }

    /// Number of particles in `frame`, when it is cut as it is then.
    pub fn particles_in(&self, frame: u32) -> usize {
        self.capacity_in(frame).particles
    }

    fn capacity_in(&self, frame: u32) -> Capacity {
        let (n, triangles) = self.size_in(frame);
        let bends = match self.stepper() {
            None => 0,
            // Cut cloth has one bending element for each triangle.
            Some(_) if triangles != self.triangles.len() => triangles,
            Some(stepper) => stepper.energies().bends.elements().len(),
        };
        let air = self.air.as_ref().map_or(0, |air| air.field.state().len());
        let meshes: usize = self.meshes.iter().map(|mesh| 4 + 6 * mesh.mesh.vertex_count()).sum();
        Capacity::new(n, bends, air, meshes, self.parts.places.len(), self.parts.holds.len())
    }
}
