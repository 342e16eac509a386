//! Figure "conv": typical runs of dd-CMA-ES on 80-dimensional functions, four panels each.

use ddcma_core::{Damping, History, Record, Settings};
use ddcma_lab::{SingleTrial, SuiteFunction, TrialOutcome, dd};
use ddcma_problems::Function;

use super::Figure;
use super::cells::Laboratory;
use super::claims::{Bound, Claim};
use crate::lab::names::Form;
use crate::lab::{LabError, course};

/// Returns √cond, given the square roots of the eigenvalues.
fn ratio(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max) / numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let n = 80;
    let budget = 5_000 * n as u64;
    let form = |function, rotated| Form { function, rotated };
    let fixed = Settings::new().damping(Damping::Fixed(1.0));
    let runs = [
        ("separable Ellipsoid", form(Function::Ellipsoid, false), Settings::new()),
        ("rotated Ellipsoid", form(Function::Ellipsoid, true), Settings::new()),
        ("rotated Ellipsoid, β = 1", form(Function::Ellipsoid, true), fixed),
        ("Ell-Cig", form(Function::EllCig, false), Settings::new()),
        ("Ell-Dis", form(Function::EllDis, false), Settings::new()),
    ];
    let (mut panels, mut courses) = (Vec::new(), Vec::new());
    for (name, form, settings) in runs {
        let course = Course::of(form, n, settings, budget)?;
        for mut panel in course::panels(&course::of_records(&course.records)) {
            panel.title = format!("{name}: {}", panel.title);
            panels.push(panel);
        }
        courses.push(course);
    }
    let (wider, reached) = laboratory.choose((160, false), (640, true));
    let separable = form(Function::Ellipsoid, false);
    let wider_course = Course::of(separable, wider, Settings::new(), 50_000 * wider as u64)?;
    let claims = claims(&courses, (wider, &wider_course), reached);
    let title = format!("typical runs of dd-CMA-ES, n = {n}");
    Ok(Figure { label: "conv", title, panels, columns: 4, claims })
}

/// A run: some of its generations, and its final state.
struct Course {
    records: Vec<Record>,
    evaluations: u64,
    best_value: f64,
}

impl Course {
    /// Runs dd-CMA-ES.
    fn of(form: Form, n: usize, settings: Settings, budget: u64) -> Result<Self, LabError> {
        let function = SuiteFunction::new(form.function, form.rotated)?;
        let trial = SingleTrial { n, problem_seed: 1, seed: 1, lambda: None, target: 1e-8, budget: Some(budget) };
        let mut history = History::new(course::MOST_POINTS).all_axes();
        let outcome = trial.run(&dd().settings(settings), &function, &mut [&mut history])?;
        let TrialOutcome { evaluations, best_f: best_value, .. } = outcome;
        Ok(Self { records: history.records().to_vec(), evaluations, best_value })
    }
}

fn largest_beta(course: &Course) -> f64 {
    course.records.iter().map(|record| record.beta).fold(1.0, f64::max)
}

fn claims(courses: &[Course], (wider, wider_course): (usize, &Course), reached: bool) -> Vec<Claim> {
    let [separable, rotated, undamped, ell_cig, ell_dis] = courses else { unreachable!("there are five runs") };
    let end =
        |course: &Course| course.records.last().map_or((f64::NAN, f64::NAN), |r| (ratio(&r.d), ratio(&r.axis_lengths)));
    let longest_axes =
        |course: &Course| course.records.iter().map(|record| ratio(&record.axis_lengths)).fold(1.0, f64::max);
    // The ratio that D has reached when β rises above its largest value on the separable Ellipsoid.
    let d_when_damped = |course: &Course| {
        let usual = 1.5 * largest_beta(separable);
        course.records.iter().find(|record| record.beta > usual).map_or(f64::NAN, |record| ratio(&record.d))
    };
    let without_damping = undamped.records.iter().take_while(|record| record.evaluations <= rotated.evaluations).last();
    vec![
        Claim::new(
            "On the separable Ellipsoid the correlation matrix deviates from the identity",
            "largest ratio of the longest to the shortest axis of C",
            Bound::Above(1.5),
            [("", longest_axes(separable))],
        ),
        Claim::new(
            "On the separable Ellipsoid the inverse damping decreases marginally",
            "largest β",
            Bound::Below(4.0),
            [("", largest_beta(separable))],
        ),
        Claim::new(
            "This effect is more pronounced for n > 320",
            "largest β over that for n = 80",
            Bound::Above(1.5),
            [(format!("for n = {wider}"), largest_beta(wider_course) / largest_beta(separable))],
        )
        .if_reached(reached),
        Claim::new(
            "On the separable Ellipsoid D adapts the coordinate-wise scaling efficiently",
            "largest over smallest entry of D at the end, ideally 1000",
            Bound::Between(500.0, 2000.0),
            [("", end(separable).0)],
        ),
        Claim::new(
            "On the rotated Ellipsoid D remains close to the identity",
            "largest over smallest entry of D at the end",
            Bound::Below(5.0),
            [("", end(rotated).0)],
        ),
        Claim::new(
            "On the rotated Ellipsoid the correlation matrix learns the ill-conditioning",
            "longest over shortest axis of C at the end, ideally 1000",
            Bound::Between(500.0, 2000.0),
            [("", end(rotated).1)],
        ),
        Claim::new(
            "On the rotated Ellipsoid the inverse damping decreases so that the adaptation of D does not disturb that of C",
            "largest β",
            Bound::Above(10.0),
            [("", largest_beta(rotated))],
        ),
        Claim::new(
            "Diagonal decoding without the dynamic damping factor severely disturbs the adaptation of C on the rotated Ellipsoid",
            "best value with β = 1 at the time when the damped run has reached 1e-8",
            Bound::Above(1.0),
            [(format!("after {} evaluations", rotated.evaluations), without_damping.map_or(f64::NAN, |r| r.best_value))],
        )
        .remark(&format!(
            "with β = 1 the best value is {:.0e} after {} evaluations; the budget is 5000 n here",
            undamped.best_value, undamped.evaluations
        )),
        Claim::new(
            "On Ell-Cig the coordinate-wise scaling is first adapted by D, and the inverse damping starts decreasing only after that",
            "largest over smallest entry of D, ideally 100, when β exceeds 1.5 times its largest value on the separable Ellipsoid",
            Bound::Above(50.0),
            [("", d_when_damped(ell_cig))],
        ),
        Claim::new(
            "On Ell-Dis the inverse damping factor decreases before D has adapted the full coordinate-wise scaling",
            "the same ratio",
            Bound::Below(50.0),
            [("", d_when_damped(ell_dis))],
        ),
    ]
}
