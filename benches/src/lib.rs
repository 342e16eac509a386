//! Benchmarks of the ddcma workspace: `examples/bench.rs`, which `cargo xtask bench` runs. Other implementations are
//! dependencies of the benchmarks only, so that nobody else builds them.

#![forbid(unsafe_code)]
