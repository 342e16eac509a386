//! Compares default strategy parameters (Algorithm 2) with a recorded table.

use ddcma_core::{Definiteness, Params, Settings};
use serde::Deserialize;

use super::{ReplayError, Report};

const TOLERANCE: f64 = 1e-12;

/// The parameters of one (n, λ), as recorded.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    n: usize,
    lambda_: usize,
    mu_w: f64,
    mu_w_neg: f64,
    c_m: f64,
    c_sigma: f64,
    d_sigma: f64,
    chi_n: f64,
    c_1: f64,
    c_mu: f64,
    c_c: f64,
    c_1_d: f64,
    c_mu_d: f64,
    c_c_d: f64,
    t_eig: usize,
    beta_eig: f64,
    beta_thresh: f64,
    w: Vec<f64>,
    w_d: Vec<f64>,
    method2_alpha: f64,
    method2_w: Vec<f64>,
}

pub(super) fn compare(name: &str, rows: &[Row]) -> Result<Report, ReplayError> {
    let mut report = Report::new(format!("{name}: {} rows of parameters", rows.len()), TOLERANCE);
    if rows.is_empty() {
        return Err(ReplayError::Inconsistent("it has no rows".into()));
    }
    for row in rows {
        let settings = Settings::new().lambda(row.lambda_);
        let method1 = params(&settings, row)?;
        let method2 = params(&settings.definiteness(Definiteness::ScaleWeights), row)?;
        for (quantity, ours, recorded) in [
            ("mu_w", method1.mu_w(), row.mu_w),
            ("mu_w_neg", method1.mu_w_neg(), row.mu_w_neg),
            ("c_m", method1.c_m(), row.c_m),
            ("c_sigma", method1.c_sigma(), row.c_sigma),
            ("d_sigma", method1.d_sigma(), row.d_sigma),
            ("chi_n", method1.chi_n(), row.chi_n),
            ("c_1", method1.c_1(), row.c_1),
            ("c_mu", method1.c_mu(), row.c_mu),
            ("c_c", method1.c_c(), row.c_c),
            ("c_1_d", method1.c_1_d(), row.c_1_d),
            ("c_mu_d", method1.c_mu_d(), row.c_mu_d),
            ("c_c_d", method1.c_c_d(), row.c_c_d),
            ("t_eig", method1.t_eig() as f64, row.t_eig as f64),
            ("beta_eig", method1.beta_eig(), row.beta_eig),
            ("beta_thresh", method1.beta_thresh(), row.beta_thresh),
            ("method2_alpha", method2.method2_alpha().unwrap_or(f64::NAN), row.method2_alpha),
        ] {
            report.compare(quantity, &[ours], &[recorded]);
        }
        report.compare("w", method1.w(), &row.w);
        report.compare("w_d", method1.w_d(), &row.w_d);
        report.compare("method2_w", method2.w(), &row.method2_w);
    }
    Ok(report)
}

fn params(settings: &Settings, row: &Row) -> Result<Params, ReplayError> {
    settings.params(row.n).map_err(|error| ReplayError::Inconsistent(error.to_string()))
}
