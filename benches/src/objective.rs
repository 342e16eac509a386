//! Measures how a run affects the speed of the objective function, which should be not at all: the run must leave the processor's vector
//! registers clean.

use std::time::{Duration, Instant};

use ddcma_core::{Optimizer, Settings, StopCriteria, Strategy};

/// Returns the time of an objective function in a run, divided by its time for the same points on a thread that runs nothing else.
pub fn slowdown<S: Strategy>(n: usize, lambda: usize, limit: Duration) -> f64 {
    let (mut inside, mut alone) = (f64::INFINITY, f64::INFINITY);
    let (start, mut seed) = (Instant::now(), 0);
    while start.elapsed() < limit {
        seed += 1;
        let builder = Optimizer::<S>::builder(&vec![1.0; n], 1.0).settings(Settings::new().lambda(lambda));
        let mut es = builder.criteria(StopCriteria::none()).seed(seed).build().expect("a valid start");
        let (mut points, mut values, mut time) = (Vec::new(), vec![0.0; lambda], Duration::ZERO);
        for _ in 0..50 {
            let generation = es.ask();
            time += timed(generation.as_slice(), n, &mut values);
            points.extend_from_slice(generation.as_slice());
            es.tell(&values).expect("the run goes on");
        }
        inside = inside.min(time.as_secs_f64());
        let time_alone = || {
            let generations = points.chunks_exact(n * lambda);
            generations.map(|points| timed(points, n, &mut values)).sum::<Duration>()
        };
        let time = std::thread::scope(|scope| scope.spawn(time_alone).join().expect("it does not panic"));
        alone = alone.min(time.as_secs_f64());
    }
    inside / alone
}

/// Measures the time to evaluate points that are stored one after the other.
fn timed(points: &[f64], n: usize, values: &mut [f64]) -> Duration {
    let start = Instant::now();
    values.iter_mut().zip(points.chunks_exact(n)).for_each(|(value, x)| *value = libm_heavy(x));
    start.elapsed()
}

/// A typical objective function: it calls the mathematical library, and is compiled for all processors of this architecture.
fn libm_heavy(x: &[f64]) -> f64 {
    let wave = |t: i32| (0.06 * f64::from(t) * x[0] + (0.06 * f64::from(t) * x[x.len() - 1]).sin()).sin();
    (0..100).map(wave).sum::<f64>() + x.iter().map(|x| x * x).sum::<f64>()
}
