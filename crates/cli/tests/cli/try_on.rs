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
        (&["--motion", "dance"], "squat"),
        (&["--motion", "own"], "own"),
        (&["--body", "nowhere.fbx"], "nowhere.fbx"),
        (&["--garment", "missing.toml", "--compare-sizes", "S,M"], "cut as it is"),
    ] {
        let error = toile(folder.path(), &[&["try-on", "--out", "worn"], words].concat()).bad();
        assert!(error.contains(told), "{words:?}: {error}");
        assert!(!folder.path().join("worn").exists());
    }
}

/// The first primitive of a GLB file, read back.
struct Cloth {
    json: serde_json::Value,
    binary: Vec<u8>,
}

impl Cloth {
    fn new(glb: &[u8]) -> Self {
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        let json = serde_json::from_slice(&glb[20..20 + length]).unwrap();
        Self { json, binary: glb[20 + length + 8..].to_vec() }
    }

    fn primitive(&self) -> &serde_json::Value {
        &self.json["meshes"][0]["primitives"][0]
    }

    /// The four-byte words of an accessor.
    fn words(&self, accessor: &serde_json::Value) -> Vec<[u8; 4]> {
        let view = &self.json["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"];
        let view = &self.json["bufferViews"][view.as_u64().unwrap() as usize];
        let [start, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        self.binary[start..start + length].chunks(4).map(|c| c.try_into().unwrap()).collect()
    }

    fn floats(&self, accessor: &serde_json::Value) -> Vec<f64> {
        self.words(accessor).into_iter().map(|c| f64::from(f32::from_le_bytes(c))).collect()
    }

    /// For each side of each triangle its length on a texture with sides of 1 and in space, at the start.
    fn sides(&self) -> Vec<[f64; 2]> {
        let attributes = &self.primitive()["attributes"];
        let (uv, x) = (self.floats(&attributes["TEXCOORD_0"]), self.floats(&attributes["POSITION"]));
        let indices: Vec<usize> =
            self.words(&self.primitive()["indices"]).into_iter().map(|c| u32::from_le_bytes(c) as usize).collect();
        let length = |values: &[f64], n: usize, a: usize, b: usize| {
            (0..n).map(|i| (values[n * a + i] - values[n * b + i]).powi(2)).sum::<f64>().sqrt()
        };
        let sides = |t: &[usize]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        indices.chunks(3).flat_map(sides).map(|[a, b]| [length(&uv, 2, a, b), length(&x, 3, a, b)]).collect()
    }
}

/// The first primitive has a place on the pattern and all maps for every vertex.
fn has_texture_and_maps(glb: &[u8]) {
    let Cloth { json, .. } = Cloth::new(glb);
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
    // Whatever its size, the body under it is the same, and so is its hash; the patterns differ.
    let sizes = value["sizes"].as_array().unwrap();
    let bodies = |k: usize| {
        let zones = sizes[k]["fit"]["zones"].as_array().unwrap().iter();
        zones.map(|zone| (zone["zone"].to_string(), zone["body"].as_f64().unwrap().to_bits())).collect::<Vec<_>>()
    };
    let both = bodies(0).into_iter().filter(|zone| bodies(1).iter().any(|(name, _)| *name == zone.0));
    assert!(both.clone().count() > 0 && both.clone().all(|zone| bodies(1).contains(&zone)), "{value}");
    assert_eq!(sizes[0]["hashes"]["body"], sizes[1]["hashes"]["body"]);
    assert_ne!(sizes[0]["hashes"]["pattern"], sizes[1]["hashes"]["pattern"]);
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
    assert_eq!((&value["size"], &value["quality"]), (&serde_json::Value::Null, &"draft".into()));
    assert_eq!((&value["version"], &value["body"]["name"]), (&env!("CARGO_PKG_VERSION").into(), &"body.toml".into()));
    for hash in ["body", "pattern", "state"] {
        assert_eq!(value["hashes"][hash].as_str().unwrap().len(), 16, "{hash}");
    }
    let waist = value["fit"]["zones"].as_array().unwrap().iter().find(|zone| zone["zone"] == "waist").unwrap();
    assert!(waist["most_stretch"]["place"]["side"].is_string() && waist["meant"]["design"].is_number(), "{waist}");
    let number = |key: &str| waist[key].as_f64().unwrap();
    assert!((number("garment") - number("body") - number("ease")).abs() < 1e-9 && number("ease").abs() < 0.1);
    assert!(value["fit"]["hem"]["cut"].as_f64().unwrap() > number("garment"));
    toile(&folder.path().join("worn"), &["check", "garment.obj", "--against", "body.obj"]).good();
    let report: serde_json::Value = serde_json::from_slice(&read("report.json")).unwrap();
    assert_eq!(report["report"]["stitches"], value["report"]["stitches"]);
}

#[test]
fn a_walk_goes_on_with_what_was_put_on_and_has_the_same_texture() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("body.toml"), "figure = \"female\"\ntriangles = 3000\n").unwrap();
    let args = ["try-on", "--garment", "a-line-skirt", "--body", "body.toml", "--most-time", "0.1", "--out", "worn"];
    let more = ["--set", "length=0.25", "--set", "band_height=0", "--picture-height", "60", "--walk", "0.07", "-q"];
    toile(folder.path(), &[&args[..], &more].concat()).good();
    let read = |name: &str| std::fs::read(folder.path().join("worn").join(name)).unwrap();
    let [worn, walked] = ["result.glb", "walk/result.glb"].map(|name| Cloth::new(&read(name)));
    let report: serde_json::Value = serde_json::from_slice(&read("report.json")).unwrap();
    let side = report["texture_side"].as_f64().unwrap();
    assert_eq!(worn.sides().len(), walked.sides().len());
    for ([there, start], [here, length]) in worn.sides().into_iter().zip(walked.sides()) {
        assert_eq!((there, start), (here, length), "the run begins with what was put on");
        // Cloth hardly stretches, so a texture has the scale of the pattern.
        assert!((length / (side * here) - 1.0).abs() < 0.2, "{length} {}", side * here);
    }
    let frames = walked.primitive()["targets"].as_array().unwrap().len();
    assert_eq!(frames, 3);
    let scene = String::from_utf8(read("walk/scene.toml")).unwrap();
    assert!(
        scene.contains("motion = \"walk\"") && !String::from_utf8(read("scene.toml")).unwrap().contains("\"walk\"")
    );
}

#[test]
fn patterns_may_be_dxf_files_with_sizes_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    toile(folder.path(), &["pattern", "draft", "a-line-skirt", "--size", "M", "--out", "skirt.dxf", "-q"]).good();
    let error = toile(folder.path(), &["try-on", "--garment", "skirt.dxf", "--size", "52"]).bad();
    assert!(error.contains("has no size `52`") && error.contains("it has: M"), "{error}");
    std::fs::write(folder.path().join("bad.dxf"), "0\nSECTION\n").unwrap();
    let error = toile(folder.path(), &["try-on", "--garment", "bad.dxf"]).bad();
    assert!(error.contains("bad.dxf"), "{error}");
}

#[test]
fn doubtful_seams_of_a_dxf_file_are_proposed_in_a_side_file_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // A shirt with the sleeves of another: their caps are far too long.
    let figure = toile_body::Figure::Female;
    let of = |size: toile_garment::draft::Size| {
        let (design, choices) = (toile_garment::draft::Design::TShirt, toile_garment::draft::Choices::new());
        toile_garment::draft::draft(design, &size.measurements(figure), &choices).unwrap()
    };
    let mut pattern = of(toile_garment::draft::Size::Xs);
    pattern.panels[2] = of(toile_garment::draft::Size::Xxl).panels[2].clone();
    pattern.seams.clear();
    let text = toile_garment::dxf::to_dxf(&pattern, "M").replace("Panel: {", "Note {");
    std::fs::write(at.join("odd.dxf"), text).unwrap();
    let error = toile(at, &["try-on", "--garment", "odd.dxf", "-q", "--out", "worn"]).bad();
    assert!(error.contains("armhole_left") && error.contains("odd.seams.toml") && !at.join("worn").exists(), "{error}");
    let side = std::fs::read_to_string(at.join("odd.seams.toml")).unwrap();
    assert!(side.contains("\nname = \"shoulder_left\"") && side.contains("\n# name = \"armhole_left"), "{side}");
    // As it stands, the sleeves are not sewn in, and the check says so.
    let checked = toile(at, &["pattern", "check", "odd.dxf", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    assert!(told["parts"] == 3 && told["remarks"].to_string().contains("odd.seams.toml"), "{told}");
    // Decided: all are sewn.
    let decided: Vec<&str> = side
        .lines()
        .map(|line| {
            line.strip_prefix("# ").filter(|rest| rest.starts_with("[[") || rest.contains(" = ")).unwrap_or(line)
        })
        .collect();
    std::fs::write(at.join("odd.seams.toml"), decided.join("\n")).unwrap();
    let told = toile(at, &["pattern", "check", "odd.dxf", "--json"]).json();
    assert_eq!((&told["parts"], &told["borders"]), (&1.into(), &4.into()), "{told}");
}
