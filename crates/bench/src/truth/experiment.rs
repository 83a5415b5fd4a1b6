//! [`Experiment`]: a scene, what is measured in it, and what should come out.

use miette::Result;

/// How exactly a scene is solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Accuracy {
    /// As everybody gets it.
    Default,
    /// Every step is solved to the end.
    Converged,
}

/// How far a measurement may be from its reference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Limit {
    /// By this much, in the unit of the reference.
    Within(f64),
    /// By this share of the reference.
    Share(f64),
    /// It is at least this much, in the unit of the reference.
    AtLeast(f64),
}

/// A measurement.
type Measure = Box<dyn Fn(Accuracy) -> Result<f64> + Send + Sync>;

/// One row of the page.
pub(crate) struct Experiment {
    /// Unique, in lower case: "strip tilted by 2°".
    pub(crate) name: String,
    /// Heading under which it stands.
    pub(crate) group: &'static str,
    /// What should come out.
    pub(crate) reference: f64,
    /// Where the reference comes from, in a few words.
    pub(crate) source: &'static str,
    /// Unit of the reference and of what is measured.
    pub(crate) unit: &'static str,
    pub(crate) limit: Limit,
    /// Whether it takes more than a few seconds in an optimized build.
    pub(crate) is_long: bool,
    /// Whether solving it to the end says anything; not so for the constraint model.
    pub(crate) converges: bool,
    pub(crate) measure: Measure,
}

/// What was measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Outcome {
    pub(crate) by_default: f64,
    pub(crate) converged: Option<f64>,
}

impl Experiment {
    /// Measures it at default settings and, if asked, solved to the end.
    pub(crate) fn run(&self, to_the_end: bool) -> Result<Outcome> {
        let by_default = (self.measure)(Accuracy::Default)?;
        let converged = if to_the_end && self.converges { Some((self.measure)(Accuracy::Converged)?) } else { None };
        Ok(Outcome { by_default, converged })
    }

    /// Whether what was measured at default settings is within the limit.
    pub(crate) fn holds(&self, outcome: &Outcome) -> bool {
        let value = outcome.by_default;
        match self.limit {
            Limit::Within(most) => (value - self.reference).abs() <= most,
            Limit::Share(most) => (value - self.reference).abs() <= most * self.reference.abs(),
            Limit::AtLeast(least) => value >= least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(limit: Limit) -> Experiment {
        Experiment {
            name: "ten".to_owned(),
            group: "numbers",
            reference: 10.0,
            source: "counting",
            unit: "mm",
            limit,
            is_long: false,
            converges: true,
            measure: Box::new(|accuracy| Ok(if accuracy == Accuracy::Default { 9.0 } else { 10.0 })),
        }
    }

    #[test]
    fn limits_are_kept_or_not() {
        let outcome = experiment(Limit::Within(1.0)).run(true).unwrap();
        assert_eq!(outcome, Outcome { by_default: 9.0, converged: Some(10.0) });
        let kept = [Limit::Within(1.0), Limit::Share(0.1), Limit::AtLeast(9.0)];
        let broken = [Limit::Within(0.9), Limit::Share(0.09), Limit::AtLeast(9.1)];
        assert!(kept.iter().all(|limit| experiment(*limit).holds(&outcome)));
        assert!(broken.iter().all(|limit| !experiment(*limit).holds(&outcome)));
    }

    #[test]
    fn names_of_experiments_are_unique() {
        let mut names: Vec<String> = super::super::experiments().into_iter().map(|e| e.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
