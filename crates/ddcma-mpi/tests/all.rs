//! All integration tests in one program. They start jobs with mpirun, with a time limit.

mod jobs;
mod manifest;
mod results;
mod trouble;
