//! Distances of features with integer corners, from squares of distances that are exact fractions.
//!
//! Independent of the code under test: the plane of a face and the common perpendicular of two lines count exactly if
//! signs of integers say that their feet are inside, and the rest is distances of points and segments. Coordinates up
//! to 2¹⁸ keep every product within an `i128`.

use proptest::prelude::*;
use toile_mesh::DVec3;

use super::{Closest, ROUNDING};

/// An integer point.
pub(super) type Point = [i128; 3];

pub(super) fn point(p: Point) -> DVec3 {
    DVec3::from_array(p.map(|c| c as f64))
}

fn sub(p: Point, q: Point) -> Point {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

fn dot(p: Point, q: Point) -> i128 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

fn cross(p: Point, q: Point) -> Point {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

fn fraction(numerator: i128, denominator: i128) -> f64 {
    numerator as f64 / denominator as f64
}

/// Sign of `(b - a) × (c - a) · (d - a)`.
pub(super) fn orientation([a, b, c, d]: [Point; 4]) -> f64 {
    dot(cross(sub(b, a), sub(c, a)), sub(d, a)).signum() as f64
}

fn point_segment_sq(p: Point, [a, b]: [Point; 2]) -> f64 {
    let (q, d) = (sub(p, a), sub(b, a));
    let (reach, dd) = (dot(q, d), dot(d, d));
    if reach <= 0 {
        dot(q, q) as f64
    } else if reach >= dd {
        dot(sub(p, b), sub(p, b)) as f64
    } else {
        let area = cross(q, d);
        fraction(dot(area, area), dd)
    }
}

/// Square of the distance of the vertex and the face.
pub(super) fn vertex_face_sq([v, a, b, c]: [Point; 4]) -> f64 {
    let edges = [[a, b], [b, c], [c, a]];
    let n = cross(sub(b, a), sub(c, a));
    let is_over = edges.iter().all(|&[p, q]| dot(cross(sub(q, p), sub(v, p)), n) >= 0);
    if n != [0; 3] && is_over {
        let height = dot(n, sub(v, a));
        return fraction(height * height, dot(n, n));
    }
    edges.into_iter().map(|edge| point_segment_sq(v, edge)).fold(f64::INFINITY, f64::min)
}

/// Square of the distance of the edges.
pub(super) fn edge_edge_sq([a0, a1, b0, b1]: [Point; 4]) -> f64 {
    let (d, e, r) = (sub(a1, a0), sub(b1, b0), sub(b0, a0));
    let n = cross(d, e);
    let nn = dot(n, n);
    let (s, t) = (dot(cross(r, e), n), dot(cross(r, d), n));
    if nn > 0 && (0..=nn).contains(&s) && (0..=nn).contains(&t) {
        let height = dot(n, r);
        return fraction(height * height, nn);
    }
    let ends = [(a0, [b0, b1]), (a1, [b0, b1]), (b0, [a0, a1]), (b1, [a0, a1])];
    ends.into_iter().map(|(p, edge)| point_segment_sq(p, edge)).fold(f64::INFINITY, f64::min)
}

/// Whether the segment crosses the triangle's inside, all signs being strict.
fn pierces([p, q]: [Point; 2], [a, b, c]: [Point; 3]) -> bool {
    let turns = [orientation([p, q, a, b]), orientation([p, q, b, c]), orientation([p, q, c, a])];
    orientation([a, b, c, p]) * orientation([a, b, c, q]) < 0.0 && (turns == [1.0; 3] || turns == [-1.0; 3])
}

/// Square of the distance of two triangles: of their features, or 0 if an edge pierces a face.
pub(super) fn triangles_sq(a: [Point; 3], b: [Point; 3]) -> f64 {
    let edges = |[p, q, r]: [Point; 3]| [[p, q], [q, r], [r, p]];
    let mut least = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        for v in one {
            least = least.min(vertex_face_sq([v, other[0], other[1], other[2]]));
        }
        if edges(one).into_iter().any(|edge| pierces(edge, other)) {
            return 0.0;
        }
    }
    for [a0, a1] in edges(a) {
        for [b0, b1] in edges(b) {
            least = least.min(edge_edge_sq([a0, a1, b0, b1]));
        }
    }
    least
}

/// Four points near one line in any order: slivers, and edges that are nearly parallel.
pub(super) fn along_a_line() -> impl Strategy<Value = [Point; 4]> {
    let far = prop::array::uniform3(-100_000..=100_000_i128);
    let near = prop_oneof![0..=1_i128, 0..=100_i128].prop_flat_map(|r| prop::array::uniform3(-r..=r));
    let points = (far.clone(), far, prop::array::uniform2((near, -3..=19_i128)));
    let points = points.prop_map(|(p, q, others)| {
        let [r, s] = others.map(|(near, k)| std::array::from_fn(|i| p[i] + (q[i] - p[i]) * k / 16 + near[i]));
        vec![p, q, r, s]
    });
    points.prop_shuffle().prop_map(|points| [points[0], points[1], points[2], points[3]])
}

/// Four points of a small grid, of a large one, and near one line.
pub(super) fn pairs() -> impl Strategy<Value = [Point; 4]> {
    let grid = |r: i128| prop::array::uniform4(prop::array::uniform3(-r..=r));
    prop_oneof![grid(1), grid(4), grid(100_000), along_a_line()]
}

/// Distance within 1e-14 of the size, weights, normal and side of a pair; `first` corners belong to the first feature.
pub(super) fn assert_closest(x: &[DVec3; 4], first: usize, closest: &Closest, distance: f64, side: f64) {
    let size = x.iter().flat_map(|p| x.map(|q| (*p - q).abs().max_element())).fold(0.0, f64::max);
    assert!(
        (closest.distance - distance).abs() <= 1e-14 * size,
        "{:e} instead of {distance:e}, size {size:e}",
        closest.distance
    );
    assert_eq!(closest.side, side);

    assert!(closest.weights.iter().all(|&w| w >= 0.0), "{:?}", closest.weights);
    let (of_first, of_second) = closest.weights.split_at(first);
    assert!((of_first.iter().sum::<f64>() - 1.0).abs() < 1e-15 && (of_second.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    let mean = |range: std::ops::Range<usize>| range.map(|i| closest.weights[i] * (x[i] - x[0])).sum::<DVec3>();
    let offset = mean(0..first) - mean(first..4);
    assert!((offset.length() - closest.distance).abs() <= 1e-14 * size);

    assert!((closest.normal.length() - 1.0).abs() < 1e-14);
    if closest.distance > 2.0 * ROUNDING * size {
        assert!((closest.normal * closest.distance - offset).length() <= 1e-14 * size);
        for i in 0..4 {
            // Nothing of the first feature is nearer along the normal, nothing of the second further.
            let beyond = closest.normal.dot(x[i] - x[0] - if i < first { mean(0..first) } else { mean(first..4) });
            // The direction is off by rounding / distance.
            let slack = 1e-14 * size * (size / closest.distance).max(1.0);
            assert!(if i < first { beyond >= -slack } else { beyond <= slack }, "corner {i}: {beyond:e}");
        }
    }
}
