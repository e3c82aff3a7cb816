//! What a server says of its tools.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use super::{Failure, Server};
use crate::era::{ClientProfile, Era};
use crate::frame::code;
use crate::members::Members;
use crate::wire::LONGEST;
use mayi_core::approval::escape_line;
use mayi_core::call::{Digest, digest_of, json as reading};
use mayi_core::pin::TOOL_MEMBERS;

/// The most tools that a server may list: more than any model is given, and few enough to be kept and compared.
pub(super) const TOOLS: usize = 10_000;

/// The longest list of tools, and the longest definition of one: text in bytes.
const LIST: usize = 16 * 1024 * 1024;
const DEFINITION: usize = 256 * 1024;

/// The most pages of a list that are asked for, how long all of them together may be, and how long they may take.
const PAGES: usize = 200;
const WHOLE: usize = LONGEST;
const PATIENCE: Duration = Duration::from_secs(60);

/// A tool, as its server describes it.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// Its name, unique on its server.
    pub(crate) name: String,
    /// All that was said of it, as it was sent.
    pub(crate) raw: Members,
    /// The same, read.
    pub(crate) parsed: Value,
    digest: OnceLock<Digest>,
}

impl Tool {
    /// Over all that is said of it.
    pub(crate) fn digest(&self) -> &Digest {
        self.digest.get_or_init(|| digest_of(&self.parsed))
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

/// Reads the tools of a result of `tools/list`, of a server that has listed `before` tools on the pages before it.
///
/// # Errors
/// If there are too many, if two readers could read it differently, if a tool has no name, or if two have the same.
pub(crate) fn tools_of(result: &RawValue, before: usize) -> Result<Vec<Tool>, String> {
    let refuse = |what: &str| format!("its list of tools is refused: {what}");
    // First, and without keeping anything of it: reading takes many times the memory of the text.
    if before + count_tools(result) > TOOLS {
        return Err(refuse(&format!(
            "it has more than {TOOLS} tools, which is the most that mayi passes on"
        )));
    }
    if result.get().len() > LIST {
        return Err(refuse(&format!("it is longer than {} MiB", LIST / 1024 / 1024)));
    }
    // Pins are held to what mayi reads; the client must not read anything else.
    reading::parse_strict(result.get()).map_err(|error| refuse(&escape_line(&error.to_string())))?;
    let members = Members::parse(result.get()).map_err(|error| refuse(&escape_line(&error.to_string())))?;
    // A client that compares names without regard to case is not to read what was not compared with what is trusted.
    let mistaken = |members: &Members, names: &[&str]| {
        let name = members.ambiguous_member(names).map(escape_line);
        name.map_or(Ok(()), |name| Err(refuse(&format!("readers disagree about the member `{name}`"))))
    };
    mistaken(&members, &["tools", "nextCursor"])?;
    let Some(tools) = members.get("tools") else { return Ok(Vec::new()) };
    let list: Vec<Box<RawValue>> =
        serde_json::from_str(tools.get()).map_err(|_| refuse("`tools` is not an array"))?;
    let mut known = std::collections::HashSet::new();
    list.iter()
        .map(|raw| {
            if raw.get().len() > DEFINITION {
                return Err(refuse(&format!("a tool's definition is longer than {} KiB", DEFINITION / 1024)));
            }
            let said: Value = serde_json::from_str(raw.get()).map_err(|_| refuse("a tool can't be read"))?;
            let members = Members::parse(raw.get()).map_err(|_| refuse("a tool is not an object"))?;
            mistaken(&members, TOOL_MEMBERS)?;
            let name =
                said.get("name").and_then(Value::as_str).ok_or_else(|| refuse("a tool has no name"))?;
            if !known.insert(name.to_owned()) {
                return Err(refuse(&format!("two tools are called `{}`", escape_line(name))));
            }
            Ok(Tool { name: name.to_owned(), raw: members, parsed: said, digest: OnceLock::new() })
        })
        .collect()
}

impl Server {
    /// The tools as they were listed last, if they were.
    pub(crate) fn last_catalogue(&self) -> Option<Arc<Catalogue>> {
        self.lock().catalogue.clone()
    }

    /// The tools, as they were listed last; asked for if that is not known, or has changed.
    ///
    /// # Errors
    /// If there is no list that can be read.
    pub(crate) async fn load_catalogue(&self, says: &ClientProfile) -> Result<Arc<Catalogue>, Failure> {
        let changes = {
            let state = self.lock();
            if let Some(catalogue) = &state.catalogue {
                return Ok(Arc::clone(catalogue));
            }
            state.changes
        };
        let mut tools: Vec<Tool> = Vec::new();
        let mut known = std::collections::HashSet::new();
        // Each page is read as it comes in: a list that is too long ends there.
        self.fetch_pages("tools/list", says, |page| {
            for tool in tools_of(&page.to_raw_value(), tools.len())? {
                if !known.insert(tool.name.clone()) {
                    return Err(format!("two tools are called `{}`", escape_line(&tool.name)));
                }
                tools.push(tool);
            }
            Ok(())
        })
        .await?;
        let catalogue = Arc::new(Catalogue::new(tools));
        let mut state = self.lock();
        if state.changes == changes {
            state.catalogue = Some(Arc::clone(&catalogue));
        }
        Ok(catalogue)
    }

    /// How often the list was forgotten: what was asked for before is not to be kept.
    pub(crate) fn change_count(&self) -> u64 {
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

    /// So many tools were on the pages before the one at `cursor`, as clients have asked for them.
    pub(crate) fn tools_before(&self, cursor: Option<&str>) -> usize {
        let mut state = self.lock();
        match cursor {
            Some(cursor) => state.pages.get(cursor).copied().unwrap_or_default(),
            None => {
                state.pages.clear();
                0
            }
        }
    }

    /// So many tools were on the pages before the one at `next`.
    ///
    /// # Errors
    /// If there are so many pages that the list has no end.
    pub(crate) fn saw_tools(&self, next: String, count: usize) -> Result<(), Failure> {
        let mut state = self.lock();
        if state.pages.len() >= PAGES {
            drop(state);
            return Err(Failure::new(format!(
                "the list `tools/list` of the server {} has no end",
                self.name
            )));
        }
        state.pages.insert(next, count);
        Ok(())
    }

    /// Forgets `catalogue`, so that the list is asked for again; `false` if another one is known by now.
    pub(crate) fn forget_tools(&self, catalogue: &Arc<Catalogue>) -> bool {
        let mut state = self.lock();
        let same = state.catalogue.as_ref().is_none_or(|known| Arc::ptr_eq(known, catalogue));
        if same {
            state.forget_tools();
        }
        same
    }

    /// Asks for all pages of a list, and gives each to `take` as a result. None if the server does not know the method.
    ///
    /// # Errors
    /// If a page is missing or `take` refuses it, or if they have no end.
    pub(crate) async fn fetch_pages(
        &self,
        method: &str,
        says: &ClientProfile,
        take: impl FnMut(&Members) -> Result<(), String>,
    ) -> Result<(), Failure> {
        let all = self.each_page(method, says, take);
        tokio::time::timeout(PATIENCE, all).await.unwrap_or_else(|_| {
            let seconds = PATIENCE.as_secs();
            Err(Failure::new(format!(
                "the list `{method}` of the server {} was not there within {seconds} s",
                self.name
            )))
        })
    }

    async fn each_page(
        &self,
        method: &str,
        says: &ClientProfile,
        mut take: impl FnMut(&Members) -> Result<(), String>,
    ) -> Result<(), Failure> {
        let stateless = self.era() == Some(Era::Stateless);
        let mut cursors = std::collections::HashSet::new();
        let mut cursor: Option<String> = None;
        let mut length = 0;
        loop {
            let mut params = Members::default();
            if let Some(cursor) = &cursor {
                params.set("cursor", super::super::members::to_raw_json(cursor));
            }
            if stateless {
                params = says.stamp_params(params, None);
            }
            let response = self.send_own_request(method, &params).await?;
            let Some(page) = response.result_object() else {
                let error = response
                    .member("error")
                    .and_then(|error| serde_json::from_str::<Value>(error.get()).ok())
                    .unwrap_or_default();
                // A server without tools may not know the method. Any other error leaves open what it has.
                if error.get("code").and_then(Value::as_i64) == Some(code::METHOD_NOT_FOUND) {
                    return Ok(());
                }
                let said = error.get("message").and_then(Value::as_str).unwrap_or("no result");
                let said = escape_line(&said.chars().take(200).collect::<String>());
                return Err(Failure::new(format!("the server {} refuses `{method}`: {said}", self.name)));
            };
            length += response.approximate_size();
            if length > WHOLE {
                let mib = WHOLE / 1024 / 1024;
                return Err(Failure::new(format!(
                    "the list `{method}` of the server {} is longer than {mib} MiB",
                    self.name
                )));
            }
            drop(response);
            take(&page).map_err(|why| Failure::new(format!("the server {}: {why}", self.name)))?;
            match page.string_member("nextCursor") {
                Some(next) if cursors.len() + 1 < PAGES && cursors.insert(next.clone()) => {
                    cursor = Some(next)
                }
                Some(_) => {
                    return Err(Failure::new(format!(
                        "the list `{method}` of the server {} has no end",
                        self.name
                    )));
                }
                None => return Ok(()),
            }
        }
    }
}

/// How many elements `tools` has in a result, whatever else it holds; 0 for what is no list, which is refused later.
fn count_tools(result: &RawValue) -> usize {
    struct Counted(usize);
    impl<'de> Deserialize<'de> for Counted {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Counting;
            impl<'de> Visitor<'de> for Counting {
                type Value = Counted;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an array")
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Counted, A::Error> {
                    let mut count = 0;
                    while list.next_element::<IgnoredAny>()?.is_some() {
                        count += 1;
                    }
                    Ok(Counted(count))
                }
            }
            deserializer.deserialize_seq(Counting)
        }
    }
    #[derive(Deserialize)]
    struct ToolsList {
        tools: Counted,
    }
    serde_json::from_str::<ToolsList>(result.get()).map_or(0, |listed| listed.tools.0)
}

/// What a client sees of a tool that is blocked: that it is there, and why it can't be called. Nothing that its server
/// says now.
pub(crate) fn blocked_tool(name: &str, why: &str) -> Value {
    json!({ "name": name, "description": why, "inputSchema": { "type": "object" } })
}
