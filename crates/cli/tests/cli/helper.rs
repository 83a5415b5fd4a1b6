//! Running the program, and something small to run it on.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use toile_files::obj::save_obj;
use toile_mesh::{DVec3, generate};
use toile_scene::{Run, Scene};

/// What the program answered.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Answer {
    /// Standard output of a success.
    #[track_caller]
    pub(crate) fn good(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// Standard error of a failure that printed nothing else.
    #[track_caller]
    pub(crate) fn bad(self) -> String {
        assert_eq!((self.code, self.out.as_str()), (1, ""), "{}", self.err);
        self.err
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e} in {}{}", self.out, self.err))
    }
}

/// Runs the program in `folder`, without colours and as if 80 columns wide.
pub(crate) fn toile(folder: &Path, args: &[&str]) -> Answer {
    let output = Command::new(env!("CARGO_BIN_EXE_toile"))
        .args(args)
        .current_dir(folder)
        .env_clear()
        .envs([("NO_COLOR", "1"), ("LC_ALL", "C.UTF-8"), ("TERM", "xterm")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Answer { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Writes a ball of radius 0.5 m that stands on y = 0.
pub(crate) fn write_ball(folder: &Path, name: &str) {
    let ball = generate::icosphere(0.5, 2).map_positions(|p| p + DVec3::new(0.0, 0.5, 0.0));
    save_obj(&folder.join(name), &ball).unwrap();
}

/// Two blue cloths that are not kept apart and cross from the start, above a floor; three frames.
pub(crate) const CROSSED: &str = r##"
name = "crossed"
description = "Two cloths that pass through each other."
[time]
duration = 0.1
[contact]
self_collision = false
[output]
picture = [160, 90]
animation_size = [80, 44]
[[cloth]]
name = "flat"
color = "#2040c0"
shape = { kind = "grid", size = [1, 1], vertices = [6, 6] }
[[cloth]]
name = "upright"
color = "#2040c0"
rotation_deg = [80, 10, 0]
shape = { kind = "disc", radius = 0.3, rings = 3 }
[[obstacle]]
name = "floor"
shape = { kind = "plane" }
[[obstacle]]
name = "ball"
position = [2, 0.5, 0]
velocity = [1, 0, 0]
"##;

/// Runs [`CROSSED`] to its end in the folder `name`.
pub(crate) fn write_run(folder: &Path, name: &str) {
    let scene = Scene::from_toml("crossed.toml", CROSSED).unwrap();
    let mut run = Run::create(&scene, &folder.join(name)).unwrap();
    while !run.is_complete() {
        run.advance().unwrap();
    }
}
