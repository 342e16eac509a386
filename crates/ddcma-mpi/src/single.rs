//! Presents one candidate to the objective function of a worker as a generation of size 1.

use ddcma_core::{AwaitsValues, Columns, Objective, OpenGeneration, TellError, Ticket};

/// A candidate without a value yet.
struct Single {
    points: Columns,
    generation: u64,
    value: Option<f64>,
}

/// Evaluates one candidate. Returns `None` if the objective function tells no value, which is allowed.
pub(crate) fn evaluate<O: Objective>(
    objective: &mut O,
    generation: u64,
    point: Vec<f64>,
) -> Result<Option<f64>, O::Error> {
    let points = Columns::from_vec(point.len(), point).expect("one column");
    let mut single = Single { points, generation, value: None };
    objective.evaluate(&mut OpenGeneration::new(&mut single))?;
    Ok(single.value)
}

impl AwaitsValues for Single {
    fn points(&self) -> &Columns {
        &self.points
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn value(&self, _: usize) -> Option<f64> {
        self.value
    }

    fn take(&mut self, index: usize, value: f64) -> Result<(), TellError> {
        if index > 0 {
            return Err(TellError::NoSuchCandidate { index, lambda: 1 });
        }
        if let Some(value) = self.value {
            return Err(TellError::Twice { ticket: Ticket { generation: self.generation, index }, value });
        }
        self.value = Some(value);
        Ok(())
    }

    fn take_all(&mut self, values: &[f64]) {
        self.value = Some(values[0]);
    }
}
