//! Which socket is at the other end of a TCP connection, as the kernel's tables have it.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::{IpAddr, SocketAddr};

const V4: &str = "/proc/net/tcp";
const V6: &str = "/proc/net/tcp6";

/// A socket that a process holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Socket {
    pub(super) inode: u64,
    /// The user whose socket it is.
    pub(super) user: u32,
}

/// The two ends of a connection: this one, and the other one.
pub(super) type Ends = (SocketAddr, SocketAddr);

/// The sockets at the other ends of these connections. `None`: there is none, or no process holds it.
pub(super) fn other_ends(connections: &[Ends]) -> io::Result<Vec<Option<Socket>>> {
    let text = |at: IpAddr, port: u16| format!("{}:{port:04X}", proc_address_hex(at));
    let entry = |local: &SocketAddr, peer: &SocketAddr, as_written: fn(IpAddr) -> IpAddr| {
        let address = |end: &SocketAddr| text(as_written(end.ip().to_canonical()), end.port());
        [address(peer), address(local)]
    };
    let is_v4 =
        |(local, peer): &Ends| local.ip().to_canonical().is_ipv4() && peer.ip().to_canonical().is_ipv4();
    let v4 = connections.iter().filter(|ends| is_v4(ends)).map(|(local, peer)| entry(local, peer, |at| at));
    let of_v4 = find_sockets(V4, v4.collect())?;
    // A socket for both families says so of its addresses.
    let mapped = |at: IpAddr| match at {
        IpAddr::V4(address) => IpAddr::V6(address.to_ipv6_mapped()),
        other => other,
    };
    let found_in_v4 = |(local, peer): &Ends| of_v4.get(&entry(local, peer, |at| at)).copied();
    let rest = connections.iter().filter(|ends| found_in_v4(ends).is_none());
    let of_v6 = find_sockets(V6, rest.map(|(local, peer)| entry(local, peer, mapped)).collect())?;
    let found =
        |ends: &Ends| found_in_v4(ends).or_else(|| of_v6.get(&entry(&ends.0, &ends.1, mapped)).copied());
    Ok(connections.iter().map(found).collect())
}

/// An address as the tables write it: words of 32 bits, in the order of this machine.
fn proc_address_hex(address: IpAddr) -> String {
    let octets = match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    let words = octets.chunks(4).filter_map(|word| word.try_into().ok());
    words.map(|word| format!("{:08X}", u32::from_ne_bytes(word))).collect()
}

/// The entries of a table with these addresses, each its own and the other one's.
fn find_sockets(table: &str, wanted: HashSet<[String; 2]>) -> io::Result<HashMap<[String; 2], Socket>> {
    let mut found = HashMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    let mut table = match File::open(table) {
        Ok(table) => BufReader::with_capacity(64 * 1024, table),
        // A system without IPv6.
        Err(error) if error.kind() == ErrorKind::NotFound && table == V6 => return Ok(found),
        Err(error) => return Err(error),
    };
    let mut line = String::new();
    while found.len() < wanted.len() {
        line.clear();
        if table.read_line(&mut line)? == 0 {
            break;
        }
        let mut fields = line.split_ascii_whitespace().skip(1);
        if let (Some(own), Some(other)) = (fields.next(), fields.next())
            && let addresses = [own.to_owned(), other.to_owned()]
            && wanted.contains(&addresses)
            && let Some(user) = fields.nth(4).and_then(|user| user.parse().ok())
            && let Some(inode) = fields.nth(1).and_then(|inode| inode.parse().ok())
            && inode != 0
        {
            found.entry(addresses).or_insert(Socket { inode, user });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::proc_address_hex;

    /// As the kernel's documentation shows it, on machines with this order of bytes.
    #[test]
    #[cfg(target_endian = "little")]
    fn given_an_address_then_it_is_written_as_in_the_tables() {
        assert_eq!(proc_address_hex("127.0.0.1".parse().unwrap()), "0100007F");
        assert_eq!(proc_address_hex("::1".parse().unwrap()), "00000000000000000000000001000000");
        assert_eq!(proc_address_hex("::ffff:127.0.0.1".parse().unwrap()), "0000000000000000FFFF00000100007F");
    }
}
