use super::*;
use crate::draft::{Choices, Design, draft};
use crate::mesh::FlatMesh;
use toile_body::{Figure, Given, complete};

/// What a pattern is when it is sewn: parts, borders, Euler characteristic.
fn surface(pattern: &Pattern) -> (usize, usize, isize) {
    let sewn = FlatMesh::new(pattern, 0.02).unwrap().sewn();
    assert!(sewn.is_manifold(), "{}", pattern.name);
    (sewn.part_count, sewn.borders.len(), sewn.euler_characteristic())
}

#[test]
fn every_design_is_sewn_again_without_its_seams() {
    let body = complete(Figure::Female, &Given::NONE);
    for design in Design::ALL {
        let drafted = draft(*design, &body, &Choices::new()).unwrap();
        let mut bare = drafted.clone();
        bare.seams.clear();
        let proposed = sew(&bare).unwrap();
        let said: Vec<String> =
            proposed.proposals.iter().map(|p| format!("{} {:.2} ({})", p.seam.name, p.confidence, p.reason)).collect();
        if *design != Design::Cape {
            assert_eq!(
                surface(&proposed.pattern),
                surface(&drafted),
                "{}: {said:#?} {:?}",
                design.word(),
                proposed.notes
            );
        }
        assert!(proposed.proposals.iter().all(|p| !p.is_doubtful()), "{}: {said:#?}", design.word());
        // The same edges meet: every pair of edges that a stated seam joins is joined by a proposed one.
        let pairs = |pattern: &Pattern| {
            let mesh = FlatMesh::new(pattern, 0.02).unwrap();
            mesh.seams.iter().map(|seam| seam.stitches.len()).sum::<usize>()
        };
        let (stated, found) = (pairs(&drafted) as f64, pairs(&proposed.pattern) as f64);
        if stated > 0.0 && *design != Design::Cape {
            assert!((found / stated - 1.0).abs() < 0.15, "{}: {stated} {found}", design.word());
        }
    }
}
