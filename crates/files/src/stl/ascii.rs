//! Ascii STL: `facet normal … outer loop`, three `vertex x y z`, `endloop endfacet`, between `solid` and `endsolid`.
//! Several solids become one mesh; keywords may be in any case; the frame around the vertices is not insisted on.

use toile_mesh::{DVec3, TriMesh};

use super::weld::weld;
use crate::{
    ParseError, Place,
    mesh_file::element_count,
    text::{Continuation, Line, Lines, finite_number, quote},
};

/// The statement that a line makes.
enum Statement {
    Vertex,
    /// End of a triangle.
    EndLoop,
    /// Says nothing about positions.
    Frame,
    Unknown,
}

fn statement(line: Line<'_>) -> Statement {
    let Some(word) = line.words().next() else { return Statement::Frame };
    let is = |keyword: &[u8]| word.eq_ignore_ascii_case(keyword);
    if is(b"vertex") {
        Statement::Vertex
    } else if is(b"endloop") {
        Statement::EndLoop
    } else if [&b"solid"[..], b"facet", b"outer", b"endfacet", b"endsolid"].into_iter().any(is) {
        Statement::Frame
    } else {
        Statement::Unknown
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<TriMesh, ParseError> {
    let lines = Lines::new(bytes, Continuation::None);
    let total = lines.clone().filter(|&line| matches!(statement(line), Statement::Vertex)).count();
    let total = element_count(total as u64, "corners", Place::Whole)?;
    let mut corners = Vec::with_capacity(total as usize);
    let mut in_loop = 0;
    for line in lines.clone() {
        match statement(line) {
            Statement::Vertex => {
                corners.push(read_vertex(line)?);
                in_loop += 1;
            }
            Statement::EndLoop if in_loop == 3 => in_loop = 0,
            Statement::EndLoop => {
                let reason = format!("facet with {in_loop} vertices");
                return Err(ParseError::new(line.place(), reason, "a facet has three; triangulate before the export"));
            }
            Statement::Frame => {}
            Statement::Unknown => {
                let word = line.words().next().unwrap_or_default();
                let reason = format!("line starts with {}", quote(word));
                let remedy = "expected facet, outer loop, vertex, endloop, endfacet or endsolid";
                return Err(ParseError::new(line.place(), reason, remedy));
            }
        }
    }
    if in_loop != 0 {
        let place = Place::Line(lines.count() as u64);
        return Err(ParseError::new(place, "the file ends inside a facet", "copy it again, or export it again"));
    }
    Ok(weld(corners))
}

fn read_vertex(line: Line<'_>) -> Result<DVec3, ParseError> {
    let mut words = line.words().skip(1);
    let mut position = [0.0; 3];
    for (i, x) in position.iter_mut().enumerate() {
        let word = words.next().ok_or_else(|| {
            let reason = format!("vertex with {i} coordinates");
            ParseError::new(line.place(), reason, "write three, as in \"vertex 0 1 0\"")
        })?;
        *x = finite_number(word, "coordinate", line.place())?;
    }
    Ok(position.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solids_names_and_cases() {
        let text = b"solid facet vertex \xe9\r\nfacet normal nan 0 1\r\n outer loop\r\n  vertex 0 0 0\r\n  VERTEX 0.1 0 0\r\n\
                     \tvertex 0 1e-1 -0\r\n endloop\r\nEndFacet\r\nendsolid\r\n\r\nsolid\r\nfacet normal 0 0 1\r\nouter loop\r\n\
                     vertex 0 .1 0\r\nvertex 0.1 0 0\r\nvertex 1 1 0\r\nendloop\r\nendfacet\r\nendsolid b";
        let mesh = parse(text).unwrap();
        let positions =
            vec![DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.0, 0.1, -0.0), DVec3::new(1.0, 1.0, 0.0)];
        assert_eq!(mesh, TriMesh::from_indices(positions, &[[0, 1, 2], [2, 1, 3]]));
    }

    #[test]
    fn loops_of_other_than_three_vertices_are_errors() {
        let vertex = "vertex 0 0 0\n";
        for n in [0, 2, 4] {
            let text = format!("solid\nfacet\nouter loop\n{}endloop\n", vertex.repeat(n));
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!((error.place, error.reason), (Place::Line(4 + n as u64), format!("facet with {n} vertices")));
        }
        assert!(parse(format!("solid\n{vertex}").as_bytes()).unwrap_err().reason.contains("inside a facet"));
    }
}
