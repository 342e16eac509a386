//! `cargo xtask warm-start`: measures how many evaluations the distribution of a finished run saves on a similar function, and which
//! step size to start with.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use ddcma_core::rand_core::{Rng, SeedableRng};
use ddcma_core::{Columns, Distribution, Optimizer, Plain, StopCriteria, Strategy, Xoshiro256PlusPlus};
use ddcma_problems::Function;
use serde::{Deserialize, Serialize};

use crate::lab::names::{Form, StrategyName, with_strategy};
use crate::lab::records::{Records, write_file};
use crate::lab::statistics::{median, paired_ratio};
use crate::lab::{self, LabError, fingerprint, pool, table};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Set the number of variables.
    #[arg(long, default_value_t = 40, value_parser = lab::dimension)]
    pub dim: u32,
    /// Set the number of trials of each strategy.
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub trials: u32,
    /// Set the number of threads. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Set the folder for records and tables. Running the same command again continues from there.
    #[arg(long, default_value = "target/warm-start", value_name = "DIR")]
    pub out: PathBuf,
}

/// The target value.
const TARGET: f64 = 1e-8;

/// The step size of a cold start: the optimum has moved by one in each coordinate.
const SIGMA: f64 = 1.0;

const STRATEGIES: [StrategyName; 2] = [StrategyName::Dd, StrategyName::Plain];

const FORMS: [Form; 2] =
    [Form { function: Function::Ellipsoid, rotated: true }, Form { function: Function::Ellipsoid, rotated: false }];

/// The angles by which the second function is rotated, in n/2 random planes.
const ANGLES: [f64; 3] = [0.0, 0.01, 0.1];

/// A way to start the second run. Each starts at the mean of the first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// σ0, without a shape.
    Cold,
    /// The whole distribution, unchanged.
    AsItEnded,
    /// The shape, with its longest axis at σ0.
    Longest,
    /// The shape, with the geometric mean of the coordinates' deviations at σ0: `shape_of`.
    Deviations,
    /// The shape, with the geometric mean of its axes at σ0.
    Axes,
    /// The shape, with its shortest axis at σ0.
    Shortest,
}

impl Start {
    const ALL: [Self; 6] = [Self::Cold, Self::AsItEnded, Self::Longest, Self::Deviations, Self::Axes, Self::Shortest];

    fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::AsItEnded => "as it ended",
            Self::Longest => "longest axis",
            Self::Deviations => "deviations (`shape_of`)",
            Self::Axes => "mean axis",
            Self::Shortest => "shortest axis",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trial {
    strategy: StrategyName,
    form: Form,
    n: usize,
    seed: u64,
}

/// The evaluations of each second run to the target, by angle and way to start; `None` if the target was not reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Outcome {
    evaluations: BTreeMap<String, Option<u64>>,
}

fn second_run(angle: f64, start: Start) -> String {
    format!("angle={angle}/{}", start.name())
}

impl Trial {
    fn key(&self) -> String {
        format!("{}/n={}/{}/seed={}", self.form, self.n, self.strategy.name(), self.seed)
    }

    fn run(&self) -> Result<Outcome, LabError> {
        with_strategy!(self.strategy, S => self.run_with::<S>())
    }

    fn run_with<S: Strategy>(&self) -> Result<Outcome, LabError> {
        let instance = self.form.instance(self.n, self.seed)?;
        let criteria = StopCriteria::none().target(TARGET).max_evaluations(instance.budget());
        let failed = |error: ddcma_core::StartError| LabError::new(error.to_string());
        let first = Optimizer::<S>::builder(instance.initial_mean(), instance.initial_sigma());
        let mut first = first.criteria(criteria.clone()).seed(self.seed).build().map_err(failed)?;
        first.run(|x: &[f64]| instance.at(x)).expect("an objective that cannot fail");
        let known = first.distribution();
        let axes = axis_lengths(&known)?;
        let mut evaluations = BTreeMap::new();
        for angle in ANGLES {
            let turned = Turned::new(self.n, angle, self.seed);
            let mut y = vec![0.0; self.n];
            let mut f = |x: &[f64]| {
                y.iter_mut().zip(x).for_each(|(y, x)| *y = x - 1.0);
                turned.apply(&mut y);
                instance.at(&y)
            };
            for start in Start::ALL {
                let d: Vec<f64> = known.deviations().iter().map(|deviation| deviation / known.sigma).collect();
                let exactly = |sigma: f64| {
                    let builder = Optimizer::<S>::builder(&known.mean, sigma).deviations(&d);
                    if let Some(c) = &known.c { builder.covariance(c.clone()) } else { builder }
                };
                let geometric_mean = (axes.iter().map(|axis| axis.ln()).sum::<f64>() / axes.len() as f64).exp();
                let second = match start {
                    Start::Cold => Optimizer::<S>::builder(&known.mean, SIGMA),
                    Start::AsItEnded => exactly(known.sigma),
                    Start::Longest => exactly(SIGMA / axes[axes.len() - 1]),
                    Start::Deviations => Optimizer::<S>::builder(&known.mean, SIGMA).shape_of(known.clone()),
                    Start::Axes => exactly(SIGMA / geometric_mean),
                    Start::Shortest => exactly(SIGMA / axes[0]),
                };
                let second = second.criteria(criteria.clone()).seed(1000 + self.seed);
                let mut second = second.build().map_err(failed)?;
                let stop = second.run(&mut f).expect("an objective that cannot fail");
                let reached = (stop.name() == "target").then(|| second.evaluations());
                evaluations.insert(second_run(angle, start), reached);
            }
        }
        Ok(Outcome { evaluations })
    }
}

/// Returns the axes of D·C·D, in ascending order.
fn axis_lengths(known: &Distribution) -> Result<Vec<f64>, LabError> {
    let n = known.d.len();
    let mut covariance = known.c.clone().unwrap_or_else(|| Columns::identity(n));
    for (column, of_column) in covariance.iter_mut().zip(&known.d) {
        column.iter_mut().zip(&known.d).for_each(|(c, d)| *c *= d * of_column);
    }
    let plain = Optimizer::<Plain>::builder(&vec![0.0; n], 1.0).covariance(covariance).build();
    Ok(plain.map_err(|error| LabError::new(error.to_string()))?.strategy().axis_lengths())
}

/// Rotates a point in n/2 random planes of two coordinates each.
struct Turned {
    planes: Vec<(usize, usize)>,
    sine: f64,
    cosine: f64,
}

impl Turned {
    fn new(n: usize, angle: f64, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            order.swap(last, (rng.next_u64() % (last as u64 + 1)) as usize);
        }
        let planes = order.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Self { planes, sine: angle.sin(), cosine: angle.cos() }
    }

    fn apply(&self, x: &mut [f64]) {
        for &(i, j) in &self.planes {
            (x[i], x[j]) = (self.cosine * x[i] - self.sine * x[j], self.sine * x[i] + self.cosine * x[j]);
        }
    }
}

/// Everything that a trial depends on, apart from its key.
#[derive(Serialize)]
struct Configuration {
    code: String,
}

/// Runs the experiment and prints its tables.
pub fn run(options: &Options) -> Result<(), LabError> {
    let n = options.dim as usize;
    let seeds = || 1..=u64::from(options.trials);
    let of_form = |form: Form| STRATEGIES.into_iter().map(move |strategy| (form, strategy));
    let cells: Vec<(Form, StrategyName)> = FORMS.into_iter().flat_map(of_form).collect();
    let trial = |(form, strategy): (Form, StrategyName)| seeds().map(move |seed| Trial { strategy, form, n, seed });
    let trials: Vec<Trial> = cells.iter().copied().flat_map(trial).collect();
    let mut records = Records::open(&options.out, "warm-start", &Configuration { code: fingerprint::of_code() })?;
    pool::run(&trials, Trial::key, options.jobs, &mut records, Trial::run)?;

    let mut rows = Vec::new();
    for (form, strategy) in cells {
        let outcomes: Vec<&Outcome> =
            seeds().filter_map(|seed| records.get(&Trial { strategy, form, n, seed }.key())).collect();
        for angle in ANGLES {
            let of = |start: Start| -> Vec<f64> {
                let evaluations = |outcome: &&Outcome| outcome.evaluations.get(&second_run(angle, start)).copied();
                let cost = |reached: Option<u64>| reached.map_or(f64::INFINITY, |evaluations| evaluations as f64);
                outcomes.iter().filter_map(evaluations).map(cost).collect()
            };
            let cold = of(Start::Cold);
            let mut row = vec![form.to_string(), strategy.name().to_string(), angle.to_string()];
            row.push(format!("{:.0}", median(&cold)));
            for start in &Start::ALL[1..] {
                let (ratio, low, high) = paired_ratio(&of(*start), &cold);
                row.push(format!("{ratio:.2} [{low:.2}, {high:.2}]"));
            }
            rows.push(row);
        }
    }
    let head: Vec<&str> = ["function", "strategy", "angle"].into_iter().chain(Start::ALL.map(Start::name)).collect();
    let text = format!(
        "Evaluations to {TARGET:e}, n = {n}, medians of {} trials; ratios of warm to cold starts, pair by pair, with 95 % intervals:\n\n{}",
        options.trials,
        table::markdown(&head, &rows)
    );
    write_file(&options.out.join("tables.md"), &text)?;
    println!("{text}");
    Ok(())
}
