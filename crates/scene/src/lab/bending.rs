//! Bending test of KES-F: a sample of 1 cm is bent to an arc of ±250 1/m and back, and the moment is read.
//!
//! The sample is laid on a cylinder without strain (its threads are the sides of a polygon), so all energy is bending. By
//! virtual work the moment per width is `M = (1/A) dE/dκ = (1/A) Σ ∂E/∂x_i · dx_i/dκ`, from the gradient of the mesh's energy and
//! the way its vertices go. After each small step yarns slip as far as they must. `B` is the slope of `M` over `κ` between 50 and
//! 150 1/m, the mean of both directions while bending away from flat; 2HB is the height of the loop at 100 1/m.

use toile_cloth::{Fabric, SheetOptions};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh};

use super::each::{Rounds, whole};
use super::sample::Sample;
use super::{Cancelled, Direction, Reading, TestKind, Unit};

/// Bent length and width of the sample [m].
const SIZE: [f64; 2] = [0.01, 0.01];
/// Largest curvature and its steps [1/m].
const LARGEST: f64 = 250.0;
const STEP: f64 = 5.0;
/// Curvatures between which the slope is read, and the one at which the loop is [1/m].
const SLOPE: [f64; 2] = [50.0, 150.0];
const LOOP: f64 = 100.0;
/// Differences from what was typed in that are allowed: rigidity, hysteresis.
const TOLERANCE: f64 = 0.01;
const LOOP_TOLERANCE: f64 = 0.03;

/// What the bending test found.
#[derive(Clone, Debug)]
pub struct Bending {
    /// Direction of the threads that are bent.
    pub direction: Direction,
    /// Curvature [1/m] and moment per width [N], in the order they were read: from flat to 250, to −250, to 250 1/m.
    pub curve: Vec<[f64; 2]>,
    /// Bending rigidity and hysteresis.
    pub readings: [Reading; 2],
    /// The sample at the end.
    pub mesh: TriMesh,
}

/// Bends a sample with `cells` along its arc.
///
/// ```
/// use toile_scene::lab::{Direction, bending::bending};
/// let wool = toile_scene::fabric::find("wool-suiting")?.fabric;
/// let test = bending(&wool, Direction::Warp, 10);
/// assert!(test.readings.iter().all(|r| r.is_within()));
/// # Ok::<(), toile_scene::fabric::FabricFileError>(())
/// ```
pub fn bending(fabric: &Fabric, direction: Direction, cells: usize) -> Bending {
    whole(TestKind::Bending, |rounds| bend(fabric, direction, cells, rounds))
}

/// The same, round by round.
pub(super) fn bend(
    fabric: &Fabric,
    direction: Direction,
    cells: usize,
    rounds: &mut Rounds<'_, '_>,
) -> Result<Bending, Cancelled> {
    let cells = cells.max(4);
    let rest = grid(SIZE, [cells + 1, cells + 1], Diagonals::Alternating);
    let sheet = SheetOptions { grain: direction.grain(), ..SheetOptions::default() };
    let mut arc = Arc { sample: Sample::new(rest, fabric, &sheet, |_, _| false), cell: SIZE[0] / cells as f64 };
    let steps = (LARGEST / STEP).round() as i32;
    let there_and_back = (0..=steps).chain((-steps..steps).rev()).chain(1 - steps..=steps);
    let mut curve: Vec<[f64; 2]> = Vec::new();
    for k in there_and_back {
        rounds.next()?;
        let curvature = f64::from(k) * STEP;
        curve.push([curvature, arc.bend(curvature)]);
    }
    let (down, up) = (&curve[steps as usize..=3 * steps as usize], &curve[3 * steps as usize..]);
    let at = |branch: &[[f64; 2]], curvature: f64| {
        branch.iter().find(|p| (p[0] - curvature).abs() < 0.5 * STEP).map_or(f64::NAN, |p| p[1])
    };
    let slope = |branch: &[[f64; 2]], sign: f64| {
        (at(branch, sign * SLOPE[1]) - at(branch, sign * SLOPE[0])) / (sign * (SLOPE[1] - SLOPE[0]))
    };
    let rigidity = 0.5 * (slope(up, 1.0) + slope(down, -1.0));
    let height = 0.5 * (at(up, LOOP) - at(down, LOOP) + at(up, -LOOP) - at(down, -LOOP));
    let (typed, hysteresis) = match direction {
        Direction::Warp => (fabric.bend_warp, fabric.hysteresis_warp),
        Direction::Weft => (fabric.bend_weft, fabric.hysteresis_weft),
    };
    Ok(Bending {
        direction,
        curve,
        readings: [
            Reading::new("B", Unit::Bending, Some(direction), typed, rigidity, TOLERANCE),
            Reading::new("2HB", Unit::Hysteresis, Some(direction), hysteresis, height, LOOP_TOLERANCE),
        ],
        mesh: arc.sample.shape(),
    })
}

/// A sample on a cylinder.
struct Arc {
    sample: Sample,
    cell: f64,
}

impl Arc {
    /// Bends to a curvature and reads the moment per width [N].
    fn bend(&mut self, curvature: f64) -> f64 {
        const SMALL: f64 = 1e-3;
        let [before, after] = [-SMALL, SMALL].map(|d| self.places(curvature + d));
        self.sample.x = self.places(curvature);
        let gradient = self.sample.gradient();
        let ways = before.iter().zip(&after).map(|(b, a)| (*a - *b) / (2.0 * SMALL));
        let moment = gradient.iter().zip(ways).map(|(g, way)| g.dot(way)).sum::<f64>() / (SIZE[0] * SIZE[1]);
        let Sample { stepper, x, .. } = &mut self.sample;
        stepper.energies_mut().bends.elements_mut().iter_mut().for_each(|bend| bend.update(x));
        moment
    }

    /// The corners of a polygon whose sides are the cells and turn by `κ h` from one to the next.
    fn places(&self, curvature: f64) -> Vec<DVec3> {
        let turn = curvature * self.cell;
        let place = |p: &DVec3| {
            // On a circle of radius R = h/(2 sin ½κh), at the angle κ s.
            let angle = turn * p.x / self.cell;
            if turn.abs() < 1e-12 {
                return *p;
            }
            let radius = 0.5 * self.cell / (0.5 * turn).sin();
            DVec3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), p.z)
        };
        self.sample.rest.positions.iter().map(place).collect()
    }
}
