//! The specimen of the drape test: a round sheet whose vertices know where the support ends.
//!
//! Held rows clamp a sheet midway between the last two of them: curvature is measured over three rows, so the last
//! held row bends as if it were half a cell further in. Vertices are therefore held up to half a cell beyond the edge of the
//! support. Rings are placed such that the edge is exactly midway between two of them, and the outermost ring is the hem:
//!
//! ```text
//! cell h = (R − r)/(m + ½)      last held ring at r + ½ h      m free rings up to R
//! ```

use std::f64::consts::TAU;

use toile_garment::mesh::FlatMesh;
use toile_garment::{Curve, Edge, Panel, Pattern, Point};
use toile_mesh::generate::disc;
use toile_mesh::{DVec3, TriMesh};

use super::Meshing;

/// A specimen, flat, centred, at height 0.
pub(super) struct Specimen {
    pub(super) mesh: TriMesh,
    /// Vertices on the support.
    pub(super) held: Vec<u32>,
    /// Vertices of the hem, around once.
    pub(super) hem: Vec<u32>,
}

impl Specimen {
    /// A specimen of radius `rim` on a support of radius `stand`, with cells of about `cell` [m].
    pub(super) fn new(stand: f64, rim: f64, cell: f64, meshing: Meshing) -> Self {
        let free = ((rim - stand) / cell - 0.5).round().max(2.0);
        let cell = (rim - stand) / (free + 0.5);
        let mesh = match meshing {
            Meshing::Rings => rings(stand, rim, cell, free as usize),
            Meshing::Random => random(rim, cell),
        };
        let radius = |i: &u32| mesh.positions[*i as usize].length();
        let all = 0..mesh.vertex_count() as u32;
        let held = all.clone().filter(|i| radius(i) < stand + 0.55 * cell).collect();
        let mut hem: Vec<u32> = all.filter(|i| radius(i) > rim - 1e-9).collect();
        let angle = |i: &u32| mesh.positions[*i as usize].z.atan2(mesh.positions[*i as usize].x);
        hem.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        Self { mesh, held, hem }
    }
}

/// A disc of rings, `free` of them beyond those that are held.
fn rings(stand: f64, rim: f64, cell: f64, free: usize) -> TriMesh {
    let held_radius = stand + 0.5 * cell;
    let held = ((held_radius / cell).round() as usize).max(2);
    let all = held + free;
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
            // To the last bit, so that the hem is at the rim.
            (held_radius + cell * (ring - held as f64)).min(rim)
        };
        *p = p.try_normalize().map_or(DVec3::ZERO, |d| d * radius);
    }
    mesh
}

/// A disc as garments are meshed: no direction is like another.
fn random(rim: f64, cell: f64) -> TriMesh {
    let corners = (TAU * rim / cell).round() as usize;
    let corner = |k: usize| {
        let (sin, cos) = (TAU * k as f64 / corners as f64).sin_cos();
        Edge::new(format!("{k}"), Point::new(rim * cos, rim * sin), Curve::Line)
    };
    let panel = Panel::new("specimen", (0..corners).map(corner).collect());
    let pattern = Pattern { name: "specimen".to_owned(), panels: vec![panel], seams: Vec::new() };
    let Ok(flat) = FlatMesh::new(&pattern, cell) else { unreachable!("a disc can be meshed") };
    let panel = &flat.panels[0];
    let positions = panel.positions.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
    TriMesh::from_indices(positions, &panel.triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_support_ends_midway_between_two_held_rings_and_the_hem_is_the_rim() {
        for cell in [0.024, 0.011, 0.007, 0.0044] {
            let Specimen { mesh, held, hem } = Specimen::new(0.09, 0.15, cell, Meshing::Rings);
            let radius = |i: u32| mesh.positions[i as usize].length();
            let last = held.iter().map(|i| radius(*i)).fold(0.0, f64::max);
            let next = (0..mesh.vertex_count() as u32).map(radius).filter(|r| *r > last + 1e-9).fold(1.0, f64::min);
            let before = held.iter().map(|i| radius(*i)).filter(|r| *r < last - 1e-9).fold(0.0, f64::max);
            assert!((last - 0.5 * (next - last) - 0.09).abs() < 1e-9, "{cell}");
            assert!((next - last - (last - before)).abs() < 1e-9, "{cell}");
            assert!(hem.iter().all(|i| (radius(*i) - 0.15).abs() < 1e-9) && hem.len() > 20);
        }
    }

    #[test]
    fn a_random_specimen_has_the_same_size_and_cells_of_the_same_size() {
        let [rings, random] =
            [Meshing::Rings, Meshing::Random].map(|meshing| Specimen::new(0.09, 0.15, 0.007, meshing));
        assert!((random.mesh.area() / rings.mesh.area() - 1.0).abs() < 1e-3);
        let ratio = random.mesh.face_count() as f64 / rings.mesh.face_count() as f64;
        assert!((0.8..1.4).contains(&ratio), "{ratio}");
        assert!(random.mesh.positions.iter().all(|p| p.y == 0.0));
        // Counter-clockwise from above, as rings are.
        assert!(random.mesh.faces().all(|f| {
            let [a, b, c] = random.mesh.corners(f);
            (b - a).cross(c - a).y > 0.0
        }));
    }
}
