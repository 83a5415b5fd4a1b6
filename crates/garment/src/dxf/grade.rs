//! Grading by `.rul` tables: a pattern of the sample size becomes one of another size.
//!
//! A table gives for each rule and size a displacement `(dx, dy)` from the sample size. Rules belong to points of the
//! outline, kept as marks `#n`. Points between two ruled ones move by the displacements of both, in proportion to the
//! length along the outline; a loop without ruled points stays.

use std::collections::BTreeMap;

use kurbo::{Point, Vec2};

use super::units::DxfUnit;
use crate::check::{Mended, mend};
use crate::curve::Curve;
use crate::file::PatternFileError;
use crate::pattern::{Edge, Mark, Pattern};

/// Most rules of a table.
const MOST_RULES: usize = 100_000;

/// A table of grade rules.
#[derive(Clone, PartialEq, Debug)]
pub struct Rules {
    /// Sizes in the order of the table.
    pub sizes: Vec<String>,
    /// The size the pattern is drawn in.
    pub sample: String,
    /// For each rule the displacement of each size [m].
    pub deltas: BTreeMap<u32, Vec<[f64; 2]>>,
}

impl Rules {
    /// Reads a `.rul` text; `file` stands in messages for it.
    ///
    /// ```
    /// use toile_garment::dxf::Rules;
    /// let text = "UNITS: METRIC\nNUMBER OF SIZES: 2\nSIZE LIST: S M\nSAMPLE SIZE: S\nRULE: DELTA 1\n0, 0\n5.0, -2.5\nEND\n";
    /// let rules = Rules::parse("a.rul", text.as_bytes()).unwrap();
    /// assert_eq!(rules.deltas[&1][1], [0.005, -0.0025]);
    /// ```
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, PatternFileError> {
        let text = String::from_utf8_lossy(bytes);
        let fail = |line: usize, message: String| PatternFileError::Invalid {
            file: file.to_owned(),
            line: line + 1,
            column: 0,
            message,
            help: "export the rule table again".to_owned(),
        };
        let mut rules = Self { sizes: Vec::new(), sample: String::new(), deltas: BTreeMap::new() };
        let (mut per_metre, mut rule, mut listing) = (DxfUnit::Millimetre.per_metre(), None, false);
        let mut numbers: Vec<f64> = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            let (key, value) = line.split_once(':').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
            let key = key.to_ascii_uppercase();
            if let Some(number) = value.to_ascii_uppercase().strip_prefix("DELTA").filter(|_| key == "RULE") {
                rules.put(rule, &mut numbers, per_metre).map_err(|message| fail(i, message))?;
                let number = number.trim().parse::<u32>().map_err(|_| fail(i, format!("`{value}` names no rule")))?;
                if rules.deltas.len() >= MOST_RULES {
                    return Err(fail(i, format!("more than {MOST_RULES} rules")));
                }
                (rule, listing) = (Some(number), false);
                continue;
            }
            match key.as_str() {
                "UNITS" if value.eq_ignore_ascii_case("ENGLISH") => per_metre = DxfUnit::Inch.per_metre(),
                "SAMPLE SIZE" => {
                    listing = false;
                    value.clone_into(&mut rules.sample);
                }
                "SIZE LIST" => {
                    listing = true;
                    rules
                        .sizes
                        .extend(value.split([' ', ',', '\t']).filter(|size| !size.is_empty()).map(str::to_owned));
                }
                "END" => break,
                _ if line.is_empty() || line.contains(':') => listing = false,
                // Long lists of sizes go on over several lines.
                _ if listing => {
                    rules.sizes.extend(line.split([' ', ',', '\t']).filter(|size| !size.is_empty()).map(str::to_owned));
                }
                _ if rule.is_some() => {
                    for word in line.split([' ', ',', '\t', ';']).filter(|word| !word.is_empty()) {
                        let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
                        numbers.push(number.ok_or_else(|| fail(i, format!("`{word}` is no number")))?);
                    }
                    if numbers.len() > 2 * rules.sizes.len() {
                        return Err(fail(i, format!("more pairs than the {} sizes of the table", rules.sizes.len())));
                    }
                }
                _ => {}
            }
        }
        let last = text.lines().count();
        rules.put(rule, &mut numbers, per_metre).map_err(|message| fail(last, message))?;
        if rules.sizes.is_empty() {
            return Err(fail(last, "the table lists no sizes".to_owned()));
        }
        Ok(rules)
    }

    /// Stores the numbers of a rule.
    fn put(&mut self, rule: Option<u32>, numbers: &mut Vec<f64>, per_metre: f64) -> Result<(), String> {
        let Some(rule) = rule else { return Ok(()) };
        if numbers.len() != 2 * self.sizes.len() {
            return Err(format!("rule {rule} has {} numbers for {} sizes", numbers.len(), self.sizes.len()));
        }
        let pairs = numbers.chunks_exact(2).map(|pair| [pair[0] / per_metre, pair[1] / per_metre]).collect();
        numbers.clear();
        self.deltas.insert(rule, pairs);
        Ok(())
    }
}

/// The pattern in another size of the table.
pub fn grade(pattern: &Pattern, rules: &Rules, size: &str) -> Result<Mended, PatternFileError> {
    let fail = |message: String, help: String| PatternFileError::Read { file: "grading".to_owned(), message, help };
    let index = rules.sizes.iter().position(|other| other == size);
    let index = index
        .ok_or_else(|| fail(format!("there is no size `{size}`"), format!("known: {}", rules.sizes.join(", "))))?;
    let mut graded = pattern.clone();
    for panel in &mut graded.panels {
        let delta = |mark: &Mark| {
            let rule: u32 = mark.name.strip_prefix('#')?.parse().ok()?;
            let [x, y] = *rules.deltas.get(&rule)?.get(index)?;
            Some((mark.at, Vec2::new(x, y)))
        };
        let moves: Vec<(Point, Vec2)> = panel.marks.iter().filter_map(delta).collect();
        grade_loop(&mut panel.outline, &moves);
        panel.holes.iter_mut().for_each(|hole| grade_loop(hole, &moves));
        for mark in &mut panel.marks {
            if let Some((_, by)) = moves.iter().find(|(at, _)| *at == mark.at) {
                mark.at += *by;
            }
        }
    }
    mend(graded).map_err(|error| PatternFileError::of_fault("grading", &error))
}

/// A ruled point this near to a point of the outline moves it [m].
const AT: f64 = 2e-5;

fn grade_loop(edges: &mut [Edge], moves: &[(Point, Vec2)]) {
    // All points of the loop with their lengths along it.
    let mut points = Vec::new();
    for edge in edges.iter() {
        points.push(edge.start);
        match &edge.curve {
            Curve::Points(inner) => points.extend_from_slice(inner),
            Curve::Quadratic(c) => points.push(*c),
            Curve::Cubic(c0, c1) => points.extend([*c0, *c1]),
            Curve::Line | Curve::Arc(_) => {}
        }
    }
    let count = points.len();
    let mut along = vec![0.0];
    for i in 0..count {
        along.push(along[i] + points[i].distance(points[(i + 1) % count]));
    }
    let whole = along[count];
    let ruled = |i: usize| moves.iter().find(|(at, _)| at.distance(points[i]) < AT).map(|(_, by)| *by);
    let anchors: Vec<(f64, Vec2)> = (0..count).filter_map(|i| Some((along[i], ruled(i)?))).collect();
    let (Some(first), Some(last)) = (anchors.first().copied(), anchors.last().copied()) else { return };
    let shift = |s: f64| {
        let next = anchors.iter().position(|(at, _)| *at > s);
        let (from, to) = match next {
            Some(0) => ((last.0 - whole, last.1), first),
            Some(i) => (anchors[i - 1], anchors[i]),
            None => (last, (first.0 + whole, first.1)),
        };
        let span = to.0 - from.0;
        let t = if span > 0.0 { ((s - from.0) / span).clamp(0.0, 1.0) } else { 0.0 };
        from.1 + t * (to.1 - from.1)
    };
    let mut i = 0;
    let mut next = |point: &mut Point| {
        *point += shift(along[i]);
        i += 1;
    };
    for edge in edges.iter_mut() {
        next(&mut edge.start);
        match &mut edge.curve {
            Curve::Points(inner) => inner.iter_mut().for_each(&mut next),
            Curve::Quadratic(c) => next(c),
            Curve::Cubic(c0, c1) => {
                next(c0);
                next(c1);
            }
            Curve::Line | Curve::Arc(_) => {}
        }
    }
}
