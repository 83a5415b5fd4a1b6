//! What `toile detect` says of a search, as text and as JSON.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::args::{DetectArgs, DetectorChoice, word};
use super::input::{Input, MovingMesh, Question};
use super::search::{Outcome, Pairs};
use crate::check::counted;

/// Pairs listed in the text.
const LISTED: usize = 5;

/// For people.
pub(super) fn text(input: &Input, outcome: &Outcome, args: &DetectArgs) -> String {
    let mut text = String::new();
    for (mesh, [vertices, faces]) in input.meshes.iter().zip(input.offsets()) {
        let counts = [counted(mesh.mesh.vertex_count(), "vertex"), counted(mesh.mesh.face_count(), "triangle")];
        let _ = write!(text, "{}: {}", mesh.name(), counts.join(", "));
        let _ = match faces {
            0 => writeln!(text),
            _ => writeln!(text, ", numbered from {vertices} and from {faces}"),
        };
    }
    let place = match (input.meshes.len(), input.within_each) {
        (1, _) => "within the mesh",
        (_, true) => "between the meshes and within each",
        (_, false) => "between the meshes",
    };
    let _ = match input.question {
        Question::Proximities { within } => writeln!(text, "proximities {place}, at most {} apart", length(within)),
        Question::Impacts { min_separation: 0.0 } => writeln!(text, "impacts {place}, {}", word(&args.method)),
        Question::Impacts { min_separation } => {
            writeln!(text, "impacts {place}, {}, separation {}", word(&args.method), length(min_separation))
        }
    };
    let report = &outcome.report;
    let _ = writeln!(text, "\n{:<16}{:>17}{:>13}", "", "vertex–triangle", "edge–edge");
    let _ = writeln!(text, "{:<16}{:>17}{:>13}", "candidates", report.candidates[0], report.candidates[1]);
    let _ = writeln!(text, "{:<16}{:>17}{:>13}\n", "found", report.found[0], report.found[1]);
    for (label, fact) in facts(outcome, args) {
        let _ = writeln!(text, "{label:<16}{fact}");
    }
    let closest = closest(&outcome.pairs);
    if !closest.is_empty() {
        let is_impact = matches!(input.question, Question::Impacts { .. });
        let _ = writeln!(text, "\n{}", if is_impact { "earliest, as a share of the step" } else { "closest" });
        for (name, value) in closest {
            let value = if is_impact { format!("{value:.6}") } else { length(value) };
            let _ = writeln!(text, "  {name:<40}  {value}");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// How it was found, label and fact.
fn facts(outcome: &Outcome, args: &DetectArgs) -> Vec<(&'static str, String)> {
    let report = &outcome.report;
    let mut facts = Vec::new();
    if args.detector.detector == DetectorChoice::Hierarchy {
        let [overlapping, culled, _] = report.group_pairs;
        facts.push(("volume tests", report.volume_tests.to_string()));
        facts.push(("triangle pairs", report.triangle_pairs.to_string()));
        facts.push(("group pairs", format!("{overlapping}, of which {culled} culled by normal cones")));
    }
    let phases = phases(outcome).map(|(name, time)| format!("{name} {:.2}", milliseconds(time)));
    facts.push(("CPU time [ms]", format!("{}; all {:.2}", phases.join(", "), milliseconds(report.times.total()))));
    facts.push(("detector", format!("{}, {:.1} MB", settings_text(args), 1.0e-6 * outcome.memory as f64)));
    facts
}

fn settings_text(args: &DetectArgs) -> String {
    let chosen = &args.detector;
    let threads = counted(rayon::current_num_threads(), "thread");
    match chosen.detector {
        DetectorChoice::BruteForce => "brute force, 1 thread".into(),
        DetectorChoice::Hierarchy => {
            let cones = if chosen.no_cones { "no cones" } else { "cones" };
            let inflation = word(&chosen.inflation);
            format!("hierarchy: {}-DOPs, {} children, {inflation}, {cones}, {threads}", chosen.dop, chosen.arity)
        }
    }
}

/// A length with its unit, to four digits.
fn length(x: f64) -> String {
    let mm = 1.0e3 * x;
    match mm {
        0.0 => "0 mm".into(),
        1.0e-3..1.0e4 => format!("{} mm", (mm * 1.0e4).round() / 1.0e4),
        _ => format!("{mm:.3e} mm"),
    }
}

fn milliseconds(time: Duration) -> f64 {
    1.0e3 * time.as_secs_f64()
}

fn phases(outcome: &Outcome) -> [(&'static str, Duration); 5] {
    let times = &outcome.report.times;
    [
        ("build", times.build),
        ("refit", times.refit),
        ("traverse", times.traverse),
        ("filter", times.filter),
        ("test", times.test),
    ]
}

/// The few pairs of smallest value, in words; those of equal value in the order of the result.
fn closest(pairs: &Pairs) -> Vec<(String, f64)> {
    let mut all: Vec<(f64, bool, usize)> = Vec::new();
    all.extend(pairs.vf.iter().enumerate().map(|(i, (_, value))| (*value, false, i)));
    all.extend(pairs.ee.iter().enumerate().map(|(i, (_, value))| (*value, true, i)));
    let order = |a: &(f64, bool, usize), b: &(f64, bool, usize)| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)));
    if all.len() > LISTED {
        all.select_nth_unstable_by(LISTED, order);
        all.truncate(LISTED);
    }
    all.sort_unstable_by(order);
    let name = |is_edges: bool, i: usize| {
        if is_edges {
            let [a0, a1, b0, b1] = pairs.ee[i].0;
            format!("edges {a0}–{a1} and {b0}–{b1}")
        } else {
            let [vertex, face] = pairs.vf[i].0;
            format!("vertex {vertex} and triangle {face}")
        }
    };
    all.into_iter().map(|(value, is_edges, i)| (name(is_edges, i), value)).collect()
}

/// For programs.
pub(super) fn summary(input: &Input, outcome: &Outcome, args: &DetectArgs) -> Value {
    let report = &outcome.report;
    let offsets = input.offsets();
    let first = |k: usize| offsets.iter().map(|o| o[k]).collect::<Vec<u32>>();
    let smallest = outcome.pairs.vf.iter().map(|p| p.1).chain(outcome.pairs.ee.iter().map(|p| p.1)).reduce(f64::min);
    let mut cpu: serde_json::Map<String, Value> =
        phases(outcome).iter().map(|(name, time)| ((*name).to_owned(), json!(milliseconds(*time)))).collect();
    cpu.insert("total".into(), json!(milliseconds(report.times.total())));
    let is_brute = args.detector.detector == DetectorChoice::BruteForce;
    json!({
        "question": match input.question {
            Question::Proximities { .. } => "proximities",
            Question::Impacts { .. } => "impacts",
        },
        "meshes": input.meshes.iter().map(mesh_json).collect::<Vec<_>>(),
        "offsets": { "vertices": first(0), "faces": first(1) },
        "volume_tests": report.volume_tests,
        "triangle_pairs": report.triangle_pairs,
        "candidates": { "vf": report.candidates[0], "ee": report.candidates[1] },
        "found": { "vf": report.found[0], "ee": report.found[1] },
        "group_pairs": report.group_pairs[0],
        "group_pairs_culled": report.group_pairs[1],
        "smallest": smallest,
        "cpu_ms": cpu,
        "wall_ms": milliseconds(outcome.wall),
        "memory_bytes": outcome.memory,
        "threads": if is_brute { 1 } else { rayon::current_num_threads() },
        "settings": settings_json(input, args),
    })
}

fn mesh_json(mesh: &MovingMesh) -> Value {
    json!({
        "file": mesh.start.display().to_string(),
        "end_file": mesh.end.as_ref().map(|p| p.display().to_string()),
        "vertices": mesh.mesh.vertex_count(),
        "triangles": mesh.mesh.face_count(),
    })
}

fn settings_json(input: &Input, args: &DetectArgs) -> Value {
    let chosen = &args.detector;
    let mut settings = json!({
        "detector": word(&chosen.detector),
        "limit": chosen.limit,
        "pairs_within_each": input.within_each,
    });
    match input.question {
        Question::Proximities { within } => settings["within"] = json!(within),
        Question::Impacts { min_separation } => {
            settings["min_separation"] = json!(min_separation);
            settings["method"] = json!(word(&args.method));
        }
    }
    if chosen.detector == DetectorChoice::Hierarchy {
        settings["dop"] = json!(chosen.dop);
        settings["arity"] = json!(chosen.arity);
        settings["inflation"] = json!(word(&chosen.inflation));
        settings["cones"] = json!(!chosen.no_cones);
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short() {
        for (x, text) in [(0.0, "0 mm"), (0.002, "2 mm"), (1.234_567e-4, "0.1235 mm"), (3.0e-9, "3.000e-6 mm")] {
            assert_eq!(length(x), text);
        }
    }

    #[test]
    fn the_closest_come_first_and_are_few() {
        let vf = (0..20).map(|i| ([i, i], f64::from(20 - i))).collect();
        let pairs = Pairs { vf, ee: vec![([0, 1, 2, 3], 1.0), ([0, 1, 4, 5], 0.5)] };
        let names: Vec<String> = closest(&pairs).into_iter().map(|(name, _)| name).collect();
        let expected = [
            "edges 0–1 and 4–5",
            "vertex 19 and triangle 19",
            "edges 0–1 and 2–3",
            "vertex 18 and triangle 18",
            "vertex 17 and triangle 17",
        ];
        assert_eq!(names, expected);
    }
}
