//! Search for overlapping boxes: a grid of cubic cells for every size of box.
//!
//! A box belongs to the level whose cells, of side `2ᵉ` [m], are the smallest not smaller than the box, so it
//! covers at most 2 × 2 × 2 cells of its level and of every coarser one. It is looked up in its own and the
//! coarser levels. One giant among many tiny triangles, or parts scattered over kilometres, therefore cost
//! neither memory nor time: only cells in use are stored, in a table addressed by a hash of the cell.
//!
//! Teschner et al. 2003, "Optimized Spatial Hashing for Collision Detection of Deformable Objects", with levels.

use rayon::prelude::*;

use crate::{Aabb, DVec3};

/// Boxes searched by one task; fixed, so that the work is cut alike on any number of threads.
const CHUNK: usize = 1024;

/// Smallest cell relative to the coordinates in it, 2⁻⁶⁰: keeps cell numbers below 2⁶¹ for boxes that are points.
const MIN_RELATIVE_CELL: f64 = 1.0 / (1_u64 << 60) as f64;

/// Exponent of the smallest cell at all, short of where `2⁻ᵉ` overflows.
const MIN_EXPONENT: f64 = -1000.0;

/// Results of `test` for every pair `i ≠ j` of overlapping boxes that `is_wanted`, in unspecified but fixed order. A pair is tested
/// in either order of its members, and rarely twice.
pub(super) fn overlapping_pairs<T: Send + Clone>(
    boxes: &[Aabb],
    is_wanted: impl Fn(usize, usize) -> bool + Sync,
    test: impl Fn(usize, usize) -> Option<T> + Sync,
) -> Vec<T> {
    let (levels, level_of) = sort_into_levels(boxes);
    let search = |(chunk, own): (usize, &[Aabb])| {
        let mut found = Vec::new();
        for (offset, bounds) in own.iter().enumerate() {
            let i = chunk * CHUNK + offset;
            for level in &levels[level_of[i]..] {
                level.visit(bounds, |cell, j| {
                    // Within a level a pair is met from both sides; between levels only from the finer box.
                    let is_turn = level_of[j] != level_of[i] || i < j;
                    let is_asked = is_turn && is_wanted(i, j);
                    if is_asked && boxes[j].overlaps(bounds) && level.cell_of(bounds.min.max(boxes[j].min)) == cell {
                        found.extend(test(i, j));
                    }
                });
            }
        }
        found
    };
    boxes.par_chunks(CHUNK).enumerate().map(search).collect::<Vec<_>>().concat()
}

/// The levels from fine to coarse, and the level of every box.
fn sort_into_levels(boxes: &[Aabb]) -> (Vec<Level>, Vec<usize>) {
    let exponents: Vec<_> = boxes.iter().map(level_exponent).collect();
    let mut used = exponents.clone();
    used.sort_unstable();
    used.dedup();
    let level_of: Vec<_> = exponents.iter().map(|e| used.partition_point(|u| u < e)).collect();
    let mut members = vec![Vec::new(); used.len()];
    for (i, &level) in level_of.iter().enumerate() {
        members[level].push(i as u32);
    }
    let levels = used.iter().zip(members).map(|(&e, members)| Level::new(e, boxes, &members)).collect();
    (levels, level_of)
}

/// `e` of the finest level whose cells, of side `2ᵉ`, are not smaller than the box.
fn level_exponent(bounds: &Aabb) -> i32 {
    let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let side = bounds.size().max_element().max(MIN_RELATIVE_CELL * farthest);
    side.log2().ceil().max(MIN_EXPONENT) as i32
}

type Cell = [i64; 3];

/// The largest whole number not above `x`, as far as there is one; rounding towards zero is one instruction on every processor.
#[inline]
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole.saturating_sub(i64::from(whole as f64 > x))
}

/// A hashed grid: the members of bucket `k` are `members[start[k]..start[k + 1]]`.
struct Level {
    cells_per_metre: f64,
    start: Vec<u32>,
    members: Vec<u32>,
}

impl Level {
    fn new(exponent: i32, boxes: &[Aabb], members: &[u32]) -> Self {
        let buckets = (2 * members.len()).next_power_of_two();
        let mut level =
            Self { cells_per_metre: f64::from(-exponent).exp2(), start: vec![0; buckets + 1], members: Vec::new() };
        let mut entries = Vec::with_capacity(2 * members.len());
        for &i in members {
            level.for_each_cell(&boxes[i as usize], |cell| entries.push((level.bucket(cell), i)));
        }
        for &(bucket, _) in &entries {
            level.start[bucket + 1] += 1;
        }
        for k in 0..buckets {
            level.start[k + 1] += level.start[k];
        }
        let mut next = level.start.clone();
        level.members = vec![0; entries.len()];
        for (bucket, i) in entries {
            level.members[next[bucket] as usize] = i;
            next[bucket] += 1;
        }
        level
    }

    /// The cell of a point. Scaling by a power of two is exact and the conversion to integers saturates, so the
    /// order of coordinates is kept, which is all that correctness needs.
    fn cell_of(&self, p: DVec3) -> Cell {
        (p * self.cells_per_metre).to_array().map(floor)
    }

    fn for_each_cell(&self, bounds: &Aabb, mut visit: impl FnMut(Cell)) {
        let (low, high) = (self.cell_of(bounds.min), self.cell_of(bounds.max));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    visit([x, y, z]);
                }
            }
        }
    }

    /// Calls `visit` with every cell that `bounds` covers and every box found there. Cells of equal hash share a
    /// bucket, so some of the boxes may be elsewhere.
    fn visit(&self, bounds: &Aabb, mut visit: impl FnMut(Cell, usize)) {
        self.for_each_cell(bounds, |cell| {
            let bucket = self.bucket(cell);
            for &i in &self.members[self.start[bucket] as usize..self.start[bucket + 1] as usize] {
                visit(cell, i as usize);
            }
        });
    }

    fn bucket(&self, [x, y, z]: Cell) -> usize {
        let mixed = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
            ^ (z as u64).wrapping_mul(0x1656_67B1_9E37_79F9);
        // The high bits of the products are the well-mixed ones.
        (mixed >> 32) as usize & (self.start.len() - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(boxes: &[Aabb]) -> Vec<(usize, usize)> {
        let mut pairs = overlapping_pairs(boxes, |_, _| true, |i, j| Some((i.min(j), i.max(j))));
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn brute_force(boxes: &[Aabb]) -> Vec<(usize, usize)> {
        let all = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| (i, j)));
        all.filter(|&(i, j)| boxes[i].overlaps(&boxes[j])).collect()
    }

    /// Boxes of sizes from points to twice the range, on coarse and fine lattices.
    fn any_box() -> impl Strategy<Value = Aabb> {
        let corner = prop::array::uniform3(prop_oneof![-1.0..1.0_f64, (-4..4_i32).prop_map(|i| f64::from(i) / 4.0)]);
        let size = prop::array::uniform3(prop_oneof![Just(0.0), 0.0..0.1_f64, 0.0..1.0_f64, Just(0.25)]);
        let scale = prop_oneof![Just(1.0), Just(1.0), Just(1e-6), Just(1e6), Just(1e90)];
        (corner, size, scale).prop_map(|(corner, size, scale)| {
            let min = DVec3::from_array(corner) * scale;
            Aabb { min, max: min + DVec3::from_array(size) * scale }
        })
    }

    proptest! {
        #[test]
        fn finds_exactly_the_overlapping_boxes(boxes in prop::collection::vec(any_box(), 0..60)) {
            prop_assert_eq!(pairs(&boxes), brute_force(&boxes));
        }
    }

    #[test]
    fn whole_numbers_are_rounded_down_and_saturate() {
        for x in [-2.0, -1.5, -1.0, -0.0, 0.3, 1.0, 2.7, 1e15 + 0.5, -1e15 - 0.5] {
            assert_eq!(floor(x) as f64, x.floor());
        }
        assert_eq!([floor(1e300), floor(-1e300), floor(f64::NAN)], [i64::MAX, i64::MIN, 0]);
    }

    #[test]
    fn a_giant_among_tiny_boxes_costs_no_memory() {
        let tiny = |i: usize| {
            let min = DVec3::new(i as f64 * 1e-3, 0.0, 0.0);
            Aabb { min, max: min + 0.5e-3 }
        };
        let mut boxes: Vec<_> = (0..1000).map(tiny).collect();
        boxes.push(Aabb { min: DVec3::splat(-1e9), max: DVec3::splat(1e9) });
        assert_eq!(pairs(&boxes).len(), 1000);
        let (levels, _) = sort_into_levels(&boxes);
        assert!(levels.iter().map(|l| l.members.len()).sum::<usize>() <= 8 * boxes.len());
    }

    #[test]
    fn a_far_straggler_does_not_crowd_the_rest_into_one_cell() {
        let small = |i: usize| {
            let min = DVec3::new(i as f64 * 1e-3, 0.0, 0.0);
            Aabb { min, max: min + 0.5e-3 }
        };
        let mut boxes: Vec<_> = (0..1000).map(small).collect();
        boxes.push(Aabb { min: DVec3::splat(1e30), max: DVec3::splat(1e30) });
        let (levels, _) = sort_into_levels(&boxes);
        let fullest = levels.iter().flat_map(|l| l.start.windows(2).map(|w| w[1] - w[0])).max();
        assert!(fullest < Some(20), "{fullest:?}");
    }

    #[test]
    fn subnormal_boxes_are_found() {
        let tiny = f64::MIN_POSITIVE / 8.0;
        let bounds = Aabb { min: DVec3::splat(-tiny), max: DVec3::splat(tiny) };
        assert_eq!(pairs(&[bounds; 2]), [(0, 1)]);
    }

    #[test]
    fn points_at_the_origin_are_found() {
        let point = Aabb { min: DVec3::ZERO, max: DVec3::ZERO };
        assert_eq!(pairs(&[point; 3]), [(0, 1), (0, 2), (1, 2)]);
    }
}
