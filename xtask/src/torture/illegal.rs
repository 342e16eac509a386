//! Invalid starts. Each must be an error with a message of one line, and must not panic.

use ddcma_core::{
    Bounds, Columns, Damping, DiagonalDecoding, Distribution, Optimizer, Settings, StopCriteria, Variable, Variables,
};
use ddcma_restarts::{Bipop, Ipop, Nipop, Starts, restarts};

use super::Trail;
use super::draw::Draw;

/// Draws an invalid start.
pub(super) fn run(draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let n = draw.log_integer(1, 50);
    let not_finite = draw.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    let negative = -draw.power(-300.0, 300.0);
    let bad = draw.pick(&[not_finite, negative]);
    let too_large = 1.0 + draw.power(-15.0, 300.0);
    let out_of_unit = draw.pick(&[not_finite, negative, too_large]);
    let lambda = draw.below(2);
    let point = vec![1.0; n];
    let spoiled = |value: f64, at: usize| {
        let mut point = point.clone();
        point[at] = value;
        point
    };
    let at = draw.below(n);
    let settings = |change: fn(Settings, f64) -> Settings, value: f64| change(Settings::new(), value).params(n).err();
    let sentence = |error: Option<&dyn std::fmt::Display>| error.map(ToString::to_string);
    let which = draw.below(31);
    trail.drawn(&format!("invalid start {which} with n = {n}, {bad:e}, {out_of_unit:e}, λ = {lambda}"));
    let of_settings = match which {
        0 => Some(settings(|s, v| s.c_m(v), out_of_unit)),
        1 => Some(settings(|s, v| s.c_sigma(v), out_of_unit)),
        2 => Some(settings(|s, v| s.d_sigma(v), bad)),
        3 => Some(settings(|s, v| s.c_1(v), out_of_unit)),
        4 => Some(settings(|s, v| s.c_mu(v), out_of_unit)),
        5 => Some(settings(|s, v| s.c_c(v), out_of_unit)),
        6 => Some(settings(|s, v| s.c_1_d(v), out_of_unit)),
        7 => Some(settings(|s, v| s.c_mu_d(v), out_of_unit)),
        8 => Some(settings(|s, v| s.c_c_d(v), out_of_unit)),
        9 => Some(settings(|s, v| s.beta_eig(v), bad)),
        10 => Some(settings(|s, v| s.beta_thresh(v), not_finite)),
        11 => Some(settings(|s, v| s.damping(Damping::Fixed(v)), bad)),
        12 => Some(Settings::new().lambda(lambda).params(n).err()),
        13 => Some(Settings::new().t_eig(0).params(n).err()),
        14 => Some(Settings::new().pre_weights(spoiled(not_finite, at)).lambda(n.max(2)).params(n).err()),
        15 => Some(Settings::new().lambda(usize::MAX - draw.below(1000)).params(n).err()),
        25 => Some(settings(|s, v| s.tpa_damping(v), bad)),
        26 => Some(settings(|s, v| s.tpa_exponent(v), bad)),
        _ => None,
    };
    if let Some(error) = of_settings {
        return refused(sentence(error.as_ref().map(|error| error as _)), trail);
    }
    let start = |mean: &[f64], sigma: f64| Optimizer::<DiagonalDecoding>::builder(mean, sigma);
    let tiny = draw.pick(&[0.0, 5e-324, bad]);
    let message = match which {
        16 => start(&point, tiny).build().err().map(|error| error.to_string()),
        17 => start(&spoiled(not_finite, at), 1.0).build().err().map(|error| error.to_string()),
        18 => start(&point, 1.0).deviations(&spoiled(tiny, at)).build().err().map(|error| error.to_string()),
        19 => start(&point, 1.0)
            .criteria(StopCriteria::new().tol_x(negative))
            .build()
            .err()
            .map(|error| error.to_string()),
        20 => Bounds::new(&spoiled(f64::NAN, at), &vec![2.0; n]).err().map(|error| error.to_string()),
        21 => {
            let bounds = Bounds::uniform(n, 2.0, 3.0).map_err(|error| error.to_string())?;
            start(&point, 1.0).bounds(bounds).build().err().map(|error| error.to_string())
        }
        22 => Starts::around(&point, bad).err().map(|error| error.to_string()),
        23 => {
            let starts = || Starts::around(&point, 1.0).expect("a point and a deviation");
            let factor = draw.pick(&[bad, 0.5]);
            let errors = [
                restarts(Ipop::new().factor(factor), starts(), 1.0).build().err(),
                restarts(Nipop::new().sigma_divisor(factor), starts(), 1.0).build().err(),
                restarts(Bipop::new().budget_share(bad), starts(), 1.0).build().err(),
            ];
            errors.into_iter().collect::<Option<Vec<_>>>().map(|errors| errors[0].to_string())
        }
        27 | 28 => {
            let variable = match draw.below(5) {
                0 => Variable::between(bad, f64::INFINITY),
                1 => Variable::between(negative, 1.0).log(),
                2 => Variable::between(1.0, 2.0).start(draw.pick(&[bad, too_large + 1.0])),
                3 => Variable::around(1.0, draw.pick(&[bad, 0.0])),
                _ => Variable::between(too_large, 1.0),
            };
            let mut all = vec![Variable::between(0.0, 1.0); n];
            all[at] = variable.named("bad");
            Variables::new(all).err().map(|error| error.to_string())
        }
        29 => {
            let (d, c) = (spoiled(bad, at), None);
            let known = Distribution { mean: point.clone(), sigma: 1.0, d, c };
            start(&point, 1.0).shape_of(known).build().err().map(|error| error.to_string())
        }
        30 => {
            let mut c = Columns::identity(n);
            c[at][at] = bad;
            start(&point, 1.0).covariance(c).build().err().map(|error| error.to_string())
        }
        _ => start(&[], 1.0).build().err().map(|error| error.to_string()),
    };
    refused(message, trail)
}

fn refused(message: Option<String>, trail: &mut Trail) -> Result<(), String> {
    match message {
        Some(message) if !message.is_empty() && !message.contains('\n') => {
            trail.ended("rejected", &message);
            Ok(())
        }
        Some(message) => Err(format!("an error message that is not one line: {message:?}")),
        None => Err("an invalid start was accepted".to_string()),
    }
}
