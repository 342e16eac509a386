//! `cargo xtask endure`: one very long run on a noisy sphere with a moving center, and checks of what must not change during it.
//!
//! The moving center keeps the run from converging. The noise is proportional to the value, so that it never dominates: on pure noise the
//! condition number of C grows without limit, because an update that is stationary on average shrinks more axes than it stretches.
//!
//! Memory is measured as the system reports it, and the root by sampling.

use std::time::Instant;

use clap::Args;
use ddcma_core::{
    Columns, Optimizer, Settings, Stop, StopCriteria, Strategy, Xoshiro256PlusPlus, rand_core::SeedableRng,
};
use rand_distr::{Distribution, StandardNormal};

use crate::lab::names::{StrategyName, with_strategy};
use crate::lab::{self, LabError, root, table};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Set the number of variables.
    #[arg(long, alias = "dims", default_value_t = 10, value_parser = lab::dimension)]
    pub dim: u32,
    /// Set the number of generations.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(10..))]
    pub generations: u64,
    /// Choose the strategy.
    #[arg(long, value_enum, default_value_t = StrategyName::Dd)]
    pub strategy: StrategyName,
    /// Set the population size. Default: the paper's.
    #[arg(long, value_parser = lab::population)]
    pub lambda: Option<u32>,
    /// Set the deviation of the noise, relative to the value.
    #[arg(long, default_value_t = 0.01)]
    pub noise: f64,
    /// Set how far the center moves in a generation, along each coordinate.
    #[arg(long, default_value_t = 0.1)]
    pub walk: f64,
    /// Set the seed.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

const HEAD: [&str; 7] =
    ["generations", "resident kB", "‖A⁻¹·A·z − z‖/‖z‖", "condition of C", "step size", "largest D", "rejected updates"];

/// The largest allowed ratio of the memory at the end to that at half time; allocators round.
const GROWTH: f64 = 1.05;

/// The measurements after a tenth of the generations.
struct Look {
    /// The resident memory, if the system reports it.
    kilobytes: Option<u64>,
    /// The error of A⁻¹·A·z, in units of ε·n·κ.
    root_units: f64,
}

/// Runs, prints a line after each tenth of the generations, and returns whether all checks passed.
pub fn run(options: &Options) -> Result<bool, LabError> {
    with_strategy!(options.strategy, S => run_with::<S>(options))
}

fn run_with<S: Strategy + Clone>(options: &Options) -> Result<bool, LabError> {
    for (name, value) in [("walk", options.walk), ("noise", options.noise)] {
        if !value.is_finite() {
            return Err(LabError::new(format!("--{name} must be finite, got {value}")));
        }
    }
    let n = options.dim as usize;
    let mut settings = Settings::new();
    if let Some(lambda) = options.lambda {
        settings = settings.lambda(lambda as usize);
    }
    let builder = Optimizer::<S>::builder(&vec![1.0; n], 1.0).settings(settings).criteria(StopCriteria::none());
    let mut es = builder.seed(options.seed).build().map_err(|error| LabError::new(error.to_string()))?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
    let mut center = vec![0.0; n];
    let start = Instant::now();
    let mut looks = Vec::new();
    let mut refused = 0u64;
    print!("{}", table::text(&HEAD, &[]));
    for generation in 1..=options.generations {
        center.iter_mut().for_each(|c| *c += options.walk * normal());
        let mut objective = |x: &[f64]| {
            let sphere: f64 = x.iter().zip(&center).map(|(x, c)| (x - c).powi(2)).sum();
            sphere * (1.0 + options.noise * normal())
        };
        es.step(&mut objective).expect("an objective that cannot fail");
        refused += u64::from(matches!(es.stop(), Some(Stop::Numerical(_))));
        if generation.is_multiple_of((options.generations / 10).max(1)) {
            let z: Vec<f64> = (0..100 * n).map(|_| normal()).collect();
            let error = root::error(es.strategy(), &Columns::from_vec(n, z).expect("a hundred columns"));
            let axes = es.strategy().shape().axes;
            let condition = axes.longest / axes.shortest;
            let look = Look { kilobytes: resident_kilobytes(), root_units: root::units(error, n, condition) };
            let cells = [
                generation.to_string(),
                look.kilobytes.map_or("unknown".to_string(), |kilobytes| kilobytes.to_string()),
                format!("{error:.1e}"),
                format!("{:.1e}", condition.powi(2)),
                format!("{:.1e}", es.sigma()),
                format!("{:.1e}", es.d().iter().copied().fold(0.0, f64::max)),
                refused.to_string(),
            ];
            println!("{}", table::row(&HEAD, &cells));
            looks.push(look);
        }
    }
    let Options { generations, seed, .. } = options;
    let (name, lambda) = (options.strategy.name(), es.params().lambda());
    println!(
        "\n{name}, n = {n}, λ = {lambda}, seed {seed}: {generations} generations in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    let complaints = complaints(&looks, refused);
    println!(
        "{}",
        if complaints.is_empty() { "memory does not grow, A⁻¹ is the inverse of A" } else { "failed checks:" }
    );
    complaints.iter().for_each(|complaint| println!("- {complaint}"));
    Ok(complaints.is_empty())
}

/// Returns the checks that failed.
fn complaints(looks: &[Look], refused: u64) -> Vec<String> {
    let mut complaints = Vec::new();
    if refused > 0 {
        complaints.push(format!("{refused} updates were rejected"));
    }
    let worst = looks.iter().map(|look| look.root_units).fold(0.0, |a: f64, b| if a >= b { a } else { b });
    if worst > root::TOLERANCE || worst.is_nan() {
        complaints.push(format!("A⁻¹·A·z is off by {worst:.1} ε·n·κ; at most {} is allowed", root::TOLERANCE));
    }
    let memory = |look: Option<&Look>| look.and_then(|look| look.kilobytes);
    if let (Some(halfway), Some(end)) = (memory(looks.get(looks.len() / 2)), memory(looks.last()))
        && end as f64 > GROWTH * halfway as f64
    {
        complaints.push(format!("memory has grown from {halfway} kB at half time to {end} kB"));
    }
    complaints
}

/// Returns the memory of this process, if the system reports it.
fn resident_kilobytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_promise_has_its_complaint() {
        let looks = |kilobytes: [u64; 4], root_units: f64| {
            kilobytes.map(|kilobytes| Look { kilobytes: Some(kilobytes), root_units })
        };
        assert!(complaints(&looks([10, 1000, 1000, 1001], 31.0), 0).is_empty());
        assert_eq!(complaints(&looks([10, 1000, 1000, 1100], 31.0), 0).len(), 1);
        assert_eq!(complaints(&looks([10, 1000, 1000, 1000], f64::NAN), 0).len(), 1);
        assert_eq!(complaints(&looks([10, 1000, 1000, 1000], 33.0), 2).len(), 2);
    }
}
