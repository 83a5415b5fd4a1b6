//! [`Curve`]: where a plane cuts a garment, on the body and on the pattern at once.
//!
//! Every triangle that the plane cuts gives one straight piece, between points on two of its edges. The same points lie on the
//! triangle as it was cut, so a piece has two lengths: as worn, and as cut. Their ratio is the stretch of the cloth along
//! the curve, and the sum of the latter is what a tailor measures on the garment laid flat, seams and darts closed.
//!
//! Pieces run from the edge on which the triangle's outline comes up through the plane to the one on which it goes down; the
//! neighbour sees that edge the other way round, so pieces follow each other and a closed curve has a winding number.

use std::collections::BTreeMap;

use toile_body::measure::Plane;
use toile_mesh::{DVec2, DVec3, VertexId};

/// Angle under which the opening of a garment may be seen from the middle of the body for it to go around [rad]: 100°.
const WIDEST_OPENING: f64 = 1.745_329_251_994_329_6;

/// A straight piece of a curve, inside one triangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Piece {
    /// The triangle.
    pub face: usize,
    /// Its two ends on the body [m].
    pub ends: [DVec3; 2],
    /// The way between its ends on the pattern, along warp and weft [m].
    pub cut: DVec2,
}

/// A curve in which a plane cuts a garment.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its pieces, one after the other.
    pub pieces: Vec<Piece>,
    /// Whether it comes back to its start.
    pub closed: bool,
}

impl Curve {
    /// Length as worn [m].
    pub fn worn(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.ends[0].distance(piece.ends[1])).sum()
    }

    /// Length as cut [m].
    pub fn cut(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.cut.length()).sum()
    }

    /// How many times it goes around the line through a point along the unit normal, either way.
    pub fn turns_around(&self, point: DVec3, normal: DVec3) -> u32 {
        let angle = |piece: &Piece| {
            let [a, b] = piece.ends.map(|p| (p - point).reject_from_normalized(normal));
            a.cross(b).dot(normal).atan2(a.dot(b))
        };
        let turns = self.pieces.iter().map(angle).sum::<f64>() / std::f64::consts::TAU;
        if self.closed { turns.abs().round() as u32 } else { 0 }
    }

    /// Whether it goes around a point once, in the plane of this normal; an open curve is closed by the straight way between its ends,
    /// if that is seen from the point under no more than `WIDEST_OPENING`.
    pub fn encloses(&self, point: DVec3, normal: DVec3) -> bool {
        let (Some(first), Some(last)) = (self.pieces.first(), self.pieces.last()) else { return false };
        let angle = |a: DVec3, b: DVec3| {
            let [a, b] = [a, b].map(|p| (p - point).reject_from_normalized(normal));
            a.cross(b).dot(normal).atan2(a.dot(b))
        };
        let along: f64 = self.pieces.iter().map(|piece| angle(piece.ends[0], piece.ends[1])).sum();
        let opening = if self.closed { 0.0 } else { angle(last.ends[1], first.ends[0]) };
        let turns = (along + opening) / std::f64::consts::TAU;
        turns.abs().round() as u32 == 1 && opening.abs() <= WIDEST_OPENING
    }

    /// Its points in order [m]; the first is not repeated.
    pub fn points(&self) -> Vec<DVec3> {
        let last = if self.closed { None } else { self.pieces.last().map(|piece| piece.ends[1]) };
        self.pieces.iter().map(|piece| piece.ends[0]).chain(last).collect()
    }
}

/// The curves in which `plane` cuts triangles over vertices at `x` [m] that were cut as `cut` [m].
pub fn curves(x: &[DVec3], triangles: &[[VertexId; 3]], cut: &[[DVec2; 3]], plane: Plane) -> Vec<Curve> {
    let height: Vec<f64> = x.iter().map(|p| plane.height_of(*p)).collect();
    let mut pieces = Vec::new();
    // The edge on which each piece begins and ends, as a pair of vertices with the lower one first.
    let mut edges: Vec<[[VertexId; 2]; 2]> = Vec::new();
    for (face, (t, flat)) in triangles.iter().zip(cut).enumerate() {
        let is_above = t.map(|v| height[v.index()] >= 0.0);
        if is_above == [true; 3] || is_above == [false; 3] {
            continue;
        }
        // The corner before the edge that leads up, and the one before the edge that leads down.
        let before = |up: bool| (0..3).find(|k| is_above[*k] != up && is_above[(k + 1) % 3] == up).unwrap_or(0);
        let at = [before(true), before(false)].map(|k| crossing(x, &height, t, flat, k));
        pieces.push(Piece { face, ends: at.map(|c| c.point), cut: at[1].flat - at[0].flat });
        edges.push(at.map(|c| c.edge));
    }
    chained(&pieces, &edges)
}

/// A border as a curve: a loop of vertices along the triangles beside it.
pub fn border(x: &[DVec3], triangles: &[[VertexId; 3]], cut: &[[DVec2; 3]], ring: &[u32]) -> Curve {
    let order: BTreeMap<u32, usize> = ring.iter().enumerate().map(|(k, v)| (*v, k)).collect();
    let mut pieces = Vec::new();
    for (face, (t, flat)) in triangles.iter().zip(cut).enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            if let Some(at) = order.get(&a.0).filter(|at| ring[(*at + 1) % ring.len()] == b.0) {
                let piece = Piece { face, ends: [a, b].map(|v| x[v.index()]), cut: flat[(k + 1) % 3] - flat[k] };
                pieces.push((*at, piece));
            }
        }
    }
    pieces.sort_by_key(|(at, _)| *at);
    Curve { pieces: pieces.into_iter().map(|(_, piece)| piece).collect(), closed: true }
}

/// A point where the plane cuts an edge of a triangle.
#[derive(Clone, Copy)]
struct Crossing {
    edge: [VertexId; 2],
    point: DVec3,
    flat: DVec2,
}

/// The crossing of the edge from corner `k` of triangle `t`; the same bits from both sides of the edge.
fn crossing(x: &[DVec3], height: &[f64], t: &[VertexId; 3], flat: &[DVec2; 3], k: usize) -> Crossing {
    let mut ends = [k, (k + 1) % 3];
    if t[ends[0]] > t[ends[1]] {
        ends.swap(0, 1);
    }
    let edge = ends.map(|k| t[k]);
    let [a, b] = edge.map(VertexId::index);
    let s = height[a] / (height[a] - height[b]);
    Crossing { edge, point: x[a].lerp(x[b], s), flat: flat[ends[0]].lerp(flat[ends[1]], s) }
}

/// Follows the pieces: open curves from their beginning, then closed ones from their first piece.
fn chained(pieces: &[Piece], edges: &[[[VertexId; 2]; 2]]) -> Vec<Curve> {
    let beginning: BTreeMap<[VertexId; 2], usize> = edges.iter().enumerate().map(|(i, e)| (e[0], i)).collect();
    let mut is_first = vec![true; pieces.len()];
    for next in edges.iter().filter_map(|e| beginning.get(&e[1])) {
        is_first[*next] = false;
    }
    let mut is_taken = vec![false; pieces.len()];
    let mut found = Vec::new();
    let open = (0..pieces.len()).filter(|i| is_first[*i]);
    for start in open.chain(0..pieces.len()) {
        let mut curve = Curve { pieces: Vec::new(), closed: !is_first[start] };
        let mut next = Some(start);
        while let Some(i) = next.filter(|i| !is_taken[*i]) {
            is_taken[i] = true;
            curve.pieces.push(pieces[i]);
            next = beginning.get(&edges[i][1]).copied();
        }
        if !curve.pieces.is_empty() {
            found.push(curve);
        }
    }
    found
}
