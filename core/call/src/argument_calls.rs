//! Arguments of tools as addresses and commands: what a server that does as they say would reach, and run (D1.18). For rules
//! that deny or ask alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::argument::percent_decodings;
use super::argument_guesses::{Guesses, any_command};
use super::argument_names::{RunAs, ToolKind, is_named, is_quoting};
use super::shell::{argv_accesses, join_words, line_accesses, lines_started_by_code};
use super::url::{file_paths, is_scheme, is_this_machine};
use super::{Access, Dialect, Surroundings, UrlAccess, effort};

/// Steps for a value, besides those for its bytes.
const VALUE: usize = 50;
/// As many values of one call are looked at: what more of them say is not known.
const MOST_VALUES: usize = 1 << 16;
/// As many addresses, and commands, of one call are told apart: of more it is not known which they are.
const MOST_ADDRESSES: usize = 256;
const MOST_COMMANDS: usize = 32;
/// As many texts that may be lines.
const MOST_TEXTS: usize = 1024;
/// The longest text that is read as addresses; of a longer one, what it begins with.
const LONGEST: usize = 16 * 1024;
/// As much text is read as arguments inside of arguments, and as deep.
const LONGEST_INNER: usize = 64 * 1024;
const DEEPEST_INNER: usize = 4;

/// Schemes whose addresses lead to a machine, whatever it is called.
const SCHEMES: &[&str] = &["http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh"];
/// Arguments whose value is a machine, or begins with one.
const HOSTS: &[&str] = &[
    "url",
    "urls",
    "uri",
    "uris",
    "endpoint",
    "endpoints",
    "host",
    "hosts",
    "hostname",
    "proxy",
    "domain",
    "domains",
    "baseurl",
    "origin",
    "href",
];
/// The same, where it has the form of one: it may be the name of something else.
const PERHAPS_HOSTS: &[&str] =
    &["server", "servers", "site", "website", "address", "addr", "ip", "remote", "registry"];
/// Arguments whose items are a line each.
const LINES: &[&str] = &["commands", "cmds", "scripts"];
const PROGRAMS: &[&str] = &["program", "executable", "binary"];
const FURTHER_WORDS: &[&str] = &["args", "arguments", "parameters", "params"];
const FOLDERS: &[&str] = &["cwd", "workdir", "workingdir", "workingdirectory", "dir", "directory", "folder"];

/// What the arguments of a tool would reach, and run; and what they would where a text is what it may be.
pub(super) fn accesses_in_arguments(
    arguments: &Value,
    tool: ToolKind,
    cwd: &Path,
    home: Option<&Path>,
) -> (Vec<Access>, Vec<Access>) {
    let mut found = ArgumentCalls { cwd, home, tool, ..ArgumentCalls::default() };
    found.look_at(arguments, "", 0);
    (found.accesses, found.perhaps)
}

#[derive(Debug)]
struct ArgumentCalls<'a> {
    cwd: &'a Path,
    home: Option<&'a Path>,
    tool: ToolKind,
    values: usize,
    /// It could be any command and any address.
    anything: bool,
    addresses: usize,
    commands: usize,
    texts: usize,
    guesses: Guesses,
    accesses: Vec<Access>,
    perhaps: Vec<Access>,
}

impl Default for ArgumentCalls<'_> {
    fn default() -> Self {
        let (cwd, tool) = (Path::new("/"), ToolKind::default());
        Self {
            cwd,
            home: None,
            tool,
            values: 0,
            anything: false,
            addresses: 0,
            commands: 0,
            texts: 0,
            guesses: Guesses::default(),
            accesses: Vec::new(),
            perhaps: Vec::new(),
        }
    }
}

enum ArgumentCommand {
    Line(String),
    Words(Vec<String>),
    /// It counts where it reads as a line that starts a known program.
    Perhaps(String),
    /// What is too long to be looked at.
    Unread,
}

impl ArgumentCalls<'_> {
    /// A value, which stands under `name`.
    fn look_at(&mut self, value: &Value, name: &str, depth: usize) {
        let mut todo = vec![(value, name)];
        while let Some((value, name)) = todo.pop() {
            self.values += 1;
            let spent = !effort::spend(VALUE + value.as_str().map_or(0, str::len));
            if self.values > MOST_VALUES || spent {
                if !self.anything {
                    self.add_anything();
                }
                return;
            }
            match value {
                Value::String(text) => {
                    if depth < DEEPEST_INNER && text.len() <= LONGEST_INNER {
                        inner_value(text).iter().for_each(|inner| self.look_at(inner, name, depth + 1));
                    } else if is_inner(text) {
                        self.add_anything();
                    }
                    self.add_addresses(text, name);
                }
                Value::Array(items) => todo.extend(items.iter().map(|item| (item, name))),
                Value::Object(members) => {
                    self.add_commands(members);
                    todo.extend(members.iter().map(|(name, member)| (member, name.as_str())));
                }
                _ => {}
            }
        }
    }

    fn add_anything(&mut self) {
        self.anything = true;
        // What stands in a line that was not read to its end could be any path, too.
        self.perhaps.push(any_command(effort::is_spent()));
        self.accesses.push(any_address());
    }

    fn add_addresses(&mut self, text: &str, name: &str) {
        let given = text.trim_matches(is_around);
        let text = given.get(..given.floor_char_boundary(LONGEST)).unwrap_or_default();
        let cut = text.len() < given.len();
        let readings =
            if text.contains('%') { percent_decodings(text).unwrap_or_default() } else { Vec::new() };
        for text in std::iter::once(text).chain(readings.iter().map(String::as_str)) {
            let mut urls = addresses_in(text);
            if urls.is_empty() {
                urls.extend(host_in(text, name));
            }
            if cut {
                let list =
                    list_of(text.rfind(is_between).and_then(|end| text.get(..end)).unwrap_or_default());
                // What follows is another address, perhaps, where all before it are some.
                let more = given.contains(is_between) && !urls.is_empty();
                if more || !list.is_empty() {
                    self.accesses.push(any_address());
                }
                urls.extend(list);
                urls.iter_mut().for_each(|url| url.open = true);
            }
            for url in urls {
                if self.addresses == MOST_ADDRESSES {
                    self.addresses += 1;
                    self.accesses.push(any_address());
                }
                let access = Access::Fetch(url);
                if self.addresses < MOST_ADDRESSES && !self.accesses.contains(&access) {
                    self.addresses += 1;
                    self.accesses.push(access);
                }
            }
        }
    }

    fn add_commands(&mut self, members: &Map<String, Value>) {
        let commands = commands_among(members, self.tool);
        if commands.is_empty() {
            return;
        }
        let none = BTreeMap::new();
        let named = members.iter().filter(|(name, _)| is_named(name, FOLDERS));
        let named = named.filter_map(|(_, value)| Some(self.folder(value.as_str()?)));
        let folders: Vec<PathBuf> = std::iter::once(self.cwd.to_owned()).chain(named.take(1)).collect();
        for command in commands {
            self.texts += 1;
            let guess = matches!(command, ArgumentCommand::Perhaps(_) | ArgumentCommand::Unread);
            self.commands += usize::from(!guess);
            if self.commands > MOST_COMMANDS || self.texts > MOST_TEXTS {
                if self.commands == MOST_COMMANDS + 1 || self.texts == MOST_TEXTS + 1 {
                    self.perhaps.push(any_command(self.commands > MOST_COMMANDS));
                }
                return;
            }
            for folder in &folders {
                let roots = std::slice::from_ref(folder);
                let at = Surroundings {
                    cwd: folder,
                    roots,
                    home: self.home,
                    env: &none,
                    dialect: Dialect::Unknown,
                };
                let (accesses, perhaps) = match &command {
                    ArgumentCommand::Line(line) => {
                        let read = line_accesses(line, &at);
                        let unread = self.guesses.of_unread(line, &read, &at);
                        (read, unread)
                    }
                    ArgumentCommand::Words(words) => {
                        let read = argv_accesses(words, &at);
                        let unread = self.guesses.of_unread(&join_words(words), &read, &at);
                        (read, unread)
                    }
                    ArgumentCommand::Perhaps(text) => (Vec::new(), self.guesses.of_text(text, &at)),
                    ArgumentCommand::Unread => (Vec::new(), vec![any_command(false)]),
                };
                for (kept, found) in [(&mut self.accesses, accesses), (&mut self.perhaps, perhaps)] {
                    for access in found {
                        if !kept.contains(&access) {
                            kept.push(access);
                        }
                    }
                }
            }
        }
    }

    fn folder(&self, given: &str) -> PathBuf {
        let rest = given.strip_prefix("~/").or_else(|| (given == "~").then_some(""));
        match (rest, self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(given),
        }
    }
}

/// An address of which nothing is known.
fn any_address() -> Access {
    Access::Fetch(UrlAccess::from_prefix("more addresses than can be told apart", ""))
}

/// Arguments, or a list, that are written as text.
fn inner_value(text: &str) -> Option<Value> {
    is_inner(text).then(|| serde_json::from_str(text).ok()).flatten()
}

fn is_inner(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"'])
}

/// The commands that stand among the members of an object.
fn commands_among(members: &Map<String, Value>, tool: ToolKind) -> Vec<ArgumentCommand> {
    let mut found = Vec::new();
    for (name, value) in members {
        let run = if is_named(name, PROGRAMS) { Some(RunAs::Line) } else { tool.runs_as(name, members) };
        let Some(run) = run else { continue };
        let inner = value.as_str().and_then(inner_value);
        if run == RunAs::Line {
            let lines = is_named(name, LINES);
            add_command(value, lines, members, &mut found);
            inner.iter().for_each(|inner| add_command(inner, lines, members, &mut found));
        }
        for text in [Some(value), inner.as_ref()].into_iter().flatten().flat_map(each_text) {
            if run != RunAs::Line || is_quoting(name) {
                add_code(text, run, &mut found);
            }
        }
    }
    found
}

/// A text, or those of a list.
fn each_text(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().into_iter().flatten();
    value.as_str().into_iter().chain(list.filter_map(Value::as_str))
}

/// What a program in another language says that it starts, and a program that may as well be a line.
fn add_code(text: &str, run: RunAs, found: &mut Vec<ArgumentCommand>) {
    if text.len() > LONGEST_INNER {
        found.push(ArgumentCommand::Unread);
        return;
    }
    if run == RunAs::Code {
        found.push(ArgumentCommand::Perhaps(text.to_owned()));
    }
    found.extend(lines_started_by_code(text).into_iter().map(ArgumentCommand::Perhaps));
}

fn add_command(value: &Value, lines: bool, members: &Map<String, Value>, found: &mut Vec<ArgumentCommand>) {
    match value {
        Value::String(line) => {
            let further = members.iter().filter(|(name, _)| is_named(name, FURTHER_WORDS));
            for (_, further) in further {
                let inner = further.as_str().and_then(inner_value);
                match texts_of(inner.as_ref().unwrap_or(further)) {
                    Some(words) => {
                        let whole = std::iter::once(line.clone()).chain(words.iter().cloned()).collect();
                        found.push(ArgumentCommand::Words(whole));
                        if line.contains(char::is_whitespace) {
                            found.push(ArgumentCommand::Line(format!("{line} {}", join_words(&words))));
                        }
                    }
                    None => found.extend(
                        further.as_str().map(|further| ArgumentCommand::Line(format!("{line} {further}"))),
                    ),
                }
            }
            found.push(ArgumentCommand::Line(line.clone()));
        }
        Value::Array(items) => {
            if let Some(words) = texts_of(value) {
                let several = words.iter().filter(|word| lines || word.trim().contains(char::is_whitespace));
                found.extend(several.cloned().map(ArgumentCommand::Line));
                if !words.is_empty() {
                    found.push(ArgumentCommand::Words(words));
                }
            } else {
                for item in items.iter().filter(|item| item.is_array() || item.is_string()) {
                    match texts_of(item) {
                        Some(words) => found.push(ArgumentCommand::Words(words)),
                        None => {
                            found.extend(item.as_str().map(|line| ArgumentCommand::Line(line.to_owned())))
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

/// A list of nothing but texts.
fn texts_of(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| Some(item.as_str()?.to_owned())).collect()
}

/// The addresses that a text is: one, or a list of nothing else.
fn addresses_in(text: &str) -> Vec<UrlAccess> {
    if !text.contains([':']) {
        return Vec::new();
    }
    // Readers by the URL standard leave these out.
    let whole: String = text.chars().filter(|c| !matches!(c, '\t' | '\r' | '\n')).collect();
    if let Some(url) = address_of(&whole) {
        let mut found = vec![url];
        found.extend(list_of(text));
        return found;
    }
    list_of(text)
}

fn list_of(text: &str) -> Vec<UrlAccess> {
    let parts = text.split(is_between).filter(|part| !part.is_empty());
    let urls: Option<Vec<_>> = parts.map(address_of).collect();
    urls.filter(|urls| urls.len() > 1).unwrap_or_default()
}

/// What may stand between addresses.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';')
}

/// What may stand around an address.
fn is_around(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "\"'`<>()[]".contains(c)
}

/// The address that a text is.
fn address_of(text: &str) -> Option<UrlAccess> {
    address_behind_names(text, MOST_NAMES)
}

/// Maximum number of names before an address that are taken off one by one: behind that many, it begins at its own scheme.
const MOST_NAMES: usize = 8;

/// The same, where so many names may still stand before it: `url:https://host`.
fn address_behind_names(text: &str, names: usize) -> Option<UrlAccess> {
    let text = text.trim_matches(is_around);
    // `[name](https://host)`
    let text = text.rsplit("](").next().unwrap_or(text);
    let (scheme, rest) = text.split_once(':')?;
    if !is_scheme(scheme) || text.contains(' ') && !rest.contains("//") {
        return None;
    }
    // `git+https`
    let plain = scheme.rsplit('+').next().unwrap_or(scheme).to_ascii_lowercase();
    if SCHEMES.contains(&plain.as_str()) {
        // Without slashes some readers find a host, too.
        let host = rest.starts_with(['/', '\\']) || rest.contains('.') && !rest.contains(char::is_whitespace);
        let url = host.then(|| UrlAccess::parse_lenient(text).ok()).flatten()?;
        return Some(UrlAccess { scheme: plain, ..url });
    }
    if names > 0
        && let Some(at) = rest.find("://")
    {
        let before = rest.get(..at).unwrap_or_default();
        let scheme = before.rfind(':').filter(|_| names == 1).map_or(0, |colon| colon + 1);
        let inner = address_behind_names(rest.get(scheme..).unwrap_or_default(), names - 1);
        if inner.is_some() {
            return inner;
        }
    }
    let other = rest.starts_with("//") && file_paths(text).is_empty() && !text.contains(char::is_whitespace);
    let url = other.then(|| UrlAccess::parse_lenient(text).ok()).flatten()?;
    (is_this_machine(&url.host) || is_dotted(&url.host)).then_some(url)
}

fn is_dotted(host: &str) -> bool {
    host.contains('.') || host.starts_with('[')
}

/// The machine that the value of an argument of this name begins with. What is done there is not known.
fn host_in(text: &str, name: &str) -> Option<UrlAccess> {
    let perhaps = is_named(name, PERHAPS_HOSTS);
    if !perhaps && !is_named(name, HOSTS) {
        return None;
    }
    let text = text.trim();
    let rest = text.strip_prefix("//").unwrap_or(text);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '%' | '_');
    let begins = authority.starts_with(|c: char| c.is_alphanumeric() || c == '[');
    if !begins || !authority.chars().all(plain) {
        return None;
    }
    let url = UrlAccess::parse_lenient(&format!("https://{authority}/")).ok()?;
    let sure = !perhaps || is_this_machine(&url.host) || is_dotted(&url.host) || authority.contains(':');
    sure.then(|| UrlAccess { given: text.to_owned(), scheme: String::new(), open: true, ..url })
}

#[cfg(test)]
mod tests {
    use super::address_of;

    /// Attack 731: each name before an address was a call of its own, and some thousands of them ended the process.
    #[test]
    fn given_many_names_before_an_address_then_it_is_found_and_nothing_overflows() {
        let host = |text: &str| address_of(text).map(|url| url.host);
        for names in [1, 2, 7, 8, 9, 50_000] {
            let text = format!("{}https://evil.example/y", "x:".repeat(names));
            assert_eq!(host(&text).as_deref(), Some("evil.example"), "{names}");
        }
        assert_eq!(host(&("x:".repeat(50_000) + "//h")), None);
    }
}
