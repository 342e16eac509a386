//! The smallest eigenvalue of C on a random objective: what the damping sees if there is nothing to learn.

use ddcma_core::rand_core::{Rng, SeedableRng};
use ddcma_core::{DdCma, Params, StopCriteria, Strategy, Xoshiro256PlusPlus};

use super::Options;
use super::plan::{Variant, chosen};
use crate::lab::statistics::quantile;
use crate::lab::{LabError, once, table};

/// Population sizes: the default, and these multiples of n.
const MULTIPLES: [usize; 2] = [1, 4];

/// The times of the measurements, in units of 1/(c_1 + c_μ), the time over which C forgets.
const LOOKS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

const TRIALS: u32 = 9;

pub(super) fn run(options: &Options) -> Result<String, LabError> {
    let dims = if options.dims.is_empty() { vec![10, 20, 40, 80, 160] } else { options.dims.clone() };
    let variants = match &options.variants[..] {
        [] => vec![Variant::paper().labeled("paper"), chosen().labeled("new")],
        variants => variants.to_vec(),
    };
    let trials = options.trials.first().copied().unwrap_or(TRIALS);
    let mut text = String::new();
    for variant in &variants {
        let mut rows = Vec::new();
        for n in dims.iter().map(|n| *n as usize) {
            let usual = Params::new(n).map_err(|error| LabError::new(error.to_string()))?.lambda();
            let lambdas: Vec<usize> = std::iter::once(usual).chain(MULTIPLES.map(|multiple| multiple * n)).collect();
            for lambda in once(&lambdas) {
                rows.push(row(variant, n, lambda, trials)?);
            }
        }
        let looks = LOOKS.map(|look| format!("t = {look}/(c_1 + c_μ)"));
        let head: Vec<&str> = ["n", "λ"].into_iter().chain(looks.iter().map(String::as_str)).collect();
        let title = "the smallest eigenvalue of C after t iterations on a random objective, median";
        text += &format!("\n{}: {title} of {trials} runs\n\n{}", variant.label, table::markdown(&head, &rows));
    }
    Ok(text)
}

fn row(variant: &Variant, n: usize, lambda: usize, trials: u32) -> Result<Vec<String>, LabError> {
    let (_, settings) = variant.settings()?;
    let settings = settings.lambda(lambda);
    let params = settings.params(n).map_err(|error| LabError::new(error.to_string()))?;
    let memory = 1.0 / (params.c_1() + params.c_mu());
    let mut seen: [Vec<f64>; LOOKS.len()] = Default::default();
    for seed in 1..=u64::from(trials) {
        let builder = DdCma::builder(&vec![0.0; n], 1.0).settings(settings.clone());
        let builder = builder.criteria(StopCriteria::none()).seed(seed);
        let mut es = builder.build().map_err(|error| LabError::new(error.to_string()))?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        for (look, seen) in LOOKS.iter().zip(&mut seen) {
            while (es.iterations() as f64) < look * memory {
                es.step(&mut |_: &[f64]| rng.next_u64() as f64).expect("an objective that cannot fail");
            }
            let shortest = es.strategy().axis_lengths().first().copied().unwrap_or(1.0);
            seen.push(shortest * shortest);
        }
    }
    let medians = seen.iter().map(|seen| format!("{:.2}", quantile(seen, 0.5)));
    Ok([n.to_string(), lambda.to_string()].into_iter().chain(medians).collect())
}
