//! Watching a run: a line in the terminal, a history in memory, a table in a file, and a closure.
//!
//! Run it with `cargo run --package ddcma-core --example observe`.

use std::io::BufWriter;

use ddcma_core::{CsvWriter, History, Progress, View, minimize};

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let cigar = |x: &[f64]| x[0] * x[0] + 1e6 * x[1..].iter().map(|x| x * x).sum::<f64>();

    let path = std::env::temp_dir().join(format!("ddcma-observe-{}.csv", std::process::id()));
    let mut progress = Progress::stderr(); // silent unless it is a terminal
    let mut history = History::new(10);
    let mut csv = CsvWriter::new(BufWriter::new(std::fs::File::create(&path)?));
    let mut shortest = f64::INFINITY;
    let mut watch = |view: &View<'_>| shortest = shortest.min(view.sigma);

    let solution = minimize(cigar, &[1.0; 5], 0.5)
        .seed(2)
        .target(1e-8)
        .observer(&mut progress)
        .observer(&mut history)
        .observer(&mut csv)
        .observer(&mut watch)
        .run()?;
    csv.finish()?;

    println!("evaluations      best f       sigma   1/beta   longest/shortest axis");
    for record in history.records() {
        let ratio = record.axis_lengths[1] / record.axis_lengths[0];
        println!(
            "{:11} {:11.2e} {:11.2e} {:8.3} {:12.1}",
            record.evaluations,
            record.best_value,
            record.sigma,
            1.0 / record.beta,
            ratio
        );
    }
    let lines = std::fs::read_to_string(&path)?.lines().count();
    println!("{} generations, {lines} lines of CSV, smallest sigma {shortest:.1e}", solution.iterations);
    std::fs::remove_file(&path)?;
    assert_eq!(lines as u64, solution.iterations + 1);
    Ok(())
}
