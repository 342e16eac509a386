//! One line along an axis, and the choice of its next point: "select the easiest point".

/// The improvement over the best value that the choice of an interval aims at.
const EPSILON: f64 = 1e-8;

/// Intervals shorter than this share of the box are not halved: 1e-6 in a box from −5 to 5.
const SHORTEST: f64 = 1e-7;

/// Points of a line with their values.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Line {
    lower: f64,
    upper: f64,
    /// The place where the axes cross.
    start: f64,
    /// Its value.
    start_value: f64,
    /// Places with known values, in ascending order. NaN is kept as +∞.
    known: Vec<(f64, f64)>,
    /// The number of evaluations left.
    left: u32,
}

impl Line {
    /// Creates a line from `lower` to `upper` that crosses the others at `start`, inside or outside.
    pub(crate) fn new(lower: f64, upper: f64, start: f64, start_value: f64, evaluations: u32) -> Self {
        let start_value = if start_value.is_nan() { f64::INFINITY } else { start_value };
        // Most lines use all of their evaluations; limit the allocation in case of a huge number.
        let mut known = Vec::with_capacity(evaluations.min(1000) as usize + 1);
        known.push((start, start_value));
        Self { lower, upper, start, start_value, known, left: evaluations }
    }

    /// Returns the place to evaluate next: first the ends, then the middle of the easiest interval. `None` if the line is done.
    pub(crate) fn next(&self) -> Option<f64> {
        if self.left == 0 {
            return None;
        }
        let is_known = |place: f64| self.known.iter().any(|(x, _)| *x == place);
        let end = [self.lower, self.upper].into_iter().find(|end| !is_known(*end));
        end.or_else(|| self.middle_of_easiest())
    }

    /// Halves the interval whose difficulty ((√(f₁ − f* + ε) + √(f₂ − f* + ε))/Δx)² is least, f* being the best value of the line: the
    /// curvature of the flattest parabola through both ends that reaches below f* by ε (Swarzberg, Seront & Bersini 1994).
    ///
    /// Among equal ones, as where a value is infinite, the longest is first.
    fn middle_of_easiest(&self) -> Option<f64> {
        let best = self.best().1;
        if best == f64::NEG_INFINITY {
            return None;
        }
        let root = |value: f64| (if value == best { EPSILON } else { value - best + EPSILON }).sqrt(); // ∞ − ∞ = 0
        let shortest = SHORTEST * (self.upper - self.lower);
        let mut easiest: Option<(f64, f64, f64)> = None;
        for pair in self.known.windows(2) {
            let ((left, f_left), (right, f_right)) = (pair[0], pair[1]);
            let (length, middle) = (right - left, 0.5 * left + 0.5 * right);
            if !(length >= shortest && length.is_finite() && left < middle && middle < right) {
                continue;
            }
            let difficulty = (root(f_left) + root(f_right)) / length; // its square has the same order
            let is_easier = easiest
                .is_none_or(|(least, longest, _)| difficulty < least || (difficulty == least && length > longest));
            if is_easier {
                easiest = Some((difficulty, length, middle));
            }
        }
        easiest.map(|(_, _, middle)| middle)
    }

    /// Takes the value at a place that [`next`](Self::next) returned.
    pub(crate) fn take(&mut self, place: f64, value: f64) {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        let at = self.known.partition_point(|(x, _)| *x < place);
        self.known.insert(at, (place, value));
        self.left -= 1;
    }

    /// Returns the best place and its value.
    fn best(&self) -> (f64, f64) {
        let first = (self.start, self.start_value);
        self.known.iter().fold(first, |best, known| if known.1 < best.1 { *known } else { best })
    }

    /// Returns the best place and its value, if it is better than where the axes cross.
    pub(crate) fn improved(&self) -> Option<(f64, f64)> {
        Some(self.best()).filter(|(_, value)| *value < self.start_value)
    }

    /// Returns the value where the axes cross.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn start_value(&self) -> f64 {
        self.start_value
    }

    /// Checks that a stored line can be the one with these properties.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn fits(&self, lower: f64, upper: f64, start: f64, start_value: f64, evaluations: u32) -> bool {
        let Self { known, left, .. } = self;
        let fresh = Self::new(lower, upper, start, start_value, 0);
        let same = |one: f64, other: f64| one.to_bits() == other.to_bits();
        let is_same = same(self.lower, lower) && same(self.upper, upper) && same(self.start, start);
        let ascends = known.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let within = lower.min(start)..=upper.max(start);
        let are_values = known.iter().all(|(x, value)| within.contains(x) && !value.is_nan());
        let counted = known.len() as u64 + u64::from(*left) == u64::from(evaluations) + 1;
        is_same
            && same(self.start_value, fresh.start_value)
            && ascends
            && are_values
            && counted
            && known.contains(&(start, self.start_value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first places that a line asks for, where f has these values.
    fn places(mut line: Line, f: impl Fn(f64) -> f64, count: usize) -> Vec<f64> {
        let mut places = Vec::new();
        while places.len() < count
            && let Some(place) = line.next()
        {
            line.take(place, f(place));
            places.push(place);
        }
        places
    }

    #[test]
    fn the_easiest_interval_is_halved() {
        // f(−4) = 16, f(0) = 0, f(8) = 64. Difficulties without squares, √ε left out: [−4, 0]: 4/4 = 1; [0, 8]: 8/8 = 1 – and with √ε
        // = 1e-4: (4 + 1e-4)/4 > (8 + 1e-4)/8. So 4 is next, with 16: [0, 4] has 4/4, [4, 8] has 12/4. [−4, 0] and [0, 4] are
        // equal, and the left one is first: −2, with 4. [−4, −2]: 6/2, [−2, 0]: 2/2, [0, 4]: 4/4, and ε decides for the longer.
        let line = Line::new(-4.0, 8.0, 0.0, 0.0, 200);
        assert_eq!(places(line, |x| x * x, 5), [-4.0, 8.0, 4.0, -2.0, 2.0]);
    }

    #[test]
    fn the_best_value_counts_as_soon_as_it_is_known() {
        // Ends 9 and 100, start 16 at 2 in [0, 10]. f* = 9: [0, 2] has (0 + √7)/2 = 1.32, [2, 10] has (√7 + √91)/8 = 1.52: 1 is next. If
        // its value is −91, then f* = −91: [0, 1] has 10/1, [1, 2] √107/1 = 10.3, [2, 10] (√107 + √191)/8 = 3.02: 6 is next. If it is
        // 9, then [0, 1] has 0, up to ε, and is next.
        let line = |of_one: f64| {
            let f = move |x: f64| {
                [(0.0, 9.0), (10.0, 100.0), (1.0, of_one)].iter().find(|p| p.0 == x).map_or(50.0, |p| p.1)
            };
            places(Line::new(0.0, 10.0, 2.0, 16.0, 4), f, 9)
        };
        assert_eq!(line(-91.0), [0.0, 10.0, 1.0, 6.0]);
        assert_eq!(line(9.0), [0.0, 10.0, 1.0, 0.5]);
    }

    #[test]
    fn ends_that_are_known_are_not_evaluated_and_a_start_outside_is_a_point_like_others() {
        assert_eq!(places(Line::new(0.0, 8.0, 0.0, 0.0, 3), |x| x, 9), [8.0, 4.0, 2.0]);
        assert_eq!(places(Line::new(0.0, 8.0, 16.0, 0.0, 3), |_| 1.0, 9), [0.0, 8.0, 12.0]);
        assert_eq!(places(Line::new(0.0, 8.0, 1.0, 0.0, 0), |x| x, 9), []);
    }

    #[test]
    fn values_that_are_no_numbers_are_bad_and_lengths_decide() {
        for bad in [f64::NAN, f64::INFINITY] {
            // Both intervals have an infinite end: the longer one is first, then the one that is left of the best.
            let line = Line::new(0.0, 8.0, 2.0, 1.0, 4);
            assert_eq!(places(line, |_| bad, 9), [0.0, 8.0, 5.0, 3.5]);
            // All are infinite: the longest.
            let line = Line::new(0.0, 8.0, 2.0, bad, 5);
            assert_eq!(places(line.clone(), |_| bad, 9), [0.0, 8.0, 5.0, 3.5, 6.5]);
            assert_eq!(line.improved(), None);
        }
        let mut line = Line::new(0.0, 8.0, 2.0, f64::NAN, 9);
        line.take(0.0, 3.0);
        assert_eq!(line.improved(), Some((0.0, 3.0)));
        line.take(8.0, f64::NEG_INFINITY);
        assert_eq!((line.next(), line.improved()), (None, Some((8.0, f64::NEG_INFINITY))), "nothing is better");
        let huge = Line::new(-1e300, 1e300, 0.0, -1e308, 9);
        assert_eq!(places(huge, |_| 1e308, 9).len(), 9);
    }

    #[test]
    fn intervals_end_at_a_ten_millionth_of_the_box() {
        // So flat next to its minimum that intervals there are the easiest as long as they may be halved.
        let mut line = Line::new(-5.0, 5.0, 1.0 / 3.0, 0.0, 500);
        while let Some(place) = line.next() {
            line.take(place, 1e20 * (place - 1.0 / 3.0).powi(4));
        }
        assert_eq!(line.known.len(), 501);
        let shortest = line.known.windows(2).map(|pair| pair[1].0 - pair[0].0).fold(f64::INFINITY, f64::min);
        assert!((0.5e-6..1e-6).contains(&shortest), "{shortest:e}");
        // Where floating point has no number between, there is no middle.
        let mut narrow = Line::new(1.0, 1.0 + f64::EPSILON, 1.0, 0.0, 9);
        assert_eq!(narrow.next(), Some(1.0 + f64::EPSILON));
        narrow.take(1.0 + f64::EPSILON, 1.0);
        assert_eq!(narrow.next(), None);
    }

    #[test]
    fn a_global_minimum_among_many_is_found() {
        // Rastrigin's function in one dimension from a wrong valley, 3.3 away from it.
        let f = |x: f64| (x + 1.3).powi(2) + 10.0 - 10.0 * (std::f64::consts::TAU * (x + 1.3)).cos();
        let mut line = Line::new(-5.0, 5.0, 1.69, f(1.69), 200);
        while let Some(place) = line.next() {
            line.take(place, f(place));
        }
        let (place, value) = line.improved().unwrap();
        assert!((place + 1.3).abs() < 1e-2 && value < 1e-2, "{place}: {value}");
    }
}
