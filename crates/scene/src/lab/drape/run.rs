//! One drape: from the flat sheet to rest.
//!
//! The sheet starts flat with ripples of half a millimetre, whose phases come from the seed. Its weight grows slowly, as the
//! plate under it is lowered in the instrument: a sheet that is dropped at once buckles into twice as many folds and stays
//! there. It moves by implicit Euler with the viscosity of the fabric, and yarns slip as far as their friction lets them. What is left of the motion is then
//! thrown away and the equilibrium is solved for ([`Stepper::settle`](toile_cloth::dynamics::Stepper::settle)), first
//! loosely, then ten times as well; what the drape coefficient changes between the two is the measure of how much
//! the number can be trusted.

use std::f64::consts::TAU;

use toile_cloth::dynamics::{History, Integrator, Loads, Masses, Moving, NewtonSettings, NoContacts, SettleSettings};
use toile_cloth::element::Bend;
use toile_cloth::fabric::STANDARD_GRAVITY;
use toile_cloth::{Fabric, SheetOptions};
use toile_mesh::{DVec3, TriMesh, judge};

use super::disc::{Specimen, specimen};
use super::shadow::{SHADOW_CELL, nodes, shadow_area};
use super::{DrapeOptions, Yarns};
use crate::lab::Cancelled;
use crate::lab::each::Rounds;
use crate::lab::sample::Sample;

/// Step of the fall [s].
const STEP: f64 = 1.0 / 30.0;
/// Stiffness of the softer threads relative to shear, at most.
const THREADS_PER_SHEAR: f64 = 15.0;
/// Share of the fall during which gravity grows to its full size.
const LOADING: f64 = 0.75;
/// Heights of the ripples at the hem [m].
const RIPPLE: f64 = 5e-4;
/// Ripples around the sheet at most.
const MOST_RIPPLES: u32 = 10;
/// Cells in which the shadow is counted while the sheet falls [m].
const COARSE_CELL: f64 = 1e-3;
/// Steps between two counts.
const COUNT_EVERY: u32 = 3;
/// Mean acceleration by forces left over at the end [m/s²]: half a thousandth of gravity.
pub(super) const REST: f64 = 5e-3;
/// Change of the drape coefficient over the last stretch up to which it counts as converged [points].
pub const LAST_CHANGE: f64 = 0.5;

/// One drape of a specimen.
#[derive(Clone, Debug)]
pub struct DrapeRun {
    /// Direction of the warp on the specimen, from x towards z [rad].
    pub grain: f64,
    /// Drape coefficient [%].
    pub coefficient: f64,
    /// Folds of the hem.
    pub nodes: usize,
    /// Mean acceleration by forces left over [m/s²].
    pub residual: f64,
    /// Change of the coefficient while that fell by the last factor of ten [points].
    pub last_change: f64,
    /// Whether forces are in balance and the coefficient has stopped changing.
    pub converged: bool,
    /// Pairs of triangles that intersect: the test does not hinder the sheet from passing through itself.
    pub intersections: usize,
    /// Coefficient over time while the sheet fell: `[s, %]`.
    pub course: Vec<[f64; 2]>,
    /// The draped specimen; the support is at height 0.
    pub mesh: TriMesh,
    /// Its flat shape in (warp, weft) coordinates [m], for patterns.
    pub flat: Vec<[f64; 2]>,
    /// The hem, around once: angle [deg] and distance from the axis [m] of each vertex.
    pub hem: Vec<[f64; 2]>,
}

/// Drapes one specimen; runs of other numbers have other ripples and another grain.
pub(super) fn drape(
    fabric: &Fabric,
    options: &DrapeOptions,
    run: u32,
    rounds: &mut Rounds<'_, '_>,
) -> Result<DrapeRun, Cancelled> {
    let (stand, rim) = (0.5 * options.support, 0.5 * options.specimen);
    let Specimen { mesh, first_free, first_of_hem } = specimen(stand, rim, options.rings);
    let mut random = Random::new(options.seed.wrapping_add(u64::from(run)));
    // Between two of the six equal sectors of the mesh, anywhere.
    let grain = TAU * random.next();
    let fabric = specimen_fabric(fabric, options.yarns);
    let sheet = SheetOptions { membrane: options.membrane, grain, ..SheetOptions::default() };
    let whole = mesh.area();
    let mut sample = Sample::new(mesh, &fabric, &sheet, |i, _| i < first_free);
    ripple(&mut sample.x, stand, rim, &mut random);
    let under = std::f64::consts::PI * stand * stand;
    let coefficient = |mesh: &TriMesh, cell: f64| 100.0 * (shadow_area(mesh, cell) - under) / (whole - under);
    let mut course = Vec::new();
    let look = |time: f64, sample: &Sample| course.push([time, coefficient(&sample.shape(), COARSE_CELL)]);
    fall(&mut sample, options.seconds, look, rounds)?;

    let gravity = DVec3::NEG_Y * STANDARD_GRAVITY;
    let settings =
        SettleSettings { tolerance: 10.0 * REST, most_steps: options.most_steps, ..SettleSettings::default() };
    let _ = sample.settle(gravity, &[], &settings, rounds)?;
    let before = coefficient(&sample.shape(), SHADOW_CELL);
    let report = sample.settle(gravity, &[], &SettleSettings { tolerance: REST, ..settings }, rounds)?;
    let mesh = sample.shape();
    let after = coefficient(&mesh, SHADOW_CELL);
    let last_change = (after - before).abs();
    let (sin, cos) = grain.sin_cos();
    let hem = &mesh.positions[first_of_hem..];
    Ok(DrapeRun {
        grain,
        coefficient: after,
        nodes: nodes(hem, rim - stand),
        residual: report.residual,
        last_change,
        converged: report.converged && last_change <= LAST_CHANGE,
        intersections: judge::self_intersections(&mesh).count(),
        course,
        flat: sample.rest.positions.iter().map(|p| [p.x * cos + p.z * sin, p.z * cos - p.x * sin]).collect(),
        hem: hem.iter().map(|p| [(-p.z).atan2(p.x).to_degrees(), p.x.hypot(p.z)]).collect(),
        mesh,
    })
}

/// The fabric with threads no stiffer than drape can see; see [the module](super).
fn specimen_fabric(fabric: &Fabric, yarns: Yarns) -> Fabric {
    let [warp, weft] = fabric.initial_stretch();
    let share = (THREADS_PER_SHEAR * fabric.shear / warp.min(weft)).min(1.0);
    let rub = if yarns == Yarns::Rub { 1.0 } else { 0.0 };
    Fabric {
        stretch_warp: share * warp,
        stretch_weft: share * weft,
        linearity_warp: 1.0,
        linearity_weft: 1.0,
        hysteresis_warp: rub * fabric.hysteresis_warp,
        hysteresis_weft: rub * fabric.hysteresis_weft,
        ..fabric.clone()
    }
}

/// Lets the sheet fall for some seconds; `look` is called now and then.
fn fall(
    sample: &mut Sample,
    seconds: f64,
    mut look: impl FnMut(f64, &Sample),
    rounds: &mut Rounds<'_, '_>,
) -> Result<(), Cancelled> {
    // Enough for the moments in which folds snap.
    let newton = NewtonSettings { most_iterations: 30, ..NewtonSettings::default() };
    let mut v = vec![DVec3::ZERO; sample.x.len()];
    let mut history = History::default();
    let held = sample.x.clone();
    for step in 0..(seconds / STEP).round() as u32 {
        rounds.next()?;
        if step % COUNT_EVERY == 0 {
            look(f64::from(step) * STEP, sample);
        }
        let Sample { stepper, x, mass, inverse, .. } = sample;
        let weight = (f64::from(step + 1) * STEP / (LOADING * seconds)).min(1.0);
        let loads = Loads { gravity: DVec3::NEG_Y * (weight * STANDARD_GRAVITY), ..Loads::default() };
        let moving = Moving { x, v: &mut v, history: &mut history };
        let masses = Masses { mass, inverse };
        let method = Integrator::ImplicitEuler;
        let _ = stepper.advance(method, moving, &held, masses, &loads, &mut NoContacts, &newton, STEP);
        let slip = |bend: &mut Bend| bend.update(x);
        stepper.energies_mut().bends.elements_mut().iter_mut().for_each(slip);
    }
    Ok(())
}

/// Ripples of the overhang, higher towards the hem.
fn ripple(x: &mut [DVec3], stand: f64, rim: f64, random: &mut Random) {
    let waves: Vec<[f64; 3]> = (1..=MOST_RIPPLES)
        .map(|k| [f64::from(k), random.next() / f64::from(MOST_RIPPLES), TAU * random.next()])
        .collect();
    for p in x {
        let out = ((p.length() - stand) / (rim - stand)).clamp(0.0, 1.0);
        let angle = p.z.atan2(p.x);
        let height: f64 = waves.iter().map(|[k, high, phase]| high * (k * angle + phase).cos()).sum();
        p.y += RIPPLE * out * out * height;
    }
}

/// Numbers in 0–1 from a seed (`SplitMix64`; Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
