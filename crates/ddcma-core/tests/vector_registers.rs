//! Nothing that runs a kernel of faer leaves the upper halves of the vector registers in use: on Intel processors the
//! objective function would run many times slower after that, if it is compiled for plain x86-64 and calls `sin` or `exp`.
//!
//! The test asks the processor which registers are in use (XINUSE): this needs no clock, and works on processors of every
//! vendor.
#![cfg(all(target_arch = "x86_64", feature = "dense"))]
#![allow(unsafe_code, reason = "only an instruction tells which registers are in use")]

use std::arch::x86_64::{__cpuid_count, _xgetbv};

use ddcma_core::{Columns, DiagonalDecoding, Optimizer, Plain, Root, Settings, Strategy};
use ddcma_linalg::{Eigh, Mat, SymmetricRoot, Term, UpdatedRoot, add_weighted_gram, multiply_rows, sandwich};

/// The upper halves of the low registers: bit 2 of the 256-bit ones, bit 6 of the 512-bit ones.
const UPPER_HALVES: u64 = 1 << 2 | 1 << 6;

/// Returns which upper halves are in use on this thread; `None` if the processor does not tell.
fn upper_halves() -> Option<u64> {
    #[target_feature(enable = "xsave")]
    unsafe fn xinuse() -> u64 {
        // SAFETY: the caller has checked that register 1 exists.
        unsafe { _xgetbv(1) }
    }
    if !std::is_x86_feature_detected!("xsave") || !std::is_x86_feature_detected!("avx") {
        return None;
    }
    #[allow(unused_unsafe, reason = "a safe function in newer versions of the standard library")]
    // SAFETY: a processor with `xsave` has leaf 0xD.
    let features = unsafe { __cpuid_count(0xD, 1) }.eax;
    // SAFETY: `xsave` exists, and bit 2 says that `xgetbv` accepts 1.
    (features & 1 << 2 != 0).then(|| unsafe { xinuse() } & UPPER_HALVES)
}

/// Runs some work, and checks what is in use after it.
fn assert_clean<T>(what: &str, work: impl FnOnce() -> T) {
    std::hint::black_box(work());
    if let Some(halves) = upper_halves() {
        assert_eq!(halves, 0, "{what} leaves upper halves of vector registers in use: {halves:#010b}");
    }
}

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|i| (1.0 + i as f64).sin()).collect()
}

/// Positive definite, and not diagonal.
fn covariance(n: usize) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| if i == j { 2.0 } else { 0.5 * (i as f64 - j as f64).cos() / n as f64 })
}

/// The reason for all of this. If faer cleans up one day, this test fails, and `kernels.rs` can go.
#[test]
fn products_of_faer_alone_leave_registers_in_use() {
    let a = Mat::from_fn(40, 40, |i, j| (i + 2 * j) as f64);
    let product = &a * &a;
    let halves = upper_halves();
    assert_eq!(product.nrows(), 40);
    let has_kernels = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
    assert!(halves != Some(0) || !has_kernels, "faer leaves the registers clean");
}

#[test]
fn every_kernel_leaves_them_clean() {
    // Below and above the sizes where kernels change, blocks of rows included.
    for n in [3, 10, 40, 130, 300] {
        let r = n + 1;
        let (v, w) = (numbers(n * r), vec![0.01 / n as f64; r]);
        let (mut k, mut y, mut workspace) = (Mat::<f64>::zeros(n, n), vec![0.0; n * r], vec![0.0; n * r]);
        let mut product = Mat::<f64>::zeros(n, n);
        let c = covariance(n);
        assert_clean("add_weighted_gram", || add_weighted_gram(k.as_mut(), &v, &w, &mut workspace));
        assert_clean("sandwich", || sandwich(k.as_mut(), c.as_ref(), c.as_ref(), product.as_mut()));
        assert_clean("multiply_rows", || multiply_rows(&v[..n * n], n, &v, &mut y));

        let mut eigh = Eigh::new(n);
        assert_clean("Eigh::decompose", || eigh.decompose(c.as_ref()).unwrap());
        assert_clean("Eigh::decompose_values", || eigh.decompose_values(c.as_ref()).unwrap());
        let mut root = SymmetricRoot::identity(n);
        assert_clean("SymmetricRoot::factor", || root.factor(c.as_ref()).unwrap());
        assert_clean("SymmetricRoot::apply", || root.apply(&v, &mut y));
        assert_clean("SymmetricRoot::whiten", || root.whiten(&v, &mut y));

        let mut updated = UpdatedRoot::identity(n);
        // Few columns and many, with a small update, and one with an update that is not small.
        for (columns, factor) in [(n / 2, 1.0), (r, 1.0), (r, 40.0)] {
            let (v, g) = (&v[..n * columns], vec![factor * 0.01 / n as f64; columns]);
            let mut av = vec![0.0; v.len()];
            assert_clean("UpdatedRoot::apply", || updated.apply(v, &mut av));
            assert_clean("UpdatedRoot::update", || {
                updated.update(Term::Columns { v, av: &av, g: &g, s: 0.01 }, 0.75).unwrap()
            });
        }
        assert_clean("UpdatedRoot::update", || updated.update(Term::Matrix(c.as_ref()), 0.75).unwrap());
        assert_clean("UpdatedRoot::whiten", || updated.whiten(&v, &mut y));
        assert_clean("UpdatedRoot::follow_extremes", || updated.follow_extremes());
        assert_clean("UpdatedRoot::polish", || updated.polish());
        assert_clean("UpdatedRoot::symmetrize", || updated.symmetrize().unwrap());
        assert_clean("UpdatedRoot::c", || updated.c());
        #[cfg(feature = "checkpoint")]
        {
            let mut stored = serde_json::to_value(&updated).unwrap();
            assert_clean("UpdatedRoot::deserialize", || serde_json::from_value::<UpdatedRoot>(stored.clone()).unwrap());
            // An inverse that does not belong to its matrix is recomputed, if it is maintained.
            if let Some(kept) = stored["inverse"].get_mut("Kept") {
                for entry in kept[1].as_array_mut().unwrap() {
                    *entry = (0.69 * entry.as_f64().unwrap()).into();
                }
            }
            let mut bent: UpdatedRoot = serde_json::from_value(stored).expect("near enough to be believed");
            assert_clean("UpdatedRoot::polish, by inversion", || bent.polish());
        }
    }
}

fn ask_and_tell<S: Strategy>() {
    for root in [Root::LowRank, Root::Literal] {
        for (n, lambda) in [(6, 101), (10, 50), (40, 10), (40, 15), (130, 18)] {
            let settings = Settings::new().lambda(lambda).root(root);
            let mut es = Optimizer::<S>::builder(&vec![1.0; n], 1.0).settings(settings).seed(1).build().unwrap();
            for _ in 0..3 {
                let mut values = Vec::new();
                let ellipsoid = |x: &[f64]| x.iter().enumerate().map(|(i, x)| (1.0 + i as f64) * x * x).sum::<f64>();
                assert_clean("ask", || values.extend(es.ask().iter().map(ellipsoid)));
                assert_clean("tell", || es.tell(&values).unwrap());
                let points = Columns::from_vec(n, vec![0.5; n * lambda]).unwrap();
                assert_clean("tell_points", || es.tell_points(&points, &values).unwrap());
            }
        }
    }
}

#[test]
fn ask_and_tell_leave_them_clean() {
    ask_and_tell::<DiagonalDecoding>();
    ask_and_tell::<Plain>();
}

/// Large products are spread over the pool, and each of its threads must be left clean.
#[cfg(feature = "rayon")]
#[test]
fn every_thread_of_the_pool_is_left_clean() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let (n, columns) = (640, 8);
    let root = SymmetricRoot::identity(n);
    let (z, mut y) = (numbers(n * columns), vec![0.0; n * columns]);
    pool.install(|| root.apply(&z, &mut y));
    for halves in pool.broadcast(|_| upper_halves()).into_iter().flatten() {
        assert_eq!(halves, 0, "{halves:#010b}");
    }
}
