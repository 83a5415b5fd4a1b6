//! Garments that are drawn (DXF, SVG, `FreeSewing`): what was understood is told, and doubtful seams are decided before anything is simulated.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use miette::{Result, miette};
use toile_files::atomic::write_atomic;
use toile_garment::draft::Design;
use toile_garment::wear::{SeamSource, WearOptions, Wearable, side_file, wear};

use super::{TryOnArgs, told};
use crate::args::Global;
use crate::pattern::told as refused;

/// Reads the drawn patterns among the garments in a size, tells what was assumed, and lets a person decide about doubtful seams: at a terminal
/// by questions, otherwise in a side file.
pub(super) fn prepare(args: &TryOnArgs, size: Option<&str>, global: &Global) -> Result<()> {
    for garment in args.garment.iter().filter(|garment| Design::find(garment).is_none()) {
        let path = Path::new(garment);
        let size = size.map(|size| size.trim().to_owned()).filter(|size| !size.is_empty());
        let Some(worn) = wear(path, &WearOptions::of_size(size)).map_err(refused)? else { continue };
        let doubt = worn.doubt();
        let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !global.quiet && !global.json;
        if doubt.is_none() || asks {
            tell(garment, &worn, global);
        }
        if let Some(doubt) = doubt {
            decide(path, &worn, &doubt, asks, global)?;
        }
    }
    Ok(())
}

fn tell(garment: &str, worn: &Wearable, global: &Global) {
    let size = if worn.size.is_empty() { String::new() } else { format!("size {}, ", worn.size) };
    let unit = worn.unit.map_or(String::new(), |unit| format!(" in {}", unit.word()));
    let seams = match worn.source {
        SeamSource::Stated => "seams as the file states them",
        SeamSource::SideFile => "seams of its side file",
        SeamSource::Proposed => "seams proposed",
    };
    let (pieces, count) = (worn.pieces, worn.pattern.seams.len());
    told(format!("{garment}: {size}{pieces} pieces{unit}, {count} {seams}"), global);
    for repair in &worn.repairs {
        told(format!("  {repair}"), global);
    }
    for note in &worn.notes {
        told(format!("  {note}"), global);
    }
}

/// Asks for each doubtful seam at a terminal; writes the side file either way.
fn decide(path: &Path, worn: &Wearable, doubt: &str, asks: bool, global: &Global) -> Result<()> {
    let beside = side_file(path);
    let mut refused = Vec::new();
    for proposal in worn.doubtful() {
        let edges = |chain: &[toile_garment::EdgeRef]| {
            chain.iter().map(|edge| worn.pattern.edge_name(*edge)).collect::<Vec<_>>().join(" ")
        };
        let seam = &proposal.seam;
        let (a, b) = (edges(&seam.a), edges(&seam.b));
        if !(asks && says_yes(&format!("sew {a} to {b} ({}, confidence {:.2})?", proposal.reason, proposal.confidence)))
        {
            refused.push(seam.name.clone());
        }
    }
    write_atomic(&beside, worn.side_file_text(&refused).as_bytes()).map_err(|e| miette!("{e}"))?;
    // Questions cannot find seams for loose pieces.
    if asks && worn.loose.is_empty() {
        told(format!("  your seams were written to {}", beside.display()), global);
        return Ok(());
    }
    let help = format!(
        "the proposals were written to {}: remove the # of those that are meant, correct the others, and try again",
        beside.display()
    );
    Err(miette!(help = help, "{}: {doubt}", path.display()))
}

/// Whether a person at the terminal says yes; anything else is no.
fn says_yes(question: &str) -> bool {
    let mut err = std::io::stderr();
    if write!(err, "{question} [y/N] ").and_then(|()| err.flush()).is_err() {
        return false;
    }
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
