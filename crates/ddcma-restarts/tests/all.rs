//! All integration tests in one program: each of its own would compile and link the libraries once more.

mod abandon;
mod arrival;
mod autosave;
mod checkpoints;
mod example_policies;
mod plans;
mod policies;
mod probes;
mod search;
mod variables;
