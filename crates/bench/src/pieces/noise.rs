//! Smooth noise on the plane: random vectors at the points of a unit lattice, blended by quintics.
//!
//! The blend `6 w⁵ − 15 w⁴ + 10 w³` (Perlin 2002, "Improving Noise") makes the noise twice differentiable.

use toile_mesh::DVec3;

/// Noise at `(x, y)`, each coordinate within −1..1; another `seed` gives unrelated noise.
pub(super) fn vector_noise(x: f64, y: f64, seed: u32) -> DVec3 {
    let (i, j) = (x.floor(), y.floor());
    let [u, v] = [x - i, y - j].map(|w| w * w * w * (w * (6.0 * w - 15.0) + 10.0));
    let at = |di: i64, dj: i64| lattice_vector(i as i64 + di, j as i64 + dj, seed);
    at(0, 0).lerp(at(1, 0), u).lerp(at(0, 1).lerp(at(1, 1), u), v)
}

/// The random vector at a lattice point.
fn lattice_vector(i: i64, j: i64, seed: u32) -> DVec3 {
    let start = mix(mix(mix(u64::from(seed)) ^ i as u64) ^ j as u64);
    let unit = |bits: u64| (bits & 0xffff) as f64 / 32_767.5 - 1.0;
    DVec3::new(unit(start), unit(start >> 16), unit(start >> 32))
}

/// A bijection of 64 bits that spreads each bit over all (the finaliser of `SplitMix64`, Steele et al. 2014).
fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_meets_its_lattice_without_a_jump_in_slope() {
        for (x, y) in [(2.0, 0.3), (-1.0, 5.7), (0.0, -0.4)] {
            let slope = |side: f64| (vector_noise(x + side * 1e-5, y, 7) - vector_noise(x, y, 7)) / (side * 1e-5);
            assert!(slope(1.0).distance(slope(-1.0)) < 1e-3);
        }
        assert_eq!(vector_noise(3.0, -2.0, 7), lattice_vector(3, -2, 7));
    }

    #[test]
    fn lattice_values_fill_their_range_evenly() {
        let values: Vec<DVec3> = (0..4_096).map(|k| lattice_vector(k % 64 - 32, k / 64 - 32, 1)).collect();
        let mean = values.iter().sum::<DVec3>() / 4_096.0;
        let mean_square = values.iter().map(|v| *v * *v).sum::<DVec3>() / 4_096.0;
        assert!(mean.abs().max_element() < 0.05, "{mean}");
        assert!((mean_square - DVec3::splat(1.0 / 3.0)).abs().max_element() < 0.03, "{mean_square}");
    }
}
