//! `cargo xtask trace`: one run as the four panels of the paper's Figure "conv": of an instance, or recorded elsewhere. Knows a
//! single run, and no statistics.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use ddcma_core::{History, Optimizer, Record, Settings, Stop, StopCriteria, Strategy};
use ddcma_problems::{Instance, Spec};

use crate::lab::course::{self, MOST_POINTS};
use crate::lab::names::{Form, StrategyName, with_strategy};
use crate::lab::records::write_file;
use crate::lab::settings::{self, Choice};
use crate::lab::{self, LabError};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The instance, such as `ellipsoid-rotated/n=40/seed=3`, or a part of it: `ellcig` is `ellcig/n=20/seed=1`.
    #[arg(required_unless_present = "from")]
    pub instance: Option<String>,
    /// Draw a run of your own instead, from the file that its `CsvWriter` wrote.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["instance", "strategy", "lambda", "set", "seed", "target"])]
    pub from: Option<PathBuf>,
    /// The strategy.
    #[arg(long, value_enum, default_value_t = StrategyName::Dd)]
    pub strategy: StrategyName,
    /// The population size. Default: 4 + ⌊3 ln n⌋.
    #[arg(long, value_parser = lab::population)]
    pub lambda: Option<u32>,
    /// Strategy parameters.
    #[arg(long = "set", value_name = "NAME=VALUE", help = settings::help())]
    pub set: Vec<Choice>,
    /// The seed of the run. Default: that of the instance.
    #[arg(long)]
    pub seed: Option<u64>,
    /// The function value to reach.
    #[arg(long, default_value = "1e-8")]
    pub target: f64,
    /// The file for the picture. Default: a name made from the instance and the strategy, or from that of the file, in
    /// `target/trace`.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Runs it or reads it, prints how it ended and writes the picture.
pub fn run(options: &Options) -> Result<(), LabError> {
    match (&options.from, &options.instance) {
        (Some(file), _) => read(file, options.out.as_deref()),
        (None, Some(name)) => trace(name, options),
        (None, None) => Err(LabError::new("an instance or --from FILE is needed")),
    }
}

/// Draws what was recorded elsewhere.
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

/// Runs a strategy on an instance and draws it.
fn trace(name: &str, options: &Options) -> Result<(), LabError> {
    let spec = instance(name)?;
    let instance = Instance::new(spec).map_err(|error| LabError::new(error.to_string()))?;
    let Options { strategy, set, target, .. } = options;
    lab::check_target(*target)?;
    settings::check(&[*strategy], set)?;
    let settings = settings::settings(*strategy, options.lambda.map(|lambda| lambda as usize), set)?;
    let seed = options.seed.unwrap_or(spec.seed);
    let mut title = format!("{spec}, {}", strategy.name());
    title += &options.lambda.map_or(String::new(), |lambda| format!(", λ = {lambda}"));
    title += &set.iter().map(|choice| format!(", {}", String::from(choice.clone()))).collect::<String>();
    title += &options.seed.map_or(String::new(), |seed| format!(", run {seed}"));
    let file = title.replace(", ", "-").replace(" = ", "-").replace(['/', '='], "-").replace('λ', "lambda");
    let path = place(options.out.as_deref(), &file)?;
    let stops = StopCriteria::none().target(*target).max_evaluations(instance.budget());
    let course = with_strategy!(strategy, S => history::<S>(&instance, settings, seed, stops))?;
    write_file(&path, &course::picture(&title, &course::of_records(&course.records))?)?;
    println!("{title}: {}, after {} evaluations", course.stop, course.evaluations);
    println!("picture: {}", path.display());
    Ok(())
}

/// Where the picture goes: its folder is made.
fn place(out: Option<&Path>, name: &str) -> Result<PathBuf, LabError> {
    let path = out.map_or_else(|| PathBuf::from("target/trace").join(format!("{name}.svg")), Path::to_path_buf);
    if path.extension().is_none_or(|extension| extension != "svg") {
        return Err(LabError::new(format!(
            "{}: the picture is an SVG, and its name should end in .svg",
            path.display()
        )));
    }
    if path.is_dir() {
        return Err(LabError::new(format!("{}: this is a folder, and no file for the picture", path.display())));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| LabError::new(format!("{}: {error}", folder.display())))?;
    }
    Ok(path)
}

/// A function, its dimension and its seed, with those that were left out.
fn instance(name: &str) -> Result<Spec, LabError> {
    let n = if name.contains("/n=") { "" } else { "/n=20" };
    let seed = if name.contains("/seed=") { "" } else { "/seed=1" };
    let function = name.split('/').next().unwrap_or(name);
    function.parse::<Form>()?;
    let wrong = || format!("\"{name}\" is no instance; \"{function}\" and \"{function}/n=20/seed=1\" are two");
    format!("{name}{n}{seed}").parse().map_err(|_| LabError::new(wrong()))
}

/// A run: some of its generations, and its end.
pub(crate) struct Course {
    pub(crate) records: Vec<Record>,
    pub(crate) stop: Stop,
    pub(crate) evaluations: u64,
    pub(crate) best_value: f64,
}

/// The course of a run.
pub(crate) fn history<S: Strategy>(
    instance: &Instance,
    settings: Settings,
    seed: u64,
    stops: StopCriteria,
) -> Result<Course, LabError> {
    let builder = Optimizer::<S>::builder(instance.initial_mean(), instance.initial_sigma());
    let es = builder.settings(settings).criteria(stops).seed(seed).build();
    let mut es = es.map_err(|error| LabError::new(error.to_string()))?;
    let mut history = History::new(MOST_POINTS);
    let stop = es.run(|x: &[f64]| instance.at(x), &mut [&mut history]).expect("an objective that cannot fail");
    Ok(Course { records: history.records().to_vec(), stop, evaluations: es.evaluations(), best_value: es.best_value() })
}
