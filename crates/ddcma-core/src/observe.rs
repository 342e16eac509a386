//! Observers, which are called once per generation. They cannot change a run, and they cannot fail.

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
    /// The values of the last generation, in the order of its candidates; NaN where a value is missing.
    pub values: &'a [f64],
    /// The mean.
    pub mean: &'a [f64],
    /// The step size.
    pub sigma: f64,
    /// The diagonal of D.
    pub d: &'a [f64],
    /// The extreme axes of C, the damping β and the scaling α.
    pub axes: Axes,
    /// What the last generation was, in one word: "run" if it was sampled from a distribution, otherwise for example "probe".
    pub kind: &'static str,
    strategy: Option<&'a dyn AxisLengths>,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("iterations", &self.iterations).field("best", &self.best).finish_non_exhaustive()
    }
}

impl<'a> View<'a> {
    pub(crate) fn new<S: Strategy>(run: &'a Optimizer<S>) -> Self {
        View {
            iterations: run.iterations(),
            evaluations: run.evaluations(),
            best: run.best(),
            values: run.values(),
            mean: run.mean(),
            sigma: run.sigma(),
            d: run.d(),
            axes: run.strategy().shape().axes,
            kind: "run",
            strategy: Some(run.strategy()),
        }
    }

    /// Creates the view of a run whose generations are not sampled from a distribution, such as a probe along the axes in
    /// `ddcma-restarts`. `kind` says in one word what they are. The step size is 0, and D is empty.
    pub fn of_points(
        kind: &'static str,
        iterations: u64,
        evaluations: u64,
        best: Option<Best<'a>>,
        values: &'a [f64],
    ) -> Self {
        let (mean, sigma, d, axes) = (&[][..], 0.0, &[][..], Axes::default());
        Self { iterations, evaluations, best, values, mean, sigma, d, axes, kind, strategy: None }
    }

    /// Returns whether the last generation was sampled from a distribution.
    pub fn is_sampled(&self) -> bool {
        self.strategy.is_some()
    }

    /// Returns the best value so far; +∞ if there is none yet.
    pub fn best_value(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |best| best.value)
    }

    /// Returns the square roots of the eigenvalues of C, in ascending order, computed on demand; none without a distribution.
    pub fn axis_lengths(&self) -> Vec<f64> {
        self.strategy.map_or_else(Vec::new, |strategy| strategy.axis_lengths())
    }

    /// Returns the best value of the last generation.
    pub fn generation_best(&self) -> f64 {
        self.values.iter().copied().fold(f64::NAN, f64::min)
    }
}

/// The part of a strategy that a view needs, whatever the strategy's type.
trait AxisLengths {
    fn axis_lengths(&self) -> Vec<f64>;
}

impl<S: Strategy> AxisLengths for S {
    fn axis_lengths(&self) -> Vec<f64> {
        Strategy::axis_lengths(self)
    }
}

/// An observer of a run, called once per generation.
pub trait Observer {
    /// Called after each generation.
    fn observe(&mut self, view: &View<'_>);

    /// Called once when a run has stopped; in a search, at the end of each run. Does nothing by default.
    ///
    /// A run that was interrupted by an error of its objective has not ended: it can be continued.
    fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        let _ = (view, stop);
    }

    /// Called after each generation that was not sampled from a distribution, such as those of a probe in a search, and once
    /// more at the end of such a probe, with the reason. Does nothing by default.
    fn observe_points(&mut self, view: &View<'_>, stop: Option<&Stop>) {
        let _ = (view, stop);
    }
}

impl<F: FnMut(&View<'_>)> Observer for F {
    fn observe(&mut self, view: &View<'_>) {
        self(view);
    }
}

/// One record of a [`History`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The number of generations told.
    pub iterations: u64,
    /// The number of function values told.
    pub evaluations: u64,
    /// The best value so far; +∞ if there is none yet.
    pub best_value: f64,
    /// The best value of the generation.
    pub generation_best: f64,
    /// The step size.
    pub sigma: f64,
    /// The damping β.
    pub beta: f64,
    /// The diagonal of D.
    pub d: Vec<f64>,
    /// The shortest and the longest axis of N(0, C), as the strategy tracks them; if all axes were requested, the square roots
    /// of all eigenvalues of C, in ascending order.
    pub axis_lengths: Vec<f64>,
    /// The mean.
    pub mean: Vec<f64>,
}

impl Record {
    fn new(view: &View<'_>, all_axes: bool) -> Self {
        let Axes { shortest, longest, .. } = view.axes;
        Self {
            iterations: view.iterations,
            evaluations: view.evaluations,
            best_value: view.best_value(),
            generation_best: view.generation_best(),
            sigma: view.sigma,
            beta: view.axes.beta,
            d: view.d.to_vec(),
            axis_lengths: if all_axes { view.axis_lengths() } else { vec![shortest, longest] },
            mean: view.mean.to_vec(),
        }
    }
}

/// The history of a run in memory: the quantities of the paper's Figure "conv".
///
/// It holds at most as many records as its capacity, over any number of runs: when it is full, every second record is
/// dropped, and from then on only every second generation is recorded. A record takes O(n).
///
/// ```
/// use ddcma_core::{History, SepCma, StopCriteria, With};
///
/// let mut history = History::new(100);
/// let mut es = SepCma::builder(&[1.0; 3], 1.0).criteria(StopCriteria::none().max_iterations(250)).build()?;
/// es.run_with(|x: &[f64]| x.iter().map(|x| x * x).sum(), &mut With::new().observer(&mut history))?;
/// assert!(history.records().len() <= 100);
/// assert_eq!(history.records()[1].iterations - history.records()[0].iterations, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    records: Vec<Record>,
    capacity: usize,
    all_axes: bool,
    stride: usize,
    observed: usize,
}

impl History {
    /// Creates a history with room for this number of records. With room for one, it keeps the first generation.
    pub fn new(capacity: usize) -> Self {
        Self { records: Vec::new(), capacity, all_axes: false, stride: 1, observed: 0 }
    }

    /// Records all axis lengths, in place of the shortest and the longest. Each record then takes an eigendecomposition, O(n³).
    #[must_use]
    pub fn all_axes(mut self) -> Self {
        self.all_axes = true;
        self
    }

    /// Returns the records, the oldest first.
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
        if number.is_multiple_of(self.stride) && self.records.len() < self.capacity {
            self.records.push(Record::new(view, self.all_axes));
        }
    }
}

/// The names of the columns of the tracked axes.
const EXTREME_AXES: [&str; 2] = ["axis_shortest", "axis_longest"];

/// Writes one line of comma-separated values per generation, in O(n).
///
/// The columns are iterations, evaluations, best_f, generation_best_f, sigma, beta, then d_0, d_1, …, axis_shortest,
/// axis_longest and m_0, m_1, …: the diagonal of D, the extreme axes of C as the strategy tracks them, and the mean. With
/// [`all_axes`](Self::all_axes), axis_0, axis_1, … take the place of the two axes: the square roots of all eigenvalues of C, in
/// ascending order. As everywhere in this crate, coordinates count from 0. With [variables](crate::Variables), m has one column
/// per variable; D and C have one per [free](crate::Variables::free) variable.
///
/// Observers cannot fail: after a write error nothing more is written, and [`finish`](Self::finish) returns the error.
#[derive(Debug)]
pub struct CsvWriter<W> {
    writer: W,
    all_axes: bool,
    header_written: bool,
    error: Option<io::Error>,
}

impl<W: Write> CsvWriter<W> {
    /// Creates an observer that writes to any writer. Wrap a file in a `BufWriter`.
    pub fn new(writer: W) -> Self {
        Self { writer, all_axes: false, header_written: false, error: None }
    }

    /// Writes all axis lengths, in place of the shortest and the longest. Each line then takes an eigendecomposition, O(n³).
    #[must_use]
    pub fn all_axes(mut self) -> Self {
        self.all_axes = true;
        self
    }

    /// Flushes and returns the writer, or the first error that occurred.
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
            let n = view.d.len(); // of the search: with variables, only the free ones
            let numbered = |name: &'static str, count| (0..count).map(move |k| format!("{name}_{k}"));
            let axes =
                if self.all_axes { numbered("axis", n).collect() } else { EXTREME_AXES.map(String::from).to_vec() };
            for name in numbered("d", n).chain(axes).chain(numbered("m", view.mean.len())) {
                write!(self.writer, ",{name}")?;
            }
            writeln!(self.writer)?;
        }
        let record = Record::new(view, self.all_axes);
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
