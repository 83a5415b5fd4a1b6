//! `toile try-on`.

use crate::helper::toile;

#[test]
fn what_cannot_be_put_on_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    for (words, told) in [
        (&["--garment", "toga"][..], "t-shirt"),
        (&["--garment", "t-shirt", "--size", "huge"], "XXL"),
        (&["--garment", "t-shirt", "--body", "woman-37"], "woman-38"),
        (&["--garment", "t-shirt", "--fabric", "jersy-knit"], "jersey-knit"),
        (&["--garment", "t-shirt", "--set", "lenght=0.6"], "length"),
        (&["--garment", "missing.toml"], "missing.toml"),
        (&["--garment", "missing.toml", "--compare-sizes", "S,M"], "cut as it is drawn"),
    ] {
        let error = toile(folder.path(), &[&["try-on", "--out", "worn"], words].concat()).bad();
        assert!(error.contains(told), "{words:?}: {error}");
        assert!(!folder.path().join("worn").exists());
    }
}

/// The first primitive has a place on the pattern and all maps for every vertex.
fn has_texture_and_maps(glb: &[u8]) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let attributes = json["meshes"][0]["primitives"][0]["attributes"].as_object().unwrap();
    let count = |name: &str| json["accessors"][attributes[name].as_u64().unwrap() as usize]["count"].as_u64().unwrap();
    for name in ["TEXCOORD_0", "_STRAIN", "_STRAIN_WARP", "_STRESS_EQUIVALENT", "_GAP", "_PRESSURE"] {
        assert_eq!(count(name), count("POSITION"), "{name}");
    }
}

#[test]
fn sizes_are_compared_and_one_is_recommended() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.toml"), "figure = \"female\"\ntriangles = 3000\n").unwrap();
    let set = ["--set", "length=0.25", "--set", "band_height=0", "--picture-height", "60"];
    let args = [
        "try-on",
        "--garment",
        "a-line-skirt",
        "--body",
        "body.toml",
        "--most-time",
        "0.1",
        "--out",
        "sizes",
        "--json",
    ];
    let error = toile(folder.path(), &[&args[..], &set, &["--compare-sizes", "M,huge"]].concat()).bad();
    assert!(error.contains("huge") && !folder.path().join("sizes").exists(), "{error}");
    let value = toile(folder.path(), &[&args[..], &set, &["--compare-sizes", "M,XXL"]].concat()).json();
    assert_eq!(value["sizes"].as_array().unwrap().len(), 2);
    // The largest size is far too large for a middle-sized body.
    assert_eq!(value["recommended"]["size"], "M", "{value}");
    let read = |name: &str| std::fs::read(folder.path().join("sizes").join(name)).unwrap();
    assert!(read("sizes.png").starts_with(b"\x89PNG") && read("M/report.html").starts_with(b"<!DOCTYPE"));
    let page = String::from_utf8(read("report.html")).unwrap();
    assert!(page.contains("Take size M") && page.contains("<td>waist</td>"));
    let report: serde_json::Value = serde_json::from_slice(&read("report.json")).unwrap();
    assert_eq!(report["recommended"], value["recommended"]);
}

#[test]
fn a_garment_is_put_on_drawn_and_told_about() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.toml"), "figure = \"female\"\ntriangles = 3000\n").unwrap();
    // A short skirt without a band: few vertices.
    let set = ["--set", "length=0.25", "--set", "band_height=0", "--picture-height", "60"];
    let args =
        ["try-on", "--garment", "a-line-skirt", "--body", "body.toml", "--most-time", "0.1", "--out", "worn", "--json"];
    let value = toile(folder.path(), &[&args[..], &set].concat()).json();
    assert_eq!(
        (&value["report"]["verdict"]["cloth"], &value["report"]["verdict"]["obstacles"]),
        (&0.into(), &0.into())
    );
    assert!(value["report"]["largest_gap"].as_f64().unwrap() <= 1.5e-3 && value["report"]["settled"] == false);
    let read = |name: &str| std::fs::read(folder.path().join("worn").join(name)).unwrap();
    let maps = ["strain", "strain-warp", "strain-weft", "shear", "stress", "pressure", "ease"];
    let maps = maps.map(|name| format!("fit-{name}.png"));
    for name in ["front.png", "side.png", "back.png", "views.png"].into_iter().chain(maps.iter().map(String::as_str)) {
        assert!(read(name).starts_with(b"\x89PNG"), "{name}");
    }
    assert!(read("turntable.gif").starts_with(b"GIF8") && read("pattern.svg").starts_with(b"<svg"));
    has_texture_and_maps(&read("result.glb"));
    let page = String::from_utf8(read("report.html")).unwrap();
    for part in
        ["<th scope=\"col\">zone</th>", "<td>waist</td>", "data:image/gif", "data:image/svg+xml", "above the floor"]
    {
        assert!(page.contains(part), "{part}");
    }
    let waist = value["fit"]["zones"].as_array().unwrap().iter().find(|zone| zone["zone"] == "waist").unwrap();
    let number = |key: &str| waist[key].as_f64().unwrap();
    assert!((number("garment") - number("body") - number("ease")).abs() < 1e-9 && number("ease").abs() < 0.1);
    assert!(value["fit"]["hem"]["cut"].as_f64().unwrap() > number("garment"));
    toile(&folder.path().join("worn"), &["check", "garment.obj", "--against", "body.obj"]).good();
    let report: serde_json::Value = serde_json::from_slice(&read("report.json")).unwrap();
    assert_eq!(report["report"]["stitches"], value["report"]["stitches"]);
}
