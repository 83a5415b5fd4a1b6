//! The log: one line per event on standard error, above progress bars.
//!
//! A line has seconds since the start of the program, level, spans with their fields, target, and the event with its fields.

use std::io::{self, Write};

use indicatif::MultiProgress;
use tracing::Subscriber;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::{self, time};
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::LookupSpan;

use super::filter::LogFilter;

/// The layer that logs what `filter` lets through. If some part of it lets everything through, spans tell their time when they end.
pub(super) fn layer<S>(filter: &LogFilter, bars: MultiProgress) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let spans = if filter.tells_all() { FmtSpan::CLOSE } else { FmtSpan::NONE };
    fmt::layer()
        .with_writer(move || AboveBars { bars: bars.clone() })
        .with_timer(time::uptime())
        .with_ansi(false)
        .with_span_events(spans)
        .with_filter(filter.targets.clone())
        .boxed()
}

/// Standard error. Progress bars are taken away while something is written.
struct AboveBars {
    bars: MultiProgress,
}

impl Write for AboveBars {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // A reader that has gone away is no error; nobody is left to tell.
        let _ = self.bars.suspend(|| io::stderr().lock().write_all(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
