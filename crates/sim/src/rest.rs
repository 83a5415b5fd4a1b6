//! Rest: cloth that keeps its place comes to a stop, and stays so until something stirs it.
//!
//! Contacts and lengths are corrected one after the other, so that what lies still goes on trembling by hundredths of a millimetre
//! for ever: positions repeat while velocities within a step do not vanish. Where no particle has left its place for half a
//! second, and nothing moves that could move it, that trembling is all there is. Velocities are then zero and frames cost
//! nothing, until an obstacle or a hand moves, a hand lets go, or scissors cut.
//!
//! **Its place** reaches as far as 1/1000 of what a particle would fall in that time, `½ g T²/1000` or 1.2 mm on earth, and no farther
//! than two fifths of the distance kept from obstacles. Half of that in half the time would stop nothing slower, but what trembles by a
//! millimetre over an edge would not be seen to keep its place. What swings, creeps or topples slower than that, about two
//! millimetres in a second, is stopped as well; `solver.rest = false` lets it go on. Without weight nothing comes to rest, and
//! in the wind nothing does.

use toile_cloth::dynamics::History;
use toile_mesh::DVec3;

use crate::world::World;

/// Time for which cloth must have kept its place [s].
const PATIENCE: f64 = 0.5;
/// How far its place reaches, as a share of what it would fall in that time.
const OF_FALL: f64 = 1e-3;
/// The same as a share of the distance kept from obstacles.
const OF_THRESHOLD: f64 = 0.4;

/// Where the cloth has been lately.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Rest {
    /// Where it was when it was last seen out of its place [m]; empty before the first frame.
    pub(crate) place: Vec<DVec3>,
    /// Frames since then.
    pub(crate) frames: u32,
}

impl World {
    /// Whether the cloth lies still and nothing stirs it in the next frame.
    pub fn rests(&self) -> bool {
        let frame = 1.0 / self.scene.time.frame_rate;
        f64::from(self.rest.frames) * frame >= PATIENCE && !self.stirs()
    }

    /// Looks how far the cloth has gone in a frame, which ended just now, and stops it where that is nowhere.
    pub(crate) fn come_to_rest(&mut self) {
        let (place, x) = (&self.rest.place, &self.state.x);
        let keeps = |reach: f64| place.len() == x.len() && place.iter().zip(x).all(|(a, b)| a.distance(*b) <= reach);
        if !self.reach_of_rest().is_some_and(keeps) {
            self.rest.place.clone_from(&self.state.x);
            self.rest.frames = 0;
            return;
        }
        self.rest.frames = self.rest.frames.saturating_add(1);
        if self.rests() {
            self.state.v.fill(DVec3::ZERO);
            self.state.history = History::default();
        }
    }

    /// How far a particle may be from its place [m]; `None` where nothing comes to rest.
    fn reach_of_rest(&self) -> Option<f64> {
        let (scene, air) = (&self.scene, &self.scene.air);
        let windless =
            scene.forces.wind == [0.0; 3] && (self.air.is_none() || air.wind == [0.0; 3] && air.turbulence == 0.0);
        let fall = 0.5 * DVec3::from(scene.forces.gravity).length() * PATIENCE * PATIENCE;
        let reach = (OF_FALL * fall).min(OF_THRESHOLD * scene.contact.threshold);
        (scene.solver.rest && windless && reach > 0.0).then_some(reach)
    }

    /// Whether anything moves or lets go in the next frame.
    fn stirs(&self) -> bool {
        let (t0, t1) = (self.time(), f64::from(self.frame + 1) / self.scene.time.frame_rate);
        let lets_go = self.holds.iter().any(|hold| (t0..t1).contains(&hold.until));
        lets_go || self.obstacle_travel(t0, t1) > 0.0 || self.hand_travel(t1 - t0) > 0.0
    }
}
