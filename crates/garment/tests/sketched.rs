//! Drawings of other programs become garments without a question: parts from names, texts and shapes, seams by proposals.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "sketched/mod.rs"]
mod files;

use files::sketched;
use toile_body::Figure;
use toile_garment::draft::{Choices, Design, Size, draft};
use toile_garment::mesh::FlatMesh;
use toile_garment::propose::{Proposal, sew};
use toile_garment::wear::{WearOptions, wear_bytes};

#[test]
fn every_drawing_is_understood_and_sewn() {
    let mut failed = Vec::new();
    for file in sketched() {
        let worn = wear_bytes(&file.name, file.text.as_bytes(), &WearOptions::default()).unwrap().unwrap();
        let sewn = FlatMesh::new(&worn.pattern, 0.03).unwrap().sewn();
        if worn.doubt().is_some() || !sewn.is_manifold() || (sewn.part_count, sewn.borders.len()) != (1, file.borders) {
            let seams: Vec<String> =
                worn.proposals.iter().map(|p| format!("{} {:.2}: {}", p.seam.name, p.confidence, p.reason)).collect();
            failed.push(format!(
                "{}: {} parts, {} borders, {:?}\n{:#?}\n{seams:#?}",
                file.name,
                sewn.part_count,
                sewn.borders.len(),
                worn.doubt(),
                worn.notes
            ));
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), sketched().len(), failed.join("\n"));
}

/// Half a garment has seams that are certain one by one, and borders that no garment has: a person is asked, and nothing is worn.
#[test]
fn a_piece_whose_partner_is_missing_is_asked_about() {
    let mut trousers = draft(Design::Trousers, &Size::M.measurements(Figure::Female), &Choices::new()).unwrap();
    trousers.panels.retain(|panel| panel.name == "front");
    trousers.seams.clear();
    let sewn = sew(&trousers).unwrap();
    assert!(!sewn.proposals.is_empty());
    assert!(sewn.proposals.iter().all(Proposal::is_doubtful), "{:#?}", sewn.proposals);
    assert!(sewn.notes.iter().any(|note| note.contains("waist and two hems")), "{:?}", sewn.notes);
}
