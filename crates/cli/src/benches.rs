//! What the program does for `toile bench` and `toile torture`.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::Path;

use clap::Parser;
use miette::{Result, bail};
use serde_json::Value;
use toile_bench::{Options, Program};
use toile_garment::draft::Design;
use toile_scene::Run;
use toile_tailor::{Wearer, WornGarment};
use toile_view::{Image, Quality};

use crate::args::{Cli, Command, Global};
use crate::body::{described, explain};
use crate::try_on::views::Stage;
use crate::{pattern, run, try_on};

impl Program for Global {
    fn options(&self) -> Options {
        Options { threads: self.threads, quiet: self.quiet, json: self.json }
    }

    fn say(&self, line: &dyn Display) {
        crate::say(line);
    }

    fn publish(&self, run: &Run) -> Result<()> {
        run::publish(run, &crate::overlap::find(run), false)?;
        Ok(())
    }

    fn design(&self, name: &str) -> Result<Design> {
        pattern::design(name)
    }

    fn wearer(&self, body: &str) -> Result<Wearer> {
        Ok(toile_scene::wearer(&described(body), "body").map_err(explain)?.0)
    }

    fn portrait(&self, worn: &[WornGarment], wearer: &Wearer, azimuth: f64, height: u32, caption: &str) -> Image {
        Stage::of(worn, 0, wearer, height).shoot(azimuth, 1.0, None, caption, Quality::Good)
    }

    fn timed_try_on(&self, quality: &str, out: &Path) -> Result<Value> {
        let mut words: Vec<OsString> = ["toile", "try-on", "--quality", quality, "--out"].map(OsString::from).into();
        words.push(out.into());
        match Cli::parse_from(words).command {
            Some(Command::TryOn(wish)) => try_on::clocked(&wish, self),
            _ => bail!("the words of toile try-on name another command"),
        }
    }
}
