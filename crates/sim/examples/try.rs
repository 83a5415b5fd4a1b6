use toile::{World, scene::Scene};
fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run)
}
fn run() {
    for path in std::env::args().skip(1) {
        let mut scene = Scene::load(&path).unwrap();
        if std::env::var("CH").is_ok() {
            scene.solver.method = toile::scene::Method::Chains;
        }
        if let Ok(i) = std::env::var("IT") {
            scene.solver.iterations = i.parse().unwrap();
        }
        if let Ok(i) = std::env::var("SM") {
            scene.solver.smoothing = i.parse().unwrap();
        }
        if let Ok(i) = std::env::var("SUB") {
            scene.time.substeps = i.parse().unwrap();
        }
        let mut world = World::new(&scene).unwrap();
        let start = std::time::Instant::now();
        let (mut bad, mut worst, mut stretch, mut sep, mut deep) = (0, 0, 0f64, 1f64, 0f64);
        let mut first = None;
        let mut t = 0.0;
        let mut subs = 0;
        let mut maxsub = 0;
        let mut solve = 0.;
        let mut phases = [0f64; 7];
        for _ in 0..scene.time.frames() {
            let r = world.advance();
            t += r.times.total();
            subs += r.substeps;
            maxsub = maxsub.max(r.substeps);
            for p in toile::Phase::ALL {
                phases[p as usize] += r.times.get(p);
            }
            solve += r.times.get(toile::Phase::Respond);
            stretch = stretch.max(r.largest_stretch);
            sep = sep.min(r.smallest_separation);
            deep = deep.max(r.deepest);
            let v = world.judge();
            if !v.is_clean() {
                bad += 1;
                worst = worst.max(v.total());
                if first.is_none() {
                    first = Some((v.frame, v.cloth, v.obstacles));
                }
            }
            if std::env::var("V").is_ok() {
                println!(
                    "{} n={} c={} tc={} pairs={} sep={:.3} st={:.3} deep={:.4} v={:.2} | {} {}",
                    r.frame,
                    r.substeps,
                    r.obstacle_contacts,
                    r.triangle_contacts,
                    r.near_pairs,
                    r.smallest_separation,
                    r.largest_stretch,
                    r.deepest,
                    r.top_speed,
                    v.cloth,
                    v.obstacles
                );
            }
        }
        println!("{:?}", phases);
        println!(
            "{path}: {:.2}s wall, sim {t:.2}s (respond {solve:.2}), x real {:.1}, bad frames {bad} worst {worst} first {first:?} stretch {stretch:.3} end {:.3} sep {sep:.3} deep {deep:.5} steps {subs} max {maxsub} hash {:x}",
            start.elapsed().as_secs_f64(),
            scene.time.duration / t,
            world.particle_strain().iter().fold(0f64, |a, b| a.max(*b)),
            world.hash()
        );
    }
}
