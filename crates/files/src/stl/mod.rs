//! STL, the stereolithography format (3D Systems 1989): triangles without shared vertices, ascii or binary.
//!
//! Vertices at the same position become one (−0 counts as 0), numbered in order of appearance; positions that differ
//! in one bit stay apart. Binary files hold `f32`; decimals of ascii files are read as `f64`. Normals and the two
//! attribute bytes are ignored. Not written: PLY holds the same and keeps the connections.
//!
//! Which of the two it is: many binary files begin with "solid" like text, but text has no zero byte, and every binary
//! file has one: in the high byte of its count, unless it holds more than sixteen million triangles.

mod ascii;
mod binary;
mod weld;

use toile_mesh::TriMesh;

use crate::ParseError;

pub(crate) fn parse(bytes: &[u8]) -> Result<TriMesh, ParseError> {
    let starts_as_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    if starts_as_text && !bytes.contains(&0) { ascii::parse(bytes) } else { binary::parse(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn a_binary_file_may_begin_with_solid() {
        let mut file = b"solid exported by a careless program".to_vec();
        file.resize(80, b' ');
        file.extend(1_u32.to_le_bytes());
        file.extend([0; 12]);
        for x in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
            file.extend(x.to_le_bytes());
        }
        file.extend([0; 2]);
        assert_eq!(parse(&file).unwrap().vertex_count(), 3);
        file.pop();
        assert_eq!(parse(&file).unwrap_err().place, Place::Byte(80));
    }
}
