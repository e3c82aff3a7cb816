//! `[servers.NAME]`.

use toml::Spanned;
use toml::de::DeValue;
use url::Url;

use super::agents::read_command;
use super::file::ParsedFile;
use super::scalars;
use super::section::{Section, find_word};
use crate::names;
use crate::scalars::{Scalars, WithOrigin, keys};
use crate::{Layer, Transport};
use mayi_call::Category;
use mayi_kept::pin::{ChangingPart, MayChange};
use mayi_policy::{Approval, Origin};

/// How a server is reached, as far as a file says so.
#[derive(Debug)]
pub(crate) struct ServerEntry {
    pub(crate) name: String,
    pub(crate) transport: Option<Transport>,
    pub(crate) origin: Origin,
    /// What of its words may change, where that is said.
    pub(crate) may_change: Option<MayChange>,
}

/// A word that stands for a tool: whether its calls need an answer, or what it does.
#[derive(Clone, Copy)]
enum ToolWord {
    Approval(Approval),
    Category(Category),
}

const TOOL_WORDS: &[(&str, ToolWord)] = &[
    ("required", ToolWord::Approval(Approval::Required)),
    ("not_required", ToolWord::Approval(Approval::NotRequired)),
    ("default", ToolWord::Approval(Approval::Default)),
    ("read", ToolWord::Category(Category::Read)),
    ("write", ToolWord::Category(Category::Write)),
    ("execute", ToolWord::Category(Category::Execute)),
    ("external", ToolWord::Category(Category::External)),
];

pub(super) fn read(top: &mut Section<'_, '_>, file: &mut ParsedFile) {
    for (name, mut section) in top.named_tables("servers") {
        let reader = section.reader();
        if let Some((message, help)) = names::refuse_name("a server", name.get_ref()) {
            reader.add_mistake(name.span(), message, Some(help));
        }
        let transport = read_transport(&mut section);
        let may_change = read_may_change(&mut section);
        let origin = reader.span_origin(&name.span());
        let name = name.into_inner();
        scalars::read(&mut section, "servers.*", &[&name], &mut file.scalars);
        read_tools(&mut section, &name, &mut file.scalars);
        section.finish();
        file.servers.push(ServerEntry { name, transport, origin, may_change });
    }
}

/// What of a server's words may change: the person's to say, never a repository's.
fn read_may_change(section: &mut Section<'_, '_>) -> Option<MayChange> {
    const KEY: &str = "may_change";
    let words = section.take_strings(KEY)?;
    let reader = section.reader();
    if reader.layer == Layer::Workspace {
        section.add_mistake(
            "`may_change` can't be set by a workspace's file",
            "write it into your own file: it trusts what a server says next",
        );
        return None;
    }
    let parts = words.iter().filter_map(|word| find_word(reader, KEY, word, ChangingPart::ALL));
    Some(parts.map(Spanned::into_inner).collect())
}

fn read_transport(section: &mut Section<'_, '_>) -> Option<Transport> {
    let command = read_command(section);
    let env = section.string_map("env");
    let url = section.take_string("url");
    let headers = section.string_map("headers");
    let reader = section.reader();
    match (command, url) {
        (Some(command), Some(url)) => {
            let help = "a server is started with `command` or reached at `url`: leave one out".to_owned();
            reader.add_mistake(url.span(), "a server can't have both `command` and `url`", Some(help));
            drop(command);
            None
        }
        (Some(command), None) => {
            if headers.is_some() {
                section
                    .add_mistake("`headers` belong to `url`", "leave them out, or use `env` for a program");
            }
            Some(Transport::Stdio { command: command.into_inner(), env: env.unwrap_or_default() })
        }
        (None, Some(url)) => {
            if env.is_some() {
                section.add_mistake(
                    "`env` belongs to `command`",
                    "leave it out, or use `headers` for an address",
                );
            }
            if !is_web_address(url.get_ref()) {
                let help = "write it as \"https://example.com/mcp\"".to_owned();
                reader.add_mistake(
                    url.span(),
                    format!("`{}` is not a web address", url.get_ref()),
                    Some(help),
                );
                return None;
            }
            Some(Transport::Http { url: url.into_inner(), headers: headers.unwrap_or_default() })
        }
        (None, None) => {
            for (key, given, of) in [("env", env.is_some(), "command"), ("headers", headers.is_some(), "url")]
            {
                if given && section.is_missing(of) {
                    section.add_mistake(
                        format!("`{key}` is of no use without `{of}`"),
                        format!("write `{of}` too"),
                    );
                }
            }
            None
        }
    }
}

/// Whether a server could be reached at `text`.
pub(crate) fn is_web_address(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// All forms: `tool = "required"`, `tool = "read"` and `tool = { approval = ..., category = ... }`.
fn read_tools(section: &mut Section<'_, '_>, server: &str, scalars: &mut Scalars) {
    for (name, value) in section.take_entries("tools") {
        match value.get_ref() {
            DeValue::String(text) => {
                let text = Spanned::new(value.span(), text.clone().into_owned());
                let said = find_word(section.reader(), name.get_ref(), &text, TOOL_WORDS);
                let origin = section.reader().span_origin(&text.span());
                let names = [server, name.get_ref().as_str()];
                match said.map(Spanned::into_inner) {
                    Some(ToolWord::Approval(approval)) => {
                        scalars.set(
                            keys::SERVER_TOOL_APPROVAL,
                            &names,
                            Some(WithOrigin::new(approval, origin)),
                        );
                    }
                    Some(ToolWord::Category(category)) => {
                        scalars.set(
                            keys::SERVER_TOOL_CATEGORY,
                            &names,
                            Some(WithOrigin::new(category, origin)),
                        );
                    }
                    None => {}
                }
            }
            DeValue::Table(_) => {
                let Some(mut tool) = section.sub_section(&format!("tools.{}", name.get_ref()), value) else {
                    continue;
                };
                scalars::read(&mut tool, "servers.*.tools.*", &[server, name.get_ref()], scalars);
                tool.finish();
            }
            _ => {
                let help = "write \"required\", \"not_required\", \"default\" or a category such as \"read\", or a table with `approval` and `category`";
                let message = format!("`{}` is a word or a table", name.get_ref());
                section.reader().add_mistake(value.span(), message, Some(help.to_owned()));
            }
        }
    }
}
