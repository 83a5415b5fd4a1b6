//! The OBJ reader: one pass to count, so that memory is taken once and faces may name vertices that come later; one
//! pass to read.

use toile_mesh::{DVec3, TriMesh, VertexId};

use crate::{
    ParseError, Place,
    mesh_file::element_count,
    text::{Continuation, Line, Lines, finite_number, quote},
};

pub(crate) fn parse(bytes: &[u8]) -> Result<TriMesh, ParseError> {
    let lines = Lines::new(bytes, Continuation::Backslash);
    let (vertex_total, triangle_total) = count(lines.clone())?;
    let mut mesh = TriMesh {
        positions: Vec::with_capacity(vertex_total as usize),
        triangles: Vec::with_capacity(triangle_total as usize),
    };
    for line in lines {
        let mut words = words(line);
        match words.next() {
            Some(b"v") => mesh.positions.push(read_vertex(words, line.place())?),
            Some(b"f") => read_face(words, line.place(), vertex_total, &mut mesh)?,
            _ => {}
        }
    }
    Ok(mesh)
}

/// The words of a statement, without comment and line continuations.
fn words(line: Line<'_>) -> impl Iterator<Item = &[u8]> {
    let end = line.bytes.iter().position(|&b| b == b'#').unwrap_or(line.bytes.len());
    let statement = Line { bytes: &line.bytes[..end], ..line };
    statement.words().map(|word| word.strip_suffix(b"\\").unwrap_or(word)).filter(|word| !word.is_empty())
}

/// Numbers of vertices and of triangles after cutting polygons.
fn count(lines: Lines<'_>) -> Result<(u32, u32), ParseError> {
    let (mut vertices, mut triangles) = (0_u64, 0_u64);
    for line in lines {
        let mut words = words(line);
        match words.next() {
            Some(b"v") => vertices += 1,
            Some(b"f") => triangles += (words.count() as u64).saturating_sub(2),
            _ => {}
        }
    }
    Ok((element_count(vertices, "vertices", Place::Whole)?, element_count(triangles, "triangles", Place::Whole)?))
}

fn read_vertex<'a>(mut words: impl Iterator<Item = &'a [u8]>, place: Place) -> Result<DVec3, ParseError> {
    let mut position = [0.0; 3];
    for (i, x) in position.iter_mut().enumerate() {
        let word = words.next().ok_or_else(|| {
            ParseError::new(place, format!("vertex with {i} coordinates"), "write three, as in \"v 0 1 0\"")
        })?;
        *x = finite_number(word, "coordinate", place)?;
    }
    Ok(position.into())
}

fn read_face<'a>(
    words: impl Iterator<Item = &'a [u8]>,
    place: Place,
    vertex_total: u32,
    mesh: &mut TriMesh,
) -> Result<(), ParseError> {
    let vertices_so_far = mesh.positions.len() as u32;
    let mut corners = words.map(|word| read_corner(word, place, vertices_so_far, vertex_total));
    let mut corner = |i: usize| {
        corners.next().unwrap_or_else(|| {
            let reason = format!("face with {i} corners");
            Err(ParseError::new(place, reason, "write at least three, as in \"f 1 2 3\", or leave the face out"))
        })
    };
    let (first, mut last) = (corner(0)?, corner(1)?);
    let mut next = corner(2)?;
    loop {
        mesh.triangles.push([first, last, next]);
        last = next;
        match corners.next() {
            Some(corner) => next = corner?,
            None => return Ok(()),
        }
    }
}

fn read_corner(word: &[u8], place: Place, so_far: u32, total: u32) -> Result<VertexId, ParseError> {
    let index = word.split(|&b| b == b'/').next().unwrap_or_default();
    let number: i64 = std::str::from_utf8(index).ok().and_then(|i| i.parse().ok()).ok_or_else(|| {
        let reason = format!("face corner {} is not a vertex number", quote(word));
        ParseError::new(place, reason, "write corners as v, v/vt, v//vn or v/vt/vn with whole numbers")
    })?;
    let fail = |reason: String, remedy| Err(ParseError::new(place, reason, remedy));
    match number {
        0 => fail("face corner 0".into(), "vertices are numbered from 1, or from -1 backwards"),
        1.. if number <= i64::from(total) => Ok(VertexId((number - 1) as u32)),
        1.. => fail(format!("face corner {number}, the file has {total} vertices"), "correct the number"),
        _ => match i64::from(so_far).checked_add(number) {
            Some(index @ 0..) => Ok(VertexId(index as u32)),
            _ => fail(format!("face corner {number}, {so_far} vertices precede this line"), "correct the number"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangles(text: &str) -> Vec<[u32; 3]> {
        parse(text.as_bytes()).unwrap().triangles.iter().map(|t| t.map(|v| v.0)).collect()
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn corners_in_every_spelling() {
        for face in ["f 1 2 3", "f 1/7 2/7 3/7", "f 1//9 2//9 3//9", "f 1/7/9 2/7/9 3/7/9", "f -4 -3/1 -2//1"] {
            assert_eq!(triangles(&format!("{SQUARE}{face}\n")), [[0, 1, 2]], "{face}");
        }
    }

    #[test]
    fn a_polygon_becomes_a_fan() {
        assert_eq!(triangles(&format!("{SQUARE}v 0 0 1\nf 1 2 3 4 5")), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn continued_lines_comments_colours_and_unknown_statements() {
        let text =
            b"# \xe9 any \\\r\nmtllib /etc/passwd\r\no part\r\nv 0 0 0 # origin\r\nv 1 0 \\\r\n 0 0.5 0.5 0.5\r\n\
                    v 0 1e0 0\r\nvn 0 0 1\r\ns off\r\nf 1\\\r\n2 3\r\n";
        let mesh = parse(text).unwrap();
        assert_eq!(mesh, TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]));
    }

    #[test]
    fn positive_numbers_may_look_ahead_and_negative_ones_count_back_from_their_line() {
        assert_eq!(triangles("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -3\n"), [[0, 1, 2], [2, 1, 0]]);
        let error = parse(b"v 0 0 0\nv 0 0 0\nf -1 -2 -3\nv 0 0 0\n").unwrap_err();
        assert_eq!(
            (error.place, error.reason.as_str()),
            (Place::Line(3), "face corner -3, 2 vertices precede this line")
        );
    }

    #[test]
    fn errors_name_the_first_of_the_joined_lines() {
        assert_eq!(parse(b"v 0 0 0\nf 1 \\\n1 \\\nx\n").unwrap_err().place, Place::Line(2));
    }

    #[test]
    fn extreme_corner_numbers_do_not_overflow() {
        for corner in ["-9223372036854775808", "9223372036854775807", "99999999999999999999"] {
            assert!(parse(format!("v 0 0 0\nf 1 1 {corner}").as_bytes()).is_err());
        }
    }
}
