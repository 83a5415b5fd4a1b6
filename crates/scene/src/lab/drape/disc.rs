//! The specimen of the drape test: a round sheet whose vertices know where the support ends.
//!
//! Held rows clamp a sheet midway between the last two of them: curvature is measured over three rows, so the last
//! held row bends as if it were half a cell further in. Vertices are therefore held up to half a cell beyond the edge of the
//! support. Both meshes have rings exactly midway between which the edge is. Without them an irregular mesh is held by single vertices
//! beyond the edge, and cotton poplin on cells of 10 mm drapes with 4 points more. The outermost ring is the hem:
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
            Meshing::Random => random(stand, rim, cell),
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

/// A disc as garments are meshed, in no order, but for two rings midway between which the support ends.
fn random(stand: f64, rim: f64, cell: f64) -> TriMesh {
    let (before, after) = (stand - 0.5 * cell, stand + 0.5 * cell);
    // No edge is longer than a cell, so that none is divided.
    let count = (TAU * after / cell).ceil() as usize;
    let overhang = Panel {
        holes: vec![circle(after, count, true)],
        ..Panel::new("overhang", circle(rim, (TAU * rim / cell).ceil() as usize, false))
    };
    let middle = Panel::new("middle", circle(before, count, false));
    let pattern = Pattern { name: "specimen".to_owned(), panels: vec![overhang, middle], seams: Vec::new() };
    let Ok(flat) = FlatMesh::new(&pattern, cell) else { unreachable!("a disc can be meshed") };
    let [overhang, middle] = &flat.panels[..] else { unreachable!("a pattern of two panels has two meshes") };
    let positions = overhang.positions.iter().chain(&middle.positions).map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
    let mut triangles = overhang.triangles.clone();
    triangles.extend(middle.triangles.iter().map(|t| t.map(|v| middle.first + v)));
    // One goes around clockwise, the other against.
    let (outer, inner) = (&overhang.borders[1], &middle.borders[0]);
    for k in 0..count {
        let [a, b] = [k, (k + 1) % count].map(|k| outer[k]);
        let [c, d] = [k, (k + 1) % count].map(|k| middle.first + inner[(count - k) % count]);
        triangles.extend([[a, c, b], [b, c, d]]);
    }
    TriMesh::from_indices(positions, &triangles)
}

/// A polygon about the origin, as an outline or, clockwise, as a hole.
fn circle(radius: f64, count: usize, clockwise: bool) -> Vec<Edge> {
    let corner = |k: usize| {
        let turn = TAU * k as f64 / count as f64;
        let (sin, cos) = if clockwise { -turn } else { turn }.sin_cos();
        Edge::new(format!("{radius} {k}"), Point::new(radius * cos, radius * sin), Curve::Line)
    };
    (0..count).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::Topology;

    #[test]
    fn the_support_ends_midway_between_two_held_rings_and_the_hem_is_the_rim() {
        let layouts = [Meshing::Rings, Meshing::Random];
        for (cell, meshing) in [0.024, 0.011, 0.007, 0.0044].into_iter().flat_map(|c| layouts.map(|m| (c, m))) {
            let Specimen { mesh, held, hem } = Specimen::new(0.09, 0.15, cell, meshing);
            let radius = |i: u32| mesh.positions[i as usize].length();
            let last = held.iter().map(|i| radius(*i)).fold(0.0, f64::max);
            let before = held.iter().map(|i| radius(*i)).filter(|r| *r < last - 1e-9).fold(0.0, f64::max);
            assert!((0.5 * (last + before) - 0.09).abs() < 1e-9, "{meshing:?} {cell}");
            // As many cells as it should have, and a surface without gaps.
            assert!(((0.06 / (last - before)).fract() - 0.5).abs() < 1e-6, "{meshing:?} {cell}");
            let topology = Topology::new(&mesh);
            assert_eq!((topology.part_count, topology.border_edges().count()), (1, hem.len()), "{meshing:?} {cell}");
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
