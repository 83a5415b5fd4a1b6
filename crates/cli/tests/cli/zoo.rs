//! The mis-feeding zoo: wrong commands and files as strangers give them. Each is refused with exit code 1 and nothing written, and the
//! message names the flag or the file and its place, the cause, and what would be understood.

use std::path::Path;

use crate::helper::toile;

/// Files that are wrong in some way, by name.
const FILES: [(&str, &str); 24] = [
    ("key.toml", "[measurements]\nbst = 0.9\n"),
    ("cm.toml", "[measurements]\nbust = 92\n"),
    ("word.toml", "[measurements]\nwaist = \"wide\"\n"),
    ("twice.toml", "[measurements]\nbust = 0.9\nchest = 0.92\n"),
    ("none.toml", ""),
    ("flat.toml", "bust = 92\n"),
    ("chart.toml", "unit = \"cm\"\n[S]\nchest = 84\n[M]\nchest = 92\n"),
    ("range.toml", "[S]\nchest = \"84cm\"\n[M]\nchest = 92\n"),
    ("not.toml", "a = = 2\n"),
    ("tile.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n"),
    ("empty.dxf", ""),
    ("bad.json", "{"),
    ("picture.png", "x"),
    ("bare.svg", "<svg/>"),
    ("bad.rul", "rules"),
    ("old.gltf", "{\"asset\": {\"version\": \"2.0\"}}"),
    ("other.json", "{\"a\": 1}"),
    ("page.json", "<html>Not found</html>"),
    ("page.svg", "<html>Not found</html>"),
    ("page.dxf", "<html>Not found</html>"),
    ("words.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9mm\" height=\"9mm\"><text>front</text></svg>"),
    ("bare.toml", "name = \"x\"\n"),
    ("cut.bvh", "HIERARCHY\nROOT Hips\n{\n"),
    ("empty.stl", "solid x\nendsolid x\n"),
];

/// Commands, and words that the answer must have.
const ZOO: &[(&str, &[&str])] = &[
    // Garments.
    ("try-on --garment toga", &["--garment toga", "t-shirt", ".dxf"]),
    ("try-on --garment folder", &["--garment folder", "t-shirt"]),
    ("try-on --garment picture.png", &["--garment picture.png", ".svg"]),
    ("try-on --garment missing.toml", &["missing.toml", "cannot be read", "check its name"]),
    ("try-on --garment empty.dxf", &["empty.dxf", "no piece", "AAMA"]),
    ("try-on --garment bad.json", &["bad.json", "no JSON", "export"]),
    ("try-on --garment bare.svg", &["bare.svg", "no closed outline"]),
    ("try-on --garment top.toml --size M", &["--size", "top.toml", "cut as it is drawn", "leave --size out"]),
    ("try-on --garment top.toml --set length=60cm", &["--set", "top.toml", "cut as it is drawn"]),
    ("try-on --garment top.toml --compare-sizes S,M", &["--compare-sizes", "top.toml", "cut as it is drawn"]),
    ("try-on --garment t-shirt --garment trousers --set length=60cm", &["--set", "one garment", "2 are given"]),
    ("try-on --garment other.json", &["other.json", "GarmentCode", "`pattern`", "`stacks`"]),
    ("try-on --garment page.json", &["page.json", "no JSON", "export"]),
    ("try-on --garment page.svg", &["page.svg", "no SVG but `html`", "export"]),
    ("try-on --garment page.dxf", &["page.dxf:1", "group code", "text DXF"]),
    ("try-on --garment words.svg", &["words.svg", "no closed outline", "close"]),
    ("try-on --garment bare.toml", &["bare.toml", "no panel", "[[panel]]"]),
    ("try-on --garment t-shirt,trousers", &["t-shirt,trousers", "no such garment", "trousers"]),
    // Sizes.
    ("try-on --size huge", &["--size huge", "XXL", "woman-38", "child-128"]),
    ("try-on --compare-sizes M,Q", &["--compare-sizes Q", "XXL"]),
    ("try-on --sizes none.toml --size M", &["--sizes", "none.toml:1:1", "no sizes", "[M]"]),
    ("try-on --sizes flat.toml --size M", &["flat.toml:1:1", "`bust` is no size", "--body"]),
    ("try-on --sizes range.toml --size M", &["range.toml:4:9", "out of range", "unit = \"cm\""]),
    ("try-on --sizes missing.toml --size M", &["--sizes", "missing.toml", "cannot be read"]),
    ("try-on --sizes not.toml --size M", &["--sizes", "not.toml:1:5", "toml.io"]),
    ("try-on --sizes chart.toml --size Q", &["--size Q", "chart.toml has: S, M", "woman-38"]),
    ("try-on --sizes chart.toml --body Q", &["--body Q", "chart.toml has: S, M"]),
    // Bodies and measurements.
    ("try-on --body woman-37", &["--body woman-37", "woman-38", "man-50", "OBJ"]),
    ("try-on --body cm.toml", &["--body", "cm.toml:2:8", "9200.0 cm", "unit = \"cm\"", "36in"]),
    ("try-on --body key.toml", &["--body", "key.toml:2:1", "`bst`", "bust (chest)"]),
    ("try-on --body word.toml", &["word.toml:2:9", "\"wide\" is no length", "23.5in"]),
    ("try-on --body twice.toml", &["twice.toml:3:1", "`chest` is `bust`", "once"]),
    ("try-on --body tile.obj", &["--body", "tile.obj", "trunk", "upright"]),
    ("try-on --body tile.obj --bust 90cm", &["--bust", "tile.obj is a mesh", "leave --bust out"]),
    ("try-on --body nowhere.fbx", &["nowhere.fbx"]),
    ("try-on --body old.gltf", &["--body old.gltf", "no file of a body", ".glb"]),
    ("try-on --body cut.bvh", &["--body cut.bvh", "no file of a body", ".toml"]),
    ("try-on --body empty.stl", &["empty.stl", "no vertices", "export"]),
    ("try-on --body 38", &["--body 38", "woman-38"]),
    ("try-on --motion cut.bvh", &["cut.bvh", "line 3", "cut off", "export"]),
    ("try-on --motion nowhere.bvh", &["nowhere.bvh", "check the name"]),
    ("try-on --motion own", &["no animation of its own", "GLB", "walk"]),
    ("try-on --bust 36", &["--bust", "36in", "36cm", "metres"]),
    ("try-on --bust 2cm", &["--bust", "44cm", "180cm"]),
    ("try-on --chest wide", &["--bust", "\"wide\" is no length", "5ft6in"]),
    ("try-on --shoulder-slope steep", &["--shoulder-slope", "degrees"]),
    ("try-on --waist 45cm --hips 150cm", &["--body", "waist girth 45.0 cm", "hip girth 150.0 cm", "correct"]),
    // Numbers.
    ("try-on --set length=60", &["--set", "length = 60", "60cm", "metres"]),
    ("try-on --set length=long", &["--set", "\"long\" is no length", "60cm"]),
    ("try-on --set lenght=60cm", &["--set", "`lenght`", "length"]),
    ("try-on --set length", &["--set", "KEY=VALUE"]),
    ("try-on --garment a-line-skirt --set flare=12cm", &["--set flare=12cm", "angle", "degrees"]),
    ("try-on --set cap_ease=2cm", &["--set cap_ease=2cm", "without a unit"]),
    ("try-on --spacing 30", &["--spacing", "30mm"]),
    ("try-on --spacing 1/0in", &["--spacing", "no length"]),
    ("try-on --most-time=-1", &["--most-time -1", "0 to 1000"]),
    ("try-on --walk 0", &["--walk 0", "1000"]),
    ("try-on --fabric denim --fabric denim", &["--fabric", "2 fabrics", "garments is 1", "each"]),
    ("try-on --fabric top.toml", &["top.toml", "sewing pattern", "try-on --garment"]),
    ("try-on --out key.toml", &["key.toml", "is a file", "--out"]),
    ("try-on --walk 1000000", &["--walk 1000000", "at most 1000"]),
    ("try-on --spacing 2m", &["--spacing", "1mm", "20cm"]),
    ("try-on --fabric jersy", &["jersy", "jersey-knit"]),
    ("try-on --motion dance", &["dance", "squat", "BVH"]),
    // Patterns.
    ("pattern draft t-shrit --out x.svg", &["t-shrit", "t-shirt", ".dxf"]),
    ("pattern draft t-shirt --size Q --out x.svg", &["--size Q", "XXL"]),
    ("pattern draft t-shirt --body woman-39 --out x.svg", &["--body", "woman-39", "woman-38"]),
    ("pattern draft t-shirt --size M --bust 90cm --out x.svg", &["--bust", "size M", "leave --size out"]),
    ("pattern draft t-shirt --figure male --out x.svg", &["--figure", "letter"]),
    ("pattern draft t-shirt --size woman-38 --figure male --out x.svg", &["--figure", "woman-38"]),
    ("pattern draft t-shirt --unit cm --out x.svg", &["--unit", "drafted"]),
    ("pattern draft t-shirt --set biceps_ease=-1cm --out x.svg", &["--set", "biceps_ease", "0 to 0.4 m"]),
    ("pattern draft t-shirt --sizes chart.toml --size Q --out x.svg", &["--size Q", "S, M"]),
    ("pattern draft top.toml --set length=60cm --out x.svg", &["--set", "cut as it is drawn"]),
    ("pattern convert top.toml x.pdf --set length=60cm", &["--set", "top.toml", "cut as it is drawn"]),
    ("pattern convert top.toml x.pdf --size M", &["--size", "cut as it is drawn"]),
    ("pattern convert top.toml x.pdf --chest 36in", &["--bust", "cut as it is drawn"]),
    ("pattern convert top.dxf x.pdf --size 40 --rules nope.rul", &["--rules", "nope.rul"]),
    ("pattern convert top.dxf x.pdf --size 40 --rules bad.rul", &["bad.rul"]),
    ("pattern convert t-shirt x.png", &["x.png", ".pdf"]),
    ("pattern convert top.toml x.pdf --allowance 10", &["--allowance", "10mm"]),
    ("pattern convert top.toml x.pdf --hem long", &["--hem", "3/8in"]),
    ("pattern convert top.toml x.pdf --allowance -10mm", &["--allowance", "-10mm"]),
    ("pattern convert top.toml nowhere/x.pdf", &["nowhere/x.pdf", "no folder nowhere", "make"]),
    ("run top.toml", &["top.toml", "sewing pattern", "try-on --garment"]),
    ("info top.toml", &["top.toml", "sewing pattern", "try-on --garment"]),
    ("body measure top.toml", &["top.toml", ".obj"]),
    ("tryon", &["tryon", "try-on"]),
    ("pattern grade top.dxf --sizes S --out x", &["top.dxf", "--rules"]),
    ("pattern grade t-shirt --sizes Q --out x", &["--sizes Q", "XXL"]),
    ("pattern grade t-shirt --sizes chart.toml,Q --out x", &["--sizes Q", "S, M"]),
    ("pattern check picture.png", &["picture.png", ".dxf"]),
    ("pattern check bad.json", &["bad.json", "no JSON"]),
    // Bodies alone, and lengths elsewhere.
    ("body draft nobody", &["nobody", "woman-38"]),
    ("body draft chart.toml:Q", &["chart.toml has no size `Q`", "S, M"]),
    ("body draft --bust 36in --waist 72in", &["waist girth 182.9 cm", "no human body", "correct `waist`"]),
    ("body draft latin.toml", &["latin.toml", "UTF-8"]),
    ("body measure tile.obj", &["tile.obj", "trunk"]),
    ("body measure tile.obj --unit ell", &["tile.obj", "cm", "in"]),
    ("body pose woman-38 --motion wlak --out x.obj", &["wlak", "walk"]),
    ("detect tile.obj --within 2furlong", &["--within", "\"2furlong\" is no length", "2mm"]),
    ("bench try-on --matrix --distance 30", &["--distance", "30mm"]),
];

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_strangers_get_wrong_is_refused_in_words_that_help() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, text) in FILES {
        std::fs::write(at.join(name), text).unwrap();
    }
    std::fs::write(at.join("latin.toml"), [0xff, 0xfe]).unwrap();
    std::fs::create_dir(at.join("folder")).unwrap();
    toile(at, &["pattern", "draft", "tank-top", "--out", "top.toml", "--out", "top.dxf", "-q"]).good();
    let before = names(at);
    let mut faults = Vec::new();
    for (command, words) in ZOO {
        let answer = toile(at, &command.split(' ').collect::<Vec<_>>());
        // Lines are broken for the terminal.
        let told = answer.err.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ").replace("- ", "-");
        let missing: Vec<&&str> = words.iter().filter(|word| !told.contains(**word)).collect();
        if answer.code != 1 || !answer.out.is_empty() || !missing.is_empty() {
            faults.push(format!("{command}\n  code {}, misses {missing:?}\n  {told}", answer.code));
        }
        if names(at) != before {
            faults.push(format!("{command} left something behind: {:?}", names(at)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
