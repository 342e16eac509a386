//! Simulates generations on workers, event by event: times of evaluations are drawn, and the manager handles one worker at a time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use super::Costs;

/// The distribution of evaluation times, in units of their mean on a normal worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Speeds {
    /// Log-normal; the logarithm has a deviation of 0.5.
    LogNormal,
    /// Log-normal with a deviation of 1: one in twenty takes more than three times the mean.
    HeavyTail,
    /// A constant time, which is three times as long on one worker.
    OneSlow,
}

impl Speeds {
    pub(super) const ALL: [Self; 3] = [Self::LogNormal, Self::HeavyTail, Self::OneSlow];

    fn draw(self, worker: usize, rng: &mut Xoshiro256PlusPlus) -> f64 {
        let mut log_normal = |deviation: f64| {
            let z: f64 = StandardNormal.sample(rng);
            (deviation * z - 0.5 * deviation * deviation).exp()
        };
        match self {
            Self::LogNormal => log_normal(0.5),
            Self::HeavyTail => log_normal(1.0),
            Self::OneSlow if worker == 0 => 3.0,
            Self::OneSlow => 1.0,
        }
    }
}

impl fmt::Display for Speeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LogNormal => "log-normal, 0.5",
            Self::HeavyTail => "log-normal, 1",
            Self::OneSlow => "one slow worker",
        })
    }
}

/// When a generation is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// With the last value.
    WaitForAll,
    /// When this share of the values has arrived; later values are discarded.
    EndAt(f64),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WaitForAll => write!(f, "with the last value"),
            Self::EndAt(share) => write!(f, "at {:.0} %", 100.0 * share),
        }
    }
}

/// The result of a simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simulated {
    /// The share of the workers' time that was spent on values that were told.
    pub(super) efficiency: f64,
    /// The mean time of a generation, in seconds.
    pub(super) generation: f64,
}

/// An evaluation under way. Times are compared by their bits: they are positive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    end: u64,
    worker: usize,
    generation: usize,
    time: u64,
}

/// Simulates generations until this many evaluations, but at least five generations.
pub(super) fn simulate(
    workers: usize,
    lambda: usize,
    speeds: Speeds,
    rule: Rule,
    costs: Costs,
    evaluations: usize,
) -> Simulated {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(workers as u64 ^ (lambda as u64) << 32);
    let generations = evaluations.div_ceil(lambda).max(5);
    let enough = match rule {
        Rule::WaitForAll => lambda,
        Rule::EndAt(share) => (share * lambda as f64).ceil() as usize,
    };
    let half = 0.5 * costs.message; // one message there, and one back
    let mut under_way: BinaryHeap<Reverse<Job>> = BinaryHeap::new();
    let mut free: Vec<usize> = (0..workers).rev().collect();
    let (mut now, mut useful) = (0.0, 0.0);
    for generation in 0..generations {
        now += costs.candidate * lambda as f64;
        let (mut waiting, mut told) = (lambda, 0);
        while told < enough {
            while waiting > 0
                && let Some(worker) = free.pop()
            {
                now += half;
                let time = costs.evaluation * speeds.draw(worker, &mut rng);
                let end = f64::to_bits(now + time);
                under_way.push(Reverse(Job { end, worker, generation, time: time.to_bits() }));
                waiting -= 1;
            }
            let Some(Reverse(job)) = under_way.pop() else { unreachable!("somebody is under way") };
            now = f64::max(now, f64::from_bits(job.end)) + half;
            free.push(job.worker);
            if job.generation == generation {
                told += 1;
                useful += f64::from_bits(job.time);
            }
        }
    }
    Simulated { efficiency: useful / (now * workers as f64), generation: now / generations as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Costs = Costs { evaluation: 1.0, message: 0.0, candidate: 0.0 };

    #[test]
    fn one_worker_is_always_busy_unless_the_manager_is() {
        let alone = simulate(1, 10, Speeds::LogNormal, Rule::WaitForAll, FREE, 1000);
        assert!((alone.efficiency - 1.0).abs() < 1e-12);
        // A second for each evaluation, and one second of the manager for each message and each candidate.
        let costs = Costs { message: 2.0, candidate: 1.0, ..FREE };
        let slowed = simulate(1, 10, Speeds::LogNormal, Rule::WaitForAll, costs, 100_000);
        assert!((slowed.efficiency - 0.25).abs() < 0.005, "{slowed:?}");
    }

    #[test]
    fn one_slow_worker_holds_up_a_generation_of_one_candidate_for_each() {
        // All workers wait for the slow one: (3 + 9) / 30 of the time is work.
        let simulated = simulate(10, 10, Speeds::OneSlow, Rule::WaitForAll, FREE, 100);
        assert!((simulated.generation - 3.0).abs() < 1e-12 && (simulated.efficiency - 0.4).abs() < 1e-12);
        // With 28 candidates, the slow worker has one and the others have three each: no worker waits.
        let balanced = simulate(10, 28, Speeds::OneSlow, Rule::WaitForAll, FREE, 280);
        assert!((balanced.generation - 3.0).abs() < 1e-12 && (balanced.efficiency - 1.0).abs() < 1e-12);
        // Without waiting for the slow worker, a generation takes one unit, and its value is late.
        let early = simulate(10, 10, Speeds::OneSlow, Rule::EndAt(0.9), FREE, 1000);
        assert!(early.generation < 1.5 && early.efficiency > 0.6, "{early:?}");
    }

    #[test]
    fn the_manager_serves_one_after_the_other() {
        // Messages of 0.1 s for 100 candidates take 10 s, however many workers there are.
        let costs = Costs { message: 0.1, ..FREE };
        let simulated = simulate(100, 100, Speeds::OneSlow, Rule::WaitForAll, costs, 1000);
        assert!((9.999..12.0).contains(&simulated.generation), "{simulated:?}");
    }
}
