//! `cargo xtask tolerances`: measures when runs with values far from zero end, with and without the relative tolerance on values.

use clap::Args;
use ddcma_core::{Bounds, Builder, DdCma, DiagonalDecoding, StopCriteria, View, With};
use ddcma_problems::Instance;
use ddcma_problems::applied::vessel::VESSEL;
use rayon::prelude::*;

use crate::lab::names::Form;
use crate::lab::statistics::median;
use crate::lab::{self, LabError, table};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Run the functions of Table 1 in these dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [5, 10, 20], value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Run these functions of Table 1, separated by commas or spaces.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_values_t = FUNCTIONS.map(String::from))]
    pub functions: Vec<String>,
    /// Set the number of runs of each row; their seeds are 1, 2, ….
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Set the relative tolerance. Default: that of the library.
    #[arg(long, allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Set the error, relative to the minimum, below which further digits are useless.
    #[arg(long, default_value_t = 1e-12)]
    pub useful: f64,
}

/// Excludes functions that a single run does not solve, because their local minima are not zero.
const FUNCTIONS: [&str; 11] = [
    "sphere",
    "cigar",
    "discus",
    "ellipsoid",
    "ellipsoid-rotated",
    "twoaxes",
    "ellcig",
    "elldis",
    "ellcigdis",
    "rosenbrock",
    "rosenbrock-rotated",
];

/// The transformation of the values: factor·f + shift.
const TRANSFORMATIONS: [(f64, f64); 4] = [(1.0, 1e4), (1e6, 1e4), (1.0, 0.0), (1e6, 0.0)];

/// The budget of evaluations per variable, which runs never use up.
const BUDGET: u64 = 100_000;

/// A function with a known minimum.
struct Known {
    name: String,
    n: usize,
    minimum: f64,
    start: Box<dyn Fn(u64) -> Result<Run, LabError> + Sync>,
}

/// The function to minimize.
type Function = dyn Fn(&[f64]) -> f64;

/// A run without criteria, and its function.
struct Run {
    builder: Builder<DiagonalDecoding>,
    f: Box<Function>,
}

/// Two runs with the same seed, which differ only in when they end.
struct Ends {
    /// Evaluations to the last useful digit; NaN if it is not reached.
    useful: f64,
    before: f64,
    now: f64,
    /// The error at the end, relative to the minimum unless that is zero.
    error_before: f64,
    error_now: f64,
}

/// Prints a row for each function, as Markdown.
pub fn run(options: &Options) -> Result<(), LabError> {
    let criteria =
        options.tolerance.map_or(StopCriteria::new(), |tolerance| StopCriteria::new().tol_fun_rel(tolerance));
    let forms = options.functions.iter().map(|name| name.parse()).collect::<Result<Vec<Form>, _>>()?;
    let mut known = vec![vessel()];
    for (factor, shift) in TRANSFORMATIONS {
        for form in &forms {
            known.extend(options.dims.iter().map(|n| transformed(*form, *n as usize, factor, shift)));
        }
    }
    let rows = known.par_iter().map(|known| {
        let ends = (1..=u64::from(options.runs)).map(|seed| ends(known, &criteria, options.useful, seed));
        ends.collect::<Result<Vec<_>, _>>().map(|ends| row(known, &ends))
    });
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let far: Vec<f64> = rows.iter().filter(|row| row.far).map(|row| row.ratio).collect();
    let earlier: usize = rows.iter().filter(|row| !row.far).map(|row| row.earlier).sum();
    let cells: Vec<Vec<String>> = rows.into_iter().map(|row| row.cells).collect();

    println!(
        "Evaluations of dd-CMA-ES, medians of {} runs: to an error of {:e} times the minimum (useful), and to the end without \
         `tol_fun_rel` (before) and with it (now).\n",
        options.runs, options.useful
    );
    println!("{}", table::markdown(&HEAD, &cells));
    println!(
        "Minimum far from zero: now/useful has the median {:.2} and the maximum {:.2}. Minimum zero: {earlier} runs end \
         earlier than before.",
        median(&far),
        far.iter().copied().fold(f64::NAN, f64::max)
    );
    Ok(())
}

const HEAD: [&str; 10] = [
    "function",
    "n",
    "useful",
    "before",
    "now",
    "before/useful",
    "now/useful",
    "error before",
    "error now",
    "runs that end earlier",
];

/// A row of the table, and its contribution to the summary.
struct Row {
    cells: Vec<String>,
    far: bool,
    ratio: f64,
    earlier: usize,
}

fn row(known: &Known, ends: &[Ends]) -> Row {
    let median_of = |number: fn(&Ends) -> f64| median(&ends.iter().map(number).collect::<Vec<_>>());
    let [useful, before, now] = [|e: &Ends| e.useful, |e: &Ends| e.before, |e: &Ends| e.now].map(median_of);
    let ratio = median_of(|e| e.now / e.useful);
    let earlier = ends.iter().filter(|ends| ends.now < ends.before).count();
    let (quotient, error) =
        (|ratio: f64| if ratio.is_nan() { "–".into() } else { format!("{ratio:.2}") }, |error| format!("{error:.0e}"));
    let cells = vec![
        known.name.clone(),
        known.n.to_string(),
        table::count(useful),
        table::count(before),
        table::count(now),
        quotient(median_of(|e| e.before / e.useful)),
        quotient(ratio),
        error(median_of(|e| e.error_before)),
        error(median_of(|e| e.error_now)),
        format!("{earlier} of {}", ends.len()),
    ];
    Row { cells, far: known.minimum != 0.0, ratio, earlier }
}

/// Runs once with all criteria except the relative one, and once with all of them.
fn ends(known: &Known, criteria: &StopCriteria, useful: f64, seed: u64) -> Result<Ends, LabError> {
    let scale = if known.minimum == 0.0 { 1.0 } else { known.minimum.abs() };
    let error = |value: f64| (value - known.minimum) / scale;
    let end = |criteria: StopCriteria| {
        let Run { builder, f } = (known.start)(seed)?;
        let criteria = criteria.max_evaluations(BUDGET * known.n as u64);
        let es = builder.criteria(criteria).seed(seed).build();
        let mut es = es.map_err(|error| LabError::new(error.to_string()))?;
        let mut reached = f64::NAN;
        let mut watch = |view: &View<'_>| {
            if reached.is_nan() && known.minimum != 0.0 && view.best.is_some_and(|best| error(best.value) <= useful) {
                reached = view.evaluations as f64;
            }
        };
        es.run_with(|x: &[f64]| f(x), &mut With::new().observer(&mut watch)).expect("an objective that cannot fail");
        Ok::<_, LabError>((reached, es.evaluations() as f64, error(es.best_value())))
    };
    let (useful, before, error_before) = end(criteria.clone().tol_fun_rel(None))?;
    let (_, now, error_now) = end(criteria.clone())?;
    Ok(Ends { useful, before, now, error_before, error_now })
}

/// A function of Table 1, with factor·f + shift for its values.
fn transformed(form: Form, n: usize, factor: f64, shift: f64) -> Known {
    let start = move |seed: u64| {
        let instance: Instance = form.instance(n, seed)?;
        let builder = DdCma::builder(instance.initial_mean(), instance.initial_sigma());
        Ok(Run { builder, f: Box::new(move |x: &[f64]| factor * instance.at(x) + shift) })
    };
    let factor_text = if factor == 1.0 { String::new() } else { format!("{factor:e}·") };
    let shift_text = if shift == 0.0 { String::new() } else { format!(" + {shift:e}") };
    Known { name: format!("{factor_text}{form}{shift_text}"), n, minimum: shift, start: Box::new(start) }
}

/// The pressure vessel, started in the middle of the box with a fifth of its sides as deviations. Violated constraints multiply the cost.
fn vessel() -> Known {
    let start = |_| {
        let (lower, upper): (Vec<f64>, Vec<f64>) = VESSEL.bounds.iter().copied().unzip();
        let sides = || lower.iter().zip(&upper);
        let middle: Vec<f64> = sides().map(|(lower, upper)| 0.5 * (lower + upper)).collect();
        let deviations: Vec<f64> = sides().map(|(lower, upper)| 0.2 * (upper - lower)).collect();
        let bounds = Bounds::new(&lower, &upper).map_err(|error| LabError::new(error.to_string()))?;
        let builder = DdCma::builder(&middle, 1.0).deviations(&deviations).bounds(bounds);
        Ok(Run { builder, f: Box::new(|x| VESSEL.penalized(100.0, x)) })
    };
    Known { name: "pressure vessel".into(), n: 4, minimum: VESSEL.optimum, start: Box::new(start) }
}
