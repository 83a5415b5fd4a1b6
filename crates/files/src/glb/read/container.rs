//! The two chunks of a GLB file, and numbers out of the second.

use std::cell::Cell;

use serde_json::Value;

use super::MOST_NUMBERS;
use crate::{ParseError, Place};

/// A file taken apart.
pub(super) struct Container<'a> {
    pub(super) json: Value,
    binary: &'a [u8],
    /// Numbers read so far: accessors may be named many times over, so the size of the file bounds nothing.
    read: Cell<usize>,
}

pub(super) fn fail<T>(reason: impl Into<String>, remedy: &'static str) -> Result<T, ParseError> {
    Err(ParseError::new(Place::Whole, reason, remedy))
}

const UNCOMPRESSED: &str = "switch compression off in the exporter, or unpack it with `gltf-transform copy`";
const DAMAGED: &str = "the file is damaged or cut off: export it again";

impl<'a> Container<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let word = |at: usize| bytes.get(at..at + 4)?.first_chunk::<4>().map(|b| u32::from_le_bytes(*b));
        if !bytes.starts_with(b"glTF") || word(4) != Some(2) {
            return fail("the file does not start as GLB 2.0", "export it as glTF binary (.glb)");
        }
        let (mut json, mut binary) = (None, &[][..]);
        let mut at = 12;
        while let (Some(length), Some(kind)) = (word(at), bytes.get(at + 4..at + 8)) {
            let Some(chunk) = (at + 8).checked_add(length as usize).and_then(|end| bytes.get(at + 8..end)) else {
                return Err(ParseError::new(Place::Byte(at as u64), "a chunk runs over the end", DAMAGED));
            };
            match kind {
                b"JSON" if json.is_none() => json = Some(chunk),
                b"BIN\0" if binary.is_empty() => binary = chunk,
                _ => {}
            }
            at += 8 + (length as usize).next_multiple_of(4);
        }
        let json: Value = match json.map(serde_json::from_slice) {
            Some(Ok(json)) => json,
            Some(Err(error)) => return fail(format!("its description is no JSON: {error}"), DAMAGED),
            None => return fail("it has no description", DAMAGED),
        };
        refuse_extensions(&json)?;
        Ok(Self { json, binary, read: Cell::new(0) })
    }

    /// An entry of a list of the description.
    pub(super) fn entry(&self, list: &str, index: &Value) -> Result<&Value, ParseError> {
        let found = index.as_u64().and_then(|i| self.json[list].get(usize::try_from(i).ok()?));
        found.map_or_else(|| fail(format!("entry {index} of {list} is missing"), DAMAGED), Ok)
    }

    /// The numbers of an accessor, `width` per element, integers scaled if they are marked so.
    pub(super) fn numbers(&self, index: &Value, width: usize) -> Result<Vec<f64>, ParseError> {
        let accessor = self.entry("accessors", index)?;
        let is_kind = match accessor["type"].as_str() {
            Some("SCALAR") => width == 1,
            Some("VEC3") => width == 3,
            Some("VEC4") => width == 4,
            Some("MAT4") => width == 16,
            _ => false,
        };
        if !is_kind {
            return fail(format!("accessor {index} is of an unexpected type"), DAMAGED);
        }
        let size = match accessor["componentType"].as_u64() {
            Some(5120 | 5121) => 1,
            Some(5122 | 5123) => 2,
            Some(5125 | 5126) => 4,
            _ => return fail(format!("accessor {index} has unknown components"), DAMAGED),
        };
        let Some(count) = whole(&accessor["count"]) else {
            return fail(format!("accessor {index} has no count"), DAMAGED);
        };
        let kind = Kind { component: accessor["componentType"].as_u64(), size, width };
        let is_scaled = accessor["normalized"].as_bool() == Some(true);
        let mut values = if accessor["bufferView"].is_null() {
            // Without a view all numbers are zero. Some other accessor holds at least a byte for each of them.
            if count > self.binary.len() {
                return fail(format!("accessor {index} has {count} elements and no bytes"), DAMAGED);
            }
            self.count(count * width)?;
            vec![0.0; count * width]
        } else {
            self.block(index, accessor, count, kind, is_scaled)?
        };
        if !accessor["sparse"].is_null() {
            self.replace(index, &accessor["sparse"], &mut values, kind, is_scaled)?;
        }
        if values.iter().any(|x| !x.is_finite()) {
            return fail(
                format!("accessor {index} has a number that is not finite"),
                "mend the mesh and export it again",
            );
        }
        Ok(values)
    }

    /// Counts numbers that are about to be read.
    fn count(&self, numbers: usize) -> Result<(), ParseError> {
        self.read.set(self.read.get().saturating_add(numbers));
        if self.read.get() > MOST_NUMBERS {
            let reason = format!("more than {MOST_NUMBERS} numbers");
            return fail(reason, "export a coarser mesh, or fewer frames and shape keys");
        }
        Ok(())
    }

    /// `count` elements from the view that `described` names.
    fn block(
        &self,
        index: &Value,
        described: &Value,
        count: usize,
        kind: Kind,
        is_scaled: bool,
    ) -> Result<Vec<f64>, ParseError> {
        let Kind { component: number, size, width } = kind;
        let view = self.entry("bufferViews", &described["bufferView"])?;
        if !view["extensions"]["EXT_meshopt_compression"].is_null() {
            return fail("its numbers are compressed by meshopt (EXT_meshopt_compression)", UNCOMPRESSED);
        }
        if view["buffer"].as_u64() != Some(0) || !self.json["buffers"][0]["uri"].is_null() {
            return fail("its numbers are in another file", "export it as one binary file (.glb)");
        }
        let stride = whole(&view["byteStride"]).unwrap_or(width * size);
        let start = whole(&view["byteOffset"]).unwrap_or(0).checked_add(whole(&described["byteOffset"]).unwrap_or(0));
        let last = count.checked_sub(1).and_then(|n| n.checked_mul(stride));
        let end = start.zip(last).and_then(|(start, last)| start.checked_add(last)?.checked_add(width * size));
        let inside = end.is_some_and(|end| end <= self.binary.len()) && stride >= width * size;
        let Some(start) = start.filter(|_| inside || count == 0) else {
            return fail(format!("accessor {index} reaches beyond the file"), DAMAGED);
        };
        self.count(count * width)?;
        let elements = (0..count).flat_map(|i| (0..width).map(move |k| start + i * stride + k * size));
        Ok(elements.map(|at| component(&self.binary[at..at + size], number, is_scaled)).collect())
    }

    /// Puts the numbers of a sparse accessor in their places.
    fn replace(
        &self,
        index: &Value,
        sparse: &Value,
        values: &mut [f64],
        kind: Kind,
        is_scaled: bool,
    ) -> Result<(), ParseError> {
        let Some(count) = whole(&sparse["count"]).filter(|n| n.saturating_mul(kind.width) <= values.len()) else {
            return fail(format!("accessor {index} replaces more numbers than it has"), DAMAGED);
        };
        let component = sparse["indices"]["componentType"].as_u64();
        let size = match component {
            Some(5121) => 1,
            Some(5123) => 2,
            Some(5125) => 4,
            _ => return fail(format!("accessor {index} has unknown places"), DAMAGED),
        };
        let places = self.block(index, &sparse["indices"], count, Kind { component, size, width: 1 }, false)?;
        let numbers = self.block(index, &sparse["values"], count, kind, is_scaled)?;
        for (place, element) in places.iter().zip(numbers.chunks_exact(kind.width)) {
            let at = *place as usize * kind.width;
            match values.get_mut(at..at + kind.width) {
                Some(slot) => slot.copy_from_slice(element),
                None => return fail(format!("accessor {index} replaces a number it does not have"), DAMAGED),
            }
        }
        Ok(())
    }
}

/// How the elements of an accessor are written.
#[derive(Clone, Copy)]
struct Kind {
    component: Option<u64>,
    /// Bytes of a component.
    size: usize,
    /// Components of an element.
    width: usize,
}

fn whole(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|n| usize::try_from(n).ok())
}

/// Extensions that change nothing about where triangles are, or that are read.
const HARMLESS: [&str; 4] = ["KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_", "KHR_lights_"];

/// Refuses files whose triangles cannot be known without an extension.
fn refuse_extensions(json: &Value) -> Result<(), ParseError> {
    let needed = json["extensionsRequired"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in needed {
        match name {
            "KHR_draco_mesh_compression" => {
                return fail("its meshes are compressed by Draco (KHR_draco_mesh_compression)", UNCOMPRESSED);
            }
            "EXT_meshopt_compression" => {
                return fail("its numbers are compressed by meshopt (EXT_meshopt_compression)", UNCOMPRESSED);
            }
            _ if HARMLESS.iter().any(|known| name.starts_with(known)) || name.starts_with("EXT_texture") => {}
            other => return fail(format!("it needs the extension {other}"), "export it without that extension"),
        }
    }
    Ok(())
}

/// One number; integers of `n` bits are divided by their largest value if scaled.
fn component(raw: &[u8], kind: Option<u64>, is_scaled: bool) -> f64 {
    let mut bytes = [0; 4];
    bytes[..raw.len()].copy_from_slice(raw);
    let word = u32::from_le_bytes(bytes);
    let (value, largest) = match kind {
        Some(5120) => (f64::from(bytes[0].cast_signed()), 127.0),
        Some(5122) => (f64::from((word as u16).cast_signed()), 32767.0),
        Some(5121) => (f64::from(word), 255.0),
        Some(5123) => (f64::from(word), 65535.0),
        Some(5125) => (f64::from(word), f64::from(u32::MAX)),
        _ => return f64::from(f32::from_bits(word)),
    };
    if is_scaled { (value / largest).max(-1.0) } else { value }
}
