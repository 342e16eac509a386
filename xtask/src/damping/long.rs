//! Very long runs, which are saved on the way, continued by the same command, and compared as far as they have progressed.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ddcma_core::{Autosave, Optimizer, StopCriteria, Strategy, With, step};

use super::Options;
use super::plan::{Variant, all_dampings};
use crate::lab::names::{Form, with_strategy};
use crate::lab::{LabError, table};

const TARGET: f64 = 1e-8;

/// The number of iterations between two lines of a course.
const LOOK: u64 = 50;

/// The interval between saves of a run; its file has some n² numbers.
const SAVED_EVERY: Duration = Duration::from_secs(900);

/// The best value by the number of evaluations.
type Course = BTreeMap<u64, f64>;

pub(super) fn run(options: &Options) -> Result<String, LabError> {
    let forms = if options.functions.is_empty() { vec!["ellipsoid".parse()?] } else { options.functions.clone() };
    let dims = if options.dims.is_empty() { vec![5120] } else { options.dims.clone() };
    let variants = match &options.variants[..] {
        [] => {
            std::iter::once("sep".parse()).chain(all_dampings().into_iter().map(Ok)).collect::<Result<_, LabError>>()?
        }
        variants => variants.to_vec(),
    };
    let folder = options.out.join("long");
    std::fs::create_dir_all(&folder).map_err(|error| LabError::new(format!("{}: {error}", folder.display())))?;
    let mut text = String::new();
    for form in forms {
        for &n in &dims {
            let mut courses = Vec::new();
            for variant in &variants {
                let name = format!("{form} n={n} {}", variant.label);
                let (strategy, _) = variant.settings()?;
                with_strategy!(strategy, S => continue_run::<S>(form, n as usize, variant, &folder.join(&name), options))?;
                courses.push(read(&folder.join(&name))?);
            }
            let labels: Vec<&str> = variants.iter().map(|variant| &variant.label[..]).collect();
            text += &format!("\n{form}, n = {n}: the best value after so many evaluations\n\n");
            text += &compared(&labels, &courses);
        }
    }
    Ok(text)
}

/// Continues a run for some minutes, and writes the run and its course to files.
fn continue_run<S: Strategy<Options = ()>>(
    form: Form,
    n: usize,
    variant: &Variant,
    file: &Path,
    options: &Options,
) -> Result<(), LabError> {
    let wrong = |error: &dyn std::fmt::Display| LabError::new(format!("{}: {error}", file.display()));
    let seed = options.first_seed.unwrap_or(1);
    let instance = form.instance(n, seed)?;
    let (_, settings) = variant.settings()?;
    let builder = Optimizer::<S>::builder(instance.initial_mean(), instance.initial_sigma());
    let criteria = StopCriteria::none().target(TARGET).max_evaluations(instance.budget());
    let mut es = builder.settings(settings).criteria(criteria).seed(seed).build().map_err(|error| wrong(&error))?;
    let mut with = With::new().saving(Autosave::new(checkpoint_of(file)).every(SAVED_EVERY));
    with.begin(&mut es).map_err(|error| wrong(&error))?;
    let mut course = std::fs::File::options().create(true).append(true).open(file).map_err(|error| wrong(&error))?;
    let begun = Instant::now();
    let mut objective = |x: &[f64]| instance.at(x);
    while es.stop().is_none() && begun.elapsed() < Duration::from_secs(60 * options.minutes) {
        step(&mut es, &mut objective, &mut with).map_err(|error| wrong(&error))?;
        if es.iterations().is_multiple_of(LOOK) || es.stop().is_some() {
            writeln!(course, "{},{:e}", es.evaluations(), es.best_value()).map_err(|error| wrong(&error))?;
        }
    }
    Ok(())
}

/// Returns the file that a run is saved to, next to that of its course.
fn checkpoint_of(course: &Path) -> PathBuf {
    let mut file = course.as_os_str().to_owned();
    file.push(".checkpoint");
    file.into()
}

/// Reads a course from its file. Lines that were written again after a kill are identical.
fn read(file: &Path) -> Result<Course, LabError> {
    let wrong = |what: &dyn std::fmt::Display| LabError::new(format!("{}: {what}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
    let entry = |line: &str| {
        let (evaluations, value) = line.split_once(',')?;
        Some((evaluations.parse().ok()?, value.parse().ok()?))
    };
    text.lines().map(|line| entry(line).ok_or_else(|| wrong(&line))).collect()
}

/// Returns rows at round numbers of evaluations, and at the end of each run.
fn compared(labels: &[&str], courses: &[Course]) -> String {
    let ends = courses.iter().filter_map(|course| Some(*course.last_key_value()?.0));
    let last = ends.clone().max().unwrap_or(0);
    let round = (0..).flat_map(|k: u32| [1, 2, 5].map(|digit| digit * 10u64.pow(k))).skip(12);
    let mut looks: Vec<u64> = round.take_while(|look| *look < last).chain(ends).collect();
    looks.sort_unstable();
    let cell = |course: &Course, look: u64| {
        // The last line before this number of evaluations; none after the end of a run.
        let (_, value) = course.range(..=look).next_back()?;
        (look <= *course.last_key_value()?.0).then(|| format!("{value:.3e}"))
    };
    let row = |look: &u64| -> Vec<String> {
        let cells = courses.iter().map(|course| cell(course, *look).unwrap_or_else(|| "–".to_string()));
        std::iter::once(look.to_string()).chain(cells).collect()
    };
    let head: Vec<&str> = std::iter::once("evaluations").chain(labels.iter().copied()).collect();
    table::markdown(&head, &looks.iter().map(row).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_where_its_time_was_up() {
        let folder = tempfile::tempdir().unwrap();
        let variant: Variant = "dd damping=shortest-axis".parse().unwrap();
        let (_, settings) = variant.settings().unwrap();
        let form: Form = "sphere".parse().unwrap();
        // A run that was killed after 60 iterations, of which its file has 50.
        let file = folder.path().join("run");
        let instance = form.instance(5, 1).unwrap();
        let criteria = StopCriteria::none().target(TARGET).max_evaluations(instance.budget());
        let builder = ddcma_core::DdCma::builder(instance.initial_mean(), instance.initial_sigma());
        let mut es = builder.settings(settings).criteria(criteria).seed(1).build().unwrap();
        let mut with = With::new().saving(Autosave::new(checkpoint_of(&file)).every_generations(1));
        with.begin(&mut es).unwrap();
        (0..60).for_each(|_| step(&mut es, &mut |x: &[f64]| instance.at(x), &mut with).unwrap());
        drop(with);
        let options = Options {
            part: super::super::Part::Long,
            dims: Vec::new(),
            functions: Vec::new(),
            variants: Vec::new(),
            trials: Vec::new(),
            first_seed: None,
            minutes: 1,
            jobs: 1,
            out: folder.path().into(),
        };
        continue_run::<ddcma_core::DiagonalDecoding>(form, 5, &variant, &file, &options).unwrap();
        let continued = read(&file).unwrap();
        let whole = folder.path().join("whole");
        continue_run::<ddcma_core::DiagonalDecoding>(form, 5, &variant, &whole, &options).unwrap();
        let mut whole = read(&whole).unwrap();
        assert!(whole.remove(&(50 * 8)).is_some(), "the look before the kill");
        assert_eq!(continued, whole);
        assert!(*continued.last_key_value().unwrap().1 <= TARGET);
    }

    #[test]
    fn courses_are_compared_at_equal_evaluations() {
        let course = |points: &[(u64, f64)]| points.iter().copied().collect::<Course>();
        let (one, other) = (course(&[(9_000, 4.0), (15_000, 2.0)]), course(&[(9_500, 8.0), (30_000, 0.5)]));
        let text = compared(&["one", "other"], &[one, other]);
        let rows: Vec<String> =
            text.lines().skip(2).map(|line| line.replace([' ', '|'], ";").replace(";;", ";")).collect();
        let numbers = |row: &str| row.split(';').filter(|cell| !cell.is_empty()).map(String::from).collect::<Vec<_>>();
        assert_eq!(numbers(&rows[0]), ["10000", "4.000e0", "8.000e0"]);
        assert_eq!(numbers(&rows[1]), ["15000", "2.000e0", "8.000e0"]);
        assert_eq!(numbers(&rows[2]), ["20000", "–", "8.000e0"]);
        assert_eq!(numbers(&rows[3]), ["30000", "–", "5.000e-1"]);
        assert_eq!(rows.len(), 4);
    }
}
