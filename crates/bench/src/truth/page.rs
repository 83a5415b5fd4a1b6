//! Experiments in words: lines for the terminal, JSON, and the page.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Experiment, Limit, Outcome};

/// Above the lines.
pub(super) const HEAD: &str =
    "experiment                                          reference     default   converged      error  limit";

/// One experiment before it is measured.
pub(super) fn listed(experiment: &Experiment) -> String {
    let Experiment { name, reference, unit, source, .. } = experiment;
    let long = if experiment.is_long { " (long)" } else { "" };
    format!("{name}{long}: {} {unit} by {source}, {}", number(*reference), limit(experiment))
}

/// One experiment as a line of the terminal.
pub(super) fn line(experiment: &Experiment, outcome: &Outcome) -> String {
    let verdict = if experiment.holds(outcome) { "" } else { "  BEYOND ITS LIMIT" };
    format!(
        "{:<48} {:>12} {:>11} {:>11} {:>10}  {}{verdict}",
        experiment.name,
        format!("{} {}", number(experiment.reference), experiment.unit),
        number(outcome.by_default),
        outcome.converged.map_or_else(|| "–".to_owned(), number),
        error(experiment, outcome.by_default),
        limit(experiment),
    )
}

/// One experiment as JSON.
pub(super) fn json(experiment: &Experiment, outcome: &Outcome) -> Value {
    json!({
        "experiment": experiment.name,
        "group": experiment.group,
        "unit": experiment.unit,
        "reference": experiment.reference,
        "default": outcome.by_default,
        "converged": outcome.converged,
        "holds": experiment.holds(outcome),
    })
}

/// The page of all experiments.
pub(super) fn page(experiments: &[Experiment], outcomes: &[Outcome]) -> String {
    let mut text = "# Truth: scenes at default settings beside physics\n\n\
        `toile truth --long --page docs/truth.md --overwrite` writes this page. Each row is a scene with default settings, except for the integrator if the row names one, measured\n\
        beside a reference that the solver knows nothing of. *Converged* is the same scene with every step solved to the end.\n"
        .to_owned();
    let mut group = "";
    for (experiment, outcome) in experiments.iter().zip(outcomes) {
        if experiment.group != group {
            group = experiment.group;
            let _ = write!(
                text,
                "\n## {group}\n\n| experiment | reference | by | default | converged | error | limit |\n|---|---|---|---|---|---|---|\n"
            );
        }
        let mark = if experiment.holds(outcome) { "" } else { " **missed**" };
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {} | {} | {} | {}{mark} |",
            experiment.name,
            number(experiment.reference),
            experiment.unit,
            experiment.source,
            number(outcome.by_default),
            outcome.converged.map_or_else(|| "–".to_owned(), number),
            error(experiment, outcome.by_default),
            limit(experiment),
        );
    }
    text
}

/// Four significant digits, without needless zeros.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn error(experiment: &Experiment, value: f64) -> String {
    let (by, reference) = (value - experiment.reference, experiment.reference);
    match experiment.limit {
        Limit::Share(_) if reference != 0.0 => format!("{:+.1} %", 100.0 * by / reference.abs()),
        _ => format!("{}{}", if by > 0.0 { "+" } else { "" }, number(by)),
    }
}

fn limit(experiment: &Experiment) -> String {
    let unit = experiment.unit;
    match experiment.limit {
        Limit::Within(most) => format!("± {} {unit}", number(most)),
        Limit::Share(most) => format!("± {} %", number(100.0 * most)),
        Limit::AtLeast(least) => format!("≥ {} {unit}", number(least)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_no_tail() {
        assert_eq!([0.0, 0.05, 2.0, 147.26, 12_345.6].map(number), ["0", "0.05", "2", "147.3", "12346"]);
    }
}
