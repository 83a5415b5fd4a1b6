//! What a report is about, so that it can be told from another and made again: body, size and hashes of what went in and came out.
//!
//! Hashes are FNV-1a of 64 bits over numbers as they are stored, the lowest byte first, written as sixteen hexadecimal digits. Equal inputs
//! give equal hashes on every machine; they are no protection against forgery.

use serde_json::{Map, Value, json};
use toile_body::Kind;
use toile_garment::file;
use toile_mesh::{DVec3, TriMesh};
use toile_scene::ClothShape;

use super::Tried;

/// The size that was asked for; none if the garment is made to measure or cut as it is drawn.
pub(super) fn size(tried: &Tried) -> Option<String> {
    match tried.scene.cloth.get(tried.garment().cloth).map(|cloth| &cloth.shape) {
        Some(ClothShape::Garment(shape)) if !shape.size.is_empty() => Some(shape.size.clone()),
        _ => None,
    }
}

/// Who wears it: name, what was assumed about a body from a file, and measurements [m; degrees].
pub(super) fn body(tried: &Tried, import: Option<&str>) -> Value {
    let described = &tried.scene.body[0];
    let name = if described.file.is_empty() { &described.mannequin } else { &described.file };
    let wearer = tried.wearer();
    let measurements: Map<String, Value> = wearer
        .figuring
        .measurements
        .iter()
        .map(|(m, value)| (m.key().to_owned(), json!(if m.kind() == Kind::Angle { value.to_degrees() } else { value })))
        .collect();
    json!({ "name": name, "import": import, "measurements": measurements })
}

/// Hashes of the body's mesh, of the pattern and of where the garment came to rest.
pub(super) fn hashes(tried: &Tried) -> Value {
    let pattern = file::to_toml(&tried.garment().asked.pattern, file::Unit::Metre);
    let [body, pattern, state] = [
        mesh_hash(&tried.wearer().mesh),
        Fnv::new().bytes(pattern.as_bytes()),
        points_hash(Fnv::new(), &tried.garment().x),
    ];
    let hex = |hash: Fnv| format!("{:016x}", hash.0);
    json!({ "body": hex(body), "pattern": hex(pattern), "state": hex(state) })
}

fn mesh_hash(mesh: &TriMesh) -> Fnv {
    let hash = points_hash(Fnv::new(), &mesh.positions);
    mesh.triangles.iter().flatten().fold(hash, |hash, v| hash.bytes(&v.0.to_le_bytes()))
}

fn points_hash(hash: Fnv, points: &[DVec3]) -> Fnv {
    points.iter().flat_map(DVec3::to_array).fold(hash, |hash, number| hash.bytes(&number.to_le_bytes()))
}

/// FNV-1a (Fowler, Noll, Vo) of 64 bits.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_are_published() {
        for (text, wanted) in
            [("", 0xcbf2_9ce4_8422_2325_u64), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(Fnv::new().bytes(text.as_bytes()).0, wanted, "{text}");
        }
    }
}
