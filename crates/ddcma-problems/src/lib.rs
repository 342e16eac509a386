//! Test problems for black-box optimisation: the suite of the dd-CMA-ES paper (its Table 1) and relatives.
//!
//! Nothing is implemented yet.

#![forbid(unsafe_code)]
