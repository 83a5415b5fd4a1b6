//! [`UsdaWriter`]: objects one after the other, each with its frames one after the other.

use std::{fmt::Write as _, io::Write as _, path::Path};

use toile_mesh::{DVec3, VertexId};

use super::mesh::{UsdaMesh, UsdaPose, identifier, quoted};
use crate::{
    ExportError, FileError,
    atomic::AtomicFile,
    export_check::{check_finite, check_length, single},
    materials::{Materials, unique},
};

/// Numbers on a line at most, so that no line is as long as the file.
const PER_LINE: usize = 64;

/// Writes a USD file; it appears on [`finish`](Self::finish).
///
/// ```
/// use toile_files::usda::{UsdaMesh, UsdaWriter};
/// use toile_mesh::{DVec3, TriMesh};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("result.usda");
/// let mesh = TriMesh::from_indices(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]);
/// let described =
///     UsdaMesh { name: "cloth", vertices: 3, triangles: &mesh.triangles, uv: None, deforms: true, material: "linen", color: [0.5; 3] };
/// let mut writer = UsdaWriter::create(&path, 24.0, 2)?;
/// writer.begin(&described)?;
/// writer.push_points(&mesh.positions)?;
/// writer.push_points(&mesh.positions)?;
/// writer.end()?;
/// writer.finish()?;
/// assert!(std::fs::read_to_string(&path).unwrap().starts_with("#usda 1.0"));
/// # Ok::<(), toile_files::FileError>(())
/// ```
#[derive(Debug)]
pub struct UsdaWriter {
    file: AtomicFile,
    frames: usize,
    /// Names of prims so far.
    names: Vec<String>,
    materials: Materials,
    object: Option<Object>,
    /// Text that is about to be written, kept for its memory.
    text: String,
}

/// The object that is being written.
#[derive(Debug)]
struct Object {
    vertices: usize,
    /// Frames of points that it has.
    frames: usize,
    /// Boxes around its points at their frames [m].
    extents: Vec<[[f32; 3]; 2]>,
    poses: Vec<UsdaPose>,
    /// The values that are being written, and how many frames of them were.
    values: Option<(String, usize)>,
}

impl UsdaWriter {
    /// Starts a file with `frames` frames at a rate of `fps` [1/s]. With one frame nothing in it has time samples.
    pub fn create(path: &Path, fps: f64, frames: usize) -> Result<Self, FileError> {
        let refuse = |error| FileError::export(path)(error);
        if !(1e-3..=1e5).contains(&fps) {
            let (value, expected) = (fps.to_string(), "0.001 to 100000 per second");
            return Err(refuse(ExportError::Setting { what: "frame rate", value, expected }));
        }
        if frames == 0 {
            return Err(refuse(ExportError::Empty { what: "frame" }));
        }
        let file = AtomicFile::create(path)?;
        let names = vec!["materials".to_owned()];
        let (object, materials, text) = (None, Materials::default(), String::new());
        let mut writer = Self { file, frames, names, materials, object, text };
        writer.text.push_str("#usda 1.0\n(\n    defaultPrim = \"toile\"\n    doc = \"Toile\"\n    metersPerUnit = 1\n");
        writer.text.push_str("    upAxis = \"Y\"\n");
        if frames > 1 {
            let _ = writeln!(writer.text, "    startTimeCode = 0\n    endTimeCode = {}", frames - 1);
            let _ = writeln!(writer.text, "    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}");
        }
        writer.text.push_str(")\n\ndef Xform \"toile\" (\n    kind = \"component\"\n)\n{\n");
        writer.flush()?;
        Ok(writer)
    }

    /// Begins an object. Its points follow, then its values, then its end.
    pub fn begin(&mut self, mesh: &UsdaMesh<'_>) -> Result<(), FileError> {
        let path = self.file.path().to_owned();
        mesh.check().map_err(FileError::export(&path))?;
        if self.object.is_some() {
            return Err(self.misuse("a new object", "the end of the one before"));
        }
        let name = unique(&identifier(mesh.name), &self.names);
        let material = self.materials.number(mesh.material, mesh.color);
        let material = identifier(self.materials.name(material));
        let text = &mut self.text;
        let _ = writeln!(text, "    def Mesh \"{name}\" (");
        let _ = writeln!(text, "        displayName = {}", quoted(mesh.name));
        text.push_str("        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n");
        let _ = writeln!(text, "        rel material:binding = </toile/materials/{material}>");
        text.push_str("        uniform token subdivisionScheme = \"none\"\n        bool doubleSided = 1\n");
        let [r, g, b] = mesh.color;
        let _ = writeln!(text, "        color3f[] primvars:displayColor = [({r:?}, {g:?}, {b:?})]");
        text.push_str("        int[] faceVertexCounts = ");
        list(text, mesh.triangles, |text, _| text.push('3'));
        text.push_str("\n        int[] faceVertexIndices = ");
        list(text, mesh.triangles.as_flattened(), |text, VertexId(v)| {
            let _ = write!(text, "{v}");
        });
        text.push('\n');
        if let Some(uv) = mesh.uv {
            text.push_str("        texCoord2f[] primvars:st = ");
            list(text, uv.as_flattened(), |text, [u, v]| {
                let _ = write!(text, "({u:?}, {v:?})");
            });
            text.push_str(" (\n            interpolation = \"faceVarying\"\n        )\n");
        }
        self.names.push(name);
        let frames = if mesh.deforms { self.frames } else { 1 };
        let (vertices, extents, poses, values) = (mesh.vertices, Vec::new(), Vec::new(), None);
        self.object = Some(Object { vertices, frames, extents, poses, values });
        self.flush()
    }

    /// Writes the points of the next frame [m], shape `[vertices]`; of an object that keeps its shape, the only ones.
    pub fn push_points(&mut self, positions: &[DVec3]) -> Result<(), FileError> {
        let path = self.file.path().to_owned();
        let Some(object) = &mut self.object else { return Err(self.misuse("points", "the beginning of an object")) };
        check_length("positions", positions.len(), object.vertices).map_err(FileError::export(&path))?;
        let points = positions.iter().enumerate().map(|(vertex, p)| single("position", vertex, *p));
        let points: Vec<[f32; 3]> = points.collect::<Result<_, _>>().map_err(FileError::export(&path))?;
        let k = object.extents.len();
        if object.values.is_some() || k >= object.frames {
            return Err(self.misuse("points", "points of each frame once, before values"));
        }
        object.extents.push([bound(&points, f32::min), bound(&points, f32::max)]);
        sample(&mut self.text, "point3f[] points", [k, object.frames], |text| list(text, &points, triple));
        if k + 1 == object.frames {
            self.text.push('\n');
        }
        self.flush()
    }

    /// Writes values of the next frame as `primvars:NAME`, one per vertex, shape `[vertices]`. All frames of the points come before,
    /// and all frames of one name before those of the next. With `frames` of 1 the values hold for all times.
    pub fn push_values(&mut self, name: &str, frames: usize, values: &[f32]) -> Result<(), FileError> {
        let path = self.file.path().to_owned();
        let Some(object) = &mut self.object else { return Err(self.misuse("values", "the beginning of an object")) };
        check_length(name, values.len(), object.vertices).map_err(FileError::export(&path))?;
        check_finite(name, values).map_err(FileError::export(&path))?;
        let k = match &object.values {
            Some((known, count)) if known == name => *count,
            _ => 0,
        };
        let is_complete = object.extents.len() == object.frames;
        let is_new = object.values.as_ref().is_none_or(|(known, count)| *count == 0 || known == name);
        if !is_complete || !is_new || !(frames == 1 || frames == self.frames) {
            return Err(self.misuse("values", "values of each name for one frame or for all, after all points"));
        }
        let property = format!("float[] primvars:{}", identifier(name));
        sample(&mut self.text, &property, [k, frames], |text| {
            list(text, values, |text, x| {
                let _ = write!(text, "{x:?}");
            });
        });
        object.values = Some((name.to_owned(), if k + 1 < frames { k + 1 } else { 0 }));
        if k + 1 == frames {
            // How it is interpolated stands beside the values, or, for time samples, at a declaration of its own.
            if frames > 1 {
                let _ = write!(self.text, "\n        {property}");
            }
            self.text.push_str(" (\n            interpolation = \"vertex\"\n        )\n");
        }
        self.flush()
    }

    /// Says where an object that keeps its shape is in the next frame.
    pub fn push_pose(&mut self, pose: UsdaPose) -> Result<(), FileError> {
        let is_good = pose.position.is_finite() && (pose.rotation.length() - 1.0).abs() < 1e-6;
        match &mut self.object {
            Some(object) if is_good && object.poses.len() < self.frames => object.poses.push(pose),
            _ => return Err(self.misuse("a pose", "a finite pose of each frame of an object")),
        }
        Ok(())
    }

    /// Ends an object.
    pub fn end(&mut self) -> Result<(), FileError> {
        let is_complete = self.object.as_ref().is_some_and(|object| {
            let is_placed = object.poses.is_empty() || object.poses.len() == self.frames;
            let has_values = object.values.as_ref().is_none_or(|(_, count)| *count == 0);
            object.extents.len() == object.frames && is_placed && has_values
        });
        let Some(object) = self.object.take_if(|_| is_complete) else {
            return Err(self.misuse("an end", "an object and all its frames"));
        };
        for (k, extent) in object.extents.iter().enumerate() {
            sample(&mut self.text, "float3[] extent", [k, object.frames], |text| list(text, extent, triple));
        }
        self.text.push('\n');
        for (k, pose) in object.poses.iter().enumerate() {
            let place = pose.position.to_array().map(|x| x as f32);
            sample(&mut self.text, "float3 xformOp:translate", [k, self.frames], |text| triple(text, place));
        }
        for (k, pose) in object.poses.iter().enumerate() {
            let [x, y, z, w] = pose.rotation.to_array().map(|x| x as f32);
            if k == 0 {
                self.text.push('\n');
            }
            sample(&mut self.text, "quatf xformOp:orient", [k, self.frames], |text| {
                let _ = write!(text, "({w:?}, {x:?}, {y:?}, {z:?})");
            });
        }
        if !object.poses.is_empty() {
            self.text
                .push_str("\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
        }
        self.text.push_str("    }\n\n");
        self.flush()
    }

    /// Writes the materials, and the file takes its name.
    pub fn finish(mut self) -> Result<(), FileError> {
        if self.object.is_some() || self.names.len() < 2 {
            return Err(self.misuse("the end of the file", "at least one object, and its end"));
        }
        self.text.push_str("    def Scope \"materials\"\n    {\n");
        for (name, [r, g, b]) in self.materials.iter() {
            let (plain, text) = (identifier(name), &mut self.text);
            let shader = format!("/toile/materials/{plain}/surface.outputs:surface");
            let _ = writeln!(text, "        def Material \"{plain}\" (\n            displayName = {}", quoted(name));
            let _ = writeln!(text, "        )\n        {{\n            token outputs:surface.connect = <{shader}>\n");
            text.push_str("            def Shader \"surface\"\n            {\n");
            text.push_str("                uniform token info:id = \"UsdPreviewSurface\"\n");
            let _ = writeln!(text, "                color3f inputs:diffuseColor = ({r:?}, {g:?}, {b:?})");
            text.push_str("                float inputs:metallic = 0\n                float inputs:roughness = 0.9\n");
            text.push_str("                token outputs:surface\n            }\n        }\n");
        }
        self.text.push_str("    }\n}\n");
        self.flush()?;
        self.file.commit()
    }

    fn misuse(&self, value: &str, expected: &'static str) -> FileError {
        let error = ExportError::Setting { what: "what comes next in the USD file", value: value.to_owned(), expected };
        FileError::export(self.file.path())(error)
    }

    fn flush(&mut self) -> Result<(), FileError> {
        let written = self.file.write_all(self.text.as_bytes());
        self.text.clear();
        written.map_err(|e| FileError::io(self.file.path(), "write")(e))
    }
}

/// Sample `k` of `frames` of a property: its only value, or one of its time samples, without the end of the line after the last.
fn sample(text: &mut String, property: &str, [k, frames]: [usize; 2], value: impl FnOnce(&mut String)) {
    if frames == 1 {
        let _ = write!(text, "        {property} = ");
        value(text);
        return;
    }
    if k == 0 {
        let _ = writeln!(text, "        {property}.timeSamples = {{");
    }
    let _ = write!(text, "            {k}: ");
    value(text);
    text.push_str(",\n");
    if k + 1 == frames {
        text.push_str("        }");
    }
}

fn triple(text: &mut String, [x, y, z]: [f32; 3]) {
    let _ = write!(text, "({x:?}, {y:?}, {z:?})");
}

/// A list in square brackets.
fn list<T: Copy>(text: &mut String, values: &[T], mut write: impl FnMut(&mut String, T)) {
    text.push('[');
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            text.push_str(if i % PER_LINE == 0 { ",\n" } else { ", " });
        }
        write(text, *value);
    }
    text.push(']');
}

fn bound(points: &[[f32; 3]], pick: fn(f32, f32) -> f32) -> [f32; 3] {
    points.iter().copied().reduce(|a, b| [0, 1, 2].map(|i| pick(a[i], b[i]))).unwrap_or_default()
}
