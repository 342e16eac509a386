//! The distribution of a run at one moment, from which another run can start.

use crate::Columns;
use crate::stored::stored;

stored! {
    /// A normal distribution N(m, σ²·D·C·D), from [`Optimizer::distribution`](crate::Optimizer::distribution).
    ///
    /// To start a run on a similar function with its shape, use [`shape_of`](crate::RunOptions::shape_of):
    ///
    /// ```
    /// use ddcma_core::{SepCma, minimize};
    ///
    /// let valley = |x: &[f64], bottom: f64| (x[0] - bottom).powi(2) + 1e6 * (x[1] - bottom).powi(2);
    /// let mut es = SepCma::new(&[0.0; 2], 1.0, 1)?;
    /// es.run(|x: &[f64]| valley(x, 0.3))?;
    /// let known = es.distribution();
    /// let solution = minimize(|x: &[f64]| valley(x, 1.3), &known.mean, 1.0).shape_of(known.clone()).seed(2).run()?;
    /// assert!(solution.value < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// To continue with exactly this distribution, set its deviations and its correlations: `minimize(f, &known.mean, 1.0)` with
    /// `deviations(&known.deviations())` and, if there is a C, `covariance(c)`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Distribution {
        /// The mean. With [variables](crate::Variables), it is a point of all variables in their own units.
        pub mean: Vec<f64>,
        /// The step size.
        pub sigma: f64,
        /// The diagonal of D. With variables, there is one number per free variable, on the scale of the search.
        pub d: Vec<f64>,
        /// C, with as many rows and columns as D; `None` is the identity.
        pub c: Option<Columns>,
    }
}

impl Distribution {
    /// Returns the standard deviations of the coordinates, σ·D_k·√C_kk.
    pub fn deviations(&self) -> Vec<f64> {
        let shape = |(k, d): (usize, &f64)| d * self.c.as_ref().map_or(1.0, |c| c[k][k].sqrt());
        self.d.iter().enumerate().map(|entry| self.sigma * shape(entry)).collect()
    }
}
