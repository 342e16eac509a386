//! `cargo xtask early-ends`: measures the costs and savings of not waiting for the slowest evaluations of a generation.
//!
//! All candidates are evaluated in parallel, on as many workers as there are candidates. The time of an evaluation is log-normal; in one
//! half of the cases it is twice as long in one half-space.

use clap::Args;
use ddcma_core::rand_core::SeedableRng;
use ddcma_core::{DdCma, Missing, Settings, StopCriteria, Ticket, Xoshiro256PlusPlus};
use ddcma_problems::{Function, Instance, Problem};
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rayon::prelude::*;

use crate::lab::names::Form;
use crate::lab::statistics::paired_ratio;
use crate::lab::{self, LabError, table};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Run these dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [10, 40], value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Set the number of trials of each combination.
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub trials: u32,
}

/// The target value.
const TARGET: f64 = 1e-8;

/// The deviation of the logarithm of an evaluation's time.
const SPREAD: f64 = 0.5;

/// How the time of an evaluation depends on the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slowness {
    /// Not at all.
    AtRandom,
    /// Twice as long on one side of the optimum.
    InAHalfSpace,
}

/// One way to treat a generation.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// The share of candidates that are not waited for, on average.
    share: f64,
    missing: Missing,
    slowness: Slowness,
}

/// The cost of a run.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// The number of values told.
    evaluations: f64,
    /// The sum over generations of the time of the slowest candidate that was waited for.
    time: f64,
}

/// Prints a row for each function, dimension, λ and kind of slowness.
pub fn run(options: &Options) -> Result<(), LabError> {
    println!(
        "dd-CMA-ES to {TARGET:e} without the slowest 5, 10 and 20 % of each generation, over waiting for all: evaluations told, and \
         time\nwith a worker for each candidate. Mean ratios of {} trials; an interval of 95 % is at most as wide as said in the \
         last column.\n",
        options.trials
    );
    let mut head = vec!["function", "n", "λ", "slow"];
    head.extend(["rank last: 5 %", "10 %", "20 %", "leave out: 5 %", "10 %", "20 %"]);
    head.extend(["time, rank last: 5 %", "10 %", "20 %", "time, leave out: 5 %", "10 %", "20 %", "±"]);
    let mut rows = Vec::new();
    for (function, rotated) in
        [(Function::Ellipsoid, false), (Function::Ellipsoid, true), (Function::Rosenbrock, false)]
    {
        let form = Form { function, rotated };
        for n in options.dims.iter().map(|n| *n as usize) {
            for lambda in [None, Some(4 * n)] {
                for slowness in [Slowness::AtRandom, Slowness::InAHalfSpace] {
                    rows.push(row(form, n, lambda, slowness, options.trials)?);
                }
            }
        }
    }
    println!("{}", table::markdown(&head, &rows));
    Ok(())
}

fn row(form: Form, n: usize, lambda: Option<usize>, slowness: Slowness, trials: u32) -> Result<Vec<String>, LabError> {
    let costs = |share: f64, missing: Missing| -> Result<Vec<Cost>, LabError> {
        let rule = Rule { share, missing, slowness };
        let seeds: Vec<u64> = (1..=u64::from(trials)).collect();
        seeds.par_iter().map(|seed| cost(&form.instance(n, *seed)?, lambda, rule, *seed)).collect()
    };
    let waiting = costs(0.0, Missing::RankLast)?;
    let (mut evaluations, mut times, mut widest) = (Vec::new(), Vec::new(), 0f64);
    for missing in [Missing::RankLast, Missing::LeaveOut] {
        for share in [0.05, 0.1, 0.2] {
            let early = costs(share, missing)?;
            for (ratios, of) in
                [(&mut evaluations, (|cost| cost.evaluations) as fn(&Cost) -> f64), (&mut times, |cost| cost.time)]
            {
                let [a, b] = [&early, &waiting].map(|costs| costs.iter().map(of).collect::<Vec<f64>>());
                let (ratio, low, high) = paired_ratio(&a, &b);
                ratios.push(format!("{ratio:.2}"));
                widest = widest.max(high / ratio - 1.0).max(1.0 - low / ratio);
            }
        }
    }
    let slow = match slowness {
        Slowness::AtRandom => "at random",
        Slowness::InAHalfSpace => "on one side",
    };
    let mut cells = vec![
        form.to_string(),
        n.to_string(),
        lambda.map_or("default".to_string(), |_| "4n".to_string()),
        slow.to_string(),
    ];
    cells.extend(evaluations.into_iter().chain(times));
    cells.push(format!("{:.0} %", 100.0 * widest));
    Ok(cells)
}

/// Runs once, without waiting for the slowest candidates of each generation.
fn cost(instance: &Instance, lambda: Option<usize>, rule: Rule, seed: u64) -> Result<Cost, LabError> {
    let settings = lambda.map_or(Settings::new(), |lambda| Settings::new().lambda(lambda));
    let budget = 20 * instance.budget();
    let builder = DdCma::builder(instance.initial_mean(), instance.initial_sigma()).settings(settings).seed(seed);
    let builder = builder.criteria(StopCriteria::none().target(TARGET).max_evaluations(budget));
    let mut es = builder.build().map_err(|error| LabError::new(error.to_string()))?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5155);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    // The border of the half-space goes through the optimum.
    let direction: Vec<f64> = (0..es.mean().len()).map(|_| normal()).collect();
    let side = |x: &[f64]| -> f64 { x.iter().zip(&direction).map(|(x, u)| x * u).sum() };
    let border = side(&instance.minimizer().expect("functions of Table 1 have a known minimizer"));
    let mut coin = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0xc01);
    let mut time = 0.0;
    while es.stop().is_none() {
        let mut jobs: Vec<(f64, Ticket, f64)> = es
            .ask_missing()
            .map(|(ticket, x)| {
                let is_slow = rule.slowness == Slowness::InAHalfSpace && side(x) > border;
                let factor = if is_slow { 2.0 } else { 1.0 };
                (factor * (SPREAD * normal()).exp(), ticket, instance.at(x))
            })
            .collect();
        jobs.sort_by(|a, b| a.0.total_cmp(&b.0));
        // On average, this share is dropped, whatever λ is.
        let dropped = rule.share * jobs.len() as f64;
        let uniform: f64 = StandardUniform.sample(&mut coin);
        let dropped = dropped as usize + usize::from(uniform < dropped.fract());
        let kept = jobs.len() - dropped;
        time += jobs[kept - 1].0;
        for (_, ticket, value) in &jobs[..kept] {
            es.tell_one(*ticket, *value).map_err(|error| LabError::new(error.to_string()))?;
        }
        if dropped > 0 {
            es.finish(rule.missing).map_err(|error| LabError::new(error.to_string()))?;
        }
    }
    if es.best_value() > TARGET {
        return Err(LabError::new(format!("{:?}: not solved with {rule:?}, seed {seed}", instance.spec())));
    }
    Ok(Cost { evaluations: es.evaluations() as f64, time })
}
