//! Which addresses are not simply hosts on the internet.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use ipnet::IpNet;
use mayi_call::UrlAccess;

/// What an address is that may be reached only where it was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind {
    /// This machine, by its loopback.
    Loopback,
    /// This machine, by an address of one of its interfaces.
    Own,
    /// A private network, or one that carriers share among their customers.
    Private,
    /// The local link.
    LinkLocal,
    /// Where a cloud tells its machines who they are, with credentials.
    Metadata,
    /// No address at all: systems take it for this machine.
    Unspecified,
    /// Many machines.
    Multicast,
    /// For documentation, tests or the future.
    Reserved,
}

use AddressKind::{LinkLocal, Loopback, Metadata, Multicast, Private, Reserved, Unspecified};

/// From IANA's registries of special-purpose addresses (IPv4, IPv6) and the manuals of clouds; the first row that fits counts.
const SPECIAL: &[(&str, AddressKind)] = &[
    // Most clouds; Amazon's for containers; Scaleway; Azure; Alibaba; Oracle.
    ("169.254.169.254/32", Metadata),
    ("169.254.170.2/32", Metadata),
    ("169.254.170.23/32", Metadata),
    ("169.254.42.42/32", Metadata),
    ("168.63.129.16/32", Metadata),
    ("100.100.100.200/32", Metadata),
    ("192.0.0.192/32", Metadata),
    // Amazon, Google, Scaleway, OpenStack.
    ("fd00:ec2::/32", Metadata),
    ("fd20:ce::254/128", Metadata),
    ("fd00:42::42/128", Metadata),
    ("fe80::a9fe:a9fe/128", Metadata),
    ("0.0.0.0/8", Unspecified),
    ("127.0.0.0/8", Loopback),
    ("10.0.0.0/8", Private),
    ("100.64.0.0/10", Private),
    ("172.16.0.0/12", Private),
    ("192.168.0.0/16", Private),
    ("169.254.0.0/16", LinkLocal),
    ("192.0.0.0/24", Reserved),
    ("192.0.2.0/24", Reserved),
    ("192.88.99.0/24", Reserved),
    ("198.18.0.0/15", Reserved),
    ("198.51.100.0/24", Reserved),
    ("203.0.113.0/24", Reserved),
    ("224.0.0.0/4", Multicast),
    ("240.0.0.0/4", Reserved),
    ("::/128", Unspecified),
    ("::1/128", Loopback),
    ("fc00::/7", Private),
    // Site-local, before there was the row above.
    ("fec0::/10", Private),
    ("fe80::/10", LinkLocal),
    ("ff00::/8", Multicast),
    // Teredo and others, benchmarks, two for documentation.
    ("2001::/23", Reserved),
    ("2001:db8::/32", Reserved),
    ("3fff::/20", Reserved),
];

/// What is given out of IPv6: all else is reserved.
const GLOBAL_IPV6: &str = "2000::/3";

struct Ranges {
    special: Vec<(IpNet, AddressKind)>,
    global_ipv6: Option<IpNet>,
}

static RANGES: LazyLock<Ranges> = LazyLock::new(|| Ranges {
    special: SPECIAL.iter().filter_map(|(range, kind)| Some((range.parse().ok()?, *kind))).collect(),
    global_ipv6: GLOBAL_IPV6.parse().ok(),
});

/// What `address` is if it is more than a host on the internet. `own` are the addresses of this machine's interfaces.
pub(crate) fn kind_of(address: IpAddr, own: &[IpAddr]) -> Option<AddressKind> {
    let reached = reached(address);
    let special =
        |one: IpAddr| RANGES.special.iter().find(|(range, _)| range.contains(&one)).map(|(_, kind)| *kind);
    let reserved = match reached {
        IpAddr::V6(_) if !RANGES.global_ipv6.is_some_and(|range| range.contains(&reached)) => Some(Reserved),
        _ => None,
    };
    let is_own = own.contains(&reached) || own.contains(&address);
    special(reached).or(is_own.then_some(AddressKind::Own)).or(reserved)
}

/// The address that packets to `address` end at: an IPv4 one in the form of an IPv6 one is that IPv4 address.
fn reached(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => embedded(six).unwrap_or(address),
        four @ IpAddr::V4(_) => four,
    }
}

/// What gateways make of an IPv6 address, by the reading of addresses that rules are matched with.
fn embedded(six: Ipv6Addr) -> Option<IpAddr> {
    UrlAccess::parse(&format!("http://[{six}]/")).ok()?.other_host?.parse().ok()
}

/// Whether an address of this kind may be reached where the judge says that own addresses are meant; `literal` if the wish is for
/// the address itself, and not for a name that leads to it.
pub(crate) fn may_be_named(kind: AddressKind, literal: bool) -> bool {
    match kind {
        // Networks that reach nobody else use reserved ranges as private ones.
        Loopback | AddressKind::Own | Private | Reserved => true,
        LinkLocal | Metadata => literal,
        Unspecified | Multicast => false,
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Loopback | AddressKind::Own => "an address of this machine",
            Private => "an address of a private network",
            LinkLocal => "an address of the local link",
            Metadata => "where a cloud hands out credentials",
            Unspecified => "no address at all",
            Reserved => "an address that is not on the internet",
            Multicast => "an address of many machines",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(address: &str) -> Option<AddressKind> {
        kind_of(address.parse().unwrap(), &["198.41.0.4".parse().unwrap()])
    }

    /// A row that can't be read would hold nothing.
    #[test]
    fn given_the_table_then_every_row_is_read() {
        assert_eq!(RANGES.special.len(), SPECIAL.len());
        assert!(RANGES.global_ipv6.is_some());
    }

    /// What is not on the internet is told, in every form that reaches it.
    #[test]
    fn given_an_address_then_it_is_known_what_it_is() {
        for (address, expected) in [
            ("127.0.0.1", Some(Loopback)),
            ("127.255.1.2", Some(Loopback)),
            ("::1", Some(Loopback)),
            ("::ffff:127.0.0.1", Some(Loopback)),
            ("::127.0.0.1", Some(Loopback)),
            ("64:ff9b::7f00:1", Some(Loopback)),
            ("64:ff9b:1::a00:1", Some(Private)),
            ("2002:7f00:1::", Some(Loopback)),
            ("2002:a9fe:a9fe::1", Some(Metadata)),
            ("::ffff:0:7f00:1", Some(Loopback)),
            ("0.0.0.0", Some(Unspecified)),
            ("0.1.2.3", Some(Unspecified)),
            ("::", Some(Unspecified)),
            ("10.1.2.3", Some(Private)),
            ("172.31.0.1", Some(Private)),
            ("192.168.1.1", Some(Private)),
            ("100.64.0.1", Some(Private)),
            ("fd12::1", Some(Private)),
            ("169.254.1.1", Some(LinkLocal)),
            ("fe80::1", Some(LinkLocal)),
            ("169.254.169.254", Some(Metadata)),
            ("::ffff:169.254.169.254", Some(Metadata)),
            ("100.100.100.200", Some(Metadata)),
            ("168.63.129.16", Some(Metadata)),
            ("fd00:ec2::254", Some(Metadata)),
            ("224.0.0.1", Some(Multicast)),
            ("ff02::1", Some(Multicast)),
            ("255.255.255.255", Some(Reserved)),
            ("192.0.2.1", Some(Reserved)),
            ("2001:db8::1", Some(Reserved)),
            ("2001:0:1::1", Some(Reserved)),
            ("100::1", Some(Reserved)),
            ("198.41.0.4", Some(AddressKind::Own)),
            ("::ffff:198.41.0.4", Some(AddressKind::Own)),
            ("198.41.0.5", None),
            ("64:ff9b::c629:5", None),
            ("2600::1", None),
        ] {
            assert_eq!(kind(address), expected, "{address}");
        }
    }

    /// A name that leads to a cloud's credentials is never what somebody meant by it; the address itself can be.
    #[test]
    fn given_own_addresses_are_meant_then_only_the_address_itself_reaches_metadata() {
        assert!(
            may_be_named(Loopback, false) && may_be_named(Private, false) && may_be_named(Reserved, false)
        );
        assert!(may_be_named(Metadata, true) && may_be_named(LinkLocal, true));
        assert!(!may_be_named(Metadata, false) && !may_be_named(LinkLocal, false));
        assert!(!may_be_named(Unspecified, true) && !may_be_named(Multicast, true));
    }
}
