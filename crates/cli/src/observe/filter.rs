//! [`LogFilter`]: what `--log` lets through.
//!
//! A filter is a list with commas. Each part is a level, which holds for everything, or `TARGET=LEVEL`, which holds for a target and
//! everything whose name begins like it. A part for a longer target has precedence.

use tracing_subscriber::filter::{LevelFilter, Targets};

/// The levels, from silence to everything.
const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

/// Packages that tell something; their modules are targets too, as `toile::step`.
const PACKAGES: [&str; 4] = ["toile", "toile_contact", "toile_scene", "toile_tailor"];

/// What the log lets through.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LogFilter {
    pub(super) targets: Targets,
    /// The most talkative level of any part.
    most: LevelFilter,
}

impl LogFilter {
    /// Whether it lets nothing through.
    pub(super) fn is_off(&self) -> bool {
        self.most == LevelFilter::OFF
    }

    /// Whether some part lets everything through.
    pub(super) fn tells_all(&self) -> bool {
        self.most == LevelFilter::TRACE
    }
}

/// Reads a filter; the error says what can be written instead.
pub(crate) fn parse_filter(text: &str) -> Result<LogFilter, String> {
    let mut targets = Targets::new();
    let mut most = LevelFilter::OFF;
    for part in text.split(',').map(str::trim) {
        let (target, word) = match part.split_once('=') {
            Some((target, word)) => (Some(target.trim()), word.trim()),
            None => (None, part),
        };
        let level = level(word)?;
        targets = match target {
            None => targets.with_default(level),
            Some(target) if is_known(target) => targets.with_target(target, level),
            Some(target) => {
                let packages = PACKAGES.join(", ");
                return Err(format!(
                    "nothing is told by \"{target}\"; use {packages}, or a module of them as toile::step"
                ));
            }
        };
        most = most.max(level);
    }
    Ok(LogFilter { targets, most })
}

fn level(word: &str) -> Result<LevelFilter, String> {
    let found = LEVELS.iter().find(|(name, _)| *name == word);
    found.map(|(_, level)| *level).ok_or_else(|| {
        let names = LEVELS.map(|(name, _)| name).join(", ");
        format!("\"{word}\" is not a level; use one of {names}, or TARGET=LEVEL as toile_contact=debug")
    })
}

fn is_known(target: &str) -> bool {
    PACKAGES
        .iter()
        .any(|package| target.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::filter::LevelFilter as Level;

    #[test]
    fn levels_and_targets_are_read() {
        let filter = parse_filter("warn, toile_contact=debug,toile::step=trace").unwrap();
        assert_eq!(filter.targets.default_level(), Some(Level::WARN));
        let step = |level| filter.targets.would_enable("toile::step::quality", &level);
        assert!(step(tracing::Level::TRACE));
        assert!(!filter.targets.would_enable("toile::advance", &tracing::Level::INFO));
        assert!(filter.targets.would_enable("toile_contact::candidates", &tracing::Level::DEBUG));
        assert!(!filter.targets.would_enable("toile_contact::candidates", &tracing::Level::TRACE));
        assert!(filter.tells_all() && !filter.is_off());
        assert!(parse_filter("off").unwrap().is_off());
        assert!(!parse_filter("off,toile_tailor=info").unwrap().is_off());
    }

    #[test]
    fn what_would_have_no_effect_is_refused() {
        for bad in
            ["loud", "", "info,", "Info", "3", "toile=", "toile=loud", "toile_tailr=debug", "toiles=info", "=info"]
        {
            let error = parse_filter(bad).unwrap_err();
            assert!(error.contains("use "), "{bad}: {error}");
        }
    }
}
