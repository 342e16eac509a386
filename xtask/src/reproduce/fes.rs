//! Figure "fes": evaluations divided by n against the dimension, on the Sphere, the Cigar, the Discus and the Ellipsoid.
//!
//! Lines are run and compared in `evaluations.rs`.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory};
use super::claims::{Bound, Claim};
use super::evaluations::{Line, Medians, at_n, panels, rotated, run, unrotated};
use crate::lab::LabError;
use crate::lab::names::StrategyName::{Dd, Plain, Sep};
use Function::{Cigar, Discus, Ellipsoid, Sphere};

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let functions = [Sphere, Cigar, Discus, Ellipsoid];
    let mut lines = vec![
        Line::new(laboratory, unrotated(Sphere), Plain, 160, 640),
        Line::new(laboratory, unrotated(Sphere), Sep, 1280, 5120),
        Line::new(laboratory, unrotated(Sphere), Dd, 160, 640),
    ];
    for function in [Cigar, Discus, Ellipsoid] {
        lines.push(Line::new(laboratory, rotated(function), Plain, 160, 320));
        lines.push(Line::new(laboratory, unrotated(function), Sep, 1280, 5120));
        lines.push(Line::new(laboratory, rotated(function), Dd, 160, 320));
        lines.push(Line::new(laboratory, unrotated(function), Dd, 320, 5120));
    }
    run(laboratory, &lines)?;
    let mut claims = vec![plain_on_unrotated_functions(laboratory)?, separable_on_rotated_functions(laboratory)?];
    let rare_updates = rare_updates(laboratory)?;
    claims.extend(from_the_lines(Medians(laboratory)));
    claims.extend(rare_updates);
    let title = "evaluations / n to reach 1e-8".to_string();
    Ok(Figure { label: "fes", title, panels: panels(laboratory, &functions, &lines), columns: 4, claims })
}

fn plain_on_unrotated_functions(laboratory: &mut Laboratory) -> Result<Claim, LabError> {
    const N: usize = 40;
    let trials = laboratory.trials(N);
    let functions = [Cigar, Discus, Ellipsoid];
    laboratory.run(&functions.map(|function| (Cell::new(unrotated(function), N, Plain), trials)))?;
    let medians = Medians(laboratory);
    let ratio =
        |function: Function| medians.at((rotated(function), Plain), N) / medians.at((unrotated(function), Plain), N);
    Ok(Claim::new(
        "The plain CMA scales equally well on separable functions and rotated functions",
        "evaluations on the rotated form over those on the separable form",
        Bound::Between(0.9, 1.1),
        functions.map(|function| (format!("on {}", function.label()), ratio(function))),
    )
    .remark("n = 40"))
}

fn separable_on_rotated_functions(laboratory: &mut Laboratory) -> Result<Claim, LabError> {
    let cells = [Cigar, Discus, Ellipsoid].map(|function| Cell::new(rotated(function), 20, Sep));
    laboratory.run(&cells.clone().map(|cell| (cell, 3)))?;
    let successes = |cell: &Cell| laboratory.outcomes(cell, 3).iter().filter(|outcome| outcome.success).count();
    Ok(Claim::new(
        "The separable CMA does not find the target on rotated functions before the budget is exhausted",
        "number of successes in at most three trials",
        Bound::Below(1.0),
        cells.iter().map(|cell| (format!("on {}", cell.form.function.label()), successes(cell) as f64)),
    )
    .remark("n = 20"))
}

/// The footnote about β_eig = 10.
fn rare_updates(laboratory: &mut Laboratory) -> Result<[Claim; 2], LabError> {
    let rare = |form, n| Cell::new(form, n, Dd).with("beta_eig=10", |settings| settings.beta_eig(10.0));
    let largest =
        |laboratory: &Laboratory, quick, paper| *laboratory.dims(laboratory.choose(quick, paper)).last().unwrap_or(&5);
    let (n, m) = (largest(laboratory, 320, 5120), largest(laboratory, 160, 320));
    let (separable, turned) = (rare(unrotated(Ellipsoid), n), rare(rotated(Ellipsoid), m));
    let (trials_n, trials_m) = (laboratory.trials(n), laboratory.trials(m));
    laboratory.run(&[(separable.clone(), trials_n), (turned.clone(), trials_m)])?;
    let medians = Medians(laboratory);
    let to_sep = laboratory.median_evaluations(&separable, trials_n) / medians.at((unrotated(Ellipsoid), Sep), n);
    let to_plain = laboratory.median_evaluations(&turned, trials_m) / medians.at((rotated(Ellipsoid), Plain), m);
    Ok([
        Claim::new(
            "With β_eig = 10, dd needs about 1.5 times the evaluations of separable CMA on the 5120-dimensional separable Ellipsoid",
            "evaluations of dd over those of separable CMA",
            Bound::Between(1.25, 1.75),
            at_n(&[(n, to_sep)]),
        )
        .if_reached(n == 5120),
        Claim::new(
            "With β_eig = 10, dd spends about 15 % more evaluations than plain CMA on the 320-dimensional rotated Ellipsoid",
            "evaluations of dd over those of plain CMA",
            Bound::Between(1.05, 1.25),
            at_n(&[(m, to_plain)]),
        )
        .if_reached(m == 320),
    ])
}

fn from_the_lines(medians: Medians) -> Vec<Claim> {
    let reaches = |numbers: &[(usize, f64)], n: usize| numbers.iter().any(|(known, _)| *known >= n);
    let all = 5..=5120;
    let sphere = [("dd over plain", Dd, Plain), ("dd over sep", Dd, Sep), ("sep over plain", Sep, Plain)];
    let on_sphere = sphere.map(|(name, a, b)| {
        let [a, b] = [a, b].map(|strategy| medians.at((unrotated(Sphere), strategy), 40));
        (name, a / b)
    });
    let ratio = "evaluations of dd over those of its rival";
    let power = "growth exponent of evaluations in n";
    let discus = medians.ratios((unrotated(Discus), Dd), (unrotated(Discus), Sep), all.clone());
    let below = medians.ratios((unrotated(Ellipsoid), Dd), (unrotated(Ellipsoid), Sep), 5..=160);
    let beyond = medians.ratios((unrotated(Ellipsoid), Dd), (unrotated(Ellipsoid), Sep), 320..=5120);
    let saved = medians.ratios((rotated(Ellipsoid), Plain), (unrotated(Ellipsoid), Dd), 5..=160);
    let saved_later = medians.ratios((rotated(Ellipsoid), Plain), (unrotated(Ellipsoid), Dd), 320..=5120);
    let (largest, dd_power) = medians.growth((unrotated(Ellipsoid), Dd), 5120);
    let (_, plain_power) = medians.growth((rotated(Ellipsoid), Plain), 320);
    let is_plain_fast = "plain is measured on the rotated function, where it is equally fast";
    vec![
        Claim::new(
            "On the Sphere all algorithms perform quite similarly",
            "ratio of evaluations, n = 40",
            Bound::Between(0.75, 1.33),
            on_sphere,
        ),
        Claim::new(
            "The plain CMA scales linearly on the rotated Cigar",
            power,
            Bound::Below(1.15),
            [medians.growth((rotated(Cigar), Plain), 5120)],
        ),
        Claim::new(
            "On the separable Cigar, dd is competitive with separable CMA",
            ratio,
            Bound::Below(1.25),
            at_n(&medians.ratios((unrotated(Cigar), Dd), (unrotated(Cigar), Sep), all.clone())),
        ),
        Claim::new(
            "On the rotated Cigar, dd is competitive with plain CMA",
            ratio,
            Bound::Below(1.25),
            at_n(&medians.ratios((rotated(Cigar), Dd), (rotated(Cigar), Plain), all.clone())),
        ),
        Claim::new(
            "On Ellipsoid and Discus the plain CMA scales super-linearly",
            power,
            Bound::Above(1.2),
            [Ellipsoid, Discus].map(|function| on(function, medians.growth((rotated(function), Plain), 5120))),
        ),
        Claim::new(
            "On Ellipsoid and Discus the separable CMA scales linearly or slightly worse on separable instances",
            power,
            Bound::Below(1.35),
            [Ellipsoid, Discus].map(|function| on(function, medians.growth((unrotated(function), Sep), 5120))),
        ),
        Claim::new(
            "On the rotated Ellipsoid, dd is competitive with plain CMA",
            ratio,
            Bound::Below(1.25),
            at_n(&medians.ratios((rotated(Ellipsoid), Dd), (rotated(Ellipsoid), Plain), all.clone())),
        ),
        Claim::new(
            "On the rotated Discus, dd is competitive with plain CMA",
            ratio,
            Bound::Below(1.25),
            at_n(&medians.ratios((rotated(Discus), Dd), (rotated(Discus), Plain), all)),
        ),
        Claim::new(
            "dd needs ten times fewer f-calls than plain CMA on the 160-dimensional separable Ellipsoid",
            "evaluations of plain over those of dd",
            Bound::Above(9.0),
            at_n(saved.last().map_or(&[], std::slice::from_ref)),
        )
        .if_reached(reaches(&saved, 160))
        .remark(is_plain_fast),
        Claim::new(
            "dd is competitive with separable CMA on the separable Discus up to 5120 dimensions",
            ratio,
            Bound::Below(1.25),
            at_n(&discus),
        )
        .if_reached(reaches(&discus, 5120)),
        Claim::new(
            "On the separable Ellipsoid dd does not deviate from separable CMA before about n = 320",
            ratio,
            Bound::Below(1.35),
            at_n(&below),
        )
        .if_reached(reaches(&below, 160)),
        Claim::new(
            "On the separable Ellipsoid dd deviates from separable CMA from about n = 320 on",
            ratio,
            Bound::Above(1.35),
            at_n(&beyond),
        )
        .if_reached(reaches(&beyond, 320)),
        Claim::new(
            "Beyond that dimension dd scales more or less the same as the plain CMA",
            "growth exponent of dd over that of plain",
            Bound::Between(0.8, 1.25),
            [(largest, dd_power / plain_power)],
        )
        .if_reached(reaches(&beyond, 640)),
        Claim::new(
            "Yet it requires ten times fewer f-calls than plain CMA there",
            "evaluations of plain over those of dd",
            Bound::Above(9.0),
            at_n(&saved_later),
        )
        .if_reached(reaches(&saved_later, 320))
        .remark(is_plain_fast),
    ]
}

/// Labels numbers with the function's name.
fn on(function: Function, (place, number): (String, f64)) -> (String, f64) {
    (format!("on {} {place}", function.label()), number)
}
