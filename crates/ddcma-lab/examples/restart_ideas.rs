//! The command line of the lab with experimental restart policies, each a change of BIPOP. `docs/restarts.md` has the results.
//!
//! Run it with `cargo run --package ddcma-lab --features cli,coco --example restart_ideas -- coco --strategies dd --policies bipop,far`, or,
//! without COCO, with `--features cli` and the command `restarts`.
//!
//! | name | idea |
//! |---|---|
//! | `turns` | dd, plain and, with `strategies=3`, separable CMA-ES take turns, with the strategy `any` |
//! | `success` | the strategy with the best value so far gets two runs of three, with the strategy `any` |
//! | `tpa-small` | runs of the small regime adapt σ by two points |
//! | `far` | a run starts far from the ends of past runs: the farthest of several points in [−4, 4]ⁿ |
//! | `capped` | λ is at most a given multiple of the usual one |
//! | `first-small` | the first run counts in the small regime |

use std::process::ExitCode;

use ddcma_core::{BuiltInStrategy, StepSize, Variant};
use ddcma_lab::cli::CommandLine;
use ddcma_lab::{Choices, LabError, algorithm};
use ddcma_restarts::{Bipop, Past, Policy, Regime, RunPlan, RunSummary, StartRule};

/// Returns the command line with the ideas, and with the strategy `any`, which is any of the built-in ones.
fn command_line() -> CommandLine {
    let number = |mut choices: Choices, policy: &str, name: &'static str, usual: f64| {
        let number = choices.number(name)?.unwrap_or(usual);
        choices.done(policy, &[name])?;
        Ok::<f64, LabError>(number)
    };
    ddcma_lab::cli()
        .algorithm(algorithm::<BuiltInStrategy>("any"))
        .policy_with("turns", move |choices| Ok(Turns(number(choices, "turns", "strategies", 2.0)? as usize)))
        .policy("success", Success)
        .policy("tpa-small", TpaSmall)
        .policy_with("far", move |choices| Ok(Far(number(choices, "far", "points", 10.0)? as usize)))
        .policy_with("capped", move |choices| Ok(Capped(number(choices, "capped", "times", 64.0)?)))
        .policy("first-small", FirstSmall)
}

fn main() -> ExitCode {
    command_line().main()
}

/// Returns what BIPOP would plan next.
fn bipop(past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
    Bipop::new().restarts(None).next(past, uniform)
}

const VARIANTS: [Variant; 3] = [Variant::DiagonalDecoding, Variant::Plain, Variant::Separable];

/// Takes a number of strategies in turn.
#[derive(Clone, Debug)]
struct Turns(usize);

impl Policy for Turns {
    fn name(&self) -> &'static str {
        "turns"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        // Each regime has its own turns, because otherwise one strategy could get all large runs.
        let plan = bipop(past, uniform)?;
        let turn = past.of(plan.regime).count() + usize::from(plan.regime == Regime::Large);
        Some(plan.strategy(VARIANTS[turn % self.0.clamp(1, VARIANTS.len())]))
    }
}

/// Runs dd and plain, with more runs of the one with the better value.
#[derive(Clone, Debug)]
struct Success;

impl Policy for Success {
    fn name(&self) -> &'static str {
        "success"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let plan = bipop(past, uniform)?;
        let best_of = |variant: Variant| {
            let name: String = variant.into();
            let runs = past.runs.iter().filter(|run| run.plan.strategy.as_ref() == Some(&name));
            runs.map(|run| run.best_value).fold(f64::INFINITY, f64::min)
        };
        let [dd, plain] = [VARIANTS[0], VARIANTS[1]].map(best_of);
        let (better, other) = if plain < dd { (VARIANTS[1], VARIANTS[0]) } else { (VARIANTS[0], VARIANTS[1]) };
        // The second run is for the strategy that has had none.
        let turn = past.runs.len() % 3;
        Some(plan.strategy(if turn == 1 { other } else { better }))
    }
}

/// Two-point adaptation of σ in small runs.
#[derive(Clone, Debug)]
struct TpaSmall;

impl Policy for TpaSmall {
    fn name(&self) -> &'static str {
        "tpa-small"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let plan = bipop(past, uniform)?;
        let settings = past.settings().step_size(StepSize::Tpa);
        Some(if plan.regime == Regime::Small { plan.settings(settings) } else { plan })
    }
}

/// Starts at the farthest of several points from the ends of past runs.
#[derive(Clone, Debug)]
struct Far(usize);

impl Policy for Far {
    fn name(&self) -> &'static str {
        "far"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let plan = bipop(past, uniform)?;
        if past.runs.is_empty() {
            return Some(plan);
        }
        let nearest_end = |point: &[f64]| {
            let distance = |run: &RunSummary| point.iter().zip(&run.mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>();
            past.runs.iter().map(distance).fold(f64::INFINITY, f64::min)
        };
        let mut points: Vec<Vec<f64>> = Vec::new();
        for _ in 0..self.0.max(1) {
            points.push((0..past.n).map(|_| 8.0 * uniform() - 4.0).collect());
        }
        let farthest = points.into_iter().max_by(|a, b| nearest_end(a).total_cmp(&nearest_end(b)))?;
        Some(plan.start(StartRule::At(farthest)))
    }
}

/// Limits λ.
#[derive(Clone, Debug)]
struct Capped(f64);

impl Policy for Capped {
    fn name(&self) -> &'static str {
        "capped"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let plan = bipop(past, uniform)?;
        let most = (self.0.max(1.0) * past.lambda as f64) as usize;
        let lambda = plan.lambda.min(most);
        Some(plan.lambda(lambda))
    }
}

/// Counts the first run in the small regime.
#[derive(Clone, Debug)]
struct FirstSmall;

impl Policy for FirstSmall {
    fn name(&self) -> &'static str {
        "first-small"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let mut runs = past.runs.to_vec();
        if let Some(first) = runs.first_mut() {
            first.plan.regime = Regime::Small;
        }
        bipop(&Past::new(past.n, past.lambda, past.sigma, &runs), uniform)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates runs of a given cost and value.
    fn played(policy: &dyn Policy, costs: &[(u64, f64)]) -> Vec<RunPlan> {
        let mut runs: Vec<RunSummary> = Vec::new();
        for (evaluations, value) in costs {
            let plan = policy.next(&Past::new(2, 10, 2.0, &runs), &mut || 0.5).unwrap();
            let mut run = RunSummary::scripted(plan, *evaluations, *value);
            run.mean = vec![0.0; 2];
            runs.push(run);
        }
        runs.into_iter().map(|run| run.plan).collect()
    }

    fn strategies(policy: &dyn Policy, costs: &[(u64, f64)]) -> Vec<String> {
        played(policy, costs).into_iter().map(|plan| plan.strategy.unwrap()).collect()
    }

    #[test]
    fn strategies_take_turns_in_each_regime() {
        // First, large, small (which costs less), small, large.
        let costs = [(100, 1.0), (200, 1.0), (150, 1.0), (60, 1.0), (400, 1.0)];
        assert_eq!(strategies(&Turns(2), &costs), ["dd", "plain", "dd", "plain", "dd"]);
        assert_eq!(strategies(&Turns(3), &costs), ["dd", "plain", "dd", "plain", "sep"]);
    }

    #[test]
    fn what_has_found_more_gets_two_runs_of_three() {
        let costs = [(100, 3.0), (100, 1.0), (100, 2.0), (100, 2.0), (100, 0.5), (100, 1.0)];
        assert_eq!(strategies(&Success, &costs), ["dd", "plain", "plain", "plain", "dd", "dd"]);
    }

    #[test]
    fn lambda_is_capped_and_the_first_run_counted() {
        let costs = [(1, 1.0); 12];
        let lambdas = |policy: &dyn Policy| played(policy, &costs).iter().map(|plan| plan.lambda).max();
        assert_eq!(lambdas(&Capped(4.0)), Some(40));
        assert!(lambdas(&Capped(1e9)) > Some(40));
        let regimes: Vec<Regime> =
            played(&FirstSmall, &[(100, 1.0), (60, 1.0), (60, 1.0)]).iter().map(|p| p.regime).collect();
        assert_eq!(regimes, [Regime::First, Regime::Large, Regime::Large]);
    }

    #[test]
    fn small_runs_have_the_other_rule_and_starts_are_far() {
        for plan in played(&TpaSmall, &[(100, 1.0), (200, 1.0), (150, 1.0)]) {
            assert_eq!(plan.settings.is_some(), plan.regime == Regime::Small);
        }
        let mut run = RunSummary::scripted(Past::new(1, 10, 2.0, &[]).usual_run(Regime::First), 10, 1.0);
        run.mean = vec![-4.0];
        let mut numbers = [0.1, 0.9, 0.5].into_iter();
        // The large run draws no random number.
        let plan = Far(3).next(&Past::new(1, 10, 2.0, &[run]), &mut || numbers.next().unwrap()).unwrap();
        assert_eq!(plan.start, StartRule::At(vec![8.0 * 0.9 - 4.0]));
    }
}
