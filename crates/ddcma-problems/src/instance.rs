//! Instances that an experiment can name, rebuild and cite.

use std::fmt;
use std::str::FromStr;

use rand_distr::{Distribution, StandardNormal};

use crate::rotation::random_rows;
use crate::stream::{self, Purpose};
use crate::{Function, InitialMean, Landscape, Problem, ProblemError, Rotation};

/// The identity of an instance: a function, a dimension, whether it is rotated, and a seed.
///
/// ```
/// use ddcma_problems::{Function, Spec};
///
/// let spec = Spec { function: Function::Ellipsoid, n: 40, rotated: true, seed: 3 };
/// assert_eq!(spec.to_string(), "ellipsoid-rotated/n=40/seed=3");
/// assert_eq!("ellipsoid-rotated/n=40/seed=3".parse(), Ok(spec));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spec {
    /// The function.
    pub function: Function,
    /// The number of variables.
    pub n: usize,
    /// Whether the function is rotated at random. The Ell-… functions have a random direction even if they are not.
    pub rotated: bool,
    /// The seed of everything random in the instance.
    pub seed: u64,
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rotated = if self.rotated { "-rotated" } else { "" };
        write!(f, "{}{rotated}/n={}/seed={}", self.function, self.n, self.seed)
    }
}

impl FromStr for Spec {
    type Err = ProblemError;

    fn from_str(name: &str) -> Result<Self, ProblemError> {
        let malformed = || ProblemError::MalformedName { name: name.into() };
        let mut parts = name.split('/');
        let mut part = |prefix: &str| parts.next().and_then(|part| part.strip_prefix(prefix)).ok_or_else(malformed);
        let form = part("")?;
        let (function, rotated) = form.strip_suffix("-rotated").map_or((form, false), |function| (function, true));
        let spec = Self {
            n: part("n=")?.parse().map_err(|_| malformed())?,
            seed: part("seed=")?.parse().map_err(|_| malformed())?,
            function: function.parse()?,
            rotated,
        };
        // Each instance has exactly one name: no leading zeros, no plus signs, nothing at the end.
        if spec.to_string() == name { Ok(spec) } else { Err(malformed()) }
    }
}

/// A problem of the suite, with everything that an experiment needs to know about it.
///
/// The same [`Spec`] always gives the same instance: for every strategy that is compared, and, up to rounding, on every
/// platform. The orientation depends only on n and the seed; a random initial mean depends on the function, n and the seed.
///
/// ```
/// use ddcma_problems::{Instance, Problem};
///
/// let mut instance = Instance::from_name("rosenbrock-rotated/n=10/seed=1")?;
/// assert_eq!((instance.initial_sigma(), instance.target(), instance.budget()), (0.1, 1e-8, 500_000));
///
/// let at_the_start = instance.value(&instance.initial_mean().to_vec());
/// assert_eq!(at_the_start, 9.0);
/// # Ok::<(), ddcma_problems::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    spec: Spec,
    landscape: Landscape,
    initial_mean: Vec<f64>,
}

impl Instance {
    /// Builds the instance.
    pub fn new(spec: Spec) -> Result<Self, ProblemError> {
        let Spec { function, n, rotated, seed } = spec;
        if rotated && !function.has_rotated_form() {
            return Err(ProblemError::NoRotatedForm { function });
        }
        Landscape::check_dimension(function, n)?;
        let landscape = if !rotated && !function.is_always_oriented() {
            Landscape::new(function, n)?
        } else if function.directions() > 0 {
            // These functions need only the first rows of R; they are the same as if all of R had been drawn.
            let directions = random_rows(n, function.directions(), &mut stream::new(seed, Purpose::Orientation));
            Landscape::build(function, n, directions, None)
        } else {
            Landscape::rotated(function, Rotation::from_seed(n, seed)?)?
        };
        let initial_mean = match function.initial_mean() {
            InitialMean::Constant(m) => vec![m; n],
            InitialMean::Normal(deviation) => {
                let normals = StandardNormal.sample_iter(stream::new(seed, Purpose::InitialMean { function, n }));
                normals.take(n).map(|normal: f64| deviation * normal).collect()
            }
        };
        Ok(Self { spec, landscape, initial_mean })
    }

    /// Builds the instance with this name, such as `ellipsoid-rotated/n=40/seed=3`.
    pub fn from_name(name: &str) -> Result<Self, ProblemError> {
        Self::new(name.parse()?)
    }

    /// Returns the spec of the instance; its `Display` text is the name.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// Returns the function with its orientation.
    pub fn landscape(&self) -> &Landscape {
        &self.landscape
    }

    /// Returns the value at a point; see [`Landscape::at`].
    ///
    /// # Panics
    /// Panics if the point does not have the dimension of the problem.
    pub fn at(&self, x: &[f64]) -> f64 {
        self.landscape.at(x)
    }

    /// Returns the minimum, which is 0 for every function of the suite.
    pub fn minimum(&self) -> f64 {
        0.0
    }

    /// Returns the initial mean of Table 1.
    pub fn initial_mean(&self) -> &[f64] {
        &self.initial_mean
    }

    /// Returns the initial step size of Table 1.
    pub fn initial_sigma(&self) -> f64 {
        self.spec.function.initial_sigma()
    }

    /// Returns the value at which a trial is a success (Section 6.1).
    pub fn target(&self) -> f64 {
        1e-8
    }

    /// Returns the number of evaluations after which a trial is a failure (Section 6.1).
    pub fn budget(&self) -> u64 {
        self.spec.function.budget_per_variable().saturating_mul(self.spec.n as u64)
    }
}

impl Problem for Instance {
    fn dimension(&self) -> usize {
        self.spec.n
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        self.landscape.value(x)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        self.landscape.values(points, values);
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        self.landscape.minimizer()
    }
}
