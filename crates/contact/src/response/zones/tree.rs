//! Impulses of an acyclic collision graph: N − 1 equations `n_e · (v_i⁺ − v_j⁺) = b_e`, solved exactly in linear time.
//!
//! The tree hangs from a root. With u the direction of the edge above body c, pointing from its parent q to c, everything
//! below c answers an impulse p along u as one body would:
//! ```text
//! v_c = f + p s,      K_c f = r_c,   K_c s = u,   γ = u · s
//! u · (v_c − v_q) = b        ⇒        p = (b + u · v_q − u · f) / γ
//! ```
//! Seen from q this is an inertia `u uᵀ / γ` more (children of c are already part of `K_c`, by the same rule):
//! ```text
//! K_q = m_q I + Σ u uᵀ / γ,       r_q = m_q v_q⁻ + Σ u (u · f − b) / γ
//! ```
//! One way up collects K and r, one way down gives velocities and impulses. A second round on the result removes what
//! rounding left where heavy bodies hang below light ones. An immovable body is the root.

use toile_mesh::{DMat3, DVec3};

use super::graph::{Body, Edge};
use super::solve::apply;

/// An edge above a body, with what the way up found.
struct Link {
    edge: usize,
    child: usize,
    parent: usize,
    u: DVec3,
    f: DVec3,
    s: DVec3,
    gamma: f64,
}

/// Impulses along the edges of a connected tree with at most one immovable body; `None` if it is none.
pub(super) fn impulses(bodies: &[Body], edges: &[Edge], targets: &[f64]) -> Option<Vec<f64>> {
    let root = bodies.iter().position(|b| b.inverse_mass == 0.0).unwrap_or(0);
    let mut links = links(bodies.len(), edges, root);
    if links.len() != edges.len() || links.iter().any(|link| bodies[link.child].inverse_mass == 0.0) {
        return None;
    }
    let first = solve(bodies, targets, root, &mut links);
    let rest = solve(&apply(bodies, edges, &first), targets, root, &mut links);
    Some(first.iter().zip(rest).map(|(p, q)| p + q).collect())
}

/// Edges from the root downwards, parents before children.
fn links(count: usize, edges: &[Edge], root: usize) -> Vec<Link> {
    let mut around = vec![Vec::new(); count];
    for (e, edge) in edges.iter().enumerate() {
        edge.bodies.iter().for_each(|b| around[*b].push(e));
    }
    let mut reached = vec![false; count];
    reached[root] = true;
    let (mut links, mut queue, mut next) = (Vec::<Link>::new(), vec![root], 0);
    while let Some(&parent) = queue.get(next) {
        next += 1;
        for &e in &around[parent] {
            let [i, j] = edges[e].bodies;
            let (child, u) = if i == parent { (j, -edges[e].normal) } else { (i, edges[e].normal) };
            if !reached[child] {
                reached[child] = true;
                queue.push(child);
                links.push(Link { edge: e, child, parent, u, f: DVec3::ZERO, s: DVec3::ZERO, gamma: 0.0 });
            }
        }
    }
    links
}

fn solve(bodies: &[Body], targets: &[f64], root: usize, links: &mut [Link]) -> Vec<f64> {
    let mass = |b: &Body| if b.inverse_mass > 0.0 { 1.0 / b.inverse_mass } else { 0.0 };
    let mut k: Vec<DMat3> = bodies.iter().map(|b| DMat3::from_diagonal(DVec3::splat(mass(b)))).collect();
    let mut r: Vec<DVec3> = bodies.iter().map(|b| b.velocity * mass(b)).collect();
    for link in links.iter_mut().rev() {
        let inverse = k[link.child].inverse();
        (link.f, link.s) = (inverse * r[link.child], inverse * link.u);
        link.gamma = link.u.dot(link.s);
        let per_gamma = link.u / link.gamma;
        k[link.parent] += DMat3::from_cols(per_gamma * link.u.x, per_gamma * link.u.y, per_gamma * link.u.z);
        r[link.parent] += per_gamma * (link.u.dot(link.f) - targets[link.edge]);
    }
    let mut v = vec![DVec3::ZERO; bodies.len()];
    let is_held = bodies[root].inverse_mass == 0.0;
    v[root] = if is_held { bodies[root].velocity } else { k[root].inverse() * r[root] };
    let mut impulses = vec![0.0; links.len()];
    for link in links.iter() {
        let p = (targets[link.edge] + link.u.dot(v[link.parent] - link.f)) / link.gamma;
        v[link.child] = link.f + link.s * p;
        impulses[link.edge] = p;
    }
    impulses
}
