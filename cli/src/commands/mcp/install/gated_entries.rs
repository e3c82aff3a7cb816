//! Entries that have the gateway in front already.

use mayi_core::approval::escape_line;

use super::clients::CommandShape;
use super::model::{ServerEntry, Span};

/// Options of `mayi mcp` with a value.
const VALUED: &[&str] = &[
    "--name",
    "--agent",
    "--url",
    "--header-env",
    "--http",
    "--allow-host",
    "--allow-origin",
    "--token-file",
    "--mode",
    "--allow",
    "--ask",
    "--deny",
    "--on-ask",
    "--approval-timeout",
    "--config",
    "--cwd",
    "--color",
];

/// The gateway, as an entry starts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedGateway {
    /// The program.
    pub(super) program: String,
    pub(super) name: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) server: GatedServer,
    /// Options of the gateway that `mayi mcp install` does not write.
    pub(super) options: Vec<String>,
}

impl ParsedGateway {
    /// What is to be known of it, beside that it is there: a repository can have a program of its own that is
    /// called mayi, or tell mayi to allow more.
    pub(super) fn warning_text(&self, own: &str) -> Option<String> {
        if self.program != own && self.program != "mayi" {
            return Some(format!("by another program: {}", escape_line(&self.program)));
        }
        let options: Vec<String> = self.options.iter().map(|option| escape_line(option)).collect();
        (!options.is_empty()).then(|| format!("with options of its own: {}", options.join(", ")))
    }
}

/// What stands behind the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GatedServer {
    /// A command; the word where it begins.
    Local(usize),
    /// An address; the word that it is, and headers with the variables of their values.
    Remote(usize, Vec<(String, String)>),
    /// Servers of mayi's own configuration.
    Configured,
}

/// The command of an entry and its arguments; none if it has none, or not only texts.
pub(super) fn command_words(entry: &ServerEntry, shape: CommandShape) -> Option<Vec<(String, Span)>> {
    let listed = |key: &str| -> Option<Vec<(String, Span)>> {
        let field = entry.field(key)?;
        let items = field.value.as_array()?.iter().zip(&field.items);
        items.map(|(item, at)| Some((item.as_str()?.to_owned(), at.clone()))).collect()
    };
    match shape {
        CommandShape::List => listed("command").filter(|words| !words.is_empty()),
        CommandShape::Pair => {
            let command = entry.field("command")?;
            let mut words = vec![(command.value.as_str()?.to_owned(), command.value_span.clone())];
            if entry.field("args").is_some() {
                words.extend(listed("args")?);
            }
            Some(words)
        }
    }
}

/// Whether a word names mayi as a program.
fn is_mayi(word: &str, own: &str) -> bool {
    // Windows' separators too, wherever this runs.
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    word == own || matches!(last.as_str(), "mayi" | "mayi.exe") || last.starts_with("mayi-")
}

/// The words from `mcp` on with which an entry starts the gateway otherwise than [`parse_gateway`] knows it: by another program, or
/// within a line for a shell. None if it does not.
pub(super) fn other_gateway_words(
    entry: &ServerEntry,
    shape: CommandShape,
    own: &str,
) -> Option<Vec<String>> {
    if parse_gateway(entry, shape, own).is_some() {
        return None;
    }
    let words = command_words(entry, shape)?;
    let all = words.iter().map(|(word, _)| word.clone()).collect::<Vec<_>>();
    let plain = |word: &str| word.trim_matches(['"', '\'', ';', '(', ')']).to_owned();
    let split = all.iter().flat_map(|word| word.split_whitespace()).map(plain).collect::<Vec<_>>();
    [all, split].into_iter().find_map(|words| {
        let at = words.windows(2).position(|pair| match pair {
            [mayi, mcp] => mcp == "mcp" && is_mayi(mayi, own),
            _ => false,
        })?;
        Some(words.into_iter().skip(at + 1).collect())
    })
}

/// How the gateway stands in front of an entry; none if it does not.
pub(super) fn parse_gateway(entry: &ServerEntry, shape: CommandShape, own: &str) -> Option<ParsedGateway> {
    let words = command_words(entry, shape)?;
    let word = |at: usize| words.get(at).map(|(word, _)| word.as_str());
    let mayi = word(0)?;
    if !is_mayi(mayi, own) || word(1) != Some("mcp") {
        return None;
    }
    let (mut name, mut agent, mut url, mut headers) = (None, None, None, Vec::new());
    let mut options = Vec::new();
    let mut at = 2;
    let server = loop {
        let Some(option) = word(at) else {
            break url.map_or(GatedServer::Configured, |url| GatedServer::Remote(url, headers));
        };
        match option {
            "--" if word(at + 1).is_some() => break GatedServer::Local(at + 1),
            "--name" => name = word(at + 1).map(str::to_owned),
            "--agent" => agent = word(at + 1).map(str::to_owned),
            "--url" => url = word(at + 1).map(|_| at + 1),
            "--header-env" => {
                headers.extend(word(at + 1).and_then(|pair| pair.split_once('=')).map(to_owned_pair));
            }
            // Also `--name=VALUE`, and what is no option at all: none of it is of `mayi mcp install`.
            other => options.push(other.to_owned()),
        }
        at += if VALUED.contains(&option) { 2 } else { 1 };
    };
    Some(ParsedGateway { program: mayi.to_owned(), name, agent, server, options })
}

fn to_owned_pair((header, variable): (&str, &str)) -> (String, String) {
    (header.to_owned(), variable.to_owned())
}
