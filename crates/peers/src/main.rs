//! Our collision search beside that of parry3d, one thread each, in turn, on one step of a crumpled sheet.
//!
//! `cargo run --release -p toile-peers [-- TRIANGLES [FILE]]` prints a table, and writes its rows to the file as JSON
//! lines. A row: build, refit, pairs of triangles that overlap during the step (descent alone: pairs only counted, pairs
//! collected into a list), their number, memory. Times are medians; ratios are medians of the ratios of each pass.
//!
//! parry3d keeps boxes of `f32` in a binary tree. Nothing in Toile depends on this package, so nothing else compiles
//! parry3d.

mod ours;
mod parry;

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use parry3d::partitioning::BvhBuildStrategy;
use serde_json::{Value, json};
use toile_bench::pieces::CrumpledSheet;
use toile_collide::DetectError;
use toile_mesh::generate::motion::MovingMesh;
use toile_mesh::{DVec3, Motion, Surface};

use ours::Ours;
use parry::ParryTree;

/// Repetitions of each measurement.
const PASSES: usize = 9;
/// When the step begins, and its length [s].
const START: f64 = 0.5;
const STEP: f64 = 1.0 / 60.0;

/// What it cost [s], how much was found, and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) build: f64,
    pub(crate) refit: f64,
    /// Self pairs, counted only; NaN where they are always collected.
    pub(crate) counted: f64,
    pub(crate) collected: f64,
    pub(crate) pairs: f64,
    pub(crate) memory: f64,
}

/// A column: its name and value.
type Column = (&'static str, fn(&Cost) -> f64);

const COLUMNS: [Column; 6] = [
    ("build ms", |c| 1e3 * c.build),
    ("refit ms", |c| 1e3 * c.refit),
    ("counted ms", |c| 1e3 * c.counted),
    ("collected ms", |c| 1e3 * c.collected),
    ("pairs", |c| c.pairs),
    ("MB", |c| 1e-6 * c.memory),
];

/// Columns with goals for our 18-DOPs, and the largest ratio to parry3d that is allowed.
const GOALS: [(usize, f64); 3] = [(1, 2.0), (3, 1.0), (4, 0.6)];
/// The row that has goals.
const JUDGED: usize = 2;

type Contender<'a> = (&'static str, Box<dyn FnMut() -> Result<Cost, DetectError> + Send + 'a>);

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let triangles = words.next().map_or(Ok(90_000), |w| w.parse::<usize>())?;
    let rows = rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(|| compare(triangles, PASSES))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "crumple: {triangles} triangles, one step of 1/60 s, one thread; × are ratios to the first row")?;
    for line in table(&rows) {
        writeln!(out, "{line}")?;
    }
    if let Some(file) = words.next() {
        let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
        std::fs::write(file, lines.join("\n") + "\n")?;
    }
    Ok(())
}

/// The surface and its positions at both ends of the step.
pub(crate) fn scene(triangles: usize) -> (Surface, Vec<DVec3>, Vec<DVec3>) {
    let sheet = CrumpledSheet::new(triangles);
    (Surface::new(&sheet.mesh_at(START)), sheet.positions_at(START), sheet.positions_at(START + STEP))
}

fn parry_cost<'a>(
    strategy: BvhBuildStrategy,
    surface: &'a Surface,
    motion: Motion<'a>,
) -> Box<dyn FnMut() -> Result<Cost, DetectError> + Send + 'a> {
    let seconds = |clock: Instant| clock.elapsed().as_secs_f64();
    let mut kept = ParryTree::build(strategy, surface, &Motion::still(motion.x_t0));
    let mut list: Vec<[u32; 2]> = Vec::new();
    Box::new(move || {
        let clock = Instant::now();
        let fresh = ParryTree::build(strategy, surface, &Motion::still(motion.x_t0));
        let build = seconds(clock);
        drop(fresh);
        let clock = Instant::now();
        kept.refit(surface, &motion);
        let refit = seconds(clock);
        let (clock, mut count) = (Instant::now(), 0_usize);
        kept.self_pairs(|_, _| count += 1);
        let counted = seconds(clock);
        let clock = Instant::now();
        list.clear();
        kept.self_pairs(|a, b| list.push([a, b]));
        let collected = seconds(clock);
        debug_assert_eq!(list.len(), count);
        Ok(Cost { build, refit, counted, collected, pairs: count as f64, memory: kept.memory() as f64 })
    })
}

/// Rows as JSON.
fn compare(triangles: usize, passes: usize) -> Result<Vec<Value>, DetectError> {
    let (surface, x0, x1) = scene(triangles);
    let motion = Motion { x_t0: &x0, x_t1: &x1 };
    let mut boxes = Ours::<3>::new(&surface, false);
    let mut dops = Ours::<9>::new(&surface, false);
    let mut cones = Ours::<9>::new(&surface, true);
    let mut contenders: [Contender<'_>; 5] = [
        ("parry3d, binned", parry_cost(BvhBuildStrategy::Binned, &surface, motion)),
        ("parry3d, PLOC", parry_cost(BvhBuildStrategy::Ploc, &surface, motion)),
        ("toile 18-DOP", Box::new(|| dops.measure(&[motion]))),
        ("toile 18-DOP, cones", Box::new(|| cones.measure(&[motion]))),
        ("toile boxes", Box::new(|| boxes.measure(&[motion]))),
    ];
    let mut costs = vec![Vec::with_capacity(passes); contenders.len()];
    // The first pass allocates and does not count.
    for pass in 0..=passes {
        for ((_, run), costs) in contenders.iter_mut().zip(&mut costs) {
            let cost = run()?;
            if pass > 0 {
                costs.push(cost);
            }
        }
    }
    let names = contenders.iter().map(|(name, _)| *name);
    Ok(names.enumerate().map(|(i, name)| row(name, &costs[i], &costs[0], i)).collect())
}

fn row(name: &str, own: &[Cost], base: &[Cost], number: usize) -> Value {
    let value = |(_, get): &Column| median(own.iter().map(get).collect());
    let ratio = |(_, get): &Column| median(own.iter().zip(base).map(|(a, b)| get(a) / get(b)).collect());
    let goals: Vec<Value> = GOALS
        .iter()
        .filter(|_| number == JUDGED)
        .map(|&(c, most)| json!({ "of": COLUMNS[c].0, "at_most": most, "met": ratio(&COLUMNS[c]) <= most }))
        .collect();
    json!({
        "bench": "peers", "scene": "crumple", "variant": name,
        "values": COLUMNS.iter().map(value).collect::<Vec<_>>(), "columns": COLUMNS.map(|c| c.0),
        "ratios": COLUMNS.iter().map(ratio).collect::<Vec<_>>(), "goals": goals,
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The rows as text: value and ratio in every column.
fn table(rows: &[Value]) -> Vec<String> {
    let head = COLUMNS.map(|(name, _)| format!("{name:>14}{:>7}", "×"));
    let mut lines = vec![format!("  {:<20}{}", "", head.concat())];
    for row in rows {
        let cell = |v: &Value, behind: usize| v.as_f64().map_or(String::from("–"), |v| format!("{v:.behind$}"));
        let column = |c: usize| {
            let behind = if COLUMNS[c].0 == "pairs" { 0 } else { 2 };
            format!("{:>14}{:>7}", cell(&row["values"][c], behind), cell(&row["ratios"][c], 2))
        };
        let columns: Vec<String> = (0..COLUMNS.len()).map(column).collect();
        lines.push(format!("  {:<20}{}", row["variant"].as_str().unwrap_or_default(), columns.concat()));
        for goal in row["goals"].as_array().into_iter().flatten() {
            let verdict = if goal["met"] == true { "met" } else { "MISSED" };
            let of = goal["of"].as_str().unwrap_or_default().trim_end_matches(" ms");
            lines.push(format!("    goal: {of} × at most {}, {verdict}", goal["at_most"]));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_comparison_fills_the_table() {
        let rows = compare(500, 1).unwrap();
        assert_eq!(rows.len(), 5);
        assert!(rows.iter().all(|r| r["values"][4].as_f64().unwrap() > 0.0), "{rows:?}");
        let lines = table(&rows);
        assert_eq!(lines.len(), 1 + rows.len() + GOALS.len());
        assert!(lines[4].contains("goal: refit"), "{}", lines[4]);
    }
}
