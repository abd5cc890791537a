//! The runtime that owns all input and output.
//!
//! Every actix worker is a single-threaded runtime of its own, and a pooled socket dies with the runtime that opened
//! it. So the database, the file store and models are spoken to from one multi-threaded runtime that outlives the
//! HTTP server; workers only await its results (DESIGN section 6).

use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use turnwright_actors::error::EngineError;

use crate::error::StartError;

/// The runtime itself. What still runs when it is dropped is not waited for.
pub struct IoRuntime(Option<Runtime>);

impl IoRuntime {
    /// Starts the runtime.
    ///
    /// # Errors
    /// When the system refuses threads.
    pub fn start() -> Result<Self, StartError> {
        let runtime = Builder::new_multi_thread().thread_name("turnwright-io").enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    /// A handle to run things on it, or `None` once it is stopped.
    pub fn io(&self) -> Option<Io> {
        self.0.as_ref().map(|runtime| Io(runtime.handle().clone()))
    }
}

impl Drop for IoRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_timeout(Duration::from_millis(100));
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
        match self.0.spawn(work).await {
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
