//! `report.json`: what a run was and did, for programs.

use serde_json::{Value, json};
use toile::{Integration, Phase, ZoneCounts};
use toile_scene::{LoggedFrame, Run};

/// The judge's word on a whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Judgement {
    pub(crate) frames_judged: usize,
    pub(crate) frames_with_intersections: usize,
    pub(crate) intersections_total: usize,
    pub(crate) intersections_last: usize,
    pub(crate) particles_inside: usize,
    pub(crate) unjudged_triangles: usize,
    pub(crate) first_bad_frame: Option<u32>,
}

impl Judgement {
    pub(crate) fn of(log: &[LoggedFrame]) -> Self {
        let mut judgement = Self::default();
        for verdict in log.iter().filter_map(|f| f.verdict.as_ref()) {
            judgement.frames_judged += 1;
            judgement.intersections_total += verdict.total();
            judgement.unjudged_triangles += verdict.unjudged;
            judgement.particles_inside += verdict.inside;
            judgement.intersections_last = verdict.total();
            if !verdict.is_clean() {
                judgement.frames_with_intersections += 1;
                judgement.first_bad_frame.get_or_insert(verdict.frame);
            }
        }
        judgement
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.frames_with_intersections == 0
    }

    /// The last line of a run with intersections; `None` of a clean one.
    pub(crate) fn not_clean(&self) -> Option<String> {
        let first = self.first_bad_frame?;
        Some(format!(
            "NOT CLEAN: {} intersections in {} of {} frames, the first in frame {first}",
            self.intersections_total, self.frames_with_intersections, self.frames_judged
        ))
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "frames_judged": self.frames_judged,
            "frames_with_intersections": self.frames_with_intersections,
            "intersections_total": self.intersections_total,
            "intersections_last": self.intersections_last,
            "particles_inside": self.particles_inside,
            "unjudged_triangles": self.unjudged_triangles,
            "first_bad_frame": self.first_bad_frame,
        })
    }

    /// One sentence for people.
    pub(crate) fn sentence(&self) -> String {
        if self.frames_judged == 0 {
            "not judged (output.judge_every = 0)".into()
        } else if self.is_clean() {
            format!("no intersections in {} frames", self.frames_judged)
        } else {
            format!(
                "intersections in {} of {} frames, {} at the end",
                self.frames_with_intersections, self.frames_judged, self.intersections_last
            )
        }
    }
}

/// The longest edge relative to its rest length: in the worst frame, and in the last one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Stretch {
    pub(crate) worst: f64,
    /// The first frame that has it.
    pub(crate) worst_frame: u32,
    pub(crate) last: f64,
}

impl Stretch {
    /// Of a run; cloth of which no frame is known is as long as at rest.
    pub(crate) fn of(log: &[LoggedFrame]) -> Self {
        let mut stretch = Self { worst: 1.0, worst_frame: 0, last: 1.0 };
        for (k, report) in log.iter().map(|f| &f.report).enumerate() {
            if k == 0 || report.largest_stretch > stretch.worst {
                stretch.worst = report.largest_stretch;
                stretch.worst_frame = report.frame;
            }
            stretch.last = report.largest_stretch;
        }
        stretch
    }

    /// One phrase for people.
    pub(crate) fn phrase(&self) -> String {
        format!("stretch at most {:.1} % (frame {})", percent(self.worst), self.worst_frame)
    }
}

/// How much longer than at rest [%].
pub(crate) fn percent(stretch: f64) -> f64 {
    100.0 * (stretch - 1.0)
}

/// What the response to contacts and the guard did in all frames together.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Contacts {
    /// Most particles on exact obstacles, and most touching pairs, in any frame.
    pub(crate) on_obstacles: usize,
    pub(crate) touching: usize,
    pub(crate) taken_back: usize,
    pub(crate) halved: usize,
    pub(crate) searches: u32,
    pub(crate) zones: Option<ZoneCounts>,
    /// Most particles squeezed between obstacles in any frame.
    pub(crate) squeezed: usize,
    pub(crate) meeting: usize,
    /// First frame in which something was squeezed or left meeting.
    pub(crate) first_over_constrained: Option<u32>,
}

impl Contacts {
    pub(crate) fn of(log: &[LoggedFrame]) -> Self {
        let mut sum = Self::default();
        for report in log.iter().map(|f| &f.report) {
            sum.on_obstacles = sum.on_obstacles.max(report.obstacle_contacts);
            sum.touching = sum.touching.max(report.touching);
            sum.taken_back += report.taken_back;
            sum.halved += report.halved;
            sum.searches += report.searches;
            sum.squeezed = sum.squeezed.max(report.squeezed);
            sum.meeting += report.meeting;
            if let Some(zones) = report.zones {
                *sum.zones.get_or_insert_default() += zones;
            }
            if report.squeezed + report.meeting > 0 {
                sum.first_over_constrained.get_or_insert(report.frame);
            }
        }
        sum
    }

    /// Where cloth had no room, in words; `None` if it always had.
    pub(crate) fn over_constrained(&self) -> Option<String> {
        let frame = self.first_over_constrained?;
        let squeezed = format!("up to {} particles squeezed between obstacles", self.squeezed);
        let meeting = format!("{} pairs left meeting", self.meeting);
        let words = match (self.squeezed, self.meeting) {
            (_, 0) => squeezed,
            (0, _) => meeting,
            _ => format!("{squeezed}, {meeting}"),
        };
        Some(format!("over-constrained from frame {frame} on: {words}"))
    }

    fn json(&self, response: &Value) -> Value {
        json!({
            "response": response,
            "most_on_obstacles": self.on_obstacles,
            "most_touching": self.touching,
            "vertices_taken_back": self.taken_back,
            "steps_halved": self.halved,
            "searches": self.searches,
            "zones": self.zones,
            "most_squeezed": self.squeezed,
            "pairs_left_meeting": self.meeting,
            "first_over_constrained_frame": self.first_over_constrained,
        })
    }
}

/// Wall-clock seconds of the whole log [s].
pub(crate) fn seconds(log: &[LoggedFrame]) -> f64 {
    log.iter().map(|f| f.report.times.total()).sum()
}

/// What the integration of the physical model did in all frames together; `None` without it.
pub(crate) fn integration(log: &[LoggedFrame]) -> Option<Integration> {
    log.iter().filter_map(|f| f.report.integration).reduce(|a, b| Integration {
        parts: a.parts + b.parts,
        failed: a.failed + b.failed,
        unconverged: a.unconverged + b.unconverged,
        newton_iterations: a.newton_iterations + b.newton_iterations,
        linear_iterations: a.linear_iterations + b.linear_iterations,
        residual: a.residual.max(b.residual),
        largest_thread_strain: a.largest_thread_strain.max(b.largest_thread_strain),
    })
}

/// The content of `report.json`.
pub(crate) fn json(run: &Run, threads: usize) -> Value {
    let log = run.log();
    let world = run.world();
    let contacts = Contacts::of(log);
    let stretch = Stretch::of(log);
    let phases: serde_json::Map<String, Value> = Phase::ALL
        .iter()
        .map(|p| (p.name().to_owned(), json!(log.iter().map(|f| f.report.times.get(*p)).sum::<f64>())))
        .collect();
    json!({
        "scene": run.scene().name,
        "toile_version": env!("CARGO_PKG_VERSION"),
        "frames": log.len(),
        "frame_rate": run.scene().time.frame_rate,
        "simulated_seconds": world.time(),
        "particles": world.model().particle_count(),
        "triangles": world.triangles().len(),
        "state_hash": format!("{:016x}", world.hash()),
        "judge": Judgement::of(log).json(),
        "largest_stretch": stretch.worst,
        "largest_stretch_frame": stretch.worst_frame,
        "final_stretch": stretch.last,
        "smallest_separation": log.iter().map(|f| f.report.smallest_separation).fold(1.0, f64::min),
        "mesh_obstacles": world.mesh_obstacles().len(),
        "vertices_taken_back": contacts.taken_back,
        "pairs_left_meeting": contacts.meeting,
        "contacts": contacts.json(&json!(run.scene().contact.response)),
        "integration": integration(log),
        "steps": log.iter().map(|f| f.report.substeps).sum::<u32>(),
        "final_top_speed": log.last().map(|f| f.report.top_speed),
        "threads": threads,
        "compute_seconds": seconds(log),
        "seconds_per_phase": phases,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile::{FrameReport, FrameVerdict};

    fn frame(frame: u32, cloth: usize) -> LoggedFrame {
        let verdict = Some(FrameVerdict { frame, cloth, ..FrameVerdict::default() });
        LoggedFrame { report: FrameReport::default(), verdict }
    }

    #[test]
    fn the_worst_frame_counts_not_the_last() {
        let frame = |frame, largest_stretch| LoggedFrame {
            report: FrameReport { frame, largest_stretch, ..FrameReport::default() },
            verdict: None,
        };
        let stretch = Stretch::of(&[frame(0, 1.0), frame(1, 1.124), frame(2, 1.124), frame(3, 1.02)]);
        assert_eq!(stretch, Stretch { worst: 1.124, worst_frame: 1, last: 1.02 });
        assert_eq!(stretch.phrase(), "stretch at most 12.4 % (frame 1)");
        // Cloth that is shorter than at rest in all frames.
        assert_eq!(Stretch::of(&[frame(0, 0.97), frame(1, 0.98)]).worst, 0.98);
        assert_eq!(Stretch::of(&[]).worst, 1.0);
    }

    #[test]
    fn over_constrained_cloth_is_told_with_its_first_frame() {
        let frame = |frame, squeezed, meeting| LoggedFrame {
            report: FrameReport { frame, squeezed, meeting, taken_back: 2, ..FrameReport::default() },
            verdict: None,
        };
        let contacts = Contacts::of(&[frame(1, 0, 0), frame(2, 3, 0), frame(3, 1, 0)]);
        assert_eq!(contacts.taken_back, 6);
        let words = contacts.over_constrained().unwrap();
        assert_eq!(words, "over-constrained from frame 2 on: up to 3 particles squeezed between obstacles");
        let words = Contacts::of(&[frame(1, 0, 4)]).over_constrained().unwrap();
        assert_eq!(words, "over-constrained from frame 1 on: 4 pairs left meeting");
        assert_eq!(Contacts::of(&[frame(1, 0, 0)]).over_constrained(), None);
    }

    #[test]
    fn zones_of_all_frames_are_added() {
        let zones = ZoneCounts { zones: 2, clusters: [3, 1], ..ZoneCounts::default() };
        let report = FrameReport { zones: Some(zones), ..FrameReport::default() };
        let frame = LoggedFrame { report, verdict: None };
        let sum = Contacts::of(&[frame.clone(), frame]).zones.unwrap();
        assert_eq!((sum.zones, sum.clusters), (4, [6, 2]));
    }

    #[test]
    fn the_judgement_counts_frames_and_pairs() {
        let judgement = Judgement::of(&[frame(0, 0), frame(1, 3), frame(2, 1)]);
        assert!(!judgement.is_clean());
        assert_eq!((judgement.frames_judged, judgement.intersections_total), (3, 4));
        assert_eq!((judgement.first_bad_frame, judgement.intersections_last), (Some(1), 1));
        assert_eq!(judgement.sentence(), "intersections in 2 of 3 frames, 1 at the end");
        let last = judgement.not_clean().unwrap();
        assert_eq!(last, "NOT CLEAN: 4 intersections in 2 of 3 frames, the first in frame 1");
        assert_eq!(Judgement::of(&[frame(0, 0)]).not_clean(), None);
        assert_eq!(Judgement::of(&[frame(0, 0)]).sentence(), "no intersections in 1 frames");
        assert_eq!(Judgement::of(&[]).sentence(), "not judged (output.judge_every = 0)");
    }
}
