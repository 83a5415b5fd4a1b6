//! Meshes of simple shapes: sheets to drape and bodies to drape them on.
//!
//! Sheets lie in the xz-plane with their normal along +y. Bodies are closed, wind counter-clockwise seen from
//! outside, and stand along y. Vertices of round bodies lie on the exact surface (up to rounding), so the
//! tessellation of a convex body is inside it. Tubes and funnels are open, about y too.
//!
//! Meshes that move with time are in [`motion`].
//!
//! Nothing here fails: counts below the documented minimum are raised to it, lengths count by absolute value.
//! A length of zero or not a number gives a degenerate mesh, which the mesh check names.
//!
//! ```
//! use toile_mesh::{Topology, generate};
//! let ball = generate::icosphere(0.25, 3);
//! assert!(Topology::new(&ball).is_closed());
//! assert_eq!(generate::plane([1.0, 1.0], [10, 10]).vertex_count(), 121);
//! ```

mod cuboid;
mod knot;
mod lathe;
pub mod motion;
mod round;
mod sheet;
mod sphere;
mod tube;

pub use cuboid::cuboid;
pub use knot::{ReefKnot, Strand};
pub use round::{capsule, cylinder, rod, table, torus};
pub use sheet::{Diagonals, disc, grid, plane, ribbon};
pub use sphere::{icosphere, uv_sphere};
pub use tube::{funnel, tube};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DVec3, Topology, TriMesh, signed_volume};

    /// Vertices − edges + faces: 2 for a sphere, 1 for a disc, 0 for a torus.
    fn euler_characteristic(mesh: &TriMesh) -> usize {
        mesh.vertex_count() + mesh.face_count() - Topology::new(mesh).edges.len()
    }

    fn closed_bodies() -> Vec<(&'static str, TriMesh, usize)> {
        let (from, to) = (DVec3::new(0.1, -0.2, 0.3), DVec3::new(-0.4, 0.5, 0.9));
        vec![
            ("uv_sphere", uv_sphere(0.3, 12, 7), 2),
            ("icosphere", icosphere(0.3, 2), 2),
            ("torus", torus(0.5, 0.1, [16, 8]), 0),
            ("cuboid", cuboid(DVec3::new(1.0, 2.0, 3.0), 3), 2),
            ("cylinder", cylinder(0.2, 1.0, 12), 2),
            ("capsule", capsule(0.2, 1.0, 12, 4), 2),
            ("capsule without straight part", capsule(0.2, 0.0, 12, 4), 2),
            ("rod", rod(from, to, 0.02, 8), 2),
            ("downward rod", rod(DVec3::Y, -DVec3::Y, 0.02, 8), 2),
            ("table", table(0.5, 0.03, 0.7, 24), 2),
        ]
    }

    fn lowest_counts() -> Vec<(&'static str, TriMesh, usize)> {
        vec![
            ("uv_sphere", uv_sphere(1.0, 0, 0), 2),
            ("icosphere", icosphere(1.0, 0), 2),
            ("torus", torus(1.0, 0.3, [0, 0]), 0),
            ("cuboid", cuboid(DVec3::ONE, 0), 2),
            ("cylinder", cylinder(1.0, 1.0, 0), 2),
            ("capsule", capsule(1.0, 1.0, 0, 0), 2),
            ("rod", rod(DVec3::ZERO, DVec3::X, 0.1, 0), 2),
            ("table", table(1.0, 0.1, 1.0, 0), 2),
        ]
    }

    #[test]
    fn bodies_are_closed_connected_and_wind_outward() {
        for (name, mesh, euler) in closed_bodies().into_iter().chain(lowest_counts()) {
            let topology = Topology::new(&mesh);
            assert!(topology.is_closed(), "{name} is open");
            assert_eq!(topology.part_count, 1, "{name} falls apart");
            assert_eq!(euler_characteristic(&mesh), euler, "{name}");
            assert!(signed_volume(&mesh) > 0.0, "{name} is inside out");
        }
    }

    #[test]
    fn every_edge_of_a_body_is_walked_once_in_each_direction() {
        for (name, mesh, _) in closed_bodies().into_iter().chain(lowest_counts()) {
            let mut directed: Vec<_> =
                mesh.triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
            directed.sort_unstable();
            assert!(directed.windows(2).all(|w| w[0] != w[1]), "{name} winds inconsistently");
            assert!(directed.iter().all(|&(a, b)| directed.binary_search(&(b, a)).is_ok()), "{name} is open");
        }
    }

    #[test]
    fn sheets_are_flat_discs_facing_up() {
        let sheets = [
            ("grid", grid([1.0, 2.0], [5, 7], Diagonals::Same)),
            ("alternating grid", grid([1.0, 2.0], [5, 7], Diagonals::Alternating)),
            ("disc", disc(0.3, 5)),
            ("ribbon", ribbon(2.0, 0.1, [40, 2])),
            ("plane", plane([2.0, 3.0], [4, 6])),
            ("smallest grid", grid([1.0, 2.0], [0, 0], Diagonals::Same)),
            ("smallest disc", disc(0.3, 0)),
        ];
        for (name, mesh) in sheets {
            assert_eq!(euler_characteristic(&mesh), 1, "{name}");
            assert!(mesh.positions.iter().all(|p| p.y == 0.0), "{name}");
            for f in mesh.faces() {
                assert!(crate::triangle_vector_area(mesh.corners(f)).y > 0.0, "{name}, triangle {f}");
            }
        }
    }

    #[test]
    fn negative_lengths_count_by_absolute_value() {
        assert_eq!(uv_sphere(-0.3, 12, 7), uv_sphere(0.3, 12, 7));
        assert_eq!(grid([-1.0, 2.0], [3, 3], Diagonals::Same), grid([1.0, 2.0], [3, 3], Diagonals::Same));
        assert_eq!(cuboid(DVec3::new(-1.0, 1.0, 1.0), 2), cuboid(DVec3::ONE, 2));
        assert_eq!(disc(-0.3, 3), disc(0.3, 3));
    }
}
