//! The state of a run apart from its distribution, and the check of a stored one.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::space::Space;
use crate::stop::Monitor;
use crate::stored::stored;
use crate::{Columns, Params, StopCriteria, Values};

stored! {
    /// The state of a run: together with the strategy, the step size and the parameters, it determines the rest of the run, bit for bit.
    #[derive(Clone, Debug)]
    pub(crate) struct State {
        /// m, in the coordinates of the search.
        pub(crate) mean: Vec<f64>,
        /// m as the user sees it, if that differs.
        pub(crate) users_mean: Vec<f64>,
        pub(crate) rng: Xoshiro256PlusPlus,
        pub(crate) space: Space,
        pub(crate) criteria: StopCriteria,
        pub(crate) monitor: Monitor,
        /// Whether z is a generation that is waiting for values.
        pub(crate) asked: bool,
        /// n × λ, ~ N(0, I); y and x follow from it.
        pub(crate) z: Columns,
        /// Candidates that were replaced, with their points as they were given.
        pub(crate) replaced: Vec<(usize, Vec<f64>)>,
        /// Whether the first two candidates lie along the last step of the mean, as a step-size rule may want.
        pub(crate) pair: bool,
        /// Σ w_i·D·y_i of the last generation, if the step-size rule wants a pair.
        pub(crate) last_step: Vec<f64>,
        /// f(x) of the current generation, as far as it is known.
        pub(crate) open: Values,
        /// f(x) of the last generation.
        pub(crate) values: Values,
        /// Whether that generation was ranked by its values.
        pub(crate) ranked_by_values: bool,
        /// f(x) of the generation before that one, as far as it was told, if the step-size rule wants it.
        pub(crate) last_values: Vec<f64>,
        pub(crate) best: Option<BestSoFar>,
        pub(crate) evaluations: u64,
        pub(crate) iterations: u64,
    }

    /// The best candidate so far.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct BestSoFar {
        pub(crate) point: Vec<f64>,
        pub(crate) value: f64,
        pub(crate) evaluation: u64,
    }
}

impl State {
    /// Line 1 of Algorithm 1.
    pub(crate) fn start(
        params: &Params,
        initial_deviations: Vec<f64>,
        start: Vec<f64>,
        space: Space,
        criteria: StopCriteria,
        rng: Xoshiro256PlusPlus,
    ) -> Self {
        let Params { n, lambda, .. } = *params;
        let monitor = Monitor::new(initial_deviations, &criteria, params);
        let mut mean = vec![0.0; n];
        space.to_search(&start, &mut mean);
        Self {
            mean,
            users_mean: start,
            rng,
            space,
            criteria,
            monitor,
            asked: false,
            z: Columns::zeros(n, lambda),
            replaced: Vec::new(),
            pair: false,
            last_step: Vec::with_capacity(n),
            open: Values::with_capacity(lambda),
            values: Values::with_capacity(lambda),
            ranked_by_values: true,
            last_values: Vec::with_capacity(lambda),
            best: None,
            evaluations: 0,
            iterations: 0,
        }
    }

    /// Checks a stored state. If it does not belong to a run with these parameters, the error names the part.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn check(&self, params: &Params) -> Result<(), &'static str> {
        let Params { n, lambda, .. } = *params;
        let check = |good: bool, what| if good { Ok(()) } else { Err(what) };
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let is_point = |numbers: &[f64]| numbers.len() == n && finite(numbers);

        check(is_point(&self.mean), "the mean")?;
        check(self.space.search_dimension() == n, "the variables")?;
        let is_shown = |point: &[f64]| point.len() == self.space.dimension() && finite(point);
        check(is_shown(&self.users_mean) && self.space.violated_by(&self.users_mean).is_none(), "the mean in the box")?;
        let is_best = |best: &BestSoFar| is_shown(&best.point) && !best.value.is_nan();
        check(self.best.as_ref().is_none_or(is_best), "the best point")?;
        let is_generation = self.z.dimension() == n && Some(self.z.as_slice().len()) == n.checked_mul(lambda);
        check(is_generation && finite(self.z.as_slice()), "the last generation")?;
        let expected = if self.asked { lambda } else { 0 };
        check(self.open.fit(lambda) && self.open.len() == expected, "the values of the generation")?;
        check(self.values.fit(lambda), "the values of the last generation")?;
        check(self.last_step.is_empty() || is_point(&self.last_step), "the last step of the mean")?;
        check(self.last_values.len() <= lambda, "the values before the last ones")?;
        let is_replaced = |(candidate, point): &(usize, Vec<f64>)| *candidate < lambda && is_shown(point);
        check(
            self.replaced.iter().all(is_replaced) && (self.asked || self.replaced.is_empty()),
            "the replaced candidates",
        )?;
        check([self.evaluations, self.iterations].iter().all(|count| *count < u64::MAX / 4), "the counts")?;
        check(self.criteria.check().is_ok(), "the stop criteria")
    }

    /// Makes a checked state ready for use.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        self.monitor.resume(&self.criteria, self.iterations, params)
    }
}
