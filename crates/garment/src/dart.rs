//! [`Pattern::cut_dart`]: a wedge taken out of an edge and sewn closed.
//!
//! The mouth of a dart of width `w` at the fraction `f` of an edge reaches `w/2` along the edge to either side. Its tip
//! stands `length` away from the middle of the mouth, on its perpendicular bisector into the cloth, so that both legs are
//! equally long. The edge `e` becomes `e_1`, the legs `name_a` and `name_b`, and `e_2`; seams that had `e` have `e_1` and
//! `e_2`, so that the mouth is not sewn to anything.

use kurbo::Vec2;

use crate::curve::Curve;
use crate::fault::{Fault, Problem};
use crate::pattern::{Edge, EdgeRef, Notch, Pattern, Seam};

/// A dart to be cut.
#[derive(Clone, PartialEq, Debug)]
pub struct Dart {
    /// Name of its seam, and of its legs with `_a` and `_b`.
    pub name: String,
    /// Fraction of the edge's length at which its middle is.
    pub at: f64,
    /// Width of its mouth along the edge [m].
    pub width: f64,
    /// Length from the middle of its mouth to its tip [m].
    pub length: f64,
}

impl Pattern {
    /// Cuts a dart into an edge of the outline or of a hole, and adds its seam. Fails where the mouth does not fit into the edge.
    pub fn cut_dart(&mut self, panel: usize, edge: usize, dart: &Dart) -> Result<(), Box<Fault>> {
        let missing = || Box::new(Fault::new(Problem::MissingEdge { edge: self.edge_name(EdgeRef { panel, edge }) }));
        let segment = self.panels.get(panel).and_then(|panel| panel.segment(edge)).ok_or_else(missing)?;
        let half = dart.width / (2.0 * segment.length());
        let (from, to) = (dart.at - half, dart.at + half);
        if !(from > 0.0 && to < 1.0 && half > 0.0 && dart.length > 0.0 && dart.length.is_finite()) {
            let name = self.panels[panel].edges().nth(edge).map_or(String::new(), |edge| edge.name.clone());
            let fault = Fault::new(Problem::Range { what: "the mouth or length of a dart" })
                .on(&self.panels[panel].name, &name);
            return Err(Box::new(fault));
        }
        let (before, after) = (segment.piece(0.0, from), segment.piece(to, 1.0));
        let mouth = after.start - before.end;
        let inwards = Vec2::new(-mouth.y, mouth.x) / mouth.hypot();
        let tip = before.end.midpoint(after.start) + dart.length * inwards;
        let target = &mut self.panels[panel];
        let old = target.edges().nth(edge).map_or(String::new(), |edge| edge.name.clone());
        let new = [
            Edge::new(format!("{old}_1"), before.start, before.curve),
            Edge::new(format!("{}_a", dart.name), before.end, Curve::Line),
            Edge::new(format!("{}_b", dart.name), tip, Curve::Line),
            Edge::new(format!("{old}_2"), after.start, after.curve),
        ];
        let mut first = 0;
        for ring in std::iter::once(&mut target.outline).chain(&mut target.holes) {
            if (first..first + ring.len()).contains(&edge) {
                ring.splice(edge - first..=edge - first, new);
                break;
            }
            first += ring.len();
        }
        for notch in &mut target.notches {
            match notch.edge {
                e if e > edge => notch.edge += 3,
                e if e == edge && notch.at >= to => *notch = Notch { edge: edge + 3, at: (notch.at - to) / (1.0 - to) },
                e if e == edge => notch.at = (notch.at / from).min(1.0),
                _ => {}
            }
        }
        self.renumber(panel, edge);
        let leg = |edge| vec![EdgeRef { panel, edge }];
        self.seams.push(Seam::new(dart.name.clone(), leg(edge + 1), leg(edge + 2)));
        Ok(())
    }

    /// Gives the seams the numbers that edges have after edge `cut` became four.
    fn renumber(&mut self, panel: usize, cut: usize) {
        for seam in &mut self.seams {
            for (chain, is_b) in [(&mut seam.a, false), (&mut seam.b, true)] {
                let mut i = 0;
                while i < chain.len() {
                    let edge = chain[i];
                    if edge.panel == panel && edge.edge > cut {
                        chain[i].edge += 3;
                    } else if edge.panel == panel && edge.edge == cut {
                        let pair = [edge, EdgeRef { panel, edge: cut + 3 }];
                        chain.splice(i..=i, if is_b { [pair[1], pair[0]] } else { pair });
                        i += 1;
                    }
                    i += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Panel, Point};

    #[test]
    fn legs_are_equal_and_the_edge_loses_the_width() {
        let outline = vec![
            Edge::new("waist", Point::new(0.3, 0.0), Curve::Arc(-0.1)),
            Edge::new("left", Point::new(0.0, 0.0), Curve::Line),
            Edge::new("hem", Point::new(0.0, -0.5), Curve::Line),
            Edge::new("right", Point::new(0.3, -0.5), Curve::Line),
        ];
        let mut pattern = Pattern { panels: vec![Panel::new("p", outline)], ..Pattern::default() };
        let before = pattern.panels[0].length(0);
        let edge = |edge| EdgeRef { panel: 0, edge };
        pattern.seams.push(Seam::new("x", vec![edge(0), edge(1)], vec![edge(3)]));
        let dart = Dart { name: "d".into(), at: 0.4, width: 0.02, length: 0.1 };
        pattern.cut_dart(0, 0, &dart).unwrap();
        let length = |name| pattern.panels[0].length(pattern.panels[0].find(name).unwrap());
        assert!((length("d_a") - length("d_b")).abs() < 1e-12);
        assert!((length("waist_1") + length("waist_2") + 0.02 - before).abs() < 1e-8);
        assert_eq!(pattern.seams[0].a, [edge(0), edge(3), edge(4)]);
        assert_eq!(pattern.seams[0].b, [edge(6)]);
        assert_eq!((&pattern.seams[1].a, &pattern.seams[1].b), (&vec![edge(1)], &vec![edge(2)]));
        let wide = Dart { width: 0.5, ..dart };
        assert!(matches!(pattern.cut_dart(0, 0, &wide).unwrap_err().problem, Problem::Range { .. }));
    }
}
