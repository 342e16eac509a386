//! What a run was started with, to reject the file of another run.

use std::fmt::Debug;

use crate::CheckpointError;
use crate::stored::stored;

stored! {
    /// The checksums of the inputs that a run was started with. A checkpoint stores them: a run that was started differently must not be
    /// continued from it.
    ///
    /// Your own [`Run`](crate::Run) may use this in its [`restore`](crate::Run::restore):
    ///
    /// ```
    /// use ddcma_core::Origin;
    ///
    /// let origin = |start: &[f64], sigma: f64| Origin::new().part("the start", &start).part("the step size", &sigma);
    /// let (one, other) = (origin(&[1.0, 2.0], 0.5), origin(&[1.0, 2.0], 0.1));
    /// # #[cfg(feature = "checkpoint")]
    /// assert!(one.check(&other).unwrap_err().to_string().contains("restore the step size"));
    /// ```
    ///
    /// Without the feature `checkpoint` it is empty.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Origin(Vec<(String, u32)>);
}

impl Origin {
    /// Creates one without inputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an input, identified by its debug form. The name is the object of "restore …" in an error message.
    #[must_use]
    #[cfg(feature = "checkpoint")]
    pub fn part(mut self, name: &str, value: &dyn Debug) -> Self {
        use std::fmt::Write;

        struct Sum(crc32fast::Hasher);

        impl Write for Sum {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                self.0.update(text.as_bytes());
                Ok(())
            }
        }

        let mut sum = Sum(crc32fast::Hasher::new());
        // Only the value itself could fail, and is then identified by what it has written.
        let _ = write!(sum, "{value:?}");
        self.0.push((name.to_string(), sum.0.finalize()));
        self
    }

    /// Does nothing without the feature `checkpoint`.
    #[must_use]
    #[cfg(not(feature = "checkpoint"))]
    pub fn part(self, _: &str, _: &dyn Debug) -> Self {
        self
    }

    /// Checks that a stored run was started in the same way. If not, the error names the first input that differs.
    pub fn check(&self, stored: &Self) -> Result<(), CheckpointError> {
        match self.0.iter().find(|part| !stored.0.contains(part)) {
            Some((what, _)) => Err(CheckpointError::OtherRun { what: what.clone() }),
            None => Ok(()),
        }
    }
}
