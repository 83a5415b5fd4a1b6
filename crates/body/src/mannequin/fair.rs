//! Fairing: the smoothest surface through what is fixed.
//!
//! Free vertices go where `Σ |Δx|²` over all vertices is least, with the uniform Laplacian `(Δx)_i = x_i − mean of its
//! neighbours`: the discrete thin plate, which joins its surroundings without a crease (Botsch and Kobbelt 2004, "An
//! intuitive framework for real-time freeform modeling", §3). The normal equations `(LᵀL) x = b` on the free vertices are
//! positive definite as long as every free part touches something fixed; conjugate gradients solve them, begun at the
//! given positions.

use toile_mesh::DVec3;

/// Residual at which the solve stops, over that of the right-hand side: micrometres on a body.
const TOLERANCE: f64 = 1e-6;

/// Iterations at most; a patch of forty rings takes some hundreds.
const MOST_ITERATIONS: usize = 600;

/// Neighbours of each vertex, in one array.
pub(crate) struct Neighbours {
    start: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// Neighbours along the edges of polygons.
    pub(crate) fn of_polygons<const N: usize>(vertices: usize, polygons: &[[u32; N]]) -> Self {
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(2 * N * polygons.len());
        for q in polygons {
            for k in 0..N {
                let (a, b) = (q[k], q[(k + 1) % N]);
                pairs.push([a, b]);
                pairs.push([b, a]);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0; vertices + 1];
        for [a, _] in &pairs {
            start[*a as usize + 1] += 1;
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        Self { start, list: pairs.into_iter().map(|[_, b]| b).collect() }
    }

    fn of(&self, v: usize) -> &[u32] {
        &self.list[self.start[v] as usize..self.start[v + 1] as usize]
    }
}

/// Moves the free vertices of `positions` to where the surface is fairest.
pub(crate) fn fair(positions: &mut [DVec3], neighbours: &Neighbours, free: &[bool]) {
    let patch = Patch::new(neighbours, free);
    // Residual of the normal equations at the present positions, −LᵀL x on the free vertices.
    let laplacian: Vec<DVec3> = patch.rows.iter().map(|&v| patch.laplacian(v as usize, |u| positions[u])).collect();
    let mut residual: Vec<DVec3> = patch.transposed(&laplacian);
    for r in &mut residual {
        *r = -*r;
    }
    let mut direction = residual.clone();
    let mut norm_sq = dot(&residual, &residual);
    let first = norm_sq;
    for _ in 0..MOST_ITERATIONS {
        if norm_sq <= TOLERANCE * TOLERANCE * first.max(1e-20) {
            break;
        }
        let image = patch.apply(&direction);
        let alpha = norm_sq / dot(&direction, &image);
        for (i, &v) in patch.free.iter().enumerate() {
            positions[v as usize] += alpha * direction[i];
            residual[i] -= alpha * image[i];
        }
        let next = dot(&residual, &residual);
        let beta = next / norm_sq;
        norm_sq = next;
        for (d, r) in direction.iter_mut().zip(&residual) {
            *d = *r + beta * *d;
        }
    }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x.dot(*y)).sum()
}

/// The free vertices and the vertices whose Laplacian they enter.
struct Patch<'a> {
    neighbours: &'a Neighbours,
    free: Vec<u32>,
    rows: Vec<u32>,
    /// Number of each vertex among the free ones and among the rows; `u32::MAX` for none.
    free_number: Vec<u32>,
    row_number: Vec<u32>,
}

impl<'a> Patch<'a> {
    fn new(neighbours: &'a Neighbours, free: &[bool]) -> Self {
        let number = |chosen: &[u32]| {
            let mut numbers = vec![u32::MAX; free.len()];
            for (i, &v) in chosen.iter().enumerate() {
                numbers[v as usize] = i as u32;
            }
            numbers
        };
        let is_row = |v: usize| free[v] || neighbours.of(v).iter().any(|&u| free[u as usize]);
        let list: Vec<u32> = (0..free.len() as u32).filter(|&v| free[v as usize]).collect();
        let rows: Vec<u32> = (0..free.len() as u32).filter(|&v| is_row(v as usize)).collect();
        let (free_number, row_number) = (number(&list), number(&rows));
        Self { neighbours, free: list, rows, free_number, row_number }
    }

    fn laplacian(&self, v: usize, x: impl Fn(usize) -> DVec3) -> DVec3 {
        let around = self.neighbours.of(v);
        let sum: DVec3 = around.iter().map(|&u| x(u as usize)).sum();
        x(v) - sum / around.len() as f64
    }

    /// `Lᵀ y` on the free vertices, `y` on the rows.
    fn transposed(&self, y: &[DVec3]) -> Vec<DVec3> {
        let value = |v: usize| y[self.row_number[v] as usize];
        let gather = |&v: &u32| {
            let around = self.neighbours.of(v as usize).iter();
            let sum: DVec3 = around.map(|&u| value(u as usize) / self.neighbours.of(u as usize).len() as f64).sum();
            value(v as usize) - sum
        };
        self.free.iter().map(gather).collect()
    }

    /// `LᵀL d` for `d` on the free vertices.
    fn apply(&self, d: &[DVec3]) -> Vec<DVec3> {
        let value = |v: usize| d.get(self.free_number[v] as usize).copied().unwrap_or(DVec3::ZERO);
        let image: Vec<DVec3> = self.rows.iter().map(|&v| self.laplacian(v as usize, value)).collect();
        self.transposed(&image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: usize = 13;

    fn sheet() -> (Vec<DVec3>, Neighbours, Vec<bool>) {
        let at = |i: usize, j: usize| (i * SIDE + j) as u32;
        let mut quads = Vec::new();
        for i in 0..SIDE - 1 {
            for j in 0..SIDE - 1 {
                quads.push([at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]);
            }
        }
        let positions: Vec<_> =
            (0..SIDE * SIDE).map(|v| DVec3::new((v / SIDE) as f64, 0.0, (v % SIDE) as f64)).collect();
        let inner = |v: usize| (3..SIDE - 3).contains(&(v / SIDE)) && (3..SIDE - 3).contains(&(v % SIDE));
        (positions, Neighbours::of_polygons(SIDE * SIDE, &quads), (0..SIDE * SIDE).map(inner).collect())
    }

    #[test]
    fn a_saddle_is_restored_exactly() {
        // x z is harmonic, on the grid as well: its Laplacian vanishes away from the border, nothing is smoother.
        let (mut positions, neighbours, free) = sheet();
        for p in &mut positions {
            p.y = 0.1 * p.x * p.z;
        }
        let expected = positions.clone();
        for (p, free) in positions.iter_mut().zip(&free) {
            if *free {
                *p += DVec3::new(0.3, -0.7, 0.2);
            }
        }
        fair(&mut positions, &neighbours, &free);
        for (p, q) in positions.iter().zip(&expected) {
            assert!((*p - *q).length() < 1e-4, "{p} instead of {q}");
        }
    }

    #[test]
    fn no_small_change_makes_the_result_fairer() {
        let (mut positions, neighbours, free) = sheet();
        for p in &mut positions {
            p.y = (0.4 * p.x).sin() * (0.3 * p.z).cos();
        }
        fair(&mut positions, &neighbours, &free);
        let energy = |x: &[DVec3]| {
            let bend = |v: usize| {
                let around = neighbours.of(v);
                (x[v] - around.iter().map(|&u| x[u as usize]).sum::<DVec3>() / around.len() as f64).length_squared()
            };
            (0..x.len()).map(bend).sum::<f64>()
        };
        let least = energy(&positions);
        for v in (0..positions.len()).filter(|&v| free[v]) {
            for push in [1e-3, -1e-3] {
                let mut changed = positions.clone();
                changed[v].y += push;
                assert!(energy(&changed) > least, "vertex {v}");
            }
        }
    }
}
