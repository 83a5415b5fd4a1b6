//! [`Pincers`]: cloth that is caught where meshes overlap, or where one overlaps itself: an arm that goes through its torso.
//!
//! Where obstacles leave no room, no position of the cloth keeps out of them. What matters is that it comes out on the
//! side on which it went in, and that nothing else of the cloth is let in meanwhile. So the features that could not be kept
//! out are *excused*: their pairs with obstacles are passed over, those of all others are kept. A vertex of theirs is
//! [`Caught`] and remembers the *sheets* that caught it, the faces in front of which it was, which slide along with it.
//!
//! - In two bodies at once, by its winding number, it goes where its sheets do in the mean.
//! - Behind one sheet only, it is carried with it and led out along its normal, a little per step.
//! - In front of all its sheets it is free while cloth it is joined to is in two bodies, and then led away from the nearest; it is no longer caught when no triangle at it goes through an obstacle.
//!
//! Winding numbers count the faces that a ray along x leaves through, minus those it enters by; only meshes without border
//! have them. Cloth caught between open meshes is excused for as long as it crosses one, but not led.

use rayon::prelude::*;
use toile_collide::closest_points;
use toile_collide::impact::PairKind;
use toile_mesh::judge::triangles_intersect;
use toile_mesh::{Aabb, DVec3, Topology, VertexId, signed_volume, triangle_normal};

use super::Bodies;
use crate::MeshObstacle;

/// Speed with which cloth is led out of an obstacle [m/s].
const LED: f64 = 1.0;
/// Share of the distance kept to which it is led.
const LED_TO: f64 = 0.5;
/// Cosine between normals of one sheet, at least.
const ALIKE: f64 = 0.5;
/// No face.
const NONE: u32 = u32::MAX;

/// A vertex, an edge or a triangle of the cloth: its vertices in ascending order, the last one repeated.
pub type Feature = [u32; 3];

/// A vertex that is caught, with the faces of obstacles that caught it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caught {
    /// The vertex.
    pub vertex: u32,
    /// Faces, counted through all obstacles; `u32::MAX` for none.
    pub sheets: [u32; 2],
}

/// Where a caught vertex has to be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Led {
    /// The vertex.
    pub vertex: usize,
    /// Where it is at the end of the step [m].
    pub end: DVec3,
    /// How far what holds it goes in the step [m].
    pub way: DVec3,
}

/// A point of an obstacle.
struct Foot {
    face: u32,
    normal: DVec3,
    weights: [f64; 3],
    distance: f64,
}

/// Knows which cloth is caught in mesh obstacles.
#[derive(Clone, Debug, Default)]
pub struct Pincers {
    /// Triangles of the obstacles, and whether their mesh has no border.
    solid: Vec<([u32; 3], bool)>,
    cloth: Vec<[u32; 3]>,
    /// Triangles at each vertex of the cloth.
    faces_at: Vec<Vec<u32>>,
}

impl Pincers {
    /// For the bodies of a world, its obstacles and the triangles of its cloth.
    pub fn new(bodies: &Bodies, obstacles: &[MeshObstacle], cloth: &[[VertexId; 3]]) -> Self {
        if obstacles.is_empty() {
            return Self::default();
        }
        let cloth: Vec<[u32; 3]> = cloth.iter().map(|triangle| triangle.map(|v| v.0)).collect();
        let offsets = bodies.offsets();
        let mut solid = Vec::new();
        for (obstacle, first) in obstacles.iter().zip(&offsets[1..]) {
            let closed = Topology::new(&obstacle.mesh).is_closed();
            let inside_out = closed && signed_volume(&obstacle.mesh) < 0.0;
            for triangle in &obstacle.mesh.triangles {
                let [a, b, c] = triangle.map(|v| v.0 + first);
                solid.push((if inside_out { [a, c, b] } else { [a, b, c] }, closed));
            }
        }
        let mut faces_at = vec![Vec::new(); bodies.cloth()];
        for (f, triangle) in cloth.iter().enumerate() {
            for v in triangle {
                faces_at[*v as usize].push(f as u32);
            }
        }
        Self { solid, cloth, faces_at }
    }

    /// The features to excuse in a step that begins with `caught`: vertices inside, and edges and triangles that have
    /// such a corner or go through an obstacle. Ascending.
    pub fn excused(&self, bodies: &Bodies, caught: &[Caught]) -> Vec<Feature> {
        let x = &bodies.x_t0;
        let inside: Vec<u32> =
            caught.iter().map(|c| c.vertex).filter(|v| self.winding(x, x[*v as usize]) != 0).collect();
        let mut features: Vec<Feature> = inside.iter().map(|v| [*v; 3]).collect();
        let faces = self.faces_of(caught.iter().map(|c| c.vertex));
        let near = self.near(x, &faces);
        for f in faces {
            let corners = self.cloth[f as usize];
            if !corners.iter().any(|v| inside.contains(v)) && !Self::crosses(x, corners, &near) {
                continue;
            }
            features.push(ascending(corners));
            for k in 0..3 {
                let [a, b] = [corners[k], corners[(k + 1) % 3]];
                if inside.contains(&a) || inside.contains(&b) || Self::crosses(x, [a, b, b], &near) {
                    features.push(edge(a, b));
                }
            }
        }
        features.sort_unstable();
        features.dedup();
        features
    }

    /// Where caught vertices go in the step, which is `h` seconds long; those in front of their sheets are free. Lets the
    /// sheets slide.
    pub fn lead(&self, bodies: &Bodies, caught: &mut [Caught], h: f64) -> Vec<Led> {
        let x = &bodies.x_t0;
        let in_two = caught.par_iter().map(|c| c.vertex).filter(|v| self.winding(x, x[*v as usize]).abs() > 1);
        let in_two: Vec<u32> = in_two.collect();
        let waiting = self.joined_to(&in_two, caught);
        let led = caught.par_iter_mut().map(|caught| {
            let (in_two, waits) = (in_two.contains(&caught.vertex), waiting.contains(&caught.vertex));
            self.lead_one(bodies, caught, (in_two, waits), h)
        });
        led.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// The caught vertices that are joined to `some` of them by triangles of caught ones.
    fn joined_to(&self, some: &[u32], caught: &[Caught]) -> Vec<u32> {
        let is_caught = |v: u32| caught.binary_search_by_key(&v, |c| c.vertex).is_ok();
        let mut joined = some.to_vec();
        let mut next = 0;
        while next < joined.len() {
            for f in &self.faces_at[joined[next] as usize] {
                for v in self.cloth[*f as usize] {
                    if is_caught(v) && !joined.contains(&v) {
                        joined.push(v);
                    }
                }
            }
            next += 1;
        }
        joined
    }

    fn lead_one(&self, bodies: &Bodies, caught: &mut Caught, (in_two, waits): (bool, bool), h: f64) -> Option<Led> {
        let (x, x_t1) = (&bodies.x_t0, &bodies.x_t1);
        let vertex = caught.vertex as usize;
        let start = x[vertex];
        let mut feet = Vec::new();
        for sheet in &mut caught.sheets {
            let Some((triangle, _)) = self.solid.get(*sheet as usize) else { continue };
            let body = bodies.body[triangle[0] as usize];
            let Some(normal) = self.normal(x, *sheet) else { continue };
            let same =
                |f: u32, n: DVec3| bodies.body[self.solid[f as usize].0[0] as usize] == body && n.dot(normal) > ALIKE;
            let Some(foot) = self.nearest(x, start, same) else { continue };
            *sheet = foot.face;
            feet.push(foot);
        }
        let way = |foot: &Foot| -> DVec3 {
            let corners = self.solid[foot.face as usize].0.map(|v| x_t1[v as usize] - x[v as usize]);
            corners.iter().zip(foot.weights).map(|(way, w)| *way * w).sum()
        };
        let behind = || feet.iter().filter(|foot| foot.distance < 0.0);
        let least = behind().max_by(|a, b| a.distance.total_cmp(&b.distance));
        if least.is_some() && in_two {
            let way = behind().map(way).sum::<DVec3>() / behind().count() as f64;
            return Some(Led { vertex, end: start + way, way });
        }
        let nearest = || feet.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)).filter(|_| !waits);
        let least = least.or_else(nearest)?;
        let keep =
            bodies.materials.distance(bodies.body[vertex], bodies.body[self.solid[least.face as usize].0[0] as usize]);
        let out = (LED_TO * keep - least.distance.min(0.0)).min(LED * h);
        let way = way(least);
        Some(Led { vertex, end: start + way + least.normal * out, way })
    }

    /// What is caught where the step ends, if `caught` was where it began and `excused` could not be kept out. Ascending.
    pub fn renewed(&self, bodies: &Bodies, caught: &[Caught], excused: &[Feature]) -> Vec<Caught> {
        let x = &bodies.x_t1;
        let mut vertices: Vec<u32> = excused.iter().flatten().copied().chain(caught.iter().map(|c| c.vertex)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let faces = self.faces_of(vertices.iter().copied());
        let near = self.near(x, &faces);
        let crossing =
            faces.iter().map(|f| self.cloth[*f as usize]).filter(|corners| Self::crosses(x, *corners, &near));
        let mut kept: Vec<u32> = crossing.flatten().collect();
        kept.extend(vertices.iter().filter(|v| self.winding(x, x[**v as usize]) != 0));
        kept.sort_unstable();
        kept.dedup();
        let known = |v: u32| caught.iter().find(|c| c.vertex == v).copied();
        kept.into_iter().map(|v| known(v).unwrap_or_else(|| self.catch(bodies, v))).collect()
    }

    /// A vertex caught in this step, with the sheets in front of which it began it.
    fn catch(&self, bodies: &Bodies, vertex: u32) -> Caught {
        let (x, p) = (&bodies.x_t0, bodies.x_t0[vertex as usize]);
        let faces = |f: u32, n: DVec3| n.dot(p - x[self.solid[f as usize].0[0] as usize]) > 0.0;
        let first = self.nearest(x, p, faces);
        let second = first.as_ref().and_then(|a| self.nearest(x, p, |f, n| faces(f, n) && n.dot(a.normal) < -ALIKE));
        Caught { vertex, sheets: [first, second].map(|foot| foot.map_or(NONE, |foot| foot.face)) }
    }

    /// Triangles at vertices, ascending.
    fn faces_of(&self, vertices: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut faces: Vec<u32> = vertices.flat_map(|v| &self.faces_at[v as usize]).copied().collect();
        faces.sort_unstable();
        faces.dedup();
        faces
    }

    /// Triangles of obstacles in the box around triangles of the cloth.
    fn near(&self, x: &[DVec3], faces: &[u32]) -> Vec<[DVec3; 3]> {
        let bounds = Aabb::around(faces.iter().flat_map(|f| self.cloth[*f as usize]).map(|v| x[v as usize]));
        let corners = self.solid.iter().map(|(triangle, _)| triangle.map(|v| x[v as usize]));
        corners.filter(|corners| bounds.overlaps(&Aabb::around(*corners))).collect()
    }

    fn crosses(x: &[DVec3], corners: [u32; 3], near: &[[DVec3; 3]]) -> bool {
        let corners = corners.map(|v| x[v as usize]);
        near.iter().any(|solid| triangles_intersect(corners, *solid))
    }

    fn normal(&self, x: &[DVec3], face: u32) -> Option<DVec3> {
        triangle_normal(self.solid[face as usize].0.map(|v| x[v as usize]))
    }

    /// The nearest point of the faces that are wanted for their number and normal; its distance is negative behind it.
    fn nearest(&self, x: &[DVec3], p: DVec3, wanted: impl Fn(u32, DVec3) -> bool) -> Option<Foot> {
        let mut best: Option<Foot> = None;
        for (f, (triangle, _)) in self.solid.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| x[v as usize]);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let least = (low - p).max(p - high).max(DVec3::ZERO).length_squared();
            if best.as_ref().is_some_and(|best| least >= best.distance * best.distance) {
                continue;
            }
            let Some(normal) = triangle_normal([a, b, c]).filter(|n| wanted(f as u32, *n)) else { continue };
            let closest = closest_points(PairKind::VertexFace, &[p, a, b, c]);
            if best.as_ref().is_none_or(|best| closest.distance < best.distance.abs()) {
                let weights = [closest.weights[1], closest.weights[2], closest.weights[3]];
                let point = a * weights[0] + b * weights[1] + c * weights[2];
                let side = if (p - point).dot(normal) < 0.0 { -1.0 } else { 1.0 };
                best = Some(Foot { face: f as u32, normal, weights, distance: side * closest.distance });
            }
        }
        best
    }

    /// How many times the closed meshes go around a point.
    fn winding(&self, x: &[DVec3], p: DVec3) -> i32 {
        // Which side of an edge the ray passes is asked of its ends in the same order by both of its faces.
        let left = |a: u32, b: u32| {
            let of = |a: u32, b: u32| {
                let [a, b] = [a, b].map(|v| x[v as usize] - p);
                a.y * b.z - a.z * b.y >= 0.0
            };
            if a < b { of(a, b) } else { !of(b, a) }
        };
        let mut winding = 0;
        for (triangle, _) in self.solid.iter().filter(|(_, closed)| *closed) {
            let [a, b, c] = triangle.map(|v| x[v as usize]);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            if high.x < p.x || low.y > p.y || high.y < p.y || low.z > p.z || high.z < p.z {
                continue;
            }
            let [u, v, w] = *triangle;
            let sides = [left(u, v), left(v, w), left(w, u)];
            if sides[0] != sides[1] || sides[1] != sides[2] {
                continue;
            }
            let normal = (b - a).cross(c - a);
            if (normal.dot(p - a) < 0.0) == (normal.x > 0.0) {
                winding += if normal.x > 0.0 { 1 } else { -1 };
            }
        }
        winding
    }
}

fn ascending(mut feature: Feature) -> Feature {
    feature.sort_unstable();
    feature
}

fn edge(a: u32, b: u32) -> Feature {
    ascending([a, b, a.max(b)])
}

impl Bodies {
    /// The feature of the cloth in a pair with an obstacle, in `vertices` as pairs have them.
    pub(super) fn cloth_feature(&self, kind: PairKind, [a, b, c, d]: [u32; 4]) -> Option<Feature> {
        let is_cloth = |v: u32| (v as usize) < self.cloth();
        match (kind, is_cloth(a), is_cloth(c)) {
            (_, true, true) | (_, false, false) => None,
            (PairKind::VertexFace, true, false) => Some([a; 3]),
            (PairKind::VertexFace, false, true) => Some(ascending([b, c, d])),
            (PairKind::EdgeEdge, true, false) => Some(edge(a, b)),
            (PairKind::EdgeEdge, false, true) => Some(edge(c, d)),
        }
    }

    /// Whether a pair is passed over because its cloth could not be kept out; see [`Pincers`].
    #[inline]
    pub(super) fn is_excused(&self, kind: PairKind, vertices: [u32; 4]) -> bool {
        let listed = |feature: Feature| self.excused.binary_search(&feature).is_ok();
        !self.excused.is_empty() && self.cloth_feature(kind, vertices).is_some_and(listed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toile_mesh::{TriMesh, generate};

    use super::*;
    use crate::{Friction, Materials, Motion, Pose};

    /// Boxes of this size at places along x, as obstacles, and one triangle of cloth with corners `cloth`.
    fn boxes(size: DVec3, places: &[f64], cloth: [DVec3; 3]) -> (Bodies, Pincers) {
        let obstacle = |x: &f64| MeshObstacle {
            name: "box".into(),
            mesh: generate::cuboid(size, 2),
            deformation: None,
            motion: Motion::at_rest(Pose::at(DVec3::X * *x)),
            friction: Friction::Coulomb(0.0),
        };
        let obstacles: Vec<MeshObstacle> = places.iter().map(obstacle).collect();
        let materials = Materials::new(1 + places.len(), |_, _| (1e-3, 0.0));
        let mut bodies = Bodies::new(&cloth, &[0; 3], &obstacles, materials);
        bodies.place(&obstacles, 0.0, 1.0);
        bodies.begin(&cloth, &[1.0; 3]);
        bodies.set_end(&cloth);
        let pincers = Pincers::new(&bodies, &obstacles, &[[0, 1, 2].map(VertexId)]);
        (bodies, pincers)
    }

    proptest! {
        #[test]
        fn points_are_in_as_many_boxes_as_hold_them(p in prop::array::uniform3(-1.0..1.0_f64)) {
            let (p, half) = (DVec3::from(p), DVec3::new(0.4, 0.3, 0.6));
            let (bodies, pincers) = boxes(2.0 * half, &[-0.2, 0.2], [DVec3::ZERO; 3]);
            let within = |x: f64| ((p - DVec3::X * x).abs() - half).max_element() < 0.0;
            let count = i32::from(within(-0.2)) + i32::from(within(0.2));
            prop_assert_eq!(pincers.winding(&bodies.x_t0, p), count);
        }
    }

    #[test]
    fn rays_through_corners_and_along_edges_count_once() {
        let (bodies, pincers) = boxes(DVec3::ONE, &[0.0], [DVec3::ZERO; 3]);
        for p in [DVec3::ZERO, DVec3::new(-0.25, 0.25, 0.25), DVec3::new(0.1, 0.0, 0.3)] {
            assert_eq!(pincers.winding(&bodies.x_t0, p), 1, "{p}");
        }
        assert_eq!(pincers.winding(&bodies.x_t0, DVec3::new(-0.6, 0.0, 0.0)), 0);
    }

    #[test]
    fn inside_out_boxes_are_turned() {
        let mesh = generate::cuboid(DVec3::ONE, 1);
        let turned = TriMesh { triangles: mesh.triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect(), ..mesh };
        let motion = Motion::at_rest(Pose::IDENTITY);
        let obstacle = MeshObstacle {
            name: "box".into(),
            mesh: turned,
            deformation: None,
            motion,
            friction: Friction::Coulomb(0.0),
        };
        let materials = Materials::new(2, |_, _| (1e-3, 0.0));
        let mut bodies = Bodies::new(&[DVec3::ZERO], &[0], std::slice::from_ref(&obstacle), materials);
        bodies.place(std::slice::from_ref(&obstacle), 0.0, 0.0);
        let pincers = Pincers::new(&bodies, &[obstacle], &[]);
        assert_eq!(pincers.winding(&bodies.x_t0, DVec3::splat(0.1)), 1);
    }

    #[test]
    fn what_is_in_one_box_is_led_out_through_the_face_that_caught_it() {
        // Boxes from −1.1 to −0.1 and from 0.1 to 1.1 with the cloth between, then the right one has come to −0.05.
        let corners = [DVec3::ZERO, DVec3::new(0.0, 0.1, 0.0), DVec3::new(0.0, 0.0, 0.1)];
        let (apart, pincers) = boxes(DVec3::ONE, &[-0.6, 0.6], corners);
        let caught: Vec<Caught> = (0..3).map(|v| pincers.catch(&apart, v)).collect();
        let (closed, pincers) = boxes(DVec3::ONE, &[-0.6, 0.45], corners);
        let mut kept = pincers.renewed(&closed, &caught, &[]);
        assert_eq!(kept.iter().map(|c| c.vertex).collect::<Vec<_>>(), [0, 1, 2]);
        let led = pincers.lead(&closed, &mut kept, 1.0);
        for led in led {
            assert!((led.end - corners[led.vertex] - DVec3::X * -0.0505).length() < 1e-12, "{led:?}");
        }
        let features = pincers.excused(&closed, &kept);
        assert_eq!(features, [[0, 0, 0], [0, 1, 1], [0, 1, 2], [0, 2, 2], [1, 1, 1], [1, 2, 2], [2, 2, 2]]);
        assert!(pincers.renewed(&apart, &kept, &[]).is_empty(), "it is free again");
    }

    #[test]
    fn what_is_in_two_boxes_stays_between_them() {
        let corners = [DVec3::ZERO, DVec3::new(0.0, 0.1, 0.0), DVec3::new(0.0, 0.0, 0.1)];
        let (apart, pincers) = boxes(DVec3::ONE, &[-0.6, 0.6], corners);
        let mut caught: Vec<Caught> = (0..3).map(|v| pincers.catch(&apart, v)).collect();
        let (closed, pincers) = boxes(DVec3::ONE, &[-0.4, 0.4], corners);
        for led in pincers.lead(&closed, &mut caught, 1.0) {
            assert_eq!(led.end, corners[led.vertex]);
        }
    }
}
