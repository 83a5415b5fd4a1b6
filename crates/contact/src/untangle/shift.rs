//! Whole pieces of cloth moved aside, where that is enough.
//!
//! The kindest way to part two sheets is to move one of them as it is: nothing is stretched. So pieces are put in place one
//! after the other, as one would dress: first what is held, then by layer, large ones first. A free piece that crosses
//! what is already there is moved along a few directions (through the surface, along the line of intersection, along
//! the axes) until it is clear, by the shortest way found. The way may be little longer than the crossing is deep:
//! a shirt that cuts into the body a finger's breadth is not to be taken off.

use toile_mesh::{Aabb, DVec3, TriMesh, VertexId, judge};

use super::crossing::Crossings;
use super::nearest::NearestFace;
use super::push::{parts_of, shortening};
use super::region::Regions;
use super::tangle::Weave;
use crate::{SweepSettings, TriangleSweep};

/// Way of a piece at most, in depths of its crossings.
const WAY_PER_DEPTH: f64 = 1.5;
/// And this many distances to be kept.
const WAY_GAPS: f64 = 8.0;
/// Places tried along each direction.
const PLACES: u32 = 12;
/// Halvings between the last bad place and the first good one.
const HALVINGS: u32 = 6;

/// Pieces that move as one: parts of cloth sewn to each other.
struct Piece {
    parts: Vec<usize>,
    held: bool,
    layer: u32,
    area: f64,
}

/// Moves free pieces out of what they cross. Returns whether any was moved.
pub(super) fn settle(weave: &Weave<'_>, x: &mut [DVec3]) -> bool {
    let mut pieces = pieces(weave);
    pieces.sort_by(|a, b| {
        let area = b.area.total_cmp(&a.area);
        b.held.cmp(&a.held).then(a.layer.cmp(&b.layer)).then(area).then(a.parts.cmp(&b.parts))
    });
    let mut there: Vec<bool> = (0..weave.members.len()).map(|p| p >= weave.cloth_parts).collect();
    let mut moved = false;
    let mut tangled: Vec<[usize; 2]> = weave.judged(x).iter().map(|pair| pair.map(|f| weave.part_of_face(f))).collect();
    tangled.sort_unstable();
    tangled.dedup();
    for piece in &pieces {
        let offset = if piece.held { None } else { Place::new(weave, x, piece, &there, &tangled).way() };
        if let Some(offset) = offset {
            let members = piece.parts.iter().flat_map(|p| &weave.members[*p]);
            members.for_each(|v| x[*v as usize] += offset);
            moved = true;
        }
        piece.parts.iter().for_each(|p| there[*p] = true);
    }
    moved
}

fn pieces(weave: &Weave<'_>) -> Vec<Piece> {
    let mut root: Vec<usize> = (0..weave.cloth_parts).collect();
    for [a, b] in weave.tangle.sewn {
        let [a, b] = [a, b].map(|v| root[weave.part_of_vertex(*v as usize)]);
        let (low, high) = (a.min(b), a.max(b));
        root.iter_mut().filter(|r| **r == high).for_each(|r| *r = low);
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for first in (0..weave.cloth_parts).filter(|p| root[*p] == *p) {
        let parts: Vec<usize> = (0..weave.cloth_parts).filter(|p| root[*p] == first).collect();
        let held = parts.iter().flat_map(|p| &weave.members[*p]).any(|v| weave.free[*v as usize] == 0.0);
        let layer = parts.iter().filter_map(|p| weave.layer(*p)).min().unwrap_or(0);
        let area = parts.iter().map(|p| weave.area[*p]).sum();
        pieces.push(Piece { parts, held, layer, area });
    }
    pieces
}

/// A piece among what is already there.
struct Place<'a> {
    weave: &'a Weave<'a>,
    x: &'a [DVec3],
    piece: &'a Piece,
    /// Triangles of the piece, and of the cloth that is there.
    own: Vec<[VertexId; 3]>,
    others: TriMesh,
    /// Crossings between the piece and what is there.
    found: Crossings,
    there: &'a [bool],
    /// Cloth of other layers that it was tangled with, and 1 if it belongs where the normals point, else −1.
    layers: Vec<(NearestFace, f64)>,
}

impl<'a> Place<'a> {
    fn new(weave: &'a Weave<'a>, x: &'a [DVec3], piece: &'a Piece, there: &'a [bool], tangled: &[[usize; 2]]) -> Self {
        let n = weave.cloth_vertices();
        let cloth_faces = || (0..weave.tangle.cloth.face_count()).map(|f| (weave.part_of_face(f), weave.triangles[f]));
        let own = cloth_faces().filter(|(p, _)| piece.parts.contains(p)).map(|(_, t)| t).collect();
        let others = cloth_faces().filter(|(p, _)| there[*p] && weave.tangle.self_contact).map(|(_, t)| t).collect();
        let mut found = Crossings::find(weave, x);
        let between = |[a, b]: [usize; 2]| {
            let (mine, theirs) = (|p| piece.parts.contains(&p), |p: usize| there[p]);
            (mine(a) && theirs(b)) || (mine(b) && theirs(a))
        };
        found.crossings.retain(|c| between(parts_of(weave, c)));
        found.flat.retain(|pair| between(pair.map(|f| weave.part_of_face(f))));
        let others = TriMesh { positions: x[..n].to_vec(), triangles: others };
        let mut place = Self { weave, x, piece, own, others, found, there, layers: Vec::new() };
        place.layers = place.find_layers(tangled);
        place
    }

    fn find_layers(&self, tangled: &[[usize; 2]]) -> Vec<(NearestFace, f64)> {
        let mine = |p: usize| self.piece.parts.contains(&p);
        let mut others: Vec<usize> = (tangled.iter())
            .filter_map(|[a, b]| if mine(*a) { Some(*b) } else { mine(*b).then_some(*a) })
            .filter(|other| *other < self.weave.cloth_parts && self.there[*other])
            .collect();
        others.sort_unstable();
        others.dedup();
        let layer = |other: &usize| self.weave.layer(*other).unwrap_or(0);
        let different = others.iter().filter(|other| layer(other) != self.piece.layer);
        different.map(|o| (self.part_mesh(*o), if self.piece.layer > layer(o) { 1.0 } else { -1.0 })).collect()
    }

    fn part_mesh(&self, part: usize) -> NearestFace {
        let faces = self.weave.triangles.iter().enumerate().filter(|(f, _)| self.weave.part_of_face(*f) == part);
        NearestFace::new(TriMesh { positions: self.x.to_vec(), triangles: faces.map(|(_, t)| *t).collect() })
    }

    /// How much of the piece is on the wrong side of other layers, summed over its vertices, with how deep and which way
    /// is right; more than half of it being on the right side will do.
    fn disorder(&self, offset: DVec3) -> (bool, f64, DVec3) {
        let (mut wrong, mut deepest, mut right_way) = (false, 0.0_f64, DVec3::ZERO);
        for (layer, side) in &self.layers {
            let mut balance = 0_i64;
            for foot in self.vertices().filter_map(|v| layer.nearest(self.x[v] + offset)) {
                balance += if foot.distance * side >= 0.0 { 1 } else { -1 };
                deepest = deepest.max(-foot.distance * side);
                right_way += foot.normal * *side;
            }
            wrong |= balance < 0;
        }
        (wrong, deepest, right_way)
    }

    /// The shortest way found to a clear place; `None` if the piece is clear or none was found.
    fn way(&self) -> Option<DVec3> {
        let (sunk, outward) = self.sunk();
        if self.is_clear(DVec3::ZERO) {
            return None;
        }
        let (_, disordered, right_way) = self.disorder(DVec3::ZERO);
        let gap = self.gap();
        let regions = Regions::find(self.weave, self.x, &self.found);
        let limit = WAY_PER_DEPTH * sunk.max(self.depth(&regions)).max(disordered) + WAY_GAPS * gap;
        let mut best: Option<(f64, DVec3)> = None;
        for direction in self.directions(&regions, outward, right_way) {
            let most = best.map_or(limit, |b| b.0);
            let Some(way) = self.search(direction, most).filter(|way| *way < most) else { continue };
            best = Some((way, direction));
        }
        let (way, direction) = best?;
        let farther = direction * (way + gap);
        Some(if self.is_clear(farther) { farther } else { direction * way })
    }

    fn gap(&self) -> f64 {
        let own = self.piece.parts.iter().map(|p| self.weave.half_gap[self.weave.members[*p][0] as usize]);
        (2.0 * own.fold(0.0, f64::max)).max(self.weave.tangle.obstacle_gap)
    }

    /// Distance along a direction to the first clear place tried, refined.
    fn search(&self, direction: DVec3, limit: f64) -> Option<f64> {
        let place = |k: u32| limit * f64::from(k) / f64::from(PLACES);
        let first = (1..=PLACES).find(|k| self.is_clear(direction * place(*k)))?;
        let (mut bad, mut good) = (place(first - 1), place(first));
        for _ in 0..HALVINGS {
            let middle = bad.midpoint(good);
            if self.is_clear(direction * middle) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        Some(good)
    }

    /// Whether the piece, moved by `offset`, crosses nothing that is there and is in the order of the layers.
    fn is_clear(&self, offset: DVec3) -> bool {
        let weave = self.weave;
        if self.disorder(offset).0 {
            return false;
        }
        let mut positions = self.x[..weave.cloth_vertices()].to_vec();
        self.vertices().for_each(|v| positions[v] += offset);
        let placed = TriMesh { positions, triangles: self.own.clone() };
        if !self.others.triangles.is_empty() && judge::mutual_intersections(&placed, &self.others).count() > 0 {
            return false;
        }
        if weave.tangle.meshes.iter().any(|mesh| judge::mutual_intersections(&placed, mesh).count() > 0) {
            return false;
        }
        if self.vertices().any(|v| weave.sunk(v, placed.positions[v]).next().is_some()) {
            return false;
        }
        if weave.placed.pieces().is_empty() {
            return true;
        }
        let settings = SweepSettings { max_rounds: 0, ..SweepSettings::new(weave.tangle.obstacle_gap) };
        let TriMesh { mut positions, triangles } = placed;
        let from = positions.clone();
        let free = &weave.free[..positions.len()];
        let sweep = TriangleSweep::default().resolve(&weave.placed, &triangles, &from, &mut positions, free, &settings);
        sweep.contacts == 0
    }

    fn vertices(&self) -> impl Iterator<Item = usize> + '_ {
        self.piece.parts.iter().flat_map(|p| &self.weave.members[*p]).map(|v| *v as usize)
    }

    /// How deep the piece is in obstacles [m], and the sum of the ways out.
    fn sunk(&self) -> (f64, DVec3) {
        let (mut deepest, mut outward) = (0.0_f64, DVec3::ZERO);
        for (v, p) in self.vertices().map(|v| (v, self.x[v])) {
            for (_, foot) in self.weave.sunk(v, p) {
                deepest = deepest.max(-foot.distance);
                outward += foot.point - p;
            }
            for piece in self.weave.placed.pieces() {
                let (distance, normal) = piece.distance_and_normal(p);
                let short = self.weave.tangle.obstacle_gap - distance;
                if short > 0.0 {
                    deepest = deepest.max(short);
                    outward += normal * short;
                }
            }
        }
        (deepest, outward)
    }

    /// How deep the piece goes through other cloth, or other cloth through it [m].
    fn depth(&self, regions: &Regions) -> f64 {
        let mut deepest = 0.0_f64;
        for (&(part, other), cut) in &regions.cuts {
            if part == other {
                continue;
            }
            let nearest = self.part_mesh(other);
            let wrong = self.weave.members[part].iter().zip(&cut.region).filter(|(_, r)| cut.wrong[**r as usize]);
            let depth = wrong.filter_map(|(v, _)| nearest.nearest(self.x[*v as usize])).map(|f| f.distance.abs());
            deepest = deepest.max(depth.fold(0.0, f64::max));
        }
        if deepest > 0.0 {
            return deepest;
        }
        Aabb::around(self.found.crossings.iter().map(|c| c.point)).size().length()
    }

    fn directions(&self, regions: &Regions, outward: DVec3, right_way: DVec3) -> Vec<DVec3> {
        let weave = self.weave;
        let (mut through, mut along, mut normals) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for crossing in &self.found.crossings {
            let [part, other] = parts_of(weave, crossing);
            let mine = self.there.get(part) == Some(&false);
            let sign = if mine { 1.0 } else { -1.0 };
            along += shortening(weave, crossing, self.x) * sign;
            if mine {
                normals += crossing.normal;
            }
            let ends = weave.ends(crossing.edge);
            for v in ends {
                if regions.is_wrong(weave, part, other, v) == Some(true) {
                    let side = crossing.normal.dot(crossing.point - self.x[v]).signum();
                    through += crossing.normal * (side * sign);
                }
            }
        }
        for pair in &self.found.flat {
            let mine = pair.iter().position(|f| !self.there[weave.part_of_face(*f)]).unwrap_or(0);
            let [a, b, c] = weave.corners(pair[1 - mine], self.x);
            normals += (b - a).cross(c - a).normalize_or_zero();
        }
        let mut directions = vec![right_way, through, along, outward, normals, -normals];
        directions.extend([DVec3::Y, DVec3::X, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]));
        directions
            .into_iter()
            .filter_map(DVec3::try_normalize)
            .filter(|d| right_way == DVec3::ZERO || right_way.dot(*d) > 0.0)
            .collect()
    }
}
