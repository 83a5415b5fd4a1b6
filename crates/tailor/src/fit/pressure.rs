//! Pressure of a garment on the body.
//!
//! Cloth at rest is in balance: what its own forces and its weight leave over at a vertex that touches the body is borne
//! by the body,
//!
//! ```text
//! R = ∂E/∂x − m g      p = Σ R·n / Σ A
//! ```
//!
//! with `n` the body's outward normal at the nearest point and `A` the worn area of cloth nearest to the vertex (mixed Voronoi
//! area, Meyer et al. 2003: tension acts on vertices in proportion to it, not to a third of their triangles). The sums run over
//! the vertex and its neighbours that touch too: contacts act on edges and inside triangles as well, and reach vertices in
//! shares that jump from one to the next. For a tube stretched on a cylinder this is Laplace's law `p = T/R`.
//!
//! Bending enters without the friction between yarns, whose moment is less than the weight's.

use std::f64::consts::FRAC_PI_2;

use toile_cloth::fabric::STANDARD_GRAVITY;
use toile_cloth::{Fabric, SheetOptions, Sheets};
use toile_contact::Foot;
use toile_mesh::{DVec3, TriMesh, VertexId, triangle_angles, triangle_area};

use super::FitInput;

/// Distance from the body up to which a vertex touches it [m]: what contacts keep, and what an edge of 20 mm spans over a
/// round of 5 cm.
const TOUCHING: f64 = 0.003;

/// Pressure at each vertex [Pa], shape `[vertices]`.
pub(super) fn on_body(input: &FitInput<'_>, feet: &[Option<Foot>]) -> Vec<f64> {
    let (reaction, area) = reactions(input);
    let touching = |v: usize| feet[v].filter(|foot| foot.distance < TOUCHING);
    let normal: Vec<f64> =
        (0..input.x.len()).map(|v| touching(v).map_or(0.0, |foot| reaction[v].dot(foot.normal))).collect();
    let touched: Vec<f64> = (0..input.x.len()).map(|v| touching(v).map_or(0.0, |_| area[v])).collect();
    let mut sums: Vec<[f64; 2]> = normal.iter().zip(&touched).map(|(n, a)| [*n, *a]).collect();
    for [v, w] in edges(input) {
        sums[v][0] += normal[w];
        sums[v][1] += touched[w];
        sums[w][0] += normal[v];
        sums[w][1] += touched[v];
    }
    let pressure = |v: usize| {
        let [force, area] = sums[v];
        if touched[v] > 0.0 && area > 0.0 { (force / area).max(0.0) } else { 0.0 }
    };
    (0..input.x.len()).map(pressure).collect()
}

/// What bears each vertex [N], and the area of cloth around it as it is worn [m²].
pub(super) fn reactions(input: &FitInput<'_>) -> (Vec<DVec3>, Vec<f64>) {
    let without_friction = |fabric: &Fabric| Fabric { hysteresis_warp: 0.0, hysteresis_weft: 0.0, ..fabric.clone() };
    let elastic: Vec<Fabric> = (0..input.triangles.len()).map(|f| without_friction(input.fabric_of(f))).collect();
    let elastic: Vec<&Fabric> = elastic.iter().collect();
    let mesh = TriMesh { positions: input.x.to_vec(), triangles: input.triangles.to_vec() };
    let mut sheets = Sheets::default();
    sheets.add_pieces(&mesh, input.cut, 0, &elastic, &SheetOptions { buckling: true, ..SheetOptions::default() });
    let mut reaction = vec![DVec3::ZERO; input.x.len()];
    sheets.build(input.x.len()).gradient(input.x, &mut reaction);
    let mut area = vec![0.0; input.x.len()];
    for (face, [a, b, c]) in mesh.faces().zip(input.cut) {
        let weight = STANDARD_GRAVITY * input.fabric_of(face.index()).areal_density;
        let (shares, cut) = (nearest_areas(mesh.corners(face)), 0.5 * (*b - *a).perp_dot(*c - *a).abs());
        for (v, share) in mesh.triangles[face.index()].iter().zip(shares) {
            area[v.index()] += share;
            reaction[v.index()] += DVec3::Y * (weight * cut / 3.0);
        }
    }
    (reaction, area)
}

/// The areas of a triangle that are nearest to each of its corners [m²]; of an obtuse one, half to that corner and a quarter to the
/// others.
fn nearest_areas(corners: [DVec3; 3]) -> [f64; 3] {
    let (area, angles) = (triangle_area(corners), triangle_angles(corners));
    if let Some(obtuse) = (0..3).find(|k| angles[*k] > FRAC_PI_2) {
        return [0, 1, 2].map(|k| if k == obtuse { 0.5 * area } else { 0.25 * area });
    }
    let part = |k: usize, other: usize, opposite: usize| {
        let tan = angles[opposite].tan();
        if tan > 0.0 { corners[k].distance_squared(corners[other]) / (8.0 * tan) } else { 0.0 }
    };
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        part(k, i, j) + part(k, j, i)
    })
}

/// The edges, each once.
fn edges(input: &FitInput<'_>) -> Vec<[usize; 2]> {
    let sides = |t: [usize; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let all = input.triangles.iter().flat_map(|t| sides(t.map(VertexId::index)));
    let mut edges: Vec<[usize; 2]> = all.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}
