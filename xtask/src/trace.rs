//! `cargo xtask trace`: one run as the four panels of the paper's Figure "conv".

use std::path::PathBuf;

use clap::Args;
use ddcma_core::{DiagonalDecoding, History, Optimizer, Plain, Record, Separable, Settings, Stop, Stops, Strategy};
use ddcma_problems::{Instance, Spec};

use crate::lab::names::StrategyName;
use crate::lab::picture::{Axis, Panel, Series, grid};
use crate::lab::records::write_file;
use crate::lab::settings::{self, Choice};
use crate::lab::{self, LabError};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The instance, such as `ellipsoid-rotated/n=40/seed=3`.
    pub instance: String,
    /// The strategy.
    #[arg(long, value_enum, default_value_t = StrategyName::Dd)]
    pub strategy: StrategyName,
    /// The population size. Default: 4 + ⌊3 ln n⌋.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    pub lambda: Option<u32>,
    /// A strategy parameter, as for `compare`. Can be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<Choice>,
    /// The seed of the run. Default: that of the instance.
    #[arg(long)]
    pub seed: Option<u64>,
    /// The function value to reach.
    #[arg(long, default_value_t = 1e-8)]
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
    let spec: Spec = options.instance.parse().map_err(|error| LabError::new(format!("{error}")))?;
    let instance = Instance::new(spec).map_err(|error| LabError::new(error.to_string()))?;
    let Options { strategy, set, target, .. } = options;
    lab::check_target(*target)?;
    settings::check(&[*strategy], set)?;
    let settings = settings::settings(*strategy, options.lambda.map(|lambda| lambda as usize), set)?;
    let seed = options.seed.unwrap_or(spec.seed);
    let file = format!("{}-{}.svg", spec.to_string().replace(['/', '='], "-"), strategy.name());
    let path = options.out.clone().unwrap_or_else(|| PathBuf::from("target/trace").join(file));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| LabError::new(format!("{}: {error}", folder.display())))?;
    }
    let (records, stop) = match strategy {
        StrategyName::Plain => history::<Plain>(&instance, settings, seed, *target),
        StrategyName::Sep => history::<Separable>(&instance, settings, seed, *target),
        StrategyName::Dd => history::<DiagonalDecoding>(&instance, settings, seed, *target),
    }?;
    let panels = panels(&records);
    write_file(&path, &grid(&format!("{spec}, {}", strategy.name()), 2, &panels)?)?;
    let evaluations = records.last().map_or(0, |record| record.evaluations);
    println!("{spec}, {}: {stop}, after about {evaluations} evaluations", strategy.name());
    println!("picture: {}", path.display());
    Ok(())
}

/// The course of a run until the target, the budget of the suite or the limits of floating point.
fn history<S: Strategy>(
    instance: &Instance,
    settings: Settings,
    seed: u64,
    target: f64,
) -> Result<(Vec<Record>, Stop), LabError> {
    let stops = Stops::none().target(target).evaluations(instance.budget());
    let builder = Optimizer::<S>::builder(instance.initial_mean(), instance.initial_sigma());
    let es = builder.settings(settings).stops(stops).seed(seed).build();
    let mut es = es.map_err(|error| LabError::new(error.to_string()))?;
    let mut history = History::new(MOST_POINTS);
    let Ok(stop) = es.run(|x: &[f64]| instance.at(x), &mut [&mut history]);
    Ok((history.records().to_vec(), stop))
}

/// Function value and step size; D; the square roots of the eigenvalues of C; 1/β.
pub fn panels(records: &[Record]) -> Vec<Panel> {
    let line = |name: Option<&str>, colour: usize, value: &dyn Fn(&Record) -> f64| Series {
        name: name.map(str::to_string),
        colour,
        points: records.iter().map(|record| (record.evaluations as f64, value(record))).collect(),
        thin: name.is_none(),
        ..Series::default()
    };
    let n = records.first().map_or(0, |record| record.d.len());
    let of_axes = |numbers: &dyn Fn(&Record) -> Vec<f64>| -> Vec<Series> {
        let stride = n.div_ceil(MOST_LINES).max(1);
        (0..n).step_by(stride).map(|k| line(None, k / stride, &|record| numbers(record)[k])).collect()
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
