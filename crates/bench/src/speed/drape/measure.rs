//! One case, stepped, timed and judged.

use cpu_time::ProcessTime;
use miette::{IntoDiagnostic, Result, WrapErr};
use serde_json::{Map, Value, json};
use toile::{FrameReport, Phase, PhaseTimes, World};

use super::scenes::{Case, FRAME_RATE};
use crate::speed::cloth::swing::Stretch;
use crate::speed::round;

/// Sums and extremes over the frames.
#[derive(Default)]
struct Course {
    frames: u32,
    judged: u32,
    /// CPU time of the process in steps [s].
    cpu: f64,
    times: PhaseTimes,
    worst_stretch: f64,
    worst_thread_strain: f64,
    /// Intersections with cloth and with obstacles, particles inside obstacles, triangles that cannot be judged.
    found: [usize; 4],
    /// The first frame with any of these.
    first_bad: Option<u32>,
    taken_back: usize,
    searches: u64,
}

impl Course {
    fn step(&mut self, world: &mut World) -> FrameReport {
        let clock = ProcessTime::now();
        let report = world.advance();
        self.cpu += clock.elapsed().as_secs_f64();
        self.frames += 1;
        self.times += report.times;
        self.worst_stretch = self.worst_stretch.max(stretch(world).largest);
        let strain = report.integration.map_or(0.0, |integration| integration.largest_thread_strain);
        self.worst_thread_strain = self.worst_thread_strain.max(strain);
        self.taken_back += report.taken_back;
        self.searches += u64::from(report.searches);
        report
    }

    fn judge(&mut self, world: &World) {
        let verdict = world.judge();
        self.judged += 1;
        if !verdict.is_clean() {
            self.first_bad.get_or_insert(verdict.frame);
        }
        let found = [verdict.cloth, verdict.obstacles, verdict.inside, verdict.unjudged];
        self.found.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
    }
}

fn stretch(world: &World) -> Stretch {
    Stretch::of(&world.model().structural, &world.state().x)
}

/// Simulates a case, or its first `seconds` [s], and lets the judge look at every so many frames. A run that breaks ends
/// early and says so.
pub(super) fn measure(case: Case, seconds: Option<f64>, judge_every: u32) -> Result<Value> {
    let scene = case.scene(seconds)?;
    let mut world = scene.world().into_diagnostic().wrap_err_with(|| format!("cannot build {}", case.name()))?;
    let (mut course, mut last) = (Course::default(), FrameReport::default());
    let mut stopped = None;
    for _ in 0..scene.time.frames() {
        last = course.step(&mut world);
        if last.non_finite > 0 {
            stopped = Some(format!("{} particles are not finite in frame {}", last.non_finite, last.frame));
        } else if let Some(failure) = world.failure() {
            stopped = Some(failure.to_string());
        }
        if judge_every > 0 && last.frame.is_multiple_of(judge_every) {
            course.judge(&world);
        }
        if stopped.is_some() {
            break;
        }
    }
    let share = |p: &Phase| (p.name().to_owned(), json!(round(course.times.get(*p) / course.times.total())));
    let simulated = f64::from(course.frames) / FRAME_RATE;
    let (cpu, end) = (course.cpu / simulated, stretch(&world));
    let [cloth, obstacles, inside, unjudged] = course.found;
    let strain = |strain: f64| last.integration.map(|_| round(strain));
    Ok(json!({
        "bench": "drape", "scene": case.scene.name(), "size": case.size, "fineness": case.fineness(),
        "model": case.model.name(), "substeps": case.substeps(), "particles": world.model().particle_count(),
        "threads": rayon::current_num_threads(), "simulated_seconds": round(simulated), "stopped": stopped,
        "cpu_seconds_per_second": round(cpu), "wall_seconds_per_second": round(course.times.total() / simulated),
        "aim": case.aim(), "over_aim": case.aim().map(|aim| round(cpu / aim)),
        "share_per_phase": Phase::ALL.iter().map(share).collect::<Map<_, _>>(),
        "mean_stretch_at_end": round(end.mean), "largest_stretch_at_end": round(end.largest),
        "largest_stretch": round(course.worst_stretch),
        "thread_strain_at_end": strain(last.integration.map_or(0.0, |i| i.largest_thread_strain)),
        "largest_thread_strain": strain(course.worst_thread_strain),
        "judged_frames": course.judged, "cloth_intersections": cloth, "obstacle_intersections": obstacles,
        "inside_obstacles": inside, "unjudged": unjudged, "first_bad_frame": course.first_bad,
        "taken_back": course.taken_back, "searches_per_frame": round(course.searches as f64 / f64::from(course.frames)),
        "top_speed_at_end": round(last.top_speed),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speed::drape::scenes::{ClothKind, DrapeScene};

    #[test]
    fn a_tiny_drape_is_timed_and_judged() {
        for model in [ClothKind::Constraint, ClothKind::Fem] {
            let case = Case { scene: DrapeScene::S1, size: 10, model };
            let line = measure(case, Some(0.2), 3).unwrap();
            assert_eq!(
                (&line["judged_frames"], &line["particles"], &line["stopped"]),
                (&json!(4), &json!(100), &Value::Null)
            );
            // What has fallen 0.05 m moves at about a metre per second; a cloth across a ball is under tension.
            let number = |key: &str| line[key].as_f64().unwrap_or(f64::NAN);
            assert!(number("top_speed_at_end") > 0.5 && number("top_speed_at_end") < 3.0, "{line}");
            assert!(number("largest_stretch") > 0.0 && number("largest_stretch") >= number("largest_stretch_at_end"));
            assert!(number("mean_stretch_at_end") <= number("largest_stretch_at_end"), "{line}");
            assert_eq!(line["largest_thread_strain"].is_null(), model == ClothKind::Constraint);
            assert!(number("searches_per_frame") > 0.0 && line["cloth_intersections"] == 0, "{line}");
            let shares = Phase::ALL.iter().filter_map(|p| line["share_per_phase"][p.name()].as_f64()).sum::<f64>();
            assert!((shares - 1.0).abs() < 0.01, "{line}");
        }
    }

    #[test]
    fn without_a_judge_nothing_is_judged() {
        let case = Case { scene: DrapeScene::S3, size: 1, model: ClothKind::Constraint };
        assert_eq!(measure(case, Some(0.05), 0).unwrap()["judged_frames"], 0);
    }
}
