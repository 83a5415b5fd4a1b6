//! Garments of a scene are put on before it begins, over each other by their layers, and go with their body.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use toile::World;
use toile_mesh::DVec3;
use toile_scene::{Built, ClothShape, Run, RunReader, Scene, dress};

const BODY: &str = "[[body]]\nname = 'ann'\nmannequin = 'woman-38'\ntriangles = 3000\n";

/// A short skirt, coarse, hardly draped.
fn skirt(more: &str) -> String {
    let set = "set = ['length = 0.3', 'band_height = 0']";
    format!(
        "[dressing]\nmost_time = 0.1\n[contact]\nthreshold = 0.001\n{BODY}[[cloth]]\nname = 'skirt'\n\
         shape = {{ kind = 'garment', design = 'a-line-skirt', distance = 0.05, {set} {more} }}\n"
    )
}

fn parse(text: &str) -> Scene {
    Scene::from_toml("garments.toml", text).unwrap()
}

/// Numbers of a draft may have units, and sizes may come from a chart beside the scene file.
#[test]
fn numbers_have_units_and_charts_lie_beside_the_scene() {
    let scene = parse(&format!(
        "{BODY}[[cloth]]\nshape = {{ kind = 'garment', set = ['length = 25in', 'hip_ease = 0.05'] }}\n"
    ));
    let ClothShape::Garment(shape) = &scene.cloth[0].shape else { panic!() };
    let settings: Vec<(&str, f64)> = shape.settings().collect();
    assert_eq!(settings, [("length", 25.0 * 0.0254), ("hip_ease", 0.05)]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    let text = "[[body]]\nmannequin = 'sizes.toml:M, bust=35.5in'\n[[body]]\nmannequin = 'woman-38, bust=35.5in'\n\
        [[cloth]]\nshape = { kind = 'garment', size = 'sizes.toml:S' }\n";
    std::fs::write(&file, text).unwrap();
    let scene = Scene::load(&file).unwrap();
    let ClothShape::Garment(shape) = &scene.cloth[0].shape else { panic!() };
    let beside = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    assert_eq!(shape.size, beside("sizes.toml:S"));
    assert_eq!(scene.body[0].mannequin, beside("sizes.toml:M, bust=35.5in"));
    assert_eq!(scene.body[1].mannequin, "woman-38, bust=35.5in");
}

#[test]
fn what_cannot_be_worn_is_refused_at_its_place() {
    let refused = |text: &str| {
        let error = Scene::from_toml("garments.toml", text).unwrap_err();
        format!("{error} {}", miette::Diagnostic::help(&error).map_or(String::new(), |help| help.to_string()))
    };
    let garment = |more: &str| format!("{BODY}[[cloth]]\nshape = {{ kind = 'garment', {more} }}\n");
    for (text, told) in [
        (garment("design = 'toga'"), "t-shirt"),
        (garment("size = 'huge'"), "XXL"),
        (garment("wearer = 'bob'"), "no body has the name \"bob\""),
        (garment("set = ['length']"), "length = 60cm"),
        (garment("design = 'my.toml', size = 'M'"), "cut as it is drawn"),
        (garment("distance = 0"), "distance"),
        ("[[cloth]]\nshape = { kind = 'garment' }\n".to_owned(), "[[body]]"),
        (format!("{BODY}[[cloth]]\nposition = [0, 2, 0]\nshape = {{ kind = 'garment' }}\n"), "position"),
    ] {
        let error = refused(&text);
        assert!(error.contains(told), "{text}: {error}");
    }
    let missing = parse(&garment("design = 'missing.toml'")).world().unwrap_err().to_string();
    assert!(missing.contains("missing.toml"), "{missing}");
    let key = parse(&garment("set = ['lenght = 1']")).world().unwrap_err().to_string();
    assert!(key.contains("lenght") && key.contains("length"), "{key}");
}

fn built(text: &str) -> Built {
    parse(text).build(&mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_garment_stands_where_its_body_stands() {
    let Built { world: here, dressed } = built(&skirt(""));
    let there = skirt("").replace("triangles = 3000", "triangles = 3000\nposition = [5, 0, 2]\nheading_deg = 90");
    let there = parse(&there).world().unwrap();
    assert!(here.judge().is_clean() && there.judge().is_clean());
    let dressed = dressed.unwrap();
    assert_eq!((dressed.garments.len(), dressed.garments[0].fabric()), (1, "wool-suiting"));
    assert_eq!(dressed.garments[0].x, here.state().x);
    for (a, b) in here.state().x.iter().zip(&there.state().x) {
        // From +z towards +x.
        assert!((DVec3::new(a.z, a.y, -a.x) + DVec3::new(5.0, 0.0, 2.0)).distance(*b) < 1e-12);
    }
}

#[test]
fn garments_are_worn_over_each_other_in_the_order_of_their_layers() {
    for together in [false, true] {
        let outer = "[[cloth]]\nname = 'coat'\nlayer = 1\n\
             shape = { kind = 'garment', design = 'a-line-skirt', distance = 0.05, \
             set = ['length = 0.4', 'band_height = 0', 'waist_ease = 0.06', 'hip_ease = 0.2'] }\n";
        // The outer one comes first in the file.
        let text = format!("{}{}", skirt(""), outer)
            .replace("most_time = 0.1", &format!("most_time = 0.1\ntogether = {together}"));
        let Built { world, dressed } = built(&text);
        assert!(world.judge().is_clean());
        let dressed = dressed.unwrap();
        let girth = |cloth: usize| {
            // Mean distance from the axis of the body at one height.
            let at = |p: &&DVec3| (p.y - 0.85).abs() < 0.05;
            let x: Vec<f64> = dressed.garments[cloth].x.iter().filter(at).map(|p| p.x.hypot(p.z)).collect();
            x.iter().sum::<f64>() / x.len() as f64
        };
        assert!(girth(1) > girth(0) + 0.002, "{} {}", girth(0), girth(1));
    }
}

#[test]
fn a_run_remembers_what_was_worn_and_resumes_with_the_same_bits() {
    let text = skirt("")
        .replace("[dressing]", "[time]\nduration = 0.1\nframe_rate = 40\n[output]\ncheckpoint_every = 2\n[dressing]");
    let scene = parse(&text.replace("triangles = 3000", "triangles = 3000\nmotion = 'walk'\nblend_in = 0.2"));
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("run");
    let mut whole = Run::create(&scene, &folder).unwrap();
    while !whole.is_complete() {
        let frame = whole.advance().unwrap();
        assert!(frame.verdict.as_ref().unwrap().is_clean());
    }
    let reader = RunReader::open(&folder).unwrap();
    let recalled = reader.dressed().unwrap();
    assert!(recalled.reports.is_empty(), "recalled, not dressed again");
    assert_eq!(recalled.garments, whole.dressed().unwrap().garments);
    let resumed = Run::resume(&folder).unwrap();
    assert_eq!((resumed.world().frame(), resumed.world().hash()), (4, whole.world().hash()));
    // What is damaged is of no use, and does no harm.
    std::fs::write(folder.join("garments.toile"), b"TOILEGAR").unwrap();
    let again = RunReader::open(&folder).unwrap();
    assert_eq!(again.dressed().unwrap().garments, recalled.garments);
    assert_eq!(again.dressed().unwrap().reports.len(), 1);
}

#[test]
fn a_run_takes_over_what_is_worn_already() {
    let scene = parse(&skirt("").replace("[dressing]", "[time]\nduration = 0.05\nframe_rate = 40\n[dressing]"));
    let dressed = dress(&scene, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
    assert_eq!((dressed.garments[0].name(), dressed.garments[0].asked.cut_for.is_some()), ("skirt", true));
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("run");
    let mut run = Run::wearing(&scene, &folder, dressed.clone()).unwrap();
    run.advance().unwrap();
    let mut whole = scene.world().unwrap();
    whole.advance();
    assert_eq!(run.world().hash(), whole.hash());
    assert!(RunReader::open(&folder).unwrap().dressed().unwrap().reports.is_empty(), "it was kept");
    // What is worn must be the garments of the scene.
    let other = parse(&format!("{}[[cloth]]\nname = 'shawl'\nshape = {{ kind = 'garment' }}\n", skirt("")));
    let error = other.build_wearing(dressed.clone()).unwrap_err().to_string();
    assert!(error.contains("shawl"), "{error}");
    let bare = parse("[[cloth]]\nshape = { kind = 'grid' }\n");
    let error = bare.build_wearing(dressed).unwrap_err().to_string();
    assert!(error.contains("cloth-1"), "{error}");
}

/// Every triangle lies on its panel as it was cut, also where scissors have split it.
#[test]
fn corners_on_panels_have_the_lengths_of_the_cut() {
    let cut = "[[scissors]]\ncloth = 'skirt'\npanel = 'front'\nat = 0.0\npath = [[0.05, -0.4], [0.06, -0.15]]\n";
    for more in ["", cut] {
        let Built { world, dressed } = built(&format!("{}{more}", skirt("")));
        let corners = world.flat_corners();
        assert_eq!(corners.len(), world.triangles().len());
        let dressed = dressed.unwrap();
        let area = |[a, b, c]: [toile_mesh::DVec2; 3]| 0.5 * (b - a).perp_dot(c - a);
        for (k, panel) in (0..).zip(&dressed.garments[0].flat.panels) {
            let own = || corners.iter().filter(|(panel, _)| *panel == k);
            let expected: f64 = panel.triangles.iter().map(|t| area(t.map(|v| panel.positions[v as usize]))).sum();
            assert!((own().map(|(_, corners)| area(*corners)).sum::<f64>() - expected).abs() < 1e-9);
            let bounds = |points: &mut dyn Iterator<Item = toile_mesh::DVec2>| {
                points.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
                    [low.min(p.x + p.y), high.max(p.x + p.y)]
                })
            };
            let [low, high] = bounds(&mut own().flat_map(|(_, corners)| *corners));
            let [least, most] = bounds(&mut panel.positions.iter().copied());
            assert!((low - least).abs() < 1e-9 && (high - most).abs() < 1e-9, "{} {more}", panel.name);
        }
    }
}

/// A dress goes with its body: no frame has an intersection, threads hardly stretch, and it hangs from the shoulders in the end.
#[test]
#[ignore = "slow: runs in the slow profile"]
fn slow_a_dress_on_a_catwalk_goes_through_nothing() {
    let text = "[time]\nduration = 2.5\nframe_rate = 30\n[solver]\nmodel = 'fem'\n[contact]\nthreshold = 0.001\npressure = 2000.0\n\
        [[body]]\nmannequin = 'woman-38'\nmotion = 'catwalk'\n\
        [[cloth]]\nfabric = 'linen'\nshape = { kind = 'garment', design = 'shift-dress', distance = 0.035 }\n";
    let mut world = parse(text).world().unwrap();
    let highest = |world: &World| world.state().x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    let (before, mut strains) = (highest(&world), Vec::new());
    while world.time() < 2.49 {
        let frame = world.advance();
        let verdict = world.judge();
        assert!(verdict.is_clean() && frame.meeting == 0, "frame {}: {verdict:?}", frame.frame);
        assert!(frame.largest_stretch < 1.5, "frame {}: {}", frame.frame, frame.largest_stretch);
        strains.push(frame.integration.unwrap().largest_thread_strain);
    }
    // Where a leg meets the hem, a thread or two is longer for a frame.
    strains.sort_by(f64::total_cmp);
    assert!(strains[strains.len() / 2] < 0.08, "{strains:?}");
    // The shoulders themselves sink by some centimetres in a stride.
    assert!(world.state().x[0].z > 1.0 && (highest(&world) - before).abs() < 0.08, "{}", highest(&world) - before);
}
