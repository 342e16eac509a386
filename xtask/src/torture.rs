//! `cargo xtask torture`: runs endless random cases, each reproducible by its number, and checks invariants in all of them.
//!
//! Each case has its own random stream: the outcome depends only on the seed and the number of the case, not on threads or time. This file
//! numbers the cases, runs them in parallel and reports the results; the cases themselves are in the other files of this folder.

mod arrivals;
mod autosaves;
mod case;
mod draw;
mod files;
mod given;
mod hostile;
mod illegal;
mod invariants;
pub mod machine;
mod plans;
mod references;
mod runs;
mod searches;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use ddcma_core::{Optimizer, Strategy, TellError};

use draw::Draw;

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Limit the time, in minutes. Default: until interrupted, or until an invariant is violated.
    #[arg(long, value_parser = minutes)]
    pub minutes: Option<f64>,
    /// Set the seed of all cases.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Run only the case with this number, and print everything that it does.
    #[arg(long)]
    pub case: Option<u64>,
    /// Run only sequences of transitions: everything that can happen to a run or a search, next to a reference model.
    #[arg(long)]
    pub transitions: bool,
    /// Set the number of threads. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse::<f64>().ok().filter(|minutes| *minutes > 0.0 && *minutes < 1e9);
    minutes.ok_or_else(|| "must be a positive number of minutes".to_string())
}

/// The totals over all cases, for the last lines of the report.
#[derive(Debug, Default)]
struct Tally {
    cases: BTreeMap<&'static str, u64>,
    generations: u64,
    ends: BTreeMap<String, u64>,
    /// The largest error of a root at the end of a run, in units of ε·n·κ.
    root_error: f64,
    transitions: machine::Counts,
}

/// What a case has drawn and done so far; survives a panic.
#[derive(Debug, Default)]
struct Trail {
    verbose: bool,
    kind: &'static str,
    drawn: Vec<String>,
    generation: u64,
    generations: u64,
    ends: Vec<String>,
    root_error: f64,
    transitions: machine::Counts,
}

impl Trail {
    fn drawn(&mut self, what: &dyn Display) {
        self.drawn.push(what.to_string());
        if self.verbose {
            println!("{what}");
        }
    }

    fn generation(&mut self, generation: u64) {
        self.generation = generation;
        self.generations += 1;
    }

    fn told<S: Strategy>(&self, es: &Optimizer<S>, outcome: &Result<(), TellError>) {
        if self.verbose {
            let axes = es.strategy().shape().axes;
            let (smallest, largest) =
                es.d().iter().fold((f64::MAX, 0f64), |(low, high), d| (low.min(*d), high.max(*d)));
            let end = outcome.as_ref().map_or_else(|error| format!(", {error}"), |()| String::new());
            println!(
                "{}: best {:e}, σ {:e}, D {smallest:e} to {largest:e}, axes {:e} to {:e}, β {:e}{end}",
                self.generation,
                es.best_value(),
                es.sigma(),
                axes.shortest,
                axes.longest,
                axes.beta
            );
        }
    }

    fn ended(&mut self, name: &str, reason: &dyn Display) {
        let reason = reason.to_string();
        if self.verbose {
            println!("{name}: {reason}");
        }
        if self.ends.last().is_none_or(|last| last != name) {
            self.ends.push(name.to_string());
        }
    }

    fn root_error(&mut self, error: f64) {
        self.root_error = self.root_error.max(error);
    }
}

/// Runs cases until the time is up or one violates an invariant. Returns whether none did.
pub fn run(options: &Options) -> bool {
    if let Some(case) = options.case {
        let mut trail = Trail { verbose: true, ..Trail::default() };
        let broken = run_case(options, case, &mut trail);
        match &broken {
            Some(violation) => println!("{}", report(options, case, &trail, violation)),
            None => println!("case {case} of seed {}: no violation", options.seed),
        }
        return broken.is_none();
    }
    let start = Instant::now();
    let end = options.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
    let jobs =
        options.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |jobs| jobs as usize);
    let (next, broken) = (AtomicU64::new(0), AtomicBool::new(false));
    let tally = Mutex::new((Tally::default(), Instant::now()));
    let work = || {
        while !broken.load(Ordering::Relaxed) && end.is_none_or(|end| start.elapsed() < end) {
            let case = next.fetch_add(1, Ordering::Relaxed);
            let mut trail = Trail::default();
            let violation = run_case(options, case, &mut trail);
            // A lock is poisoned if a panic occurs while it is held, but nothing panics here.
            let Ok(mut tally) = tally.lock() else { return };
            let (tally, last) = &mut *tally;
            *tally.cases.entry(trail.kind).or_default() += 1;
            tally.generations += trail.generations;
            tally.root_error = tally.root_error.max(trail.root_error);
            trail.ends.iter().for_each(|end| *tally.ends.entry(end.clone()).or_default() += 1);
            for (name, (done, refused)) in &trail.transitions {
                let count = tally.transitions.entry(name).or_default();
                (count.0, count.1) = (count.0 + done, count.1 + refused);
            }
            if let Some(violation) = violation {
                broken.store(true, Ordering::Relaxed);
                println!("{}", report(options, case, &trail, &violation));
            } else if last.elapsed() > Duration::from_secs(30) {
                *last = Instant::now();
                eprintln!("{:.0} s: {} cases", start.elapsed().as_secs_f64(), tally.cases.values().sum::<u64>());
            }
        }
    };
    std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
    let broken = broken.into_inner();
    if let Ok((tally, _)) = tally.into_inner() {
        let list = |counts: &mut dyn Iterator<Item = (String, u64)>| {
            counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
        };
        println!(
            "seed {}: {} cases ({}), {} generations, in {:.0} s",
            options.seed,
            tally.cases.values().sum::<u64>(),
            list(&mut tally.cases.iter().map(|(name, count)| (name.to_string(), *count))),
            tally.generations,
            start.elapsed().as_secs_f64()
        );
        let transitions: u64 = tally.transitions.values().map(|(done, refused)| done + refused).sum();
        println!("{transitions} transitions");
        for (name, (done, refused)) in &tally.transitions {
            println!("  {done:>10} {name}, {refused} refused");
        }
        println!("ends: {}", list(&mut tally.ends.iter().map(|(name, count)| (name.clone(), *count))));
        println!("roots: A⁻¹·A·z is off by at most {:.2} ε·n·κ at the ends of runs", tally.root_error);
        println!("{}", if broken { "an invariant was violated" } else { "no invariant was violated" });
    }
    !broken
}

/// Runs one case, and returns the violation, if any.
fn run_case(options: &Options, case: u64, trail: &mut Trail) -> Option<String> {
    let mut draw = Draw::of_case(options.seed, case);
    trail.kind = match draw.below(100) {
        _ if options.transitions => "sequences",
        0..80 => "runs",
        80..92 => "searches",
        92..96 => "files",
        96..98 => "illegal",
        _ => "sequences",
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| match trail.kind {
        "runs" => runs::run(&mut draw, trail),
        "searches" => searches::run(&mut draw, trail),
        "files" => files::run(&mut draw, trail),
        "sequences" => sequence(&mut draw, trail),
        _ => illegal::run(&mut draw, trail),
    }));
    match outcome {
        Ok(held) => held.err(),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message");
            Some(format!("a panic: {text}"))
        }
    }
}

/// Draws a sequence of transitions and carries it out.
fn sequence(draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let (setup, length) = (draw.bits(), draw.log_integer(10, 200));
    let words: Vec<u64> = (0..length).map(|_| draw.bits()).collect();
    let mut counts = machine::Counts::new();
    let checked = machine::check(setup, &words, &mut counts, &mut |what| trail.drawn(&what));
    trail.transitions = counts;
    checked
}

fn report(options: &Options, case: u64, trail: &Trail, violation: &str) -> String {
    let seed = options.seed;
    let only = if options.transitions { " --transitions" } else { "" };
    format!(
        "violation in case {case} of seed {seed}, generation {}: {violation}\n{}\nrepeat: cargo xtask torture{only} --seed {seed} --case {case}",
        trail.generation,
        trail.drawn.join("\n")
    )
}
