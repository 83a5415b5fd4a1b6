//! Round cones: the hull of two spheres, i.e. a capsule whose radius tapers.
//!
//! With the axis from `a` to `b`, `L = |b − a|` and `k = (r_a − r_b) / L`, the sphere about the axis point `s` has
//! the radius `r_a − k s`, and the distance of a point `p` is the least of `|p − a(s)| − r_a + k s`. Setting the
//! derivative to zero gives `s = y − k ρ / √(1 − k²)` for a point at height `y` along and distance `ρ` from the
//! axis; clamped to `0..L` this is exact outside and the right sign inside. Needs `|k| < 1`: neither sphere
//! contains the other.

use std::f64::consts::TAU;

use crate::{DQuat, DVec3, TriMesh, VertexId};

/// Triangles that meet at either pole of the mesh.
const SECTORS: usize = 5;

/// The hull of a sphere of radius `radii[0]` [m] about `ends[0]` [m] and another of `radii[1]` about `ends[1]`.
#[derive(Clone, Copy, Debug)]
pub struct RoundCone {
    /// Centres of the spheres [m].
    pub ends: [DVec3; 2],
    /// Radii of the spheres [m].
    pub radii: [f64; 2],
}

impl RoundCone {
    /// The hull of the spheres about `ends` [m] with these radii [m].
    pub const fn new(ends: [DVec3; 2], radii: [f64; 2]) -> Self {
        Self { ends, radii }
    }

    /// Loss of radius per length of axis, the `k` of the module text.
    fn taper(&self) -> f64 {
        (self.radii[0] - self.radii[1]) / self.ends[0].distance(self.ends[1])
    }

    /// Signed distance [m] of `p`, negative inside, and its gradient.
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let (length, k) = (self.ends[0].distance(self.ends[1]), self.taper());
        let axis = (self.ends[1] - self.ends[0]) / length;
        let from_start = p - self.ends[0];
        let y = from_start.dot(axis);
        let rho = (from_start - y * axis).length();
        let s = (y - k * rho / (1.0 - k * k).sqrt()).clamp(0.0, length);
        let arm = from_start - s * axis;
        (arm.length() - self.radii[0] + k * s, arm.normalize_or_zero())
    }

    /// Bands on each cap and rows on the cone for edges of about `edge` [m].
    pub(super) fn divisions(&self, edge: f64) -> [usize; 2] {
        let girth = TAU * 0.5 * (self.radii[0] + self.radii[1]);
        let bands = (girth / (SECTORS as f64 * edge)).round().max(1.0);
        let ring_edge = girth / (SECTORS as f64 * bands);
        let rows = (self.ends[0].distance(self.ends[1]) / ring_edge).round().max(1.0);
        [bands as usize, rows as usize]
    }

    /// Triangles of [`RoundCone::mesh`] with edges of about `edge` [m].
    pub(super) fn triangle_count(&self, edge: f64) -> usize {
        let [bands, rows] = self.divisions(edge);
        2 * SECTORS * bands * (bands + rows)
    }

    /// The closed mesh with edges of about `edge` [m]; its vertices lie on the surface.
    ///
    /// Band `j` of a cap has `5 j` edges on its outer ring, so that triangles do not shrink toward the poles.
    pub(super) fn mesh(&self, edge: f64) -> TriMesh {
        let [bands, rows] = self.divisions(edge);
        let (length, k) = (self.ends[0].distance(self.ends[1]), self.taper());
        // Outline from the pole of the first sphere to that of the second: ring size, radius, height.
        let mut outline = Vec::new();
        let cap = |j: usize, widest: f64| (widest * j as f64 / bands as f64).sin_cos();
        for j in 0..=bands {
            let (sin, cos) = cap(j, (-k).acos());
            outline.push((SECTORS * j, self.radii[0] * sin, -self.radii[0] * cos));
        }
        let (start, (sin, cos)) = (outline[bands], cap(bands, k.acos()));
        let end = (self.radii[1] * sin, length + self.radii[1] * cos);
        for i in 1..rows {
            let w = i as f64 / rows as f64;
            outline.push((SECTORS * bands, start.1 + w * (end.0 - start.1), start.2 + w * (end.1 - start.2)));
        }
        for j in (0..=bands).rev() {
            let (sin, cos) = cap(j, k.acos());
            outline.push((SECTORS * j, self.radii[1] * sin, length + self.radii[1] * cos));
        }
        let turn = DQuat::from_rotation_arc(DVec3::Y, (self.ends[1] - self.ends[0]) / length);
        rings_mesh(&outline).map_positions(|p| self.ends[0] + turn * p)
    }
}

/// Rings `(size, radius, height)` about the y axis joined from bottom to top; a ring of size 0 is a pole. The
/// sizes of neighbouring rings are equal or differ by one step per sector.
fn rings_mesh(rings: &[(usize, f64, f64)]) -> TriMesh {
    let mut mesh = TriMesh::default();
    let mut starts = Vec::with_capacity(rings.len());
    for &(size, radius, height) in rings {
        starts.push(mesh.positions.len());
        mesh.positions.extend((0..size.max(1)).map(|i| {
            let (sin, cos) = (TAU * i as f64 / size.max(1) as f64).sin_cos();
            DVec3::new(radius * cos, height, -radius * sin)
        }));
    }
    let vertex = |k: usize, i: usize| VertexId::from(starts[k] + i % rings[k].0.max(1));
    for k in 0..rings.len() - 1 {
        let [low_steps, high_steps] = [rings[k].0 / SECTORS, rings[k + 1].0 / SECTORS];
        let steps = low_steps.min(high_steps);
        for sector in 0..SECTORS {
            let low = |i: usize| vertex(k, sector * low_steps + i);
            let high = |i: usize| vertex(k + 1, sector * high_steps + i);
            for i in 0..steps {
                // The diagonal that leans toward the middle of the sector is the shorter one.
                if low_steps > high_steps {
                    mesh.triangles.extend([[low(i), low(i + 1), high(i)], [low(i + 1), high(i + 1), high(i)]]);
                } else {
                    mesh.triangles.extend([[low(i), low(i + 1), high(i + 1)], [low(i), high(i + 1), high(i)]]);
                }
            }
            if low_steps > high_steps {
                mesh.triangles.push([low(steps), low(steps + 1), high(steps)]);
            } else if high_steps > low_steps {
                mesh.triangles.push([low(steps), high(steps + 1), high(steps)]);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Topology, signed_volume};

    const CONE: RoundCone = RoundCone::new([DVec3::new(0.1, 0.2, -0.1), DVec3::new(0.3, -0.2, 0.2)], [0.09, 0.05]);

    /// The least distance to many spheres along the axis.
    fn sampled_distance(p: DVec3) -> f64 {
        let at = |w: f64| p.distance(CONE.ends[0].lerp(CONE.ends[1], w)) - 0.09 + 0.04 * w;
        (0..=20_000).map(|i| at(i as f64 / 20_000.0)).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn distance_is_the_least_over_the_spheres_and_its_gradient_matches_differences() {
        for i in 0..60 {
            let x = i as f64;
            let p = DVec3::new((1.3 * x).sin(), (2.1 * x).cos(), (0.7 * x + 1.0).sin()) * 0.4;
            let (d, gradient) = CONE.distance(p);
            assert!((d - sampled_distance(p)).abs() < 1e-7, "{p}: {d}");
            for axis in DVec3::AXES {
                let slope = (CONE.distance(p + 1e-6 * axis).0 - CONE.distance(p - 1e-6 * axis).0) / 2e-6;
                assert!((slope - gradient.dot(axis)).abs() < 1e-5, "{p}");
            }
        }
    }

    #[test]
    fn the_mesh_is_closed_on_the_surface_and_as_large_as_counted() {
        for edge in [1.0, 0.05, 0.02, 0.008] {
            let mesh = CONE.mesh(edge);
            let topology = Topology::new(&mesh);
            assert_eq!(mesh.face_count(), CONE.triangle_count(edge));
            assert!(topology.is_closed() && topology.part_count == 1 && signed_volume(&mesh) > 0.0);
            assert!(mesh.positions.iter().all(|&p| CONE.distance(p).0.abs() < 1e-15));
            assert!(crate::check::check(&mesh).is_clean());
        }
    }
}
