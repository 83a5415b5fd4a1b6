//! [`Recording`]: positions of a mesh at equal times, straight lines between them (Kimmerle 2005, §6.2).
//!
//! Frames come from a folder of meshes or a point cache (`toile_files::sequence`), from an animated GLB file, or from any
//! function of time.

use toile_files::{RiggedScene, sequence::MOST_POSITIONS};
use toile_mesh::{DVec3, TriMesh, VertexId};

/// Why frames make no recording.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// There is no frame. Give one at least.
    #[error("a recording needs one frame at least")]
    Empty,
    /// The rate is not a positive number [1/s].
    #[error("{0} frames per second; give a positive number")]
    Rate(f64),
    /// All frames together have too many positions. Use a lower rate, a part of the motion or a coarser mesh.
    #[error("{frames} frames of {vertices} vertices; use a lower rate, a part of the motion or a coarser mesh")]
    TooLarge {
        /// Frames asked for.
        frames: usize,
        /// Vertices of each.
        vertices: usize,
    },
    /// A frame has another number of vertices than the mesh. Export mesh and frames from the same object.
    #[error("frame {frame} has {found} vertices, the mesh has {expected}; export both from the same object")]
    Vertices {
        /// The frame, from 0.
        frame: usize,
        /// Its vertices.
        found: usize,
        /// Those of the mesh.
        expected: usize,
    },
    /// A coordinate is NaN or infinite. Export the frame again.
    #[error("frame {frame}: vertex {vertex} is not at a finite place; export it again")]
    NonFinite {
        /// The frame, from 0.
        frame: usize,
        /// The vertex.
        vertex: usize,
    },
}

/// A mesh with its positions at equal times.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    triangles: Vec<[VertexId; 3]>,
    rate: f64,
    frames: Vec<Vec<DVec3>>,
}

impl Recording {
    /// Frames [m] of a mesh at a rate [1/s], the first at time 0.
    ///
    /// ```
    /// use toile_body::Recording;
    /// use toile_mesh::{DVec3, generate};
    /// let ball = generate::icosphere(0.1, 1);
    /// let frames = (0..3).map(|k| ball.positions.iter().map(|p| *p + f64::from(k) * DVec3::X).collect()).collect();
    /// let rolling = Recording::new(ball.triangles.clone(), 24.0, frames)?;
    /// let mut positions = Vec::new();
    /// rolling.positions(1.5 / 24.0, &mut positions);
    /// assert!((positions[0] - (ball.positions[0] + 1.5 * DVec3::X)).length() < 1e-12);
    /// # Ok::<(), toile_body::RecordingError>(())
    /// ```
    pub fn new(triangles: Vec<[VertexId; 3]>, rate: f64, frames: Vec<Vec<DVec3>>) -> Result<Self, RecordingError> {
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(RecordingError::Rate(rate));
        }
        let expected = frames.first().ok_or(RecordingError::Empty)?.len();
        let named = triangles.iter().flatten().map(|v| v.index() + 1).max().unwrap_or(0);
        for (frame, x) in frames.iter().enumerate() {
            if x.len() != expected || x.len() < named {
                let expected = expected.max(named);
                return Err(RecordingError::Vertices { frame, found: x.len(), expected });
            }
            if let Some(vertex) = x.iter().position(|p| !p.is_finite()) {
                return Err(RecordingError::NonFinite { frame, vertex });
            }
        }
        Ok(Self { triangles, rate, frames })
    }

    /// Samples any function of time, at a rate [1/s] until `duration` [s] is reached.
    pub fn sample(
        mesh: &TriMesh,
        rate: f64,
        duration: f64,
        mut positions: impl FnMut(f64, &mut Vec<DVec3>),
    ) -> Result<Self, RecordingError> {
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(RecordingError::Rate(rate));
        }
        let count = (duration.max(0.0) * rate - 1e-9).ceil().max(0.0) as usize;
        let vertices = mesh.vertex_count();
        if count.saturating_mul(vertices) > MOST_POSITIONS {
            return Err(RecordingError::TooLarge { frames: count, vertices });
        }
        let frame = |k: usize| {
            let mut x = Vec::with_capacity(mesh.vertex_count());
            positions(k as f64 / rate, &mut x);
            x
        };
        Self::new(mesh.triangles.clone(), rate, (0..=count).map(frame).collect())
    }

    /// The animation of a GLB file, sampled at a rate [1/s].
    pub fn from_rigged(scene: &RiggedScene, rate: f64) -> Result<Self, RecordingError> {
        Self::sample(&scene.mesh_at(0.0), rate, scene.duration(), |t, x| scene.positions(t, x))
    }

    /// Its triangles.
    pub fn triangles(&self) -> &Vec<[VertexId; 3]> {
        &self.triangles
    }

    /// Time of the last frame [s].
    pub fn duration(&self) -> f64 {
        (self.frames.len() - 1) as f64 / self.rate
    }

    /// Positions at a time [m; s]; still before the first frame and after the last.
    pub fn positions(&self, t: f64, positions: &mut Vec<DVec3>) {
        let last = self.frames.len() - 1;
        let place = (t * self.rate).clamp(0.0, last as f64);
        let k = (place as usize).min(last);
        let share = place - k as f64;
        positions.clear();
        match self.frames.get(k + 1) {
            Some(next) if share > 0.0 => {
                positions.extend(self.frames[k].iter().zip(next).map(|(a, b)| a.lerp(*b, share)));
            }
            _ => positions.extend_from_slice(&self.frames[k]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate;

    #[test]
    fn frames_are_met_exactly_and_time_ends_are_still() {
        let ball = generate::icosphere(0.1, 1);
        let swell = |t: f64, x: &mut Vec<DVec3>| x.extend(ball.positions.iter().map(|p| (1.0 + t * t) * *p));
        let recording = Recording::sample(&ball, 10.0, 0.45, swell).unwrap();
        assert_eq!(recording.duration(), 0.5);
        let mut x = Vec::new();
        for (t, factor) in [(-1.0, 1.0), (0.2, 1.04), (0.25, 0.5 * (1.04 + 1.09)), (0.5, 1.25), (9.0, 1.25)] {
            recording.positions(t, &mut x);
            assert!(x.iter().zip(&ball.positions).all(|(p, q)| (*p - factor * *q).length() < 1e-12), "{t}");
        }
    }

    #[test]
    fn an_animated_file_is_sampled() {
        use toile_files::glb::{GlbInterpolation, GlbNormals, GlbObject, GlbScene, parse_glb};
        let ball = generate::icosphere(0.1, 1);
        let mut object = GlbObject::new("b", &ball, GlbNormals::Base).unwrap();
        for k in 0..3 {
            object
                .push_frame(&ball.positions.iter().map(|p| *p + f64::from(k) * DVec3::X).collect::<Vec<_>>())
                .unwrap();
        }
        let mut file = GlbScene::new(10.0, GlbInterpolation::Linear).unwrap();
        file.add(object);
        let recording = Recording::from_rigged(&parse_glb(&file.to_bytes().unwrap()).unwrap(), 20.0).unwrap();
        let mut x = Vec::new();
        recording.positions(0.15, &mut x);
        assert!(x.iter().zip(&ball.positions).all(|(p, q)| (*p - *q - 1.5 * DVec3::X).length() < 1e-5));
    }

    #[test]
    fn frames_that_do_not_fit_are_refused() {
        let ball = generate::icosphere(0.1, 0);
        let make = |rate, frames| Recording::new(ball.triangles.clone(), rate, frames);
        assert_eq!(make(24.0, vec![]).unwrap_err(), RecordingError::Empty);
        let endless = Recording::sample(&ball, 1e9, 1e9, |_, _| ());
        assert!(matches!(endless, Err(RecordingError::TooLarge { vertices: 12, .. })));
        assert_eq!(make(0.0, vec![ball.positions.clone()]).unwrap_err(), RecordingError::Rate(0.0));
        let short = vec![ball.positions.clone(), vec![DVec3::ZERO]];
        assert_eq!(make(1.0, short).unwrap_err(), RecordingError::Vertices { frame: 1, found: 1, expected: 12 });
        assert!(matches!(make(1.0, vec![vec![]]).unwrap_err(), RecordingError::Vertices { frame: 0, .. }));
        let mut torn = ball.positions.clone();
        torn[3].y = f64::NAN;
        assert_eq!(make(1.0, vec![torn]).unwrap_err(), RecordingError::NonFinite { frame: 0, vertex: 3 });
    }
}
