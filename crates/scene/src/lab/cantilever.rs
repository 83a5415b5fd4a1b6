//! Cantilever test (ASTM D1388, option A): a strip of 2.5 cm is slid over an edge until the line from there to its tip is
//! 41.5° below the horizontal.
//!
//! At that angle the overhang is twice the bending length `c` (the exact elastica says 2.0004), and `B = σ g c³`. The strip hangs
//! elastically: friction between yarns is left out, because with it the answer depends on how the strip got there.
//!
//! The overhang is found by the secant method on settled shapes. Rows on the table are held; they clamp midway
//! between the last two of them, which is where the edge is put.

use toile_cloth::dynamics::SettleSettings;
use toile_cloth::fabric::cantilever::USUAL_CHORD_DEG;
use toile_cloth::fabric::{Cantilever as Elastica, STANDARD_GRAVITY};
use toile_cloth::{Fabric, SheetOptions};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh};

use super::each::{Rounds, whole};
use super::sample::Sample;
use super::{Cancelled, Direction, Reading, TestKind, Unit};

/// Width of the strip [m].
const WIDTH: f64 = 0.025;
/// Mean acceleration by forces left over [m/s²].
const REST: f64 = 1e-3;
/// How near the chord has to come to its angle [°]: a thousandth of the rigidity.
const CHORD_DEG: f64 = 0.03;
/// Strips tried at most.
const MOST_STRIPS: u32 = 12;
/// Differences from what was typed in that are allowed: rigidity, and bending length, its third root.
const TOLERANCE: f64 = 0.02;

/// What the cantilever test found.
#[derive(Clone, Debug)]
pub struct Cantilever {
    /// Direction of the strip.
    pub direction: Direction,
    /// Overhang [m] and angle of the chord [°] of every strip tried.
    pub tried: Vec<[f64; 2]>,
    /// Shape of the last one: distance from the edge and height [m] along its middle.
    pub profile: Vec<[f64; 2]>,
    /// Overhang [m].
    pub overhang: f64,
    /// Bending rigidity and bending length.
    pub readings: [Reading; 2],
    /// Whether forces were in balance and the chord at its angle.
    pub converged: bool,
    /// The strip.
    pub mesh: TriMesh,
}

/// Hangs strips of `cells` along their overhang.
///
/// ```
/// use toile_scene::lab::{Direction, cantilever::cantilever};
/// let poplin = toile_scene::fabric::find("cotton-poplin")?.fabric;
/// let test = cantilever(&poplin, Direction::Warp, 30);
/// assert!(test.converged && (test.overhang / (2.0 * poplin.bending_length(0.0)) - 1.0).abs() < 0.01);
/// # Ok::<(), toile_scene::fabric::FabricFileError>(())
/// ```
pub fn cantilever(fabric: &Fabric, direction: Direction, cells: usize) -> Cantilever {
    whole(TestKind::Cantilever, |rounds| overhang(fabric, direction, cells, rounds))
}

/// The same, round by round.
pub(super) fn overhang(
    fabric: &Fabric,
    direction: Direction,
    cells: usize,
    rounds: &mut Rounds<'_, '_>,
) -> Result<Cantilever, Cancelled> {
    let elastic = Fabric { hysteresis_warp: 0.0, hysteresis_weft: 0.0, ..fabric.clone() };
    let (typed, length) = match direction {
        Direction::Warp => (fabric.bend_warp, fabric.bending_length(0.0)),
        Direction::Weft => (fabric.bend_weft, fabric.bending_length(std::f64::consts::FRAC_PI_2)),
    };
    let mut tried: Vec<[f64; 2]> = Vec::new();
    let mut start: Option<Vec<DVec3>> = None;
    // Somewhere: the answer is not looked up.
    let mut overhang = 1.5 * length;
    let mut strip = Strip::new(&elastic, direction, cells, overhang);
    let mut converged = false;
    for _ in 0..MOST_STRIPS {
        strip = Strip::new(&elastic, direction, cells, overhang);
        let at_rest = strip.hang(start.as_deref(), rounds)?;
        let chord = strip.chord();
        tried.push([overhang, chord]);
        converged = at_rest && (chord - USUAL_CHORD_DEG).abs() <= CHORD_DEG;
        if converged || !chord.is_finite() {
            break;
        }
        start = Some(strip.sample.x.iter().map(|p| *p / overhang).collect());
        overhang = next_overhang(&tried);
    }
    let load = Elastica::with_chord(USUAL_CHORD_DEG.to_radians()).map_or(f64::NAN, |strip| strip.load);
    let rigidity = fabric.areal_density * STANDARD_GRAVITY * overhang.powi(3) / load;
    let length_read = (rigidity / (fabric.areal_density * STANDARD_GRAVITY)).cbrt();
    Ok(Cantilever {
        direction,
        tried,
        profile: strip.profile(),
        overhang,
        readings: [
            Reading::new("B", Unit::Bending, Some(direction), typed, rigidity, TOLERANCE),
            Reading::new("c", Unit::Length, Some(direction), length, length_read, TOLERANCE),
        ],
        converged,
        mesh: strip.sample.shape(),
    })
}

/// Secant through the last two strips; after the first one, by the cube of the overhang, which the angle goes with at first.
fn next_overhang(tried: &[[f64; 2]]) -> f64 {
    let [x1, y1] = tried[tried.len() - 1];
    let wanted = USUAL_CHORD_DEG;
    let next = if let [.., [x0, y0], _] = tried {
        x1 + (wanted - y1) * (x1 - x0) / (y1 - y0)
    } else {
        x1 * (wanted / y1).cbrt()
    };
    next.clamp(0.5 * x1, 2.0 * x1)
}

/// A strip over the edge of a table, which is at x = 0.
struct Strip {
    sample: Sample,
    cell: f64,
}

impl Strip {
    fn new(fabric: &Fabric, direction: Direction, cells: usize, overhang: f64) -> Self {
        let cells = cells.max(4);
        // Rows at −1½, −½ and ½ cells are held.
        let cell = overhang / (cells as f64 + 0.5);
        let length = overhang + 1.5 * cell;
        let across = ((WIDTH / cell).round() as usize).clamp(2, 4);
        let mut rest = grid([length, WIDTH], [cells + 3, across + 1], Diagonals::Alternating);
        for p in &mut rest.positions {
            p.x += 0.5 * length - 1.5 * cell;
        }
        let sheet = SheetOptions { grain: direction.grain(), ..SheetOptions::default() };
        Self { sample: Sample::new(rest, fabric, &sheet, |_, p| p.x < 0.6 * cell), cell }
    }

    /// Lets it hang, from the shape of another one relative to its overhang if there is one; whether it came to rest.
    fn hang(&mut self, start: Option<&[DVec3]>, rounds: &mut Rounds<'_, '_>) -> Result<bool, Cancelled> {
        if let Some(start) = start {
            let overhang = self.sample.rest.positions.iter().map(|p| p.x).fold(0.0, f64::max);
            let Sample { x, inverse, .. } = &mut self.sample;
            for ((x, start), inverse) in x.iter_mut().zip(start).zip(inverse) {
                if *inverse > 0.0 {
                    *x = (*start * overhang).with_z(x.z);
                }
            }
        }
        let settings = SettleSettings { tolerance: REST, most_steps: 1000, ..SettleSettings::default() };
        Ok(self.sample.settle(DVec3::NEG_Y * STANDARD_GRAVITY, &[], &settings, rounds)?.converged)
    }

    /// Mean place of the row at a length from the edge.
    fn row(&self, along: f64) -> DVec3 {
        let near = |p: &&(&DVec3, &DVec3)| (p.0.x - along).abs() < 0.1 * self.cell;
        let pairs: Vec<(&DVec3, &DVec3)> = self.sample.rest.positions.iter().zip(&self.sample.x).collect();
        let row: Vec<DVec3> = pairs.iter().filter(near).map(|(_, x)| **x).collect();
        row.iter().sum::<DVec3>() / row.len().max(1) as f64
    }

    fn rows(&self) -> impl Iterator<Item = f64> {
        let last = self.sample.rest.positions.iter().map(|p| p.x).fold(0.0, f64::max);
        let cells = (last / self.cell - 0.5).round() as usize;
        let cell = self.cell;
        (0..cells + 3).map(move |i| (i as f64 - 1.5) * cell)
    }

    /// Angle of the line from the edge to the tip below the horizontal [°].
    fn chord(&self) -> f64 {
        let tip = self.row(self.rows().last().unwrap_or(0.0));
        (-tip.y).atan2(tip.x).to_degrees()
    }

    fn profile(&self) -> Vec<[f64; 2]> {
        self.rows().map(|along| self.row(along)).map(|p| [p.x, p.y]).collect()
    }
}
