//! One run of each variant, and what the damping sees on the way. Knows runs, and not how eigenvalues are followed.

use ddcma_core::{Optimizer, StopCriteria, Strategy};

use super::Options;
use super::plan::{Variant, chosen};
use crate::lab::names::{Form, with_strategy};
use crate::lab::{LabError, table};

/// Rows of a table, about.
const LOOKS: u64 = 12;

const TARGET: f64 = 1e-8;

pub(super) fn run(options: &Options) -> Result<String, LabError> {
    let forms = if options.functions.is_empty() { vec!["twoaxes".parse()?] } else { options.functions.clone() };
    let dims = if options.dims.is_empty() { vec![160] } else { options.dims.clone() };
    let variants = match &options.variants[..] {
        [] => vec![Variant::paper(), chosen(), "sep".parse()?],
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
    whole.run(&mut objective, &mut []).expect("an objective that cannot fail");
    let last = whole.iterations();
    // Looks at 1/40, 1/30, … of the run: most happens early.
    let looks: Vec<u64> =
        (1..=LOOKS).map(|k| ((last as f64) * 40f64.powf(k as f64 / LOOKS as f64 - 1.0)) as u64).collect();
    let mut es = start()?;
    let mut rows = Vec::new();
    while es.stop().is_none() {
        es.step(&mut objective).expect("an objective that cannot fail");
        if looks.contains(&es.iterations()) {
            let (axes, lengths) = (es.strategy().shape().axes, es.strategy().axis_lengths());
            let eigenvalue = |length: Option<&f64>| format!("{:.3e}", length.map_or(1.0, |length| length * length));
            let d = es.d();
            let (least, most) = d.iter().fold((f64::INFINITY, 0.0f64), |(a, b), d| (a.min(*d), b.max(*d)));
            rows.push(vec![
                es.evaluations().to_string(),
                format!("{:.1e}", es.best_value()),
                eigenvalue(lengths.first()),
                format!("{:.3e}", axes.shortest.powi(2)),
                eigenvalue(lengths.last()),
                format!("{:.2}", axes.beta),
                format!("{:.1}", most / least),
            ]);
        }
    }
    let head = ["evaluations", "f", "λ_min", "as followed", "λ_max", "β", "max D / min D"];
    Ok(table::markdown(&head, &rows))
}
