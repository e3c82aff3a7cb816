//! What becomes of one file: a new text, and how to come back from it.

use std::collections::BTreeSet;
use std::path::Path;

use mayi_core::call::Names;

use super::clients::Client;
use super::gated_entries::{GatedServer, ParsedGateway, parse_gateway};
use super::model::ServerEntry;
use super::text_pieces::{Splice, join_pieces as spliced, restore_text, split_into_pieces, undo_pieces};
use super::undo_notes::UndoNote;
use super::unwrap::{RemoteHints, unwrap_entry};
use super::wrap::{GatewaySpec, exposes_secret, wrap_entry};

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
    pub(super) notes: Vec<UndoNote>,
    /// Servers that are left alone, and why.
    pub(super) left_alone: Vec<(String, String)>,
    /// Servers that are behind the gateway.
    pub(super) already_gated: Vec<String>,
    /// What there is to know of those that change.
    pub(super) remarks: Vec<(String, String)>,
}

/// Which servers are meant: all, or those of these names.
pub(super) fn is_selected(entry: &ServerEntry, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| name == entry.name())
}

/// Puts the gateway `mayi` in front of the servers in `text`.
///
/// # Errors
/// If the text can't be read, or the change could not be taken back.
pub(super) fn plan_install(
    client: &'static Client,
    file: &Path,
    text: &str,
    only: &[String],
    mayi: &str,
) -> Result<Plan, String> {
    let entries = client.parse_entries(text)?;
    let mut plan = Plan { new: text.to_owned(), ..Plan::default() };
    let mut taken: BTreeSet<String> =
        entries.iter().map(|entry| entry.name().to_owned()).filter(|name| is_valid_name(name)).collect();
    let mut splices: Vec<Splice> = Vec::new();
    let mut changed: Vec<&ServerEntry> = Vec::new();
    for entry in entries.iter().filter(|entry| is_selected(entry, only)) {
        if let Some(gated) = parse_gateway(entry, client.shape, mayi) {
            match gated.warning_text(mayi) {
                None => plan.already_gated.push(entry.display_name()),
                Some(remark) => plan
                    .left_alone
                    .push((entry.display_name(), format!("it is behind a gateway already, {remark}"))),
            }
            continue;
        }
        let name = make_valid_name(entry.name(), &taken);
        match wrap_entry(text, entry, GatewaySpec { client, program: mayi, name: &name, agent: client.id }) {
            Err(why) => plan.left_alone.push((entry.display_name(), why)),
            Ok(more) => {
                splices.extend(more);
                if name != entry.name() {
                    plan.remarks.push((entry.display_name(), format!("rules and cards call it {name}")));
                }
                if exposes_secret(entry) {
                    let why =
                        "its address will be in the list of processes, where others on this machine see it";
                    plan.remarks.push((entry.display_name(), why.to_owned()));
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
    let all = split_into_pieces(text, &splices).ok_or(odd)?;
    plan.new = spliced(text, &all).ok_or(odd)?;
    for entry in changed {
        let kind = entry.field_text("type").filter(|_| entry.field("command").is_none()).map(str::to_owned);
        let address = ["url", "serverUrl", "httpUrl"].into_iter().find(|key| entry.field(key).is_some());
        plan.notes.push(UndoNote {
            file: file.to_owned(),
            keys: entry.keys.clone(),
            address: address.map(str::to_owned),
            kind,
            back: undo_pieces(text, &all, &entry.span).ok_or(odd)?,
        });
        plan.changed.push(entry.display_name());
        plan.keys.push(entry.keys.clone());
    }
    // Nothing is written that can't be taken back to the byte.
    let mut there = plan.new.clone();
    for note in &plan.notes {
        there = undo_exactly(client, &there, note, mayi).ok_or(odd)?;
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
pub(super) fn plan_uninstall(
    client: &'static Client,
    file: &Path,
    text: &str,
    only: &[String],
    notes: &[UndoNote],
    mayi: &str,
) -> Result<Plan, String> {
    let mut plan = Plan { new: text.to_owned(), ..Plan::default() };
    for entry in client.parse_entries(text)?.iter().filter(|entry| is_selected(entry, only)) {
        let Some(gated) = parse_gateway(entry, client.shape, mayi) else {
            if !only.is_empty() {
                plan.left_alone.push((entry.display_name(), "it is not behind the gateway".to_owned()));
            }
            continue;
        };
        if entry.problem.is_some() || !was_installed_by_mayi(&gated) {
            let why =
                entry.problem.clone().unwrap_or_else(|| "`mayi mcp install` has not put it there".to_owned());
            plan.left_alone.push((entry.display_name(), why));
            continue;
        }
        let note = notes.iter().find(|note| note.is_of(file, &entry.keys));
        let exact = note.and_then(|note| undo_exactly(client, &plan.new, note, mayi));
        let after = match exact {
            Some(new) => Ok(new),
            None => {
                plan.remarks.push((entry.display_name(), "taken back by what its entry says now".to_owned()));
                undo_by_entry(client, &plan.new, &entry.keys, &gated, note)
            }
        };
        match after {
            Ok(new) => {
                plan.new = new;
                plan.changed.push(entry.display_name());
                plan.keys.push(entry.keys.clone());
            }
            Err(why) => {
                plan.remarks.pop();
                plan.left_alone.push((entry.display_name(), why));
            }
        }
    }
    Ok(plan)
}

/// Whether `mayi mcp install` writes it so.
fn was_installed_by_mayi(gated: &ParsedGateway) -> bool {
    gated.server != GatedServer::Configured && gated.name.is_some() && gated.agent.is_some()
}

fn find_entry(client: &Client, text: &str, keys: &[String]) -> Option<ServerEntry> {
    client.parse_entries(text).ok()?.into_iter().find(|entry| entry.keys == keys)
}

/// The text with one entry as the note says that it was: only if the gateway in front of that is what is there now.
fn undo_exactly(client: &'static Client, text: &str, note: &UndoNote, mayi: &str) -> Option<String> {
    let entry = find_entry(client, text, &note.keys)?;
    let gated = parse_gateway(&entry, client.shape, mayi)?;
    let old = restore_text(text.get(entry.span.clone())?, &note.back)?;
    let (before, after) = (text.get(..entry.span.start)?, text.get(entry.span.end..)?);
    let candidate = format!("{before}{old}{after}");
    let entry = find_entry(client, &candidate, &note.keys)?;
    let (name, agent) = (gated.name?, gated.agent?);
    let gate = GatewaySpec { client, program: &gated.program, name: &name, agent: &agent };
    let again = split_into_pieces(&candidate, &wrap_entry(&candidate, &entry, gate).ok()?)?;
    (spliced(&candidate, &again)? == text).then_some(candidate)
}

fn undo_by_entry(
    client: &'static Client,
    text: &str,
    keys: &[String],
    gated: &ParsedGateway,
    note: Option<&UndoNote>,
) -> Result<String, String> {
    let odd = "it can't be changed as it is laid out";
    let entry = find_entry(client, text, keys).ok_or(odd)?;
    let hints = RemoteHints {
        address: note.and_then(|note| note.address.as_deref()).filter(|key| key.ends_with("rl")),
        kind: note.and_then(|note| note.kind.as_deref()),
    };
    let splices = unwrap_entry(text, &entry, client, gated, hints)?;
    let new = split_into_pieces(text, &splices).and_then(|all| spliced(text, &all)).ok_or(odd)?;
    let after = find_entry(client, &new, keys).ok_or(odd)?;
    if super::gated_entries::parse_gateway(&after, client.shape, &gated.program).is_some() {
        Err(odd.to_owned())
    } else {
        Ok(new)
    }
}

/// The text with the values of variables and headers hidden, to be shown.
pub(super) fn mask_values(client: &Client, text: &str) -> String {
    let keys = ["env", "environment", "headers", "http_headers"];
    let Ok(entries) = client.parse_entries(text) else { return text.to_owned() };
    let fields = entries.iter().flat_map(|entry| &entry.fields);
    let values = fields.filter(|field| keys.contains(&field.key.as_str())).flat_map(|field| &field.pairs);
    let hidden: Vec<Splice> = values
        .filter(|pair| pair.value.as_str().is_some_and(|value| !value.is_empty()))
        .map(|pair| Splice::new(pair.value_span.clone(), client.syntax.quote_text("•••")))
        .collect();
    split_into_pieces(text, &hidden).and_then(|all| spliced(text, &all)).unwrap_or_default()
}

/// Whether a name can be given as `--name`.
fn is_valid_name(name: &str) -> bool {
    Names::is_plain(name) && !name.starts_with('-')
}

/// A name that can be given as `--name`: the server's own, or one that is like it.
fn make_valid_name(name: &str, taken: &BTreeSet<String>) -> String {
    if is_valid_name(name) {
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
