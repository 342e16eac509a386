//! A sample of every error message, for the record in `docs/messages.txt`.

#[macro_use]
mod record;

use crate::{EighError, NotPositive, RootError};

#[test]
fn the_messages_are_the_recorded_ones() {
    let mut text = String::new();
    record::write_type(&mut text, "NotPositive", &[("NotPositive", NotPositive { index: 2, value: -0.5 })]);
    messages!(&mut text, EighError {
        NotFinite: EighError::NotFinite { row: 3, column: 1, value: f64::NAN };
        NotConverged: EighError::NotConverged { n: 10 };
    });
    messages!(&mut text, RootError {
        Eigh: RootError::Eigh(EighError::NotConverged { n: 10 });
        NotPositiveDefinite: RootError::NotPositiveDefinite { smallest: -1e-3 };
        IllConditioned: RootError::IllConditioned { smallest: 1e-20, largest: 1.0 };
    });
    record::compare("ddcma-linalg", &text);
}
