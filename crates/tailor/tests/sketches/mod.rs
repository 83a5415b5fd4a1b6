//! Patterns in the manner of `GarmentCode`, drawn by code for a woman of size 38, in centimetres.
//!
//! A [`Piece`] is a panel as such files have it: vertices, edges between them in order, curvature and labels by edge. Backs are drawn as seen
//! from the front, clockwise; left and right halves meet at x = 0.

use std::fmt::Write;

/// How an edge is curved.
#[derive(Clone, Copy)]
pub(crate) enum Bow {
    Quadratic([f64; 2]),
    Cubic([[f64; 2]; 2]),
    /// Radius [cm], and whether the arc lies to the right of its edge.
    Circle(f64, bool),
}

/// A panel.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) name: String,
    pub(crate) label: &'static str,
    pub(crate) translation: [f64; 3],
    pub(crate) rotation: [f64; 3],
    pub(crate) vertices: Vec<[f64; 2]>,
    pub(crate) bows: Vec<(usize, Bow)>,
    pub(crate) labels: Vec<(usize, &'static str)>,
}

pub(crate) fn piece(name: &str, translation: [f64; 3], vertices: &[[f64; 2]]) -> Piece {
    let (vertices, rotation) = (vertices.to_vec(), [0.0; 3]);
    Piece { name: name.to_owned(), label: "", translation, rotation, vertices, bows: Vec::new(), labels: Vec::new() }
}

impl Piece {
    pub(crate) fn labelled(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    pub(crate) fn turned(self, rotation: [f64; 3]) -> Self {
        Self { rotation, ..self }
    }

    pub(crate) fn bow(mut self, edge: usize, bow: Bow) -> Self {
        self.bows.push((edge, bow));
        self
    }

    pub(crate) fn mark(mut self, edge: usize, label: &'static str) -> Self {
        self.labels.push((edge, label));
        self
    }

    /// The same on the wearer's right. Edge `i` becomes edge `n − 1 − i`.
    pub(crate) fn mirrored(&self, name: &str) -> Self {
        let count = self.vertices.len();
        let mut vertices: Vec<[f64; 2]> = self.vertices.iter().map(|[x, y]| [-x, *y]).collect();
        vertices[1..].reverse();
        let back = |[u, v]: [f64; 2]| [1.0 - u, v];
        let bow = |bow: Bow| match bow {
            Bow::Quadratic(c) => Bow::Quadratic(back(c)),
            Bow::Cubic([c, d]) => Bow::Cubic([back(d), back(c)]),
            Bow::Circle(radius, right) => Bow::Circle(radius, right),
        };
        let [tx, ty, tz] = self.translation;
        let [rx, ry, rz] = self.rotation;
        Self {
            name: name.to_owned(),
            label: self.label,
            translation: [-tx, ty, tz],
            rotation: [rx, -ry, -rz],
            vertices,
            bows: self.bows.iter().map(|(edge, b)| (count - 1 - edge, bow(*b))).collect(),
            labels: self.labels.iter().map(|(edge, label)| (count - 1 - edge, *label)).collect(),
        }
    }
}

/// Two edges, each as panel and number; `turns` if an outer side meets an inner one.
#[derive(Clone)]
pub(crate) struct Joint {
    pub(crate) ends: [(String, usize); 2],
    pub(crate) turns: bool,
}

/// A pattern.
#[derive(Clone)]
pub(crate) struct Sketch {
    pub(crate) name: &'static str,
    pub(crate) units_in_meter: f64,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) joints: Vec<Joint>,
}

impl Sketch {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, units_in_meter: 100.0, pieces: Vec::new(), joints: Vec::new() }
    }

    pub(crate) fn add(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }

    pub(crate) fn sew(&mut self, a: &str, i: usize, b: &str, j: usize) {
        self.joints.push(Joint { ends: [(a.to_owned(), i), (b.to_owned(), j)], turns: false });
    }

    /// The last stitch turns one side over.
    pub(crate) fn turn(&mut self) {
        if let Some(joint) = self.joints.last_mut() {
            joint.turns = true;
        }
    }

    /// Adds the mirror images of all `left_…` pieces and of the stitches between them.
    pub(crate) fn mirror(&mut self) {
        let other = |name: &str| name.replacen("left", "right", 1);
        let left: Vec<Piece> = self.pieces.iter().filter(|piece| piece.name.starts_with("left")).cloned().collect();
        let count = |name: &str| left.iter().find(|piece| piece.name == name).map(|piece| piece.vertices.len());
        let mut joints = Vec::new();
        for joint in &self.joints {
            let [(a, i), (b, j)] = &joint.ends;
            if let (Some(m), Some(n)) = (count(a), count(b)) {
                joints.push(Joint { ends: [(other(a), m - 1 - i), (other(b), n - 1 - j)], turns: joint.turns });
            }
        }
        self.pieces.extend(left.iter().map(|piece| piece.mirrored(&other(&piece.name))));
        self.joints.extend(joints);
    }

    /// Sews an edge of a left piece to that of its mirror image.
    pub(crate) fn close(&mut self, left: &str, edge: usize) {
        let count = self.pieces.iter().find(|piece| piece.name == left).map_or(0, |piece| piece.vertices.len());
        self.sew(&left.replacen("left", "right", 1), count - 1 - edge, left, edge);
    }

    pub(crate) fn piece_mut(&mut self, name: &str) -> &mut Piece {
        self.pieces.iter_mut().find(|piece| piece.name == name).expect("a piece of this name")
    }

    /// As a file.
    pub(crate) fn json(&self) -> String {
        let unit = self.units_in_meter / 100.0;
        let pair = |[x, y]: [f64; 2]| format!("[{x}, {y}]");
        let triple = |[x, y, z]: [f64; 3]| format!("[{x}, {y}, {z}]");
        let mut panels = Vec::new();
        for piece in &self.pieces {
            let vertices: Vec<String> = piece.vertices.iter().map(|v| pair(v.map(|x| unit * x))).collect();
            let count = piece.vertices.len();
            let mut edges = Vec::new();
            for i in 0..count {
                let mut edge = format!("{{\"endpoints\": [{i}, {}]", (i + 1) % count);
                for (_, bow) in piece.bows.iter().filter(|(at, _)| *at == i) {
                    let (kind, params) = match *bow {
                        Bow::Quadratic(c) => ("quadratic", pair(c)),
                        Bow::Cubic([c, d]) => ("cubic", format!("{}, {}", pair(c), pair(d))),
                        Bow::Circle(r, right) => ("circle", format!("{}, 0, {}", unit * r, u8::from(right))),
                    };
                    let _ = write!(edge, ", \"curvature\": {{\"type\": \"{kind}\", \"params\": [{params}]}}");
                }
                for (_, label) in piece.labels.iter().filter(|(at, _)| *at == i) {
                    let _ = write!(edge, ", \"label\": \"{label}\"");
                }
                edges.push(edge + "}");
            }
            let label =
                if piece.label.is_empty() { String::new() } else { format!(", \"label\": \"{}\"", piece.label) };
            panels.push(format!(
                "\"{}\": {{\"translation\": {}, \"rotation\": {}, \"vertices\": [{}], \"edges\": [{}]{label}}}",
                piece.name,
                triple(piece.translation.map(|x| unit * x)),
                triple(piece.rotation),
                vertices.join(", "),
                edges.join(", ")
            ));
        }
        let end = |(panel, edge): &(String, usize)| format!("{{\"panel\": \"{panel}\", \"edge\": {edge}}}");
        let stitch = |joint: &Joint| {
            let turns = if joint.turns { ", \"right_wrong\"" } else { "" };
            format!("[{}, {}{turns}]", end(&joint.ends[0]), end(&joint.ends[1]))
        };
        let stitches: Vec<String> = self.joints.iter().map(stitch).collect();
        format!(
            "{{\"name\": \"{}\", \"pattern\": {{\"panels\": {{{}}}, \"stitches\": [{}]}}, \"parameters\": {{}}, \
             \"properties\": {{\"curvature_coords\": \"relative\", \"units_in_meter\": {}}}}}",
            self.name,
            panels.join(", "),
            stitches.join(", "),
            self.units_in_meter
        )
    }
}

/// Front and back of a sleeveless top to the waist, `wide` [cm] a quarter, in left halves that are mirrored and closed. Their edges:
/// front 0 hem, 1 side, 2 armhole, 3 shoulder, 4 neck, 5 centre; back 0 centre, 1 neck, 2 shoulder, 3 armhole, 4 side, 5 hem.
pub(crate) fn bodice(sketch: &mut Sketch, wide: f64) {
    let front = [[0.0, 0.0], [wide, 0.0], [wide, 23.0], [17.0, 41.0], [8.5, 44.5], [0.0, 36.0]];
    let back = [[0.0, 0.0], [0.0, 42.0], [8.5, 44.5], [17.0, 41.0], [wide, 23.0], [wide, 0.0]];
    sketch.add(
        piece("left_ftorso", [0.0, 97.0, 25.0], &front)
            .labelled("body")
            .bow(2, Bow::Cubic([[0.2, 0.3], [0.5, 0.18]]))
            .mark(2, "left_armhole")
            .bow(4, Bow::Quadratic([0.5, 0.3]))
            .mark(4, "left_collar"),
    );
    sketch.add(
        piece("left_btorso", [0.0, 97.0, -20.0], &back)
            .labelled("body")
            .bow(1, Bow::Quadratic([0.3, -0.12]))
            .mark(1, "left_collar")
            .bow(3, Bow::Cubic([[0.5, -0.18], [0.8, -0.3]])),
    );
    sketch.sew("left_ftorso", 3, "left_btorso", 2);
    sketch.sew("left_ftorso", 1, "left_btorso", 4);
}

/// Both halves of a sleeve of the left arm, `long` [cm] above, drawn towards the hand, at an angle [°] below level.
pub(crate) fn sleeve(sketch: &mut Sketch, long: f64, angle: f64) {
    let (sin, cos) = angle.to_radians().sin_cos();
    let place = [18.0 + long * cos, 138.0 - long * sin];
    let turn = [0.0, 0.0, -angle];
    let front = [[0.0, 0.0], [-long, 0.0], [8.0 - long, -18.0], [0.0, -15.0]];
    let back = [[0.0, 0.0], [0.0, -15.0], [8.0 - long, -18.0], [-long, 0.0]];
    let z = [17.5, -12.5];
    sketch.add(
        piece("left_sleeve_f", [place[0], place[1], z[0]], &front)
            .labelled("arm")
            .turned(turn)
            .bow(1, Bow::Cubic([[0.35, -0.12], [0.65, 0.05]])),
    );
    sketch.add(
        piece("left_sleeve_b", [place[0], place[1], z[1]], &back)
            .labelled("arm")
            .turned(turn)
            .bow(2, Bow::Cubic([[0.35, 0.05], [0.65, -0.12]])),
    );
    sketch.sew("left_sleeve_f", 0, "left_sleeve_b", 3);
    sketch.sew("left_sleeve_f", 2, "left_sleeve_b", 1);
    sketch.sew("left_sleeve_f", 1, "left_ftorso", 2);
    sketch.sew("left_sleeve_b", 2, "left_btorso", 3);
}

/// A tier of a skirt: sectors of a ring, front and back, from `inner` to `outer` radius, of `sweep` [°] each. Edges of the front: 0 right
/// side, 1 hem, 2 left side, 3 upper; of the back: 0 upper, 1 left side, 2 hem, 3 right side.
pub(crate) fn tier(sketch: &mut Sketch, names: [&str; 2], top: f64, [inner, outer]: [f64; 2], sweep: f64) {
    let (sin, cos) = (0.5 * sweep.to_radians()).sin_cos();
    // The centre of the arcs is above the drawing, whose origin is at the upper end of its right side.
    let at = |r: f64, left: f64| [left * r * sin + inner * sin, inner * cos - r * cos];
    let (a, b, c, d) = (at(inner, -1.0), at(outer, -1.0), at(outer, 1.0), at(inner, 1.0));
    let place = |z: f64| [-inner * sin, top, z];
    sketch.add(
        piece(names[0], place(17.5), &[a, b, c, d])
            .labelled("leg")
            .bow(1, Bow::Circle(outer, true))
            .bow(3, Bow::Circle(inner, false)),
    );
    sketch.add(
        piece(names[1], place(-12.5), &[a, d, c, b])
            .labelled("leg")
            .bow(0, Bow::Circle(inner, true))
            .bow(2, Bow::Circle(outer, false)),
    );
    sketch.sew(names[0], 0, names[1], 3);
    sketch.sew(names[0], 2, names[1], 1);
}

/// A waistband of two straight panels, `wide` [cm] each. Edges of the front: 0 lower, 1 left, 2 upper, 3 right; of the back: 0 right,
/// 1 upper, 2 left, 3 lower.
pub(crate) fn waistband(sketch: &mut Sketch, wide: f64) {
    let half = 0.5 * wide;
    let (a, b, c, d) = ([-half, 0.0], [half, 0.0], [half, 4.0], [-half, 4.0]);
    sketch.add(piece("wb_front", [0.0, 102.0, 20.0], &[a, b, c, d]).labelled("body").mark(2, "lower_interface"));
    sketch.add(piece("wb_back", [0.0, 102.0, -15.0], &[a, d, c, b]).labelled("body").mark(1, "lower_interface"));
    sketch.sew("wb_front", 1, "wb_back", 2);
    sketch.sew("wb_front", 3, "wb_back", 0);
}

/// Trousers in left panels: front 0 outside, 1 upper, 2 centre, 3 fork, 4 inside, 5 hem; back 0 hem, 1 inside, 2 fork, 3 centre, 4 upper,
/// 5 outside. `quarter` [cm] is the width of a panel at the waist.
pub(crate) fn legs(sketch: &mut Sketch, quarter: f64) {
    let front =
        [[0.0, 0.0], [0.0, 98.0], [-quarter, 98.0], [-quarter, 84.0], [-quarter - 5.0, 72.0], [-quarter - 2.0, 0.0]];
    let back =
        [[0.0, 0.0], [-quarter - 4.0, 0.0], [-quarter - 9.0, 71.5], [-quarter, 84.0], [-quarter, 98.0], [0.0, 98.0]];
    sketch.add(piece("left_pant_f", [quarter + 6.0, 2.0, 25.0], &front).bow(3, Bow::Quadratic([0.6, 0.25])));
    sketch.add(piece("left_pant_b", [quarter + 10.0, 2.0, -20.0], &back).bow(2, Bow::Quadratic([0.4, -0.25])));
    sketch.sew("left_pant_f", 0, "left_pant_b", 5);
    sketch.sew("left_pant_f", 4, "left_pant_b", 1);
}
