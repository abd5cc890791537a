//! The runtime that owns all input and output.
//!
//! Every actix worker is a single-threaded runtime of its own, and a pooled socket dies with the runtime that opened
//! it. So the database, the file store and models are spoken to from one multi-threaded runtime that outlives the
//! HTTP server; workers only await its results (DESIGN section 6).

use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tracing::Instrument;
use turnwright_actors::error::EngineError;

use crate::error::StartError;

/// How long blocking work, such as a write to a file, may take to end when the runtime is dropped.
const CUT_OFF_AFTER: Duration = Duration::from_millis(200);

/// The runtime itself. What still runs when it is dropped is cut off.
pub struct IoRuntime {
    io: Io,
    runtime: Option<Runtime>,
}

impl IoRuntime {
    /// Starts the runtime.
    ///
    /// # Errors
    /// When the system refuses threads.
    pub fn start() -> Result<Self, StartError> {
        let runtime = Builder::new_multi_thread().thread_name("turnwright-io").enable_all().build()?;
        Ok(Self { io: Io(runtime.handle().clone()), runtime: Some(runtime) })
    }

    /// Runs things on it.
    pub fn io(&self) -> Io {
        self.io.clone()
    }

    /// Runs `work` on it, and blocks this thread until it ends.
    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.io.0.block_on(work)
    }
}

impl Drop for IoRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(CUT_OFF_AFTER);
        }
    }
}

/// Runs things on the I/O runtime.
#[derive(Debug, Clone)]
pub struct Io(Handle);

impl Io {
    /// Runs `work` on the I/O runtime and awaits its result here. When the caller goes away, `work` still ends.
    ///
    /// # Errors
    /// What `work` returns, or [`EngineError::Stopping`] when the runtime stopped first.
    pub async fn run<T, E>(&self, work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
    {
        match self.0.spawn(work.in_current_span()).await {
            Ok(result) => result,
            Err(error) => {
                if error.is_panic() {
                    tracing::error!("a task of the I/O runtime panicked");
                }
                Err(EngineError::Stopping.into())
            }
        }
    }

    /// Starts `work` on the I/O runtime and lets it run.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(work);
    }

    /// The runtime's handle, for the engine.
    pub fn handle(&self) -> &Handle {
        &self.0
    }
}
