//! Who is at the other end of a request.

use std::net::{IpAddr, Ipv4Addr};

use actix_web::HttpRequest;

use crate::settings::Network;

/// The client's address: that of the connection, or, when a trusted proxy made it, the last one in `X-Forwarded-For`
/// that is not itself a trusted proxy's. What stands before it may be invented.
pub fn client_address(request: &HttpRequest, trusted: &[Network]) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    let forwarded: Vec<&str> = request
        .headers()
        .get_all("x-forwarded-for")
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    let mut client = peer.to_canonical();
    for hop in forwarded.into_iter().rev() {
        if !trusted.iter().any(|network| network.holds(client)) {
            break;
        }
        match hop.trim().parse::<IpAddr>() {
            Ok(address) => client = address.to_canonical(),
            Err(_) => break,
        }
    }
    client
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use actix_web::test::TestRequest;

    use super::*;

    fn seen(peer: &str, forwarded: Option<&str>, trusted: &[&str]) -> String {
        let mut request = TestRequest::default().peer_addr(format!("{peer}:1").parse().unwrap());
        if let Some(forwarded) = forwarded {
            request = request.insert_header(("X-Forwarded-For", forwarded));
        }
        let trusted: Vec<_> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        client_address(&request.to_http_request(), &trusted).to_string()
    }

    #[test]
    fn without_trusted_proxies_the_connection_counts() {
        assert_eq!(seen("192.0.2.1", Some("198.51.100.9"), &[]), "192.0.2.1");
    }

    #[test]
    fn a_trusted_proxy_names_the_client() {
        assert_eq!(seen("10.0.0.1", Some("198.51.100.9"), &["10.0.0.0/8"]), "198.51.100.9");
        assert_eq!(seen("10.0.0.1", None, &["10.0.0.0/8"]), "10.0.0.1");
    }

    #[test]
    fn what_the_client_invented_before_the_proxies_does_not_count() {
        let forwarded = Some("203.0.113.5, 198.51.100.9, 10.0.0.2");
        assert_eq!(seen("10.0.0.1", forwarded, &["10.0.0.0/8"]), "198.51.100.9");
        assert_eq!(seen("10.0.0.1", Some("junk, 10.0.0.2"), &["10.0.0.0/8"]), "10.0.0.2");
    }
}
