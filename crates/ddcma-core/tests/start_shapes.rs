//! The start of a run: from a given covariance matrix or the shape of another run, as far as each strategy can use it.
#![cfg(feature = "dense")]

use ddcma_core::{
    Bounds, Columns, Damping, DiagonalDecoding, Distribution, Generation, Optimizer, Pace, Params, Plain, Root,
    Separable, Settings, Shape, StartError, StartShape, Strategy, UpdateError, Variable, Variables,
};

/// A covariance matrix with deviations 1, 10 and 0.1.
fn covariance() -> Columns {
    let (deviations, correlations) = ([1.0, 10.0, 0.1], [[1.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 1.0]]);
    let entry = |k: usize| deviations[k / 3] * correlations[k / 3][k % 3] * deviations[k % 3];
    Columns::from_vec(3, (0..9).map(entry).collect()).unwrap()
}

fn started<S: Strategy>(c: Columns, settings: Settings) -> Result<Optimizer<S>, StartError> {
    Optimizer::builder(&[0.0; 3], 2.0).covariance(c).settings(settings).seed(1).build()
}

/// σ²·D·C·D, entry by entry.
fn whole<S: Strategy>(es: &Optimizer<S>) -> Vec<f64> {
    let (d, c, sigma) = (es.d(), es.c(), es.sigma());
    (0..9).map(|k| sigma * d[k / 3] * c[k / 3][k % 3] * d[k % 3] * sigma).collect()
}

fn assert_near(one: &[f64], other: &[f64]) {
    assert!(one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs())), "{one:?}, not {other:?}");
}

#[test]
fn each_strategy_takes_what_it_can_of_a_covariance_matrix() {
    let c = covariance();
    let expected: Vec<f64> = (0..9).map(|k| 4.0 * c[k / 3][k % 3]).collect();
    for root in [Root::LowRank, Root::Literal] {
        let settings = Settings::new().root(root);
        let plain = started::<Plain>(c.clone(), settings.clone()).unwrap();
        assert_eq!(plain.d(), [1.0; 3]);
        assert_near(&whole(&plain), &expected);
        let dd = started::<DiagonalDecoding>(c.clone(), settings.clone()).unwrap();
        assert_near(dd.d(), &[1.0, 10.0, 0.1]);
        assert_near(&whole(&dd), &expected);
        assert_near(&[dd.c()[0][0], dd.c()[1][1], dd.c()[2][2]], &[1.0; 3]);
        let sep = started::<Separable>(c.clone(), settings).unwrap();
        assert_near(sep.d(), &[1.0, 10.0, 0.1]);
        let deviations: Vec<f64> = plain.deviations().collect();
        for others in [dd.deviations().collect::<Vec<f64>>(), sep.deviations().collect()] {
            assert_near(&others, &deviations);
        }
    }
}

/// The deviations of a run that starts with deviations of 3, 2 and 1 and with a matrix or the shape of another run.
fn deviations_beside<S: Strategy>(c: Option<Columns>, known: Option<Distribution>) -> Optimizer<S> {
    let mut builder = Optimizer::<S>::builder(&[0.0; 3], 2.0).deviations(&[3.0, 2.0, 1.0]);
    if let Some(c) = c {
        builder = builder.covariance(c);
    }
    if let Some(known) = known {
        builder = builder.shape_of(known);
    }
    builder.build().unwrap()
}

#[test]
fn given_deviations_are_those_of_the_run_whatever_else_is_given() {
    fn check<S: Strategy>() {
        // The shape of plain CMA-ES, whose C is not a correlation matrix.
        let mut plain = Optimizer::<Plain>::builder(&[0.0; 3], 2.0).covariance(covariance()).build().unwrap();
        plain.run(|x: &[f64]| x[0] * x[0] + x[1] * x[1] + 1e4 * x[2] * x[2]).unwrap();
        let known = plain.distribution();
        let of_known = known.c.clone().unwrap();
        let (given, shape) = (Some(covariance()), Some(known));
        let both = (given.clone(), shape.clone());
        for (c, known) in [(None, None), (given, None), (None, shape), both] {
            // The correlations are those of the matrix, or else of the shape.
            let of = c.clone().or(known.as_ref().map(|_| of_known.clone())).unwrap_or(Columns::identity(3));
            let es = deviations_beside::<S>(c, known);
            assert_near(&es.deviations().collect::<Vec<f64>>(), &[6.0, 4.0, 2.0]);
            let (c, d) = (whole(&es), [6.0, 4.0, 2.0]);
            let correlation = |k: usize| of[k / 3][k % 3] / (of[k / 3][k / 3] * of[k % 3][k % 3]).sqrt();
            let expected: Vec<f64> = (0..9).map(|k| d[k / 3] * d[k % 3] * correlation(k)).collect();
            if S::NAME != Separable::NAME {
                assert_near(&c, &expected);
            }
        }
    }
    check::<Plain>();
    check::<DiagonalDecoding>();
    check::<Separable>();
}

#[test]
fn a_given_matrix_replaces_the_shape_of_another_run() {
    let known = Distribution { mean: vec![0.0; 2], sigma: 1.0, d: vec![1.0; 2], c: None };
    let matrix = Columns::from_vec(2, vec![1e4, 0.0, 0.0, 1e4]).unwrap();
    let es = Optimizer::<Plain>::builder(&[0.0; 2], 1.0).shape_of(known).covariance(matrix).build().unwrap();
    assert_eq!(es.deviations().collect::<Vec<f64>>(), [100.0; 2]);
}

#[test]
fn candidates_have_the_covariance_that_was_given() {
    let mut es = started::<DiagonalDecoding>(covariance(), Settings::new().lambda(20_000)).unwrap();
    let expected = whole(&es);
    let points = es.ask();
    for k in 0..9 {
        let (i, j) = (k / 3, k % 3);
        let mean = points.iter().map(|x| x[i] * x[j]).sum::<f64>() / points.len() as f64;
        let scale = (expected[4 * i] * expected[4 * j]).sqrt();
        assert!((mean - expected[k]).abs() < 0.04 * scale, "entry {k}: {mean}, not {}", expected[k]);
    }
}

#[test]
fn bounds_limit_the_deviations_of_a_given_covariance() {
    let bounds = Bounds::uniform(3, -3.0, 3.0).unwrap();
    let builder = Optimizer::<DiagonalDecoding>::builder(&[0.0; 3], 2.0).covariance(covariance()).bounds(bounds);
    let es = builder.build().unwrap();
    assert_near(&es.deviations().collect::<Vec<f64>>(), &[2.0, 2.0, 0.2]);
}

#[test]
fn what_is_no_covariance_matrix_is_refused() {
    let refused = |c: Columns| started::<DiagonalDecoding>(c, Settings::new()).unwrap_err();
    let of_size_two = Columns::identity(2);
    assert_eq!(refused(of_size_two), StartError::CovarianceOfWrongSize { expected: 3, got: (2, 2) });
    let with = |row: usize, column: usize, value: f64| {
        let mut c = covariance();
        c[column][row] = value;
        refused(c)
    };
    assert_eq!(with(0, 1, 4.0), StartError::CovarianceEntry { row: 0, column: 1, value: 4.0 });
    assert_eq!(with(2, 2, -1.0), StartError::CovarianceEntry { row: 2, column: 2, value: -1.0 });
    assert!(matches!(with(1, 1, f64::NAN), StartError::CovarianceEntry { row: 1, column: 1, .. }));
    let indefinite = Columns::from_vec(3, vec![1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    for root in [Root::LowRank, Root::Literal] {
        let error = started::<DiagonalDecoding>(indefinite.clone(), Settings::new().root(root)).unwrap_err();
        assert!(matches!(error, StartError::Covariance { .. }), "{error}");
        assert!(started::<Plain>(indefinite.clone(), Settings::new().root(root)).is_err());
    }
    // Separable CMA-ES uses only the diagonal, which is valid.
    assert!(started::<Separable>(indefinite, Settings::new()).is_ok());
}

fn of_matrix<S: Strategy>(c: Columns) -> Optimizer<S> {
    Optimizer::builder(&[0.0; 3], 2.0).covariance(c).seed(1).build().unwrap()
}

#[test]
fn one_matrix_alone_is_enough() {
    let c = covariance();
    let plain = of_matrix::<Plain>(c.clone());
    assert_eq!(plain.d(), [1.0; 3], "D = I");
    assert_near(plain.c().as_slice(), c.as_slice());
    let dd = of_matrix::<DiagonalDecoding>(c.clone());
    assert_near(dd.d(), &[1.0, 10.0, 0.1]);
    assert_near(dd.c().as_slice(), &[1.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 1.0]);
    let sep = of_matrix::<Separable>(c);
    assert_near(sep.d(), &[1.0, 10.0, 0.1]);
    assert_eq!(sep.c(), Columns::identity(3));
}

#[test]
fn stop_criteria_measure_from_the_deviations_that_result() {
    use ddcma_core::{Stop, StopCriteria};
    fn stops<S: Strategy>() {
        // Steps that do not change the function: after a generation, nothing has become small or large compared with the
        // start.
        let builder = Optimizer::<S>::builder(&[0.0; 3], 2.0).covariance(covariance());
        let mut es = builder.criteria(StopCriteria::none().tol_x(1e-3).tol_x_up(1e3)).seed(1).build().unwrap();
        es.ask();
        es.tell(&vec![0.0; es.params().lambda()]).unwrap();
        assert_eq!(es.stop(), None, "{}", S::NAME);
        // Against the deviations 2, 20 and 0.2 the longest extent is about 1: neither 10 nor 0.1.
        es.set_criteria(StopCriteria::none().tol_x(5.0)).unwrap();
        let Some(Stop::TolX { largest, .. }) = es.stop() else { panic!("{:?}", es.stop()) };
        assert!((0.3..3.0).contains(&largest), "{}: {largest}", S::NAME);
    }
    stops::<Plain>();
    stops::<DiagonalDecoding>();
    stops::<Separable>();
}

/// A strategy that rejects any C.
#[derive(Debug)]
struct WithoutC(Separable);

impl Strategy for WithoutC {
    const NAME: &'static str = "without C";
    type Options = ();
    type StepSize = ddcma_core::BuiltInRule;
    fn start(params: &Params, options: &(), shape: &StartShape<'_>) -> Result<Self, StartError> {
        match shape.c {
            Some(c) => {
                let reason = format!("it has no C, got one with an entry {}", c[0][1]);
                Err(StartError::Strategy { name: Self::NAME, reason })
            }
            None => Separable::start(params, options, shape).map(Self),
        }
    }
    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.0.sample(z, y);
    }
    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.0.whiten(y, z);
    }
    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        self.0.update(generation, pace, params)
    }
    fn shape(&self) -> Shape<'_> {
        self.0.shape()
    }
    fn c(&self) -> Columns {
        self.0.c()
    }
    fn axis_lengths(&self) -> Vec<f64> {
        self.0.axis_lengths()
    }
}

#[test]
fn a_custom_strategy_gets_the_shape_and_may_refuse_it() {
    let error = started::<WithoutC>(covariance(), Settings::new()).unwrap_err();
    let reason = "it has no C, got one with an entry 5".to_string();
    assert_eq!(error, StartError::Strategy { name: "without C", reason });
    assert_eq!(error.to_string(), "strategy \"without C\" cannot start: it has no C, got one with an entry 5");
    let es = Optimizer::<WithoutC>::builder(&[0.0; 3], 2.0).deviations(&[1.0, 3.0, 5.0]).build().unwrap();
    assert_eq!(es.d(), [1.0, 3.0, 5.0]);
}

/// The root of such a matrix would have other variances, because of rounding errors.
#[test]
fn a_matrix_beyond_double_precision_is_refused() {
    let (d, r) = ([1e-12, 1.0, 1e12], 0.9);
    let entry = |k: usize| d[k / 3] * d[k % 3] * if k.is_multiple_of(4) { 1.0 } else { r };
    let c = Columns::from_vec(3, (0..9).map(entry).collect()).unwrap();
    for root in [Root::LowRank, Root::Literal] {
        let builder = Optimizer::<Plain>::builder(&[0.0; 3], 1.0).settings(Settings::new().root(root));
        let error = builder.clone().covariance(c.clone()).build().unwrap_err();
        assert!(matches!(error, StartError::Covariance { .. }), "{error}");
        // The same, given as D and C; dd-CMA-ES finds this split by itself.
        let correlations = (0..9).map(|k: usize| if k.is_multiple_of(4) { 1.0 } else { r }).collect();
        let builder = builder.deviations(&d).covariance(Columns::from_vec(3, correlations).unwrap());
        assert!(builder.build().is_ok());
        let dd = Optimizer::<DiagonalDecoding>::builder(&[0.0; 3], 1.0).settings(Settings::new().root(root));
        assert!(dd.covariance(c.clone()).build().is_ok());
    }
}

#[test]
fn correlations_that_are_known_damp_d_from_the_start() {
    let correlated = Columns::from_vec(3, vec![1.0, 0.999, 0.0, 0.999, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let dd = of_matrix::<DiagonalDecoding>(correlated.clone());
    let axes = dd.strategy().shape().axes;
    // eq. (ddamp), with β_thresh = 2
    let expected = axes.longest / axes.shortest - 1.0;
    assert!(expected > 10.0 && (axes.beta / expected - 1.0).abs() < 1e-9, "{axes:?}");
    let by_axis = Settings::new().damping(Damping::ShortestAxis).beta_exponent(0.7).beta_thresh(2.5).beta_min(1.0);
    let axes = started::<DiagonalDecoding>(correlated, by_axis).unwrap().strategy().shape().axes;
    let expected = (axes.shortest.powi(2).powf(-0.7) - 1.5).max(1.0);
    assert!(expected > 1.0 && (axes.beta / expected - 1.0).abs() < 1e-9, "{axes:?}");
    let fixed = Settings::new().damping(Damping::Fixed(3.0));
    let fixed = started::<DiagonalDecoding>(covariance(), fixed).unwrap();
    assert_eq!(fixed.strategy().shape().axes.beta, 3.0);
    let without = Optimizer::<DiagonalDecoding>::new(&[0.0; 3], 1.0, 1).unwrap();
    assert_eq!(without.strategy().shape().axes.beta, 1.0);
}

/// A run on a narrow valley, rotated against the axes, after this many generations.
fn learned<S: Strategy>() -> Optimizer<S> {
    let valley = |x: &[f64]| 1e4 * (x[0] - 2.0 * x[1]).powi(2) + x[1] * x[1] + 100.0 * x[2] * x[2];
    let mut es = Optimizer::<S>::new(&[3.0; 3], 1.0, 1).unwrap();
    for _ in 0..60 {
        es.step(&mut { valley }).unwrap();
    }
    es
}

fn entries(sigma: f64, d: &[f64], c: &Columns) -> Vec<f64> {
    (0..9).map(|k| sigma * d[k / 3] * c[k / 3][k % 3] * d[k % 3] * sigma).collect()
}

#[test]
fn a_distribution_is_that_of_the_run() {
    let es = learned::<DiagonalDecoding>();
    let known = es.distribution();
    assert_eq!((&known.mean[..], known.sigma, &known.d[..]), (es.mean(), es.sigma(), es.d()));
    assert_eq!(known.c, Some(es.c()));
    assert_near(&known.deviations(), &es.deviations().collect::<Vec<f64>>());
    assert_eq!(learned::<Separable>().distribution().c, None, "not an n × n matrix of no information");
    // All of it can be used again, with any strategy that has a C.
    for known in [known, learned::<Plain>().distribution()] {
        let expected = entries(known.sigma, &known.d, known.c.as_ref().unwrap());
        let builder = Optimizer::<Plain>::builder(&known.mean, 1.0).deviations(&known.deviations());
        let again = builder.covariance(known.c.clone().unwrap()).build().unwrap();
        let scale = expected.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let (one, other): (Vec<f64>, Vec<f64>) =
            whole(&again).iter().zip(&expected).map(|(a, b)| (a / scale, b / scale)).unzip();
        assert_near(&one, &other);
    }
}

#[test]
fn the_shape_of_a_run_is_taken_with_the_usual_step_size() {
    fn check<S: Strategy>(known: &Distribution) {
        let es = Optimizer::<S>::builder(&[0.0; 3], 0.5).shape_of(known.clone()).build().unwrap();
        let (new, old): (Vec<f64>, Vec<f64>) = (es.deviations().collect(), known.deviations());
        let product: f64 = new.iter().product();
        assert!((product / 0.5f64.powi(3) - 1.0).abs() < 1e-12, "{}: geometric mean 0.5, got {new:?}", S::NAME);
        let ratios: Vec<f64> = new.iter().zip(&old).map(|(new, old)| new / old).collect();
        assert!(ratios.iter().all(|ratio| (ratio / ratios[0] - 1.0).abs() < 1e-12), "{}: {ratios:?}", S::NAME);
        if let Some(c) = known.c.as_ref().filter(|_| S::NAME != "sep") {
            let (factor, expected) = (ratios[0] * ratios[0], entries(known.sigma, &known.d, c));
            assert_near(&whole(&es), &expected.iter().map(|entry| factor * entry).collect::<Vec<f64>>());
        }
    }
    for known in [
        learned::<DiagonalDecoding>().distribution(),
        learned::<Plain>().distribution(),
        learned::<Separable>().distribution(),
    ] {
        check::<DiagonalDecoding>(&known);
        check::<Plain>(&known);
        check::<Separable>(&known);
    }
}

#[test]
fn the_order_of_the_setters_does_not_matter() {
    let known = learned::<Plain>().distribution();
    for order in [true, false] {
        let builder = Optimizer::<Plain>::builder(&[0.0; 3], 1.0);
        let builder = match order {
            true => builder.shape_of(known.clone()).deviations(&[1.0, 2.0, 3.0]).covariance(covariance()),
            false => builder.covariance(covariance()).deviations(&[1.0, 2.0, 3.0]).shape_of(known.clone()),
        };
        let es = builder.build().unwrap();
        assert_eq!(es.d(), [1.0, 2.0, 3.0]);
        assert_near(es.c().as_slice(), &[1.0, 0.5, -0.3, 0.5, 1.0, 0.2, -0.3, 0.2, 1.0]);
    }
}

#[test]
fn a_shape_with_variables_is_measured_by_their_deviations() {
    let variables =
        Variables::new([Variable::between(1e-6, 1.0).log(), Variable::fixed(1.0), Variable::between(0.0, 100.0)])
            .unwrap();
    let f = |x: &[f64]| 1e4 * (x[0].ln() + 5.0 - 0.2 * x[2]).powi(2) + (x[2] - 30.0).powi(2);
    let mut es = Optimizer::<DiagonalDecoding>::over(&variables).seed(1).build().unwrap();
    es.run(f).unwrap();
    let known = es.distribution();
    assert_eq!((known.mean.len(), known.d.len()), (3, 2));
    let again =
        Optimizer::<Plain>::builder(&known.mean, 0.1).variables(variables.clone()).shape_of(known).build().unwrap();
    let product: f64 = again.deviations().product();
    let usual: f64 = variables.deviations().iter().product();
    assert!((product / (0.01 * usual) - 1.0).abs() < 1e-12);
    assert_eq!(again.mean(), es.mean());
}

#[test]
fn invalid_shapes_are_refused() {
    let good = learned::<DiagonalDecoding>().distribution();
    let refused = |change: fn(&mut Distribution)| {
        let mut known = good.clone();
        change(&mut known);
        Optimizer::<DiagonalDecoding>::builder(&[0.0; 3], 1.0).shape_of(known).build().unwrap_err()
    };
    let wrong = StartError::DeviationsOfWrongLength { expected: 3, got: 2 };
    assert_eq!(refused(|known| known.d.truncate(2)), wrong);
    assert_eq!(refused(|known| known.d[1] = 0.0), StartError::Deviation { index: 1, value: 0.0 });
    assert!(matches!(refused(|known| known.d[2] = f64::NAN), StartError::Deviation { index: 2, .. }));
    let wrong = StartError::CovarianceOfWrongSize { expected: 3, got: (2, 2) };
    assert_eq!(refused(|known| known.c = Some(Columns::identity(2))), wrong);
    assert!(matches!(
        refused(|known| known.d = vec![1e-300, 1e300, 1e300]),
        StartError::Deviation { .. } | StartError::OutOfRange { .. }
    ));
    let indefinite = |known: &mut Distribution| {
        known.c = Columns::from_vec(3, vec![1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    };
    assert!(matches!(refused(indefinite), StartError::Covariance { .. }));
}

#[test]
fn a_warm_start_saves_what_was_learned() {
    let f = |x: &[f64], bottom: f64| {
        let sums = x.windows(2).map(|x| 1e5 * (x[0] - x[1]).powi(2)).sum::<f64>();
        sums + x.iter().map(|x| (x - bottom).powi(2)).sum::<f64>()
    };
    fn evaluations<S: Strategy>(builder: ddcma_core::Builder<S>, f: impl FnMut(&[f64]) -> f64) -> (u64, Distribution) {
        let mut es = builder.target(1e-8).seed(1).build().unwrap();
        let stop = es.run(f).unwrap();
        assert_eq!(stop.name(), "target");
        (es.evaluations(), es.distribution())
    }
    let start = || Optimizer::<DiagonalDecoding>::builder(&[0.0; 10], 1.0);
    let (_, known) = evaluations(start(), |x| f(x, 1.0));
    let (cold, _) = evaluations(start(), |x| f(x, 2.0));
    let (warm, _) = evaluations(start().shape_of(known), |x| f(x, 2.0));
    assert!(2 * warm < cold, "{warm} and {cold}");
}
