//! Starts jobs and waits for them to end.

use std::path::PathBuf;
use std::process::Command;

/// Seconds after which a job counts as hanging; generous, for busy machines.
const LIMIT: &str = "240";

/// How a job ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code of mpirun.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Returns the output of a job that must succeed.
    pub(crate) fn result(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }
}

/// Returns the path of an example of this package, which cargo builds with the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test is a file");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("in a folder of its own");
    folder.join("examples").join(name)
}

/// Starts an example on this number of ranks and waits for it to end. A job that hangs is killed, and the test fails.
pub(crate) fn mpirun(ranks: u32, name: &str, arguments: &[&str]) -> Ended {
    // `timeout` sends a signal that mpirun forwards to all ranks, and SIGKILL if that does not help.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=20", LIMIT, "mpirun", "-n", &ranks.to_string()]).arg(example(name)).args(arguments);
    end_of(command, name)
}

/// Starts an example without mpirun.
pub(crate) fn alone(name: &str, arguments: &[&str]) -> Ended {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=20", LIMIT]).arg(example(name)).args(arguments);
    end_of(command, name)
}

fn end_of(mut command: Command, name: &str) -> Ended {
    // Allows running as root, in a container, and with more ranks than cores.
    for (name, value) in [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        ("OMPI_MCA_btl", "self,vader"),
        ("RUST_BACKTRACE", "0"),
    ] {
        command.env(name, value);
    }
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    let code = output.status.code();
    assert!(!matches!(code, Some(124 | 137)) || stderr.contains("signal 9"), "{name} hangs: {stdout}\n{stderr}");
    Ended { code, stdout, stderr }
}
