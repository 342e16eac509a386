//! The updated root is a root of the updated matrix, over hundreds of updates and in every regime.

use ddcma_linalg::{Mat, RootError, SymmetricRoot, Term, UpdatedRoot, add_diagonal, add_weighted_gram, max_abs};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Numbers that look normal enough: sums of sines that do not repeat.
fn numbers(seed: u64, count: usize) -> Vec<f64> {
    let noise = |k: usize, m: f64| ((k as f64 + 1.0) * m + seed as f64 * 0.37).sin();
    (0..count).map(|k| noise(k, 12.9898) + noise(k, 78.233) + noise(k, 37.719)).collect()
}

fn columns(a: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    let n = a.nrows();
    v.chunks_exact(n)
        .flat_map(|v| (0..n).map(|i| (0..n).map(|j| a[(i, j)] * v[j]).sum::<f64>()).collect::<Vec<_>>())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_updates_give_the_matrix_that_their_definition_gives(
        n in 1usize..24,
        r in 1usize..40,
        strength in -4.0..0.5,
        seed in 0u64..1000,
        normalized in any::<bool>(),
    ) {
        let mut root = UpdatedRoot::identity(n);
        let mild = strength < -1.0;
        let mut c = Mat::<f64>::identity(n, n);
        let strength = 10f64.powf(strength) / (n * r) as f64;
        for t in 0..if mild { 150 } else { 8 } {
            let v = numbers(1000 * seed + t, n * r);
            let g: Vec<f64> = numbers(7 + 1000 * seed + t, r).iter().map(|g| strength * g).collect();
            let s = 0.1 * strength;
            let a = root.a();
            if !mild {
                // C shrinks to a quarter again and again: this recursion would magnify its own rounding error each time.
                c = root.c();
            }
            let av = columns(&a, &v);
            let alpha = root.update(Term::Columns { v: &v, av: &av, g: &g, s }, 0.75).unwrap();

            let mut k = Mat::zeros(n, n);
            add_weighted_gram(k.as_mut(), &v, &g, &mut vec![0.0; n * r]);
            add_diagonal(k.as_mut(), -s);
            let mut eigh = ddcma_linalg::Eigh::new(n);
            eigh.decompose_values(k.as_ref()).unwrap();
            prop_assert!((alpha - (0.75 / eigh.extremes().0.abs()).min(1.0)).abs() < 1e-12);

            c = &c + &a * &k * a.transpose() * faer::Scale(alpha);
            if normalized {
                let d: Vec<f64> = (0..n).map(|i| c[(i, i)].sqrt()).collect();
                let mut deviations = vec![0.0; n];
                root.deviations(&mut deviations);
                prop_assert!((0..n).all(|i| (deviations[i] / d[i] - 1.0).abs() < 1e-11));
                root.divide(&d);
                c = Mat::from_fn(n, n, |i, j| c[(i, j)] / (d[i] * d[j]));
            }
            let difference = max_abs((root.c() - &c).as_ref()) / max_abs(c.as_ref());
            prop_assert!(difference < 1e-11, "update {t}: {difference:e}");
        }
        let mut condition = SymmetricRoot::identity(n);
        condition.factor(c.as_ref()).unwrap();
        let identity = Mat::<f64>::identity(n, n);
        let error = max_abs((root.a() * root.inverse() - &identity).as_ref());
        prop_assert!(error < 1e-13 * condition.condition().sqrt() * n as f64 + 1e-11, "A·A⁻¹ − I = {error:e}");
    }
}

#[test]
fn extremes_are_followed_and_axes_have_their_lengths() {
    let n = 12;
    let mut root = UpdatedRoot::identity(n);
    for t in 0..400 {
        let v: Vec<f64> = numbers(t, 5 * n).iter().enumerate().map(|(k, v)| v * (1.0 + (k % n) as f64)).collect();
        let av = columns(&root.a(), &v);
        root.update(Term::Columns { v: &v, av: &av, g: &[4e-5, 2e-5, 2e-5, -2e-5, -4e-5], s: 1e-4 }, 0.75).unwrap();
        root.follow_extremes();
    }
    // Updates that change nothing, while the power iteration continues.
    for _ in 0..1000 {
        root.update(Term::Columns { v: &[0.0; 12], av: &[0.0; 12], g: &[0.0], s: 0.0 }, 0.75).unwrap();
        root.follow_extremes();
    }
    let mut exact = SymmetricRoot::identity(n);
    exact.factor(root.c().as_ref()).unwrap();
    let ((shortest, longest), (smallest, largest)) = (root.extremes(), exact.extremes());
    // After k steps, eigenvalues within 1/k of the extreme cannot be told apart.
    assert!((shortest / smallest - 1.0).abs() < 1e-2 && (longest / largest - 1.0).abs() < 1e-2);
    assert!(largest / smallest > 10.0);

    let mut symmetric = root.clone();
    let before = root.c();
    symmetric.symmetrize().unwrap();
    assert!(max_abs((symmetric.c() - before).as_ref()) < 1e-12 * largest);
    let a = symmetric.a();
    assert!((0..n).all(|j| (0..n).all(|i| a[(i, j)] == a[(j, i)])));
    let mut axis = vec![0.0; n];
    for longest in [false, true] {
        symmetric.extreme_axis(longest, &mut axis);
        let length2: f64 = axis.iter().map(|x| x * x).sum();
        let expected = if longest { largest } else { smallest };
        assert!((length2 / expected - 1.0).abs() < 1e-9);
    }
}

/// A stored matrix: `raw`, or in few dimensions its inverse.
#[cfg(feature = "serde")]
fn stored_matrix<'a>(stored: &'a mut serde_json::Value, matrix: &str) -> &'a mut serde_json::Value {
    if matrix == "raw" { &mut stored["raw"] } else { &mut stored["inverse"]["Kept"] }
}

/// The entries of a stored matrix.
#[cfg(feature = "serde")]
fn entries<'a>(stored: &'a mut serde_json::Value, matrix: &str) -> &'a mut Vec<serde_json::Value> {
    stored_matrix(stored, matrix)[1].as_array_mut().unwrap()
}

/// Multiplies a number of a stored root.
#[cfg(feature = "serde")]
fn scale(number: &mut serde_json::Value, factor: f64) {
    *number = (factor * number.as_f64().unwrap()).into();
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_root_comes_back_unless_it_is_damaged() {
    let mut root = UpdatedRoot::identity(4);
    let v = numbers(3, 8);
    let av = columns(&root.a(), &v);
    root.whiten(&av.clone(), &mut av.clone()); // once A⁻¹ is used, it is maintained
    root.update(Term::Columns { v: &v, av: &av, g: &[0.02, -0.01], s: 1e-3 }, 0.75).unwrap();
    root.divide(&[1.0, 2.0, 3.0, 4.0]);
    root.follow_extremes();
    let stored = serde_json::to_value(&root).unwrap();
    let again: UpdatedRoot = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(serde_json::to_value(&again).unwrap(), stored);
    assert_eq!((again.a(), again.inverse(), again.extremes()), (root.a(), root.inverse(), root.extremes()));
    let damages: [fn(&mut serde_json::Value); 7] = [
        |stored| stored["rows"][1] = 1e150.into(), // consistent, and too small for its squares
        |stored| stored["rows"][1] = 1e-150.into(),
        |stored| entries(stored, "raw_inverse").iter_mut().for_each(|entry| scale(entry, 2.0)), // that of another matrix
        |stored| entries(stored, "raw").truncate(15),
        |stored| stored["rows"][2] = 0.0.into(),
        |stored| entries(stored, "raw_inverse")[3] = f64::MAX.into(),
        |stored| stored["longest"]["vector"].as_array_mut().unwrap().push(1.0.into()),
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let mut damaged = stored.clone();
        damage(&mut damaged);
        assert!(serde_json::from_value::<UpdatedRoot>(damaged).is_err(), "damage {number}");
    }
}

#[test]
fn what_is_not_finite_changes_nothing() {
    let mut root = UpdatedRoot::identity(3);
    let error = root
        .update(Term::Columns { v: &[1e200, 0.0, 0.0], av: &[1e200, 0.0, 0.0], g: &[1.0], s: 0.0 }, 0.75)
        .unwrap_err();
    assert!(matches!(error, RootError::Eigh(_)), "{error}");
    assert!(root.update(Term::Columns { v: &[f64::NAN; 3], av: &[0.0; 3], g: &[1.0], s: 0.0 }, 0.75).is_err());
    assert_eq!(root.c(), Mat::<f64>::identity(3, 3));
}

/// A root, and the same root with an inverse that was distorted by u·wᵀ.
#[cfg(feature = "serde")]
fn bent(n: usize, bend: impl Fn(&[f64]) -> (Vec<f64>, Vec<f64>)) -> UpdatedRoot {
    let mut root = UpdatedRoot::identity(n);
    for t in 0..20 {
        let v = numbers(t, 2 * n);
        let av = columns(&root.a(), &v);
        root.whiten(&av.clone(), &mut av.clone()); // once A⁻¹ is used, it is maintained
        root.update(Term::Columns { v: &v, av: &av, g: &[0.02, -0.01], s: 0.01 }, 0.75).unwrap();
        root.divide(&vec![1.1; n]);
    }
    let mut stored = serde_json::to_value(&root).unwrap();
    let raw: Vec<f64> = entries(&mut stored, "raw").iter().map(|entry| entry.as_f64().unwrap()).collect();
    let (u, w) = bend(&raw);
    let columns = entries(&mut stored, "raw_inverse").chunks_exact_mut(n);
    for (column, w) in columns.zip(&w) {
        column.iter_mut().zip(&u).for_each(|(entry, u)| *entry = (entry.as_f64().unwrap() + u * w).into());
    }
    serde_json::from_value(stored).expect("a root that is good enough to begin with")
}

fn error(root: &UpdatedRoot) -> f64 {
    let n = root.dimension();
    max_abs((root.inverse() * root.a() - Mat::<f64>::identity(n, n)).as_ref())
}

#[cfg(feature = "serde")]
#[test]
fn polishing_brings_the_inverse_back_from_near_and_far() {
    let n = 7;
    let near = |scale: f64| bent(n, move |_| (vec![scale; 7], numbers(3, 7)));
    for scale in [1e-12, 1e-6, 1e-3, 0.01] {
        let mut root = near(scale);
        assert!(error(&root) > 0.1 * scale, "bent by {scale}");
        root.polish();
        assert!(error(&root) < 1e-14, "bent by {scale}: {:e}", error(&root));
    }
    // Far away, but not along the single vector by which a stored root is checked.
    let mut root = bent(n, |raw| {
        let looked_at: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (1.0 + i as f64).sin()).collect();
        let image: Vec<f64> = (0..n).map(|i| (0..n).map(|j| raw[j * n + i] * looked_at[j]).sum()).collect();
        let mut u = vec![0.0; n];
        (u[0], u[1]) = (1e3 * image[1], -1e3 * image[0]);
        (u, numbers(4, n))
    });
    assert!(error(&root) > 100.0);
    root.polish();
    assert!(error(&root) < 1e-14, "{:e}", error(&root));
}

/// The divisors of C are kept in a diagonal, which grows with every update that makes C larger.
#[test]
fn a_root_that_is_never_made_symmetric_stays_one() {
    let n = 3;
    let mut root = UpdatedRoot::identity(n);
    let (mut deviations, mut growth) = (vec![0.0; n], 0.0);
    // Orthonormal directions, none of them along a coordinate: C grows in all of them, and stays well conditioned.
    let u = [1.0, 2.0, 3.0];
    let direction = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k)) - u[i] * u[k] / 7.0).collect::<Vec<f64>>();
    for t in 0..40_000 {
        let v = direction(t % n);
        let av = columns(&root.a(), &v);
        root.update(Term::Columns { v: &v, av: &av, g: &[0.4], s: 0.01 }, 0.75).unwrap();
        root.deviations(&mut deviations);
        root.divide(&deviations);
        growth += deviations[0].ln();
        if t % 100 == 0 {
            root.polish();
        }
    }
    assert!(growth > 1000.0, "beyond the range of floating point: {growth}");
    assert!(error(&root) < 1e-12, "{:e}", error(&root));
    let c = root.c();
    (0..n).for_each(|k| assert!((c[(k, k)] - 1.0).abs() < 1e-12, "{}", c[(k, k)]));
}

#[test]
#[should_panic(expected = "out of date")]
fn a_proposal_is_good_until_the_next_one() {
    let mut root = UpdatedRoot::identity(3);
    let (one, other) = (Mat::from_fn(3, 3, |_, _| 0.1), Mat::from_fn(3, 3, |_, _| -0.1));
    let proposal = root.propose(Term::Matrix(one.as_ref()), 0.75).unwrap();
    let _ = root.propose(Term::Matrix(other.as_ref()), 0.75).unwrap();
    root.accept(proposal, Term::Matrix(one.as_ref()), None);
}

/// In many dimensions, A⁻¹ is applied by solving, through the low-rank updates since the last decomposition.
#[test]
fn an_inverse_that_is_solved_for_is_that_of_a() {
    for (n, r, asks) in [(120, 7, true), (120, 50, true), (120, 7, false), (8, 3, false)] {
        let mut root = UpdatedRoot::identity(n);
        // If A⁻¹ is not used, the extremes are tracked rarely.
        for t in 0..if asks { 60 } else { 130 } {
            let v = numbers(t, r * n);
            let mut av = vec![0.0; v.len()];
            root.apply(&v, &mut av);
            if asks {
                let mut back = vec![0.0; v.len()];
                root.whiten(&av, &mut back);
                let far = v.iter().zip(&back).fold(0.0, |far: f64, (v, back)| far.max((v - back).abs()));
                let (smallest, largest) = root.extremes();
                let promised = 32.0 * f64::EPSILON * n as f64 * (largest / smallest).sqrt();
                assert!(far < promised, "n = {n}, r = {r}, update {t}: {far:e}");
            }
            let g: Vec<f64> = (0..r).map(|k| 0.02 / (n * r) as f64 * if k % 3 == 0 { -0.5 } else { 1.0 }).collect();
            root.update(Term::Columns { v: &v, av: &av, g: &g, s: 1e-3 }, 0.75).unwrap();
            let mut deviations = vec![0.0; n];
            root.deviations(&mut deviations);
            root.divide(&deviations);
            root.follow_extremes();
        }
        let mut exact = SymmetricRoot::identity(n);
        exact.factor(root.c().as_ref()).unwrap();
        let promised = 32.0 * f64::EPSILON * n as f64 * exact.condition().sqrt();
        assert!(error(&root) < promised, "n = {n}, r = {r}: {:e}, not {promised:e}", error(&root));
        let ((shortest, longest), (smallest, largest)) = (root.extremes(), exact.extremes());
        let near = shortest / smallest < 1.3 && longest / largest > 0.7;
        assert!(near && shortest < 1.0 && longest > 1.0, "{shortest} of {smallest}, {longest} of {largest}");
    }
}

/// A root in many dimensions is stored with its decomposition and the updates since, and continues bit for bit.
#[cfg(feature = "serde")]
#[test]
fn a_stored_decomposition_comes_back_unless_it_is_damaged() {
    let (n, r) = (120, 7);
    let mut root = UpdatedRoot::identity(n);
    let update = |root: &mut UpdatedRoot, t: u64| {
        let v = numbers(t, r * n);
        let (mut av, mut back) = (vec![0.0; v.len()], vec![0.0; v.len()]);
        root.apply(&v, &mut av);
        root.whiten(&av, &mut back);
        root.update(Term::Columns { v: &v, av: &av, g: &[1e-4; 7], s: 1e-3 }, 0.75).unwrap();
        root.follow_extremes();
        back
    };
    (0..10).for_each(|t| drop(update(&mut root, t)));
    let stored = serde_json::to_value(&root).unwrap();
    assert!(stored["inverse"]["Solved"]["columns"].as_array().unwrap().len() > 2, "links: {}", stored["inverse"]);
    let mut again: UpdatedRoot = serde_json::from_value(stored.clone()).unwrap();
    (10..40).for_each(|t| assert_eq!(update(&mut again, t), update(&mut root, t), "update {t}"));
    assert_eq!((again.a(), again.extremes()), (root.a(), root.extremes()));

    let damages: [fn(&mut serde_json::Value); 7] = [
        |inverse| inverse["forward"][3] = inverse["forward"][4].clone(),
        |inverse| inverse["backward"][3] = 100_000.into(),
        |inverse| inverse["forward"].as_array_mut().unwrap().truncate(5),
        |inverse| inverse["columns"][0] = 8.into(),
        |inverse| inverse["columns"].as_array_mut().unwrap().push(u64::MAX.into()),
        |inverse| inverse["m"].as_array_mut().unwrap().truncate(10),
        |inverse| inverse["lu"][1][0] = 0.0.into(),
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        let mut damaged = stored.clone();
        damage(&mut damaged["inverse"]["Solved"]);
        assert!(serde_json::from_value::<UpdatedRoot>(damaged).is_err(), "damage {number}");
    }
}

#[test]
#[should_panic(expected = "there must be one divisor per row")]
fn too_few_divisors_are_refused() {
    let mut root = UpdatedRoot::of(Mat::<f64>::identity(2, 2).as_ref()).unwrap();
    root.divide(&[2.0]);
}
