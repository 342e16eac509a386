//! Every setting reaches the algorithm: it changes the run as its formula says.
#![cfg(feature = "dense")]

use crate::common::{self, assert_close, bits, ellipsoid, step, unit_vector};
use ddcma_core::{
    Damping, DdCma, DiagonalDecoding, Optimizer, Plain, Rates, Root, Separable, Settings, StopCriteria, Strategy,
};

const N: usize = 5;

fn start<S: Strategy>(settings: Settings) -> Optimizer<S> {
    Optimizer::builder(&[1.0; N], 0.5).settings(settings).seed(11).build().unwrap()
}

fn after<S: Strategy>(generations: usize, settings: Settings) -> Optimizer<S> {
    let mut es = start(settings);
    (0..generations).for_each(|_| step(&mut es, ellipsoid));
    es
}

/// One long axis across all coordinates, so that C becomes ill-conditioned.
fn tilted(x: &[f64]) -> f64 {
    let u = unit_vector(1, N);
    let along = common::dot(&u, x).powi(2);
    1e-6 * along + common::sphere(x) - along
}

#[test]
fn the_rate_of_the_mean_scales_its_step() {
    let step_of = |c_m| -> Vec<f64> {
        let es = after::<Separable>(1, Settings::new().c_m(c_m));
        es.mean().iter().map(|m| m - 1.0).collect()
    };
    let doubled: Vec<f64> = step_of(0.5).iter().map(|s| 2.0 * s).collect();
    assert_close(&doubled, &step_of(1.0), 1e-14, "step");
}

#[test]
fn pre_weights_choose_who_attracts_the_mean() {
    let mut only_the_best = vec![0.0; 8];
    only_the_best[0] = 1.0;
    let mut es = start::<DiagonalDecoding>(Settings::new().pre_weights(only_the_best));
    step(&mut es, ellipsoid);
    let best = es.best().unwrap().point.to_vec();
    assert_close(es.mean(), &best, 1e-14, "the mean is the best candidate");
}

#[test]
fn a_fixed_damping_divides_the_logarithm_of_the_change_of_d() {
    // Without a decomposition, D changes only by its own update.
    let log_d = |beta| -> Vec<f64> {
        let settings = Settings::new().damping(Damping::Fixed(beta)).t_eig(1000);
        after::<DiagonalDecoding>(1, settings).d().iter().map(|d| d.ln()).collect()
    };
    let damped: Vec<f64> = log_d(4.0).iter().map(|d| 4.0 * d).collect();
    assert_close(&damped, &log_d(1.0), 1e-13, "ln D");
}

#[test]
fn a_fixed_damping_stays_and_an_adaptive_one_follows_the_axis_ratio() {
    let run = |settings| -> DdCma {
        let mut es = start(settings);
        for _ in 0..400 {
            step(&mut es, tilted);
        }
        es
    };
    let fixed = run(Settings::new().damping(Damping::Fixed(1.5)));
    assert_eq!(fixed.strategy().shape().axes.beta, 1.5);
    for threshold in [2.0, 5.0] {
        let adaptive = run(Settings::new().beta_thresh(threshold));
        let ratio = adaptive.strategy().shape().axes.longest / adaptive.strategy().shape().axes.shortest;
        assert!(ratio > 10.0, "{ratio}");
        assert_close(&[adaptive.strategy().shape().axes.beta], &[ratio - threshold + 1.0], 1e-14, "beta");
    }
}

/// One axis of this length across all coordinates, short or long, after this many generations.
fn on_one_axis(length: f64, generations: usize, settings: Settings) -> DdCma {
    let u = unit_vector(1, N);
    let mut es = start(settings);
    for _ in 0..generations {
        step(&mut es, |x| {
            let along = common::dot(&u, x).powi(2);
            along / length.powi(2) + common::sphere(x) - along
        });
    }
    es
}

#[test]
fn a_damping_by_the_shortest_axis_is_a_power_of_the_smallest_eigenvalue() {
    let by_axis = Settings::new().damping(Damping::ShortestAxis);
    for root in [Root::LowRank, Root::Literal] {
        for (gamma, threshold) in [(0.7, 2.5), (0.5, 2.0), (1.0, 0.0)] {
            let settings = by_axis.clone().root(root).beta_exponent(gamma).beta_thresh(threshold).beta_min(1.0);
            let es = on_one_axis(1e-3, 400, settings);
            let axes = es.strategy().shape().axes;
            let expected = (axes.shortest * axes.shortest).powf(-gamma) - threshold + 1.0;
            assert!(expected > 5.0, "{expected}");
            assert_close(&[axes.beta], &[expected], 1e-12, "beta");
        }
        let defaults = bits(&on_one_axis(1e-3, 60, by_axis.clone().root(root)));
        let constants = by_axis.clone().root(root).beta_exponent(0.8).beta_thresh(1.0).beta_min(0.6);
        assert_eq!(defaults, bits(&on_one_axis(1e-3, 60, constants)));
    }
}

/// The difference between the two dampings: a long axis damps D by the condition number, but not by the shortest axis.
#[test]
fn a_long_axis_alone_does_not_damp_d_by_the_shortest_one() {
    let correlations = (0..N * N).map(|k| if k.is_multiple_of(N + 1) { 1.0 } else { 0.3 }).collect();
    let correlations = ddcma_core::Columns::from_vec(N, correlations).unwrap();
    let axes = |damping| {
        let settings = Settings::new().damping(damping).beta_thresh(1.5).beta_min(1.0);
        let builder = Optimizer::<DiagonalDecoding>::builder(&[1.0; N], 0.5).settings(settings);
        builder.covariance(correlations.clone()).seed(1).build().unwrap().strategy().shape().axes
    };
    // λ_max = 1 + (N − 1)·0.3 = 2.2, λ_min = 0.7
    assert_close(&[axes(Damping::Adaptive).beta], &[(2.2f64 / 0.7).sqrt() - 0.5], 1e-9, "the paper's");
    assert_eq!(axes(Damping::ShortestAxis).beta, 1.0);
}

#[test]
fn a_damping_that_overflows_is_a_number() {
    let settings = Settings::new().damping(Damping::ShortestAxis).beta_exponent(1e4);
    let es = on_one_axis(1e-3, 400, settings);
    assert_eq!(es.strategy().shape().axes.beta, f64::MAX);
}

#[test]
fn the_damping_by_the_shortest_axis_changes_nothing_without_d_or_without_c() {
    let by_axis = Settings::new().damping(Damping::ShortestAxis).beta_exponent(0.5).beta_thresh(0.0);
    assert_eq!(bits(&after::<Plain>(80, by_axis.clone())), bits(&after::<Plain>(80, Settings::new())));
    assert_eq!(bits(&after::<Separable>(80, by_axis.clone())), bits(&after::<Separable>(80, Settings::new())));
    let dd = bits(&after::<DiagonalDecoding>(80, by_axis));
    assert_ne!(dd, bits(&after::<DiagonalDecoding>(80, Settings::new())));
}

#[test]
fn the_damping_by_agreement_changes_nothing_without_d_or_without_c() {
    let by_agreement = Settings::new().damping(Damping::Agreement).agreement_level(0.1);
    assert_eq!(bits(&after::<Plain>(80, by_agreement.clone())), bits(&after::<Plain>(80, Settings::new())));
    assert_eq!(bits(&after::<Separable>(80, by_agreement.clone())), bits(&after::<Separable>(80, Settings::new())));
    let dd = bits(&after::<DiagonalDecoding>(80, by_agreement));
    assert_ne!(dd, bits(&after::<DiagonalDecoding>(80, Settings::new().damping(Damping::ShortestAxis))));
}

/// The factor of the damping by agreement multiplies the damping by the shortest axis.
#[test]
fn a_damping_by_agreement_is_within_its_factors_of_that_by_the_shortest_axis() {
    let of = |damping: Damping| Settings::new().damping(damping).beta_min(1.0).agreement_gain(1.0);
    let alike = [Damping::Agreement, Damping::ShortestAxis].map(|damping| bits(&on_one_axis(1e-3, 60, of(damping))));
    assert_eq!(alike[0], alike[1], "a factor between 1 and 1");
    // Twelve variables of different scales: D has a way to go at first, and none later.
    let scaled = |x: &[f64]| x.iter().enumerate().map(|(k, x)| 3f64.powi(k as i32) * x * x).sum();
    let builder = Optimizer::<DiagonalDecoding>::builder(&[1.0; 12], 1.0).seed(1);
    let mut es = builder.settings(Settings::new().damping(Damping::Agreement)).build().unwrap();
    let factors: Vec<f64> = (0..400)
        .map(|_| {
            step(&mut es, scaled);
            let axes = es.strategy().shape().axes;
            axes.beta / (0.6 * (axes.shortest * axes.shortest).powf(-0.8))
        })
        .collect();
    assert!(factors.iter().all(|factor| (0.25 - 1e-9..1.0 / 0.6 + 1e-9).contains(factor)), "{factors:?}");
    let least = |factors: &[f64]| factors.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least(&factors[..200]) < 0.8, "{:?}", &factors[..200]);
    assert!(least(&factors[300..]) > 1.2, "{:?}", &factors[300..]);
}

/// β starts at β_min, which scales all of it.
#[test]
fn the_least_damping_multiplies() {
    let by_axis =
        |least| Settings::new().damping(Damping::ShortestAxis).beta_exponent(0.7).beta_thresh(2.5).beta_min(least);
    assert_eq!(start::<DiagonalDecoding>(by_axis(0.25)).strategy().shape().axes.beta, 0.25);
    let axes = on_one_axis(1e-3, 400, by_axis(0.25)).strategy().shape().axes;
    let expected = 0.25 * ((axes.shortest * axes.shortest).powf(-0.7) - 1.5);
    assert!(expected > 5.0, "{expected}");
    assert_close(&[axes.beta], &[expected], 1e-12, "beta");
}

#[test]
fn the_older_rates_are_a_name_for_their_numbers() {
    let older = Settings::new().rates(Rates::Older);
    let params = older.params(N).unwrap();
    let numbers = Settings::new()
        .c_1(params.c_1())
        .c_mu(params.c_mu())
        .c_c(params.c_c())
        .c_1_d(params.c_1_d())
        .c_mu_d(params.c_mu_d())
        .c_c_d(params.c_c_d());
    let by_name = after::<DiagonalDecoding>(50, older);
    assert_eq!(bits(&by_name), bits(&after::<DiagonalDecoding>(50, numbers)));
    assert_ne!(bits(&by_name), bits(&after::<DiagonalDecoding>(50, Settings::new())));
}

#[test]
fn keeping_the_determinant_keeps_that_of_d_in_dd_too() {
    let es = after::<DiagonalDecoding>(50, Settings::new().keep_determinant(true).t_eig(1000));
    let log_determinant: f64 = es.d().iter().map(|d| d.ln()).sum();
    assert!(log_determinant.abs() < 1e-12, "{log_determinant}");
    assert!(es.d()[0] / es.d()[N - 1] > 3.0, "D adapts nevertheless: {:?}", es.d());
}

#[test]
fn rates_of_zero_freeze_what_they_drive() {
    let es = after::<Plain>(50, Settings::new().c_1(0.0).c_mu(0.0));
    assert_eq!(es.c(), ddcma_core::Columns::identity(N));
    let es = after::<Separable>(50, Settings::new().c_1_d(0.0).c_mu_d(0.0));
    assert_eq!(es.d(), [1.0; N]);
}

#[test]
fn t_eig_is_the_number_of_iterations_between_two_decompositions() {
    let mut es = start::<Plain>(Settings::new().t_eig(7));
    let mut changes = Vec::new();
    for t in 1..=21 {
        let before = es.c();
        step(&mut es, ellipsoid);
        if es.c() != before {
            changes.push(t);
        }
    }
    assert_eq!(changes, [7, 14, 21]);
}

#[test]
fn seeded_runs_of_dd_keep_their_values() {
    // A change here is a value-breaking change: it belongs in the changelog under that heading.
    let es = after::<DiagonalDecoding>(40, Settings::new().root(Root::Literal));
    assert_close(&[es.sigma()], &[0.19216485673528894], 1e-11, "sigma");
    let expected =
        [2.2616714212631135, -1.165150623016975, -0.0752266374937913, -0.012452032784449885, -0.004571328426477523];
    assert_close(es.mean(), &expected, 1e-11, "mean");

    let es = after::<DiagonalDecoding>(40, Settings::new());
    assert_close(&[es.sigma()], &[0.36685775142397614], 1e-11, "sigma");
    let expected =
        [1.329014645742153, -0.62708052415287, -0.11830416657756507, -0.009225087392427684, -0.0045495456511673955];
    assert_close(es.mean(), &expected, 1e-11, "mean");
}

#[test]
fn options_may_come_in_any_order() {
    let f = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let settings = || Settings::new().lambda(30).active(false);
    let criteria = || StopCriteria::new().target(1e-3).max_evaluations(50);
    let start = || ddcma_core::minimize(f, &[1.0; 3], 1.0).seed(3);
    let first = start().settings(settings()).criteria(criteria()).lambda(12).target(1e-8).max_evaluations(5000);
    let last = start().max_evaluations(5000).target(1e-8).lambda(12).criteria(criteria()).settings(settings());
    let (first, last) = (first.run().unwrap(), last.run().unwrap());
    assert_eq!(first, last);
    assert!(first.value <= 1e-8 && first.evaluations.is_multiple_of(12), "the single ones have won: {first:?}");

    let builder = || DdCma::builder(&[1.0; 3], 1.0).seed(3);
    let built = builder().target(1e-8).lambda(12).max_evaluations(5000).criteria(criteria()).settings(settings());
    let mut es = built.build().unwrap();
    assert_eq!(es.params().lambda(), 12);
    let stop = es.run(f).unwrap();
    assert_eq!((stop, es.best_value(), es.evaluations()), (first.stop, first.value, first.evaluations));
}
