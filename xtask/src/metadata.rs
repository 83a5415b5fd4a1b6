//! Checks on `cargo metadata`: licences of all packages, and who may depend on whom in the workspace.
//!
//! Licences are SPDX expressions. With `allowed(id)` given by a list, an expression is acceptable when
//! `a OR b` = a ∨ b, `a AND b` = a ∧ b (binding stronger), `id WITH exception` is on the list as written. The form
//! `a/b`, which older packages use, means `a OR b`. An expression that cannot be read is refused, never guessed.

use serde_json::Value;

/// Licences a dependency may have; `deny.toml` repeats this list and says why MPL-2.0 is not on it.
const ALLOWED_LICENCES: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The room of the benchmarks. Tests of every room may use its pieces.
const BENCH: &str = "toile-bench";

/// The library, and the rooms that its examples show it together with.
const LIBRARY: &str = "toile";
const IN_EXAMPLES: [&str; 4] = ["toile-body", "toile-garment", "toile-tailor", "toile-scene"];

/// Every package of the workspace with the workspace packages it may depend on, tests and build scripts included.
/// The computing rooms (mesh, collide, cloth, contact) do no input or output, so they see neither files nor view.
const ROOMS: [(&str, &[&str]); 16] = [
    ("toile-schema", &[]),
    ("toile-mesh", &[]),
    ("toile-collide", &["toile-schema", "toile-mesh"]),
    ("toile-cloth", &["toile-schema", "toile-mesh"]),
    ("toile-contact", &["toile-schema", "toile-mesh", "toile-collide", "toile-cloth"]),
    ("toile-files", &["toile-mesh"]),
    ("toile-view", &["toile-mesh"]),
    ("toile-body", &["toile-mesh", "toile-files"]),
    ("toile-garment", &["toile-mesh", "toile-body"]),
    (LIBRARY, &["toile-schema", "toile-mesh", "toile-collide", "toile-cloth", "toile-contact"]),
    ("toile-tailor", &["toile-mesh", "toile-cloth", "toile-contact", "toile-body", "toile-garment", "toile"]),
    (
        "toile-scene",
        &[
            "toile-schema",
            "toile-mesh",
            "toile-collide",
            "toile-cloth",
            "toile-contact",
            "toile-files",
            "toile-body",
            "toile-garment",
            "toile",
            "toile-tailor",
        ],
    ),
    (
        BENCH,
        &[
            "toile-mesh",
            "toile-collide",
            "toile-cloth",
            "toile-contact",
            "toile-files",
            "toile-view",
            "toile-body",
            "toile-garment",
            "toile",
            "toile-tailor",
            "toile-scene",
        ],
    ),
    // It is a benchmark too: it measures the same pieces.
    ("toile-peers", &["toile-mesh", "toile-collide", BENCH]),
    (
        "toile-cli",
        &[
            "toile-mesh",
            "toile-collide",
            "toile-cloth",
            "toile-contact",
            "toile-files",
            "toile-view",
            "toile-body",
            "toile-garment",
            "toile",
            "toile-tailor",
            "toile-scene",
            BENCH,
        ],
    ),
    ("xtask", &[]),
];

/// Names every package whose licence is missing, unreadable or not on the list.
pub(crate) fn check_licences(metadata: &Value) -> Result<String, String> {
    let packages = array(metadata, "packages")?;
    let mut offences = Vec::new();
    for package in packages {
        let name = format!("{} {}", text(package, "name")?, text(package, "version")?);
        match package.get("license").and_then(Value::as_str) {
            None => offences.push(format!("{name} states no SPDX licence")),
            Some(expression) => match licence_is_allowed(expression) {
                Ok(true) => {}
                Ok(false) => offences.push(format!("{name}: `{expression}` is not on the list of allowed licences")),
                Err(why) => offences.push(format!("{name}: `{expression}` is not an SPDX expression: {why}")),
            },
        }
    }
    verdict(&offences, format!("{} packages", packages.len()))
}

/// Names every dependency between workspace packages that [`ROOMS`] does not allow.
pub(crate) fn check_direction(metadata: &Value) -> Result<String, String> {
    let member_ids = array(metadata, "workspace_members")?;
    let mut members = Vec::new();
    for package in array(metadata, "packages")? {
        if package.get("id").is_some_and(|id| member_ids.contains(id)) {
            members.push((text(package, "name")?, package));
        }
    }
    let mut offences = Vec::new();
    let mut edges = 0;
    for (name, package) in &members {
        let Some((_, may_use)) = ROOMS.iter().find(|(room, _)| room == name) else {
            offences.push(format!("{name} has no row in the table of rooms (xtask/src/metadata.rs)"));
            continue;
        };
        for dependency in array(package, "dependencies")? {
            let target = text(dependency, "name")?;
            if members.iter().any(|(member, _)| *member == target) {
                edges += 1;
                let for_tests = dependency.get("kind").and_then(Value::as_str) == Some("dev");
                let in_examples = *name == LIBRARY && IN_EXAMPLES.contains(&target);
                let allowed = may_use.contains(&target) || (for_tests && (target == BENCH || in_examples));
                if !allowed {
                    offences.push(format!("{name} must not depend on {target}"));
                }
            }
        }
    }
    for (room, _) in &ROOMS {
        if members.iter().all(|(member, _)| member != room) {
            offences.push(format!("the table of rooms names {room}, which is not in the workspace"));
        }
    }
    verdict(&offences, format!("{edges} dependencies between {} packages", members.len()))
}

fn verdict(offences: &[String], note: String) -> Result<String, String> {
    if offences.is_empty() { Ok(note) } else { Err(offences.join("\n   ")) }
}

fn array<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| format!("cargo metadata has no list `{key}`"))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value.get(key).and_then(Value::as_str).ok_or_else(|| format!("cargo metadata has a package without `{key}`"))
}

fn licence_is_allowed(expression: &str) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    let allowed = parse_or(&mut rest)?;
    match rest.first() {
        None => Ok(allowed),
        Some(token) => Err(format!("unexpected `{token}`")),
    }
}

fn parse_or(rest: &mut &[&str]) -> Result<bool, String> {
    let mut allowed = parse_and(rest)?;
    while take(rest, "OR") {
        // The right side is read in any case: a mistake there is still a mistake.
        allowed |= parse_and(rest)?;
    }
    Ok(allowed)
}

fn parse_and(rest: &mut &[&str]) -> Result<bool, String> {
    let mut allowed = parse_licence(rest)?;
    while take(rest, "AND") {
        allowed &= parse_licence(rest)?;
    }
    Ok(allowed)
}

fn parse_licence(rest: &mut &[&str]) -> Result<bool, String> {
    if take(rest, "(") {
        let allowed = parse_or(rest)?;
        return if take(rest, ")") { Ok(allowed) } else { Err(String::from("a parenthesis is not closed")) };
    }
    let licence = identifier(rest)?;
    if take(rest, "WITH") {
        let exception = identifier(rest)?;
        return Ok(ALLOWED_LICENCES.contains(&format!("{licence} WITH {exception}").as_str()));
    }
    Ok(ALLOWED_LICENCES.contains(&licence))
}

fn identifier<'a>(rest: &mut &[&'a str]) -> Result<&'a str, String> {
    match rest.split_first() {
        Some((&token, tail)) if !matches!(token, "OR" | "AND" | "WITH" | "(" | ")") => {
            *rest = tail;
            Ok(token)
        }
        Some((token, _)) => Err(format!("expected a licence, found `{token}`")),
        None => Err(String::from("expected a licence, found the end")),
    }
}

fn take(rest: &mut &[&str], expected: &str) -> bool {
    match rest.split_first() {
        Some((&token, tail)) if token == expected => {
            *rest = tail;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn licence_choice_needs_one_allowed_side() {
        for expression in ["MIT", "MIT OR GPL-3.0-only", "GPL-3.0-only OR MIT", "MIT/GPL-3.0", "GPL-3.0 / MIT"] {
            assert_eq!(licence_is_allowed(expression), Ok(true), "{expression}");
        }
        assert_eq!(licence_is_allowed("GPL-3.0-only OR AGPL-3.0-only"), Ok(false));
        assert_eq!(licence_is_allowed("MPL-2.0"), Ok(false));
    }

    #[test]
    fn licence_conjunction_needs_both_and_binds_stronger_than_choice() {
        assert_eq!(licence_is_allowed("MIT AND Zlib"), Ok(true));
        assert_eq!(licence_is_allowed("MIT AND GPL-3.0-only"), Ok(false));
        // Read from the left without precedence, the first would be refused and the second accepted by accident.
        assert_eq!(licence_is_allowed("MIT OR Zlib AND GPL-3.0-only"), Ok(true));
        assert_eq!(licence_is_allowed("(MIT OR Zlib) AND GPL-3.0-only"), Ok(false));
        assert_eq!(licence_is_allowed("((MIT OR GPL-3.0-only)) AND (Unicode-3.0)"), Ok(true));
    }

    #[test]
    fn licence_exception_is_part_of_the_licence() {
        assert_eq!(licence_is_allowed("Apache-2.0 WITH LLVM-exception"), Ok(true));
        assert_eq!(licence_is_allowed("GPL-2.0-only WITH Classpath-exception-2.0"), Ok(false));
        assert_eq!(licence_is_allowed("MIT WITH LLVM-exception"), Ok(false));
    }

    #[test]
    fn unreadable_licences_are_refused() {
        for expression in ["", "MIT OR", "OR MIT", "(MIT", "MIT)", "MIT Zlib", "MIT WITH", "MIT AND OR Zlib", "()"] {
            assert!(licence_is_allowed(expression).is_err(), "{expression}");
        }
    }

    #[test]
    fn licence_check_names_the_offending_package() {
        let metadata = json!({"packages": [
            {"name": "good", "version": "1.0.0", "license": "MIT"},
            {"name": "viral", "version": "2.0.1", "license": "GPL-3.0-only"},
            {"name": "silent", "version": "0.3.0", "license": null},
        ]});
        let offences = check_licences(&metadata).unwrap_err();
        assert!(offences.contains("viral 2.0.1") && offences.contains("silent 0.3.0"), "{offences}");
        assert!(!offences.contains("good"), "{offences}");
    }

    #[test]
    fn deny_toml_has_the_same_licence_list() {
        let deny = include_str!("../../deny.toml");
        let list = deny.split_once("\nallow = [").and_then(|(_, rest)| rest.split_once("\n]")).unwrap().0;
        let listed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        assert_eq!(listed, ALLOWED_LICENCES);
    }

    /// A workspace with all rooms, where `from` has the given dependencies and the other rooms have none.
    fn workspace(from: &str, dependencies: &[(&str, &str)]) -> Value {
        let mut names: Vec<&str> = ROOMS.iter().map(|(room, _)| *room).collect();
        if !names.contains(&from) {
            names.push(from);
        }
        let dependencies: Vec<Value> =
            dependencies.iter().map(|(name, kind)| json!({"name": name, "kind": kind})).collect();
        let package = |name: &&str| {
            let dependencies = if *name == from { dependencies.clone() } else { Vec::new() };
            json!({"id": name, "name": name, "dependencies": dependencies})
        };
        let packages: Vec<Value> = names.iter().map(package).collect();
        json!({"workspace_members": names, "packages": packages})
    }

    #[test]
    fn dependencies_on_lower_rooms_and_on_the_outside_are_allowed() {
        let metadata = workspace("toile-contact", &[("toile-collide", "normal"), ("rayon", "normal")]);
        assert_eq!(check_direction(&metadata).unwrap(), "1 dependencies between 16 packages");
        assert!(check_direction(&workspace("toile-cli", &[("toile-view", "normal"), ("toile", "normal")])).is_ok());
    }

    #[test]
    fn dependencies_on_higher_rooms_are_refused_by_name_even_in_tests() {
        for (from, to) in [
            ("toile-mesh", "toile-collide"),
            ("toile-cloth", "toile-contact"),
            ("toile-collide", "toile-files"),
            ("toile", "toile-view"),
            ("toile-files", "toile-cli"),
            ("toile-bench", "toile-cli"),
            ("xtask", "toile-mesh"),
        ] {
            for kind in ["normal", "dev"] {
                let offence = check_direction(&workspace(from, &[(to, kind)])).unwrap_err();
                assert_eq!(offence, format!("{from} must not depend on {to}"));
            }
        }
    }

    #[test]
    fn only_tests_and_the_program_use_the_benchmarks() {
        assert!(check_direction(&workspace("toile-cli", &[(BENCH, "normal")])).is_ok());
        assert!(check_direction(&workspace("toile-collide", &[(BENCH, "dev")])).is_ok());
        let offence = check_direction(&workspace("toile", &[(BENCH, "normal")])).unwrap_err();
        assert_eq!(offence, "toile must not depend on toile-bench");
    }

    #[test]
    fn new_and_vanished_packages_must_be_entered_in_the_table() {
        assert!(check_direction(&workspace("toile-new", &[])).unwrap_err().contains("toile-new has no row"));
        let empty = json!({"workspace_members": [], "packages": []});
        assert!(check_direction(&empty).unwrap_err().contains("names toile-mesh"));
    }

    #[test]
    fn rooms_never_form_a_cycle() {
        // Each room may use only rooms listed above it.
        for (row, (room, may_use)) in ROOMS.iter().enumerate() {
            for target in *may_use {
                assert!(ROOMS[..row].iter().any(|(above, _)| above == target), "{room} → {target}");
            }
        }
    }
}
