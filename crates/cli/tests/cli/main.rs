//! The real binary in a temporary folder: what it prints, writes and answers.
//!
//! After a deliberate change of words, run with `INSTA_UPDATE=always` and read the difference.

#![allow(clippy::unwrap_used, reason = "tests may; the lint does not see that their helpers are tests too")]

mod body;
mod check;
mod crash;
mod detect;
mod docs;
mod fabric;
mod help;
mod helper;
mod info;
mod keys;
mod observe;
mod pattern;
mod render;
mod scene;
mod torture;
mod try_on;
mod way_out;
mod zoo;
