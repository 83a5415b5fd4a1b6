//! Ways to do the same, measured in turn.

use std::time::Duration;

use miette::{IntoDiagnostic, Result};
use toile_collide::{DetectError, DetectReport};

use crate::pool::pool;
use crate::speed::median;

/// What one step costs, or a ratio of two such costs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Cost {
    /// Hierarchy update [s].
    pub(super) update: f64,
    /// Parts of the collision test: descending trees, filtering and testing pairs of features [s of processor time].
    pub(super) parts: [f64; 3],
    /// Everything, on the clock [s].
    pub(super) total: f64,
    /// Pairs of triangles whose volumes overlap.
    pub(super) pairs: f64,
    /// Results.
    pub(super) found: f64,
}

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Column {
    Update,
    Test,
    Total,
    Pairs,
}

impl Column {
    pub(super) const ALL: [Self; 4] = [Self::Update, Self::Test, Self::Total, Self::Pairs];

    pub(super) fn name(self) -> &'static str {
        ["HU", "CT", "total", "pairs"][self as usize]
    }
}

impl Cost {
    /// Cost of a search that took `clock` altogether.
    pub(super) fn new(report: &DetectReport, clock: Duration) -> Self {
        let t = &report.times;
        Self {
            update: (t.build + t.refit).as_secs_f64(),
            parts: [t.traverse, t.filter, t.test].map(|part| part.as_secs_f64()),
            total: clock.as_secs_f64(),
            pairs: report.triangle_pairs as f64,
            found: (report.found[0] + report.found[1]) as f64,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            update: self.update + other.update,
            parts: [0, 1, 2].map(|i| self.parts[i] + other.parts[i]),
            total: self.total + other.total,
            pairs: self.pairs + other.pairs,
            found: self.found + other.found,
        }
    }

    fn times(&self, factor: f64) -> Self {
        Self {
            update: factor * self.update,
            parts: self.parts.map(|p| factor * p),
            total: factor * self.total,
            pairs: factor * self.pairs,
            found: factor * self.found,
        }
    }

    pub(super) fn get(&self, column: Column) -> f64 {
        match column {
            Column::Update => self.update,
            Column::Test => self.total - self.update,
            Column::Total => self.total,
            Column::Pairs => self.pairs,
        }
    }
}

/// Does one step of the scene.
pub(super) type Step<'a> = Box<dyn FnMut(usize) -> Result<Cost, DetectError> + Send + 'a>;

/// One way to do it.
pub(super) struct Contender<'a> {
    pub(super) name: String,
    step: Step<'a>,
    /// Which contender it is compared with; none for a baseline.
    pub(super) against: Option<usize>,
    threads: usize,
    scale: f64,
    /// The paper's ratios: update, test, total.
    pub(super) paper: Option<[f64; 3]>,
    /// Bounds on ratios.
    pub(super) goals: Vec<(Column, Bound)>,
}

/// What a ratio should be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    pub(super) fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
        }
    }
}

impl<'a> Contender<'a> {
    /// Compared with the first contender, on one thread.
    pub(super) fn new(name: impl Into<String>, step: Step<'a>) -> Self {
        let (name, goals) = (name.into(), Vec::new());
        Self { name, step, against: Some(0), threads: 1, scale: 1.0, paper: None, goals }
    }

    pub(super) fn against(mut self, other: Option<usize>) -> Self {
        self.against = other;
        self
    }

    pub(super) fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Costs count this many times.
    pub(super) fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    pub(super) fn paper(mut self, ratios: [f64; 3]) -> Self {
        self.paper = Some(ratios);
        self
    }

    pub(super) fn goal(mut self, column: Column, bound: Bound) -> Self {
        self.goals.push((column, bound));
        self
    }
}

/// What was measured of a contender: medians over the passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) cost: Cost,
    /// Column by column, medians of the ratios of each pass; `None` if there is nothing to divide by.
    pub(super) ratios: Option<[Option<f64>; 4]>,
    /// Whether it found as much as the one it is compared with.
    pub(super) same_found: bool,
}

/// Lets contenders do the same steps in turn, step by step, `passes` times. Each pass begins with a step that does not
/// count: it brings trees and memory from the last step of the pass before to the first of this one.
pub(super) fn contest(contenders: &mut [Contender<'_>], steps: usize, passes: usize) -> Result<Vec<Outcome>> {
    let pools = [pool(1)?, pool(2)?];
    let mut costs = vec![Vec::with_capacity(passes); contenders.len()];
    for _ in 0..passes {
        let mut sums = vec![Cost::default(); contenders.len()];
        for step in 0..=steps {
            for (contender, sum) in contenders.iter_mut().zip(&mut sums) {
                let run = &mut contender.step;
                let cost = pools[contender.threads - 1].install(|| run(step)).into_diagnostic()?;
                if step > 0 {
                    *sum = sum.plus(&cost);
                }
            }
        }
        for ((all, sum), contender) in costs.iter_mut().zip(&sums).zip(contenders.iter()) {
            all.push(sum.times(contender.scale / steps as f64));
        }
    }
    Ok((0..contenders.len()).map(|i| outcome(&costs, i, contenders[i].against)).collect())
}

fn outcome(costs: &[Vec<Cost>], own: usize, against: Option<usize>) -> Outcome {
    let over = |value: &dyn Fn(&Cost) -> f64| median(&mut costs[own].iter().map(value).collect::<Vec<_>>());
    let cost = Cost {
        update: over(&|c| c.update),
        parts: [0, 1, 2].map(|i| over(&|c| c.parts[i])),
        total: over(&|c| c.total),
        pairs: over(&|c| c.pairs),
        found: over(&|c| c.found),
    };
    let ratio = |base: usize, column: Column| {
        let both = costs[own].iter().zip(&costs[base]);
        let mut ratios: Vec<f64> = both.map(|(a, b)| a.get(column) / b.get(column)).collect();
        Some(median(&mut ratios)).filter(|r| r.is_finite())
    };
    let same_found = against.is_none_or(|base| costs[own].iter().zip(&costs[base]).all(|(a, b)| a.found == b.found));
    Outcome { cost, ratios: against.map(|base| Column::ALL.map(|c| ratio(base, c))), same_found }
}
