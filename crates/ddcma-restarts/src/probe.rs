//! A probe along the axes: lines through one point, searched in parallel, with one point of each line per generation. Each
//! line chooses its own next point.
//!
//! It takes these steps: first, the point where the axes cross is evaluated. Then, in each generation, each line asks for one point, until
//! no line asks for more. If several lines have better values, one last generation combines these improvements.

mod axes;
mod line;

use ddcma_core::{
    Best as BestOfRun, Columns, Missing, Pending, Run, Stop, TellError, Ticket, Told, Values, Variables, View, With,
};

#[cfg(feature = "checkpoint")]
use crate::RunKind;
use crate::config::Config;
use crate::{RunPlan, SearchError};
use axes::Axis;
use line::Line;

/// A probe along the axes in a search, from [`Search::probe`](crate::Search::probe).
///
/// See [`Probed`](crate::Probed) for a description.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Probe {
    /// The point where the axes cross, in the user's units.
    start: Vec<f64>,
    /// The number of evaluations for each line.
    for_each: u32,
    /// The budget of evaluations of the whole probe, which the last generation may exceed.
    budget: Option<u64>,
    step: Step,
    /// One for each axis, once the value of the start is known.
    lines: Vec<Line>,
    evaluations: u64,
    iterations: u64,
    best: Option<Best>,
    asked: bool,
    open: Values,
    /// The values of the last complete generation.
    values: Values,
    #[cfg_attr(feature = "checkpoint", serde(skip))]
    work: Work,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
enum Step {
    Start,
    Lines,
    Combinations,
    Over,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
struct Best {
    point: Vec<f64>,
    value: f64,
    evaluation: u64,
}

/// What can be computed from the other fields and from the search.
#[derive(Clone, Debug)]
struct Work {
    axes: Vec<Axis>,
    variables: Option<Variables>,
    /// The lines that ask for a value next, and at which place, in the order of the candidates.
    asking: Vec<(usize, f64)>,
    /// The lines with better values, with place and value, best first.
    improved: Vec<(usize, f64, f64)>,
    points: Columns,
}

impl Default for Work {
    fn default() -> Self {
        let points = Columns::zeros(0, 0);
        Self { axes: Vec::new(), variables: None, asking: Vec::new(), improved: Vec::new(), points }
    }
}

impl Probe {
    /// Creates the planned probe from a point of the search.
    pub(crate) fn new(config: &Config, plan: &RunPlan, for_each: u32, start: &[f64]) -> Result<Self, SearchError> {
        let work = Work { axes: config.axes()?, variables: config.options.variables.clone(), ..Work::default() };
        Ok(Self {
            start: start.to_vec(),
            for_each,
            budget: config.budget_of(plan),
            step: Step::Start,
            lines: Vec::new(),
            evaluations: 0,
            iterations: 0,
            best: None,
            asked: false,
            open: Values::default(),
            values: Values::default(),
            work,
        })
    }

    /// Returns the point where the axes cross.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Returns the number of probed coordinates.
    pub fn coordinates(&self) -> usize {
        self.work.axes.len()
    }

    /// Returns the number of coordinates with a better value somewhere on their line.
    pub fn improved(&self) -> usize {
        self.lines.iter().filter(|line| line.improved().is_some()).count()
    }

    /// Returns the number of function values told.
    pub fn evaluations(&self) -> u64 {
        self.evaluations + self.open.evaluations()
    }

    /// Returns the number of generations told.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Returns the best function value; +∞ while there is none.
    pub fn best_value(&self) -> f64 {
        self.best().map_or(f64::INFINITY, |best| best.value)
    }

    fn end_generation(&mut self, missing: Missing) {
        self.keep_best();
        self.asked = false;
        std::mem::swap(&mut self.open, &mut self.values);
        self.open.clear();
        self.evaluations += self.values.evaluations();
        self.iterations += 1;
        match self.step {
            Step::Start => self.draw_lines(self.values.as_slice()[0]),
            Step::Lines => {
                for (candidate, (line, place)) in self.work.asking.iter().enumerate() {
                    match (self.values.get(candidate), missing) {
                        (Some(value), _) => self.lines[*line].take(*place, value),
                        (None, Missing::RankLast) => self.lines[*line].take(*place, f64::INFINITY),
                        (None, Missing::LeaveOut) => {}
                    }
                }
                self.prepare_lines();
            }
            Step::Combinations | Step::Over => self.step = Step::Over,
        }
    }

    fn keep_best(&mut self) {
        let known = self.best.as_ref().map(|best| best.value);
        if let Some((candidate, value, nth)) = self.open.better_than(known) {
            let (point, evaluation) = (self.work.points[candidate].to_vec(), self.evaluations + nth);
            self.best = Some(Best { point, value, evaluation });
        }
    }

    fn draw_lines(&mut self, start_value: f64) {
        let line = |axis: &Axis| {
            let start = self.scaled(axis.index, self.start[axis.index]);
            Line::new(axis.lower, axis.upper, start, start_value, self.for_each)
        };
        self.lines = self.work.axes.iter().map(line).collect();
        self.prepare_lines();
    }

    /// Finds the lines that ask for another point; if there are none, prepares the combinations.
    fn prepare_lines(&mut self) {
        let Work { asking, .. } = &mut self.work;
        asking.clear();
        asking.extend(self.lines.iter().enumerate().filter_map(|(k, line)| Some((k, line.next()?))));
        self.step = Step::Lines;
        if asking.is_empty() {
            self.prepare_combinations();
        }
    }

    fn prepare_combinations(&mut self) {
        let Work { improved, .. } = &mut self.work;
        improved.clear();
        let better = |(k, line): (usize, &Line)| line.improved().map(|(place, value)| (k, place, value));
        improved.extend(self.lines.iter().enumerate().filter_map(better));
        improved.sort_by(|one, other| one.2.total_cmp(&other.2));
        self.step = if improved.len() > 1 { Step::Combinations } else { Step::Over };
    }

    /// Makes the candidates of the next generation, in the memory of the previous ones.
    fn make_points(&mut self) {
        let n = self.start.len();
        let points = std::mem::replace(&mut self.work.points, Columns::zeros(0, 0));
        let (_, mut numbers): (usize, Vec<f64>) = points.into();
        numbers.clear();
        let mut add = |places: &mut dyn Iterator<Item = (usize, f64)>| {
            let from = numbers.len();
            numbers.extend_from_slice(&self.start);
            for (line, place) in places {
                let index = self.work.axes[line].index;
                numbers[from + index] = self.unscaled(index, place);
            }
        };
        match self.step {
            Step::Start | Step::Over => add(&mut std::iter::empty()),
            Step::Lines => self.work.asking.iter().for_each(|place| add(&mut std::iter::once(*place))),
            // First all improvements together, which is best for a separable function. For others, a few of the largest may be
            // better; the best single one has been evaluated before.
            Step::Combinations => {
                let improved = &self.work.improved;
                for count in (2..=improved.len()).rev() {
                    add(&mut improved[..count].iter().map(|(line, place, _)| (*line, *place)));
                }
            }
        }
        self.work.points = Columns::from_vec(n, numbers).unwrap_or_else(|| Columns::zeros(n, 0));
    }

    fn scaled(&self, index: usize, x: f64) -> f64 {
        self.work.variable(index).map_or(x, |variable| variable.scaled(x))
    }

    fn unscaled(&self, index: usize, x: f64) -> f64 {
        self.work.variable(index).map_or(x, |variable| variable.unscaled(x))
    }
}

impl Work {
    fn variable(&self, index: usize) -> Option<&ddcma_core::Variable> {
        self.variables.as_ref()?.iter().nth(index)
    }
}

impl Run for Probe {
    fn open(&mut self) {
        if !self.asked {
            self.make_points();
            self.open.open(self.work.points.len());
            self.asked = true;
        }
    }

    fn pending(&self) -> Pending<'_> {
        Pending::new(self.iterations, &self.work.points, &self.open)
    }

    fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        self.open.take(ticket, self.iterations, told)
    }

    /// Ends the generation with the values told so far, at least one. Missing values that are ranked last count as +∞; those that are
    /// left out are asked for again if they are on a line.
    fn finish(&mut self, missing: Missing, with: &mut With<'_>) -> Result<(), TellError> {
        if !self.asked {
            return Err(TellError::NotAsked);
        }
        if self.open.told() == 0 {
            return Err(TellError::TooFew { told: 0, needed: 1 });
        }
        self.end_generation(missing);
        with.show(self);
        Ok(())
    }

    fn stop(&self) -> Option<Stop> {
        let evaluations = self.evaluations();
        if let Some(budget) = self.budget.filter(|budget| evaluations >= *budget) {
            return Some(Stop::Evaluations { evaluations, budget });
        }
        let probed = || Stop::Probed { coordinates: self.coordinates(), improved: self.improved() };
        (self.step == Step::Over).then(probed)
    }

    fn best(&self) -> Option<BestOfRun<'_>> {
        let known = self.best.as_ref();
        if let Some((candidate, value, nth)) = self.open.better_than(known.map(|best| best.value)) {
            let point = &self.work.points[candidate];
            return Some(BestOfRun { point, value, evaluation: self.evaluations + nth });
        }
        let Best { point, value, evaluation } = known?;
        Some(BestOfRun { point, value: *value, evaluation: *evaluation })
    }

    fn evaluations(&self) -> u64 {
        self.evaluations()
    }

    fn view(&self) -> View<'_> {
        View::of_points("probe", self.iterations, self.evaluations(), self.best(), self.values.as_slice())
    }
}

#[cfg(feature = "checkpoint")]
fn is_point(config: &Config, point: &[f64]) -> bool {
    point.len() == config.starts.dimension() && config.check_start(point).is_ok()
}

#[cfg(feature = "checkpoint")]
impl Probe {
    /// Prepares a stored probe for use; returns whether it can belong to this search.
    pub(crate) fn resume(&mut self, config: &Config, plan: &RunPlan) -> bool {
        let (RunKind::Probe { evaluations }, Ok(axes)) = (&plan.kind, config.axes()) else { return false };
        self.work = Work { axes, variables: config.options.variables.clone(), ..Work::default() };
        let is_planned = self.for_each == *evaluations && self.budget == config.budget_of(plan);
        let is_count = |count: u64| count < u64::MAX / 4;
        if !(is_planned && is_point(config, &self.start) && is_count(self.evaluations) && is_count(self.iterations)) {
            return false;
        }
        let step = self.step;
        if step == Step::Start {
            if self.iterations > 0 || !self.lines.is_empty() {
                return false;
            }
        } else {
            if self.iterations == 0 || !self.lines_fit() {
                return false;
            }
            self.prepare_lines();
            let is_over = step == Step::Over && self.step == Step::Combinations;
            if self.step != step && !is_over {
                return false;
            }
            self.step = step;
        }
        if self.asked {
            self.make_points();
        }
        let candidates = if self.asked { self.work.points.len() } else { 0 };
        let is_open = self.open.len() == candidates && self.open.fit(candidates) && self.open.told() <= candidates;
        let is_best =
            |best: &Best| is_point(config, &best.point) && !best.value.is_nan() && best.evaluation <= self.evaluations;
        is_open && self.values.fit(self.values.len()) && self.best.as_ref().is_none_or(is_best)
    }

    fn lines_fit(&self) -> bool {
        let Some(start_value) = self.lines.first().map(Line::start_value) else { return false };
        let fits = |(line, axis): (&Line, &Axis)| {
            let start = self.scaled(axis.index, self.start[axis.index]);
            line.fits(axis.lower, axis.upper, start, start_value, self.for_each)
        };
        self.lines.len() == self.work.axes.len() && self.lines.iter().zip(&self.work.axes).all(fits)
    }
}

#[cfg(all(test, feature = "checkpoint"))]
mod tests {
    use ddcma_core::Separable;

    use super::*;
    use crate::running::Running;
    use crate::{Independent, Policy, Probed, Search, Starts, restarts};

    /// A search in the middle of a probe, in the given generation of the probe.
    fn search(generation: u64) -> Search<Separable, Probed<Independent>> {
        let f = |x: &[f64]| x.iter().map(|x| (x - 0.3).abs() + 1.0 - (9.0 * x).cos()).sum::<f64>();
        let starts = Starts::in_box(&[-3.0; 2], &[4.0; 2]).unwrap();
        let search = restarts(Independent::new().probed().evaluations(9), starts, 0.1).strategy::<Separable>();
        let mut search = search.max_runs(2).build().unwrap();
        while search.probe().is_none_or(|probe| probe.iterations() < generation) {
            let values: Vec<f64> = search.ask().iter().map(f).collect();
            search.tell(&values).unwrap();
        }
        search.ask();
        search
    }

    #[test]
    fn states_of_no_probe_are_refused() {
        let resumes = |generation: u64, change: fn(&mut Probe)| {
            let search = search(generation);
            let Running::Probe(probe) = &search.state.running else { panic!("no probe") };
            let mut changed = Probe::clone(probe);
            changed.work = Work::default();
            change(&mut changed);
            changed.resume(&search.state.config, &search.state.plan)
        };
        for generation in [0, 1, 5, 9] {
            assert!(resumes(generation, |_| {}), "generation {generation}");
            assert!(!resumes(generation, |probe| probe.start.clear()));
            assert!(!resumes(generation, |probe| probe.start[0] = f64::NAN));
            assert!(!resumes(generation, |probe| probe.for_each = 8));
            assert!(!resumes(generation, |probe| probe.budget = Some(3)));
            assert!(!resumes(generation, |probe| probe.evaluations = u64::MAX));
            assert!(!resumes(generation, |probe| probe.iterations = u64::MAX));
            assert!(!resumes(generation, |probe| probe.open.clear()));
            assert!(!resumes(generation, |probe| probe.open.open(77)));
            assert!(!resumes(generation, |probe| probe.asked = false));
        }
        assert!(!resumes(0, |probe| probe.step = Step::Lines));
        assert!(!resumes(5, |probe| probe.step = Step::Start));
        assert!(!resumes(5, |probe| probe.step = Step::Combinations));
        assert!(!resumes(5, |probe| probe.step = Step::Over));
        assert!(!resumes(5, |probe| drop(probe.lines.pop())));
        assert!(!resumes(5, |probe| probe.lines.clear()));
        assert!(!resumes(5, |probe| probe.lines.swap(0, 1)));
        let best = |change: fn(&mut Best)| {
            let search = search(5);
            let Running::Probe(probe) = &search.state.running else { panic!("no probe") };
            let mut changed = Probe::clone(probe);
            change(changed.best.as_mut().unwrap());
            changed.resume(&search.state.config, &search.state.plan)
        };
        assert!(best(|_| {}));
        assert!(!best(|best| best.point.clear()));
        assert!(!best(|best| best.value = f64::NAN));
        assert!(!best(|best| best.evaluation = 1000));
    }

    #[test]
    fn nothing_is_allocated_for_points_on_the_way() {
        let mut search = search(1);
        let room = |search: &Search<Separable, Probed<Independent>>| {
            search.probe().map(|probe| (probe.work.points.as_slice().as_ptr(), probe.work.asking.as_ptr()))
        };
        let first = room(&search);
        for _ in 0..5 {
            let values: Vec<f64> = search.ask().iter().map(|x| x[0]).collect();
            search.tell(&values).unwrap();
            search.ask();
            assert_eq!(room(&search), first);
        }
    }
}
