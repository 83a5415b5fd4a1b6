//! Single sheets against themselves: crumpled, smooth, and of many sizes.

use miette::{IntoDiagnostic, Result};
use toile_collide::impact::Method;
use toile_collide::{DetectError, HierarchySettings, Impact};
use toile_mesh::generate::motion::MovingMesh;

use super::Plan;
use super::contest::{Bound, Column, Contender, Outcome, contest};
use super::film::{Film, Question};
use super::table::{Table, count};
use crate::pieces::{CrumpledSheet, SmoothDrape};
use crate::pool::pool;

/// When the measured step begins, and its length [s].
const START: f64 = 0.5;
const STEP: f64 = 1.0 / 60.0;
/// Proximities within this share of the mean edge length, and impacts with this least separation.
const NEAR: f64 = 0.1;
const SEPARATION: f64 = 0.01;
/// How often a single step is measured, at least.
const PASSES: usize = 5;

fn default() -> HierarchySettings {
    HierarchySettings::default()
}

fn no_cones() -> HierarchySettings {
    HierarchySettings { close_angle: None, ..default() }
}

/// A step that is measured is the second of two.
fn film(sheet: &dyn MovingMesh) -> Film {
    Film::new(&[sheet], None, START - STEP, STEP, 1)
}

pub(super) fn crumple(plan: &Plan, table: &mut Table<'_>) -> Result<()> {
    let film = film(&CrumpledSheet::new(plan.sheet));
    let about = format!("{} triangles, tens of layers, one step of 1/60 s", film.triangles());
    table.scene("crumple, self pairs", &about);
    let pairs = |name: &str| Contender::new(name, film.pairs::<9, 8>(default(), 0.0));
    let mut contenders = [
        pairs("default").against(None),
        pairs("2 threads").threads(2),
        Contender::new("boxes (6-DOP)", film.pairs::<3, 8>(HierarchySettings { dop: 6, ..default() }, 0.0)),
        Contender::new("binary tree", film.pairs::<9, 2>(HierarchySettings { arity: 2, ..default() }, 0.0)),
        Contender::new("4-ary tree", film.pairs::<9, 4>(HierarchySettings { arity: 4, ..default() }, 0.0)),
    ];
    let outcomes = contest(&mut contenders, 1, plan.passes.max(PASSES))?;
    table.rows(&contenders, &outcomes, |i| (i == 1).then(|| speed_up(&outcomes[i])));

    table.scene("crumple, impacts", "the same step, complete: candidates and exact times of impact");
    let impacts = |name: &str, settings: HierarchySettings| {
        Contender::new(name, film.search(&settings, Question { proximities: None, impacts: Some(0.0) }))
    };
    let mut contenders = [
        impacts("default", default()).against(None),
        impacts("2 threads", default()).threads(2),
        impacts("cubic", HierarchySettings { method: Method::Cubic, ..default() }),
        impacts("no cones", no_cones()),
    ];
    let outcomes = contest(&mut contenders, 1, plan.passes.max(PASSES))?;
    let (bytes, same) = memory_and_threads(&film)?;
    let note = |i: usize| match i {
        0 => Some(format!("{bytes:.0} bytes per triangle; finds {}", outcomes[0].cost.found)),
        1 => Some(format!("{}, {}", speed_up(&outcomes[1]), if same { "same bits" } else { "OTHER BITS" })),
        _ => None,
    };
    table.rows(&contenders, &outcomes, note);
    Ok(())
}

fn speed_up(outcome: &Outcome) -> String {
    let total = outcome.ratios.and_then(|r| r[Column::Total as usize]).unwrap_or(f64::NAN);
    format!("{:.2} times as fast", 1.0 / total)
}

/// Bytes per triangle after a search for impacts, and whether two threads find the same as one, bit by bit.
fn memory_and_threads(film: &Film) -> Result<(f64, bool)> {
    let find = |threads: usize| -> Result<(usize, Vec<Impact>)> {
        let mut detector = film.detector(&default());
        let mut found = Vec::new();
        let search = || -> Result<usize, DetectError> {
            detector.impacts(&film.motions(1), 0.0, &mut found)?;
            Ok(detector.memory())
        };
        let bytes = pool(threads)?.install(search).into_diagnostic()?;
        Ok((bytes, found))
    };
    let ((bytes, one), (_, two)) = (find(1)?, find(2)?);
    Ok((bytes as f64 / film.triangles() as f64, one == two))
}

pub(super) fn smooth(plan: &Plan, table: &mut Table<'_>) -> Result<()> {
    let film = film(&SmoothDrape::new(plan.sheet));
    let edge = film.edge();
    for (scene, about, question) in [
        (
            "smooth, proximities",
            "self-detection within 1/10 of an edge",
            Question { proximities: Some(NEAR * edge), impacts: None },
        ),
        (
            "smooth, impacts",
            "self-detection during one step of 1/60 s, within 1/10 of an edge",
            Question { proximities: None, impacts: Some(NEAR * edge) },
        ),
    ] {
        table.scene(scene, &format!("{} triangles that never touch, {about}", film.triangles()));
        let mut contenders = [
            Contender::new("cones", film.search(&default(), question)).against(None),
            Contender::new("no cones", film.search(&no_cones(), question)).goal(Column::Test, Bound::AtLeast(10.0)),
        ];
        let outcomes = contest(&mut contenders, 1, plan.passes.max(PASSES))?;
        table.rows(&contenders, &outcomes, |_| None);
    }
    Ok(())
}

pub(super) fn size(plan: &Plan, table: &mut Table<'_>) -> Result<()> {
    table.scene("size", "the smooth sheet, impacts of one step of 1/60 s; ms and pairs per 1,000 triangles");
    let films: Vec<Film> = plan.sizes.iter().map(|&count| film(&SmoothDrape::new(count))).collect();
    let mut contenders: Vec<Contender<'_>> = films
        .iter()
        .enumerate()
        .map(|(i, film)| {
            let question = Question { proximities: None, impacts: Some(SEPARATION * film.edge()) };
            let name = count(film.triangles() as f64);
            let one = Contender::new(name, film.search(&default(), question)).scale(1e3 / film.triangles() as f64);
            if i == 0 { one.against(None) } else { one.goal(Column::Total, Bound::AtMost(1.6)) }
        })
        .collect();
    let outcomes = contest(&mut contenders, 1, plan.passes.max(PASSES))?;
    table.rows(&contenders, &outcomes, |_| None);
    Ok(())
}
