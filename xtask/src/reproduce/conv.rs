//! Figure "conv": typical runs of dd-CMA-ES on 80-dimensional functions, four panels each.

use ddcma_core::{Damping, DiagonalDecoding, Settings, Stops};
use ddcma_problems::Function;

use super::Figure;
use super::cells::Laboratory;
use super::claims::Claim;
use crate::lab::LabError;
use crate::lab::names::Form;
use crate::trace;

/// √cond of what the numbers are square roots of.
fn ratio(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max) / numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

pub(super) fn figure(_: &mut Laboratory) -> Result<Figure, LabError> {
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
        let stops = Stops::none().target(1e-8).evaluations(budget);
        let course = trace::history::<DiagonalDecoding>(&form.instance(n, 1)?, settings, 1, stops)?;
        for mut panel in trace::panels(&course.records) {
            panel.title = format!("{name}: {}", panel.title);
            panels.push(panel);
        }
        courses.push(course);
    }
    let last = |k: usize| courses[k].records.last();
    let end = |k: usize| (courses[k].best_value, courses[k].evaluations);
    let largest_beta = |k: usize| courses[k].records.iter().map(|record| record.beta).fold(1.0, f64::max);
    let d_ratio = |k: usize| last(k).map_or(f64::NAN, |record| ratio(&record.d));
    let c_ratio = |k: usize| last(k).map_or(f64::NAN, |record| ratio(&record.axis_lengths));
    // How far D has got when β has doubled.
    let d_when_damped = |k: usize| {
        courses[k].records.iter().find(|record| record.beta > 2.0).map_or(f64::NAN, |record| ratio(&record.d))
    };
    let claims = vec![
        Claim::new(
            "On the separable Ellipsoid the inverse damping decreases marginally",
            format!("β at most {:.2}", largest_beta(0)),
            largest_beta(0) < 4.0,
        ),
        Claim::new(
            "There D adapts the coordinate-wise scaling",
            format!(
                "ratio of D at the end {:.0}, of the axes of C {:.1}; the function asks for 1000 in all",
                d_ratio(0),
                c_ratio(0)
            ),
            d_ratio(0) > 200.0,
        ),
        Claim::new(
            "On the rotated Ellipsoid D remains close to the identity and C learns the ill-conditioning",
            format!("ratio of D {:.1}, of the axes of C {:.0}", d_ratio(1), c_ratio(1)),
            d_ratio(1) < 10.0 && c_ratio(1) > 100.0,
        ),
        Claim::new(
            "Without the damping factor the adaptation of C is severely disturbed",
            format!(
                "with β = 1: {:.0e} after {} evaluations; damped: {:.0e} after {}",
                end(2).0,
                end(2).1,
                end(1).0,
                end(1).1
            ),
            end(2).0 > 1e3 * end(1).0 || end(2).1 > 2 * end(1).1,
        )
        .remark("a run may make 5000 n evaluations here"),
        Claim::new(
            "On Ell-Cig the scaling is first adapted by D, and the inverse damping decreases only after that; on Ell-Dis it decreases before",
            format!(
                "ratio of D when β passes 2: {:.0} on Ell-Cig, {:.0} on Ell-Dis, of 100",
                d_when_damped(3),
                d_when_damped(4)
            ),
            d_when_damped(3) > d_when_damped(4),
        ),
    ];
    let title = format!("typical runs of dd-CMA-ES, n = {n}");
    Ok(Figure { label: "conv", title, panels, columns: 4, claims })
}
