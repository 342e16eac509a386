//! The command `trace`: draws one run in the four panels of the paper's Figure "conv".

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use ddcma_core::{CsvWriter, History};

use super::arguments::population;
use super::help;
use super::registry::Registry;
use crate::course::{self, MOST_POINTS};
use crate::records::write_file;
use crate::{Algorithm, LabError, SingleTrial, TrialOutcome};

/// The options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Draw a run on this instance, such as `ellipsoid-rotated/n=40/seed=3`; n and seed have defaults: `ellcig` is `ellcig/n=20/seed=1`.
    #[arg(required_unless_present = "from")]
    instance: Option<String>,
    /// Draw a run of your own instead, from a file written by a `CsvWriter`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["instance", "algorithm", "lambda", "seed", "target"])]
    from: Option<PathBuf>,
    /// Run this algorithm, with parameters.
    #[arg(long, aliases = ["strategy", "strategies", "algorithms"], help = help::algorithm(), default_value = "dd")]
    algorithm: String,
    /// Set the population size. Default: 4 + ⌊3 ln n⌋.
    #[arg(long, value_parser = population)]
    lambda: Option<u32>,
    /// Set the seed of the run. Default: that of the instance.
    #[arg(long)]
    seed: Option<u64>,
    /// Stop at this function value.
    #[arg(long, default_value = "1e-8", allow_negative_numbers = true)]
    target: f64,
    /// Write the picture to this file, and the numbers next to it, as CSV. Default: a file in `target/trace`, named after the instance and
    /// the algorithm, or after the input file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(registry: &Registry, options: &Options) -> Result<(), LabError> {
    match (&options.from, &options.instance) {
        (Some(file), _) => read(file, options.out.as_deref()),
        (None, Some(name)) => trace(registry, name, options),
        (None, None) => Err(LabError::new("give an instance, such as ellcig/n=20/seed=1, or --from FILE")),
    }
}

/// Draws a run from a file.
fn read(file: &Path, out: Option<&Path>) -> Result<(), LabError> {
    let of_file = |error: &dyn fmt::Display| LabError::new(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| of_file(&error))?;
    let moments = course::of_csv(&text).map_err(|error| of_file(&error))?;
    let title = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
    let path = place(out, &title)?;
    write_file(&path, &course::picture(&title, &moments)?)?;
    if let Some(last) = moments.last() {
        println!("{title}: best value {:e} after {} evaluations", last.best_value, last.evaluations);
    }
    println!("picture: {}", path.display());
    Ok(())
}

/// Runs an algorithm on an instance and draws it.
fn trace(registry: &Registry, name: &str, options: &Options) -> Result<(), LabError> {
    let Options { algorithm, target, .. } = options;
    if !target.is_finite() {
        return Err(LabError::new(format!("the target must be finite, got {target}")));
    }
    let [algorithm] = &registry.algorithms(std::slice::from_ref(algorithm))?[..] else {
        return Err(LabError::new(format!("--algorithm must be one algorithm, got \"{algorithm}\"")));
    };
    let Instance { function, n, seed: problem_seed } = Instance::read(name)?;
    let problem = registry.problem(&function)?;
    let n = n.or(problem.only_dimension()).unwrap_or(20);
    let mut title = format!("{function}/n={n}/seed={problem_seed}, {}", algorithm.name());
    title += &options.lambda.map_or(String::new(), |lambda| format!(", λ = {lambda}"));
    title += &options.seed.map_or(String::new(), |seed| format!(", run {seed}"));
    let file = title.replace(", ", "-").replace(" = ", "-").replace(['/', '=', ':'], "-").replace('λ', "lambda");
    let path = place(options.out.as_deref(), &file)?;
    let lambda = options.lambda.map(|lambda| lambda as usize);
    let seed = options.seed.unwrap_or(problem_seed);
    let trial = SingleTrial { n, problem_seed, seed, lambda, target: *target, budget: None };
    let (mut history, mut numbers) = (History::new(MOST_POINTS).all_axes(), CsvWriter::new(Vec::new()).all_axes());
    let outcome = trial.run(&**algorithm, &*problem, &mut [&mut history, &mut numbers])?;
    if history.records().is_empty() {
        return Err(LabError::new(format!(
            "{} has no generations to draw: choose a strategy of ddcma-core",
            algorithm.name()
        )));
    }
    let numbers = numbers.finish().map_err(|error| LabError::new(error.to_string()))?;
    let csv = path.with_extension("csv");
    write_file(&csv, &String::from_utf8_lossy(&numbers))?;
    write_file(&path, &course::picture(&title, &course::of_records(history.records()))?)?;
    let TrialOutcome { stop, evaluations, best_f, .. } = outcome;
    println!("{title}: {stop}: the best value is {best_f:e}, after {evaluations} evaluations");
    println!("picture: {}", path.display());
    println!("numbers: {}", csv.display());
    Ok(())
}

/// Returns the path of the picture, and creates its folder.
fn place(out: Option<&Path>, name: &str) -> Result<PathBuf, LabError> {
    let path = out.map_or_else(|| PathBuf::from("target/trace").join(format!("{name}.svg")), Path::to_path_buf);
    if path.extension().is_none_or(|extension| extension != "svg") {
        return Err(LabError::new(format!("{}: the name of the picture must end in .svg", path.display())));
    }
    if path.is_dir() {
        return Err(LabError::new(format!("{}: the picture must be a file, but this is a folder", path.display())));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| LabError::new(format!("{}: {error}", folder.display())))?;
    }
    Ok(path)
}

/// A problem, its dimension and its seed.
struct Instance {
    function: String,
    n: Option<usize>,
    seed: u64,
}

impl Instance {
    /// Parses `ellipsoid/n=20/seed=1`; n and seed are optional.
    fn read(text: &str) -> Result<Self, LabError> {
        let mut parts = text.split('/');
        let function = parts.next().unwrap_or(text).to_string();
        let wrong = || {
            LabError::new(format!(
                "an instance must have the form NAME[/n=N][/seed=SEED], such as {function}/n=20/seed=1, got \"{text}\""
            ))
        };
        let (mut n, mut seed) = (None, None);
        for part in parts {
            match part.split_once('=') {
                Some(("n", value)) if n.is_none() => n = Some(value.parse().map_err(|_| wrong())?),
                Some(("seed", value)) if seed.is_none() => seed = Some(value.parse().map_err(|_| wrong())?),
                _ => return Err(wrong()),
            }
        }
        Ok(Self { function, n, seed: seed.unwrap_or(1) })
    }
}
