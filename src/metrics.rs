//! What a node counts, as Prometheus reads it.

use std::time::Duration;

use prometheus::{Encoder, HistogramOpts, HistogramVec, IntGauge, Registry, TextEncoder};

/// Seconds; turns that call a model take long.
const BUCKETS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0];

/// The counters of a node; clones share them.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Registry,
    requests: HistogramVec,
    streams: IntGauge,
    turns: IntGauge,
    conversations: IntGauge,
}

impl Metrics {
    /// Counters at zero.
    ///
    /// # Errors
    /// When two of them have the same name.
    pub fn new() -> Result<Self, prometheus::Error> {
        let requests = HistogramOpts::new(
            "turnwright_http_request_seconds",
            "Time from a request's head to its response's head, by method, route and status.",
        );
        let metrics = Self {
            registry: Registry::new(),
            requests: HistogramVec::new(requests.buckets(BUCKETS.to_vec()), &["method", "route", "status"])?,
            streams: IntGauge::new("turnwright_streams_open", "Event streams that clients hold open.")?,
            turns: IntGauge::new("turnwright_turns_running", "Turns that run on this node.")?,
            conversations: IntGauge::new(
                "turnwright_conversations_active",
                "Conversations that this node keeps an actor for.",
            )?,
        };
        metrics.registry.register(Box::new(metrics.requests.clone()))?;
        for gauge in [&metrics.streams, &metrics.turns, &metrics.conversations] {
            metrics.registry.register(Box::new(gauge.clone()))?;
        }
        Ok(metrics)
    }

    /// Counts a request. `route` is the pattern of its path, so that ids make no series of their own; nor do methods
    /// that clients make up.
    pub fn request(&self, method: &str, route: &str, status: u16, took: Duration) {
        let known = ["GET", "POST", "PATCH", "DELETE", "OPTIONS", "HEAD", "PUT"].contains(&method);
        let method = if known { method } else { "other" };
        self.requests.with_label_values(&[method, route, &status.to_string()]).observe(took.as_secs_f64());
    }

    /// The gauge of open event streams.
    pub fn streams_open(&self) -> &IntGauge {
        &self.streams
    }

    /// Everything counted, in the text format of Prometheus, with what the engine does at this moment.
    ///
    /// # Errors
    /// When a counter cannot be written as text.
    pub fn text(
        &self,
        running_turns: usize,
        active_conversations: usize,
    ) -> Result<String, prometheus::Error> {
        self.turns.set(as_gauge(running_turns));
        self.conversations.set(as_gauge(active_conversations));
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The media type of [`Metrics::text`].
    pub const MEDIA_TYPE: &'static str = prometheus::TEXT_FORMAT;
}

fn as_gauge(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
