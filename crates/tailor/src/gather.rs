//! Gathering: the longer side of a seam is allowed to shrink to the shorter one.
//!
//! Both sides of a seam have the same vertices. Where one side is longer, as a sleeve is above its cuff, its edges between two stitches must
//! become as short as those of the other side, which cloth that resists all compression does not let them. So the smallest length of
//! an edge along a seam becomes that of its counterpart, and that of a bending constraint which ends at such an edge shrinks in the same ratio.

use std::collections::BTreeMap;

use toile_cloth::ClothModel;
use toile_garment::mesh::FlatMesh;

/// Ratio of two sides above which nothing is gathered.
const FLAT: f64 = 0.995;

/// Lets edges along seams shrink to the length of what they are sewn to. The vertices of the panels are numbered from `first`.
pub(crate) fn gather(mesh: &FlatMesh, first: u32, model: &mut ClothModel) {
    let key = |a: u32, b: u32| [a.min(b), a.max(b)];
    let edges = model.structural.iter().enumerate().map(|(i, edge)| (key(edge.ends[0], edge.ends[1]), i));
    let edges: BTreeMap<[u32; 2], usize> = edges.collect();
    let mut shrinking = vec![1.0_f64; model.particle_count()];
    for pair in mesh.seams.iter().flat_map(|seam| seam.stitches.windows(2)) {
        let sides = [0, 1].map(|side| edges.get(&key(first + pair[0][side], first + pair[1][side])).copied());
        let [Some(a), Some(b)] = sides else { continue };
        let (long, short) = if model.structural[a].rest > model.structural[b].rest { (a, b) } else { (b, a) };
        let ratio = model.structural[short].rest / model.structural[long].rest;
        if ratio < FLAT {
            let edge = &mut model.structural[long];
            edge.min = edge.min.min(ratio * edge.rest);
            for v in edge.ends {
                shrinking[v as usize] = shrinking[v as usize].min(ratio);
            }
        }
    }
    for bend in &mut model.bending {
        bend.min *= shrinking[bend.ends[0] as usize].min(shrinking[bend.ends[1] as usize]);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::sewing::laid_out;
    use toile_body::{Figure, Given, complete};
    use toile_cloth::ConstraintFabric;
    use toile_garment::draft::{Choices, Design, draft};

    #[test]
    fn both_sides_of_a_gathered_cuff_can_be_equally_long() {
        let body = complete(Figure::Female, &Given::NONE);
        let mesh = FlatMesh::new(&draft(Design::Shirt, &body, &Choices::new()).unwrap(), 0.03).unwrap();
        let mut model = ClothModel::default();
        model.add(&laid_out(&mesh), &ConstraintFabric::default());
        let before = model.structural.clone();
        gather(&mesh, 0, &mut model);
        let at = |v: u32| model.rest[v as usize];
        let mut sewn = Vec::new();
        for seam in &mesh.seams {
            for pair in seam.stitches.windows(2) {
                let lengths = [0, 1].map(|side| at(pair[0][side]).distance(at(pair[1][side])));
                for side in [0, 1] {
                    let ends = [pair[0][side], pair[1][side]];
                    let found = model.structural.iter().find(|e| e.ends == ends || e.ends == [ends[1], ends[0]]);
                    let Some(edge) = found else { continue };
                    sewn.push(edge.ends);
                    assert!(edge.min <= lengths[0].min(lengths[1]) / FLAT, "{}", seam.name);
                }
            }
        }
        let mut gathered = 0;
        for (edge, first) in model.structural.iter().zip(&before) {
            assert!(edge == first || sewn.contains(&edge.ends), "only edges along seams change");
            gathered += usize::from(edge.min < 0.9 * first.min);
        }
        assert!(gathered >= 10, "two cuffs are gathered: {gathered}");
    }
}
