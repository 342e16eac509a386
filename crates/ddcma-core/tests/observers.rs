//! Observers see every generation as it was, keep bounded memory, and write what they see.
#![cfg(feature = "dense")]

use std::io::{self, Write};
use std::time::Duration;

use crate::common::{self, ellipsoid, sphere};
use ddcma_core::{
    BuiltInRule, Columns, CsvWriter, DdCma, Fallible, Generation, History, Observer, Optimizer, Pace, Params, Progress,
    Root, SepCma, Separable, Settings, Shape, StartError, StartShape, Stop, StopCriteria, Strategy, UpdateError, View,
    With,
};

fn start(iterations: u64) -> DdCma {
    DdCma::builder(&[1.0; 4], 0.5).criteria(StopCriteria::none().max_iterations(iterations)).seed(6).build().unwrap()
}

#[test]
fn a_view_is_the_state() {
    let literal = Settings::new().root(Root::Literal);
    let builder = DdCma::builder(&[1.0; 4], 0.5).criteria(StopCriteria::none().max_iterations(30)).settings(literal);
    let mut es = builder.seed(6).build().unwrap();
    es.run(ellipsoid).unwrap();
    let view = es.view();
    assert_eq!((view.iterations, view.evaluations), (30, 240));
    assert_eq!((view.mean, view.sigma, view.d), (es.mean(), es.sigma(), es.d()));
    assert_eq!(view.best, es.best());
    assert_eq!(view.values, es.values());
    let smallest = view.values.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(view.generation_best(), smallest);
    let lengths = view.axis_lengths();
    assert_eq!((lengths[0], lengths[3]), (view.axes.shortest, view.axes.longest));
    // The trace of a correlation matrix is n, and the sum of its eigenvalues.
    assert!((lengths.iter().map(|l| l * l).sum::<f64>() - 4.0).abs() < 1e-12);
    assert_eq!(view.axes.beta, es.strategy().shape().axes.beta);
}

#[test]
fn observers_are_called_once_a_generation_and_change_nothing() {
    let mut seen = Vec::new();
    let mut watch = |view: &View<'_>| seen.push((view.iterations, view.sigma));
    let mut history = History::new(1000);
    let mut watched = start(50);
    watched.run_with(ellipsoid, &mut With::new().observer(&mut watch).observer(&mut history)).unwrap();
    let mut alone = start(50);
    alone.run(ellipsoid).unwrap();
    assert_eq!(common::bits(&watched), common::bits(&alone));
    assert_eq!(seen.len(), 50);
    for (record, (iterations, sigma)) in history.records().iter().zip(&seen) {
        assert_eq!((record.iterations, record.sigma), (*iterations, *sigma));
    }
    let last = history.records().last().unwrap();
    assert_eq!((&last.mean[..], &last.d[..], last.best_value), (alone.mean(), alone.d(), alone.best_value()));
    let axes = alone.view().axes;
    assert_eq!(last.axis_lengths, [axes.shortest, axes.longest]);
}

#[test]
fn all_axes_are_recorded_only_on_request() {
    let (mut history, mut csv) = (History::new(1000).all_axes(), CsvWriter::new(Vec::new()).all_axes());
    let mut es = start(50);
    es.run_with(ellipsoid, &mut With::new().observer(&mut history).observer(&mut csv)).unwrap();
    assert_eq!(history.records().last().unwrap().axis_lengths, es.strategy().axis_lengths());
    let text = String::from_utf8(csv.finish().unwrap()).unwrap();
    assert!(
        text.starts_with("iterations,evaluations,best_f,generation_best_f,sigma,beta,d_0,d_1,d_2,d_3,axis_0,axis_1,")
    );
    // An eigendecomposition in each generation would cost more than the algorithm itself.
    let (mut history, mut csv) = (History::new(1000), CsvWriter::new(Vec::new()));
    let mut es = Optimizer::<WithoutDecomposition>::new(&[1.0; 3], 1.0, 1).unwrap();
    es.run_with(sphere, &mut With::new().observer(&mut history).observer(&mut csv)).unwrap();
    assert!(history.records().len() > 10 && csv.finish().is_ok());
}

/// Separable CMA-ES that refuses to compute its axes.
#[derive(Clone, Debug)]
struct WithoutDecomposition(Separable);

impl Strategy for WithoutDecomposition {
    const NAME: &'static str = "without-decomposition";
    type Options = ();
    type StepSize = BuiltInRule;

    fn start(params: &Params, options: &(), shape: &StartShape<'_>) -> Result<Self, StartError> {
        Separable::start(params, options, shape).map(Self)
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.0.sample(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.0.whiten(y, z);
    }

    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        self.0.update(generation, pace, params)
    }

    fn shape(&self) -> Shape<'_> {
        self.0.shape()
    }

    fn c(&self) -> Columns {
        panic!("nobody asked for C")
    }

    fn axis_lengths(&self) -> Vec<f64> {
        panic!("nobody asked for all axes")
    }
}

#[test]
fn a_history_thins_itself_evenly() {
    for (iterations, capacity, stride) in
        [(10, 10, 1), (11, 10, 2), (40, 10, 4), (1000, 10, 128), (7, 2, 4), (9, 1, 16)]
    {
        let mut history = History::new(capacity);
        start(iterations).run_with(sphere, &mut With::new().observer(&mut history)).unwrap();
        let kept: Vec<u64> = history.records().iter().map(|record| record.iterations).collect();
        let expected: Vec<u64> = (0..).map(|k| 1 + k * stride).take_while(|t| *t <= iterations).collect();
        assert_eq!(kept, expected, "{iterations} generations in {capacity} records");
        assert!(kept.len() <= capacity);
    }
}

#[test]
fn a_history_without_room_stays_empty() {
    let mut history = History::new(0);
    start(20).run_with(sphere, &mut With::new().observer(&mut history)).unwrap();
    assert!(history.records().is_empty());
}

#[test]
fn a_history_of_many_runs_stays_bounded() {
    let mut history = History::new(10);
    for _ in 0..100 {
        start(20).run_with(sphere, &mut With::new().observer(&mut history)).unwrap();
        assert!(history.records().len() <= 10);
    }
}

#[test]
fn csv_has_a_header_and_a_line_for_each_generation() {
    let mut csv = CsvWriter::new(Vec::new());
    let mut es = SepCma::builder(&[1.0, 2.0], 0.5).criteria(StopCriteria::none().max_iterations(3)).build().unwrap();
    es.run_with(sphere, &mut With::new().observer(&mut csv)).unwrap();
    let text = String::from_utf8(csv.finish().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        lines[0],
        "iterations,evaluations,best_f,generation_best_f,sigma,beta,d_0,d_1,axis_shortest,axis_longest,m_0,m_1"
    );
    let last: Vec<f64> = lines[3].split(',').map(|number| number.parse().unwrap()).collect();
    assert_eq!(last.len(), 12);
    assert_eq!((last[0], last[1], last[2], last[4]), (3.0, 18.0, es.best_value(), es.sigma()));
    assert_eq!(&last[10..], es.mean());
}

#[test]
fn a_writer_that_fails_stops_nothing_and_is_heard_in_the_end() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut csv = CsvWriter::new(Full(500));
    let mut es = start(20);
    es.run_with(sphere, &mut With::new().observer(&mut csv)).unwrap();
    assert_eq!(es.iterations(), 20);
    assert_eq!(csv.finish().err().map(|error| error.kind()), Some(io::ErrorKind::StorageFull));
}

/// Counts what an observer is told.
#[derive(Default)]
struct Calls {
    observed: u64,
    finished: Vec<(u64, u64, String)>,
}

impl Observer for Calls {
    fn observe(&mut self, _: &View<'_>) {
        self.observed += 1;
    }
    fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        self.finished.push((self.observed, view.iterations, stop.to_string()));
    }
}

#[test]
fn observers_hear_of_the_end_once_and_after_the_last_generation() {
    let mut calls = Calls::default();
    let stop = start(7).run_with(sphere, &mut With::new().observer(&mut calls)).unwrap();
    assert_eq!(calls.finished, [(7, 7, stop.to_string())]);

    let mut calls = Calls::default();
    let own = |view: &View<'_>| (view.iterations == 3).then(|| "enough".to_string());
    start(7).run_with(sphere, &mut With::new().observer(&mut calls).stop_when(own)).unwrap();
    assert_eq!(calls.finished, [(3, 3, "user: enough".to_string())]);

    // An error of the objective does not end the run.
    let (mut calls, mut evaluations) = (Calls::default(), 0);
    let mut es = start(7);
    let failing = Fallible(|x: &[f64]| {
        evaluations += 1;
        if evaluations == 20 { Err("down") } else { Ok(sphere(x)) }
    });
    assert!(es.run_with(failing, &mut With::new().observer(&mut calls)).is_err());
    assert_eq!((calls.observed, calls.finished.len()), (2, 0));
    es.run_with(sphere, &mut With::new().observer(&mut calls)).unwrap();
    assert_eq!((calls.observed, calls.finished.len()), (7, 1));
}

#[test]
fn progress_is_one_line_that_renews_itself_and_the_reason() {
    let mut written = Vec::new();
    let mut progress = Progress::new(&mut written).every(Duration::ZERO);
    let mut es = start(50);
    es.run_with(ellipsoid, &mut With::new().observer(&mut progress)).unwrap();
    let text = String::from_utf8(written).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines[1..], ["iterations: 50 of 50 iterations made", ""]);
    let shown: Vec<&str> = lines[0].split('\r').collect();
    assert_eq!(shown.len(), 1 + 50 + 1, "one for each generation, and one at the end");
    assert!(shown[1].starts_with("8 evaluations  f "), "{}", shown[1]);
    let value = |line: &str| line.split_whitespace().nth(3).unwrap().parse::<f64>().unwrap();
    assert!((value(shown[51]) / es.best_value() - 1.0).abs() < 1e-7);
    for name in ["  σ ", "  C ", "  D ", "  0:0"] {
        assert!(shown[51].contains(name), "{}", shown[51]);
    }
    let length = |line: &str| line.chars().count();
    assert!(shown.iter().all(|line| length(line) < 80));
    // The rest of a longer line is overwritten.
    assert!(shown[1..].windows(2).all(|two| length(two[1]) >= length(two[0].trim_end())));
}

#[test]
fn progress_is_patient_and_survives_a_writer_that_fails() {
    let mut written = Vec::new();
    let mut progress = Progress::new(&mut written).every(Duration::from_secs(3600));
    start(50).run_with(ellipsoid, &mut With::new().observer(&mut progress)).unwrap();
    assert_eq!(String::from_utf8(written).unwrap().matches('\r').count(), 2, "the first generation and the end");

    struct Broken(usize);
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut broken = Broken(0);
    let mut es = start(20);
    es.run_with(sphere, &mut With::new().observer(&mut Progress::new(&mut broken).every(Duration::ZERO))).unwrap();
    assert_eq!((es.iterations(), broken.0), (20, 1), "it tries once");
}
