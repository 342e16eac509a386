//! `cargo xtask digest`: prints one hash for each of several short seeded runs. If two builds, or two numbers of threads, print the same
//! lines, they have computed the same bits.
//!
//! There is no recorded file to compare with: runs are reproducible only on one platform, because processors with other vector
//! instructions may round differently.

use clap::Args;
use ddcma_core::{DiagonalDecoding, Plain, Root, Separable};

use crate::lab::fingerprint::{SHORT, SYMMETRIZED, of_run, of_search, of_tpa};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Store and restore each run before each of its generations, except the search in the last line.
    #[arg(long)]
    pub checkpoints: bool,
}

/// In the last dimension, the matrix products of the literal root are large enough to be spread over threads.
const DIMENSIONS: [usize; 4] = [2, 10, 40, 130];

/// Prints a line for each run.
pub fn run(options: &Options) {
    let checkpoints = options.checkpoints;
    for n in DIMENSIONS {
        for root in [Root::LowRank, Root::Literal] {
            println!("dd/{root:?}/n={n} {:016x}", of_run::<DiagonalDecoding>(n, root, SHORT, checkpoints));
            println!("plain/{root:?}/n={n} {:016x}", of_run::<Plain>(n, root, SHORT, checkpoints));
        }
        println!("sep/n={n} {:016x}", of_run::<Separable>(n, Root::LowRank, SHORT, checkpoints));
    }
    let symmetrized = of_run::<DiagonalDecoding>(20, Root::LowRank, SYMMETRIZED, checkpoints);
    println!("dd/LowRank/n=20, made symmetric {symmetrized:016x}");
    println!(
        "plain/LowRank/n=20, made symmetric {:016x}",
        of_run::<Plain>(20, Root::LowRank, SYMMETRIZED, checkpoints)
    );
    println!("dd-tpa/n=20 {:016x}", of_tpa::<DiagonalDecoding>(20, SHORT, checkpoints));
    println!("plain-tpa/n=20 {:016x}", of_tpa::<Plain>(20, SHORT, checkpoints));
    println!("sep-tpa/n=20 {:016x}", of_tpa::<Separable>(20, SHORT, checkpoints));
    println!("bipop/n=3 {:016x}", of_search());
}
