//! GLB, OBJ and PC2 in real Blender. Needs a Python with the module `bpy`, named by `TOILE_BLENDER_PYTHON` (`python3`
//! if unset); without one the test says so and passes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{io::Write as _, path::Path, process::Command};

use serde_json::Value;
use toile_files::{
    glb::{GlbInterpolation, GlbNormals, GlbObject, GlbScene},
    obj::save_obj,
    pc2::Pc2Writer,
};
use toile_mesh::{DVec3, TriMesh};

const FPS: u32 = 30;
const FRAMES: usize = 4;

/// A python that can import Blender.
fn blender_python() -> Option<std::ffi::OsString> {
    let python = std::env::var_os("TOILE_BLENDER_PYTHON").unwrap_or("python3".into());
    let found = Command::new(&python).args(["-c", "import bpy"]).output().is_ok_and(|o| o.status.success());
    if !found {
        // Not `eprintln!`, whose output a test that passes does not show.
        let mut stderr = std::io::stderr().lock();
        writeln!(stderr, "skipped: {} has no module bpy", python.display()).unwrap();
    }
    found.then_some(python)
}

/// A square with a tip, whose first two vertices are at one place: Blender must not merge them.
fn cloth() -> TriMesh {
    let positions = vec![DVec3::ZERO, DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::new(1.0, 0.5, 1.0)];
    TriMesh::from_indices(positions, &[[0, 3, 2], [1, 3, 4], [2, 3, 4]])
}

fn frame(k: usize) -> Vec<DVec3> {
    let k = k as f64;
    let turned = |p: DVec3| DVec3::new(p.x + 0.1 * k, p.y - 0.05 * k * k, p.z * (1.0 + 0.2 * k));
    cloth().positions.into_iter().map(turned).collect()
}

fn floor() -> TriMesh {
    TriMesh::from_indices(vec![-DVec3::Y, DVec3::Z - DVec3::Y, DVec3::X - DVec3::Y], &[[0, 1, 2]])
}

const STRAIN: [f32; 5] = [0.0, 0.125, -0.5, 0.1, 3.0];

fn write_files(folder: &Path) {
    let mut glb = GlbObject::new("cloth", &cloth(), GlbNormals::PerFrame).unwrap();
    let mut pc2 = Pc2Writer::create(&folder.join("cloth.pc2"), 5, 0.0, 1.0).unwrap();
    for k in 0..FRAMES {
        glb.push_frame(&frame(k)).unwrap();
        pc2.push(&frame(k)).unwrap();
    }
    glb.set_strain(&STRAIN).unwrap();
    glb.set_colors(&[[1.0, 0.5, 0.0]; 5]).unwrap();
    let mut ground = GlbObject::new("floor", &floor(), GlbNormals::Base).unwrap();
    ground.set_material("wood", [0.25, 0.5, 0.75]).unwrap();
    let mut scene = GlbScene::new(f64::from(FPS), GlbInterpolation::Linear).unwrap();
    scene.add(glb);
    scene.add(ground);
    scene.save(&folder.join("cloth.glb")).unwrap();
    pc2.finish().unwrap();
    save_obj(&folder.join("cloth.obj"), &cloth()).unwrap();
}

fn assert_points(seen: &Value, expected: &[DVec3], what: &str) {
    let seen: Vec<[f64; 3]> = serde_json::from_value(seen.clone()).unwrap();
    assert_eq!(seen.len(), expected.len(), "{what}: number of vertices");
    for (a, b) in seen.into_iter().zip(expected) {
        assert!(DVec3::from(a).distance(*b) < 1e-6, "{what}: {a:?} for {b}");
    }
}

#[test]
fn blender_shows_what_was_written() {
    let Some(python) = blender_python() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let output = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blender_check.py"))
        .arg(folder.path().join("cloth.glb"))
        .arg(FPS.to_string())
        .args([folder.path().join("cloth.obj"), folder.path().join("cloth.pc2")])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(report) = text.lines().find_map(|line| line.strip_prefix("REPORT ")) else {
        panic!("Blender gave no report:\n{text}\n{}", String::from_utf8_lossy(&output.stderr))
    };
    let report: Value = serde_json::from_str(report).unwrap();

    assert_eq!(report["keys"], serde_json::json!(["frame_0001", "frame_0002", "frame_0003", "frame_0004"]));
    assert!(!report["action"].as_str().unwrap().is_empty());
    for k in 0..FRAMES {
        assert_points(&report["frames"][k], &frame(k), &format!("frame {k}"));
        assert_points(&report["pc2_frames"][k], &frame(k), &format!("frame {k} of the point cache"));
    }
    let half: Vec<DVec3> = frame(0).iter().zip(frame(1)).map(|(a, b)| a.midpoint(b)).collect();
    assert_points(&report["half"], &half, "between two frames");
    assert_eq!(report["strain_domain"], "POINT");
    let strain: Vec<f64> = serde_json::from_value(report["strain"].clone()).unwrap();
    assert_eq!(strain, STRAIN.map(f64::from));
    assert_eq!(report["color_attributes"].as_array().unwrap().len(), 1);
    assert_points(&report["floor"], &floor().positions, "floor");
    assert_eq!(report["floor_color"], serde_json::json!([0.25, 0.5, 0.75, 1.0]));
}
