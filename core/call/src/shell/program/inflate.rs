//! The first bytes of what git has packed: enough to see what kind of object it is.

/// The order in which the lengths of the codes for lengths stand.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// The longest code.
const LONGEST: usize = 15;

/// The bytes that a stream of zlib begins with; none if it is none, or repeats something so early.
pub(super) fn first_bytes<const N: usize>(stream: &[u8]) -> Option<[u8; N]> {
    if stream.first()? & 15 != 8 {
        return None;
    }
    let mut bits = Bits { bytes: stream, at: 16 };
    bits.take(1)?;
    let mut out = [0; N];
    let codes = match bits.take(2)? {
        0 => {
            let from = bits.at.div_ceil(8) + 4;
            return stream.get(from..from + N)?.try_into().ok();
        }
        1 => Codes::new((0..288).map(|symbol| match symbol {
            144..=255 => 9,
            256..=279 => 7,
            _ => 8,
        })),
        2 => read_codes(&mut bits)?,
        _ => return None,
    };
    for byte in &mut out {
        *byte = u8::try_from(codes.read(&mut bits)?).ok()?;
    }
    Some(out)
}

/// The codes that stand at the beginning of a block.
fn read_codes(bits: &mut Bits<'_>) -> Option<Codes> {
    let count = bits.take(5)? + 257;
    // Those of distances stand behind them.
    let all = count + bits.take(5)? + 1;
    let own = bits.take(4)? + 4;
    let mut lengths = [0; ORDER.len()];
    for place in ORDER.iter().take(own) {
        *lengths.get_mut(*place)? = bits.take(3)?;
    }
    let codes = Codes::new(lengths.into_iter());
    let mut lengths: Vec<usize> = Vec::new();
    while lengths.len() < all {
        let (length, times) = match codes.read(bits)? {
            16 => (*lengths.last()?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            18 => (0, bits.take(7)? + 11),
            length => (length, 1),
        };
        lengths.extend(std::iter::repeat_n(length, times));
    }
    Some(Codes::new(lengths.into_iter().take(count)))
}

struct Bits<'b> {
    bytes: &'b [u8],
    /// Counted in bits.
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> Option<usize> {
        let mut value = 0;
        for place in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            value |= usize::from(byte >> (self.at % 8) & 1) << place;
            self.at += 1;
        }
        Some(value)
    }
}

/// Codes by their lengths: as many of each, and what they stand for in order.
struct Codes {
    counts: [usize; LONGEST + 1],
    symbols: Vec<usize>,
}

impl Codes {
    fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let lengths: Vec<usize> = lengths.collect();
        let mut counts = [0; LONGEST + 1];
        let mut symbols = Vec::new();
        for (length, count) in counts.iter_mut().enumerate().skip(1) {
            let before = symbols.len();
            symbols.extend(
                lengths.iter().enumerate().filter(|(_, own)| **own == length).map(|(symbol, _)| symbol),
            );
            *count = symbols.len() - before;
        }
        Self { counts, symbols }
    }

    fn read(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for count in self.counts.iter().skip(1) {
            code |= bits.take(1)?;
            if code < first + count {
                return self.symbols.get(index + (code.checked_sub(first)?)).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_stream_of_each_kind_then_its_first_bytes_are_told() {
        let stored = [0x78, 1, 1, 7, 0, 0xf8, 0xff, b'c', b'o', b'm', b'm', b'i', b't', b' '];
        assert_eq!(first_bytes(&stored).as_ref(), Some(b"commit "));
        let fixed = [0x78, 0x9c, 0x4b, 0xce, 0xcf, 0xcd, 0xcd, 0x2c, 0x51, 0, 0];
        assert_eq!(first_bytes(&fixed).as_ref(), Some(b"commit "));
        assert_eq!(first_bytes::<7>(&[]), None);
        assert_eq!(first_bytes::<7>(&stored[..9]), None);
        assert_eq!(first_bytes::<7>(b"\x1f\x8b\x08\0\0\0\0\0\0"), None);
    }
}
