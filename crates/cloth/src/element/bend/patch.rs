//! [`Patches`]: triangles around a triangle, unfolded into its plane.
//!
//! Every triangle has rest coordinates of its own; across a shared edge the neighbour is laid next to it by the position
//! of its far corner along and across that edge. On a flat mesh this gives back the flat coordinates; on a curved rest
//! shape, or across a seam of two panels, it gives the unfolded one. Where an unfolded patch comes back to a particle by
//! a second way, the first way counts.

use toile_mesh::DVec2;

/// A triangle with less than this area per square of its longest side counts as none.
const MIN_SHAPE: f64 = 1e-12;

/// Triangles with rest coordinates and neighbours.
pub(in crate::element) struct Patches<'a> {
    triangles: &'a [[u32; 3]],
    corners: &'a [[DVec2; 3]],
    /// Across the edge of corners `k` and `k + 1`: the triangle and its own number of that edge.
    neighbours: Vec<[Option<(u32, u8)>; 3]>,
}

/// A triangle in the coordinates of a patch.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    /// Which triangle.
    pub(super) face: u32,
    /// Where its corners are [m].
    pub(super) at: [DVec2; 3],
}

impl Placed {
    /// Area without sign [m²].
    pub(super) fn area(&self) -> f64 {
        0.5 * (self.at[1] - self.at[0]).perp_dot(self.at[2] - self.at[0]).abs()
    }

    /// The edge of corners `k` and `k + 1`: middle, length, unit direction and unit normal away from the triangle.
    pub(super) fn edge(&self, k: usize) -> (DVec2, f64, DVec2, DVec2) {
        let [a, b, c] = [0, 1, 2].map(|i| self.at[(k + i) % 3]);
        let (middle, length) = (0.5 * (a + b), a.distance(b));
        let along = (b - a) / length;
        let out = if along.perp_dot(c - a) > 0.0 { -along.perp() } else { along.perp() };
        (middle, length, along, out)
    }

    /// Slopes of the three corner functions (1 at a corner, 0 at the others, linear) along `d`.
    pub(super) fn slopes(&self, d: DVec2) -> [f64; 3] {
        let doubled = (self.at[1] - self.at[0]).perp_dot(self.at[2] - self.at[0]);
        [0, 1, 2].map(|i| (self.at[(i + 2) % 3] - self.at[(i + 1) % 3]).perp().dot(d) / doubled)
    }
}

impl<'a> Patches<'a> {
    /// Finds the neighbours. An edge of more than two triangles joins none of them.
    pub(in crate::element) fn new(triangles: &'a [[u32; 3]], corners: &'a [[DVec2; 3]]) -> Self {
        let mut patches = Self { triangles, corners, neighbours: vec![[None; 3]; triangles.len()] };
        let mut sides = Vec::with_capacity(3 * triangles.len());
        for (face, t) in triangles.iter().enumerate().filter(|(face, _)| patches.is_sound(*face)) {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                sides.push((a.min(b), a.max(b), face as u32, k as u8));
            }
        }
        sides.sort_unstable();
        for group in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let &[(.., f, j), (.., g, k)] = group else { continue };
            if patches.far(f, j) != patches.far(g, k) {
                patches.neighbours[f as usize][usize::from(j)] = Some((g, k));
                patches.neighbours[g as usize][usize::from(k)] = Some((f, j));
            }
        }
        patches
    }

    /// Whether a triangle has an area and three different particles.
    pub(super) fn is_sound(&self, face: usize) -> bool {
        let [a, b, c] = self.triangles[face];
        let Some(&at) = self.corners.get(face) else { return false };
        let longest = (0..3).map(|k| at[k].distance_squared(at[(k + 1) % 3])).fold(0.0, f64::max);
        let area = Placed { face: face as u32, at }.area();
        a != b && b != c && c != a && area.is_finite() && area > MIN_SHAPE * longest
    }

    /// A triangle in its own coordinates.
    pub(super) fn root(&self, face: usize) -> Placed {
        Placed { face: face as u32, at: self.corners[face] }
    }

    /// The particles of a triangle.
    pub(super) fn particles(&self, face: u32) -> [u32; 3] {
        self.triangles[face as usize]
    }

    /// The triangle across edge `k` of `face` and its number of that edge.
    pub(in crate::element) fn neighbour(&self, face: u32, k: usize) -> Option<(u32, u8)> {
        self.neighbours[face as usize][k]
    }

    /// The triangle across edge `k`, unfolded.
    pub(super) fn across(&self, from: &Placed, k: usize) -> Option<Placed> {
        let (face, j) = self.neighbour(from.face, k)?;
        let j = usize::from(j);
        let own = self.root(face as usize);
        let (middle, _, along, out) = from.edge(k);
        let (own_middle, _, own_along, own_out) = own.edge(j);
        let starts_alike = self.particles(face)[j] == self.particles(from.face)[k];
        let own_along = if starts_alike { own_along } else { -own_along };
        let far = own.at[(j + 2) % 3] - own_middle;
        let mut at = [middle + far.dot(own_along) * along - far.dot(own_out) * out; 3];
        let ends = if starts_alike { [k, (k + 1) % 3] } else { [(k + 1) % 3, k] };
        at[j] = from.at[ends[0]];
        at[(j + 1) % 3] = from.at[ends[1]];
        Some(Placed { face, at })
    }

    /// Particles around `roots`, ring of neighbours by ring, each with its place; `ends` tells how many the roots and
    /// each further ring end with. Stops after `rings` rings or with the first ring that reaches `enough` particles.
    pub(super) fn around(&self, roots: &[Placed], rings: usize, enough: usize) -> (Vec<(u32, DVec2)>, Vec<usize>) {
        let (mut placed, mut nodes) = (roots.to_vec(), Vec::new());
        let mut ends = Vec::new();
        let mut first = 0;
        for ring in 0..=rings {
            for p in &placed[first..] {
                for (particle, at) in self.particles(p.face).into_iter().zip(p.at) {
                    if !nodes.iter().any(|(known, _)| *known == particle) {
                        nodes.push((particle, at));
                    }
                }
            }
            ends.push(nodes.len());
            if ring == rings || nodes.len() >= enough {
                break;
            }
            let last = placed.len();
            for i in first..last {
                for k in 0..3 {
                    if let Some(next) = self.across(&placed[i].clone(), k)
                        && placed.iter().all(|p| p.face != next.face)
                    {
                        placed.push(next);
                    }
                }
            }
            first = last;
        }
        (nodes, ends)
    }

    fn far(&self, face: u32, k: u8) -> u32 {
        self.triangles[face as usize][(usize::from(k) + 2) % 3]
    }
}
