//! Stay tapes: what a tailor sews along an edge that would grow.
//!
//! Edges that cross the bias grow under the weight of the cloth. A pattern states the tape of an edge by its force per strain [N].
//! That of woven cotton follows from its yarns: a light tape of 10 mm weighs 0.8 g/m, of which 0.5 g/m run along it. Cotton yarn
//! bears 2 to 3 N/tex per strain once its crimp is drawn out, that is 1000 to 1500 N. Crimp takes most of the first per cent:
//! the secant there is about a quarter, 300 N, so that 3 N make it 1 % longer.

use toile::Tape;
use toile_garment::mesh::FlatMesh;

/// The tapes of all panels. `vertex`: the number of each vertex of all panels once they are sewn.
pub(crate) fn tapes(mesh: &FlatMesh, vertex: &[u32]) -> Vec<Tape> {
    let mut tapes = Vec::new();
    for (panel, drawn) in mesh.panels.iter().zip(&mesh.pattern.panels) {
        for (vertices, edge) in panel.edges.iter().zip(drawn.edges()).filter(|(_, edge)| edge.tape > 0.0) {
            for pair in vertices.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|v| panel.positions[v as usize]);
                let ends = [pair[0], pair[1]].map(|v| vertex[(panel.first + v) as usize]);
                if ends[0] != ends[1] {
                    tapes.push(Tape { ends, rest: a.distance(b), stiffness: edge.tape });
                }
            }
        }
    }
    tapes
}

#[cfg(test)]
mod tests {
    use toile_garment::{Curve, Edge, EdgeRef, Panel, Pattern, Point, Seam};

    use super::*;

    #[test]
    fn edges_have_the_tape_of_their_pattern() {
        // Two squares of 10 cm, sewn at both sides to a tube; one waist has a tape.
        let square = |name: &str, tape: f64| {
            let edge = |name: &str, x: f64, y: f64| Edge::new(name, Point::new(x, y), Curve::Line);
            let corners =
                [edge("hem", 0.0, 0.0), edge("right", 0.1, 0.0), edge("waist", 0.1, 0.1), edge("left", 0.0, 0.1)];
            let mut panel = Panel::new(name, corners.into());
            panel.outline[2].tape = tape;
            panel
        };
        let at = |panel: usize, edge: usize| vec![EdgeRef { panel, edge }];
        let seams = vec![Seam::new("one", at(0, 1), at(1, 3)), Seam::new("other", at(0, 3), at(1, 1))];
        let panels = vec![square("front", 300.0), square("back", 0.0)];
        let mesh = FlatMesh::new(&Pattern { name: "tube".into(), panels, seams }, 0.02).unwrap();
        let found = tapes(&mesh, &mesh.sewn().vertex);
        let length: f64 = found.iter().map(|tape| tape.rest).sum();
        assert!((length - 0.1).abs() < 1e-9 && found.iter().all(|tape| tape.stiffness == 300.0), "{found:?}");
    }
}
