//! Instances have the minimum, the shape and the names that they promise.

use ddcma_problems::{Function, InitialMean, Instance, Landscape, Problem, ProblemError, Rotation, Spec};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() }
}

prop_compose! {
    fn spec(largest: usize)(
        function in prop::sample::select(Function::ALL),
        extra in 0..largest,
        rotated in any::<bool>(),
        seed in any::<u64>(),
    ) -> Spec {
        let n = function.smallest_dimension() + extra;
        Spec { function, n, rotated: rotated && function.has_rotated_form(), seed }
    }
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs().max(f64::MIN_POSITIVE)
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn the_minimizer_has_the_minimum_and_nothing_is_below(
        spec in spec(40),
        at in prop::collection::vec(-20.0..20.0, 42),
        exponent in -9i32..2,
    ) {
        let instance = Instance::new(spec).unwrap();
        let minimizer = instance.minimizer().unwrap();
        let at_minimizer = instance.at(&minimizer);
        // R·Rᵀ·1 is 1 up to rounding, which Rosenbrock's function magnifies by 401 before it is squared.
        prop_assert!((0.0..=1e-24).contains(&at_minimizer), "{at_minimizer}");
        if !spec.rotated {
            prop_assert_eq!(at_minimizer, instance.minimum());
        }
        let x: Vec<f64> = minimizer.iter().zip(&at).map(|(m, d)| m + 10f64.powi(exponent) * d).collect();
        prop_assert!(instance.at(&x) > instance.minimum());
    }

    #[test]
    fn the_rotated_function_is_the_other_one_at_the_rotated_point(
        function in prop::sample::select(Function::ALL),
        extra in 0usize..20,
        seed in any::<u64>(),
        at in prop::collection::vec(-3.0..3.0, 22),
    ) {
        let n = function.smallest_dimension() + extra;
        let rotation = Rotation::from_seed(n, seed).unwrap();
        let x = &at[..n];
        let mut z = vec![0.0; n];
        rotation.apply(x, &mut z);
        let rotated = Landscape::rotated(function, rotation.clone()).unwrap();
        let (ours, expected) = match function {
            // These functions scale the coordinates before they project on u and v.
            Function::EllCig | Function::EllDis | Function::EllCigDis => {
                let scale = |i: usize| 10f64.powf(2.0 * i as f64 / (n.max(2) - 1) as f64);
                let y: Vec<f64> = x.iter().enumerate().map(|(i, x)| scale(i) * x).collect();
                let mut turned = vec![0.0; n];
                rotation.apply(&y, &mut turned);
                let unscaled: Vec<f64> = turned.iter().enumerate().map(|(i, y)| y / scale(i)).collect();
                (rotated.at(x), Landscape::new(function, n).unwrap().at(&unscaled))
            }
            _ => (rotated.at(x), Landscape::new(function, n).unwrap().at(&z)),
        };
        // ‖x‖² − ⟨u, x⟩² may cancel; its error is relative to ‖x‖², which 10⁶ multiplies.
        let scale = 1e6 * (x.iter().map(|x| x * x).sum::<f64>() + 1.0);
        prop_assert!((ours - expected).abs() <= 1e-11 * expected.abs() + 1e-14 * scale, "{ours} {expected}");
    }

    #[test]
    fn a_generation_has_the_values_of_its_points(
        spec in spec(60),
        at in prop::collection::vec(-5.0..5.0, 7 * 62),
    ) {
        let mut instance = Instance::new(spec).unwrap();
        let points = &at[..7 * spec.n];
        let mut values = [f64::NAN; 7];
        instance.values(points, &mut values);
        for (x, value) in points.chunks_exact(spec.n).zip(values) {
            prop_assert!(close(value, instance.at(x), 1e-11), "{value} {}", instance.at(x));
        }
    }

    #[test]
    fn names_parse_back(spec in spec(1000)) {
        prop_assert_eq!(spec.to_string().parse::<Spec>(), Ok(spec));
    }

    /// A name with one character changed, omitted or inserted is another name or an invalid one, never the same instance.
    #[test]
    fn other_texts_are_no_names(spec in spec(1000), at in any::<prop::sample::Index>(), new in "[-a-z0-9/=+ ]", change in 0..3) {
        let name = spec.to_string();
        let at = at.index(name.len());
        let (before, after) = name.split_at(at);
        let text = match change {
            0 => format!("{before}{new}{}", &after[1..]),
            1 => format!("{before}{}", &after[1..]),
            _ => format!("{before}{new}{after}"),
        };
        match text.parse::<Spec>() {
            Ok(other) => prop_assert!(other != spec || text == name, "{} is read as {}", text, name),
            Err(_) => prop_assert!(text != name),
        }
    }

    #[test]
    fn the_same_spec_is_the_same_instance(spec in spec(12), bit in 0u32..64) {
        let (mut one, other) = (Instance::new(spec).unwrap(), Instance::from_name(&spec.to_string()).unwrap());
        one.values(&vec![0.5; 3 * spec.n], &mut [0.0; 3]); // an evaluation does not change the instance
        prop_assert_eq!(&one, &other);
        let another = Instance::new(Spec { seed: spec.seed ^ (1 << bit), ..spec }).unwrap();
        let random_mean = matches!(spec.function.initial_mean(), InitialMean::Normal(_));
        prop_assert_eq!(one.initial_mean() != another.initial_mean(), random_mean);
        let oriented = spec.rotated || spec.function.name().starts_with("ell") && spec.function != Function::Ellipsoid;
        if spec.n > 1 {
            prop_assert_eq!(one.landscape() != another.landscape(), oriented);
        }
    }
}

/// The Hessian by central differences, exact up to rounding for quadratic functions.
fn hessian(instance: &Instance, h: f64) -> Vec<Vec<f64>> {
    let n = instance.dimension();
    let center = instance.minimizer().unwrap();
    let at = |i: usize, a: f64, j: usize, b: f64| {
        let mut x = center.clone();
        x[i] += a * h;
        x[j] += b * h;
        instance.at(&x)
    };
    let entry = |i, j| {
        if i == j {
            (at(i, 1.0, i, 0.0) - 2.0 * at(i, 0.0, i, 0.0) + at(i, -1.0, i, 0.0)) / (h * h)
        } else {
            let mixed = at(i, 1.0, j, 1.0) - at(i, 1.0, j, -1.0) - at(i, -1.0, j, 1.0) + at(i, -1.0, j, -1.0);
            mixed / (4.0 * h * h)
        }
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

#[test]
fn hessians_are_those_of_the_table() {
    let n = 6;
    let diagonal = |values: [f64; 6]| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| if i == j { values[i] } else { 0.0 }).collect()).collect()
    };
    let pi2 = std::f64::consts::PI.powi(2);
    // Rosenbrock at (1, …, 1): ∂²/∂z_i² = 800 z_i² + 2 from its own term (but for the last), 200 from the one before;
    // ∂²/∂z_i ∂z_{i+1} = −400 z_i.
    let mut rosenbrock = diagonal([802.0, 1002.0, 1002.0, 1002.0, 1002.0, 200.0]);
    for i in 0..n - 1 {
        rosenbrock[i][i + 1] = -400.0;
        rosenbrock[i + 1][i] = -400.0;
    }
    // Bohachevsky: 2 + 0.3·9π² as the first of a pair, 4 + 0.4·16π² as the second.
    let (first, second) = (2.0 + 2.7 * pi2, 4.0 + 6.4 * pi2);
    let ellipsoid = [0.0, 1.2, 2.4, 3.6, 4.8, 6.0].map(|e: f64| 2.0 * 10f64.powf(e));
    for (function, h, expected) in [
        (Function::Sphere, 0.5, diagonal([2.0; 6])),
        (Function::Cigar, 0.5, diagonal([2.0, 2e6, 2e6, 2e6, 2e6, 2e6])),
        (Function::Discus, 0.5, diagonal([2e6, 2.0, 2.0, 2.0, 2.0, 2.0])),
        (Function::Ellipsoid, 0.5, diagonal(ellipsoid)),
        (Function::TwoAxes, 0.5, diagonal([2e6, 2e6, 2e6, 2.0, 2.0, 2.0])),
        (Function::Rosenbrock, 1e-4, rosenbrock),
        (
            Function::Bohachevsky,
            1e-4,
            diagonal([first, first + second, first + second, first + second, first + second, second]),
        ),
        (Function::Rastrigin, 1e-4, diagonal([2.0 + 40.0 * pi2; 6])),
    ] {
        let instance = Instance::new(Spec { function, n, rotated: false, seed: 1 }).unwrap();
        let scale = expected.iter().flatten().fold(0.0, |largest: f64, h| largest.max(h.abs()));
        for (row, expected) in hessian(&instance, h).iter().zip(&expected) {
            for (ours, expected) in row.iter().zip(expected) {
                assert!((ours - expected).abs() <= 2e-6 * scale.min(1e4), "{function}: {ours} {expected}");
            }
        }
    }
}

#[test]
fn hessians_of_the_mixed_functions_are_those_of_the_table() {
    let n = 5;
    for (function, along_u, along_v) in
        [(Function::EllCig, 1e-4, None), (Function::EllDis, 1e4, None), (Function::EllCigDis, 1e-4, Some(1e4))]
    {
        let instance = Instance::new(Spec { function, n, rotated: false, seed: 9 }).unwrap();
        let u = instance.landscape().u().unwrap();
        let v = instance.landscape().v().unwrap_or(&[0.0; 5]);
        let ours = hessian(&instance, 0.5);
        let scale = |i: usize| 10f64.powf(2.0 * i as f64 / 4.0);
        for i in 0..n {
            for j in 0..n {
                // 2 D² (I + (a − 1) u uᵀ + (b − 1) v vᵀ) D²
                let identity = if i == j { 1.0 } else { 0.0 };
                let middle = identity + (along_u - 1.0) * u[i] * u[j] + (along_v.unwrap_or(1.0) - 1.0) * v[i] * v[j];
                let expected = 2.0 * scale(i) * middle * scale(j);
                assert!((ours[i][j] - expected).abs() <= 1e-4, "{function}: {} {expected}", ours[i][j]);
            }
        }
        assert!((u.iter().map(|u| u * u).sum::<f64>() - 1.0).abs() < 1e-14);
        if along_v.is_some() {
            assert!((v.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-14);
            assert!(u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>().abs() < 1e-14);
        }
    }
}

#[test]
fn values_worked_out_by_hand() {
    let at = |function, x: &[f64]| Landscape::new(function, x.len()).unwrap().at(x);
    let check = |function, x: &[f64], expected: f64| {
        let ours = at(function, x);
        assert!(close(ours, expected, 1e-13), "{function} at {x:?}: {ours}, not {expected}");
    };
    check(Function::Sphere, &[1.0, 2.0, -3.0], 14.0);
    check(Function::Sphere, &[2.0], 4.0);
    check(Function::Cigar, &[1.0, 2.0, -3.0], 1.0 + 13e6);
    check(Function::Cigar, &[3.0], 9.0);
    check(Function::Discus, &[1.0, 2.0, -3.0], 1e6 + 13.0);
    check(Function::Ellipsoid, &[1.0, 2.0, -3.0], 1.0 + 4e3 + 9e6);
    check(Function::Ellipsoid, &[5.0], 25.0);
    check(Function::TwoAxes, &[1.0, 2.0, -3.0, 4.0], 5e6 + 25.0);
    check(Function::TwoAxes, &[1.0, 2.0, -3.0], 1e6 + 13.0); // odd: one coordinate of three
    check(Function::TwoAxes, &[3.0], 9.0);
    // y = (1·1, 10·2, 100·0.5) = (1, 20, 50)
    check(Function::EllCig, &[1.0, 2.0, 0.5], 1e-4 + 2900.0);
    check(Function::EllDis, &[1.0, 2.0, 0.5], 1e4 + 2900.0);
    check(Function::EllCigDis, &[1.0, 2.0, 0.5], 1e-4 + 4e6 + 2500.0);
    check(Function::EllCig, &[2.0], 4e-4);
    // 100 (1 − 2)² + 0 + 100 (4 − 3)² + 1
    check(Function::Rosenbrock, &[1.0, 2.0, 3.0], 201.0);
    check(Function::Rosenbrock, &[0.0, 0.0], 1.0);
    // cos(3π/3) = −1, cos(4π/4) = −1: 1/9 + 2/16 + 0.3 + 0.4 + 0.7
    check(Function::Bohachevsky, &[1.0 / 3.0, 0.25], 1.0 / 9.0 + 0.125 + 1.4);
    check(Function::Bohachevsky, &[2.0, 3.0], 4.0 + 18.0);
    // cos(π) = −1, cos(2π) = 1
    check(Function::Rastrigin, &[0.5, 1.0], 0.25 + 20.0 + 1.0);
    check(Function::Rastrigin, &[0.25], 0.0625 + 10.0);
    // s = 1 and s = 9 + 16; the squared sines of 50 and of 50·25^0.1 come from another mathematical library.
    check(Function::Schaffer, &[0.0, 1.0], 1.0 + 0.06884056385615803);
    check(Function::Schaffer, &[3.0, 4.0], 5f64.sqrt() * (1.0 + 0.016435625687504056));
}

#[test]
fn initial_conditions_are_those_of_the_table() {
    use InitialMean::{Constant, Normal};
    // Function, label, m, σ, budget per variable, smallest n, whether it has a rotated form
    let table = [
        (Function::Sphere, "Sphere", Constant(3.0), 1.0, 50_000, 1, false),
        (Function::Cigar, "Cigar", Constant(3.0), 1.0, 50_000, 1, true),
        (Function::Discus, "Discus", Constant(3.0), 1.0, 50_000, 1, true),
        (Function::Ellipsoid, "Ellipsoid", Constant(3.0), 1.0, 50_000, 1, true),
        (Function::TwoAxes, "TwoAxes", Constant(3.0), 1.0, 50_000, 1, true),
        (Function::EllCig, "Ell-Cig", Constant(3.0), 1.0, 50_000, 1, false),
        (Function::EllDis, "Ell-Dis", Constant(3.0), 1.0, 50_000, 1, false),
        (Function::EllCigDis, "Ell-Cig-Dis", Constant(3.0), 1.0, 50_000, 2, false),
        (Function::Rosenbrock, "Rosenbrock", Constant(0.0), 0.1, 50_000, 2, true),
        (Function::Bohachevsky, "Bohachevsky", Normal(8.0), 7.0, 50_000, 2, true),
        (Function::Rastrigin, "Rastrigin", Normal(3.0), 2.0, 200_000, 1, true),
        (Function::Schaffer, "Ill-Schaffer", Normal(8.0), 7.0, 50_000, 2, true),
    ];
    assert_eq!(table.map(|row| row.0)[..], *Function::ALL);
    for (function, label, mean, sigma, budget, least, rotated) in table {
        assert_eq!((function.label(), function.initial_mean()), (label, mean));
        assert_eq!((function.smallest_dimension(), function.has_rotated_form()), (least, rotated));
        let instance = Instance::new(Spec { function, n: 2000, rotated: false, seed: 4 }).unwrap();
        assert_eq!((instance.initial_sigma(), instance.budget(), instance.target()), (sigma, 2000 * budget, 1e-8));
        let square = instance.initial_mean().iter().map(|m| m * m).sum::<f64>() / 2000.0;
        match mean {
            Constant(m) => assert_eq!(instance.initial_mean(), [m; 2000]),
            Normal(deviation) => assert!(close(square.sqrt(), deviation, 0.05), "{function}: {square}"),
            _ => unreachable!("there are two kinds"),
        }
    }
}

#[test]
fn random_initial_means_have_a_stream_of_their_own() {
    let mean = |name: &str| Instance::from_name(name).unwrap().initial_mean().to_vec();
    // Rotating does not change where a trial starts.
    assert_eq!(mean("rastrigin/n=7/seed=4"), mean("rastrigin-rotated/n=7/seed=4"));
    let rastrigin: Vec<f64> = mean("rastrigin/n=7/seed=4").iter().map(|m| m / 3.0).collect();
    let bohachevsky: Vec<f64> = mean("bohachevsky/n=7/seed=4").iter().map(|m| m / 8.0).collect();
    assert!(rastrigin.iter().zip(&bohachevsky).all(|(a, b)| (a - b).abs() > 1e-6), "another function, another start");
    let smaller = mean("rastrigin/n=6/seed=4");
    assert!(smaller.iter().zip(mean("rastrigin/n=7/seed=4")).all(|(a, b)| (a - b).abs() > 1e-6));
}

#[test]
fn values_overflow_to_infinity_and_not_to_nan() {
    for &function in Function::ALL {
        let instance = Instance::new(Spec { function, n: 3, rotated: false, seed: 1 }).unwrap();
        let value = instance.at(&[1e160; 3]);
        assert!(value > 1e70, "{function}: {value}");
    }
}

#[test]
fn all_functions_of_a_seed_share_their_orientation() {
    let rotated = Instance::from_name("ellipsoid-rotated/n=9/seed=7").unwrap();
    let first_row = rotated.landscape().rotation().unwrap().rows().next().unwrap();
    for name in ["cigar-rotated/n=9/seed=7", "ellcig/n=9/seed=7", "ellcigdis/n=9/seed=7"] {
        assert_eq!(Instance::from_name(name).unwrap().landscape().u().unwrap(), first_row, "{name}");
    }
}

#[test]
fn a_named_instance_keeps_its_numbers() {
    // A change here is a value-breaking change: it belongs in the changelog under that heading.
    let instance = Instance::from_name("rastrigin-rotated/n=3/seed=1").unwrap();
    let expected = [
        -0.06295588124589038,
        0.9973549887519779,
        -0.03632607091463897,
        -1.1622588397001448,
        1.80596369799019,
        0.6747487400351552,
    ];
    let row = instance.landscape().rotation().unwrap().rows().next().unwrap();
    for (ours, expected) in row.iter().chain(instance.initial_mean()).zip(expected) {
        assert!(close(*ours, expected, 1e-13), "{:?} {:?}", row, instance.initial_mean());
    }
}

#[test]
fn an_optimizer_with_the_same_seed_does_not_draw_the_same_numbers() {
    let n = 9;
    let u = Instance::from_name("discus-rotated/n=9/seed=7").unwrap().landscape().u().unwrap().to_vec();
    let same_seed = Rotation::random(n, &mut Xoshiro256PlusPlus::seed_from_u64(7)).unwrap();
    let cosine: f64 = same_seed.rows().next().unwrap().iter().zip(&u).map(|(a, b)| a * b).sum();
    assert!(cosine.abs() < 0.9, "{cosine}");
}

#[test]
fn what_is_no_problem_is_refused_at_construction() {
    let error = |name: &str| Instance::from_name(name).unwrap_err().to_string();
    assert_eq!(error("rosenbrock/n=1/seed=1"), "n must be at least 2 for rosenbrock, got 1");
    assert_eq!(error("sphere/n=0/seed=1"), "n must be at least 1 for sphere, got 0");
    assert_eq!(error("sphere-rotated/n=3/seed=1"), "sphere has no rotated form: use it without rotation");
    assert!(error("spere/n=3/seed=1").starts_with("there is no function \"spere\": choose one of sphere, cigar"));
    assert_eq!(error("ellipsoid-rotated/n=1000000/seed=1"), "n must be at most 16384, got 1000000");
    for name in [
        "",
        "sphere",
        "sphere/n=3",
        "sphere/n=3/seed=1/",
        "sphere/n=03/seed=1",
        "sphere/seed=1/n=3",
        "sphere/n=-3/seed=1",
    ] {
        let malformed = Instance::from_name(name);
        assert!(matches!(malformed, Err(ProblemError::MalformedName { .. })), "{name:?}: {malformed:?}");
    }
    assert_eq!(
        Rotation::from_rows(2, vec![1.0, 0.0, 0.5, 1.0]).unwrap_err(),
        ProblemError::NotOrthogonal { deviation: 0.5 }
    );
    for entries in [3, 5] {
        let error = Rotation::from_rows(2, vec![1.0; entries]).unwrap_err();
        assert_eq!(error, ProblemError::NotSquare { n: 2, entries });
    }
    for position in 0..9 {
        let mut rows = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        rows[position] = f64::NAN;
        assert!(matches!(Rotation::from_rows(3, rows), Err(ProblemError::NotOrthogonal { .. })), "NaN at {position}");
    }
    assert!(Rotation::from_seed(0, 1).is_err() && Rotation::from_rows(0, vec![]).is_err());
    assert!(Landscape::new(Function::Discus, usize::MAX).is_err());
    assert!(Landscape::new(Function::EllCigDis, 1).is_err());
    // Only a whole matrix is limited by its memory.
    assert!(Instance::from_name("cigar-rotated/n=20000/seed=1").is_ok());
}

#[test]
fn evaluation_allocates_nothing() {
    let mut values = [0.0; 8];
    for &function in Function::ALL {
        for rotated in [false, true] {
            let Ok(mut instance) = Instance::new(Spec { function, n: 24, rotated, seed: 1 }) else { continue };
            let points = vec![0.5; 8 * 24];
            instance.values(&points, &mut values);
            let counted = allocation_counter::measure(|| {
                instance.values(&points, &mut values);
                values[0] = instance.value(&points[..24]);
            });
            assert_eq!(counted.count_total, 0, "{function}");
        }
    }
}
