//! The trace: spans and events in the Trace Event Format (Google 2016), which Perfetto and `chrome://tracing` show as a timeline.
//!
//! The file is an array of objects. A span becomes a complete event (`ph = "X"`) with its start `ts` and its duration `dur`, both in
//! microseconds since the trace began; an event becomes an instant (`ph = "i"`). `cat` is the target, `args` are the fields, `tid` numbers
//! the threads in the order of their first event.
//!
//! Memory is bounded: events go to the disk whenever [`FULL`] bytes are waiting, and whenever an outermost span ends. Every write ends with
//! the closing bracket, and the next one begins on top of it. So the file is whole after each of them, even if the program is killed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Bytes that wait before they are written.
const FULL: usize = 1 << 16;
/// What ends the file.
const END: &[u8] = b"\n]\n";

/// The file of a trace.
pub(super) struct Sink(Mutex<Writer>);

struct Writer {
    file: File,
    waiting: Vec<u8>,
    /// Where the next event goes: the place of [`END`].
    at: u64,
    /// Threads that have a name in the file.
    named: BTreeSet<u64>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl Sink {
    /// Begins the array in an empty file.
    pub(super) fn new(file: File) -> io::Result<Self> {
        let mut writer = Writer { file, waiting: b"[".to_vec(), at: 0, named: BTreeSet::new(), error: None };
        let name = json!({ "name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": { "name": "toile" } });
        writer.waiting.push(b'\n');
        serde_json::to_writer(&mut writer.waiting, &name)?;
        writer.flush();
        match writer.error.take() {
            Some(error) => Err(error),
            None => Ok(Self(Mutex::new(writer))),
        }
    }

    /// Writes what waits; the first error of the file.
    pub(super) fn close(&self) -> io::Result<()> {
        let mut writer = self.lock();
        writer.flush();
        writer.error.take().map_or(Ok(()), Err)
    }

    fn lock(&self) -> MutexGuard<'_, Writer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Adds an event of a thread, which is named first.
    fn push(&mut self, thread: u64, event: &Value) {
        if self.named.insert(thread) {
            let args = json!({ "name": thread_name(thread) });
            self.append(&json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": thread, "args": args }));
        }
        self.append(event);
        if self.waiting.len() >= FULL {
            self.flush();
        }
    }

    fn append(&mut self, event: &Value) {
        self.waiting.extend_from_slice(b",\n");
        if let Err(error) = serde_json::to_writer(&mut self.waiting, event) {
            self.error.get_or_insert(error.into());
        }
    }

    fn flush(&mut self) {
        if !self.waiting.is_empty() && self.error.is_none() {
            self.error = self.write().err();
        }
        self.waiting.clear();
    }

    fn write(&mut self) -> io::Result<()> {
        let length = self.waiting.len() as u64;
        self.waiting.extend_from_slice(END);
        if self.at > 0 {
            self.file.seek(SeekFrom::Start(self.at))?;
        }
        self.file.write_all(&self.waiting)?;
        self.at += length;
        Ok(())
    }
}

/// Number of this thread, from 1 in the order of first use.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! { static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed); }
    NUMBER.with(|number| *number)
}

fn thread_name(number: u64) -> String {
    match (std::thread::current().name(), rayon::current_thread_index()) {
        (Some(name), _) => name.to_owned(),
        (None, Some(worker)) => format!("worker {worker}"),
        (None, None) => format!("thread {number}"),
    }
}

/// Writes spans and events to a [`Sink`].
pub(super) struct ChromeLayer {
    sink: Arc<Sink>,
    begin: Instant,
}

/// When a span was entered, in nanoseconds since the trace began.
struct Entered(u128);

/// Fields of a span or an event.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl ChromeLayer {
    pub(super) fn new(sink: Arc<Sink>) -> Self {
        Self { sink, begin: Instant::now() }
    }

    fn now(&self) -> u128 {
        self.begin.elapsed().as_nanos()
    }
}

impl<S> Layer<S> for ChromeLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            record.record(fields);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().replace(Entered(self.now()));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let now = self.now();
        let Some(span) = context.span(id) else { return };
        let extensions = span.extensions();
        let Some(Entered(entered)) = extensions.get::<Entered>() else { return };
        let thread = thread_number();
        let mut event = described(span.metadata(), span.name(), "X", *entered, thread);
        event["dur"] = json!(micros(now - entered));
        if let Some(Fields(fields)) = extensions.get::<Fields>().filter(|fields| !fields.0.is_empty()) {
            event["args"] = Value::Object(fields.clone());
        }
        let mut writer = self.sink.lock();
        writer.push(thread, &event);
        if span.parent().is_none() {
            writer.flush();
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let now = self.now();
        let mut fields = Fields::default();
        event.record(&mut fields);
        let message = fields.0.remove("message");
        let name = message.as_ref().and_then(Value::as_str).unwrap_or(event.metadata().name());
        let thread = thread_number();
        let mut told = described(event.metadata(), name, "i", now, thread);
        // It belongs to its thread, not to the whole process.
        told["s"] = json!("t");
        if !fields.0.is_empty() {
            told["args"] = Value::Object(fields.0);
        }
        self.sink.lock().push(thread, &told);
    }
}

/// What all events of a trace have.
fn described(metadata: &Metadata<'_>, name: &str, kind: &str, at: u128, thread: u64) -> Value {
    json!({ "name": name, "cat": metadata.target(), "ph": kind, "ts": micros(at), "pid": 1, "tid": thread })
}

/// Nanoseconds as microseconds.
fn micros(nanoseconds: u128) -> f64 {
    nanoseconds as f64 / 1000.0
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no number that is not finite.
        let number = if value.is_finite() { json!(value) } else { json!(value.to_string()) };
        self.0.insert(field.name().to_owned(), number);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), json!(format!("{value:?}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    fn read(path: &std::path::Path) -> Vec<Value> {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[test]
    fn the_file_is_whole_whenever_an_outermost_span_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let sink = Arc::new(Sink::new(File::create(&path).unwrap()).unwrap());
        assert_eq!(read(&path).len(), 1, "the name of the process");
        let subscriber = tracing_subscriber::registry().with(ChromeLayer::new(sink.clone()));
        tracing::subscriber::with_default(subscriber, || {
            for frame in 1..=3_u32 {
                let outer = tracing::info_span!("outer", frame, late = tracing::field::Empty).entered();
                tracing::info_span!("inner").in_scope(|| tracing::info!(x = f64::NAN, word = "\"quoted\"", "told"));
                outer.record("late", true);
                drop(outer);
                // Two names, then three events each time.
                assert_eq!(read(&path).len(), 2 + 3 * frame as usize);
            }
        });
        let events = read(&path);
        let [told, inner, outer] = &events[2..5] else { panic!("{events:?}") };
        assert_eq!((&told["name"], &told["ph"], &told["args"]["x"]), (&json!("told"), &json!("i"), &json!("NaN")));
        assert_eq!(told["args"]["word"], "\"quoted\"");
        assert_eq!((&inner["name"], &inner["ph"], inner.get("args")), (&json!("inner"), &json!("X"), None));
        assert_eq!(outer["args"], json!({ "frame": 1, "late": true }));
        sink.close().unwrap();
        assert_eq!(read(&path), events);
    }

    #[test]
    fn memory_is_bounded_inside_a_long_span() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let sink = Arc::new(Sink::new(File::create(&path).unwrap()).unwrap());
        let subscriber = tracing_subscriber::registry().with(ChromeLayer::new(sink.clone()));
        tracing::subscriber::with_default(subscriber, || {
            let _outer = tracing::info_span!("outer").entered();
            for _ in 0..5000 {
                tracing::info_span!("inner").in_scope(|| ());
                assert!(sink.lock().waiting.len() < FULL);
            }
            assert!(read(&path).len() > 1000, "events are on the disk before the span ends");
        });
        assert_eq!(read(&path).len(), 2 + 5000 + 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        std::fs::write(&path, "").unwrap();
        assert!(Sink::new(File::open(&path).unwrap()).is_err());
    }
}
