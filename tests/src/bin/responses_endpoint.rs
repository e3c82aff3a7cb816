//! The endpoint of the Responses API (`mayi_tests::endpoint`) as a program, for tests that are not written in Rust.
//!
//! Its first line is JSON with `url` and `key`. Each line that it is told is answered with one line of JSON:
//!
//! | told | does | answers |
//! |---|---|---|
//! | `ran` | nothing | the tools that ran, in order |
//! | `requests` | nothing | the bodies of the requests to make a response, in order |
//! | `refuse 429` | the next answer to an approval is refused with this status | `null` |
//!
//! It ends with its input.

use std::io::{self, BufRead as _, Write as _};

use mayi_tests::endpoint::{Endpoint, KEY, Trouble};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let endpoint = Endpoint::start();
    let mut stdout = io::stdout().lock();
    let mut say = |line: &Value| writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    say(&json!({ "url": endpoint.url, "key": KEY }))?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match line.split_once(' ').unwrap_or((&line, "")) {
            ("ran", _) => {
                endpoint.ran().iter().map(|call| call.get("tool").cloned().unwrap_or_default()).collect()
            }
            ("requests", _) => Value::from(endpoint.requests()),
            ("refuse", status) => {
                endpoint.trouble(Trouble::Status(status.parse().unwrap_or(500)));
                Value::Null
            }
            _ => json!({ "error": "it is told `ran`, `requests` or `refuse STATUS`" }),
        };
        say(&answer)?;
    }
    Ok(())
}
