//! Dressing: garments are put on in the order of their layers.
//!
//! What is put on at once is a group: each garment of its own, or all of them. The panels of a garment are placed around the body and
//! all cloth that is there already, so that they are outside it. Before that and while a group is sewn, what is worn below is held
//! against the body (`smoothing`); then everything drapes together, free to move. So the order of layers is also that of tucking in: a
//! skirt over a top closes around it, a blouse over trousers falls over their waist. A garment that does not close over what lies in
//! pleats below it is put on once more over cloth that is gathered ([`Lies`]).

use std::time::Instant;

use toile::settings::{Contact, Settings, Time};
use toile::{Cloth, World, WorldBuilder, WorldError};
use toile_contact::{Friction, MeshObstacle, Motion, Pose};
use toile_garment::Part;
use toile_garment::mesh::{FlatMesh, Sewn};
use toile_garment::place::place;
use toile_mesh::{DVec3, TriMesh};
use tracing::{info, info_span};

use crate::girth::{girths, remark, slipping};
use crate::give::MOST_STRETCH;
use crate::hanging::has_slipped;
use crate::report::{Progress, TryOnReport, Watch};
use crate::sewing::{Below, Laid, Lies};
use crate::smoothing::Hand;
use crate::weld::{self, Welded};
use crate::{TryOn, TryOnError, Worn, WornGarment, draping, sewing, smoothing};

/// What steers a world of worn garments.
pub(crate) fn settings_of_worn() -> Settings {
    Settings {
        time: Time { frame_rate: draping::FRAME_RATE, substeps: 3, ..Time::default() },
        contact: Contact { untangle: true, ..Contact::default() },
        ..Settings::default()
    }
}

/// A garment cut out and sewn on paper.
struct Cut {
    number: usize,
    flat: FlatMesh,
    sewn: Sewn,
}

impl TryOn {
    /// Puts the garments on. `progress` is called after every frame; when it breaks, so does the work, with
    /// [`TryOnError::Cancelled`].
    pub fn run(&self, progress: &mut Watch<'_>) -> Result<Worn, TryOnError> {
        let mut report = TryOnReport::default();
        let body = self.body();
        let (mut pieces, mut world): (Vec<WornGarment>, _) = (Vec::new(), None);
        for group in self.groups() {
            let names: Vec<&str> = group.iter().map(|i| self.garments[*i].name.as_str()).collect();
            let _garments = info_span!("dress", garments = names.join(", ")).entered();
            self.put_on(&group, &mut pieces, &body, &mut report, progress)?;
            let start = Instant::now();
            let mut dressed = self.drape_world(&pieces, &body, report.sewn_stretch, progress)?;
            let untangled = dressed.repair().map_or(0, |repair| repair.found);
            report.untangled += untangled;
            info!(vertices = dressed.state().x.len(), untangled, "garments welded");
            report.phases.weld += start.elapsed().as_secs_f64();

            let start = Instant::now();
            draping::drape(&mut dressed, self.most_time, &mut report, progress)?;
            report.phases.drape += start.elapsed().as_secs_f64();
            for (piece, range) in pieces.iter_mut().zip(&dressed.model().cloths) {
                piece.x = dressed.state().x[range.clone()].to_vec();
            }
            world = Some(dressed);
        }
        let world = match world {
            Some(world) => world,
            // Nothing to put on.
            None => self.drape_world(&[], &body, 1.0, progress)?,
        };
        report.finish(&world, pieces.iter().map(|piece| piece.flat.panels.len()).sum());
        let landmarks = &self.wearer.figuring.landmarks;
        let slipped =
            pieces.iter().filter(|piece| has_slipped(&piece.flat, &piece.welded.mesh.positions, &piece.x, landmarks));
        report.slipped = slipped.map(|piece| piece.name().to_owned()).collect();
        for (number, girths) in &report.girths {
            let garment = &self.garments[*number];
            let is_slipped = report.slipped.contains(&garment.name);
            report.remarks.extend(remark(garment, girths));
            report.remarks.extend(slipping(garment, girths).filter(|_| is_slipped));
        }
        Ok(Worn { world, garments: pieces, report })
    }

    /// Numbers of the garments that are put on at once, innermost first.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.garments.len()).collect();
        order.sort_by_key(|i| self.garments[*i].layer);
        if self.together { vec![order] } else { order.into_iter().map(|i| vec![i]).collect() }
    }

    /// Cuts, places, sews and welds a group; its pieces come after those that are worn.
    fn put_on(
        &self,
        group: &[usize],
        pieces: &mut Vec<WornGarment>,
        body: &MeshObstacle,
        report: &mut TryOnReport,
        progress: &mut Watch<'_>,
    ) -> Result<(), TryOnError> {
        let start = Instant::now();
        let cuts = group.iter().map(|i| self.cut(*i)).collect::<Result<Vec<_>, _>>()?;
        report.phases.mesh += start.elapsed().as_secs_f64();

        let start = Instant::now();
        // Where nothing is worn, nothing is held.
        let (held, covered): (&[_], _) =
            if pieces.is_empty() { (&[], [0.0; 2]) } else { (std::slice::from_ref(body), self.covered(&cuts)?) };
        let hand = Hand::new(held);
        report.phases.place += start.elapsed().as_secs_f64();
        let below = Below { worn: pieces, covered, lies: Lies::Pleated, hand: &hand };
        let mut together = self.close(group, &cuts, below, body, report, progress);
        if !pieces.is_empty() && matches!(&together, Err(error) if is_open(error)) {
            info!("seams stay open over pleats; sewing again over gathered cloth");
            let below = Below { lies: Lies::Gathered, ..below };
            together = self.close(group, &cuts, below, body, report, progress);
        }
        if group.len() > 1 {
            let more = |error| TryOnError::Together { reason: Box::new(error) };
            together = together.map_err(|error| if is_open(&error) { more(error) } else { error });
        }
        let mut together = together?.into_iter();
        pieces.iter_mut().zip(together.by_ref()).for_each(|(piece, x)| piece.x = x);
        for (Cut { number, flat, sewn }, x) in cuts.into_iter().zip(together) {
            let welded = Welded::new(&flat, &sewn, &x);
            let (asked, x) = (self.garments[number].clone(), welded.mesh.positions.clone());
            pieces.push(WornGarment { cloth: number, body: 0, asked, flat, welded, x });
        }
        Ok(())
    }

    /// Places and sews a group over what is worn. Returns where the vertices of the worn garments and of the panels are then.
    fn close(
        &self,
        group: &[usize],
        cuts: &[Cut],
        below: Below<'_>,
        body: &MeshObstacle,
        report: &mut TryOnReport,
        progress: &mut Watch<'_>,
    ) -> Result<Vec<Vec<DVec3>>, TryOnError> {
        let start = Instant::now();
        let mut smoothed = below.worn.to_vec();
        if !smoothed.is_empty() {
            let x = smoothing::smooth(below, body, report, progress)?;
            smoothed.iter_mut().zip(x).for_each(|(piece, x)| piece.x = x);
        }
        let below = Below { worn: &smoothed, ..below };
        report.phases.sew += start.elapsed().as_secs_f64();

        let start = Instant::now();
        let places = self.place(cuts, below.worn)?;
        report.phases.place += start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut laid = Vec::with_capacity(cuts.len());
        for (cut, start) in cuts.iter().zip(&places) {
            let girths = girths(&cut.flat, start, &self.wearer.figuring);
            laid.push(Laid { garment: &self.garments[cut.number], mesh: &cut.flat, sewn: &cut.sewn, start, girths });
        }
        let together = sewing::sew(&laid, below, body, report, progress);
        for (k, laid) in laid.iter().enumerate() {
            report.girths.retain(|(number, _)| *number != group[k]);
            report.girths.push((group[k], laid.girths.clone()));
        }
        report.phases.sew += start.elapsed().as_secs_f64();
        together.map_err(|failure| {
            let (k, error) = *failure;
            self.of_garment(group[k], error)
        })
    }

    fn cut(&self, number: usize) -> Result<Cut, TryOnError> {
        let garment = &self.garments[number];
        let cut = || {
            if let Some(panel) = garment.pattern.panels.iter().find(|panel| panel.part == Part::Flat) {
                return Err(TryOnError::Flat { panel: panel.name.clone() });
            }
            let flat = FlatMesh::new(&garment.pattern, garment.distance)?;
            let sewn = flat.sewn();
            weld::refuse(&sewn)?;
            Ok(Cut { number, flat, sewn })
        };
        cut().map_err(|error| self.of_garment(number, error))
    }

    /// Lowest and highest place of the panels if nothing were worn [m].
    fn covered(&self, cuts: &[Cut]) -> Result<[f64; 2], TryOnError> {
        let body = &self.wearer.mesh;
        let mut heights = [f64::INFINITY, f64::NEG_INFINITY];
        for cut in cuts {
            let placed = place(&cut.flat, body, &self.wearer.figuring.landmarks)
                .map_err(|error| self.of_garment(cut.number, error.into()))?;
            heights = placed.positions.iter().fold(heights, |[low, high], p| [low.min(p.y), high.max(p.y)]);
        }
        Ok(heights)
    }

    /// Where the panels start, each garment outside what is there before it.
    fn place(&self, cuts: &[Cut], worn: &[WornGarment]) -> Result<Vec<Vec<DVec3>>, TryOnError> {
        let mut there = self.wearer.mesh.clone();
        for piece in worn {
            there.append(&piece.mesh());
        }
        let mut places = Vec::new();
        for cut in cuts {
            let placed = place(&cut.flat, &there, &self.wearer.figuring.landmarks)
                .map_err(|error| self.of_garment(cut.number, error.into()))?;
            if placed.intersections > 0 {
                return Err(self.of_garment(cut.number, TryOnError::Placed { count: placed.intersections }));
            }
            for panel in &cut.flat.panels {
                let first = panel.first as usize;
                let positions = placed.positions[first..first + panel.positions.len()].to_vec();
                there.append(&TriMesh::from_indices(positions, &panel.triangles));
            }
            places.push(placed.positions);
        }
        Ok(places)
    }

    /// Names the garment where there are several.
    fn of_garment(&self, number: usize, error: TryOnError) -> TryOnError {
        if self.garments.len() < 2 || matches!(error, TryOnError::Cancelled) {
            return error;
        }
        TryOnError::Among { garment: self.garments[number].name.clone(), reason: Box::new(error) }
    }

    /// The body as it stands while it is dressed.
    fn body(&self) -> MeshObstacle {
        MeshObstacle {
            name: self.wearer.name.clone(),
            mesh: self.wearer.mesh.clone(),
            motion: Motion::at_rest(Pose::IDENTITY),
            friction: self.wearer.friction.map(Friction::Coulomb),
            padding: self.wearer.padding,
            deformation: None,
        }
    }

    /// The world in which garments drape that were stretched by that ratio to be sewn.
    fn drape_world(
        &self,
        pieces: &[WornGarment],
        body: &MeshObstacle,
        sewn: f64,
        progress: &mut Watch<'_>,
    ) -> Result<World, TryOnError> {
        let mut settings =
            Settings { solver: draping::solver(self.model), physics: draping::physics(), ..settings_of_worn() };
        let mut cloths: Vec<Cloth> = pieces.iter().map(WornGarment::cloth).collect();
        draping::allow_give(&mut settings, &mut cloths);
        if sewn > MOST_STRETCH {
            draping::bear_tightness(&mut settings, &cloths, sewn);
        }
        let mut builder = WorldBuilder::new(settings);
        for cloth in cloths {
            builder.cloth(cloth);
        }
        builder.mesh_obstacle(body.clone());
        match builder.build_each(&mut || progress(&Progress::UNTANGLING)) {
            Err(WorldError::Cancelled) => Err(TryOnError::Cancelled),
            built => Ok(built?),
        }
    }
}

/// Whether seams stayed open.
fn is_open(error: &TryOnError) -> bool {
    match error {
        TryOnError::Open { .. } => true,
        TryOnError::Among { reason, .. } => is_open(reason),
        _ => false,
    }
}
