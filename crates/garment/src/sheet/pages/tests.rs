//! Pages, judged by arithmetic on the file and, where it is installed, by poppler, which shares nothing with this writer.

use std::path::Path;
use std::process::Command;

use super::*;
use crate::draft::{Choices, Design, draft};
use crate::sheet::Allowances;
use toile_body::{Figure, Given, complete};

fn garment(design: Design) -> Pattern {
    draft(design, &complete(Figure::Female, &Given::NONE), &Choices::new()).unwrap()
}

fn options(paper: Paper) -> SheetOptions {
    SheetOptions { size: "M".into(), paper, ..SheetOptions::default() }
}

/// Every point of every cut line is on a page that is printed, and every page has the place its number says.
#[test]
fn tiles_cover_every_piece_of_every_garment() {
    for design in Design::ALL {
        let pattern = garment(*design);
        let pieces = pieces(&pattern, &options(Paper::A4)).unwrap();
        for tile in [[190.0, 277.0], [195.9, 259.4]] {
            let (points, tiling) = covered(&pieces, tile);
            for pair in points.windows(2) {
                for k in 0..=10 {
                    let p = pair[0].lerp(pair[1], f64::from(k) / 10.0);
                    if pair[0].distance(pair[1]) > 300.0 {
                        // From one piece to the next: no line of the pattern.
                        break;
                    }
                    let (row, column) = ((p.y.max(0.0) / tile[1]) as usize, (p.x.max(0.0) / tile[0]) as usize);
                    let row = row.min(tiling.rows - 1);
                    assert!(tiling.number(row, column.min(tiling.columns - 1)).is_some(), "{} {p:?}", design.word());
                }
            }
            let numbers: Vec<usize> = tiling.numbers.iter().flatten().copied().collect();
            assert_eq!(numbers, (2..numbers.len() + 2).collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_file_says_its_sizes_in_points_and_its_offsets_are_true() {
    for (paper, wanted) in [(Paper::A4, [595.275_591, 841.889_764]), (Paper::Letter, [612.0, 792.0])] {
        let bytes = to_pdf(&garment(Design::TShirt), &options(paper)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let boxed = format!("/MediaBox [0 0 {:.6} {:.6}]", wanted[0], wanted[1]);
        assert!(text.contains(&boxed), "{boxed}");
        // The square as it is written: corners 50 mm apart, under a matrix of 72/25.4 points per millimetre.
        assert!(text.contains("q 2.834645669 0 0 -2.834645669 0"));
        assert!(text.contains("15.0000 15.0000 m\n65.0000 15.0000 l\n65.0000 65.0000 l\n15.0000 65.0000 l\nh\nS"));
        assert!(text.contains("/PrintScaling /None"));
        let start: usize = text.split("startxref\n").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
        assert!(bytes[start..].starts_with(b"xref\n"));
        let table = String::from_utf8_lossy(&bytes[start..]).into_owned();
        for (i, line) in table.lines().skip(3).take_while(|line| line.ends_with(" n ")).enumerate() {
            let place: usize = line[..10].parse().unwrap();
            let wanted = format!("{} 0 obj", i + 1);
            assert!(bytes[place..].starts_with(wanted.as_bytes()), "{wanted}");
        }
    }
}

#[test]
fn a_large_sheet_is_a0_where_that_is_enough_and_too_long_pieces_are_refused() {
    let text = |pattern: &Pattern| {
        let bytes = to_pdf(pattern, &options(Paper::Sheet)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    assert!(text(&garment(Design::TankTop)).contains("/MediaBox [0 0 2383.937008 3370.393701]"));
    assert!(!text(&garment(Design::Poncho)).contains("/MediaBox [0 0 2383.937008 3370.393701]"));
    let mut long = garment(Design::Tablecloth);
    long.panels[0].transform(Affine::scale_non_uniform(1.0, 6.0));
    let error = to_pdf(&long, &options(Paper::Sheet)).unwrap_err();
    assert!(matches!(error, SheetError::TooLong { .. }) && error.to_string().contains("A4"), "{error}");
    assert!(to_pdf(&long, &options(Paper::A4)).is_ok());
}

#[test]
fn the_same_pattern_gives_the_same_bytes() {
    let pattern = garment(Design::Shirt);
    assert_eq!(to_pdf(&pattern, &options(Paper::A4)), to_pdf(&pattern, &options(Paper::A4)));
}

/// Runs a program of poppler; `None`, with a message, where it is not installed.
fn poppler(program: &str, args: &[&str]) -> Option<Vec<u8>> {
    match Command::new(program).args(args).output() {
        Ok(output) => {
            assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
            // A file that poppler has to mend is not a good one.
            assert!(output.stderr.is_empty(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
            Some(output.stdout)
        }
        Err(error) => {
            println!("skipped: {program} cannot be run: {error}");
            None
        }
    }
}

fn written(name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("toile-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Columns of a binary grey picture in which its first row is dark.
fn dark_columns(picture: &[u8]) -> Vec<usize> {
    let head: Vec<&[u8]> = picture.splitn(4, |byte| *byte == b'\n').collect();
    let size = String::from_utf8_lossy(head[1]).into_owned();
    let width: usize = size.split(' ').next().unwrap().parse().unwrap();
    (0..width).filter(|&x| head[3][x] < 200).collect()
}

#[test]
fn another_reader_sees_every_text_and_a_square_of_50_mm() {
    let pattern = garment(Design::TShirt);
    let file = written("pages.pdf", &to_pdf(&pattern, &options(Paper::A4)).unwrap());
    let path = file.to_string_lossy().into_owned();
    if let Some(text) = poppler("pdftotext", &["-layout", &path, "-"]) {
        let text = String::from_utf8_lossy(&text).into_owned();
        let pages = text.matches('\u{c}').count();
        for words in
            ["t-shirt", "size M", "place on fold", "cut 1 on fold", "cut 2, mirrored", "hem 30 mm", "50 mm × 50 mm"]
        {
            assert!(text.contains(words), "{words} in {text}");
        }
        assert!(text.contains(&format!("page {pages} of {pages}")), "{pages} in {text}");
    }
    // 50 dots per millimetre; a strip across the square, 10 mm below its upper side, where nothing else is.
    let strip =
        ["-f", "1", "-l", "1", "-gray", "-r", "1270", "-x", "500", "-y", "1250", "-W", "3000", "-H", "1", &path];
    if let Some(picture) = poppler("pdftoppm", &strip) {
        let dark = dark_columns(&picture);
        let split = dark.iter().position(|x| *x > 1500).unwrap();
        let middle = |run: &[usize]| 0.5 * (run[0] + run[run.len() - 1]) as f64;
        let side = (middle(&dark[split..]) - middle(&dark[..split])) / 50.0;
        assert!((side - 50.0).abs() < 0.03, "{side} mm");
    }
    remove(&file);
}

/// A rectangle of 300 mm × 400 mm without allowance, printed on pages: its left edge, found on two pages one above the other by another
/// reader, is at the same place of both frames, and each page shows as much of it as its frame is high.
#[test]
fn lines_go_on_from_page_to_page_where_another_reader_looks() {
    let mut pattern = garment(Design::Tablecloth);
    let bounds = pattern.panels[0].bounds();
    pattern.panels[0].transform(Affine::scale_non_uniform(0.15 / bounds.width(), 0.4 / bounds.height()));
    let options = SheetOptions { allowances: Allowances::NONE, ..options(Paper::A4) };
    let file = written("joint.pdf", &to_pdf(&pattern, &options).unwrap());
    let path = file.to_string_lossy().into_owned();
    let mut places = Vec::new();
    for page in ["2", "3"] {
        // A row 100 mm below the upper edge of the page, 20 dots per millimetre.
        let strip =
            ["-f", page, "-l", page, "-gray", "-r", "508", "-x", "0", "-y", "2000", "-W", "4200", "-H", "1", &path];
        if let Some(picture) = poppler("pdftoppm", &strip) {
            // Behind the frame at 10 mm, which the left edge of the piece lies on: the right edge, 150 mm further.
            let dark = dark_columns(&picture);
            let right = dark.iter().filter(|x| **x > 3100 && **x < 3300).copied().collect::<Vec<_>>();
            places.push(0.5 * (right[0] + right[right.len() - 1]) as f64 / 20.0);
        }
    }
    for place in places {
        assert!((place - 160.0).abs() < 0.06, "{place} mm");
    }
    remove(&file);
}

fn remove(file: &Path) {
    std::fs::remove_file(file).unwrap();
}
