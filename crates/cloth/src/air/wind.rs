//! [`Gusts`]: wind far from bodies, a function of point, time and seed alone.
//!
//! ```text
//! w(p, t) = fade(t) [ m + m̂ a g(t) + s(p, t) ]
//! g(t)    = ¼ Σ cos 2π(f_i t + φ_i)                       f_i about the gust frequency, |g| ≤ 1
//! s(p, t) = Σ b_i cos 2π(q_i·(p − m t) + ν_i t + φ_i)     b_i ⟂ q_i
//! ```
//!
//! with the mean velocity `m` and the amplitude `a` of gusts along it. The turbulence `s` is Kraichnan's random
//! velocity field (1970, *Diffusion by a random velocity field*): every wave is transverse, `b_i·q_i = 0`, so the sum
//! is free of divergence exactly; wave numbers `|q_i|` (in cycles per metre) are spaced evenly in the logarithm from
//! one to eight per length scale, with `|b_i|² ∝ |q_i|^(−2/3)` as in Kolmogorov's spectrum; it travels with the mean
//! wind (Taylor's hypothesis) and changes at frequencies `ν_i ∝ |q_i|^(2/3)`.
//!
//! Amplitudes are set, only directions, frequencies and phases are drawn; `turbulence` is the root mean square of each
//! component over space and directions. A lattice noise was rejected: its curl stands still at every lattice point.
//! All numbers come from a counter hashed with the seed, and cosines from a polynomial, so every platform agrees.

use toile_mesh::DVec3;

use super::smooth_step;

/// Waves that make up turbulence: enough that no direction stands out, cheap enough for every particle.
const WAVES: usize = 16;

/// Waves that make up gusts.
const GUST_WAVES: usize = 4;

/// Settings of a wind. The default is calm air.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wind {
    /// Mean velocity [m/s].
    pub mean: DVec3,
    /// Largest deviation of the speed along the mean direction [m/s], equal everywhere.
    pub gust: f64,
    /// Frequency about which gusts come [Hz].
    pub gust_frequency: f64,
    /// Root mean square of each component of the turbulence [m/s].
    pub turbulence: f64,
    /// Length of the largest eddies [m]; without a positive length there is no turbulence.
    pub length: f64,
    /// Frequency at which the largest eddies change while they travel [Hz].
    pub turbulence_frequency: f64,
    /// Time until the wind has grown to full strength [s]; it grows smoothly from calm at time 0.
    pub fade_in: f64,
    /// Which of all such winds.
    pub seed: u64,
}

impl Default for Wind {
    fn default() -> Self {
        Self {
            mean: DVec3::ZERO,
            gust: 0.0,
            gust_frequency: 0.5,
            turbulence: 0.0,
            length: 1.0,
            turbulence_frequency: 0.5,
            fade_in: 0.0,
            seed: 0,
        }
    }
}

/// One term `b cos 2π(q·p + ν t + φ)`.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Wave {
    amplitude: DVec3,
    number: DVec3,
    frequency: f64,
    phase: f64,
}

/// A wind that can be asked for its velocity.
///
/// ```
/// use toile_cloth::air::{Gusts, Wind};
/// use toile_mesh::DVec3;
/// let gusts = Gusts::new(Wind { mean: DVec3::new(5.0, 0.0, 0.0), turbulence: 0.5, ..Wind::default() });
/// let w = gusts.velocity(DVec3::new(0.1, 1.0, 0.3), 2.0);
/// assert!(w.x > 2.0 && w.y != 0.0);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Gusts {
    wind: Wind,
    /// Unit vector along the mean; zero in calm air.
    direction: DVec3,
    /// Frequencies [Hz] and phases [turns] of the gusts.
    swells: [[f64; 2]; GUST_WAVES],
    waves: [Wave; WAVES],
}

impl Gusts {
    /// Draws the gusts and eddies of `wind`.
    pub fn new(wind: Wind) -> Self {
        let mut random = Random { seed: wind.seed, count: 0 };
        let swells = std::array::from_fn(|i| {
            let factor = 0.5 + (i as f64 + random.unit()) / GUST_WAVES as f64;
            [wind.gust_frequency * factor, random.unit()]
        });
        let strengths: [f64; WAVES] = std::array::from_fn(|i| cube_root_of_cycles(i).recip());
        let scale = f64::sqrt(6.0 / strengths.iter().map(|s| s * s).sum::<f64>());
        let waves = std::array::from_fn(|i| {
            let number = random.direction();
            let amplitude = number.cross(random.direction()).try_normalize().unwrap_or(number.any_orthonormal_vector());
            let root = cube_root_of_cycles(i);
            let frequency = wind.turbulence_frequency * root * root * (2.0 * random.unit() - 1.0);
            let number = number * (root * root * root / wind.length);
            Wave {
                amplitude: amplitude * (wind.turbulence * scale * strengths[i]),
                number,
                frequency: frequency - number.dot(wind.mean),
                phase: random.unit(),
            }
        });
        Self { wind, direction: wind.mean.normalize_or_zero(), swells, waves }
    }

    /// The settings this was made from.
    pub fn wind(&self) -> &Wind {
        &self.wind
    }

    /// Wind at a point `p` [m] and a time `t` [s], in [m/s].
    pub fn velocity(&self, p: DVec3, t: f64) -> DVec3 {
        let mut sum = self.wind.mean;
        if self.wind.gust != 0.0 {
            let waves = self.swells.iter().map(|[frequency, phase]| cos_turns(frequency * t + phase));
            sum += self.direction * (self.wind.gust * waves.sum::<f64>() / GUST_WAVES as f64);
        }
        if self.wind.turbulence != 0.0 && self.wind.length > 0.0 {
            for wave in &self.waves {
                sum += wave.amplitude * cos_turns(wave.number.dot(p) + wave.frequency * t + wave.phase);
            }
        }
        if self.wind.fade_in > 0.0 { sum * smooth_step(t / self.wind.fade_in) } else { sum }
    }
}

/// Cube root of the cycles of wave `i` per length scale: 1 to 2, by multiplication only.
fn cube_root_of_cycles(i: usize) -> f64 {
    const FIFTEENTH_ROOT_OF_TWO: f64 = 1.047_294_122_820_626_7;
    (0..i).fold(1.0, |product, _| product * FIFTEENTH_ROOT_OF_TWO)
}

/// `cos 2πx`, to 1e-11: the sine series about a quarter turn, of at most a quarter turn.
fn cos_turns(x: f64) -> f64 {
    /// Adding and subtracting 1.5·2⁵² rounds to a whole number; `round` may be a slow call.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    /// `sin y / y` is 1 − y²/(2·3) (1 − y²/(4·5) (1 − …)), here up to y¹⁶.
    const SERIES: [f64; 8] = [
        1.0 / (16.0 * 17.0),
        1.0 / (14.0 * 15.0),
        1.0 / (12.0 * 13.0),
        1.0 / (10.0 * 11.0),
        1.0 / (8.0 * 9.0),
        1.0 / (6.0 * 7.0),
        1.0 / (4.0 * 5.0),
        1.0 / (2.0 * 3.0),
    ];
    let y = std::f64::consts::TAU * (0.25 - (x - ((x + WHOLE) - WHOLE)).abs());
    let y_sq = y * y;
    y * SERIES.iter().fold(1.0, |tail, factor| 1.0 - y_sq * factor * tail)
}

/// Numbers from a counter: the finalizer of `SplitMix64` (Steele, Lea, Flood 2014).
struct Random {
    seed: u64,
    count: u64,
}

impl Random {
    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        self.count += 1;
        let mut z = self.seed.wrapping_add(self.count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A direction, uniform on the sphere.
    fn direction(&mut self) -> DVec3 {
        let (z, turn) = (2.0 * self.unit() - 1.0, self.unit());
        let r = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(r * cos_turns(turn), r * cos_turns(turn - 0.25), z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lively() -> Wind {
        Wind { mean: DVec3::new(3.0, 0.0, 1.0), gust: 1.5, turbulence: 0.8, length: 0.5, seed: 7, ..Wind::default() }
    }

    #[test]
    fn the_cosine_is_a_cosine() {
        for i in -4000..4000 {
            let x = f64::from(i) * 0.00173;
            assert!((cos_turns(x) - (std::f64::consts::TAU * x).cos()).abs() < 1e-11);
        }
    }

    #[test]
    fn without_gusts_and_turbulence_the_wind_is_its_mean() {
        let mean = DVec3::new(1.0, 2.0, 3.0);
        assert_eq!(Gusts::new(Wind { mean, ..Wind::default() }).velocity(DVec3::X, 3.0), mean);
    }

    #[test]
    fn the_wind_has_no_divergence() {
        let gusts = Gusts::new(lively());
        let h = 1e-4;
        for i in 0..50 {
            let p = DVec3::new(0.13, 0.07, -0.21) * f64::from(i);
            let slope = |e: DVec3| (gusts.velocity(p + h * e, 1.7) - gusts.velocity(p - h * e, 1.7)) / (2.0 * h);
            let (dx, dy, dz) = (slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
            assert!((dx.x + dy.y + dz.z).abs() < 1e-3, "divergence at {p}");
            assert!(dx.length() + dy.length() + dz.length() > 0.1, "it varies in space");
        }
    }

    #[test]
    fn turbulence_has_the_stated_strength_and_gusts_their_bound() {
        let gusts = Gusts::new(Wind { gust: 0.0, ..lively() });
        let deviations = (0..20_000).map(|i| {
            let s = f64::from(i);
            gusts.velocity(DVec3::new(0.37, 0.71, 0.53) * s, 0.01 * s) - gusts.wind().mean
        });
        // Over one field the three components differ, their sum of squares does not.
        let mean_square = deviations.map(DVec3::length_squared).sum::<f64>() / 20_000.0 / 3.0;
        assert!((mean_square.sqrt() - 0.8).abs() < 0.03, "{}", mean_square.sqrt());

        let gusts = Gusts::new(Wind { turbulence: 0.0, ..lively() });
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for i in 0..2000 {
            let w = gusts.velocity(DVec3::ZERO, 0.05 * f64::from(i));
            assert!(w.cross(gusts.wind().mean).length() < 1e-12);
            (least, most) = (least.min(w.length()), most.max(w.length()));
        }
        let mean = gusts.wind().mean.length();
        assert!(least >= mean - 1.5 && least < mean - 0.75 && most <= mean + 1.5 && most > mean + 0.75);
    }

    #[test]
    fn turbulence_travels_with_the_mean_wind() {
        let gusts = Gusts::new(Wind { gust: 0.0, turbulence_frequency: 0.0, ..lively() });
        let p = DVec3::new(0.2, 0.4, 0.1);
        let later = gusts.velocity(p + 2.5 * gusts.wind().mean, 2.5);
        assert!((later - gusts.velocity(p, 0.0)).length() < 1e-9);
    }

    #[test]
    fn the_wind_changes_little_over_short_times_and_fades_in() {
        let gusts = Gusts::new(Wind { fade_in: 2.0, ..lively() });
        assert_eq!(gusts.velocity(DVec3::ONE, 0.0), DVec3::ZERO);
        let full = Gusts::new(lively());
        assert_eq!(gusts.velocity(DVec3::ONE, 2.0), full.velocity(DVec3::ONE, 2.0));
        let half = gusts.velocity(DVec3::ONE, 1.0);
        assert!((half - 0.5 * full.velocity(DVec3::ONE, 1.0)).length() < 1e-12);
        for i in 0..1000 {
            let t = 0.01 * f64::from(i);
            assert!((gusts.velocity(DVec3::ONE, t + 1e-5) - gusts.velocity(DVec3::ONE, t)).length() < 5e-3);
        }
    }

    #[test]
    fn the_seed_chooses_the_wind() {
        let at = |seed| Gusts::new(Wind { seed, ..lively() }).velocity(DVec3::ONE, 1.0);
        assert_eq!(at(1), at(1));
        assert!((at(1) - at(2)).length() > 1e-3);
    }

    #[test]
    fn useless_settings_give_finite_wind() {
        for length in [0.0, -1.0, f64::NAN] {
            assert!(Gusts::new(Wind { length, ..lively() }).velocity(DVec3::ONE, 1.0).is_finite());
        }
    }
}
