//! All integration tests in one program: separate programs would each link the libraries again.

mod applied;
mod architecture;
mod bench;
mod coco;
mod compare;
mod constraints;
mod damping;
mod determinism;
mod early_ends;
mod endure;
mod extremes;
mod faults;
mod help;
mod paper_map;
mod public_api;
mod recorded_values;
mod replay;
mod reproduce;
mod restarts;
mod scale;
mod starts;
mod step_sizes;
mod suite_table;
mod tolerances;
mod torture;
mod trace;
