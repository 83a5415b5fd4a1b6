//! Whole pictures: what is where, equal bytes for any number of threads, no panic for any input.

use proptest::prelude::*;
use toile_mesh::{DVec3, FaceId, TriMesh, VertexId};
use toile_view::{
    Backdrop, Camera, ColourMap, Image, Light, Material, Object, Pattern, Quality, Scene, VertexValues, render,
};

fn square(centre: DVec3, half: f64) -> TriMesh {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let positions = corners.map(|[x, y]| centre + half * DVec3::new(x, y, 0.0)).into();
    TriMesh::from_indices(positions, &[[0, 1, 2], [0, 2, 3]])
}

/// A bumpy sheet above the ground with places on the fabric.
fn bumps(cells: u32) -> (TriMesh, Vec<[f64; 2]>) {
    let place = |i: u32| f64::from(i) / f64::from(cells) - 0.5;
    let uv: Vec<[f64; 2]> = (0..=cells).flat_map(|j| (0..=cells).map(move |i| [place(i), place(j)])).collect();
    let height = |u: f64, v: f64| 0.35 + 0.1 * (9.0 * u).sin() * (7.0 * v).cos();
    let positions = uv.iter().map(|&[u, v]| DVec3::new(u, height(u, v), v)).collect();
    let n = cells + 1;
    let triangles: Vec<[u32; 3]> = (0..cells)
        .flat_map(|j| (0..cells).map(move |i| j * n + i))
        .flat_map(|a| [[a, a + n, a + 1], [a + 1, a + n, a + n + 1]])
        .collect();
    (TriMesh::from_indices(positions, &triangles), uv)
}

fn front_camera() -> Camera {
    Camera::look_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, 30.0)
}

fn is_mostly(image: &Image, x: u32, y: u32, channel: usize) -> bool {
    let c = image.get(x, y).expect("inside the picture");
    (0..3).all(|k| k == channel || c[channel] > c[k].saturating_add(20))
}

#[test]
fn the_nearer_object_hides_the_farther_one() {
    let (near, far) = (square(DVec3::new(0.0, 0.0, 0.5), 0.3), square(DVec3::new(0.0, 0.0, -0.5), 0.6));
    let red = Object::cloth(&near, Material::fabric([0.8, 0.1, 0.1]));
    let blue = Object::cloth(&far, Material::fabric([0.1, 0.1, 0.8]));
    for objects in [vec![red.clone(), blue.clone()], vec![blue, red]] {
        let image = render(&Scene::new(objects), &front_camera(), 120, 120);
        assert!(is_mostly(&image, 60, 60, 0), "{:?}", image.get(60, 60));
        assert!(is_mostly(&image, 60, 36, 2), "{:?}", image.get(60, 36));
    }
}

#[test]
fn a_square_fills_exactly_the_pixels_it_covers() {
    // Half width 0.5 at depth 5 with tan 15°: ±0.5 / (5 tan 15°) of half the picture.
    let mesh = square(DVec3::ZERO, 0.5);
    let scene = Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.9, 0.05, 0.05]))]);
    let image = render(&scene, &front_camera(), 200, 200);
    let reach = 100.0 * 0.5 / (5.0 * 15.0_f64.to_radians().tan());
    for x in 0..200_u32 {
        let distance = (f64::from(x) + 0.5 - 100.0).abs();
        if (distance - reach).abs() > 1.0 {
            assert_eq!(is_mostly(&image, x, 100, 0), distance < reach, "column {x}");
        }
    }
}

#[test]
fn things_cast_a_soft_shadow_on_the_ground() {
    let (mesh, _) = bumps(20);
    let mut scene = Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.6; 3]))]).on_ground(0.0);
    let camera = Camera::look_at(DVec3::new(0.0, 2.5, 4.0), DVec3::new(0.0, 0.2, 0.0), 35.0);
    let with = render(&scene, &camera, 160, 120);
    scene.ground = None;
    let without = render(&scene, &camera, 160, 120);
    let darker: Vec<u8> =
        with.rgb().iter().zip(without.rgb()).map(|(a, b)| b.saturating_sub(*a)).filter(|d| *d > 0).collect();
    assert!(darker.iter().any(|d| *d > 40), "a core shadow");
    assert!(darker.iter().filter(|d| (3..30).contains(*d)).count() > 100, "and a penumbra");
}

#[test]
fn the_two_sides_differ() {
    let mesh = square(DVec3::ZERO, 0.6);
    let scene = Scene::new(vec![Object::cloth(&mesh, Material::fabric([0.2, 0.7, 0.3]))]);
    let front = render(&scene, &front_camera(), 60, 60);
    let behind = Camera::look_at(DVec3::new(0.0, 0.0, -5.0), DVec3::ZERO, 30.0);
    let back = render(&scene, &behind, 60, 60);
    let (f, b) = (front.get(30, 30).unwrap(), back.get(30, 30).unwrap());
    assert!(f[1] > b[1] + 8, "front {f:?}, back {b:?}");
}

#[test]
fn highlighted_faces_are_red() {
    let mesh = square(DVec3::ZERO, 0.8);
    let faces = [FaceId(0)];
    let object = Object::cloth(&mesh, Material::fabric([0.3, 0.6, 0.3])).with_highlight(&faces);
    let image = render(&Scene::new(vec![object]), &front_camera(), 100, 100);
    // Face 0 is the lower right half.
    assert!(is_mostly(&image, 58, 66, 0) && is_mostly(&image, 42, 34, 1));
}

#[test]
fn equal_bytes_for_any_number_of_threads() {
    let (mesh, uv) = bumps(60);
    let values: Vec<f64> = uv.iter().map(|[u, v]| u * v).collect();
    let shown = VertexValues { values: &values, range: None, map: ColourMap::Viridis, label: "u v [m2]".into() };
    let gingham = Pattern::Gingham { width: 0.05, colour: [0.1, 0.2, 0.5] };
    let other = mesh.clone().map_positions(|p| p + DVec3::new(0.4, 0.2, 0.3));
    let woven = Object::cloth(&mesh, Material::fabric([0.9; 3]).with_pattern(gingham)).with_uv(&uv);
    let mut scene =
        Scene::new(vec![woven, Object::solid(&other, Material::solid([0.5; 3])).with_values(shown)]).on_ground(0.0);
    scene.caption = "threads".into();
    let camera = Camera::framing(scene.bounds(), 30.0, 25.0, 1.5);
    let pictures: Vec<Image> = [1, 2, 3, 8]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| render(&scene, &camera, 150, 100))
        })
        .collect();
    assert!(pictures.iter().all(|p| *p == pictures[0]));
}

/// A number that may be ordinary, huge, tiny, infinite or not a number.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -3.0..3.0_f64, 1 => prop::num::f64::ANY, 1 => -1e14..1e14_f64, 1 => Just(0.0), 1 => -1e-9..1e-9_f64]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_input_makes_it_panic(
        positions in prop::collection::vec(prop::array::uniform3(any_number()), 0..12),
        triangles in prop::collection::vec(prop::array::uniform3(0..14_u32), 0..12),
        eye in prop::array::uniform3(any_number()),
        values in prop::collection::vec(any_number(), 0..14),
        [ground, azimuth, elevation, softness, fov, crease, band] in prop::array::uniform7(any_number()),
        (width, height) in (0..50_u32, 0..50_u32),
    ) {
        let mesh = TriMesh {
            positions: positions.into_iter().map(DVec3::from).collect(),
            triangles: triangles.into_iter().map(|t| t.map(VertexId)).collect(),
        };
        let uv: Vec<[f64; 2]> = values.iter().map(|v| [*v, v * 2.0]).collect();
        let stripes = Pattern::Stripes { width: band, colour: [f32::NAN, 2.0, -1.0] };
        let mut woven = Object::solid(&mesh, Material::fabric([0.5, f32::INFINITY, 0.1]).with_pattern(stripes));
        woven.uv = Some(&uv);
        woven.crease_deg = crease;
        woven.wireframe = true;
        let shown = VertexValues { values: &values, range: None, map: ColourMap::Strain, label: "x".into() };
        let coloured = Object::cloth(&mesh, Material::solid([0.5; 3])).with_values(shown);
        let mut scene = Scene::new(vec![woven, coloured]).on_ground(ground);
        scene.quality = Quality::Draft;
        scene.light = Light { azimuth_deg: azimuth, elevation_deg: elevation, softness_deg: softness };
        scene.backdrop = Backdrop::DARK;
        let cameras = [
            Camera::look_at(DVec3::from(eye), DVec3::ZERO, fov),
            Camera::framing(scene.bounds(), azimuth, elevation, fov),
        ];
        for camera in cameras {
            let image = render(&scene, &camera, width, height);
            prop_assert_eq!((image.width(), image.height()), (width.max(1), height.max(1)));
        }
    }
}
