//! What the suite prints: the list, one line per scene, JSON.

use miette::Result;
use serde_json::{Value, json};

use super::limit::USUAL;
use super::scenes::{Expect, Torture};
use super::trial::{Outcome, Verdict};

/// Above the lines of a run.
pub(super) const HEAD: &str = "scene                   frames  deepest[mm]  crossings  stretch   guard  seconds  state";

/// A scene in the list.
pub(super) fn listed(torture: &Torture, as_json: bool) -> Result<String> {
    let scene = torture.scene(false)?;
    let expect = match torture.expect {
        Expect::Clean => "clean",
        Expect::Intersections => "intersections",
        Expect::Squeezed => "squeezed",
    };
    let frames = scene.time.frames();
    let [long, short] = [torture.limit(false)?, torture.limit(true)?];
    if as_json {
        let short_form = json!({
            "frames": torture.short.frames, "coarser": torture.short.coarser, "stretch_limit": short,
        });
        let listed = json!({
            "scene": torture.name, "description": scene.description, "frames": frames, "short": short_form,
            "stretch_limit": long, "expect": expect,
        });
        return Ok(listed.to_string());
    }
    let short_form = format!("short: {} frames, cells / {}", torture.short.frames, torture.short.coarser);
    let bounds = if long == short {
        format!("stretch ≤ {long:.3}")
    } else {
        format!("stretch ≤ {long:.3}, short ≤ {short:.3}")
    };
    let judged = match torture.expect {
        Expect::Clean => bounds,
        Expect::Intersections => "must intersect".to_owned(),
        Expect::Squeezed => format!("must be squeezed, then {bounds}, else ≤ {USUAL:.3}"),
    };
    Ok(format!("{:23} {}\n{:23} {frames} frames; {short_form}; {judged}", torture.name, scene.description, ""))
}

/// A scene that ran.
pub(super) fn line(torture: &Torture, outcome: &Outcome, verdict: &Verdict) -> String {
    let verdict = match verdict {
        Verdict::Pass => "PASS".to_owned(),
        Verdict::ExpectedFailure => "PASS, fails as expected".to_owned(),
        Verdict::Fail(reasons) => format!("FAIL: {}", reasons.join("; ")),
    };
    format!(
        "{:23} {:6} {:12.3} {:10} {:8.3} {:7} {:8.1}  {:016x}  {verdict}",
        torture.name,
        outcome.frames,
        1000.0 * outcome.penetration,
        outcome.intersections + outcome.inside,
        outcome.stretch,
        outcome.taken_back,
        outcome.seconds,
        outcome.hash,
    )
}

/// The same for programs.
pub(super) fn json(torture: &Torture, short: bool, limit: f64, outcome: &Outcome, verdict: &Verdict) -> Value {
    let (word, reasons) = match verdict {
        Verdict::Pass => ("pass", &[][..]),
        Verdict::ExpectedFailure => ("fails as expected", &[][..]),
        Verdict::Fail(reasons) => ("fail", reasons.as_slice()),
    };
    json!({
        "scene": torture.name,
        "short": short,
        "frames": outcome.frames,
        "penetration_mm": 1000.0 * outcome.penetration,
        "intersections": outcome.intersections,
        "inside": outcome.inside,
        "first_bad_frame": outcome.first_bad,
        "largest_stretch": outcome.stretch,
        "stretch_limit": limit,
        "largest_stretch_with_room": outcome.with_room.stretch,
        "most_squeezed": outcome.squeezed,
        "most_meeting": outcome.meeting,
        "flown_through": outcome.flown_through,
        "taken_back": outcome.taken_back,
        "seconds": outcome.seconds,
        "threads": outcome.threads,
        "state_hash": format!("{:016x}", outcome.hash),
        "verdict": word,
        "reasons": reasons,
    })
}
