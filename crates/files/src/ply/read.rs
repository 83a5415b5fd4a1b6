//! From PLY rows to a mesh. Faces are walked twice, to count triangles and to read them, so that memory is taken once.

use toile_mesh::{DVec3, TriMesh, VertexId};

use super::{
    body::{Ascii, Binary, Body, ByteOrder},
    header::{Element, Encoding, Kind, Scalar, parse_header},
};
use crate::{ParseError, mesh_file::element_count, text::quote};

pub(crate) fn parse(bytes: &[u8]) -> Result<TriMesh, ParseError> {
    let header = parse_header(bytes)?;
    let elements = &header.elements;
    match header.encoding {
        Encoding::Ascii => read_elements(elements, Ascii::new(&bytes[header.body_at..], header.body_line)),
        Encoding::LittleEndian => read_elements(elements, Binary::new(bytes, header.body_at, ByteOrder::Little)),
        Encoding::BigEndian => read_elements(elements, Binary::new(bytes, header.body_at, ByteOrder::Big)),
    }
}

fn read_elements<B: Body>(elements: &[Element<'_>], mut body: B) -> Result<TriMesh, ParseError> {
    let vertices = elements.iter().find(|e| e.name == b"vertex").map_or(0, |e| e.count);
    let mut mesh = TriMesh::default();
    for element in elements {
        check_count::<B>(element, body.remaining())?;
        match element.name {
            b"vertex" => mesh.positions = read_vertices(element, &mut body)?,
            b"face" => mesh.triangles = read_faces(element, &mut body, vertices)?,
            _ => skip_element(element, &mut body)?,
        }
    }
    match body.leftover() {
        0 => Ok(mesh),
        extra => {
            let reason = format!("bytes after the last element: {extra}");
            Err(ParseError::new(body.place(), reason, "correct the counts in the header"))
        }
    }
}

/// Compares a declared count with the bytes that are there, before anything is allocated or walked.
fn check_count<B: Body>(element: &Element<'_>, remaining: u64) -> Result<(), ParseError> {
    let needed = u64::from(element.count) * B::row_bytes(element);
    // The last line of a text file may lack its end.
    if needed > remaining + 1 {
        let reason = format!(
            "{} elements {} need at least {needed} bytes, {remaining} are left",
            element.count,
            quote(element.name)
        );
        return Err(ParseError::new(element.place, reason, "correct the count in the header, or copy the file again"));
    }
    Ok(())
}

fn read_vertices<B: Body>(element: &Element<'_>, body: &mut B) -> Result<Vec<DVec3>, ParseError> {
    for axis in [b"x", b"y", b"z"] {
        if !element.properties.iter().any(|p| p.name == axis && matches!(p.kind, Kind::One(_))) {
            let reason = format!("element \"vertex\" has no number {}", quote(axis));
            return Err(ParseError::new(element.place, reason, "declare x, y and z, as in \"property float x\""));
        }
    }
    let mut positions = Vec::with_capacity(element.count as usize);
    for _ in 0..element.count {
        let mut position = DVec3::ZERO;
        body.start_row()?;
        for property in &element.properties {
            match (property.name, property.kind) {
                (b"x", Kind::One(scalar)) => position.x = coordinate(body, scalar)?,
                (b"y", Kind::One(scalar)) => position.y = coordinate(body, scalar)?,
                (b"z", Kind::One(scalar)) => position.z = coordinate(body, scalar)?,
                (_, kind) => skip_property(body, kind)?,
            }
        }
        body.end_row()?;
        positions.push(position);
    }
    Ok(positions)
}

fn coordinate(body: &mut impl Body, scalar: Scalar) -> Result<f64, ParseError> {
    let place = body.place();
    let value = body.value(scalar)?;
    if value.is_finite() {
        return Ok(value);
    }
    let remedy = "repair the mesh: every coordinate must be finite";
    Err(ParseError::new(place, format!("coordinate {value} is not finite"), remedy))
}

/// Which property holds the corners, and of what types.
fn corner_list(element: &Element<'_>) -> Result<(usize, Scalar, Scalar), ParseError> {
    let is_corners = |name: &[u8]| name == b"vertex_indices" || name == b"vertex_index";
    let found = element.properties.iter().position(|p| is_corners(p.name));
    match found.map(|i| (i, element.properties[i].kind)) {
        Some((i, Kind::List { count, item })) if item.is_integer() => Ok((i, count, item)),
        _ => {
            let reason = "element \"face\" has no list of whole numbers vertex_indices";
            let remedy = "declare it, as in \"property list uchar int vertex_indices\"";
            Err(ParseError::new(element.place, reason, remedy))
        }
    }
}

fn read_faces<B: Body>(element: &Element<'_>, body: &mut B, vertices: u32) -> Result<Vec<[VertexId; 3]>, ParseError> {
    let (corners_at, count, item) = corner_list(element)?;
    let mut triangle_total = 0_u64;
    let mut ahead = body.clone();
    for _ in 0..element.count {
        ahead.start_row()?;
        for (i, property) in element.properties.iter().enumerate() {
            if i == corners_at {
                let corners = face_size(&mut ahead, count)?;
                ahead.skip(item, corners)?;
                triangle_total += corners - 2;
            } else {
                skip_property(&mut ahead, property.kind)?;
            }
        }
        ahead.end_row()?;
    }
    let mut triangles = Vec::with_capacity(element_count(triangle_total, "triangles", element.place)? as usize);
    for _ in 0..element.count {
        body.start_row()?;
        for (i, property) in element.properties.iter().enumerate() {
            if i == corners_at {
                let corners = face_size(body, count)?;
                let (first, mut last) = (corner(body, item, vertices)?, corner(body, item, vertices)?);
                for _ in 2..corners {
                    let next = corner(body, item, vertices)?;
                    triangles.push([first, last, next]);
                    last = next;
                }
            } else {
                skip_property(body, property.kind)?;
            }
        }
        body.end_row()?;
    }
    Ok(triangles)
}

fn face_size(body: &mut impl Body, count: Scalar) -> Result<u64, ParseError> {
    let place = body.place();
    match list_length(body, count)? {
        corners @ 3.. => Ok(corners),
        corners => {
            let reason = format!("face with {corners} corners");
            Err(ParseError::new(place, reason, "give it at least three, or leave the face out"))
        }
    }
}

fn corner(body: &mut impl Body, item: Scalar, vertices: u32) -> Result<VertexId, ParseError> {
    let place = body.place();
    let index = body.value(item)?;
    if index.fract() == 0.0 && (0.0..f64::from(vertices)).contains(&index) {
        return Ok(VertexId(index as u32));
    }
    let reason = format!("face corner {index}, the file has {vertices} vertices");
    Err(ParseError::new(place, reason, "corners are whole numbers from 0 to the vertex count less one"))
}

fn list_length(body: &mut impl Body, count: Scalar) -> Result<u64, ParseError> {
    let place = body.place();
    let length = body.value(count)?;
    if length.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&length) {
        return Ok(length as u64);
    }
    Err(ParseError::new(place, format!("list of length {length}"), "a length is a whole number, zero or more"))
}

fn skip_property(body: &mut impl Body, kind: Kind) -> Result<(), ParseError> {
    match kind {
        Kind::One(scalar) => body.skip(scalar, 1),
        Kind::List { count, item } => {
            let length = list_length(body, count)?;
            body.skip(item, length)
        }
    }
}

fn skip_element<B: Body>(element: &Element<'_>, body: &mut B) -> Result<(), ParseError> {
    // Rows without properties take no bytes: four billion of them must not take time either.
    let rows = if element.properties.is_empty() { 0 } else { element.count };
    for _ in 0..rows {
        body.start_row()?;
        for property in &element.properties {
            skip_property(body, property.kind)?;
        }
        body.end_row()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn properties_in_any_order_and_unknown_elements() {
        let text = "ply\nformat ascii 1.0\nelement camera 1\nproperty list uchar float lens\nelement face 1\n\
                    property uchar flag\nproperty list int ushort vertex_index\nelement vertex 4\nproperty uchar red\n\
                    property double z\nproperty list char char tags\nproperty float x\nproperty short y\nelement none 4000000000\n\
                    end_header\n2 0.5 nan\n7 4 3 2 1 0\n\n255 3 0 1 2\n1 1 1 9 0 0\n1 0.1 0 0 0\n1 0 0 1 1 \n";
        let mesh = parse(text.as_bytes()).unwrap();
        let positions = vec![DVec3::new(1.0, 2.0, 3.0), DVec3::Z, DVec3::new(0.0, 0.0, 0.1), DVec3::new(1.0, 1.0, 0.0)];
        assert_eq!(mesh, TriMesh::from_indices(positions, &[[3, 2, 1], [3, 1, 0]]));
    }

    fn binary(order: ByteOrder) -> Vec<u8> {
        let name = if order == ByteOrder::Little { "little" } else { "big" };
        let mut file = format!(
            "ply\nformat binary_{name}_endian 1.0\nelement vertex 3\nproperty float x\nproperty list ushort uchar skip\n\
             property double y\nproperty char z\nelement extra 2\nproperty int a\nelement face 1\n\
             property list ushort int vertex_indices\nend_header\n"
        )
        .into_bytes();
        let mut put = |little: &[u8]| match order {
            ByteOrder::Little => file.extend(little),
            ByteOrder::Big => file.extend(little.iter().rev()),
        };
        for i in 0..3_u16 {
            put(&(f32::from(i) * 0.1).to_le_bytes());
            put(&i.to_le_bytes());
            (0..i).for_each(|_| put(&[9]));
            put(&(f64::from(i) * 0.3).to_le_bytes());
            put(&[(-3_i8).cast_unsigned()]);
        }
        (0..2).for_each(|_| put(&[1, 2, 3, 4]));
        put(&3_u16.to_le_bytes());
        (0..3).for_each(|i: i32| put(&i.to_le_bytes()));
        file
    }

    #[test]
    fn both_byte_orders_give_the_same_mesh() {
        let mesh = parse(&binary(ByteOrder::Little)).unwrap();
        assert_eq!(mesh.positions[2], DVec3::new(f64::from(2.0 * 0.1_f32), 0.6, -3.0));
        assert_eq!(mesh.triangles, [[VertexId(0), VertexId(1), VertexId(2)]]);
        assert_eq!(parse(&binary(ByteOrder::Big)).unwrap(), mesh);
    }

    #[test]
    fn every_truncation_is_an_error() {
        let file = binary(ByteOrder::Little);
        for length in 0..file.len() {
            assert!(parse(&file[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn rows_that_the_header_does_not_count_are_an_error() {
        let mut file = binary(ByteOrder::Big);
        file.extend(b" \n");
        assert!(parse(&file).is_ok(), "blanks may follow");
        let place = Place::Byte(file.len() as u64 - 2);
        file.push(1);
        let error = parse(&file).unwrap_err();
        assert_eq!((error.place, error.reason.as_str()), (place, "bytes after the last element: 1"));
    }
}
