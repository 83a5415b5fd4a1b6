//! Drafts a skirt for a mannequin and puts it on: `cargo run --release -p toile --example try_on`.

#![allow(clippy::print_stdout, reason = "an example speaks through its terminal")]

use std::ops::ControlFlow;

use toile_body::{Specification, sizes};
use toile_garment::draft::{Choices, Design, draft};
use toile_tailor::fit::{Fit, FitInput, Intention};
use toile_tailor::{Garment, TryOn, Wearer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let size = sizes::named("woman-38").ok_or("no such size")?;
    let wearer = Wearer::mannequin("eve", &Specification { triangles: 4000, ..size })?;
    let pattern = draft(Design::ALineSkirt, &wearer.figuring.measurements, &Choices::new())?;
    let wool = toile_scene::fabric::find("wool-suiting")?.fabric;
    let skirt = Garment { distance: 0.05, ..Garment::new(pattern, wool) };
    let wish = TryOn { most_time: 0.5, ..TryOn::new(skirt, wearer) };

    // Every long call can be broken off between two frames.
    let mut frames = 0;
    let worn = wish.run(&mut |progress| {
        frames += 1;
        if frames % 30 == 0 {
            println!("{:?} for {:.2} s, {:.1} mm left", progress.stage, progress.time, 1e3 * progress.left);
        }
        if frames < 2000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    println!("sewn with {} stitches, {} intersections", worn.report.stitches, worn.report.verdict.total());

    let garment = &worn.garments[0];
    let fit = Fit::of(&FitInput {
        x: &garment.x,
        triangles: &garment.welded.mesh.triangles,
        cut: &garment.welded.flat,
        borders: &garment.flat.sewn().borders,
        fabric: &garment.asked.fabric,
        fabrics: &[],
        body: &wish.wearer.mesh,
        landmarks: &wish.wearer.figuring.landmarks,
        meant: Intention::CutFor(&wish.wearer.figuring.measurements),
    });
    for zone in &fit.zones {
        println!("{:8} body {:.1} cm, garment {:.1} cm", zone.name(), 100.0 * zone.body, 100.0 * zone.garment);
    }
    Ok(())
}
