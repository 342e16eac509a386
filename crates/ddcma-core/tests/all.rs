//! All integration tests in one program: each of its own would compile and link the libraries once more.

mod arrival;
mod ask_tell;
mod autosave;
mod boundaries;
mod built_in_strategy;
mod checkpoints;
mod common;
mod definiteness;
mod evaluations;
mod examples;
mod injection;
mod invariance;
mod limits;
mod no_allocation;
mod observers;
mod run;
mod send;
mod settings;
mod start_shapes;
mod step_size_rules;
mod stopping;
mod threads;
mod variables;
mod vector_registers;
