//! Both methods of Section 3 keep C positive definite, by as much as they promise, whatever the ranking.
#![cfg(feature = "dense")]

mod common;

use common::{normals, sphere};
use ddcma_core::{
    Columns, Definiteness, DiagonalDecoding, Optimizer, Plain, Separable, Settings, Strategy,
};
use ddcma_linalg::{Eigh, Mat, SymmetricRoot};
use proptest::prelude::{ProptestConfig, prop_assert, prop_compose, proptest};
use proptest::test_runner::RngSeed;

/// The smallest eigenvalue of `√C⁻¹·C′·√C⁻¹`: the largest ρ with C′ ≽ ρ·C.
fn smallest_ratio(before: &Columns, after: &Columns) -> f64 {
    let n = before.rows();
    let matrix = |columns: &Columns| Mat::from_fn(n, n, |i, j| columns[j][i]);
    let mut root = SymmetricRoot::identity(n);
    root.factor(matrix(before).as_ref())
        .expect("C is positive definite");
    let inverse = root.inverse().to_owned();
    let mut eigh = Eigh::new(n);
    eigh.decompose_values((&inverse * matrix(after) * &inverse).as_ref())
        .expect("finite");
    eigh.extremes().0
}

/// A generation's worth of z: normal, or with all unpromising samples on one line.
fn generation(n: usize, lambda: usize, seed: u64, on_a_line: bool) -> Columns {
    let mut z = normals(seed, n * lambda);
    if on_a_line {
        let line = z[..n].to_vec();
        for (i, z) in z.chunks_exact_mut(n).enumerate().skip(lambda / 2) {
            let length = if i % 2 == 0 { 0.1 } else { -3.0 };
            z.iter_mut()
                .zip(&line)
                .for_each(|(z, line)| *z = length * line);
        }
    }
    Columns::from_vec(n, z).expect("whole columns")
}

#[derive(Clone, Debug)]
struct Case {
    n: usize,
    lambda: usize,
    t_eig: Option<usize>,
    on_a_line: bool,
    seed: u64,
}

prop_compose! {
    fn case()(n in 1usize..9)(
        n in proptest::prelude::Just(n),
        lambda in 2..=(4 * n * n).max(2),
        t_eig in proptest::option::of(1usize..6),
        on_a_line in proptest::bool::ANY,
        seed in 0u64..1_000_000,
    ) -> Case {
        Case { n, lambda, t_eig, on_a_line, seed }
    }
}

impl Case {
    fn settings(&self, method: Definiteness) -> Settings {
        let settings = Settings::new().lambda(self.lambda).definiteness(method);
        match self.t_eig {
            Some(t_eig) => settings.t_eig(t_eig),
            None => settings,
        }
    }

    /// Runs on z from `generation`, ranked in the order of asking (so that the line is unpromising) or at random,
    /// and calls back after each generation with C before and after it.
    fn run<S: Strategy>(
        &self,
        settings: Settings,
        mut each: impl FnMut(&Optimizer<S>, &Columns, &Columns),
    ) {
        let mut es = Optimizer::<S>::builder(&vec![0.0; self.n], 1.0)
            .settings(settings)
            .build()
            .unwrap();
        for t in 0..24 {
            let seed = 1000 * self.seed + t;
            let z = generation(self.n, self.lambda, seed, self.on_a_line);
            let values: Vec<f64> = if self.on_a_line {
                (0..self.lambda).map(|i| i as f64).collect()
            } else {
                normals(seed + 500, self.lambda)
            };
            let before = es.c();
            es.ask_with(&z).unwrap();
            es.tell(&values).unwrap();
            each(&es, &before, &es.c());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        rng_seed: RngSeed::Fixed(2),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn method_1_keeps_a_quarter(case in case()) {
        let mut smallest: f64 = 1.0;
        case.run::<Plain>(case.settings(Definiteness::ScaleUpdate), |_, before, after| {
            smallest = smallest.min(smallest_ratio(before, after));
        });
        prop_assert!(smallest >= 0.25 - 1e-9, "{smallest}");
    }

    #[test]
    fn method_2_keeps_its_share(case in case()) {
        let settings = case.settings(Definiteness::ScaleWeights);
        // t_eig·(c_1 + c_μ) > 1 is refused: there is no such share.
        let Ok(params) = settings.params(case.n) else { return Ok(()) };
        // Theorem 3.1 with the α of eq. (alpha2): the paper's 1/n, times 1 − t_eig·(c_1 + c_μ).
        let rates = params.t_eig() as f64 * (params.c_1() + params.c_mu());
        let share = (1.0 - rates) / case.n as f64;
        let mut smallest: f64 = 1.0;
        case.run::<Plain>(settings, |_, before, after| {
            smallest = smallest.min(smallest_ratio(before, after));
        });
        prop_assert!(smallest >= share - 1e-9, "{smallest} < {share}");
    }

    #[test]
    fn every_state_stays_finite_and_positive(case in case()) {
        fn check<S: Strategy>(es: &Optimizer<S>) -> bool {
            let positive = |v: &f64| *v > 0.0 && v.is_finite();
            positive(&es.sigma())
                && es.d().iter().all(positive)
                && es.mean().iter().all(|m| m.is_finite())
                && es.c().as_slice().iter().all(|c| c.is_finite())
        }
        let mut good = true;
        for method in [Definiteness::ScaleUpdate, Definiteness::ScaleWeights] {
            let settings = case.settings(method);
            if settings.params(case.n).is_ok() {
                case.run::<Plain>(settings.clone(), |es, _, _| good &= check(es));
                case.run::<DiagonalDecoding>(settings.clone(), |es, _, after| {
                    good &= check(es) && (0..case.n).all(|i| after[i][i] == 1.0);
                });
                case.run::<Separable>(settings, |es, _, _| good &= check(es));
            }
        }
        prop_assert!(good);
    }
}

#[test]
fn the_bounds_are_reached_so_that_the_tests_above_can_fail() {
    // All unpromising samples on one line: Method 1 has to scale down, and lands on a quarter.
    let case = Case {
        n: 6,
        lambda: 100,
        t_eig: None,
        on_a_line: true,
        seed: 1,
    };
    let mut scaled_down = false;
    let mut smallest: f64 = 1.0;
    case.run::<Plain>(
        case.settings(Definiteness::ScaleUpdate),
        |es, before, after| {
            scaled_down |= es.strategy().alpha() < 1.0;
            smallest = smallest.min(smallest_ratio(before, after));
        },
    );
    assert!(scaled_down);
    assert!((smallest - 0.25).abs() < 1e-9, "{smallest}");

    // Method 2: with γ_c = 1 and nothing promising along the line, the share is attained exactly.
    let params = Settings::new()
        .definiteness(Definiteness::ScaleWeights)
        .lambda(100)
        .params(6)
        .unwrap();
    let negative: f64 = params.w().iter().filter(|w| **w < 0.0).map(|w| -w).sum();
    let (n, c_1, c_mu) = (6.0, params.c_1(), params.c_mu());
    let worst = 1.0 - c_1 - c_mu * (1.0 - negative) - n * c_mu * negative;
    assert!((worst - (1.0 - c_1 - c_mu) / n).abs() < 1e-12, "{worst}");
    assert!(
        worst < 0.9 / n,
        "the paper's 1/n is not what its theorem gives"
    );
}

#[test]
fn without_rescaling_the_line_would_break_it() {
    // The samples on the line are up to three times as long as √n would be; their raw outer products, with the same
    // weights, would make C indefinite: what eq. (zrescaled) and α prevent is real.
    let case = Case {
        n: 6,
        lambda: 100,
        t_eig: None,
        on_a_line: true,
        seed: 1,
    };
    let params = case
        .settings(Definiteness::ScaleUpdate)
        .params(case.n)
        .unwrap();
    let z = generation(case.n, case.lambda, 1000, true);
    let along: f64 = z
        .iter()
        .zip(params.w())
        .map(|(z, w)| w.min(0.0) * sphere(z))
        .sum();
    assert!(1.0 + params.c_mu() * along < 0.0);
}
