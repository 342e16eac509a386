//! All integration tests in one program, so that the libraries are linked only once.

mod abandon;
mod arrival;
mod autosave;
mod checkpoints;
mod example_policies;
mod plans;
mod policies;
mod probes;
mod search;
mod thrifty;
mod variables;
