//! Which socket is at the other end of a TCP connection, as the kernel's tables have it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const V4: &str = "/proc/net/tcp";
const V6: &str = "/proc/net/tcp6";

/// A socket that a process holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Socket {
    pub(super) inode: u64,
    /// The user whose socket it is.
    pub(super) user: u32,
}

/// The socket that is at `peer` and talks to `local`. `None`: there is none, or no process holds it.
pub(super) fn other_end(local: SocketAddr, peer: SocketAddr) -> io::Result<Option<Socket>> {
    let (here, there) = (local.ip().to_canonical(), peer.ip().to_canonical());
    let text = |at: IpAddr, port: u16| format!("{}:{port:04X}", proc_address_hex(at));
    let entry = |here: IpAddr, there: IpAddr| [text(there, peer.port()), text(here, local.port())];
    match (here, there) {
        (IpAddr::V4(local), IpAddr::V4(peer)) => {
            // A socket for both families says so of its addresses.
            let mapped = |address: Ipv4Addr| IpAddr::V6(address.to_ipv6_mapped());
            match find_socket(V4, &entry(here, there))? {
                None => find_socket(V6, &entry(mapped(local), mapped(peer))),
                found => Ok(found),
            }
        }
        _ => find_socket(V6, &entry(here, there)),
    }
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

/// The entry with these addresses: its own and the other one's; none, if nobody has it.
fn find_socket(table: &str, addresses: &[String; 2]) -> io::Result<Option<Socket>> {
    let mut table = match File::open(table) {
        Ok(table) => BufReader::with_capacity(64 * 1024, table),
        // A system without IPv6.
        Err(error) if error.kind() == ErrorKind::NotFound && table == V6 => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut line = String::new();
    loop {
        line.clear();
        if table.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut fields = line.split_ascii_whitespace().skip(1);
        if addresses.iter().all(|address| fields.next() == Some(address))
            && let Some(user) = fields.nth(4).and_then(|user| user.parse().ok())
            && let Some(inode) = fields.nth(1).and_then(|inode| inode.parse().ok())
            && inode != 0
        {
            return Ok(Some(Socket { inode, user }));
        }
    }
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
