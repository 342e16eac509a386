//! The matrix C with its path, and when it is brought up to date. Knows D only as a slice to divide by; how the root of C
//! is kept is the business of `literal.rs` and `low_rank.rs`.

use ddcma_linalg::unscale_columns;

use super::literal::Literal;
use super::low_rank::LowRank;
use super::{Axes, Generation};
use crate::numeric::{FAR, power_of_two, squared_length};
use crate::settings::Root;
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// Squares up to here can be summed over all candidates and iterations that K may ever consist of.
const LARGEST_SQUARE: f64 = 1e280;

/// C, brought up to date every t_eig iterations, and what has been learnt since.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "State", into = "State")
)]
pub(crate) struct Covariance {
    root: RootOfC,
    iterations_in_k: usize,
    path: EvolutionPath,
    alpha: f64,
    /// The diagonal of C.
    variances: Vec<f64>,
    /// α and the diagonal of C as they will be.
    next_alpha: f64,
    next_variances: Vec<f64>,
    /// What C was divided by to become a correlation matrix.
    deviations: Vec<f64>,
    unscaled_path: Vec<f64>,
    whitened: Vec<f64>,
    weights: Vec<f64>,
}

/// The two ways to have a root of C.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
enum RootOfC {
    LowRank(Box<LowRank>),
    Literal(Box<Literal>),
}

/// The same call to whichever root there is.
macro_rules! root {
    ($self:expr, $root:ident => $call:expr) => {
        match $self {
            RootOfC::LowRank($root) => $call,
            RootOfC::Literal($root) => $call,
        }
    };
}

/// What a generation adds to K = Σ g_i·v_i·v_iᵀ − s·I.
pub(super) struct Addition<'a> {
    /// z of each candidate.
    pub(super) z: &'a Columns,
    /// y = A·z of each candidate.
    pub(super) y: &'a Columns,
    /// c_μ·ŵ of each candidate.
    pub(super) weights: &'a [f64],
    /// The whitened path A⁻¹·D⁻¹·p_c.
    pub(super) path: &'a [f64],
    /// D⁻¹·p_c.
    pub(super) path_y: &'a [f64],
    /// The weight of the path.
    pub(super) c_1: f64,
    /// s.
    pub(super) shrinkage: f64,
    /// The number of columns that K will have when it is merged.
    pub(super) columns: usize,
}

impl Covariance {
    pub(crate) fn new(params: &Params) -> Self {
        let n = params.n;
        let root = match params.root {
            Root::LowRank => RootOfC::LowRank(Box::new(LowRank::identity(n))),
            Root::Literal => RootOfC::Literal(Box::new(Literal::identity(n))),
        };
        Self::with_root(root, n)
    }

    /// C = I. The workspace for candidates is made when there are some.
    fn with_root(root: RootOfC, n: usize) -> Self {
        Self {
            root,
            iterations_in_k: 0,
            path: EvolutionPath::new(n),
            alpha: 1.0,
            variances: vec![1.0; n],
            next_alpha: 1.0,
            next_variances: vec![1.0; n],
            deviations: vec![1.0; n],
            unscaled_path: vec![0.0; n],
            whitened: vec![0.0; n],
            weights: Vec::new(),
        }
    }

    /// y = A·z with A·Aᵀ = C.
    pub(crate) fn sample(&self, z: &Columns, y: &mut Columns) {
        root!(&self.root, root => root.sample(z.as_slice(), y.as_mut_slice())); // ~ N(0, C), eq. (sampling)
    }

    /// v ← A⁻¹·v.
    pub(crate) fn whiten(&mut self, v: &mut [f64]) {
        root!(&mut self.root, root => root.whiten(v, &mut self.whitened));
        v.copy_from_slice(&self.whitened);
    }

    /// z = A⁻¹·y.
    pub(crate) fn whiten_into(&mut self, y: &[f64], z: &mut [f64]) {
        root!(&mut self.root, root => root.whiten(y, z));
    }

    /// Algorithm 1, lines 8 and 9: the path of C, and Z added to K.
    pub(crate) fn accumulate(
        &mut self,
        generation: &Generation<'_>,
        d: &[f64],
        params: &Params,
    ) -> Result<(), UpdateError> {
        let Params { c_1, c_mu, c_c, mu_w, lambda, t_eig, .. } = *params;
        self.path.update(c_c, mu_w, generation.step, generation.h_sigma)?; // eq. (pc), eq. (gc)

        self.unscaled_path.copy_from_slice(self.path.p());
        unscale_columns(d, &mut self.unscaled_path); // D⁻¹·p_c
        root!(&mut self.root, root => root.whiten(&self.unscaled_path, &mut self.whitened)); // A⁻¹·D⁻¹·p_c
        self.check_squares(generation)?;
        self.weights.resize(lambda, 0.0);
        for (i, weight) in self.weights.iter_mut().enumerate() {
            *weight = c_mu * generation.rescaled_weight(i, generation.w[i]); // c_μ·ŵ_i
        }
        let sum_of_weights: f64 = params.w.iter().sum(); // ties share weights, and leave their sum
        let shrinkage = c_1 * self.path.gamma() + c_mu * sum_of_weights; // eq. (zmat), the −γ·I and −I
        let addition = Addition {
            z: generation.z,
            y: generation.y,
            weights: &self.weights,
            path: &self.whitened,
            path_y: &self.unscaled_path,
            c_1,
            shrinkage,
            columns: t_eig.saturating_mul(lambda + 1),
        };
        root!(&mut self.root, root => root.add(&addition)); // eq. (zmat)
        self.iterations_in_k += 1;
        Ok(())
    }

    /// K is made of squares: if one leaves the range of floating point, nothing is added to it.
    fn check_squares(&self, generation: &Generation<'_>) -> Result<(), UpdateError> {
        let fits = |length2: f64| length2 < LARGEST_SQUARE; // not NaN
        if !fits(squared_length(&self.whitened)) {
            let longest = self.whitened.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            let (index, &value) = longest.unwrap_or((0, &f64::NAN));
            return Err(UpdateError::Path { index, value });
        }
        match generation.z_length2.iter().position(|length2| !fits(*length2)) {
            Some(candidate) => Err(UpdateError::Step { candidate, length2: generation.z_length2[candidate] }),
            None => Ok(()),
        }
    }

    /// Whether t mod t_eig = 0.
    pub(crate) fn is_due(&self, params: &Params) -> bool {
        self.iterations_in_k.is_multiple_of(params.t_eig)
    }

    /// Algorithm 1, line 13: the next C = A·(I + α·K)·Aᵀ.
    pub(crate) fn merge(&mut self, params: &Params) -> Result<(), UpdateError> {
        self.next_variances.copy_from_slice(&self.variances);
        let merged = root!(&mut self.root, root => root.merge(params, &mut self.next_variances));
        self.next_alpha = self.or_forget(merged)?;
        // Rounding may leave a matrix that decomposes although its diagonal is not positive.
        if let Some(&smallest) = self.next_variances.iter().find(|c| !(**c > 0.0 && c.is_finite())) {
            return self.or_forget(Err(UpdateError::NotPositiveDefinite { smallest }));
        }
        Ok(())
    }

    /// Algorithm 1, line 14: the next C becomes a correlation matrix.
    pub(crate) fn correlate(&mut self) {
        for (deviation, variance) in self.deviations.iter_mut().zip(&mut self.next_variances) {
            *deviation = variance.sqrt();
            *variance = 1.0;
        }
        root!(&mut self.root, root => root.divide(&self.deviations)); // eq. (dc2)
    }

    /// Takes its scale from a next C that has become very small or very large, to be taken over by D, if it fits there; 1 as
    /// a rule.
    ///
    /// It is a power of two, so that D·C·D stays to the bit.
    pub(crate) fn take_scale(&mut self, fits: impl Fn(f64) -> bool) -> f64 {
        let (smallest, largest) =
            self.next_variances.iter().fold((f64::MAX, 0.0), |(least, most), c| (c.min(least), c.max(most)));
        let scale = power_of_two(largest.sqrt());
        // Variances that are too far apart for one scale are those of a C that has never been: of a forged checkpoint.
        let scaled = smallest / (scale * scale);
        if (1.0 / FAR..=FAR).contains(&largest) || !scaled.is_normal() || !fits(scale) {
            return 1.0;
        }
        self.next_variances.iter_mut().for_each(|variance| *variance /= scale * scale);
        root!(&mut self.root, root => root.divide_evenly(scale));
        scale
    }

    /// Algorithm 1, lines 15 and 17: the next C becomes C, with its root, and K is empty.
    pub(crate) fn decompose(&mut self) -> Result<(), UpdateError> {
        let decomposed = root!(&mut self.root, root => root.decompose());
        self.or_forget(decomposed)?;
        self.alpha = self.next_alpha;
        self.variances.copy_from_slice(&self.next_variances);
        self.iterations_in_k = 0;
        Ok(())
    }

    /// After a failure C and its root stay, unless it came so late that the root is a good one already, and K, which did not
    /// lead to a better one, is given up.
    fn or_forget<T>(&mut self, result: Result<T, UpdateError>) -> Result<T, UpdateError> {
        if result.is_err() {
            root!(&mut self.root, root => root.forget());
            self.iterations_in_k = 0;
        }
        result
    }

    /// What the last [`correlate`](Self::correlate) divided by.
    pub(crate) fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// The condition number of C.
    pub(crate) fn condition(&self) -> f64 {
        let (smallest, largest) = root!(&self.root, root => root.extremes());
        largest / smallest
    }

    pub(crate) fn c(&self) -> Columns {
        root!(&self.root, root => root.c())
    }

    pub(crate) fn sqrt_c(&self) -> Option<Columns> {
        root!(&self.root, root => root.sqrt_c())
    }

    pub(crate) fn path(&self) -> &EvolutionPath {
        &self.path
    }

    /// The path follows a D that has been shortened.
    pub(crate) fn scale_path(&mut self, k: usize, factor: f64) {
        self.path.scale_coordinate(k, factor);
    }

    /// The path follows a D that has been multiplied.
    pub(crate) fn rescale_path(&mut self, factor: f64) {
        self.path.scale_all(factor);
    }

    pub(crate) fn variances(&self) -> &[f64] {
        &self.variances
    }

    pub(crate) fn axes(&self) -> Axes {
        let (smallest, largest) = root!(&self.root, root => root.extremes());
        Axes { shortest: smallest.sqrt(), longest: largest.sqrt(), alpha: self.alpha, beta: 1.0 }
    }

    pub(crate) fn axis_lengths(&self) -> Vec<f64> {
        root!(&self.root, root => root.axis_lengths())
    }

    pub(crate) fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        root!(&self.root, root => root.principal_axis(t, axis));
    }
}

/// What a checkpoint keeps: all but the workspace.
#[cfg(feature = "checkpoint")]
#[derive(serde::Serialize, serde::Deserialize)]
struct State {
    root: RootOfC,
    iterations_in_k: usize,
    path: EvolutionPath,
    alpha: f64,
    variances: Vec<f64>,
}

#[cfg(feature = "checkpoint")]
impl From<Covariance> for State {
    fn from(Covariance { root, iterations_in_k, path, alpha, variances, .. }: Covariance) -> Self {
        Self { root, iterations_in_k, path, alpha, variances }
    }
}

#[cfg(feature = "checkpoint")]
impl TryFrom<State> for Covariance {
    type Error = &'static str;

    fn try_from(state: State) -> Result<Self, &'static str> {
        let State { root, iterations_in_k, path, alpha, variances } = state;
        let n = root!(&root, root => root.dimension());
        if variances.len() != n || !path.is_path_of(n) {
            return Err("the parts of C have different dimensions");
        }
        // They are followed beside the root, and differ from it by rounding.
        let of_root = root!(&root, root => root.variances());
        let good_variances = variances.iter().zip(of_root).all(|(c, of_root)| (1e-3..=1e3).contains(&(c / of_root)));
        let good_alpha = alpha > 0.0 && alpha <= 1.0;
        if !(good_variances && good_alpha && iterations_in_k <= usize::MAX / 2) {
            return Err("the state of C is out of range");
        }
        Ok(Self { iterations_in_k, path, alpha, variances, ..Self::with_root(root, n) })
    }
}

#[cfg(test)]
mod tests {
    //! The low-rank root gives the same C as the literal one, from the same state and the same candidates.

    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::Settings;
    use crate::settings::Definiteness;

    /// Few and many candidates, every iteration and rarely, both methods.
    fn settings(n: usize) -> Vec<Settings> {
        let mut all = Vec::new();
        for lambda in [4, 7, n.max(4), 4 * n.max(4)] {
            for t_eig in [1, 3, 10] {
                for method in [Definiteness::ScaleUpdate, Definiteness::ScaleWeights] {
                    let settings = Settings::new().lambda(lambda).t_eig(t_eig).definiteness(method);
                    if settings.params(n).is_ok() {
                        all.push(settings);
                    }
                }
            }
        }
        all
    }

    /// Tells a generation to a covariance by its y, which two roots share; their z differ by a rotation.
    fn tell(covariance: &mut Covariance, y: &Columns, w: &[f64], params: &Params) {
        let n = params.n;
        let mut z = Columns::zeros(n, params.lambda);
        covariance.whiten_into(y.as_slice(), z.as_mut_slice());
        let z_length2: Vec<f64> = z.iter().map(squared_length).collect();
        let mut step = vec![0.0; n];
        for (y, w) in y.iter().zip(w) {
            step.iter_mut().zip(y).for_each(|(step, y)| *step += w.max(0.0) * y);
        }
        let generation = Generation {
            z: &z,
            y,
            z_length2: &z_length2,
            w,
            w_d: w,
            w_mean: w,
            z_mean: &step,
            step: &step,
            h_sigma: true,
        };
        covariance.accumulate(&generation, &vec![1.0; n], params).unwrap();
    }

    fn difference(a: &Columns, b: &Columns) -> f64 {
        let largest = b.as_slice().iter().fold(0.0, |largest: f64, b| largest.max(b.abs()));
        a.as_slice().iter().zip(b.as_slice()).fold(0.0, |d: f64, (a, b)| d.max((a - b).abs() / largest))
    }

    /// Candidates of N(0, C).
    fn candidates(covariance: &Covariance, params: &Params, rng: &mut Xoshiro256PlusPlus) -> Columns {
        let (n, lambda) = (params.n, params.lambda);
        let z: Vec<f64> = StandardNormal.sample_iter(rng).take(n * lambda).collect();
        let mut y = Columns::zeros(n, lambda);
        covariance.sample(&Columns::from_vec(n, z).unwrap(), &mut y);
        y
    }

    /// Ranks along a slope, which C learns; a bowl would only make it smaller.
    fn weights(y: &Columns, params: &Params) -> Vec<f64> {
        let mut order: Vec<usize> = (0..params.lambda).collect();
        let slope = |i: usize| y[i][0] + 0.3 * y[i].iter().sum::<f64>();
        order.sort_by(|a, b| slope(*a).total_cmp(&slope(*b)));
        let mut w = vec![0.0; params.lambda];
        order.iter().zip(&params.w).for_each(|(i, weight)| w[*i] = *weight);
        w
    }

    #[test]
    fn plain_has_the_same_c_over_hundreds_of_updates() {
        for n in [1, 2, 5, 12, 30] {
            for settings in settings(n) {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(n as u64);
                let [literal, low_rank] =
                    [Root::Literal, Root::LowRank].map(|root| settings.clone().root(root).params(n).unwrap());
                let (mut one, mut other) = (Covariance::new(&literal), Covariance::new(&low_rank));
                let mut updates = 0;
                while updates < 200 && one.condition() < 1e5 {
                    let y = candidates(&one, &literal, &mut rng);
                    let w = weights(&y, &literal);
                    for (covariance, params) in [(&mut one, &literal), (&mut other, &low_rank)] {
                        tell(covariance, &y, &w, params);
                        if covariance.is_due(params) {
                            covariance.merge(params).unwrap();
                            covariance.decompose().unwrap();
                        }
                    }
                    updates += 1;
                    let difference = difference(&other.c(), &one.c());
                    assert!(difference < 1e-9, "n = {n}, {settings:?}, update {updates}: {difference:e}");
                    assert!((one.alpha - other.alpha).abs() < 1e-9);
                    let variances = one.variances().iter().zip(other.variances());
                    assert!(variances.clone().all(|(a, b)| (a / b - 1.0).abs() < 1e-9));
                }
                assert!(updates > 20 || one.condition() >= 1e5);
            }
        }
    }

    #[test]
    fn dd_has_the_same_c_update_by_update() {
        for n in [1, 2, 5, 12, 30] {
            for settings in settings(n) {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(7 + n as u64);
                let [literal, low_rank] =
                    [Root::Literal, Root::LowRank].map(|root| settings.clone().root(root).params(n).unwrap());
                let mut followed = Covariance::new(&low_rank);
                for _ in 0..25 {
                    // A literal one in the same state: C, and the path.
                    let RootOfC::LowRank(root) = &followed.root else { unreachable!("asked for") };
                    let mut compared = Covariance::with_root(RootOfC::Literal(Box::new(Literal::of(&root.c()))), n);
                    compared.path = followed.path.clone();
                    for _ in 0..literal.t_eig {
                        let y = candidates(&followed, &literal, &mut rng);
                        let w = weights(&y, &literal);
                        tell(&mut compared, &y, &w, &literal);
                        tell(&mut followed, &y, &w, &low_rank);
                    }
                    for (covariance, params) in [(&mut compared, &literal), (&mut followed, &low_rank)] {
                        assert!(covariance.is_due(params));
                        covariance.merge(params).unwrap();
                        covariance.correlate();
                        covariance.decompose().unwrap();
                    }
                    let difference = difference(&followed.c(), &compared.c());
                    assert!(difference < 1e-9, "n = {n}, {settings:?}: {difference:e}");
                    let deviations = followed.deviations().iter().zip(compared.deviations());
                    assert!(deviations.clone().all(|(a, b)| (a / b - 1.0).abs() < 1e-9));
                    if compared.condition() > 1e4 {
                        break;
                    }
                }
            }
        }
    }

    #[cfg(feature = "checkpoint")]
    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let good = || State::from(Covariance::new(&Settings::new().params(3).unwrap()));
        assert!(Covariance::try_from(good()).is_ok());
        for alpha in [-0.5, 0.0, 1.5, f64::NAN] {
            assert!(Covariance::try_from(State { alpha, ..good() }).is_err(), "α = {alpha}");
        }
        for variances in
            [vec![1.0; 2], vec![1.0, -1.0, 1.0], vec![1.0, f64::INFINITY, 1.0], vec![0.0; 3], vec![1.0, 1.0, 1e300]]
        {
            assert!(Covariance::try_from(State { variances: variances.clone(), ..good() }).is_err(), "{variances:?}");
        }
        assert!(Covariance::try_from(State { path: EvolutionPath::new(2), ..good() }).is_err());
        assert!(Covariance::try_from(State { iterations_in_k: usize::MAX, ..good() }).is_err());
    }

    /// A·v is stored beside v: a bent one would become a row of A that is too long for its square.
    #[cfg(feature = "checkpoint")]
    #[test]
    fn a_pending_update_that_does_not_belong_to_its_root_is_refused() {
        let params = Settings::new().lambda(4).t_eig(2).params(20).unwrap();
        let mut covariance = Covariance::new(&params);
        let y = candidates(&covariance, &params, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        tell(&mut covariance, &y, &weights(&y, &params), &params);
        let good = postcard::to_allocvec(&covariance).unwrap();
        assert!(postcard::from_bytes::<Covariance>(&good).is_ok());
        let number = y[1][2].to_le_bytes();
        let places: Vec<usize> = (0..good.len() - 8).filter(|at| good[*at..][..8] == number).collect();
        assert_eq!(places.len(), 2, "in V, which is y here, and in A·V");
        let mut forged = good.clone();
        forged[places[1]..][..8].copy_from_slice(&1e150f64.to_le_bytes());
        assert!(postcard::from_bytes::<Covariance>(&forged).is_err());
    }

    #[test]
    fn a_scale_is_taken_from_all_variances_or_from_none() {
        for root in [Root::LowRank, Root::Literal] {
            let mut covariance = Covariance::new(&Settings::new().root(root).params(3).unwrap());
            for unchanged in [[1e-280, 1.0, 1e200], [1e-59, 1e-30, 1.0], [1.0, 2.0, 3.0]] {
                covariance.next_variances = unchanged.to_vec();
                assert_eq!(covariance.take_scale(|_| true), 1.0, "{unchanged:?}");
                assert_eq!(covariance.next_variances, unchanged);
            }
            covariance.next_variances = vec![1e-80, 3e-80, 2e-90];
            assert_eq!(covariance.take_scale(|scale| scale > 1.0), 1.0, "where it does not fit, it stays");
            let scale = covariance.take_scale(|_| true);
            assert_eq!(scale, scale.log2().round().exp2(), "a power of two");
            assert!((0.1..10.0).contains(&covariance.next_variances[1]), "{:?}", covariance.next_variances);
            assert_eq!(covariance.next_variances[0] * scale * scale, 1e-80);
        }
    }
}
