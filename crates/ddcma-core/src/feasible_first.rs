//! Constraints by ranking: feasible points first.

/// Values from this number on mark infeasible points.
const INFEASIBLE: f64 = 1e300;

/// Combines cost and constraint violation into one value: feasible points rank before infeasible ones, which rank by their
/// violation.
///
/// No penalty factor is needed, because only the order of values matters. `violation` must be 0 where the point is feasible
/// and grow with the distance from feasibility: for example the sum of max(0, g_i(x)) over all constraints g_i(x) ≤ 0, each
/// relative to its limit. At an infeasible point the cost is ignored, so you need not compute it.
///
/// If a constraint is oblique to the coordinates, the separable strategy cannot learn the direction along it and ends a few
/// percent away from the minimum; the other strategies learn it.
///
/// Costs must be below 1e300. A NaN violation is worse than any other value.
///
/// ```
/// use ddcma_core::{feasible_first, minimize};
///
/// // The point of the unit disk that is nearest to (2, 0).
/// let f = |x: &[f64]| {
///     let cost = (x[0] - 2.0).powi(2) + x[1] * x[1];
///     let violation = (x[0] * x[0] + x[1] * x[1] - 1.0).max(0.0);
///     feasible_first(cost, violation)
/// };
/// let solution = minimize(f, &[-3.0, 2.0], 1.0).seed(1).run()?;
/// assert!((solution.point[0] - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn feasible_first(cost: f64, violation: f64) -> f64 {
    if violation <= 0.0 || violation.is_nan() {
        return if violation.is_nan() { violation } else { cost };
    }
    // Positive numbers have the same order as their bits. This keeps 45 digits of the violation, whatever its magnitude, and
    // gives no number above 1e305.
    f64::from_bits(INFEASIBLE.to_bits() + (violation.to_bits() >> 7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feasible_points_come_first_and_others_by_their_violation() {
        let values = [
            feasible_first(-1e9, 0.0),
            feasible_first(3.0, 0.0),
            feasible_first(1e299, 0.0),
            feasible_first(-1e9, f64::MIN_POSITIVE),
            feasible_first(-1e9, 1e-200),
            feasible_first(-1e9, 1e-14),
            feasible_first(-1e9, 1e-3),
            feasible_first(-1e12, 1.0),
            feasible_first(-1e12, 1e9),
            feasible_first(0.0, 1e16),
            feasible_first(0.0, 1.0001e16),
            feasible_first(0.0, 1e300),
            feasible_first(0.0, f64::MAX),
            feasible_first(0.0, f64::INFINITY),
        ];
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
        assert!(values.iter().all(|value| value.is_finite()));
        assert!(feasible_first(0.0, f64::NAN).is_nan());
        assert_eq!(feasible_first(7.0, -0.0), 7.0);
    }
}
