//! `cargo xtask blender`: results of a short walk, of moving obstacles and of two garments, opened in real Blender.
//!
//! Blender is the Python module `bpy`, which needs Python 3.11. Without it the check is skipped and says how to install it; with
//! `--install` it is put into an environment of its own in the target folder. What is checked stands in `xtask/blender.py`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed.
const MODULE: &str = "bpy==4.5.*";
/// Variable that names a Python that has the module.
const VARIABLE: &str = "TOILE_BLENDER_PYTHON";

/// A turning box, a ball that flies, a sheet that waves, and cloth that falls on them.
const TOYS: &str = r#"
name = "toys"
[time]
duration = 0.5
frame_rate = 24
[output]
usda = true
[[cloth]]
name = "napkin"
position = [0, 0.6, 0]
shape = { kind = "grid", size = [0.6, 0.6], vertices = [16, 16] }
[[obstacle]]
name = "box"
position = [0, 0.3, 0]
spin = 0.7
spin_axis = [0.3, 1, 0]
shape = { kind = "box", size = [0.3, 0.3, 0.2] }
[[obstacle]]
name = "ball"
position = [2, 0.5, 0]
velocity = [1, 0, 0.5]
[[obstacle]]
name = "sea"
position = [0, -0.5, 0]
shape = { kind = "wave", cells = 8 }
"#;

/// What the words after `blender` ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Whether Blender may be installed.
    pub(crate) install: bool,
    /// The program to use instead of a new build.
    pub(crate) program: Option<PathBuf>,
}

impl Asked {
    pub(crate) fn read(args: &[String]) -> Result<Self, String> {
        let (mut asked, mut words) = (Self::default(), args.iter());
        while let Some(word) = words.next() {
            match (word.as_str(), words.as_slice().first()) {
                ("--install", _) => asked.install = true,
                ("--program", Some(path)) => {
                    asked.program = Some(PathBuf::from(path));
                    words.next();
                }
                ("--program", None) => return Err("--program needs the path of the program".into()),
                (other, _) => return Err(format!("there is no option `{other}`; known are --install and --program")),
            }
        }
        Ok(asked)
    }
}

/// A Python that can import Blender. `Err` says why there is none.
pub(crate) fn python(target: &Path, install: bool) -> Result<PathBuf, String> {
    let own = target.join("blender");
    let inside = own.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let candidates = named.into_iter().chain([inside.clone(), "python3.11".into(), "python3".into()]);
    if let Some(found) = candidates.into_iter().find(|python| succeeds(python, &["-c", "import bpy"])) {
        return Ok(found);
    }
    let is_311 = "import sys; sys.exit(sys.version_info[:2] != (3, 11))";
    let Some(base) = ["python3.11", "python3"].into_iter().find(|p| succeeds(Path::new(p), &["-c", is_311])) else {
        return Err(format!(
            "there is no Python 3.11, which Blender's module needs; install it, or name one by {VARIABLE}"
        ));
    };
    if !install {
        return Err(format!(
            "Python has no module bpy; `cargo xtask blender --install` puts it into {} (350 MB), or: {base} -m pip install '{MODULE}'",
            own.display()
        ));
    }
    let steps = [
        (PathBuf::from(base), vec!["-m".into(), "venv".into(), own.display().to_string()]),
        (inside.clone(), ["-m", "pip", "install", MODULE].map(String::from).to_vec()),
    ];
    for (program, words) in steps {
        let status = Command::new(&program).args(&words).status().map_err(|e| format!("{}: {e}", program.display()))?;
        if !status.success() {
            return Err(format!("{} {} ended with {status}", program.display(), words.join(" ")));
        }
    }
    Ok(inside)
}

fn succeeds(program: &Path, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Makes the results with the program at `toile` and lets Blender check them.
pub(crate) fn run(root: &Path, toile: &Path, python: &Path) -> Result<String, String> {
    let scratch = std::env::temp_dir().join(format!("toile-blender-{}", std::process::id()));
    fs::create_dir(&scratch).map_err(|error| format!("cannot create {}: {error}", scratch.display()))?;
    let scene = scratch.join("toys.toml");
    fs::write(&scene, TOYS).map_err(|error| format!("{}: {error}", scene.display()))?;
    let common = ["--spacing", "40mm", "--no-pictures", "--quiet"];
    let walk = ["try-on", "--garment", "a-line-skirt", "--walk", "1", "--most-time", "0.5", "--out", "worn"];
    let drape = ["try-on", "--garment", "a-line-skirt", "--garment", "tank-top", "--most-time", "0.2", "--out", "both"];
    let toys = ["run", "toys.toml", "--no-pictures", "--quiet", "--out", "toys"];
    for words in [[&walk[..], &common].concat(), toys.to_vec(), [&drape[..], &common].concat()] {
        let status = Command::new(toile).args(&words).current_dir(&scratch).status();
        let status = status.map_err(|error| format!("{}: {error}", toile.display()))?;
        // 2 means that a garment had no time to settle or slipped; its files are complete.
        if !matches!(status.code(), Some(0 | 2)) {
            return Err(format!("toile {} ended with {status}", words.join(" ")));
        }
    }
    let checked = Command::new(python)
        .arg(root.join("xtask/blender.py"))
        .args(["worn/walk", "toys", "both"])
        .current_dir(&scratch)
        .status()
        .map_err(|error| format!("{}: {error}", python.display()))?;
    if !checked.success() {
        return Err(format!("Blender does not show what was written; the files are in {}", scratch.display()));
    }
    fs::remove_dir_all(&scratch).map_err(|error| format!("cannot remove {}: {error}", scratch.display()))?;
    Ok("Blender shows what was simulated".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_unknown_ones_refused() {
        let read = |words: &[&str]| Asked::read(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(read(&[]), Ok(Asked::default()));
        let program = Some(PathBuf::from("toile"));
        assert_eq!(read(&["--install", "--program", "toile"]), Ok(Asked { install: true, program }));
        assert!(read(&["--program"]).is_err() && read(&["--instal"]).unwrap_err().contains("--instal"));
    }
}
