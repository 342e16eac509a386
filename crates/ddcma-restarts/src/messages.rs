//! A sample of every error message, for the record in `docs/messages.txt`.

#[macro_use]
mod record;

use ddcma_core::{StartError, TellError};

use crate::{PolicyError, SearchError, StartPointsError};

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
        NothingPlanned: SearchError::NothingPlanned { policy: "my-policy" };
        StartOfWrongLength: SearchError::StartOfWrongLength { run: 2, expected: 3, got: 2 };
        OtherStrategy: SearchError::OtherStrategy { run: 2, strategy: "dd", planned: "plain".into() };
        NoSuchOption: SearchError::NoSuchOption { run: 2, strategy: "dd", option: "rate".into(), value: 0.5 };
        Start: SearchError::Start { run: 2, error: StartError::StepSize { sigma: -1.0 } };
        Tell: SearchError::Tell(TellError::WrongCount { expected: 10, got: 9 });
    });
}
