//! The utilization of the workers: times and counts.

use std::fmt;
use std::time::Duration;

/// The evaluations of one rank.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerUsage {
    /// The rank; 0, the manager, if there are no workers.
    pub rank: usize,
    /// The number of evaluations, including late ones.
    pub evaluations: u64,
    /// The number of evaluations that ended after their generation.
    pub late: u64,
    /// The time spent on evaluations.
    pub busy: Duration,
}

impl WorkerUsage {
    pub(crate) fn new(rank: usize) -> Self {
        Self { rank, evaluations: 0, late: 0, busy: Duration::ZERO }
    }
}

/// The evaluations of all workers, from [`Workers::usage`](crate::Workers::usage).
///
/// An evaluation is counted when its value has arrived.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// The workers, by rank.
    pub workers: Vec<WorkerUsage>,
    /// The time since the start of the workers.
    pub elapsed: Duration,
}

impl Usage {
    /// Returns the share of the workers' time spent on evaluations: 1 if no worker ever waited.
    pub fn utilization(&self) -> f64 {
        let busy: Duration = self.workers.iter().map(|worker| worker.busy).sum();
        busy.as_secs_f64() / (self.elapsed.as_secs_f64() * self.workers.len() as f64)
    }

    /// Returns the number of evaluations of all workers, including late ones.
    pub fn evaluations(&self) -> u64 {
        self.workers.iter().map(|worker| worker.evaluations).sum()
    }

    /// Returns the number of evaluations that came too late for their generation.
    pub fn late(&self) -> u64 {
        self.workers.iter().map(|worker| worker.late).sum()
    }
}

/// Shows one line for all workers, and one for each.
impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        let (evaluations, percent) = (self.evaluations(), 100.0 * self.utilization());
        write!(f, "{evaluations} evaluations in {seconds:.3} s, workers busy for {percent:.1} % of it")?;
        for WorkerUsage { rank, evaluations, late, busy } in &self.workers {
            let percent = 100.0 * busy.as_secs_f64() / seconds;
            write!(f, "\nrank {rank}: {evaluations} evaluations, {late} of them late, busy for {percent:.1} %")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilization_is_busy_time_over_the_time_of_all() {
        let worker =
            |rank, evaluations, late, busy| WorkerUsage { rank, evaluations, late, busy: Duration::from_secs(busy) };
        let usage = Usage { workers: vec![worker(1, 30, 0, 4), worker(2, 10, 2, 2)], elapsed: Duration::from_secs(4) };
        assert_eq!((usage.utilization(), usage.evaluations(), usage.late()), (0.75, 40, 2));
        assert_eq!(
            usage.to_string(),
            "40 evaluations in 4.000 s, workers busy for 75.0 % of it\n\
             rank 1: 30 evaluations, 0 of them late, busy for 100.0 %\n\
             rank 2: 10 evaluations, 2 of them late, busy for 50.0 %"
        );
    }
}
