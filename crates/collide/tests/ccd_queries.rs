//! Continuous collision detection against queries with exact answers (Wang et al. 2021).
//!
//! A sample is in `tests/data`; all 1,824 rows are tested where the folder with shared data is at hand, named by
//! `TOILE_SHARED_DATA` or next to the repository.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use toile_collide::impact::{Method, PairKind, time_of_impact};
use toile_mesh::DVec3;

struct Query {
    kind: PairKind,
    collides: bool,
    start: [DVec3; 4],
    end: [DVec3; 4],
}

impl Query {
    fn new(kind: &str, fields: &[&str]) -> Self {
        let kind = if kind == "vf" { PairKind::VertexFace } else { PairKind::EdgeEdge };
        let numbers: Vec<f64> = fields[1..].iter().map(|f| f.parse().expect("a number")).collect();
        assert_eq!(numbers.len(), 24);
        let points = |from: usize| std::array::from_fn(|i| DVec3::from_slice(&numbers[from + 3 * i..]));
        Self { kind, collides: fields[0] == "1", start: points(0), end: points(12) }
    }

    fn time(&self, method: Method) -> Option<f64> {
        time_of_impact(self.kind, method, &self.start, &self.end, 0.0)
    }
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("a readable file");
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn sample() -> Vec<Query> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ccd_sample.csv");
    let query = |row: &Vec<String>| Query::new(&row[0], &row[1..].iter().map(String::as_str).collect::<Vec<_>>());
    rows(&path).iter().map(query).collect()
}

/// All rows of the shared folder; empty where it is absent, which standard error tells.
fn shared() -> Vec<Query> {
    let folder = std::env::var_os("TOILE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
        .join("ccd-queries");
    let Ok(entries) = fs::read_dir(&folder) else {
        // Not `eprintln!`, whose output a test that passes does not show.
        writeln!(std::io::stderr().lock(), "skipped: no published queries in {}", folder.display())
            .expect("standard error");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    let mut queries = Vec::new();
    for file in files {
        let name = file.file_stem().expect("a file name").to_string_lossy().into_owned();
        let query = |row: &Vec<String>| {
            Query::new(&name[name.len() - 2..], &row.iter().map(String::as_str).collect::<Vec<_>>())
        };
        queries.extend(rows(&file).iter().map(query));
    }
    queries
}

/// Contacts missed and false alarms.
fn errors(queries: &[Query], method: Method) -> (usize, usize) {
    let count = |collides: bool| {
        queries.iter().filter(|q| q.collides == collides && q.time(method).is_some() != collides).count()
    };
    (count(true), count(false))
}

#[test]
fn conservative_decides_every_query_exactly() {
    let sample = sample();
    assert!(sample.len() >= 40 && sample.iter().filter(|q| q.collides).count() >= 15);
    assert_eq!(errors(&sample, Method::Conservative), (0, 0));
    let shared = shared();
    assert!(shared.is_empty() || shared.len() == 1824);
    assert_eq!(errors(&shared, Method::Conservative), (0, 0));
}

#[test]
fn cubic_misses_few_queries() {
    let (missed, _) = errors(&sample(), Method::Cubic);
    assert_eq!(missed, 0);
    let (missed, alarms) = errors(&shared(), Method::Cubic);
    println!("cubic: {missed} missed, {alarms} false alarms");
    assert!(missed <= 10 && alarms <= 200, "{missed} missed, {alarms} false alarms");
}

#[test]
fn decisions_do_not_depend_on_unit_numbering_or_direction_of_time() {
    for q in sample().iter().chain(&shared()) {
        let decide = |start: [DVec3; 4], end: [DVec3; 4]| {
            time_of_impact(q.kind, Method::Conservative, &start, &end, 0.0).is_some()
        };
        for scale in [2.0_f64.powi(-700), 2.0_f64.powi(-40), 2.0_f64.powi(60)] {
            let scaled = |x: &[DVec3; 4]| x.map(|p| p * scale);
            // Powers of two leave every digit as it is, unless small numbers lose theirs below the normal range.
            let back = |x: &[DVec3; 4]| scaled(x).map(|p| p / scale) == *x;
            if back(&q.start) && back(&q.end) {
                assert_eq!(decide(scaled(&q.start), scaled(&q.end)), q.collides);
            }
        }
        assert_eq!(decide(q.end, q.start), q.collides);
        let renumbered = |x: &[DVec3; 4]| match q.kind {
            PairKind::VertexFace => [x[0], x[2], x[3], x[1]],
            PairKind::EdgeEdge => [x[3], x[2], x[0], x[1]],
        };
        assert_eq!(decide(renumbered(&q.start), renumbered(&q.end)), q.collides);
    }
}

#[test]
fn a_positive_separation_loses_no_contact_and_is_no_later() {
    for q in sample().iter().chain(&shared()).filter(|q| q.collides) {
        let touch = q.time(Method::Conservative).expect("a contact");
        for separation in [1e-30, 1e-9, 1e-3, 1.0, 1e30] {
            let near = time_of_impact(q.kind, Method::Conservative, &q.start, &q.end, separation);
            // Both are lower bounds of their true times; that of the touch may be the lower by its accuracy.
            assert!(near.is_some_and(|t| t <= touch + 1e-9), "{near:?} {touch} {separation}");
        }
    }
}

#[test]
#[ignore = "measures time; run by hand in release"]
fn time_per_query() {
    for method in [Method::Conservative, Method::Cubic] {
        for collides in [true, false] {
            let mut times: Vec<Duration> = Vec::new();
            for q in shared().iter().filter(|q| q.collides == collides) {
                // The best of a few runs: others share the machine.
                let run = |_| {
                    let before = Instant::now();
                    std::hint::black_box(q.time(method));
                    before.elapsed()
                };
                times.extend((0..5).map(run).min());
            }
            let mean = times.iter().sum::<Duration>() / times.len().max(1) as u32;
            println!("{method:?}, collides {collides}: mean {mean:?}, worst {:?}", times.iter().max());
        }
    }
}
