//! What a run or a search starts from, and the function that it minimizes.

use ddcma_core::{Bounds, Columns, Distribution, RunOptions, Settings, StepSize, StopCriteria, Variable, Variables};

use super::super::draw::Draw;
use super::super::plans::More;
use super::super::searches::Drawn;

/// What is started.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Run,
    Search(Drawn),
    /// Two runs that take turns.
    Turns,
}

/// Everything that a program says before it starts.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) kind: Kind,
    pub(super) start: Vec<f64>,
    pub(super) sigma: f64,
    pub(super) settings: Settings,
    pub(super) deviations: Option<Vec<f64>>,
    pub(super) covariance: Option<Columns>,
    pub(super) shape_of: Option<Distribution>,
    pub(super) bounds: Option<Bounds>,
    pub(super) variables: Option<Variables>,
    /// Variables that are set although the start comes from others.
    pub(super) other_variables: Option<Variables>,
    pub(super) budget: Option<u64>,
    pub(super) max_iterations: Option<u64>,
    pub(super) max_runs: Option<usize>,
    pub(super) seed: u64,
    /// Whether it is saved to a file from the start.
    pub(super) saves: bool,
    function: usize,
}

impl Setup {
    pub(super) fn draw(word: u64) -> Self {
        let draw = &mut Draw::of_case(word, 0);
        let n = 1 + draw.below(4);
        let settings = Settings::new().lambda(2 + draw.below(9));
        let settings = if draw.chance(0.3) { settings.step_size(StepSize::Tpa) } else { settings };
        let start: Vec<f64> = (0..n).map(|_| draw.between(-2.0, 2.0)).collect();
        let space = draw.below(6);
        let deviations = draw.chance(0.4).then(|| powers(draw, n));
        let covariance = draw.chance(0.25).then(|| covariance(&powers(draw, n)));
        let shape_of = draw.chance(0.25).then(|| Distribution {
            mean: start.clone(),
            sigma: draw.power(-1.0, 1.0),
            d: powers(draw, n),
            c: draw.chance(0.7).then(|| self::covariance(&powers(draw, n))),
        });
        let some = |draw: &mut Draw, most: usize| draw.chance(0.5).then(|| 1 + draw.below(most));
        let mut setup = Self {
            kind: if draw.chance(0.5) {
                let more = draw.pick(&[More::Nothing, More::Deviations]);
                let probe = draw.chance(0.4).then(|| 1 + draw.below(6) as u32);
                Kind::Search(Drawn::draw(draw, more, probe))
            } else if draw.chance(0.2) {
                Kind::Turns
            } else {
                Kind::Run
            },
            sigma: draw.power(-1.0, 1.0),
            settings,
            deviations,
            covariance,
            shape_of,
            bounds: (space == 0).then(|| Bounds::uniform(n, -3.0, 2.5).expect("an interval")),
            variables: (space == 1).then(|| variables(&start, 3.0)),
            other_variables: (space == 1 && draw.chance(0.1)).then(|| variables(&start, 4.0)),
            budget: if draw.chance(0.03) { Some(0) } else { some(draw, 200).map(|budget| budget as u64) },
            max_iterations: some(draw, 12).map(|budget| budget as u64),
            max_runs: some(draw, 2),
            seed: draw.bits(),
            saves: draw.chance(0.6),
            function: draw.below(6),
            start,
        };
        if matches!(setup.kind, Kind::Search(_)) {
            // Short runs, so that there are several of them. Some policies never end by themselves.
            setup.max_iterations = setup.max_iterations.map(|limit| 1 + limit / 2);
            if setup.max_runs.is_none() {
                setup.budget.get_or_insert(150);
            }
        }
        setup
    }

    /// Returns whether this is no valid start.
    pub(super) fn must_be_refused(&self) -> bool {
        self.budget == Some(0) || (self.other_variables.is_some() && !matches!(self.kind, Kind::Turns))
    }

    /// The stop criteria of each run, without its budget of evaluations.
    pub(super) fn criteria(&self) -> StopCriteria {
        StopCriteria::new().max_iterations(self.max_iterations)
    }

    /// The options of a run, without its budget of evaluations.
    pub(super) fn options(&self) -> RunOptions {
        let mut options = RunOptions::new().settings(self.settings.clone()).criteria(self.criteria()).seed(self.seed);
        if let Some(deviations) = &self.deviations {
            options = options.deviations(deviations);
        }
        if let Some(covariance) = &self.covariance {
            options = options.covariance(covariance.clone());
        }
        if let Some(known) = &self.shape_of {
            options = options.shape_of(known.clone());
        }
        if let Some(bounds) = &self.bounds {
            options = options.bounds(bounds.clone());
        }
        options
    }

    /// A function of points only, with ties, infinite values and missing ones.
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        let sphere: f64 = x.iter().map(|x| (x - 0.3).powi(2)).sum();
        match self.function {
            0 => sphere,
            1 => sphere.round(),
            2 if x[0] > 0.5 => f64::NAN,
            2 if x[0] < -1.5 => f64::INFINITY,
            3 => x.iter().map(|x| x * x + 10.0 * (1.0 - (6.0 * x).cos())).sum(),
            4 => x[0],
            5 if x[0] > 0.0 => f64::NEG_INFINITY,
            _ => 1e3 * sphere + x[0].abs(),
        }
    }
}

fn powers(draw: &mut Draw, n: usize) -> Vec<f64> {
    (0..n).map(|_| draw.power(-2.0, 2.0)).collect()
}

fn variables(start: &[f64], width: f64) -> Variables {
    let ranges = start.iter().enumerate().map(|(k, x)| match k % 3 {
        0 => Variable::between(x - width, x + 0.5 * width),
        1 => Variable::around(*x, width),
        _ => Variable::around(*x, 0.3 * width).at_most(x + width),
    });
    Variables::new(ranges).expect("ranges around the start")
}

/// A matrix with these deviations, and a correlation of ½ between all coordinates.
fn covariance(deviations: &[f64]) -> Columns {
    let n = deviations.len();
    let mut c = Columns::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            c[i][j] = deviations[i] * deviations[j] * if i == j { 1.0 } else { 0.5 };
        }
    }
    c
}
