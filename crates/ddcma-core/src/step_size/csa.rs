//! Cumulative step-size adaptation: σ grows while steps are correlated, and shrinks while they cancel.

use super::{Selection, StepSizeChange, StepSizeRule};
use crate::stored::{stored, stored_as_bytes};
use crate::{Params, StartError};

stored! {
    /// Cumulative step-size adaptation (CSA), the paper's rule and the default. Its only state is p_σ.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Csa {}
}

impl StepSizeRule for Csa {
    const NAME: &'static str = "csa";

    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self {})
    }

    fn wants_ranks(&self) -> bool {
        false
    }

    stored_as_bytes!();

    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        let Params { c_sigma, d_sigma, chi_n, .. } = *params;
        let gamma = seen.path.gamma();
        let log_sigma = c_sigma / d_sigma * (seen.path_length / chi_n - gamma.sqrt()); // eq. (sigma)
        StepSizeChange { log_sigma, h_sigma: seen.h_sigma }
    }
}
