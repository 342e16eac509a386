//! Whether the updates of D agree with each other: the statistic behind [`Damping::Agreement`](crate::settings::Damping).
//!
//! If the updates are noise, their sum grows like a random walk. If D has a way to go, they point in the same direction, and their sum grows
//! faster. `docs/damping.md` has the derivation.

use crate::Params;
use crate::settings::Damping;
use crate::stored::stored;

stored! {
    /// Sums of past updates of log D, in which older ones count less.
    #[derive(Clone, Debug)]
    pub(crate) struct Agreement {
        /// s: as long as a single update, on average, if the updates are independent. Empty if the damping does not use it.
        sum: Vec<f64>,
        /// v: the mean of their squared lengths.
        length2: f64,
        /// The weight that v gives to the time before the first update, (1 − c_a)^t.
        unseen: f64,
    }
}

/// The share of v that must come from actual updates before s and v are meaningful.
#[cfg(feature = "dense")]
const SEEN: f64 = 0.25;

/// Updates whose squared length exceeds this are ignored, because further products with it may overflow.
#[cfg(feature = "dense")]
const LONGEST2: f64 = 1e200;

impl Agreement {
    pub(crate) fn new(params: &Params) -> Self {
        Self { sum: vec![0.0; sums(params)], length2: 0.0, unseen: 1.0 }
    }

    /// Checks that stored sums belong to these parameters.
    pub(crate) fn check(&self, params: &Params) -> Result<(), &'static str> {
        let are_sums = self.sum.len() == sums(params) && self.sum.iter().all(|sum| sum.is_finite());
        let is_mean = self.length2 >= 0.0 && self.length2.is_finite();
        if are_sums && is_mean && (0.0..=1.0).contains(&self.unseen) {
            Ok(())
        } else {
            Err("the agreement of the updates of D")
        }
    }
}

fn sums(params: &Params) -> usize {
    if params.damping == Damping::Agreement { params.n } else { 0 }
}

#[cfg(feature = "dense")]
impl Agreement {
    /// Adds an update of log D, without its mean, which only changes the step size.
    pub(crate) fn add(&mut self, delta: &[f64], params: &Params) {
        let c_a = params.agreement_rate;
        let mean = delta.iter().sum::<f64>() / delta.len() as f64;
        let length2 = delta.iter().map(|delta| (delta - mean).powi(2)).sum::<f64>();
        if length2.is_nan() || length2 > LONGEST2 {
            return;
        }
        let weight = (c_a * (2.0 - c_a)).sqrt();
        for (sum, delta) in self.sum.iter_mut().zip(delta) {
            *sum = (1.0 - c_a) * *sum + weight * (delta - mean);
        }
        self.length2 = (1.0 - c_a) * self.length2 + c_a * length2;
        self.unseen *= 1.0 - c_a;
    }

    /// Returns the factor of β: below one if the updates agree, above one if they do not.
    pub(crate) fn factor(&self, beta: f64, params: &Params) -> f64 {
        let Params { agreement_level: r_0, agreement_gain, agreement_limit, beta_min, c_1_d, c_mu_d, .. } = *params;
        if 1.0 - self.unseen < SEEN || !self.length2.is_normal() {
            return 1.0;
        }
        let squares = || self.sum.iter().map(|sum| sum * sum);
        let (all, strongest) = (squares().sum::<f64>(), squares().fold(0.0, f64::max));
        // Corrects both sums for the time before the first update: ‖s‖²/unit is then about 1 for independent updates.
        let unit = self.length2 / (1.0 - self.unseen) * (1.0 - self.unseen * self.unseen);
        let n = self.sum.len() as f64;
        let of_others = (all - strongest) / unit;
        // The largest of n squared normal deviates is about 2 ln n.
        let of_strongest = n * strongest / (2.0 * n.ln()).max(1.0) / unit;
        // If D learns within a few updates, there is no time to find out whether they agree.
        let share = (c_1_d + c_mu_d) / beta / agreement_limit;
        let (fastest, slowest) = (share.clamp(1.0 / agreement_gain, 1.0), (1.0 / share).min(1.0 / beta_min).max(1.0));
        (r_0 / of_others).clamp(fastest, slowest).min((r_0 / of_strongest).max(1.0))
    }
}

#[cfg(all(test, feature = "dense"))]
mod tests {
    use super::*;
    use crate::Settings;

    /// With this c_a.
    fn params(n: usize, c_a: f64) -> Params {
        let settings = Settings::new().damping(Damping::Agreement).c_1_d(0.25).c_mu_d(0.25).agreement_limit(1e3);
        settings.agreement_memory(0.5 / c_a).params(n).unwrap()
    }

    fn after(updates: &[&[f64]], params: &Params) -> Agreement {
        let mut agreement = Agreement::new(params);
        updates.iter().for_each(|delta| agreement.add(delta, params));
        agreement
    }

    #[test]
    fn sums_and_factor_are_those_of_the_formulas() {
        let params = params(4, 0.5);
        assert_eq!((params.agreement_rate, params.agreement_level, params.agreement_gain), (0.5, 2.0, 4.0));
        // The means, 1 and 0, are left out.
        let agreement = after(&[&[2.0, 0.0, 1.0, 1.0], &[0.5, -0.5, 1.0, -1.0]], &params);
        let weight = 0.75f64.sqrt(); // √(c_a (2 − c_a))
        let s = [0.5 + 0.5, -0.5 - 0.5, 1.0, -1.0].map(|sum: f64| weight * sum);
        assert!(agreement.sum.iter().zip(s).all(|(sum, expected)| (sum - expected).abs() < 1e-15), "{agreement:?}");
        assert_eq!((agreement.length2, agreement.unseen), (0.5 * (0.5 * 2.0) + 0.5 * 2.5, 0.25));
        // ‖s‖² = 0.75·4, of which the strongest has a quarter; v = 1.75, and 1 − (1 − c_a)^t = ¾, 1 − (1 − c_a)^2t = 15/16.
        let unit = 1.75 / 0.75 * (15.0 / 16.0);
        let expected = 2.0 / (0.75 * 3.0 / unit);
        assert!(expected > 1.0 / params.beta_min, "{expected}");
        assert_eq!(agreement.factor(1.0, &params), 1.0 / params.beta_min);
        let factor =
            |r_0: f64| agreement.factor(1.0, &params.settings().clone().agreement_level(r_0).params(4).unwrap());
        assert!((factor(0.9) - 0.9 / (2.25 / unit)).abs() < 1e-15, "{}", factor(0.9));
        assert_eq!(factor(0.1), 0.25, "at most four times as fast");
    }

    #[test]
    fn updates_that_agree_speed_d_up_and_those_that_contradict_slow_it_down() {
        let short = params(4, 0.5);
        let (one, other): ([f64; 4], [f64; 4]) = ([1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, -1.0, 1.0]);
        // Of the same updates, ‖s‖² tends to (2 − c_a)/c_a = 3, or 9/4 without the strongest coordinate.
        let agreed = after(&[&one[..]; 60], &short).factor(1.0, &short);
        assert!((agreed - 2.0 / 2.25).abs() < 1e-9, "{agreed}");
        let long = params(4, 0.01);
        assert_eq!(after(&[&one[..]; 999], &long).factor(1.0, &long), 0.25);
        let contradicting: Vec<&[f64]> = (0..60).map(|k| if k % 2 == 0 { &one[..] } else { &other[..] }).collect();
        assert_eq!(after(&contradicting, &short).factor(1.0, &short), 1.0 / short.beta_min);
        // Close to the limit of 10³ times the rate ½, there is little room.
        let near = 0.5 / 1e3 / 0.9;
        assert!((after(&[&one[..]; 999], &long).factor(near, &long) - 0.9).abs() < 1e-9);
        assert!((after(&contradicting, &short).factor(near, &short) - 1.0 / 0.9).abs() < 1e-9);
        assert_eq!(after(&contradicting, &short).factor(near / 2.0, &short), 1.0);
    }

    /// A single coordinate must not make all others fast, which would be noise; but D is not slowed down, either.
    #[test]
    fn one_coordinate_alone_changes_nothing() {
        let params = params(20, 0.01);
        // The others change back and forth.
        let update =
            |t: usize| -> Vec<f64> { (0..20).map(|k| if (k * t).is_multiple_of(2) { 1.0 } else { -1.0 }).collect() };
        let mut updates: Vec<Vec<f64>> = (0..998).map(update).collect();
        let factor = |updates: &[Vec<f64>]| {
            after(&updates.iter().map(Vec::as_slice).collect::<Vec<_>>(), &params).factor(1.0, &params)
        };
        updates.iter_mut().for_each(|update| update[..2].fill(0.0));
        updates.iter_mut().for_each(|update| (update[2], update[4]) = (-1.0, -1.0));
        assert!(factor(&updates) < 1.0, "many agree");
        updates.iter_mut().for_each(|update| update.iter_mut().step_by(2).for_each(|even| *even = 0.0));
        assert_eq!(factor(&updates), 1.0 / params.beta_min, "none agree");
        updates.iter_mut().for_each(|update| update[4] = 1.0);
        assert_eq!(factor(&updates), 1.0);
    }

    #[test]
    fn the_beginning_and_what_is_not_finite_change_nothing() {
        let params = params(3, 0.1);
        let (delta, reverse): (&[f64], &[f64]) = (&[1.0, -1.0, 0.5], &[-1.0, 1.0, -0.5]);
        assert_eq!(after(&[delta, reverse], &params).factor(1.0, &params), 1.0, "0.19 of the weight is seen");
        assert_ne!(after(&[delta, reverse, delta], &params).factor(1.0, &params), 1.0);
        assert_eq!(after(&[&[0.0; 3][..]; 9], &params).factor(1.0, &params), 1.0);
        let mut agreement = after(&[delta; 3], &params);
        let before = agreement.sum.clone();
        for wrong in [1e200, f64::INFINITY, f64::NAN] {
            agreement.add(&[wrong, 0.0, 0.0], &params);
        }
        assert_eq!(agreement.sum, before);
    }
}
