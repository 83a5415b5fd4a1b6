//! `toile bench drape`: whole scenes, with their quality beside their time.
//!
//! - **s1**: a cloth of 1 m × 1 m and 0.2 kg/m² falls onto a ball of radius 0.25 m; 2 s.
//! - **s2**: the same, and the ball turns once a second after 1 s; 3 s.
//! - **s3**: a ribbon of 0.1 m × 2 m falls end first onto a floor and piles up; 3 s.
//!
//! Friction is 0.3, the thickness 3 mm, cloth collides with itself, and 60 frames make a second. Time is CPU time of the
//! process while it steps, per simulated second; the judge does not count. Aims are in [`scenes`]. One row per case, as
//! soon as it is known, and a last one with what the cases say about growth with size.

mod measure;
mod scenes;
mod table;

use clap::Args;
use miette::Result;
use serde_json::Value;

use super::args::BenchArgs;
use crate::Program;
use scenes::{Case, ClothKind, DEFAULT_CASES, DrapeScene};

/// Options of `toile bench drape`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct DrapeArgs {
    /// drape: this scene only
    #[arg(long, value_enum, value_name = "SCENE")]
    scene: Option<DrapeScene>,
    /// drape: what cloth is [default: constraint, and one scene with fem]
    #[arg(long, value_enum, value_name = "MODEL")]
    model: Option<ClothKind>,
    /// drape: simulate only the beginning [s]
    #[arg(long, value_name = "T", value_parser = parse_seconds)]
    seconds: Option<f64>,
    /// drape: let the judge look at every K-th frame; 0 is never
    #[arg(long, value_name = "K", default_value_t = 1)]
    judge_every: u32,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("\"{text}\" is not a number"))?;
    if seconds > 0.0 && seconds.is_finite() { Ok(seconds) } else { Err("it must be above 0".into()) }
}

pub(super) fn drape(args: &BenchArgs, program: &dyn Program) -> Result<Vec<Value>> {
    let options = program.options();
    let print = |text: &str| {
        if !options.quiet || options.json {
            program.say(&text);
        }
    };
    if !options.json {
        print(&table::head());
    }
    let mut lines = Vec::new();
    for case in cases(&args.sizes, &args.drape) {
        let line = measure::measure(case, args.drape.seconds, args.drape.judge_every)?;
        let text = if options.json { line.to_string() } else { table::row(&line) };
        print(&text);
        lines.push(line);
    }
    let ratios = table::ratios(&lines);
    let text = if options.json { ratios.to_string() } else { table::last_words(&ratios) };
    print(&text);
    lines.push(ratios);
    Ok(lines)
}

/// What to measure: the usual cases, or all that fit what was asked for.
fn cases(sizes: &[u32], args: &DrapeArgs) -> Vec<Case> {
    if sizes.is_empty() && args.scene.is_none() && args.model.is_none() {
        return DEFAULT_CASES.to_vec();
    }
    let model = args.model.unwrap_or(ClothKind::Constraint);
    let scenes = match args.scene {
        Some(scene) => vec![scene],
        // A size means something else for a ribbon.
        None if !sizes.is_empty() => vec![DrapeScene::S1],
        None => DrapeScene::ALL.to_vec(),
    };
    let mut cases = Vec::new();
    for scene in scenes {
        let sizes = if sizes.is_empty() { scene.usual_sizes() } else { sizes };
        cases.extend(sizes.iter().map(|&size| Case { scene, size, model }));
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_choose_the_cases() {
        let names = |sizes: &[u32], scene, model| {
            let args = DrapeArgs { scene, model, ..DrapeArgs::default() };
            cases(sizes, &args).into_iter().map(Case::name).collect::<Vec<_>>().join(", ")
        };
        let usual = "s1 64² constraint, s1 128² constraint, s1 64² fem, s2 64² constraint, s3 8×160 constraint";
        assert_eq!(names(&[], None, None), usual);
        assert_eq!(names(&[64, 256], None, None), "s1 64² constraint, s1 256² constraint");
        assert_eq!(names(&[], Some(DrapeScene::S3), Some(ClothKind::Fem)), "s3 8×160 fem");
        assert_eq!(names(&[], None, Some(ClothKind::Fem)), "s1 64² fem, s1 128² fem, s2 64² fem, s3 8×160 fem");
    }

    #[test]
    fn seconds_must_be_a_length_of_time() {
        assert_eq!(parse_seconds("0.5"), Ok(0.5));
        assert!(["0", "-1", "inf", "nan", "long"].iter().all(|text| parse_seconds(text).is_err()));
    }
}
