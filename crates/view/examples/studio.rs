//! Draws trial pictures: an analytic cloth over a sphere on the ground, plain, woven, with values, and animated.
//!
//! `cargo run --release -p toile-view --example studio -- OUTPUT_FOLDER [grid [only-timing]]`

use std::error::Error;
use std::f64::consts::TAU;
use std::path::Path;
use std::time::Instant;

use toile_mesh::{DVec3, TriMesh};
use toile_view::page::{Media, Page, Verdict};
use toile_view::plot::{BarChart, Chart, Scale, Series, Style};
use toile_view::{Camera, ColourMap, Image, Material, Object, Pattern, Quality, Scene, VertexValues, encode, render};

const RADIUS: f64 = 0.32;
const CENTRE: DVec3 = DVec3::new(0.0, 0.60, 0.0);

/// A cloth of 1.3 m × 1.3 m, hanging in folds; `time` moves the folds.
fn cloth(cells: usize, time: f64) -> (TriMesh, Vec<[f64; 2]>) {
    let side = 1.3;
    let mut uv = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells {
            uv.push([i, j].map(|k| side * (k as f64 / cells as f64 - 0.5)));
        }
    }
    let positions = uv.iter().map(|&[u, v]| drape(u, v, time)).collect();
    let n = cells as u32 + 1;
    let quad = |i: u32, j: u32| {
        let a = j * n + i;
        [[a, a + n, a + 1], [a + 1, a + n, a + n + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..n - 1).flat_map(|j| (0..n - 1).flat_map(move |i| quad(i, j))).collect();
    (TriMesh::from_indices(positions, &triangles), uv)
}

fn drape(u: f64, v: f64, time: f64) -> DVec3 {
    let (length, angle) = (u.hypot(v), v.atan2(u));
    let reach = RADIUS + 0.006;
    let theta = (length / reach).min(1.32);
    let hang = (length - 1.32 * reach).max(0.0);
    let swell = 1.0 - (-hang * 4.0).exp();
    let fold = (8.0 * angle + 0.6 * (3.0 * angle).sin() + 0.5 * (time + 2.0 * angle).sin()).sin();
    let crease = fold + 0.22 * (16.0 * angle + 1.0).sin();
    let lean = reach * theta.sin() + hang * 0.25 * (-hang * 5.0).exp() + 0.085 * swell * (1.15 + crease);
    let drop = reach * theta.cos() - hang * (0.97 - 0.10 * swell * fold.abs());
    let ripple = 0.002 * (60.0 * u + 9.0 * v).sin() * swell;
    let twist = angle + 0.03 * swell * (5.0 * angle + time).sin();
    CENTRE + DVec3::new(twist.cos() * (lean + ripple), drop, twist.sin() * (lean + ripple))
}

fn sphere(centre: DVec3, radius: f64) -> TriMesh {
    let (rings, sectors) = (48_u32, 96_u32);
    let mut positions = Vec::new();
    for i in 0..=rings {
        for j in 0..sectors {
            let (t, p) = (TAU * 0.5 * f64::from(i) / f64::from(rings), TAU * f64::from(j) / f64::from(sectors));
            positions.push(centre + radius * DVec3::new(t.sin() * p.cos(), t.cos(), -t.sin() * p.sin()));
        }
    }
    let at = |i: u32, j: u32| i * sectors + j % sectors;
    let triangles: Vec<[u32; 3]> = (0..rings)
        .flat_map(|i| (0..sectors).map(move |j| (i, j)))
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)]])
        .collect();
    TriMesh::from_indices(positions, &triangles)
}

fn stand() -> TriMesh {
    let n = 64_u32;
    let profile = [[0.0, 0.02], [0.20, 0.02], [0.20, 0.0], [0.022, 0.02], [0.022, 0.40]];
    let mut mesh = TriMesh::default();
    for pair in [[profile[0], profile[1]], [profile[1], profile[2]], [profile[3], profile[4]]] {
        let ring = |[r, y]: [f64; 2]| {
            (0..n).map(move |j| {
                let a = TAU * f64::from(j) / f64::from(n);
                DVec3::new(r * a.cos(), y, r * a.sin())
            })
        };
        let positions = ring(pair[0]).chain(ring(pair[1])).collect();
        let triangles: Vec<[u32; 3]> = (0..n)
            .flat_map(|j| {
                let k = (j + 1) % n;
                [[j, k, n + j], [k, n + k, n + j]]
            })
            .map(|[a, b, c]| [a, c, b])
            .collect();
        mesh.append(&TriMesh::from_indices(positions, &triangles));
    }
    mesh
}

/// A page with every kind of content.
fn report(picture: &[u8]) -> String {
    let wave =
        |k: f64, decay: f64| (0..400).map(move |i| (f64::from(i) * k).cos().abs() * (-f64::from(i) * decay).exp());
    let curve = |label: &str, k, decay| Series {
        label: label.to_owned(),
        points: wave(k, decay).enumerate().map(|(i, y)| [i as f64 / 60.0, y]).collect(),
    };
    let energy = Chart {
        title: "Energy".to_owned(),
        x_label: "time [s]".to_owned(),
        y_label: "energy [J]".to_owned(),
        y_scale: Scale::Log,
        series: vec![curve("kinetic", 0.05, 0.02), curve("bending", 0.01, 0.005), curve("membrane", 0.02, 0.01)],
        ..Chart::default()
    };
    let phases = Chart {
        title: "Time per phase".to_owned(),
        x_label: "frame".to_owned(),
        y_label: "time [ms]".to_owned(),
        style: Style::Stacked,
        series: [("broad phase", 0.03), ("contacts", 0.05), ("solve", 0.021), ("guard", 0.013)]
            .map(|(label, k)| Series::counted(label, wave(k, 0.001).map(|y| 20.0 + 10.0 * y)))
            .into(),
        ..Chart::default()
    };
    let bars = BarChart {
        title: "Total time".to_owned(),
        unit: "s".to_owned(),
        bars: [("broad phase", 3.2), ("contacts", 1.41), ("solve", 6.02), ("guard", 0.3)]
            .map(|(n, v)| (n.to_owned(), v))
            .into(),
    };
    let mut page = Page::new("Drape of a cotton square on a sphere");
    page.subtitle("106 400 triangles, 400 frames of 1/60 s").verdict(Verdict::Good, "settled, no intersections");
    page.section("Result").picture(
        Media::Png,
        picture,
        "Cloth over a sphere, coloured by strain",
        "Strain after six seconds.",
    );
    page.section("Numbers").table(
        &["quantity", "value", "limit"],
        &[["largest strain", "3.1 %", "5 %"], ["smallest gap", "0.42 mm", "> 0"], ["steps", "2400", ""]],
    );
    page.section("Curves").chart(&energy.to_svg(), "Energies fall as the cloth settles.");
    page.chart(&phases.to_svg(), "").chart(&bars.to_svg(), "");
    page.section("Scene")
        .preformatted("[cloth]\nfabric = \"cotton\"\nsize = [1.3, 1.3]\n")
        .folded("Log", "step 1 ok\nstep 2 ok");
    page.to_html()
}

fn save(folder: &Path, name: &str, image: &Image) -> Result<(), Box<dyn Error>> {
    std::fs::write(folder.join(name), encode::png(image)?)?;
    Ok(())
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: studio OUTPUT_FOLDER [grid]")?;
    let cells = arguments.next().map_or(Ok(220), |a| a.parse())?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;

    let (mesh, uv) = cloth(cells, 0.0);
    let mut obstacle = sphere(CENTRE, RADIUS);
    obstacle.append(&stand());
    let wood = Material::solid([0.86, 0.85, 0.82]);
    let scene_of = |material: Material| {
        Scene::new(vec![Object::cloth(&mesh, material).with_uv(&uv), Object::solid(&obstacle, wood)]).on_ground(0.0)
    };
    let gingham = Pattern::Gingham { width: 0.025, colour: [0.12, 0.30, 0.47] };
    let plain = scene_of(Material::fabric([0.70, 0.26, 0.21]));
    let woven = scene_of(Material::fabric([0.93, 0.92, 0.88]).with_pattern(gingham));
    let camera = Camera::framing(plain.bounds(), 28.0, 20.0, 16.0 / 9.0);

    let mut image = Image::filled(1, 1, [0; 3]);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        image = render(&plain, &camera, 1280, 720);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let count = mesh.face_count() + obstacle.face_count();
    println!("{count} triangles at 1280 x 720: best of five {:.0} ms", 1e3 * best);
    save(folder, "plain.png", &image)?;
    if arguments.next().is_some() {
        return Ok(());
    }
    save(folder, "woven.png", &render(&woven, &camera, 1280, 720))?;

    let strain: Vec<f64> =
        uv.iter().map(|[u, v]| 4.0 * (u.hypot(*v) * 3.0).sin() * (1.0 + 0.3 * (8.0 * v.atan2(*u)).cos())).collect();
    let mut shown = scene_of(Material::fabric([0.7; 3]));
    let label = "strain [%]".to_owned();
    shown.objects[0].values = Some(VertexValues { values: &strain, range: None, map: ColourMap::Strain, label });
    shown.caption = String::from("Analytic drape, 1.3 m square on a sphere of 0.64 m");
    let values = render(&shown, &camera, 1280, 720);
    save(folder, "values.png", &values)?;
    std::fs::write(folder.join("report.html"), report(&encode::png(&values)?))?;

    let mut fine = woven.clone();
    fine.quality = Quality::Fine;
    let start = Instant::now();
    save(folder, "fine.png", &render(&fine, &camera, 1280, 720))?;
    println!("fine: {:.0} ms", 1e3 * start.elapsed().as_secs_f64());

    let bounds = plain.bounds();
    let frames: Vec<Image> = (0..24)
        .map(|i| {
            let (mesh, uv) = cloth(120, TAU * f64::from(i) / 24.0);
            let material = Material::fabric([0.93, 0.92, 0.88]).with_pattern(gingham);
            let objects = vec![Object::cloth(&mesh, material).with_uv(&uv), Object::solid(&obstacle, wood)];
            let mut scene = Scene::new(objects).on_ground(0.0);
            scene.quality = Quality::Draft;
            render(&scene, &Camera::framing(bounds, 28.0, 20.0, 4.0 / 3.0), 480, 360)
        })
        .collect();
    let (gif, apng) = (encode::gif(&frames, 50)?, encode::apng(&frames, 50)?);
    println!("gif {} kB, apng {} kB", gif.len() / 1024, apng.len() / 1024);
    std::fs::write(folder.join("drape.gif"), gif)?;
    std::fs::write(folder.join("drape.apng"), apng)?;
    Ok(())
}
