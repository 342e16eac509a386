//! A custom run: two runs with different step sizes that take turns, a generation each. It is driven, observed, stopped and saved
//! like any other.
//!
//! Run it with `cargo run --package ddcma-core --features checkpoint --example take_turns`.

use ddcma_core::{
    Best, CheckpointError, Missing, Origin, Params, Pending, Run, SepCma, StartError, Stop, TellError, Ticket, Told,
    View, With, drive,
};

/// Two runs, and whose turn it is.
#[derive(Clone, Debug)]
pub struct TakeTurns {
    runs: [SepCma; 2],
    turn: usize,
}

impl TakeTurns {
    /// Starts both runs at the same point.
    pub fn new(start: &[f64], sigmas: [f64; 2], max_evaluations: u64) -> Result<Self, StartError> {
        let run = |sigma: f64| SepCma::builder(start, sigma).max_evaluations(max_evaluations).seed(1).build();
        Ok(Self { runs: [run(sigmas[0])?, run(sigmas[1])?], turn: 0 })
    }

    /// Returns the strategy parameters, which both runs share.
    pub fn params(&self) -> &Params {
        self.runs[0].params()
    }

    /// The generations of the run whose turn it is not: tickets count those of both.
    fn others(&self) -> u64 {
        self.runs[1 - self.turn].iterations()
    }
}

impl Run for TakeTurns {
    fn open(&mut self) {
        self.runs[self.turn].ask();
    }

    fn pending(&self) -> Pending<'_> {
        self.runs[self.turn].pending().after(self.others())
    }

    fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        let generation = ticket.generation.checked_sub(self.others());
        let late = TellError::Late { ticket, generation: self.pending().generation() };
        self.runs[self.turn].take(Ticket { generation: generation.ok_or(late)?, ..ticket }, told)
    }

    fn finish(&mut self, missing: Missing, with: &mut With<'_>) -> Result<(), TellError> {
        match self.runs[self.turn].finish(missing) {
            Ok(()) | Err(TellError::Update(_)) => {}
            Err(error) => return Err(error),
        }
        with.show(self);
        if self.runs[1 - self.turn].stop().is_none() {
            self.turn = 1 - self.turn;
        }
        Ok(())
    }

    /// It ends when both runs have ended, for the reason of the last one.
    fn stop(&self) -> Option<Stop> {
        self.runs[1 - self.turn].stop().and(self.runs[self.turn].stop())
    }

    fn best(&self) -> Option<Best<'_>> {
        self.runs.iter().filter_map(|run| run.best()).min_by(|one, other| one.value.total_cmp(&other.value))
    }

    fn evaluations(&self) -> u64 {
        self.runs.iter().map(|run| run.evaluations()).sum()
    }

    fn view(&self) -> View<'_> {
        self.runs[self.turn].view()
    }

    fn origin(&self) -> Origin {
        Origin::new().part("the runs", &self.runs.each_ref().map(|run| run.origin()))
    }

    fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let [one, other] = &self.runs;
        ddcma_core::storage::to_bytes(&(self.turn as u64, one.to_checkpoint()?, other.to_checkpoint()?))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (turn, one, other): (u64, Vec<u8>, Vec<u8>) = ddcma_core::storage::from_bytes(bytes)?;
        let mut restored = self.clone();
        for (run, bytes) in restored.runs.iter_mut().zip([one, other]) {
            run.restore(&bytes)?;
        }
        restored.turn = usize::from(turn == 1);
        *self = restored;
        Ok(())
    }
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let mut rastrigin =
        |x: &[f64]| x.iter().map(|x| x * x + 10.0 * (1.0 - (std::f64::consts::TAU * x).cos())).sum::<f64>();
    let mut run = TakeTurns::new(&[4.0; 3], [0.1, 5.0], 20_000)?;
    let mut sigmas = Vec::new();
    let mut watch = |view: &View<'_>| sigmas.push(view.sigma);
    let stop = drive(&mut run, &mut rastrigin, &mut With::new().observer(&mut watch))?;
    let [small, large] = [0, 1].map(|k| run.runs[k].best_value());
    println!("{} generations, with step sizes {:.2}, {:.2}, {:.2}, …", sigmas.len(), sigmas[0], sigmas[1], sigmas[2]);
    println!("with small steps: {small:.3}, with large ones: {large:.3}; stopped by {stop}");
    assert!(large < small, "small steps find the nearest minimum");
    Ok(())
}
