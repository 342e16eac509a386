//! Draws models together with the data that they were fitted to.

use ddcma_problems::applied::{alpha_pinene, gp, logistic, lynx_hare};

use super::{dots, line, panel};
use crate::lab::LabError;
use crate::lab::picture::{Axis, Panel, Series};

/// The shares of five species over time, with the measurements.
pub(super) fn alpha_pinene(rates: &[f64]) -> Panel {
    let (mut shares, mut courses) = (alpha_pinene::INITIAL, vec![Vec::new(); 5]);
    let step = 300.0;
    for k in 0..=125 {
        let hours = f64::from(k) * step / 60.0;
        courses.iter_mut().zip(shares).for_each(|(course, share)| course.push((hours, share)));
        shares = alpha_pinene::advance(shares, rates, step);
    }
    let lines = courses.into_iter().enumerate().map(|(k, course)| line(alpha_pinene::SPECIES[k], k, course));
    let measured = (0..5).map(|k| {
        let times = alpha_pinene::TIMES.iter().zip(&alpha_pinene::MEASURED);
        dots(k, times.map(|(time, shares)| (time / 60.0, shares[k])))
    });
    panel("model and measurements", Axis::linear("hours"), Axis::linear("percent"), lines.chain(measured).collect())
}

/// Hares and lynxes over the years, with the furs.
pub(super) fn lynx_hare(x: &[f64]) -> Panel {
    let first = f64::from(lynx_hare::FIRST_YEAR);
    let mut logarithms = [x[4].ln(), x[5].ln()];
    let mut courses = [Vec::new(), Vec::new()];
    for step in 0..=20 * lynx_hare::STEPS_OF_A_YEAR {
        let year = first + step as f64 / lynx_hare::STEPS_OF_A_YEAR as f64;
        courses.iter_mut().zip(logarithms).for_each(|(course, logarithm)| course.push((year, logarithm.exp())));
        logarithms = lynx_hare::advance(logarithms, x, 1).unwrap_or(logarithms);
    }
    let [hares, lynxes] = courses;
    let furs = |numbers: &'static [f64]| (0..).map(move |k| first + f64::from(k)).zip(numbers.iter().copied());
    let series = vec![
        line("hares", 0, hares),
        line("lynxes", 1, lynxes),
        dots(0, furs(&lynx_hare::HARES)),
        dots(1, furs(&lynx_hare::LYNXES)),
    ];
    panel("model and furs", Axis::linear("year"), Axis::log("thousands"), series)
}

/// The prediction along one input, with the others fixed, and the yield from which the data were generated.
pub(super) fn gp(x: &[f64]) -> Result<Panel, LabError> {
    let data = gp::measurements();
    let (pressure, concentration) = (1.25e5, 0.005);
    let (mut mean, mut low, mut high, mut truth) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for k in 0..=100 {
        let temperature = 280.0 + f64::from(k);
        let input = [temperature, pressure, concentration];
        let predicted = gp::predict(&data, x, input);
        let (middle, deviation) =
            predicted.ok_or_else(|| LabError::new("gp: the covariance is not positive definite"))?;
        mean.push((temperature, middle));
        low.push((temperature, middle - 2.0 * deviation));
        high.push((temperature, middle + 2.0 * deviation));
        truth.push((temperature, gp::true_yield(input)));
    }
    let dashed = |name: Option<&str>, points| Series {
        dashed: true,
        name: name.map(str::to_string),
        points,
        ..Series::default()
    };
    let series = vec![
        line("prediction", 0, mean),
        dashed(Some("± 2 deviations"), low),
        dashed(None, high),
        line("truth", 1, truth),
    ];
    Ok(panel("at 1.25e5 Pa and 0.005 mol/m³", Axis::linear("temperature in K"), Axis::linear("yield in %"), series))
}

/// The weights, and the weights multiplied by the units of their features.
pub(super) fn logistic(x: &[f64]) -> Vec<Panel> {
    let units = logistic::rows(400, 20).units;
    let sizes = x.iter().take(units.len()).enumerate().map(|(k, weight)| ((k + 1) as f64, weight.abs()));
    let plain = x.iter().zip(&units).enumerate().map(|(k, (weight, unit))| ((k + 1) as f64, weight * unit));
    let zero = Series { thin: true, color: 6, points: vec![(0.0, 0.0), (21.0, 0.0)], ..Series::default() };
    vec![
        panel("sizes of weights", Axis::linear("feature"), Axis::log("|weight|"), vec![dots(0, sizes)]),
        panel(
            "weights times units",
            Axis::linear("feature"),
            Axis::linear("weight · unit"),
            vec![zero, dots(1, plain.collect::<Vec<_>>())],
        ),
    ]
}
