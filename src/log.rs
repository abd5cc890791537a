//! Logging: structured events on standard error.

use tracing_subscriber::fmt;

use crate::settings::{LogFormat, LogSettings};

/// Starts logging for this process. A second call changes nothing.
pub fn start(settings: &LogSettings) {
    let lines = fmt().with_writer(std::io::stderr).with_env_filter(settings.filter.clone());
    // The only failure is that logging has started already.
    let _ = match settings.format {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).try_init(),
    };
}
