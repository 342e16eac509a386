//! Random vectors and points from elsewhere, instead of those of line 3.

use super::{Keys, State};
use crate::numeric::squared_length;
use crate::{Columns, Missing, Optimizer, Strategy, TellError};

impl<S: Strategy> Optimizer<S> {
    /// Like [`ask`](Self::ask), with given standard normal vectors (n × λ) instead of drawn ones.
    ///
    /// A generation that was asked for but not told is replaced. The random number generator does not advance. A step-size
    /// rule that wants two candidates along the last step does not get them.
    pub fn ask_with(&mut self, z: &Columns) -> Result<&Columns, TellError> {
        let expected = (self.params.n, self.params.lambda);
        let got = (z.dimension(), z.len());
        if got != expected {
            return Err(TellError::WrongShape { expected, got });
        }
        if let Some(position) = z.as_slice().iter().position(|z| !z.is_finite()) {
            let (candidate, index) = (position / self.params.n, position % self.params.n);
            return Err(TellError::NotFinite { candidate, index, value: z[candidate][index] });
        }
        let told = self.state.open.told();
        if told > 0 {
            return Err(TellError::PartlyTold { told, lambda: self.params.lambda });
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
    pub fn tell_points(&mut self, points: &Columns, values: &[f64]) -> Result<(), TellError> {
        let expected = (self.state.space.dimension(), self.params.lambda);
        let got = (points.dimension(), points.len());
        if got != expected {
            return Err(TellError::WrongShape { expected, got });
        }
        self.check_whole(values)?;
        for (candidate, x) in points.iter().enumerate() {
            self.check_point(candidate, x)?;
        }
        for (candidate, x) in points.iter().enumerate() {
            if !(self.state.asked && self.work.x[candidate] == *x) {
                self.inject(candidate, x);
            }
        }
        self.state.open.take_all(values);
        self.iterate(Keys::Values(Missing::RankLast))
    }

    /// Replaces a candidate of the open generation that has no value yet. The value that is then told must be that of the new point.
    ///
    /// The point becomes a step as in [`tell_points`](Self::tell_points), also if it is equal to the candidate.
    pub fn replace(&mut self, candidate: usize, x: &[f64]) -> Result<(), TellError> {
        let (lambda, open) = (self.params.lambda, &self.state.open);
        if !self.state.asked {
            return Err(TellError::NotAsked);
        }
        if candidate >= lambda {
            return Err(TellError::NoSuchCandidate { index: candidate, lambda });
        }
        if let Some(value) = open.get(candidate) {
            return Err(TellError::Twice { ticket: self.pending().ticket(candidate), value });
        }
        if x.len() != self.state.space.dimension() {
            return Err(TellError::WrongShape { expected: (self.state.space.dimension(), 1), got: (x.len(), 1) });
        }
        self.check_point(candidate, x)?;
        self.inject(candidate, x);
        self.state.replaced.retain(|(replaced, _)| *replaced != candidate);
        self.state.replaced.push((candidate, x.to_vec()));
        Ok(())
    }

    /// Writes the standard normal vector that belongs to a point: (σ·D·A)⁻¹·(x − m), in the coordinates of the search. With variables, x has
    /// all of them, in their own units, and z has one number for each free one.
    pub fn whiten(&mut self, x: &[f64], z: &mut [f64]) -> Result<(), TellError> {
        let (expected, got) = ((self.state.space.dimension(), self.params.n), (x.len(), z.len()));
        if got != expected {
            return Err(TellError::WrongLengths { expected, got });
        }
        let Self { strategy, step_size, state, work, .. } = self;
        unscale(state, step_size.sigma(), strategy.shape().d, x, &mut work.searched, &mut work.unscaled_step);
        strategy.whiten(&work.unscaled_step, z);
        Ok(())
    }

    /// Checks that a candidate can be at this point.
    fn check_point(&self, candidate: usize, x: &[f64]) -> Result<(), TellError> {
        let space = &self.state.space;
        let Some(index) = x.iter().position(|x| !x.is_finite()).or(space.violated_by(x)) else { return Ok(()) };
        let (value, (lower, upper), name) = (x[index], space.sides(index), space.name(index));
        Err(match lower == upper {
            true => TellError::Fixed { candidate, index, name, value, fixed: lower },
            false => TellError::Point { candidate, index, name, value },
        })
    }

    /// Turns a point from elsewhere into a candidate.
    pub(super) fn inject(&mut self, candidate: usize, x: &[f64]) {
        let Self { strategy, step_size, state, work, params, .. } = self;
        state.pair = state.pair && candidate > 1;
        work.x[candidate].copy_from_slice(x);
        let y = &mut work.y[candidate];
        unscale(state, step_size.sigma(), strategy.shape().d, x, &mut work.searched, y);
        let z = &mut state.z[candidate];
        strategy.whiten(y, z);
        let n = params.n as f64;
        let longest = n.sqrt() + 2.0 * n / (n + 2.0);
        let shortening = longest / squared_length(z).sqrt();
        if shortening < 1.0 {
            z.iter_mut().for_each(|z| *z *= shortening);
            y.iter_mut().for_each(|y| *y *= shortening);
        }
    }
}

/// Writes (σ·D)⁻¹·(x − m), for the nearest point of the search that is shown as x.
fn unscale(state: &State, sigma: f64, d: &[f64], x: &[f64], searched: &mut [f64], y: &mut [f64]) {
    let State { mean, space, .. } = state;
    space.to_search_near(x, searched, mean);
    for (((y, x), m), d) in y.iter_mut().zip(searched).zip(mean).zip(d) {
        // No candidate is ever this far away; only the direction is lost.
        *y = ((*x - *m) / sigma / d).clamp(-1e150, 1e150);
    }
}
