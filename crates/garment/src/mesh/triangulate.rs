//! Constrained Delaunay refinement of one panel.
//!
//! The border is given and kept: its points must meet those of the other side of a seam. Inside, points are added until no
//! triangle is larger than [`AREA`] times the square of the particle distance, or has an angle below [`ANGLE`], unless a
//! corner of the outline is sharper or the border itself asks for it.

use spade::{
    AngleLimit, ConstrainedDelaunayTriangulation, Point2, RefinementParameters, Triangulation,
    handles::FixedVertexHandle,
};
use toile_mesh::DVec2;

use super::{MeshError, PanelMesh};
use crate::check::signed_area;
use crate::pattern::Panel;

/// Angle aimed at, in degrees.
const ANGLE: f64 = 30.0;

/// Largest area of a triangle over the square of the particle distance. Triangles come out at two thirds of it in the
/// mean, which is the area of an equilateral one.
const AREA: f64 = 0.62;

/// Border of a panel in points.
struct Border {
    points: Vec<DVec2>,
    loops: Vec<Vec<u32>>,
    edges: Vec<Vec<u32>>,
}

fn border(panel: &Panel, samples: &[Vec<f64>]) -> Border {
    let mut all = Border { points: Vec::new(), loops: Vec::new(), edges: vec![Vec::new(); samples.len()] };
    for (first, ring) in panel.loops() {
        let start = all.points.len() as u32;
        for (edge, fractions) in samples.iter().enumerate().skip(first).take(ring.len()) {
            let Some(segment) = panel.segment(edge) else { continue };
            for fraction in &fractions[..fractions.len() - 1] {
                let point = segment.at_fraction(*fraction);
                all.edges[edge].push(all.points.len() as u32);
                all.points.push(DVec2::new(point.x, point.y));
            }
        }
        // Each edge ends where the next one starts.
        for edge in first..first + ring.len() {
            let next = first + (edge - first + 1) % ring.len();
            let end = all.edges[next][0];
            all.edges[edge].push(end);
        }
        all.loops.push((start..all.points.len() as u32).collect());
    }
    all
}

pub(super) fn panel(panel: &Panel, samples: &[Vec<f64>], distance: f64, first: u32) -> Result<PanelMesh, MeshError> {
    let border = border(panel, samples);
    let crossing = |vertex: usize| {
        let edge = border.edges.iter().position(|edge| edge.contains(&(vertex as u32))).unwrap_or(0);
        let name = panel.edges().nth(edge).map_or(String::new(), |edge| edge.name.clone());
        MeshError::TooCoarse { panel: panel.name.clone(), edge: name }
    };
    let mut cdt = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles: Vec<FixedVertexHandle> = Vec::with_capacity(border.points.len());
    for (i, point) in border.points.iter().enumerate() {
        let handle = cdt.insert(Point2::new(point.x, point.y)).map_err(|_| crossing(i))?;
        if handle.index() != i {
            return Err(crossing(i));
        }
        handles.push(handle);
    }
    for ring in &border.loops {
        for (k, &from) in ring.iter().enumerate() {
            let to = ring[(k + 1) % ring.len()];
            let [a, b] = [from, to].map(|v| handles[v as usize]);
            if a == b || !cdt.can_add_constraint(a, b) {
                return Err(crossing(from as usize));
            }
            cdt.add_constraint(a, b);
            if !cdt.exists_constraint(a, b) {
                // Another border point lies on this piece.
                return Err(crossing(from as usize));
            }
        }
    }
    let outline: Vec<kurbo::Point> =
        border.loops[0].iter().map(|&v| border.points[v as usize]).map(|p| kurbo::Point::new(p.x, p.y)).collect();
    let room = signed_area(&outline).abs() / (distance * distance);
    let parameters = RefinementParameters::new()
        .exclude_outer_faces(true)
        .keep_constraint_edges()
        .with_angle_limit(AngleLimit::from_deg(ANGLE))
        .with_max_allowed_area(AREA * distance * distance)
        .with_max_additional_vertices((8.0 * room) as usize + 20 * border.points.len());
    let outside: Vec<bool> = {
        let result = cdt.refine(parameters);
        let mut outside = vec![false; cdt.num_all_faces()];
        result.excluded_faces.iter().for_each(|face| outside[face.index()] = true);
        outside
    };
    let positions: Vec<DVec2> = cdt.vertices().map(|v| DVec2::new(v.position().x, v.position().y)).collect();
    let inside = cdt.inner_faces().filter(|face| !outside[face.fix().index()]);
    let triangles = inside.map(|face| face.vertices().map(|v| v.fix().index() as u32)).collect();
    let warp = panel.warp();
    let warp = DVec2::new(warp.x, warp.y);
    let (borders, edges) = (border.loops, border.edges);
    Ok(PanelMesh { name: panel.name.clone(), first, positions, triangles, borders, edges, warp })
}
