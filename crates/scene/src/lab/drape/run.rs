//! One drape: from the flat sheet to rest, in a [`World`] with the settings that every scene has.
//!
//! The middle of the specimen is held, as between the two discs of the instrument; the rest lies on a plate. Ripples of half a
//! millimetre, whose phases come from the seed, tell one run from another. The plate is lowered at an even speed until the hem cannot
//! reach it: a sheet that is dropped at once buckles into twice as many folds and stays there. Then the specimen is watched until its
//! drape coefficient has stopped changing.

use std::f64::consts::TAU;

use toile::prelude::*;
use toile::settings::AirModel;
use toile_mesh::judge;

use super::disc::Specimen;
use super::shadow::{SHADOW_CELL, nodes, shadow_area};
use super::{DrapeOptions, Yarns, coefficient};
use crate::lab::Cancelled;
use crate::lab::each::Rounds;

/// Heights of the ripples at the hem [m].
const RIPPLE: f64 = 5e-4;
/// Ripples around the sheet at most.
const MOST_RIPPLES: u32 = 10;
/// Cells in which the shadow is counted while the plate sinks [m].
const COARSE_CELL: f64 = 1e-3;
/// How far below the support the plate ends, relative to the overhang.
const BELOW: f64 = 1.3;
/// Time over which the drape coefficient must have stopped changing [s]: a sheet that hangs by 6 cm swings twice in it.
const WATCH: f64 = 1.0;
/// Change of the drape coefficient over that time up to which it counts as converged [points].
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
    /// Difference between the largest and the smallest coefficient over the last second [points].
    pub last_change: f64,
    /// Whether the coefficient has stopped changing.
    pub converged: bool,
    /// Pairs of triangles that intersect.
    pub intersections: usize,
    /// Coefficient over time: `[s, %]`.
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
    let Specimen { mesh: rest, held, hem } = Specimen::new(stand, rim, options.cell, options.meshing);
    let mut random = Random::new(options.seed.wrapping_add(u64::from(run)));
    // Between two of the six equal sectors of the mesh, anywhere.
    let grain = TAU * random.next();
    let mut start = rest.clone();
    ripple(&mut start.positions, stand, rim, &mut random);

    let settings = settings(options);
    let fabric = if options.yarns == Yarns::Rub { fabric.clone() } else { fabric.elastic() };
    // Just out of reach of the ripples.
    let top = 0.5 * fabric.thickness + 2.0 * RIPPLE;
    let at = |time: f64, height: f64| Keyframe { time, pose: Pose::at(DVec3::Y * height) };
    let motion = Motion::Keyframes(vec![at(0.0, -top), at(options.seconds, -BELOW * (rim - stand))]);
    let plate = Obstacle::new("plate", Shape::Plane, motion, Friction::Coulomb(fabric.friction));
    let frame_time = 1.0 / settings.time.frame_rate;
    let mut builder = WorldBuilder::new(settings);
    let flat = rest.positions.clone();
    let cloth = builder.cloth(Cloth { rest: flat, grain, ..Cloth::new("specimen", start, fabric) });
    builder.hold(Hold::new(cloth, held));
    builder.obstacle(plate);
    let Ok(mut world) = builder.build() else { unreachable!("a flat sheet above a plate starts well") };

    let whole = rest.area();
    let coefficient = |mesh: &TriMesh, cell: f64| coefficient(shadow_area(mesh, cell), whole, options.support);
    let mut course = Vec::new();
    let watched = (WATCH / frame_time).round() as usize;
    let mut last_change = f64::INFINITY;
    while world.time() < options.seconds + options.patience {
        rounds.next()?;
        world.advance();
        course.push([world.time(), coefficient(&world.cloth_mesh(), COARSE_CELL)]);
        let last = &course[course.len().saturating_sub(watched)..];
        let (low, high) = last.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), [_, c]| (low.min(*c), high.max(*c)));
        last_change = high - low;
        // A flat shadow may hide a plate that still carries the sheet.
        if world.time() >= options.seconds + WATCH && last_change <= LAST_CHANGE {
            break;
        }
    }
    let mesh = world.cloth_mesh();
    let (sin, cos) = grain.sin_cos();
    let hem: Vec<DVec3> = hem.iter().map(|i| mesh.positions[*i as usize]).collect();
    Ok(DrapeRun {
        grain,
        coefficient: coefficient(&mesh, SHADOW_CELL),
        nodes: nodes(&hem, rim - stand),
        last_change,
        converged: last_change <= LAST_CHANGE,
        intersections: judge::self_intersections(&mesh).count(),
        course,
        flat: rest.positions.iter().map(|p| [p.x * cos + p.z * sin, p.z * cos - p.x * sin]).collect(),
        hem: hem.iter().map(|p| [(-p.z).atan2(p.x).to_degrees(), p.x.hypot(p.z)]).collect(),
        mesh,
    })
}

/// Those of every scene of finite elements, in air; a specimen that moves slowly is not yet at rest.
fn settings(options: &DrapeOptions) -> Settings {
    let mut settings = Settings::default();
    settings.solver.model = Model::Fem;
    settings.solver.rest = false;
    settings.physics.membrane = options.membrane;
    settings.air.model = AirModel::Open;
    settings
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
