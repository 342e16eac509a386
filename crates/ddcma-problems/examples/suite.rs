//! Lists the suite: what each function is, and where the paper starts from.
//!
//! Run it with `cargo run --package ddcma-problems --example suite`.

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    print!("{}", ddcma_problems::table());
}
