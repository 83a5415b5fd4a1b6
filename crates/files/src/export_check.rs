//! Checks that every writer makes before the first byte: what is written must read back.

use toile_mesh::{DVec3, VertexId};

use crate::ExportError;

/// Every triangle names existing vertices, and there is at least one.
pub(crate) fn check_triangles(triangles: &[[VertexId; 3]], vertices: usize) -> Result<(), ExportError> {
    if triangles.is_empty() {
        return Err(ExportError::Empty { what: "triangle" });
    }
    for (face, triangle) in triangles.iter().enumerate() {
        if let Some(v) = triangle.iter().find(|v| v.index() >= vertices) {
            return Err(ExportError::VertexOutOfRange { face, vertex: v.0, vertices });
        }
    }
    Ok(())
}

/// An array has one entry per vertex.
pub(crate) fn check_length(what: &str, found: usize, expected: usize) -> Result<(), ExportError> {
    if found == expected { Ok(()) } else { Err(ExportError::Length { what: what.to_owned(), expected, found }) }
}

/// Every value is finite.
pub(crate) fn check_finite(what: &str, values: &[f32]) -> Result<(), ExportError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(vertex) => Err(ExportError::NonFinite { what: what.to_owned(), vertex }),
        None => Ok(()),
    }
}

/// A position rounded to `f32`; an error if that is not finite.
pub(crate) fn single(what: &str, vertex: usize, p: DVec3) -> Result<[f32; 3], ExportError> {
    let rounded = p.to_array().map(|x| x as f32);
    if rounded.iter().all(|x| x.is_finite()) {
        Ok(rounded)
    } else {
        Err(ExportError::NonFinite { what: what.to_owned(), vertex })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_overflow_single_precision_are_refused() {
        assert_eq!(single("position", 0, DVec3::new(0.1, -2.0, 1e-60)), Ok([0.1, -2.0, 0.0]));
        let error = single("position", 7, DVec3::X * 1e39).unwrap_err();
        assert_eq!(error, ExportError::NonFinite { what: "position".into(), vertex: 7 });
        assert!(check_finite("strain", &[0.0, f32::NAN]).is_err());
    }
}
