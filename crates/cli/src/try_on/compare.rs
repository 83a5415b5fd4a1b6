//! What `--compare-sizes` and `--compare-fabrics` share: one garment put on several times, and pictures side by side.

use std::path::Path;

use miette::{IntoDiagnostic, Result};
use serde_json::{Value, json};
use toile_scene::Scene;
use toile_tailor::TryOnError;
use toile_tailor::fit::Fit;
use toile_view::{Image, encode};

use super::views::{Stage, side_by_side};
use super::{Tried, TryOnArgs, files, put_on, told, told_off, wish, words};
use crate::args::Global;
use crate::output;

/// A size or a fabric, and what became of it.
pub(super) struct Attempt {
    /// The size or the fabric.
    pub(super) label: String,
    /// The garment, or why it cannot be put on.
    pub(super) outcome: Result<Tried, String>,
}

impl Attempt {
    /// Puts a garment on and writes its folder; what cannot be sewn is no error here.
    pub(super) fn new((kind, label): (&str, &str), scene: &Scene, args: &TryOnArgs, global: &Global) -> Result<Self> {
        told(format!("{kind} {label}"), global);
        let outcome = match put_on(args, scene, global)? {
            Ok(mut tried) => {
                let tried = tried.remove(0);
                let folder = args.out().join(label);
                output::withdraw(args.out())?;
                output::withdraw(&folder)?;
                files::write_worn(&folder, std::slice::from_ref(&tried), &wish::still(scene))?;
                files::write(&folder, &tried)?;
                told(format!("  {}", words::heading(&tried)), global);
                Ok(tried)
            }
            Err(error @ (TryOnError::Open { .. } | TryOnError::Placed { .. })) => {
                told(format!("  cannot be put on: {error}"), global);
                Err(error.to_string())
            }
            Err(other) => return Err(told_off(other)),
        };
        Ok(Self { label: label.to_owned(), outcome })
    }

    pub(super) fn tried(&self) -> Option<&Tried> {
        self.outcome.as_ref().ok()
    }

    pub(super) fn fit(&self) -> Option<&Fit> {
        self.tried().map(|tried| &tried.fit)
    }

    /// Its report; `kind` is the key of its label.
    pub(super) fn json(&self, kind: &str, folder: &Path) -> Value {
        match &self.outcome {
            Ok(tried) => {
                let mut value = words::json(&folder.join(&self.label), tried);
                value[kind] = json!(self.label);
                value
            }
            Err(reason) => json!({ kind: self.label, "too_small": true, "reason": reason }),
        }
    }
}

/// A row of a table: its name, then a cell for each attempt.
pub(super) fn row(attempts: &[Attempt], name: &str, cell: &dyn Fn(&Attempt) -> String) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(attempts.iter().map(cell)).collect()
}

/// Those that were put on in a row, at one scale of lengths; `shoot` is told which is the last. Empty if there are none, or nothing is
/// drawn.
pub(super) fn picture(attempts: &[Attempt], shoot: &dyn Fn(&Stage, &Tried, &str, bool) -> Image) -> Result<Vec<u8>> {
    if attempts.iter().filter_map(Attempt::tried).any(|tried| !tried.is_drawn) {
        return Ok(Vec::new());
    }
    let worn: Vec<(&str, &Tried)> = attempts.iter().filter_map(|a| Some((a.label.as_str(), a.tried()?))).collect();
    let mut stages: Vec<Stage> = worn.iter().map(|(_, tried)| Stage::new(tried)).collect();
    let Some(largest) = stages.iter().map(Stage::frame).max_by(|a, b| a[1].total_cmp(&b[1])) else {
        return Ok(Vec::new());
    };
    for stage in &mut stages {
        stage.reframe(largest);
    }
    let views: Vec<Image> = (worn.iter().zip(&stages).enumerate())
        .map(|(k, ((label, tried), stage))| shoot(stage, tried, label, k + 1 == worn.len()))
        .collect();
    encode::png(&side_by_side(&views.iter().collect::<Vec<_>>())).into_diagnostic()
}
