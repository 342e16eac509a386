//! The messages between the manager and its workers, as bytes. Independent of MPI.

use crate::MessageError;

const EVALUATE: u8 = 1;
const LEAVE: u8 = 2;
const VALUE: u8 = 3;
const FAILED: u8 = 4;
const NO_VALUE: u8 = 5;
const REFUSED: u8 = 6;

/// MPI counts the bytes of a message with an `int`.
const LONGEST: usize = i32::MAX as usize;

/// A message from the manager to a worker.
#[derive(Debug, PartialEq)]
pub(crate) enum Order {
    /// Evaluate a candidate.
    Evaluate { job: u64, generation: u64, point: Vec<f64> },
    /// Finish.
    Leave,
}

/// The reply of a worker. Every order except `Leave` has one reply.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    /// The job is done. `seconds` is the time that the evaluation took.
    Done { job: u64, seconds: f64, result: Evaluation },
    /// The order could not be read.
    Refused { reason: String },
}

/// The result of an evaluation.
#[derive(Debug, PartialEq)]
pub(crate) enum Evaluation {
    /// A value, and how many evaluations it took.
    Value(f64, u32),
    /// The objective function returned an error.
    Failed(String),
    /// The objective function returned without telling a value.
    NoValue,
}

/// Writes the order to evaluate a point.
pub(crate) fn evaluate(bytes: &mut Vec<u8>, job: u64, generation: u64, point: &[f64]) -> Result<(), MessageError> {
    let length = 17 + 8 * point.len();
    if length > LONGEST {
        return Err(MessageError::TooLong { length, longest: LONGEST });
    }
    bytes.clear();
    bytes.push(EVALUATE);
    bytes.extend(job.to_le_bytes());
    bytes.extend(generation.to_le_bytes());
    point.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    Ok(())
}

/// Writes the order to leave.
pub(crate) fn leave(bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.push(LEAVE);
}

impl Order {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, MessageError> {
        let (kind, mut rest) = kind_of(bytes)?;
        match kind {
            EVALUATE => {
                let (job, generation) = (u64::from_le_bytes(rest.next()?), u64::from_le_bytes(rest.next()?));
                let (numbers, []) = rest.bytes.as_chunks::<8>() else { return Err(rest.wrong_length()) };
                let point = numbers.iter().map(|number| f64::from_le_bytes(*number)).collect();
                Ok(Self::Evaluate { job, generation, point })
            }
            LEAVE => rest.end().map(|()| Self::Leave),
            kind => Err(MessageError::UnknownKind { kind }),
        }
    }
}

impl Reply {
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        let (kind, text) = match self {
            Self::Done { result: Evaluation::Value(..), .. } => (VALUE, ""),
            Self::Done { result: Evaluation::Failed(reason), .. } => (FAILED, reason.as_str()),
            Self::Done { result: Evaluation::NoValue, .. } => (NO_VALUE, ""),
            Self::Refused { reason } => (REFUSED, reason.as_str()),
        };
        bytes.push(kind);
        if let Self::Done { job, seconds, .. } = self {
            bytes.extend(job.to_le_bytes());
            bytes.extend(seconds.to_le_bytes());
        }
        if let Self::Done { result: Evaluation::Value(value, evaluations), .. } = self {
            bytes.extend(value.to_le_bytes());
            bytes.extend(u64::from(*evaluations).to_le_bytes());
        }
        bytes.extend(text.as_bytes());
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, MessageError> {
        let (kind, mut rest) = kind_of(bytes)?;
        if kind == REFUSED {
            return Ok(Self::Refused { reason: rest.text()? });
        }
        if ![VALUE, FAILED, NO_VALUE].contains(&kind) {
            return Err(MessageError::UnknownKind { kind });
        }
        let (job, seconds) = (u64::from_le_bytes(rest.next()?), f64::from_le_bytes(rest.next()?));
        let result = match kind {
            VALUE => {
                let value = f64::from_le_bytes(rest.next()?);
                Evaluation::Value(value, u64::from_le_bytes(rest.next()?) as u32)
            }
            FAILED => return Ok(Self::Done { job, seconds, result: Evaluation::Failed(rest.text()?) }),
            _ => Evaluation::NoValue,
        };
        rest.end()?;
        Ok(Self::Done { job, seconds, result })
    }
}

/// The unread rest of a message.
struct Rest<'a> {
    bytes: &'a [u8],
    /// The length of the whole message.
    length: usize,
}

fn kind_of(bytes: &[u8]) -> Result<(u8, Rest<'_>), MessageError> {
    let (kind, rest) = bytes.split_first().ok_or(MessageError::WrongLength { length: 0 })?;
    Ok((*kind, Rest { bytes: rest, length: bytes.len() }))
}

impl Rest<'_> {
    fn wrong_length(&self) -> MessageError {
        MessageError::WrongLength { length: self.length }
    }

    fn next(&mut self) -> Result<[u8; 8], MessageError> {
        let (number, rest) = self.bytes.split_first_chunk::<8>().ok_or(self.wrong_length())?;
        self.bytes = rest;
        Ok(*number)
    }

    fn text(&self) -> Result<String, MessageError> {
        String::from_utf8(self.bytes.to_vec()).map_err(|_| MessageError::NotText)
    }

    fn end(&self) -> Result<(), MessageError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.wrong_length()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        let point = vec![1.5, -0.0, f64::NEG_INFINITY, 5e-324];
        evaluate(&mut bytes, 7, 3, &point).unwrap();
        assert_eq!(Order::read(&bytes), Ok(Order::Evaluate { job: 7, generation: 3, point }));
        leave(&mut bytes);
        assert_eq!(Order::read(&bytes), Ok(Order::Leave));
        let done = |result| Reply::Done { job: u64::MAX, seconds: 0.25, result };
        let refused = Reply::Refused { reason: "a reason".to_string() };
        for reply in [
            done(Evaluation::Value(f64::MIN, 3)),
            done(Evaluation::Failed("ein Übel".to_string())),
            done(Evaluation::Failed(String::new())),
            done(Evaluation::NoValue),
            refused,
        ] {
            reply.write(&mut bytes);
            assert_eq!(Reply::read(&bytes), Ok(reply));
        }
    }

    #[test]
    fn values_keep_their_bits() {
        let mut bytes = Vec::new();
        let nan = f64::from_bits(0x7ff8_0000_0000_1234);
        Reply::Done { job: 0, seconds: 0.0, result: Evaluation::Value(nan, 1) }.write(&mut bytes);
        let Ok(Reply::Done { result: Evaluation::Value(value, 1), .. }) = Reply::read(&bytes) else {
            panic!("a value")
        };
        assert_eq!(value.to_bits(), nan.to_bits());
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let mut bytes = Vec::new();
        assert_eq!(Order::read(&[]), Err(MessageError::WrongLength { length: 0 }));
        assert_eq!(Order::read(&[VALUE]), Err(MessageError::UnknownKind { kind: VALUE }));
        assert_eq!(Order::read(&[LEAVE, 0]), Err(MessageError::WrongLength { length: 2 }));
        evaluate(&mut bytes, 1, 1, &[1.0, 2.0]).unwrap();
        for length in (1..bytes.len()).filter(|length| ![17, 25].contains(length)) {
            assert_eq!(Order::read(&bytes[..length]), Err(MessageError::WrongLength { length }));
        }
        assert_eq!(Reply::read(&bytes), Err(MessageError::UnknownKind { kind: EVALUATE }));
        Reply::Done { job: 1, seconds: 0.0, result: Evaluation::Value(1.0, 1) }.write(&mut bytes);
        for length in 1..bytes.len() {
            assert_eq!(Reply::read(&bytes[..length]), Err(MessageError::WrongLength { length }));
        }
        bytes.push(0);
        assert_eq!(Reply::read(&bytes), Err(MessageError::WrongLength { length: bytes.len() }));
        assert_eq!(Reply::read(&[REFUSED, 0xff]), Err(MessageError::NotText));
    }
}
