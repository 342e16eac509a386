//! Applied problems have the values, the best points and the names that they promise.

use ddcma_problems::applied::{
    Applied, DESIGNS, Start, TOLERANCE, alpha_pinene, cola, gp, lennard_jones, logistic, lqr, lynx_hare, vessel,
};
use ddcma_problems::applied::{coating, truss10};
use ddcma_problems::{Problem, ProblemError};

fn problem(name: &str) -> Applied {
    Applied::from_name(name).unwrap()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

/// One of two points of a problem that depend on nothing random: in the box, or within two deviations of the start.
fn fixed_point(problem: &Applied, which: usize) -> Vec<f64> {
    let share = |k: usize| (0.3 + 0.4 * which as f64 + 0.618_034 * k as f64).fract();
    let coordinate = |(k, quantity): (usize, &ddcma_problems::applied::Quantity)| {
        let (low, high) = match quantity.lower.is_finite() {
            true => (quantity.lower, quantity.upper),
            false => (-2.0 * quantity.deviation, 2.0 * quantity.deviation),
        };
        low + (high - low) * share(k)
    };
    problem.quantities().iter().enumerate().map(coordinate).collect()
}

#[test]
fn values_at_two_fixed_points_are_those_on_record() {
    let recorded: [(&str, [f64; 2]); 13] = [
        ("alpha-pinene", [45_066.269_791_59, 22_281.883_408_67]),
        ("lynx-hare", [1_441.176_105_162, 95.331_615_102_63]),
        ("gp", [195.504_100_099_4, 202.097_119_371_9]),
        ("logistic-400-20", [3.013_553_155_256, 2.956_457_049_536]),
        ("logistic-600-60", [3.171_056_537_802, 2.698_942_583_687]),
        ("lqr", [31.447_562_536_98, 94.586_702_900_22]),
        ("truss10", [2_753_375.546_608, 430_205.124_690_2]),
        ("vessel", [101_222_597.384_6, 262_211.760_888_2]),
        ("beam", [96_217.060_966_77, 192_032.257_541_6]),
        ("cola", [272.248_264_816_0, 290.277_448_870_9]),
        ("lennard-jones-7", [273.647_277_995_5, 273.891_375_625_1]),
        ("lennard-jones-13", [394_418_684_345.9, 473_302_421_142.3]),
        ("coating", [46.541_435_865_09, 24.092_989_271_85]),
    ];
    assert_eq!(recorded.map(|(name, _)| name), Applied::NAMES);
    let mut wrong = Vec::new();
    for (name, values) in recorded {
        let problem = problem(name);
        let ours = [0, 1].map(|which| problem.at(&fixed_point(&problem, which)));
        if !ours.iter().zip(values).all(|(ours, recorded)| close(*ours, recorded, 1e-10)) {
            wrong.push(format!("(\"{name}\", {ours:?}),"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn best_points_have_the_best_values_and_no_better_neighbors() {
    for problem in Applied::all() {
        let name = problem.name().to_string();
        let optimum = problem.optimum().unwrap();
        let point = optimum.point.clone().unwrap();
        let value = problem.at(&point);
        assert!(close(value, optimum.value, 1e-8), "{name}: {value}, not {}", optimum.value);
        assert!(value <= problem.target(), "{name}");
        assert_eq!(problem.minimizer(), Some(point.clone()));
        // Steps along each axis, and a few along all of them.
        let deviations = problem.deviations(Start::Scaled);
        for step in [1e-2, 1e-4] {
            for direction in 0..2 * point.len() {
                let mut x = point.clone();
                let sign = if direction % 2 == 0 { step } else { -step };
                x[direction / 2] += sign
                    * deviations[direction / 2]
                    * if problem.quantities()[direction / 2].log { x[direction / 2] } else { 1.0 };
                let there = problem.at(&x);
                assert!(there >= optimum.value - 1e-9 * optimum.value.abs(), "{name}: {there} at {x:?}");
            }
        }
    }
}

#[test]
fn targets_are_the_best_values_with_a_tolerance() {
    assert!(close(problem("lqr").target(), 5.069_187_641 * (1.0 + TOLERANCE), 1e-10));
    let cluster = problem("lennard-jones-7");
    assert!(cluster.target() > cluster.optimum().unwrap().value, "above a negative value, too");
    assert_eq!(problem("lennard-jones-14").target(), f64::NEG_INFINITY);
    assert_eq!(problem("lennard-jones-14").minimizer(), None);
}

#[test]
fn names_parse_back_and_other_texts_are_no_names() {
    let sized = ["logistic-30-5", "lennard-jones-2", "lennard-jones-38"];
    for name in Applied::NAMES.into_iter().chain(sized) {
        assert_eq!(problem(name).name(), name);
    }
    assert_eq!(Applied::all().len(), Applied::NAMES.len());
    for name in
        ["", "GP", "gp ", "logistic", "logistic-400", "logistic-400-20-1", "logistic-+400-20", "lennard-jones-07"]
    {
        let error = Applied::from_name(name).unwrap_err();
        assert_eq!(error, ProblemError::UnknownProblem { name: name.into() });
        assert!(error.to_string().contains("alpha-pinene, lynx-hare, gp"), "{error}");
    }
    for (name, message) in [
        ("lennard-jones-1", "the number of atoms must be between 2 and 1000, got 1"),
        ("lennard-jones-1001", "the number of atoms must be between 2 and 1000, got 1001"),
        ("logistic-0-5", "the number of rows must be between 1 and 200000, got 0"),
        ("logistic-10-0", "the number of features must be between 1 and 1000, got 0"),
        ("logistic-5000-1000", "the number of rows must be between 1 and 1000, got 5000"),
        ("logistic-5-1001", "the number of features must be between 1 and 1000, got 1001"),
    ] {
        assert_eq!(Applied::from_name(name).unwrap_err().to_string(), message);
    }
}

#[test]
fn bad_points_have_no_value() {
    for mut problem in Applied::all() {
        let good = problem.start(Start::Scaled, 1);
        assert!(problem.at(&good) < f64::INFINITY || problem.name() == "lynx-hare", "{}", problem.name());
        for k in [0, good.len() - 1] {
            let mut x = good.clone();
            x[k] = f64::NAN;
            assert!(problem.at(&x).is_nan(), "{}", problem.name());
            let quantity = problem.quantities()[k].clone();
            if quantity.lower.is_finite() {
                for outside in [quantity.lower - 1e-9, quantity.upper * (1.0 + 1e-9), f64::INFINITY] {
                    x[k] = outside;
                    assert_eq!(problem.at(&x), f64::INFINITY, "{} at {outside}", problem.name());
                }
                // NaN wins.
                x[(k + 1) % good.len()] = f64::NAN;
                assert!(problem.at(&x).is_nan());
            }
        }
        for length in [0, good.len() - 1, good.len() + 1] {
            let at = std::panic::AssertUnwindSafe(|| problem.at(&vec![0.5; length]));
            assert!(std::panic::catch_unwind(at).is_err(), "{}: {length} coordinates", problem.name());
        }
        let other = problem.start(Start::Scaled, 2);
        let mut values = [0.0; 2];
        problem.values(&[good.clone(), other.clone()].concat(), &mut values);
        assert_eq!(values, [problem.at(&good), problem.at(&other)]);
    }
}

#[test]
fn starts_lie_in_the_box_and_depend_on_the_seed() {
    for problem in Applied::all() {
        for start in [Start::Naive, Start::Scaled] {
            let points = [1, 2].map(|seed| problem.start(start, seed));
            assert_eq!(points[0], problem.start(start, 1));
            let from_a_point = problem.quantities().iter().all(|quantity| quantity.starts.0 == quantity.starts.1);
            assert_eq!(points[0] == points[1], from_a_point, "{}", problem.name());
            for (quantity, x) in points.iter().flat_map(|point| problem.quantities().iter().zip(point)) {
                assert!((quantity.starts.0..=quantity.starts.1).contains(x), "{quantity}: {x}");
            }
            let deviations = problem.deviations(start);
            assert!(deviations.iter().all(|deviation| *deviation > 0.0) && deviations.len() == points[0].len());
        }
    }
    let evenly: Vec<String> = Applied::all()
        .iter()
        .filter(|problem| problem.is_evenly_scaled())
        .map(|problem| problem.name().into())
        .collect();
    assert_eq!(evenly, ["alpha-pinene", "truss10", "lennard-jones-7", "lennard-jones-13", "coating"]);
    // Half of the starts of a logarithmic variable are below the middle of its logarithm.
    let gp = problem("gp");
    let below = (0..1000).filter(|seed| gp.start(Start::Scaled, *seed)[1] < 1e4f64.powf(0.5) * 1e3f64.powf(0.5) * 10.0);
    assert!((400..600).contains(&below.count()));
}

#[cfg(feature = "core")]
#[test]
fn variables_are_those_of_the_problem() {
    for problem in Applied::all() {
        for start in [Start::Naive, Start::Scaled] {
            let variables = problem.variables(start, 5);
            assert_eq!(variables.dimension(), problem.dimension());
            assert_eq!(variables.start(), problem.start(start, 5));
            assert_eq!(variables.deviations(), problem.deviations(start));
            for (variable, quantity) in variables.iter().zip(problem.quantities()) {
                assert_eq!(variable.bounds(), (quantity.lower, quantity.upper));
                assert_eq!(variable.is_log(), quantity.log && start == Start::Scaled);
                assert_eq!(variable.name(), Some(&*quantity.name));
            }
        }
    }
}

#[test]
fn nothing_reacts_without_rates_and_no_share_is_lost() {
    let squares =
        |shares: &[f64; 5]| (100.0 - shares[0]).powi(2) + shares[1..].iter().map(|share| share * share).sum::<f64>();
    let expected: f64 = alpha_pinene::MEASURED.iter().map(squares).sum();
    assert!(close(problem("alpha-pinene").at(&[0.0; 5]), expected, 1e-14));
    let rates = [6e-5, 3e-5, 2e-5, 3e-4, 4e-5];
    let shares = alpha_pinene::advance(alpha_pinene::INITIAL, &rates, 5000.0);
    assert!(close(shares[0], 100.0 * (-9e-5f64 * 5000.0).exp(), 1e-11), "α-pinene decays exponentially");
    assert!(close(shares.iter().sum(), 100.0, 1e-13));
}

#[test]
fn hares_and_lynxes_in_balance_stay_there() {
    let (a, b, c, d) = (0.5, 0.02, 0.8, 0.04);
    let (hares, lynxes) = (c / d, a / b);
    let squares = lynx_hare::HARES.iter().map(|h| (hares / h).ln().powi(2)).sum::<f64>()
        + lynx_hare::LYNXES.iter().map(|l| (lynxes / l).ln().powi(2)).sum::<f64>();
    assert!(close(problem("lynx-hare").at(&[a, b, c, d, hares, lynxes]), squares, 1e-12));
    // Without lynxes that eat them, hares grow until they overflow.
    assert_eq!(problem("lynx-hare").at(&[2.0, 0.0, 0.0, 0.2, 100.0, 100.0]), f64::INFINITY);
}

#[test]
fn a_process_whose_points_know_nothing_of_each_other_has_independent_yields() {
    let data = gp::measurements();
    let (signal, noise) = (30.0, 40.0);
    // The shortest lengths: the nearest measurements are many of them apart in some input.
    let nearest = gp::kernel(&data.inputs[0], &data.inputs[1], &[1.0, 1e3, 1e-4, signal, noise]);
    assert!(nearest < 1e-6);
    let variance = signal * signal + noise * noise;
    let squares: f64 = data.yields.iter().map(|y| y * y).sum();
    let expected = 0.5 * squares / variance + 20.0 * (std::f64::consts::TAU * variance).ln();
    assert!(close(problem("gp").at(&[1.0, 1e3, 1e-4, signal, noise]), expected, 1e-6));
    assert!(data.yields.iter().sum::<f64>().abs() < 1e-10);
    // A prediction at a measurement with hardly any noise is that measurement.
    let x = [24.0, 2.7e5, 0.0058, 40.0, 0.01];
    let (mean, deviation) = gp::predict(&data, &x, data.inputs[3]).unwrap();
    assert!((mean - data.mean - data.yields[3]).abs() < 0.05 && deviation < 0.02, "{mean} {deviation}");
}

#[test]
fn weights_of_zero_lose_a_bit_for_each_row() {
    for name in ["logistic-400-20", "logistic-7-1"] {
        let problem = problem(name);
        let mut x = vec![0.0; problem.dimension()];
        assert!(close(problem.at(&x), 2f64.ln(), 1e-14));
        // A large intercept is wrong by itself for each row with the other label.
        *x.last_mut().unwrap() = 1000.0;
        let (rows, features) = if name == "logistic-7-1" { (7, 1) } else { (400, 20) };
        let labels = logistic::rows(rows, features).labels;
        let wrong = labels.iter().filter(|label| **label < 0.0).count();
        assert!(close(problem.at(&x), 1000.0 * wrong as f64 / rows as f64, 1e-12), "{name}");
    }
    let units = logistic::rows(10, 6).units;
    assert!(units.iter().zip([1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0]).all(|(ours, unit)| close(*ours, unit, 1e-14)));
}

/// Solves Riccati's equation by iteration: the optimum over more and more steps.
fn riccati(model: &lqr::Model) -> ([[f64; 4]; 4], [f64; 4]) {
    let lqr::Model { a, b } = model;
    let mut p = [[0.0; 4]; 4];
    let mut gains = [0.0; 4];
    for _ in 0..100_000 {
        let along = |vector: &dyn Fn(usize) -> f64| -> [f64; 4] {
            std::array::from_fn(|i| (0..4).map(|j| p[i][j] * vector(j)).sum())
        };
        let pb = along(&|j| b[j]);
        let pa: [[f64; 4]; 4] = std::array::from_fn(|k| along(&|j| a[j][k])); // P times column k of A
        let weight = lqr::FORCE_WEIGHT + (0..4).map(|i| b[i] * pb[i]).sum::<f64>();
        let bpa: [f64; 4] = std::array::from_fn(|k| (0..4).map(|i| b[i] * pa[k][i]).sum());
        gains = bpa.map(|entry| entry / weight);
        p = std::array::from_fn(|i| {
            std::array::from_fn(|k| {
                let apa: f64 = (0..4).map(|j| a[j][i] * pa[k][j]).sum();
                apa - bpa[i] * bpa[k] / weight + if i == k { lqr::STATE_WEIGHTS[i] } else { 0.0 }
            })
        });
    }
    (p, gains)
}

#[test]
fn the_best_gains_are_those_of_riccati() {
    let problem = problem("lqr");
    let (p, gains) = riccati(&lqr::model());
    let of_start = |x: &[f64; 4]| -> f64 { (0..4).map(|i| (0..4).map(|j| x[i] * p[i][j] * x[j]).sum::<f64>()).sum() };
    let cost = lqr::STEP * lqr::STARTS.iter().map(of_start).sum::<f64>();
    assert!(close(problem.at(&gains), cost, 1e-9), "{} {cost}", problem.at(&gains));
    assert!(close(problem.optimum().unwrap().value, cost, 1e-9), "{cost}");
    for (ours, theirs) in problem.minimizer().unwrap().iter().zip(gains) {
        assert!((ours - theirs).abs() < 1e-3, "{ours} {theirs}");
    }
    // A controller that pushes the wrong way is very bad, but has a finite value.
    assert_eq!(problem.at(&[-1e9, 0.0, 0.0, 0.0]), 1e300);
}

#[test]
fn one_step_of_the_car_is_that_of_its_equations() {
    // Many small steps of Euler with a body at 0.1 m: (z, v) of body and wheel, under a force of 50 N.
    let mut state = [0.1, 0.0, 0.0, 0.0];
    let steps = 1_000_000;
    let h = lqr::STEP / f64::from(steps);
    for _ in 0..steps {
        let suspension = 16_000.0 * (state[0] - state[2]) + 1_000.0 * (state[1] - state[3]);
        let body = (-suspension + 50.0) / 300.0;
        let wheel = (suspension - 190_000.0 * state[2] - 50.0) / 60.0;
        state = [state[0] + h * state[1], state[1] + h * body, state[2] + h * state[3], state[3] + h * wheel];
    }
    for (exact, euler) in lqr::advance(&lqr::model(), &[0.1, 0.0, 0.0, 0.0], 50.0).iter().zip(state) {
        assert!(close(*exact, euler, 1e-5), "{exact} {euler}");
    }
}

#[test]
fn published_designs_have_their_costs_and_are_feasible() {
    let at: [&[f64]; 3] = [
        &[0.778_169, 0.384_649, 40.319_619, 200.0],
        &[0.205_730, 3.470_489, 9.036_624, 0.205_730],
        &[30.52, 0.1, 23.20, 15.22, 0.1, 0.551, 7.457, 21.04, 21.53, 0.1],
    ];
    for ((design, x), tolerance) in DESIGNS.iter().zip(at).zip([1e-5, 1e-5, 1e-3]) {
        let name = design.name;
        assert!(close((design.cost)(x), design.optimum, tolerance), "{name}: {}", (design.cost)(x));
        assert!(design.violation(x) < 3.0 * tolerance, "{name}: {:?}", (design.constraints)(x));
    }
}

/// Thickness costs money, so the optimal thicknesses are at their constraints, and so is the volume; only the radius is free.
#[test]
fn no_vessel_is_cheaper_than_the_best_known_one() {
    let cost_of = |radius: f64| {
        let pi = std::f64::consts::PI;
        let length = (1_296_000.0 - 4.0 / 3.0 * pi * radius.powi(3)) / (pi * radius * radius);
        (length, (vessel::VESSEL.cost)(&[0.0193 * radius, 0.00954 * radius, radius, length.max(10.0)]))
    };
    let radii = (0..=2_000_000).map(|k| 40.0 + f64::from(k) * 1e-5).map(|radius| (radius, cost_of(radius)));
    let allowed = radii.filter(|(_, (length, _))| *length <= 200.0);
    let (radius, (length, cost)) = allowed.min_by(|a, b| a.1.1.total_cmp(&b.1.1)).unwrap();
    assert!(length > 199.99 && (radius - 40.319_62).abs() < 1e-4, "{radius} {length}");
    let optimum = problem("vessel").optimum().unwrap().value;
    assert!(cost >= optimum && close(cost, optimum, 1e-6), "{cost}");
}

#[test]
fn a_truss_of_equal_bars_weighs_its_length() {
    // Six bars of 360 inches, four diagonals of 360·√2, at 0.1 pounds for a cubic inch.
    let weight = (truss10::TRUSS10.cost)(&[1.0; 10]);
    assert!(close(weight, 0.1 * 360.0 * (6.0 + 4.0 * 2f64.sqrt()), 1e-14));
    // Twice the cross sections, half of the stresses and displacements.
    let [one, two] = [10.0, 20.0].map(|area| (truss10::TRUSS10.constraints)(&[area; 10]));
    assert!(one.iter().zip(&two).all(|(one, two)| close(one + 1.0, 2.0 * (two + 1.0), 1e-10)));
}

#[test]
fn colas_at_one_place_differ_by_all_distances() {
    let squares: f64 = cola::DISTANCES.iter().flat_map(|row| row.iter()).map(|d| d * d).sum();
    assert!(close(problem("cola").at(&[0.0; 17]), squares, 1e-14));
    let distances: Vec<usize> = cola::DISTANCES.iter().map(|row| row.len()).collect();
    assert_eq!(distances, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn small_clusters_have_one_unit_of_energy_for_each_pair() {
    let r = 2f64.powf(1.0 / 6.0);
    assert!(close(problem("lennard-jones-2").at(&[0.0, 0.0, 0.0, 0.0, r, 0.0]), -1.0, 1e-14));
    for (atoms, energy) in [(2, -1.0), (3, -3.0), (4, -6.0)] {
        let cluster = lennard_jones::problem(atoms).unwrap();
        let optimum = cluster.optimum().unwrap();
        assert!(close(optimum.value, energy, 1e-13) && optimum.proven, "{optimum:?}");
    }
    // Where shapes are computed, they have the published energies.
    for (atoms, energy) in [(5, -9.103_852), (6, -12.712_062), (7, -16.505_384), (13, -44.326_801)] {
        let cluster = lennard_jones::problem(atoms).unwrap();
        let value = cluster.at(&cluster.minimizer().unwrap());
        assert!((value - energy).abs() < 5e-7, "{atoms}: {value}");
    }
    assert_eq!(problem("lennard-jones-2").at(&[0.0; 6]), f64::INFINITY, "atoms at one place");
}

/// 38 atoms are best as a truncated octahedron, cut out of a cubic crystal.
#[test]
fn the_famous_cluster_of_38_atoms_has_its_energy() {
    let corners: Vec<[i32; 3]> = (0..343).map(|k| [k % 7 - 3, k / 7 % 7 - 3, k / 49 - 3]).collect();
    // An octahedral hole is in the middle: sums are odd. Without the six corners of the octahedron.
    let inside = |c: &&[i32; 3]| {
        (c[0] + c[1] + c[2]).rem_euclid(2) == 1
            && c.iter().map(|x| x.abs()).sum::<i32>() <= 3
            && c.iter().all(|x| x.abs() < 3)
    };
    let mut x: Vec<f64> = corners.iter().filter(inside).flatten().map(|c| 0.78 * f64::from(*c)).collect();
    let cluster = lennard_jones::problem(38).unwrap();
    assert_eq!(x.len(), cluster.dimension());
    // Down the gradient, by small steps.
    for _ in 0..3000 {
        let mut gradient = vec![0.0; x.len()];
        for i in 0..38 {
            for j in 0..38 {
                if i != j {
                    let d: [f64; 3] = std::array::from_fn(|k| x[3 * i + k] - x[3 * j + k]);
                    let square: f64 = d.iter().map(|d| d * d).sum();
                    let s = square.powi(-3);
                    let slope = 4.0 * (-12.0 * s * s + 6.0 * s) / square;
                    (0..3).for_each(|k| gradient[3 * i + k] += slope * d[k]);
                }
            }
        }
        x.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= 1e-3 * g);
    }
    let (energy, known) = (cluster.at(&x), cluster.optimum().unwrap().value);
    assert!((energy - known).abs() < 5e-7, "{energy}, not {known}");
}

#[test]
fn layers_reflect_as_textbooks_say() {
    let bare = (0.52f64 / 2.52).powi(2);
    assert!(close(problem("coating").at(&[0.0; 8]), 100.0 * bare, 1e-12));
    assert!(close(coating::reflectance(&[], 500.0), bare, 1e-14));
    // A quarter of a wavelength: ((n₀ n_s − n₁²)/(n₀ n_s + n₁²))². Half of one: as if it were not there.
    let quarter = coating::reflectance(&[500.0 / 4.0 / 1.38], 500.0);
    assert!(close(quarter, ((1.52 - 1.38 * 1.38) / (1.52f64 + 1.38 * 1.38)).powi(2), 1e-12));
    assert!(close(coating::reflectance(&[500.0 / 2.0 / 1.38], 500.0), bare, 1e-12));
    // Two quarters, of low and high index: η = n₁² n_s / n₂².
    let eta = 1.38f64.powi(2) * 1.52 / 2.35f64.powi(2);
    let two = coating::reflectance(&[500.0 / 4.0 / 1.38, 500.0 / 4.0 / 2.35], 500.0);
    assert!(close(two, ((1.0 - eta) / (1.0 + eta)).powi(2), 1e-12), "{two}");
    assert_eq!(coating::wavelengths().len(), 31);
    assert_eq!(coating::wavelengths().last(), Some(700.0));
}
