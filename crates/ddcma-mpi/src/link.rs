//! Sends and receives bytes. The only file that calls MPI after the start.

use std::time::{Duration, Instant};

use mpi::Rank;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};

/// Sends bytes to ranks, and receives them.
pub(crate) trait Link {
    fn send(&self, rank: usize, bytes: &[u8]);

    /// Waits for a message, and returns the rank that it comes from.
    fn receive(&self, bytes: &mut Vec<u8>) -> usize;
}

/// The ranks of a communicator that only this crate uses.
pub(crate) struct MpiLink(pub(crate) SimpleCommunicator);

impl Link for MpiLink {
    fn send(&self, rank: usize, bytes: &[u8]) {
        self.0.process_at_rank(rank as Rank).send(bytes);
    }

    fn receive(&self, bytes: &mut Vec<u8>) -> usize {
        let (message, status) = wait_for(|| self.0.any_process().immediate_matched_probe());
        // Messages are sent as bytes, so the count is their length.
        bytes.resize(status.count(u8::equivalent_datatype()) as usize, 0);
        message.matched_receive_into(&mut bytes[..]);
        status.source_rank() as usize
    }
}

/// How long a rank polls for messages without a pause, and the longest pause after that.
const POLLING_TIME: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Polls until there is a result. MPI's own waiting would keep a core busy during an evaluation; this function pauses instead, always
/// briefly compared with the elapsed time.
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        let elapsed = begin.elapsed();
        if elapsed > POLLING_TIME {
            std::thread::sleep(LONGEST_PAUSE.min(elapsed / 10));
        }
    }
}

/// Aborts the whole job if it is dropped by a panic, before [`disarm`](Self::disarm). Otherwise the other ranks would wait for this rank
/// forever, because finalizing MPI waits for all ranks.
pub(crate) struct AbortOnPanic<'a>(pub(crate) &'a MpiLink);

/// The exit code of a program that panics.
const PANICKED: i32 = 101;

impl AbortOnPanic<'_> {
    pub(crate) fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for AbortOnPanic<'_> {
    fn drop(&mut self) {
        self.0.0.abort(PANICKED)
    }
}
