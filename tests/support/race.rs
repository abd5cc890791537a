//! Requests that start together, each on a socket of its own.

use std::sync::Arc;

use tokio::sync::Barrier;

use super::client::Client;

/// Runs `act` once for each racer, with its number and a client whose connection stands already. All are let go at
/// once; the results come in the order of the racers.
pub async fn race<T, F>(client: &Client, racers: usize, act: impl Fn(usize, Client) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let barrier = Arc::new(Barrier::new(racers));
    let mut running = Vec::new();
    for racer in 0..racers {
        let client = client.on_its_own_socket();
        client.get("/healthz").await.expect(200);
        let (barrier, action) = (Arc::clone(&barrier), act(racer, client));
        running.push(tokio::spawn(async move {
            barrier.wait().await;
            action.await
        }));
    }
    let mut results = Vec::new();
    for racer in running {
        results.push(racer.await.unwrap());
    }
    results
}
