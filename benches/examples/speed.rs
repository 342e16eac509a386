//! The benchmark behind `cargo xtask bench speed`: the time of an iteration.
//!
//! Measurements use one thread unless others are requested. They do not include evaluations of the objective function, except for the last
//! figure, which is about them. A lower bound, the literal implementation and other libraries are measured in the same run, in turns:
//! machines differ, and the speed of one machine varies, but ratios are comparable.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its table")]

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ddcma_benches::flags::Flags;
use ddcma_benches::objective;
use ddcma_benches::timed::{Contest, LITERAL, Make, PEERS, STRATEGIES, Timing};
use ddcma_core::{DiagonalDecoding, Plain, Separable};
use ddcma_lab::LabError;
use ddcma_linalg::SymmetricRoot;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The number of turns of each contestant.
const ROUNDS: u32 = 6;

/// Sums the times of iterations in blocks of a tenth of a second.
#[derive(Default)]
struct Blocks {
    time: Duration,
    iterations: u32,
    best_us: Option<f64>,
}

impl Blocks {
    fn add(&mut self, time: Duration) {
        self.time += time;
        self.iterations += 1;
        if self.time > Duration::from_millis(100) && self.iterations >= 100 {
            self.end();
        }
    }

    fn end(&mut self) {
        let us = 1e6 * self.time.as_secs_f64() / f64::from(self.iterations);
        self.best_us = Some(self.best_us.map_or(us, |best| best.min(us)));
        (self.time, self.iterations) = (Duration::ZERO, 0);
    }

    /// Returns the minimum over all blocks, or that of the run if it was shorter than a block.
    fn best_us(mut self) -> f64 {
        if self.best_us.is_none() {
            self.end();
        }
        self.best_us.unwrap_or(f64::INFINITY)
    }
}

/// One contestant with its best trial so far, and the peak resident size of that trial in MB, if the system reports it.
struct Turns {
    contest: Contest,
    best: Option<(Timing, f64)>,
}

impl Turns {
    fn new(make: Make, n: usize, lambda: usize, threads: u32, limit: Duration) -> Result<Self, LabError> {
        Ok(Self { contest: Contest::new(make, n, lambda, threads, limit)?, best: None })
    }

    /// Runs the trials that fit into a time, but at least one.
    fn turn(&mut self, limit: Duration) -> Result<(), LabError> {
        let start = Instant::now();
        loop {
            reset_peak_memory();
            for timing in self.contest.timings()? {
                let is_better = |(best, _): &(Timing, f64)| timing.us_per_iteration < best.us_per_iteration;
                if self.best.as_ref().is_none_or(is_better) {
                    self.best = Some((timing, peak_memory_mb()));
                }
            }
            if start.elapsed() >= limit {
                return Ok(());
            }
        }
    }

    fn us_per_iteration(&self) -> f64 {
        self.best.map_or(f64::NAN, |(timing, _)| timing.us_per_iteration)
    }

    fn us_per_evaluation(&self) -> f64 {
        self.best.map_or(f64::NAN, |(timing, _)| timing.us_per_iteration / timing.evaluations_per_iteration)
    }
}

/// Measures the microseconds for λ·n normal numbers, and for these and one product A·Z, which every CMA-ES needs. As for the contestants, this
/// is the minimum over blocks.
fn floors(n: usize, lambda: usize, limit: Duration) -> (f64, f64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let root = SymmetricRoot::identity(n);
    let (mut z, mut y) = (vec![0.0; n * lambda], vec![0.0; n * lambda]);
    let (mut normals, mut both) = (Blocks::default(), Blocks::default());
    let start = Instant::now();
    while start.elapsed() < limit {
        let begin = Instant::now();
        z.iter_mut().for_each(|z| *z = StandardNormal.sample(&mut rng));
        normals.add(begin.elapsed());
        root.apply(&z, &mut y);
        both.add(begin.elapsed());
    }
    assert!(y.iter().all(|y| y.is_finite()));
    (normals.best_us(), both.best_us())
}

fn default_lambda(n: usize) -> usize {
    4 + (3.0 * (n as f64).ln()).floor() as usize
}

fn speed(options: &Options) -> Result<(), LabError> {
    let mut csv = String::from(
        "n,lambda,threads,strategy,us_per_iteration,floor_us,ratio_to_floor,literal_us,speedup_over_literal,us_per_evaluation,\
         cmaes_us_per_evaluation,fcmaes_us_per_evaluation,basin_us_per_evaluation,peak_mb,iterations,best_f,\
         f_in_a_run_over_alone\n",
    );
    println!(
        "    n    λ threads           us/iter   floor us   ratio  literal us speedup | us/evaluation:     ours      cmaes     fcmaes \
         \x20    basin | peak MB      iter    best f | f: in a run / alone"
    );
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|error| LabError::new(format!("no thread: {error}")))?;
    for (n, lambda, threads) in options.sizes() {
        let limit = options.limit / ROUNDS;
        let strategies =
            STRATEGIES.into_iter().filter(|(name, _)| options.strategies.iter().any(|known| known == name));
        let strategies: Vec<(&str, Make)> = strategies.collect();
        let others = LITERAL.into_iter().chain(PEERS).filter(|_| options.against);
        let mut contestants: HashMap<&str, Turns> = HashMap::new();
        for (name, make) in strategies.iter().copied().chain(others) {
            contestants.insert(name, Turns::new(make, n, lambda, threads, limit)?);
        }

        let (mut normals_us, mut floor_us) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            let floors = one.install(|| floors(n, lambda, limit));
            (normals_us, floor_us) = (normals_us.min(floors.0), floor_us.min(floors.1));
            contestants.values_mut().try_for_each(|contestant| contestant.turn(limit))?;
        }
        let us = |name: &str| contestants.get(name).map_or(f64::NAN, Turns::us_per_iteration);
        let us_per_evaluation = |name: &str| contestants.get(name).map_or(f64::NAN, Turns::us_per_evaluation);
        let [cmaes, fcmaes, basin] = PEERS.map(|(name, _)| us_per_evaluation(name));
        for (name, _) in strategies {
            let Some((Timing { us_per_iteration: best_us, iterations, best_value, .. }, peak_mb)) =
                contestants[name].best
            else {
                continue;
            };
            let floor = if name == "sep" { normals_us } else { floor_us };
            let literal = us(&format!("literal {name}"));
            let slowdown = match name {
                "dd" => objective::slowdown::<DiagonalDecoding>,
                "plain" => objective::slowdown::<Plain>,
                _ => objective::slowdown::<Separable>,
            };
            // Below n = 40, only large populations use the kernels for large products.
            let large = if n < 40 { 50 } else { lambda };
            let slowdown = slowdown(n, large, limit);
            let (ratio, speedup, own) = (best_us / floor, literal / best_us, us_per_evaluation(name));
            println!(
                "{n:>5} {lambda:>4} {threads:>7} {name:>5} {best_us:>11.2} {floor:>10.2} {ratio:>7.2} {:>11} {:>7} |                \
                 {own:>8.3} {:>10} {:>10} {:>10} | {peak_mb:>7.0} {iterations:>9} {best_value:>9.1e} | \
                 {slowdown:>6.2} (λ = {large})",
                number(literal, 1),
                number(speedup, 1),
                number(cmaes, 3),
                number(fcmaes, 3),
                number(basin, 3),
            );
            csv += &format!(
                "{n},{lambda},{threads},{name},{best_us},{floor},{ratio},{literal},{speedup},{own},{cmaes},{fcmaes},{basin},\
                 {peak_mb},{iterations},{best_value:e},{slowdown}\n"
            );
        }
    }
    if let Some(path) = options.flags.write_csv(&csv)? {
        println!("written to {path}");
    }
    Ok(())
}

/// Formats a number, or a dash if there is none.
fn number(value: f64, digits: usize) -> String {
    if value.is_nan() { "–".to_string() } else { format!("{value:.digits$}") }
}

struct Options {
    dims: Vec<usize>,
    /// Population sizes as multiples of n; if empty, the default one.
    lambda: Vec<f64>,
    /// Numbers of threads for our large products; other libraries use their own threads. The lower bound is that of one thread.
    threads: Vec<u32>,
    strategies: Vec<String>,
    limit: Duration,
    /// Whether the literal implementation and other crates are measured, too.
    against: bool,
    flags: Flags,
}

impl Options {
    /// Dimensions with their population sizes and numbers of threads.
    fn sizes(&self) -> Vec<(usize, usize, u32)> {
        let of = |n: usize| -> Vec<(usize, usize)> {
            let sizes = self.lambda.iter().map(|factor| (n, ((factor * n as f64).round() as usize).max(2)));
            if self.lambda.is_empty() { vec![(n, default_lambda(n))] } else { sizes.collect() }
        };
        let with_threads = |(n, lambda): (usize, usize)| self.threads.iter().map(move |threads| (n, lambda, *threads));
        self.dims.iter().flat_map(|n| of(*n)).flat_map(with_threads).collect()
    }

    fn from_flags() -> Result<Self, LabError> {
        let names = ["dims", "strategies", "lambda", "threads", "against", "seconds", "csv"];
        let flags = Flags::of_program(&names)?;
        flags.check_csv()?;
        let multiples: Vec<String> = flags.list("lambda", "")?;
        let factor = |text: &String| {
            let factor = text.strip_suffix('n').and_then(|factor| factor.parse().ok());
            factor.ok_or_else(|| LabError::new(format!("invalid value {text} for --lambda")))
        };
        let seconds = flags.list("seconds", "3")?;
        Ok(Self {
            dims: flags.list("dims", "2,5,10,20,40,80,160,320,640")?,
            lambda: multiples.iter().filter(|text| !text.is_empty()).map(factor).collect::<Result<_, LabError>>()?,
            threads: flags.list("threads", "1")?,
            strategies: flags.list("strategies", "dd,plain,sep")?,
            limit: Duration::from_secs(seconds[0]),
            against: flags.text("against", "all") == "all",
            flags,
        })
    }
}

/// Returns the peak resident size since the last reset, if the system reports it.
fn peak_memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

/// Resets the peak resident size. If the system cannot do that, the peak is that of all runs so far.
fn reset_peak_memory() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn main() -> ExitCode {
    match Options::from_flags().and_then(|options| speed(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
