//! `mayi mcp install` without a client: what there is, and what is behind the gateway.

use mayi_core::approval::escape_line;
use serde_json::json;

use super::clients::{CLIENTS, Client};
use super::gated_entries::parse_gateway;
use super::wrap::{GatewaySpec, wrap_entry};
use crate::commands::settings::SettingsFile;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

pub(super) fn list_entries(json: bool, mayi: &str, ctx: &Context) -> Result<Exit, CliError> {
    let home = ctx.sources.folders.home.as_deref();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut open = None;
    for client in CLIENTS {
        let own = client.own_files(&ctx.sources.folders).into_iter().map(|file| (file, "user"));
        let project = client.project_files(&ctx.cwd, home).into_iter().map(|file| (file, "project"));
        for (path, scope) in own.chain(project) {
            if !path.is_file() {
                continue;
            }
            let found = SettingsFile::read(&path, None).and_then(|file| {
                let entries = client.parse_entries(&file.text).map_err(|why| file.config_error(&why))?;
                Ok((file, entries))
            });
            let (file, entries) = match found {
                Ok(found) => found,
                // One that can't be read hides no others.
                Err(error) => {
                    error.print_report(ctx.is_stderr_colored());
                    continue;
                }
            };
            for entry in &entries {
                let (state, why) = match parse_gateway(entry, client.shape, mayi) {
                    Some(gated) => ("gated", gated.warning_text(mayi)),
                    None => match wrap_entry(
                        &file.text,
                        entry,
                        GatewaySpec { client, program: mayi, name: "x", agent: client.id },
                    ) {
                        Ok(_) => ("open", None),
                        Err(why) => ("left alone", Some(why)),
                    },
                };
                if state == "open" && open.is_none() {
                    open = Some((client, scope));
                }
                if json {
                    print::stdout_json(&print::Versioned::new(json!({
                        "client": client.id, "server": entry.name(), "keys": entry.keys, "file": file.path,
                        "scope": scope, "state": state.replace(' ', "_"), "why": why,
                    })))?;
                } else {
                    let state = why.map_or_else(|| state.to_owned(), |why| format!("{state}: {why}"));
                    rows.push(vec![
                        client.id.to_owned(),
                        entry.display_name(),
                        home_relative_path(&file, home),
                        state,
                    ]);
                }
            }
        }
    }
    for row in print::align_columns(&rows) {
        print::stdout_line(row)?;
    }
    if rows.is_empty() && !json {
        let known: Vec<&str> = CLIENTS.iter().map(|client: &Client| client.id).collect();
        ctx.print_note(format!("no servers were found in the settings of {}", known.join(", ")));
    }
    if let (Some((client, scope)), false) = (open, json) {
        let scope = if scope == "project" { " --scope project" } else { "" };
        ctx.print_note(format!("next    mayi mcp install {}{scope}", client.id));
    }
    Ok(Exit::Done)
}

fn home_relative_path(file: &SettingsFile, home: Option<&std::path::Path>) -> String {
    match home.and_then(|home| file.path.strip_prefix(home).ok()) {
        Some(rest) => escape_line(&format!("~/{}", rest.display())),
        None => file.display_name(),
    }
}
