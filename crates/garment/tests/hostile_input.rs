//! Readers survive whatever they are given: they refuse it or make a pattern that can be meshed or refused, and never panic.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use toile_body::{Figure, Given, complete};
use toile_garment::draft::{Choices, Design, draft};
use toile_garment::dxf::{DxfOptions, Rules, from_dxf, to_dxf};
use toile_garment::file::{Unit, from_toml, sew_from_toml, to_toml};
use toile_garment::sheet::SheetOptions;
use toile_garment::svg::{SvgOptions, from_svg, to_svg};
use toile_garment::{Pattern, freesewing, garmentcode};

fn skirt() -> Pattern {
    draft(Design::PencilSkirt, &complete(Figure::Female, &Given::NONE), &Choices::new()).unwrap()
}

/// All readers, one after the other.
fn read_all(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = from_toml("x", &text);
    let _ = sew_from_toml(&skirt(), "x", &text);
    let _ = garmentcode::from_json("x", bytes);
    let _ = from_dxf("x", bytes, &DxfOptions::default());
    let _ = Rules::parse("x", bytes);
    let _ = from_svg("x", bytes, &SvgOptions::default());
    let _ = freesewing::from_json("x", bytes);
}

/// A valid text with some pieces cut out, doubled or replaced.
fn spoiled(text: &str, edits: &[(f64, f64, u8)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for &(from, length, what) in edits {
        let at = (from * bytes.len() as f64) as usize;
        let end = (at + (length * 40.0) as usize).min(bytes.len());
        match what % 4 {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            2 => bytes[at..end].iter_mut().for_each(|byte| *byte = b'9'),
            _ => drop(bytes.splice(at..at, *b"-1e308")),
        }
    }
    bytes
}

fn edits() -> impl Strategy<Value = Vec<(f64, f64, u8)>> {
    prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64, any::<u8>()), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
    }

    #[test]
    fn arbitrary_group_codes_are_refused_or_read(
        pairs in prop::collection::vec((prop_oneof![Just(0), Just(2), Just(8), Just(10), Just(20), Just(70), Just(42), -5..300_i32],
            prop_oneof![Just("POLYLINE"), Just("VERTEX"), Just("SECTION"), Just("BLOCKS"), Just("ENTITIES"), Just("BLOCK"),
                Just("SEQEND"), Just("LINE"), Just("TEXT"), Just("1"), Just("0.5"), Just("ENDSEC"), Just("-7e9")]), 0..80),
    ) {
        let lines: Vec<String> = pairs.iter().map(|(code, value)| format!("{code}\n{value}")).collect();
        let text = lines.join("\n");
        let _ = from_dxf("x", text.as_bytes(), &DxfOptions::default());
    }

    #[test]
    fn spoiled_patterns_are_refused_or_read(edits in edits()) {
        let pattern = skirt();
        read_all(&spoiled(&to_toml(&pattern, Unit::Centimetre), &edits));
        read_all(&spoiled(&garmentcode::to_json(&pattern).unwrap(), &edits));
        read_all(&spoiled(&to_svg(&pattern, &SheetOptions::default()).unwrap(), &edits));
        read_all(&spoiled(include_str!("drawings/freesewing.svg"), &edits));
        read_all(&spoiled(include_str!("drawings/freesewing.json"), &edits));
        let dxf = to_dxf(&pattern, "M");
        read_all(&spoiled(&dxf, &edits));
    }
}

#[test]
fn deep_nesting_and_huge_counts_are_refused() {
    read_all("[".repeat(100_000).as_bytes());
    read_all("{\"a\":".repeat(100_000).as_bytes());
    let groups = "<g>".repeat(1000);
    let deep = format!("<svg xmlns='http://www.w3.org/2000/svg'>{groups}<path d='M0 0'/>{}</svg>", "</g>".repeat(1000));
    assert!(from_svg("x", deep.as_bytes(), &SvgOptions::default()).unwrap_err().to_string().contains("nested"));
    read_all("<g>".repeat(100_000).as_bytes());
    // Ten uses of ten uses of ten uses … are many shapes.
    let level = |i: usize| format!("<g id='a{i}'>{}</g>", format!("<use href='#a{}'/>", i + 1).repeat(10));
    let uses: String = (0..9).map(level).collect();
    let text = format!("<svg xmlns='http://www.w3.org/2000/svg'>{uses}<path id='a9' d='M0 0H100V100Z'/></svg>");
    assert!(from_svg("x", text.as_bytes(), &SvgOptions::default()).unwrap_err().to_string().contains("shapes"));
    let text = text.replace("<path id='a9' d='M0 0H100V100Z'/>", "<g id='a9'/>");
    assert!(from_svg("x", text.as_bytes(), &SvgOptions::default()).unwrap_err().to_string().contains("elements"));
    read_all(b"name = \"x\"\n[[panel]]\nname=\"p\"\nquantity=1e300\nlayer=-1e300\nedges=[]");
    let text = "[[panel]]\nname = \"p\"\nedges = [{ name = \"a\", from = [0, 0] }, { name = \"b\", from = [9e99, 0] }, { name = \"c\", from = [0, 1] }]";
    let error = from_toml("p.toml", text).unwrap_err();
    assert!(error.to_string().starts_with("p.toml:3:"), "{error}");
}

#[test]
fn huge_but_well_formed_files_are_refused_before_they_cost_much() {
    // Thousands of lines that never join, arcs that turn into millions of pieces, tens of thousands of holes.
    let line = |i: usize| format!("0\nLINE\n8\n1\n10\n{i}.0\n20\n0.0\n11\n{i}.5\n21\n9.0\n");
    let lines: String = (0..20_000).map(line).collect::<Vec<_>>().concat();
    let dxf = format!("0\nSECTION\n2\nENTITIES\n{lines}0\nENDSEC\n");
    assert!(from_dxf("x", dxf.as_bytes(), &DxfOptions::default()).is_err());
    let vertex = |i: usize| format!("0\nVERTEX\n10\n{}\n20\n{}\n42\n5.0\n", 2000 * (i % 2), i);
    let vertices: String = (0..20_000).map(vertex).collect::<Vec<_>>().concat();
    let dxf = format!("0\nSECTION\n2\nENTITIES\n0\nPOLYLINE\n8\n1\n70\n1\n{vertices}0\nSEQEND\n0\nENDSEC\n");
    assert!(from_dxf("x", dxf.as_bytes(), &DxfOptions::default()).is_err());
    let hole = |i: usize| format!("[{{ name = \"h{i}\", from = [0.1, 0.1] }}]");
    let holes = (0..20_000).map(hole).collect::<Vec<_>>().join(",");
    let square =
        "edges = [{ name = \"a\", from = [0, 0] }, { name = \"b\", from = [1, 0] }, { name = \"c\", from = [1, 1] }]";
    let text = format!("[[panel]]\nname = \"p\"\n{square}\nholes = [{holes}]");
    assert!(from_toml("x", &text).unwrap_err().to_string().contains("20000 holes of a panel, at most 1000"));
    let edge = |i: usize| format!("{{ name = \"e{i}\", from = [{}, 0], arc = 2 }}", 30 * (i % 2));
    let edges = (0..4_000).map(edge).collect::<Vec<_>>().join(",");
    let error = from_toml("x", &format!("[[panel]]\nname = \"p\"\nedges = [{edges}]")).unwrap_err();
    assert!(error.to_string().contains("straight pieces"), "{error}");
}
