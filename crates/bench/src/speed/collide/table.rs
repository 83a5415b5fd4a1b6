//! The table, printed as its rows become known, and the same as JSON lines.

use serde_json::{Map, Value, json};

use super::contest::{Bound, Column, Contender, Outcome};
use crate::Program;
use crate::speed::round;

/// What is printed, and who prints it.
#[derive(Clone, Copy)]
pub(super) enum Print<'a> {
    Table(&'a dyn Program),
    Json(&'a dyn Program),
    Nothing,
}

pub(super) struct Table<'a> {
    print: Print<'a>,
    scene: &'static str,
    lines: Vec<Value>,
}

impl<'a> Table<'a> {
    pub(super) fn new(print: Print<'a>) -> Self {
        Self { print, scene: "", lines: Vec::new() }
    }

    /// JSON lines of all rows.
    pub(super) fn finish(self) -> Vec<Value> {
        self.lines
    }

    /// Starts the rows of a scene.
    pub(super) fn scene(&mut self, scene: &'static str, about: &str) {
        self.scene = scene;
        if let Print::Table(program) = self.print {
            let start = if self.lines.is_empty() { "" } else { "\n" };
            program.say(&format!("{start}{scene}: {about}"));
            program.say(&cells(
                "",
                "against",
                ["HU ms", "CT ms", "total ms", "pairs"].map(String::from),
                ["HU ×", "CT ×", "total ×", "pairs ×"].map(String::from),
                "paper: HU CT total",
                "",
            ));
        }
    }

    /// Rows for contenders; `note` may add something to the row of the contender with that number.
    pub(super) fn rows(
        &mut self,
        contenders: &[Contender<'_>],
        outcomes: &[Outcome],
        note: impl Fn(usize) -> Option<String>,
    ) {
        for (i, (contender, outcome)) in contenders.iter().zip(outcomes).enumerate() {
            let against = contender.against.map_or("", |base| &contenders[base].name);
            let mut notes: Vec<String> = goals(contender, outcome).iter().map(ToString::to_string).collect();
            notes.extend(note(i));
            if let (false, Some(base)) = (outcome.same_found, contender.against) {
                notes.push(format!("finds {} instead of {}", outcome.cost.found, outcomes[base].cost.found));
            }
            if contender.against.is_none() {
                notes.push(shares(outcome));
            }
            let notes = notes.join("; ");
            let line = self.line(contender, outcome, against, &notes);
            match self.print {
                Print::Table(program) => program.say(&text(contender, outcome, against, &notes)),
                Print::Json(program) => program.say(&line),
                Print::Nothing => {}
            }
            self.lines.push(line);
        }
    }

    fn line(&self, contender: &Contender<'_>, outcome: &Outcome, against: &str, note: &str) -> Value {
        let cost = &outcome.cost;
        let named = |values: &[Option<f64>]| -> Map<String, Value> {
            let known = Column::ALL.iter().zip(values).filter_map(|(c, v)| Some((*c, (*v)?)));
            known.map(|(c, v)| (c.name().to_owned(), json!(round(v)))).collect()
        };
        let goals: Vec<Value> = goals(contender, outcome)
            .iter()
            .map(|g| json!({ "of": g.column.name(), "is": round(g.value), "goal": g.bound_text(), "met": g.is_met() }))
            .collect();
        json!({
            "bench": "collide", "scene": self.scene, "variant": contender.name, "against": against,
            "hierarchy_update_ms": round(1e3 * cost.update), "collision_test_ms": round(1e3 * cost.get(Column::Test)),
            "descend_filter_test_ms": cost.parts.map(|p| round(1e3 * p)),
            "total_ms": round(1e3 * cost.total), "triangle_pairs": round(cost.pairs), "found": round(cost.found),
            "same_found": outcome.same_found, "ratio": outcome.ratios.map(|r| named(&r)),
            "paper": contender.paper.map(|p| named(&p.map(Some))), "goals": goals, "note": note,
        })
    }
}

/// A goal and what was reached.
struct Reached {
    column: Column,
    bound: Bound,
    value: f64,
}

impl Reached {
    fn is_met(&self) -> bool {
        self.bound.is_met(self.value)
    }

    fn bound_text(&self) -> String {
        match self.bound {
            Bound::AtLeast(bound) => format!("≥ {bound}"),
            Bound::AtMost(bound) => format!("≤ {bound}"),
        }
    }
}

impl std::fmt::Display for Reached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verdict = if self.is_met() { "met" } else { "MISSED" };
        write!(f, "goal {} × {}: {verdict}", self.column.name(), self.bound_text())
    }
}

fn goals(contender: &Contender<'_>, outcome: &Outcome) -> Vec<Reached> {
    let value = |column: Column| outcome.ratios.and_then(|r| r[column as usize]).unwrap_or(f64::NAN);
    contender.goals.iter().map(|&(column, bound)| Reached { column, bound, value: value(column) }).collect()
}

/// Where the time of a baseline goes.
fn shares(outcome: &Outcome) -> String {
    let cost = &outcome.cost;
    let sum = cost.update + cost.parts.iter().sum::<f64>();
    let percent = |part: f64| format!("{:.0} %", 100.0 * part / sum);
    let [descend, filter, test] = cost.parts.map(percent);
    format!("update {}, descend {descend}, filter {filter}, test {test}", percent(cost.update))
}

fn text(contender: &Contender<'_>, outcome: &Outcome, against: &str, notes: &str) -> String {
    let cost = &outcome.cost;
    let costs = [Column::Update, Column::Test, Column::Total].map(|c| digits(1e3 * cost.get(c)));
    let [update, test, total] = costs;
    let ratios = outcome.ratios.unwrap_or_default().map(|r| r.map_or(String::new(), digits));
    let paper = contender.paper.map_or(String::new(), |p| p.map(|r| format!("{r:.2}")).join(" "));
    cells(&contender.name, against, [update, test, total, count(cost.pairs)], ratios, &paper, notes)
}

fn cells(name: &str, against: &str, costs: [String; 4], ratios: [String; 4], paper: &str, notes: &str) -> String {
    let [update, test, total, pairs] = costs;
    let ratios = ratios.map(|ratio| format!("{ratio:>8}")).concat();
    let line =
        format!("  {name:<17} {against:<12}{update:>8}{test:>8}{total:>9}{pairs:>8}  {ratios}    {paper:<18}  {notes}");
    line.trim_end().to_owned()
}

/// Three digits at least, and no more behind the point than needed.
fn digits(value: f64) -> String {
    let behind = if value.abs() >= 99.95 {
        0
    } else if value.abs() >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.behind$}")
}

/// 1234567 as `1.23M`.
pub(super) fn count(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", digits(v * 1e-6)),
        v if v >= 1e3 => format!("{}k", digits(v * 1e-3)),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.123_4, 2.345_6, 23.456, 234.56].map(digits), ["0.12", "2.35", "23.5", "235"]);
        assert_eq!([12.0, 1_234.0, 3_210_000.0].map(count), ["12", "1.23k", "3.21M"]);
    }
}
