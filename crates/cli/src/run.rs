//! `toile run` and `toile demo`: simulate, judge, draw, report.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::Value;
use toile_files::atomic::write_atomic;
use toile_files::obj::ObjSequence;
use toile_mesh::TriMesh;
use toile_scene::{Animation, LoggedFrame, Run, RunReader, Scene};
use toile_tailor::{Progress, Stage};
use toile_view::page::Media;
use toile_view::{Quality, encode};
use tracing::info_span;

use crate::args::{DemoArgs, Global, OutputArgs, RunArgs};
use crate::check::sentence;
use crate::demos::{self, DEMOS};
use crate::film::Film;
use crate::overlap::{self, Overlap};
use crate::report_page::{self, Pictures};
use crate::results::{self, Recorded};
use crate::summary::{self, Judgement};
use crate::{exit_code, load_scene, output, say};

/// Frames of an animation at most; longer runs skip some.
const MOST_ANIMATION_FRAMES: usize = 150;
/// Plain progress lines, where there is no terminal: one every so many percent.
const PLAIN_PROGRESS_PERCENT: u32 = 10;

pub(crate) fn demo(args: &DemoArgs, global: &Global) -> Result<ExitCode> {
    if args.list {
        for demo in DEMOS {
            say(format!("{:14} {}", demo.name, demo.scene()?.description));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let demo = match &args.name {
        None => &DEMOS[0],
        Some(name) => demos::find(name)?,
    };
    start(demo.scene()?, &args.output, global)
}

pub(crate) fn run(args: &RunArgs, global: &Global) -> Result<ExitCode> {
    match (&args.resume, &args.scene) {
        (Some(folder), _) => finish(Run::resume(folder)?, args.output.no_pictures, global),
        (None, Some(scene)) => start(load_scene(scene, global.quiet)?, &args.output, global),
        (None, None) => miette::bail!("name a scene file, or a run with --resume"),
    }
}

fn start(mut scene: Scene, output: &OutputArgs, global: &Global) -> Result<ExitCode> {
    if let Some(every) = output.checkpoint_every {
        scene.output.checkpoint_every = every;
    }
    scene.output.usda |= output.usda;
    let folder = output::folder(output.out.as_deref(), Path::new("runs").join(&scene.name), global)?;
    let spinner = global.bar(None);
    let run = Run::dressing(&scene, &folder, &mut |progress| tell_dressing(&spinner, progress));
    spinner.finish_and_clear();
    let run = run?;
    if let Some(repair) = run.world().repair().filter(|_| !global.quiet && !global.json) {
        say(sentence(&repair));
    }
    finish(run, output.no_pictures, global)
}

pub(crate) fn tell_dressing(spinner: &ProgressBar, progress: &Progress<'_>) -> ControlFlow<()> {
    let what = match progress.stage {
        Stage::Sewing => "sewing: longest stitch",
        Stage::Draping => "draping: way in a quarter of a second",
        Stage::Untangling => {
            spinner.set_message("untangling");
            spinner.tick();
            return ControlFlow::Continue(());
        }
    };
    spinner.set_message(format!("{what} {:.1} mm, {:.2} s", 1e3 * progress.left, progress.time));
    spinner.tick();
    ControlFlow::Continue(())
}

/// Simulates what is left, then writes results, pictures and reports.
pub(crate) fn finish(mut run: Run, no_pictures: bool, global: &Global) -> Result<ExitCode> {
    Ok(exit_code(finish_clean(&mut run, no_pictures, global)?))
}

/// The same; returns whether no frame has intersections.
pub(crate) fn finish_clean(run: &mut Run, no_pictures: bool, global: &Global) -> Result<bool> {
    simulate(run, global)?;
    let overlaps = overlap::find(run);
    let summary = publish(run, &overlaps, no_pictures)?;
    if global.json {
        say(&summary);
    } else if !global.quiet {
        conclude(run, &overlaps);
    }
    Ok(Judgement::of(run.log()).is_clean())
}

/// Writes results, pictures and reports of what a run has recorded; returns what is in `report.json`.
pub(crate) fn publish(run: &Run, overlaps: &[Overlap], no_pictures: bool) -> Result<Value> {
    export(run).wrap_err("the simulation is complete, but its results could not be written")?;
    let pictures = if no_pictures { Pictures::default() } else { draw(run)? };
    let threads = rayon::current_num_threads();
    write(run, "report.html", report_page::html(run, &pictures, overlaps, threads).as_bytes())?;
    // Last, so that its presence means that all the rest is there.
    let mut summary = summary::json(run, threads);
    summary["body_overlaps"] = overlap::json(overlaps);
    write(run, "report.json", &serde_json::to_vec_pretty(&summary).into_diagnostic()?)?;
    Ok(summary)
}

/// The closing lines: what happened and where to look.
fn conclude(run: &Run, overlaps: &[Overlap]) {
    let log = run.log();
    let speed = run.world().time() / summary::seconds(log);
    say(format!(
        "{}: {} particles, {} frames, {speed:.1} × real time, {}",
        run.scene().name,
        run.world().model().particle_count(),
        log.len(),
        summary::Stretch::of(log).phrase()
    ));
    say(format!("judge:   {}", Judgement::of(log).sentence()));
    if let Some(words) = summary::Contacts::of(log).over_constrained() {
        say(format!("contact: {words}"));
    }
    for line in overlap::lines(overlaps) {
        say(format!("body:    {line}"));
    }
    for (label, file) in [("picture:", "preview.png"), ("report: ", "report.html")] {
        let path = run.folder().join(file);
        if path.is_file() {
            say(format!("{label} {}", path.display()));
        }
    }
    if let Some(words) = Judgement::of(log).not_clean() {
        say(words);
    }
}

fn simulate(run: &mut Run, global: &Global) -> Result<()> {
    let frames = run.scene().time.frames();
    let quiet = global.quiet || global.json;
    let bar = global.bar(Some(u64::from(frames)));
    let style = ProgressStyle::with_template("{prefix} [{bar:30}] {msg}, {eta} left").into_diagnostic()?;
    bar.set_style(style.progress_chars("█▌ "));
    bar.set_prefix(run.scene().name.clone());
    let start = (Instant::now(), run.world().time());
    let first = run.world().frame();
    let mut told = 0;
    while !run.is_complete() {
        let frame = run.advance()?;
        let line = progress_line(frame, (frame.report.time - start.1) / start.0.elapsed().as_secs_f64());
        let percent = 100 * frame.report.frame / frames;
        if bar.is_hidden() && !quiet && percent >= told + PLAIN_PROGRESS_PERCENT {
            told = percent - percent % PLAIN_PROGRESS_PERCENT;
            let left = start.0.elapsed().as_secs_f64() * f64::from(frames - frame.report.frame)
                / f64::from((frame.report.frame - first).max(1));
            say(format!("{percent:3} %  {line}, {left:.0} s left"));
        }
        bar.set_position(u64::from(run.world().frame()));
        bar.set_message(line);
    }
    bar.finish_and_clear();
    Ok(())
}

fn progress_line(frame: &LoggedFrame, speed: f64) -> String {
    let report = &frame.report;
    let contacts = report.obstacle_contacts + report.near_pairs;
    let bad = frame.verdict.as_ref().filter(|v| !v.is_clean()).map(|v| format!(", {} INTERSECTIONS", v.total()));
    format!("{:.2} s simulated, {speed:.1} × real time, {contacts} contacts{}", report.time, bad.unwrap_or_default())
}

fn write(run: &Run, file: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = run.folder().join(file);
    write_atomic(&path, bytes).into_diagnostic()?;
    Ok(path)
}

/// Writes the motion in the formats the scene asks for.
fn export(run: &Run) -> Result<()> {
    let _span = info_span!("export").entered();
    let output = &run.scene().output;
    let path = |name: &str| run.folder().join(name);
    if output.obj {
        let base = TriMesh { positions: run.positions(0)?, triangles: run.world().recorded().triangles().to_vec() };
        let mut sequence = ObjSequence::create(&path("obj"), &base).into_diagnostic()?;
        for k in 0..run.log().len() {
            sequence.push(&run.positions(k)?).into_diagnostic()?;
        }
    }
    if !(output.pc2 || output.glb || output.usda) {
        return Ok(());
    }
    let recorded = Recorded::new(run)?;
    if output.pc2 {
        results::write_obj(&recorded, &path("result.obj"))?;
        results::write_pc2(&recorded, &path("pc2"))?;
    }
    if output.glb {
        results::write_glb(&recorded, &path("result.glb"))?;
    }
    if output.usda {
        results::write_usda(&recorded, &path("result.usda"))?;
    }
    Ok(())
}

/// Draws the last frame and the animation; writes both and returns their bytes for the report.
fn draw(run: &Run) -> Result<Pictures> {
    let _span = info_span!("draw").entered();
    let output = &run.scene().output;
    let film = Film::new(RunReader::open(run.folder())?);
    let last = film.run().frame_count() - 1;
    let preview = encode::png(&film.still(last, output.picture, Quality::Good)?).into_diagnostic()?;
    write(run, "preview.png", &preview)?;
    let mut pictures = Pictures { preview: Some(preview), animation: None };
    let (media, file) = match output.animation {
        Animation::None => return Ok(pictures),
        Animation::Gif => (Media::Gif, "preview.gif"),
        Animation::Apng => (Media::Png, "preview.apng"),
    };
    let step = film.run().frame_count().div_ceil(MOST_ANIMATION_FRAMES);
    let bytes = film.animation(media, output.animation_size, step)?;
    write(run, file, &bytes)?;
    pictures.animation = Some((media, bytes));
    Ok(pictures)
}
