//! Benchmarks of the ddcma workspace. None is written yet.

#![forbid(unsafe_code)]
