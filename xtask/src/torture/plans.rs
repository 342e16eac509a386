//! Plans with more than λ and σ: settings, deviations, strategies, starting points, budgets, and sometimes something that no search can
//! execute.
//!
//! One search in four has such plans, depending on its seed. Cases that the tests repeat by number are not among them.

use ddcma_core::{Optimizer, Root, Settings, StepSize, Stop, Strategy, Variant};
use ddcma_restarts::{Past, RunKind, RunPlan, RunSummary, SearchError, StartRule};
use serde::{Deserialize, Serialize};

/// What is planned in addition to λ and σ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum More {
    /// Nothing.
    Nothing,
    /// Everything except the strategy.
    Usual,
    /// Everything, including the strategy.
    Strategies,
    /// Deviations only, of every run.
    Deviations,
}

impl More {
    pub(super) fn of_case(seed: u64) -> Self {
        match seed % 47 {
            0..=5 => Self::Usual,
            6..=11 => Self::Strategies,
            _ => Self::Nothing,
        }
    }

    /// Returns the plan with some changes. In the first run only the strategy changes, because the test of expected errors at the start
    /// considers only what was drawn for the case.
    pub(super) fn plan(self, plan: RunPlan, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> RunPlan {
        let mut plan = match self {
            Self::Nothing => return plan,
            Self::Deviations => {
                let deviations: Vec<f64> = (0..past.n).map(|_| 10f64.powf(2.0 * uniform() - 1.0)).collect();
                return plan.deviations(&deviations);
            }
            Self::Usual => plan,
            Self::Strategies => plan.strategy(pick(&Variant::ALL, uniform)),
        };
        if past.runs.is_empty() {
            return plan;
        }
        if uniform() < 0.4 {
            plan = plan.settings(settings(uniform));
        }
        if uniform() < 0.4 {
            let decades = pick(&[0.5, 3.0, 100.0], uniform);
            let deviations: Vec<f64> = (0..past.n).map(|_| 10f64.powf(decades * (2.0 * uniform() - 1.0))).collect();
            plan = plan.deviations(&deviations);
        }
        if uniform() < 0.3 {
            plan = plan.abandon(false);
        }
        if uniform() < 0.3 {
            plan = plan.budget((300.0 * uniform()) as u64);
        }
        let run = &past.runs[(past.runs.len() as f64 * uniform()) as usize];
        match (10.0 * uniform()) as u8 {
            0..=2 => plan = plan.start(StartRule::At(run.mean.clone())),
            3 => plan = plan.start(StartRule::At(run.best_point.clone().unwrap_or_default())),
            4 => plan = plan.start(StartRule::AtBest),
            _ => {}
        }
        match (100.0 * uniform()) as u8 {
            0 => plan.start(StartRule::At(vec![0.0; past.n + 9])),
            1 => plan.start(StartRule::At(vec![f64::NAN; run.mean.len()])),
            2 => plan.strategy("none"),
            3 => plan.strategy_option("none", 0.5),
            4 => plan.deviations(&[]),
            _ => plan,
        }
    }
}

fn pick<T: Copy>(these: &[T], uniform: &mut dyn FnMut() -> f64) -> T {
    these[(these.len() as f64 * uniform()) as usize]
}

fn settings(uniform: &mut dyn FnMut() -> f64) -> Settings {
    let settings = Settings::new().active(uniform() < 0.5).c_m(0.1 + 0.9 * uniform());
    settings
        .root(pick(&[Root::LowRank, Root::Literal], uniform))
        .step_size(pick(&[StepSize::Csa, StepSize::Tpa], uniform))
}

/// Returns whether an error is expected from the plan.
pub(super) fn may_be_refused_for(more: More, error: &SearchError) -> bool {
    use SearchError::{NoSuchOption, OtherStrategy, StartOfWrongLength};
    more != More::Nothing && matches!(error, NoSuchOption { .. } | OtherStrategy { .. } | StartOfWrongLength { .. })
}

/// Checks that a run that has just begun is the planned one.
pub(super) fn arrived<S: Strategy>(plan: &RunPlan, run: &Optimizer<S>) -> Result<(), String> {
    let params = run.params();
    if params.lambda() != plan.lambda {
        return Err(format!("λ is {}, but {} is planned", params.lambda(), plan.lambda));
    }
    if let Some(settings) = &plan.settings
        && *params.settings() != settings.clone().lambda(plan.lambda)
    {
        return Err(format!("the settings are {:?}, but {settings:?} are planned", params.settings()));
    }
    match &plan.start {
        StartRule::At(point) if point != run.mean() => {
            Err(format!("it starts at {:?} instead of {point:?}", run.mean()))
        }
        _ => Ok(()),
    }
}

/// Checks the summary of a run that a policy sees.
pub(super) fn is_summary(run: &RunSummary) -> Result<(), String> {
    let RunSummary { plan, evaluations, best_value, best_point, sigma, condition, d_ratio, course, stop, .. } = run;
    if !plan.abandon && matches!(stop, Stop::Abandoned { .. } | Stop::Creeping { reference: Some(_), .. }) {
        return Err("a run was abandoned although that was not allowed".to_string());
    }
    let has_sigma = if plan.kind == RunKind::Strategy { *sigma > 0.0 } else { *sigma == 0.0 };
    if !(has_sigma && sigma.is_finite() && *condition >= 1.0 && *d_ratio >= 1.0) {
        return Err(format!("a run has ended with σ = {sigma:e}, condition {condition:e}, ratio of D {d_ratio:e}"));
    }
    let descends = course.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1);
    let end = best_point.as_ref().map(|_| (*evaluations, *best_value));
    if descends && course.len() <= 64 && course.last().copied() == end {
        return Ok(());
    }
    Err(format!("the course of {} points to {:?} does not lead to {end:?}", course.len(), course.last()))
}
