//! [`Plan`]: all cuts of a world, on meshes that are split for them.

use std::ops::Range;

use toile_collide::closest_points;
use toile_collide::impact::PairKind;
use toile_mesh::scissors::{Kerf, Layout, Parting, PathError, part, piece_of};
use toile_mesh::{DVec2, DVec3, FaceId, TriMesh, VertexId};

use super::{KERF, Stage};
use crate::builder::{BuiltCloth, Panel, Parts, WorldError};
use crate::hold::Held;

/// A cut is made in the frame that begins this share of a frame before its time, or later: times of frames are rounded.
const ROUNDING: f64 = 1e-6;
/// Largest height of a flat cloth over its plane, as a share of its width.
const FLAT: f64 = 1e-6;

/// All cuts of a world.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    cloths: Vec<ClothPlan>,
    /// Frames with which cuts are made, ascending, and how many slits are cut then.
    times: Vec<(u32, u32)>,
}

/// A cloth that is split along all its paths.
#[derive(Clone, Debug)]
pub(super) struct ClothPlan {
    /// As built, its holds numbered from 0.
    whole: BuiltCloth,
    layout: Layout,
    /// The panels of the layout; none if it is one sheet.
    panels: Vec<Panel>,
    /// Where the vertices of the layout are at rest and at the start [m].
    rest: Vec<DVec3>,
    start: Vec<DVec3>,
    /// For each triangle the slit with which it is taken away.
    taken: Vec<Option<u32>>,
    /// Holds on vertices of the layout.
    holds: Vec<Held>,
    /// Its place in records.
    recorded: Range<usize>,
}

/// A cloth as it is cut.
struct Piece {
    parting: Parting,
    kerf: Kerf,
}

impl Plan {
    /// The cuts of `parts` on `cloths`, their cloths without any; `frame_rate` in [1/s].
    pub(super) fn new(parts: &Parts, frame_rate: f64, cloths: Vec<ClothPlan>) -> Result<Self, WorldError> {
        let frame = |at: f64| (at * frame_rate - ROUNDING).ceil().max(0.0) as u32;
        let mut order: Vec<usize> = (0..parts.cuts.len()).collect();
        order.sort_by(|a, b| parts.cuts[*a].at.total_cmp(&parts.cuts[*b].at));
        let mut times: Vec<(u32, u32)> = Vec::new();
        for (slit, k) in order.iter().enumerate() {
            let frame = frame(parts.cuts[*k].at);
            match times.last_mut() {
                Some((last, slits)) if *last == frame => *slits = slit as u32 + 1,
                _ => times.push((frame, slit as u32 + 1)),
            }
        }
        let mut plan = Self { cloths, times };
        for (slit, k) in order.iter().enumerate() {
            plan.split(parts, slit as u32, *k)?;
        }
        for cloth in &mut plan.cloths {
            cloth.taken = vec![None; cloth.layout.triangles.len()];
        }
        for (slit, k) in order.iter().enumerate() {
            plan.take(parts, slit as u32, *k)?;
        }
        let mut first = 0;
        for (index, cloth) in plan.cloths.iter_mut().enumerate() {
            cloth.settle(parts, index)?;
            let particles = cloth.piece(u32::MAX, true).parting.origin.len();
            cloth.recorded = first..first + particles;
            first += particles;
        }
        Ok(plan)
    }

    /// Splits a cloth along the path of scissors `k`.
    fn split(&mut self, parts: &Parts, slit: u32, k: usize) -> Result<(), WorldError> {
        let cloth = &mut self.cloths[parts.cuts[k].cloth.index()];
        if !cloth.is_flat() {
            let help = "cut cloth whose shape is flat in its x–z plane: a grid, disc or ribbon, or a flat mesh";
            return Err(refused(parts, k, "its shape is not flat, so that a path on it means nothing".into(), help));
        }
        let said = &parts.cuts[k];
        let panel = cloth.panel(parts, k)?;
        if said.remove_panel {
            cloth.layout.unpick(slit, panel);
        }
        let mut path: Vec<DVec2> = said.path.iter().map(|p| cloth.to_layout(*p, panel)).collect();
        path.extend(said.through.iter().filter_map(|p| cloth.below(*p, panel)));
        if path.is_empty() {
            return Ok(());
        }
        let what = if cloth.panels.is_empty() { "cloth" } else { "panel" };
        cloth.layout.slit(slit, &path, panel).map_err(|error| match error {
            PathError::Outside { point, distance } => {
                let reason = format!("point {} of its path is {distance:.4} m outside of the {what}", point + 1);
                refused(parts, k, reason, "keep the path inside; only its first and its last point may be outside")
            }
            PathError::Leaves { point, at } => {
                let DVec2 { x, y } = cloth.on_panel(at, panel);
                let reason = format!("its path leaves the {what} after point {}, at [{x:.4}, {y:.4}]", point + 1);
                refused(parts, k, reason, "lead the path round the hole or notch, or cut twice")
            }
            PathError::NoLength => {
                let reason = "its path is shorter than a quarter of an edge of the mesh".to_owned();
                refused(parts, k, reason, "make the path longer or the mesh finer")
            }
        })
    }

    /// Marks the piece that scissors `k` take away.
    fn take(&mut self, parts: &Parts, slit: u32, k: usize) -> Result<(), WorldError> {
        let cloth = &mut self.cloths[parts.cuts[k].cloth.index()];
        let panel = cloth.panel(parts, k)?;
        let inside = match parts.cuts[k].remove {
            Some(point) => cloth.piece_at(parts, slit, k, cloth.to_layout(point, panel), panel)?,
            None if parts.cuts[k].remove_panel => cloth.layout.panel.iter().map(|own| *own == panel).collect(),
            None => return Ok(()),
        };
        if cloth.taken.iter().zip(&inside).all(|(taken, inside)| taken.is_some() || !inside) {
            let reason = "what it is to take away has been taken away before".to_owned();
            return Err(refused(parts, k, reason, "take away a piece that is still there"));
        }
        for (taken, _) in cloth.taken.iter_mut().zip(&inside).filter(|(_, inside)| **inside) {
            *taken = taken.or(Some(slit));
        }
        if cloth.taken.iter().all(Option::is_some) {
            let help =
                "end the path on the border or close it, so that it cuts a piece off; leave a panel of a garment";
            return Err(refused(parts, k, "nothing of the cloth would be left".into(), help));
        }
        Ok(())
    }

    /// The stage in which a state of `frame` is: with all cuts that were made in frames before it.
    pub(super) fn stage_within(&self, frame: u32) -> Stage {
        Stage::After(self.times.partition_point(|(time, _)| *time < frame))
    }

    /// Number of particles and of triangles in a stage.
    pub(super) fn size(&self, stage: Stage) -> (usize, usize) {
        let (mut particles, mut triangles) = (0, 0);
        for index in 0..self.cloths.len() {
            let parting = self.piece(index, stage).parting;
            particles += parting.origin.len();
            triangles += parting.triangles.len();
        }
        (particles, triangles)
    }

    fn slits(&self, stage: Stage) -> u32 {
        match stage {
            Stage::After(0) => 0,
            Stage::After(n) => self.times[n - 1].1,
            Stage::Record => u32::MAX,
        }
    }

    fn piece(&self, index: usize, stage: Stage) -> Piece {
        self.cloths[index].piece(self.slits(stage), stage == Stage::Record)
    }

    /// Place of a cloth's particles in records.
    pub(super) fn recorded(&self, index: usize) -> Range<usize> {
        self.cloths[index].recorded.clone()
    }

    /// For each recorded particle its number in a stage, and for each triangle of the stage its recorded one.
    pub(super) fn records(&self, stage: Stage) -> (Vec<Option<u32>>, Vec<u32>) {
        let mut particles = vec![None; self.cloths.last().map_or(0, |cloth| cloth.recorded.end)];
        let mut triangles = Vec::new();
        let (mut first, mut first_face) = (0, 0);
        for (index, cloth) in self.cloths.iter().enumerate() {
            let (now, record) = (self.piece(index, stage).parting, self.piece(index, Stage::Record).parting);
            for (t, face) in now.triangles.iter().zip(&now.faces) {
                // Records have every triangle of the layout, in its order.
                for (v, recorded) in t.iter().zip(record.triangles[*face as usize]) {
                    particles[cloth.recorded.start + recorded as usize] = Some(first + v);
                }
                triangles.push(first_face + face);
            }
            first += now.origin.len() as u32;
            first_face += cloth.layout.triangles.len() as u32;
        }
        (particles, triangles)
    }

    /// A cloth in a stage, whose first particle is `first`.
    pub(super) fn cloth(&self, index: usize, first: usize, stage: Stage) -> BuiltCloth {
        let cloth = &self.cloths[index];
        if !cloth.is_cut() {
            let same: Vec<Vec<u32>> = (0..cloth.start.len() as u32).map(|v| vec![v]).collect();
            let holds = cloth.holds.iter().map(|hold| hold.on_copies(&same, &cloth.start, first)).collect();
            return BuiltCloth { holds, ..cloth.whole.clone() };
        }
        let Piece { parting, kerf } = self.piece(index, stage);
        let start = cloth.placed(&parting, &kerf, &cloth.start);
        let copies = parting.copies(cloth.layout.vertex_count());
        let mut area = vec![0.0; parting.origin.len()];
        for (t, face) in parting.triangles.iter().zip(&parting.faces) {
            let third = cloth.layout.signed_area(*face as usize).abs() / 3.0;
            for v in t {
                area[*v as usize] += third;
            }
        }
        BuiltCloth {
            flat: TriMesh {
                positions: cloth.placed(&parting, &kerf, &cloth.rest),
                triangles: parting.triangles.iter().map(|t| t.map(VertexId)).collect(),
            },
            holds: cloth.holds.iter().map(|hold| hold.on_copies(&copies, &start, first)).collect(),
            start,
            cut: cloth.whole.cut.as_ref().map(|_| kerf.flat),
            panel: if cloth.panels.is_empty() {
                Vec::new()
            } else {
                parting.faces.iter().map(|face| cloth.layout.panel[*face as usize]).collect()
            },
            area: Some(area),
        }
    }

    /// What each vertex of a cloth has become.
    pub(super) fn copies(&self, index: usize, stage: Stage) -> Vec<Vec<u32>> {
        self.piece(index, stage).parting.copies(self.cloths[index].layout.vertex_count())
    }

    /// For each particle of a cloth in stage `to` the particles of stage `from` whose weighted mean it is; a single one is what it was.
    pub(super) fn sources(&self, index: usize, from: Stage, to: Stage) -> Vec<[(u32, f64); 3]> {
        let (before, after) = (self.piece(index, from), self.piece(index, to));
        let faces = self.cloths[index].layout.triangles.len();
        let mut place_before = vec![None; faces];
        for (k, face) in before.parting.faces.iter().enumerate() {
            place_before[*face as usize] = Some(k);
        }
        let corners =
            |face: u32| place_before[face as usize].map(|k| (before.parting.triangles[k], before.kerf.flat[k]));
        let mut sources = vec![[(0, 0.0); 3]; after.parting.origin.len()];
        for (t, face) in after.parting.triangles.iter().zip(&after.parting.faces) {
            let Some((was, _)) = corners(*face) else { continue };
            for (v, was) in t.iter().zip(was) {
                sources[*v as usize] = [(was, 1.0), (was, 0.0), (was, 0.0)];
            }
        }
        for drawn in &after.kerf.withdrawals {
            let Some((was, flat)) = corners(after.parting.faces[drawn.face as usize]) else { continue };
            let stayed =
                was.iter().zip(flat).any(|(v, p)| sources[drawn.vertex as usize][0].0 == *v && p == drawn.place);
            if !stayed {
                let shares = shares(flat, drawn.place);
                sources[drawn.vertex as usize] = std::array::from_fn(|k| (was[k], shares[k]));
            }
        }
        sources
    }

    /// The panel of each triangle of a garment in a stage, and its corners on it [m].
    pub(super) fn on_panels(&self, index: usize, stage: Stage) -> Vec<(u32, [DVec2; 3])> {
        let cloth = &self.cloths[index];
        let on_panel = |face: &u32| {
            let (panel, corners) = (cloth.layout.panel[*face as usize], cloth.layout.flat[*face as usize]);
            (panel, corners.map(|place| cloth.on_panel(place, panel)))
        };
        self.faces(index, stage).iter().map(on_panel).collect()
    }

    /// The triangles of a cloth in a stage, as numbers that all stages share.
    pub(super) fn faces(&self, index: usize, stage: Stage) -> Vec<u32> {
        self.piece(index, stage).parting.faces
    }
}

impl ClothPlan {
    /// Cloth `index` of the parts, as built with particles numbered from 0.
    pub(super) fn new(parts: &Parts, index: usize) -> Result<Self, WorldError> {
        let (cloth, whole) = (&parts.cloths[index], BuiltCloth::new(parts, index, 0)?);
        let mut layout = match &whole.cut {
            None => Layout::of_flat_mesh(&whole.flat),
            Some(cut) => {
                let panel = if cloth.panel.is_empty() { vec![0; cut.len()] } else { cloth.panel.clone() };
                Layout::new(whole.start.len(), &whole.flat.triangles, cut.clone(), panel)
            }
        };
        if whole.cut.is_some() {
            // A vertex of a garment that moved on the pattern would leave the draped surface and could enter the body.
            layout.fix_vertices();
        }
        let (panels, rest, start, taken, holds) =
            (cloth.panels.clone(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Ok(Self { whole, layout, panels, rest, start, taken, holds, recorded: 0..0 })
    }

    /// The number of the panel that scissors `k` name; 0 for a sheet.
    fn panel(&self, parts: &Parts, k: usize) -> Result<u32, WorldError> {
        let named = &parts.cuts[k].panel;
        if self.panels.is_empty() && named.is_empty() {
            return Ok(0);
        }
        let found = self.panels.iter().position(|panel| panel.name == *named);
        found.map(|panel| panel as u32).ok_or_else(|| {
            let names: Vec<&str> = self.panels.iter().map(|panel| panel.name.as_str()).collect();
            refused(parts, k, format!("it has no panel \"{named}\""), &format!("name one of {}", names.join(", ")))
        })
    }

    /// Where a place as it is drawn is in the layout [m]: panels lie there along warp and weft.
    fn to_layout(&self, place: DVec2, panel: u32) -> DVec2 {
        self.panels.get(panel as usize).map_or(place, |panel| panel.along_threads(place))
    }

    /// The place as it is drawn of what is at `place` in the layout [m].
    fn on_panel(&self, place: DVec2, panel: u32) -> DVec2 {
        self.panels.get(panel as usize).map_or(place, |panel| panel.as_drawn(place))
    }

    /// The triangles of the piece around `point` of a panel [m], after slit `slit`.
    fn piece_at(&self, parts: &Parts, slit: u32, k: usize, point: DVec2, panel: u32) -> Result<Vec<bool>, WorldError> {
        let found = self.layout.locate(point, panel);
        let Some((face, _)) = found.filter(|(_, distance)| *distance <= KERF) else {
            let distance = found.map_or(f64::INFINITY, |(_, distance)| distance);
            let what = if self.panels.is_empty() { "cloth" } else { "panel" };
            let reason = format!("the point of `remove` is {distance:.4} m outside of the {what}");
            return Err(refused(parts, k, reason, "give a point inside the piece that is to be taken away"));
        };
        Ok(piece_of(&self.layout.triangles, &self.layout.cuts(slit + 1), face))
    }

    /// Whether flat coordinates tell where something is on the cloth.
    fn is_flat(&self) -> bool {
        let size = self.whole.flat.bounds().size();
        self.whole.cut.is_some() || size.y <= FLAT * size.length()
    }

    /// The flat place of the point of a panel of the whole cloth that is nearest to a point in space where it starts [m].
    fn below(&self, point: DVec3, panel: u32) -> Option<DVec2> {
        let whole = |f: &usize| self.whole.flat.triangles[*f].map(|v| self.whole.start[v.index()]);
        let nearest = |f: usize| {
            let [a, b, c] = whole(&f);
            let closest = closest_points(PairKind::VertexFace, &[point, a, b, c]);
            (f, closest.distance, closest.weights)
        };
        // The first triangles of the layout are those of the whole cloth, or parts of them.
        let faces = (0..self.whole.flat.triangles.len()).filter(|f| self.layout.panel[*f] == panel).map(nearest);
        let (f, _, weights) = faces.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let flat = match &self.whole.cut {
            None => self.whole.flat.corners(FaceId::from(f)).map(|p| DVec2::new(p.x, p.z)),
            Some(cut) => cut[f],
        };
        Some((0..3).map(|k| flat[k] * weights[k + 1]).sum())
    }

    /// Whether scissors ever come to it.
    fn is_cut(&self) -> bool {
        !self.layout.cuts(u32::MAX).is_empty() || self.taken.iter().any(Option::is_some)
    }

    /// What follows from the layout once all paths are in it.
    fn settle(&mut self, parts: &Parts, index: usize) -> Result<(), WorldError> {
        self.rest = self.layout.spread(&self.whole.flat.positions);
        self.start = self.layout.spread(&self.whole.start);
        let between = |vertices: &[u32]| {
            let new = self.whole.start.len()..self.layout.vertex_count();
            let all_held = |v: &usize| self.layout.sources[*v].iter().all(|(source, _)| vertices.contains(source));
            new.filter(all_held).map(|v| v as u32).collect::<Vec<_>>()
        };
        let name = &parts.cloths[index].name;
        for (k, (number, said)) in parts.holds_of(index).enumerate() {
            let mut said = said.clone();
            said.vertices.extend(between(&said.vertices));
            self.holds.push(Held::new(&said, number, k + 1, name, &self.start, 0)?);
        }
        Ok(())
    }

    /// The cloth with so many slits, and with what they take away if `all`.
    fn piece(&self, slits: u32, all: bool) -> Piece {
        let keep: Vec<bool> = (0..self.layout.triangles.len())
            .map(|f| all || self.taken.get(f).copied().flatten().is_none_or(|slit| slit >= slits))
            .collect();
        let parting = part(&self.layout.triangles, &self.layout.cuts(slits), &keep);
        let kerf = Kerf::new(&self.layout, &parting, KERF);
        Piece { parting, kerf }
    }

    /// Where the vertices of a parting are, given where those of the layout are [m].
    fn placed(&self, parting: &Parting, kerf: &Kerf, x: &[DVec3]) -> Vec<DVec3> {
        let mut placed: Vec<DVec3> = parting.origin.iter().map(|v| x[*v as usize]).collect();
        for drawn in &kerf.withdrawals {
            let face = parting.faces[drawn.face as usize] as usize;
            let (corners, shares) = (self.layout.triangles[face], shares(self.layout.flat[face], drawn.place));
            placed[drawn.vertex as usize] = (0..3).map(|k| x[corners[k] as usize] * shares[k]).sum();
        }
        placed
    }
}

/// Shares of the corners of a flat triangle whose mean is `place`.
fn shares([a, b, c]: [DVec2; 3], place: DVec2) -> [f64; 3] {
    let area = (b - a).perp_dot(c - a);
    let (v, w) = ((place - a).perp_dot(c - a) / area, (b - a).perp_dot(place - a) / area);
    [1.0 - v - w, v, w]
}

fn refused(parts: &Parts, k: usize, reason: String, help: &str) -> WorldError {
    let cloth = parts.cloths[parts.cuts[k].cloth.index()].name.clone();
    WorldError::Scissors { number: k + 1, cloth, reason, help: help.to_owned() }
}
