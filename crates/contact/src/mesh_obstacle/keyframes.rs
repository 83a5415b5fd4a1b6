//! Vertices of a mesh at evenly spaced times, with straight lines in between (Kimmerle 2005, section 6.2).
//!
//! Frame k is at time `k / rate`. Before the first frame the first one holds, after the last one the last.

use toile_mesh::DVec3;

use super::Deformation;

/// Vertex positions at evenly spaced times from 0 on.
///
/// ```
/// use toile_contact::{Deformation, VertexKeyframes};
/// use toile_mesh::DVec3;
/// let rising = VertexKeyframes::new(10.0, vec![vec![DVec3::ZERO], vec![DVec3::Y]]).unwrap();
/// let mut x = Vec::new();
/// rising.place(0.025, &mut x);
/// assert_eq!(x, [0.25 * DVec3::Y]);
/// rising.place(7.0, &mut x);
/// assert_eq!(x, [DVec3::Y]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct VertexKeyframes {
    rate: f64,
    frames: Vec<Vec<DVec3>>,
}

/// Why keyframes cannot be used.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum KeyframeError {
    /// There is none: give at least one.
    None,
    /// Their rate is not a positive number.
    Rate(f64),
    /// A frame has another number of vertices than the first.
    Count {
        /// The frame, from 0.
        frame: usize,
        /// Its vertices.
        found: usize,
        /// Those of the first frame.
        expected: usize,
    },
    /// A position is not finite.
    NotFinite {
        /// The frame, from 0.
        frame: usize,
        /// The vertex, from 0.
        vertex: usize,
    },
}

impl std::fmt::Display for KeyframeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => write!(f, "there is no keyframe"),
            Self::Rate(rate) => write!(f, "{rate} keyframes per second"),
            Self::Count { frame, found, expected } => {
                write!(f, "keyframe {frame} has {found} vertices, the first has {expected}")
            }
            Self::NotFinite { frame, vertex } => {
                write!(f, "vertex {vertex} of keyframe {frame} is not at a finite position")
            }
        }
    }
}

impl std::error::Error for KeyframeError {}

impl VertexKeyframes {
    /// `frames` at `rate` [1/s], all with the same number of vertices, at finite positions [m].
    pub fn new(rate: f64, frames: Vec<Vec<DVec3>>) -> Result<Self, KeyframeError> {
        let expected = frames.first().ok_or(KeyframeError::None)?.len();
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(KeyframeError::Rate(rate));
        }
        for (frame, positions) in frames.iter().enumerate() {
            if positions.len() != expected {
                return Err(KeyframeError::Count { frame, found: positions.len(), expected });
            }
            if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
                return Err(KeyframeError::NotFinite { frame, vertex });
            }
        }
        Ok(Self { rate, frames })
    }

    /// The frames [m].
    pub fn frames(&self) -> &[Vec<DVec3>] {
        &self.frames
    }
}

impl Deformation for VertexKeyframes {
    fn moves(&self) -> bool {
        self.frames.len() > 1
    }

    fn summary(&self) -> String {
        match self.frames.len() {
            1 => "1 keyframe".to_owned(),
            count => format!("{count} keyframes"),
        }
    }

    fn describe(&self, point: &mut dyn FnMut(DVec3)) {
        self.frames.iter().flatten().for_each(|p| point(*p));
    }

    fn place(&self, t: f64, positions: &mut Vec<DVec3>) {
        positions.clear();
        let last = self.frames.len() - 1;
        let at = (t * self.rate).clamp(0.0, last as f64);
        // Bounded by the clamp; a time that is not a number becomes the first frame.
        let before = at as usize;
        let share = at - before as f64;
        let from = &self.frames[before];
        if share > 0.0 {
            positions.extend(from.iter().zip(&self.frames[before + 1]).map(|(a, b)| a.lerp(*b, share)));
        } else {
            positions.extend_from_slice(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_are_held() {
        let keys = VertexKeyframes::new(4.0, vec![vec![DVec3::X], vec![DVec3::Y], vec![DVec3::Z]]).unwrap();
        for (t, expected) in [(-1.0, DVec3::X), (0.0, DVec3::X), (0.25, DVec3::Y), (0.5, DVec3::Z), (9.0, DVec3::Z)] {
            let mut x = Vec::new();
            keys.place(t, &mut x);
            assert_eq!(x, [expected], "at {t} s");
        }
        let mut x = Vec::new();
        keys.place(f64::NAN, &mut x);
        assert_eq!(x, [DVec3::X]);
    }

    #[test]
    fn bad_keyframes_are_named() {
        let one = || vec![DVec3::ZERO];
        assert_eq!(VertexKeyframes::new(1.0, Vec::new()), Err(KeyframeError::None));
        assert_eq!(VertexKeyframes::new(0.0, vec![one()]), Err(KeyframeError::Rate(0.0)));
        let uneven = VertexKeyframes::new(1.0, vec![one(), Vec::new()]).unwrap_err();
        assert_eq!(uneven, KeyframeError::Count { frame: 1, found: 0, expected: 1 });
        let nan = VertexKeyframes::new(1.0, vec![one(), vec![DVec3::NAN]]).unwrap_err();
        assert_eq!(nan, KeyframeError::NotFinite { frame: 1, vertex: 0 });
    }

    proptest! {
        #[test]
        fn a_straight_way_stays_straight(t in 0.0..3.0_f64, rate in 0.5..20.0_f64) {
            // Frames sampled from a straight even motion give that motion back.
            let way = |t: f64| DVec3::new(1.0 + t, -2.0 * t, 0.5 * t);
            let frames = (0..=(4.0 * rate).ceil() as usize).map(|k| vec![way(k as f64 / rate)]).collect();
            let keys = VertexKeyframes::new(rate, frames).unwrap();
            let mut x = Vec::new();
            keys.place(t, &mut x);
            prop_assert!((x[0] - way(t)).length() < 1e-12);
        }
    }
}
