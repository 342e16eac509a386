//! Follows one run of each variant, and shows what the damping sees on the way.

use ddcma_core::{Optimizer, StopCriteria, Strategy};
use ddcma_problems::Instance;

use super::Options;
use super::plan::{Variant, by_agreement, chosen};
use crate::lab::names::{Form, with_strategy};
use crate::lab::{LabError, table};

/// The approximate number of rows of a table.
const LOOKS: u64 = 12;

const TARGET: f64 = 1e-8;

pub(super) fn run(options: &Options) -> Result<String, LabError> {
    let forms = if options.functions.is_empty() { vec!["twoaxes".parse()?] } else { options.functions.clone() };
    let dims = if options.dims.is_empty() { vec![160] } else { options.dims.clone() };
    let variants = match &options.variants[..] {
        [] => vec![Variant::paper(), chosen(), by_agreement(), "sep".parse()?],
        variants => variants.to_vec(),
    };
    let mut text = String::new();
    for form in forms {
        for &n in &dims {
            for variant in &variants {
                text += &format!("\n{form}, n = {n}, {}\n\n", variant.label);
                let (strategy, _) = variant.settings()?;
                text += &with_strategy!(strategy, S => course::<S>(form, n as usize, variant))?;
            }
        }
    }
    Ok(text)
}

fn course<S: Strategy<Options = ()>>(form: Form, n: usize, variant: &Variant) -> Result<String, LabError> {
    let instance = form.instance(n, 1)?;
    let (_, settings) = variant.settings()?;
    let start = || {
        let builder = Optimizer::<S>::builder(instance.initial_mean(), instance.initial_sigma());
        let criteria = StopCriteria::none().target(TARGET).max_evaluations(instance.budget());
        let builder = builder.settings(settings.clone()).criteria(criteria).seed(1);
        builder.build().map_err(|error| LabError::new(error.to_string()))
    };
    let mut objective = |x: &[f64]| instance.at(x);
    let mut whole = start()?;
    whole.run(&mut objective).expect("an objective that cannot fail");
    let last = whole.iterations();
    // Looks at 1/29, 1/22, … of the run, because most changes happen early.
    let looks: Vec<u64> =
        (1..=LOOKS).map(|k| ((last as f64) * 40f64.powf(k as f64 / LOOKS as f64 - 1.0)) as u64).collect();
    let best = best_separable(&instance, n);
    let mut es = start()?;
    let mut rows = Vec::new();
    while es.stop().is_none() {
        es.step(&mut objective).expect("an objective that cannot fail");
        if looks.contains(&es.iterations()) {
            let (axes, lengths) = (es.strategy().shape().axes, es.strategy().axis_lengths());
            let eigenvalue = |length: Option<&f64>| format!("{:.3e}", length.map_or(1.0, |length| length * length));
            let d = es.d();
            let (least, most) = d.iter().fold((f64::INFINITY, 0.0f64), |(a, b), d| (a.min(*d), b.max(*d)));
            let logarithms: Vec<f64> = d.iter().map(|d| d.ln()).collect();
            let [deviation, correlation] = compared(&logarithms, &best);
            rows.push(vec![
                es.evaluations().to_string(),
                format!("{:.1e}", es.best_value()),
                eigenvalue(lengths.first()),
                format!("{:.3e}", axes.shortest.powi(2)),
                eigenvalue(lengths.last()),
                format!("{:.2}", axes.beta),
                format!("{:.1}", most / least),
                format!("{deviation:.2}"),
                if correlation.is_finite() { format!("{correlation:+.2}") } else { "–".to_string() },
            ]);
        }
    }
    let head =
        ["evaluations", "f", "λ_min", "as followed", "λ_max", "β", "max D / min D", "deviation of ln D", "correlation"];
    Ok(table::markdown(&head, &rows))
}

/// Returns ln of the optimal D without correlations, for a quadratic function with its minimum at 0: −½ ln f(e_k), up to a constant.
fn best_separable(instance: &Instance, n: usize) -> Vec<f64> {
    let along = |k: usize| {
        let x: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == k))).collect();
        -0.5 * instance.at(&x).ln()
    };
    (0..n).map(along).collect()
}

/// Returns the standard deviation of some numbers, and their correlation with others.
fn compared(some: &[f64], others: &[f64]) -> [f64; 2] {
    let centered = |numbers: &[f64]| -> Vec<f64> {
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        numbers.iter().map(|number| number - mean).collect()
    };
    let (some, others) = (centered(some), centered(others));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / a.len() as f64;
    let deviation = product(&some, &some).sqrt();
    [deviation, product(&some, &others) / deviation / product(&others, &others).sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_d_are_compared_with_the_best_separable_shape() {
        let form: Form = "ellipsoid".parse().unwrap();
        let best = best_separable(&form.instance(3, 1).unwrap(), 3);
        let step = best[0] - best[1];
        // Coefficients 1, 1e3, 1e6: deviations in the ratio of √1000.
        assert!((step - 0.5 * 1e3f64.ln()).abs() < 1e-9, "{best:?}");
        let [deviation, correlation] = compared(&[1.0, 0.0, -1.0], &best);
        assert!((deviation - (2.0f64 / 3.0).sqrt()).abs() < 1e-12 && (correlation - 1.0).abs() < 1e-12);
        assert_eq!(compared(&[1.0, -1.0, 1.0, -1.0], &[1.0, 1.0, -1.0, -1.0])[1], 0.0);
    }
}
