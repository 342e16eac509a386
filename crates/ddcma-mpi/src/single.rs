//! Presents one candidate to the objective function of a worker as a generation of size 1.

use ddcma_core::{
    Best, Columns, Interrupted, Missing, Objective, Pending, Run, Stop, TellError, Ticket, Told, Values, View, With,
    step,
};

/// A candidate without a value yet.
struct Single {
    point: Columns,
    generation: u64,
    value: Values,
}

/// Evaluates one candidate, and returns its value with the number of evaluations that it took; `None` if the objective function tells no
/// value, which is allowed.
pub(crate) fn evaluate<O: Objective>(
    objective: &mut O,
    generation: u64,
    point: Vec<f64>,
) -> Result<Option<(f64, u32)>, O::Error> {
    let point = Columns::from_vec(point.len(), point).expect("one column");
    let mut single = Single { point, generation, value: Values::default() };
    match step(&mut single, objective, &mut With::new()) {
        Err(Interrupted::Objective { error, .. }) => Err(error),
        _ => Ok(single.value.get(0).map(|value| (value, single.value.evaluations_of(0)))),
    }
}

impl Run for Single {
    fn open(&mut self) {
        if self.value.is_empty() {
            self.value.open(1);
        }
    }

    fn pending(&self) -> Pending<'_> {
        Pending::new(self.generation, &self.point, &self.value)
    }

    fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        self.value.take(ticket, self.generation, told)
    }

    fn finish(&mut self, _: Missing, _: &mut With<'_>) -> Result<(), TellError> {
        Ok(())
    }

    fn stop(&self) -> Option<Stop> {
        None
    }

    fn best(&self) -> Option<Best<'_>> {
        let (_, value, evaluation) = self.value.better_than(None)?;
        Some(Best { point: &self.point[0], value, evaluation })
    }

    fn evaluations(&self) -> u64 {
        self.value.evaluations()
    }

    fn view(&self) -> View<'_> {
        View::of_points("candidate", self.generation, self.evaluations(), self.best(), self.value.as_slice())
    }
}
