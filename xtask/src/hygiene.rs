//! Checks on the text of the repository: no paths of someone's machine, no marks of unfinished code, and every path
//! that ARCHITECTURE.md names in backticks exists.
//!
//! The files are those that git tracks or would track, so a new file is checked before it is committed. Files that
//! are not UTF-8 text are passed over.

use std::fs;
use std::path::Path;
use std::process::Command;

// The searched words are put together from halves; otherwise this file would report itself.
const MACHINE_FOLDERS: [&str; 4] =
    [concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];
const UNFINISHED_MARKS: [&str; 3] = [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("FIX", "ME")];

/// Folders whose mention in backticks is a claim about the tree even without a file name at the end.
const TREE_FOLDERS: [&str; 6] = ["crates", "docs", "xtask", ".cargo", ".ci", ".config"];

/// Names every line with a forbidden word and every path in ARCHITECTURE.md that does not exist.
pub(crate) fn check(root: &Path) -> Result<String, String> {
    check_files(root, &repository_files(root)?)
}

fn check_files(root: &Path, files: &[String]) -> Result<String, String> {
    let mut offences = Vec::new();
    for file in files {
        if let Ok(text) = fs::read_to_string(root.join(file)) {
            offences.extend(forbidden_words(&text).map(|(line, word)| format!("{file}:{line}: `{word}`")));
        }
    }
    match fs::read_to_string(root.join("ARCHITECTURE.md")) {
        Ok(text) => {
            let missing = named_paths(&text).into_iter().filter(|path| !root.join(path).exists());
            offences.extend(missing.map(|path| format!("ARCHITECTURE.md names `{path}`, which does not exist")));
        }
        Err(error) => offences.push(format!("ARCHITECTURE.md: {error}")),
    }
    if offences.is_empty() { Ok(format!("{} files", files.len())) } else { Err(offences.join("\n   ")) }
}

fn repository_files(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .current_dir(root)
        // A hook of git sets these for its own repository, which need not be this folder.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|error| format!("git did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let list = String::from_utf8(output.stdout).map_err(|_| String::from("a file name is not valid UTF-8"))?;
    let mut files: Vec<String> = list.split('\0').filter(|name| !name.is_empty()).map(String::from).collect();
    files.sort();
    files.dedup();
    if files.is_empty() { Err(String::from("git lists no files")) } else { Ok(files) }
}

/// Line numbers, from 1, and the forbidden word found there.
fn forbidden_words(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let folders = MACHINE_FOLDERS.into_iter().filter(move |folder| starts_a_path(line, folder));
        let marks = UNFINISHED_MARKS.into_iter().filter(move |mark| line.contains(mark));
        folders.chain(marks).map(move |word| (index + 1, word))
    })
}

/// Whether `folder` occurs at the start of a path; inside a longer path or an address it is somebody else's name.
fn starts_a_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '>' | '}'))
    })
}

/// The paths in backticks, outside code blocks, that claim to be part of the tree: they begin with a known folder or
/// end in a file name. A component with a placeholder such as `<name>`, `*` or `…` ends the part that is checked.
fn named_paths(markdown: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut in_code_block = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code_block = !in_code_block;
        } else if !in_code_block {
            paths.extend(line.split('`').skip(1).step_by(2).filter_map(claimed_path));
        }
    }
    paths
}

fn claimed_path(code: &str) -> Option<String> {
    if !code.contains('/') || code.starts_with('/') || code.contains(char::is_whitespace) || code.contains("://") {
        return None;
    }
    let components: Vec<&str> = code.split('/').filter(|component| !component.is_empty()).collect();
    let in_tree = components.first().is_some_and(|first| TREE_FOLDERS.contains(first));
    let ends_in_file = components.last().and_then(|last| last.rsplit_once('.')).is_some_and(|(stem, extension)| {
        !stem.is_empty() && !extension.is_empty() && extension.chars().all(|c| c.is_ascii_alphanumeric())
    });
    if !in_tree && !ends_in_file {
        return None;
    }
    let is_plain =
        |component: &&&str| component.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+'));
    let plain: Vec<&str> = components.iter().take_while(is_plain).copied().collect();
    if plain.is_empty() { None } else { Some(plain.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_clean() {
        let root = crate::workspace_root().unwrap();
        if let Err(offences) = check(&root) {
            panic!("{offences}");
        }
    }

    #[test]
    fn forbidden_words_are_found_with_their_line() {
        for word in MACHINE_FOLDERS.into_iter().chain(UNFINISHED_MARKS) {
            let text = format!("first line\n  \"{word}x\"\n");
            assert_eq!(forbidden_words(&text).collect::<Vec<_>>(), [(2, word)]);
            assert_eq!(forbidden_words(word).collect::<Vec<_>>(), [(1, word)]);
        }
    }

    #[test]
    fn folders_inside_longer_paths_are_nobodys_machine() {
        for folder in MACHINE_FOLDERS {
            assert_eq!(forbidden_words(&format!("https://example.org{folder}page docs{folder}x.md")).count(), 0);
            // A clean mention does not hide a bad one behind it.
            assert_eq!(forbidden_words(&format!("docs{folder} and {folder}")).count(), 1);
        }
    }

    #[test]
    fn paths_are_read_from_backticks_only() {
        let text =
            "See `crates/mesh/src/lib.rs` and crates/none.rs, `docs/`.\n```\n`crates/tree`\n```\nThen `a/b.toml`.";
        assert_eq!(named_paths(text), ["crates/mesh/src/lib.rs", "docs", "a/b.toml"]);
    }

    #[test]
    fn units_commands_types_and_addresses_are_not_paths() {
        for code in ["kg/m²", "N/m", "impulse/force", "cargo test", "a::b", "/", "https://x.org/a.html", "lib.rs"] {
            assert_eq!(claimed_path(code), None, "{code}");
        }
    }

    #[test]
    fn placeholders_end_the_checked_part() {
        assert_eq!(claimed_path("crates/<name>").as_deref(), Some("crates"));
        assert_eq!(claimed_path("crates/mesh/src/{ids,bounds}.rs").as_deref(), Some("crates/mesh/src"));
        assert_eq!(claimed_path("crates/*/Cargo.toml").as_deref(), Some("crates"));
        assert_eq!(claimed_path("<run>/report.json"), None);
    }

    #[test]
    fn stale_paths_a_missing_document_and_unfinished_code_are_offences() {
        let root = std::env::temp_dir().join(format!("toile-xtask-hygiene-{}", std::process::id()));
        fs::create_dir(&root).unwrap();
        let files = [String::from("a.md")];
        fs::write(root.join("a.md"), "clean").unwrap();
        let without = check_files(&root, &files);
        fs::write(root.join("ARCHITECTURE.md"), "`docs/gone.md`").unwrap();
        let stale = check_files(&root, &files);
        fs::create_dir(root.join("docs")).unwrap();
        fs::write(root.join("docs").join("gone.md"), "here").unwrap();
        let mended = check_files(&root, &files);
        fs::write(root.join("a.md"), format!("clean\n{}", UNFINISHED_MARKS[0])).unwrap();
        let unfinished = check_files(&root, &files);
        fs::remove_dir_all(&root).unwrap();
        assert!(without.unwrap_err().starts_with("ARCHITECTURE.md: "));
        assert_eq!(stale.unwrap_err(), "ARCHITECTURE.md names `docs/gone.md`, which does not exist");
        assert_eq!(mended.unwrap(), "1 files");
        assert!(unfinished.unwrap_err().starts_with("a.md:2: "));
    }
}
