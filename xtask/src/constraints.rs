//! `cargo xtask constraints`: compares ways to treat constraints on engineering designs with published optima.
//!
//! The designs are those of `ddcma_problems::applied`; each way combines cost and violation into one value.

use clap::Args;
use ddcma_core::rand_core::SeedableRng;
use ddcma_core::{Bounds, DdCma, StopCriteria, Xoshiro256PlusPlus, feasible_first};
use ddcma_problems::applied::{DESIGNS, Design};
use rand_distr::{Distribution, StandardUniform};
use rayon::prelude::*;

use crate::lab::statistics::median;
use crate::lab::{LabError, table};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Set the number of trials of each combination, each a run from a random start.
    #[arg(long, default_value_t = 51, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    pub trials: u32,
    /// Limit the evaluations of a run.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(100..))]
    pub budget: u64,
}

/// The largest relative distance between a feasible cost and the best known one for a design to count as solved.
const TOLERANCE: f64 = 1e-4;

/// A way to combine a cost and a violation into one value.
#[derive(Clone, Copy, Debug)]
enum Treatment {
    /// Infeasible points are infinitely bad.
    Reject,
    /// f·(1 + κ·violation)².
    Multiply(f64),
    /// f + κ·violation.
    Add(f64),
    /// Feasible points rank before infeasible ones, which rank by their violation.
    FeasibleFirst,
}

impl Treatment {
    const ALL: [Self; 10] = [
        Self::Reject,
        Self::FeasibleFirst,
        Self::Multiply(1.0),
        Self::Multiply(10.0),
        Self::Multiply(100.0),
        Self::Multiply(1e3),
        Self::Add(1e2),
        Self::Add(1e4),
        Self::Add(1e6),
        Self::Add(1e8),
    ];

    fn name(self) -> String {
        match self {
            Self::Reject => "+∞ if infeasible".to_string(),
            Self::FeasibleFirst => "feasible first".to_string(),
            Self::Multiply(kappa) => format!("f·(1 + {kappa}·v)²"),
            Self::Add(kappa) => format!("f + {kappa:e}·v"),
        }
    }

    fn value(self, cost: f64, violation: f64) -> f64 {
        match self {
            Self::Reject if violation > 0.0 => f64::INFINITY,
            Self::Reject => cost,
            Self::FeasibleFirst => feasible_first(cost, violation),
            Self::Multiply(kappa) => cost * (1.0 + kappa * violation).powi(2),
            Self::Add(kappa) => cost + kappa * violation,
        }
    }
}

/// Where a run ended.
struct End {
    evaluations: u64,
    solved_after: Option<u64>,
    /// The cost and the violation of its best point.
    cost: f64,
    violation: f64,
}

/// Prints a table for each design.
pub fn run(options: &Options) -> Result<(), LabError> {
    println!(
        "Single runs of dd-CMA-ES from {} random starts in the box, with up to {} evaluations. Solved: a feasible point within {TOLERANCE:e} \
         of the best known cost.\nv is the sum of the violations; infeasible ends have v > 1e-6.\n",
        options.trials, options.budget
    );
    let head = [
        "design",
        "value",
        "solved",
        "evaluations",
        "ends infeasible",
        "median cost / optimum",
        "evaluations to the stop",
    ];
    let mut rows = Vec::new();
    for design in &DESIGNS {
        for treatment in Treatment::ALL {
            let seeds: Vec<u64> = (1..=u64::from(options.trials)).collect();
            let ends: Result<Vec<End>, LabError> =
                seeds.par_iter().map(|seed| end(design, treatment, options.budget, *seed)).collect();
            rows.push(row(design, treatment, &ends?));
        }
    }
    println!("{}", table::markdown(&head, &rows));
    Ok(())
}

fn row(design: &Design, treatment: Treatment, ends: &[End]) -> Vec<String> {
    let of = |number: fn(&End) -> f64| ends.iter().map(number).collect::<Vec<f64>>();
    let solved: Vec<f64> = ends.iter().filter_map(|end| end.solved_after).map(|after| after as f64).collect();
    let infeasible = ends.iter().filter(|end| end.violation > 1e-6).count();
    vec![
        design.name.to_string(),
        treatment.name(),
        format!("{}/{}", solved.len(), ends.len()),
        if solved.is_empty() { "–".to_string() } else { table::count(median(&solved)) },
        infeasible.to_string(),
        format!("{:.5}", median(&of(|end| end.cost)) / design.optimum),
        table::count(median(&of(|end| end.evaluations as f64))),
    ]
}

fn end(design: &Design, treatment: Treatment, budget: u64, seed: u64) -> Result<End, LabError> {
    let wrong = |error: &dyn std::fmt::Display| LabError::new(error.to_string());
    let (lower, upper): (Vec<f64>, Vec<f64>) = design.bounds.iter().copied().unzip();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut uniform = || -> f64 { StandardUniform.sample(&mut rng) };
    let start: Vec<f64> = design.bounds.iter().map(|(lower, upper)| lower + (upper - lower) * uniform()).collect();
    let deviations: Vec<f64> = design.bounds.iter().map(|(lower, upper)| 0.2 * (upper - lower)).collect();
    let bounds = Bounds::new(&lower, &upper).map_err(|error| wrong(&error))?;
    let builder = DdCma::builder(&start, 1.0).deviations(&deviations).bounds(bounds).seed(seed);
    let mut es =
        builder.criteria(StopCriteria::new().max_evaluations(budget)).build().map_err(|error| wrong(&error))?;
    let (mut evaluations, mut solved_after) = (0, None);
    let mut objective = |x: &[f64]| {
        let (cost, violation) = ((design.cost)(x), design.violation(x));
        evaluations += 1;
        if solved_after.is_none() && violation == 0.0 && cost <= design.optimum * (1.0 + TOLERANCE) {
            solved_after = Some(evaluations);
        }
        treatment.value(cost, violation)
    };
    es.run(&mut objective).expect("an objective that cannot fail");
    let best = es.best().map_or(es.mean(), |best| best.point);
    Ok(End {
        evaluations: es.evaluations(),
        solved_after,
        cost: (design.cost)(best),
        violation: design.violation(best),
    })
}
