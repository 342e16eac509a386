//! The course of a run: its best values over time, thinned so that the courses of all runs can be kept.

/// The maximum number of points of a finished course, including its end.
pub(crate) const LONGEST: usize = 64;

/// Evenly spaced points of a run of unknown length: when there are too many, every second one is removed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Course {
    points: Vec<(u64, f64)>,
    /// The number of generations that had a best value.
    seen: u64,
    /// One in `stride` of them is kept.
    stride: u64,
}

impl Course {
    pub(crate) fn new() -> Self {
        Self { points: Vec::with_capacity(LONGEST), seen: 0, stride: 1 }
    }

    /// Adds the best value after a generation.
    pub(crate) fn add(&mut self, evaluations: u64, best_value: f64) {
        if let Some(last) = self.points.last_mut().filter(|last| last.0 >= evaluations) {
            last.1 = best_value; // a generation whose values were known before
            return;
        }
        if self.seen.is_multiple_of(self.stride) {
            if self.points.len() == LONGEST - 1 {
                self.stride *= 2;
                let mut position = 0u64..;
                self.points.retain(|_| position.next().is_some_and(|k| k.is_multiple_of(2)));
            }
            if self.seen.is_multiple_of(self.stride) {
                self.points.push((evaluations, best_value));
            }
        }
        self.seen += 1;
    }

    /// Returns the points so far and the end of the run; empty if there is no best value.
    pub(crate) fn ended(&self, evaluations: u64, best_value: Option<f64>) -> Vec<(u64, f64)> {
        let mut points = Vec::with_capacity(self.points.len() + 1);
        points.extend_from_slice(&self.points);
        match (points.last_mut(), best_value) {
            (_, None) => {}
            // Values that were known before may have come since.
            (Some(last), Some(value)) if last.0 >= evaluations => last.1 = value,
            (_, Some(value)) => points.push((evaluations, value)),
        }
        points
    }

    /// Checks that a stored course can be that of a run with these counts and this best value.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn fits(&self, evaluations: u64, iterations: u64, best_value: f64) -> bool {
        let Self { points, seen, stride } = self;
        // A stride of at most `seen` can be doubled without overflow.
        let is_thinned = stride.is_power_of_two() && (*stride == 1 || stride <= seen) && *seen <= iterations;
        let is_short = points.len() < LONGEST && points.is_empty() == (*seen == 0);
        let is_past = points.last().is_none_or(|last| last.0 <= evaluations && last.1 >= best_value);
        is_thinned && is_short && is_past && descends(points)
    }
}

/// Checks that evaluations increase, and that values are numbers and do not increase.
#[cfg(feature = "checkpoint")]
pub(crate) fn descends(points: &[(u64, f64)]) -> bool {
    let steps = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1);
    steps && points.iter().all(|point| !point.1.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_short_even_and_complete() {
        for length in [1, 62, 63, 64, 65, 127, 1000, 12345] {
            let mut course = Course::new();
            (1..=length).for_each(|t| course.add(10 * t, 1.0 / t as f64));
            let points = course.ended(10 * length, Some(1.0 / length as f64));
            assert!(points.len() <= LONGEST && points.len() as u64 >= length.min(LONGEST as u64 / 2));
            assert_eq!(points[0], (10, 1.0));
            assert_eq!(points.last(), Some(&(10 * length, 1.0 / length as f64)));
            let strides: Vec<u64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
            assert!(strides.split_last().is_none_or(|(_, others)| others.iter().all(|s| *s == others[0])));
            assert_eq!(course.points.capacity(), LONGEST, "nothing is allocated on the way");
        }
    }

    #[test]
    fn values_of_a_generation_that_is_not_complete_are_its_end() {
        assert_eq!(Course::new().ended(0, None), []);
        assert_eq!(Course::new().ended(3, Some(f64::INFINITY)), [(3, f64::INFINITY)]);
        let mut course = Course::new();
        course.add(6, 2.0);
        assert_eq!(course.ended(6, Some(2.0)), [(6, 2.0)]);
        assert_eq!(course.ended(6, Some(1.0)), [(6, 1.0)], "a value that was known before");
        assert_eq!(course.ended(8, Some(1.0)), [(6, 2.0), (8, 1.0)]);
    }

    #[cfg(feature = "checkpoint")]
    #[test]
    fn a_stored_course_is_not_believed() {
        let mut course = Course::new();
        (1..=500).for_each(|t| course.add(6 * t, 1.0 / t as f64));
        let fits = |change: fn(&mut Course)| {
            let mut changed = course.clone();
            change(&mut changed);
            changed.fits(3000, 500, 1.0 / 500.0)
        };
        assert!(fits(|_| {}));
        assert!(!fits(|course| course.stride = 1 << 63));
        assert!(!fits(|course| course.stride = 0));
        assert!(!fits(|course| course.seen = u64::MAX));
        assert!(!fits(|course| course.points.clear()));
        assert!(!fits(|course| course.points = vec![(1, 1.0); 2]));
        assert!(!fits(|course| course.points.swap(3, 4)));
        assert!(!fits(|course| course.points[0].1 = f64::NAN));
        assert!(!fits(|course| course.points.last_mut().unwrap().0 = 3001));
        assert!(!fits(|course| course.points.last_mut().unwrap().1 = 0.0));
        assert!(!fits(|course| course.points = (1..=64).map(|t| (t, 1.0)).collect()));
    }
}
