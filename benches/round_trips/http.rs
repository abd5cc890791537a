//! One connection to the node, kept open: the client must cost little beside the node it measures.

use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;

/// Anything that ends a round trip early.
pub type Failure = Box<dyn std::error::Error>;

/// The address in `http://127.0.0.1:4000`.
pub fn address(url: &str) -> Result<SocketAddr, Failure> {
    let url = url::Url::parse(url)?;
    let addresses = url.socket_addrs(|| None)?;
    addresses.first().copied().ok_or_else(|| format!("{url} names no address").into())
}

/// A connection with HTTP/1.1.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // A connection that breaks is heard of by who sends on it.
        tokio::task::spawn_local(async { drop(connection.await) });
        Ok(Self { sender })
    }

    /// Posts JSON; the response's head, when it is a success.
    pub async fn post(
        &mut self,
        path: &str,
        token: Option<&str>,
        body: String,
    ) -> Result<Response<Incoming>, Failure> {
        let mut request =
            Request::post(path).header(HOST, "localhost").header(CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        self.sender.ready().await?;
        let response = self.sender.send_request(request.body(Full::new(body.into()))?).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        Err(format!("{path}: {status} {}", String::from_utf8_lossy(&body)).into())
    }
}

/// Reads a whole JSON body.
pub async fn json<T: DeserializeOwned>(response: Response<Incoming>) -> Result<T, Failure> {
    Ok(serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?)
}

/// Reads a stream of events to its end, and gives each `data:` line to `heard` as it comes.
pub async fn events<T: DeserializeOwned>(
    response: Response<Incoming>,
    mut heard: impl FnMut(T),
) -> Result<(), Failure> {
    let mut body = response.into_body();
    let mut unread = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(bytes) = frame?.into_data() else { continue };
        unread.extend_from_slice(&bytes);
        let mut read = 0;
        for line in unread.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            read += line.len();
            if let Some(data) = line.strip_prefix(b"data:") {
                heard(serde_json::from_slice(data)?);
            }
        }
        unread.drain(..read);
    }
    Ok(())
}
