//! [`Kerf`]: the lips of a cut drawn back from each other.
//!
//! Two lips that lie on each other touch, which neither a guard against contacts nor an exact judge can tell from going through. So each
//! lip is drawn back into its own fan by half the kerf `w`, in the flat shape. The fan of a copy is unfolded around it: between
//! its two outer sides lies the angle `Θ`, and the vertex moves along the bisector by
//!
//! ```text
//! w / (2 sin(Θ/2)),      at most w
//! ```
//!
//! which shifts both sides by half the kerf. The corner moves in every triangle of the fan by its own picture of that way, since each
//! has its own plane. In space the vertex goes to where the new corner is in the triangle on the bisector, so that the strain of that
//! triangle does not change. Vertices at short edges are drawn back less, by [`SHORTEST`] of them.

use glam::DVec2;

use super::{Layout, Parting};

/// Half a kerf takes at most this share of the shortest side of the fan.
const SHORTEST: f64 = 0.1;

/// Where a vertex of a lip is drawn back to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Withdrawal {
    /// The vertex, a number of the parting.
    pub vertex: u32,
    /// The triangle on the bisector of its fan, a number of the parting.
    pub face: u32,
    /// Where it is in the plane of that triangle [m].
    pub place: DVec2,
}

/// The flat corners of a mesh that was taken apart, with its lips drawn back.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Kerf {
    /// Flat corners of each triangle of the parting [m].
    pub flat: Vec<[DVec2; 3]>,
    /// The vertices that were drawn back, ascending.
    pub withdrawals: Vec<Withdrawal>,
}

/// A triangle of a fan, seen from the vertex in the middle.
struct Blade {
    face: u32,
    corner: usize,
    /// The sides before and after it, in the sense of the triangles [m].
    sides: [DVec2; 2],
    /// Sense of the triangle in its plane.
    turn: f64,
}

impl Blade {
    fn angle(&self) -> f64 {
        self.sides[0].angle_to(self.sides[1]).abs()
    }
}

impl Kerf {
    /// Draws the lips of a parting of `layout` back by half of `width` [m] each.
    pub fn new(layout: &Layout, parting: &Parting, width: f64) -> Self {
        let mut flat: Vec<[DVec2; 3]> = parting.faces.iter().map(|f| layout.flat[*f as usize]).collect();
        let mut around = vec![Vec::new(); parting.origin.len()];
        for (f, t) in parting.triangles.iter().enumerate() {
            for v in t {
                around[*v as usize].push(f as u32);
            }
        }
        let mut withdrawals = Vec::new();
        let whole = flat.clone();
        for v in &parting.lips {
            let blades = blades(*v, &around[*v as usize], parting, &whole);
            let angle: f64 = blades.iter().map(Blade::angle).sum();
            let sides = || blades.iter().flat_map(|blade| blade.sides);
            let shortest = sides().map(DVec2::length).fold(f64::INFINITY, f64::min);
            let half = (0.5 * width).min(SHORTEST * shortest);
            let way = half / (0.5 * angle).sin().abs().max(0.5);
            let mut before = 0.0;
            let mut on_bisector = None;
            for blade in &blades {
                let turned = DVec2::from_angle(blade.turn * (0.5 * angle - before));
                let corner = &mut flat[blade.face as usize][blade.corner];
                *corner += turned.rotate(blade.sides[0].normalize_or_zero()) * way;
                if before <= 0.5 * angle {
                    on_bisector = Some(Withdrawal { vertex: *v, face: blade.face, place: *corner });
                }
                before += blade.angle();
            }
            withdrawals.extend(on_bisector);
        }
        Self { flat, withdrawals }
    }
}

/// The triangles around a vertex, each beside the one before.
fn blades(v: u32, faces: &[u32], parting: &Parting, flat: &[[DVec2; 3]]) -> Vec<Blade> {
    let seen = |f: u32| {
        let t = parting.triangles[f as usize];
        let k = t.iter().position(|u| *u == v).unwrap_or(0);
        (k, t[(k + 1) % 3], t[(k + 2) % 3])
    };
    let begins = |f: &u32| faces.iter().all(|g| seen(*g).2 != seen(*f).1);
    let mut next = faces.iter().copied().find(begins);
    let mut blades: Vec<Blade> = Vec::with_capacity(faces.len());
    while let Some(f) = next.filter(|_| blades.len() < faces.len()) {
        let (k, _, end) = seen(f);
        let corners = flat[f as usize];
        let sides = [1, 2].map(|n| corners[(k + n) % 3] - corners[k]);
        blades.push(Blade { face: f, corner: k, sides, turn: sides[0].perp_dot(sides[1]).signum() });
        next = faces.iter().copied().find(|g| seen(*g).1 == end);
    }
    blades
}
