//! Figure "fes2": evaluations divided by n against the dimension, on functions where dd-CMA-ES beats both plain and separable CMA-ES.
//!
//! Lines are run and compared in `evaluations.rs`.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory};
use super::claims::{Bound, Claim};
use super::evaluations::{Line, Medians, at_n, list, panels, rotated, run, unrotated};
use crate::lab::LabError;
use crate::lab::names::StrategyName::{Dd, Plain, Sep};
use Function::{EllCig, EllDis, Rosenbrock};

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let functions = [EllCig, EllDis, Rosenbrock];
    let forms = [unrotated(EllCig), unrotated(EllDis), rotated(Rosenbrock), unrotated(Rosenbrock)];
    let mut lines = Vec::new();
    for form in forms {
        lines.push(Line::new(laboratory, form, Plain, 160, 320));
        lines.push(Line::new(laboratory, form, Dd, 160, 320).extrapolated());
    }
    lines.push(Line::new(laboratory, unrotated(Rosenbrock), Sep, 160, 1280));
    run(laboratory, &lines)?;
    let separable_fails = separable_fails(laboratory)?;
    let mut claims = from_the_lines(Medians(laboratory));
    claims.insert(1, separable_fails);
    let title = "evaluations / n to reach 1e-8, where dd beats both".to_string();
    Ok(Figure { label: "fes2", title, panels: panels(laboratory, &functions, &lines), columns: 3, claims })
}

fn separable_fails(laboratory: &mut Laboratory) -> Result<Claim, LabError> {
    let dims: Vec<usize> = [20, 80].into_iter().filter(|n| *n == 20 || laboratory.dims(80).contains(n)).collect();
    let others = [unrotated(EllCig), unrotated(EllDis), rotated(Rosenbrock)];
    let cells: Vec<Cell> = others.iter().flat_map(|form| dims.iter().map(|n| Cell::new(*form, *n, Sep))).collect();
    laboratory.run(&cells.iter().map(|cell| (cell.clone(), 3)).collect::<Vec<_>>())?;
    let successes = |cell: &Cell| laboratory.outcomes(cell, 3).iter().filter(|outcome| outcome.success).count();
    Ok(Claim::new(
        "The separable CMA locates the target within the budget only on the non-rotated Rosenbrock, in smaller dimensions",
        "number of successes in at most three trials on the others",
        Bound::Below(1.0),
        cells.iter().map(|cell| (format!("{}, n = {}", cell.form, cell.n), successes(cell) as f64)),
    ))
}

fn from_the_lines(medians: Medians) -> Vec<Claim> {
    let gains = |form| medians.ratios((form, Plain), (form, Dd), 5..=320);
    let sep_gain = medians.ratios((unrotated(Rosenbrock), Plain), (unrotated(Rosenbrock), Sep), 5..=320);
    let (cigar, discus, rosenbrock) =
        (gains(unrotated(EllCig)), gains(unrotated(EllDis)), gains(unrotated(Rosenbrock)));
    // In the dimensions in which all three were measured; infinite if separable CMA failed.
    let over_both = |form| {
        let sep = medians.ratios((form, Sep), (form, Dd), 5..=320);
        let better = |(n, sep): &(usize, f64)| gains(form).iter().find(|(m, _)| m == n).map(|(_, gain)| gain.min(*sep));
        sep.iter().filter_map(better).fold(f64::NAN, f64::max)
    };
    let less_steep = |form| medians.power((form, Plain)) - medians.power((form, Dd));
    let (steeper_cigar, steeper_discus) = (less_steep(unrotated(EllCig)), less_steep(unrotated(EllDis)));
    let large: Vec<(usize, f64)> = sep_gain.iter().copied().filter(|(n, _)| *n > 80).collect();
    let plain_over_dd = |gains: &[(usize, f64)]| format!("plain over dd: {}", list(gains));
    let powers = "growth exponent of plain minus that of dd";
    vec![
        Claim::new(
            "dd outperforms both plain and separable CMA at least in some dimension",
            "evaluations of the better of the two over those of dd, in the best dimension",
            Bound::Above(1.05),
            [
                ("on Ell-Cig", over_both(unrotated(EllCig))),
                ("on Ell-Dis", over_both(unrotated(EllDis))),
                ("on Rosenbrock", over_both(unrotated(Rosenbrock))),
            ],
        ),
        Claim::new(
            "On Ell-Cig diagonal decoding improves the scaling of the plain CMA even though the function is not separable",
            powers,
            Bound::Above(0.1),
            [("", steeper_cigar)],
        )
        .remark(&plain_over_dd(&cigar)),
        Claim::new(
            "The improvement on Ell-Dis is much less pronounced",
            "the same difference, over that on Ell-Cig",
            Bound::Below(0.5),
            [("", steeper_discus / steeper_cigar)],
        )
        .remark(&plain_over_dd(&discus)),
        Claim::new(
            "On the non-rotated Rosenbrock dd becomes advantageous as the dimension increases",
            powers,
            Bound::Above(0.1),
            [("", less_steep(unrotated(Rosenbrock)))],
        )
        .remark(&plain_over_dd(&rosenbrock)),
        Claim::new(
            "On the non-rotated Rosenbrock the separable CMA is faster than the plain CMA when n > 80",
            "evaluations of plain over those of separable CMA",
            Bound::Above(1.0),
            at_n(&large),
        )
        .remark(&format!("all n: {}", list(&sep_gain))),
    ]
}
