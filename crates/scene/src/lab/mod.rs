//! A virtual textile laboratory: instruments that read from a simulated sample what was typed into its fabric.
//!
//! | test | sample | reads | within |
//! |---|---|---|---|
//! | [`tensile`] (KES-F) | 5 cm × 20 cm, to 490.33 N/m | secant stiffness, LT; also EMT, WT | 2 % |
//! | [`mod@shear`] (KES-F) | 5 cm × 20 cm, to ±8° at 9.8 N/m | G | 1 % |
//! | [`mod@bending`] (KES-F) | 1 cm × 1 cm, to ±250 1/m | B, 2HB | 1 %, 3 % |
//! | [`mod@cantilever`] (ASTM D1388) | strip of 2.5 cm | B, bending length | 2 % |
//! | [`mod@drape`] (Cusick) | disc of 30 cm on 18 cm | drape coefficient, folds | compared with bands |
//!
//! The first four read a number back, so a unit mistaken anywhere between the fabric file and the elements shows as a
//! difference. The drape coefficient was not typed in: it follows from all numbers together and is compared with what
//! laboratories published of such fabrics.
//!
//! [`FabricTest::run`] does what a [`Plan`] says, be it one test or all, and can be cancelled at every round.
//!
//! Nothing here reads or writes files.

pub mod bending;
pub mod cantilever;
pub mod drape;
mod each;
mod reading;
mod sample;
pub mod shear;
mod suite;
pub mod tensile;

pub use each::{Cancelled, EachRound};
pub use reading::{Direction, Reading, Unit};
pub use suite::{Effort, FabricTest, Plan, TestKind};
