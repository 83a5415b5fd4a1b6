//! `cargo xtask interchange FOLDER`: tries every pattern, body and motion file of a folder on, and writes what came of it as a table.
//!
//! Each file is one command of the program `toile`, as a user would type it. The table says whether the file was read, whether the garment
//! was worn, whether it came to rest, what the judge found, and how it fits; where a command fails, its first words are in the last column.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longest that one file may take.
const TIMEOUT: Duration = Duration::from_mins(10);
/// Where the table stands in the document.
const BEGIN: &str = "<!-- interchange: begin -->";
const END: &str = "<!-- interchange: end -->";

/// Ending of files with the seams of a pattern.
const SIDE_FILE: &str = ".seams.toml";

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Pattern,
    Body,
    Motion,
}

impl Kind {
    /// By the extension; `None` for files that are none of them.
    fn of(path: &Path) -> Option<Self> {
        // Side files belong to patterns.
        if path.to_str()?.ends_with(SIDE_FILE) {
            return None;
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "json" | "dxf" | "svg" | "toml" => Some(Self::Pattern),
            "obj" | "ply" | "stl" | "glb" | "gltf" | "fbx" => Some(Self::Body),
            "bvh" => Some(Self::Motion),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pattern => "pattern",
            Self::Body => "body",
            Self::Motion => "motion",
        }
    }

    /// Words of the command that tries the file on.
    fn args(self, file: &str) -> Vec<&str> {
        match self {
            Self::Pattern => vec!["--garment", file],
            Self::Body => vec!["--garment", "t-shirt", "--body", file],
            Self::Motion => vec!["--garment", "a-line-skirt", "--walk", "4", "--motion", file],
        }
    }
}

/// One line of the table.
#[derive(Debug, PartialEq)]
struct Row {
    file: String,
    kind: Kind,
    worn: bool,
    settled: bool,
    intersections: Option<u64>,
    fit: String,
    seconds: f64,
}

/// Tries everything in `folder` on with the program at `toile`, prints a row for each file and puts the table into `document`.
pub(crate) fn run(toile: &Path, folder: &Path, document: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    if files.is_empty() {
        return Err(format!("{} has no pattern, body or motion file", folder.display()));
    }
    let scratch = std::env::temp_dir().join(format!("toile-interchange-{}", std::process::id()));
    fs::create_dir(&scratch).map_err(|error| format!("cannot create {}: {error}", scratch.display()))?;
    let mut rows = Vec::new();
    for (kind, path) in files {
        let row = try_on(toile, kind, folder, &path, &scratch)?;
        println!("{}", line(&row));
        rows.push(row);
    }
    fs::remove_dir_all(&scratch).map_err(|error| format!("cannot remove {}: {error}", scratch.display()))?;
    let text = fs::read_to_string(document).map_err(|error| format!("{}: {error}", document.display()))?;
    fs::write(document, with_table(&text, &table(&rows))?)
        .map_err(|error| format!("{}: {error}", document.display()))?;
    let worn = rows.iter().filter(|row| row.worn && row.intersections == Some(0)).count();
    Ok(format!("{worn} of {} files worn without intersections; table in {}", rows.len(), document.display()))
}

/// All files below a folder that are of any kind.
fn list(folder: &Path, files: &mut Vec<(Kind, PathBuf)>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if let Some(kind) = Kind::of(&path) {
            files.push((kind, path));
        }
    }
    files.sort_by(|a, b| a.1.cmp(&b.1));
    Ok(())
}

fn try_on(toile: &Path, kind: Kind, folder: &Path, path: &Path, scratch: &Path) -> Result<Row, String> {
    let out = scratch.join("worn");
    let _ = fs::remove_dir_all(&out);
    let (stdout, stderr) = (scratch.join("stdout"), scratch.join("stderr"));
    let open = |path: &Path| fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    // Seams that are proposed are written beside a pattern: the program gets a copy, with the side file that there is.
    let copy = scratch.join(path.file_name().unwrap_or_default());
    let copied = |from: &Path, to: &Path| fs::copy(from, to).map_err(|error| format!("{}: {error}", from.display()));
    copied(path, &copy)?;
    let beside = path.with_extension(&SIDE_FILE[1..]);
    let copy_beside = copy.with_extension(&SIDE_FILE[1..]);
    let _ = fs::remove_file(&copy_beside);
    if beside.is_file() {
        copied(&beside, &copy_beside)?;
    }
    let file = copy.to_str().ok_or_else(|| format!("{} is not valid Unicode", path.display()))?;
    let start = Instant::now();
    let mut child = Command::new(toile)
        .arg("try-on")
        .args(kind.args(file))
        .args(["--spacing", "30mm", "--no-pictures", "--json", "--out"])
        .arg(&out)
        .stdin(Stdio::null())
        .stdout(open(&stdout)?)
        .stderr(open(&stderr)?)
        .spawn()
        .map_err(|error| format!("{}: {error}", toile.display()))?;
    let mut timed_out = false;
    loop {
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            break;
        }
        if start.elapsed() > TIMEOUT {
            timed_out = true;
            child.kill().map_err(|error| error.to_string())?;
            child.wait().map_err(|error| error.to_string())?;
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let seconds = start.elapsed().as_secs_f64();
    let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
    // The try-on, and the run of a motion.
    let text = fs::read_to_string(&stdout).unwrap_or_default();
    let results: Vec<Value> =
        serde_json::Deserializer::from_str(&text).into_iter().map_while(|value: Result<Value, _>| value.ok()).collect();
    let words = fs::read_to_string(&stderr).unwrap_or_default().replace(&format!("{}/", scratch.display()), "");
    let why = if timed_out { format!("stopped after {} s", TIMEOUT.as_secs()) } else { first_words(&words) };
    Ok(row(name, kind, &results, &why, seconds))
}

/// What a result says; `why` it failed is told where there is none.
fn row(file: String, kind: Kind, results: &[Value], why: &str, seconds: f64) -> Row {
    let is_whole = kind != Kind::Motion || results.len() > 1;
    let Some(result) = results.first().filter(|_| is_whole) else {
        return Row { file, kind, worn: false, settled: false, intersections: None, fit: why.to_owned(), seconds };
    };
    let number = |pointer: &str| result.pointer(pointer).and_then(Value::as_u64);
    let settled = result.pointer("/report/settled").and_then(Value::as_bool).unwrap_or(false);
    let judged = [number("/report/verdict/cloth"), number("/report/verdict/obstacles")];
    let intersections = judged.into_iter().try_fold(0, |sum, count| Some(sum + count?));
    let moved = results.get(1).map(|run| run.pointer("/judge/intersections_total").and_then(Value::as_u64));
    let intersections = match moved {
        Some(moved) => intersections.zip(moved).map(|(still, moved)| still + moved),
        None => intersections,
    };
    let zones = result.pointer("/fit/zones").and_then(Value::as_array).cloned().unwrap_or_default();
    let verdict = |zone: &Value| {
        let word = |key: &str| zone.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
        format!("{} {}", word("zone"), word("verdict"))
    };
    let fit = zones.iter().map(verdict).collect::<Vec<_>>().join(", ");
    Row { file, kind, worn: true, settled, intersections, fit, seconds }
}

/// The first line of an error that is not empty, short enough for a table.
fn first_words(text: &str) -> String {
    // Long messages are wrapped behind bars; the remedy follows them.
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['×', '│', ' ']));
    let words: Vec<&str> =
        lines.take_while(|line| !line.starts_with("help:")).filter(|line| !line.is_empty()).collect();
    let words = if words.is_empty() { "no answer".to_owned() } else { words.join(" ") };
    words.replace('|', "/").chars().take(160).collect()
}

fn line(row: &Row) -> String {
    let mark = |yes: bool| if yes { "yes" } else { "no" };
    let intersections = row.intersections.map_or_else(|| "–".to_owned(), |count| count.to_string());
    format!(
        "| {} | {} | {} | {} | {} | {} | {:.0} |",
        row.file,
        row.kind.name(),
        mark(row.worn),
        mark(row.settled),
        intersections,
        row.fit,
        row.seconds
    )
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| file | kind | worn | settled | intersections | fit, or why not | s |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        text.push_str(&line(row));
        text.push('\n');
    }
    text
}

/// The document with the table between its marks.
fn with_table(document: &str, table: &str) -> Result<String, String> {
    let missing = || format!("the document has no place for the table: add the lines {BEGIN} and {END}");
    let begin = document.find(BEGIN).ok_or_else(missing)? + BEGIN.len();
    let end = begin + document[begin..].find(END).ok_or_else(missing)?;
    Ok(format!("{}\n\n{table}\n{}", &document[..begin], &document[end..]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_known_by_their_extension_in_any_case() {
        assert_eq!(Kind::of(Path::new("a/TANK.DXF")), Some(Kind::Pattern));
        assert_eq!(Kind::of(Path::new("scan.Obj")), Some(Kind::Body));
        assert_eq!(Kind::of(Path::new("walk.bvh")), Some(Kind::Motion));
        assert_eq!(Kind::of(Path::new("notes.md")), None);
    }

    #[test]
    fn a_result_becomes_a_row_and_a_failure_says_why() {
        let zones = json!([{"zone": "bust", "verdict": "good"}, {"zone": "waist", "verdict": "loose"}]);
        let result =
            json!({"report": {"settled": true, "verdict": {"cloth": 1, "obstacles": 2}}, "fit": {"zones": zones}});
        let worn = row("a.dxf".into(), Kind::Pattern, std::slice::from_ref(&result), "", 2.0);
        assert_eq!((worn.worn, worn.settled, worn.intersections), (true, true, Some(3)));
        assert_eq!(line(&worn), "| a.dxf | pattern | yes | yes | 3 | bust good, waist loose | 2 |");
        let unjudged = row("a.dxf".into(), Kind::Pattern, &[json!({})], "", 2.0);
        assert_eq!(unjudged.intersections, None, "what was not judged is not clean");
        let told = "\n  × a.dxf: no | outline\n  │ was found\n  help: draw one\n";
        let failed = row("b.dxf".into(), Kind::Pattern, &[], &first_words(told), 1.0);
        assert_eq!(line(&failed), "| b.dxf | pattern | no | no | – | a.dxf: no / outline was found | 1 |");
        // A motion counts only once it has run, and what it runs into counts.
        let still = row("c.bvh".into(), Kind::Motion, std::slice::from_ref(&result), "stopped", 1.0);
        assert!(!still.worn && still.fit == "stopped");
        let run = json!({"judge": {"intersections_total": 4}});
        let moved = row("c.bvh".into(), Kind::Motion, &[result, run], "", 1.0);
        assert_eq!((moved.worn, moved.intersections), (true, Some(7)));
    }

    #[test]
    fn the_table_replaces_the_one_before() {
        let document = format!("head\n{BEGIN}\nold\n{END}\ntail\n");
        let once = with_table(&document, "new\n").unwrap();
        assert_eq!(once, format!("head\n{BEGIN}\n\nnew\n\n{END}\ntail\n"));
        assert_eq!(with_table(&once, "new\n").unwrap(), once);
        assert!(with_table("nothing", "new\n").unwrap_err().contains(BEGIN));
    }
}
