//! A sample of every error message, for the record in `docs/messages.txt`.

#[macro_use]
mod record;

use ddcma_core::{CheckpointError, Interrupted, Separable, StartError, TellError};

use crate::{Ipop, PolicyError, RestartsError, SearchError, StartPointsError, Starts, restarts};

#[test]
fn the_messages_are_the_recorded_ones() {
    let mut text = String::new();
    let policy = || PolicyError::new("ipop", "factor", 0.5, "finite and at least 1");
    record::write_type(&mut text, "PolicyError", &[("PolicyError", policy())]);
    messages!(&mut text, StartPointsError {
        BoxOfWrongLength: StartPointsError::BoxOfWrongLength { expected: 3, got: 2 };
        Side: StartPointsError::Side { index: 1, lower: 2.0, upper: 1.0 };
        Point: StartPointsError::Point { index: 1, value: f64::NAN };
        Deviation: StartPointsError::Deviation { deviation: -1.0 };
    });
    write_of_searches(&mut text, policy());
    let starts = Starts::around(&[0.0; 3], 1.0).unwrap();
    let search = restarts(Ipop::new(), starts, 1.0).strategy::<Separable>().build().unwrap();
    let interrupted = Interrupted::Objective { error: "the simulator crashed", told: 4, missing: 6 };
    messages!(&mut text, RestartsError {
        Search: RestartsError::Search(SearchError::Target);
        Checkpoint: RestartsError::Checkpoint(CheckpointError::HasBegun { evaluations: 120 });
        Interrupted: RestartsError::Interrupted { interrupted, search: Box::new(search) };
    });
    record::compare("ddcma-restarts", &text);
}

fn write_of_searches(text: &mut String, policy: PolicyError) {
    messages!(text, SearchError {
        NoBudget: SearchError::NoBudget { policy: "independent" };
        EmptyBudget: SearchError::EmptyBudget { of: "evaluations" };
        OtherVariables: SearchError::OtherVariables;
        Policy: SearchError::Policy(policy);
        BoxOutsideBounds: SearchError::BoxOutsideBounds { index: 1, side: (-6.0, 5.0), bounds: (-5.0, 5.0) };
        NoProbeBox: SearchError::NoProbeBox { index: 1 };
        ProbeBoxOfWrongLength: SearchError::ProbeBoxOfWrongLength { expected: 3, got: (3, 2) };
        ProbeSide: SearchError::ProbeSide { index: 1, side: (-6.0, 5.0), bounds: (-5.0, 5.0) };
        Target: SearchError::Target;
        Over: SearchError::Over;
        NothingPlanned: SearchError::NothingPlanned { policy: "my-policy" };
        StartOfWrongLength: SearchError::StartOfWrongLength { run: 2, expected: 3, got: 2 };
        OtherStrategy: SearchError::OtherStrategy { run: 2, strategy: "dd", planned: "plain".into() };
        NoSuchOption: SearchError::NoSuchOption { run: 2, strategy: "dd", option: "rate".into(), value: 0.5 };
        Start: SearchError::Start { run: 2, error: StartError::StepSize { sigma: -1.0 } };
        Tell: SearchError::Tell(TellError::WrongCount { expected: 10, got: 9 });
    });
}
