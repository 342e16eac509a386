//! Looking at a run from outside, once a generation. An observer reads; it cannot change anything, and cannot fail.

use std::io::{self, Write};

use crate::optimizer::Best;
use crate::strategy::Axes;
use crate::{Optimizer, Stop, Strategy};

/// What an observer sees after a generation.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct View<'a> {
    /// The number of generations told.
    pub iterations: u64,
    /// The number of function values told.
    pub evaluations: u64,
    /// The best point so far.
    pub best: Option<Best<'a>>,
    /// The values of the last generation, in the order of its candidates: NaN where one was missing.
    pub values: &'a [f64],
    /// The mean.
    pub mean: &'a [f64],
    /// The step size.
    pub sigma: f64,
    /// The diagonal of D.
    pub d: &'a [f64],
    /// The extreme axes of C, the damping β and the scaling α.
    pub axes: Axes,
    strategy: &'a dyn AxisLengths,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("iterations", &self.iterations).field("best", &self.best).finish_non_exhaustive()
    }
}

impl<'a> View<'a> {
    pub(crate) fn new<S: Strategy, R>(run: &'a Optimizer<S, R>) -> Self {
        View {
            iterations: run.iterations(),
            evaluations: run.evaluations(),
            best: run.best(),
            values: run.values(),
            mean: run.mean(),
            sigma: run.sigma(),
            d: run.d(),
            axes: run.strategy().shape().axes,
            strategy: run.strategy(),
        }
    }

    /// The square roots of the eigenvalues of C, in ascending order; computed on demand.
    pub fn axis_lengths(&self) -> Vec<f64> {
        self.strategy.axis_lengths()
    }

    /// The best value of the last generation.
    pub fn generation_best(&self) -> f64 {
        self.values.iter().copied().fold(f64::NAN, f64::min)
    }
}

/// What a view can ask a strategy of any type.
trait AxisLengths {
    fn axis_lengths(&self) -> Vec<f64>;
}

impl<S: Strategy> AxisLengths for S {
    fn axis_lengths(&self) -> Vec<f64> {
        Strategy::axis_lengths(self)
    }
}

/// Looks at a run once a generation.
pub trait Observer {
    /// Called after each generation.
    fn observe(&mut self, view: &View<'_>);

    /// Called once at the end of a run that stopped, and of each run of a search. Does nothing by default.
    ///
    /// A run that was interrupted by an error of its objective is not at its end: it can run on.
    fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        let _ = (view, stop);
    }
}

impl<F: FnMut(&View<'_>)> Observer for F {
    fn observe(&mut self, view: &View<'_>) {
        self(view);
    }
}

/// One line of a [`History`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The number of generations told.
    pub iterations: u64,
    /// The number of function values told.
    pub evaluations: u64,
    /// The best value so far; +∞ as long as there is none.
    pub best_value: f64,
    /// The best value of the generation.
    pub generation_best: f64,
    /// The step size.
    pub sigma: f64,
    /// The damping β.
    pub beta: f64,
    /// The diagonal of D.
    pub d: Vec<f64>,
    /// The square roots of the eigenvalues of C.
    pub axis_lengths: Vec<f64>,
    /// The mean.
    pub mean: Vec<f64>,
}

impl Record {
    fn new(view: &View<'_>) -> Self {
        Self {
            iterations: view.iterations,
            evaluations: view.evaluations,
            best_value: view.best.map_or(f64::INFINITY, |best| best.value),
            generation_best: view.generation_best(),
            sigma: view.sigma,
            beta: view.axes.beta,
            d: view.d.to_vec(),
            axis_lengths: view.axis_lengths(),
            mean: view.mean.to_vec(),
        }
    }
}

/// The course of a run in memory: what the paper's Figure "conv" shows.
///
/// Holds at most as many records as it was made for, over however many runs: when it is full, every second one is dropped,
/// and from then on only every second generation is taken.
///
/// ```
/// use ddcma_core::{History, SepCma, StopCriteria};
///
/// let mut history = History::new(100);
/// let mut es = SepCma::builder(&[1.0; 3], 1.0).criteria(StopCriteria::none().max_iterations(250)).build()?;
/// es.run(|x: &[f64]| x.iter().map(|x| x * x).sum(), &mut [&mut history])?;
/// assert!(history.records().len() <= 100);
/// assert_eq!(history.records()[1].iterations - history.records()[0].iterations, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    records: Vec<Record>,
    capacity: usize,
    stride: usize,
    observed: usize,
}

impl History {
    /// A history of at most so many records, and of at least two.
    pub fn new(capacity: usize) -> Self {
        Self { records: Vec::new(), capacity: capacity.max(2), stride: 1, observed: 0 }
    }

    /// What was recorded, the oldest first.
    pub fn records(&self) -> &[Record] {
        &self.records
    }
}

impl Observer for History {
    fn observe(&mut self, view: &View<'_>) {
        let number = self.observed;
        self.observed += 1;
        if !number.is_multiple_of(self.stride) {
            return;
        }
        if self.records.len() == self.capacity {
            self.stride *= 2;
            let mut position = 0..;
            self.records.retain(|_| position.next().is_some_and(|k: usize| k.is_multiple_of(2)));
        }
        if number.is_multiple_of(self.stride) {
            self.records.push(Record::new(view));
        }
    }
}

/// Writes a line for each generation as comma-separated values.
///
/// The columns: iterations, evaluations, best_f, generation_best_f, sigma, beta, then d_1 … d_n, axis_1 … axis_n and
/// m_1 … m_n. Observers cannot fail: after an error of the writer nothing more is written, and
/// [`finish`](Self::finish) returns the error.
#[derive(Debug)]
pub struct CsvWriter<W> {
    writer: W,
    header_written: bool,
    error: Option<io::Error>,
}

impl<W: Write> CsvWriter<W> {
    /// Writes to anything; a file should be buffered.
    pub fn new(writer: W) -> Self {
        Self { writer, header_written: false, error: None }
    }

    /// Flushes and returns the writer, or the first error there was.
    pub fn finish(mut self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.writer.flush().map(|()| self.writer),
        }
    }

    fn write(&mut self, view: &View<'_>) -> io::Result<()> {
        if !self.header_written {
            self.header_written = true;
            write!(self.writer, "iterations,evaluations,best_f,generation_best_f,sigma,beta")?;
            let n = view.d.len(); // of the search: with variables, of the free ones
            for (name, count) in [("d", n), ("axis", n), ("m", view.mean.len())] {
                for k in 1..=count {
                    write!(self.writer, ",{name}_{k}")?;
                }
            }
            writeln!(self.writer)?;
        }
        let record = Record::new(view);
        let Record { iterations, evaluations, best_value, generation_best, sigma, beta, .. } = record;
        write!(self.writer, "{iterations},{evaluations},{best_value:e},{generation_best:e},{sigma:e},{beta:e}")?;
        for number in record.d.iter().chain(&record.axis_lengths).chain(&record.mean) {
            write!(self.writer, ",{number:e}")?;
        }
        writeln!(self.writer)
    }
}

impl<W: Write> Observer for CsvWriter<W> {
    fn observe(&mut self, view: &View<'_>) {
        if self.error.is_none() {
            self.error = self.write(view).err();
        }
    }
}
