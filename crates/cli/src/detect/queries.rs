//! Raw queries of continuous collision detection: one pair per line of a CSV file, as in the data set of Wang et al.
//! 2021. Lines are read one at a time, so that memory does not grow with the file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use miette::{Report, miette};
use serde_json::{Value, json};
use toile_collide::impact::{PairKind, time_of_impact};
use toile_mesh::DVec3;

use super::args::{DetectArgs, word};
use super::output::{failed, open};
use crate::check::counted;

/// Longest line that is read [bytes]; 25 numbers take about 600.
const LONGEST_LINE: u64 = 1 << 16;
/// Wrong answers that are listed by line.
const LISTED: usize = 10;

/// One pair, and the truth if the file has it.
#[derive(PartialEq, Debug)]
struct Query {
    collides: Option<bool>,
    start: [DVec3; 4],
    end: [DVec3; 4],
}

/// What the answers amount to.
#[derive(Default, Debug)]
pub(super) struct Tally {
    queries: u64,
    impacts: u64,
    /// Queries whose truth is in the file.
    judged: u64,
    missed: u64,
    false_alarms: u64,
    /// Lines of the first wrong answers, and whether they were missed.
    wrong: Vec<(u64, bool)>,
    total: Duration,
    worst: Duration,
    worst_line: u64,
}

/// Answers all queries of a file; writes `--answers`.
pub(super) fn answer(path: &Path, kind: PairKind, args: &DetectArgs) -> miette::Result<Tally> {
    let file = File::open(path).map_err(|e| miette!("cannot open {}: {e}", path.display()))?;
    let mut lines = QueryLines { path, reader: BufReader::new(file), number: 0, columns: None, text: String::new() };
    let mut answers = args.answers.as_deref().map(open).transpose()?;
    let mut tally = Tally::default();
    while let Some(query) = lines.next()? {
        let clock = Instant::now();
        let time = time_of_impact(kind, args.method.method(), &query.start, &query.end, args.min_separation);
        tally.count(lines.number, &query, time.is_some(), clock.elapsed());
        if let Some(file) = &mut answers {
            let written = match time {
                Some(time) => writeln!(file, "1 {time:?}"),
                None => writeln!(file, "0 inf"),
            };
            written.map_err(|e| failed(file.path())(e))?;
        }
    }
    if tally.queries == 0 {
        return Err(miette!(help = "a line has 24 numbers, or 25 with the truth", "{}: no queries", path.display()));
    }
    if let Some(file) = answers {
        file.commit().map_err(|e| miette!("{e}"))?;
    }
    Ok(tally)
}

/// Queries of a file, one after the other.
struct QueryLines<'a, R> {
    path: &'a Path,
    reader: R,
    /// Line read last, from 1.
    number: u64,
    /// Columns of the first line; all have as many.
    columns: Option<usize>,
    text: String,
}

impl<R: BufRead> QueryLines<'_, R> {
    fn next(&mut self) -> miette::Result<Option<Query>> {
        loop {
            self.text.clear();
            self.number += 1;
            let read = self.reader.by_ref().take(LONGEST_LINE).read_line(&mut self.text);
            match read.map_err(|e| self.wrong(&e.to_string()))? as u64 {
                0 => return Ok(None),
                LONGEST_LINE => return Err(self.wrong(&format!("longer than {LONGEST_LINE} bytes"))),
                _ => {}
            }
            if self.text.trim().is_empty() {
                continue;
            }
            let fields: Vec<&str> = self.text.split(',').map(str::trim).collect();
            let expected = *self.columns.get_or_insert(fields.len());
            if !matches!(fields.len(), 24 | 25) || fields.len() != expected {
                let expected = if matches!(expected, 24 | 25) { expected.to_string() } else { "24 or 25".into() };
                return Err(self.wrong(&format!("{}, not {expected}", counted(fields.len(), "column"))));
            }
            if self.number == 1 && fields.iter().all(|f| f.parse::<f64>().is_err()) {
                continue;
            }
            return query(&fields).map(Some).map_err(|reason| self.wrong(&reason));
        }
    }

    fn wrong(&self, reason: &str) -> Report {
        let help = "a line has 24 finite numbers, four points at the start and four at the end; before them it may \
                    have the truth, 0 or 1";
        miette!(help = help, "{}: line {}: {reason}", self.path.display(), self.number)
    }
}

/// A query of 24 or 25 fields.
fn query(fields: &[&str]) -> Result<Query, String> {
    let (truth, numbers) = fields.split_at(fields.len() - 24);
    let collides = match truth {
        [] => None,
        ["0"] => Some(false),
        ["1"] => Some(true),
        other => return Err(format!("the truth is \"{}\", neither 0 nor 1", other.concat())),
    };
    let mut x = [0.0_f64; 24];
    for (i, (x, field)) in x.iter_mut().zip(numbers).enumerate() {
        *x = field.parse().map_err(|_| format!("column {}: \"{field}\" is not a number", truth.len() + i + 1))?;
        if !x.is_finite() {
            return Err(format!("column {}: \"{field}\" is not finite", truth.len() + i + 1));
        }
    }
    let point = |i: usize| DVec3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    Ok(Query { collides, start: std::array::from_fn(point), end: std::array::from_fn(|i| point(i + 4)) })
}

impl Tally {
    fn count(&mut self, line: u64, query: &Query, is_impact: bool, time: Duration) {
        self.queries += 1;
        self.impacts += u64::from(is_impact);
        self.judged += u64::from(query.collides.is_some());
        if let Some(truth) = query.collides.filter(|truth| *truth != is_impact) {
            *(if truth { &mut self.missed } else { &mut self.false_alarms }) += 1;
            if self.wrong.len() < LISTED {
                self.wrong.push((line, truth));
            }
        }
        self.total += time;
        if time > self.worst {
            (self.worst, self.worst_line) = (time, line);
        }
    }

    fn mean_us(&self) -> f64 {
        1.0e6 * self.total.as_secs_f64() / self.queries as f64
    }

    fn worst_us(&self) -> f64 {
        1.0e6 * self.worst.as_secs_f64()
    }

    /// For people.
    pub(super) fn text(&self, args: &DetectArgs) -> String {
        let mut text = String::new();
        let file = args.queries.as_deref().unwrap_or(Path::new("")).display();
        let _ = writeln!(
            text,
            "{file}: {} queries, {}, {}",
            self.queries,
            counted(self.impacts as usize, "impact"),
            word(&args.method)
        );
        let _ = if self.judged == 0 {
            writeln!(text, "truth         not in the file")
        } else {
            writeln!(text, "missed        {}\nfalse alarms  {}", self.missed, self.false_alarms)
        };
        for (line, is_missed) in &self.wrong {
            let _ = writeln!(text, "  line {line}: {}", if *is_missed { "missed" } else { "false alarm" });
        }
        let more = self.missed + self.false_alarms - self.wrong.len() as u64;
        if more > 0 {
            let _ = writeln!(text, "  and {more} more");
        }
        let (mean, worst) = (self.mean_us(), self.worst_us());
        let _ = write!(text, "time [µs]     mean {mean:.2}, worst {worst:.2} (line {})", self.worst_line);
        text
    }

    /// For programs.
    pub(super) fn json(&self, args: &DetectArgs) -> Value {
        let truth = |n: u64| (self.judged > 0).then_some(n);
        json!({
            "question": "queries",
            "file": args.queries.as_ref().map(|p| p.display().to_string()),
            "queries": self.queries,
            "impacts": self.impacts,
            "missed": truth(self.missed),
            "false_alarms": truth(self.false_alarms),
            "mean_us": self.mean_us(),
            "worst_us": self.worst_us(),
            "worst_line": self.worst_line,
            "threads": 1,
            "settings": {
                "kind": args.kind.as_ref().map(word),
                "method": word(&args.method),
                "min_separation": args.min_separation,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Query>, String> {
        let path = Path::new("q.csv");
        let mut lines = QueryLines { path, reader: text.as_bytes(), number: 0, columns: None, text: String::new() };
        let mut queries = Vec::new();
        while let Some(query) = lines.next().map_err(|e| e.to_string())? {
            queries.push(query);
        }
        Ok(queries)
    }

    fn numbers(from: u32) -> String {
        (from..from + 24).map(|n| n.to_string()).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn lines_are_read_with_and_without_truth_and_names() {
        let bare = read(&format!("{}\r\n\n{}", numbers(0), numbers(1))).unwrap();
        assert_eq!((bare.len(), bare[0].collides, bare[0].start[1]), (2, None, DVec3::new(3.0, 4.0, 5.0)));
        assert_eq!(bare[1].end[3], DVec3::new(22.0, 23.0, 24.0));
        let names = vec!["x"; 25].join(",");
        let judged = read(&format!("{names}\n1,{}\n0, {}\n", numbers(0), numbers(1))).unwrap();
        assert_eq!((judged[0].collides, judged[1].collides), (Some(true), Some(false)));
        assert_eq!(judged[0].start, bare[0].start);
        assert!(read("").unwrap().is_empty());
    }

    #[test]
    fn bad_lines_are_named() {
        let good = numbers(0);
        for (text, reason) in [
            (format!("{good}\n1,{good}"), "q.csv: line 2: 25 columns, not 24"),
            ("1,2,3\n".into(), "q.csv: line 1: 3 columns, not 24 or 25"),
            (
                format!("{good}\n{}", good.replace(",7,", ",seven,")),
                "q.csv: line 2: column 8: \"seven\" is not a number",
            ),
            (format!("1,{}", good.replace(",7,", ",nan,")), "q.csv: line 1: column 9: \"nan\" is not finite"),
            (format!("2,{good}"), "q.csv: line 1: the truth is \"2\", neither 0 nor 1"),
            (format!("{good}\n{}", vec!["x"; 24].join(",")), "q.csv: line 2: column 1: \"x\" is not a number"),
            ("9".repeat(1 << 20), "q.csv: line 1: longer than 65536 bytes"),
        ] {
            assert_eq!(read(&text).unwrap_err(), reason);
        }
    }

    #[test]
    fn wrong_answers_are_counted_by_kind_and_listed_by_line() {
        let query = |collides| Query { collides, start: [DVec3::ZERO; 4], end: [DVec3::ZERO; 4] };
        let mut tally = Tally::default();
        for (line, truth, answer) in [(1, true, true), (2, true, false), (3, false, true), (4, false, false)] {
            tally.count(line, &query(Some(truth)), answer, Duration::from_micros(line));
        }
        assert_eq!((tally.queries, tally.impacts, tally.missed, tally.false_alarms), (4, 2, 1, 1));
        assert_eq!((tally.wrong.as_slice(), tally.worst_line), (&[(2, true), (3, false)][..], 4));
        assert!((tally.mean_us() - 2.5).abs() < 1e-9);
    }
}
