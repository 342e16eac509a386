//! The functions of COCO's suites `bbob` and `bbob-largescale`, computed by the platform's own code: names, construction, evaluation, and
//! the starts of the usual protocol.

use std::fmt;
use std::str::FromStr;
use std::sync::{LazyLock, Mutex, PoisonError};

use coco_rs::Suite;
use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::{Rng, SeedableRng};
use ddcma_problems::Problem;
use ddcma_restarts::Starts;
use serde::Serialize;

use crate::fingerprint::fnv;
use crate::{Family, LabError, TrialProblem};

/// The number of functions of a suite, counted from 1.
pub(super) const FUNCTIONS: u32 = 24;

/// The last instance: COCO's random numbers have seeds of 31 bits, computed from 10⁴ times the instance.
pub(super) const LAST_INSTANCE: u32 = 200_000;

/// The initial step size of the usual protocol.
pub(super) const SIGMA: f64 = 2.0;

/// The start points of the usual protocol are uniformly distributed between minus this and this.
const EXTENT: f64 = 4.0;

/// The search domain of both suites in each coordinate, which contains the minimum.
pub(super) const DOMAIN: (f64, f64) = (-5.0, 5.0);

/// A suite of COCO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuiteName {
    /// 24 functions of 2 to 40 variables.
    Bbob,
    /// The same for 20 to 640 variables, with rotations in blocks.
    BbobLargescale,
}

impl SuiteName {
    /// Both suites.
    pub const ALL: [Self; 2] = [Self::Bbob, Self::BbobLargescale];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bbob => "bbob",
            Self::BbobLargescale => "bbob-largescale",
        }
    }

    /// Returns the dimensions of the suite.
    pub fn dims(self) -> [u32; 6] {
        match self {
            Self::Bbob => [2, 3, 5, 10, 20, 40],
            Self::BbobLargescale => [20, 40, 80, 160, 320, 640],
        }
    }
}

impl fmt::Display for SuiteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SuiteName {
    type Err = LabError;

    fn from_str(name: &str) -> Result<Self, LabError> {
        let found = Self::ALL.into_iter().find(|suite| suite.name() == name);
        found.ok_or_else(|| LabError::new(format!("there is no suite \"{name}\": choose one of bbob, bbob-largescale")))
    }
}

/// A function of a suite, `bbob-f8`: a [family](Family) of problems, in which the seed is the number of the instance.
///
/// Its values are differences to the minimum. A single run starts at a point that depends on the problem, and the runs of a search start
/// anywhere in [−4, 4]^n, with a step size of 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    suite: SuiteName,
    number: u32,
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Function {
    type Err = LabError;

    fn from_str(name: &str) -> Result<Self, LabError> {
        let of = |suite: SuiteName| (1..=FUNCTIONS).map(move |number| Self { suite, number });
        let found = SuiteName::ALL.into_iter().flat_map(of).find(|function| function.name() == name);
        found.ok_or_else(|| {
            LabError::new(format!(
                "there is no function \"{name}\": choose one of bbob-f1 to bbob-f{FUNCTIONS} and bbob-largescale-f1 to \
                 bbob-largescale-f{FUNCTIONS}"
            ))
        })
    }
}

impl Function {
    /// Returns a function of a suite by number.
    pub fn new(suite: SuiteName, number: u32) -> Result<Self, LabError> {
        if (1..=FUNCTIONS).contains(&number) {
            return Ok(Self { suite, number });
        }
        Err(LabError::new(format!(
            "the number of a function of {} must be from 1 to {FUNCTIONS}, got {number}",
            suite.name()
        )))
    }

    /// Returns its suite.
    pub fn suite(self) -> SuiteName {
        self.suite
    }

    /// Returns its number.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Returns one of its instances, if it exists.
    pub(super) fn instance(self, n: usize, instance: u64) -> Result<Spec, LabError> {
        let dims = self.suite.dims();
        if !dims.iter().any(|dim| *dim as usize == n) {
            let dims = dims.map(|n| n.to_string()).join(", ");
            return Err(LabError::new(format!("n must be one of {dims} for {}, got {n}", self.suite.name())));
        }
        match u32::try_from(instance) {
            Ok(number @ 1..=LAST_INSTANCE) => Ok(Spec { function: self, n, instance: number }),
            _ => Err(LabError::new(format!(
                "the number of an instance of COCO must be from 1 to {LAST_INSTANCE}, got {instance}"
            ))),
        }
    }
}

/// Returns functions of COCO's suites by name, as families of problems.
///
/// ```no_run
/// use ddcma_lab::{Experiment, Silent, coco, dd, plain, suite};
///
/// let experiment = Experiment::new().algorithms([dd(), plain()]).problems(suite(["rosenbrock"])?);
/// let experiment = experiment.problems(coco::functions(["bbob-f2", "bbob-f10"])?).dimensions([5, 20]);
/// println!("{}", experiment.run(&Silent)?.table());
/// # Ok::<(), ddcma_lab::LabError>(())
/// ```
pub fn functions<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Box<dyn Family>>, LabError> {
    let parse = |name: &str| name.parse().map(|function: Function| Box::new(function) as Box<dyn Family>);
    names.into_iter().map(parse).collect()
}

impl Family for Function {
    fn name(&self) -> &str {
        // Names live as long as the program, so that a function can be copied.
        static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
            let of = |suite: SuiteName| (1..=FUNCTIONS).map(move |number| format!("{}-f{number}", suite.name()));
            SuiteName::ALL.into_iter().flat_map(of).collect()
        });
        &NAMES[self.suite as usize * FUNCTIONS as usize + self.number as usize - 1]
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        let spec = self.instance(n, seed)?;
        with(spec, |problem| {
            trial(TrialProblem {
                initial_mean: start(n, spec.seed(seed)),
                initial_sigma: SIGMA,
                budget: 50_000 * n as u64,
                target: None,
                variables: None,
                starts: starts(n),
                domain: Some(DOMAIN),
                objective: problem,
            });
        })
    }
}

/// Identifies a problem; displayed as `bbob-f8/n=5/i=2`. Created by [`Function::instance`], so the problem exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spec {
    function: Function,
    n: usize,
    instance: u32,
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/n={}/i={}", self.function, self.n, self.instance)
    }
}

impl Spec {
    /// Returns the function.
    pub(super) fn function(self) -> Function {
        self.function
    }

    /// Returns the suite.
    pub(super) fn suite(self) -> SuiteName {
        self.function.suite
    }

    /// Returns the number of variables.
    pub(super) fn n(self) -> usize {
        self.n
    }

    /// Returns the number of the instance.
    pub(super) fn instance(self) -> u32 {
        self.instance
    }

    /// Returns the seed of all random numbers of a search on it: different for each problem, the same for all strategies.
    pub(super) fn seed(self, first: u64) -> u64 {
        fnv(format!("{self}/seed={first}").into_bytes())
    }
}

/// A problem as COCO counts and observes it.
pub(super) struct CocoProblem<'suite> {
    inner: coco_rs::Problem<'suite>,
    n: usize,
}

/// COCO builds its problems with global variables; their evaluation has none.
static BUILDING: Mutex<()> = Mutex::new(());

/// Builds a problem and calls `then` with it.
pub(super) fn with<R>(spec: Spec, then: impl FnOnce(&mut CocoProblem<'_>) -> R) -> Result<R, LabError> {
    let name = match spec.suite() {
        SuiteName::Bbob => coco_rs::suite::Name::Bbob,
        SuiteName::BbobLargescale => coco_rs::suite::Name::BbobLargescale,
    };
    let missing = || LabError::new(format!("COCO could not build the problem {spec}"));
    let building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut suite = Suite::new(name, &format!("instances: {}", spec.instance), "").ok_or_else(missing)?;
    let (function, instance) = (spec.function.number as usize, spec.instance as usize);
    let inner = suite.problem_by_function_dimension_instance(function, spec.n, instance).ok_or_else(missing)?;
    drop(building);
    Ok(then(&mut CocoProblem { inner, n: spec.n }))
}

impl CocoProblem<'_> {
    /// Attaches an observer of COCO.
    pub(super) fn observe(&mut self, observer: &coco_rs::Observer) {
        self.inner.add_observer(observer);
    }

    /// Returns the function value as an algorithm sees it, with an unknown minimum.
    ///
    /// # Panics
    /// Panics if the point does not have the dimension of the problem.
    pub(super) fn evaluate(&mut self, x: &[f64]) -> f64 {
        let mut value = [f64::NAN];
        self.inner.evaluate_function(x, &mut value);
        value[0]
    }

    /// Returns COCO's count of evaluations.
    pub(super) fn evaluations(&self) -> u64 {
        self.inner.evaluations()
    }

    /// Returns the value of the final target.
    pub(super) fn target(&self) -> f64 {
        self.inner.final_target_value()
    }

    /// Returns the minimum.
    pub(super) fn minimum(&self) -> f64 {
        self.inner.best_value()
    }

    /// Returns whether the final target, 1e-8 above the minimum, was hit.
    pub(super) fn is_solved(&self) -> bool {
        self.inner.final_target_hit()
    }

    /// Returns the difference of the best value to the minimum.
    pub(super) fn precision(&self) -> f64 {
        self.inner.best_observed_value() - self.minimum()
    }
}

impl Problem for CocoProblem<'_> {
    fn dimension(&self) -> usize {
        self.n
    }

    /// Returns the difference of the value to the minimum.
    fn value(&mut self, x: &[f64]) -> f64 {
        self.evaluate(x) - self.minimum()
    }
}

/// Returns the start points of the usual protocol.
pub(super) fn starts(n: usize) -> Starts {
    Starts::in_box(&vec![-EXTENT; n], &vec![EXTENT; n]).expect("a box with finite sides")
}

/// Returns the start of a single run.
pub(super) fn start(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    // Far from the random numbers of an optimizer with the same seed.
    rng.jump();
    let uniform = (0..n).map(|_| (rng.next_u64() >> 11) as f64 * (-53f64).exp2());
    uniform.map(|u| EXTENT * (2.0 * u - 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_that_do_not_exist_are_refused() {
        for name in ["bbob-f1", "bbob-f24", "bbob-largescale-f7"] {
            assert_eq!(name.parse::<Function>().unwrap().to_string(), name);
        }
        for name in ["bbob-f0", "bbob-f25", "bbob-f01", "bbob-f+1", "bbob-f", "bbob-largescale-f25", "bbob-f1-i1"] {
            assert!(name.parse::<Function>().is_err(), "{name}");
        }
        let function: Function = "bbob-f1".parse().unwrap();
        assert_eq!(functions(["bbob-f1"]).unwrap()[0].name(), "bbob-f1");
        assert!(functions(["bbob-f1", "sphere"]).is_err());
        assert_eq!("bbob-largescale".parse::<SuiteName>().unwrap(), SuiteName::BbobLargescale);
        assert_eq!("bbo".parse::<SuiteName>().unwrap_err().to_string().lines().count(), 1);
        assert_eq!(function.instance(5, 3).unwrap().to_string(), "bbob-f1/n=5/i=3");
        assert_eq!(
            function.instance(4, 1).unwrap_err().to_string(),
            "n must be one of 2, 3, 5, 10, 20, 40 for bbob, got 4"
        );
        for instance in [0, u64::from(LAST_INSTANCE) + 1, u64::MAX] {
            assert!(function.instance(5, instance).is_err());
        }
    }

    /// Every function of both suites, with its value at one point and its smallest number of variables.
    fn values(instance: u64) -> Vec<(String, u64)> {
        let mut values = Vec::new();
        for suite in [SuiteName::Bbob, SuiteName::BbobLargescale] {
            for number in 1..=FUNCTIONS {
                // Above 40 variables COCO permutes blocks, by the global variables of its builder.
                let n = if suite == SuiteName::Bbob { 5 } else { 80 };
                let spec = Function::new(suite, number).unwrap().instance(n, instance).unwrap();
                let value = with(spec, |problem| problem.value(&start(n, 1))).unwrap();
                assert!(value > 0.0 && value.is_finite(), "{spec}: {value}");
                values.push((spec.to_string(), value.to_bits()));
            }
        }
        values
    }

    #[test]
    fn threads_build_the_same_problems() {
        let expected = values(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| values(1))).collect();
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), expected));
        });
    }

    #[test]
    fn every_problem_has_a_seed_of_its_own_and_starts_within_the_box() {
        let mut seeds = Vec::new();
        for suite in [SuiteName::Bbob, SuiteName::BbobLargescale] {
            for (number, instance) in (1..=FUNCTIONS).flat_map(|number| (1..=15).map(move |i| (number, i))) {
                let function = Function::new(suite, number).unwrap();
                let specs = suite.dims().map(|n| function.instance(n as usize, instance).unwrap());
                seeds.extend(specs.iter().flat_map(|spec| [1, 2].map(|first| spec.seed(first))));
            }
        }
        let count = seeds.len();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!((seeds.len(), count), (count, 2 * 24 * 15 * 6 * 2));
        let point = start(1000, seeds[0]);
        assert!(point.iter().all(|x| x.abs() <= EXTENT));
        assert!(point.iter().any(|x| *x < -3.9) && point.iter().any(|x| *x > 3.9));
    }
}
