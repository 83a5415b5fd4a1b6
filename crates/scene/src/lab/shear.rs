//! Shear test of KES-F: 5 cm between the jaws, 20 cm wide, pulled by 9.8 N/m and sheared to ±8°.
//!
//! One jaw moves sideways until the sample leans by `θ`; its distance follows from the tension `T`. The force per width
//! that this takes is `F`; the tension pulls back with a part of it, so the effective one is `c (F − T tan θ)` (Kawabata 1980; `c`, the
//! stretch along the pull, refers it to the unloaded sample, which matters for knits). `G` is its slope between 0.5° and
//! 2.5°.
//!
//! Measured along threads ([`MembraneKind::Threads`]) this reads `G`. Corotational strains do not see that threads which lean
//! get longer, and read `G − T/4`: under a tension of `4 G`, which the tensile test exceeds for most cloth, such a
//! sheet shears by itself.
//!
//! The sides of the sample follow the shear. Free sides carry no shear in a seam of about `L √(G/E)` each, which
//! lowers the reading by a few per cent for cloth and by a fifth for leather; the real instrument has that error,
//! this one reads the material. The sample may also slide sideways in the jaws, as in the tensile test. So the shape is
//! `x = (a u + d v, c v)` with `tan θ = d/c`, where `a` and `c` make the sideways stress zero and the stress along
//! the pull `T`. Forces come from the gradient of the mesh's energy by virtual work, and that the vertices inside are at rest
//! is checked.

use toile_cloth::{Fabric, MembraneKind, SheetOptions};
use toile_mesh::generate::{Diagonals, grid};
use toile_mesh::{DVec3, TriMesh};

use super::each::{Rounds, whole};
use super::sample::Sample;
use super::{Cancelled, Reading, TestKind, Unit};

/// Width and distance of the jaws [m].
const SIZE: [f64; 2] = [0.20, 0.05];
/// Load along the sample, T [N/m]: 10 gf/cm.
const TENSION: f64 = 9.80665;
/// Largest angle and its steps [°].
const LARGEST_DEG: f64 = 8.0;
const STEP_DEG: f64 = 0.5;
/// Angles between which the slope is read [°].
const SLOPE_DEG: [f64; 2] = [0.5, 2.5];
/// Difference from what was typed in that is allowed.
const TOLERANCE: f64 = 0.01;
/// Forces left over inside, relative to those in the jaws, that count as none.
const BALANCE: f64 = 1e-6;

/// What the shear test found.
#[derive(Clone, Debug)]
pub struct Shear {
    /// Angle [°] and effective force [N/m], from −8° to 8°.
    pub curve: Vec<[f64; 2]>,
    /// Shear stiffness per radian.
    pub reading: Reading,
    /// Whether forces were in balance at every angle.
    pub converged: bool,
    /// The sample at 8°.
    pub mesh: TriMesh,
}

/// Shears a sample whose mesh has `cells` between the jaws.
///
/// ```
/// use toile_cloth::MembraneKind;
/// let poplin = toile_scene::fabric::find("cotton-poplin")?.fabric;
/// let test = toile_scene::lab::shear::shear(&poplin, MembraneKind::Threads, 3);
/// assert!(test.converged && test.reading.is_within());
/// # Ok::<(), toile_scene::fabric::FabricFileError>(())
/// ```
pub fn shear(fabric: &Fabric, membrane: MembraneKind, cells: usize) -> Shear {
    whole(TestKind::Shear, |rounds| lean(fabric, membrane, cells, rounds))
}

/// The same, round by round.
pub(super) fn lean(
    fabric: &Fabric,
    membrane: MembraneKind,
    cells: usize,
    rounds: &mut Rounds<'_, '_>,
) -> Result<Shear, Cancelled> {
    let cells = cells.max(1);
    let across = (cells as f64 * SIZE[0] / SIZE[1]).round() as usize;
    let rest = grid(SIZE, [across + 1, cells + 1], Diagonals::Alternating);
    let sheet = SheetOptions { membrane, ..SheetOptions::default() };
    let mut frame = Frame { sample: Sample::new(rest, fabric, &sheet, |_, _| false), stretch: [1.0, 1.0] };
    let (mut curve, mut converged) = (Vec::new(), true);
    let steps = (LARGEST_DEG / STEP_DEG).round() as i32;
    for k in -steps..=steps {
        rounds.next()?;
        let degrees = f64::from(k) * STEP_DEG;
        let tan = degrees.to_radians().tan();
        converged &= frame.balance(tan);
        let [_, _, force] = frame.stresses(tan);
        curve.push([degrees, frame.stretch[1] * (force - TENSION * tan)]);
        converged &= frame.is_at_rest_inside();
    }
    let at = |degrees: f64| {
        let near = |p: &&[f64; 2]| (p[0] - degrees).abs() < 0.5 * STEP_DEG;
        curve.iter().find(near).map_or(f64::NAN, |p| p[1])
    };
    let slope = |sign: f64| {
        let [low, high] = SLOPE_DEG.map(|d| d * sign);
        (at(high) - at(low)) / (high - low).to_radians()
    };
    let stiffness = 0.5 * (slope(1.0) + slope(-1.0));
    let reading = Reading::new("G", Unit::Shear, None, fabric.shear, stiffness, TOLERANCE);
    Ok(Shear { curve, reading, converged, mesh: frame.sample.shape() })
}

/// A sample between the jaws.
struct Frame {
    sample: Sample,
    /// Stretch across and along.
    stretch: [f64; 2],
}

impl Frame {
    /// Stresses per width across, along and sideways [N/m] at the angle whose tangent is given.
    fn stresses(&mut self, tan: f64) -> [f64; 3] {
        let [a, c] = self.stretch;
        let Sample { x, rest, .. } = &mut self.sample;
        for (x, p) in x.iter_mut().zip(&rest.positions) {
            *x = DVec3::new(a * p.x + c * tan * p.z, 0.0, c * p.z);
        }
        let gradient = self.sample.gradient();
        let mut sums = [0.0; 3];
        for (g, p) in gradient.iter().zip(&self.sample.rest.positions) {
            sums[0] += g.x * p.x;
            sums[1] += g.z * p.z;
            sums[2] += g.x * p.z;
        }
        sums.map(|s| s / (SIZE[0] * SIZE[1]))
    }

    /// Finds the stretches with no stress across and the tension along, by Newton's method; whether it did.
    fn balance(&mut self, tan: f64) -> bool {
        const SMALL: f64 = 1e-6;
        for _ in 0..30 {
            let [across, along, _] = self.stresses(tan);
            let miss = [across, along - TENSION];
            if miss.iter().all(|m| m.abs() < BALANCE * TENSION) {
                return true;
            }
            let mut columns = [[0.0; 2]; 2];
            for (k, column) in columns.iter_mut().enumerate() {
                self.stretch[k] += SMALL;
                let [s, t, _] = self.stresses(tan);
                self.stretch[k] -= SMALL;
                *column = [(s - across) / SMALL, (t - along) / SMALL];
            }
            let [[p, q], [r, s]] = columns;
            let determinant = p * s - q * r;
            if determinant.abs() < f64::MIN_POSITIVE {
                return false;
            }
            self.stretch[0] -= (s * miss[0] - r * miss[1]) / determinant;
            self.stretch[1] -= (p * miss[1] - q * miss[0]) / determinant;
        }
        false
    }

    /// Whether no force is left over on vertices that are not on the border.
    fn is_at_rest_inside(&mut self) -> bool {
        let gradient = self.sample.gradient();
        let border = |p: DVec3| p.x.abs() > 0.499 * SIZE[0] || p.z.abs() > 0.499 * SIZE[1];
        let largest = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
        let inside = gradient.iter().zip(&self.sample.rest.positions).filter(|(_, p)| !border(**p));
        inside.map(|(g, _)| g.length()).fold(0.0, f64::max) <= BALANCE * largest
    }
}
