//! Triangle intersection in integer arithmetic, by other ways than the judge's.
//!
//! Separate triangles: `A` and `B` meet exactly if the origin is in the hull of the nine differences `aᵢ − bⱼ`
//! (Minkowski), hence, by Carathéodory, in a simplex of at most four of them. Triangles with shared vertices:
//! common directions of the two cones at the vertex.

type Point = [i64; 3];
type Vector = [i128; 3];

fn sub(p: Point, q: Point) -> Vector {
    [0, 1, 2].map(|i| i128::from(p[i]) - i128::from(q[i]))
}

fn dot(u: Vector, v: Vector) -> i128 {
    (0..3).map(|i| u[i] * v[i]).sum()
}

fn cross(u: Vector, v: Vector) -> Vector {
    [0, 1, 2].map(|i| u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3])
}

fn det(u: Vector, v: Vector, w: Vector) -> i128 {
    dot(u, cross(v, w))
}

fn is_zero(u: Vector) -> bool {
    u == [0; 3]
}

fn minus(u: Vector, v: Vector) -> Vector {
    [0, 1, 2].map(|i| u[i] - v[i])
}

/// Whether two closed triangles, degenerate or not, have a common point.
pub(crate) fn triangles_intersect(a: [Point; 3], b: [Point; 3]) -> bool {
    let points: Vec<_> = a.iter().flat_map(|&p| b.map(|q| sub(p, q))).collect();
    for (i, &p) in points.iter().enumerate() {
        if is_zero(p) {
            return true;
        }
        for (j, &q) in points.iter().enumerate().skip(i + 1) {
            if origin_on_segment(p, q) {
                return true;
            }
            for (k, &r) in points.iter().enumerate().skip(j + 1) {
                if origin_in_triangle(p, q, r) || points[k + 1..].iter().any(|&s| origin_in_tetrahedron(p, q, r, s)) {
                    return true;
                }
            }
        }
    }
    false
}

fn origin_on_segment(p: Vector, q: Vector) -> bool {
    is_zero(cross(p, q)) && dot(p, q) <= 0
}

fn origin_in_triangle(p: Vector, q: Vector, r: Vector) -> bool {
    let normal = cross(minus(q, p), minus(r, p));
    // A triangle without area is covered by its edges.
    !is_zero(normal)
        && dot(normal, p) == 0
        && [cross(p, q), cross(q, r), cross(r, p)].into_iter().all(|part| dot(part, normal) >= 0)
}

fn origin_in_tetrahedron(p: Vector, q: Vector, r: Vector, s: Vector) -> bool {
    let volume = det(minus(q, p), minus(r, p), minus(s, p)).signum();
    // det(q, r, s) and so on are the volumes with one corner replaced by the origin.
    volume != 0
        && [det(q, r, s), -det(p, r, s), det(p, q, s), -det(p, q, r)]
            .into_iter()
            .all(|part| part.signum() * volume >= 0)
}

/// Whether `d` is a combination of `p` and `q` with weights not below zero.
fn in_cone(d: Vector, [p, q]: [Vector; 2]) -> bool {
    let normal = cross(p, q);
    if is_zero(normal) {
        return [p, q].into_iter().any(|r| is_zero(cross(d, r)) && dot(d, r) > 0);
    }
    dot(d, normal) == 0 && dot(cross(p, d), normal) >= 0 && dot(cross(d, q), normal) >= 0
}

/// Whether the triangles `v a` and `v b` have a common point other than `v`: whether the cones they span at `v`
/// have a common direction. If so, one of them is a side of a cone or the line common to both planes.
pub(crate) fn meet_beyond_corner(v: Point, a: [Point; 2], b: [Point; 2]) -> bool {
    let (p, q) = (a.map(|x| sub(x, v)), b.map(|x| sub(x, v)));
    let common = cross(cross(p[0], p[1]), cross(q[0], q[1]));
    [p[0], p[1], q[0], q[1], common, common.map(|x| -x)]
        .into_iter()
        .any(|d| !is_zero(d) && in_cone(d, p) && in_cone(d, q))
}

/// Whether the triangles `edge a` and `edge b` have a common point off the edge.
pub(crate) fn meet_beyond_edge([u, w]: [Point; 2], a: Point, b: Point) -> bool {
    let (edge, p, q) = (sub(w, u), sub(a, u), sub(b, u));
    let (normal_a, normal_b) = (cross(edge, p), cross(edge, q));
    if is_zero(edge) {
        return !is_zero(p) && !is_zero(q) && is_zero(cross(p, q)) && dot(p, q) > 0;
    }
    match (is_zero(normal_a), is_zero(normal_b)) {
        // Coplanar with equal normals: folded.
        (false, false) => is_zero(cross(normal_a, normal_b)) && dot(normal_a, normal_b) > 0,
        // All on one line, where the edge covers 0 to |edge|².
        (true, true) => {
            let (end, s, t) = (dot(edge, edge), dot(edge, p), dot(edge, q));
            s.min(t) > end || s.max(t) < 0
        }
        _ => false,
    }
}
