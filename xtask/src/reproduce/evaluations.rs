//! Figures "fes" and "fes2": evaluations divided by n against the dimension.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory, costs};
use super::claims::Claim;
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::picture::{Axis, Panel, Series};
use crate::lab::statistics::quantile;
use StrategyName::{Dd, Plain, Sep};

/// A line of the figure: a form of the function, a strategy, and the largest dimension at the quick and the paper's scale.
struct Line {
    form: Form,
    strategy: StrategyName,
    dims: Vec<usize>,
}

fn line(
    laboratory: &Laboratory,
    function: Function,
    rotated: bool,
    strategy: StrategyName,
    quick: usize,
    paper: usize,
) -> Line {
    let dims = laboratory.dims(laboratory.choose(quick, paper));
    Line { form: Form { function, rotated }, strategy, dims }
}

fn run(laboratory: &mut Laboratory, lines: &[Line]) -> Result<(), LabError> {
    let mut cells = Vec::new();
    for line in lines {
        cells.extend(line.dims.iter().map(|n| (Cell::new(line.form, *n, line.strategy), laboratory.trials(*n))));
    }
    laboratory.run(&cells)
}

/// A panel for each function: lines of all strategies and forms.
fn panels(laboratory: &Laboratory, functions: &[Function], lines: &[Line]) -> Vec<Panel> {
    let panel = |function: &Function| {
        let mut series = Vec::new();
        for line in lines.iter().filter(|line| line.form.function == *function) {
            let colour = match (line.strategy, line.form.rotated) {
                (Plain, _) => 0,
                (Sep, _) => 1,
                (Dd, false) => 2,
                (Dd, true) => 3,
            };
            let rotated = if line.form.rotated { ", rotated" } else { "" };
            let name = Some(format!("{}{rotated}", line.strategy.name()));
            let mut one = Series { name, colour, marked: true, ..Series::default() };
            for &n in &line.dims {
                let outcomes = laboratory.outcomes(&Cell::new(line.form, n, line.strategy), laboratory.trials(n));
                let [low, median, high] =
                    [0.25, 0.5, 0.75].map(|q| quantile(&costs(&outcomes, |outcome| outcome.evaluations), q) / n as f64);
                one.points.push((n as f64, median));
                one.bars.push((n as f64, low, high));
            }
            series.push(one);
        }
        let mut dims: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.0)).collect();
        dims.sort_unstable_by(f64::total_cmp);
        dims.dedup();
        Panel {
            title: function.label().to_string(),
            x: Axis::log("n").ticks(&dims),
            y: Axis::log("evaluations / n"),
            series,
        }
    };
    functions.iter().map(panel).collect()
}

const DISCUS: &str = "dd is competitive with separable CMA on the separable Discus up to 5120 dimensions";

/// Medians of a function by dimension.
fn median(laboratory: &Laboratory, function: Function, rotated: bool, strategy: StrategyName, n: usize) -> f64 {
    laboratory.median_evaluations(&Cell::new(Form { function, rotated }, n, strategy), laboratory.trials(n))
}

/// The largest dimension in which both have a finite median, with the ratio of the first to the second.
fn largest_ratio(a: impl Fn(usize) -> f64, b: impl Fn(usize) -> f64, dims: &[usize]) -> Option<(usize, f64)> {
    dims.iter().rev().map(|n| (*n, a(*n) / b(*n))).find(|(_, ratio)| ratio.is_finite())
}

pub(super) fn fes(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let functions = [Function::Sphere, Function::Cigar, Function::Discus, Function::Ellipsoid];
    let mut lines = Vec::new();
    for function in functions {
        if function == Function::Sphere {
            lines.push(line(laboratory, function, false, Plain, 160, 640));
            lines.push(line(laboratory, function, false, Sep, 1280, 5120));
            lines.push(line(laboratory, function, false, Dd, 160, 640));
            continue;
        }
        lines.push(line(laboratory, function, true, Plain, 160, 320));
        lines.push(line(laboratory, function, false, Sep, 1280, 5120));
        lines.push(line(laboratory, function, true, Dd, 160, 320));
        lines.push(line(laboratory, function, false, Dd, 320, 5120));
    }
    run(laboratory, &lines)?;
    let rotated_separable = separable_fails(laboratory)?;
    let rare_updates = beta_eig(laboratory)?;
    let laboratory = &*laboratory;
    let panels = panels(laboratory, &functions, &lines);

    let dims = laboratory.dims(5120);
    let of = |function, rotated, strategy| {
        move |laboratory: &Laboratory, n| median(laboratory, function, rotated, strategy, n)
    };
    let ratio = |a: (Function, bool, StrategyName), b: (Function, bool, StrategyName)| {
        let (first, second) = (of(a.0, a.1, a.2), of(b.0, b.1, b.2));
        largest_ratio(|n| first(laboratory, n), |n| second(laboratory, n), &dims)
    };
    let shown = |ratio: Option<(usize, f64)>, good: &dyn Fn(f64) -> bool| {
        ratio.map(|(n, ratio)| (format!("ratio {ratio:.2} at n = {n}"), good(ratio)))
    };
    let growth = |function, rotated, strategy| {
        let known: Vec<(usize, f64)> = dims
            .iter()
            .map(|n| (*n, median(laboratory, function, rotated, strategy, *n)))
            .filter(|(_, m)| m.is_finite())
            .collect();
        let ((n0, m0), (n1, m1)) = (*known.get(known.len().checked_sub(2)?)?, *known.last()?);
        Some(((m1 / m0).ln() / (n1 as f64 / n0 as f64).ln(), n0, n1))
    };
    let grows = |growth: Option<(f64, usize, usize)>, good: &dyn Fn(f64) -> bool| {
        growth.map(|(power, n0, n1)| (format!("evaluations ~ n^{power:.2} from n = {n0} to {n1}"), good(power)))
    };
    let sphere: Vec<f64> =
        [Plain, Sep, Dd].map(|strategy| median(laboratory, Function::Sphere, false, strategy, 40)).to_vec();
    // NaN, if one of them is.
    let spread = sphere
        .iter()
        .flat_map(|a| sphere.iter().map(move |b| a / b))
        .fold(1.0, |worst: f64, ratio| if ratio.is_nan() || worst.is_nan() { f64::NAN } else { worst.max(ratio) });
    let ten_times = median(laboratory, Function::Ellipsoid, true, Plain, 160)
        / median(laboratory, Function::Ellipsoid, false, Dd, 160);
    let at_80 = median(laboratory, Function::Ellipsoid, true, Plain, 80)
        / median(laboratory, Function::Ellipsoid, false, Dd, 80);
    let dd_over_sep = |n| {
        median(laboratory, Function::Ellipsoid, false, Dd, n) / median(laboratory, Function::Ellipsoid, false, Sep, n)
    };
    let deviation: Vec<(usize, f64)> =
        dims.iter().map(|n| (*n, dd_over_sep(*n))).filter(|(_, ratio)| ratio.is_finite()).collect();
    let claims = vec![
        Claim::of(
            "On the Sphere all algorithms perform quite similarly",
            spread.is_finite().then(|| (format!("largest over least median at n = 40: {spread:.2}"), spread < 1.3)),
        ),
        Claim::of(
            "The plain CMA scales linearly on the rotated Cigar",
            grows(growth(Function::Cigar, true, Plain), &|power| power < 1.25),
        ),
        Claim::of(
            "On the separable Cigar, dd is competitive with separable CMA",
            shown(ratio((Function::Cigar, false, Dd), (Function::Cigar, false, Sep)), &|ratio| ratio < 1.3),
        ),
        Claim::of(
            "On the rotated Cigar, dd is competitive with plain CMA",
            shown(ratio((Function::Cigar, true, Dd), (Function::Cigar, true, Plain)), &|ratio| ratio < 1.3),
        ),
        Claim::of(
            "On the Ellipsoid the plain CMA scales super-linearly",
            grows(growth(Function::Ellipsoid, true, Plain), &|power| power > 1.3),
        ),
        Claim::of(
            "On the Discus the plain CMA scales super-linearly",
            grows(growth(Function::Discus, true, Plain), &|power| power > 1.2),
        ),
        Claim::of(
            "Separable CMA scales linearly or slightly worse on the separable Ellipsoid",
            grows(growth(Function::Ellipsoid, false, Sep), &|power| power < 1.35),
        ),
        rotated_separable,
        Claim::of(
            "On the rotated Ellipsoid, dd is competitive with plain CMA",
            shown(ratio((Function::Ellipsoid, true, Dd), (Function::Ellipsoid, true, Plain)), &|ratio| ratio < 1.2),
        ),
        Claim::of(
            "On the rotated Discus, dd is competitive with plain CMA",
            shown(ratio((Function::Discus, true, Dd), (Function::Discus, true, Plain)), &|ratio| ratio < 1.2),
        ),
        if ten_times.is_finite() {
            Claim::new(
                "Ten times less f-calls than plain CMA on the 160-dimensional separable Ellipsoid",
                format!("{ten_times:.1} times"),
                ten_times >= 9.0,
            )
        } else {
            Claim::needs_larger_scale(
                "Ten times less f-calls than plain CMA on the 160-dimensional separable Ellipsoid",
                format!("{at_80:.1} times at n = 80"),
            )
        }
        .remark("plain is measured on the rotated function, on which it is equally fast"),
        match ratio((Function::Discus, false, Dd), (Function::Discus, false, Sep)) {
            Some((5120, ratio)) => Claim::new(DISCUS, format!("ratio {ratio:.2} at n = 5120"), ratio < 1.3),
            known => Claim::needs_larger_scale(
                DISCUS,
                known.map_or("–".to_string(), |(n, r)| format!("ratio {r:.2} at n = {n}")),
            ),
        },
        Claim::of(
            "On the separable Ellipsoid dd starts deviating from separable CMA around n = 320",
            deviation.iter().any(|(n, _)| *n == 320).then(|| {
                let list =
                    deviation.iter().map(|(n, ratio)| format!("{ratio:.2} at {n}")).collect::<Vec<_>>().join(", ");
                let holds =
                    |(n, ratio): &(usize, f64)| if *n < 160 { *ratio < 1.35 } else { *n < 320 || *ratio > 1.35 };
                (list, deviation.iter().all(holds))
            }),
        )
        .remark("evaluations of dd over separable CMA"),
        Claim::needs_larger_scale(
            "With β_eig = 10, dd needs 1.5 times the evaluations of separable CMA on the 5120-dimensional separable Ellipsoid",
            "–",
        ),
        rare_updates,
    ];
    let title = "evaluations / n to reach 1e-8".to_string();
    Ok(Figure { label: "fes", title, panels, columns: 4, claims })
}

fn separable_fails(laboratory: &mut Laboratory) -> Result<Claim, LabError> {
    let cell = Cell::new(Form { function: Function::Ellipsoid, rotated: true }, 10, Sep);
    laboratory.run(&[(cell.clone(), 3)])?;
    let successes = laboratory.outcomes(&cell, 3).iter().filter(|outcome| outcome.success).count();
    let says = "Separable CMA fails on rotated instances within the budget";
    Ok(Claim::new(says, format!("{successes} successes of 3 on the rotated Ellipsoid, n = {}", cell.n), successes == 0))
}

/// The footnote about β_eig = 10 on the rotated Ellipsoid.
fn beta_eig(laboratory: &mut Laboratory) -> Result<Claim, LabError> {
    let n = laboratory.dims(laboratory.choose(160, 320)).last().copied().unwrap_or(5);
    let form = Form { function: Function::Ellipsoid, rotated: true };
    let cell = Cell::new(form, n, Dd).with("beta_eig=10", |settings| settings.beta_eig(10.0));
    let trials = laboratory.trials(n);
    laboratory.run(&[(cell.clone(), trials)])?;
    let ratio = laboratory.median_evaluations(&cell, trials) / median(laboratory, Function::Ellipsoid, true, Plain, n);
    let says = "With β_eig = 10, dd spends about 15 % more evaluations than plain CMA on the 320-dimensional rotated Ellipsoid";
    let measured = format!("{:+.0} % at n = {n}", 100.0 * (ratio - 1.0));
    Ok(if n == 320 {
        Claim::new(says, measured, (1.05..1.25).contains(&ratio))
    } else {
        Claim::needs_larger_scale(says, measured)
    })
}

pub(super) fn fes2(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let functions = [Function::EllCig, Function::EllDis, Function::Rosenbrock];
    let mut lines = Vec::new();
    for function in [Function::EllCig, Function::EllDis] {
        lines.push(line(laboratory, function, false, Plain, 160, 320));
        lines.push(line(laboratory, function, false, Dd, 160, 320));
    }
    for rotated in [false, true] {
        lines.push(line(laboratory, Function::Rosenbrock, rotated, Plain, 160, 320));
        lines.push(line(laboratory, Function::Rosenbrock, rotated, Dd, 160, 320));
    }
    lines.push(line(laboratory, Function::Rosenbrock, false, Sep, 160, 1280));
    run(laboratory, &lines)?;
    let panels = panels(laboratory, &functions, &lines);

    let dims = laboratory.dims(320);
    let gains = |function| -> Vec<(usize, f64)> {
        let gain = |n: &usize| {
            (*n, median(laboratory, function, false, Plain, *n) / median(laboratory, function, false, Dd, *n))
        };
        dims.iter().map(gain).filter(|(_, gain)| gain.is_finite()).collect()
    };
    let list = |gains: &[(usize, f64)]| {
        gains.iter().map(|(n, gain)| format!("{gain:.2} at {n}")).collect::<Vec<_>>().join(", ")
    };
    let (cigar, discus, rosenbrock) = (gains(Function::EllCig), gains(Function::EllDis), gains(Function::Rosenbrock));
    let last = |gains: &[(usize, f64)]| gains.last().map_or(f64::NAN, |gain| gain.1);
    let first = |gains: &[(usize, f64)]| gains.first().map_or(f64::NAN, |gain| gain.1);
    let sep_gain: Vec<(usize, f64)> = dims
        .iter()
        .map(|n| {
            (
                *n,
                median(laboratory, Function::Rosenbrock, false, Plain, *n)
                    / median(laboratory, Function::Rosenbrock, false, Sep, *n),
            )
        })
        .filter(|(_, gain)| gain.is_finite())
        .collect();
    let sep_says = "On the non-rotated Rosenbrock separable CMA is faster than plain CMA when n > 80";
    let sep_claim = match sep_gain.last() {
        Some((n, gain)) if *n > 80 => Claim::new(sep_says, format!("plain/sep {}", list(&sep_gain)), *gain > 1.0),
        _ => Claim::needs_larger_scale(sep_says, format!("plain/sep {}", list(&sep_gain))),
    };
    let claims = vec![
        Claim::new(
            "On Ell-Cig diagonal decoding improves the scaling of the plain CMA even though the function is not separable",
            format!("plain/dd {}", list(&cigar)),
            last(&cigar) > 1.2 && last(&cigar) > first(&cigar),
        ),
        Claim::new(
            "The improvement on Ell-Dis is much less pronounced",
            format!("plain/dd {}", list(&discus)),
            last(&discus) < last(&cigar),
        ),
        Claim::new(
            "On the non-rotated Rosenbrock dd becomes advantageous as the dimension increases",
            format!("plain/dd {}", list(&rosenbrock)),
            last(&rosenbrock) > first(&rosenbrock) && last(&rosenbrock) > 1.0,
        ),
        sep_claim,
    ];
    let title = "evaluations / n to reach 1e-8, where dd beats both".to_string();
    Ok(Figure { label: "fes2", title, panels, columns: 3, claims })
}
