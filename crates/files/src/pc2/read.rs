//! [`Pc2Reader`]: any frame of a point cache.

use std::{
    fs::File,
    io::{BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{HEADER_BYTES, MAGIC, POINT_BYTES, VERSION};
use crate::{FileError, ParseError, Place};

/// Reads frames of a point cache in any order. The header is checked against the file's length on opening; example at
/// [`Pc2Writer`](super::Pc2Writer).
#[derive(Debug)]
pub struct Pc2Reader {
    path: PathBuf,
    file: BufReader<File>,
    points: u32,
    frames: u32,
    start_frame: f32,
    sample_rate: f32,
}

impl Pc2Reader {
    /// Opens a cache and checks that it holds as many frames as it says.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::open(path).map_err(FileError::io(path, "open"))?;
        let length = file.metadata().map_err(FileError::io(path, "read"))?.len();
        let mut file = BufReader::new(file);
        let mut header = Vec::with_capacity(HEADER_BYTES as usize);
        file.by_ref().take(HEADER_BYTES).read_to_end(&mut header).map_err(FileError::io(path, "read"))?;
        let header = parse_header(&header, length).map_err(FileError::parse(path))?;
        let Header { points, frames, start_frame, sample_rate } = header;
        Ok(Self { path: path.to_owned(), file, points, frames, start_frame, sample_rate })
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.points as usize
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frames as usize
    }

    /// Time of the first frame [frames].
    pub fn start_frame(&self) -> f32 {
        self.start_frame
    }

    /// Distance between frames [frames per sample].
    pub fn sample_rate(&self) -> f32 {
        self.sample_rate
    }

    /// Positions of frame `k` [m], counted from 0, shape `[vertices]`.
    pub fn frame(&mut self, k: usize) -> Result<Vec<[f32; 3]>, FileError> {
        if k >= self.frame_count() {
            let reason = format!("frame {k} of {}", self.frames);
            let error = ParseError::new(Place::Whole, reason, "frames are counted from 0");
            return Err(FileError::parse(&self.path)(error));
        }
        let frame_bytes = u64::from(self.points) * POINT_BYTES;
        let start = HEADER_BYTES + k as u64 * frame_bytes;
        // The length was checked on opening, so this much is there unless the file changed since.
        let mut bytes = vec![0; frame_bytes as usize];
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(FileError::io(&self.path, "read"))?;
        let values = bytes.as_chunks::<4>().0;
        if let Some(i) = values.iter().position(|&raw| !f32::from_le_bytes(raw).is_finite()) {
            let place = Place::Byte(start + 4 * i as u64);
            let error = ParseError::new(place, "coordinate is not finite", "write the cache again");
            return Err(FileError::parse(&self.path)(error));
        }
        Ok(values.as_chunks::<3>().0.iter().map(|p| p.map(f32::from_le_bytes)).collect())
    }
}

#[derive(Debug)]
struct Header {
    points: u32,
    frames: u32,
    start_frame: f32,
    sample_rate: f32,
}

fn parse_header(bytes: &[u8], file_length: u64) -> Result<Header, ParseError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(ParseError::new(Place::Byte(0), "the file does not start with POINTCACHE2", "this is not PC2"));
    }
    let Some(&fields) = bytes[MAGIC.len()..].as_chunks::<4>().0.as_array::<5>() else {
        return Err(ParseError::new(Place::Byte(12), "the header is cut off", "copy the file again"));
    };
    let [version, points, start_frame, sample_rate, frames] = fields;
    let version = i32::from_le_bytes(version);
    if version != VERSION {
        let reason = format!("PC2 version {version}");
        return Err(ParseError::new(Place::Byte(12), reason, "only version 1 is known"));
    }
    let count = |raw, at, what| {
        let value = i32::from_le_bytes(raw);
        u32::try_from(value).map_err(|_| {
            let reason = format!("{value} {what}");
            ParseError::new(Place::Byte(at), reason, "counts are not negative: write the cache again")
        })
    };
    let (points, frames) = (count(points, 16, "points")?, count(frames, 28, "samples")?);
    // At most 2³¹ · 2³¹ · 12 < 2⁶⁶: too much for 64 bits.
    let needed = u128::from(HEADER_BYTES) + u128::from(points) * u128::from(frames) * u128::from(POINT_BYTES);
    if needed != u128::from(file_length) {
        let reason = format!("{frames} samples of {points} points make {needed} bytes, the file has {file_length}");
        return Err(ParseError::new(Place::Byte(28), reason, "the cache is cut off: write it again"));
    }
    let [start_frame, sample_rate] = [start_frame, sample_rate].map(f32::from_le_bytes);
    Ok(Header { points, frames, start_frame, sample_rate })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toile_mesh::DVec3;

    use super::*;
    use crate::pc2::Pc2Writer;

    fn header(version: i32, points: i32, samples: i32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, points, 0, 0, samples].iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    #[test]
    fn headers_that_lie_are_refused() {
        assert!(parse_header(&header(1, 2, 3), 32 + 72).is_ok());
        for (bytes, length) in [
            (header(1, 2, 3), 32 + 71),
            (header(1, 2, 3), 32 + 73),
            (header(1, i32::MAX, i32::MAX), 32),
            (header(1, -2, -3), 32 + 72),
            (header(2, 2, 3), 32 + 72),
            (header(1, 2, 3)[..31].to_vec(), 31),
            (b"POINTCACHE1\0".to_vec(), 12),
            (Vec::new(), 0),
        ] {
            assert!(parse_header(&bytes, length).is_err());
        }
    }

    #[test]
    fn a_frame_that_is_not_there_or_not_finite_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pc2");
        let mut writer = Pc2Writer::create(&path, 1, 0.0, 1.0).unwrap();
        writer.push(&[DVec3::X]).unwrap();
        writer.push(&[DVec3::Y]).unwrap();
        writer.finish().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[32 + 12 + 4..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        std::fs::write(&path, bytes).unwrap();
        let mut reader = Pc2Reader::open(&path).unwrap();
        assert_eq!(reader.frame(0).unwrap(), [[1.0, 0.0, 0.0]]);
        assert!(reader.frame(1).unwrap_err().to_string().contains("byte 48: coordinate is not finite"));
        assert!(reader.frame(2).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn frames_come_back_in_any_order(
            frames in (1..5_usize).prop_flat_map(|n| prop::collection::vec(prop::collection::vec(any::<[i16; 3]>(), n), 1..6)),
            start in -10.0..10.0_f32,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("a.pc2");
            // A multiple of 1/64 has the same value in both precisions.
            let frames: Vec<Vec<[f32; 3]>> =
                frames.iter().map(|f| f.iter().map(|p| p.map(|x| f32::from(x) / 64.0)).collect()).collect();
            let mut writer = Pc2Writer::create(&path, frames[0].len(), start, 0.5).unwrap();
            for frame in &frames {
                writer.push(&frame.iter().map(|p| p.map(f64::from).into()).collect::<Vec<DVec3>>()).unwrap();
            }
            writer.finish().unwrap();
            let mut reader = Pc2Reader::open(&path).unwrap();
            prop_assert_eq!((reader.vertex_count(), reader.frame_count()), (frames[0].len(), frames.len()));
            prop_assert_eq!((reader.start_frame(), reader.sample_rate()), (start, 0.5));
            for (k, frame) in frames.iter().enumerate().rev() {
                prop_assert_eq!(&reader.frame(k).unwrap(), frame);
            }
        }

        #[test]
        fn any_header_is_judged_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..40), length: u64) {
            let mut with_magic = MAGIC.to_vec();
            with_magic.extend(&bytes);
            with_magic.truncate(32);
            let _ = parse_header(&with_magic, length);
            prop_assume!(!bytes.starts_with(&MAGIC));
            prop_assert!(parse_header(&bytes, length).is_err());
        }
    }
}
