//! What a server says of its tools.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use super::{Failure, Server};
use crate::era::{ClientSays, Era};
use crate::frame::code;
use crate::members::Members;
use mayi_core::approval::visible;
use mayi_core::call::{Digest, digest_of, json as reading};
use mayi_core::pin::{PINNED, definition_of};

/// The most pages of a list that are asked for, and the most tools.
const PAGES: usize = 200;
const TOOLS: usize = 20_000;

/// A tool, as its server describes it.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// Its name, unique on its server.
    pub(crate) name: String,
    /// All that was said of it, as it was sent.
    pub(crate) raw: Members,
    /// The same, read.
    pub(crate) said: Value,
    digest: OnceLock<Digest>,
}

impl Tool {
    /// Over what is pinned of it.
    pub(crate) fn digest(&self) -> &Digest {
        self.digest.get_or_init(|| digest_of(&definition_of(&self.said)))
    }
}

/// The tools of a server, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalogue {
    pub(crate) tools: Vec<Tool>,
    by_name: HashMap<String, usize>,
}

impl Catalogue {
    fn new(tools: Vec<Tool>) -> Self {
        let by_name = tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        Self { tools, by_name }
    }

    /// The tool of exactly this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(*self.by_name.get(name)?)
    }
}

/// Reads the tools of a result of `tools/list`.
///
/// # Errors
/// If two readers could read it differently, if a tool has no name, or if two have the same.
pub(crate) fn tools_of(result: &RawValue) -> Result<Vec<Tool>, String> {
    let refuse = |what: &str| format!("its list of tools is refused: {what}");
    // Pins are held to what mayi reads; the client must not read anything else.
    reading::strict(result.get()).map_err(|error| refuse(&visible(&error.to_string())))?;
    let members = Members::parse(result.get()).map_err(|error| refuse(&visible(&error.to_string())))?;
    // A client that compares names without regard to case is not to read what was not compared with what is trusted.
    let mistaken = |members: &Members, names: &[&str]| {
        let name = members.mistaken(names).map(visible);
        name.map_or(Ok(()), |name| Err(refuse(&format!("readers disagree about the member `{name}`"))))
    };
    mistaken(&members, &["tools", "nextCursor"])?;
    let Some(tools) = members.get("tools") else { return Ok(Vec::new()) };
    let list: Vec<Box<RawValue>> =
        serde_json::from_str(tools.get()).map_err(|_| refuse("`tools` is not an array"))?;
    let mut known = std::collections::HashSet::new();
    list.iter()
        .map(|raw| {
            let said: Value = serde_json::from_str(raw.get()).map_err(|_| refuse("a tool can't be read"))?;
            let members = Members::parse(raw.get()).map_err(|_| refuse("a tool is not an object"))?;
            mistaken(&members, PINNED)?;
            let name =
                said.get("name").and_then(Value::as_str).ok_or_else(|| refuse("a tool has no name"))?;
            if !known.insert(name.to_owned()) {
                return Err(refuse(&format!("two tools are called `{}`", visible(name))));
            }
            Ok(Tool { name: name.to_owned(), raw: members, said, digest: OnceLock::new() })
        })
        .collect()
}

impl Server {
    /// The tools as they were listed last, if they were.
    pub(crate) fn listed(&self) -> Option<Arc<Catalogue>> {
        self.lock().catalogue.clone()
    }

    /// The tools, as they were listed last; asked for if that is not known, or has changed.
    ///
    /// # Errors
    /// If there is no list that can be read.
    pub(crate) async fn catalogue(&self, says: &ClientSays) -> Result<Arc<Catalogue>, Failure> {
        let changes = {
            let state = self.lock();
            if let Some(catalogue) = &state.catalogue {
                return Ok(Arc::clone(catalogue));
            }
            state.changes
        };
        let pages = self.pages("tools/list", says).await?;
        let mut tools = Vec::new();
        let mut known = std::collections::HashSet::new();
        for page in pages {
            let read = tools_of(&page.raw())
                .map_err(|why| Failure::new(format!("the server {}: {why}", self.name)))?;
            for tool in read {
                if !known.insert(tool.name.clone()) {
                    let name = visible(&tool.name);
                    return Err(Failure::new(format!(
                        "the server {}: two tools are called `{name}`",
                        self.name
                    )));
                }
                tools.push(tool);
            }
            if tools.len() > TOOLS {
                return Err(Failure::new(format!("the server {} lists more than {TOOLS} tools", self.name)));
            }
        }
        let catalogue = Arc::new(Catalogue::new(tools));
        let mut state = self.lock();
        if state.changes == changes {
            state.catalogue = Some(Arc::clone(&catalogue));
        }
        Ok(catalogue)
    }

    /// How often the list was forgotten: what was asked for before is not to be kept.
    pub(crate) fn changes(&self) -> u64 {
        self.lock().changes
    }

    /// Keeps a whole list that a client asked for, so that it need not be asked for again; not if the list was forgotten
    /// since it was asked for, after so many `changes`.
    pub(crate) fn keep_tools(&self, tools: Vec<Tool>, changes: u64) -> Arc<Catalogue> {
        let catalogue = Arc::new(Catalogue::new(tools));
        let mut state = self.lock();
        if state.changes == changes {
            state.catalogue = Some(Arc::clone(&catalogue));
        }
        catalogue
    }

    /// All pages of a list, as results. Empty if the server does not know the method.
    ///
    /// # Errors
    /// If a page is missing.
    pub(crate) async fn pages(&self, method: &str, says: &ClientSays) -> Result<Vec<Members>, Failure> {
        let stateless = self.era() == Some(Era::Stateless);
        let mut pages = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut params = Members::default();
            if let Some(cursor) = &cursor {
                params.set("cursor", super::super::members::raw(cursor));
            }
            if stateless {
                params = says.stamp(params, None);
            }
            let response = self.ask(method, &params).await?;
            let Some(page) = response.outcome() else {
                let error = response
                    .member("error")
                    .and_then(|error| serde_json::from_str::<Value>(error.get()).ok())
                    .unwrap_or_default();
                // A server without tools may not know the method. Any other error leaves open what it has.
                if error.get("code").and_then(Value::as_i64) == Some(code::METHOD_NOT_FOUND) {
                    return Ok(pages);
                }
                let said = error.get("message").and_then(Value::as_str).unwrap_or("no result");
                let said = visible(&said.chars().take(200).collect::<String>());
                return Err(Failure::new(format!("the server {} refuses `{method}`: {said}", self.name)));
            };
            let next = page.string("nextCursor");
            pages.push(page);
            match next {
                Some(next) if cursor.as_ref() != Some(&next) && pages.len() < PAGES => cursor = Some(next),
                Some(_) => {
                    return Err(Failure::new(format!(
                        "the list `{method}` of the server {} has no end",
                        self.name
                    )));
                }
                None => return Ok(pages),
            }
        }
    }
}

/// What a client sees of a tool that is blocked: that it is there, and why it can't be called. Nothing that its server
/// says now.
pub(crate) fn blocked(name: &str, why: &str) -> Value {
    json!({ "name": name, "description": why, "inputSchema": { "type": "object" } })
}
