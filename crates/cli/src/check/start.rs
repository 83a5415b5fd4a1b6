//! `toile check SCENE`: does anything intersect before the simulation begins?
//!
//! With `contact.untangle = true` the repair is tried as a run would, and its result is what counts and what is drawn.

use std::path::Path;
use std::process::ExitCode;

use miette::{IntoDiagnostic, Result, miette};
use serde_json::{Value, json};
use toile::{StartFindings, StartRepair, World, WorldError};
use toile_files::atomic::write_atomic;
use toile_scene::{BuildError, Scene};
use toile_view::{Quality, encode};

use super::counted;
use crate::args::{CheckArgs, Global};
use crate::picture::{self, Shot};
use crate::{exit_code, say};

/// Elements listed in the text; the JSON has them all.
const LISTED: usize = 20;

/// Whether a file is a scene, by its name.
pub(super) fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
}

/// The start of a scene, looked at.
struct Outcome {
    scene: Scene,
    world: World,
    /// What intersects in the scene as given.
    findings: StartFindings,
    /// The repair, or why there is none; `None` if none was asked for.
    repair: Option<Result<StartRepair, String>>,
}

pub(super) fn check(args: &CheckArgs, global: &Global) -> Result<ExitCode> {
    if args.against.is_some() || args.repair.is_some() {
        let help = "leave out --against and --repair; set `untangle = true` in [contact] to part what intersects";
        return Err(miette!(help = help, "{}: a scene is checked as a whole", args.mesh.display()));
    }
    let outcome = Outcome::of(&args.mesh)?;
    if let Some(target) = &args.picture {
        outcome.draw(target)?;
    }
    if global.json {
        say(outcome.json(&args.mesh));
    } else if !global.quiet {
        say(outcome.text(&args.mesh));
    }
    Ok(exit_code(outcome.is_good()))
}

impl Outcome {
    fn of(path: &Path) -> Result<Self> {
        let scene = Scene::load(path)?;
        let failed = |e: &BuildError| miette!("{}: {e}", path.display());
        let world = scene.build_as_given().map(|built| built.world).map_err(|e| failed(&e))?;
        let findings = world.findings();
        if findings.is_clean() || !scene.contact.untangle {
            return Ok(Self { scene, world, findings, repair: None });
        }
        Ok(match scene.world() {
            Ok(repaired) => {
                let repair = repaired.repair().map(Ok);
                Self { scene, world: repaired, findings, repair }
            }
            Err(BuildError::World(WorldError::Tangled { reason, .. })) => {
                Self { scene, world, findings, repair: Some(Err(reason)) }
            }
            Err(e) => return Err(failed(&e)),
        })
    }

    fn is_good(&self) -> bool {
        self.findings.is_clean() || matches!(self.repair, Some(Ok(_)))
    }

    fn text(&self, path: &Path) -> String {
        let findings = &self.findings;
        let mut lines = vec![match findings.count() {
            0 if findings.unjudged > 0 => format!("{}: {} not finite", path.display(), findings.unjudged),
            0 => format!("{}: nothing intersects at the start", path.display()),
            _ => format!(
                "{}: {} of triangles intersect at the start, {} inside obstacles",
                path.display(),
                counted(findings.pairs.len(), "pair"),
                counted(findings.inside.len(), "vertex")
            ),
        }];
        lines.extend(findings.pairs.iter().take(LISTED).map(|pair| format!("  {pair}")));
        lines.extend(findings.inside.iter().take(LISTED).map(|inside| format!("  {inside}")));
        let listed = findings.pairs.len().min(LISTED) + findings.inside.len().min(LISTED);
        if findings.count() > listed {
            lines.push(format!("  and {} more", findings.count() - listed));
        }
        match &self.repair {
            None if findings.count() > 0 => {
                lines.push("move or turn what intersects, or set `untangle = true` in [contact]".into());
            }
            None => {}
            Some(Ok(repair)) => lines.push(sentence(repair)),
            Some(Err(reason)) => lines.push(format!("cannot be untangled: {reason}")),
        }
        lines.join("\n")
    }

    fn json(&self, path: &Path) -> Value {
        let element = |e: &toile::StartElement| {
            let kind = if e.is_cloth { "cloth" } else { "obstacle" };
            json!({ kind: e.name, "number": e.number })
        };
        let pair =
            |p: &toile::StartPair| json!({ "a": element(&p.a), "b": element(&p.b), "place": p.place.to_array() });
        let inside = |i: &toile::StartInside| {
            let vertex = element(&i.vertex);
            json!({ "vertex": vertex, "obstacle": i.obstacle, "held": i.held, "place": i.place.to_array() })
        };
        json!({
            "good": self.is_good(),
            "scene": path.display().to_string(),
            "pairs": self.findings.pairs.iter().map(pair).collect::<Vec<_>>(),
            "inside": self.findings.inside.iter().map(inside).collect::<Vec<_>>(),
            "unjudged": self.findings.unjudged,
            "untangled": match &self.repair { Some(Ok(repair)) => repair_json(repair), _ => Value::Null },
        })
    }

    /// Draws the start, red where it intersects.
    fn draw(&self, target: &Path) -> Result<()> {
        if !target.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
            return Err(miette!(help = "give a name that ends in .png", "{}: not a picture", target.display()));
        }
        let size = self.scene.output.picture;
        let positions = &self.world.state().x;
        let repaired = matches!(self.repair, Some(Ok(_)));
        let shot = Shot {
            scene: &self.scene,
            world: &self.world,
            positions,
            time: 0.0,
            strain: None,
            marked: if repaired { &[] } else { &self.findings.triangles },
            caption: self.scene.name.clone(),
            quality: Quality::Good,
        };
        let bounds = picture::bounds(&self.scene, &self.world, positions, 0.0);
        let camera = picture::camera(&self.scene, bounds, size);
        write_atomic(target, &encode::png(&shot.render(&camera, size)).into_diagnostic()?).into_diagnostic()
    }
}

/// How a start was untangled, in one line.
pub(crate) fn sentence(repair: &StartRepair) -> String {
    format!(
        "start untangled in {}: vertices moved up to {:.1} mm, edges stretched up to {:.1} %",
        counted(repair.rounds, "round"),
        1e3 * repair.largest_move,
        100.0 * (repair.largest_stretch - 1.0)
    )
}

/// The same for programs.
fn repair_json(repair: &StartRepair) -> Value {
    json!({
        "found": repair.found,
        "rounds": repair.rounds,
        "largest_move": repair.largest_move,
        "largest_stretch": repair.largest_stretch,
    })
}
