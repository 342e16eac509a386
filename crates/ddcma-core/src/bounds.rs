//! Box constraints by a smooth change of variables.
//!
//! The search uses all of ℝⁿ; every point is mapped into the box before anyone sees it. Away from the bounds the map is the
//! identity. Within a margin of a bound it is quadratic, with slope 0 at the bound, and beyond the bound it is mirrored. So
//! it is continuous with a continuous slope, and every point of the box has a preimage. Map and margins are those of pycma's
//! linear-quadratic box transformation.

use crate::BoundsError;

/// Finite bounds beyond this magnitude leave no room for a margin.
const LARGEST: f64 = 1e300;

/// Lower and upper bounds of each coordinate; ±∞ means no bound.
///
/// ```
/// use ddcma_core::{Bounds, SepCma};
///
/// let bounds = Bounds::new(&[0.0, -1.0], &[1.0, f64::INFINITY])?;
/// let mut es = SepCma::builder(&[0.5, 3.0], 0.3).bounds(bounds).build()?;
/// assert!(es.ask().iter().all(|x| (0.0..=1.0).contains(&x[0]) && x[1] >= -1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "(Vec<f64>, Vec<f64>)", into = "(Vec<f64>, Vec<f64>)")
)]
pub struct Bounds {
    sides: Vec<Sides>,
}

/// The bounds of one coordinate, with their margins.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sides {
    lower: f64,
    upper: f64,
    lower_margin: f64,
    upper_margin: f64,
}

/// Creates bounds from lower and upper bounds, one of each per coordinate.
impl TryFrom<(Vec<f64>, Vec<f64>)> for Bounds {
    type Error = BoundsError;

    fn try_from((lower, upper): (Vec<f64>, Vec<f64>)) -> Result<Self, BoundsError> {
        Self::new(&lower, &upper)
    }
}

impl From<Bounds> for (Vec<f64>, Vec<f64>) {
    fn from(bounds: Bounds) -> Self {
        (bounds.lower().collect(), bounds.upper().collect())
    }
}

impl Bounds {
    /// Creates bounds from one lower and one upper bound per coordinate.
    pub fn new(lower: &[f64], upper: &[f64]) -> Result<Self, BoundsError> {
        if lower.len() != upper.len() {
            return Err(BoundsError::DifferentLengths { lower: lower.len(), upper: upper.len() });
        }
        let sides = lower.iter().zip(upper).enumerate().map(|(index, (&lower, &upper))| {
            if let Some(bound) = [lower, upper].into_iter().find(|bound| bound.is_finite() && bound.abs() > LARGEST) {
                return Err(BoundsError::TooLarge { index, bound });
            }
            Sides::new(lower, upper).ok_or(BoundsError::Empty { index, lower, upper })
        });
        Ok(Self { sides: sides.collect::<Result<_, _>>()? })
    }

    /// Creates the same bounds for each of `n` coordinates.
    pub fn uniform(n: usize, lower: f64, upper: f64) -> Result<Self, BoundsError> {
        Self::new(&vec![lower; n], &vec![upper; n])
    }

    /// Returns the number of coordinates.
    pub fn dimension(&self) -> usize {
        self.sides.len()
    }

    /// Returns the lower bounds.
    pub fn lower(&self) -> impl ExactSizeIterator<Item = f64> {
        self.sides.iter().map(|sides| sides.lower)
    }

    /// Returns the upper bounds.
    pub fn upper(&self) -> impl ExactSizeIterator<Item = f64> {
        self.sides.iter().map(|sides| sides.upper)
    }

    /// Returns the first coordinate of a point that is outside, if any. NaN is outside.
    pub(crate) fn violated_by(&self, x: &[f64]) -> Option<usize> {
        self.sides.iter().zip(x).position(|(sides, x)| !(sides.lower..=sides.upper).contains(x))
    }

    /// Maps a point of the search into the box.
    pub(crate) fn to_user(&self, point: &mut [f64]) {
        for (x, sides) in point.iter_mut().zip(&self.sides) {
            *x = sides.to_user(*x);
        }
    }

    /// Finds the point of the search, in or next to the box, that is mapped to the given point of the box.
    pub(crate) fn to_search(&self, point: &mut [f64]) {
        for (x, sides) in point.iter_mut().zip(&self.sides) {
            *x = sides.to_search(*x);
        }
    }

    /// Finds, among all points of the search that are mapped to the given point of the box, the one nearest to `center`.
    pub(crate) fn to_search_near(&self, point: &mut [f64], center: &[f64]) {
        for ((x, sides), center) in point.iter_mut().zip(&self.sides).zip(center) {
            *x = sides.to_search_near(*x, *center);
        }
    }

    /// The largest useful deviation of each coordinate: a third of its range; infinite if the range is.
    pub(crate) fn largest_deviations(&self) -> impl Iterator<Item = f64> {
        self.sides.iter().map(|sides| (sides.upper - sides.lower) / 3.0)
    }
}

impl Sides {
    fn new(lower: f64, upper: f64) -> Option<Self> {
        let is_range = lower < upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
        let half = (upper - lower) / 2.0;
        let margin = |bound: f64| half.min(0.05 * bound.abs().max(1.0));
        is_range.then(|| Self { lower, upper, lower_margin: margin(lower), upper_margin: margin(upper) })
    }

    fn to_user(self, x: f64) -> f64 {
        let Self { lower, upper, lower_margin, upper_margin } = self;
        // The formula gives an infinite bound an infinite margin, so it is never near.
        let (low, high) = (self.low(), self.high());
        let x = mirror(x, low, high);
        let x = if lower.is_finite() && x < lower + lower_margin {
            lower + (x - low) / (4.0 * lower_margin) * (x - low) // dividing first, because the square would overflow first
        } else if upper.is_finite() && x > upper - upper_margin {
            upper - (high - x) / (4.0 * upper_margin) * (high - x)
        } else {
            x
        };
        if x.is_nan() {
            // Too far away for floating point: any point of the box is as good.
            return if lower.is_finite() { lower } else { upper };
        }
        // Rounding may miss a bound slightly, and mirroring at a single bound may overflow.
        x.clamp(lower.max(f64::MIN), upper.min(f64::MAX))
    }

    fn to_search(self, x: f64) -> f64 {
        let Self { lower, upper, lower_margin, upper_margin } = self;
        if lower.is_finite() && x < lower + lower_margin {
            self.low() + 2.0 * lower_margin.sqrt() * (x - lower).sqrt()
        } else if upper.is_finite() && x > upper - upper_margin {
            self.high() - 2.0 * upper_margin.sqrt() * (upper - x).sqrt()
        } else {
            x
        }
    }

    /// The center may be in a mirror image of the box, or in a mirror image of that.
    fn to_search_near(self, x: f64, center: f64) -> f64 {
        let base = self.to_search(x);
        let (low, high) = (self.low(), self.high());
        let mirrored = if low.is_finite() { 2.0 * low - base } else { 2.0 * high - base };
        let period = 2.0 * (high - low);
        let nearest = |image: f64| match period.is_finite() {
            true => image + ((center - image) / period).round() * period,
            false => image,
        };
        let (base, mirrored) = (nearest(base), nearest(mirrored));
        if (mirrored - center).abs() < (base - center).abs() { mirrored } else { base }
    }

    /// Where the map reaches the lower bound.
    fn low(&self) -> f64 {
        if self.lower.is_finite() { self.lower - self.lower_margin } else { f64::NEG_INFINITY }
    }

    /// Where the map reaches the upper bound.
    fn high(&self) -> f64 {
        if self.upper.is_finite() { self.upper + self.upper_margin } else { f64::INFINITY }
    }
}

/// Mirrors a number at the ends of an interval until it is inside.
fn mirror(x: f64, low: f64, high: f64) -> f64 {
    if low <= x && x <= high {
        x
    } else if high == f64::INFINITY {
        2.0 * low - x
    } else if low == f64::NEG_INFINITY {
        2.0 * high - x
    } else {
        let width = high - low;
        let beyond = (x - low).rem_euclid(2.0 * width);
        low + if beyond > width { 2.0 * width - beyond } else { beyond }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(lower: f64, upper: f64) -> Sides {
        Sides::new(lower, upper).unwrap()
    }

    #[test]
    fn the_map_is_the_published_one() {
        let s = sides(0.0, 10.0); // margins 0.05 and 0.5
        assert_eq!((s.lower_margin, s.upper_margin), (0.05, 0.5));
        assert_eq!(s.to_user(3.0), 3.0);
        assert_eq!(s.to_user(-0.05), 0.0);
        assert!((s.to_user(0.0) - 0.05 * 0.05 / 0.2).abs() < 1e-16);
        assert!((s.to_user(10.0) - (10.0 - 0.25 / 2.0)).abs() < 1e-14);
        assert_eq!(s.to_user(10.5), 10.0);
        assert!((s.to_user(10.5 + 2.0) - s.to_user(10.5 - 2.0)).abs() < 1e-13);
        // Period 2 (u − l + a_l + a_u)
        let period = 2.0 * (10.0 + 0.05 + 0.5);
        for x in [-3.0, 0.01, 4.0, 9.9, 12.0] {
            assert!((s.to_user(x + 5.0 * period) - s.to_user(x)).abs() < 1e-12);
        }
        // A narrow range has margins that meet in the middle.
        let narrow = sides(1.0, 1.02);
        assert!((narrow.lower_margin - 0.01).abs() < 1e-15);
        assert!((narrow.to_user(1.01) - 1.01).abs() < 1e-15);
    }

    #[test]
    fn the_map_is_smooth_and_feasible_everywhere() {
        for (lower, upper) in [(0.0, 1.0), (-5.0, f64::INFINITY), (f64::NEG_INFINITY, 2.0), (1e6, 1e6 + 1.0)] {
            let s = sides(lower, upper);
            let start = if lower.is_finite() { lower - 7.0 } else { upper - 7.0 };
            let h = 1e-3;
            for k in 0..14_000 {
                let x = start + f64::from(k) * h;
                let (a, b, c) = (s.to_user(x), s.to_user(x + h), s.to_user(x + 2.0 * h));
                assert!((lower..=upper).contains(&a), "{a}");
                assert!((b - a).abs() <= h * (1.0 + 1e-6), "slope at {x}");
                assert!(
                    (c - 2.0 * b + a).abs() <= 2.0 * h * h / s.lower_margin.min(s.upper_margin).min(1.0),
                    "bend at {x}"
                );
            }
        }
    }

    #[test]
    fn leaving_is_the_inverse_of_entering() {
        for (lower, upper) in [(0.0, 1.0), (-5.0, f64::INFINITY), (f64::NEG_INFINITY, 2.0), (-1e300, 1e300)] {
            let s = sides(lower, upper);
            for x in [0.0, 1e-9, 0.01, 0.3, 0.5, 0.97, 1.0] {
                assert!((s.to_user(s.to_search(x)) - x).abs() <= 1e-16, "{x} in [{lower}, {upper}]");
            }
            assert_eq!(s.to_search(0.5), 0.5);
        }
    }

    #[test]
    fn extreme_ranges_and_points_stay_feasible() {
        for (lower, upper) in [(-1e300, 1e300), (0.0, f64::MIN_POSITIVE), (0.0, f64::INFINITY), (9e299, 1e300)] {
            let s = sides(lower, upper);
            for x in [0.0, -1.0, 1e300, -1e300, f64::MAX, f64::MIN] {
                let entered = s.to_user(x);
                assert!((lower..=upper).contains(&entered), "{x} becomes {entered} in [{lower}, {upper}]");
            }
        }
    }

    #[test]
    fn the_map_is_the_same_on_every_scale() {
        let usual = sides(-1.0, 3.0);
        for exponent in [-290, -170, 170, 290] {
            let scale = 10f64.powi(exponent);
            let mut scaled = sides(-scale, 3.0 * scale);
            // The margins of small bounds are absolute; here they must be small, too.
            (scaled.lower_margin, scaled.upper_margin) = (0.05 * scale, 0.15 * scale);
            for x in [-20.0, -1.04, -0.96, 0.5, 2.9, 3.1, 50.0] {
                let (near, far) = (usual.to_user(x), scaled.to_user(scale * x) / scale);
                assert!((near - far).abs() < 1e-12, "{x} · {scale:e}: {far}, not {near}");
            }
            for x in [-1.0, -0.99, 0.5, 2.9, 3.0] {
                let (near, far) = (usual.to_search(x), scaled.to_search(scale * x) / scale);
                assert!((near - far).abs() < 1e-12, "{x} · {scale:e}: {far}, not {near}");
            }
        }
        for (s, x) in [(sides(1e300, f64::INFINITY), f64::MIN), (sides(f64::NEG_INFINITY, -1e300), f64::MAX)] {
            assert!(s.to_user(x).is_finite());
        }
    }

    #[test]
    fn empty_ranges_are_named() {
        let error = Bounds::new(&[0.0, 1.0], &[1.0, 1.0]).unwrap_err();
        assert_eq!(error, BoundsError::Empty { index: 1, lower: 1.0, upper: 1.0 });
        assert!(Bounds::new(&[f64::NAN], &[1.0]).is_err());
        assert!(Bounds::new(&[f64::INFINITY], &[f64::INFINITY]).is_err());
        assert!(Bounds::new(&[0.0], &[1.0, 2.0]).is_err());
        assert!(Bounds::uniform(3, f64::NEG_INFINITY, f64::INFINITY).is_ok());
        let error = Bounds::uniform(1, f64::MIN, 1.0).unwrap_err();
        assert_eq!(error, BoundsError::TooLarge { index: 0, bound: f64::MIN });
    }

    #[test]
    fn one_sided_bounds_mirror() {
        let lower = sides(1.0, f64::INFINITY); // margin 0.05, mirrored at 0.95
        assert!((lower.to_user(-2.0) - 3.9).abs() < 1e-15);
        let upper = sides(f64::NEG_INFINITY, 1.0);
        assert!((upper.to_user(4.0) + 1.9).abs() < 1e-15);
    }

    #[test]
    fn the_nearest_preimage_is_found_in_every_image_of_the_box() {
        for (lower, upper) in [(0.0, 1.0), (-5.0, f64::INFINITY), (f64::NEG_INFINITY, 2.0)] {
            let s = sides(lower, upper);
            for k in 0..400 {
                let center = -20.0 + 0.1 * f64::from(k) + 0.003;
                let x = s.to_user(center);
                // The map is flat at a bound, so there a preimage is known only up to the square root of the rounding error.
                let back = s.to_search_near(x, center);
                assert!((back - center).abs() < 1e-7, "{center} in [{lower}, {upper}]: {back}");
                assert!((s.to_user(back) - x).abs() < 1e-14);
            }
        }
    }
}
