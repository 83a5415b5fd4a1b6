//! Fabric files as a whole: the library, what is accepted, what is refused and in which words, and that nothing makes the
//! readers fall.

use std::{fmt::Write, fs, path::Path, path::PathBuf};

use miette::Diagnostic;
use proptest::prelude::*;
use toile_cloth::{
    Fabric,
    fabric::{PROPERTIES, Property, kes},
};
use toile_scene::fabric::{FabricFileError, FabricKind, MOST_BYTES, NamedFabric, find, library, load, names, parse};
use toile_scene::lab::drape::published_band;

fn zoo() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fabric_zoo")
}

fn toml(text: &str) -> Result<NamedFabric, FabricFileError> {
    NamedFabric::from_toml("fabric.toml", text)
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
}

/// All messages of the bad files stand in one text, so that a change of words shows as a difference in review.
/// Run with `TOILE_BLESS=1` to write it anew.
#[test]
fn every_bad_fabric_is_refused_in_the_recorded_words() {
    let mut files: Vec<PathBuf> = fs::read_dir(zoo()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
    files.sort();
    assert!(files.len() >= 40);
    let mut messages = String::new();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let error = parse(FabricKind::of(&path, &text), name, &text).expect_err(name);
        assert!(error.problems().count() > 0, "{name}: {error}");
        for problem in error.problems() {
            let marked = &text[problem.span.offset()..][..problem.span.len()];
            let marked = marked.lines().next().unwrap_or_default();
            let _ = writeln!(messages, "{problem}\n    at: `{marked}`\n    help: {}", problem.help);
        }
    }
    let record = zoo().join("messages.txt");
    if std::env::var_os("TOILE_BLESS").is_some() {
        fs::write(&record, &messages).unwrap();
    }
    assert_eq!(fs::read_to_string(record).unwrap(), messages);
}

#[test]
fn every_fabric_of_the_library_is_whole_and_written_as_the_program_writes() {
    let fabrics = library();
    assert_eq!(fabrics.iter().map(|fabric| fabric.name.as_str()).collect::<Vec<_>>(), names().collect::<Vec<_>>());
    let mut sorted: Vec<&str> = names().collect();
    sorted.sort_unstable();
    sorted.dedup();
    assert!(sorted.len() == fabrics.len() && sorted.len() >= 14);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fabrics");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), fabrics.len());
    for named in &fabrics {
        named.fabric.check().unwrap();
        assert!(named.description.len() > 20 && named.source.len() > 20, "{}", named.name);
        let text = fs::read_to_string(folder.join(format!("{}.toml", named.name))).unwrap();
        assert_eq!(text, named.to_toml());
        assert_eq!(find(&named.name).unwrap(), *named);
    }
}

/// Ranges of 618 measured fabrics (Feng et al. 2022: weight, ratio of bending) and of the usual classes (bending, extension,
/// shear).
#[test]
fn the_library_stays_within_what_laboratories_measure() {
    for NamedFabric { name, fabric, .. } in library() {
        let within = |what: &str, value: f64, low: f64, high: f64| {
            assert!((low..=high).contains(&value), "{name}: {what} = {value}");
        };
        within("weight", fabric.areal_density, 0.015, 0.87);
        within("bulk density", fabric.areal_density / fabric.thickness, 200.0, 900.0);
        for bend in [fabric.bend_warp, fabric.bend_weft] {
            within("B", bend / kes::BEND, 0.009, 1.2);
        }
        within("ratio of B", fabric.bend_warp / fabric.bend_weft, 0.39, 4.6);
        let knit = name.contains("knit") || name == "stretch-wool";
        for stretch in [fabric.stretch_warp, fabric.stretch_weft] {
            let emt = 490.3325 / stretch * 100.0;
            within("EMT", emt, if knit { 15.0 } else { 2.0 }, if knit { 60.5 } else { 12.5 });
        }
        if name != "leather" {
            within("G", fabric.shear / kes::SHEAR, 0.1, 3.1);
        }
        within("friction", fabric.friction, 0.1, 0.8);
    }
}

/// Bands of Cusick drape coefficients; radial strips must lie below them, since whole sheets are stiffer.
#[test]
fn strips_of_the_library_drape_in_the_order_of_the_classes() {
    let drape = |name: &str| 100.0 * find(name).unwrap().fabric.drape_of_strips();
    for name in
        ["silk-habotai", "silk-charmeuse", "polyester-banner", "cotton-poplin", "wool-suiting", "denim", "leather"]
    {
        let [low, _] = published_band(name).unwrap().range;
        assert!((0.2 * low..low).contains(&drape(name)), "{name}: {}", drape(name));
    }
    assert!(drape("denim") > drape("cotton-poplin"));
    assert!(drape("cotton-poplin") > drape("wool-suiting"));
    assert!(drape("wool-suiting") > drape("silk-habotai"));
}

const SI: &str = "areal_density = 0.15\nstretch_warp = 9000\nstretch_weft = 6000\nshear = 60\n";
const KES: &str =
    "[kes]\nemt_warp = 5\nemt_weft = 10\nlt_warp = 0.6\ng_warp = 1\nb_warp = 0.1\nb_weft = 0.05\nw = 20\n";

#[test]
fn explicit_keys_win_over_instruments() {
    let both = toml(&format!("shear = 60\nbend_weft = 7e-6\n{KES}")).unwrap().fabric;
    assert_eq!((both.shear, both.bend_weft), (60.0, 7e-6));
    near(both.bend_warp, 9.80665e-6);
    near(both.stretch_warp, 9806.65);
    near(both.areal_density, 0.2);
    assert_eq!((both.linearity_warp, both.linearity_weft), (0.6, 1.0));
    // Two instruments may give the same property if a key decides.
    let text =
        format!("{SI}bend_warp = 1e-5\nbend_weft = 2e-5\n[kes]\nb_warp = 1\n[cantilever]\noverhang_warp_mm = 50\n");
    assert_eq!(toml(&text).unwrap().fabric.bend_warp, 1e-5);
}

#[test]
fn a_cantilever_takes_its_weight_from_any_key() {
    let strip = "[cantilever]\noverhang_warp_mm = 40\noverhang_weft_mm = 30\n";
    let explicit = toml(&format!("{SI}{strip}")).unwrap().fabric;
    // B = σ g (l/2)³ at 41.5°, to 0.05 %.
    assert!((explicit.bend_warp / (0.15 * 9.80665 * 8e-6) - 1.0).abs() < 6e-4);
    assert!((explicit.bend_warp / explicit.bend_weft - (40.0_f64 / 30.0).powi(3)).abs() < 1e-9);
    let weighed =
        toml(&format!("{}[fast]\nw = 300\n{strip}", SI.replace("areal_density = 0.15\n", ""))).unwrap().fabric;
    near(weighed.bend_warp, 2.0 * explicit.bend_warp);
    // A steeper chord of the same overhang means a softer cloth.
    let steep = toml(&format!("{SI}{strip}angle_deg = 60\n")).unwrap().fabric;
    assert!(steep.bend_warp < 0.5 * explicit.bend_warp);
}

#[test]
fn a_fast_table_gives_a_fabric() {
    let text = "[fast]\ne20_warp = 0.9\ne100_warp = 2.4\ne100_weft = 4.5\neb5 = 3\nc_warp = 20\nb_weft = 9\nw = 150\nt2 = 0.5\n";
    let fabric = toml(text).unwrap().fabric;
    // On the bias 5 gf/cm extend it by 3 %, threads and all; stiff threads would mean 41 N/m.
    let bias = fabric.stretch_along(std::f64::consts::FRAC_PI_4);
    assert!((4.903_325 / bias / 0.03 - 1.0).abs() < 1e-3 && fabric.shear > 41.0 && fabric.shear < 45.0);
    near(fabric.bend_warp, 11.772e-6);
    near(fabric.stretch_weft, 98.0665 / 0.045);
    near(fabric.thickness, 5e-4);
}

#[test]
fn xml_is_read_with_its_units() {
    let text = r#"<?xml version="1.0" encoding="UTF-8"?>
        <!-- a comment --> <Fabric name="twill"> <description> Two and two. </description> <colour>blue</colour>
        <group><YoungModulusWarp unit="MPa">30</YoungModulusWarp> <young_modulus_weft>6000</young_modulus_weft></group>
        <thickness unit="mm">0.4</thickness> <SHEAR-MODULUS unit="gf/cm">60</SHEAR-MODULUS>
        <bending-modulus-warp unit="gf.cm2/cm">0.1</bending-modulus-warp> <bending-modulus-weft>8e-6</bending-modulus-weft>
        <poisson-coefficient>0.2</poisson-coefficient> <mass-density unit="g/m2">210</mass-density></Fabric>"#;
    let named = parse(FabricKind::Xml, "a/twill-2.xml", text).unwrap();
    assert_eq!((named.name.as_str(), named.description.as_str()), ("twill", "Two and two."));
    let fabric = named.fabric;
    near(fabric.stretch_warp, 30e6 * 4e-4);
    near(fabric.shear, 60.0 * 0.980_665);
    near(fabric.bend_warp, 9.80665e-6);
    near(fabric.areal_density, 0.21);
    assert_eq!((fabric.stretch_weft, fabric.bend_weft, fabric.poisson), (6000.0, 8e-6, 0.2));
    let unnamed = text.replace(" name=\"twill\"", "");
    assert_eq!(parse(FabricKind::Xml, "a/twill-2.xml", &unnamed).unwrap().name, "twill-2");
}

/// Numbers made up for this test, in the form of data-driven materials.
const MATERIAL: &str = r#"{ // a made-up cloth
    "density": 0.2, /* kg/m² */ "notes": "http://x//y",
    "stretching": [[50, 10, 40, 20], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1, -2, 3, 4]],
    "bending": [[4e-5, 4e-5, 4e-5, 4e-5, 0], [2e-5, 2e-5, 2e-5, 2e-5, 2e-5], [2e-5, 2e-5, 1e-5, -9, 0]]
}"#;

#[test]
fn a_data_driven_material_becomes_linear() {
    let named = parse(FabricKind::Json, "folder/made-up.json", MATERIAL).unwrap();
    let fabric = named.fabric;
    assert_eq!(named.name, "made-up");
    // Doubled: c11 = 100, c12 = 20, c22 = 80, c33 = 40.
    near(fabric.stretch_warp, 95.0);
    near(fabric.stretch_weft, 76.0);
    near(fabric.poisson, 0.25);
    near(fabric.shear, 10.0);
    // Means 3.2e-5, 2e-5, 1e-5, a quarter each; 2 Bt = 4 B45 − B1 − B2.
    near(fabric.bend_warp, 8e-6);
    near(fabric.bend_weft, 2.5e-6);
    near(fabric.bend_twist, 4.75e-6);
    near(fabric.thickness, 0.2 / 500.0);
}

#[test]
fn names_come_before_paths_and_unknown_names_are_answered_with_near_ones() {
    assert_eq!(find("Denim").unwrap().name, "denim");
    let help = |name: &str| find(name).unwrap_err().help().unwrap().to_string();
    assert!(help("demin").contains("did you mean denim?"), "{}", help("demin"));
    assert!(help("qqq").contains("silk-habotai, silk-charmeuse"));
    assert!(find(&"q".repeat(100_000)).unwrap_err().to_string().len() < 200);
    assert!(find("no/such.toml").unwrap_err().to_string().contains("no/such.toml: no such file"));
}

#[test]
fn files_are_found_read_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.txt");
    let fails = |why: &str| {
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("mine.txt"), "{error}");
    };
    fails("no such file");
    fs::write(&path, b"name = \"\xff\"").unwrap();
    fails("not UTF-8 text, byte 8 is invalid");
    fs::write(&path, vec![b'#'; MOST_BYTES + 1]).unwrap();
    fails("larger than 1 MiB");
    for text in [MATERIAL, &format!("{SI}bend_warp = 1e-5\nbend_weft = 1e-5\n")] {
        fs::write(&path, text).unwrap();
        assert_eq!(find(path.to_str().unwrap()).unwrap().name, "mine");
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    fails("mine.txt");
}

#[test]
fn a_diagnostic_points_into_the_text_and_helps() {
    let text = format!("{SI}bend_warp = 1e-5\nbend_wft = 1e-5\n");
    let error = toml(&text).unwrap_err();
    let label = error.labels().unwrap().next().unwrap();
    assert_eq!(&text[label.offset()..][..label.len()], "bend_wft");
    assert_eq!(error.help().unwrap().to_string(), "did you mean `bend_weft`?");
    assert_eq!(error.to_string(), "fabric.toml:6:1: unknown key \"bend_wft\" at the top level");
}

/// Nesting of every kind, as deep as the size limit allows, on the small stack of a test thread.
#[test]
fn deep_and_crowded_files_are_refused_quickly_and_briefly() {
    let n = 120_000;
    let json = |open: &str, close: &str| format!("{{\"density\": {}1{}}}", open.repeat(n), close.repeat(n));
    for (kind, text) in [
        (FabricKind::Toml, format!("a = {}1{}", "[".repeat(n), "]".repeat(n))),
        (FabricKind::Toml, format!("a{} = 1", ".a".repeat(n))),
        (FabricKind::Toml, "k = 1\n".repeat(n)),
        (FabricKind::Json, json("[", "]")),
        (FabricKind::Json, json("{\"a\":", "}")),
        (FabricKind::Json, format!("/*{}", "/*".repeat(n))),
        (FabricKind::Json, "\"".repeat(n)),
        (FabricKind::Xml, format!("{}{}", "<a>".repeat(n), "</a>".repeat(n))),
        (FabricKind::Xml, format!("{}{}", "<a>".repeat(9_000), "</a>".repeat(9_000))),
        (FabricKind::Xml, "<a>".repeat(n)),
        (FabricKind::Xml, format!("<f>{}</f>", "<b/>".repeat(n))),
        (FabricKind::Xml, format!("<{}/>", "a".repeat(n))),
    ] {
        let error = parse(kind, "deep", &text).unwrap_err();
        assert!(error.problems().count() <= 5 && error.to_string().len() < 300, "{error}");
    }
}

/// A property's allowed values, the smallest ones included.
fn allowed(property: &Property) -> impl Strategy<Value = f64> + use<> {
    let (low, high, above) = (property.low, property.high, property.above_low);
    (0.0..=1.0).prop_map(move |t| if above { high - (high - low) * 0.99 * t } else { low + (high - low) * t * t * t })
}

fn fabric() -> impl Strategy<Value = Fabric> {
    let values: Vec<_> = PROPERTIES.iter().map(allowed).collect();
    values.prop_filter_map("stable", |v| {
        let fabric = Fabric {
            areal_density: v[0],
            thickness: v[1],
            stretch_warp: v[2],
            stretch_weft: v[3],
            poisson: v[4] * 0.1,
            shear: v[5],
            linearity_warp: v[6],
            linearity_weft: v[7],
            bend_warp: v[8],
            bend_weft: v[9],
            bend_twist: v[10],
            hysteresis_warp: v[11],
            hysteresis_weft: v[12],
            damping_stretch: v[13],
            damping_bend: v[14],
            friction: v[15],
        };
        fabric.check().is_ok().then_some(fabric)
    })
}

proptest! {
    #[test]
    fn writing_and_reading_gives_the_same_fabric(
        fabric in fabric(), name in "[a-zé'\" #]{1,40}", description in ".{0,60}", source in "\\PC{0,60}",
    ) {
        let named = NamedFabric { name, description, source, fabric };
        let text = named.to_toml();
        prop_assert_eq!(toml(&text).unwrap(), named);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for kind in [FabricKind::Toml, FabricKind::Xml, FabricKind::Json] {
            let _ = parse(kind, "random", &text);
        }
        let _ = FabricKind::of(Path::new("random"), &text);
    }

    #[test]
    fn no_text_of_a_kind_makes_its_reader_panic(
        xml in r#"(<|>|/|a|</a>|<a>|&lt;|&#x41;|"|=|<!--|-->|<!\[CDATA\[|\]\]>|<thickness>|</thickness>|1| |é){0,40}"#,
        json in r#"(\{|\}|\[|\]|"|density|stretching|:|,|1|-|e|//|/\*|\*/|\\|é|\n){0,40}"#,
        toml in r#"([a-c.=\[\]{}"',#0-9 \n+-]|kes|fast|cantilever|shear|nan|é){0,40}"#,
    ) {
        let _ = parse(FabricKind::Xml, "random", &xml);
        let _ = parse(FabricKind::Json, "random", &json);
        let _ = parse(FabricKind::Toml, "random", &toml);
    }

    /// Cuts a piece out of a good file and puts another piece of it there.
    #[test]
    fn no_mutated_file_makes_a_reader_panic(from in 0..400_usize, len in 0..30_usize, to in 0..400_usize, cut in 0..30_usize) {
        let rich = format!("{KES}[fast]\nt2 = 0.5\n[cantilever]\noverhang_warp_mm = 40\nangle_deg = 45\n");
        for (kind, text) in [(FabricKind::Toml, rich.as_str()), (FabricKind::Json, MATERIAL)] {
            let letters: Vec<char> = text.chars().collect();
            let piece = |start: usize, end: usize| {
                let end = end.min(letters.len());
                letters[start.min(end)..end].iter().collect::<String>()
            };
            let mutated = format!("{}{}{}", piece(0, to), piece(from, from + len), piece(to + cut, letters.len()));
            if let Ok(named) = parse(kind, "mutated", &mutated) {
                prop_assert!(named.fabric.check().is_ok());
                prop_assert_eq!(NamedFabric::from_toml("again", &named.to_toml()).unwrap(), named);
            }
        }
    }
}
