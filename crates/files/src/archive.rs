//! ZIP archives and gzip streams, read only: enough for the wheels in which body data is published.
//!
//! APPNOTE 6.3: the directory at the end names every member with its method (0 stored, 8 deflated), sizes and the place of
//! its local header; archives of several parts, encrypted members and ZIP64 are refused. RFC 1952 for gzip, one member.
//! Inflating is `miniz_oxide`'s, which pictures are written with anyway. Sizes are compared with a limit before memory is
//! taken.

use std::collections::BTreeMap;
use std::path::Path;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::mesh_file::read_limited;
use crate::{FileError, ParseError, Place};

/// Largest archive that is read, in bytes.
pub const MOST_ARCHIVE_BYTES: u64 = 1 << 29;

/// A ZIP archive in memory.
#[derive(Clone, Debug)]
pub struct Zip {
    bytes: Vec<u8>,
    members: BTreeMap<String, Member>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    method: u16,
    packed: usize,
    header: usize,
}

impl Zip {
    /// Reads an archive and its directory.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let bytes = read_limited(path, MOST_ARCHIVE_BYTES)?;
        Self::parse(bytes).map_err(FileError::parse(path))
    }

    /// The same from its bytes.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, ParseError> {
        // The record at the end has 22 bytes and a comment of at most 65535.
        let tail = bytes.len().saturating_sub(22 + 65_535);
        let end = (tail..bytes.len().saturating_sub(21)).rev().find(|at| bytes[*at..].starts_with(b"PK\x05\x06"));
        let end = end.ok_or_else(|| {
            ParseError::new(Place::Whole, "this is no ZIP archive, or it is cut off", "download it again")
        })?;
        let count = u16_at(&bytes, end + 10)?;
        let mut at = u32_at(&bytes, end + 16)? as usize;
        let mut members = BTreeMap::new();
        for _ in 0..count {
            if !bytes.get(at..).is_some_and(|rest| rest.starts_with(b"PK\x01\x02")) {
                return Err(damaged());
            }
            let (flags, method) = (u16_at(&bytes, at + 8)?, u16_at(&bytes, at + 10)?);
            let packed = u32_at(&bytes, at + 20)? as usize;
            let [name, extra, comment] = [28, 30, 32].map(|k| u16_at(&bytes, at + k).map(usize::from));
            let (name, extra, comment) = (name?, extra?, comment?);
            let header = u32_at(&bytes, at + 42)? as usize;
            let text = bytes.get(at + 46..at + 46 + name).ok_or_else(damaged)?;
            // Encrypted members are left out: nobody can ask for them.
            if flags & 1 == 0 {
                members.insert(String::from_utf8_lossy(text).into_owned(), Member { method, packed, header });
            }
            at += 46 + name + extra + comment;
        }
        Ok(Self { bytes, members })
    }

    /// The names of its members, ascending.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }

    /// The bytes of a member, at most `limit`; `None` if there is none of this name.
    pub fn read(&self, name: &str, limit: usize) -> Option<Result<Vec<u8>, ParseError>> {
        self.members.get(name).map(|member| self.unpack(*member, limit))
    }

    fn unpack(&self, member: Member, limit: usize) -> Result<Vec<u8>, ParseError> {
        let Member { method, packed, header } = member;
        let skip = usize::from(u16_at(&self.bytes, header + 26)?) + usize::from(u16_at(&self.bytes, header + 28)?);
        let start = header + 30 + skip;
        let packed = self.bytes.get(start..start.saturating_add(packed)).ok_or_else(damaged)?;
        match method {
            0 if packed.len() <= limit => Ok(packed.to_vec()),
            8 => decompress_to_vec_with_limit(packed, limit).map_err(|_| damaged()),
            0 => Err(damaged()),
            _ => Err(ParseError::new(
                Place::Whole,
                "a member is packed by a method that is not read",
                "pack it with deflate",
            )),
        }
    }
}

/// Unpacks a gzip stream of at most `limit` bytes.
///
/// ```
/// assert!(toile_files::archive::gunzip(b"no gzip", 100).is_err());
/// ```
pub fn gunzip(bytes: &[u8], limit: usize) -> Result<Vec<u8>, ParseError> {
    let [0x1f, 0x8b, 8, flags, ..] = bytes else { return Err(damaged()) };
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(u16_at(bytes, at)?);
    }
    // Name and comment end with a zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let rest = bytes.get(at..).ok_or_else(damaged)?;
            at += 1 + rest.iter().position(|b| *b == 0).ok_or_else(damaged)?;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    let end = bytes.len().saturating_sub(8);
    let packed = bytes.get(at..end).ok_or_else(damaged)?;
    let unpacked = decompress_to_vec_with_limit(packed, limit).map_err(|_| damaged())?;
    if u32_at(bytes, end + 4)? as usize == unpacked.len() { Ok(unpacked) } else { Err(damaged()) }
}

fn damaged() -> ParseError {
    ParseError::new(Place::Whole, "the archive is damaged or too large", "download it again")
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, ParseError> {
    let two = bytes.get(at..at.saturating_add(2)).and_then(|b| b.try_into().ok());
    two.map(u16::from_le_bytes).ok_or_else(damaged)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, ParseError> {
    let four = bytes.get(at..at.saturating_add(4)).and_then(|b| b.try_into().ok());
    four.map(u32::from_le_bytes).ok_or_else(damaged)
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;
    use proptest::prelude::*;

    use super::*;

    /// An archive of deflated members.
    fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let packed = compress_to_vec(content, 6);
            let mut entry = b"PK\x01\x02\x14\0\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0".to_vec();
            entry.extend((packed.len() as u32).to_le_bytes());
            entry.extend((content.len() as u32).to_le_bytes());
            entry.extend((name.len() as u16).to_le_bytes());
            entry.extend([0; 12]);
            entry.extend((bytes.len() as u32).to_le_bytes());
            entry.extend(name.as_bytes());
            directory.extend(entry);
            bytes.extend(b"PK\x03\x04");
            bytes.extend([0; 22]);
            bytes.extend((name.len() as u16).to_le_bytes());
            bytes.extend([0; 2]);
            bytes.extend(name.as_bytes());
            bytes.extend(packed);
        }
        let start = bytes.len() as u32;
        bytes.extend(&directory);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend((members.len() as u16).to_le_bytes());
        bytes.extend((members.len() as u16).to_le_bytes());
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }

    #[test]
    fn members_come_back_as_they_went_in() {
        let long = b"cloth ".repeat(1000);
        let zip = Zip::parse(zip(&[("a/b.txt", b"short"), ("c", &long)])).unwrap();
        assert_eq!(zip.names().collect::<Vec<_>>(), ["a/b.txt", "c"]);
        assert_eq!(zip.read("a/b.txt", 10).unwrap().unwrap(), b"short");
        assert_eq!(zip.read("c", long.len()).unwrap().unwrap(), long);
        assert!(zip.read("c", long.len() - 1).unwrap().is_err(), "the limit holds");
        assert!(zip.read("d", 10).is_none());
    }

    #[test]
    fn gzip_streams_with_names_come_back_too() {
        let mut bytes = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
        bytes.extend(b"name\0");
        bytes.extend(compress_to_vec(b"content", 6));
        bytes.extend([0; 4]);
        bytes.extend(7_u32.to_le_bytes());
        assert_eq!(gunzip(&bytes, 7).unwrap(), b"content");
        assert!(gunzip(&bytes, 6).is_err());
        assert!(gunzip(&bytes[..bytes.len() - 1], 7).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_and_spoiled_bytes_are_survived(
            noise in prop::collection::vec(any::<u8>(), 0..200),
            spoiled in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        ) {
            let _ = (Zip::parse(noise.clone()).is_ok(), gunzip(&noise, 100).is_ok());
            let mut bytes = zip(&[("a", b"first"), ("b", b"second")]);
            for (at, value) in spoiled {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if let Ok(zip) = Zip::parse(bytes) {
                for name in zip.names() {
                    let _ = zip.read(name, 1000);
                }
            }
        }
    }
}
