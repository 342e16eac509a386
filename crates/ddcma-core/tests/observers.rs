//! Observers see every generation as it was, keep bounded memory, and write what they see.
#![cfg(feature = "dense")]

use std::io::{self, Write};

use crate::common::{self, ellipsoid, sphere};
use ddcma_core::{CsvWriter, DdCma, History, Root, SepCma, Settings, StopCriteria, Strategy, View};

fn start(iterations: u64) -> DdCma {
    DdCma::builder(&[1.0; 4], 0.5).criteria(StopCriteria::none().max_iterations(iterations)).seed(6).build().unwrap()
}

#[test]
fn a_view_is_the_state() {
    let literal = Settings::new().root(Root::Literal);
    let builder = DdCma::builder(&[1.0; 4], 0.5).criteria(StopCriteria::none().max_iterations(30)).settings(literal);
    let mut es = builder.seed(6).build().unwrap();
    es.run(ellipsoid, &mut []).unwrap();
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
    watched.run(ellipsoid, &mut [&mut watch, &mut history]).unwrap();
    let mut alone = start(50);
    alone.run(ellipsoid, &mut []).unwrap();
    assert_eq!(common::bits(&watched), common::bits(&alone));
    assert_eq!(seen.len(), 50);
    for (record, (iterations, sigma)) in history.records().iter().zip(&seen) {
        assert_eq!((record.iterations, record.sigma), (*iterations, *sigma));
    }
    let last = history.records().last().unwrap();
    assert_eq!((&last.mean[..], &last.d[..], last.best_value), (alone.mean(), alone.d(), alone.best_value()));
    assert_eq!(last.axis_lengths, alone.strategy().axis_lengths());
}

#[test]
fn a_history_thins_itself_evenly() {
    for (iterations, capacity, stride) in [(10, 10, 1), (11, 10, 2), (40, 10, 4), (1000, 10, 128), (7, 2, 4)] {
        let mut history = History::new(capacity);
        start(iterations).run(sphere, &mut [&mut history]).unwrap();
        let kept: Vec<u64> = history.records().iter().map(|record| record.iterations).collect();
        let expected: Vec<u64> = (0..).map(|k| 1 + k * stride).take_while(|t| *t <= iterations).collect();
        assert_eq!(kept, expected, "{iterations} generations in {capacity} records");
        assert!(kept.len() <= capacity);
    }
}

#[test]
fn a_history_of_many_runs_stays_bounded() {
    let mut history = History::new(10);
    for _ in 0..100 {
        start(20).run(sphere, &mut [&mut history]).unwrap();
        assert!(history.records().len() <= 10);
    }
}

#[test]
fn csv_has_a_header_and_a_line_for_each_generation() {
    let mut csv = CsvWriter::new(Vec::new());
    let mut es = SepCma::builder(&[1.0, 2.0], 0.5).criteria(StopCriteria::none().max_iterations(3)).build().unwrap();
    es.run(sphere, &mut [&mut csv]).unwrap();
    let text = String::from_utf8(csv.finish().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], "iterations,evaluations,best_f,generation_best_f,sigma,beta,d_1,d_2,axis_1,axis_2,m_1,m_2");
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
    es.run(sphere, &mut [&mut csv]).unwrap();
    assert_eq!(es.iterations(), 20);
    assert_eq!(csv.finish().err().map(|error| error.kind()), Some(io::ErrorKind::StorageFull));
}
