//! `toile detect`: the three forms, what they write, and what they refuse.

use std::fmt::Write;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use toile_files::obj::save_obj;
use toile_mesh::{DVec3, TriMesh, generate};

use crate::helper::toile;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn save(folder: &TempDir, name: &str, mesh: &TriMesh) {
    save_obj(&folder.path().join(name), mesh).unwrap();
}

/// Runs `toile detect` and reads the JSON it writes.
#[track_caller]
fn detected(folder: &TempDir, words: &str) -> Value {
    run(folder, &format!("{words} --quiet --json out.json --overwrite")).good();
    serde_json::from_str(&fs::read_to_string(folder.path().join("out.json")).unwrap()).unwrap()
}

fn run(folder: &TempDir, words: &str) -> crate::helper::Answer {
    let args: Vec<&str> = ["detect"].into_iter().chain(words.split_whitespace()).collect();
    toile(folder.path(), &args)
}

/// Ids of the pairs of a kind, each followed by its value.
fn pairs(answer: &Value, kind: &str) -> Vec<(Vec<u64>, f64)> {
    let row = |row: &Value| {
        let (value, ids) = row.as_array().unwrap().split_last().unwrap();
        (ids.iter().map(|id| id.as_u64().unwrap()).collect(), value.as_f64().unwrap())
    };
    answer[kind].as_array().unwrap().iter().map(row).collect()
}

/// A triangle of side 1 in the plane y = 0, or at another height.
fn triangle(y: f64) -> TriMesh {
    let corners = vec![DVec3::new(0.0, y, 0.0), DVec3::new(1.0, y, 0.0), DVec3::new(0.0, y, 1.0)];
    TriMesh::from_indices(corners, &[[0, 1, 2]])
}

/// A crumpled sheet with many near and crossing pairs; `phase` makes others of the same triangles.
fn crumpled(phase: f64) -> TriMesh {
    generate::plane([0.3, 0.3], [11, 11]).map_positions(|p| {
        let (u, v) = (p.x * 40.0 + phase, p.z * 31.0 - phase);
        DVec3::new(0.4 * p.x + 0.02 * v.sin(), 0.02 * (u + v).sin(), 0.5 * p.z + 0.02 * u.cos())
    })
}

/// Whether pairs are in order, their edges too, and none comes twice.
fn assert_sorted(answer: &Value) {
    for kind in ["vf", "ee"] {
        let found = pairs(answer, kind);
        assert_eq!(answer["summary"]["found"][kind], found.len());
        assert!(found.windows(2).all(|w| w[0].0 < w[1].0), "{kind}");
    }
    for (ids, _) in pairs(answer, "ee") {
        assert!(ids[0] < ids[1] && ids[2] < ids[3] && ids[..2] < ids[2..], "{ids:?}");
    }
}

#[test]
fn proximities_of_two_meshes_are_those_between_them_numbered_one_after_the_other() {
    let folder = folder();
    let mut two = triangle(0.0);
    two.append(&triangle(0.001));
    save(&folder, "a.obj", &two);
    // A small triangle, 2 mm above the lower of the two and 1 mm above the upper.
    let small = triangle(0.002).map_positions(|p| DVec3::new(0.2 + 0.1 * p.x, p.y, 0.2 + 0.1 * p.z));
    save(&folder, "b.obj", &small);
    let between = detected(&folder, "a.obj b.obj --within 1.5mm");
    let found = pairs(&between, "vf");
    let ids: Vec<&[u64]> = found.iter().map(|(ids, _)| &ids[..]).collect();
    assert_eq!(ids, [[6, 1], [7, 1], [8, 1]]);
    assert!(found.iter().all(|(_, distance)| (distance - 0.001).abs() < 1e-15));
    assert_eq!(between["ee"].as_array().unwrap().len(), 0);
    assert_eq!(between["summary"]["offsets"]["vertices"], serde_json::json!([0, 6]));
    assert_eq!(between["summary"]["offsets"]["faces"], serde_json::json!([0, 2]));
    // The other way round the small one comes first.
    let swapped = detected(&folder, "b.obj a.obj --within 0.15cm");
    let ids: Vec<Vec<u64>> = pairs(&swapped, "vf").into_iter().map(|(ids, _)| ids).collect();
    assert_eq!(ids, [[0, 2], [1, 2], [2, 2]]);
    // Within the first, each corner is 1 mm from the other triangle.
    let own = detected(&folder, "a.obj --within 0.0015m");
    let ids: Vec<Vec<u64>> = pairs(&own, "vf").into_iter().map(|(ids, _)| ids).collect();
    assert_eq!(ids, [[0, 1], [1, 1], [2, 1], [3, 0], [4, 0], [5, 0]]);
    let all = detected(&folder, "a.obj b.obj --within 0.0015 --self");
    assert_eq!(pairs(&all, "vf").len(), 9);
    assert_eq!(all["ee"], own["ee"]);
    assert_sorted(&all);
}

#[test]
fn an_impact_has_its_time_and_both_formats_agree() {
    let folder = folder();
    for (name, mesh) in [("a0.obj", triangle(0.0)), ("a1.obj", triangle(0.0))] {
        save(&folder, name, &mesh);
    }
    let falling = |y: f64| triangle(y).map_positions(|p| DVec3::new(0.2 + 0.1 * p.x, p.y, 0.2 + 0.1 * p.z));
    save(&folder, "b0.obj", &falling(0.3));
    save(&folder, "b1.obj", &falling(-0.1));
    let files = "--start a0.obj --end a1.obj --start b0.obj --end b1.obj";
    let answer = detected(&folder, &format!("{files} --pairs out.txt"));
    let found = pairs(&answer, "vf");
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|(_, time)| *time <= 0.75 && *time > 0.75 - 1e-8));
    let lines = fs::read_to_string(folder.path().join("out.txt")).unwrap();
    let mut expected = String::new();
    for (ids, time) in &found {
        writeln!(expected, "v {} {} {time:?}", ids[0], ids[1]).unwrap();
    }
    assert_eq!(lines, expected);
    // At a separation of 4 cm they meet a tenth of the step earlier.
    let apart = detected(&folder, &format!("{files} --min-separation 4cm"));
    assert!(pairs(&apart, "vf").iter().all(|(_, time)| (time - 0.65).abs() < 1e-5));
    let cubic = detected(&folder, &format!("{files} --method cubic"));
    assert_eq!((pairs(&cubic, "vf").len(), &cubic["summary"]["settings"]["method"]), (3, &Value::from("cubic")));
}

#[test]
fn every_setting_finds_what_brute_force_finds() {
    let folder = folder();
    save(&folder, "a0.obj", &crumpled(0.0));
    save(&folder, "a1.obj", &crumpled(2.5));
    save(&folder, "b0.obj", &crumpled(1.0));
    save(&folder, "b1.obj", &crumpled(0.8));
    for form in [
        "a0.obj --within 2mm",
        "a0.obj b0.obj --within 1mm",
        "a0.obj b0.obj --within 1mm --self",
        "--start a0.obj --end a1.obj",
        "--start a0.obj --end a1.obj --start b0.obj --end b1.obj",
    ] {
        let brute = detected(&folder, &format!("{form} --detector brute-force"));
        assert_sorted(&brute);
        assert!(pairs(&brute, "vf").len() > 20 && pairs(&brute, "ee").len() > 20, "{form}");
        for settings in [
            "--threads 1",
            "--threads 3 --dop 6 --arity 2",
            "--dop 14 --arity 8 --inflation oriented",
            "--dop 26 --inflation uniform --no-cones",
        ] {
            let answer = detected(&folder, &format!("{form} {settings}"));
            assert_eq!(answer["ee"], brute["ee"], "{form} {settings}");
            assert_eq!(answer["vf"], brute["vf"], "{form} {settings}");
        }
    }
}

#[test]
fn the_summary_has_counts_times_and_settings() {
    let folder = folder();
    save(&folder, "a.obj", &crumpled(0.0));
    let summary = &detected(&folder, "a.obj --within 2mm --threads 2 --dop 26")["summary"];
    for key in ["volume_tests", "triangle_pairs", "group_pairs", "group_pairs_culled", "memory_bytes"] {
        assert!(summary[key].is_u64(), "{key}");
    }
    for key in ["build", "refit", "traverse", "filter", "test", "total"] {
        assert!(summary["cpu_ms"][key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(summary["candidates"]["vf"].as_u64() >= summary["found"]["vf"].as_u64());
    assert_eq!((&summary["threads"], &summary["settings"]["dop"]), (&Value::from(2), &Value::from(26)));
    assert_eq!(summary["settings"]["within"], 0.002);
}

#[test]
fn people_get_counts_times_and_the_closest() {
    let folder = folder();
    let mut two = triangle(0.0);
    two.append(&triangle(0.001));
    save(&folder, "a.obj", &two);
    let text = run(&folder, "a.obj --within 2mm").good();
    for words in ["a.obj: 6 vertices, 2 triangles", "at most 2 mm apart", "CPU time [ms]", "vertex 0 and triangle 1 "] {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert_eq!(run(&folder, "a.obj --within 2mm --quiet").good(), "");
    let json = run(&folder, "a.obj --within 2mm --json -");
    assert_eq!(json.json()["summary"]["found"]["vf"], 6);
}

#[test]
fn bad_input_is_explained_and_nothing_is_written() {
    let folder = folder();
    save(&folder, "a.obj", &crumpled(0.0));
    save(&folder, "ball.obj", &generate::icosphere(0.1, 1));
    let mut turned = crumpled(0.0);
    turned.triangles[7].rotate_left(1);
    save(&folder, "turned.obj", &turned);
    save(&folder, "far.obj", &triangle(1e31));
    fs::write(folder.path().join("nan.obj"), "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(folder.path().join("empty.obj"), "v 0 0 0\n").unwrap();
    for (words, reason) in [
        ("missing.obj --within 1mm", "missing.obj"),
        ("empty.obj --within 1mm", "no faces"),
        ("nan.obj --within 1mm", "not finite"),
        ("far.obj --within 1mm", "far.obj: vertex 0"),
        ("--start a.obj --end ball.obj", "144 vertices and 242 triangles at the start, 42"),
        ("--start a.obj --end turned.obj", "triangle 7 joins"),
        ("--start a.obj --start a.obj --end a.obj", "2 --start and 1 --end"),
        ("a.obj --within 1mm --pairs nowhere/out", "folder does not exist"),
        ("a.obj --within 1mm --pairs .", "not a plain file"),
        ("a.obj --within 1mm --pairs out", "two results would have one name"),
        ("a.obj --within 1mm --pairs a.obj", "replace its source"),
        ("a.obj --within 1mm --detector brute-force --limit 99", "with --limit 99"),
    ] {
        let error = run(&folder, &format!("{words} --json out")).bad();
        assert!(error.contains(reason), "{reason} in {error}");
        assert!(!folder.path().join("out").exists());
    }
    for words in [
        "",
        "a.obj",
        "--start a.obj",
        "--within 1mm",
        "a.obj a.obj a.obj --within 1",
        "a.obj --within 2km",
        "--start a.obj --end a.obj --within 1mm",
        "--start a.obj --end a.obj a.obj --within 1mm",
    ] {
        assert_eq!(run(&folder, words).code, 1, "{words}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6, "no temporary files are left");
}

#[test]
fn triangles_on_top_of_each_other_end_at_the_limit() {
    let folder = folder();
    let mut pile = triangle(0.0);
    (0..400).for_each(|_| pile.append(&triangle(0.0)));
    save(&folder, "pile.obj", &pile);
    for form in ["pile.obj --within 0", "--start pile.obj --end pile.obj"] {
        let error = run(&folder, &format!("{form} --limit 50000 --json out --pairs lines")).bad();
        assert!(error.contains("too many pairs for --limit 50000") && error.contains("raise --limit"), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is written");
    // A giant among tiny triangles, and triangles without size, are answered.
    let mut strange = triangle(0.0).map_positions(|p| 1e6 * (p - DVec3::new(0.3, 0.0, 0.3)));
    (0..9).for_each(|i| strange.append(&triangle(0.001).map_positions(|p| 0.01 * p + DVec3::X * f64::from(i))));
    (0..2).for_each(|_| strange.append(&triangle(0.0).map_positions(|_| DVec3::ONE)));
    save(&folder, "strange.obj", &strange);
    let found = pairs(&detected(&folder, "strange.obj --within 1mm"), "vf");
    assert_eq!(found.iter().filter(|(ids, _)| ids[1] == 0).count(), 27, "all corners of the small over the giant");
    assert_eq!(found.iter().filter(|(ids, _)| ids[1] >= 10).count(), 6, "two triangles at one point");
}

/// A vertex that falls through a triangle, and one that stays above; the truth of the last is wrong.
const QUERIES: &str = "\
collides,v0,,,f0,,,f1,,,f2,,,v0,,,f0,,,f1,,,f2,,
1,0.2,0.2,1,0,0,0,1,0,0,0,1,0,0.2,0.2,-1,0,0,0,1,0,0,0,1,0
0,0.2,0.2,1,0,0,0,1,0,0,0,1,0,0.2,0.2,0.5,0,0,0,1,0,0,0,1,0
1,0.2,0.2,1,0,0,0,1,0,0,0,1,0,0.2,0.2,0.5,0,0,0,1,0,0,0,1,0
";

#[test]
fn queries_are_answered_line_by_line_and_compared_with_the_truth() {
    let folder = folder();
    fs::write(folder.path().join("q.csv"), QUERIES).unwrap();
    let text = run(&folder, "--queries q.csv --kind vf --answers out.txt").good();
    assert!(text.contains("q.csv: 3 queries, 1 impact, conservative\nmissed        1\nfalse alarms  0\n"), "{text}");
    assert!(text.contains("line 4: missed"), "{text}");
    let answers = fs::read_to_string(folder.path().join("out.txt")).unwrap();
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(lines[1..], ["0 inf", "0 inf"]);
    let time: f64 = lines[0].strip_prefix("1 ").unwrap().parse().unwrap();
    assert!(time <= 0.5 && time > 0.5 - 1e-8);
    // Without names and truth the answers are the same.
    let bare: Vec<&str> = QUERIES.lines().skip(1).map(|l| &l[2..]).collect();
    fs::write(folder.path().join("bare.csv"), bare.join("\n")).unwrap();
    let summary = &detected(&folder, "--queries bare.csv --kind vf --answers bare.txt")["summary"];
    assert_eq!((&summary["queries"], &summary["missed"]), (&Value::from(3), &Value::Null));
    assert_eq!(fs::read_to_string(folder.path().join("bare.txt")).unwrap(), answers);
    // A bad line is named, and no answers are left.
    fs::write(folder.path().join("bad.csv"), format!("{QUERIES}1,2,3\n")).unwrap();
    let error = run(&folder, "--queries bad.csv --kind vf --answers bad.txt").bad();
    assert!(error.contains("bad.csv: line 5: 3 columns, not 25"), "{error}");
    assert!(!folder.path().join("bad.txt").exists());
}

#[test]
fn published_queries_are_all_answered_right() {
    let shared = std::env::var_os("TOILE_SHARED_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let Ok(files) = fs::read_dir(shared.join("ccd-queries")) else {
        // Not `eprintln!`, whose output a test that passes does not show.
        writeln!(std::io::stderr().lock(), "skipped: no published queries in {}", shared.display()).unwrap();
        return;
    };
    let folder = folder();
    let mut queries = 0;
    for path in files.map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "csv")) {
        let kind = if path.to_str().unwrap().ends_with("_vf.csv") { "vf" } else { "ee" };
        let summary = &detected(&folder, &format!("--queries {} --kind {kind}", path.display()))["summary"];
        let wrong = (summary["missed"].as_u64(), summary["false_alarms"].as_u64());
        assert_eq!(wrong, (Some(0), Some(0)), "{}", path.display());
        queries += summary["queries"].as_u64().unwrap();
    }
    assert!(queries > 1000);
}
