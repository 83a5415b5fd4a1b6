//! The specimen of the drape test: a round sheet whose rings know where the support ends.
//!
//! Held rings clamp the sheet midway between the last two of them: curvature is measured over three rings, so the last
//! held ring bends as if it were half a cell further in. The rings are therefore placed such that the edge of the support is
//! midway between two held ones, and the outermost ring is the hem:
//!
//! ```text
//! cell h = (R − r)/(m + ½)      last held ring at r + ½ h      m free rings up to R
//! ```

use toile_mesh::generate::disc;
use toile_mesh::{DVec3, TriMesh};

/// A specimen with its rings.
pub(super) struct Specimen {
    /// The flat shape, centred, at height 0.
    pub(super) mesh: TriMesh,
    /// The first vertex that is free; all before are held.
    pub(super) first_free: usize,
    /// The first vertex of the hem; all from there on are on it, in order around it.
    pub(super) first_of_hem: usize,
}

/// A specimen of radius `rim` on a support of radius `stand` [m], with `rings` free rings (at least 2).
pub(super) fn specimen(stand: f64, rim: f64, rings: usize) -> Specimen {
    let rings = rings.max(2);
    let cell = (rim - stand) / (rings as f64 + 0.5);
    let held_radius = stand + 0.5 * cell;
    let held = ((held_radius / cell).round() as usize).max(2);
    let all = held + rings;
    let mut mesh = disc(all as f64, all);
    for p in &mut mesh.positions {
        let ring = p.length();
        let radius = if ring <= held as f64 {
            // The last held cell is as wide as the free ones, so that the clamp is where it should be.
            let inner = held_radius - cell;
            if ring > held as f64 - 1.0 {
                inner + cell * (ring - (held as f64 - 1.0))
            } else {
                inner * ring / (held as f64 - 1.0)
            }
        } else {
            held_radius + cell * (ring - held as f64)
        };
        *p = p.try_normalize().map_or(DVec3::ZERO, |d| d * radius);
    }
    let vertices = |rings: usize| 1 + 3 * rings * (rings + 1);
    Specimen { mesh, first_free: vertices(held), first_of_hem: vertices(all - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_support_ends_midway_between_two_held_rings_and_the_hem_is_the_rim() {
        for rings in [2, 5, 8, 13] {
            let Specimen { mesh, first_free, first_of_hem } = specimen(0.09, 0.15, rings);
            let radius = |i: usize| mesh.positions[i].length();
            let cell = radius(first_free) - radius(first_free - 1);
            assert!((radius(first_free - 1) - 0.5 * cell - 0.09).abs() < 1e-9, "{rings}");
            let before = (0..first_free).map(radius).filter(|r| *r < radius(first_free - 1) - 1e-9).fold(0.0, f64::max);
            assert!((radius(first_free - 1) - cell - before).abs() < 1e-9, "{rings}");
            assert!((first_of_hem..mesh.vertex_count()).all(|i| (radius(i) - 0.15).abs() < 1e-9));
            assert!((0..first_of_hem).all(|i| radius(i) < 0.15 - 0.5 * cell));
        }
    }
}
