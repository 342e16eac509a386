//! All integration tests in one program: each of them starts jobs under mpirun, with a time limit.

mod jobs;
mod manifest;
mod results;
mod trouble;
