//! Measurements and sizes on the command line: `--bust 36in`, `--chest 91cm`, `--sizes sizes.toml`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use miette::{Result, miette};
use toile_body::{Given, Kind, Measurement, Measurements, SizeChart, complete, length, sizes};
use toile_garment::draft::Size;

/// Measurements that were given as flags [m; rad].
#[derive(Clone, Debug)]
pub(crate) struct Measured(Given);

/// Heading of the flags in the help.
const HEADING: &str = "Measurements of the body, as 92cm, 36in or 0.92";

/// The flag of each measurement, other words that the help shows, and words that are understood too.
const FLAGS: [(&str, &[&str], &[&str]); 18] = [
    ("height", &[], &["stature"]),
    ("inseam", &["inside-leg"], &["inner-leg"]),
    ("back-length", &[], &["back-waist-length", "nape-to-waist"]),
    ("arm-length", &[], &["sleeve-length"]),
    ("shoulder-width", &[], &["shoulders", "shoulder", "across-shoulders"]),
    ("shoulder-slope", &[], &[]),
    ("head", &[], &["head-girth"]),
    ("neck", &[], &["neck-girth"]),
    ("bust", &["chest"], &["bust-girth", "chest-girth"]),
    ("underbust", &[], &["under-bust"]),
    ("waist", &[], &["waist-girth"]),
    ("hip", &["hips", "seat"], &["hip-girth"]),
    ("thigh", &[], &["thighs", "upper-leg"]),
    ("knee", &[], &["knees"]),
    ("calf", &[], &["calves"]),
    ("ankle", &[], &["ankles"]),
    ("upper-arm", &["biceps"], &["bicep"]),
    ("wrist", &[], &["wrists"]),
];

/// The flag of a measurement without its dashes; angles are in degrees.
fn flag(m: Measurement) -> &'static str {
    FLAGS[m as usize].0
}

impl Args for Measured {
    fn augment_args(mut command: Command) -> Command {
        for (m, (flag, shown, hidden)) in Measurement::ALL.into_iter().zip(FLAGS) {
            let arg = Arg::new(flag)
                .long(flag)
                .visible_aliases(shown.iter().copied())
                .aliases(hidden.iter().copied())
                .value_name(if m.kind() == Kind::Angle { "DEGREES" } else { "LENGTH" })
                .help_heading(HEADING)
                .help(m.iso_name())
                .value_parser(move |text: &str| parse(m, text));
            command = command.arg(arg);
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A measurement as it is typed [m; rad].
fn parse(m: Measurement, text: &str) -> Result<f64, String> {
    let [low, high] = m.range();
    if m.kind() != Kind::Angle {
        return length::parse_within(text, low, high);
    }
    let degrees: Option<f64> = text.trim().trim_end_matches('°').parse().ok();
    let angle = degrees.map(f64::to_radians).filter(|angle| (low..=high).contains(angle));
    angle.ok_or_else(|| format!("write degrees from {:.0} to {:.0}", low.to_degrees(), high.to_degrees()))
}

impl FromArgMatches for Measured {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(Given::from_fn(|m| matches.get_one::<f64>(flag(m)).copied())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Measured {
    /// The first flag that was given.
    pub(crate) fn first(&self) -> Option<String> {
        self.0.iter().find(|(_, value)| value.is_some()).map(|(m, _)| format!("--{}", flag(m)))
    }

    /// A body with these measurements, as scenes name it: `woman-38, bust=0.9144`. A mesh has measurements of its own.
    pub(crate) fn change(&self, body: &str) -> Result<String> {
        let Some(first) = self.first() else { return Ok(body.to_owned()) };
        if toile_files::MeshFormat::from_path(std::path::Path::new(body)).is_ok() {
            let help = format!("leave {first} out, or name a size or a file of measurements with --body");
            return Err(miette!(help = help, "{first}: {body} is a mesh, which has measurements of its own"));
        }
        let mut parts = vec![body.to_owned()];
        for (m, value) in self.0.iter() {
            let Some(value) = value else { continue };
            let value = if m.kind() == Kind::Angle { value.to_degrees() } else { value };
            parts.push(format!("{}={value}", m.key()));
        }
        Ok(parts.join(", "))
    }
}

/// Sizes of one's own.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct OwnSizes {
    /// Own sizes: a TOML file with a table of measurements for each, as [M]; where a size or a body is asked for, their names
    /// come before the built-in ones
    #[arg(long, value_name = "TOML")]
    sizes: Option<PathBuf>,
}

impl OwnSizes {
    pub(crate) fn is_given(&self) -> bool {
        self.sizes.is_some()
    }

    pub(crate) fn load(&self) -> Result<Option<SizeChart>> {
        self.sizes.as_ref().map(chart).transpose()
    }
}

/// Reads a chart of sizes.
pub(crate) fn chart(path: &PathBuf) -> Result<SizeChart> {
    SizeChart::load(path).map_err(|e| miette!(help = e.help().to_owned(), "--sizes: {e}"))
}

/// A size or body as scenes name it: one of the chart by its file. What neither the chart nor anything else knows is refused.
pub(crate) fn resolved(flag: &str, name: &str, chart: Option<&SizeChart>) -> Result<String> {
    let name = name.trim();
    let Some(chart) = chart else { return Ok(name.to_owned()) };
    let base = name.split(',').next().unwrap_or_default();
    match chart.reference(base) {
        Some(reference) => Ok(format!("{reference}{}", &name[base.len()..])),
        None if Size::from_word(&name.to_uppercase()).is_some() || sizes::is_understood(name) => Ok(name.to_owned()),
        None => {
            let help = format!("{} has: {}; {}", chart.file, chart.names(), sizes::known());
            Err(miette!(help = help, "{flag} {name}: there is no such size"))
        }
    }
}

/// The measurements of a size or a file, with changes.
pub(crate) fn measurements(flag: &str, body: &str) -> Result<Measurements> {
    let specification = sizes::find(body).map_err(|e| miette!(help = e.help().to_owned(), "{flag}: {e}"))?;
    Ok(complete(specification.figure, &specification.given))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser, Debug)]
    struct Program {
        #[command(flatten)]
        measured: Measured,
    }

    #[test]
    fn every_measurement_is_a_flag_with_its_other_words() {
        for (m, (flag, shown, hidden)) in Measurement::ALL.into_iter().zip(FLAGS) {
            for word in [&[flag], shown, hidden].concat() {
                assert_eq!(Measurement::from_word(word), Some(m), "{word}");
            }
        }
        let read = |words: &[&str]| Program::try_parse_from([&["toile"], words].concat()).map(|read| read.measured);
        let typed =
            read(&["--chest", "36in", "--seat", "0.97", "--biceps", "28 cm", "--shoulder-slope", "21"]).unwrap();
        let changed = typed.change("woman-38").unwrap();
        let found = sizes::find(&changed).unwrap().given;
        assert_eq!((found[Measurement::Bust], found[Measurement::Hip]), (Some(0.9144), Some(0.97)), "{changed}");
        assert_eq!(found[Measurement::UpperArm], Some(0.28));
        assert!((found[Measurement::ShoulderSlope].unwrap() - 21f64.to_radians()).abs() < 1e-12);
        assert_eq!(typed.first().as_deref(), Some("--shoulder-slope"));
        let told = read(&["--bust", "36"]).unwrap_err().to_string();
        assert!(told.contains("--bust") && told.contains("36in") && told.contains("36cm"), "{told}");
        assert!(typed.change("scan.obj").is_err() && read(&[]).unwrap().change("scan.obj").unwrap() == "scan.obj");
    }
}
