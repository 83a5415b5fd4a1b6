//! The words of `--help` and of mistyped commands.

use std::fmt::Write;

use crate::helper::toile;

#[test]
fn help_of_the_program_and_of_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = String::new();
    for command in [
        "",
        "demo",
        "run",
        "check",
        "detect",
        "render",
        "info",
        "scene",
        "fabric",
        "fabric show",
        "fabric test",
        "fabric convert",
        "try-on",
        "bench",
        "torture",
    ] {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = toile(folder.path(), &args).good();
        writeln!(all, "$ toile {}\n{help}", args.join(" ")).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_mistyped_command_is_answered_with_the_nearest_and_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let answer = toile(folder.path(), &["chekc"]);
    assert_eq!((answer.code, answer.out.as_str()), (1, ""));
    assert!(answer.err.contains("'check'"), "{}", answer.err);
}
