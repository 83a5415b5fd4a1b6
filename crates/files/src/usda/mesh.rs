//! [`UsdaMesh`]: what is written of an object once, before its frames.

use toile_mesh::{DQuat, DVec3, VertexId};

use crate::{
    ExportError,
    export_check::{check_finite, check_length, check_triangles},
};

/// An object without its positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UsdaMesh<'a> {
    /// Its name; made unique and an identifier.
    pub name: &'a str,
    /// Number of its vertices.
    pub vertices: usize,
    /// Its triangles.
    pub triangles: &'a [[VertexId; 3]],
    /// Places of the corners on a texture, `u` to the right and `v` upwards, shape `[triangles][3]`.
    pub uv: Option<&'a [[[f32; 2]; 3]]>,
    /// Whether points are written for every frame; otherwise once.
    pub deforms: bool,
    /// Name of its material.
    pub material: &'a str,
    /// Colour of its material: linear red, green, blue from 0 to 1.
    pub color: [f32; 3],
}

/// A place of something that moves as one body: `x' = rotation · x + position`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UsdaPose {
    /// Where the origin goes [m].
    pub position: DVec3,
    /// How the axes turn.
    pub rotation: DQuat,
}

impl UsdaMesh<'_> {
    pub(super) fn check(&self) -> Result<(), ExportError> {
        check_triangles(self.triangles, self.vertices)?;
        if let Some(uv) = self.uv {
            check_length("texture coordinates", uv.len(), self.triangles.len())?;
            check_finite("texture coordinates", uv.as_flattened().as_flattened())?;
        }
        if self.color.iter().all(|c| (0.0..=1.0).contains(c)) {
            return Ok(());
        }
        let value = format!("{:?}", self.color);
        Err(ExportError::Setting { what: "color", value, expected: "numbers from 0 to 1" })
    }
}

/// A name as an identifier: letters, digits and underscores, not a digit first.
pub(super) fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let begins_well = plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins_well { plain } else { format!("_{plain}") }
}

/// A text between quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers_and_texts_are_quoted() {
        assert_eq!(
            ["t-shirt", "body 1", "2nd", "", "häng"].map(identifier),
            ["t_shirt", "body_1", "_2nd", "_", "h_ng"]
        );
        assert_eq!(quoted("a \"b\" \\ c\nd\u{7}"), "\"a \\\"b\\\" \\\\ c\\nd \"");
    }
}
