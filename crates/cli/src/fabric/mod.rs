//! `toile fabric`: the library of fabrics, one fabric in all its units, tests of it, and fabrics of other programs.

mod list;
mod show;
mod test;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use miette::miette;
use toile_files::atomic::write_atomic;
use toile_scene::fabric::{find, load, reference};

use crate::args::Global;
use crate::{output, say};

#[derive(Args, Debug)]
pub(crate) struct FabricArgs {
    #[command(subcommand)]
    command: FabricCommand,
}

impl FabricArgs {
    /// Whether a simulation is asked for.
    pub(crate) fn simulates(&self) -> bool {
        matches!(self.command, FabricCommand::Test(_))
    }
}

#[derive(Subcommand, Debug)]
enum FabricCommand {
    /// List the fabrics of the library
    List,
    /// Show one fabric: all values in SI and KES units, and what follows from them
    Show(ShowArgs),
    /// Test a fabric in the virtual laboratory: what was typed in is measured again, and draped
    #[command(after_help = "Examples:\n  toile fabric test denim --out lab\n  toile fabric test my.toml --quick\n  \
        toile fabric test --all --only drape --out lab")]
    Test(test::TestArgs),
    /// Read a fabric file of any kind and write it as fabric.toml
    Convert(ConvertArgs),
    /// Print the reference of all keys of a fabric file (Markdown)
    Reference,
}

#[derive(Args, Debug)]
struct ShowArgs {
    /// Name of a library fabric, or a file (TOML, XML, JSON)
    #[arg(value_name = "NAME|FILE")]
    fabric: String,
    /// Print it as fabric.toml
    #[arg(long)]
    toml: bool,
}

#[derive(Args, Debug)]
struct ConvertArgs {
    /// File to read (TOML, XML, JSON)
    file: PathBuf,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "TOML")]
    out: Option<PathBuf>,
}

pub(crate) fn fabric(args: &FabricArgs, global: &Global) -> miette::Result<ExitCode> {
    match &args.command {
        FabricCommand::List => list::list(global),
        FabricCommand::Show(args) => show(args, global)?,
        FabricCommand::Test(args) => return test::test(args, global),
        FabricCommand::Convert(args) => convert(args, global)?,
        FabricCommand::Reference => say_document(&reference()),
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &ShowArgs, global: &Global) -> miette::Result<()> {
    let fabric = find(&args.fabric)?;
    // What is asked for as a document is printed even with --quiet.
    if args.toml {
        say_document(&fabric.to_toml());
    } else if global.json {
        say(show::json(&fabric));
    } else if !global.quiet {
        say_document(&show::text(&fabric));
    }
    Ok(())
}

fn convert(args: &ConvertArgs, global: &Global) -> miette::Result<()> {
    let fabric = load(&args.file)?;
    let text = fabric.to_toml();
    let Some(out) = &args.out else {
        say_document(&text);
        return Ok(());
    };
    if same_file(&args.file, out) {
        let help = "give another name: comments and tables of the file would be lost";
        return Err(miette!(help = help, "{} would be overwritten with itself", out.display()));
    }
    output::new_file(out, global)?;
    write_atomic(out, text.as_bytes()).map_err(|e| miette!("{e}"))?;
    if global.json {
        say(show::json(&fabric));
    } else if !global.quiet {
        say(format!("{}: {} written", out.display(), fabric.name));
    }
    Ok(())
}

/// Whether both names lead to one file.
fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Prints a text as it is: `say` adds the newline that it ends with.
fn say_document(text: &str) {
    say(text.strip_suffix('\n').unwrap_or(text));
}

/// A number with three digits that count, without a row of zeros.
fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let digits = 2 - x.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits);
    // Rounded as a decimal, so that no digits of the binary number show.
    if digits > 0 { format!("{x:.*}", digits.min(12) as usize) } else { format!("{:.0}", (x * scale).round() / scale) }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn short_numbers_have_three_digits() {
        let cases = [
            (0.0, "0"),
            (0.3, "0.300"),
            (12345.0, "12300"),
            (123.4, "123"),
            (1.0, "1.00"),
            (0.00123, "0.00123"),
            (-56.7, "-56.7"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }
}
