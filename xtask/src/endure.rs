//! `cargo xtask endure`: one very long run on a noisy sphere whose centre walks, and what may not change over it.
//!
//! The walk keeps the run from converging, and noise in proportion to the value from being noise alone: on noise alone the
//! condition of C grows without end, for an update that is stationary on the average shrinks more axes than it stretches.
//!
//! Knows memory from the outside, as the system counts it, and the root from what sampling shows of it.

use std::time::Instant;

use clap::Args;
use ddcma_core::{Columns, Optimizer, Settings, Stops, Strategy, Xoshiro256PlusPlus, rand_core::SeedableRng};
use rand_distr::{Distribution, StandardNormal};

use crate::lab::LabError;
use crate::lab::names::{StrategyName, with_strategy};
use crate::lab::table;

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The number of variables.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub dim: u32,
    /// The number of generations.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(10..))]
    pub generations: u64,
    /// The strategy.
    #[arg(long, value_enum, default_value_t = StrategyName::Dd)]
    pub strategy: StrategyName,
    /// The population size. Default: the paper's.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    pub lambda: Option<u32>,
    /// The deviation of the noise, relative to the value.
    #[arg(long, default_value_t = 0.01)]
    pub noise: f64,
    /// How far the centre moves in a generation, along each coordinate.
    #[arg(long, default_value_t = 0.1)]
    pub walk: f64,
    /// The seed.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Runs, and prints a line for each tenth of the way.
pub fn run(options: &Options) -> Result<(), LabError> {
    with_strategy!(options.strategy, S => run_with::<S>(options))
}

fn run_with<S: Strategy + Clone>(options: &Options) -> Result<(), LabError> {
    if let Some(bad) = [options.walk, options.noise].into_iter().find(|number| !number.is_finite()) {
        return Err(LabError::new(format!("a walk or a noise of {bad} is none")));
    }
    let n = options.dim as usize;
    let mut settings = Settings::new();
    if let Some(lambda) = options.lambda {
        settings = settings.lambda(lambda as usize);
    }
    let builder = Optimizer::<S>::builder(&vec![1.0; n], 1.0).settings(settings).stops(Stops::none());
    let mut es = builder.seed(options.seed).build().map_err(|error| LabError::new(error.to_string()))?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
    let mut centre = vec![0.0; n];
    let mut values = vec![0.0; es.params().lambda()];
    let start = Instant::now();
    let mut rows = Vec::new();
    let mut refused = 0u64;
    for generation in 1..=options.generations {
        centre.iter_mut().for_each(|c| *c += options.walk * normal());
        for (x, value) in es.ask().iter().zip(&mut values) {
            let sphere: f64 = x.iter().zip(&centre).map(|(x, c)| (x - c).powi(2)).sum();
            *value = sphere * (1.0 + options.noise * normal());
        }
        refused += u64::from(es.tell(&values).is_err());
        if generation.is_multiple_of((options.generations / 10).max(1)) {
            let axes = es.strategy().axes();
            rows.push(vec![
                generation.to_string(),
                resident_kilobytes().map_or("unknown".to_string(), |kilobytes| kilobytes.to_string()),
                format!("{:.1e}", root_error(es.strategy(), &mut normal)),
                format!("{:.1e}", (axes.longest / axes.shortest).powi(2)),
                format!("{:.1e}", es.sigma()),
                format!("{:.1e}", es.d().iter().copied().fold(0.0, f64::max)),
                refused.to_string(),
            ]);
        }
    }
    let header =
        ["generations", "resident kB", "‖A⁻¹·A·z − z‖/‖z‖", "condition of C", "sigma", "largest D", "refused updates"];
    println!("{}", table::text(&header, &rows));
    let Options { generations, seed, .. } = options;
    let (name, lambda) = (options.strategy.name(), es.params().lambda());
    println!(
        "{name}, n = {n}, λ = {lambda}, seed {seed}: {generations} generations in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// How far A⁻¹ is from undoing A, for a hundred random vectors: the largest.
fn root_error<S: Strategy + Clone>(strategy: &S, normal: &mut impl FnMut() -> f64) -> f64 {
    let n = strategy.d().len();
    let mut strategy = strategy.clone(); // sampling needs workspace, and this is only a look
    let z: Vec<f64> = (0..100 * n).map(|_| normal()).collect();
    let z = Columns::from_vec(n, z).expect("a hundred columns");
    let (mut y, mut back) = (Columns::zeros(n, 100), Columns::zeros(n, 100));
    strategy.sample(&z, &mut y);
    strategy.whiten(y.as_slice(), back.as_mut_slice());
    let error = |(z, back): (&[f64], &[f64])| {
        let difference: f64 = z.iter().zip(back).map(|(z, back)| (z - back).powi(2)).sum();
        (difference / z.iter().map(|z| z * z).sum::<f64>()).sqrt()
    };
    z.iter().zip(&back).map(error).fold(0.0, f64::max)
}

/// The memory of this process, where the system tells.
fn resident_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
