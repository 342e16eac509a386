//! `(I + X)^±½` of a small matrix, or of it times a vector, without an eigendecomposition: the binomial series, evaluated with few products.
//!
//! Knows square matrices whose powers fade. Does not know whether they are a covariance or a Gram matrix.

use faer::{Accum, MatMut, MatRef};

use crate::product::{multiply_columns, multiply_into, symmetric_product};

/// The largest number of terms; a norm of [`LARGEST_NORM`] needs them all.
const MOST_TERMS: usize = 64;

/// The largest number of powers of X that are kept.
const MOST_POWERS: usize = 8;

/// Up to this norm of X the series gives all digits that double precision has.
pub(crate) const LARGEST_NORM: f64 = 0.55;

/// Up to this size plain loops are quicker.
const LARGEST_TINY: usize = 4;

/// From here on, half of a product takes less time than all of it.
const LEAST_HALVED: usize = 32;

/// Up to this norm, a series is so short that a better bound would not make it shorter by a product.
const SMALL_NORM: f64 = 0.02;

/// Evaluates a power series in a matrix with few products (Paterson & Stockmeyer 1973).
#[derive(Clone, Debug)]
pub(crate) struct Series {
    m: usize,
    kind: Kind,
    /// Whether the second power is that of the X that was taken in.
    has_square: bool,
    /// X, X², …, X^step, each column by column without gaps: sums of them are sums of slices. As many as were ever needed.
    powers: Vec<Vec<f64>>,
    sum: Vec<f64>,
    product: Vec<f64>,
}

impl Series {
    /// For `m × m` matrices. Room is made when it is needed first.
    pub(crate) fn new(m: usize) -> Self {
        let (sum, product) = (Vec::new(), Vec::new());
        Self { m, kind: Kind::General, has_square: false, powers: Vec::with_capacity(MOST_POWERS), sum, product }
    }

    /// Makes room for any norm, so that none is made later.
    pub(crate) fn prepare(&mut self) {
        self.make_room(MOST_POWERS);
    }

    fn make_room(&mut self, powers: usize) {
        let entries = self.m * self.m;
        self.sum.resize(entries, 0.0);
        self.product.resize(entries, 0.0);
        while self.powers.len() < powers {
            self.powers.push(vec![0.0; entries]);
        }
    }

    /// The number of terms after which the rest is lost in rounding, and the power that blocks of terms are cut at.
    fn plan(norm: f64, c: &[f64; MOST_TERMS]) -> (usize, usize) {
        let mut terms = 1;
        let mut power = norm;
        while terms < MOST_TERMS && c[terms].abs() * power > 1e-17 {
            terms += 1;
            power *= norm;
        }
        // step − 1 products for the powers, and one less than there are blocks: the fewest, if these are as many as step
        let step = (1..MOST_POWERS).find(|step| step * step >= terms).unwrap_or(MOST_POWERS);
        (terms, step)
    }

    /// Takes X in, whose Frobenius norm is given, and returns a bound of its spectral norm: that is all that matters for a
    /// series, and mostly far below. Only the eigenvalues of X have to be real; its [kind](Kind) is for the products.
    ///
    /// ‖X‖⁴ ≤ tr X⁴, from a product that the series will need, too; where that is not worth it, the bound is the given norm.
    pub(crate) fn take(&mut self, x: MatRef<'_, f64>, norm: f64, kind: Kind) -> f64 {
        let m = self.m;
        self.kind = kind;
        self.make_room(2);
        for (power, x) in self.powers[0].chunks_exact_mut(m.max(1)).zip(x.col_iter()) {
            power.iter_mut().zip(x.iter()).for_each(|(power, x)| *power = *x);
        }
        self.has_square = norm > SMALL_NORM;
        if !self.has_square {
            return norm;
        }
        let (lower, upper) = self.powers.split_at_mut(1);
        kind.multiply(m, &mut upper[0], &lower[0], &lower[0]);
        kind.trace_of_square(m, &self.powers[1]).max(0.0).sqrt().sqrt().min(norm)
    }

    /// `Σ_k c_k·X^k` of the X that was [taken in](Self::take), with the bound of its norm, at most [`LARGEST_NORM`].
    pub(crate) fn evaluate(&mut self, bound: f64, c: &[f64; MOST_TERMS]) -> MatRef<'_, f64> {
        let (m, kind) = (self.m, self.kind);
        let (terms, step) = Self::plan(bound, c);
        self.make_room(step);
        for k in if self.has_square { 2 } else { 1 }..step {
            let (lower, upper) = self.powers.split_at_mut(k);
            kind.multiply(m, &mut upper[0], &lower[k - 1], &lower[0]);
        }
        // Horner in X^step, each coefficient a polynomial of lower degree.
        self.sum.fill(0.0);
        for (block, c) in c[..terms].chunks(step).enumerate().rev() {
            if block + 1 < terms.div_ceil(step) {
                kind.multiply(m, &mut self.product, &self.sum, &self.powers[step - 1]);
                std::mem::swap(&mut self.sum, &mut self.product);
            }
            self.sum.iter_mut().step_by(m + 1).for_each(|diagonal| *diagonal += c[0]);
            for (power, &c) in self.powers.iter().zip(&c[1..]) {
                self.sum.iter_mut().zip(power).for_each(|(sum, power)| *sum += c * power);
            }
        }
        MatRef::from_column_major_slice(&self.sum, m, m)
    }
}

impl Series {
    /// `Σ_k c_k·X^k·v` into `sum`, without the powers of X.
    pub(crate) fn apply(
        x: MatRef<'_, f64>,
        norm: f64,
        c: &[f64; MOST_TERMS],
        v: &[f64],
        sum: &mut [f64],
        product: &mut [f64],
    ) {
        let (terms, _) = Self::plan(norm, c);
        sum.fill(0.0);
        for (k, &c) in c[..terms].iter().enumerate().rev() {
            if k + 1 < terms {
                multiply_columns(x, sum, product);
                sum.copy_from_slice(product);
            }
            sum.iter_mut().zip(v).for_each(|(sum, v)| *sum += c * v);
        }
    }
}

/// What is known of X, and so of its powers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// It is symmetric: half of each product is enough.
    Symmetric,
    /// It is similar to a symmetric matrix.
    General,
}

impl Kind {
    /// A product of two polynomials in X. The tiniest are plain loops, which are done before a general product has found out
    /// what to do.
    fn multiply(self, m: usize, product: &mut [f64], l: &[f64], r: &[f64]) {
        if m <= LARGEST_TINY {
            for (product, r) in product.chunks_exact_mut(m.max(1)).zip(r.chunks_exact(m.max(1))) {
                product.fill(0.0);
                for (l, r) in l.chunks_exact(m.max(1)).zip(r) {
                    product.iter_mut().zip(l).for_each(|(product, l)| *product += l * r);
                }
            }
            return;
        }
        let [l, r] = [l, r].map(|entries| MatRef::from_column_major_slice(entries, m, m));
        let product = MatMut::from_column_major_slice_mut(product, m, m);
        match self {
            Self::Symmetric if m >= LEAST_HALVED => symmetric_product(product, l, r),
            _ => multiply_into(product, Accum::Replace, l, r),
        }
    }

    /// The trace of X².
    fn trace_of_square(self, m: usize, x: &[f64]) -> f64 {
        match self {
            Self::Symmetric => x.iter().map(|x| x * x).sum(),
            Self::General => {
                let column = |j: usize| (0..m).map(|i| x[j * m + i] * x[i * m + j]).sum::<f64>();
                (0..m).map(column).sum()
            }
        }
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
    use faer::Mat;

    use super::*;
    use crate::max_abs;

    #[test]
    fn the_series_are_the_roots_at_every_norm_up_to_the_largest() {
        for n in [1, 2, 5, 17] {
            for norm in [0.0, 1e-9, 0.003, 0.05, 0.1, 0.2, 0.3, 0.4, LARGEST_NORM] {
                let symmetric = Mat::from_fn(n, n, |i, j| ((3 * i.max(j) + 7 * i.min(j) + 1) as f64).sin());
                let frobenius = symmetric.norm_l2();
                let x = Mat::from_fn(n, n, |i, j| symmetric[(i, j)] * norm / frobenius);
                let mut series = Series::new(n);
                let mut sum = |c: &[f64; MOST_TERMS]| {
                    let [one, other] = [Kind::Symmetric, Kind::General].map(|kind| {
                        let bound = series.take(x.as_ref(), norm * (1.0 + 1e-12), kind);
                        series.evaluate(bound, c).to_owned()
                    });
                    assert!(max_abs((&one - &other).as_ref()) < 1e-15);
                    one
                };
                let identity = Mat::<f64>::identity(n, n);
                let small = |difference: Mat<f64>| {
                    let error = max_abs(difference.as_ref());
                    assert!(error < 4e-15, "n = {n}, norm {norm}: {error:e}");
                };
                let inverse = sum(&binomials(-0.5));
                small(&inverse * &inverse * (&x + &identity) - &identity);
                small(&x * sum(&shifted_binomials(-0.5)) + &identity - &inverse);
            }
        }
    }
}
