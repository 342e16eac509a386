//! A checkpoint is the complete run: it continues bit for bit, and anything that is not a valid checkpoint is rejected.
#![cfg(all(feature = "dense", feature = "checkpoint"))]

use std::fs;
use std::path::PathBuf;

use crate::common::{self, bits, ellipsoid};
use ddcma_core::{
    Autosave, Bounds, CheckpointError, Damping, DiagonalDecoding, Optimizer, Plain, Separable, Settings, StepSize,
    Stop, StopCriteria, Strategy, minimize, storage,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default() }
}

#[derive(Clone, Debug)]
struct Case {
    n: usize,
    t_eig: Option<usize>,
    step_size: StepSize,
    bounded: bool,
    seed: u64,
    /// Checkpoints are taken before these calls, counted from the start; ask and tell alternate.
    calls: Vec<usize>,
}

prop_compose! {
    fn case()(
        n in 1usize..8,
        t_eig in prop::option::of(1usize..7),
        tpa in any::<bool>(),
        bounded in any::<bool>(),
        seed in any::<u64>(),
        calls in prop::collection::vec(0usize..120, 1..6),
    ) -> Case {
        let step_size = if tpa { StepSize::Tpa } else { StepSize::Csa };
        Case { n, t_eig, step_size, bounded, seed, calls }
    }
}

impl Case {
    fn start<S: Strategy>(&self) -> Optimizer<S> {
        let settings = Settings::new().step_size(self.step_size);
        let settings = self.t_eig.map_or(settings.clone(), |t_eig| settings.t_eig(t_eig));
        let deviations: Vec<f64> = (0..self.n).map(|k| 1.0 + k as f64).collect();
        let stops = match self.seed % 6 {
            0 => StopCriteria::new(),
            1 => StopCriteria::none().tol_x(0.2).tol_x_up(1.3),
            2 => StopCriteria::none().not_finite(2),
            3 => StopCriteria::none().tol_fun(1e3).tol_fun_hist(1e-1).tol_fun_rel(0.9),
            4 => StopCriteria::none().flat_fitness(true),
            _ => StopCriteria::none().condition(5.0).no_effect_axis(true),
        };
        let start = vec![0.5; self.n];
        let builder =
            Optimizer::builder(&start, 0.1).deviations(&deviations).settings(settings).criteria(stops).seed(self.seed);
        let builder = match self.bounded {
            true => builder.bounds(Bounds::uniform(self.n, -0.2, 1.0).unwrap()),
            false => builder,
        };
        builder.build().unwrap()
    }

    /// Runs sixty generations, and writes and reads the run before some of the calls. Returns everything visible after each
    /// call.
    fn run<S: Strategy + Clone>(&self, interrupted: bool) -> Vec<(Vec<u64>, Option<Stop>, f64, u64)> {
        let mut es = self.start::<S>();
        let mut values = Vec::new();
        let mut seen = Vec::new();
        for call in 0..120 {
            if interrupted && self.calls.contains(&call) {
                let bytes = es.to_checkpoint().unwrap();
                drop(es);
                es = Optimizer::from_checkpoint(&bytes).unwrap();
            }
            let generation = call / 2;
            if call % 2 == 0 {
                values.clear();
                // In some generations all values are NaN, in some all are equal; one generation is told other points.
                values.extend(es.ask().iter().map(|x| match generation % 10 {
                    3 | 4 => f64::NAN,
                    5 => 1.0,
                    _ => ellipsoid(x),
                }));
            } else if generation == 30 {
                let points = ddcma_core::Columns::from_vec(self.n, vec![0.7; self.n * values.len()]).unwrap();
                es.tell_points(&points, &values).unwrap();
            } else {
                es.tell(&values).unwrap();
            }
            seen.push((bits(&es), es.stop(), es.best_value(), es.evaluations()));
        }
        seen
    }

    fn check<S: Strategy + Clone>(&self) {
        assert_eq!(self.run::<S>(true), self.run::<S>(false), "{}: {self:?}", S::NAME);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn a_run_goes_on_to_the_bit(case in case()) {
        case.check::<Plain>();
        case.check::<Separable>();
        case.check::<DiagonalDecoding>();
    }
}

fn some_run<S: Strategy>() -> Optimizer<S> {
    let mut es =
        Optimizer::<S>::builder(&[1.0; 3], 0.5).criteria(StopCriteria::new().target(1e-9)).seed(3).build().unwrap();
    (0..20).for_each(|_| common::step(&mut es, ellipsoid));
    es.ask();
    es
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn damaged_bytes_are_an_error(position in any::<prop::sample::Index>(), bit in 0u8..8, cut in any::<prop::sample::Index>()) {
        let good = some_run::<DiagonalDecoding>().to_checkpoint().unwrap();
        let mut flipped = good.clone();
        flipped[position.index(good.len())] ^= 1 << bit;
        prop_assert!(Optimizer::<DiagonalDecoding>::from_checkpoint(&flipped).is_err());
        prop_assert!(Optimizer::<DiagonalDecoding>::from_checkpoint(&good[..cut.index(good.len())]).is_err());
    }

    #[test]
    fn other_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Optimizer::<Plain>::from_checkpoint(&bytes).is_err());
    }

    /// Even with the right checksum, a forged checkpoint must describe a valid run.
    #[test]
    fn forged_bytes_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        separable in any::<bool>(),
    ) {
        let mut bytes = match separable {
            true => some_run::<Separable>().to_checkpoint().unwrap(),
            false => some_run::<DiagonalDecoding>().to_checkpoint().unwrap(),
        };
        for (position, byte) in edits {
            let length = bytes.len() - 16;
            bytes[16 + position.index(length)] = byte;
        }
        let checksum = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        fn use_it<S: Strategy + Clone>(bytes: &[u8]) {
            let Ok(mut es) = Optimizer::<S>::from_checkpoint(bytes) else { return };
            for _ in 0..3 {
                let values: Vec<f64> = es.ask().iter().map(ellipsoid).collect();
                let _ = es.tell(&values);
                let _ = (es.stop(), es.view().axis_lengths());
            }
            es.to_checkpoint().unwrap();
        }
        use_it::<DiagonalDecoding>(&bytes);
        use_it::<Separable>(&bytes);
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let good = some_run::<Plain>().to_checkpoint().unwrap();
    let error = |bytes: &[u8]| Optimizer::<Plain>::from_checkpoint(bytes).unwrap_err();
    assert!(matches!(error(b""), CheckpointError::NotACheckpoint));
    assert!(matches!(error(b"{\"a\": \"JSON file of sorts\"}"), CheckpointError::NotACheckpoint));
    let of_version = |version: u8| {
        let mut other = good.clone();
        other[8] = version;
        error(&other).to_string()
    };
    let present = storage::FORMAT_VERSION;
    let older =
        format!("the format version of the checkpoint must be {present}, got 1: continue the run with the version of ");
    assert!(of_version(1).starts_with(&older), "{}", of_version(1));
    let newer = format!("the format version of the checkpoint must be {present}, got 99: continue the run with ddcma ");
    assert!(of_version(99).starts_with(&newer), "{}", of_version(99));
    assert!(of_version(99).contains(env!("CARGO_PKG_VERSION")), "{}", of_version(99));
    let mut damaged = good.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(matches!(error(&damaged), CheckpointError::Damaged { .. }));
    let other = Optimizer::<Separable>::from_checkpoint(&good).unwrap_err();
    assert_eq!(other.to_string(), "the strategy of the checkpoint must be \"sep\", got \"plain\"");
}

#[test]
fn a_file_of_an_earlier_version_is_named_as_such_and_kept() {
    let run = Optimizer::<Separable>::from_checkpoint(include_bytes!("data/run-format-6.ddcma")).unwrap_err();
    assert!(matches!(run, CheckpointError::Version { found: 6, supported: storage::FORMAT_VERSION, .. }), "{run}");

    // The same program as the one that wrote the file, so that nothing but the version differs.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ddcma");
    let old = include_bytes!("data/autosave-format-1.ddcma");
    fs::write(&path, old).unwrap();
    let minimization = minimize(|_: &[f64]| panic!("nothing may be evaluated"), &[3.0; 2], 1.0);
    let autosave = Autosave::new(&path).objective("f");
    let error = minimization.strategy::<Separable>().seed(1).run_saving(autosave).unwrap_err().to_string();
    let expected = format!("the format version of the checkpoint must be {}, got 1: ", storage::FORMAT_VERSION);
    assert!(error.contains(&expected) && !error.contains("remove the file"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), old);
}

#[test]
fn a_run_is_a_serde_value_in_any_format() {
    let es = some_run::<DiagonalDecoding>();
    let json = serde_json::to_string(&es).unwrap();
    let mut back: Optimizer<DiagonalDecoding> = serde_json::from_str(&json).unwrap();
    assert_eq!(bits(&back), bits(&es));
    assert_eq!(back.ask(), es.clone().ask());
    let error = serde_json::from_str::<Optimizer<Plain>>(&json).unwrap_err();
    assert!(error.to_string().contains("must be \"plain\", got \"dd\""), "{error}");
}

#[test]
fn infinite_and_missing_values_survive() {
    let mut es = Optimizer::<Separable>::builder(&[1.0; 2], 0.5).build().unwrap();
    for value in [f64::NAN, f64::INFINITY, f64::NAN] {
        es.ask();
        es.tell(&[value; 6]).unwrap();
    }
    let back = Optimizer::<Separable>::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap();
    assert_eq!((back.best_value(), back.stop()), (f64::INFINITY, es.stop()));
    assert!(back.values().iter().all(|value| value.is_nan()));
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn an_absurd_population_is_refused_before_anything_is_made_for_it() {
    // The settings come first in the state: n = 3, then λ as an option. A forger writes 2³³ there.
    let settings = Settings::new().lambda(77);
    let es = Optimizer::<Separable>::builder(&[1.0; 3], 0.5).settings(settings).build().unwrap();
    let good = es.to_checkpoint().unwrap();
    let position = good.windows(3).position(|bytes| bytes == [3, 1, 77]).expect("n = 3, Some(77)");
    let mut forged = good[..position + 2].to_vec();
    forged.extend([0x80, 0x80, 0x80, 0x80, 0x20]); // 2³³ as a variable-length integer
    forged.extend(&good[position + 3..]);
    let checksum = crc32fast::hash(&forged[16..]);
    forged[12..16].copy_from_slice(&checksum.to_le_bytes());
    let error = Optimizer::<Separable>::from_checkpoint(&forged).unwrap_err();
    assert!(matches!(error, CheckpointError::Inconsistent { what: "the population size" }), "{error}");
}

#[test]
fn time_that_has_passed_is_kept() {
    use std::time::Duration;
    let stops = StopCriteria::none().max_time(Duration::from_secs(3600));
    let mut es = Optimizer::<Separable>::builder(&[1.0; 3], 0.5).criteria(stops).build().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    let mut back = Optimizer::<Separable>::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap();
    for run in [&mut es, &mut back] {
        run.set_criteria(StopCriteria::none().max_time(Duration::from_millis(20))).unwrap();
        assert!(matches!(run.stop(), Some(Stop::Time { .. })));
    }
}

#[test]
fn a_file_is_never_written_in_place() {
    let folder = folder("never_in_place");
    let (file, other_name) = (folder.join("run.checkpoint"), folder.join("other-name"));
    let mut es = some_run::<DiagonalDecoding>();
    es.save(&file).unwrap();
    fs::hard_link(&file, &other_name).unwrap();
    let before = fs::read(&file).unwrap();
    common::step(&mut es, ellipsoid);
    es.save(&file).unwrap();
    assert_ne!(fs::read(&file).unwrap(), before);
    assert_eq!(fs::read(&other_name).unwrap(), before, "the old file is whole, under its other name");
}

#[test]
fn a_checkpoint_carries_the_damping_and_its_constants() {
    let by_agreement = Settings::new().damping(Damping::Agreement).agreement_memory(2.0).agreement_level(1.5);
    let by_axis = Settings::new().damping(Damping::ShortestAxis).beta_exponent(0.6).beta_min(0.5).beta_thresh(1.0);
    carries(by_axis);
    carries(by_agreement.agreement_gain(8.0));
}

fn carries(settings: Settings) {
    let mut es: Optimizer<DiagonalDecoding> =
        Optimizer::builder(&[0.5; 4], 0.1).settings(settings.clone()).seed(5).build().unwrap();
    let next = |es: &mut Optimizer<DiagonalDecoding>| {
        let values: Vec<f64> = es.ask().iter().map(|x| ellipsoid(x) + 1e3 * (x[0] + x[3]).powi(2)).collect();
        es.tell(&values).unwrap();
    };
    (0..60).for_each(|_| next(&mut es));
    let mut back = Optimizer::<DiagonalDecoding>::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap();
    assert_eq!(*back.params().settings(), settings);
    let beta = back.strategy().shape().axes.beta;
    assert!(beta != 1.0 && beta == es.strategy().shape().axes.beta, "{beta}");
    for _ in 0..20 {
        next(&mut es);
        next(&mut back);
        assert_eq!(bits(&es), bits(&back));
    }
}

#[test]
fn a_save_that_fails_leaves_nothing_behind() {
    let folder = folder("save_that_fails");
    let occupied = folder.join("run.checkpoint");
    fs::create_dir(&occupied).unwrap();
    assert!(some_run::<Separable>().save(&occupied).is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn files_are_replaced_whole_and_leave_nothing_behind() {
    let folder = folder("files_are_replaced");
    let file = folder.join("run.checkpoint");
    let mut es = some_run::<DiagonalDecoding>();
    es.save(&file).unwrap();
    common::step(&mut es, ellipsoid);
    es.save(&file).unwrap();
    assert_eq!(bits(&Optimizer::<DiagonalDecoding>::load(&file).unwrap()), bits(&es));
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["run.checkpoint"]);
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let es = some_run::<DiagonalDecoding>();
    let missing = folder("cannot_be_used").join("nowhere/run.checkpoint");
    let error = es.save(&missing).unwrap_err();
    assert!(matches!(&error, CheckpointError::Io { path, .. } if *path == missing), "{error}");
    let error = Optimizer::<DiagonalDecoding>::load(&missing).unwrap_err();
    assert!(error.to_string().contains("nowhere/run.checkpoint"), "{error}");
}

/// The test starts itself as a process that saves in an endless loop, and kills it again and again.
#[test]
fn a_killed_process_leaves_a_whole_file() {
    const CHILD: &str = "DDCMA_TEST_SAVES_FOR_EVER";
    if let Some(file) = std::env::var_os(CHILD) {
        let mut es = some_run::<DiagonalDecoding>();
        loop {
            es.save(&file).unwrap();
            common::step(&mut es, ellipsoid);
        }
    }
    let file = folder("killed").join("run.checkpoint");
    some_run::<DiagonalDecoding>().save(&file).unwrap();
    let iterations = || Optimizer::<DiagonalDecoding>::load(&file).unwrap().iterations();
    let first = iterations();
    for k in 0..15 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "checkpoints::a_killed_process_leaves_a_whole_file"])
            .env(CHILD, &file)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Wait until it saves, however slow the machine is, and then a little longer, by a different time in each round.
        let before = fs::metadata(&file).unwrap().modified().unwrap();
        while fs::metadata(&file).unwrap().modified().unwrap() == before {
            assert!(child.try_wait().unwrap().is_none(), "it saves in an endless loop");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_micros(700 * k));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(iterations() >= first, "a whole run");
    }
}
