//! Bodies of revolution other than the sphere: torus, cylinder, capsule, rod, table.

use std::f64::consts::{FRAC_PI_2, TAU};

use super::lathe::{MIN_SEGMENTS, turn_closed, turn_loop};
use super::sphere::uv_sphere;
use crate::{DQuat, DVec3, TriMesh};

/// A torus about the y axis: a tube of radius `minor` [m] whose centre line is a circle of radius `major` [m],
/// with `segments` (round the axis, round the tube; at least 3 each).
///
/// With `minor ≥ major` the surface crosses itself.
pub fn torus(major: f64, minor: f64, segments: [usize; 2]) -> TriMesh {
    let (major, minor, n) = (major.abs(), minor.abs(), segments[1].max(MIN_SEGMENTS));
    let profile: Vec<_> = (0..n)
        .map(|k| {
            let (sin, cos) = (TAU * k as f64 / n as f64).sin_cos();
            [major + minor * cos, minor * sin]
        })
        .collect();
    turn_loop(&profile, segments[0])
}

/// A closed cylinder of `radius` and `height` [m] about the y axis, centred at the origin, with `segments` (at
/// least 3) round the axis; each cap is a fan about a vertex on the axis.
pub fn cylinder(radius: f64, height: f64, segments: usize) -> TriMesh {
    let (radius, half) = (radius.abs(), 0.5 * height.abs());
    turn_closed(-half, &[[radius, -half], [radius, half]], half, segments)
}

/// A cylinder with half spheres as caps: `radius` [m], straight part of `height` [m], about the y axis, centred
/// at the origin; `segments` (at least 3) round the axis, `rings` (at least 1) bands on each cap.
///
/// The whole is `height + 2 radius` long. Without straight part it is a sphere.
pub fn capsule(radius: f64, height: f64, segments: usize, rings: usize) -> TriMesh {
    let (radius, half, rings) = (radius.abs(), 0.5 * height.abs(), rings.max(1));
    if half == 0.0 {
        // The two equators would coincide.
        return uv_sphere(radius, segments, 2 * rings);
    }
    let cap_point = |k: usize| {
        let (sin, cos) = (FRAC_PI_2 * k as f64 / rings as f64).sin_cos();
        [radius * sin, radius * cos]
    };
    let lower = (1..=rings).map(cap_point).map(|[r, y]| [r, -half - y]);
    let upper = (1..=rings).rev().map(cap_point).map(|[r, y]| [r, half + y]);
    let profile: Vec<_> = lower.chain(upper).collect();
    turn_closed(-half - radius, &profile, half + radius, segments)
}

/// A closed cylinder of `radius` [m] with its axis from `from` to `to` [m] and `segments` (at least 3) round it.
///
/// With `from = to` it is flat and degenerate, its axis along y.
pub fn rod(from: DVec3, to: DVec3, radius: f64, segments: usize) -> TriMesh {
    let axis = to - from;
    let turn = DQuat::from_rotation_arc(DVec3::Y, axis.try_normalize().unwrap_or(DVec3::Y));
    let middle = from + 0.5 * axis;
    cylinder(radius, axis.length(), segments).map_positions(|p| middle + turn * p)
}

/// A round table standing on the plane `y = 0` about the y axis: top of `top_radius` and `top_thickness` [m] with
/// its surface at `y = height` [m], a leg of a tenth and a round foot of half the top's radius, as one closed
/// surface with `segments` (at least 3) round the axis.
///
/// The foot is as thick as the top; both are at most two fifths of the height.
pub fn table(top_radius: f64, top_thickness: f64, height: f64, segments: usize) -> TriMesh {
    let (radius, height) = (top_radius.abs(), height.abs());
    let thickness = top_thickness.abs().min(0.4 * height);
    let (leg, foot, below) = (0.1 * radius, 0.5 * radius, height - thickness);
    let profile = [[foot, 0.0], [foot, thickness], [leg, thickness], [leg, below], [radius, below], [radius, height]];
    turn_closed(0.0, &profile, height, segments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signed_volume;
    use std::f64::consts::PI;

    /// Area of the regular polygon with `n` corners at `radius`.
    fn polygon(radius: f64, n: usize) -> f64 {
        0.5 * n as f64 * radius.powi(2) * (TAU / n as f64).sin()
    }

    #[test]
    fn cylinder_is_the_prism_on_its_polygon() {
        let mesh = cylinder(0.2, 1.5, 12);
        let perimeter = 12.0 * 2.0 * 0.2 * (PI / 12.0).sin();
        assert_eq!((mesh.vertex_count(), mesh.face_count()), (26, 48));
        assert!((signed_volume(&mesh) - 1.5 * polygon(0.2, 12)).abs() < 1e-14);
        assert!((mesh.area() - 2.0 * polygon(0.2, 12) - 1.5 * perimeter).abs() < 1e-14);
        assert!(mesh.positions.iter().all(|p| p.y.abs() == 0.75));
        assert!(mesh.positions.iter().filter(|p| p.x.hypot(p.z) > 0.0).all(|p| (p.x.hypot(p.z) - 0.2).abs() < 1e-16));
    }

    #[test]
    fn capsule_vertices_keep_the_radius_from_the_axis_segment() {
        let mesh = capsule(0.2, 1.0, 10, 5);
        assert_eq!(mesh.vertex_count(), 2 + 10 * 10);
        for p in &mesh.positions {
            let nearest = DVec3::new(0.0, p.y.clamp(-0.5, 0.5), 0.0);
            assert!((p.distance(nearest) - 0.2).abs() < 1e-15, "{p}");
        }
    }

    #[test]
    fn capsule_area_and_volume_converge_from_below() {
        let (r, h): (f64, f64) = (0.2, 1.0);
        let area = TAU * r * h + 4.0 * PI * r.powi(2);
        let volume = PI * r.powi(2) * h + 4.0 / 3.0 * PI * r.powi(3);
        let errors = |mesh: &TriMesh| [1.0 - mesh.area() / area, 1.0 - signed_volume(mesh) / volume];
        let (coarse, fine) = (errors(&capsule(r, h, 24, 6)), errors(&capsule(r, h, 48, 12)));
        for (e, e_half) in coarse.into_iter().zip(fine) {
            assert!(e_half > 0.0 && (3.7..4.3).contains(&(e / e_half)), "{e} to {e_half}");
        }
    }

    #[test]
    fn torus_vertices_lie_on_it_and_its_volume_converges() {
        let (major, minor): (f64, f64) = (0.5, 0.1);
        let volume = 2.0 * PI.powi(2) * major * minor.powi(2);
        let error = |n: usize| 1.0 - signed_volume(&torus(major, minor, [4 * n, n])) / volume;
        assert!(error(32) > 0.0 && (3.7..4.3).contains(&(error(16) / error(32))));
        for p in torus(major, minor, [20, 9]).positions {
            assert!(((p.x.hypot(p.z) - major).hypot(p.y) - minor).abs() < 1e-15, "{p}");
        }
    }

    #[test]
    fn rod_vertices_keep_the_radius_from_its_axis() {
        for to in [DVec3::new(0.3, -0.7, 0.2), DVec3::new(0.1, -2.0, -0.2), DVec3::new(0.1, 2.0, -0.2)] {
            let from = DVec3::new(0.1, 0.4, -0.2);
            let mesh = rod(from, to, 0.05, 9);
            let axis = (to - from).normalize();
            let centre_vertices = [mesh.positions[0], mesh.positions[mesh.vertex_count() - 1]];
            assert!(centre_vertices[0].distance(from) < 1e-15 && centre_vertices[1].distance(to) < 1e-15);
            for &p in &mesh.positions[1..mesh.vertex_count() - 1] {
                assert!(((p - from).cross(axis).length() - 0.05).abs() < 1e-15, "{p}");
            }
            let volume = from.distance(to) * polygon(0.05, 9);
            assert!((signed_volume(&mesh) - volume).abs() < 1e-14);
        }
    }

    #[test]
    fn a_rod_without_length_is_finite() {
        assert!(rod(DVec3::ONE, DVec3::ONE, 0.1, 5).positions.iter().all(|p| p.is_finite()));
    }

    #[test]
    fn table_stands_on_the_ground_with_its_top_at_the_height() {
        let mesh = table(0.5, 0.03, 0.7, 24);
        let bounds = mesh.bounds();
        assert_eq!((bounds.min.y, bounds.max.y), (0.0, 0.7));
        assert!((bounds.max.x - 0.5).abs() < 1e-15);
        let volume = 0.03 * polygon(0.5, 24) + 0.03 * polygon(0.25, 24) + 0.64 * polygon(0.05, 24);
        assert!((signed_volume(&mesh) - volume).abs() < 1e-15);
    }

    #[test]
    fn a_table_thicker_than_high_keeps_its_leg() {
        let mesh = table(0.5, 9.0, 1.0, 8);
        let volume = 0.4 * (polygon(0.5, 8) + polygon(0.25, 8)) + 0.2 * polygon(0.05, 8);
        assert!((signed_volume(&mesh) - volume).abs() < 1e-15);
    }
}
