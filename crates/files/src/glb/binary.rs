//! The binary chunk of a GLB file and the accessors that describe it.

use serde_json::{Value, json};

/// What a buffer view is for; the format asks vertex data and indices to say so.
#[derive(Clone, Copy)]
pub(super) enum Usage {
    Vertices,
    Indices,
    Animation,
}

/// Whether an accessor carries the smallest and largest value of each component.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bounds {
    Written,
    Omitted,
}

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const UNSIGNED_SHORT: u32 = 5123;

/// Name of a vector or matrix with so many components.
fn kind(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}

/// Bytes, buffer views and accessors, growing together. Every element has a multiple of four bytes, so everything stays aligned.
#[derive(Default)]
pub(super) struct BinaryChunk {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl BinaryChunk {
    fn view(&mut self, start: usize, usage: Usage) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        match usage {
            Usage::Vertices => view["target"] = json!(34962),
            Usage::Indices => view["target"] = json!(34963),
            Usage::Animation => {}
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds an array of `f32` vectors; returns the number of its accessor. `N` is 1, 2, 3, 4, or 16 for matrices by columns.
    pub(super) fn floats<const N: usize>(&mut self, values: &[[f32; N]], usage: Usage, bounds: Bounds) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(values.iter().flatten().flat_map(|x| x.to_le_bytes()));
        let mut accessor = json!({
            "bufferView": self.view(start, usage), "componentType": FLOAT, "count": values.len(), "type": kind(N),
        });
        if bounds == Bounds::Written {
            let fold = |f: fn(f32, f32) -> f32, from: f32| {
                // As `f64`, whose decimals name the same number: the format wants the bounds exact.
                let folded = values.iter().fold([from; N], |a, b| std::array::from_fn(|i| f(a[i], b[i])));
                folded.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>()
            };
            accessor["min"] = json!(fold(f32::min, f32::INFINITY));
            accessor["max"] = json!(fold(f32::max, f32::NEG_INFINITY));
        }
        self.accessor(accessor)
    }

    /// Adds `count` vectors that are zero but for some, which are listed with ascending numbers; returns the number of the accessor.
    pub(super) fn sparse(&mut self, count: usize, listed: &[(u32, [f32; 3])]) -> usize {
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let zero = (listed.len() < count).then_some([0.0; 3]);
        for value in listed.iter().map(|(_, value)| *value).chain(zero) {
            bounds = [[0, 1, 2].map(|i| bounds[0][i].min(value[i])), [0, 1, 2].map(|i| bounds[1][i].max(value[i]))];
        }
        let [min, max] = bounds.map(|bound| bound.map(f64::from));
        let mut accessor =
            json!({ "componentType": FLOAT, "count": count, "type": "VEC3", "min": min.to_vec(), "max": max.to_vec() });
        if !listed.is_empty() {
            let start = self.bytes.len();
            self.bytes.extend(listed.iter().flat_map(|(number, _)| number.to_le_bytes()));
            let indices = self.view(start, Usage::Animation);
            let start = self.bytes.len();
            self.bytes.extend(listed.iter().flat_map(|(_, value)| *value).flat_map(f32::to_le_bytes));
            let values = self.view(start, Usage::Animation);
            accessor["sparse"] = json!({
                "count": listed.len(),
                "indices": { "bufferView": indices, "componentType": UNSIGNED_INT },
                "values": { "bufferView": values },
            });
        }
        self.accessor(accessor)
    }

    /// Adds four small numbers for each vertex, as joints; returns the number of the accessor.
    pub(super) fn shorts(&mut self, values: &[[u16; 4]]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(values.iter().flatten().flat_map(|x| x.to_le_bytes()));
        let view = self.view(start, Usage::Vertices);
        let count = values.len();
        self.accessor(json!({ "bufferView": view, "componentType": UNSIGNED_SHORT, "count": count, "type": "VEC4" }))
    }

    /// Adds triangle corners; returns the number of the accessor.
    pub(super) fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
        let view = self.view(start, Usage::Indices);
        let count = 3 * triangles.len();
        self.accessor(json!({ "bufferView": view, "componentType": UNSIGNED_INT, "count": count, "type": "SCALAR" }))
    }
}

/// The file: header, JSON padded with blanks, binary chunk. `None` if it would not fit in 32 bits.
pub(super) fn container(json: &Value, binary: &[u8]) -> Option<Vec<u8>> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = u32::try_from(12 + 8 + text.len() + 8 + binary.len()).ok()?;
    let mut file = Vec::with_capacity(total as usize);
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(total.to_le_bytes());
    for (kind, chunk) in [(b"JSON", text.as_slice()), (b"BIN\0", binary)] {
        // Both are shorter than the total.
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_exact_in_decimals() {
        let mut chunk = BinaryChunk::default();
        chunk.floats(&[[0.1, 2.0, -0.3], [0.7, -2.0, 0.3]], Usage::Vertices, Bounds::Written);
        let read: Value = serde_json::from_str(&chunk.accessors[0].to_string()).unwrap();
        for (key, expected) in [("min", [0.1_f32, -2.0, -0.3]), ("max", [0.7, 2.0, 0.3])] {
            let values: Vec<f32> = read[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn chunks_start_at_multiples_of_four() {
        for name in ["", "a", "ab", "abc"] {
            let file = container(&json!({ "name": name }), &[7; 8]).unwrap();
            let length = |at: usize| u32::from_le_bytes(*file[at..at + 4].as_array().unwrap()) as usize;
            assert_eq!((length(8), length(12) % 4), (file.len(), 0));
            let binary_at = 20 + length(12);
            assert_eq!((length(binary_at), &file[binary_at + 4..]), (8, &b"BIN\0\x07\x07\x07\x07\x07\x07\x07\x07"[..]));
        }
    }
}
