//! A sample of every error message, for the record in `docs/messages.txt`.

#[macro_use]
mod record;

use crate::{Function, ProblemError};

#[test]
fn the_messages_are_the_recorded_ones() {
    let mut text = String::new();
    messages!(&mut text, ProblemError {
        UnknownFunction: ProblemError::UnknownFunction { name: "spere".into() };
        UnknownProblem: ProblemError::UnknownProblem { name: "vesel".into() };
        TooFewVariables: ProblemError::TooFewVariables { function: Function::Rosenbrock, needed: 2, n: 1 };
        TooManyVariables: ProblemError::TooManyVariables { largest: 10_000, n: 20_000 };
        NoRotatedForm: ProblemError::NoRotatedForm { function: Function::Sphere };
        MalformedName: ProblemError::MalformedName { name: "sphere/10".into() };
        WrongDimension: ProblemError::WrongDimension { expected: 10, got: 9 };
        NotSquare: ProblemError::NotSquare { n: 3, entries: 8 };
        NotOrthogonal: ProblemError::NotOrthogonal { deviation: 1e-3 };
        OutOfRange: ProblemError::OutOfRange { name: "n", rule: "at least 1".into(), value: 0.0 };
    });
    record::compare("ddcma-problems", &text);
}
