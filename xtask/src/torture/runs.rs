//! One run of an optimizer on a hostile objective, generation by generation: told, misused, interrupted, stored and restored.
//!
//! The invariants are in `invariants.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ddcma_core::{Bounds, Columns, Interrupted, Optimizer, Stop, Strategy, TellError, With};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Trail;
use super::arrivals::Arrivals;
use super::autosaves;
use super::case::Case;
use super::draw::Draw;
use super::given::Given;
use super::hostile::{Fault, Faulty, Hostile, Planned};
use super::invariants::{self, Told};
use super::references::{self, References};
use crate::lab::names::with_strategy;

/// A strategy that can be stored.
pub(super) trait Stored: Strategy<Options: Serialize + DeserializeOwned> + Clone {}
impl<S: Strategy<Options: Serialize + DeserializeOwned> + Clone> Stored for S {}

/// Draws a run and executes it.
pub(super) fn run(draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let mut case = Case::draw(draw);
    case.give();
    trail.drawn(&case);
    with_strategy!(case.strategy, S => start::<S>(&case, draw, trail))
}

fn start<S: Stored>(case: &Case, draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let es = match case.build::<S>() {
        Ok(es) => es,
        Err(error) if case.may_be_refused_for(&error) => {
            trail.ended("rejected", &error);
            return Ok(());
        }
        Err(error) => return Err(format!("a valid start was rejected: {error}")),
    };
    autosaves::check::<S>(case)?;
    let objective = Hostile::draw(draw, &case.start, case.sigma);
    let habits = Habits::draw(draw);
    trail.drawn(&format!("{}, {habits:?}", objective.name()));
    let (bounds, given) = (case.bounds.clone(), case.given.clone());
    let root_every = (es.d().len() as u64 / 8).max(1);
    let arrivals = Arrivals::of_case(case.seed);
    if arrivals.one_by_one > 0.0 {
        trail.drawn(&format!("{arrivals:?}"));
    }
    let references = References::of_case(case.seed);
    if references.every > 0 {
        trail.drawn(&format!("{references:?}"));
    }
    let mut run = Run {
        es,
        twin: None,
        objective,
        habits,
        arrivals,
        references,
        bounds,
        given,
        told: Told::default(),
        values: Vec::new(),
        is_told: Vec::new(),
        draw,
        root_every,
    };
    for generation in 0..case.generations {
        trail.generation(generation);
        run.generation(generation, trail)?;
        let stop = run.es.stop();
        if let Some(budget) = case.budget.filter(|budget| run.es.iterations() >= *budget)
            && stop.is_none()
        {
            return Err(format!("there is no reason to stop after the budget of {budget} iterations"));
        }
        if let Some(stop) = stop {
            trail.ended(stop.name(), &stop);
            if !run.habits.goes_on || matches!(stop, Stop::Iterations { .. }) {
                break;
            }
        }
    }
    run.end(trail)
}

/// How a run is treated.
#[derive(Debug)]
struct Habits {
    /// Whether to continue after a reason to stop.
    goes_on: bool,
    misuse: f64,
    faults: f64,
    injections: f64,
    given_deviates: f64,
    /// The probability that the run is stored and restored before a generation.
    checkpoints: f64,
}

impl Habits {
    fn draw(draw: &mut Draw) -> Self {
        let mut rare = |share: f64| if draw.chance(share) { draw.power(-2.0, -0.5) } else { 0.0 };
        let (misuse, faults, injections) = (rare(0.2), rare(0.2), rare(0.15));
        let (given_deviates, checkpoints) = (rare(0.05), rare(0.3));
        Self { goes_on: draw.chance(0.5), misuse, faults, injections, given_deviates, checkpoints }
    }
}

struct Run<'a, S: Stored> {
    es: Optimizer<S>,
    /// A copy from before the run was stored and restored; both must continue in the same way.
    twin: Option<Optimizer<S>>,
    objective: Hostile,
    habits: Habits,
    arrivals: Arrivals,
    references: References,
    bounds: Option<Bounds>,
    given: Given,
    told: Told,
    /// NaN where a value was not told.
    values: Vec<f64>,
    is_told: Vec<bool>,
    draw: &'a mut Draw,
    root_every: u64,
}

impl<S: Stored> Run<'_, S> {
    fn generation(&mut self, generation: u64, trail: &mut Trail) -> Result<(), String> {
        self.refer(generation)?;
        if self.draw.chance(self.habits.misuse) {
            self.misuse()?;
        }
        if self.draw.chance(self.habits.checkpoints) {
            self.store()?;
        }
        let given = self.draw.chance(self.habits.given_deviates);
        let mut points = if given { self.ask_with()? } else { self.ask()? };
        invariants::candidates(&points, self.bounds.as_ref())?;
        self.given.check(&points)?;
        self.objective.values(generation, self.es.mean(), &points, &mut self.values);
        if self.draw.chance(self.habits.misuse) {
            self.misuse()?;
        }
        self.is_told.clear();
        self.is_told.resize(self.values.len(), true);
        let outcome = if self.draw.chance(self.habits.injections) {
            self.inject(&mut points)?
        } else if self.draw.chance(self.habits.faults) && self.es.stop().is_none() {
            self.evaluate_with_faults()?
        } else if self.arrivals.come_one_by_one() {
            self.arrivals.tell(&mut self.es, self.twin.as_mut(), &mut self.values, &mut self.is_told)?
        } else {
            let told = self.es.tell(&self.values);
            self.twin_tells(|twin, values| twin.tell(values), &told)?;
            told
        };
        self.told.add(&points, &self.values, &self.is_told);
        if !matches!(outcome, Ok(()) | Err(TellError::Update(_))) {
            return Err(format!("values of asked points were rejected: {outcome:?}"));
        }
        if outcome.is_err() && self.es.stop().is_none() {
            return Err(format!("there is no reason to stop after {outcome:?}"));
        }
        self.check(generation, &outcome)?;
        trail.told(&self.es, &outcome);
        Ok(())
    }

    /// Sets another reference value, if it is time.
    fn refer(&mut self, generation: u64) -> Result<(), String> {
        let Some(reference) = self.references.before(generation, self.es.best_value()) else { return Ok(()) };
        let twin = self.twin.iter_mut();
        for es in std::iter::once(&mut self.es).chain(twin) {
            es.set_reference(reference).map_err(|error| format!("a reference value was rejected: {error}"))?;
        }
        Ok(())
    }

    fn check(&mut self, generation: u64, outcome: &Result<(), TellError>) -> Result<(), String> {
        references::check(&mut self.es)?;
        let es = &self.es;
        invariants::state(es, outcome)?;
        let best = es.best().map(|best| (best.point, best.value, best.evaluation));
        self.told.check(es.evaluations(), best)?;
        if es.iterations() != generation + 1 {
            return Err(format!("{} iterations are reported after {}", es.iterations(), generation + 1));
        }
        invariants::same("the values of the generation", es.values(), &self.values)?;
        if generation.is_multiple_of(self.root_every) {
            invariants::root(es, self.draw)?;
        }
        Ok(())
    }

    /// Checks what is too slow to check in each generation, and the whole state of the twin.
    fn end(&mut self, trail: &mut Trail) -> Result<(), String> {
        invariants::covariance(&self.es)?;
        trail.root_error(invariants::root(&self.es, self.draw)?);
        self.es.view().axis_lengths(); // must not panic, whatever C is
        if let Some(twin) = &self.twin
            && bytes(twin)? != bytes(&self.es)?
        {
            return Err("a run that was stored and restored ended in a different state".to_string());
        }
        self.store()
    }

    fn ask(&mut self) -> Result<Columns, String> {
        let points = self.es.ask().clone();
        if let Some(twin) = &mut self.twin {
            invariants::same("points of a restored run", twin.ask().as_slice(), points.as_slice())?;
        }
        Ok(points)
    }

    fn ask_with(&mut self) -> Result<Columns, String> {
        let (n, lambda) = (self.es.params().dimension(), self.es.params().lambda());
        let scale = if self.draw.chance(0.1) { self.draw.power(-300.0, 300.0) } else { self.draw.power(-2.0, 2.0) };
        let z: Vec<f64> = (0..n * lambda).map(|_| self.draw.normal() * scale).collect();
        let z = Columns::from_vec(n, z).expect("whole columns");
        let given = |es: &mut Optimizer<S>| es.ask_with(&z).cloned().map_err(|error| format!("refused: {error}"));
        let points = given(&mut self.es)?;
        if let Some(twin) = &mut self.twin {
            invariants::same("points of a restored run", given(twin)?.as_slice(), points.as_slice())?;
        }
        Ok(points)
    }

    fn twin_tells(
        &mut self,
        tell: impl FnOnce(&mut Optimizer<S>, &[f64]) -> Result<(), TellError>,
        told: &Result<(), TellError>,
    ) -> Result<(), String> {
        let Some(twin) = &mut self.twin else { return Ok(()) };
        let of_twin = tell(twin, &self.values);
        // Errors carry NaN, which does not equal itself.
        if format!("{of_twin:?}") == format!("{told:?}") {
            Ok(())
        } else {
            Err(format!("a restored run returns {told:?}, the original {of_twin:?}"))
        }
    }

    /// Tells some points that were not asked for.
    fn inject(&mut self, points: &mut Columns) -> Result<Result<(), TellError>, String> {
        let share = self.draw.unit();
        let scale = if self.draw.chance(0.2) { self.draw.power(-300.0, 300.0) } else { self.es.sigma() };
        for x in points.iter_mut() {
            if !self.draw.chance(share) {
                continue;
            }
            for (k, x) in x.iter_mut().enumerate() {
                let moved = (*x + scale * self.draw.normal()).clamp(f64::MIN, f64::MAX);
                let bounds = self.bounds.as_ref();
                let of_variable = self.given.sides(k).unwrap_or((f64::MIN, f64::MAX));
                let (lower, upper) = bounds.map_or(of_variable, |bounds| {
                    (bounds.lower().nth(k).unwrap_or(f64::MIN), bounds.upper().nth(k).unwrap_or(f64::MAX))
                });
                *x = moved.clamp(lower, upper);
            }
        }
        let tell = |es: &mut Optimizer<S>, values: &[f64]| match es.tell_points(points, values) {
            told @ (Ok(()) | Err(TellError::Update(_))) => Ok(told),
            Err(error) => Err(format!("feasible points were rejected: {error}")),
        };
        let told = tell(&mut self.es, &self.values)?;
        let mut refused = None;
        self.twin_tells(
            |twin, values| {
                tell(twin, values).unwrap_or_else(|error| {
                    refused = Some(error);
                    Ok(())
                })
            },
            &told,
        )?;
        refused.map_or(Ok(told), Err)
    }

    /// Evaluates a generation with an objective that fails or panics, and then again with one that does not.
    fn evaluate_with_faults(&mut self) -> Result<Result<(), TellError>, String> {
        let (iterations, evaluations) = (self.es.iterations(), self.es.evaluations());
        let points = self.es.ask().clone();
        let mut handed_out = 0;
        for fault in [Fault::Error, Fault::Panic, Fault::None] {
            let after = self.draw.below(self.values.len() + 1);
            let (es, values) = (&mut self.es, &self.values);
            let mut with = With::new().stop_when(|view| (view.iterations > iterations).then(|| "once".to_string()));
            let faulty = Faulty { values, fault, after };
            let ran = catch_unwind(AssertUnwindSafe(|| es.run_with(faulty, &mut with)));
            match (fault, ran) {
                (Fault::None, Ok(Ok(_))) => {}
                (Fault::Error, Ok(Err(Interrupted::Objective { told, .. }))) if told == after => {}
                (Fault::Panic, Err(payload)) if payload.is::<Planned>() => {}
                (_, Err(payload)) => std::panic::resume_unwind(payload),
                (fault, Ok(outcome)) => return Err(format!("an objective with {fault:?} ended in {outcome:?}")),
            }
            if fault != Fault::None {
                handed_out = after.max(handed_out);
                invariants::same("points after a fault", self.es.ask().as_slice(), points.as_slice())?;
                if (self.es.iterations(), self.es.evaluations()) != (iterations, evaluations + handed_out as u64) {
                    return Err(format!("{fault:?} of the objective has lost or invented values"));
                }
            }
        }
        if self.es.iterations() != iterations + 1 {
            return Err("not exactly one generation was run".to_string());
        }
        let told = match self.es.stop() {
            Some(Stop::Numerical(error)) => Err(TellError::Update(error)),
            _ => Ok(()),
        };
        if let Some(twin) = &mut self.twin {
            let _ = twin.tell(&self.values); // checked at the next points
        }
        Ok(told)
    }

    /// Checks that invalid calls are errors and change nothing.
    fn misuse(&mut self) -> Result<(), String> {
        let before = bytes(&self.es)?;
        let (n, lambda) = (self.es.params().dimension(), self.es.params().lambda());
        let shown = self.es.mean().len();
        let count = if self.draw.chance(0.5) { lambda - 1 } else { lambda + 1 };
        let refused = match self.draw.below(5) {
            0 => self.es.tell(&vec![0.0; count]).is_err_and(|error| !matches!(error, TellError::Update(_))),
            1 => matches!(self.es.ask_with(&Columns::zeros(n, count)), Err(TellError::WrongShape { .. })),
            2 => {
                let mut z = Columns::zeros(n, lambda);
                let at = self.draw.below(n * lambda);
                z.as_mut_slice()[at] = self.draw.pick(&[f64::NAN, f64::INFINITY]);
                matches!(self.es.ask_with(&z), Err(TellError::NotFinite { .. }))
            }
            3 => {
                let told = self.es.tell_points(&Columns::zeros(shown + 1, lambda), &vec![0.0; lambda]);
                matches!(told, Err(TellError::WrongShape { .. }))
            }
            _ => {
                let mut x = Columns::zeros(shown, lambda);
                x.as_mut_slice().fill(f64::NAN);
                let told = self.es.tell_points(&x, &vec![0.0; lambda]);
                matches!(told, Err(TellError::Point { .. } | TellError::Fixed { .. }))
            }
        };
        if !refused {
            return Err("an invalid call was not rejected with the right error".to_string());
        }
        if bytes(&self.es)? != before {
            return Err("a rejected call has changed the state".to_string());
        }
        Ok(())
    }

    /// Continues with the restored run, and keeps the original as its twin.
    fn store(&mut self) -> Result<(), String> {
        let stored = bytes(&self.es)?;
        let restored = Optimizer::from_checkpoint(&stored).map_err(|error| format!("not restored: {error}"))?;
        if bytes(&restored)? != stored {
            return Err("a run that was stored and restored is different".to_string());
        }
        self.twin.get_or_insert(std::mem::replace(&mut self.es, restored));
        Ok(())
    }
}

fn bytes<S: Stored>(es: &Optimizer<S>) -> Result<Vec<u8>, String> {
    es.to_checkpoint().map_err(|error| format!("not stored: {error}"))
}
