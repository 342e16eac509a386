//! Restart strategies for every CMA-ES of `ddcma-core`: IPOP, BIPOP, NIPOP and NBIPOP.
//!
//! A policy will plan runs and one driver will execute them. Nothing is implemented yet.

#![forbid(unsafe_code)]
