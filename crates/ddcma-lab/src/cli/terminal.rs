//! Shows the progress of an experiment on a terminal or in a log.

use std::io::IsTerminal;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::Progress;

/// A [`Progress`] for people: a bar in a terminal, a line every ten seconds elsewhere.
#[derive(Debug, Default)]
pub struct Terminal(OnceLock<Shown>);

#[derive(Debug)]
struct Shown {
    bar: Option<ProgressBar>,
    total: usize,
    start: Instant,
    lines: Mutex<(usize, Instant)>,
}

impl Progress for Terminal {
    fn started(&self, missing: usize, on_record: usize) {
        if on_record > 0 {
            eprintln!("{on_record} of {} trials are on record", missing + on_record);
        }
        let bar = (std::io::stderr().is_terminal() && missing > 0).then(|| {
            let bar = ProgressBar::new(missing as u64);
            let style = "{bar:40} {pos}/{len} trials, {per_sec}, {eta} left";
            bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let (start, lines) = (Instant::now(), Mutex::new((0, Instant::now())));
        self.0.get_or_init(|| Shown { bar, total: missing, start, lines });
    }

    fn done(&self, _key: &str) {
        let Some(Shown { bar, total, start, lines }) = self.0.get() else { return };
        if let Some(bar) = bar {
            bar.inc(1);
            return;
        }
        let Ok(mut lines) = lines.lock() else { return };
        let (done, last) = &mut *lines;
        *done += 1;
        if last.elapsed() > Duration::from_secs(10) {
            *last = Instant::now();
            let rate = *done as f64 / start.elapsed().as_secs_f64();
            let left = (total - *done) as f64 / rate;
            eprintln!("{done}/{total} trials, {rate:.1}/s, {left:.0} s left");
        }
    }

    fn ended(&self) {
        if let Some(bar) = self.0.get().and_then(|shown| shown.bar.as_ref()) {
            bar.finish_and_clear();
        }
    }
}
