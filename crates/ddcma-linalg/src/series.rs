//! `(I + X)^±½` of a small matrix without an eigendecomposition: binomial series, evaluated with few products.
//!
//! Knows square matrices whose powers fade. Does not know whether they are a covariance or a Gram matrix.

use faer::{Accum, Mat, MatRef};

use crate::product::multiply_into;

/// The largest number of terms; a norm of [`LARGEST_NORM`] needs them all.
const MOST_TERMS: usize = 64;

/// The largest number of powers of X that are kept.
const MOST_POWERS: usize = 8;

/// Up to this norm of X the series gives all digits that double precision has.
pub(crate) const LARGEST_NORM: f64 = 0.55;

/// Evaluates two series in the same matrix, sharing its powers (Paterson & Stockmeyer 1973).
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// X, X², …, X^step.
    powers: Vec<Mat<f64>>,
    sum: Mat<f64>,
}

impl Series {
    pub(crate) fn new(m: usize) -> Self {
        Self { powers: (0..MOST_POWERS).map(|_| Mat::zeros(m, m)).collect(), sum: Mat::zeros(m, m) }
    }

    /// The number of terms after which the rest is lost in rounding, and the power that blocks of terms are cut at.
    fn plan(norm: f64, coefficients: [&[f64; MOST_TERMS]; 2]) -> (usize, usize) {
        let mut terms = 1;
        let mut power = norm;
        while terms < MOST_TERMS && coefficients.iter().any(|c| c[terms].abs() * power > 1e-17) {
            terms += 1;
            power *= norm;
        }
        // step − 1 products for the powers, and for each series one less than there are blocks
        let products = |step: usize| step - 1 + 2 * (terms.div_ceil(step) - 1);
        let step = (1..=MOST_POWERS).min_by_key(|step| products(*step)).unwrap_or(1);
        (terms, step)
    }

    /// `Σ_k c_k·X^k` for each of two sequences of coefficients, given as functions of k. Needs ‖X‖ ≤ `norm`.
    pub(crate) fn evaluate(
        &mut self,
        x: MatRef<'_, f64>,
        norm: f64,
        coefficients: [&[f64; MOST_TERMS]; 2],
        results: [&mut Mat<f64>; 2],
    ) {
        let (terms, step) = Self::plan(norm, coefficients);
        self.powers[0].copy_from(x);
        for k in 1..step {
            let (lower, upper) = self.powers.split_at_mut(k);
            multiply_into(upper[0].as_mut(), Accum::Replace, lower[k - 1].as_ref(), x);
        }
        for (c, result) in coefficients.into_iter().zip(results) {
            // Horner in X^step, each coefficient a polynomial of lower degree.
            let blocks = terms.div_ceil(step);
            for block in (0..blocks).rev() {
                if block + 1 < blocks {
                    multiply_into(self.sum.as_mut(), Accum::Replace, result.as_ref(), self.powers[step - 1].as_ref());
                    std::mem::swap(result, &mut self.sum);
                } else {
                    result.fill(0.0);
                }
                let block_of = &c[block * step..(block * step + step).min(terms)];
                for i in 0..x.nrows() {
                    result[(i, i)] += block_of[0];
                }
                for (power, &c) in self.powers.iter().zip(&block_of[1..]) {
                    add_scaled(result, c, power);
                }
            }
        }
    }
}

fn add_scaled(sum: &mut Mat<f64>, c: f64, x: &Mat<f64>) {
    for j in 0..x.ncols() {
        let column = sum.col_as_slice_mut(j);
        column.iter_mut().zip(x.col_as_slice(j)).for_each(|(sum, x)| *sum += c * x);
    }
}

/// The coefficients of `(1 + t)^p = Σ_k binomial(p, k)·t^k`.
pub(crate) const fn binomials(p: f64) -> [f64; MOST_TERMS] {
    let mut c = [1.0; MOST_TERMS];
    let mut k = 1;
    while k < MOST_TERMS {
        c[k] = c[k - 1] * (p - (k as f64 - 1.0)) / k as f64;
        k += 1;
    }
    c
}

/// The coefficients of `((1 + t)^p − 1)/t`.
pub(crate) const fn shifted_binomials(p: f64) -> [f64; MOST_TERMS] {
    let mut c = [p; MOST_TERMS];
    let mut k = 1;
    while k < MOST_TERMS {
        c[k] = c[k - 1] * (p - k as f64) / (k as f64 + 1.0);
        k += 1;
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::max_abs;

    #[test]
    fn the_series_are_the_roots_at_every_norm_up_to_the_largest() {
        for n in [1, 2, 5, 17] {
            for norm in [1e-9, 0.003, 0.05, 0.1, 0.2, 0.3, 0.4, LARGEST_NORM] {
                let symmetric = Mat::from_fn(n, n, |i, j| ((3 * i.max(j) + 7 * i.min(j) + 1) as f64).sin());
                let frobenius = symmetric.norm_l2();
                let x = Mat::from_fn(n, n, |i, j| symmetric[(i, j)] * norm / frobenius);
                let mut series = Series::new(n);
                let (mut root, mut inverse) = (Mat::zeros(n, n), Mat::zeros(n, n));
                let coefficients = [&binomials(0.5), &binomials(-0.5)];
                series.evaluate(x.as_ref(), norm, coefficients, [&mut root, &mut inverse]);
                let identity = Mat::<f64>::identity(n, n);
                let squared = &root * &root - &identity - &x;
                assert!(max_abs(squared.as_ref()) < 4e-15, "n = {n}, norm {norm}: {:e}", max_abs(squared.as_ref()));
                assert!(max_abs((&root * &inverse - &identity).as_ref()) < 4e-15, "n = {n}, norm {norm}");

                let (mut phi, mut psi) = (Mat::zeros(n, n), Mat::zeros(n, n));
                let coefficients = [&shifted_binomials(0.5), &shifted_binomials(-0.5)];
                series.evaluate(x.as_ref(), norm, coefficients, [&mut phi, &mut psi]);
                assert!(max_abs((&x * &phi + &identity - &root).as_ref()) < 4e-15);
                assert!(max_abs((&x * &psi + &identity - &inverse).as_ref()) < 4e-15);
            }
        }
    }
}
