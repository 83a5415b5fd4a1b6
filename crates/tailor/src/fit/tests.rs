//! Tubes on cylinders and strips between clamps, for which everything is known.

use std::f64::consts::PI;

use proptest::prelude::*;
use toile_body::Measurements;
use toile_body::measure::{Landmarks, Plane, Wrist};
use toile_mesh::generate;

use super::*;

/// Segments around.
const AROUND: usize = 96;
/// Rows of triangles, and height of the tube [m].
const ROWS: usize = 8;
const HEIGHT: f64 = 0.2;

/// Landmarks of which only the waist, at 0, means anything.
fn landmarks() -> Landmarks {
    let (far, zero) = (DVec3::Y * 9.0, DVec3::ZERO);
    let plane = Plane { point: far, normal: DVec3::Y };
    Landmarks {
        floor: -1.0,
        crown: far,
        head: 9.0,
        neck: plane,
        nape: 9.0,
        neck_sides: [far; 2],
        shoulder_points: [far; 2],
        bust: 9.0,
        underbust: 9.0,
        waist: 0.001,
        hip: 9.0,
        crotch: zero,
        thigh: far,
        knee: far,
        calf: far,
        ankle: far,
        upper_arm: plane,
        elbow: far,
        wrist: Wrist { plane, point_on_outside: far },
    }
}

/// A tube of `worn` radius that was cut with radius `cut`, warp upwards.
fn tube(worn: f64, cut: f64) -> (TriMesh, Vec<[DVec2; 3]>, Vec<Vec<u32>>) {
    let mesh = generate::tube(worn, HEIGHT, [AROUND, ROWS]);
    let step = polygon(cut) / AROUND as f64;
    let flat = |t: &[VertexId; 3]| {
        let column = t.map(|v| v.index() % AROUND);
        // A triangle across the end of the row has columns 0 and 95; 0 is then 96.
        let wraps = column.contains(&(AROUND - 1)) && column.contains(&0);
        [0, 1, 2].map(|k| {
            let column = if wraps && column[k] == 0 { AROUND } else { column[k] };
            // Counter-clockwise around y is along decreasing z first: seen from outside, to the right.
            DVec2::new(mesh.position(t[k]).y, -(column as f64) * step)
        })
    };
    let cut = mesh.triangles.iter().map(flat).collect();
    let last = (ROWS * AROUND) as u32;
    let lower = (0..AROUND as u32).collect();
    let upper = (0..AROUND as u32).rev().map(|k| last + k).collect();
    (mesh, cut, vec![lower, upper])
}

/// Perimeter of the polygon in a circle.
fn polygon(radius: f64) -> f64 {
    2.0 * AROUND as f64 * radius * (PI / AROUND as f64).sin()
}

fn look(worn: f64, cut: f64, body: f64, fabric: &Fabric) -> Fit {
    let (mesh, flat, borders) = tube(worn, cut);
    let body = generate::cylinder(body, 1.0, AROUND);
    Fit::of(&FitInput {
        x: &mesh.positions,
        triangles: &mesh.triangles,
        cut: &flat,
        borders: &borders,
        fabric,
        fabrics: &[],
        body: &body,
        landmarks: &landmarks(),
        meant: Intention::Usual(GarmentKind::Other),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_tube_has_the_girth_it_was_cut_with_and_the_strain_it_needs(cut in 0.08..0.15_f64, over in 0.0..0.1_f64) {
        let worn = cut * (1.0 + over);
        let fit = look(worn, cut, worn - 0.001, &Fabric::default());
        prop_assert_eq!(fit.zones.len(), 1);
        let waist = &fit.zones[0];
        prop_assert!((waist.garment - polygon(cut)).abs() < 1e-9 && (waist.worn - polygon(worn)).abs() < 1e-9);
        prop_assert!((waist.body - polygon(worn - 0.001)).abs() < 1e-9);
        prop_assert!((waist.ease - (polygon(cut) - polygon(worn - 0.001))).abs() < 1e-9);
        prop_assert!((waist.stretch - over).abs() < 1e-9);
        // No contraction across: the tension is linear, E ε.
        prop_assert!((waist.tension - 5000.0 * over).abs() < 1e-3, "{}", waist.tension);
        for vertex in &fit.vertices {
            prop_assert!(vertex.strain[0].abs() < 1e-6 && (vertex.strain[1] - over).abs() < 1e-6);
            prop_assert!((vertex.equivalent - 5000.0 * over).abs() < 1e-2);
            prop_assert!((vertex.gap - 0.001 * (PI / AROUND as f64).cos()).abs() < 1e-5, "{}", vertex.gap);
        }
    }

    #[test]
    fn a_stretched_tube_presses_as_laplace_says(cut in 0.05..0.15_f64, over in 0.005..0.1_f64) {
        let worn = cut * (1.0 + over);
        let fit = look(worn, cut, worn - 0.001, &Fabric { bend_warp: 1e-9, bend_weft: 1e-9, bend_twist: 1e-9, ..Fabric::default() });
        let expected = 5000.0 * over / worn;
        // Away from the open ends, whose rows have half the neighbours.
        for v in 2 * AROUND..(ROWS - 1) * AROUND {
            prop_assert!((fit.vertices[v].pressure / expected - 1.0).abs() < 1e-3, "{} {expected}", fit.vertices[v].pressure);
        }
        prop_assert!((fit.zones[0].pressure / expected - 1.0).abs() < 1e-3);
    }
}

#[test]
fn a_tube_away_from_the_body_presses_on_nothing_and_shows_its_gap() {
    let fit = look(0.119, 0.119, 0.10, &Fabric::default());
    assert!(fit.vertices.iter().all(|v| v.pressure == 0.0 && (v.gap - 0.019).abs() < 1e-4));
    // Up to half more than the waist is usual for what nobody knows the kind of; beyond it is loose.
    let verdict = |radius: f64| look(radius, radius, 0.10, &Fabric::default()).zones[0].verdict;
    let expected = [Verdict::Good, Verdict::Good, Verdict::Loose, Verdict::TooLoose];
    assert_eq!([0.119, 0.149, 0.155, 0.17].map(verdict), expected);
}

#[test]
fn the_same_tube_is_too_tight_on_a_growing_body_and_later_in_a_knit() {
    let verdicts = |fabric: &Fabric| {
        let radii = [0.090, 0.0997, 0.101, 0.105, 0.12];
        radii.map(|body| look(f64::max(0.1, body + 0.001), 0.1, body, fabric).zones[0].verdict)
    };
    let woven = verdicts(&Fabric::default());
    assert_eq!(woven, [Verdict::Good, Verdict::Close, Verdict::Tight, Verdict::TooTight, Verdict::TooTight]);
    // Cloth that is felt only at 8 % may be cut smaller than the body; by a sixth is too much for it too.
    let knit = verdicts(&Fabric { stretch_warp: 500.0, stretch_weft: 500.0, ..Fabric::default() });
    assert_eq!(knit[..4], [Verdict::Good; 4]);
    let narrow = |fabric: &Fabric| look(0.151, 0.1, 0.15, fabric).zones[0].verdict;
    assert_eq!(narrow(&Fabric { stretch_warp: 500.0, stretch_weft: 500.0, ..Fabric::default() }), Verdict::TooTight);
}

/// A tube around a cylinder, cut for a cylinder: the ease is the difference of the circumferences, and so is what is meant.
#[test]
fn negative_ease_is_good_in_a_knit_if_it_is_meant_and_too_tight_in_woven_cloth() {
    let (cut, body) = (0.092, 0.1);
    let (mesh, flat, borders) = tube(body + 0.001, cut);
    let cylinder = generate::cylinder(body, 1.0, AROUND);
    let waist = |fabric: &Fabric, cut_for: f64| {
        let mut meant = Measurements::from_fn(|_| 1.0);
        meant[toile_body::Measurement::Waist] = polygon(cut_for);
        let fit = Fit::of(&FitInput {
            x: &mesh.positions,
            triangles: &mesh.triangles,
            cut: &flat,
            borders: &borders,
            fabric,
            fabrics: &[],
            body: &cylinder,
            landmarks: &landmarks(),
            meant: Intention::CutFor(&meant),
        });
        fit.zones[0].clone()
    };
    let jersey = Fabric { stretch_warp: 1960.0, stretch_weft: 1090.0, ..Fabric::default() };
    let zone = waist(&jersey, body);
    assert!((zone.ease - (polygon(cut) - polygon(body))).abs() < 1e-9 && zone.offset == 0.0 && !zone.is_open);
    assert!((zone.meant.range()[0] - zone.ease).abs() < 1e-9);
    assert_eq!(zone.verdict, Verdict::Good);
    // The same tube that was cut to lie on the body of its own girth is tight on this one.
    assert_eq!(waist(&jersey, cut).verdict, Verdict::Tight);
    assert_eq!(waist(&Fabric::default(), body).verdict, Verdict::TooTight);
}

/// A body has its girths whatever it wears.
#[test]
fn the_girth_of_the_body_is_the_same_for_every_garment() {
    let girth = look(0.12, 0.12, 0.10, &Fabric::default()).zones[0].body;
    for (worn, cut) in [(0.101, 0.09), (0.15, 0.15), (0.2, 0.18)] {
        assert_eq!(look(worn, cut, 0.10, &Fabric::default()).zones[0].body.to_bits(), girth.to_bits());
    }
    assert!((girth - polygon(0.10)).abs() < 1e-9);
}

/// A tube that is slit in front goes around from edge to edge; half a tube does not.
#[test]
fn an_open_tube_is_measured_from_edge_to_edge() {
    let (mesh, flat, _) = tube(0.12, 0.12);
    let body = generate::cylinder(0.10, 1.0, AROUND);
    let without = |opening: f64| {
        // The body looks along +z: what is removed lies around it.
        let is_kept = |t: &[VertexId; 3]| {
            let middle = t.iter().map(|v| mesh.position(*v)).sum::<DVec3>() / 3.0;
            middle.x.atan2(middle.z).abs() > 0.5 * opening
        };
        let kept: Vec<usize> = (0..mesh.triangles.len()).filter(|f| is_kept(&mesh.triangles[*f])).collect();
        let triangles: Vec<[VertexId; 3]> = kept.iter().map(|f| mesh.triangles[*f]).collect();
        let cut: Vec<[DVec2; 3]> = kept.iter().map(|f| flat[*f]).collect();
        let fit = Fit::of(&FitInput {
            x: &mesh.positions,
            triangles: &triangles,
            cut: &cut,
            borders: &[],
            fabric: &Fabric::default(),
            fabrics: &[],
            body: &body,
            landmarks: &landmarks(),
            meant: Intention::Usual(GarmentKind::Other),
        });
        fit.zones
    };
    let slit = without(0.4);
    assert_eq!((slit.len(), slit[0].is_open), (1, true));
    let expected = polygon(0.12) * (1.0 - 0.4 / std::f64::consts::TAU);
    assert!((slit[0].garment - expected).abs() < 0.01, "{} {expected}", slit[0].garment);
    assert!(without(3.2).is_empty());
}

/// The largest strain and pressure are told with the side and the height where they are.
#[test]
fn extremes_are_told_with_their_place() {
    let (mut mesh, flat, borders) = tube(0.12, 0.12);
    // Pulled out on the wearer's left.
    for p in mesh.positions.iter_mut().filter(|p| p.x > 0.118) {
        p.x += 0.01;
    }
    let body = generate::cylinder(0.10, 1.0, AROUND);
    let fit = Fit::of(&FitInput {
        x: &mesh.positions,
        triangles: &mesh.triangles,
        cut: &flat,
        borders: &borders,
        fabric: &Fabric::default(),
        fabrics: &[],
        body: &body,
        landmarks: &landmarks(),
        meant: Intention::Usual(GarmentKind::Other),
    });
    let most = fit.zones[0].most_stretch.unwrap();
    assert!(most.value > 0.1 && most.place.side == "left" && (most.place.height - 1.0).abs() < 0.01, "{most:?}");
    assert_eq!(fit.peak_place(Field::Strain).unwrap().side, "left");
}

/// Over the head or between the legs: the middle of a garment goes from front to back either way.
#[test]
fn a_hood_has_no_crotch() {
    // A strip of three squares in the plane of symmetry, bent like an arch: its ends are in front and behind.
    let arch = |up: f64| {
        let points = [[0.0, 0.2], [0.3, 0.1], [0.3, -0.1], [0.0, -0.2]];
        let row = |x: f64| points.map(|[y, z]| DVec3::new(x, up * y, z));
        let x: Vec<DVec3> = [row(-0.1), row(0.1)].concat();
        let (mut triangles, mut cut) = (Vec::new(), Vec::new());
        for k in 0..3_u32 {
            for t in [[k, k + 1, k + 4], [k + 1, k + 5, k + 4]] {
                triangles.push(t.map(VertexId));
                cut.push(t.map(|v| DVec2::new(f64::from(v % 4) * 0.3, f64::from(v / 4) * 0.2)));
            }
        }
        let fit = Fit::of(&FitInput {
            x: &x,
            triangles: &triangles,
            cut: &cut,
            borders: &[],
            fabric: &Fabric::default(),
            fabrics: &[],
            body: &generate::cylinder(0.01, 0.1, 12),
            landmarks: &landmarks(),
            meant: Intention::Usual(GarmentKind::Top),
        });
        fit.lengths.iter().map(|length| length.kind).collect::<Vec<_>>()
    };
    assert_eq!(arch(1.0), [LengthKind::OverHead]);
    assert_eq!(arch(-1.0), [LengthKind::Crotch]);
}

#[test]
fn what_was_meant_to_be_wide_is_not_too_wide() {
    let mut meant = Measurements::from_fn(|_| 1.0);
    let (mesh, flat, borders) = tube(0.15, 0.15);
    let body = generate::cylinder(0.10, 1.0, AROUND);
    let verdict = |meant: &Measurements| {
        let fit = Fit::of(&FitInput {
            x: &mesh.positions,
            triangles: &mesh.triangles,
            cut: &flat,
            borders: &borders,
            fabric: &Fabric::default(),
            fabrics: &[],
            body: &body,
            landmarks: &landmarks(),
            meant: Intention::CutFor(meant),
        });
        fit.zones[0].verdict
    };
    for (share, expected) in
        [(1.0, Verdict::Good), (1.1, Verdict::Loose), (1.2, Verdict::TooLoose), (0.9, Verdict::Good)]
    {
        meant[toile_body::Measurement::Waist] = share * polygon(0.10);
        assert_eq!(verdict(&meant), expected, "{share}");
    }
}

#[test]
fn the_hem_of_a_tube_is_its_lower_end() {
    let hem = look(0.12, 0.11, 0.10, &Fabric::default()).hem.unwrap();
    assert!((hem.height - (1.0 - 0.5 * HEIGHT)).abs() < 1e-12 && hem.folds == 0);
    assert!((hem.cut - polygon(0.11)).abs() < 1e-9 && (hem.worn - polygon(0.12)).abs() < 1e-9);
    assert!((hem.girth - hem.worn).abs() < 1e-9 && (hem.width - 0.24).abs() < 1e-9);
}

#[test]
fn front_and_back_are_as_long_as_the_tube_and_there_is_no_sleeve() {
    let fit = look(0.12, 0.12, 0.10, &Fabric::default());
    let kinds: Vec<LengthKind> = fit.lengths.iter().map(|length| length.kind).collect();
    assert_eq!(kinds, [LengthKind::CentreBack, LengthKind::CentreFront]);
    for length in &fit.lengths {
        assert!((length.worn - HEIGHT).abs() < 1e-9 && (length.cut.unwrap() - HEIGHT).abs() < 1e-9);
    }
}

/// The stress that is told is the force that the solver sees: pulled by its stress times its width, a strip is in balance.
#[test]
fn the_stress_of_a_strip_holds_its_ends() {
    let fabric =
        Fabric { poisson: 0.2, linearity_weft: 0.8, stretch_weft: 900.0, areal_density: 0.0, ..Fabric::default() };
    let (length, width, strain) = (0.3, 0.1, 0.07);
    let flat = generate::grid([length, width], [13, 5], generate::Diagonals::Same);
    // Pulled along the weft, which is x here; free to contract by ν21 across.
    let across = 1.0 - fabric.poisson * fabric.initial_stretch()[1] / fabric.initial_stretch()[0] * strain;
    let x: Vec<DVec3> = flat.positions.iter().map(|p| DVec3::new((1.0 + strain) * p.x, 0.0, across * p.z)).collect();
    let corners = flat.faces().map(|f| flat.corners(f).map(|p| DVec2::new(p.z, p.x))).collect::<Vec<_>>();
    let input = FitInput {
        x: &x,
        triangles: &flat.triangles,
        cut: &corners,
        borders: &[],
        fabric: &fabric,
        fabrics: &[],
        body: &TriMesh::default(),
        landmarks: &landmarks(),
        meant: Intention::Usual(GarmentKind::Other),
    };
    let fit = Fit::of(&input);
    let (reaction, _) = pressure::reactions(&input);
    let end: f64 = (0..x.len()).filter(|v| flat.positions[*v].x > 0.5 * length - 1e-9).map(|v| reaction[v].x).sum();
    let inside = fit.vertices.iter().find(|v| v.stress[1] > 0.0).unwrap();
    // Tension of the fabric: E ε + q ε³, with both from the secant stiffness and the linearity.
    let load = toile_cloth::fabric::REFERENCE_LOAD;
    let cubic = 2.0 * (1.0 - 0.8) * load / (load / 900.0_f64).powi(3);
    let expected = 0.6 * 900.0 * strain + cubic * strain.powi(3);
    assert!((inside.stress[1] / expected - 1.0).abs() < 1e-5, "{} {expected}", inside.stress[1]);
    assert!((end / (width * expected) - 1.0).abs() < 1e-5, "{end}");
    assert!(inside.stress[0].abs() < 1e-3 * expected && fit.zones.is_empty() && fit.hem.is_none());
}

#[test]
fn the_best_size_has_the_least_trouble() {
    let fabric = Fabric::default();
    let fits = [0.095, 0.105, 0.16].map(|cut| look(f64::max(cut, 0.101), cut, 0.1, &fabric));
    let trial = |size, fit| Trial { size, fit };
    let trials =
        [trial("XS", None), trial("S", Some(&fits[0])), trial("M", Some(&fits[1])), trial("L", Some(&fits[2]))];
    let best = recommend(&trials).unwrap();
    assert!(best.size == "M" && best.fits && best.reason.contains("neither"), "{best:?}");
    let least = recommend(&trials[..2]).unwrap();
    assert!(least.size == "S" && !least.fits && least.reason.contains("too tight at waist"), "{least:?}");
    assert_eq!(recommend(&trials[..1]), None);
}

/// Of sizes that are all within what is usual, the one in the middle of it is taken, whatever their order.
#[test]
fn the_best_of_good_sizes_is_in_the_middle_of_what_is_meant() {
    // A waist may have an ease from about 3 to 50 % of the girth.
    let fits = [0.104, 0.125, 0.148].map(|cut| look(cut, cut, 0.1, &Fabric::default()));
    for fit in &fits {
        assert!(fit.zones.iter().all(|zone| zone.meant.distance(zone.ease) == 0.0), "{:?}", fit.zones);
    }
    let names = ["S", "M", "L"];
    for order in [[0, 1, 2], [2, 1, 0]] {
        let trials = order.map(|k| Trial { size: names[k], fit: Some(&fits[k]) });
        assert_eq!(recommend(&trials).unwrap().size, "M");
    }
}
