//! The two benchmarks behind `cargo xtask bench`: time for an iteration, and time to a target.
//!
//! One thread unless others are asked for, no evaluation of the objective in any figure but the last of `speed`, which is about it, and the floor, the
//! literal way and other implementations in the same run, in turns: machines differ, and so do their moods, but ratios hold.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its table")]

#[path = "../support/objective.rs"]
mod objective;
#[path = "../support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ddcma_core::{DiagonalDecoding, Plain, Separable};
use ddcma_linalg::SymmetricRoot;
use ddcma_problems::{Function, Instance, Spec};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use support::{Contestant, DD, LITERAL_DD, LITERAL_PLAIN, PEERS, PLAIN, Run, SEP};

const TARGET: f64 = 1e-8;

/// Each contestant has its turn so many times.
const ROUNDS: u32 = 6;

/// The least time of an iteration over all blocks of all runs, and how far the run with it got.
struct Timing {
    best_us: f64,
    evaluations_per_iteration: f64,
    iterations: u64,
    first_value: f64,
    best_value: f64,
    /// The largest resident size, in MB, where the system tells.
    peak_mb: f64,
}

/// Sums the time of iterations by blocks. A block is long: implementations that decompose rarely must not be measured
/// between two decompositions.
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

    /// The least of all blocks, or of the run, if it was shorter than one.
    fn best_us(mut self) -> f64 {
        if self.best_us.is_none() {
            self.end();
        }
        self.best_us.unwrap_or(f64::INFINITY)
    }
}

/// One run, until it reaches the target or the time is over.
fn run(contestant: Contestant, instance: &Instance, lambda: usize, seed: u64, limit: Duration) -> Timing {
    reset_peak_memory();
    let start = Instant::now();
    let mut run = (contestant.start)(instance, Some(lambda), seed);
    let (mut blocks, mut iterations, mut first_value) = (Blocks::default(), 0, f64::NAN);
    let before = run.evaluations();
    while let Some(time) = run.generation() {
        blocks.add(time);
        iterations += 1;
        if first_value.is_nan() {
            first_value = run.best_value();
        }
        // A few generations at least: the first ones need not find anything better.
        if run.best_value() <= TARGET || (start.elapsed() > limit && iterations >= 5) {
            break;
        }
    }
    Timing {
        best_us: blocks.best_us(),
        evaluations_per_iteration: (run.evaluations() - before) as f64 / iterations as f64,
        iterations,
        first_value,
        best_value: run.best_value(),
        peak_mb: peak_memory_mb(),
    }
}

/// The best of the runs that fit into a time.
fn best_run(contestant: Contestant, instance: &Instance, lambda: usize, seed: &mut u64, limit: Duration) -> Timing {
    let start = Instant::now();
    let mut best: Option<Timing> = None;
    while best.is_none() || start.elapsed() < limit {
        *seed += 1;
        let timing = run(contestant, instance, lambda, *seed, limit);
        // A run that was timed must be a run that works.
        let Timing { first_value, best_value, iterations, .. } = timing;
        let (name, n) = (contestant.name, instance.spec().n);
        let works = best_value <= TARGET || best_value < first_value;
        assert!(works, "{name}, n = {n}: {first_value:e} to {best_value:e} in {iterations} iterations");
        best = Some(best.filter(|best| best.best_us <= timing.best_us).unwrap_or(timing));
    }
    best.expect("at least one run")
}

/// Microseconds for λ·n normals, and for these and one product A·Z: what no CMA-ES can do without. Measured in blocks as long
/// as those of the contestants.
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

fn speed(options: &Options) -> Result<(), String> {
    let mut csv = String::from(
        "n,lambda,threads,strategy,us_per_iteration,floor_us,ratio_to_floor,literal_us,speedup_over_literal,us_per_evaluation,\
         cmaes_us_per_evaluation,fcmaes_us_per_evaluation,basin_us_per_evaluation,peak_mb,iterations,best_f,\
         f_in_a_run_over_alone\n",
    );
    println!(
        "    n    λ threads           us/iter   floor us   ratio  literal us speedup | us/evaluation:     ours      cmaes     fcmaes \
         \x20    basin | peak MB      iter    best f | f: in a run / alone"
    );
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| format!("no thread: {error}"))?;
    for (n, lambda, threads) in options.sizes() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| format!("no threads: {error}"))?;
        let spec = Spec { function: Function::Ellipsoid, n, rotated: false, seed: 1 };
        let instance = Instance::new(spec).expect("a valid instance");
        let strategies: Vec<Contestant> = options.strategies.iter().map(|name| strategy(name)).collect();
        let literals = strategies.iter().filter_map(literal).filter(|_| options.against);
        let peers = PEERS.into_iter().filter(|_| options.against);
        let contestants: Vec<Contestant> = strategies.iter().copied().chain(literals).chain(peers).collect();

        let (mut normals_us, mut floor_us) = (f64::INFINITY, f64::INFINITY);
        let mut best: HashMap<&str, Timing> = HashMap::new();
        let mut seed = 0;
        for _ in 0..ROUNDS {
            let floors = one.install(|| floors(n, lambda, options.limit / ROUNDS));
            (normals_us, floor_us) = (normals_us.min(floors.0), floor_us.min(floors.1));
            for contestant in &contestants {
                let limit = options.limit / ROUNDS;
                let timing = pool.install(|| best_run(*contestant, &instance, lambda, &mut seed, limit));
                match best.get(contestant.name) {
                    Some(known) if known.best_us <= timing.best_us => {}
                    _ => drop(best.insert(contestant.name, timing)),
                }
            }
        }
        let us = |name: &str| best.get(name).map_or(f64::NAN, |timing| timing.best_us);
        let us_per_evaluation =
            |name: &str| best.get(name).map_or(f64::NAN, |timing| timing.best_us / timing.evaluations_per_iteration);
        let [cmaes, fcmaes, basin] = PEERS.map(|peer| us_per_evaluation(peer.name));
        for contestant in &strategies {
            let name = contestant.name;
            let Timing { best_us, peak_mb, iterations, best_value, .. } = best[name];
            let floor = if name == SEP.name { normals_us } else { floor_us };
            let literal = literal(contestant).map_or(f64::NAN, |literal| us(literal.name));
            let slowdown = match name {
                "dd" => objective::slowdown::<DiagonalDecoding>,
                "plain" => objective::slowdown::<Plain>,
                _ => objective::slowdown::<Separable>,
            };
            // Below n = 40 only large populations take the large kernels.
            let large = if n < 40 { 50 } else { lambda };
            let slowdown = slowdown(n, large, options.limit / ROUNDS);
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
    options.write(&csv)
}

/// A number, or a dash where there is none.
fn number(value: f64, digits: usize) -> String {
    if value.is_nan() { "–".to_string() } else { format!("{value:.digits$}") }
}

fn strategy(name: &str) -> Contestant {
    *[DD, PLAIN, SEP].iter().find(|contestant| contestant.name == name).expect("the names were checked")
}

fn literal(contestant: &Contestant) -> Option<Contestant> {
    match contestant.name {
        "dd" => Some(LITERAL_DD),
        "plain" => Some(LITERAL_PLAIN),
        _ => None,
    }
}

fn target(options: &Options) -> Result<(), String> {
    println!("          function     n     by    seconds evaluations    best f");
    let mut csv = String::from("function,rotated,n,strategy,seconds,evaluations,best_f\n");
    for rotated in [false, true] {
        for &n in &options.dims {
            let instance = Instance::new(Spec { function: Function::Ellipsoid, n, rotated, seed: 1 });
            let instance = instance.expect("a valid instance");
            let strategies = options.strategies.iter().map(|name| strategy(name));
            // Separable CMA-ES does not solve the rotated problem within any sensible budget.
            let strategies = strategies.filter(|strategy| !(rotated && strategy.name == SEP.name));
            let peers = PEERS.into_iter().filter(|_| options.against);
            for contestant in strategies.chain(peers) {
                let name = contestant.name;
                let (start, mut run) = (Instant::now(), (contestant.start)(&instance, None, 1));
                let seconds = seconds_to_target(&mut *run, || start.elapsed() > options.limit);
                let reached = if run.best_value() <= TARGET { "" } else { "  not reached" };
                let function = if rotated { "ellipsoid-rotated" } else { "ellipsoid" };
                println!(
                    "{function:>18} {n:>5} {name:>6} {seconds:>10.4} {:>11} {:>9.1e}{reached}",
                    run.evaluations(),
                    run.best_value()
                );
                csv += &format!(
                    "ellipsoid,{},{n},{name},{seconds},{},{:e}\n",
                    u8::from(rotated),
                    run.evaluations(),
                    run.best_value()
                );
            }
        }
    }
    options.write(&csv)
}

fn seconds_to_target(run: &mut dyn Run, is_over: impl Fn() -> bool) -> f64 {
    let mut total = Duration::ZERO;
    while let Some(time) = run.generation() {
        total += time;
        if run.best_value() <= TARGET || is_over() {
            break;
        }
    }
    total.as_secs_f64()
}

struct Options {
    dims: Vec<usize>,
    /// Population sizes as multiples of n; the default one, if there are none.
    lambda: Vec<f64>,
    /// Numbers of threads for large products of ours; the others have their own ways. The floor is that of one thread.
    threads: Vec<usize>,
    strategies: Vec<String>,
    csv: Option<String>,
    limit: Duration,
    /// Whether the literal way and other crates are measured, too.
    against: bool,
}

impl Options {
    /// Dimensions with their population sizes and numbers of threads.
    fn sizes(&self) -> Vec<(usize, usize, usize)> {
        let of = |n: usize| -> Vec<(usize, usize)> {
            let sizes = self.lambda.iter().map(|factor| (n, ((factor * n as f64).round() as usize).max(2)));
            if self.lambda.is_empty() { vec![(n, default_lambda(n))] } else { sizes.collect() }
        };
        let with_threads = |(n, lambda): (usize, usize)| self.threads.iter().map(move |threads| (n, lambda, *threads));
        self.dims.iter().flat_map(|n| of(*n)).flat_map(with_threads).collect()
    }

    /// `--name value` pairs; the command line of xtask has checked them.
    fn parse(arguments: &[String], dims: &str, seconds: u64) -> Option<Self> {
        let mut given: HashMap<&str, &str> = HashMap::new();
        for pair in arguments.chunks(2) {
            given.insert(pair.first()?.strip_prefix("--")?, pair.get(1)?);
        }
        let list = |name: &str, default: &str| -> Vec<String> {
            given.get(name).copied().unwrap_or(default).split(',').map(str::to_string).collect()
        };
        let dims: Option<Vec<usize>> = list("dims", dims).iter().map(|n| n.parse().ok().filter(|n| *n > 0)).collect();
        let lambda = given.get("lambda").map_or(Some(Vec::new()), |list| {
            list.split(',')
                .map(|factor| factor.strip_suffix('n')?.parse().ok().filter(|factor| *factor > 0.0))
                .collect()
        })?;
        let threads: Option<Vec<usize>> = list("threads", "1").iter().map(|count| count.parse().ok()).collect();
        let strategies = list("strategies", "dd,plain,sep");
        let known = strategies.iter().all(|name| ["dd", "plain", "sep"].contains(&name.as_str()));
        let seconds = given.get("seconds").map_or(Some(seconds), |seconds| seconds.parse().ok())?;
        let csv = given.get("csv").map(|path| path.to_string());
        let against = given.get("against").is_none_or(|against| *against != "none");
        known.then_some(Self {
            dims: dims?,
            lambda,
            threads: threads?,
            strategies,
            csv,
            limit: Duration::from_secs(seconds),
            against,
        })
    }

    /// A file that cannot be written is an error now, and not after an hour of measurements.
    fn check(&self) -> Result<(), String> {
        let Some(path) = &self.csv else { return Ok(()) };
        std::fs::write(path, "").map_err(|error| format!("{path}: {error}"))
    }

    /// Writes the table, if somebody wants it.
    fn write(&self, csv: &str) -> Result<(), String> {
        let Some(path) = &self.csv else { return Ok(()) };
        std::fs::write(path, csv).map_err(|error| format!("{path}: {error}"))?;
        println!("written to {path}");
        Ok(())
    }
}

/// The largest resident size since the last reset, where the system tells.
fn peak_memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

/// Where the system does not know how, the peak is that of all runs so far.
fn reset_peak_memory() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// One of the two.
type Benchmark = fn(&Options) -> Result<(), String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (what, rest) = arguments.split_first().map_or(("", &[][..]), |(what, rest)| (what.as_str(), rest));
    let parsed = match what {
        "speed" => Options::parse(rest, "2,5,10,20,40,80,160,320,640", 3).map(|options| (speed as Benchmark, options)),
        "target" => Options::parse(rest, "10,40,160", 120).map(|options| (target as Benchmark, options)),
        _ => None,
    };
    match parsed {
        Some((run, options)) => match options.check().and_then(|()| run(&options)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(2)
            }
        },
        None => {
            println!(
                "usage: bench speed|target [--dims N,…] [--strategies dd,plain,sep] [--lambda 0.5n,…] [--threads 1,2] [--against all|none] \
                 [--seconds S] [--csv FILE]"
            );
            ExitCode::from(2)
        }
    }
}
