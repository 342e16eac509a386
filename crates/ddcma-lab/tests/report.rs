//! Reports: their contents, their reproducibility, and that their guarantees hold.

use std::path::Path;

use ddcma_core::Settings;
use ddcma_lab::report::{Cell, Comparison};
use ddcma_lab::statistics::holm;
use ddcma_lab::{
    Algorithm, Experiment, Family, LabError, Outcomes, OwnProblem, Report, ReportOptions, Silent, Trial, Verdict, dd,
    family, merge, sep, suite,
};

/// A random walk that shrinks its steps. Its random numbers also depend on its name: two of them differ in nothing else.
struct Walk(&'static str);

impl Algorithm for Walk {
    fn name(&self) -> &str {
        self.0
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let (mut x, mut step) = (trial.start().to_vec(), trial.sigma());
        let name: u64 = self.0.bytes().map(u64::from).sum();
        let mut state = (trial.seed() << 32) ^ (name << 16) ^ x[0].to_bits();
        let mut uniform = move || {
            // splitmix64
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut value = trial.evaluate(&x);
        while !trial.is_over() {
            let next: Vec<f64> = x.iter().map(|x| x + step * uniform()).collect();
            let next_value = trial.evaluate(&next);
            if next_value < value {
                (x, value, step) = (next, next_value, step * 1.5);
            } else {
                step *= 0.8;
            }
        }
        Ok(())
    }
}

fn sphere(name: impl Into<String>, start: f64) -> impl Family {
    family(name, move |n, _| {
        let f = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        Ok(OwnProblem::new(f, vec![start; n], 0.5).budget(2000))
    })
}

fn comparison(report: &Report, row: usize, algorithm: usize) -> &Comparison {
    report.rows()[row].cells[algorithm].as_ref().and_then(|cell| cell.comparison.as_ref()).unwrap()
}

/// The level is kept: of 200 comparisons of equals about 5 % have a p-value below 5 %, and the report calls none of them different,
/// which it may do in one of twenty reports.
#[test]
fn equals_are_not_called_different() {
    let problems =
        (0..200).map(|k| Box::new(sphere(format!("sphere {k}"), 1.0 + f64::from(k) / 100.0)) as Box<dyn Family>);
    let experiment = Experiment::new().algorithms([Walk("one"), Walk("other")]).problems(problems);
    let outcomes = experiment.dimensions([2]).trials(11).target(1e-4).run(&Silent).unwrap();
    let report = outcomes.report(&ReportOptions::new()).unwrap();
    let p_values: Vec<f64> = (0..200).map(|row| comparison(&report, row, 1).p).collect();
    let below = |level: f64| p_values.iter().filter(|p| **p <= level).count();
    // A binomial variable is at most 16 with a probability of 97 %.
    assert!((3..=16).contains(&below(0.05)), "{} of 200 at 5 %", below(0.05));
    assert!((10..=30).contains(&below(0.1)) && (80..=120).contains(&below(0.5)), "{} {}", below(0.1), below(0.5));
    let overall = &report.overall()[0];
    assert_eq!((overall.wins, overall.ties, overall.losses), (0, 200, 0));
    assert!(overall.interval.contains(1.0), "{overall:?}");
    assert!(report.pairs()[0].p > 0.05, "{:?}", report.pairs());
    // As 40 reports of 5 comparisons: one of twenty may have a verdict, 2 of them.
    let wrong = p_values.chunks(5).filter(|p| holm(p).iter().any(|p| *p <= 0.05)).count();
    assert!(wrong <= 4, "{wrong} of 40");
}

#[test]
fn half_of_c_1_is_called_slower() {
    let c_1 = Settings::new().params(10).unwrap().c_1();
    let halved = dd().named("half c_1").settings(Settings::new().c_1(c_1 / 2.0));
    let experiment = Experiment::new().algorithms([dd(), halved]).problems(suite(["ellipsoid-rotated"]).unwrap());
    let outcomes = experiment.dimensions([10]).trials(21).run(&Silent).unwrap();
    let report = outcomes.report(&ReportOptions::new().baseline("dd")).unwrap();
    let one = comparison(&report, 0, 1);
    assert_eq!(one.verdict, Verdict::Slower, "{one:?}");
    assert!(one.ratio.value > 1.0 && one.ratio.interval.low > 1.0);
    let summary = report.summary();
    let ratio = format!("{:.2}", one.ratio.value);
    assert_eq!(summary[0], format!("dd beats half c_1: half c_1 needs {ratio} times the evaluations."));
    assert!(summary[1].starts_with("half c_1 needs 1.") && summary[1].ends_with("]: slower."), "{summary:?}");
    // And the other way round.
    let turned = outcomes.report(&ReportOptions::new().baseline("half c_1")).unwrap();
    assert_eq!(comparison(&turned, 0, 0).verdict, Verdict::Faster);
    let ratio = format!("{:.2}", comparison(&turned, 0, 0).ratio.value);
    assert_eq!(turned.summary()[0], format!("dd beats half c_1: it needs {ratio} times the evaluations."));
}

fn small() -> Experiment {
    let experiment = Experiment::new().algorithms([dd(), sep()]).problem(sphere("a, \"b\" <c>", 2.0));
    let experiment = experiment.problems(suite(["ellipsoid", "ellipsoid-rotated"]).unwrap());
    experiment.dimensions([3, 5]).trials(6).budget_per_variable(800)
}

/// Returns everything in a report except SVG files.
fn written(outcomes: &Outcomes, folder: &Path) -> Vec<(String, Vec<u8>)> {
    outcomes.report(&ReportOptions::new()).unwrap().write(folder).unwrap();
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

/// In one go, in pieces that were continued, and from two halves: the report is the same to the byte.
#[test]
fn a_report_does_not_depend_on_how_its_trials_were_made() {
    let folders = [(); 7].map(|()| tempfile::tempdir().unwrap());
    let [whole, pieces, first, second, merged, out, again] = folders.each_ref().map(|folder| folder.path());
    let expected = written(&small().records(whole).jobs(2).run(&Silent).unwrap(), out);
    let names: Vec<&str> = expected.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["index.html", "report.json", "report.md", "table.csv", "table.txt"] {
        assert!(names.contains(&name), "{names:?}");
    }
    small().trials(2).records(pieces).run(&Silent).unwrap();
    small().trials(4).dimensions([5]).records(pieces).run(&Silent).unwrap();
    let of_pieces = written(&small().records(pieces).jobs(1).run(&Silent).unwrap(), again);
    assert!(of_pieces == expected, "continued");
    small().trials(3).records(first).run(&Silent).unwrap();
    small().trials(3).first_seed(4).records(second).run(&Silent).unwrap();
    merge(merged, &[second, first]).unwrap();
    assert!(written(&small().records(merged).run(&Silent).unwrap(), again) == expected, "merged");
}

#[test]
fn a_report_has_a_row_for_each_problem_and_a_column_for_each_algorithm() {
    let outcomes = small().run(&Silent).unwrap();
    let report = outcomes.report(&ReportOptions::new().title("Three problems")).unwrap();
    assert_eq!((report.algorithms(), report.baseline()), (&["dd".to_string(), "sep".to_string()][..], "dd"));
    let table = report.table();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["problem", "n", "dd", "sep"]);
    assert!(lines[2].starts_with("a, \"b\" <c>"), "{table}");
    let rotated = lines.iter().find(|line| line.starts_with("ellipsoid-rotated") && line.contains(" 5 ")).unwrap();
    assert!(rotated.contains("∞ (0/6)    ∞ ") && rotated.ends_with('−'), "{table}");
    assert!(table.contains("Ratio ∞: only dd ever reaches the target."), "{table}");
    assert!(!table.contains("Ratio 0"), "only what there is is explained");
    assert!(report.text().starts_with("Three problems\n\n"));
    assert!(report.summary().iter().any(|sentence| sentence.contains("sep on ellipsoid-rotated, n = 3, 0/6")));
    assert!(report.markdown().contains("| ellipsoid | 3 | "), "{}", report.markdown());

    let csv = report.csv();
    assert_eq!(csv.lines().count(), 1 + 6 * 2);
    assert!(csv.lines().nth(1).unwrap().starts_with("\"a, \"\"b\"\" <c>\",3,,dd,7,6,6,"), "{csv}");
    assert!(csv.lines().any(|line| line.contains("sep,8,6,0,0,") && line.ends_with(",slower")), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!(json["problems"].as_array().unwrap().len(), 6);
    assert_eq!(json["problems"][5]["algorithms"][1]["comparison"]["ratio"], "inf");
    assert_eq!(json["run_time_distributions"][1]["n"], 5);
    assert_eq!(json["over_all_problems"][0]["only_baseline_solves"], 2);

    // The numbers of a cell are complete: both have six successes on the sphere.
    let Cell { successes, trials, median, quartiles, ert, ert_interval, .. } =
        report.rows()[0].cells[0].clone().unwrap();
    assert_eq!((successes, trials), (6, 6));
    assert!(quartiles.contains(median) && ert_interval.contains(ert));
}

#[test]
fn a_page_links_to_its_own_panels_and_says_nothing_twice() {
    let outcomes = small().run(&Silent).unwrap();
    let html = outcomes.report(&ReportOptions::new()).unwrap().html().unwrap();
    let links: Vec<&str> = html.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 6 * 3, "a problem and two algorithms");
    assert!(links.iter().all(|link| html.contains(&format!("<section id=\"{}\">", &link[1..]))), "{links:?}");
    assert!(html.contains("a, &quot;b&quot; &lt;c&gt;") && !html.contains("<c>"));
    assert!(
        !html.contains("src=") && !html.contains("http://w") || html.contains("http://www.w3.org"),
        "nothing is loaded"
    );
    assert_eq!(html.contains("Evaluations against n"), cfg!(feature = "pictures"));
    let single = small().dimensions([3]).run(&Silent).unwrap().report(&ReportOptions::new()).unwrap();
    assert!(!single.html().unwrap().contains("Evaluations against n"), "one n has no such line");
}

#[test]
fn trials_have_a_row_each() {
    let csv = small().lambdas([8]).run(&Silent).unwrap().trials_csv();
    let lines: Vec<&str> = csv.lines().collect();
    let head =
        "function,rotated,n,strategy,lambda,trial,seed,success,evaluations,iterations,best_f,stop,internal_seconds";
    assert_eq!((lines.len(), lines[0]), (1 + 3 * 2 * 2 * 6, head));
    assert!(lines[1].starts_with("\"a, \"\"b\"\" <c>\",0,3,dd,8,0,1,1,"), "{}", lines[1]);
    assert!(lines.iter().any(|line| line.starts_with("ellipsoid,1,5,sep,8,5,6,0,4000,500,")), "{csv}");
    // Notes of algorithms are additional columns.
    let search = dd().named("ipop").policy(ddcma_restarts::Ipop::new());
    let experiment = Experiment::new().algorithm(search).algorithm(Walk("walk")).problem(sphere("bowl", 1.0));
    let csv = experiment.dimensions([2]).trials(1).run(&Silent).unwrap().trials_csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].ends_with(",internal_seconds,largest_lambda,runs"), "{csv}");
    assert!(lines[1].ends_with(",6,1") && lines[2].ends_with(",,"), "{csv}");
    assert!(lines[2].starts_with("bowl,0,2,walk,,0,1,"), "no λ: {csv}");
}

#[test]
fn what_cannot_be_reported_is_an_error() {
    let outcomes = small().dimensions([3]).trials(1).run(&Silent).unwrap();
    let error = |options: ReportOptions| outcomes.report(&options).unwrap_err().to_string();
    let unknown = "there is no algorithm \"DD\" to compare with: choose one of dd, sep";
    assert_eq!(error(ReportOptions::new().baseline("DD")), unknown);
    assert_eq!(error(ReportOptions::new().level(5.0)), "the level of a report must be in (0, 1), got 5");
    let none = small().trials(0).run(&Silent).unwrap().report(&ReportOptions::new()).unwrap_err();
    assert_eq!(none.to_string(), "a report must have at least one trial, got none");
    // One trial each shows nothing, and the report says how many are needed.
    let summary = outcomes.report(&ReportOptions::new()).unwrap().summary();
    assert!(summary.last().unwrap().contains("With 1 trial of each, 3 comparisons cannot"), "{summary:?}");
    assert_eq!(summary[0], "No winner: 1 trial of each cannot show a difference, 5 or more could.");
}

/// Solves spheres that start near the optimum in few evaluations, and others never.
struct Near(&'static str, f64);

impl Algorithm for Near {
    fn name(&self) -> &str {
        self.0
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let start = trial.start().to_vec();
        let evaluations = if start[0] < self.1 { 10 + trial.seed() } else { u64::MAX };
        for _ in 0..evaluations {
            if trial.is_over() {
                return Ok(());
            }
            trial.evaluate(&start);
        }
        trial.evaluate(&vec![0.0; start.len()]);
        Ok(())
    }
}

/// An algorithm that never solves some of the problems is not called better because it is faster on the others.
#[test]
fn the_headline_says_what_is_not_solved() {
    let headline = |near: f64, baseline: &str| {
        let experiment = Experiment::new().algorithm(Walk("walk")).algorithm(Near("near", near));
        let experiment =
            experiment.problem(sphere("one", 1.0)).problem(sphere("two", 2.0)).problem(sphere("three", 3.0));
        let outcomes = experiment.dimensions([2]).trials(9).target(1e-4).run(&Silent).unwrap();
        outcomes.report(&ReportOptions::new().baseline(baseline)).unwrap().summary()[..2].to_vec()
    };
    let [first, second] = &headline(1.5, "walk")[..] else { unreachable!() };
    assert_eq!(first, "walk beats near: near never solves 2 of 3 problems, but is faster on 1.");
    assert!(second.contains(" on the one problem that both solve, "), "{second}");
    let other = &headline(1.5, "near")[0];
    assert!(other.starts_with("walk beats near: it solves 2 problems that near never solves, and needs "), "{other}");
    assert!(other.ends_with(", but is slower on 1."), "{other}");
    let all = &headline(4.0, "walk")[0];
    assert!(all.starts_with("near beats walk: it needs 0.") && all.ends_with(" on average over 3 problems."), "{all}");
}
