//! Surfaces of revolution about the y axis, on which the round bodies are built.

use std::f64::consts::TAU;

use crate::{DVec3, TriMesh, VertexId};

/// Fewest vertices round the axis.
pub(super) const MIN_SEGMENTS: usize = 3;

/// A point `[radius, height]` [m] of the outline that is turned about the axis.
pub(super) type ProfilePoint = [f64; 2];

/// The closed body whose outline runs from the point `bottom` on the axis through `profile` to `top` on the axis.
///
/// The outline has the body on its left seen with the radius to the right and y up, i.e. it runs upward on
/// the outside. Vertices: bottom, then the rings from bottom to top, each counter-clockwise seen from above
/// and starting on the +x axis, then top.
pub(super) fn turn_closed(bottom: f64, profile: &[ProfilePoint], top: f64, segments: usize) -> TriMesh {
    let n = segments.max(MIN_SEGMENTS);
    let mut mesh = TriMesh { positions: vec![DVec3::new(0.0, bottom, 0.0)], triangles: Vec::new() };
    for &point in profile {
        push_ring(&mut mesh, point, n);
    }
    mesh.positions.push(DVec3::new(0.0, top, 0.0));
    let top_vertex = VertexId::from(mesh.positions.len() - 1);
    let ring = |k: usize, i: usize| VertexId::from(1 + k * n + i % n);
    let last = profile.len() - 1;
    mesh.triangles.extend((0..n).map(|i| [VertexId(0), ring(0, i + 1), ring(0, i)]));
    for k in 0..last {
        join_rings(&mut mesh, n, |i| ring(k, i), |i| ring(k + 1, i));
    }
    mesh.triangles.extend((0..n).map(|i| [ring(last, i), ring(last, i + 1), top_vertex]));
    mesh
}

/// The body whose outline is the closed loop `profile`, counter-clockwise with the radius to the right and y up.
pub(super) fn turn_loop(profile: &[ProfilePoint], segments: usize) -> TriMesh {
    let n = segments.max(MIN_SEGMENTS);
    let mut mesh = TriMesh::default();
    for &point in profile {
        push_ring(&mut mesh, point, n);
    }
    let ring = |k: usize, i: usize| VertexId::from((k % profile.len()) * n + i % n);
    for k in 0..profile.len() {
        join_rings(&mut mesh, n, |i| ring(k, i), |i| ring(k + 1, i));
    }
    mesh
}

/// The open surface of the outline `profile`, from bottom to top on the outside.
pub(super) fn turn_open(profile: &[ProfilePoint], segments: usize) -> TriMesh {
    let n = segments.max(MIN_SEGMENTS);
    let mut mesh = TriMesh::default();
    for &point in profile {
        push_ring(&mut mesh, point, n);
    }
    for k in 1..profile.len() {
        let ring = |k: usize, i: usize| VertexId::from(k * n + i % n);
        join_rings(&mut mesh, n, |i| ring(k - 1, i), |i| ring(k, i));
    }
    mesh
}

fn push_ring(mesh: &mut TriMesh, [r, y]: ProfilePoint, n: usize) {
    mesh.positions.extend((0..n).map(|i| {
        let (sin, cos) = (TAU * i as f64 / n as f64).sin_cos();
        DVec3::new(r * cos, y, -r * sin)
    }));
}

fn join_rings(mesh: &mut TriMesh, n: usize, low: impl Fn(usize) -> VertexId, high: impl Fn(usize) -> VertexId) {
    for i in 0..n {
        mesh.triangles.extend([[low(i), low(i + 1), high(i + 1)], [low(i), high(i + 1), high(i)]]);
    }
}
