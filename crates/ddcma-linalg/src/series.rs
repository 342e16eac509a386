//! `(I + X)^±½` of a small matrix, or of it times a vector, without an eigendecomposition: a polynomial, evaluated with few products.
//!
//! The binomial series is cut off and then economized: each term that is left out is replaced by what Chebyshev's polynomials make
//! of it in lower degrees, on the interval where the eigenvalues are. That saves a quarter of the degree.
//!
//! Knows square matrices whose powers fade. Does not know whether they are a covariance or a Gram matrix.

use faer::{Accum, Mat, MatMut, MatRef};

use crate::product::{multiply_into, symmetric_product};
use crate::vectors::{add_columns, multiply_vector, squared_length};

/// The terms of the binomial series before it is economized: the rest is nothing up to [`LARGEST_NORM`].
const TERMS: usize = 64;

/// Degrees, and the power that blocks of terms are cut at (Paterson & Stockmeyer 1973): `step·k` takes `step − 1` products for the
/// powers and `k − 1` for the blocks. These are the largest degrees for one product, two, and so on.
const PLANS: [(usize, usize); 9] = [(2, 2), (4, 2), (6, 3), (9, 3), (12, 3), (16, 4), (20, 4), (25, 5), (30, 5)];

/// The largest number of powers of X that are kept.
const MOST_POWERS: usize = 5;

/// Up to this norm of X the polynomials give all digits that double precision has.
pub(crate) const LARGEST_NORM: f64 = 0.55;

/// What may be left out of a sum near 1.
const LEAST: f64 = 1e-17;

/// Up to this size plain loops are quicker.
const LARGEST_TINY: usize = 4;

/// From here on, half of a product takes less time than all of it.
const LEAST_HALVED: usize = 32;

/// Up to this norm, a polynomial is so short that a better bound would not make it shorter by a product.
const SMALL_NORM: f64 = 1e-3;

/// Polynomials for one function, of all [degrees](PLANS).
pub(crate) struct Polynomials([Polynomial; PLANS.len()]);

struct Polynomial {
    degree: usize,
    step: usize,
    /// The largest norm that it is good for.
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

    /// The shortest that is good for a norm.
    fn of(&self, norm: f64) -> &Polynomial {
        self.0.iter().find(|polynomial| norm <= polynomial.norm).unwrap_or(&self.0[PLANS.len() - 1])
    }
}

impl Polynomial {
    /// A polynomial of lower degree that is the same on [−norm, norm], with the largest norm for which it is.
    const fn economized(mut c: [f64; TERMS], (degree, step): (usize, usize)) -> Self {
        let first = if c[degree + 1] < 0.0 { -c[degree + 1] } else { c[degree + 1] };
        let (mut norm, mut above) = (0.0, LARGEST_NORM);
        let mut halvings = 0;
        while halvings < 60 {
            let middle = 0.5 * (norm + above);
            // The most of what is left out is the first term.
            if first * power(middle, degree + 1) <= LEAST * power(2.0, degree) {
                norm = middle;
            } else {
                above = middle;
            }
            halvings += 1;
        }
        // t^k − norm^k·T_k(t/norm)/2^(k−1) has a lower degree, and differs from t^k by norm^k/2^(k−1) at the most. The coefficients of
        // T_k come from those of the highest power down.
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
    /// How many powers are those of the X that was taken in.
    known: usize,
    /// X, X², …, each column by column without gaps: sums of them are sums of slices. As many as were ever needed.
    powers: Vec<Vec<f64>>,
    sum: Vec<f64>,
    product: Vec<f64>,
}

impl Series {
    /// For `m × m` matrices. Room is made when it is needed first.
    pub(crate) fn new(m: usize) -> Self {
        let (sum, product) = (Vec::new(), Vec::new());
        Self { m, kind: Kind::General, known: 0, powers: Vec::with_capacity(MOST_POWERS), sum, product }
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

    /// Takes X in, whose Frobenius norm is given, and returns a bound of its spectral norm: that is all that matters for a
    /// polynomial, and mostly far below. Only the eigenvalues of X have to be real; its [kind](Kind) is for the products.
    ///
    /// ‖X‖⁶ ≤ tr X⁶, from products that the polynomial will need, too; where that is not worth it, the bound is the given norm.
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

    /// Powers of X up to this one.
    fn raise(&mut self, last: usize) {
        self.make_room(last);
        for k in self.known..last {
            let (lower, upper) = self.powers.split_at_mut(k);
            self.kind.multiply(self.m, &mut upper[0], &lower[k - 1], &lower[0]);
        }
        self.known = self.known.max(last);
    }

    /// A function of the X that was [taken in](Self::take), with the bound of its norm, at most [`LARGEST_NORM`].
    pub(crate) fn evaluate(&mut self, bound: f64, polynomials: &Polynomials) -> MatRef<'_, f64> {
        let (m, kind) = (self.m, self.kind);
        let Polynomial { degree, step, c, .. } = polynomials.of(bound);
        self.raise(*step);
        // Horner in X^step, each coefficient a polynomial of lower degree, but for the first, which has X^step in it.
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

    /// A function of X times v into `sum`, without the powers of X.
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
