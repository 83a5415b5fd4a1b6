//! [`recommend`]: which of several sizes to take.
//!
//! The size with the least sum of [penalties](Verdict::penalty) over its zones wins, as mean over the zones; among equals the one whose
//! ease is nearest to what was meant. Where a range is meant, and several sizes lie inside, the one nearest to its middle wins.

use serde::Serialize;

use super::verdict::Verdict;
use super::{Fit, Zone};

/// A size that was tried on.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// Its name.
    pub size: &'a str,
    /// How it sits; `None` if it could not be put on.
    pub fit: Option<&'a Fit>,
}

/// Which size to take, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recommendation {
    /// The size.
    pub size: String,
    /// Why.
    pub reason: String,
    /// Whether nothing about it is too tight or too loose.
    pub fits: bool,
}

/// The best of several sizes; `None` if none could be put on.
pub fn recommend(trials: &[Trial<'_>]) -> Option<Recommendation> {
    let worn = trials.iter().filter_map(|trial| Some((trial.size, trial.fit?)));
    let (size, fit) =
        worn.min_by(|(_, a), (_, b)| merit(a).partial_cmp(&merit(b)).unwrap_or(std::cmp::Ordering::Equal))?;
    let of =
        |verdict: Verdict| fit.zones.iter().filter(|zone| zone.verdict == verdict).map(Zone::name).collect::<Vec<_>>();
    let complaints = [Verdict::TooTight, Verdict::Tight, Verdict::Loose, Verdict::TooLoose].map(|v| (v, of(v)));
    let words: Vec<String> = complaints
        .iter()
        .filter(|(_, zones)| !zones.is_empty())
        .map(|(verdict, zones)| format!("{} at {}", verdict.word(), zones.join(", ")))
        .collect();
    let reason = if words.is_empty() {
        "neither tight nor loose anywhere".to_owned()
    } else {
        format!("the least trouble of those tried: {}", words.join("; "))
    };
    let fits = fit.zones.iter().all(|zone| !matches!(zone.verdict, Verdict::TooTight | Verdict::TooLoose));
    Some(Recommendation { size: size.to_owned(), reason, fits })
}

/// Mean penalty, then mean distance from the intended ease, then from the middle of it: less is better.
fn merit(fit: &Fit) -> [f64; 3] {
    let mean = |of: &dyn Fn(&Zone) -> f64| fit.zones.iter().map(of).sum::<f64>() / fit.zones.len().max(1) as f64;
    [
        mean(&|zone| f64::from(zone.verdict.penalty())),
        mean(&|zone| zone.meant.distance(zone.ease) / zone.body),
        mean(&|zone| zone.meant.off_middle(zone.ease)),
    ]
}
