//! [`Overlap`]: cloth where obstacles leave it no room: pinched between exact shapes, or caught where meshes overlap each other or
//! themselves, as an arm that goes through its torso.
//!
//! No position of such cloth keeps out of all obstacles. What matters is that it comes out on the side on which it went in, and that
//! nothing else of the cloth is let in meanwhile.
//!
//! **Exact shapes.** A particle that two of them press from opposite sides is held for the step and goes as far as they do in the mean.
//! Triangles at it are not pushed out of shapes, which could only throw their other corners about. When the shapes part, it is free again
//! and leaves the one it is in as any other would.
//!
//! **Meshes.** Features that could not be kept out are *excused*: their pairs with obstacles are passed over, those of all others are
//! kept. A vertex of theirs is [`Caught`] and remembers the *sheets* that caught it, the faces in front of which it was, which slide along
//! with it.
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

use crate::{MeshObstacle, Mobility, Participants, PlacedObstacles, PlacedPiece, Step};

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
struct Led {
    vertex: usize,
    /// Where it is at the end of the step [m].
    end: DVec3,
    /// How far what holds it goes in the step [m].
    carried: DVec3,
}

/// What overlapping obstacles did in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OverlapReport {
    /// Particles that exact shapes pinch.
    pub pinched: usize,
    /// Particles that are led out of meshes.
    pub led: usize,
}

/// An exact shape that presses a particle.
struct Press {
    distance: f64,
    /// The distance that the particle should keep [m].
    keep: f64,
    normal: DVec3,
    /// How far a point there goes with the shape in the step [m].
    carried: DVec3,
}

impl Press {
    /// What a shape does to a particle at `x` [m]; `None` if that keeps its distance.
    fn of(piece: &PlacedPiece, x: DVec3, keep: f64) -> Option<Self> {
        if !piece.may_touch(x, keep) {
            return None;
        }
        let (distance, normal) = piece.distance_and_normal(x);
        (distance < keep).then(|| Self { distance, keep, normal, carried: piece.carried(x) - x })
    }
}

/// A point of an obstacle.
struct Foot {
    face: u32,
    normal: DVec3,
    weights: [f64; 3],
    distance: f64,
}

/// Looks after cloth where obstacles leave it no room; see the module.
#[derive(Clone, Debug, Default)]
pub struct Overlap {
    /// Triangles of the obstacles, and whether their mesh has no border.
    solid: Vec<([u32; 3], bool)>,
    cloth: Vec<[u32; 3]>,
    /// Triangles at each vertex of the cloth.
    faces_at: Vec<Vec<u32>>,
    /// Features that could not be kept out in the step that is tried again.
    excused: Vec<Feature>,
    /// What is guided in this step, with the velocity that it has after it [m/s].
    guided: Vec<(usize, DVec3)>,
    pinched: usize,
    /// Triangles without a pinched corner; only kept while there is one.
    unpinched: Vec<[VertexId; 3]>,
}

impl Overlap {
    /// For cloth with these triangles among mesh obstacles.
    pub fn new(participants: &Participants, obstacles: &[MeshObstacle], cloth: &[[VertexId; 3]]) -> Self {
        if obstacles.is_empty() {
            return Self::default();
        }
        let cloth: Vec<[u32; 3]> = cloth.iter().map(|triangle| triangle.map(|v| v.0)).collect();
        let offsets = participants.offsets();
        let mut solid = Vec::new();
        for (obstacle, first) in obstacles.iter().zip(&offsets[1..]) {
            let closed = Topology::new(&obstacle.mesh).is_closed();
            let inside_out = closed && signed_volume(&obstacle.mesh) < 0.0;
            for triangle in &obstacle.mesh.triangles {
                let [a, b, c] = triangle.map(|v| v.0 + first);
                solid.push((if inside_out { [a, c, b] } else { [a, b, c] }, closed));
            }
        }
        let mut faces_at = vec![Vec::new(); participants.cloth()];
        for (f, triangle) in cloth.iter().enumerate() {
            for v in triangle {
                faces_at[*v as usize].push(f as u32);
            }
        }
        Self { solid, cloth, faces_at, ..Self::default() }
    }

    /// The one entry: finds what obstacles leave no room in a step whose obstacles are in place, and guides it. What exact `shapes` pinch
    /// is held for the step; what meshes have `caught` is led. `keep` is the largest distance kept from shapes [m].
    pub fn guide(
        &mut self,
        step: &mut Step,
        shapes: &PlacedObstacles,
        triangles: &[[VertexId; 3]],
        caught: &mut [Caught],
        keep: f64,
    ) -> OverlapReport {
        self.guided.clear();
        self.hold_pinched(step, shapes, triangles, keep);
        step.excused.clone_from(&self.excused);
        if !caught.is_empty() {
            step.excused.extend(self.excused_by(step, caught));
            step.excused.sort_unstable();
            step.excused.dedup();
            for led in self.lead(step, caught, step.tuning().leading_speed) {
                if step.is_free(led.vertex) {
                    step.prescribe(led.vertex, Mobility::Guided, led.end);
                    self.guided.push((led.vertex, led.carried / step.length()));
                }
            }
        }
        OverlapReport { pinched: self.pinched, led: self.guided.len() - self.pinched }
    }

    /// Holds particles that two exact shapes pinch: pressed from opposite sides, with less room than twice the floor. They go as far as
    /// the shapes do in the mean.
    fn hold_pinched(&mut self, step: &mut Step, shapes: &PlacedObstacles, triangles: &[[VertexId; 3]], keep: f64) {
        let (opposed, floor) = (step.tuning().opposed, step.tuning().floor);
        self.pinched = 0;
        let pieces = shapes.pieces();
        if pieces.len() < 2 {
            return;
        }
        for i in 0..step.cloth() {
            if !step.is_free(i) {
                continue;
            }
            let start = step.x_t0[i];
            let presses = pieces
                .iter()
                .enumerate()
                .filter_map(|(k, piece)| Press::of(piece, start, shapes.share_for(k, i) * keep));
            let presses: Vec<Press> = presses.collect();
            let pinches = |a: &Press, b: &Press| {
                a.normal.dot(b.normal) < opposed && a.distance + b.distance < floor * (a.keep + b.keep)
            };
            if presses.iter().any(|a| presses.iter().any(|b| pinches(a, b))) {
                let carried = presses.iter().map(|press| press.carried).sum::<DVec3>() / presses.len() as f64;
                step.prescribe(i, Mobility::Held, start + carried);
                self.guided.push((i, DVec3::ZERO));
                self.pinched += 1;
            }
        }
        if self.pinched > 0 {
            let pinched = &self.guided;
            let is_pinched = |v: &VertexId| pinched.binary_search_by_key(&v.index(), |p| p.0).is_ok();
            self.unpinched = triangles.iter().filter(|t| !t.iter().any(is_pinched)).copied().collect();
        }
    }

    /// The triangles that exact shapes push: at pinched corners they could only throw the others about.
    pub fn pushed<'a>(&'a self, all: &'a [[VertexId; 3]]) -> &'a [[VertexId; 3]] {
        if self.pinched == 0 { all } else { &self.unpinched }
    }

    /// Passes over features that the guard could not keep out, when the step is tried again; false if there is nothing new.
    pub fn excuse(&mut self, left: &[Feature]) -> bool {
        let before = self.excused.len();
        self.excused.extend_from_slice(left);
        self.excused.sort_unstable();
        self.excused.dedup();
        self.excused.len() > before
    }

    /// Forgets what was excused: the step is tried again as two halves.
    pub fn forget_excuses(&mut self) {
        self.excused.clear();
    }

    /// Gives what was guided in the step its velocity.
    pub fn release(&self, v: &mut [DVec3]) {
        for (i, velocity) in &self.guided {
            v[*i] = *velocity;
        }
    }

    /// Finds out what is caught where a step has ended that is not tried again.
    pub fn catch(&mut self, step: &Step, caught: &mut Vec<Caught>) {
        if !caught.is_empty() || !self.excused.is_empty() {
            *caught = self.renewed(step, caught, &self.excused);
            self.excused.clear();
        }
    }

    /// The features to excuse in a step that begins with `caught`: vertices inside, and edges and triangles that have
    /// such a corner or go through an obstacle. Ascending.
    fn excused_by(&self, step: &Step, caught: &[Caught]) -> Vec<Feature> {
        let x = &step.x_t0;
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

    /// Where caught vertices go in the step, led out with `speed` [m/s]; those in front of their sheets are free. Lets the
    /// sheets slide.
    fn lead(&self, step: &Step, caught: &mut [Caught], speed: f64) -> Vec<Led> {
        let x = &step.x_t0;
        let in_two = caught.par_iter().map(|c| c.vertex).filter(|v| self.winding(x, x[*v as usize]).abs() > 1);
        let in_two: Vec<u32> = in_two.collect();
        let waiting = self.joined_to(&in_two, caught);
        let led = caught.par_iter_mut().map(|caught| {
            let (in_two, waits) = (in_two.contains(&caught.vertex), waiting.contains(&caught.vertex));
            self.lead_one(step, caught, in_two, waits, speed * step.length())
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

    fn lead_one(&self, step: &Step, caught: &mut Caught, in_two: bool, waits: bool, most: f64) -> Option<Led> {
        let (x, x_t1) = (&step.x_t0, &step.x_t1);
        let vertex = caught.vertex as usize;
        let start = x[vertex];
        // Normals of one sheet turn by less than those of sheets that press against each other.
        let alike = -step.tuning().opposed;
        let mut feet = Vec::new();
        for sheet in &mut caught.sheets {
            let Some((triangle, _)) = self.solid.get(*sheet as usize) else { continue };
            let body = step.participants.body[triangle[0] as usize];
            let Some(normal) = self.normal(x, *sheet) else { continue };
            let same = |f: u32, n: DVec3| {
                step.participants.body[self.solid[f as usize].0[0] as usize] == body && n.dot(normal) > alike
            };
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
            return Some(Led { vertex, end: start + way, carried: way });
        }
        let nearest = || feet.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)).filter(|_| !waits);
        let least = least.or_else(nearest)?;
        let keep = step.participants.keep(vertex, self.solid[least.face as usize].0[0] as usize);
        let out = (step.tuning().meeting * keep - least.distance.min(0.0)).min(most);
        let way = way(least);
        Some(Led { vertex, end: start + way + least.normal * out, carried: way })
    }

    /// What is caught where the step ends, if `caught` was where it began and `excused` could not be kept out. Ascending.
    fn renewed(&self, step: &Step, caught: &[Caught], excused: &[Feature]) -> Vec<Caught> {
        let x = &step.x_t1;
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
        kept.into_iter().map(|v| known(v).unwrap_or_else(|| self.catch_vertex(step, v))).collect()
    }

    /// A vertex caught in this step, with the sheets in front of which it began it.
    fn catch_vertex(&self, step: &Step, vertex: u32) -> Caught {
        let (x, p) = (&step.x_t0, step.x_t0[vertex as usize]);
        let opposed = step.tuning().opposed;
        let faces = |f: u32, n: DVec3| n.dot(p - x[self.solid[f as usize].0[0] as usize]) > 0.0;
        let first = self.nearest(x, p, faces);
        let second = first.as_ref().and_then(|a| self.nearest(x, p, |f, n| faces(f, n) && n.dot(a.normal) < opposed));
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

impl Step {
    /// The feature of the cloth in a pair with an obstacle, in `vertices` as pairs have them.
    pub(crate) fn cloth_feature(&self, kind: PairKind, [a, b, c, d]: [u32; 4]) -> Option<Feature> {
        let is_cloth = |v: u32| (v as usize) < self.cloth();
        match (kind, is_cloth(a), is_cloth(c)) {
            (_, true, true) | (_, false, false) => None,
            (PairKind::VertexFace, true, false) => Some([a; 3]),
            (PairKind::VertexFace, false, true) => Some(ascending([b, c, d])),
            (PairKind::EdgeEdge, true, false) => Some(edge(a, b)),
            (PairKind::EdgeEdge, false, true) => Some(edge(c, d)),
        }
    }

    /// Whether a pair is passed over because its cloth could not be kept out; see [`Overlap`].
    #[inline]
    pub(crate) fn is_excused(&self, kind: PairKind, vertices: [u32; 4]) -> bool {
        let listed = |feature: Feature| self.excused.binary_search(&feature).is_ok();
        !self.excused.is_empty() && self.cloth_feature(kind, vertices).is_some_and(listed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toile_mesh::{TriMesh, generate};

    use super::*;
    use crate::{Materials, Motion, Pose};

    /// Boxes of this size at places along x, as obstacles, and one triangle of cloth with corners `cloth`.
    fn boxes(size: DVec3, places: &[f64], cloth: [DVec3; 3]) -> (Step, Overlap) {
        let obstacle = |x: &f64| MeshObstacle {
            name: "box".into(),
            mesh: generate::cuboid(size, 2),
            deformation: None,
            motion: Motion::at_rest(Pose::at(DVec3::X * *x)),
            friction: None,
            padding: 0.0,
        };
        let obstacles: Vec<MeshObstacle> = places.iter().map(obstacle).collect();
        let materials = Materials::new(1 + places.len(), |_, _| (1e-3, 0.0));
        let mut step = Step::new(Participants::new(&cloth, &[0; 3], &obstacles, materials));
        step.place(&obstacles, 0.0, 1.0);
        step.begin(&cloth, &[DVec3::ZERO; 3], &[1.0; 3]);
        step.set_end(&cloth);
        let overlap = Overlap::new(&step.participants, &obstacles, &[[0, 1, 2].map(VertexId)]);
        (step, overlap)
    }

    proptest! {
        #[test]
        fn points_are_in_as_many_boxes_as_hold_them(p in prop::array::uniform3(-1.0..1.0_f64)) {
            let (p, half) = (DVec3::from(p), DVec3::new(0.4, 0.3, 0.6));
            let (step, overlap) = boxes(2.0 * half, &[-0.2, 0.2], [DVec3::ZERO; 3]);
            let within = |x: f64| ((p - DVec3::X * x).abs() - half).max_element() < 0.0;
            let count = i32::from(within(-0.2)) + i32::from(within(0.2));
            prop_assert_eq!(overlap.winding(&step.x_t0, p), count);
        }
    }

    #[test]
    fn rays_through_corners_and_along_edges_count_once() {
        let (step, overlap) = boxes(DVec3::ONE, &[0.0], [DVec3::ZERO; 3]);
        for p in [DVec3::ZERO, DVec3::new(-0.25, 0.25, 0.25), DVec3::new(0.1, 0.0, 0.3)] {
            assert_eq!(overlap.winding(&step.x_t0, p), 1, "{p}");
        }
        assert_eq!(overlap.winding(&step.x_t0, DVec3::new(-0.6, 0.0, 0.0)), 0);
    }

    #[test]
    fn inside_out_boxes_are_turned() {
        let mesh = generate::cuboid(DVec3::ONE, 1);
        let turned = TriMesh { triangles: mesh.triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect(), ..mesh };
        let motion = Motion::at_rest(Pose::IDENTITY);
        let obstacle = MeshObstacle { name: "box".into(), mesh: turned, deformation: None, motion, friction: None };
        let materials = Materials::new(2, |_, _| (1e-3, 0.0));
        let participants = Participants::new(&[DVec3::ZERO], &[0], std::slice::from_ref(&obstacle), materials);
        let mut step = Step::new(participants);
        step.place(std::slice::from_ref(&obstacle), 0.0, 0.0);
        let overlap = Overlap::new(&step.participants, &[obstacle], &[]);
        assert_eq!(overlap.winding(&step.x_t0, DVec3::splat(0.1)), 1);
    }

    #[test]
    fn what_is_in_one_box_is_led_out_through_the_face_that_caught_it() {
        // Boxes from −1.1 to −0.1 and from 0.1 to 1.1 with the cloth between, then the right one has come to −0.05.
        let corners = [DVec3::ZERO, DVec3::new(0.0, 0.1, 0.0), DVec3::new(0.0, 0.0, 0.1)];
        let (apart, overlap) = boxes(DVec3::ONE, &[-0.6, 0.6], corners);
        let caught: Vec<Caught> = (0..3).map(|v| overlap.catch_vertex(&apart, v)).collect();
        let (closed, overlap) = boxes(DVec3::ONE, &[-0.6, 0.45], corners);
        let mut kept = overlap.renewed(&closed, &caught, &[]);
        assert_eq!(kept.iter().map(|c| c.vertex).collect::<Vec<_>>(), [0, 1, 2]);
        let led = overlap.lead(&closed, &mut kept, 1.0);
        for led in led {
            assert!((led.end - corners[led.vertex] - DVec3::X * -0.0505).length() < 1e-12, "{led:?}");
        }
        let features = overlap.excused_by(&closed, &kept);
        assert_eq!(features, [[0, 0, 0], [0, 1, 1], [0, 1, 2], [0, 2, 2], [1, 1, 1], [1, 2, 2], [2, 2, 2]]);
        assert!(overlap.renewed(&apart, &kept, &[]).is_empty(), "it is free again");
    }

    #[test]
    fn what_is_in_two_boxes_stays_between_them() {
        let corners = [DVec3::ZERO, DVec3::new(0.0, 0.1, 0.0), DVec3::new(0.0, 0.0, 0.1)];
        let (apart, overlap) = boxes(DVec3::ONE, &[-0.6, 0.6], corners);
        let mut caught: Vec<Caught> = (0..3).map(|v| overlap.catch_vertex(&apart, v)).collect();
        let (closed, overlap) = boxes(DVec3::ONE, &[-0.4, 0.4], corners);
        for led in overlap.lead(&closed, &mut caught, 1.0) {
            assert_eq!(led.end, corners[led.vertex]);
        }
    }
}
