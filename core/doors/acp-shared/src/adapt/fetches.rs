//! Addresses of a tool's input: under their keys, and in any text.

use mayi_core::call::{Access, Category, UrlAccess, WriteKind, file_paths};
use serde_json::Value;

use super::CallBuilder;
use crate::input;

impl CallBuilder {
    /// What a fetch is about.
    pub(super) fn read_fetch(&mut self, raw: &Value, label: &str) {
        let urls = input::find_urls(raw);
        if urls.is_empty() {
            // A web search names no address.
            self.push(Access::Tool { name: label.to_owned(), category: Category::External });
        }
        if input::has_odd_urls(raw) {
            self.by_hand = Some("it has an address that is no text".to_owned());
        }
        if let Some(key) = input::key_beside_address(raw) {
            self.by_hand =
                Some(format!("beside the address its input has {key:?}, which mayi does not know"));
        }
        // Where it puts what it fetched.
        for path in input::single_paths(raw) {
            self.write(WriteKind::Write, &path);
        }
        // What it fetches may be said in a text that a model reads.
        for given in input::find_all_urls(raw) {
            self.read_url(&given);
        }
    }

    pub(super) fn read_url(&mut self, given: &str) {
        file_paths(given).iter().for_each(|file| self.read(file));
        match UrlAccess::parse_lenient(given) {
            Ok(url) => self.push(Access::Fetch(url)),
            Err(error) => {
                self.not_shown.push(format!("the address {given} is not understood: {error}"));
                self.push(Access::Tool {
                    name: "an address that is not understood".to_owned(),
                    category: Category::Execute,
                });
                // Some put the scheme before it.
                if let Ok(url) = UrlAccess::parse_lenient(&format!("https://{given}")) {
                    self.push(Access::Fetch(url));
                }
            }
        }
    }

    /// Addresses by their keys, in a call that says nothing of fetching: an address, or the name of a file.
    pub(super) fn read_urls(&mut self, raw: &Value) {
        for given in input::find_urls(raw) {
            if given.contains(':') {
                self.read_url(&given);
            } else if matches!(self.kind.as_str(), "edit" | "delete" | "move") {
                self.write(WriteKind::Write, &given);
            } else {
                self.read(&given);
            }
        }
    }
}
