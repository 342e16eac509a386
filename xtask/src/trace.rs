//! `cargo xtask trace`: one run as the four panels of the paper's Figure "conv". Knows a single run, and no statistics.

use std::path::PathBuf;

use clap::Args;
use ddcma_core::{History, Optimizer, Record, Settings, Stop, StopCriteria, Strategy};
use ddcma_problems::{Instance, Spec};

use crate::lab::names::{Form, StrategyName, with_strategy};
use crate::lab::picture::{Axis, Panel, Series, grid};
use crate::lab::records::write_file;
use crate::lab::settings::{self, Choice};
use crate::lab::{self, LabError};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The instance, such as `ellipsoid-rotated/n=40/seed=3`, or a part of it: `ellcig` is `ellcig/n=20/seed=1`.
    pub instance: String,
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
    /// The file for the picture. Default: a name made from the instance and the strategy, in `target/trace`.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Lines of a panel, at the most: a thousand would be a blot.
const MOST_LINES: usize = 40;

/// Points of a line, at the most.
const MOST_POINTS: usize = 400;

/// Runs it, prints how it ended and writes the picture.
pub fn run(options: &Options) -> Result<(), LabError> {
    let spec = instance(&options.instance)?;
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
    let file = title.replace(", ", "-").replace(" = ", "-").replace(['/', '='], "-").replace('λ', "lambda") + ".svg";
    let path = options.out.clone().unwrap_or_else(|| PathBuf::from("target/trace").join(file));
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
    let stops = StopCriteria::none().target(*target).max_evaluations(instance.budget());
    let course = with_strategy!(strategy, S => history::<S>(&instance, settings, seed, stops))?;
    write_file(&path, &grid(&title, 2, &panels(&course.records))?)?;
    println!("{title}: {}, after {} evaluations", course.stop, course.evaluations);
    println!("picture: {}", path.display());
    Ok(())
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

/// Function value and step size; D; the square roots of the eigenvalues of C; 1/β.
pub fn panels(records: &[Record]) -> Vec<Panel> {
    let line = |name: Option<&str>, color: usize, value: &dyn Fn(&Record) -> f64| Series {
        name: name.map(str::to_string),
        color,
        points: records.iter().map(|record| (record.evaluations as f64, value(record))).collect(),
        thin: name.is_none(),
        ..Series::default()
    };
    let n = records.first().map_or(0, |record| record.d.len());
    let of_axes = |numbers: &dyn Fn(&Record) -> Vec<f64>| -> Vec<Series> {
        some_of(n).into_iter().enumerate().map(|(i, k)| line(None, i, &|record| numbers(record)[k])).collect()
    };
    let panel = |title: &str, y: &str, series: Vec<Series>| Panel {
        title: title.to_string(),
        x: Axis::linear("evaluations"),
        y: Axis::log(y),
        series,
    };
    let value = line(Some("best f"), 0, &|record| record.best_value);
    let sigma = line(Some("σ"), 1, &|record| record.sigma);
    vec![
        panel("function value and step size", "best f, σ", vec![value, sigma]),
        panel("coordinate scaling", "diagonal of D", of_axes(&|record| record.d.clone())),
        panel("axes of C", "√ eigenvalues of C", of_axes(&|record| record.axis_lengths.clone())),
        panel("inverse damping", "1/β", vec![line(Some("1/β"), 2, &|record| 1.0 / record.beta)]),
    ]
}

/// At most [`MOST_LINES`] of n indices, the first and the last among them: the extreme axes are what matters.
fn some_of(n: usize) -> Vec<usize> {
    if n <= MOST_LINES { (0..n).collect() } else { (0..MOST_LINES).map(|k| k * (n - 1) / (MOST_LINES - 1)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extreme_axes_are_drawn() {
        for n in [1, 5, 40, 41, 80, 320] {
            let indices = some_of(n);
            assert!(indices.len() == n.min(MOST_LINES) && indices.is_sorted());
            assert_eq!((indices[0], indices[indices.len() - 1]), (0, n - 1));
        }
    }
}
