//! What is sewn along the edges of panels: allowances of seams, and stay tapes where cloth would grow on the bias.
//!
//! - **Seams.** Along a seam each panel is doubled by its allowance, which is cut from the same cloth and is pulled along with it: a
//!   strip of the width [`ALLOWANCE`] with the stiffness of the fabric in the direction of the edge.
//! - **Stay tapes.** A tailor sews a tape that hardly stretches along necklines and waists before they grow. An edge has one if its
//!   pattern says so. If it says nothing, raw edges named `waist…` or `neck…` have one where the cloth gives on the bias
//!   ([`GIVES`]); knits, which give along their wales and courses as well, have none.

use toile::{Fabric, Tape};
use toile_cloth::off_axis_modulus;
use toile_garment::EdgeRef;
use toile_garment::mesh::FlatMesh;
use toile_mesh::DVec2;

/// Width of a seam allowance [m]. More makes seams stiffer.
const ALLOWANCE: f64 = 0.01;
/// Stiffness of a stay tape [N]: cotton tape of 10 mm by 0.3 mm with a modulus of 350 MPa, which 10 N make 1 % longer.
const STAY: f64 = 1000.0;
/// Cloth whose stiffness on the bias is below this share of that along its softer threads gives there. Wovens are at 0.01 to 0.1,
/// knits above 0.3.
const GIVES: f64 = 0.2;

/// What is sewn along the edges of all panels. `vertex`: the number of each vertex of all panels once they are sewn; `fabric`: that
/// of each panel.
pub(crate) fn tapes<'a>(mesh: &FlatMesh, vertex: &[u32], fabric: impl Fn(usize) -> &'a Fabric) -> Vec<Tape> {
    let is_sewn =
        |edge: EdgeRef| mesh.pattern.seams.iter().any(|seam| seam.a.contains(&edge) || seam.b.contains(&edge));
    let mut tapes = Vec::new();
    for (number, (panel, drawn)) in mesh.panels.iter().zip(&mesh.pattern.panels).enumerate() {
        let fabric = fabric(number);
        for (k, (vertices, edge)) in panel.edges.iter().zip(drawn.edges()).enumerate() {
            let is_sewn = is_sewn(EdgeRef { panel: number, edge: k });
            let has_stay = edge.tape.unwrap_or_else(|| !is_sewn && is_stayed(&edge.name) && gives_on_bias(fabric));
            for pair in vertices.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|v| panel.positions[v as usize]);
                let along = b - a;
                let threads = DVec2::new(along.dot(panel.warp), panel.warp.perp_dot(along));
                let allowance = if is_sewn { ALLOWANCE * off_axis_modulus(fabric, threads) } else { 0.0 };
                let stiffness = allowance + if has_stay { STAY } else { 0.0 };
                let ends = [pair[0], pair[1]].map(|v| vertex[(panel.first + v) as usize]);
                if stiffness > 0.0 && ends[0] != ends[1] {
                    tapes.push(Tape { ends, rest: along.length(), stiffness });
                }
            }
        }
    }
    tapes
}

/// Whether edges of this name are stayed where cloth gives.
fn is_stayed(name: &str) -> bool {
    ["waist", "neck"].iter().any(|word| name.starts_with(word))
}

/// Whether the cloth gives on the bias and not along its threads.
fn gives_on_bias(fabric: &Fabric) -> bool {
    let [warp, weft] = fabric.initial_stretch();
    off_axis_modulus(fabric, DVec2::ONE) < GIVES * warp.min(weft)
}

#[cfg(test)]
mod tests {
    use toile_garment::{Curve, Edge, Panel, Pattern, Point, Seam};

    use super::*;

    fn woven() -> Fabric {
        Fabric { stretch_warp: 5000.0, stretch_weft: 4000.0, shear: 60.0, ..Fabric::default() }
    }

    #[test]
    fn wovens_give_on_the_bias_and_knits_everywhere() {
        assert!(gives_on_bias(&woven()));
        assert!(!gives_on_bias(&Fabric { stretch_warp: 300.0, stretch_weft: 200.0, shear: 100.0, ..woven() }));
    }

    /// A square of 10 cm with its warp upwards, sewn at both sides to another one.
    fn tube(tape: Option<bool>) -> FlatMesh {
        let square = |name: &str| {
            let edge = |name: &str, x: f64, y: f64| Edge::new(name, Point::new(x, y), Curve::Line);
            let corners =
                [edge("hem", 0.0, 0.0), edge("right", 0.1, 0.0), edge("waist", 0.1, 0.1), edge("left", 0.0, 0.1)];
            let mut panel = Panel::new(name, corners.into());
            panel.outline[2].tape = tape;
            panel
        };
        let at = |panel: usize, edge: usize| vec![EdgeRef { panel, edge }];
        let seams = vec![Seam::new("one", at(0, 1), at(1, 3)), Seam::new("other", at(0, 3), at(1, 1))];
        let pattern = Pattern { name: "tube".into(), panels: vec![square("front"), square("back")], seams };
        FlatMesh::new(&pattern, 0.02).unwrap()
    }

    /// Sum of the stiffness of all tapes over their length, and of their lengths.
    fn sums(tapes: &[Tape], which: impl Fn(&Tape) -> bool) -> [f64; 2] {
        let chosen = tapes.iter().filter(|tape| which(tape));
        chosen.fold([0.0; 2], |[s, l], tape| [s + tape.stiffness * tape.rest, l + tape.rest])
    }

    #[test]
    fn seams_have_their_allowance_and_waists_a_tape() {
        let fabric = woven();
        let all = |tape: Option<bool>, fabric: &Fabric| {
            let mesh = tube(tape);
            let vertex = mesh.sewn().vertex;
            tapes(&mesh, &vertex, |_| fabric)
        };
        let found = all(None, &fabric);
        // Four sides of 10 cm along the warp with 5000 N/m on 1 cm; two waists.
        let [seams, length] = sums(&found, |tape| tape.stiffness < STAY);
        assert!((seams / length - 50.0).abs() < 1e-6 && (length - 0.4).abs() < 1e-9, "{seams} {length}");
        let [_, waists] = sums(&found, |tape| tape.stiffness == STAY);
        assert!((waists - 0.2).abs() < 1e-9);
        // Where the pattern says so there is none, and knits have one only if it says so.
        assert_eq!(sums(&all(Some(false), &fabric), |tape| tape.stiffness >= STAY)[1], 0.0);
        let knit = Fabric { stretch_warp: 300.0, stretch_weft: 200.0, shear: 100.0, ..woven() };
        assert_eq!(sums(&all(None, &knit), |tape| tape.stiffness >= STAY)[1], 0.0);
        assert!((sums(&all(Some(true), &knit), |tape| tape.stiffness >= STAY)[1] - 0.2).abs() < 1e-9);
    }
}
