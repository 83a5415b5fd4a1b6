//! All instruments one after another.

use toile_cloth::Fabric;

use super::bending::{self, Bending};
use super::cantilever::{self, Cantilever};
use super::drape::{self, Drape, DrapeOptions};
use super::each::Rounds;
use super::shear::{self, Shear};
use super::tensile::{self, Tensile, TensileOptions};
use super::{Cancelled, Direction, EachRound, Reading};

/// An instrument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestKind {
    /// KES-F tensile test.
    Tensile,
    /// KES-F shear test.
    Shear,
    /// KES-F bending test.
    Bending,
    /// Cantilever test, ASTM D1388.
    Cantilever,
    /// Cusick's drape test.
    Drape,
}

impl TestKind {
    /// All of them, in the order they are done.
    pub const ALL: [Self; 5] = [Self::Tensile, Self::Shear, Self::Bending, Self::Cantilever, Self::Drape];

    /// Its name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tensile => "tensile",
            Self::Shear => "shear",
            Self::Bending => "bending",
            Self::Cantilever => "cantilever",
            Self::Drape => "drape",
        }
    }
}

/// How much work goes into a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Effort {
    /// Coarse samples, two drapes: seconds.
    Quick,
    /// Fine samples, six drapes: a minute.
    #[default]
    Full,
}

/// What is done to a fabric.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The instruments.
    pub tests: Vec<TestKind>,
    /// Cells between the jaws of the tensile and shear tests.
    pub cells: usize,
    /// Cells of the bending sample.
    pub bending_cells: usize,
    /// Cells of the cantilever.
    pub cantilever_cells: usize,
    /// How it is draped.
    pub drape: DrapeOptions,
}

impl Plan {
    /// All instruments.
    pub fn new(effort: Effort) -> Self {
        let tests = TestKind::ALL.to_vec();
        match effort {
            Effort::Quick => {
                let drape = DrapeOptions { rings: 7, runs: 2, seconds: 2.5, ..DrapeOptions::default() };
                Self { tests, cells: 3, bending_cells: 10, cantilever_cells: 30, drape }
            }
            Effort::Full => {
                let drape = DrapeOptions::default();
                Self { tests, cells: 6, bending_cells: 20, cantilever_cells: 60, drape }
            }
        }
    }
}

/// What the instruments found.
#[derive(Clone, Debug, Default)]
pub struct FabricTest {
    /// Along warp and weft, if done.
    pub tensile: Vec<Tensile>,
    /// If done.
    pub shear: Option<Shear>,
    /// Along warp and weft, if done.
    pub bending: Vec<Bending>,
    /// Along warp and weft, if done.
    pub cantilever: Vec<Cantilever>,
    /// If done.
    pub drape: Option<Drape>,
}

impl FabricTest {
    /// Does what is planned. `each` is called before every round of a test, which takes milliseconds, with the test that is being done; when
    /// it breaks, so does the work, with [`Cancelled`].
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use toile_scene::lab::{Effort, FabricTest, Plan, TestKind};
    /// let plan = Plan { tests: vec![TestKind::Shear, TestKind::Bending], ..Plan::new(Effort::Quick) };
    /// let linen = toile_scene::fabric::find("linen")?.fabric;
    /// let test = FabricTest::run(&linen, &plan, &mut |_| ControlFlow::Continue(()))?;
    /// assert_eq!(test.readings().len(), 5);
    /// assert!(test.is_within());
    /// assert!(FabricTest::run(&linen, &plan, &mut |_| ControlFlow::Break(())).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(fabric: &Fabric, plan: &Plan, each: &mut EachRound<'_>) -> Result<Self, Cancelled> {
        let mut found = Self::default();
        for test in TestKind::ALL.into_iter().filter(|test| plan.tests.contains(test)) {
            let rounds = &mut Rounds { test, each: &mut *each };
            match test {
                TestKind::Tensile => {
                    let (cells, membrane) = (plan.cells, plan.drape.membrane);
                    let options = TensileOptions { cells, membrane, ..TensileOptions::default() };
                    for direction in Direction::BOTH {
                        found.tensile.push(tensile::pull(fabric, direction, &options, rounds)?);
                    }
                }
                TestKind::Shear => {
                    found.shear = Some(shear::lean(fabric, plan.drape.membrane, plan.cells, rounds)?);
                }
                TestKind::Bending => {
                    for direction in Direction::BOTH {
                        found.bending.push(bending::bend(fabric, direction, plan.bending_cells, rounds)?);
                    }
                }
                TestKind::Cantilever => {
                    for direction in Direction::BOTH {
                        let cells = plan.cantilever_cells;
                        found.cantilever.push(cantilever::overhang(fabric, direction, cells, rounds)?);
                    }
                }
                TestKind::Drape => found.drape = Some(drape::drape_all(fabric, &plan.drape, rounds)?),
            }
        }
        Ok(found)
    }

    /// Everything that was read back, with the instrument and whether its sample came to rest.
    pub fn readings(&self) -> Vec<(TestKind, Reading, bool)> {
        let tensile = self.tensile.iter().flat_map(|t| t.readings.map(|r| (TestKind::Tensile, r, t.converged)));
        let shear = self.shear.iter().map(|t| (TestKind::Shear, t.reading, t.converged));
        let bending = self.bending.iter().flat_map(|t| t.readings.map(|r| (TestKind::Bending, r, true)));
        let strips = self.cantilever.iter().flat_map(|t| t.readings.map(|r| (TestKind::Cantilever, r, t.converged)));
        tensile.chain(shear).chain(bending).chain(strips).collect()
    }

    /// Whether all samples came to rest and all readings are within their tolerances. Drape does not count: nothing was typed in.
    pub fn is_within(&self) -> bool {
        self.readings().iter().all(|(_, reading, at_rest)| *at_rest && reading.is_within())
    }
}
