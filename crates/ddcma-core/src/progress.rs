//! Shows the progress of a run in one line of a terminal.

use std::fmt;
use std::io::{self, IsTerminal, Stderr, Write};
use std::time::{Duration, Instant};

use crate::{Observer, Stop, View};

/// Shows a run in one line that updates itself: evaluations, the best value, σ, axis ratios and the time since the start.
///
/// When the run ends, the line stays, and the stop reason follows below it. "C" and "D" are the ratios of their longest to
/// their shortest axis. The line is updated at most ten times a second, unless [`every`](Self::every) sets another interval.
/// Observers cannot fail: after a write error, nothing more is written.
///
/// ```
/// use ddcma_core::{Progress, minimize};
///
/// let mut progress = Progress::stderr(); // silent unless it is a terminal
/// let solution = minimize(|x: &[f64]| x.iter().map(|x| x * x).sum(), &[3.0; 5], 1.0).observer(&mut progress).run()?;
/// # assert!(solution.value < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Progress<W> {
    /// `None` if nothing should or can be written.
    writer: Option<W>,
    interval: Duration,
    /// The times of the first observation and of the last one that was shown.
    times: Option<(Instant, Instant)>,
    /// The length, in characters, of the line to overwrite.
    shown: usize,
}

impl Progress<Stderr> {
    /// Creates a progress line on standard error if that is a terminal; otherwise nothing is written.
    pub fn stderr() -> Self {
        let stderr = io::stderr();
        let writer = stderr.is_terminal().then_some(stderr);
        Self { writer, ..Self::new(io::stderr()) }
    }
}

impl<W: Write> Progress<W> {
    /// Creates a progress line for any writer, whether it is a terminal or not.
    pub fn new(writer: W) -> Self {
        Self { writer: Some(writer), interval: Duration::from_millis(100), times: None, shown: 0 }
    }

    /// Sets the minimum time between two updates of the line.
    #[must_use]
    pub fn every(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Updates the line after a generation if it is time to, and always at the end.
    fn update_line(&mut self, line: impl Fn(Duration) -> String, stop: Option<&Stop>) {
        let now = Instant::now();
        let first = self.times.is_none();
        let (start, last) = *self.times.get_or_insert((now, now));
        if first || stop.is_some() || now - last >= self.interval {
            self.times = Some((start, now));
            self.show(&line(now - start), stop);
        }
    }

    fn show(&mut self, line: &str, stop: Option<&Stop>) {
        let Some(writer) = &mut self.writer else { return };
        let length = line.chars().count();
        // Blanks overwrite the rest of a longer line.
        let mut written = write!(writer, "\r{line}{:1$}", "", self.shown.saturating_sub(length));
        self.shown = length;
        if let Some(stop) = stop {
            written = written.and_then(|()| write!(writer, "\n{stop}\n"));
            self.shown = 0;
        }
        if written.and_then(|()| writer.flush()).is_err() {
            self.writer = None;
        }
    }
}

impl<W: Write> Observer for Progress<W> {
    fn observe(&mut self, view: &View<'_>) {
        self.update_line(|elapsed| Line { view, elapsed }.to_string(), None);
    }

    fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        self.update_line(|elapsed| Line { view, elapsed }.to_string(), Some(stop));
    }

    fn observe_points(&mut self, view: &View<'_>, stop: Option<&Stop>) {
        let (View { kind, evaluations, .. }, best_value) = (view, view.best_value());
        let line = |elapsed| format!("{evaluations} evaluations  f {best_value:.8e}  {kind}  {}", ClockTime(elapsed));
        self.update_line(line, stop);
    }
}

/// The line, in fewer than 80 characters.
struct Line<'a> {
    view: &'a View<'a>,
    elapsed: Duration,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let View { evaluations, best, sigma, d, axes, .. } = self.view;
        let best = best.map_or(f64::NAN, |best| best.value);
        let ratio_of_d = d.iter().copied().fold(0.0, f64::max) / d.iter().copied().fold(f64::INFINITY, f64::min);
        let ratio_of_c = axes.longest / axes.shortest;
        write!(f, "{evaluations} evaluations  f {best:.8e}  σ {sigma:.1e}  ")?;
        write!(f, "C {}  D {}  {}", Ratio(ratio_of_c), Ratio(ratio_of_d), ClockTime(self.elapsed))
    }
}

/// A duration as h:mm:ss, or as m:ss if it is less than an hour.
struct ClockTime(Duration);

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 { write!(f, "{hours}:{minutes:02}:{seconds:02}") } else { write!(f, "{minutes}:{seconds:02}") }
    }
}

/// A ratio, shown with enough digits for its magnitude.
struct Ratio(f64);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1000.0 { write!(f, "{:.1}", self.0) } else { write!(f, "{:.0e}", self.0) }
    }
}
