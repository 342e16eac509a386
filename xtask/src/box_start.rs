//! `cargo xtask box-start`: measures which fraction of a variable's range is the best initial deviation.
//!
//! The optimum of each function lies anywhere in a box.

use std::path::PathBuf;

use clap::Args;
use ddcma_core::rand_core::{Rng, SeedableRng};
use ddcma_core::{DdCma, StopCriteria, Variable, Variables, Xoshiro256PlusPlus};
use ddcma_problems::Function;
use serde::{Deserialize, Serialize};

use crate::lab::names::Form;
use crate::lab::records::{Records, write_file};
use crate::lab::statistics::Cost;
use crate::lab::{self, LabError, fingerprint, pool, table};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Run these dimensions, separated by commas or spaces.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_values_t = [5, 20], value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Set the number of trials of each combination.
    #[arg(long, default_value_t = 51, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub trials: u32,
    /// Set the number of threads. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Set the folder for records and tables. Running the same command again continues from there.
    #[arg(long, default_value = "target/box-start", value_name = "DIR")]
    pub out: PathBuf,
}

/// The target value.
const TARGET: f64 = 1e-8;

/// Deviations, as fractions of the range. A run limits them to a third.
const FRACTIONS: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 1.0 / 3.0];

/// Half of the width of the box.
const HALF: f64 = 5.0;

/// The function to minimize, with its optimum anywhere in the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Ours(Form),
    /// A sphere around a corner of the box.
    Corner,
    /// Rastrigin's function, with a population of 20 n.
    Rastrigin,
}

const PROBLEMS: [Problem; 6] = [
    Problem::Ours(Form { function: Function::Sphere, rotated: false }),
    Problem::Ours(Form { function: Function::Ellipsoid, rotated: true }),
    Problem::Ours(Form { function: Function::Rosenbrock, rotated: false }),
    Problem::Ours(Form { function: Function::EllCig, rotated: false }),
    Problem::Corner,
    Problem::Rastrigin,
];

impl Problem {
    fn name(self) -> String {
        match self {
            Self::Ours(form) => form.to_string(),
            Self::Corner => "sphere, optimum in a corner".into(),
            Self::Rastrigin => "rastrigin, λ = 20 n".into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Trial {
    problem: Problem,
    n: usize,
    fraction: f64,
    seed: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Outcome {
    success: bool,
    evaluations: u64,
}

impl Trial {
    fn key(&self) -> String {
        format!("{}/n={}/{:.3}/seed={}", self.problem.name(), self.n, self.fraction, self.seed)
    }

    fn run(&self) -> Result<Outcome, LabError> {
        let Self { problem, n, fraction, seed } = *self;
        let failed = |error: &dyn std::error::Error| LabError::new(error.to_string());
        let variable = Variable::between(-HALF, HALF).deviation(fraction * 2.0 * HALF);
        let variables = Variables::new(vec![variable; n]).map_err(|error| failed(&error))?;
        let form = match problem {
            Problem::Ours(form) => form,
            Problem::Corner => Form { function: Function::Sphere, rotated: false },
            Problem::Rastrigin => Form { function: Function::Rastrigin, rotated: false },
        };
        let instance = form.instance(n, seed)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut uniform = || (rng.next_u64() >> 11) as f64 * (-53f64).exp2();
        // Rosenbrock's optimum is at 1 in each coordinate, the others' at 0.
        let shift: Vec<f64> =
            (0..n).map(|_| if problem == Problem::Corner { HALF } else { 7.0 * uniform() - 3.5 }).collect();
        let mut y = vec![0.0; n];
        let f = |x: &[f64]| {
            y.iter_mut().zip(x).zip(&shift).for_each(|((y, x), shift)| *y = x - shift);
            instance.at(&y)
        };
        let criteria = StopCriteria::new().target(TARGET).max_evaluations(instance.budget());
        let builder = DdCma::over(&variables).criteria(criteria).seed(seed);
        let builder = if problem == Problem::Rastrigin { builder.lambda(20 * n) } else { builder };
        let mut es = builder.build().map_err(|error| failed(&error))?;
        let stop = es.run(f).expect("an objective that cannot fail");
        Ok(Outcome { success: stop.name() == "target", evaluations: es.evaluations() })
    }
}

/// Everything that a trial depends on, apart from its key.
#[derive(Serialize)]
struct Configuration {
    code: String,
}

/// Runs the experiment and prints its table.
pub fn run(options: &Options) -> Result<(), LabError> {
    let dims: Vec<usize> = options.dims.iter().map(|n| *n as usize).collect();
    let cells: Vec<(Problem, usize)> =
        PROBLEMS.into_iter().flat_map(|problem| dims.iter().map(move |n| (problem, *n))).collect();
    let of_cell = |problem: Problem, n: usize, fraction: f64| {
        (1..=u64::from(options.trials)).map(move |seed| Trial { problem, n, fraction, seed })
    };
    let all = cells.iter().flat_map(|&(problem, n)| FRACTIONS.into_iter().map(move |fraction| (problem, n, fraction)));
    let trials: Vec<Trial> = all.flat_map(|(problem, n, fraction)| of_cell(problem, n, fraction)).collect();
    let mut records = Records::open(&options.out, "box-start", &Configuration { code: fingerprint::of_code() })?;
    pool::run(&trials, Trial::key, options.jobs, &mut records, Trial::run)?;

    let mut rows = Vec::new();
    for (problem, n) in cells {
        let mut row = vec![problem.name(), n.to_string()];
        for fraction in FRACTIONS {
            let outcomes = of_cell(problem, n, fraction).filter_map(|trial| records.get(&trial.key()));
            let outcomes: Vec<(bool, u64)> = outcomes.map(|outcome| (outcome.success, outcome.evaluations)).collect();
            let cost = Cost::of(&outcomes);
            let successes = if cost.successes < cost.trials {
                format!(" ({}/{})", cost.successes, cost.trials)
            } else {
                String::new()
            };
            row.push(format!("{:.0}{successes}", cost.ert));
        }
        rows.push(row);
    }
    let names = FRACTIONS.map(|fraction| format!("{fraction:.2}"));
    let head: Vec<&str> = ["function", "n"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let text = format!(
        "Expected evaluations of dd-CMA-ES to {TARGET:e}, {} trials, from the middle of [−{HALF}, {HALF}]ⁿ, by the initial deviation as a \
         fraction of the range; in brackets successes where not all are:\n\n{}",
        options.trials,
        table::markdown(&head, &rows)
    );
    write_file(&options.out.join("tables.md"), &text)?;
    println!("{text}");
    Ok(())
}
