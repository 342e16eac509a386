//! The manager's side: an objective function that hands out candidates to workers, one by one. Independent of MPI and of the algorithm.

use std::fmt::{self, Display};
use std::time::{Duration, Instant};

use ddcma_core::{Missing, Objective, OpenGeneration, Ticket, Told};

use crate::link::Link;
use crate::message::{self, Evaluation, Reply};
use crate::usage::{Usage, WorkerUsage};
use crate::{EvaluationError, MessageError, ShareError};

/// The workers of a job, as an [`Objective`]: `minimize(workers, …)`, `es.run(workers, …)`, `restarts(…).minimize(workers)`.
///
/// Each worker has one candidate at a time and gets the next one when it has replied, so all workers are busy while there are
/// candidates left. Values are told as they arrive, and autosaves include them. If each generation waits for all of its values, the
/// run is the same as in one process, bit for bit.
///
/// If a worker reports an error, no more candidates are handed out. Pending values are still waited for and told, and then the error of
/// the first failed candidate is returned.
///
/// Without workers, in a job of one rank, the objective function is evaluated on this rank.
pub struct Workers<O> {
    objective: O,
    link: Box<dyn Link>,
    /// The job of each worker, by rank − 1.
    jobs: Vec<Option<Job>>,
    /// The ranks of the idle workers.
    free: Vec<usize>,
    /// The number of generations of all runs; the job of an earlier generation is late.
    generations: u64,
    /// The number of jobs handed out.
    handed_out: u64,
    early_end: Option<EarlyEnd>,
    usage: Vec<WorkerUsage>,
    begin: Instant,
    bytes: Vec<u8>,
}

/// A candidate assigned to a worker.
struct Job {
    number: u64,
    generation: u64,
    ticket: Ticket,
}

/// When to end a generation before all values have arrived.
struct EarlyEnd {
    share: f64,
    missing: Missing,
}

/// The reply of a worker in the current generation.
struct Answer {
    index: usize,
    result: Result<Told<'static>, EvaluationError>,
}

impl<O> fmt::Debug for Workers<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("count", &self.count()).field("busy", &self.busy()).finish_non_exhaustive()
    }
}

impl<O> Workers<O> {
    pub(crate) fn new(objective: O, link: Box<dyn Link>, count: usize) -> Self {
        let usage = if count == 0 { vec![WorkerUsage::new(0)] } else { (1..=count).map(WorkerUsage::new).collect() };
        Self {
            objective,
            link,
            jobs: (0..count).map(|_| None).collect(),
            free: (1..=count).rev().collect(),
            generations: 0,
            handed_out: 0,
            early_end: None,
            usage,
            begin: Instant::now(),
            bytes: Vec::new(),
        }
    }

    /// Returns the number of workers: one less than the number of ranks.
    pub fn count(&self) -> usize {
        self.jobs.len()
    }

    /// Ends each generation when this share of its candidates has a value. Default: 1, which waits for all of them.
    ///
    /// For the missing candidates, [`Missing::LeaveOut`] is the better choice. At least μ values are needed, about half of them, so the
    /// share should be at least 0.5; with fewer values, the run is interrupted with
    /// [`TellError::TooFew`](ddcma_core::TellError::TooFew). Values that arrive after the end of their generation are discarded. Which
    /// ones these are depends on evaluation times, so such a run is not reproducible. Without workers, every generation is complete.
    pub fn end_generations_at(&mut self, share: f64, missing: Missing) -> Result<(), ShareError> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(ShareError { share });
        }
        self.early_end = (share < 1.0).then_some(EarlyEnd { share, missing });
        Ok(())
    }

    /// Returns how busy the workers have been so far.
    pub fn usage(&self) -> Usage {
        Usage { workers: self.usage.clone(), elapsed: self.begin.elapsed() }
    }

    fn busy(&self) -> usize {
        self.jobs.iter().flatten().count()
    }

    /// Returns the number of values that end a generation.
    fn enough(&self, lambda: usize) -> usize {
        match &self.early_end {
            Some(EarlyEnd { share, .. }) => (share * lambda as f64).ceil() as usize,
            None => lambda,
        }
    }

    fn hand_out(&mut self, rank: usize, ticket: Ticket, point: &[f64]) -> Result<(), EvaluationError> {
        let number = self.handed_out;
        message::evaluate(&mut self.bytes, number, ticket.generation, point)
            .map_err(|error| EvaluationError::Message { rank, error })?;
        self.link.send(rank, &self.bytes);
        self.handed_out += 1;
        self.jobs[rank - 1] = Some(Job { number, generation: self.generations, ticket });
        Ok(())
    }

    /// Waits for one reply from any worker; `None` if it belongs to an earlier generation.
    fn next_answer(&mut self) -> Option<Answer> {
        let rank = self.link.receive(&mut self.bytes);
        let job = self.jobs[rank - 1].take();
        // Whatever the reply is, the worker now waits for an order.
        self.free.push(rank);
        let reply = Reply::read(&self.bytes).and_then(|reply| match (reply, &job) {
            (Reply::Done { job: number, seconds, result }, Some(job)) if number == job.number => Ok((seconds, result)),
            (Reply::Done { job: got, .. }, job) => {
                Err(MessageError::OtherJob { expected: job.as_ref().map(|job| job.number), got })
            }
            (Reply::Refused { reason }, _) => Err(MessageError::Refused { reason }),
        });
        let job = job?;
        let is_late = job.generation != self.generations;
        if let Ok((seconds, _)) = reply {
            let usage = &mut self.usage[rank - 1];
            usage.evaluations += 1;
            usage.late += u64::from(is_late);
            usage.busy += Duration::try_from_secs_f64(seconds).unwrap_or_default();
        }
        let ticket = job.ticket;
        let result = match reply {
            Ok((_, Evaluation::Value(value, evaluations))) => Ok(Told::from(value).evaluations(evaluations)),
            Ok((_, Evaluation::Failed(reason))) => {
                Err(EvaluationError::Objective { rank, ticket: Some(ticket), reason })
            }
            Ok((_, Evaluation::NoValue)) => Err(EvaluationError::NoValue { rank, ticket }),
            Err(error) => Err(EvaluationError::Message { rank, error }),
        };
        (!is_late).then_some(Answer { index: ticket.index, result })
    }

    fn evaluate_by_workers(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), EvaluationError> {
        self.generations += 1;
        let lambda = generation.points().len();
        let missing: Vec<usize> = generation.missing().collect();
        let mut told = (0..lambda).filter(|index| generation.value(*index).is_some()).count();
        // A run may want only some of its candidates.
        let enough = self.enough(lambda).min(told + missing.len());
        let mut waiting = missing.into_iter().peekable();
        let mut under_way = 0;
        let mut first_failure: Option<(usize, EvaluationError)> = None;
        loop {
            // After a failure nothing is handed out, but pending values are waited for.
            while first_failure.is_none() && told < enough && !self.free.is_empty() {
                let Some(index) = waiting.next() else { break };
                let rank = self.free.pop().expect("there is an idle worker");
                match self.hand_out(rank, generation.ticket(index), generation.point(index)) {
                    Ok(()) => under_way += 1,
                    Err(error) => {
                        self.free.push(rank);
                        first_failure = Some((index, error));
                    }
                }
            }
            let is_enough = first_failure.is_none() && told >= enough;
            let is_all = under_way == 0 && (first_failure.is_some() || waiting.peek().is_none());
            if is_enough || is_all {
                break;
            }
            let Some(Answer { index, result }) = self.next_answer() else { continue };
            under_way -= 1;
            match result.and_then(|told| generation.take(index, told).map_err(EvaluationError::Tell)) {
                Ok(()) => told += 1,
                Err(error) => match &first_failure {
                    Some((first, _)) if *first < index => {}
                    _ => first_failure = Some((index, error)),
                },
            }
        }
        if let Some((_, error)) = first_failure {
            return Err(error);
        }
        if let Some(EarlyEnd { missing, .. }) = self.early_end {
            generation.end_early(missing);
        }
        Ok(())
    }
}

impl<O: Objective<Error: Display>> Workers<O> {
    fn evaluate_here(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), EvaluationError> {
        let (before, begin) = (generation.missing().count(), Instant::now());
        let result = self.objective.evaluate(generation);
        let usage = &mut self.usage[0];
        usage.busy += begin.elapsed();
        usage.evaluations += (before - generation.missing().count()) as u64;
        result.map_err(|error| EvaluationError::Objective { rank: 0, ticket: None, reason: error.to_string() })
    }
}

impl<O: Objective<Error: Display>> Objective for Workers<O> {
    type Error = EvaluationError;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), EvaluationError> {
        if self.jobs.is_empty() { self.evaluate_here(generation) } else { self.evaluate_by_workers(generation) }
    }
}

impl<O: Objective<Error: Display>> Objective for &mut Workers<O> {
    type Error = EvaluationError;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), EvaluationError> {
        (**self).evaluate(generation)
    }
}

/// However the manager ends, even by a panic, each worker finishes after its current evaluation.
impl<O> Drop for Workers<O> {
    fn drop(&mut self) {
        while self.busy() > 0 {
            self.next_answer();
        }
        message::leave(&mut self.bytes);
        (1..=self.count()).for_each(|rank| self.link.send(rank, &self.bytes));
    }
}

#[cfg(test)]
mod tests;
