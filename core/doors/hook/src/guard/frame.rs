//! What a worker answers with: so framed that a part of it is none.

use crate::harness::HookOutput;

/// How a frame begins. Another version of mayi says something else.
const BEGINS: &str = concat!("mayi-hook ", env!("CARGO_PKG_VERSION"), " ");

/// No answer is longer.
const LONGEST: usize = 1 << 20;

/// An answer as it goes from the worker to its parent: a line with the exit code and two lengths, then that many bytes.
pub struct AnswerFrame;

impl AnswerFrame {
    /// `output` as bytes.
    #[must_use]
    pub fn write(output: &HookOutput) -> Vec<u8> {
        let HookOutput { code, out, err } = output;
        format!("{BEGINS}{code} {} {}\n{out}{err}", out.len(), err.len()).into_bytes()
    }

    /// The answer in `bytes`; none, if it is not whole yet.
    ///
    /// # Errors
    /// If it can't become one.
    pub fn read(bytes: &[u8]) -> Result<Option<HookOutput>, &'static str> {
        const WRONG: &str = "its worker said something else than an answer";
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            return if bytes.len() > 256 { Err(WRONG) } else { Ok(None) };
        };
        let (head, rest) = bytes.split_at(end);
        let head = std::str::from_utf8(head).ok().and_then(|head| head.strip_prefix(BEGINS)).ok_or(WRONG)?;
        let mut numbers = head.split(' ').map(str::parse::<usize>);
        let (Some(Ok(code)), Some(Ok(out)), Some(Ok(err)), None) =
            (numbers.next(), numbers.next(), numbers.next(), numbers.next())
        else {
            return Err(WRONG);
        };
        let code = u8::try_from(code).map_err(|_| WRONG)?;
        if out > LONGEST || err > LONGEST {
            return Err("its worker's answer is too long");
        }
        let body = rest.get(1..).unwrap_or_default();
        let text = |from: usize, to: usize| {
            body.get(from..to)
                .map(|bytes| std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| WRONG))
                .transpose()
        };
        match body.len().cmp(&(out + err)) {
            std::cmp::Ordering::Less => Ok(None),
            std::cmp::Ordering::Greater => Err("its worker said more than an answer"),
            std::cmp::Ordering::Equal => match (text(0, out)?, text(out, out + err)?) {
                (Some(out), Some(err)) => Ok(Some(HookOutput { code, out, err })),
                _ => Ok(None),
            },
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "only tests")]
mod tests {
    use super::*;

    #[test]
    fn given_a_part_of_a_frame_then_it_is_none_and_given_more_it_is_refused() {
        let output = HookOutput { code: 0, out: "{\"a\":\"ü\"}\n".to_owned(), err: "x".to_owned() };
        let bytes = AnswerFrame::write(&output);
        for end in 0..bytes.len() {
            assert_eq!(AnswerFrame::read(&bytes[..end]).unwrap(), None, "{end}");
        }
        assert_eq!(AnswerFrame::read(&bytes).unwrap(), Some(output));
        assert!(AnswerFrame::read(&[bytes.as_slice(), b"x"].concat()).is_err());
    }

    #[test]
    fn given_anything_else_then_it_is_refused() {
        let other = format!("{}9 0 0 0\n", BEGINS.trim_end());
        for text in ["thread panicked\n", "{\"decision\":\"allow\"}\n", "mayi-hook 0 0 0 0\n", &other] {
            assert!(AnswerFrame::read(text.as_bytes()).is_err(), "{text}");
        }
        for head in ["0 0", "0 0 0 0", "256 0 0", "-1 0 0", "0 99999999 0", "0  0 0", "x 0 0"] {
            assert!(AnswerFrame::read(format!("{BEGINS}{head}\n").as_bytes()).is_err(), "{head}");
        }
        assert!(AnswerFrame::read(&[b'x'; 300]).is_err());
    }
}
