//! Hostile objective functions. They see only points and the mean.

use ddcma_core::{Columns, Objective, OpenGeneration};

use super::draw::Draw;

/// The families of a hostile objective.
#[derive(Clone, Copy, Debug)]
enum Family {
    NanAlways,
    NanSometimes(f64),
    NanInAHalfSpace,
    InfinityAlways,
    MinusInfinityAlways,
    Infinities,
    NearTheLargestNumber,
    Denormal,
    Constant(f64),
    Plateaus,
    Ties,
    Cliff,
    HeavyTailedNoise,
    Reversal,
    LongestStep,
    ShortestStep,
    Conditioned(f64),
    TurnedConditioned(f64),
    GrowsForever,
    Slope,
    OneCoordinate,
    Sphere,
    Noise,
}

/// A function with a state, which may return another value for the same point.
#[derive(Clone, Debug)]
pub(super) struct Hostile {
    family: Family,
    draw: Draw,
    /// Its center, and the unit of each coordinate.
    center: Vec<f64>,
    units: Vec<f64>,
}

impl Hostile {
    pub(super) fn draw(draw: &mut Draw, start: &[f64], sigma: f64) -> Self {
        let family = match draw.below(23) {
            0 => Family::NanAlways,
            1 => Family::NanSometimes(draw.unit()),
            2 => Family::NanInAHalfSpace,
            3 => Family::InfinityAlways,
            4 => Family::MinusInfinityAlways,
            5 => Family::Infinities,
            6 => Family::NearTheLargestNumber,
            7 => Family::Denormal,
            8 => Family::Constant(draw.pick(&[0.0, -0.0, 1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE])),
            9 => Family::Plateaus,
            10 => Family::Ties,
            11 => Family::Cliff,
            12 => Family::HeavyTailedNoise,
            13 => Family::Reversal,
            14 => Family::LongestStep,
            15 => Family::ShortestStep,
            16 => Family::Conditioned(draw.between(1.0, 300.0)),
            17 => Family::TurnedConditioned(draw.between(1.0, 40.0)),
            18 => Family::GrowsForever,
            19 => Family::Slope,
            20 => Family::OneCoordinate,
            21 => Family::Sphere,
            _ => Family::Noise,
        };
        let unit = if draw.chance(0.2) { draw.power(-300.0, 300.0) } else { sigma };
        let units = start.iter().map(|_| unit * draw.power(-1.0, 1.0)).collect();
        let center = start.iter().map(|x| x + draw.normal() * unit).collect();
        Self { family, draw: draw.split(), center, units }
    }

    /// Returns the name, for messages.
    pub(super) fn name(&self) -> String {
        format!("{:?}", self.family)
    }

    /// Returns one value for each point.
    pub(super) fn values(&mut self, generation: u64, mean: &[f64], points: &Columns, values: &mut Vec<f64>) {
        values.clear();
        for x in points {
            let value = self.value(generation, mean, x);
            values.push(value);
        }
    }

    fn value(&mut self, generation: u64, mean: &[f64], x: &[f64]) -> f64 {
        let u = || x.iter().zip(&self.center).zip(&self.units).map(|((x, c), unit)| (x - c) / unit);
        let sphere = || u().map(|u| u * u).sum::<f64>();
        // Halved, so that the distance between two finite points is finite.
        let step = || x.iter().zip(mean).map(|(x, m)| (x / 2.0 - m / 2.0).abs()).fold(0.0, f64::max);
        let first = u().next().unwrap_or(0.0);
        let n = x.len();
        let exponent = |k: usize, decades: f64| decades * k as f64 / (n.max(2) - 1) as f64;
        match self.family {
            Family::NanAlways => f64::NAN,
            Family::NanSometimes(share) if self.draw.chance(share) => f64::NAN,
            Family::NanInAHalfSpace if first > 0.0 => f64::NAN,
            Family::InfinityAlways => f64::INFINITY,
            Family::MinusInfinityAlways => f64::NEG_INFINITY,
            Family::Infinities => match self.draw.below(3) {
                0 => f64::INFINITY,
                1 => f64::NEG_INFINITY,
                _ => sphere(),
            },
            Family::NearTheLargestNumber => first.signum() * (f64::MAX - sphere().min(1.0) * 1e300),
            Family::Denormal => f64::from_bits(sphere().min(1e15) as u64),
            Family::Constant(value) => value,
            Family::Plateaus => sphere().log10().floor(),
            Family::Ties => self.draw.below(3) as f64,
            Family::Cliff => sphere() + if first > 0.3 { 1e308 } else { 0.0 },
            Family::HeavyTailedNoise => sphere() + (std::f64::consts::PI * (self.draw.unit() - 0.5)).tan(),
            Family::Reversal => sphere() * if generation.is_multiple_of(2) { 1.0 } else { -1.0 },
            Family::LongestStep => -step(),
            Family::ShortestStep => step(),
            Family::Conditioned(decades) => {
                u().enumerate().map(|(k, u)| 10f64.powf(exponent(k, decades)) * u * u).sum()
            }
            Family::TurnedConditioned(decades) => {
                // Differences of neighbors are weighted, so that the axes lie across the coordinates.
                let neighbors = u().zip(u().skip(1).chain(std::iter::once(0.0)));
                let terms = neighbors.enumerate().map(|(k, (a, b))| 10f64.powf(exponent(k, decades)) * (a - b).powi(2));
                terms.sum()
            }
            Family::GrowsForever => -sphere(),
            Family::Slope => x.iter().map(|x| x / n as f64).sum(),
            Family::OneCoordinate => first.abs(),
            Family::NanSometimes(_) | Family::NanInAHalfSpace | Family::Sphere => sphere(),
            Family::Noise => self.draw.unit(),
        }
    }
}

/// The error or panic payload of an objective that is supposed to fail.
#[derive(Debug)]
pub(super) struct Planned;

/// How an evaluation ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    None,
    Error,
    Panic,
}

/// An objective that tells given values, and may fail before it has told all of them.
pub(super) struct Faulty<'a> {
    pub(super) values: &'a [f64],
    pub(super) fault: Fault,
    /// The number of values that are told before the fault.
    pub(super) after: usize,
}

impl Objective for Faulty<'_> {
    type Error = Planned;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Planned> {
        let handed_out = if self.fault == Fault::None { self.values.len() } else { self.after };
        let missing: Vec<usize> = generation.missing().take_while(|index| *index < handed_out).collect();
        for index in missing {
            generation.tell(index, self.values[index]).expect("a candidate without a value");
        }
        match self.fault {
            Fault::None => Ok(()),
            Fault::Error => Err(Planned),
            // Unlike `panic!`, this prints no message, because the panic is intended.
            Fault::Panic => std::panic::resume_unwind(Box::new(Planned)),
        }
    }
}
