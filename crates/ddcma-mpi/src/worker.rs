//! The worker's side: a loop that evaluates the candidates it receives.

use std::fmt::Display;
use std::time::Instant;

use ddcma_core::Objective;

use crate::link::Link;
use crate::message::{Evaluation, Order, Reply};
use crate::{MANAGER, single};

/// Evaluates candidates until the manager sends the order to leave.
pub(crate) fn serve<O: Objective<Error: Display>>(mut objective: O, link: &dyn Link) {
    let mut bytes = Vec::new();
    loop {
        link.receive(&mut bytes);
        let reply = match Order::read(&bytes) {
            Ok(Order::Leave) => return,
            Ok(Order::Evaluate { job, generation, point }) => {
                let begin = Instant::now();
                let result = match single::evaluate(&mut objective, generation, point) {
                    Ok(Some((value, evaluations))) => Evaluation::Value(value, evaluations),
                    Ok(None) => Evaluation::NoValue,
                    Err(error) => Evaluation::Failed(error.to_string()),
                };
                Reply::Done { job, seconds: begin.elapsed().as_secs_f64(), result }
            }
            Err(error) => Reply::Refused { reason: error.to_string() },
        };
        reply.write(&mut bytes);
        link.send(MANAGER, &bytes);
    }
}
