//! Drafting by trial: draw, measure, correct, until the tape reads what was asked for.
//!
//! Each measurement has its own number in the design: a girth scales the sections at its level, a length moves its
//! landmark. With the wanted value `w` and the value `r` the tape reads, a girth's number is multiplied by `w / r`, a
//! length's grows by `w − r`. Sections of neighbouring levels influence each other a little, so this is a fixed-point
//! iteration with a contraction of about a fifth: four to eight rounds reach a tenth of a millimetre. It begins on a
//! coarse net, where a round is cheap, and ends on the net that was asked for.

use toile_mesh::judge;

use super::Mannequin;
use super::form::{Design, Form};
use super::template::{Density, Half};
use super::whole::whole;
use crate::Specification;
use crate::measure;
use crate::measurement::{Kind, Measurement, Measurements};
use crate::rules::{self, Amount, Refusal};

/// Error at which the fit is content [m; rad].
const CONTENT: f64 = 2e-4;

/// Error above which a body is refused [m; rad]: half of what is promised.
const TOLERABLE: f64 = 1e-3;

/// Rounds at most on the coarse and on the wanted net.
const MOST_ROUNDS: [usize; 2] = [30, 12];

/// Triangles of the coarse net.
const COARSE: usize = 6_000;

/// Largest correction of a girth in one round, as a factor.
const BOLDEST: f64 = 1.4;

/// Drafts a body to a specification.
///
/// The mesh is closed, manifold, without self-intersections (the exact judge of `toile-mesh` has looked at it), and
/// every measurement taken on it is within a millimetre of what was given. A specification that cannot be met is refused.
pub fn draft(specification: &Specification) -> Result<Mannequin, Refusal> {
    let wanted = rules::check(specification)?;
    let mut drawn = wanted;
    if specification.triangles > COARSE {
        drawn = fit(specification, &wanted, drawn, Density::for_triangles(COARSE), MOST_ROUNDS[0]).1;
    }
    let rounds = if specification.triangles > COARSE { MOST_ROUNDS[1] } else { MOST_ROUNDS[0] };
    let density = Density::for_triangles(specification.triangles);
    let (body, _) = fit(specification, &wanted, drawn, density, rounds);
    refuse_misfit(&body)?;
    refuse_touching(&body)?;
    Ok(body)
}

/// Draws until the tape is content or the rounds are over; returns the last body and what it was drawn from.
fn fit(
    specification: &Specification,
    wanted: &Measurements,
    mut drawn: Measurements,
    density: Density,
    rounds: usize,
) -> (Mannequin, Measurements) {
    let mut round = 0;
    loop {
        let form = Form::new(&Design::new(specification, *wanted, drawn));
        let body = whole(&Half::lay(&form, density), &form, *wanted);
        let read = measure::read(&body.mesh, &body.landmarks);
        round += 1;
        let worst = wanted.iter().map(|(m, w)| (w - read[m]).abs()).fold(0.0, f64::max);
        // Written so that a NaN ends the search as well.
        if worst <= CONTENT || round >= rounds || !worst.is_finite() {
            return (body, drawn);
        }
        for (m, w) in wanted.iter() {
            match m.kind() {
                Kind::Girth => drawn[m] *= (w / read[m].max(CONTENT)).clamp(1.0 / BOLDEST, BOLDEST),
                Kind::Length | Kind::Angle => drawn[m] += w - read[m],
            }
        }
    }
}

fn refuse_misfit(body: &Mannequin) -> Result<(), Refusal> {
    let read = measure::read(&body.mesh, &body.landmarks);
    let error = |m: Measurement| (body.measurements[m] - read[m]).abs();
    let misfit = Measurement::ALL.into_iter().find(|&m| error(m) > TOLERABLE || error(m).is_nan());
    let Some(m) = misfit else { return Ok(()) };
    let message = format!(
        "no body was found with {} {}: the nearest has {}",
        m.iso_name(),
        Amount(m, body.measurements[m]),
        Amount(m, read[m])
    );
    Err(Refusal {
        key: m.key(),
        message,
        help: "its neighbours leave it no room; give values nearer to each other".into(),
    })
}

fn refuse_touching(body: &Mannequin) -> Result<(), Refusal> {
    let verdict = judge::self_intersections(&body.mesh);
    let Some(pair) = verdict.pairs.first() else { return Ok(()) };
    let [place, ..] = body.mesh.corners(pair.a);
    let message = format!(
        "the body would touch itself: {} pairs of triangles, the first {:.0} cm above the floor",
        verdict.count(),
        100.0 * place.y
    );
    Err(Refusal { key: "arm_angle_deg", message, help: "raise the arms, or check the girths at that height".into() })
}
