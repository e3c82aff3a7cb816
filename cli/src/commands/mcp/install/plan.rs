//! What becomes of one file: a new text, and how to come back from it.

use std::collections::BTreeSet;
use std::path::Path;

use mayi_core::call::Names;

use super::clients::Client;
use super::gated::{Gated, Server, gated};
use super::model::Entry;
use super::pieces::{Splice, back, pieces, restored, text as spliced};
use super::undo::Note;
use super::unwrap::{Hints, unwrap};
use super::wrap::{Gate, tells, wrap};

/// What becomes of one file.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// All of the new text.
    pub(super) new: String,
    /// The servers that change, as they are shown.
    pub(super) changed: Vec<String>,
    /// Their keys.
    pub(super) keys: Vec<Vec<String>>,
    /// How to come back.
    pub(super) notes: Vec<Note>,
    /// Servers that are left alone, and why.
    pub(super) left: Vec<(String, String)>,
    /// Servers that are behind the gateway.
    pub(super) already: Vec<String>,
    /// What there is to know of those that change.
    pub(super) besides: Vec<(String, String)>,
}

/// Which servers are meant: all, or those of these names.
pub(super) fn meant(entry: &Entry, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| name == entry.name())
}

/// Puts the gateway `mayi` in front of the servers in `text`.
///
/// # Errors
/// If the text can't be read, or the change could not be taken back.
pub(super) fn install(
    client: &'static Client,
    file: &Path,
    text: &str,
    only: &[String],
    mayi: &str,
) -> Result<Plan, String> {
    let entries = client.entries(text)?;
    let mut plan = Plan { new: text.to_owned(), ..Plan::default() };
    let mut taken: BTreeSet<String> =
        entries.iter().map(|entry| entry.name().to_owned()).filter(|name| passes(name)).collect();
    let mut splices: Vec<Splice> = Vec::new();
    let mut changed: Vec<&Entry> = Vec::new();
    for entry in entries.iter().filter(|entry| meant(entry, only)) {
        if let Some(gated) = gated(entry, client.shape, mayi) {
            match gated.remark(mayi) {
                None => plan.already.push(entry.shown()),
                Some(remark) => {
                    plan.left.push((entry.shown(), format!("it is behind a gateway already, {remark}")))
                }
            }
            continue;
        }
        let name = plain(entry.name(), &taken);
        match wrap(text, entry, Gate { client, mayi, name: &name, agent: client.id }) {
            Err(why) => plan.left.push((entry.shown(), why)),
            Ok(more) => {
                splices.extend(more);
                if name != entry.name() {
                    plan.besides.push((entry.shown(), format!("rules and cards call it {name}")));
                }
                if tells(entry) {
                    let why =
                        "its address will be in the list of processes, where others on this machine see it";
                    plan.besides.push((entry.shown(), why.to_owned()));
                }
                taken.insert(name);
                changed.push(entry);
            }
        }
    }
    if changed.is_empty() {
        return Ok(plan);
    }
    let odd = "can't be changed as it is laid out";
    let all = pieces(text, &splices).ok_or(odd)?;
    plan.new = spliced(text, &all).ok_or(odd)?;
    for entry in changed {
        let kind = entry.text("type").filter(|_| entry.field("command").is_none()).map(str::to_owned);
        let address = ["url", "serverUrl", "httpUrl"].into_iter().find(|key| entry.field(key).is_some());
        plan.notes.push(Note {
            file: file.to_owned(),
            keys: entry.keys.clone(),
            address: address.map(str::to_owned),
            kind,
            back: back(text, &all, &entry.at).ok_or(odd)?,
        });
        plan.changed.push(entry.shown());
        plan.keys.push(entry.keys.clone());
    }
    // Nothing is written that can't be taken back to the byte.
    let mut there = plan.new.clone();
    for note in &plan.notes {
        there = exactly(client, &there, note, mayi).ok_or(odd)?;
    }
    if there != text {
        return Err(odd.to_owned());
    }
    Ok(plan)
}

/// Takes the gateway away from the servers in `text`.
///
/// # Errors
/// If the text can't be read.
pub(super) fn uninstall(
    client: &'static Client,
    file: &Path,
    text: &str,
    only: &[String],
    notes: &[Note],
    mayi: &str,
) -> Result<Plan, String> {
    let mut plan = Plan { new: text.to_owned(), ..Plan::default() };
    for entry in client.entries(text)?.iter().filter(|entry| meant(entry, only)) {
        let Some(gated) = gated(entry, client.shape, mayi) else {
            if !only.is_empty() {
                plan.left.push((entry.shown(), "it is not behind the gateway".to_owned()));
            }
            continue;
        };
        if entry.odd.is_some() || !installed(&gated) {
            let why =
                entry.odd.clone().unwrap_or_else(|| "`mayi mcp install` has not put it there".to_owned());
            plan.left.push((entry.shown(), why));
            continue;
        }
        let note = notes.iter().find(|note| note.is_of(file, &entry.keys));
        let exact = note.and_then(|note| exactly(client, &plan.new, note, mayi));
        let after = match exact {
            Some(new) => Ok(new),
            None => {
                plan.besides.push((entry.shown(), "taken back by what its entry says now".to_owned()));
                nearly(client, &plan.new, &entry.keys, &gated, note)
            }
        };
        match after {
            Ok(new) => {
                plan.new = new;
                plan.changed.push(entry.shown());
                plan.keys.push(entry.keys.clone());
            }
            Err(why) => {
                plan.besides.pop();
                plan.left.push((entry.shown(), why));
            }
        }
    }
    Ok(plan)
}

/// Whether `mayi mcp install` writes it so.
fn installed(gated: &Gated) -> bool {
    gated.server != Server::Configured && gated.name.is_some() && gated.agent.is_some()
}

fn find(client: &Client, text: &str, keys: &[String]) -> Option<Entry> {
    client.entries(text).ok()?.into_iter().find(|entry| entry.keys == keys)
}

/// The text with one entry as the note says that it was: only if the gateway in front of that is what is there now.
fn exactly(client: &'static Client, text: &str, note: &Note, mayi: &str) -> Option<String> {
    let entry = find(client, text, &note.keys)?;
    let gated = gated(&entry, client.shape, mayi)?;
    let old = restored(text.get(entry.at.clone())?, &note.back)?;
    let (before, after) = (text.get(..entry.at.start)?, text.get(entry.at.end..)?);
    let candidate = format!("{before}{old}{after}");
    let entry = find(client, &candidate, &note.keys)?;
    let (name, agent) = (gated.name?, gated.agent?);
    let gate = Gate { client, mayi: &gated.mayi, name: &name, agent: &agent };
    let again = pieces(&candidate, &wrap(&candidate, &entry, gate).ok()?)?;
    (spliced(&candidate, &again)? == text).then_some(candidate)
}

fn nearly(
    client: &'static Client,
    text: &str,
    keys: &[String],
    gated: &Gated,
    note: Option<&Note>,
) -> Result<String, String> {
    let odd = "it can't be changed as it is laid out";
    let entry = find(client, text, keys).ok_or(odd)?;
    let hints = Hints {
        address: note.and_then(|note| note.address.as_deref()).filter(|key| key.ends_with("rl")),
        kind: note.and_then(|note| note.kind.as_deref()),
    };
    let splices = unwrap(text, &entry, client, gated, hints)?;
    let new = pieces(text, &splices).and_then(|all| spliced(text, &all)).ok_or(odd)?;
    let after = find(client, &new, keys).ok_or(odd)?;
    if super::gated::gated(&after, client.shape, &gated.mayi).is_some() {
        Err(odd.to_owned())
    } else {
        Ok(new)
    }
}

/// The text with the values of variables and headers hidden, to be shown.
pub(super) fn masked(client: &Client, text: &str) -> String {
    let keys = ["env", "environment", "headers", "http_headers"];
    let Ok(entries) = client.entries(text) else { return text.to_owned() };
    let fields = entries.iter().flat_map(|entry| &entry.fields);
    let values = fields.filter(|field| keys.contains(&field.key.as_str())).flat_map(|field| &field.pairs);
    let hidden: Vec<Splice> = values
        .filter(|pair| pair.value.as_str().is_some_and(|value| !value.is_empty()))
        .map(|pair| Splice::new(pair.value_at.clone(), client.syntax.quoted("•••")))
        .collect();
    pieces(text, &hidden).and_then(|all| spliced(text, &all)).unwrap_or_default()
}

/// Whether a name can be given as `--name`.
fn passes(name: &str) -> bool {
    Names::plain(name) && !name.starts_with('-')
}

/// A name that can be given as `--name`: the server's own, or one that is like it.
fn plain(name: &str, taken: &BTreeSet<String>) -> String {
    if passes(name) {
        return name.to_owned();
    }
    let mut like = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
            like.push(c);
        } else if !like.is_empty() && !like.ends_with('-') {
            like.push('-');
        }
        if like.len() >= 100 {
            break;
        }
    }
    let like = like.trim_end_matches('-');
    let like = if like.is_empty() { "server" } else { like };
    let numbered = (2..).map(|number| format!("{like}-{number}"));
    std::iter::once(like.to_owned()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
}
