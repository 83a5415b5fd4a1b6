//! Every key of a scene has an effect.
//!
//! The test walks the declarations from which the reference page is written. For each key there is a small scene in which it must
//! matter, and another value: either something observable changes, or the key is one of those that only cost time, and then no bit
//! may change. A key without an entry fails, and so does an entry without a key. Keys of what is drawn and exported are looked at
//! with the program itself, in the tests of `toile-cli`.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod advanced;
mod cases;
mod scenes;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;

use toile::{PhaseTimes, World};
use toile_scene::schema::{Section, Type};
use toile_scene::{Run, Scene};
use toml::{Table, Value};

/// What another value of a key must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// What is simulated or reported changes.
    Changes,
    /// A scene that is refused is accepted, or the other way round.
    Accepts,
    /// No bit changes: the key only costs or spares time.
    OnlyTime,
    /// What a run writes changes.
    Files,
}

/// A key, the scene in which it matters, and its other value.
struct Case {
    key: &'static str,
    scene: &'static str,
    value: &'static str,
    effect: Effect,
}

/// Shorthand for a case in which something changes.
const fn case(key: &'static str, scene: &'static str, value: &'static str) -> Case {
    Case { key, scene, value, effect: Effect::Changes }
}

/// All keys of a section, as `table.key`, `list[].key` and `shape(kind).key`.
fn keys(section: &Section, path: &str, found: &mut BTreeSet<String>) {
    for field in section.fields {
        let name = format!("{path}{}", field.key);
        match field.ty {
            Type::Table(inner) => keys(inner, &format!("{name}."), found),
            Type::List(Type::Table(inner)) => keys(inner, &format!("{name}[]."), found),
            Type::Kinds(kinds) => {
                for kind in kinds {
                    keys(kind.section, &format!("{name}({}).", kind.text), found);
                }
            }
            _ => _ = found.insert(name),
        }
    }
}

/// Whether a key only shows in pictures, exported files and pages, which the program writes.
fn is_drawn(key: &str) -> bool {
    let of_a_run = ["output.checkpoint_every", "output.judge_every"];
    let drawn = ["name", "description", "cloth[].color", "cloth[].pattern", "obstacle[].color", "body[].color"];
    key.starts_with("camera.") || drawn.contains(&key) || (key.starts_with("output.") && !of_a_run.contains(&key))
}

fn all_cases() -> impl Iterator<Item = &'static Case> {
    cases::ALL.iter().flat_map(|part| part.iter()).chain(advanced::CASES)
}

#[test]
fn every_key_has_a_case_and_every_case_a_key() {
    let mut known = BTreeSet::new();
    keys(Scene::SECTION, "", &mut known);
    known.retain(|key| !is_drawn(key));
    let mut tested = BTreeSet::new();
    for case in all_cases() {
        assert!(tested.insert(case.key.to_owned()), "{} has two cases", case.key);
    }
    let untested: Vec<&String> = known.difference(&tested).collect();
    assert!(untested.is_empty(), "keys without a case: {untested:?}");
    let unknown: Vec<&String> = tested.difference(&known).collect();
    assert!(unknown.is_empty(), "cases without a key: {unknown:?}");
}

/// What a scene looks like from outside.
#[derive(Clone, PartialEq, Debug, Default)]
struct Seen {
    /// Hash of the state after every frame, the start included.
    bits: Vec<u64>,
    /// Reports and verdicts of all frames, without the times they took.
    told: Vec<String>,
    /// Names and places of obstacles at start and end, with their friction.
    around: String,
}

/// Simulates a scene; the error, if it is refused.
fn look(text: &str) -> Result<Seen, String> {
    let scene = Scene::from_toml("keys.toml", text).map_err(|e| e.to_string())?;
    let mut world = scene.build(&mut |_| ControlFlow::Continue(())).map_err(|e| e.to_string())?.world;
    let mut seen = Seen { bits: vec![world.hash()], ..Seen::default() };
    for _ in 0..scene.time.frames() {
        let mut report = world.advance();
        report.times = PhaseTimes::default();
        seen.bits.push(world.hash());
        seen.told.push(format!("{report:?} {:?}", world.judge()));
    }
    seen.around = around(&world);
    Ok(seen)
}

fn around(world: &World) -> String {
    let names = world.cloths().iter().map(|cloth| cloth.name.clone());
    let solid = |i: usize| {
        let places = [0.0, world.time()].map(|t| world.obstacle_mesh_at(i.into(), t).positions);
        format!("{} {:?}", world.obstacle_name(i.into()), places)
    };
    names.chain((0..world.obstacle_count()).map(solid)).collect::<Vec<_>>().join("\n")
}

/// The files of a run, without the scene itself and the times in its log.
fn written(text: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let scene = Scene::from_toml("keys.toml", text).map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::create(&scene, &folder.path().join("run")).map_err(|e| e.to_string())?;
    run.run(&mut |_| ControlFlow::Continue(())).unwrap().is_continue().then_some(()).unwrap();
    let mut files = BTreeMap::new();
    for frame in run.log() {
        files.insert(format!("verdict {:04}", frame.report.frame), format!("{:?}", frame.verdict).into_bytes());
    }
    for part in ["frames", "checkpoint"] {
        for entry in std::fs::read_dir(run.folder().join(part)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if !path.ends_with("log.jsonl") {
                files.insert(path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    Ok(files)
}

/// The table of `scene` with `key` set to `value`; `value without other` also takes the key `other` away, which would forbid it.
fn changed(scene: &str, key: &str, value: &str) -> Table {
    let (value, forbids) = value.split_once(" without ").unwrap_or((value, ""));
    let mut root: Table = scene.parse().unwrap_or_else(|e| panic!("{e}\n{scene}"));
    let value = format!("x = {}", scenes::with_files(value)).parse::<Table>().unwrap()["x"].clone();
    let mut table = &mut root;
    let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let name = step.trim_end_matches("[]").split('(').next().unwrap();
        let next = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
        table = match next {
            Value::Table(inner) => inner,
            Value::Array(items) => items[0].as_table_mut().unwrap(),
            other => panic!("{key}: {other} is no table"),
        };
        if let Some((_, kind)) = step.trim_end_matches(')').split_once('(') {
            assert_eq!(table["kind"].as_str(), Some(kind), "{key}: the scene has another kind");
        }
    }
    table.remove(forbids);
    let before = table.insert(last.to_owned(), value.clone());
    assert_ne!(before, Some(value), "{key}: the scene has this value already");
    root
}

/// What was seen of each base scene.
static BASES: Mutex<BTreeMap<&str, Result<Seen, String>>> = Mutex::new(BTreeMap::new());

fn base(name: &'static str) -> Result<Seen, String> {
    if let Some(seen) = BASES.lock().unwrap().get(name) {
        return seen.clone();
    }
    let seen = look(&scenes::text(name));
    BASES.lock().unwrap().insert(name, seen.clone());
    seen
}

/// What is wrong with a case; `None` if the key does what it should.
fn fault(case: &Case) -> Option<String> {
    let other = changed(&scenes::text(case.scene), case.key, case.value).to_string();
    if case.effect == Effect::Files {
        let (before, after) = (written(&scenes::text(case.scene)).unwrap(), written(&other).unwrap());
        return (before == after).then(|| "the same files are written".to_owned());
    }
    let (before, after) = (base(case.scene), look(&other));
    match (case.effect, before, after) {
        (Effect::Accepts, before, after) => {
            (before.is_ok() == after.is_ok()).then(|| "it is accepted, or refused, with both values".to_owned())
        }
        (_, Err(error), _) => Some(format!("the scene \"{}\" is refused: {error}", case.scene)),
        (_, _, Err(error)) => Some(format!("the other value is refused: {error}")),
        (Effect::OnlyTime, Ok(before), Ok(after)) => (before.bits != after.bits).then(|| "bits change".to_owned()),
        (_, Ok(before), Ok(after)) => (before == after).then(|| "nothing changes".to_owned()),
    }
}

#[track_caller]
fn examine(cases: &[Case]) {
    let faults = cases.iter().filter_map(|case| Some(format!("`{}` = {}: {}", case.key, case.value, fault(case)?)));
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn keys_of_time_and_solver_act() {
    examine(cases::SOLVER);
}

#[test]
fn keys_of_physics_act() {
    examine(cases::PHYSICS);
}

#[test]
fn keys_of_forces_and_air_act() {
    examine(cases::AIR);
}

#[test]
fn keys_of_contact_act() {
    examine(cases::CONTACT);
}

#[test]
fn keys_of_collision_only_cost_time() {
    examine(cases::COLLISION);
}

#[test]
fn keys_of_cloth_act() {
    examine(cases::CLOTH);
}

#[test]
fn keys_of_obstacles_act() {
    examine(cases::OBSTACLE);
}

#[test]
fn keys_of_bodies_act() {
    examine(cases::BODY);
}

#[test]
fn keys_of_garments_act() {
    examine(cases::GARMENT);
}

#[test]
fn keys_of_scissors_act() {
    examine(cases::SCISSORS);
}

#[test]
fn keys_of_runs_act() {
    examine(cases::RUN);
}

#[test]
fn advanced_keys_act() {
    examine(advanced::CASES);
}

/// The test itself can fail: a value that means the same changes nothing.
#[test]
fn a_key_without_effect_is_found() {
    let without = case("solver.method", "fem", "\"sweep\"");
    assert_eq!(fault(&without), Some("nothing changes".to_owned()));
}
