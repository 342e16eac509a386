//! A sample of every error message, for the record in `docs/messages.txt`.

#[macro_use]
mod record;

use std::io;

use crate::{
    BoundsError, CheckpointError, Interrupted, MinimizeError, Optimizer, ParamsError, Separable, StartError, TellError,
    Ticket, UpdateError, VariablesError,
};

#[test]
fn the_messages_are_the_recorded_ones() {
    let mut text = String::new();
    write_of_start(&mut text);
    write_of_generations(&mut text);
    write_of_runs(&mut text);
    record::compare("ddcma-core", &text);
}

fn write_of_start(text: &mut String) {
    messages!(text, ParamsError {
        NoVariables: ParamsError::NoVariables;
        PopulationTooSmall: ParamsError::PopulationTooSmall { lambda: 1 };
        GenerationTooLarge: ParamsError::GenerationTooLarge { n: 1_000_000, lambda: 1_000_000 };
        OutOfRange: ParamsError::OutOfRange { name: "c_m", value: 1.5, range: "(0, 1]" };
        RatesExceedOne: ParamsError::RatesExceedOne { names: ["c_1", "c_mu"], c_1: 0.5, c_mu: 0.75 };
        WeightsOfWrongLength: ParamsError::WeightsOfWrongLength { expected: 10, got: 9 };
        WeightNotFinite: ParamsError::WeightNotFinite { rank: 3, value: f64::NAN };
        FirstWeightNotPositive: ParamsError::FirstWeightNotPositive { value: 0.0 };
        WeightsIncrease: ParamsError::WeightsIncrease { rank: 2, value: 0.5 };
        DecomposedTooRarely: ParamsError::DecomposedTooRarely { t_eig: 1000, c_1: 0.01, c_mu: 0.02 };
    });
    messages!(text, StartError {
        Params: StartError::Params(ParamsError::PopulationTooSmall { lambda: 1 });
        StepSize: StartError::StepSize { sigma: -1.0 };
        Mean: StartError::Mean { index: 2, value: f64::NAN };
        Deviation: StartError::Deviation { index: 2, value: 0.0 };
        OutOfRange: StartError::OutOfRange { index: 2, mean: 1.0, deviation: 1e307 };
        Criterion: StartError::Criterion { name: "target", value: f64::NAN },
            StartError::Criterion { name: "tol_fun", value: -1.0 },
            StartError::Criterion { name: "not_finite", value: 0.0 };
        EmptyBudget: StartError::EmptyBudget { of: "evaluations" };
        BoundsOfWrongLength: StartError::BoundsOfWrongLength { expected: 3, got: 2 };
        OutsideBounds: StartError::OutsideBounds { index: 1, name: None, value: 1.5, lower: 0.0, upper: 1.0 };
        StartOfWrongLength: StartError::StartOfWrongLength { expected: 3, got: 2 };
        BoundsBesideVariables: StartError::BoundsBesideVariables;
        OtherVariables: StartError::OtherVariables;
        CovarianceOfWrongSize: StartError::CovarianceOfWrongSize { expected: 3, got: (3, 2) };
        CovarianceEntry: StartError::CovarianceEntry { row: 1, column: 1, value: -1.0 },
            StartError::CovarianceEntry { row: 1, column: 2, value: 0.5 };
        Covariance: StartError::Covariance {
            reason: "the matrix must be positive definite, but its smallest eigenvalue is -1e-3".into(),
        };
        StepSizeRule: StartError::StepSizeRule { rule: "csa", chosen: "tpa" };
        Strategy: StartError::Strategy { name: "my-strategy", reason: "it needs at least 2 variables, got 1".into() };
        DeviationsOfWrongLength: StartError::DeviationsOfWrongLength { expected: 3, got: 2 };
    });
    messages!(text, BoundsError {
        DifferentLengths: BoundsError::DifferentLengths { lower: 3, upper: 2 };
        TooLarge: BoundsError::TooLarge { index: 1, bound: 1e305 };
        Empty: BoundsError::Empty { index: 1, lower: 2.0, upper: 1.0 };
    });
    messages!(text, VariablesError {
        Empty: VariablesError::Empty { index: 1, name: Some("rate".into()), lower: 2.0, upper: 1.0 };
        NotPositive: VariablesError::NotPositive { index: 1, name: Some("rate".into()), value: 0.0 };
        TooLarge: VariablesError::TooLarge { index: 1, name: None, bound: 1e305 };
        Start: VariablesError::Start { index: 1, name: None, start: 3.0, lower: 1.0, upper: 2.0 };
        Deviation: VariablesError::Deviation { index: 1, name: None, deviation: -1.0 };
        NoStart: VariablesError::NoStart { index: 1, name: None, lower: 0.0, upper: f64::INFINITY };
        WrongLength: VariablesError::WrongLength { expected: 3, found: 2 };
        NothingFree: VariablesError::NothingFree { variables: 0 }, VariablesError::NothingFree { variables: 3 };
    });
}

fn write_of_generations(text: &mut String) {
    let ticket = Ticket { generation: 7, index: 3 };
    messages!(text, TellError {
        NotAsked: TellError::NotAsked;
        Late: TellError::Late { ticket, generation: 8 };
        Twice: TellError::Twice { ticket, value: 0.5 };
        NoSuchCandidate: TellError::NoSuchCandidate { index: 10, lambda: 10 };
        PartlyTold: TellError::PartlyTold { told: 4, lambda: 10 };
        WrongShape: TellError::WrongShape { expected: (5, 10), got: (5, 9) };
        WrongLengths: TellError::WrongLengths { expected: (6, 5), got: (5, 5) };
        NotFinite: TellError::NotFinite { candidate: 3, index: 1, value: f64::INFINITY };
        Fixed: TellError::Fixed { candidate: 3, index: 1, name: Some("rate".into()), value: 3.5, fixed: 3.0 };
        Point: TellError::Point { candidate: 3, index: 1, name: None, value: f64::NAN };
        TooFew: TellError::TooFew { told: 4, needed: 5 };
        Constraints: TellError::Constraints { expected: 2, got: 3 };
        Over: TellError::Over;
        NoWeights: TellError::NoWeights(ParamsError::PopulationTooSmall { lambda: 1 });
        WrongCount: TellError::WrongCount { expected: 10, got: 9 };
        Update: TellError::Update(UpdateError::StepSize { sigma: f64::INFINITY });
    });
    messages!(text, UpdateError {
        Mean: UpdateError::Mean { index: 1, value: f64::INFINITY };
        Path: UpdateError::Path { index: 1, value: f64::NAN };
        StepSize: UpdateError::StepSize { sigma: 0.0 };
        Deviation: UpdateError::Deviation { index: 1, value: 0.0 };
        OutOfRange: UpdateError::OutOfRange { index: 1, mean: 1.0, deviation: 1e307 };
        Step: UpdateError::Step { candidate: 3, length2: f64::INFINITY };
        NotFinite: UpdateError::NotFinite { row: 3, column: 1, value: f64::NAN };
        NotConverged: UpdateError::NotConverged { n: 10 };
        NotPositiveDefinite: UpdateError::NotPositiveDefinite { smallest: -1e-20 };
        IllConditioned: UpdateError::IllConditioned { smallest: 1e-20, largest: 1.0 };
        Other: UpdateError::Other { reason: "the trust region is empty".into() };
    });
}

fn write_of_runs(text: &mut String) {
    let interrupted = || Interrupted::Objective { error: "the simulator crashed", told: 4, missing: 6 };
    messages!(text, Interrupted {
        Objective: interrupted();
        Generation: Interrupted::Generation(TellError::TooFew { told: 4, needed: 5 });
        Autosave: Interrupted::Autosave(CheckpointError::NotACheckpoint);
    });
    let run = Box::new(Optimizer::<Separable>::builder(&[0.0; 3], 1.0).build().unwrap());
    messages!(text, MinimizeError {
        Start: MinimizeError::Start(StartError::StepSize { sigma: -1.0 });
        Checkpoint: MinimizeError::Checkpoint(CheckpointError::HasBegun { evaluations: 120, stored: 180 });
        Interrupted: MinimizeError::Interrupted { interrupted: interrupted(), run };
    });
    messages!(text, CheckpointError {
        NotACheckpoint: CheckpointError::NotACheckpoint;
        Version: CheckpointError::Version { found: 1, supported: 2, writer: None },
            CheckpointError::Version { found: 1, supported: 2, writer: Some("0.1.0".into()) };
        Damaged: CheckpointError::Damaged { expected: 0x1234_5678, found: 0x0abc_def0 };
        Strategy: CheckpointError::Strategy { expected: "dd", found: "sep".into() };
        StepSizeRule: CheckpointError::StepSizeRule { expected: "csa", found: "tpa".into() };
        Malformed: CheckpointError::Malformed { reason: postcard::Error::DeserializeUnexpectedEnd.to_string() };
        Inconsistent: CheckpointError::Inconsistent { what: "the population size" };
        OtherRun: CheckpointError::OtherRun { what: "the seed".into() };
        OtherObjective: CheckpointError::OtherObjective {
            path: "run.ckpt".into(),
            expected: "rocket".into(),
            found: "wing".into(),
        };
        Autosave: CheckpointError::Autosave { path: "run.ckpt".into(), error: Box::new(CheckpointError::NotACheckpoint) };
        HasBegun: CheckpointError::HasBegun { evaluations: 120, stored: 180 };
        Unsupported: CheckpointError::Unsupported { what: "the strategy" };
        InUse: CheckpointError::InUse { path: "run.ckpt".into() };
        EveryZeroGenerations: CheckpointError::EveryZeroGenerations;
        Io: CheckpointError::Io { path: "run.ckpt".into(), error: io::ErrorKind::PermissionDenied.into() };
    });
}
