//! How busy the workers were. Knows times and counts, and not what was computed.

use std::fmt;
use std::time::Duration;

/// What one rank has evaluated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerUsage {
    /// The rank; 0, the manager, if there are no workers.
    pub rank: usize,
    /// The evaluations that it has made, late ones included.
    pub evaluations: u64,
    /// Those of them whose generation was over when they were done.
    pub late: u64,
    /// The time that its evaluations took.
    pub busy: Duration,
}

impl WorkerUsage {
    pub(crate) fn new(rank: usize) -> Self {
        Self { rank, evaluations: 0, late: 0, busy: Duration::ZERO }
    }
}

/// What all workers have evaluated, from [`Workers::usage`](crate::Workers::usage).
///
/// An evaluation counts when its value has arrived.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// The workers, by rank.
    pub workers: Vec<WorkerUsage>,
    /// The time since they were first there.
    pub elapsed: Duration,
}

impl Usage {
    /// The share of the workers' time that evaluations took: 1 if nobody ever waited.
    pub fn utilization(&self) -> f64 {
        let busy: Duration = self.workers.iter().map(|worker| worker.busy).sum();
        busy.as_secs_f64() / (self.elapsed.as_secs_f64() * self.workers.len() as f64)
    }

    /// The evaluations of all workers, late ones included.
    pub fn evaluations(&self) -> u64 {
        self.workers.iter().map(|worker| worker.evaluations).sum()
    }

    /// The evaluations that came too late for their generation.
    pub fn late(&self) -> u64 {
        self.workers.iter().map(|worker| worker.late).sum()
    }
}

/// One line for all, and one for each worker.
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
