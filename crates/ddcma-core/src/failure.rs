//! The error of a program's `main`: any error, printed as a sentence.

use std::error::Error;
use std::fmt;

/// Any error, for `main`, where Rust prints it as a sentence.
///
/// If `main` returns an error, Rust prints its debug form, such as `Error: StepSize { sigma: -1.0 }`. The debug form of a
/// failure is the error's sentence, followed by its causes. `?` turns any error into a failure, and also a text.
///
/// ```
/// use ddcma_core::{Failure, minimize};
///
/// fn main() -> Result<(), Failure> {
///     let solution = minimize(|x: &[f64]| x[0] * x[0], &[3.0], 1.0).seed(1).run()?;
///     println!("{solution}");
///     Ok(())
/// }
/// ```
///
/// It is meant for the end of a program: like similar types, it is not an error itself, because then `?` could not turn any
/// error into one.
pub struct Failure(Box<dyn Error>);

impl<E: Into<Box<dyn Error>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, "\ncaused by: {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fallible, minimize};

    #[derive(Debug)]
    struct Crashed(std::num::ParseFloatError);

    impl fmt::Display for Crashed {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the simulator crashed")
        }
    }

    impl Error for Crashed {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_failure_is_a_sentence_with_its_causes() {
        let simulate = |_: &[f64]| "one".parse::<f64>().map_err(Crashed);
        let fails = |sigma: f64| -> Result<(), Failure> {
            minimize(Fallible(simulate), &[0.0; 2], sigma).run()?;
            Ok(())
        };
        let text = |failed: Result<(), Failure>| format!("{:?}", failed.unwrap_err());
        assert_eq!(text(fails(-1.0)), "the initial step size must be finite and at least 2.3e-308, got -1");
        let crashed = "the objective failed after 0 of 6 values of the generation: the simulator crashed";
        assert_eq!(text(fails(1.0)), crashed);
        let whole = simulate(&[]).map(drop).map_err(Failure::from);
        assert_eq!(text(whole), "the simulator crashed\ncaused by: invalid float literal");
    }
}
