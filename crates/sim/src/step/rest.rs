//! Rest: cloth that keeps its place comes to a stop, and stays so until something stirs it.
//!
//! Contacts and lengths are corrected one after the other, so that what lies still goes on trembling by hundredths of a millimetre
//! for ever: positions repeat while velocities within a step do not vanish. Where no particle has left its place for half a
//! second, and nothing moves that could move it, that trembling is all there is. Velocities are then zero and frames cost
//! nothing, until an obstacle or a hand moves, a hand lets go, or scissors cut.
//!
//! **Its place** reaches as far as 1/1000 of what a particle would fall in that time, `½ g T²/1000` or 1.2 mm on earth. Half of that in half the time would stop nothing slower, but what trembles by a
//! millimetre over an edge would not be seen to keep its place. What trembles does so this way and that: the mean of all particles keeps its
//! place to a tenth of that, or the cloth is still on its way. What swings, creeps or topples slower than that, about two
//! millimetres in a second, is stopped as well; `solver.rest = false` lets it go on. Without weight nothing comes to rest, and
//! in the wind nothing does.

use toile_mesh::DVec3;

use crate::settings::Settings;

/// How far the mean of all particles may be from its place, as a share of what single ones may.
const OF_REACH: f64 = 0.1;

/// Where the cloth has been lately.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Rest {
    /// Where it was when it was last seen out of its place [m]; empty before the first frame.
    pub(crate) place: Vec<DVec3>,
    /// Frames since then.
    pub(crate) frames: u32,
}

impl Rest {
    /// Whether the cloth has kept its place for long enough.
    pub(crate) fn is_still(&self, settings: &Settings) -> bool {
        f64::from(self.frames) / settings.time.frame_rate >= settings.advanced.rest_time
    }

    /// Looks how far the cloth at `x` [m] has gone in a frame, which ended just now. `reach`: how far its place reaches [m]; `None` where
    /// nothing comes to rest.
    pub(crate) fn look(&mut self, x: &[DVec3], reach: Option<f64>) {
        let keeps = |reach: f64| {
            let same = self.place.len() == x.len();
            let mean: DVec3 = self.place.iter().zip(x).map(|(a, b)| *b - *a).sum::<DVec3>() / x.len().max(1) as f64;
            same && mean.length() <= OF_REACH * reach && self.place.iter().zip(x).all(|(a, b)| a.distance(*b) <= reach)
        };
        if reach.is_some_and(keeps) {
            self.frames = self.frames.saturating_add(1);
        } else {
            self.place.clear();
            self.place.extend_from_slice(x);
            self.frames = 0;
        }
    }
}

/// How far a particle may be from its place [m]; `None` where nothing comes to rest.
pub(crate) fn reach_of_rest(settings: &Settings, has_air: bool) -> Option<f64> {
    let (forces, air, advanced) = (&settings.forces, &settings.air, &settings.advanced);
    let windless = forces.wind == [0.0; 3] && (!has_air || air.wind == [0.0; 3] && air.turbulence == 0.0);
    let fall = 0.5 * DVec3::from(forces.gravity).length() * advanced.rest_time * advanced.rest_time;
    let reach = advanced.rest_reach * fall;
    (settings.solver.rest && windless && reach > 0.0).then_some(reach)
}
