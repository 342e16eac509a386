//! A strategy combined with another step-size rule.

use std::marker::PhantomData;

use super::StepSizeRule;
use crate::{Columns, Generation, Pace, Params, Shape, StartError, StartShape, Strategy, UpdateError};

/// The strategy `S`, with its step size adapted by the rule `T`.
#[derive(Clone, Debug)]
pub struct WithStepSize<S, T> {
    strategy: S,
    rule: PhantomData<T>,
}

impl<S, T> WithStepSize<S, T> {
    /// Returns the inner strategy.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }
}

impl<S: Strategy, T: StepSizeRule> Strategy for WithStepSize<S, T> {
    const NAME: &'static str = S::NAME;

    type Options = S::Options;

    type StepSize = T;

    const OPTION_NAMES: &'static [&'static str] = S::OPTION_NAMES;

    fn start(params: &Params, options: &S::Options, shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(Self { strategy: S::start(params, options, shape)?, rule: PhantomData })
    }

    fn choose(options: &mut S::Options, name: &str) -> bool {
        S::choose(options, name)
    }

    fn set_option(options: &mut S::Options, name: &str, value: f64) -> bool {
        S::set_option(options, name, value)
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.strategy.sample(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.strategy.whiten(y, z);
    }

    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        self.strategy.update(generation, pace, params)
    }

    fn shape(&self) -> Shape<'_> {
        self.strategy.shape()
    }

    fn has_c(&self) -> bool {
        self.strategy.has_c()
    }

    fn c(&self) -> Columns {
        self.strategy.c()
    }

    fn axis_lengths(&self) -> Vec<f64> {
        self.strategy.axis_lengths()
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.strategy.principal_axis(t, axis);
    }

    fn set_d(&mut self, d: &[f64]) -> bool {
        self.strategy.set_d(d)
    }

    fn to_bytes(&self) -> Option<Vec<u8>> {
        self.strategy.to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self { strategy: S::from_bytes(bytes)?, rule: PhantomData })
    }

    fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        self.strategy.resume(params)
    }
}
