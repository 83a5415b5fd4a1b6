//! Vertices that lie in several places of a texture, as those of a seam do, are written once for each.

use std::borrow::Cow;

/// The vertices of a mesh as they are written.
pub(super) struct Split<'a> {
    /// The vertex of the mesh that each is; `None` if all are themselves.
    source: Option<Vec<u32>>,
    /// Triangles over them.
    pub(super) indices: Cow<'a, [[u32; 3]]>,
    /// Their places on the texture; empty if there is none.
    pub(super) uv: Vec<[f32; 2]>,
}

impl<'a> Split<'a> {
    /// For triangles over `vertices` vertices and, if there is a texture, the places of their corners. Vertices keep their order;
    /// copies of one follow each other.
    pub(super) fn new(vertices: usize, indices: &'a [[u32; 3]], corners: Option<&[[[f32; 2]; 3]]>) -> Self {
        let Some(corners) = corners else {
            return Self { source: None, indices: Cow::Borrowed(indices), uv: Vec::new() };
        };
        let key = |v: u32, uv: [f32; 2]| (v, uv.map(f32::to_bits));
        let keys_of = |(t, uv): (&[u32; 3], &[[f32; 2]; 3])| [0, 1, 2].map(|k| key(t[k], uv[k]));
        let mut keys: Vec<(u32, [u32; 2])> = indices.iter().zip(corners).flat_map(keys_of).collect();
        let mut used = vec![false; vertices];
        for (v, _) in &keys {
            used[*v as usize] = true;
        }
        // A vertex of no triangle is somewhere, too.
        keys.extend((0..vertices as u32).filter(|v| !used[*v as usize]).map(|v| key(v, [0.0; 2])));
        keys.sort_unstable();
        keys.dedup();
        let place = |wanted: (u32, [u32; 2])| keys.partition_point(|key| *key < wanted) as u32;
        let indices = indices.iter().zip(corners).map(|corner| keys_of(corner).map(place)).collect();
        let uv = keys.iter().map(|(_, bits)| bits.map(f32::from_bits)).collect();
        Self { source: Some(keys.iter().map(|(v, _)| *v).collect()), indices: Cow::Owned(indices), uv }
    }

    /// Number of vertices, if the mesh has so many.
    pub(super) fn count(&self, vertices: usize) -> usize {
        self.source.as_ref().map_or(vertices, Vec::len)
    }

    /// Values of the mesh's vertices as they are written.
    pub(super) fn of<'v, T: Copy>(&self, values: &'v [T]) -> Cow<'v, [T]> {
        match &self.source {
            None => Cow::Borrowed(values),
            Some(source) => Cow::Owned(source.iter().map(|v| values[*v as usize]).collect()),
        }
    }
}
