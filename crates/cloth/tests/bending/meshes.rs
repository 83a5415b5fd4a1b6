//! Flat meshes of the five kinds that bending is judged on.

use std::f64::consts::PI;

use toile_mesh::DVec2;

/// How a sheet is cut into triangles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Right,
    Alternating,
    Crossed,
    Equilateral,
    Jittered,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::Right, Self::Alternating, Self::Crossed, Self::Equilateral, Self::Jittered];

    /// How far the inner of two held rows of particles is from the clamp midway between them, relative to the cell.
    pub(crate) fn half_row(self) -> f64 {
        if self == Self::Crossed { 0.25 } else { 0.5 }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Right => "right triangles, one diagonal",
            Self::Alternating => "alternating diagonals",
            Self::Crossed => "crossed (4 per cell)",
            Self::Equilateral => "equilateral",
            Self::Jittered => "jittered Delaunay",
        }
    }
}

/// A flat mesh: rest coordinates and triangles.
#[derive(Clone, Debug)]
pub(crate) struct Flat {
    pub(crate) rest: Vec<DVec2>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Flat {
    /// `cells` cells of size `h` from `corner` on. Equilateral meshes are a parallelogram, the others a rectangle. Jitter
    /// leaves the outermost `calm` rows of particles in both directions alone, at least the border.
    pub(crate) fn new(kind: Kind, corner: DVec2, cells: [u32; 2], h: f64, calm: [u32; 2]) -> Self {
        let [nx, ny] = cells;
        let mut rest = Vec::new();
        for j in 0..=ny {
            for i in 0..=nx {
                let p = DVec2::new(i as f64, j as f64);
                let at = match kind {
                    Kind::Equilateral => DVec2::new(p.x + 0.5 * p.y, 0.75_f64.sqrt() * p.y),
                    _ => p,
                };
                rest.push(corner + h * at);
            }
        }
        let mut triangles = Vec::new();
        for j in 0..ny {
            for i in 0..nx {
                let a = j * (nx + 1) + i;
                let [b, c, d] = [a + 1, a + nx + 2, a + nx + 1];
                match kind {
                    Kind::Crossed => {
                        let m = rest.len() as u32;
                        rest.push(corner + h * DVec2::new(i as f64 + 0.5, j as f64 + 0.5));
                        triangles.extend([[a, b, m], [b, c, m], [c, d, m], [d, a, m]]);
                    }
                    Kind::Equilateral => triangles.extend([[a, b, d], [b, c, d]]),
                    Kind::Alternating if (i + j) % 2 == 1 => triangles.extend([[a, b, d], [b, c, d]]),
                    _ => triangles.extend([[a, b, c], [a, c, d]]),
                }
            }
        }
        let mut flat = Self { rest, triangles };
        if kind == Kind::Jittered {
            flat.jitter(cells, calm.map(|c| c.max(1)), h);
        }
        flat
    }

    pub(crate) fn corners(&self) -> Vec<[DVec2; 3]> {
        toile_cloth::element::flat_corners(&self.triangles, &self.rest)
    }

    /// Area of every triangle.
    pub(crate) fn areas(&self) -> impl Iterator<Item = f64> + '_ {
        self.corners().into_iter().map(|[a, b, c]| 0.5 * (b - a).perp_dot(c - a))
    }

    /// A third of the area of the triangles around each particle.
    pub(crate) fn particle_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.rest.len()];
        for (t, area) in self.triangles.iter().zip(self.areas()) {
            for i in t {
                areas[*i as usize] += area / 3.0;
            }
        }
        areas
    }

    /// Edges as pairs of particles, ascending.
    pub(crate) fn edges(&self) -> Vec<[u32; 2]> {
        let side = |t: &[u32; 3], k: usize| [t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3])];
        let mut edges: Vec<_> = self.triangles.iter().flat_map(|t| [0, 1, 2].map(|k| side(t, k))).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Moves particles at random as long as no triangle gets thin, and flips edges to a Delaunay mesh, several times.
    fn jitter(&mut self, cells: [u32; 2], calm: [u32; 2], h: f64) {
        for round in 0..ROUNDS {
            let mut around = vec![Vec::new(); self.rest.len()];
            for (f, t) in self.triangles.iter().enumerate() {
                for i in t {
                    around[*i as usize].push(f);
                }
            }
            for j in calm[1]..=cells[1].saturating_sub(calm[1]) {
                for i in calm[0]..=cells[0].saturating_sub(calm[0]) {
                    let at = (j * (cells[0] + 1) + i) as usize;
                    let before = self.rest[at];
                    self.rest[at] += JITTER * h * noise(i, j, round);
                    let area = |f: &usize| {
                        let [a, b, c] = self.triangles[*f].map(|i| self.rest[i as usize]);
                        0.5 * (b - a).perp_dot(c - a)
                    };
                    if around[at].iter().any(|f| area(f) < 0.2 * h * h) {
                        self.rest[at] = before;
                    }
                }
            }
            while self.flip_bad_edges() {}
        }
    }

    /// Lawson's flips, at most one per triangle: edges whose opposite angles are together more than half a turn.
    fn flip_bad_edges(&mut self) -> bool {
        let mut sides = std::collections::BTreeMap::<[u32; 2], Vec<(usize, usize)>>::new();
        for (f, t) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                sides.entry([a.min(b), a.max(b)]).or_default().push((f, k));
            }
        }
        let mut touched = vec![false; self.triangles.len()];
        let mut flipped = false;
        for group in sides.values() {
            let [(f, j), (g, k)] = group[..] else { continue };
            if touched[f] || touched[g] || self.opposite_angle(f, j) + self.opposite_angle(g, k) < PI + 1e-9 {
                continue;
            }
            let (t, u) = (self.triangles[f], self.triangles[g]);
            let [a, b, c, d] = [t[j], t[(j + 1) % 3], t[(j + 2) % 3], u[(k + 2) % 3]];
            (self.triangles[f], self.triangles[g]) = ([a, d, c], [d, b, c]);
            (touched[f], touched[g], flipped) = (true, true, true);
        }
        flipped
    }

    fn opposite_angle(&self, f: usize, k: usize) -> f64 {
        let [a, b, c] = [0, 1, 2].map(|i| self.rest[self.triangles[f][(k + i) % 3] as usize]);
        (a - c).angle_to(b - c).abs()
    }
}

/// Largest shift of a particle in one round, relative to the cell.
const JITTER: f64 = 0.3;
/// How often all particles are shifted.
const ROUNDS: u32 = 4;

/// Two numbers in [−1, 1] that look random.
fn noise(i: u32, j: u32, round: u32) -> DVec2 {
    let hash = |seed: u32| {
        let mut h =
            (i.wrapping_mul(0x9E37_79B9) ^ j.wrapping_mul(0x85EB_CA6B) ^ seed ^ round.wrapping_mul(0x68E3_1DA4))
                .wrapping_mul(0xC2B2_AE35);
        h ^= h >> 15;
        h = h.wrapping_mul(0x27D4_EB2F);
        h ^= h >> 13;
        h = h.wrapping_mul(0x1656_67B1);
        h ^= h >> 16;
        h as f64 / u32::MAX as f64 * 2.0 - 1.0
    };
    DVec2::new(hash(0x1234_5678), hash(0x0BAD_F00D))
}
