//! Consistent winding: two triangles at an edge walk it in opposite directions.
//!
//! Each part, connected over edges with two triangles, is walked from its first triangle; crossing an edge tells
//! whether the neighbour must be flipped relative to the first. If two ways to one triangle disagree, the part
//! cannot be oriented. Otherwise the smaller of the two camps is flipped; in a tie the first triangle stays.

use crate::{EdgeId, FaceId, Topology, VertexId};

/// What makes the winding of a mesh consistent.
pub(super) struct Winding {
    /// Triangles to flip, ascending.
    pub(super) flips: Vec<usize>,
    /// Edges at which parts that cannot be oriented disagree, ascending.
    pub(super) conflicts: Vec<EdgeId>,
}

/// Finds the flips for `triangles`, whose connectivity is `topology`; `crowded` edges, ascending, join nothing.
pub(super) fn orient(triangles: &[[VertexId; 3]], topology: &Topology, crowded: &[EdgeId]) -> Winding {
    let mut is_flipped: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut winding = Winding { flips: Vec::new(), conflicts: Vec::new() };
    for first in 0..triangles.len() {
        if is_flipped[first].is_some() {
            continue;
        }
        is_flipped[first] = Some(false);
        let mut part = vec![first];
        let mut conflicts = Vec::new();
        let mut next = 0;
        while let Some(&f) = part.get(next) {
            next += 1;
            for &e in &topology.face_edges[f] {
                let Some(g) = neighbour(topology, e, f).filter(|_| crowded.binary_search(&e).is_err()) else {
                    continue;
                };
                let same_way = walks_forward(triangles[f], topology, e) == walks_forward(triangles[g], topology, e);
                let expected = is_flipped[f].map(|flipped| flipped ^ same_way);
                if is_flipped[g].is_none() {
                    is_flipped[g] = expected;
                    part.push(g);
                } else if is_flipped[g] != expected {
                    conflicts.push(e);
                }
            }
        }
        if conflicts.is_empty() {
            let flipped = part.iter().filter(|&&f| is_flipped[f] == Some(true)).count();
            let minority = Some(2 * flipped <= part.len());
            winding.flips.extend(part.into_iter().filter(|&f| is_flipped[f] == minority));
        }
        winding.conflicts.append(&mut conflicts);
    }
    winding.flips.sort_unstable();
    winding.conflicts.sort_unstable();
    winding.conflicts.dedup();
    winding
}

/// The triangle across edge `e` from `f`.
fn neighbour(topology: &Topology, e: EdgeId, f: usize) -> Option<usize> {
    let [a, b] = topology.edges[e.index()].faces.map(|wing| wing.map(FaceId::index));
    if a == Some(f) { b } else { a }
}

/// Whether a triangle walks the edge from its lower to its higher vertex.
fn walks_forward(t: [VertexId; 3], topology: &Topology, e: EdgeId) -> bool {
    let [low, high] = topology.edges[e.index()].ends;
    (0..3).any(|k| t[k] == low && t[(k + 1) % 3] == high)
}
