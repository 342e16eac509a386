//! Run-time distributions over many targets: how much is reached within a number of evaluations.

/// The number of targets of a run-time distribution.
pub const TARGETS: usize = 51;

/// 51 targets, from an easy one down to the final target, evenly spaced on a logarithmic axis.
///
/// If the final target is positive, they are its multiples, from 10^10 times the target down to it: for 1e-8 they are 100, 63, … 1.6e-8,
/// 1e-8, as in COCO. A final target that is not positive does not determine the scale of values: then the first target is 100 above it,
/// and the second to last is 1e-8 above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    last: f64,
}

impl Targets {
    /// Creates the targets down to a final target.
    pub fn to(last: f64) -> Self {
        Self { last }
    }

    /// Returns a target by index; 0 is the easiest.
    pub fn get(&self, index: usize) -> f64 {
        let steps = (TARGETS - 1 - index.min(TARGETS - 1)) as f64;
        if steps == 0.0 {
            self.last
        } else if self.last > 0.0 {
            self.last * 10f64.powf(steps / 5.0)
        } else {
            self.last + 1e-8 * 10f64.powf((steps - 1.0) * 10.0 / 49.0)
        }
    }

    /// Returns how many targets a value reaches.
    pub fn reached_by(&self, value: f64) -> usize {
        (0..TARGETS).take_while(|index| value <= self.get(*index)).count()
    }
}

/// The run-time distribution over all pairs of a trial and a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTimes {
    /// Sorted.
    hits: Vec<u64>,
    trials: usize,
    longest: u64,
}

impl RunTimes {
    /// Creates the distribution from trials: the evaluations at which each reached its first, second, … target, and all of its evaluations.
    pub fn of<'a>(trials: impl IntoIterator<Item = (&'a [u64], u64)>) -> Self {
        let mut all = Self::default();
        for (hits, evaluations) in trials {
            all.hits.extend(hits.iter().take(TARGETS));
            all.trials += 1;
            all.longest = all.longest.max(evaluations);
        }
        all.hits.sort_unstable();
        all
    }

    /// Returns the number of pairs of a trial and a target.
    pub fn pairs(&self) -> usize {
        self.trials * TARGETS
    }

    /// Returns the evaluations of the longest trial.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// Returns the evaluations at which the first target is reached, if any.
    pub fn first(&self) -> Option<u64> {
        self.hits.first().copied()
    }

    /// Returns the share of pairs in which the target is reached within this number of evaluations.
    pub fn share(&self, evaluations: u64) -> f64 {
        self.hits.partition_point(|hit| *hit <= evaluations) as f64 / self.pairs() as f64
    }

    /// Returns the steps of the distribution, up to this number of evaluations.
    pub fn points(&self, up_to: u64) -> Vec<(u64, f64)> {
        let mut points = vec![(1, 0.0)];
        for equal in self.hits.chunk_by(|a, b| a == b) {
            let before = points[points.len() - 1].1;
            points.extend([(equal[0], before), (equal[0], before + equal.len() as f64 / self.pairs() as f64)]);
        }
        let last = points[points.len() - 1];
        points.push((up_to.max(last.0), last.1));
        points
    }

    /// Returns the area under the distribution from 1 to this number of evaluations on a logarithmic axis, as a share of the whole: 1 if
    /// all targets are reached at once, and 0 if none ever is.
    pub fn area(&self, up_to: u64) -> f64 {
        let width = (up_to.max(2) as f64).ln();
        let areas = self.hits.iter().map(|hit| 1.0 - (*hit as f64).ln() / width).filter(|area| *area > 0.0);
        areas.sum::<f64>() / self.pairs() as f64
    }
}

/// Returns the budgets n·{1, 2, 5}·10^k of tables, from 10·n up to the first that no trial exceeds.
pub fn budgets(n: usize, longest: u64) -> Vec<u64> {
    let n = n as u64;
    let all = (1..19).flat_map(|k| [1, 2, 5].map(|m: u64| m.checked_mul(10u64.pow(k)).and_then(|m| m.checked_mul(n))));
    let mut budgets = Vec::new();
    for budget in all.flatten() {
        budgets.push(budget);
        if budget >= longest {
            break;
        }
    }
    budgets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_coco() {
        let targets = Targets::to(1e-8);
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        assert!(close(targets.get(0), 100.0) && close(targets.get(5), 10.0) && targets.get(50) == 1e-8);
        assert_eq!(targets.reached_by(1e-8), 51);
        assert_eq!((targets.reached_by(101.0), targets.reached_by(99.0), targets.reached_by(f64::NAN)), (0, 1, 0));
        let below = Targets::to(-5.0);
        assert!((below.get(0) - 95.0).abs() < 1e-9 && below.get(50) == -5.0, "{}", below.get(0));
        assert!((0..50).all(|k| below.get(k) > below.get(k + 1) && targets.get(k) > targets.get(k + 1)));
    }

    #[test]
    fn stairs_and_their_area() {
        let hits: Vec<u64> = (1..=51).map(|k| if k <= 26 { 10 } else { 100 }).collect();
        let times = RunTimes::of([(&hits[..], 100), (&hits[..26], 1000)]);
        assert_eq!((times.pairs(), times.longest()), (102, 1000));
        assert_eq!((times.share(9), times.share(10), times.share(5000)), (0.0, 52.0 / 102.0, 77.0 / 102.0));
        let points = times.points(1000);
        assert_eq!(points.len(), 6);
        assert_eq!(points[0..2], [(1, 0.0), (10, 0.0)]);
        assert!((points[5].1 - 77.0 / 102.0).abs() < 1e-12 && points[5].0 == 1000);
        // 52 pairs at a third of the axis, 25 at two thirds: the stairs are 52/102 high for a third and 77/102 for the last one.
        let area = (52.0 / 102.0 + 77.0 / 102.0) / 3.0;
        assert!((times.area(1000) - area).abs() < 1e-12);
        assert_eq!(RunTimes::of([(&[1u64; 51][..], 1)]).area(1000), 1.0);
        assert_eq!(RunTimes::of([(&[][..], 500)]).area(500), 0.0);
    }

    #[test]
    fn budgets_are_round_and_end() {
        assert_eq!(budgets(20, 4001), [200, 400, 1000, 2000, 4000, 10000]);
        assert_eq!(budgets(20, 4000), [200, 400, 1000, 2000, 4000]);
        assert_eq!(budgets(3, 0), [30]);
        assert!(budgets(1000, u64::MAX).len() > 40);
    }
}
