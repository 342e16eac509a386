//! Run-time distributions over all functions of a dimension, as in COCO's pages, and comparisons of algorithms by them, problem by
//! problem.

use super::summary::share_of_targets;
use crate::picture::{Axis, COLORS, Panel, Series, grid};
use crate::statistics::{RunTimes, paired_difference};
use crate::{LabError, TrialOutcome};

/// The number of points of a distribution in the picture.
const POINTS: u32 = 200;

/// The head of the rows of [`compared`].
pub(super) const HEAD: [&str; 6] =
    ["n", "algorithm", "solved", "targets", "more than the first", "area, more than the first"];

/// The outcomes of a dimension.
pub(super) struct OfDimension<'a> {
    pub(super) n: usize,
    /// Each algorithm by name, with the outcomes of the same problems in the same order.
    pub(super) algorithms: Vec<(String, Vec<&'a TrialOutcome>)>,
}

impl OfDimension<'_> {
    /// Returns the evaluations of the longest trial.
    fn longest(&self) -> u64 {
        let outcomes = self.algorithms.iter().flat_map(|(_, outcomes)| outcomes);
        outcomes.map(|outcome| outcome.evaluations).max().unwrap_or(1)
    }
}

/// Returns a row for each algorithm: solved problems, share of targets, and by how much this share and the area below the run-time distribution
/// exceed those of the first algorithm, as means over problems with their 95 % intervals.
pub(super) fn compared(of_dimension: &OfDimension<'_>) -> Vec<Vec<String>> {
    let longest = of_dimension.longest();
    let numbers = |outcomes: &[&TrialOutcome]| {
        let area = |outcome: &&TrialOutcome| RunTimes::of([(&outcome.hits[..], outcome.evaluations)]).area(longest);
        let shares: Vec<f64> = outcomes.iter().map(|outcome| share_of_targets(outcome)).collect();
        (shares, outcomes.iter().map(area).collect::<Vec<f64>>())
    };
    let of_algorithms: Vec<(Vec<f64>, Vec<f64>)> =
        of_dimension.algorithms.iter().map(|(_, outcomes)| numbers(outcomes)).collect();
    let (first_shares, first_areas) = &of_algorithms[0];
    let row = |(index, (name, outcomes)): (usize, &(String, Vec<&TrialOutcome>))| {
        let (shares, areas) = &of_algorithms[index];
        let solved = outcomes.iter().filter(|outcome| outcome.success).count();
        let share = shares.iter().sum::<f64>() / shares.len() as f64;
        let more = |a: &[f64], b: &[f64]| {
            let (mean, interval) = paired_difference(a, b);
            format!("{mean:+.3} [{:+.3}, {:+.3}]", interval.low, interval.high)
        };
        let [more_targets, more_area] = match index {
            0 => ["".to_string(), "".to_string()],
            _ => [more(shares, first_shares), more(areas, first_areas)],
        };
        let solved = format!("{solved}/{}", outcomes.len());
        vec![of_dimension.n.to_string(), name.clone(), solved, format!("{share:.3}"), more_targets, more_area]
    };
    of_dimension.algorithms.iter().enumerate().map(row).collect()
}

/// Draws a panel for each dimension: the share of pairs of a problem and a target that are reached.
pub(super) fn picture(dimensions: &[OfDimension<'_>]) -> Result<String, LabError> {
    let panel = |of_dimension: &OfDimension<'_>| {
        let (n, longest) = (of_dimension.n, of_dimension.longest().max(2) as f64);
        let at = |k: u32| longest.powf(f64::from(k) / f64::from(POINTS));
        let series = |(index, (name, outcomes)): (usize, &(String, Vec<&TrialOutcome>))| {
            let times = RunTimes::of(outcomes.iter().map(|outcome| (&outcome.hits[..], outcome.evaluations)));
            let points = (0..=POINTS).map(at).map(|x| (x / n as f64, times.share(x.round() as u64)));
            let (name, color, dashed) = (Some(name.clone()), index, index >= COLORS.len());
            Series { name, color, dashed, points: points.collect(), ..Series::default() }
        };
        let (x, y) = (Axis::log("evaluations / n"), Axis::linear("share of targets").range(0.0, 1.02));
        let series = of_dimension.algorithms.iter().enumerate().map(series).collect();
        Panel { title: format!("n = {n}"), x, y, series }
    };
    grid("Share of targets reached, all functions", 2, &dimensions.iter().map(panel).collect::<Vec<Panel>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(hits: Vec<u64>, evaluations: u64) -> TrialOutcome {
        TrialOutcome {
            success: hits.len() == 51,
            evaluations,
            iterations: 0,
            best_f: 1.0,
            first_f: 1.0,
            target: 1e-8,
            hits,
            stop: String::new(),
            internal_seconds: 0.0,
            course: Vec::new(),
            notes: Default::default(),
        }
    }

    #[test]
    fn algorithms_are_compared_problem_by_problem() {
        let all = outcome(vec![10; 51], 10); // an area of two thirds up to 1000
        let none = outcome(Vec::new(), 1000);
        let algorithms = vec![("a".to_string(), vec![&none, &none]), ("b".to_string(), vec![&all, &none])];
        let rows = compared(&OfDimension { n: 5, algorithms });
        assert_eq!(rows[0], ["5", "a", "0/2", "0.000", "", ""]);
        assert_eq!(rows[1], ["5", "b", "1/2", "0.500", "+0.500 [+0.000, +1.000]", "+0.333 [+0.000, +0.667]"]);
    }

    #[test]
    fn each_dimension_has_a_panel() {
        let solved = outcome(vec![10; 51], 10);
        let of = |n| OfDimension { n, algorithms: vec![("mine".to_string(), vec![&solved])] };
        let svg = picture(&[of(5), of(20)]).unwrap();
        assert!(svg.contains("n = 5") && svg.contains("n = 20") && svg.contains("mine"));
    }
}
