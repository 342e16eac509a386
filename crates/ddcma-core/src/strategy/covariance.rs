//! The matrix C with its path, and the schedule of its updates. The root of C is maintained in `literal.rs` and
//! `low_rank.rs`, behind the trait in `root.rs`.

use ddcma_linalg::unscale_columns;

use super::root::{Addition, Divide, Divisor, Next, Proposal, RootOfC};
use super::{Axes, Generation, range};
use crate::pace::WhitenedChange;
use crate::stored::{Scratch, stored};
use crate::{Columns, EvolutionPath, Pace, Params, StartError, UpdateError};

stored! {
    /// C, updated every t_eig iterations, and what has been learned since the last update.
    #[derive(Clone, Debug)]
    pub(crate) struct Covariance {
        root: RootOfC,
        iterations_in_k: usize,
        path: EvolutionPath,
        /// A⁻¹·D⁻¹·p_c, updated along with p_c if D does not change; empty if it is computed from p_c.
        whitened_path: Vec<f64>,
        alpha: f64,
        /// The diagonal of C.
        variances: Vec<f64>,
        work: Scratch<Work>,
    }
}

#[derive(Clone, Debug, Default)]
struct Work {
    next: Next,
    axes: Axes,
    /// The path before an update that may fail.
    previous_path: EvolutionPath,
    previous_whitened: Vec<f64>,
    unscaled_path: Vec<f64>,
    /// A⁻¹·D⁻¹·p_c, and the same for the path of D if both are computed together.
    unscaled: Vec<f64>,
    whitened: Vec<f64>,
    /// Allocated when there are candidates.
    weights: Vec<f64>,
}

impl Work {
    fn new(n: usize) -> Self {
        Self {
            next: Next::new(n),
            axes: Axes::default(),
            previous_path: EvolutionPath::new(n),
            previous_whitened: vec![0.0; n],
            unscaled_path: vec![0.0; n],
            unscaled: vec![0.0; 2 * n],
            whitened: vec![0.0; 2 * n],
            weights: Vec::new(),
        }
    }
}

impl Covariance {
    /// Starts with the given C, or the identity, and a D that will change.
    pub(crate) fn start(params: &Params, c: Option<&Columns>) -> Result<Self, StartError> {
        Ok(Self::with_root(RootOfC::new(params, c)?, c, params.n))
    }

    /// Starts with a D that stays fixed: then the whitened path can be updated directly, and A⁻¹ is not needed.
    pub(crate) fn start_with_fixed_d(params: &Params, c: Option<&Columns>) -> Result<Self, StartError> {
        let mut covariance = Self::start(params, c)?;
        if covariance.root.get().carries() {
            covariance.whitened_path = vec![0.0; params.n];
        }
        Ok(covariance)
    }

    fn with_root(root: RootOfC, c: Option<&Columns>, n: usize) -> Self {
        let variances = (0..n).map(|k| c.map_or(1.0, |c| c[k][k])).collect();
        let path = EvolutionPath::new(n);
        let (whitened_path, work) = (Vec::new(), Scratch(Work::new(n)));
        let mut covariance = Self { root, iterations_in_k: 0, path, whitened_path, alpha: 1.0, variances, work };
        covariance.note_axes();
        covariance
    }

    /// Makes a stored C ready for use, if it belongs to these parameters and to such a D.
    pub(crate) fn resume(&mut self, params: &Params, has_fixed_d: bool) -> Result<(), &'static str> {
        let n = params.n;
        self.path.check(n, "the path of C")?;
        if !self.root.is(params.root) {
            return Err("the kind of the root of C");
        }
        self.root.get_mut().resume(n)?;
        let length = if has_fixed_d && self.root.get().carries() { n } else { 0 };
        if self.whitened_path.len() != length || self.whitened_path.iter().any(|number| !number.is_finite()) {
            return Err("the whitened path of C");
        }
        // The stored variances are updated alongside the root, and differ from it by rounding.
        let of_root = self.root.get().variances();
        let mut ratios = self.variances.iter().zip(of_root).map(|(c, of_root)| c / of_root);
        if self.variances.len() != n || !ratios.all(|ratio| (1e-3..=1e3).contains(&ratio)) {
            return Err("the variances of C");
        }
        if !(self.alpha > 0.0 && self.alpha <= 1.0 && self.iterations_in_k <= usize::MAX / 2) {
            return Err("the state of C");
        }
        self.work = Scratch(Work::new(n));
        self.note_axes();
        Ok(())
    }

    /// y = A·z with A·Aᵀ = C.
    pub(crate) fn sample(&self, z: &Columns, y: &mut Columns) {
        self.root.get().sample(z.as_slice(), y.as_mut_slice()); // ~ N(0, C), eq. (sampling)
    }

    /// z = A⁻¹·y.
    pub(crate) fn whiten_into(&mut self, y: &[f64], z: &mut [f64]) {
        self.root.get_mut().whiten(y, z);
    }

    /// Algorithm 1, line 8: the path of C.
    pub(crate) fn update_path(&mut self, generation: &Generation<'_>, params: &Params) -> Result<(), UpdateError> {
        let Params { c_c, mu_w, .. } = *params;
        let Self { path, whitened_path, work, .. } = self;
        work.previous_path.copy_from(path);
        path.update(c_c, mu_w, generation.step, generation.h_sigma)?; // eq. (pc), eq. (gc)
        if !whitened_path.is_empty() {
            work.previous_whitened.copy_from_slice(whitened_path);
            let gain = f64::from(generation.h_sigma) * (c_c * (2.0 - c_c) * mu_w).sqrt();
            for (q, z) in whitened_path.iter_mut().zip(generation.z_mean) {
                *q = (1.0 - c_c) * *q + gain * z; // eq. (pc), with A⁻¹·D⁻¹·Σ w_i·D·y_i = Σ w_i·z_i
            }
        }
        Ok(())
    }

    /// Undoes the last update of the path.
    pub(crate) fn restore_path(&mut self) {
        self.path.copy_from(&self.work.previous_path);
        if !self.whitened_path.is_empty() {
            self.whitened_path.copy_from_slice(&self.work.previous_whitened);
        }
    }

    /// Computes A⁻¹·D⁻¹·p_c, and the same for another path, given in `other` as D⁻¹·p: both at once, because A⁻¹ is large.
    pub(crate) fn whiten_paths(&mut self, d: &[f64], other: &mut [f64]) {
        let n = d.len();
        let Work { unscaled_path, unscaled, whitened, .. } = &mut *self.work;
        unscaled_path.copy_from_slice(self.path.p());
        unscale_columns(d, unscaled_path); // D⁻¹·p_c
        unscaled[..n].copy_from_slice(unscaled_path);
        unscaled[n..].copy_from_slice(other);
        self.root.get_mut().whiten(unscaled, whitened); // A⁻¹·D⁻¹·p_c, A⁻¹·D⁻¹·p_c,D
        other.copy_from_slice(&whitened[n..]);
    }

    /// A⁻¹·D⁻¹·p_c.
    pub(crate) fn whiten_path(&mut self, d: &[f64]) {
        let n = d.len();
        let Work { unscaled_path, whitened, .. } = &mut *self.work;
        unscaled_path.copy_from_slice(self.path.p());
        unscale_columns(d, unscaled_path); // D⁻¹·p_c
        if self.whitened_path.is_empty() {
            self.root.get_mut().whiten(unscaled_path, &mut whitened[..n]); // A⁻¹·D⁻¹·p_c
        } else {
            whitened[..n].copy_from_slice(&self.whitened_path);
        }
    }

    /// Algorithm 1, line 9: Z, with the whitened path in it, added to K.
    pub(crate) fn accumulate(
        &mut self,
        generation: &Generation<'_>,
        pace: &mut dyn Pace,
        params: &Params,
    ) -> Result<(), UpdateError> {
        let Params { n, c_1, c_mu, t_eig, .. } = *params;
        let lambda = generation.z.len();
        if let Err(error) = range::check_squares(&self.work.whitened[..n], generation) {
            self.restore_path();
            return Err(error);
        }
        let Self { root, path, work, .. } = self;
        let Work { unscaled_path, whitened, weights, .. } = &mut **work;
        weights.resize(lambda, 0.0);
        for (i, weight) in weights.iter_mut().enumerate() {
            *weight = c_mu * generation.rescaled_weight(i, generation.w[i]); // c_μ·ŵ_i
        }
        let sum_of_weights: f64 = params.w.iter().sum(); // ties share weights, which keeps their sum
        let shrinkage = c_1 * path.gamma() + c_mu * sum_of_weights; // eq. (zmat), the −γ·I and −I
        let path = &whitened[..n];
        let rate = pace.c(&WhitenedChange::new(generation.z, weights, path, c_1, shrinkage)); // 1, unless it adapts
        if rate != 1.0 {
            weights.iter_mut().for_each(|weight| *weight *= rate);
        }
        let addition = Addition {
            z: generation.z,
            y: generation.y,
            weights,
            path,
            path_y: unscaled_path,
            c_1: rate * c_1,
            shrinkage: rate * shrinkage,
            columns: t_eig.saturating_mul(lambda + 1),
        };
        root.get_mut().add(&addition); // eq. (zmat)
        self.iterations_in_k += 1;
        Ok(())
    }

    /// Whether t mod t_eig = 0.
    pub(crate) fn is_due(&self, params: &Params) -> bool {
        self.iterations_in_k.is_multiple_of(params.t_eig)
    }

    /// Algorithm 1, lines 13 to 15 for C: computes the next C = A·(I + α·K)·Aᵀ, divided, with its root. C itself is
    /// unchanged until the proposal is [applied](Proposed::apply).
    ///
    /// After an error, C and its root keep their previous state, and K is discarded.
    pub(crate) fn propose(&mut self, divide: Divide<'_>, params: &Params) -> Result<Proposed<'_>, UpdateError> {
        let next = &mut self.work.next;
        next.variances.copy_from_slice(&self.variances);
        match self.root.get_mut().propose(divide, params, next) {
            Ok(proposal) => Ok(Proposed { covariance: self, proposal: Some(proposal) }),
            Err(error) => {
                self.discard();
                Err(error)
            }
        }
    }

    /// Algorithm 1, line 17: K is empty.
    fn discard(&mut self) {
        self.root.get_mut().discard();
        self.iterations_in_k = 0;
    }

    /// The smallest and the largest eigenvalue of C.
    pub(crate) fn extremes(&self) -> (f64, f64) {
        self.root.get().extremes()
    }

    pub(crate) fn c(&self) -> Columns {
        self.root.get().c()
    }

    pub(crate) fn sqrt_c(&self) -> Option<Columns> {
        self.root.get().sqrt_c()
    }

    pub(crate) fn path(&self) -> &EvolutionPath {
        &self.path
    }

    /// Rescales the path after D was multiplied.
    pub(crate) fn scale_path(&mut self, k: usize, factor: f64) {
        self.path.scale_coordinate(k, factor);
    }

    pub(crate) fn variances(&self) -> &[f64] {
        &self.variances
    }

    pub(crate) fn axes(&self) -> Axes {
        self.work.axes
    }

    /// Caches the axes: they are read more often than they change.
    fn note_axes(&mut self) {
        let (smallest, largest) = self.extremes();
        self.work.axes = Axes { shortest: smallest.sqrt(), longest: largest.sqrt(), alpha: self.alpha, beta: 1.0 };
    }

    pub(crate) fn axis_lengths(&self) -> Vec<f64> {
        self.root.get().axis_lengths()
    }

    pub(crate) fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.root.get().principal_axis(t, axis);
    }
}

/// The next C. If it is dropped without being applied, it is discarded together with its K.
#[must_use = "C is unchanged until the proposal is applied"]
pub(crate) struct Proposed<'a> {
    covariance: &'a mut Covariance,
    /// `None` once it is applied.
    proposal: Option<Proposal>,
}

impl Proposed<'_> {
    /// Returns the deviations by which C will be divided to become a correlation matrix.
    pub(crate) fn deviations(&self) -> &[f64] {
        &self.covariance.work.next.deviations
    }

    /// Returns the scale by which C will be divided, if it is divided by a scale; usually 1.
    pub(crate) fn scale(&self) -> f64 {
        match self.covariance.work.next.divisor {
            Divisor::Scale(scale) => scale,
            Divisor::Deviations => 1.0,
        }
    }

    /// Makes the next C the current one and clears K. Cannot fail.
    pub(crate) fn apply(mut self) {
        let Some(proposal) = self.proposal.take() else { return };
        let Covariance { root, work, variances, alpha, iterations_in_k, whitened_path, .. } = &mut *self.covariance;
        let next = &work.next;
        let carried = Some(&mut whitened_path[..]).filter(|path| !path.is_empty());
        root.get_mut().apply(proposal, next, carried);
        variances.copy_from_slice(&next.variances);
        *alpha = next.alpha;
        *iterations_in_k = 0;
        self.covariance.note_axes();
    }
}

impl Drop for Proposed<'_> {
    fn drop(&mut self) {
        if self.proposal.is_some() {
            self.covariance.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    //! The low-rank root gives the same C as the literal one, from the same state and the same candidates.

    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::super::literal::Literal;
    use super::*;
    use crate::numeric::squared_length;
    use crate::settings::{Definiteness, Root};
    use crate::{FullPace, Settings};

    impl Covariance {
        fn condition(&self) -> f64 {
            let (smallest, largest) = self.extremes();
            largest / smallest
        }
    }

    fn started(params: &Params) -> Covariance {
        Covariance::start(params, None).unwrap()
    }

    /// Settings with few and many candidates, with updates in every iteration and rare ones, and with both methods.
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
        let recombined = |points: &Columns| {
            let mut sum = vec![0.0; n];
            for (point, w) in points.iter().zip(w) {
                sum.iter_mut().zip(point).for_each(|(sum, x)| *sum += w.max(0.0) * x);
            }
            sum
        };
        let (z_mean, step) = (recombined(&z), recombined(y));
        let generation = Generation {
            z: &z,
            y,
            z_length2: &z_length2,
            w,
            w_d: w,
            w_mean: w,
            z_mean: &z_mean,
            step: &step,
            h_sigma: true,
        };
        covariance.update_path(&generation, params).unwrap();
        covariance.whiten_path(&vec![1.0; n]);
        covariance.accumulate(&generation, &mut FullPace, params).unwrap();
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
                let (mut one, mut other) = (started(&literal), started(&low_rank));
                let mut updates = 0;
                while updates < 200 && one.condition() < 1e5 {
                    let y = candidates(&one, &literal, &mut rng);
                    let w = weights(&y, &literal);
                    for (covariance, params) in [(&mut one, &literal), (&mut other, &low_rank)] {
                        tell(covariance, &y, &w, params);
                        if covariance.is_due(params) {
                            covariance.propose(Divide::ByScale(&|_| false), params).unwrap().apply();
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

    /// Through low-rank updates, updates by whole matrices and those that make A symmetric again.
    #[test]
    fn a_path_that_is_followed_is_the_whitened_path() {
        for (n, settings) in [
            (6, Settings::new()),
            (20, Settings::new()),
            (20, Settings::new().t_eig(3)),
            (20, Settings::new().lambda(60)),
            (120, Settings::new().lambda(150)),
            (20, Settings::new().c_mu(0.5).c_1(0.3)),
        ] {
            let params = settings.params(n).unwrap();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(n as u64);
            let mut covariance = Covariance::start_with_fixed_d(&params, None).unwrap();
            let updates = if n < 100 { 12 * n } else { 10 };
            for update in 0..updates {
                if covariance.condition() > 1e8 {
                    break; // with rates as large as the last ones
                }
                let y = candidates(&covariance, &params, &mut rng);
                // A random order, which leaves C near the identity.
                tell(&mut covariance, &y, &params.w, &params);
                if covariance.is_due(&params) {
                    covariance.propose(Divide::ByScale(&|_| false), &params).unwrap().apply();
                }
                let mut whitened = vec![0.0; n];
                let path = covariance.path.p().to_vec();
                let mut root = covariance.root.clone();
                root.get_mut().whiten(&path, &mut whitened);
                let far =
                    whitened.iter().zip(&covariance.whitened_path).fold(0.0, |far: f64, (a, b)| far.max((a - b).abs()));
                let longest = squared_length(&whitened).sqrt();
                let tolerance = 1e-11 * covariance.condition().sqrt();
                assert!(far < tolerance * longest, "n = {n}, {settings:?}, update {update}: {far:e} of {longest}");
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
                let mut followed = started(&low_rank);
                for _ in 0..25 {
                    // A literal one in the same state: C, and the path.
                    let literal_root = RootOfC::Literal(Box::new(Literal::of(&followed.c()).unwrap()));
                    let mut compared = Covariance::with_root(literal_root, None, n);
                    compared.path = followed.path.clone();
                    for _ in 0..literal.t_eig {
                        let y = candidates(&followed, &literal, &mut rng);
                        let w = weights(&y, &literal);
                        tell(&mut compared, &y, &w, &literal);
                        tell(&mut followed, &y, &w, &low_rank);
                    }
                    for (covariance, params) in [(&mut compared, &literal), (&mut followed, &low_rank)] {
                        assert!(covariance.is_due(params));
                        covariance.propose(Divide::ByDeviations, params).unwrap().apply();
                    }
                    let difference = difference(&followed.c(), &compared.c());
                    assert!(difference < 1e-9, "n = {n}, {settings:?}: {difference:e}");
                    let deviations = followed.work.next.deviations.iter().zip(&compared.work.next.deviations);
                    assert!(deviations.clone().all(|(a, b)| (a / b - 1.0).abs() < 1e-9));
                    if compared.condition() > 1e4 {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let params = Settings::new().params(3).unwrap();
        let resumed = |change: &dyn Fn(&mut Covariance)| {
            let mut covariance = started(&params);
            change(&mut covariance);
            covariance.resume(&params, false)
        };
        assert_eq!(resumed(&|_| ()), Ok(()));
        for alpha in [-0.5, 0.0, 1.5, f64::NAN] {
            assert_eq!(resumed(&|covariance| covariance.alpha = alpha), Err("the state of C"), "α = {alpha}");
        }
        for variances in
            [vec![1.0; 2], vec![1.0, -1.0, 1.0], vec![1.0, f64::INFINITY, 1.0], vec![0.0; 3], vec![1.0, 1.0, 1e300]]
        {
            let refused = resumed(&|covariance| covariance.variances.clone_from(&variances));
            assert_eq!(refused, Err("the variances of C"), "{variances:?}");
        }
        assert_eq!(resumed(&|covariance| covariance.path = EvolutionPath::new(2)), Err("the path of C"));
        assert_eq!(resumed(&|covariance| covariance.iterations_in_k = usize::MAX), Err("the state of C"));
    }

    /// A·v is stored next to v. If it were tampered with, a row of A could become so long that its square overflows.
    #[cfg(feature = "checkpoint")]
    #[test]
    fn a_pending_update_that_does_not_belong_to_its_root_is_refused() {
        let params = Settings::new().lambda(4).t_eig(2).params(20).unwrap();
        let mut covariance = started(&params);
        let y = candidates(&covariance, &params, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        tell(&mut covariance, &y, &weights(&y, &params), &params);
        let good = postcard::to_allocvec(&covariance).unwrap();
        let resumed = |bytes: &[u8]| postcard::from_bytes::<Covariance>(bytes).unwrap().resume(&params, false);
        assert_eq!(resumed(&good), Ok(()));
        let number = y[1][2].to_le_bytes();
        let places: Vec<usize> = (0..good.len() - 8).filter(|at| good[*at..][..8] == number).collect();
        assert_eq!(places.len(), 2, "in V, which is y here, and in A·V");
        let mut forged = good.clone();
        forged[places[1]..][..8].copy_from_slice(&1e150f64.to_le_bytes());
        assert_eq!(resumed(&forged), Err("the pending update of C"));
    }

    /// Squares that overflow are detected after the next root has been computed, but before C changes.
    #[test]
    fn variances_that_overflow_leave_c_its_root_and_its_variances() {
        for root in [Root::LowRank, Root::Literal] {
            let settings = Settings::new().root(root).lambda(4).t_eig(1).definiteness(Definiteness::ScaleWeights);
            let params = settings.params(1).unwrap();
            let mut covariance = started(&params);
            let steps_of = |covariance: &mut Covariance, length: f64| {
                let length = length * covariance.variances[0].sqrt();
                let y = Columns::from_vec(1, vec![length, 2.0 * length, -length, 0.5 * length]).unwrap();
                tell(covariance, &y, &params.w, &params);
            };
            // Long steps make a C of about 1e240; assume that D cannot take over its scale.
            for length in [1e50, 1e70] {
                steps_of(&mut covariance, length);
                covariance.propose(Divide::ByScale(&|_| false), &params).unwrap().apply();
            }
            let before = (covariance.c(), covariance.variances.clone(), covariance.axes());
            // The squares of the next steps are finite, but those of C's next deviations overflow.
            steps_of(&mut covariance, 1e75);
            let path = covariance.path.clone();
            let refused = covariance.propose(Divide::ByScale(&|_| false), &params).map(Proposed::apply);
            assert!(matches!(refused, Err(UpdateError::NotPositiveDefinite { .. })), "{root:?}: {refused:?}");
            let after = (covariance.c(), covariance.variances.clone(), covariance.axes());
            assert_eq!(after, before, "{root:?}");
            assert_eq!(covariance.path, path);
            assert_eq!(covariance.iterations_in_k, 0, "K is given up");
            // It still samples from C.
            let (mut y, one) = (Columns::zeros(1, 1), Columns::from_vec(1, vec![1.0]).unwrap());
            covariance.sample(&one, &mut y);
            assert!((y[0][0].abs() / covariance.variances[0].sqrt() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_step_whose_square_overflows_leaves_the_path() {
        let params = Settings::new().lambda(4).params(1).unwrap();
        let mut covariance = started(&params);
        let y = Columns::from_vec(1, vec![1e150, 1.0, 2.0, 3.0]).unwrap();
        let z_length2: Vec<f64> = y.iter().map(squared_length).collect();
        let generation = Generation {
            z: &y,
            y: &y,
            z_length2: &z_length2,
            w: &params.w,
            w_d: &params.w,
            w_mean: &params.w_mean,
            z_mean: &[1.0],
            step: &[1.0],
            h_sigma: true,
        };
        covariance.update_path(&generation, &params).unwrap();
        covariance.whiten_path(&[1.0]);
        let refused = covariance.accumulate(&generation, &mut FullPace, &params);
        assert!(matches!(refused, Err(UpdateError::Step { candidate: 0, .. })), "{refused:?}");
        assert_eq!(covariance.path, EvolutionPath::new(1));
    }
}
