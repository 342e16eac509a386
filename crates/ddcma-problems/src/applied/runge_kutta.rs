//! The classical method of Runge and Kutta with fixed steps.

/// The state after `steps` steps of length `h`, with y′ = `slope`(y).
pub(super) fn rk4<const N: usize>(
    mut y: [f64; N],
    h: f64,
    steps: usize,
    slope: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let moved = |y: &[f64; N], by: f64, k: &[f64; N]| -> [f64; N] { std::array::from_fn(|i| y[i] + by * k[i]) };
    for _ in 0..steps {
        let k1 = slope(&y);
        let k2 = slope(&moved(&y, h / 2.0, &k1));
        let k3 = slope(&moved(&y, h / 2.0, &k2));
        let k4 = slope(&moved(&y, h, &k3));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_has_the_first_terms_of_the_exponential() {
        let [y] = rk4([1.0], 0.5, 1, |y| *y);
        assert_eq!(y, 1.0 + 0.5 + 0.125 + 0.125 / 6.0 + 0.0625 / 24.0);
    }
}
