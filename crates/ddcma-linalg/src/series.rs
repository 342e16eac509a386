//! `(I + X)^±½` of a small matrix, or its product with a vector, without an eigendecomposition: by a polynomial, evaluated
//! with few matrix products.
//!
//! The binomial series is truncated and then economized: each omitted term is replaced by a Chebyshev approximation of lower
//! degree on the interval of the eigenvalues. This saves a quarter of the degree.

use faer::{Accum, Mat, MatMut, MatRef};

use crate::product::{multiply_into, symmetric_product};
use crate::vectors::{add_columns, multiply_vector, squared_length};

/// The number of terms of the binomial series before it is economized; the rest is negligible up to [`LARGEST_NORM`].
const TERMS: usize = 64;

/// Degrees, with the power at which blocks of terms are cut (Paterson & Stockmeyer 1973): `step·k` takes `step − 1` products
/// for the powers and `k − 1` for the blocks. These are the largest degrees for one product, two products, and so on.
const PLANS: [(usize, usize); 9] = [(2, 2), (4, 2), (6, 3), (9, 3), (12, 3), (16, 4), (20, 4), (25, 5), (30, 5)];

/// The largest number of stored powers of X.
const MOST_POWERS: usize = 5;

/// Up to this norm of X, the polynomials are exact to double precision.
pub(crate) const LARGEST_NORM: f64 = 0.55;

/// The error that is negligible in a sum near 1.
const LEAST: f64 = 1e-17;

/// Up to this size, plain loops are faster.
const LARGEST_TINY: usize = 4;

/// From this size on, half a product takes less time than a whole one.
const LEAST_HALVED: usize = 32;

/// Up to this norm, the polynomial is so short that a better bound would not save a product.
const SMALL_NORM: f64 = 1e-3;

/// Polynomials for one function, of all [degrees](PLANS).
pub(crate) struct Polynomials([Polynomial; PLANS.len()]);

struct Polynomial {
    degree: usize,
    step: usize,
    /// The largest norm for which it is accurate.
    norm: f64,
    c: [f64; TERMS],
}

impl Polynomials {
    /// `(1 + t)^p`.
    pub(crate) const fn power(p: f64) -> Self {
        let mut c = [1.0; TERMS];
        let mut k = 1;
        while k < TERMS {
            c[k] = c[k - 1] * (p - (k as f64 - 1.0)) / k as f64;
            k += 1;
        }
        Self::economized(&c)
    }

    /// `((1 + t)^p − 1)/t`.
    pub(crate) const fn shifted_power(p: f64) -> Self {
        let mut c = [p; TERMS];
        let mut k = 1;
        while k < TERMS {
            c[k] = c[k - 1] * (p - k as f64) / (k as f64 + 1.0);
            k += 1;
        }
        Self::economized(&c)
    }

    const fn economized(c: &[f64; TERMS]) -> Self {
        let mut all = [const { Polynomial { degree: 0, step: 1, norm: 0.0, c: [0.0; TERMS] } }; PLANS.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Polynomial::economized(*c, PLANS[i]);
            i += 1;
        }
        Self(all)
    }

    /// Returns the shortest polynomial that is accurate for a norm.
    fn of(&self, norm: f64) -> &Polynomial {
        self.0.iter().find(|polynomial| norm <= polynomial.norm).unwrap_or(&self.0[PLANS.len() - 1])
    }
}

impl Polynomial {
    /// Creates a polynomial of lower degree, and determines the largest norm for which it equals the series on [−norm,
    /// norm].
    const fn economized(mut c: [f64; TERMS], (degree, step): (usize, usize)) -> Self {
        let first = if c[degree + 1] < 0.0 { -c[degree + 1] } else { c[degree + 1] };
        let (mut norm, mut above) = (0.0, LARGEST_NORM);
        let mut halvings = 0;
        while halvings < 60 {
            let middle = 0.5 * (norm + above);
            // Most of the error is the first omitted term.
            if first * power(middle, degree + 1) <= LEAST * power(2.0, degree) {
                norm = middle;
            } else {
                above = middle;
            }
            halvings += 1;
        }
        // t^k − norm^k·T_k(t/norm)/2^(k−1) has a lower degree, and differs from t^k by at most norm^k/2^(k−1). The
        // coefficients of T_k are computed from the highest power down.
        let mut k = TERMS - 1;
        while k > degree {
            let mut t = c[k];
            let mut j = k;
            while j >= 2 {
                // of t^(j−2), from that of t^j
                t *= -norm * norm * (j * (j - 1)) as f64 / ((k + j - 2) * (k - j + 2)) as f64;
                j -= 2;
                c[j] -= t;
            }
            c[k] = 0.0;
            k -= 1;
        }
        Self { degree, step, norm, c }
    }
}

const fn power(x: f64, k: usize) -> f64 {
    let (mut power, mut i) = (1.0, 0);
    while i < k {
        power *= x;
        i += 1;
    }
    power
}

/// Evaluates polynomials in a matrix with few products.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    m: usize,
    kind: Kind,
    /// The number of powers that belong to the current X.
    known: usize,
    /// X, X², …, each column by column without gaps, so that their sums are sums of slices. As many as were ever needed.
    powers: Vec<Vec<f64>>,
    sum: Vec<f64>,
    product: Vec<f64>,
}

impl Series {
    /// Creates workspace for `m × m` matrices; room is allocated when it is first needed.
    pub(crate) fn new(m: usize) -> Self {
        let (sum, product) = (Vec::new(), Vec::new());
        Self { m, kind: Kind::General, known: 0, powers: Vec::with_capacity(MOST_POWERS), sum, product }
    }

    /// Allocates room for any norm, so that none is allocated later.
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

    /// Sets X, whose Frobenius norm is given, and returns a bound on its spectral norm. Only the spectral norm matters for a
    /// polynomial, and it is usually much smaller. The eigenvalues of X must be real; its [kind](Kind) only matters for the
    /// products.
    ///
    /// The bound is ‖X‖⁶ ≤ tr X⁶, from products that the polynomial also needs; if it is not worth computing, the given norm
    /// is returned.
    pub(crate) fn take(&mut self, x: MatRef<'_, f64>, norm: f64, kind: Kind) -> f64 {
        let m = self.m;
        self.kind = kind;
        self.make_room(1);
        for (power, x) in self.powers[0].chunks_exact_mut(m.max(1)).zip(x.col_iter()) {
            power.iter_mut().zip(x.iter()).for_each(|(power, x)| *power = *x);
        }
        self.known = 1;
        if norm <= SMALL_NORM {
            return norm;
        }
        self.raise(3);
        kind.trace_of_square(m, &self.powers[2]).max(0.0).cbrt().sqrt().min(norm)
    }

    /// Computes the powers of X up to this one.
    fn raise(&mut self, last: usize) {
        self.make_room(last);
        for k in self.known..last {
            let (lower, upper) = self.powers.split_at_mut(k);
            self.kind.multiply(self.m, &mut upper[0], &lower[k - 1], &lower[0]);
        }
        self.known = self.known.max(last);
    }

    /// Evaluates a function of the current [X](Self::take), given a bound on its norm of at most [`LARGEST_NORM`].
    pub(crate) fn evaluate(&mut self, bound: f64, polynomials: &Polynomials) -> MatRef<'_, f64> {
        let (m, kind) = (self.m, self.kind);
        let Polynomial { degree, step, c, .. } = polynomials.of(bound);
        self.raise(*step);
        // Horner's scheme in X^step: each coefficient is a polynomial of lower degree; only the first one contains X^step.
        self.sum.fill(0.0);
        let mut end = degree + 1;
        for first in (0..*degree).step_by(*step).rev() {
            if end <= *degree {
                kind.multiply(m, &mut self.product, &self.sum, &self.powers[step - 1]);
                std::mem::swap(&mut self.sum, &mut self.product);
            }
            add_columns(&self.powers, &c[first + 1..end], &mut self.sum);
            self.sum.iter_mut().step_by(m + 1).for_each(|diagonal| *diagonal += c[first]);
            end = first;
        }
        MatRef::from_column_major_slice(&self.sum, m, m)
    }

    /// Adds a function of X times v to `sum`, without the powers of X.
    pub(crate) fn apply(
        x: &Mat<f64>,
        bound: f64,
        polynomials: &Polynomials,
        v: &[f64],
        sum: &mut [f64],
        product: &mut [f64],
    ) {
        let Polynomial { degree, c, .. } = polynomials.of(bound);
        sum.fill(0.0);
        for (k, &c) in c[..=*degree].iter().enumerate().rev() {
            if k < *degree {
                multiply_vector(x, sum, product);
                sum.copy_from_slice(product);
            }
            sum.iter_mut().zip(v).for_each(|(sum, v)| *sum += c * v);
        }
    }
}

/// What is known about X, and therefore about its powers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// X is symmetric: half of each product is enough.
    Symmetric,
    /// X is similar to a symmetric matrix.
    General,
}

impl Kind {
    /// Multiplies two polynomials in X. The smallest products are plain loops: choosing a method for a general product would
    /// take longer.
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
            Self::Symmetric => squared_length(x),
            Self::General => {
                let column = |j: usize| (0..m).map(|i| x[j * m + i] * x[i * m + j]).sum::<f64>();
                (0..m).map(column).sum()
            }
        }
    }
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
                let mut sum = |c: &Polynomials| {
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
                let inverse = sum(&Polynomials::power(-0.5));
                small(&inverse * &inverse * (&x + &identity) - &identity);
                let root = sum(&Polynomials::power(0.5));
                small(&root * &root - &x - &identity);
                small(&x * sum(&Polynomials::shifted_power(-0.5)) + &identity - &inverse);
            }
        }
    }
}
