//! Settings read from their layers, and the rules that span several.

use std::str::FromStr;
use std::time::Duration;

use turnwright_actors::streams::StreamText;

use super::layers::{Layers, Sources};
use super::{
    AskSettings, AuthSettings, ClusterSettings, DemoAgentSettings, HttpSettings, LogFormat, LogSettings,
    Settings, TurnSettings,
};
use crate::error::StartError;

/// Longer than any setting means, and short enough to add to any instant.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl Settings {
    /// Reads and checks the settings.
    ///
    /// # Errors
    /// A sentence that names the key which is unknown or wrong.
    pub fn load(sources: &Sources) -> Result<Self, StartError> {
        let layers = Layers::merge(sources)?;
        let settings = Self {
            http: http(&layers)?,
            database: layers.parse("database.url")?,
            asks: asks(&layers)?,
            turns: turns(&layers)?,
            cluster: cluster(&layers)?,
            auth: auth(&layers)?,
            files: layers.parse("files.url")?,
            demo: demo(&layers)?,
            log: log(&layers)?,
        };
        settings.check_across(&layers)?;
        Ok(settings)
    }

    fn check_across(&self, layers: &Layers) -> Result<(), StartError> {
        if !layers.text("bus.redis_url")?.is_empty() {
            return refused("bus.redis_url", "this build has no Redis bus; leave it empty");
        }
        if self.auth.development && !self.http.bind.is_loopback() {
            return refused(
                "auth.development",
                "it makes users whose passwords are public, so http.bind must be a loopback address; set it to false",
            );
        }
        Ok(())
    }
}

fn http(layers: &Layers) -> Result<HttpSettings, StartError> {
    let workers = layers.whole::<u16>("http.workers")?;
    Ok(HttpSettings {
        bind: layers.parse("http.bind")?,
        port: layers.whole("http.port")?,
        workers: (workers > 0).then_some(usize::from(workers)),
        cors_origins: layers.list("http.cors_origins")?,
        trusted_proxies: layers.list("http.trusted_proxies")?,
        max_chat_body_bytes: positive(layers, "http.max_chat_body_bytes")?,
        max_body_bytes: positive(layers, "http.max_body_bytes")?,
        max_json_depth: json_depth(layers)?,
        head_timeout: period(layers, "http.head_seconds")?,
        body_pause: period(layers, "http.body_pause_seconds")?,
        keep_alive: period(layers, "http.keep_alive_seconds")?,
        streams_per_user: positive(layers, "http.streams_per_user")?,
        shutdown: seconds(layers, "http.shutdown_seconds")?,
    })
}

fn asks(layers: &Layers) -> Result<AskSettings, StartError> {
    Ok(AskSettings {
        enabled: layers.switch("asks.enabled")?,
        kinds: layers.list("asks.kinds")?,
        max_file_size_bytes: positive(layers, "asks.max_file_size_bytes")?,
    })
}

fn turns(layers: &Layers) -> Result<TurnSettings, StartError> {
    Ok(TurnSettings {
        max_steps: positive(layers, "turns.max_steps")?,
        queue_limit: layers.whole("turns.queue_limit")?,
        stream_text: stream_text(layers)?,
        run_deadline: period(layers, "turns.run_seconds")?,
        request_deadline: period(layers, "turns.request_seconds")?,
    })
}

fn stream_text(layers: &Layers) -> Result<StreamText, StartError> {
    match layers.text("turns.stream_text")?.as_str() {
        "live" => Ok(StreamText::Live),
        "step" => Ok(StreamText::Step),
        _ => refused("turns.stream_text", "it must be \"live\" or \"step\""),
    }
}

fn cluster(layers: &Layers) -> Result<ClusterSettings, StartError> {
    let lease = period(layers, "cluster.lease_seconds")?;
    let heartbeat = match seconds(layers, "cluster.heartbeat_seconds")? {
        Duration::ZERO => lease / 3,
        heartbeat => heartbeat,
    };
    if heartbeat > lease / 2 {
        return refused("cluster.heartbeat_seconds", "it must be at most half of cluster.lease_seconds");
    }
    Ok(ClusterSettings { lease, heartbeat })
}

fn auth(layers: &Layers) -> Result<AuthSettings, StartError> {
    let days: u16 = positive(layers, "auth.session_days")?;
    let minutes: u16 = positive(layers, "auth.sign_in_window_minutes")?;
    Ok(AuthSettings {
        development: layers.switch("auth.development")?,
        session: Duration::from_secs(u64::from(days) * 24 * 60 * 60),
        failures_per_account: positive(layers, "auth.sign_in_failures_per_account")?,
        failures_per_address: positive(layers, "auth.sign_in_failures_per_address")?,
        sign_in_window: Duration::from_secs(u64::from(minutes) * 60),
        sign_ups_per_minute: positive(layers, "auth.sign_ups_per_minute")?,
    })
}

fn demo(layers: &Layers) -> Result<DemoAgentSettings, StartError> {
    let file = |key| layers.text(key).map(|path| (!path.is_empty()).then(|| path.into()));
    Ok(DemoAgentSettings {
        enabled: layers.switch("demo.enabled")?,
        delay: Duration::from_millis(layers.whole::<u32>("demo.delay_ms")?.into()),
        script: file("demo.script")?,
        record: file("demo.record")?,
    })
}

fn log(layers: &Layers) -> Result<LogSettings, StartError> {
    Ok(LogSettings { filter: layers.parse("log.filter")?, format: layers.parse("log.format")? })
}

/// A whole number above zero.
fn positive<T: TryFrom<u64>>(layers: &Layers, key: &'static str) -> Result<T, StartError> {
    match layers.whole::<u64>(key)? {
        0 => refused(key, "it must be at least 1"),
        _ => layers.whole(key),
    }
}

/// A time of zero or more seconds.
fn seconds(layers: &Layers, key: &'static str) -> Result<Duration, StartError> {
    match Duration::try_from_secs_f64(layers.number(key)?) {
        Ok(time) if time <= LONGEST => Ok(time),
        _ => refused(key, "it must be a number of seconds from 0 to a year"),
    }
}

/// A time that passes: at least a millisecond.
fn period(layers: &Layers, key: &'static str) -> Result<Duration, StartError> {
    match seconds(layers, key)? {
        time if time < Duration::from_millis(1) => refused(key, "it must be at least 0.001"),
        time => Ok(time),
    }
}

/// The parser of JSON itself stops at 128.
fn json_depth(layers: &Layers) -> Result<usize, StartError> {
    match layers.whole("http.max_json_depth")? {
        depth @ 1..=100 => Ok(depth),
        _ => refused("http.max_json_depth", "it must be from 1 to 100"),
    }
}

fn refused<T>(key: &'static str, reason: &str) -> Result<T, StartError> {
    Err(StartError::RefusedSetting { key, reason: reason.to_owned() })
}

impl FromStr for LogFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("it must be \"text\" or \"json\""),
        }
    }
}

#[cfg(test)]
mod tests;
