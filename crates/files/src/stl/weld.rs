//! One vertex per position: what STL leaves out.

use toile_mesh::{DVec3, TriMesh, VertexId};

/// A mesh from three corners per triangle: equal positions become one vertex, numbered in order of appearance.
///
/// Equality is found by sorting, not by hashing: memory is known beforehand (12 bytes per corner beside the result)
/// and the order follows from the input alone. `corners.len()` is a multiple of three and at most `u32::MAX`.
pub(super) fn weld(mut corners: Vec<DVec3>) -> TriMesh {
    // Adding zero turns −0 into +0 and leaves all other numbers alone.
    let key = |corners: &[DVec3], c: u32| corners[c as usize].to_array().map(|x| (x + 0.0).to_bits());
    let mut sorted: Vec<u32> = (0..corners.len() as u32).collect();
    sorted.sort_unstable_by_key(|&c| (key(&corners, c), c));
    // First corner with the same position; afterwards, the vertex number.
    let mut vertex_of: Vec<u32> = vec![0; corners.len()];
    for group in sorted.chunk_by(|&a, &b| key(&corners, a) == key(&corners, b)) {
        for &c in group {
            vertex_of[c as usize] = group[0];
        }
    }
    drop(sorted);
    let mut count = 0;
    for c in 0..corners.len() {
        let first = vertex_of[c] as usize;
        if first == c {
            corners[count as usize] = corners[c];
            vertex_of[c] = count;
            count += 1;
        } else {
            vertex_of[c] = vertex_of[first];
        }
    }
    corners.truncate(count as usize);
    corners.shrink_to_fit();
    let triangles = vertex_of.as_chunks::<3>().0.iter().map(|t| t.map(VertexId)).collect();
    TriMesh { positions: corners, triangles }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn signed_zeros_meet_and_neighbouring_numbers_do_not() {
        let near = DVec3::new(0.0, 0.0, f64::MIN_POSITIVE);
        let mesh = weld(vec![DVec3::ZERO, near, DVec3::X, DVec3::X, near, -DVec3::ZERO]);
        assert_eq!(mesh, TriMesh::from_indices(vec![DVec3::ZERO, near, DVec3::X], &[[0, 1, 2], [2, 1, 0]]));
    }

    proptest! {
        #[test]
        fn agrees_with_numbering_by_a_map(grid in prop::collection::vec([0..3_i8, 0..3_i8, 0..3_i8], 0..60)) {
            let corners: Vec<DVec3> = grid.iter().map(|p| p.map(f64::from).into()).collect();
            let corners = &corners[..corners.len() / 3 * 3];
            let mut numbers = BTreeMap::new();
            let ids: Vec<u32> = grid[..corners.len()].iter().map(|p| {
                let next = numbers.len() as u32;
                *numbers.entry(*p).or_insert(next)
            }).collect();
            let mesh = weld(corners.to_vec());
            prop_assert_eq!(mesh.vertex_count(), numbers.len());
            let welded: Vec<u32> = mesh.triangles.iter().flatten().map(|v| v.0).collect();
            prop_assert_eq!(&welded, &ids);
            for (c, &v) in corners.iter().zip(&ids) {
                prop_assert_eq!(mesh.positions[v as usize], *c);
            }
        }
    }
}
