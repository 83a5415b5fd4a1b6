//! How long tests are broken off.

use std::ops::ControlFlow;

use super::TestKind;

/// What is called before every round of a test: a step on the way to equilibrium or of a fall, a load, an angle, a curvature. When it
/// breaks, so does the work, with [`Cancelled`].
pub type EachRound<'a> = dyn FnMut(TestKind) -> ControlFlow<()> + 'a;

/// The caller broke a test off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the test of a fabric was cancelled")]
pub struct Cancelled;

/// The rounds of one test.
pub(super) struct Rounds<'a, 'e> {
    pub(super) test: TestKind,
    pub(super) each: &'a mut EachRound<'e>,
}

impl Rounds<'_, '_> {
    /// Before a round.
    pub(super) fn next(&mut self) -> Result<(), Cancelled> {
        if (self.each)(self.test).is_break() { Err(Cancelled) } else { Ok(()) }
    }
}

/// Does a test that nobody breaks off.
pub(super) fn whole<T>(test: TestKind, run: impl FnOnce(&mut Rounds<'_, '_>) -> Result<T, Cancelled>) -> T {
    let mut rounds = Rounds { test, each: &mut |_| ControlFlow::Continue(()) };
    match run(&mut rounds) {
        Ok(found) => found,
        Err(Cancelled) => unreachable!("a callback that never breaks cancels nothing"),
    }
}
