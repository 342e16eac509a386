//! A sample of every error message, for the record in `docs/messages.txt`.

#[macro_use]
mod record;

use ddcma_core::{TellError, Ticket};

use crate::{EvaluationError, MessageError, MpiError, ShareError};

#[test]
fn the_messages_are_the_recorded_ones() {
    let mut text = String::new();
    let ticket = Ticket { generation: 7, index: 3 };
    let reason = || "the simulator crashed".to_string();
    messages!(&mut text, MpiError {
        AlreadyInitialized: MpiError::AlreadyInitialized;
        NoThreads: MpiError::NoThreads;
    });
    messages!(&mut text, EvaluationError {
        Objective: EvaluationError::Objective { rank: 2, ticket: Some(ticket), reason: reason() },
            EvaluationError::Objective { rank: 0, ticket: None, reason: reason() };
        NoValue: EvaluationError::NoValue { rank: 2, ticket };
        Message: EvaluationError::Message { rank: 2, error: MessageError::UnknownKind { kind: 9 } };
        Tell: EvaluationError::Tell(TellError::Twice { ticket, value: 0.5 });
    });
    messages!(&mut text, MessageError {
        UnknownKind: MessageError::UnknownKind { kind: 9 };
        WrongLength: MessageError::WrongLength { length: 10 };
        NotText: MessageError::NotText;
        OtherJob: MessageError::OtherJob { expected: Some(4), got: 5 },
            MessageError::OtherJob { expected: None, got: 5 };
        Refused: MessageError::Refused { reason: MessageError::UnknownKind { kind: 9 }.to_string() };
        TooLong: MessageError::TooLong { length: 2_147_483_657, longest: 2_147_483_647 };
    });
    record::write_type(&mut text, "ShareError", &[("ShareError", ShareError { share: 1.5 })]);
    record::compare("ddcma-mpi", &text);
}
