//! The strategies of this crate as one type, for programs that choose the strategy at run time.

use super::{DiagonalDecoding, Generation, Plain, Separable, Shape, StartShape, Strategy};
use crate::step_size::BuiltInRule;
use crate::stored::{stored, stored_as_bytes};
use crate::{Columns, Pace, Params, StartError, UpdateError};

stored! {
    /// One of the built-in strategies, chosen by its option, a [`Variant`].
    ///
    /// Use it with restart policies that choose a strategy for each run, and in programs that read its name at run time. A
    /// run is identical, bit for bit, to one of the strategy itself.
    ///
    /// ```
    /// use ddcma_core::{BuiltInStrategy, Optimizer, Variant};
    ///
    /// let mut es = Optimizer::<BuiltInStrategy>::builder(&[3.0; 5], 1.0).strategy_options(Variant::Plain).seed(1).build()?;
    /// es.run(|x: &[f64]| x.iter().map(|x| x * x).sum())?;
    /// assert_eq!(es.strategy().variant().name(), "plain");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug)]
    #[non_exhaustive]
    pub enum BuiltInStrategy {
        /// Plain CMA-ES.
        Plain(Plain),
        /// Separable CMA-ES.
        Separable(Separable),
        /// dd-CMA-ES.
        DiagonalDecoding(DiagonalDecoding),
    }

    /// The strategy of a [`BuiltInStrategy`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Variant {
        /// [`Plain`].
        Plain,
        /// [`Separable`].
        Separable,
        /// [`DiagonalDecoding`], the default.
        #[default]
        DiagonalDecoding,
    }
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Separable, Self::DiagonalDecoding];

    /// Returns the name of the strategy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => Plain::NAME,
            Self::Separable => Separable::NAME,
            Self::DiagonalDecoding => DiagonalDecoding::NAME,
        }
    }
}

/// Returns the name of the variant, by which a plan chooses a strategy.
impl From<Variant> for String {
    fn from(variant: Variant) -> Self {
        variant.name().to_string()
    }
}

/// Evaluates the same expression for any of the strategies.
macro_rules! each {
    ($strategy:expr, $it:ident => $call:expr) => {
        match $strategy {
            BuiltInStrategy::Plain($it) => $call,
            BuiltInStrategy::Separable($it) => $call,
            BuiltInStrategy::DiagonalDecoding($it) => $call,
        }
    };
}

impl BuiltInStrategy {
    /// Returns which strategy it is.
    pub fn variant(&self) -> Variant {
        match self {
            Self::Plain(_) => Variant::Plain,
            Self::Separable(_) => Variant::Separable,
            Self::DiagonalDecoding(_) => Variant::DiagonalDecoding,
        }
    }
}

impl Strategy for BuiltInStrategy {
    const NAME: &'static str = "built-in";

    type Options = Variant;

    type StepSize = BuiltInRule;

    fn start(params: &Params, variant: &Variant, shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(match variant {
            Variant::Plain => Self::Plain(Plain::start(params, &(), shape)?),
            Variant::Separable => Self::Separable(Separable::start(params, &(), shape)?),
            Variant::DiagonalDecoding => Self::DiagonalDecoding(DiagonalDecoding::start(params, &(), shape)?),
        })
    }

    fn choose(variant: &mut Variant, name: &str) -> bool {
        let named = Variant::ALL.into_iter().find(|variant| variant.name() == name);
        *variant = named.unwrap_or(*variant);
        named.is_some()
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        each!(self, it => it.sample(z, y));
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        each!(self, it => it.whiten(y, z));
    }

    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        each!(self, it => it.update(generation, pace, params))
    }

    fn shape(&self) -> Shape<'_> {
        each!(self, it => it.shape())
    }

    fn has_c(&self) -> bool {
        each!(self, it => it.has_c())
    }

    fn c(&self) -> Columns {
        each!(self, it => it.c())
    }

    fn axis_lengths(&self) -> Vec<f64> {
        each!(self, it => it.axis_lengths())
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        each!(self, it => it.principal_axis(t, axis));
    }

    fn set_d(&mut self, d: &[f64]) -> bool {
        each!(self, it => it.set_d(d))
    }

    stored_as_bytes!();

    fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        each!(self, it => it.resume(params))
    }
}
