//! Trousers on a walking figure: Mezger 2003, table 1.

use std::time::Instant;

use miette::Result;
use toile_collide::{Cover, Front, Hierarchy, HierarchySettings, UpdatePolicy};
use toile_mesh::generate::motion::{Figure, MovingMesh};

use super::Plan;
use super::contest::{Bound, Column, Contender, Cost, contest};
use super::film::{Film, Question};
use super::table::Table;
use crate::pieces::Trousers;

/// When the measured part of the walk begins, after the first steps, and the step [s].
const START: f64 = 1.0;
const STEP: f64 = 0.01;
/// Proximities within this distance and impacts with this least separation [m].
const NEAR: f64 = 0.005;
const SEPARATION: f64 = 0.000_5;
/// How far a vertex may move before a lazy update renews it [m].
const LAZY: f64 = 0.000_25;
/// How much farther a search looks whose results are to be used again [m].
const SLACK: f64 = 0.002;
/// How many times slower the slow walk and the nearly still one are.
const SLOW: f64 = 100.0;
const STILL: f64 = 500.0;

const BOTH: Question = Question { proximities: Some(NEAR), impacts: Some(SEPARATION) };
const PROXIMITIES: Question = Question { proximities: Some(NEAR), impacts: None };
const IMPACTS: Question = Question { proximities: None, impacts: Some(SEPARATION) };

pub(super) fn rows(plan: &Plan, table: &mut Table<'_>) -> Result<()> {
    let figure = Figure::new(plan.figure);
    for &count in &plan.trousers {
        let trousers = Trousers::new(&figure, count);
        let film = |slower: f64| Film::new(&[&trousers], Some(&figure), START, STEP / slower, plan.steps);
        let walk = film(1.0);
        table.scene(
            "walk",
            &format!(
                "trousers of {} triangles on a figure of {}, {} steps of 10 ms, proximities within 5 mm and impacts within 0.5 mm",
                trousers.triangles().len(),
                figure.triangles().len(),
                plan.steps
            ),
        );
        settings(plan, &walk, table)?;
        table.scene(
            "walk, impacts",
            "impacts alone, which depend on how the way of a step is covered; swept is the default",
        );
        covers(plan, &walk, table)?;
        table.scene("walk, proximities", "proximities alone; coherence looks 2 mm farther and uses results again");
        coherence(plan, &walk, table)?;
        table.scene("walk, self pairs", "pairs of triangles of the trousers alone, without cones");
        separation_list(plan, &Film::new(&[&trousers], None, START, STEP, plan.steps), table)?;
        table.scene(
            "slow walk",
            &format!("{SLOW} times slower, proximities and impacts; lazy updates tolerate 0.25 mm"),
        );
        updates(plan, &film(SLOW), table)?;
        table.scene("nearly still walk", &format!("{STILL} times slower, proximities alone"));
        coherence(plan, &film(STILL), table)?;
    }
    Ok(())
}

fn default() -> HierarchySettings {
    HierarchySettings::default()
}

fn lazy() -> HierarchySettings {
    HierarchySettings { update: UpdatePolicy::Lazy { tolerance: LAZY }, ..default() }
}

fn on_demand() -> HierarchySettings {
    HierarchySettings { update: UpdatePolicy::OnDemand, ..default() }
}

/// One setting changed at a time.
fn settings(plan: &Plan, film: &Film, table: &mut Table<'_>) -> Result<()> {
    let with = |name: &str, settings: HierarchySettings| Contender::new(name, film.search(&settings, BOTH));
    let mut contenders = [
        with("default", default()).against(None),
        // Candidates of boxes are at least a fifth more.
        with("boxes (6-DOP)", HierarchySettings { dop: 6, ..default() })
            .paper([43.0 / 56.0, 50.0 / 31.0, 93.0 / 88.0])
            .goal(Column::Pairs, Bound::AtLeast(1.2)),
        with("14-DOP", HierarchySettings { dop: 14, ..default() }),
        with("26-DOP", HierarchySettings { dop: 26, ..default() }),
        with("4-ary tree", HierarchySettings { arity: 4, ..default() }),
        // The paper's default is a 4-ary tree: the row before.
        with("binary tree", HierarchySettings { arity: 2, ..default() }).against(Some(4)).paper([
            64.0 / 56.0,
            35.0 / 31.0,
            99.0 / 88.0,
        ]),
        with("lazy update", lazy()),
        with("on-demand update", on_demand()),
        with("no cones", HierarchySettings { close_angle: None, ..default() }),
    ];
    let outcomes = contest(&mut contenders, plan.steps, plan.passes)?;
    table.rows(&contenders, &outcomes, |_| None);
    Ok(())
}

/// How volumes cover the way of a step. Fewer steps: uniform inflation takes seconds each.
fn covers(plan: &Plan, film: &Film, table: &mut Table<'_>) -> Result<()> {
    let with = |name: &str, cover: Cover| {
        Contender::new(name, film.search(&HierarchySettings { cover, ..default() }, IMPACTS))
    };
    let mut contenders = [
        with("swept", Cover::Swept).against(None),
        with("oriented", Cover::Oriented),
        with("moving", Cover::Moving),
        with("uniform", Cover::Uniform)
            .against(Some(1))
            .paper([37.0 / 56.0, 136.0 / 31.0, 173.0 / 88.0])
            .goal(Column::Total, Bound::AtLeast(1.3))
            .goal(Column::Test, Bound::AtLeast(2.0)),
    ];
    let outcomes = contest(&mut contenders, plan.steps.div_ceil(5), plan.passes)?;
    table.rows(&contenders, &outcomes, |_| None);
    Ok(())
}

fn coherence(plan: &Plan, film: &Film, table: &mut Table<'_>) -> Result<()> {
    let again = HierarchySettings { coherence: Some(SLACK), ..default() };
    let mut contenders = [
        Contender::new("default", film.search(&default(), PROXIMITIES)).against(None),
        Contender::new("coherence", film.search(&again, PROXIMITIES)),
    ];
    let outcomes = contest(&mut contenders, plan.steps, plan.passes)?;
    table.rows(&contenders, &outcomes, |_| None);
    Ok(())
}

fn updates(plan: &Plan, film: &Film, table: &mut Table<'_>) -> Result<()> {
    let mut contenders = [
        Contender::new("full update", film.search(&default(), BOTH)).against(None),
        Contender::new("lazy update", film.search(&lazy(), BOTH)),
        Contender::new("on-demand update", film.search(&on_demand(), BOTH)),
    ];
    let outcomes = contest(&mut contenders, plan.steps, plan.passes)?;
    table.rows(&contenders, &outcomes, |_| None);
    Ok(())
}

/// The paper's §6.3 finds that its separation list mostly costs more than it saves.
fn separation_list(plan: &Plan, film: &Film, table: &mut Table<'_>) -> Result<()> {
    let settings = HierarchySettings { close_angle: None, ..default() };
    let margin = 0.5 * NEAR;
    let mut hierarchy: Hierarchy<9, 8> = Hierarchy::new(film.surfaces.clone(), settings);
    let (mut front, mut pairs) = (Front::default(), Vec::new());
    let listed = move |step: usize| {
        let clock = Instant::now();
        let report = hierarchy.refit(&film.motions(step), margin)?;
        let descent = Instant::now();
        pairs.clear();
        if let Some(tree) = hierarchy.tree(0) {
            front.own_face_pairs(tree, |f, g| pairs.push([f, g]));
        }
        let mut cost = Cost::new(&report, clock.elapsed());
        cost.parts[0] += descent.elapsed().as_secs_f64();
        cost.pairs = pairs.len() as f64;
        Ok(cost)
    };
    let mut contenders = [
        Contender::new("descent", film.pairs::<9, 8>(settings, margin)).against(None),
        Contender::new("separation list", Box::new(listed)),
    ];
    let outcomes = contest(&mut contenders, plan.steps, plan.passes)?;
    table.rows(&contenders, &outcomes, |_| None);
    Ok(())
}
