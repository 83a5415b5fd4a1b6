//! [`WindField`]: any of the winds, sampled at many points.

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::lattice::StateMismatch;
use super::{Bodies, Flow, FlowReport, Gusts, LeeField};

/// Points per parallel task: fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 512;

/// The wind of a scene, by one of three models; see [the module](crate::air) for an example.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WindField {
    /// The given wind everywhere: bodies do not matter.
    Gusty(Gusts),
    /// The given wind, weaker behind bodies: particle tracing.
    Lee(Gusts, LeeField),
    /// Flow around bodies on a grid, with the given wind coming in from outside.
    Grid(Gusts, Box<Flow>),
}

impl WindField {
    /// A wind of the same velocity [m/s] everywhere and always.
    pub fn uniform(velocity: DVec3) -> Self {
        Self::Gusty(Gusts::new(super::Wind { mean: velocity, ..super::Wind::default() }))
    }

    /// Brings the field from time `t` to `t + h` [s] with bodies where they are at the end. May be called every few
    /// steps, with `h` the time since the last call: the air then holds still in between. Says how the flow on a grid
    /// was solved, if there is one.
    pub fn advance(&mut self, t: f64, h: f64, bodies: Bodies<'_>) -> Option<FlowReport> {
        let end = t + h;
        match self {
            Self::Gusty(_) => None,
            Self::Lee(wind, lee) => {
                lee.refresh(wind, end, bodies);
                None
            }
            Self::Grid(wind, flow) => Some(flow.advance(h, &|p| wind.velocity(p, end), bodies)),
        }
    }

    /// Wind at one point [m] and time `t` [s], in [m/s].
    pub fn velocity(&self, p: DVec3, t: f64) -> DVec3 {
        match self {
            Self::Gusty(wind) => wind.velocity(p, t),
            Self::Lee(wind, lee) => lee.velocity(p, wind, t),
            Self::Grid(wind, flow) => flow.velocity(p).unwrap_or_else(|| wind.velocity(p, t)),
        }
    }

    /// Writes the wind at `points` [m] and time `t` [s] to `velocities` [m/s], as many as the shorter slice holds.
    pub fn sample(&self, points: &[DVec3], t: f64, velocities: &mut [DVec3]) {
        velocities.par_chunks_mut(CHUNK).zip(points.par_chunks(CHUNK)).for_each(|(velocities, points)| {
            for (w, p) in velocities.iter_mut().zip(points) {
                *w = self.velocity(*p, t);
            }
        });
    }

    /// Everything that changes with time, as plain numbers: to be saved with a run. Empty where nothing does.
    pub fn state(&self) -> Vec<f64> {
        match self {
            Self::Gusty(_) => Vec::new(),
            Self::Lee(_, lee) => lee.state(),
            Self::Grid(_, flow) => flow.state(),
        }
    }

    /// Continues from a saved [`WindField::state`] of a field made with the same settings.
    pub fn restore(&mut self, state: &[f64]) -> Result<(), StateMismatch> {
        match self {
            Self::Gusty(_) if state.is_empty() => Ok(()),
            Self::Gusty(_) => Err(StateMismatch { expected: 0, found: state.len() }),
            Self::Lee(_, lee) => lee.restore(state),
            Self::Grid(_, flow) => flow.restore(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use toile_mesh::Aabb;

    use super::super::{FlowSettings, LeeSettings, Wind};
    use super::*;

    const BOUNDS: Aabb = Aabb { min: DVec3::new(-1.0, -1.0, -1.0), max: DVec3::new(2.0, 1.0, 1.0) };

    fn fields() -> [WindField; 3] {
        let wind = Gusts::new(Wind { mean: 3.0 * DVec3::X, gust: 1.0, turbulence: 0.3, seed: 5, ..Wind::default() });
        let lee = LeeField::new(BOUNDS, 0.2, LeeSettings::default()).unwrap();
        let flow = Flow::new(BOUNDS, 0.2, 3.0 * DVec3::X, FlowSettings::default()).unwrap();
        [WindField::Gusty(wind.clone()), WindField::Lee(wind.clone(), lee), WindField::Grid(wind, Box::new(flow))]
    }

    fn points() -> Vec<DVec3> {
        (0..1500)
            .map(|i| DVec3::new(0.41, 0.17, 0.29) * f64::from(i) % DVec3::new(4.0, 2.0, 2.0) - DVec3::ONE)
            .collect()
    }

    fn run(field: &mut WindField, steps: std::ops::Range<u32>) -> Vec<DVec3> {
        for step in steps.clone() {
            field.advance(0.02 * f64::from(step), 0.02, Bodies::still(&|p| p.length() - 0.4));
        }
        let points = points();
        let mut wind = vec![DVec3::ZERO; points.len()];
        field.sample(&points, 0.02 * f64::from(steps.end), &mut wind);
        wind
    }

    #[test]
    fn resumed_runs_equal_uninterrupted_ones() {
        for (mut whole, mut first) in fields().into_iter().zip(fields()) {
            run(&mut first, 0..4);
            let [gusty, lee, grid] = fields();
            let mut second = match first {
                WindField::Gusty(_) => gusty,
                WindField::Lee(..) => lee,
                WindField::Grid(..) => grid,
            };
            second.restore(&first.state()).unwrap();
            assert_eq!(run(&mut second, 4..8), run(&mut whole, 0..8));
        }
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        for field in fields() {
            let results = [1, 2, 3].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| run(&mut field.clone(), 0..3))
            });
            assert!(results[0] == results[1] && results[0] == results[2]);
        }
    }

    #[test]
    fn bodies_slow_the_wind_behind_them_in_both_models() {
        let behind = DVec3::new(0.7, 0.0, 0.0);
        let speeds = fields().map(|mut field| {
            run(&mut field, 0..20);
            field.velocity(behind, 0.4).length()
        });
        assert!(speeds[1] < 0.5 * speeds[0] && speeds[2] < 0.6 * speeds[0], "{speeds:?}");
        assert_eq!(WindField::uniform(DVec3::Y).velocity(behind, 0.0), DVec3::Y);
    }

    #[test]
    fn a_state_of_another_field_is_refused() {
        let [mut gusty, lee, mut grid] = fields();
        assert!(gusty.restore(&lee.state()).is_err());
        assert!(grid.restore(&lee.state()).is_err());
    }
}
