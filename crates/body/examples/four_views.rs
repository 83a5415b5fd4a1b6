//! Draws the mannequin of a `body.toml` from four sides, with its tapes, and prints what they read.
//!
//! `cargo run --release -p toile-body --example four_views -- body.toml picture.png [--tapes]`

use std::error::Error;

use toile_body::measure::{self, Tape};
use toile_body::{Kind, Specification, draft};
use toile_mesh::{DVec3, TriMesh, generate};
use toile_view::{Camera, Image, Material, Object, Scene, encode, render};

const SIZE: [u32; 2] = [540, 800];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, picture, options @ ..] = arguments.as_slice() else {
        return Err("usage: four_views BODY.toml PICTURE.png [--tapes]".into());
    };
    let body = draft(&Specification::load(file)?)?;
    let tapes = measure::measure(&body.mesh, &body.landmarks);
    print_readings(&tapes);
    let mut lines = TriMesh::default();
    if options.iter().any(|option| option == "--tapes") {
        for tape in &tapes {
            lines.append(&ribbon(tape));
        }
    }
    let scene = Scene::new(vec![
        Object::cloth(&body.mesh, Material::fabric([0.86, 0.80, 0.72])),
        Object::solid(&lines, Material::solid([0.75, 0.15, 0.15])),
    ])
    .on_ground(0.0);
    let top = body.mesh.bounds().max.y;
    let target = DVec3::new(0.0, 0.5 * top, 0.0);
    let [width, height] = SIZE;
    let mut sheet = Image::filled(4 * width, height, [255; 3]);
    for (i, azimuth) in [0.0_f64, 40.0, 90.0, 180.0].into_iter().enumerate() {
        let (sin, cos) = azimuth.to_radians().sin_cos();
        let eye = target + DVec3::new(9.0 * sin, 0.5, 9.0 * cos);
        let camera = Camera::look_at(eye, target, 2.0 * (0.54 * top / 9.0).atan().to_degrees());
        let view = render(&scene, &camera, width, height);
        for y in 0..height {
            for x in 0..width {
                if let Some(colour) = view.get(x, y) {
                    sheet.put(x + i as u32 * width, y, colour);
                }
            }
        }
    }
    std::fs::write(picture, encode::png(&sheet)?)?;
    Ok(())
}

/// A tape as thin rods between its points.
fn ribbon(tape: &Tape) -> TriMesh {
    let mut points = tape.points.clone();
    if tape.closed {
        points.extend(tape.points.first());
    }
    let mut mesh = TriMesh::default();
    for pair in points.windows(2).filter(|pair| pair[0].distance(pair[1]) > 1e-6) {
        mesh.append(&generate::rod(pair[0], pair[1], 0.0025, 6));
    }
    mesh
}

#[expect(clippy::print_stdout, reason = "an example reports to the terminal")]
fn print_readings(tapes: &[Tape]) {
    for tape in tapes {
        let m = tape.measurement;
        match m.kind() {
            Kind::Angle => println!("{:28} {:6.1} °", m.iso_name(), tape.value.to_degrees()),
            Kind::Girth | Kind::Length => println!("{:28} {:6.1} cm", m.iso_name(), 100.0 * tape.value),
        }
    }
}
