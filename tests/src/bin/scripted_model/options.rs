//! The command line.

use std::path::PathBuf;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// 0 lets the system choose.
    pub(crate) port: u16,
    pub(crate) log: Option<PathBuf>,
    pub(crate) until_stdin_closes: bool,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--port" => {
                    let port = words.next().ok_or("--port needs a number")?;
                    options.port = port.parse().map_err(|_| format!("`{port}` is not a port"))?;
                }
                "--log" => options.log = Some(words.next().ok_or("--log needs a file")?.into()),
                "--until-stdin-closes" => options.until_stdin_closes = true,
                _ => return Err(format!("`{word}` is not understood; see the head of main.rs")),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn given_every_option_then_each_is_taken() {
        let all = Options { port: 8080, log: Some("x.jsonl".into()), until_stdin_closes: true };
        assert_eq!(parse("--port 8080 --log x.jsonl --until-stdin-closes"), Ok(all));
        assert_eq!(parse(""), Ok(Options::default()));
    }

    #[test]
    fn given_a_word_that_is_no_option_then_it_is_refused() {
        for line in ["--prot 1", "--port", "--port many", "--log"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
