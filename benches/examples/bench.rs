//! The two benchmarks behind `cargo xtask bench`: time for an iteration, and time to a target.
//!
//! One thread, no evaluation of the objective in any figure, and the floor, the literal way and other implementations in
//! the same run: machines differ, and so do their moods, but ratios hold.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::cell::Cell;
use std::collections::HashMap;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use ddcma_core::{DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, Stops, Strategy};
use ddcma_linalg::SymmetricRoot;
use ddcma_problems::{Function, Instance, Objective, Spec};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

const TARGET: f64 = 1e-8;

/// What a run took: internal time by blocks of iterations, and how far it got.
struct Timing {
    /// Microseconds for an iteration, the least of all blocks.
    best_us: f64,
    total: Duration,
    evaluations: u64,
    iterations: u64,
    first_value: f64,
    best_value: f64,
}

/// Collects the time of iterations and takes the mean of blocks. A block is long: implementations that decompose rarely
/// must not be measured between two decompositions.
struct Clock {
    start: Instant,
    limit: Duration,
    block: Duration,
    in_block: u32,
    best: f64,
    total: Duration,
}

impl Clock {
    const BLOCK: Duration = Duration::from_millis(100);

    fn new(limit: Duration) -> Self {
        let zero = Duration::ZERO;
        Self { start: Instant::now(), limit, block: zero, in_block: 0, best: f64::INFINITY, total: zero }
    }

    fn add(&mut self, time: Duration) {
        self.total += time;
        self.block += time;
        self.in_block += 1;
        if self.block > Self::BLOCK && self.in_block >= 100 {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        self.best = self.best.min(1e6 * self.block.as_secs_f64() / f64::from(self.in_block));
        (self.block, self.in_block) = (Duration::ZERO, 0);
    }

    /// Microseconds for an iteration: the least of all blocks, or of the run, if it was shorter than one.
    fn best_us(&mut self) -> f64 {
        if self.best.is_infinite() {
            self.end_block();
        }
        self.best
    }

    fn is_over(&self) -> bool {
        self.start.elapsed() > self.limit
    }
}

/// The best of several runs: short ones are repeated, and a long one is its own repetition, block by block.
fn best_of(limit: Duration, run: impl Fn(u64, Duration) -> Timing) -> Timing {
    let start = Instant::now();
    let mut best = run(1, limit);
    for seed in 2..200 {
        if start.elapsed() > limit {
            break;
        }
        let timing = run(seed, limit);
        if timing.best_us < best.best_us {
            best = timing;
        }
    }
    best
}

fn timed<T>(clock: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *clock += start.elapsed();
    result
}

fn ours<S: Strategy>(instance: &Instance, root: Root, seed: u64, limit: Duration) -> Timing {
    let settings = Settings::new().root(root);
    let builder = Optimizer::<S>::builder(instance.initial_mean(), instance.initial_sigma());
    let mut es = builder.settings(settings).stops(Stops::none()).seed(seed).build().expect("a valid start");
    let mut values = vec![0.0; es.params().lambda()];
    let mut instance = instance.clone();
    let mut clock = Clock::new(limit);
    let mut first_value = f64::NAN;
    while es.best_value() > TARGET && !clock.is_over() {
        let mut time = Duration::ZERO;
        let points = timed(&mut time, || es.ask());
        instance.values(points.as_slice(), &mut values);
        timed(&mut time, || es.tell(&values)).expect("the run goes on");
        clock.add(time);
        if es.iterations() == 1 {
            first_value = es.best_value();
        }
    }
    Timing {
        best_us: clock.best_us(),
        total: clock.total,
        evaluations: es.evaluations(),
        iterations: es.iterations(),
        first_value,
        best_value: es.best_value(),
    }
}

/// The crate `cmaes`, whose generations call the objective: its time is taken there and subtracted.
fn cmaes_crate(instance: &Instance, seed: u64, limit: Duration) -> Timing {
    let in_objective = Rc::new(Cell::new(Duration::ZERO));
    let evaluations = Rc::new(Cell::new(0));
    let objective = {
        let (instance, in_objective, evaluations) = (instance.clone(), in_objective.clone(), evaluations.clone());
        move |x: &cmaes::DVector<f64>| {
            let start = Instant::now();
            let value = instance.at(x.as_slice());
            in_objective.set(in_objective.get() + start.elapsed());
            evaluations.set(evaluations.get() + 1);
            value
        }
    };
    let options = cmaes::CMAESOptions::new(instance.initial_mean().to_vec(), instance.initial_sigma());
    let mut es = options.seed(seed).build(objective).expect("valid options");
    let mut clock = Clock::new(limit);
    let (mut first_value, mut best_value) = (f64::NAN, f64::INFINITY);
    while best_value > TARGET && !clock.is_over() {
        let before = in_objective.get();
        let mut time = Duration::ZERO;
        let over = timed(&mut time, || es.next()).is_some();
        clock.add(time.saturating_sub(in_objective.get() - before));
        best_value = es.overall_best_individual().map_or(f64::INFINITY, |best| best.value);
        if first_value.is_nan() {
            first_value = best_value;
        }
        if over {
            break;
        }
    }
    let (total, iterations) = (clock.total, es.generation() as u64);
    Timing { best_us: clock.best_us(), total, evaluations: evaluations.get(), iterations, first_value, best_value }
}

/// The crate `fcmaes-core`, by ask and tell, with the default population size of CMA-ES.
fn fcmaes_crate(instance: &Instance, seed: u64, limit: Duration) -> Timing {
    let n = instance.dimension();
    let fitness = fcmaes_core::fitness::Fitness::new(n, 1, vec![], vec![]);
    let params = fcmaes_core::cmaes::CmaesParams {
        popsize: 4 + (3.0 * (n as f64).ln()).floor() as i32,
        max_evaluations: u64::MAX / 2,
        seed,
        ..Default::default()
    };
    let mut es = fcmaes_core::cmaes::Cmaes::new(fitness, instance.initial_mean(), &[instance.initial_sigma()], &params);
    let mut clock = Clock::new(limit);
    let (mut first_value, mut best_value, mut evaluations, mut iterations) = (f64::NAN, f64::INFINITY, 0, 0);
    while best_value > TARGET && !clock.is_over() {
        let mut time = Duration::ZERO;
        let points = timed(&mut time, || es.ask());
        let values: Vec<f64> = points.iter().map(|x| instance.at(x)).collect();
        let stop = timed(&mut time, || es.tell(&values));
        clock.add(time);
        evaluations += values.len() as u64;
        iterations += 1;
        best_value = values.iter().copied().fold(best_value, f64::min);
        if first_value.is_nan() {
            first_value = best_value;
        }
        if stop != 0 {
            break;
        }
    }
    Timing { best_us: clock.best_us(), total: clock.total, evaluations, iterations, first_value, best_value }
}

/// Microseconds for λ·n normals, and for these and one product A·Z: what no CMA-ES can do without.
fn floors(n: usize, lambda: usize) -> (f64, f64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let root = SymmetricRoot::identity(n);
    let (mut z, mut y) = (vec![0.0; n * lambda], vec![0.0; n * lambda]);
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..15 {
        let repetitions = (2_000_000 / (n * n * lambda + 300 * n)).clamp(2, 2000);
        let (mut normals, mut product) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..repetitions {
            timed(&mut normals, || z.iter_mut().for_each(|z| *z = StandardNormal.sample(&mut rng)));
            timed(&mut product, || root.apply(&z, &mut y));
        }
        let us = |time: Duration| 1e6 * time.as_secs_f64() / repetitions as f64;
        best = (best.0.min(us(normals)), best.1.min(us(normals) + us(product)));
    }
    assert!(y.iter().all(|y| y.is_finite()));
    best
}

/// A run that was timed must be a run that works.
fn assert_progress(name: &str, n: usize, timing: &Timing) {
    let Timing { first_value, best_value, iterations, .. } = timing;
    let works = *best_value <= TARGET || *best_value < *first_value;
    assert!(works, "{name}, n = {n}: {first_value:e} to {best_value:e} in {iterations} iterations");
}

fn speed(options: &Options) {
    let header = "n,lambda,strategy,us_per_iteration,floor_us,ratio_to_floor,literal_us,speedup_over_literal,\
                  cmaes_us_per_evaluation,fcmaes_us_per_evaluation,us_per_evaluation,iterations,best_f";
    let mut csv = format!("{header}\n");
    println!(
        "{:>5} {:>3} {:>5} {:>11} {:>10} {:>7} {:>11} {:>8} | us/evaluation {:>8} {:>8} {:>8} | {:>9} {:>9}",
        "n",
        "λ",
        "",
        "us/iter",
        "floor us",
        "ratio",
        "literal us",
        "speedup",
        "ours",
        "cmaes",
        "fcmaes",
        "iter",
        "best f"
    );
    for &n in &options.dims {
        let spec = Spec { function: Function::Ellipsoid, n, rotated: false, seed: 1 };
        let instance = Instance::new(spec).expect("a valid instance");
        let limit = options.limit;
        let lambda = 4 + (3.0 * (n as f64).ln()).floor() as usize;
        let (normals, floor) = floors(n, lambda);
        let peers = [
            best_of(limit, |seed, limit| cmaes_crate(&instance, seed, limit)),
            best_of(limit, |seed, limit| fcmaes_crate(&instance, seed, limit)),
        ];
        assert_progress("cmaes", n, &peers[0]);
        assert_progress("fcmaes", n, &peers[1]);
        let per_evaluation = |timing: &Timing| timing.best_us * timing.iterations as f64 / timing.evaluations as f64;
        let [cmaes_us, fcmaes_us] = [per_evaluation(&peers[0]), per_evaluation(&peers[1])];
        for strategy in &options.strategies {
            let (timing, literal, floor) = match strategy.as_str() {
                "plain" => {
                    let literal = best_of(limit, |seed, limit| ours::<Plain>(&instance, Root::Literal, seed, limit));
                    let timing = best_of(limit, |seed, limit| ours::<Plain>(&instance, Root::LowRank, seed, limit));
                    (timing, literal.best_us, floor)
                }
                "sep" => {
                    let timing = best_of(limit, |seed, limit| ours::<Separable>(&instance, Root::LowRank, seed, limit));
                    (timing, f64::NAN, normals)
                }
                _ => {
                    type Dd = DiagonalDecoding;
                    let literal = best_of(limit, |seed, limit| ours::<Dd>(&instance, Root::Literal, seed, limit));
                    let timing = best_of(limit, |seed, limit| ours::<Dd>(&instance, Root::LowRank, seed, limit));
                    (timing, literal.best_us, floor)
                }
            };
            assert_progress(strategy, n, &timing);
            let (us, own) = (timing.best_us, timing.best_us / lambda as f64);
            println!(
                "{n:>5} {lambda:>3} {strategy:>5} {us:>11.2} {floor:>10.2} {:>7.2} {literal:>11.1} {:>8.1} |               {own:>8.3} {cmaes_us:>8.3} {fcmaes_us:>8.3} | {:>9} {:>9.1e}",
                us / floor,
                literal / us,
                timing.iterations,
                timing.best_value
            );
            csv += &format!(
                "{n},{lambda},{strategy},{us},{floor},{},{literal},{},{cmaes_us},{fcmaes_us},{own},{},{:e}\n",
                us / floor,
                literal / us,
                timing.iterations,
                timing.best_value
            );
        }
    }
    options.write(&csv);
}

fn target(options: &Options) {
    println!("{:>22} {:>5} {:>7} {:>10} {:>11} {:>9}", "function", "n", "", "seconds", "evaluations", "best f");
    let mut csv = String::from("function,rotated,n,strategy,seconds,evaluations,best_f\n");
    for rotated in [false, true] {
        for &n in &options.dims {
            let instance = Instance::new(Spec { function: Function::Ellipsoid, n, rotated, seed: 1 });
            let instance = instance.expect("a valid instance");
            let limit = options.limit;
            let mut rows: Vec<(&str, Timing)> = Vec::new();
            for strategy in &options.strategies {
                match strategy.as_str() {
                    "plain" => rows.push(("plain", ours::<Plain>(&instance, Root::LowRank, 1, limit))),
                    // Separable CMA-ES does not solve the rotated problem within any sensible budget.
                    "sep" if !rotated => rows.push(("sep", ours::<Separable>(&instance, Root::LowRank, 1, limit))),
                    "sep" => {}
                    _ => rows.push(("dd", ours::<DiagonalDecoding>(&instance, Root::LowRank, 1, limit))),
                }
            }
            rows.push(("cmaes", cmaes_crate(&instance, 1, limit)));
            rows.push(("fcmaes", fcmaes_crate(&instance, 1, limit)));
            for (name, timing) in rows {
                let seconds = timing.total.as_secs_f64();
                let reached = if timing.best_value <= TARGET { "" } else { "  not reached" };
                let function = if rotated { "ellipsoid-rotated" } else { "ellipsoid" };
                println!(
                    "{function:>22} {n:>5} {name:>7} {seconds:>10.4} {:>11} {:>9.1e}{reached}",
                    timing.evaluations, timing.best_value
                );
                csv += &format!(
                    "ellipsoid,{},{n},{name},{seconds},{},{:e}\n",
                    u8::from(rotated),
                    timing.evaluations,
                    timing.best_value
                );
                if ["dd", "plain", "sep"].contains(&name) {
                    assert!(timing.best_value <= TARGET, "{name}, n = {n} did not reach the target in time");
                }
            }
        }
    }
    options.write(&csv);
}

struct Options {
    dims: Vec<usize>,
    strategies: Vec<String>,
    csv: Option<String>,
    limit: Duration,
}

impl Options {
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
        let strategies = list("strategies", "dd,plain,sep");
        let known = strategies.iter().all(|name| ["dd", "plain", "sep"].contains(&name.as_str()));
        let seconds = given.get("seconds").map_or(Some(seconds), |seconds| seconds.parse().ok())?;
        let csv = given.get("csv").map(|path| path.to_string());
        known.then_some(Self { dims: dims?, strategies, csv, limit: Duration::from_secs(seconds) })
    }

    fn write(&self, csv: &str) {
        if let Some(path) = &self.csv {
            std::fs::write(path, csv).unwrap_or_else(|error| panic!("{path}: {error}"));
            println!("written to {path}");
        }
        if let Some(peak) = peak_memory() {
            println!("peak memory of all of this: {peak}");
        }
    }
}

/// The largest resident size so far, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_string())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (what, rest) = arguments.split_first().map_or(("", &[][..]), |(what, rest)| (what.as_str(), rest));
    let parsed = match what {
        "speed" => {
            Options::parse(rest, "2,5,10,20,40,80,160,320,640", 3).map(|options| (speed as fn(&Options), options))
        }
        "target" => Options::parse(rest, "10,40,160", 120).map(|options| (target as fn(&Options), options)),
        _ => None,
    };
    match parsed {
        Some((run, options)) => {
            run(&options);
            ExitCode::SUCCESS
        }
        None => {
            println!("usage: bench speed|target [--dims N,…] [--strategies dd,plain,sep] [--seconds S] [--csv FILE]");
            ExitCode::from(2)
        }
    }
}
