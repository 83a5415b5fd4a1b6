//! `toile fabric`.

use toile_scene::fabric::{NamedFabric, find};

use crate::helper::toile;

const TWILL: &str = r#"<fabric name="twill">
  <young-modulus-warp>9000</young-modulus-warp>
  <young-modulus-weft>6000</young-modulus-weft>
  <shear-modulus>60</shear-modulus>
  <bending-modulus>1.2e-5</bending-modulus>
  <poisson-coefficient>0.2</poisson-coefficient>
  <mass-density unit="g/m2">210</mass-density>
</fabric>
"#;

#[test]
fn the_library_as_a_table() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(toile(folder.path(), &["fabric", "list"]).good());
    assert_eq!(toile(folder.path(), &["fabric", "list", "-q"]).good(), "");
    let value = toile(folder.path(), &["fabric", "list", "--json"]).json();
    let denim = value.as_array().unwrap().iter().find(|fabric| fabric["name"] == "denim").unwrap();
    assert_eq!(denim["bend"][0].as_f64(), Some(find("denim").unwrap().fabric.bend_warp));
}

#[test]
fn one_fabric_in_all_its_units() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(toile(folder.path(), &["fabric", "show", "cotton-poplin"]).good());
    let value = toile(folder.path(), &["fabric", "show", "cotton-poplin", "--json"]).json();
    assert_eq!((&value["name"], &value["properties"]["shear"]["unit"]), (&"cotton-poplin".into(), &"N/m".into()));
    // 4/E45 = 1/E1 + 1/E2 + 1/G − 2 ν/E1, by hand.
    let bias = value["derived"]["stretch_bias"]["value"].as_f64().unwrap();
    let by_hand = 4.0 / (1.0 / 10350.0 + 1.0 / 3955.0 + 1.0 / 66.6 - 2.0 * 0.243 / 10350.0);
    assert!((bias / by_hand - 1.0).abs() < 1e-9, "{bias} {by_hand}");
}

#[test]
fn a_fabric_printed_as_toml_reads_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = toile(folder.path(), &["fabric", "show", "silk-habotai", "--toml", "-q"]).good();
    assert_eq!(NamedFabric::from_toml("printed", &text).unwrap(), find("silk-habotai").unwrap());
    std::fs::write(folder.path().join("mine.toml"), text.replace("silk-habotai", "mine")).unwrap();
    assert!(toile(folder.path(), &["fabric", "show", "mine.toml"]).good().starts_with("mine\n"));
}

#[test]
fn a_file_of_another_program_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twill.toml");
    std::fs::write(folder.path().join("a.xml"), TWILL).unwrap();
    let printed = toile(folder.path(), &["fabric", "convert", "a.xml"]).good();
    let said = toile(folder.path(), &["fabric", "convert", "a.xml", "--out", "twill.toml"]).good();
    assert_eq!(said, "twill.toml: twill written\n");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), printed);
    assert_eq!(NamedFabric::from_toml("a", &printed).unwrap().fabric.areal_density, 0.21);
    let error = toile(folder.path(), &["fabric", "convert", "twill.toml", "--out", "./twill.toml"]).bad();
    assert!(error.contains("would be overwritten with itself"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), printed);
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"mine\"\n\n[kes]\nemt_warp = 4\nlt_warp = 0.6\nwt_warp = 20\n";
    std::fs::write(folder.path().join("mine.toml"), text).unwrap();
    std::fs::write(folder.path().join("a.xml"), TWILL.replace("<shear-modulus>60</shear-modulus>", "")).unwrap();
    let mut all = String::new();
    for args in [["show", "mine.toml"], ["show", "demin"], ["convert", "a.xml"], ["convert", "gone.json"]] {
        all += &toile(folder.path(), &["fabric", args[0], args[1]]).bad();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_laboratory_reads_back_what_was_typed_in_and_writes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["fabric", "test", "denim", "--quick", "--only", "tensile,shear,bending", "--out", "lab"];
    let said = toile(folder.path(), &args).good();
    assert_eq!(said.matches(" good").count(), 9, "{said}");
    let html = std::fs::read_to_string(folder.path().join("lab/fabric-test.html")).unwrap();
    assert!(html.contains("9 of 9 readings within tolerance") && html.matches("<svg").count() == 3);
    let text = std::fs::read_to_string(folder.path().join("lab/fabric-test.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["good"], &value["fabric"]), (&true.into(), &"denim".into()));
    assert!((value["readings"][4]["read"].as_f64().unwrap() / 140.0 - 1.0).abs() < 0.01, "{}", value["readings"][4]);
}

#[test]
fn the_laboratory_drapes_a_disc() {
    let folder = tempfile::tempdir().unwrap();
    let text = toile(folder.path(), &["fabric", "show", "denim", "--toml"]).good();
    // Stiff as a board: the shadow is that of the flat disc.
    let stiff: Vec<&str> = text.lines().filter(|line| !line.starts_with("bend_")).collect();
    let board = format!("{}\nbend_warp = 0.01\nbend_weft = 0.01\n", stiff.join("\n"));
    std::fs::write(folder.path().join("board.toml"), board.replace("\"denim\"", "\"board\"")).unwrap();
    let args = ["fabric", "test", "board.toml", "--quick", "--runs", "1", "--only", "drape", "--json"];
    let value = toile(folder.path(), &args).json();
    let found = value["drape"]["coefficient"].as_f64().unwrap();
    assert!((found - 100.0).abs() < 1.0 && value["drape"]["band"].is_null(), "{found}");
}
