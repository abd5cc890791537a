//! The HTTP server of a node.

use std::net::SocketAddr;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer};

use super::{State, around, configure};
use crate::error::StartError;

/// How long a connection without a request is kept. Clients that pool connections give up earlier.
const IDLE_CONNECTION: Duration = Duration::from_secs(75);

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Server {
    /// Takes no new connections, and waits for what is being served until the shutdown time is over.
    pub async fn stop(&self) {
        self.handle.stop(true).await;
    }
}

/// Begins to serve. Must be called within an actix system; the server runs there until it is stopped.
///
/// # Errors
/// When the address cannot be listened on.
pub fn serve(state: State) -> Result<Server, StartError> {
    let http = &state.settings.http;
    let asked = SocketAddr::new(http.bind, http.port);
    let listen = |source| StartError::Listen { address: asked, source };
    let app_state = state.clone();
    let mut server = HttpServer::new(move || {
        let state = app_state.clone();
        App::new()
            .app_data(state.clone())
            .configure(move |app| configure(app, &state.settings))
            .wrap(from_fn(around::around))
    })
    .disable_signals()
    // An event is sent when it happens, not when the one before it was acknowledged.
    .tcp_nodelay(true)
    .keep_alive(IDLE_CONNECTION)
    .client_request_timeout(http.head_timeout)
    .shutdown_timeout(http.shutdown.as_secs());
    if let Some(workers) = http.workers {
        server = server.workers(workers);
    }
    let server = server.bind(asked).map_err(listen)?;
    let address = server.addrs().first().copied().unwrap_or(asked);
    let server = server.run();
    let handle = server.handle();
    actix_rt::spawn(async move {
        if let Err(error) = server.await {
            tracing::error!(%error, "the HTTP server ended");
        }
    });
    Ok(Server { address, handle })
}
