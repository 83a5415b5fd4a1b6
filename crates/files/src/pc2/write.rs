//! [`Pc2Writer`]: frames are appended one by one, the count is put into the header at the end.

use std::{
    io::{Seek, SeekFrom, Write},
    path::Path,
};

use toile_mesh::DVec3;

use super::{MAGIC, SAMPLES_AT, VERSION};
use crate::{
    ExportError, FileError,
    atomic::AtomicFile,
    export_check::{check_length, single},
};

/// Writes a point cache frame by frame; the file appears on [`finish`](Self::finish).
///
/// ```
/// use toile_files::pc2::{Pc2Reader, Pc2Writer};
/// use toile_mesh::DVec3;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("cloth.pc2");
/// let mut writer = Pc2Writer::create(&path, 2, 0.0, 1.0).unwrap();
/// writer.push(&[DVec3::ZERO, DVec3::X]).unwrap();
/// writer.push(&[DVec3::Y, DVec3::Z]).unwrap();
/// writer.finish().unwrap();
/// let mut reader = Pc2Reader::open(&path).unwrap();
/// assert_eq!(reader.frame(1).unwrap(), [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
/// ```
#[derive(Debug)]
pub struct Pc2Writer {
    file: AtomicFile,
    points: usize,
    samples: u32,
    /// A frame in bytes, kept for its memory.
    buffer: Vec<u8>,
}

impl Pc2Writer {
    /// Starts a cache of `points` vertices. `start_frame` is the time of the first sample [frames], `sample_rate` the
    /// distance between samples [frames per sample], 1 if every frame is written.
    pub fn create(path: &Path, points: usize, start_frame: f32, sample_rate: f32) -> Result<Self, FileError> {
        let header = header(points, start_frame, sample_rate).map_err(FileError::export(path))?;
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header).map_err(FileError::io(path, "write"))?;
        Ok(Self { file, points, samples: 0, buffer: Vec::new() })
    }

    /// Appends a frame [m], shape `[points]`, rounded to `f32`. A refused frame leaves the cache as it was.
    pub fn push(&mut self, positions: &[DVec3]) -> Result<(), FileError> {
        self.fill_buffer(positions).map_err(FileError::export(self.file.path()))?;
        if let Err(e) = self.file.write_all(&self.buffer) {
            return Err(FileError::io(self.file.path(), "write")(e));
        }
        self.samples += 1;
        Ok(())
    }

    fn fill_buffer(&mut self, positions: &[DVec3]) -> Result<(), ExportError> {
        check_length("positions", positions.len(), self.points)?;
        let limit = i32::MAX as u64;
        if u64::from(self.samples) >= limit {
            return Err(ExportError::TooLarge { what: "number of samples", value: limit + 1, limit });
        }
        self.buffer.clear();
        self.buffer.reserve(positions.len() * 12);
        for (vertex, &p) in positions.iter().enumerate() {
            self.buffer.extend(single("position", vertex, p)?.iter().flat_map(|x| x.to_le_bytes()));
        }
        Ok(())
    }

    /// Number of frames so far.
    pub fn frame_count(&self) -> u32 {
        self.samples
    }

    /// Writes the number of frames into the header and gives the file its name. At least one frame is needed.
    pub fn finish(mut self) -> Result<(), FileError> {
        let path = self.file.path().to_owned();
        if self.samples == 0 {
            return Err(FileError::export(&path)(ExportError::Empty { what: "frame" }));
        }
        self.file
            .seek(SeekFrom::Start(SAMPLES_AT))
            .and_then(|_| self.file.write_all(&self.samples.to_le_bytes()))
            .map_err(FileError::io(&path, "write"))?;
        self.file.commit()
    }
}

/// The 32 bytes of the header, with no samples yet.
fn header(points: usize, start_frame: f32, sample_rate: f32) -> Result<Vec<u8>, ExportError> {
    if points == 0 {
        return Err(ExportError::Empty { what: "vertex" });
    }
    let count = i32::try_from(points).map_err(|_| ExportError::TooLarge {
        what: "number of vertices",
        value: points as u64,
        limit: i32::MAX as u64,
    })?;
    if !start_frame.is_finite() {
        let value = start_frame.to_string();
        return Err(ExportError::Setting { what: "start frame", value, expected: "a finite number" });
    }
    if !(sample_rate.is_finite() && sample_rate > 0.0) {
        let value = sample_rate.to_string();
        return Err(ExportError::Setting { what: "sample rate", value, expected: "a finite number above zero" });
    }
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend(count.to_le_bytes());
    header.extend(start_frame.to_le_bytes());
    header.extend(sample_rate.to_le_bytes());
    header.extend(0_i32.to_le_bytes());
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_where_the_format_says() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pc2");
        let mut writer = Pc2Writer::create(&path, 1, 3.0, 0.5).unwrap();
        assert!(writer.push(&[DVec3::NAN]).is_err() && writer.push(&[]).is_err());
        writer.push(&[DVec3::new(0.1, 0.0, 0.0)]).unwrap();
        writer.push(&[DVec3::new(0.0, 2.0, 0.0)]).unwrap();
        assert_eq!(writer.frame_count(), 2);
        assert!(!path.exists());
        writer.finish().unwrap();
        let mut expected = b"POINTCACHE2\0\x01\0\0\0\x01\0\0\0".to_vec();
        expected.extend(3.0_f32.to_le_bytes());
        expected.extend(0.5_f32.to_le_bytes());
        expected.extend(2_i32.to_le_bytes());
        for x in [0.1_f32, 0.0, 0.0, 0.0, 2.0, 0.0] {
            expected.extend(x.to_le_bytes());
        }
        assert_eq!(std::fs::read(&path).unwrap(), expected);
    }

    #[test]
    fn senseless_settings_and_empty_caches_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pc2");
        for (points, start, rate) in [(0, 0.0, 1.0), (1, f32::NAN, 1.0), (1, 0.0, 0.0), (1 << 31, 0.0, 1.0)] {
            assert!(Pc2Writer::create(&path, points, start, rate).is_err());
        }
        assert!(Pc2Writer::create(&path, 1, 0.0, 1.0).unwrap().finish().is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
