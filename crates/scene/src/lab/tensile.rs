//! Tensile test of KES-F: 5 cm between the jaws, 20 cm wide, loaded up to 490.33 N/m.
//!
//! The jaws pull every thread alike and let the sample slide sideways. Those of the real instrument also hold the
//! width, which with 20 cm of it makes the test biaxial: it reads `E/(1 − ν12 ν21)`. Stiffnesses of
//! [`Fabric`] are those of a free strip, as the laboratories that give a Poisson number mean them, so this
//! test is uniaxial: what is typed in must come out.
//!
//! From loads `F` and extensions `ε`: `EMT` is the extension at the end, `WT = ∫ F dε` the work, `LT = WT/(½ F EMT)` the
//! linearity, `F/EMT` the secant stiffness.

use toile_cloth::dynamics::SettleSettings;
use toile_cloth::fabric::REFERENCE_LOAD;
use toile_cloth::{Fabric, MembraneKind, SheetOptions};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh};

use super::each::{Rounds, whole};
use super::sample::Sample;
use super::{Cancelled, Direction, Reading, TestKind, Unit};

/// Distance of the jaws and width of the sample [m].
const SIZE: [f64; 2] = [0.05, 0.20];
/// Forces left over relative to the load.
const BALANCE: f64 = 1e-6;
/// Difference of stiffness and linearity from what was typed in that is allowed.
const TOLERANCE: f64 = 0.02;

/// How the tensile test is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TensileOptions {
    /// Cells between the jaws.
    pub cells: usize,
    /// Loads at which the extension is read.
    pub loads: u32,
    /// How strain is measured.
    pub membrane: MembraneKind,
}

impl Default for TensileOptions {
    fn default() -> Self {
        Self { cells: 5, loads: 25, membrane: MembraneKind::Threads }
    }
}

/// What the tensile test found.
#[derive(Clone, Debug)]
pub struct Tensile {
    /// Direction of the pull.
    pub direction: Direction,
    /// Extension [%] and load [N/m], from nothing to the end.
    pub curve: Vec<[f64; 2]>,
    /// Extension at the end, EMT [%].
    pub extension: f64,
    /// Work of extension, WT [J/m²].
    pub work: f64,
    /// Stiffness and linearity.
    pub readings: [Reading; 2],
    /// Whether forces were in balance at every load.
    pub converged: bool,
    /// The sample at the end.
    pub mesh: TriMesh,
}

/// Pulls a sample along its warp or weft.
///
/// ```
/// use toile_scene::lab::{Direction, tensile::{TensileOptions, tensile}};
/// let denim = toile_scene::fabric::find("denim")?.fabric;
/// let test = tensile(&denim, Direction::Weft, &TensileOptions { cells: 2, loads: 20, ..Default::default() });
/// assert!(test.converged && test.readings.iter().all(|r| r.is_within()));
/// # Ok::<(), toile_scene::fabric::FabricFileError>(())
/// ```
pub fn tensile(fabric: &Fabric, direction: Direction, options: &TensileOptions) -> Tensile {
    whole(TestKind::Tensile, |rounds| pull(fabric, direction, options, rounds))
}

/// The same, round by round.
pub(super) fn pull(
    fabric: &Fabric,
    direction: Direction,
    options: &TensileOptions,
    rounds: &mut Rounds<'_, '_>,
) -> Result<Tensile, Cancelled> {
    let cells = options.cells.max(1);
    let across = (cells as f64 * SIZE[1] / SIZE[0]).round() as usize;
    let rest = grid(SIZE, [cells + 1, across + 1], Diagonals::Alternating);
    let sheet = SheetOptions { membrane: options.membrane, grain: direction.grain(), ..SheetOptions::default() };
    // One vertex keeps the sample in its place; the loads are in balance and pull nothing out of it.
    let middle = (0..rest.vertex_count())
        .min_by(|a, b| rest.positions[*a].length_squared().total_cmp(&rest.positions[*b].length_squared()));
    let mut sample = Sample::new(rest, fabric, &sheet, |i, _| Some(i) == middle);
    let unit_load = end_forces(&sample.rest, across);
    let total: f64 = sample.mass.iter().sum();
    let mut curve = vec![[0.0, 0.0]];
    let (mut work, mut converged) = (0.0, true);
    for k in 1..=options.loads.max(1) {
        let load = REFERENCE_LOAD * f64::from(k) / f64::from(options.loads.max(1));
        let force: Vec<DVec3> = unit_load.iter().map(|f| *f * load).collect();
        let tolerance = BALANCE * load * SIZE[1] / total;
        let settings = SettleSettings { tolerance, first_step: 10.0, ..SettleSettings::default() };
        converged &= sample.settle(DVec3::ZERO, &force, &settings, rounds)?.converged;
        let strain = extension(&sample);
        let [before, load_before] = curve[curve.len() - 1];
        work += 0.5 * (load + load_before) * (strain - before / 100.0);
        curve.push([100.0 * strain, load]);
    }
    let extension = curve[curve.len() - 1][0];
    let (secant, linearity) = match direction {
        Direction::Warp => (fabric.stretch_warp, fabric.linearity_warp),
        Direction::Weft => (fabric.stretch_weft, fabric.linearity_weft),
    };
    let stiffness = 100.0 * REFERENCE_LOAD / extension;
    Ok(Tensile {
        direction,
        curve,
        extension,
        work,
        readings: [
            Reading::new("E·h", Unit::Stiffness, Some(direction), secant, stiffness, TOLERANCE),
            Reading::new(
                "LT",
                Unit::None,
                Some(direction),
                linearity,
                work / (0.005 * REFERENCE_LOAD * extension),
                TOLERANCE,
            ),
        ],
        converged,
        mesh: sample.shape(),
    })
}

/// Forces of a load of 1 N/m on the vertices in the jaws [N].
fn end_forces(rest: &TriMesh, across: usize) -> Vec<DVec3> {
    let edge = SIZE[1] / across as f64;
    let force = |p: &DVec3| {
        let is_corner = p.z.abs() > 0.5 * SIZE[1] - 0.1 * edge;
        let share = if is_corner { 0.5 * edge } else { edge };
        if p.x.abs() > 0.49 * SIZE[0] { DVec3::X * p.x.signum() * share } else { DVec3::ZERO }
    };
    rest.positions.iter().map(force).collect()
}

/// Relative distance of the mean places of both ends, less one.
fn extension(sample: &Sample) -> f64 {
    let mean = |side: f64| {
        let ends = sample.rest.positions.iter().zip(&sample.x).filter(|(p, _)| p.x * side > 0.49 * SIZE[0]);
        let (sum, count) = ends.fold((0.0, 0.0), |(sum, count), (_, x)| (sum + x.x, count + 1.0));
        sum / count
    };
    (mean(1.0) - mean(-1.0)) / SIZE[0] - 1.0
}
