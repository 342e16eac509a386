//! Start points of runs, independent of policies and optimizers.

use std::fmt;
use std::sync::Arc;

use ddcma_core::{Bounds, Variable, Variables, Xoshiro256PlusPlus};
use rand_distr::{Distribution, StandardNormal};

use crate::StartPointsError;
use crate::streams::uniform;

/// The start points of a search.
///
/// ```
/// use ddcma_restarts::Starts;
/// use ddcma_core::rand_core::Rng;
///
/// let anywhere = Starts::in_box(&[-5.0, 0.0], &[5.0, 1.0])?;
/// let nearby = Starts::around(&[1.0, 2.0], 0.5)?; // the first run starts at the point itself
/// let custom = Starts::from_fn(2, |run, rng| vec![run as f64, (rng.next_u64() % 100) as f64]);
/// assert!([anywhere, nearby, custom].iter().all(|starts| starts.dimension() == 2));
/// # Ok::<(), ddcma_restarts::StartPointsError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Starts(pub(crate) Kind);

#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Kind {
    Box {
        lower: Vec<f64>,
        upper: Vec<f64>,
    },
    Around {
        point: Vec<f64>,
        deviation: f64,
    },
    Over(Variables),
    From {
        n: usize,
        /// Cannot be stored; must be given again.
        #[cfg_attr(feature = "checkpoint", serde(skip))]
        draw: Draw,
    },
}

/// The parts of a search that its start points may depend on.
pub(crate) struct Surroundings<'a> {
    pub(crate) deviations: Option<&'a [f64]>,
    pub(crate) bounds: Option<&'a Bounds>,
    pub(crate) variables: Option<&'a Variables>,
}

/// A closure that draws the start point of run k.
#[derive(Clone, Default)]
pub(crate) struct Draw(Option<Arc<DrawFn>>);

type DrawFn = dyn Fn(usize, &mut Xoshiro256PlusPlus) -> Vec<f64> + Send + Sync;

impl Draw {
    pub(crate) fn new(draw: impl Fn(usize, &mut Xoshiro256PlusPlus) -> Vec<f64> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(draw)))
    }

    /// Returns an empty point if the closure was not given again after reading a checkpoint.
    fn call(&self, k: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        self.0.as_ref().map_or_else(Vec::new, |draw| draw(k, rng))
    }
}

impl fmt::Debug for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Starts {
    /// Draws start points uniformly in a box, which must be within the bounds of the search, if it has any.
    pub fn in_box(lower: &[f64], upper: &[f64]) -> Result<Self, StartPointsError> {
        let (expected, got) = (lower.len(), upper.len());
        if expected != got {
            return Err(StartPointsError::BoxOfWrongLength { expected, got });
        }
        let mut sides = lower.iter().zip(upper).enumerate();
        let bad = sides.find(|(_, (lower, upper))| !(lower <= upper && (**upper - **lower).is_finite()));
        if let Some((index, (&lower, &upper))) = bad {
            return Err(StartPointsError::Side { index, lower, upper });
        }
        Ok(Self(Kind::Box { lower: lower.to_vec(), upper: upper.to_vec() }))
    }

    /// Starts the first run at the point itself, and later runs at points normally distributed around it.
    ///
    /// If the search has [deviations](crate::SearchBuilder::deviations), each coordinate is drawn with `deviation` times its own
    /// deviation, so start points match the scales of variables such as 1e-5 and 1e5. A covariance matrix has no effect. With bounds,
    /// coordinates outside are set to the bound. With [variables](crate::SearchBuilder::variables), free ones deviate on their scale, by
    /// `deviation` times their own deviation, and fixed ones stay.
    pub fn around(point: &[f64], deviation: f64) -> Result<Self, StartPointsError> {
        if let Some(index) = point.iter().position(|x| !x.is_finite()) {
            return Err(StartPointsError::Point { index, value: point[index] });
        }
        if !(deviation >= 0.0 && deviation.is_finite()) {
            return Err(StartPointsError::Deviation { deviation });
        }
        Ok(Self(Kind::Around { point: point.to_vec(), deviation }))
    }

    /// Draws start points uniformly over the ranges of variables, on their scales.
    ///
    /// A variable with an infinite range is drawn from a normal distribution around its start, with its deviation, and set to a bound if
    /// it falls outside. In the first run, variables with a given [start](Variable::start) start there. Points have all variables, in
    /// their own units. The search needs the variables, too: [`restarts_over`](crate::restarts_over) passes them to both.
    pub fn over(variables: &Variables) -> Self {
        Self(Kind::Over(variables.clone()))
    }

    /// Draws start points with a closure, which gets the number of the run, from 0, and a random number generator for that run.
    ///
    /// The returned point must have n coordinates and be within the bounds; otherwise the search ends with an error.
    pub fn from_fn(
        n: usize,
        draw: impl Fn(usize, &mut Xoshiro256PlusPlus) -> Vec<f64> + Send + Sync + 'static,
    ) -> Self {
        Self(Kind::From { n, draw: Draw::new(draw) })
    }

    /// Checks stored start points, except for a closure that draws them.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn check(&self) -> Result<(), StartPointsError> {
        match &self.0 {
            Kind::Box { lower, upper } => Self::in_box(lower, upper).map(|_| ()),
            Kind::Around { point, deviation } => Self::around(point, *deviation).map(|_| ()),
            Kind::Over(_) | Kind::From { .. } => Ok(()), // variables are checked when they are read
        }
    }

    /// Returns the number of variables.
    pub fn dimension(&self) -> usize {
        match &self.0 {
            Kind::Box { lower, .. } => lower.len(),
            Kind::Around { point, .. } => point.len(),
            Kind::Over(variables) => variables.dimension(),
            Kind::From { n, .. } => *n,
        }
    }

    /// Draws the start point of run k.
    pub(crate) fn draw(&self, k: usize, rng: &mut Xoshiro256PlusPlus, surroundings: &Surroundings<'_>) -> Vec<f64> {
        let Surroundings { deviations, bounds, variables } = *surroundings;
        match (&self.0, variables) {
            (Kind::Around { point, deviation }, Some(variables)) if k > 0 && point.len() == variables.dimension() => {
                let usual = variables.deviations();
                let own = deviations.unwrap_or(&usual);
                let mut start = point.clone();
                for ((index, variable), own) in variables.free().zip(own) {
                    let x = variable.scaled(point[index]) + deviation * own * normal(rng);
                    start[index] = variable.unscaled(x);
                }
                start
            }
            _ => self.draw_as_it_is(k, rng, deviations, bounds),
        }
    }

    fn draw_as_it_is(
        &self,
        k: usize,
        rng: &mut Xoshiro256PlusPlus,
        deviations: Option<&[f64]>,
        bounds: Option<&Bounds>,
    ) -> Vec<f64> {
        match &self.0 {
            Kind::Box { lower, upper } => {
                lower.iter().zip(upper).map(|(l, u)| (l + uniform(rng) * (u - l)).clamp(*l, *u)).collect()
            }
            Kind::Around { point, .. } if k == 0 => point.clone(),
            Kind::Around { point, deviation } => {
                let own = |k: usize| deviations.and_then(|deviations| deviations.get(k)).copied().unwrap_or(1.0);
                let coordinates = point.iter().enumerate();
                let mut start: Vec<f64> = coordinates.map(|(k, x)| x + deviation * own(k) * normal(rng)).collect();
                if let Some(bounds) = bounds {
                    for ((x, lower), upper) in start.iter_mut().zip(bounds.lower()).zip(bounds.upper()) {
                        *x = x.max(lower).min(upper);
                    }
                }
                start
            }
            Kind::Over(variables) => {
                let (mut start, deviations) = (variables.start(), variables.deviations());
                for ((index, variable), deviation) in variables.free().zip(deviations) {
                    if k > 0 || variable.given_start().is_none() {
                        start[index] = anywhere(variable, start[index], deviation, rng);
                    }
                }
                start
            }
            Kind::From { draw, .. } => draw.call(k, rng),
        }
    }
}

/// Draws a value of a variable: anywhere in its range, or around its start if the range is infinite.
fn anywhere(variable: &Variable, start: f64, deviation: f64, rng: &mut Xoshiro256PlusPlus) -> f64 {
    let (lower, upper) = variable.bounds();
    variable.unscaled(if lower.is_finite() && upper.is_finite() {
        let (lower, upper) = (variable.scaled(lower), variable.scaled(upper));
        lower + uniform(rng) * (upper - lower)
    } else {
        variable.scaled(start) + deviation * normal(rng)
    })
}

fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    StandardNormal.sample(rng)
}
