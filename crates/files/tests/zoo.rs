//! Every bad file in `tests/zoo` is refused, with the message that `messages.txt` has for it. After a deliberate
//! change, run with `TOILE_WRITE_MESSAGES=1` and read the difference.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use toile_files::{MeshFormat, read_mesh};

#[test]
fn every_bad_file_is_refused_with_its_message() {
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zoo");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&zoo).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| MeshFormat::from_path(path).is_ok());
    files.sort();
    assert!(files.len() >= 20);
    let mut messages = String::new();
    for file in &files {
        let message = match read_mesh(file) {
            Ok(_) => panic!("{} was read without an error", file.display()),
            Err(error) => error.to_string(),
        };
        let prefix = format!("{}: ", file.display());
        let message = message.strip_prefix(&prefix).unwrap_or_else(|| panic!("{message} does not start with its path"));
        assert!(message.len() < 250 && !message.contains('\n'), "{message}");
        let name = file.file_name().unwrap().to_string_lossy();
        writeln!(messages, "{name}: {message}").unwrap();
    }
    let snapshot = zoo.join("messages.txt");
    if std::env::var_os("TOILE_WRITE_MESSAGES").is_some() {
        std::fs::write(&snapshot, &messages).unwrap();
    }
    let expected = std::fs::read_to_string(&snapshot).unwrap();
    for (message, expected) in messages.lines().zip(expected.lines()) {
        assert_eq!(message, expected);
    }
    assert_eq!(messages.lines().count(), expected.lines().count());
}
