//! Running a detector, and its results in the numbers of the files.

use std::time::{Duration, Instant};

use miette::{Report, miette};
use toile_collide::impact::PairKind;
use toile_collide::{BruteForce, DetectError, DetectReport, Detector, FeaturePair};
use toile_mesh::Surface;

use super::args::{DetectArgs, DetectorChoice};
use super::input::{Input, Question};

/// Pairs that brute force tests per result allowed.
const TESTS_PER_RESULT: u128 = 1000;

/// A vertex and a triangle, and their distance [m] or time of impact.
pub(super) type VertexFacePair = ([u32; 2], f64);
/// Ends of two edges, and their distance [m] or time of impact.
pub(super) type EdgeEdgePair = ([u32; 4], f64);

/// What was found, in order, numbered across the meshes.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) vf: Vec<VertexFacePair>,
    pub(super) ee: Vec<EdgeEdgePair>,
}

impl Pairs {
    fn push(&mut self, pair: &FeaturePair, offsets: &[[u32; 2]], value: f64) {
        let surfaces = pair.vertex_surfaces();
        let [p, q, r, s]: [u32; 4] = std::array::from_fn(|i| pair.vertices[i] + offsets[surfaces[i] as usize][0]);
        match pair.kind {
            PairKind::VertexFace => {
                let face = pair.features[1] + offsets[pair.surfaces[1] as usize][1];
                self.vf.push(([p, face], value));
            }
            PairKind::EdgeEdge => {
                let (a, b) = ([p.min(q), p.max(q)], [r.min(s), r.max(s)]);
                let (a, b) = (a.min(b), a.max(b));
                self.ee.push(([a[0], a[1], b[0], b[1]], value));
            }
        }
    }

    fn sort(&mut self) {
        self.vf.sort_unstable_by_key(|(ids, _)| *ids);
        self.ee.sort_unstable_by_key(|(ids, _)| *ids);
    }
}

/// Pairs and how they were found.
pub(super) struct Outcome {
    pub(super) pairs: Pairs,
    pub(super) report: DetectReport,
    /// Bytes that the detector holds.
    pub(super) memory: usize,
    pub(super) wall: Duration,
}

pub(super) fn search(input: &Input, args: &DetectArgs) -> miette::Result<Outcome> {
    let start = Instant::now();
    let mut detector = detector(input.surfaces(), args)?;
    let (motions, offsets) = (input.motions(), input.offsets());
    let mut pairs = Pairs::default();
    let report = match input.question {
        Question::Proximities { within } => {
            let mut found = Vec::new();
            let report = detector.proximities(&motions, within, &mut found);
            for c in &found {
                pairs.push(&c.pair, &offsets, c.closest.distance);
            }
            report
        }
        Question::Impacts { min_separation } => {
            let mut found = Vec::new();
            let report = detector.impacts(&motions, min_separation, &mut found);
            for i in &found {
                pairs.push(&i.pair, &offsets, i.time);
            }
            report
        }
    };
    let report = report.map_err(|e| explained(&e, input))?;
    pairs.sort();
    Ok(Outcome { pairs, report, memory: detector.memory(), wall: start.elapsed() })
}

fn detector(surfaces: Vec<Surface>, args: &DetectArgs) -> miette::Result<Box<dyn Detector>> {
    let (method, chosen) = (args.method.method(), &args.detector);
    if chosen.detector == DetectorChoice::Hierarchy {
        let settings = chosen.settings(method);
        return settings
            .detector(surfaces)
            .ok_or_else(|| miette!("no detector for --dop {} --arity {}", chosen.dop, chosen.arity));
    }
    let count = pair_count(&surfaces);
    let most = u128::from(chosen.limit) * TESTS_PER_RESULT;
    if count > most {
        return Err(miette!(
            help = "use --detector hierarchy, or raise --limit",
            "brute force would test {count} pairs; with --limit {} it tests at most {most}",
            chosen.limit
        ));
    }
    Ok(Box::new(BruteForce::new(surfaces, method)))
}

/// Pairs of features that brute force looks at, give or take those that share a vertex.
fn pair_count(surfaces: &[Surface]) -> u128 {
    let mut count = 0;
    for (i, a) in surfaces.iter().enumerate() {
        for (j, b) in surfaces.iter().enumerate().filter(|(j, _)| i != *j || a.touches_itself) {
            let [edges_a, edges_b] = [a, b].map(|s| s.edges().len() as u128);
            count += a.vertex_count() as u128 * b.face_count() as u128;
            count += match i.cmp(&j) {
                std::cmp::Ordering::Less => edges_a * edges_b,
                std::cmp::Ordering::Equal => edges_a * edges_a.saturating_sub(1) / 2,
                std::cmp::Ordering::Greater => 0,
            };
        }
    }
    count
}

/// A detector's error in terms of files and options.
fn explained(error: &DetectError, input: &Input) -> Report {
    match error {
        DetectError::NotFinite { surface, vertex } => miette!(
            help = "repair the mesh: every coordinate must be finite and at most 1e30 m",
            "{}: vertex {vertex} is not a finite position within 1e30 m of the origin",
            input.meshes[*surface].name()
        ),
        DetectError::WrongCount { surface } => {
            miette!("{}: start and end have different numbers of vertices", input.meshes[*surface].name())
        }
        DetectError::TooMany { limit } => miette!(
            help = "remove triangles that lie on top of each other (`toile check` counts them), search a smaller \
                    distance, or raise --limit; a million pairs take about 200 MB",
            "too many pairs for --limit {limit}: many triangles lie on top of each other, or the search distance is far \
             larger than the triangles"
        ),
    }
}
