//! A run in one line of a terminal. Reads the clock, and writes what it was given to write to; changes nothing.

use std::fmt;
use std::io::{self, IsTerminal, Stderr, Write};
use std::time::{Duration, Instant};

use crate::{Observer, Stop, View};

/// Shows a run in one line that renews itself: evaluations, the best value, σ, axis ratios and the time since the start.
///
/// At the end of a run the line stays, with the reason below it. "C" and "D" are ratios of their longest to their shortest axis.
/// The line is renewed at most ten times a second, unless [`every`](Self::every) says otherwise. Observers cannot fail: after an
/// error of the writer nothing more is written.
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
    /// `None` if nothing is, or can be, written.
    writer: Option<W>,
    interval: Duration,
    /// The first observation and the last one that was shown.
    times: Option<(Instant, Instant)>,
    /// How many characters the line has that is to be overwritten.
    shown: usize,
}

impl Progress<Stderr> {
    /// Writes to the standard error stream if it is a terminal, and nothing if it is not.
    pub fn stderr() -> Self {
        let stderr = io::stderr();
        let writer = stderr.is_terminal().then_some(stderr);
        Self { writer, ..Self::new(io::stderr()) }
    }
}

impl<W: Write> Progress<W> {
    /// Writes to anything, whether it is a terminal or not.
    pub fn new(writer: W) -> Self {
        Self { writer: Some(writer), interval: Duration::from_millis(100), times: None, shown: 0 }
    }

    /// Sets the least time between two renewals of the line.
    #[must_use]
    pub fn every(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    fn show(&mut self, view: &View<'_>, elapsed: Duration, stop: Option<&Stop>) {
        let Some(writer) = &mut self.writer else { return };
        let line = Line { view, elapsed }.to_string();
        let length = line.chars().count();
        // What is left of a longer line is overwritten by blanks.
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
        let now = Instant::now();
        let Some((start, last)) = self.times else {
            self.times = Some((now, now));
            return self.show(view, Duration::ZERO, None);
        };
        if now - last >= self.interval {
            self.times = Some((start, now));
            self.show(view, now - start, None);
        }
    }

    fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        let elapsed = self.times.map_or(Duration::ZERO, |(start, _)| start.elapsed());
        self.show(view, elapsed, Some(stop));
    }
}

/// What is shown, in less than 80 characters.
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
        let seconds = self.elapsed.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{evaluations} evaluations  f {best:.8e}  σ {sigma:.1e}  ")?;
        write!(f, "C {}  D {}  ", Ratio(ratio_of_c), Ratio(ratio_of_d))?;
        if hours > 0 { write!(f, "{hours}:{minutes:02}:{seconds:02}") } else { write!(f, "{minutes}:{seconds:02}") }
    }
}

/// A ratio, of which the magnitude counts.
struct Ratio(f64);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1000.0 { write!(f, "{:.1}", self.0) } else { write!(f, "{:.0e}", self.0) }
    }
}
