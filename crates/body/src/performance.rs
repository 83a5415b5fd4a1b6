//! [`Performance`]: a body over the time of a simulation.
//!
//! A body is dressed in the pose of its draft. During the first `blend_in` seconds it goes from there into its motion: the
//! posture is mixed with weight `S(t / b)`, and the motion itself starts from standstill, its time running at the same
//! rate `S` (its integral is the motion's time). Both are twice differentiable, so nothing jumps. Mixed legs may reach
//! below the floor; then the body is lifted by as much, eased in over the first millimetres.

use toile_mesh::{DVec3, TriMesh};

use crate::body::Body;
use crate::motion::Motion;
use crate::motion::sole::Sole;
use crate::posture::{Posture, ease, eased_time};
use crate::recording::Recording;
use crate::skeleton::{Joint, Rigid};

/// Depth below the floor within which lifting sets in [m].
const SOFTNESS: f64 = 4e-3;

/// A moving body: its surface at any time.
#[derive(Clone, PartialEq, Debug)]
pub struct Performance(Kind);

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Posed(Box<Posed>),
    Recorded(Recording),
}

#[derive(Clone, PartialEq, Debug)]
struct Posed {
    body: Body,
    motion: Motion,
    blend_in: f64,
    soles: [Sole; 2],
}

impl Performance {
    /// A body in a motion, into which it goes from rest during `blend_in` [s]; from 0 on if that is not positive.
    pub fn new(body: Body, motion: Motion, blend_in: f64) -> Self {
        let soles = [Joint::LeftAnkle, Joint::RightAnkle].map(|joint| Sole::new(&body, joint));
        Self(Kind::Posed(Box::new(Posed { body, motion, blend_in, soles })))
    }

    /// A mesh whose positions were recorded.
    pub fn recorded(recording: Recording) -> Self {
        Self(Kind::Recorded(recording))
    }

    /// The surface at time 0, whose triangles hold for all times.
    pub fn start(&self) -> TriMesh {
        let mut positions = Vec::new();
        self.positions(0.0, &mut positions);
        let triangles = match &self.0 {
            Kind::Posed(posed) => &posed.body.mesh.triangles,
            Kind::Recorded(recording) => recording.triangles(),
        };
        TriMesh { positions, triangles: triangles.clone() }
    }

    /// Positions of the vertices at a time [m; s]. Takes no memory if `positions` has room.
    pub fn positions(&self, t: f64, positions: &mut Vec<DVec3>) {
        match &self.0 {
            Kind::Posed(posed) => posed.body.positions(&posed.posture(t), positions),
            Kind::Recorded(recording) => recording.positions(t, positions),
        }
    }

    /// The posture at a time [s]; nothing for a recording.
    pub fn posture(&self, t: f64) -> Option<Posture> {
        match &self.0 {
            Kind::Posed(posed) => Some(posed.posture(t)),
            Kind::Recorded(_) => None,
        }
    }

    /// The body that is posed; nothing for a recording.
    pub fn body(&self) -> Option<&Body> {
        match &self.0 {
            Kind::Posed(posed) => Some(&posed.body),
            Kind::Recorded(_) => None,
        }
    }

    /// Seconds until the motion has gone through once, with the way into it [s].
    pub fn duration(&self) -> f64 {
        match &self.0 {
            Kind::Posed(posed) => posed.motion.duration() + 0.5 * posed.blend_in.max(0.0),
            Kind::Recorded(recording) => recording.duration(),
        }
    }
}

impl Posed {
    fn posture(&self, t: f64) -> Posture {
        if self.blend_in <= 0.0 || !self.blend_in.is_finite() {
            return self.motion.posture(t);
        }
        let u = t / self.blend_in;
        let goal = self.motion.posture(self.blend_in * eased_time(u));
        if u >= 1.0 {
            return goal;
        }
        let mut posture = Posture::REST.toward(&goal, ease(u));
        let motions = self.body.skeleton.pose(&posture.turns, posture.shift);
        // At rest the smoothed depth is a little above zero; that much is no sinking.
        let depth = |sole: &Sole| sole.depth(&motions[sole.joint as usize]) - sole.depth(&Rigid::IDENTITY);
        let sunk = self.soles.iter().map(depth).fold(0.0, f64::max);
        posture.shift.y += if sunk < SOFTNESS { 0.5 * sunk * sunk / SOFTNESS } else { sunk - 0.5 * SOFTNESS };
        posture
    }
}
