//! What a call changes: by its diffs, and by its input where its kind says nothing of it.

use mayi_core::approval::{patch_diffs, untold_diffs};
use mayi_core::call::{Access, Call, Diff, WriteKind};
use mayi_doors::patch_headers;
use serde_json::Value;

use super::CallBuilder;
use crate::{files, input, patch};

/// Changes that the input alone tells are shown as those that came as diffs are.
pub(super) fn add_untold_diffs(call: &mut Call) {
    for mut diff in untold_diffs(call) {
        if diff.old_text.is_none() {
            let file = call.cwd.join(&diff.path);
            let access = call.accesses.iter().find_map(|access| match access {
                Access::Write(_, path) if path.given == diff.path || path.lexical == file => Some(path),
                _ => None,
            });
            // All of a file stands in the place of what it holds now.
            match access.map_or(Ok(None), files::current_text) {
                Ok(text) => diff.old_text = text,
                Err(why) => call.not_shown.push(format!("what is in {} now: {why}", diff.path)),
            }
        }
        call.diffs.push(diff);
    }
}

impl CallBuilder {
    pub(super) fn read_diff(&mut self, item: &Value) {
        if item.get("changes").is_some() || item.get("patch").is_some() {
            return self.read_changes(item);
        }
        let (Some(path), Some(new_text)) =
            (input::non_empty_text(item, "path"), item.get("newText").and_then(Value::as_str))
        else {
            self.not_shown.push("a diff without path or text".to_owned());
            return;
        };
        let old_text = item.get("oldText").and_then(Value::as_str).map(str::to_owned);
        let kind = match (self.kind.as_str(), &old_text) {
            ("delete", _) => WriteKind::Delete,
            ("move", _) => WriteKind::Move,
            (_, None) if !self.cwd.join(&path).exists() => WriteKind::Create,
            (_, None) => WriteKind::Write,
            (_, Some(_)) => WriteKind::Edit,
        };
        self.write(kind, &path);
        self.diffs.push(Diff { path, old_text, new_text: new_text.to_owned() });
    }

    /// A diff in the shape of version 2: files and what becomes of each, and a patch, which is what a person reads.
    fn read_changes(&mut self, item: &Value) {
        let named = patch::read_changes(item, &mut self.not_shown);
        for change in &named {
            match change {
                patch::DiffChange::Single(kind, path) => self.write(*kind, path),
                patch::DiffChange::Copied { from, to } => {
                    self.read(from);
                    self.write(WriteKind::Create, to);
                }
            }
        }
        let Some(text) = patch::read_patch_text(item, &mut self.not_shown) else { return };
        for (kind, path) in patch_headers::unified_files(&text, &[]) {
            // The patch says them from the top of some folder.
            if !named.iter().any(|change| change.names_path(&path)) {
                self.not_shown.push(format!("the patch is about {path}, which is not among its changes"));
                self.write(kind, &path);
            }
        }
        let changed = |name: &str| named.iter().any(|change| change.names_path(name));
        match patch_diffs(&text, changed) {
            Some(diffs) => self.diffs.extend(diffs),
            None => self.notes.push(text),
        }
    }

    /// Files that the input writes or moves though the call's kind says nothing of it.
    pub(super) fn read_unclaimed_changes(&mut self, raw: &Value) {
        if matches!(self.kind.as_str(), "edit" | "delete" | "move") {
            return;
        }
        if let Some((from, to)) = input::find_moves(raw) {
            from.iter().for_each(|path| self.read(path));
            to.iter().for_each(|path| self.write(WriteKind::Write, path));
        }
        if input::writes_text(raw) && input::edit_word(raw).is_none() {
            input::find_paths(raw).iter().for_each(|path| self.write(WriteKind::Write, path));
        }
    }
}
