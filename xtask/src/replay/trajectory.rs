//! Feeds recorded z and f to the optimizer and compares its whole state after every iteration.

use ddcma_core::{Columns, Definiteness, DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, Strategy};
use serde::Deserialize;

use super::{ReplayError, Report};

const TOLERANCE: f64 = 1e-9;

/// A recorded run: its start, settings and iterations.
#[derive(Debug, Deserialize)]
pub(super) struct Trajectory {
    variant: Variant,
    n: usize,
    lambda_: usize,
    active: bool,
    method: u8,
    beta_eig: f64,
    beta_thresh: f64,
    t_eig: usize,
    m0: Vec<f64>,
    sigma0: f64,
    iterations: Vec<Iteration>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Variant {
    Plain,
    Sep,
    Dd,
}

/// The inputs of one iteration, and the state after it; each strategy records the quantities that it has.
#[derive(Debug, Deserialize)]
struct Iteration {
    z: Vec<Vec<f64>>,
    f: Vec<f64>,
    m: Vec<f64>,
    sigma: f64,
    d: Vec<f64>,
    p_sigma: Vec<f64>,
    gamma_sigma: f64,
    beta: f64,
    p_c: Option<Vec<f64>>,
    gamma_c: Option<f64>,
    alpha: Option<f64>,
    p_c_d: Option<Vec<f64>>,
    gamma_c_d: Option<f64>,
    c: Option<Vec<Vec<f64>>>,
    sqrt_c: Option<Vec<Vec<f64>>>,
}

/// The part of the state that only some strategies have.
#[derive(Default)]
struct Shape {
    beta: f64,
    p_c: Option<Vec<f64>>,
    gamma_c: Option<f64>,
    alpha: Option<f64>,
    p_c_d: Option<Vec<f64>>,
    gamma_c_d: Option<f64>,
    sqrt_c: Option<Vec<f64>>,
}

pub(super) fn replay(name: &str, recorded: &Trajectory) -> Result<Report, ReplayError> {
    match recorded.variant {
        Variant::Plain => run(name, recorded, |plain: &Plain| Shape {
            // Plain CMA-ES has no D to damp, but its recordings include the β that eq. (ddamp) gives for its C.
            beta: (plain.shape().axes.longest / plain.shape().axes.shortest - recorded.beta_thresh + 1.0).max(1.0),
            p_c: Some(plain.path_c().p().to_vec()),
            gamma_c: Some(plain.path_c().gamma()),
            alpha: Some(plain.shape().axes.alpha),
            sqrt_c: plain.sqrt_c().map(|root| root.as_slice().to_vec()),
            ..Shape::default()
        }),
        Variant::Sep => run(name, recorded, |separable: &Separable| Shape {
            beta: separable.shape().axes.beta,
            p_c_d: Some(separable.path_d().p().to_vec()),
            gamma_c_d: Some(separable.path_d().gamma()),
            ..Shape::default()
        }),
        Variant::Dd => run(name, recorded, |dd: &DiagonalDecoding| Shape {
            beta: dd.shape().axes.beta,
            p_c: Some(dd.path_c().p().to_vec()),
            gamma_c: Some(dd.path_c().gamma()),
            alpha: Some(dd.shape().axes.alpha),
            p_c_d: Some(dd.path_d().p().to_vec()),
            gamma_c_d: Some(dd.path_d().gamma()),
            sqrt_c: dd.sqrt_c().map(|root| root.as_slice().to_vec()),
        }),
    }
}

fn run<S: Strategy>(name: &str, recorded: &Trajectory, shape: impl Fn(&S) -> Shape) -> Result<Report, ReplayError> {
    let settings = Settings::new()
        .root(Root::Literal)
        .lambda(recorded.lambda_)
        .active(recorded.active)
        .definiteness(match recorded.method {
            1 => Definiteness::ScaleUpdate,
            2 => Definiteness::ScaleWeights,
            other => return Err(inconsistent(format!("method {other} is neither 1 nor 2"))),
        })
        .beta_eig(recorded.beta_eig)
        .beta_thresh(recorded.beta_thresh);
    if recorded.m0.len() != recorded.n {
        let got = recorded.m0.len();
        return Err(inconsistent(format!("m0 has {got} numbers, not n = {}", recorded.n)));
    }
    let mut optimizer = Optimizer::<S>::builder(&recorded.m0, recorded.sigma0)
        .settings(settings)
        .build()
        .map_err(|error| inconsistent(error.to_string()))?;

    let title = format!(
        "{name}: {:?}, n = {}, lambda = {}, {} iterations",
        recorded.variant,
        recorded.n,
        recorded.lambda_,
        recorded.iterations.len()
    );
    let mut report = Report::new(title, TOLERANCE);
    report.compare("t_eig", &[optimizer.params().t_eig() as f64], &[recorded.t_eig as f64]);
    for (t, iteration) in recorded.iterations.iter().enumerate() {
        let at = |what: String| inconsistent(format!("iteration {}: {what}", t + 1));
        let z = matrix(&iteration.z, recorded.n).map_err(at)?;
        optimizer.ask_with(&z).map_err(|error| at(error.to_string()))?;
        if iteration.f.len() != recorded.lambda_ {
            return Err(at(format!("there are {} values, not lambda = {}", iteration.f.len(), recorded.lambda_)));
        }
        optimizer.tell(&iteration.f).map_err(|error| ReplayError::Refused { iteration: t + 1, error })?;

        // C and its root are recorded in the iterations 1, 10 and the last.
        let with_c = t == 0 || t == 9 || t + 1 == recorded.iterations.len();
        let shape = shape(optimizer.strategy());
        compare(&mut report, &optimizer, &shape, iteration, with_c).map_err(at)?;
    }
    if recorded.iterations.is_empty() {
        return Err(inconsistent("it has no iterations".into()));
    }
    Ok(report)
}

fn compare<S: Strategy>(
    report: &mut Report,
    optimizer: &Optimizer<S>,
    shape: &Shape,
    recorded: &Iteration,
    with_c: bool,
) -> Result<(), String> {
    let n = optimizer.params().dimension();
    let path_sigma = optimizer.path_sigma();
    // Not relative to m: for a coordinate that passes through zero, rounding alone would give a large deviation.
    let deviations: Vec<f64> = recorded.d.iter().map(|d| recorded.sigma * d).collect();
    report.compare_by("m", optimizer.mean(), &recorded.m, &deviations);
    report.compare("sigma", &[optimizer.sigma()], &[recorded.sigma]);
    report.compare("d", optimizer.d(), &recorded.d);
    report.compare("p_sigma", path_sigma.p(), &recorded.p_sigma);
    report.compare("gamma_sigma", &[path_sigma.gamma()], &[recorded.gamma_sigma]);
    report.compare("beta", &[shape.beta], &[recorded.beta]);
    for (quantity, ours, recorded) in [("p_c", &shape.p_c, &recorded.p_c), ("p_c_d", &shape.p_c_d, &recorded.p_c_d)] {
        if let Some(ours) = ours {
            report.compare(quantity, ours, recorded.as_ref().ok_or_else(|| missing(quantity))?);
        }
    }
    for (quantity, ours, recorded) in [
        ("gamma_c", shape.gamma_c, recorded.gamma_c),
        ("gamma_c_d", shape.gamma_c_d, recorded.gamma_c_d),
        ("alpha", shape.alpha, recorded.alpha),
    ] {
        if let Some(ours) = ours {
            report.compare(quantity, &[ours], &[recorded.ok_or_else(|| missing(quantity))?]);
        }
    }
    if with_c && let Some(ours) = &shape.sqrt_c {
        let recorded_c = recorded.c.as_ref().ok_or_else(|| missing("c"))?;
        let recorded_root = recorded.sqrt_c.as_ref().ok_or_else(|| missing("sqrt_c"))?;
        report.compare("c", optimizer.c().as_slice(), matrix(recorded_c, n)?.as_slice());
        report.compare("sqrt_c", ours, matrix(recorded_root, n)?.as_slice());
    }
    Ok(())
}

fn missing(quantity: &str) -> String {
    format!("{quantity} is missing")
}

/// Recorded rows as columns: candidates by definition, symmetric matrices either way.
fn matrix(rows: &[Vec<f64>], n: usize) -> Result<Columns, String> {
    if let Some(row) = rows.iter().find(|row| row.len() != n) {
        return Err(format!("a row has {} numbers, not n = {n}", row.len()));
    }
    Columns::from_vec(n, rows.concat()).ok_or_else(|| format!("n = {n} has no rows"))
}

fn inconsistent(what: String) -> ReplayError {
    ReplayError::Inconsistent(what)
}
