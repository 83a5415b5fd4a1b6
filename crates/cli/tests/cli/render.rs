//! `toile render`: pictures that decode, of the size and content asked for.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::helper::{toile, write_ball, write_run};

/// Width and height, number of frames, and the pixels of the first.
pub(crate) fn decode(path: &Path) -> ([u32; 2], u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let frames = reader.info().animation_control().map_or(1, |a| a.num_frames);
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = bytes.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    ([info.width, info.height], frames, pixels)
}

pub(crate) fn is_red([r, g, b]: [u8; 3]) -> bool {
    r > 120 && u16::from(r) > 2 * u16::from(g.max(b))
}

fn is_blue([r, g, b]: [u8; 3]) -> bool {
    b > 100 && u16::from(b) > 3 * u16::from(r.max(g)) / 2
}

#[test]
fn a_mesh_becomes_a_png_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    write_ball(folder.path(), "ball.obj");
    assert_eq!(toile(folder.path(), &["render", "ball.obj", "--size", "160x90"]).good(), "ball.png\n");
    let (size, _, pixels) = decode(&folder.path().join("ball.png"));
    assert_eq!(size, [160, 90]);
    // The ball in the middle is warmer than the cool paper in the corner.
    let [middle, corner] = [pixels[45 * 160 + 80], pixels[0]];
    assert!(middle[0] > middle[2] && corner[0] <= corner[2], "{middle:?} {corner:?}");
}

#[test]
fn the_angles_of_the_camera_count() {
    let folder = tempfile::tempdir().unwrap();
    // A strip along x: seen from the front it is wide, seen from its end it is narrow.
    let strip = "v -1 0 0\nv 1 0 0\nv 1 0.2 0\nv -1 0.2 0\nf 1 2 3 4\n";
    std::fs::write(folder.path().join("strip.obj"), strip).unwrap();
    let picture = |azimuth: &str| {
        let name = format!("view{azimuth}.png");
        let args = ["render", "strip.obj", "--out", &name, "--size", "64x64", "--elevation=0", "--azimuth", azimuth];
        toile(folder.path(), &args).good();
        decode(&folder.path().join(name)).2
    };
    // Width over height of what has the colour of linen.
    let shape = |pixels: Vec<[u8; 3]>| {
        let linen: Vec<usize> =
            (0..pixels.len()).filter(|i| pixels[*i][0] > pixels[*i][2].saturating_add(12)).collect();
        let extent = |of: fn(usize) -> usize| {
            let [least, most] = [linen.iter().map(|i| of(*i)).min(), linen.iter().map(|i| of(*i)).max()];
            (most.unwrap() - least.unwrap() + 1) as f64
        };
        extent(|i| i % 64) / extent(|i| i / 64)
    };
    let [front, end] = ["0", "-80"].map(|azimuth| shape(picture(azimuth)));
    assert!(front > 7.0 && end < 3.0, "{front} {end}");
}

#[test]
fn a_run_becomes_a_picture_of_its_last_frame_with_the_crossing_in_red() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), "run");
    assert_eq!(toile(folder.path(), &["render", "run"]).good(), "run.png\n");
    let (size, _, last) = decode(&folder.path().join("run.png"));
    assert_eq!(size, [160, 90]);
    let count = |pixels: &[[u8; 3]], of: fn([u8; 3]) -> bool| pixels.iter().filter(|p| of(**p)).count();
    assert!(count(&last, is_red) > 20 && count(&last, is_blue) > 20);
    assert_eq!(toile(folder.path(), &["render", "run", "--frame", "0"]).good(), "run-frame-0.png\n");
    assert_ne!(decode(&folder.path().join("run-frame-0.png")).2, last);
    let strain = ["render", "run", "--values", "strain", "-o", "strain.png"];
    toile(folder.path(), &strain).good();
    assert!(count(&decode(&folder.path().join("strain.png")).2, is_blue) < count(&last, is_blue));
}

#[test]
fn animations_have_all_frames() {
    let folder = tempfile::tempdir().unwrap();
    write_run(folder.path(), "run");
    let answer = toile(folder.path(), &["render", "run", "-o", "film.apng", "--json"]);
    assert_eq!(answer.json()["file"], "film.apng");
    let (size, frames, _) = decode(&folder.path().join("film.apng"));
    assert_eq!((size, frames), ([80, 44], 4));
    toile(folder.path(), &["render", "run", "-o", "film.gif", "--size", "48x32", "-q"]).good();
    let gif = std::fs::read(folder.path().join("film.gif")).unwrap();
    assert_eq!((&gif[..6], &gif[6..10], gif.last()), (&b"GIF89a"[..], &[48, 0, 32, 0][..], Some(&0x3b)));
}

#[test]
fn what_cannot_be_drawn_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    write_ball(folder.path(), "ball.obj");
    write_run(folder.path(), "run");
    for (args, reason) in [
        (&["ball.obj", "--values", "strain"][..], "a mesh has no strain"),
        (&["ball.obj", "--frame", "1"], "a mesh has no frames"),
        (&["ball.obj", "-o", "b.gif"], "a mesh does not move"),
        (&["ball.obj", "-o", "b.jpg"], "known are .png\n"),
        (&["run", "-o", "b.jpg"], "known are .png, .gif and .apng"),
        (&["run", "--frame", "4"], "there is no frame 4; the run has frames 0 to 3"),
        (&["run", "--frame", "1", "-o", "b.gif"], "an animation shows all frames"),
        (&["nothing.obj"], "nothing.obj: no such file or folder"),
        (&["ball.obj", "-o", "nowhere/b.png"], "nowhere/b.png"),
    ] {
        let error = toile(folder.path(), &[&["render"], args].concat()).bad();
        assert!(error.contains(reason), "{error}");
    }
    let mut left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["ball.obj", "run"]);
}
