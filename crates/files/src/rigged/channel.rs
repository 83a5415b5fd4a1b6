//! Channels of an animation: keys, and what is between them.

use toile_mesh::{DQuat, DVec3};

use super::node::{Local, Node};

/// What a channel moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// What is between two keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Between {
    Step,
    Linear,
    Cubic,
}

/// What a node does over time.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) node: usize,
    pub(crate) path: Path,
    pub(crate) between: Between,
    /// Ascending [s].
    pub(crate) times: Vec<f64>,
    /// `width` numbers per key; three times as many for cubic splines: slope in, value, slope out.
    pub(crate) values: Vec<f64>,
    pub(crate) width: usize,
}

impl Channel {
    /// Time of the last key [s].
    pub(super) fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Sets what it moves to its value at a time [s].
    pub(super) fn apply(&self, t: f64, nodes: &mut [Node]) {
        let node = &mut nodes[self.node];
        if self.path == Path::Weights {
            node.weights = self.at(t);
            return;
        }
        let Local::Parts { translation, rotation, scale } = &mut node.local else { return };
        let value = self.at(t);
        match self.path {
            Path::Rotation => {
                let turn = DQuat::from_xyzw(value[0], value[1], value[2], value[3]);
                *rotation = if turn.length_squared() > 0.0 { turn.normalize() } else { DQuat::IDENTITY };
            }
            Path::Scale => *scale = DVec3::new(value[0], value[1], value[2]),
            Path::Translation | Path::Weights => *translation = DVec3::new(value[0], value[1], value[2]),
        }
    }

    fn at(&self, t: f64) -> Vec<f64> {
        let next = self.times.partition_point(|time| *time <= t);
        if next == 0 || next == self.times.len() {
            return self.key(next.saturating_sub(1), 1).to_vec();
        }
        let (before, length) = (next - 1, self.times[next] - self.times[next - 1]);
        let u = (t - self.times[before]) / length;
        let (a, b) = (self.key(before, 1), self.key(next, 1));
        match self.between {
            Between::Step => a.to_vec(),
            Between::Linear if self.path == Path::Rotation => {
                let q = |v: &[f64]| DQuat::from_xyzw(v[0], v[1], v[2], v[3]).normalize();
                q(a).slerp(q(b), u).to_array().to_vec()
            }
            Between::Linear => a.iter().zip(b).map(|(a, b)| a + u * (b - a)).collect(),
            Between::Cubic => {
                let (out, into) = (self.key(before, 2), self.key(next, 0));
                let v = 1.0 - u;
                let mix = |i: usize| {
                    v * v * ((1.0 + 2.0 * u) * a[i] + u * length * out[i])
                        + u * u * ((1.0 + 2.0 * v) * b[i] - v * length * into[i])
                };
                (0..self.width).map(mix).collect()
            }
        }
    }

    /// Slope in (0), value (1) or slope out (2) of a key.
    fn key(&self, key: usize, which: usize) -> &[f64] {
        let start = if self.between == Between::Cubic { (3 * key + which) * self.width } else { key * self.width };
        &self.values[start..start + self.width]
    }
}
