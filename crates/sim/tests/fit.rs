//! The fit of garments that were really put on: numbers follow the body and the size.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use toile::garment::fit::{Field, Fit, FitInput, Verdict, Zone};
use toile::garment::{TryOn, Wearer, Worn};
use toile::scene::Body;
use toile_body::{Measurement, Measurements, complete, sizes};
use toile_garment::draft::{Choices, Design, draft};

fn wearer(name: &str) -> Wearer {
    Wearer::new(&Body { mannequin: name.to_owned(), triangles: Some(3_000), ..Body::default() }).unwrap()
}

fn measurements(size: &str) -> Measurements {
    let body = sizes::named(size).unwrap();
    complete(body.figure, &body.given)
}

fn look(worn: &Worn, wearer: &Wearer, cut_for: &Measurements) -> Fit {
    Fit::of(&FitInput {
        x: &worn.world.state().x,
        triangles: worn.world.triangles(),
        cut: &worn.garments[0].welded.flat,
        borders: &worn.garments[0].flat.sewn().borders,
        fabric: &worn.world.fabrics()[0],
        body: &wearer.mesh(),
        landmarks: &wearer.figuring.landmarks,
        cut_for: Some(cut_for),
    })
}

fn zone(fit: &Fit, measurement: Measurement) -> &Zone {
    fit.zones.iter().find(|zone| zone.measurement == measurement).unwrap()
}

#[test]
fn a_skirt_gets_tighter_from_body_to_body() {
    let cut_for = measurements("woman-38");
    let pattern =
        draft(Design::PencilSkirt, &cut_for, &Choices::new().with("length", 0.25).with("band_height", 0.0)).unwrap();
    let fits = ["woman-34", "woman-38", "woman-40"].map(|body| {
        let wearer = wearer(body);
        let mut wish = TryOn { most_time: 0.4, ..TryOn::new(pattern.clone(), wearer.clone()) };
        wish.garments[0].distance = 0.06;
        look(&wish.run(&mut |_| ()).unwrap(), &wearer, &cut_for)
    });
    for measurement in [Measurement::Waist, Measurement::Hip] {
        let zones = fits.each_ref().map(|fit| zone(fit, measurement));
        assert!(zones.windows(2).all(|pair| pair[0].body < pair[1].body && pair[0].ease > pair[1].ease));
        let strained = |k: usize| (zones[k].stretch, zones[k].tension, zones[k].pressure);
        assert!(strained(2).0 > strained(1).0 + 0.005 && strained(1).0 > strained(0).0 - 0.005, "{zones:?}");
        assert!(strained(2).1 > strained(1).1 && strained(2).2 > strained(1).2, "{zones:?}");
        // The cloth is the same, so its girth is nearly that of the pattern's level, whoever wears it.
        assert!((zones[0].garment / zones[2].garment - 1.0).abs() < 0.06, "{zones:?}");
        // On the body it was cut for it has the ease that was meant, within what a mannequin of few triangles is off.
        assert!((zones[1].ease - zones[1].intended.unwrap()).abs() < 0.01, "{zones:?}");
        let drafted = if measurement == Measurement::Waist { 0.02 } else { 0.04 };
        assert!((zones[1].ease - drafted).abs() < 0.015, "{zones:?}");
        assert!(zones[0].verdict > Verdict::Good, "{zones:?}");
    }
    let peaks = fits.each_ref().map(|fit| fit.peak(Field::Strain));
    assert!(peaks[2] > peaks[0], "{peaks:?}");
    // Nothing is inside the body.
    assert!(fits.iter().flat_map(|fit| fit.values(Field::Gap)).all(|gap| gap > -1e-9));
    // A skirt goes around both legs: it has no thigh, and no sleeve.
    assert!(fits.iter().all(|fit| fit.zones.iter().all(|zone| zone.measurement != Measurement::Thigh)));
}
