//! Networks of addresses, as `http.trusted_proxies` names them.

use std::net::IpAddr;
use std::str::FromStr;

/// An address, or all addresses that begin with the same bits (`10.0.0.0/8`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Whether the network holds this address. An IPv4 address mapped into IPv6 counts as the IPv4 address.
    pub fn holds(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                same_start(network.to_bits().into(), address.to_bits().into(), 32, self.bits)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                same_start(network.to_bits(), address.to_bits(), 128, self.bits)
            }
            _ => false,
        }
    }
}

fn same_start(one: u128, other: u128, width: u32, bits: u32) -> bool {
    (one ^ other).checked_shr(width - bits).unwrap_or(0) == 0
}

/// A text that names no network.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is neither an address nor a network such as 10.0.0.0/8")]
pub struct NotANetwork(String);

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let refused = || NotANetwork(text.to_owned());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| refused())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| refused())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        if bits > width { Err(refused()) } else { Ok(Self { address, bits }) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn holds(network: &str, address: &str) -> bool {
        network.parse::<Network>().unwrap().holds(address.parse().unwrap())
    }

    #[test]
    fn a_network_holds_the_addresses_that_begin_alike() {
        assert!(holds("10.0.0.0/8", "10.255.1.2"));
        assert!(!holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("fd00::/8", "fd12::1"));
        assert!(!holds("fd00::/8", "fe80::1"));
        assert!(holds("0.0.0.0/0", "192.0.2.1"));
        assert!(holds("::/0", "fe80::1"));
    }

    #[test]
    fn an_address_is_a_network_of_one() {
        assert!(holds("127.0.0.1", "127.0.0.1"));
        assert!(!holds("127.0.0.1", "127.0.0.2"));
        assert!(holds("127.0.0.1", "::ffff:127.0.0.1"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in ["", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/-1", "proxy.example.com"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }
}
