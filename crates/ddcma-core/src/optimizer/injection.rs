//! Random vectors and points from elsewhere, instead of those of line 3.

use super::{Missing, State, Work};
use crate::numeric::squared_length;
use crate::{AskError, Columns, InjectError, Optimizer, Strategy};

impl<S: Strategy, R> Optimizer<S, R> {
    /// Like [`ask`](Self::ask), with given standard normal vectors (n × λ) instead of drawn ones.
    ///
    /// A generation that was asked for but not told is replaced. The random number generator does not advance. A step-size
    /// rule that wants two candidates along the last step does not get them.
    pub fn ask_with(&mut self, z: &Columns) -> Result<&Columns, AskError> {
        let expected = (self.params.n, self.params.lambda);
        let got = (z.dimension(), z.len());
        if got != expected {
            return Err(AskError::WrongShape { expected, got });
        }
        if let Some(position) = z.as_slice().iter().position(|z| !z.is_finite()) {
            let (candidate, index) = (position / self.params.n, position % self.params.n);
            return Err(AskError::NotFinite { candidate, index, value: z[candidate][index] });
        }
        let told = self.state.open.told();
        if told > 0 {
            return Err(AskError::PartlyTold { told, lambda: self.params.lambda });
        }
        self.state.z.clone_from(z);
        self.state.pair = false;
        self.decode();
        self.await_values();
        Ok(&self.work.x)
    }

    /// Tells points from elsewhere with their values, instead of the candidates that were asked for: points of another optimizer, repaired
    /// candidates, or candidates whose values came late.
    ///
    /// There must be λ points, in the user's units, with fixed variables at their values. A point that is bitwise equal to
    /// the candidate in its place counts as that candidate. Any other point becomes a step z = (σ·D·√C)⁻¹·(x − m), shortened
    /// to ‖z‖ ≤ √n + 2n/(n + 2) (Hansen, "Injecting external solutions into CMA-ES", 2011), so that a single far point
    /// cannot blow up the distribution. Such points were not drawn from the distribution, so the update is no longer
    /// stationary: what the paper proves for random functions no longer holds, and a stream of bad points can mislead the
    /// search. The told point itself, at its full length, can become the best.
    pub fn tell_points(&mut self, points: &Columns, values: &[f64]) -> Result<(), InjectError> {
        let space = &self.state.space;
        let expected = (space.dimension(), self.params.lambda);
        let got = (points.dimension(), points.len());
        if got != expected {
            return Err(InjectError::WrongShape { expected, got });
        }
        self.check_whole(values)?;
        for (candidate, x) in points.iter().enumerate() {
            if let Some(index) = x.iter().position(|x| !x.is_finite()).or(space.violated_by(x)) {
                let (value, (lower, upper)) = (x[index], space.sides(index));
                let name = space.name(index);
                return Err(match lower == upper {
                    true => InjectError::Fixed { candidate, index, name, value, fixed: lower },
                    false => InjectError::Point { candidate, index, name, value },
                });
            }
        }
        for (candidate, x) in points.iter().enumerate() {
            if !(self.state.asked && self.work.x[candidate] == *x) {
                self.inject(candidate, x);
            }
        }
        self.state.open.take_all(values);
        Ok(self.iterate(Missing::RankLast)?)
    }

    /// Turns a point from elsewhere into a candidate.
    fn inject(&mut self, candidate: usize, x: &[f64]) {
        let State { strategy, step_size, mean, space, z, pair, .. } = &mut self.state;
        *pair = *pair && candidate > 1;
        let Work { y, x: asked, searched, .. } = &mut self.work;
        let (z, y) = (&mut z[candidate], &mut y[candidate]);
        asked[candidate].copy_from_slice(x);
        space.leave_toward(x, searched, mean);
        let (sigma, d) = (step_size.sigma(), strategy.shape().d);
        for (((y, x), m), d) in y.iter_mut().zip(searched).zip(mean).zip(d) {
            // No candidate is ever this far away; only the direction is lost.
            *y = ((*x - *m) / sigma / d).clamp(-1e150, 1e150);
        }
        strategy.whiten(y, z);
        let n = self.params.n as f64;
        let longest = n.sqrt() + 2.0 * n / (n + 2.0);
        let shortening = longest / squared_length(z).sqrt();
        if shortening < 1.0 {
            z.iter_mut().for_each(|z| *z *= shortening);
            y.iter_mut().for_each(|y| *y *= shortening);
        }
    }
}
