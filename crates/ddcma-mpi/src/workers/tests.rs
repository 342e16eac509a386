//! Tests the manager with simulated workers.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use ddcma_core::{Interrupted, SepCma, StopCriteria, TellError};

use super::*;
use crate::message::Order;

/// The reply of a simulated worker to a job.
type Answers = dyn FnMut(usize, u64, Vec<f64>) -> Vec<u8>;

/// The objective function, which simulated workers do not evaluate.
type Sphere = fn(&[f64]) -> f64;

/// The ranks that were told to leave.
type Left = Rc<RefCell<Vec<usize>>>;

/// Which reply the manager receives first.
#[derive(Clone, Copy, PartialEq)]
enum First {
    Oldest,
    Newest,
}

/// Workers that reply immediately; the replies wait until the manager receives them.
struct Played {
    first: First,
    answer: RefCell<Box<Answers>>,
    replies: RefCell<VecDeque<(usize, Vec<u8>)>>,
    left: Left,
}

impl Link for Played {
    fn send(&self, rank: usize, bytes: &[u8]) {
        match Order::read(bytes).unwrap() {
            Order::Evaluate { job, point, .. } => {
                let reply = (self.answer.borrow_mut())(rank, job, point);
                self.replies.borrow_mut().push_back((rank, reply));
            }
            Order::Leave => self.left.borrow_mut().push(rank),
        }
    }

    fn receive(&self, bytes: &mut Vec<u8>) -> usize {
        let mut replies = self.replies.borrow_mut();
        let next = if self.first == First::Oldest { replies.pop_front() } else { replies.pop_back() };
        let (rank, reply) = next.expect("the manager waits forever");
        *bytes = reply;
        rank
    }
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn reply(job: u64, result: Evaluation) -> Vec<u8> {
    let mut bytes = Vec::new();
    Reply::Done { job, seconds: 1.0, result }.write(&mut bytes);
    bytes
}

fn workers(
    count: usize,
    first: First,
    answer: impl FnMut(usize, u64, Vec<f64>) -> Vec<u8> + 'static,
) -> (Workers<Sphere>, Left) {
    let left = Left::default();
    let link =
        Played { first, answer: RefCell::new(Box::new(answer)), replies: RefCell::default(), left: Rc::clone(&left) };
    (Workers::new(sphere as Sphere, Box::new(link), count), left)
}

fn start(generations: u64) -> SepCma {
    let criteria = StopCriteria::none().max_iterations(generations);
    SepCma::builder(&[3.0; 4], 1.0).criteria(criteria).seed(1).build().unwrap()
}

#[test]
fn values_in_any_order_give_the_run_of_one_process() {
    let mut serial = start(50);
    serial.run(sphere).unwrap();
    for count in [0, 1, 3, 100] {
        let mut run = start(50);
        let (mut workers, left) =
            workers(count, First::Newest, |_, job, x| reply(job, Evaluation::Value(sphere(&x), 1)));
        run.run(&mut workers).unwrap();
        assert_eq!((run.best(), run.mean()), (serial.best(), serial.mean()));
        let usage = workers.usage();
        assert_eq!((usage.workers.len(), usage.evaluations(), usage.late()), (count.max(1), serial.evaluations(), 0));
        drop(workers);
        assert_eq!(*left.borrow(), (1..=count).collect::<Vec<usize>>());
    }
}

#[test]
fn an_error_keeps_the_values_that_were_under_way() {
    let mut run = start(50);
    // Of three candidates under way the second fails; the other five of the generation are never handed out.
    let (mut workers, _) = workers(3, First::Newest, |rank, job, x| match rank {
        2 => reply(job, Evaluation::Failed("out of paper".to_string())),
        _ => reply(job, Evaluation::Value(sphere(&x), 1)),
    });
    let Err(Interrupted::Objective { error, told, missing }) = run.run(&mut workers) else { panic!("it fails") };
    // The reply of rank 3 is received first, and it gets the fourth candidate; its reply is received first again, and so on.
    assert_eq!((told, missing), (7, 1));
    let ticket = Ticket { generation: 0, index: 1 };
    let reason = "out of paper".to_string();
    assert_eq!(error, EvaluationError::Objective { rank: 2, ticket: Some(ticket), reason });
    assert_eq!(error.to_string(), "candidate 1 of generation 0 on rank 2: out of paper");
    assert_eq!(run.evaluations(), 7);
    // The run continues with the missing candidate.
    let mut serial = start(50);
    serial.run(sphere).unwrap();
    run.run(sphere).unwrap();
    assert_eq!(run.best(), serial.best());
}

#[test]
fn messages_that_do_not_fit_are_errors() {
    let message = |error| EvaluationError::Message { rank: 1, error };
    type Case = (fn(u64, &[u8]) -> Vec<u8>, EvaluationError);
    let cases: [Case; 6] = [
        (|_, _| vec![], message(MessageError::WrongLength { length: 0 })),
        (|_, _| vec![99, 1, 2], message(MessageError::UnknownKind { kind: 99 })),
        (|_, value| value[..10].to_vec(), message(MessageError::WrongLength { length: 10 })),
        (
            |job, _| reply(job + 5, Evaluation::Value(0.0, 1)),
            message(MessageError::OtherJob { expected: Some(0), got: 5 }),
        ),
        (
            |_, _| {
                let mut bytes = Vec::new();
                Reply::Refused { reason: "unknown kind 9".to_string() }.write(&mut bytes);
                bytes
            },
            message(MessageError::Refused { reason: "unknown kind 9".to_string() }),
        ),
        (
            |job, _| reply(job, Evaluation::NoValue),
            EvaluationError::NoValue { rank: 1, ticket: Ticket { generation: 0, index: 0 } },
        ),
    ];
    for (answer, expected) in cases {
        let (mut workers, left) =
            workers(1, First::Newest, move |_, job, _| answer(job, &reply(job, Evaluation::Value(0.0, 1))));
        let Err(Interrupted::Objective { error, .. }) = start(5).run(&mut workers) else { panic!("{expected}") };
        assert_eq!(error, expected);
        drop(workers);
        assert_eq!(*left.borrow(), [1], "the worker finishes nevertheless");
    }
}

#[test]
fn late_values_are_thrown_away() {
    // λ = 8: with eight workers, six replies are received in each generation, and two are late.
    let mut run = start(50);
    let (mut workers, _) = workers(8, First::Newest, |_, job, x| reply(job, Evaluation::Value(sphere(&x), 1)));
    workers.end_generations_at(0.75, Missing::LeaveOut).unwrap();
    run.run(&mut workers).unwrap();
    assert_eq!(run.evaluations(), 6 * 50);
    assert!(run.best_value() < 1e-3, "{}", run.best_value());
    drop(workers);
}

#[test]
fn late_values_of_another_run_are_thrown_away() {
    let (mut workers, _) = workers(8, First::Oldest, |_, job, x| reply(job, Evaluation::Value(sphere(&x), 1)));
    workers.end_generations_at(0.5, Missing::RankLast).unwrap();
    start(1).run(&mut workers).unwrap();
    assert_eq!(workers.busy(), 4);
    // Another run, with another generation 0: the four late values do not become values of this run.
    workers.end_generations_at(1.0, Missing::RankLast).unwrap();
    let (mut run, mut serial) = (start(50), start(50));
    run.run(&mut workers).unwrap();
    serial.run(sphere).unwrap();
    assert_eq!(run.best(), serial.best());
    assert_eq!((workers.usage().late(), workers.usage().evaluations()), (4, 8 + serial.evaluations()));
}

#[test]
fn shares_are_checked() {
    let (mut workers, _) = workers(4, First::Newest, |_, job, x| reply(job, Evaluation::Value(sphere(&x), 1)));
    for share in [0.0, -1.0, 1.5, f64::NAN] {
        let error = workers.end_generations_at(share, Missing::LeaveOut).unwrap_err();
        assert!(error.to_string().contains(&format!("must be in (0, 1], got {share}")), "{error}");
    }
    workers.end_generations_at(0.25, Missing::LeaveOut).unwrap();
    let result = start(5).run(&mut workers);
    assert!(matches!(result, Err(Interrupted::Generation(TellError::TooFew { told: 2, needed: 4 }))), "{result:?}");
}
