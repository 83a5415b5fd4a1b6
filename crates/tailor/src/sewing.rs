//! Sewing: stitches draw the sides of all seams together.
//!
//! A stitch that is `g` long at first may be at most `c + s(t) (g − c)` long, with `s` falling smoothly from 1 to 0 in
//! [`DRAWING`] seconds and `c` the distance that cloth keeps from cloth; then there is time until all are closed, as long as they come
//! nearer. The cloth has no weight and slides on the body without friction, so that seams find their place. What is gathered may
//! shrink along its seam (`gather`).
//! What is worn below is held against the body meanwhile (`smoothing`).
//! Where seams come no nearer, the garment is too small, and its cloth is let stretch more (`give`); over worn cloth it is that which
//! is let shrink ([`Lies`]). What stays open even then is refused.

use std::ops::{ControlFlow, Range};

use toile::settings::{AutoLength, Forces, Method, Settings, Solver};
use toile::{Cloth, Hold, Stitches, World, WorldBuilder, WorldError};
use toile_cloth::ClothModel;
use toile_contact::MeshObstacle;
use toile_garment::mesh::{FlatMesh, SeamMesh, Sewn};
use toile_mesh::{DVec2, DVec3, TriMesh, judge};
use tracing::{debug, info, info_span, warn};

use crate::dressing::settings_of_worn;
use crate::gather::gather;
use crate::girth::{Girth, narrow};
use crate::give::{Give, MOST_STRETCH};
use crate::report::{Progress, Stage, TryOnReport, Watch};
use crate::smoothing::Hand;
use crate::weld::Welded;
use crate::{Garment, TryOnError, WornGarment};

/// Frames per second.
pub(crate) const FRAME_RATE: f64 = 60.0;
/// Steps of a frame at least.
const SUBSTEPS: u32 = 2;
/// Time in which stitches are drawn together [s].
const DRAWING: f64 = 1.0;
/// Time in which the widest gap must have become narrower by a twentieth, or open seams are given up [s].
const PATIENCE: f64 = 1.0;
/// Time after which they are given up anyway [s], and if there is another way of sewing them.
const LONGEST: f64 = 12.0;
const LONG: f64 = 5.0;
/// Distance that cloth keeps from cloth and body meanwhile [m]. Thin, so that little moves when seams are welded, and a band that
/// fits closely can be closed.
const THICKNESS: f64 = 0.0004;
/// Time in which the widest gap must have become narrower by a twentieth, or cloth is let stretch more [s].
const STALLED: f64 = 0.3;
/// How much a stitch is shortened in one pass over the constraints [m]: with 16 passes in a frame about 1 m/s, so that what is
/// stuck on the body is pulled and not shot.
const PULL: f64 = 0.001;
/// Length of a closed stitch over that distance.
const SLACK: f64 = 1.2;
/// Stitches up to this length can be welded [m].
const CLOSED: f64 = 0.001;
/// Time in which closed stitches are drawn nearer until welding them makes no intersections [s]; what is left then is untangled.
const TRIES: f64 = 1.0;
/// How far above and below a garment what is worn under it is free to move [m].
const BEYOND: f64 = 0.05;
/// How short edges of worn cloth may become, over their length in the pattern, and by how much more each time that seams over them come
/// no nearer.
const SHRUNK: f64 = 0.4;
const MORE_SHRUNK: f64 = 0.1;
/// How near the far corners of two triangles of gathered cloth come, over their distance in the pattern.
const FOLDED: f64 = 0.35;
/// Space between panels that are laid out side by side [m].
const APART: f64 = 0.5;

/// A garment whose panels are laid around a body.
pub(crate) struct Laid<'a> {
    pub(crate) garment: &'a Garment,
    pub(crate) mesh: &'a FlatMesh,
    /// What becomes one vertex when it is welded.
    pub(crate) sewn: &'a Sewn,
    /// Where its vertices start [m].
    pub(crate) start: &'a [DVec3],
    /// Its girths there.
    pub(crate) girths: Vec<Girth>,
}

/// Labels of edges that are drawn to the body while a garment is sewn, so that it hangs where it is worn when it is let go: waists,
/// necklines, and the upper edge of what has no straps.
const ATTACHED: [&str; 4] = ["lower_interface", "left_collar", "right_collar", "strapless_top"];

/// Vertices of a garment on edges with such a label. A label that several edges of a panel share has a number behind it.
fn attached(mesh: &FlatMesh) -> Vec<u32> {
    let mut vertices = Vec::new();
    for (panel, drawn) in mesh.panels.iter().zip(&mesh.pattern.panels) {
        for (edge, places) in drawn.edges().zip(&panel.edges) {
            let is_number = |rest: &str| rest.strip_prefix('_').is_some_and(|n| n.parse::<u32>().is_ok());
            let has =
                |label: &str| edge.name.strip_prefix(label).is_some_and(|rest| rest.is_empty() || is_number(rest));
            if ATTACHED.into_iter().any(has) {
                vertices.extend(places.iter().map(|v| v + panel.first));
            }
        }
    }
    vertices
}

/// What is worn below the garments that are sewn.
#[derive(Clone, Copy)]
pub(crate) struct Below<'a> {
    pub(crate) worn: &'a [WornGarment],
    /// Lowest and highest place that is covered [m].
    pub(crate) covered: [f64; 2],
    /// How it makes room.
    pub(crate) lies: Lies,
    /// What holds it against the body.
    pub(crate) hand: &'a Hand,
}

/// How worn cloth lies that is too wide for what is put on over it, as a shirt in trousers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lies {
    /// In pleats. Where seams over it come no nearer, its edges are let shrink, more and more, to [`SHRUNK`].
    Pleated,
    /// In folds smaller than triangles: its edges shrink as much from the first, and it hardly bends. Pleats that are caught between the
    /// sides of a seam are no hindrance, but cloth so gathered takes longer to come to rest.
    Gathered,
}

/// Which garment failed, and why.
pub(crate) type Failure = Box<(usize, TryOnError)>;

/// What is sewn, and what stitches have to do.
struct Sewing<'a> {
    laid: &'a [Laid<'a>],
    /// The particles of each garment that is sewn.
    ranges: Vec<Range<usize>>,
    /// The seams of all of them, with the number of their garment.
    seams: Vec<(usize, &'a SeamMesh)>,
    /// All stitches.
    pairs: Vec<[u32; 2]>,
    /// Where all particles started [m].
    start: Vec<DVec3>,
    /// Lengths as they are allowed now.
    model: ClothModel,
}

impl<'a> Sewing<'a> {
    fn new(world: &World, laid: &'a [Laid<'a>], worn: usize) -> Self {
        let ranges = world.model().cloths[worn..].to_vec();
        let mut model = world.model().clone();
        for (laid, range) in laid.iter().zip(&ranges) {
            gather(laid.mesh, range.start as u32, &mut model);
        }
        let seams: Vec<(usize, &SeamMesh)> =
            laid.iter().enumerate().flat_map(|(k, laid)| laid.mesh.seams.iter().map(move |seam| (k, seam))).collect();
        let mut sewing = Self { laid, ranges, seams, pairs: Vec::new(), start: world.state().x.clone(), model };
        sewing.pairs = sewing.seams.iter().flat_map(|(k, seam)| sewing.stitches(*k, seam)).collect();
        sewing
    }

    fn stitches(&self, garment: usize, seam: &SeamMesh) -> Vec<[u32; 2]> {
        let first = self.ranges[garment].start as u32;
        seam.stitches.iter().filter(|[a, b]| a != b).map(|pair| pair.map(|v| v + first)).collect()
    }

    /// Lets the world know which lengths are allowed now, up to `longest` times those of the pattern.
    fn apply(&self, world: &mut World, longest: f64) {
        let (structural, bending) = (self.model.structural.clone(), self.model.bending.clone());
        let (pairs, start) = (&self.pairs, &self.start);
        let stitches = Stitches { pairs, start, closed: SLACK * THICKNESS, most: PULL };
        world.set_lengths(structural, bending, Method::Sweep, longest, &stitches);
    }

    /// Whether a seam of a garment is open.
    fn is_open(&self, world: &World, garment: usize) -> bool {
        self.seams.iter().any(|(k, seam)| *k == garment && widest(world, &self.stitches(garment, seam)) > CLOSED)
    }

    /// The seam with the widest gap, and its garment.
    fn widest_seam(&self, world: &World) -> (f64, usize, String) {
        let gaps = self.seams.iter().map(|(k, seam)| (widest(world, &self.stitches(*k, seam)), *k, seam.name.clone()));
        gaps.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }
}

/// Length of the longest of some stitches [m].
fn widest(world: &World, pairs: &[[u32; 2]]) -> f64 {
    let x = &world.state().x;
    pairs.iter().map(|[a, b]| x[*a as usize].distance(x[*b as usize])).fold(0.0, f64::max)
}

/// Sews garments over those that are worn below them. Returns where the vertices of the worn ones and of the panels are
/// then, or which garment failed and why. Pleats may not be caught in a seam.
pub(crate) fn sew(
    laid: &[Laid<'_>],
    below: Below<'_>,
    body: &MeshObstacle,
    report: &mut TryOnReport,
    progress: &mut Watch<'_>,
) -> Result<Vec<Vec<DVec3>>, Failure> {
    let Below { worn, lies, hand, .. } = below;
    let _stage = info_span!("sew", over = worn.len()).entered();
    let is_pleated = !worn.is_empty() && lies == Lies::Pleated;
    let longest_time = if is_pleated { LONG } else { LONGEST };
    let mut world = sewing_world(laid, below, body).map_err(|error| Box::new((0, error.into())))?;
    let mut sewing = Sewing::new(&world, laid, worn.len());
    let below_all = 0..sewing.ranges.first().map_or(0, |range| range.start);
    // Cloth that has to be stretched to close over other cloth presses that into pleats which never come to rest.
    let give = |laid: &Laid<'_>| if worn.is_empty() { Give::of(laid.garment.fabrics()) } else { Give::none() };
    let mut gives: Vec<Give> = laid.iter().map(give).collect();
    sewing.apply(&mut world, MOST_STRETCH);
    report.first_gap = report.first_gap.max(widest(&world, &sewing.pairs));
    let (mut narrowest, mut since) = (f64::INFINITY, DRAWING);
    let (mut closed_since, mut caught, mut shrunk) = (f64::INFINITY, false, 1.0);
    let mut held = vec![false; world.state().x.len()];
    for (laid, range) in laid.iter().zip(&sewing.ranges) {
        for v in attached(laid.mesh) {
            held[range.start + v as usize] = true;
        }
    }
    let attaching = if held.contains(&true) { Hand::new(std::slice::from_ref(body)) } else { Hand::new(&[]) };
    while !sewing.pairs.is_empty() {
        let left = widest(&world, &sewing.pairs);
        if world.time() >= DRAWING && left <= CLOSED {
            closed_since = closed_since.min(world.time());
            caught = !can_be_welded(&world, sewing.laid, worn);
            if !caught || world.time() >= closed_since + TRIES {
                break;
            }
        }
        if left < 0.95 * narrowest {
            (narrowest, since) = (left, world.time().max(DRAWING));
        }
        if world.time() >= since + STALLED {
            let can_give = |k: &usize| sewing.is_open(&world, *k) && gives[*k].has_more();
            let open: Vec<usize> = (0..laid.len()).filter(can_give).collect();
            for k in &open {
                gives[*k].more(&sewing.ranges[*k], &mut sewing.model);
            }
            let shrinks = is_pleated && left > CLOSED && shrunk > SHRUNK;
            if shrinks {
                shrunk = (shrunk - MORE_SHRUNK).max(SHRUNK);
                shrink(shrunk, &below_all, &mut sewing.model);
            }
            if shrinks || !open.is_empty() {
                debug!(
                    time = world.time(),
                    longest = left,
                    stretched = open.len(),
                    shrunk,
                    "seams come no nearer, cloth gives"
                );
                sewing.apply(&mut world, gives.iter().map(|give| give.now).fold(MOST_STRETCH, f64::max));
                since = world.time();
            }
        }
        if world.time() >= longest_time.min(since + PATIENCE) {
            break;
        }
        let s = (world.time() / DRAWING).min(1.0);
        world.draw_stitches(1.0 - s * s * (3.0 - 2.0 * s));
        hand.press(&mut world, |i| below_all.contains(&i));
        attaching.press(&mut world, |i| held[i]);
        let frame = world.advance();
        report.note(&frame);
        let left = widest(&world, &sewing.pairs);
        let told =
            Progress { stage: Stage::Sewing, time: world.time(), left, frame: Some(&frame), world: Some(&world) };
        if let ControlFlow::Break(()) = progress(&told) {
            return Err(Box::new((0, TryOnError::Cancelled)));
        }
    }
    report.sewing_time += world.time();
    let left = widest(&world, &sewing.pairs);
    if left > CLOSED || is_pleated && caught {
        let (gap, k, seam) = sewing.widest_seam(&world);
        warn!(time = world.time(), seam, gap, caught, "seams stay open");
        return Err(Box::new((
            k,
            TryOnError::Open { seam, gap, stretch: gives[k].now - 1.0, narrow: narrow(&laid[k].girths) },
        )));
    }
    report.stitches += sewing.pairs.len();
    report.largest_gap = report.largest_gap.max(left);
    info!(time = world.time(), stitches = sewing.pairs.len(), gap = left, "seams closed");
    report.sewn_stretch = gives.iter().map(|give| give.now).fold(report.sewn_stretch.max(MOST_STRETCH), f64::max);
    Ok(world.model().cloths.iter().map(|range| world.state().x[range.clone()].to_vec()).collect())
}

/// Lets the edges of worn cloth become as short as a share of their length in the pattern.
fn shrink(ratio: f64, worn: &Range<usize>, model: &mut ClothModel) {
    for edge in model.structural.iter_mut().filter(|edge| worn.contains(&(edge.ends[0] as usize))) {
        edge.min = edge.min.min(ratio * edge.rest);
    }
}

/// Panels without weight, and what is worn below them, limp; nothing rubs. What is farther off than [`BEYOND`] from the heights they
/// cover stays where it is.
pub(crate) fn sewing_world(laid: &[Laid<'_>], below: Below<'_>, body: &MeshObstacle) -> Result<World, WorldError> {
    let Below { worn, covered: [low, high], lies, .. } = below;
    let mut builder = WorldBuilder::new(settings_of_sewing());
    let smooth = |cloth: Cloth| Cloth {
        thickness: Some(THICKNESS),
        friction: Some(0.0),
        stretch_max: MOST_STRETCH,
        pressure: 0.0,
        ..cloth
    };
    builder.mesh_obstacle(body.clone());
    for piece in worn {
        let mut cloth = Cloth { bend_min: 0.0, ..smooth(piece.cloth()) };
        if lies == Lies::Gathered {
            (cloth.stretch_min, cloth.bend_min) = (SHRUNK, FOLDED);
        }
        builder.friction(&cloth.name, &body.name, 0.0);
        let id = builder.cloth(cloth);
        let is_off = |p: &DVec3| p.y < low - BEYOND || p.y > high + BEYOND;
        let vertices: Vec<u32> = (0..).zip(&piece.x).filter(|(_, p)| is_off(p)).map(|(v, _)| v).collect();
        if !vertices.is_empty() {
            builder.hold(Hold::new(id, vertices));
        }
    }
    for laid in laid {
        let rest = laid_out(laid.mesh);
        let mesh = TriMesh { positions: laid.start.to_vec(), triangles: rest.triangles };
        builder.friction(&laid.garment.name, &body.name, 0.0);
        builder.cloth(Cloth { rest: rest.positions, ..smooth(laid.garment.cloth(mesh)) });
    }
    builder.build()
}

/// Slow frames without weight, in which cloth keeps its length loosely.
fn settings_of_sewing() -> Settings {
    let mut settings = settings_of_worn();
    settings.time.frame_rate = FRAME_RATE;
    settings.time.substeps = SUBSTEPS;
    settings.forces = Forces { gravity: [0.0; 3], ..Forces::default() };
    settings.solver = Solver { iterations: 8, damping: 0.97, limit: MOST_STRETCH, ..Solver::default() };
    settings.contact.threshold = AutoLength::Metres(THICKNESS);
    settings
}

/// Whether nothing intersects if panels are welded where they are: a vertex is moved by half of its stitch, which is more than the
/// distance to cloth in a fold beside it may be.
fn can_be_welded(world: &World, laid: &[Laid<'_>], worn: &[WornGarment]) -> bool {
    let x = |i: usize| &world.state().x[world.model().cloths[i].clone()];
    let mut all = TriMesh::default();
    for (i, piece) in worn.iter().enumerate() {
        all.append(&TriMesh { positions: x(i).to_vec(), triangles: piece.welded.mesh.triangles.clone() });
    }
    for (k, laid) in laid.iter().enumerate() {
        all.append(&Welded::new(laid.mesh, laid.sewn, x(worn.len() + k)).mesh);
    }
    judge::self_intersections(&all).is_clean()
        && world.mesh_obstacles().iter().all(|body| judge::mutual_intersections(&all, &body.mesh).is_clean())
}

/// The panels side by side in the x–z plane, outer side up.
pub(crate) fn laid_out(mesh: &FlatMesh) -> TriMesh {
    let (mut flat, mut left) = (TriMesh::default(), 0.0);
    for panel in &mesh.panels {
        let x = |f: fn(f64, f64) -> f64, from: f64| panel.positions.iter().map(|p| p.x).fold(from, f);
        let (low, high) = (x(f64::min, f64::INFINITY), x(f64::max, f64::NEG_INFINITY));
        let place = |p: &DVec2| DVec3::new(left + p.x - low, 0.0, -p.y);
        flat.append(&TriMesh::from_indices(panel.positions.iter().map(place).collect(), &panel.triangles));
        left += high - low + APART;
    }
    flat
}
