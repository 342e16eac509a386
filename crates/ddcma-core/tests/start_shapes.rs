//! Where a run starts: from a given covariance matrix, which each strategy takes as it can.
#![cfg(feature = "dense")]

use ddcma_core::{
    Bounds, Columns, DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, StartError, Strategy,
};

/// A covariance matrix with deviations 1, 10 and 0.1.
fn covariance() -> Columns {
    let (deviations, correlations) = ([1.0, 10.0, 0.1], [[1.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 1.0]]);
    let entry = |k: usize| deviations[k / 3] * correlations[k / 3][k % 3] * deviations[k % 3];
    Columns::from_vec(3, (0..9).map(entry).collect()).unwrap()
}

fn started<S: Strategy>(c: Columns, settings: Settings) -> Result<Optimizer<S>, StartError> {
    let builder = Optimizer::builder(&[0.0; 3], 2.0).deviations(&[1.0, 1.0, 4.0]).covariance(c).settings(settings);
    builder.seed(1).build()
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
    let (c, d) = (covariance(), [1.0, 1.0, 4.0]);
    let expected: Vec<f64> = (0..9).map(|k| 4.0 * d[k / 3] * c[k / 3][k % 3] * d[k % 3]).collect();
    for root in [Root::LowRank, Root::Literal] {
        let settings = Settings::new().root(root);
        let plain = started::<Plain>(c.clone(), settings.clone()).unwrap();
        assert_eq!(plain.d(), d);
        assert_near(&whole(&plain), &expected);
        let dd = started::<DiagonalDecoding>(c.clone(), settings.clone()).unwrap();
        assert_near(dd.d(), &[1.0, 10.0, 0.4]);
        assert_near(&whole(&dd), &expected);
        assert_near(&[dd.c()[0][0], dd.c()[1][1], dd.c()[2][2]], &[1.0; 3]);
        let sep = started::<Separable>(c.clone(), settings).unwrap();
        assert_near(sep.d(), &[1.0, 10.0, 0.4]);
        let deviations: Vec<f64> = plain.deviations().collect();
        for others in [dd.deviations().collect::<Vec<f64>>(), sep.deviations().collect()] {
            assert_near(&others, &deviations);
        }
    }
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
    // Separable CMA-ES takes the diagonal, which is good.
    assert!(started::<Separable>(indefinite, Settings::new()).is_ok());
}
