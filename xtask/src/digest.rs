//! `cargo xtask digest`: the bits of short seeded runs, as one number for each. Two builds, or two numbers of threads, that
//! print the same lines have computed the same bits.
//!
//! Knows which runs, and not what their bits should be. There is no file to compare with: processors with other vector
//! instructions may round otherwise, and a run is promised to be reproducible on one platform.

use clap::Args;
use ddcma_core::{DiagonalDecoding, Plain, Root, Separable};

use crate::lab::fingerprint::{SHORT, SYMMETRIZED, of_run, of_search, of_tpa};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Store and restore each run before each of its generations; the search in the last line is left as it is.
    #[arg(long)]
    pub checkpoints: bool,
}

/// In the last one the literal root's products of matrices are large enough to be spread over threads.
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
